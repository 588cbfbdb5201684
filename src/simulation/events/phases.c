/* One phase begins: from the equations of one set of joints to those of another.
 *
 * The bodies stay where they are and keep moving as they do, as far as the new joints let them:
 * what is carried over are placements X and their rates, not coordinates. Angles count on,
 * relations that stay keep their offsets, joints that attach take the place of this moment. Then
 * positions and velocities are projected (projection.c), and the change of every body's momentum is
 * split into impulses of the joints as forces are (reactions.c).
 *
 * Everything is prepared when the simulation is created; here nothing is allocated. */
#include "base/memory.h"
#include "base/status.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"
#include "system/forces/loads.h"
#include "system/turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REPEATED = 4096 };            ///< phases that repeat, as far as they are listed
static const double ROUNDING = 1e-9; ///< of corrections, in sizes of the model, where --drawing 0

sar_status sari_switch_create(sar_simulation* s)
{
    sari_phases* p = &s->phases;
    const sar_model* model = s->model;
    const int joints = model->joints_count;
    const int x = s->system->mechanism->nx * model->bodies_count;
    p->capacity = model->phases_count;
    for (int k = 0; k < model->phases_count; k++)
        if (model->phases[k].def.repeats) p->capacity = model->phases_count + REPEATED;
    p->done = SARI_TAKE(&s->memory, sar_switch, p->capacity);
    p->impulse = SARI_TAKE(&s->memory, sar_impulse, p->capacity * joints);
    p->set = SARI_TAKE(&s->memory, char, sari_model_set_size(model));
    p->place = SARI_TAKE(&s->memory, sar_end, joints);
    p->distance = SARI_TAKE(&s->memory, double, joints);
    p->X = SARI_TAKE(&s->memory, double, x);
    p->Xd = SARI_TAKE(&s->memory, double, x);
    p->w = SARI_TAKE(&s->memory, double, 3 * model->bodies_count);
    p->X_after = SARI_TAKE(&s->memory, double, x);
    p->Xd_after = SARI_TAKE(&s->memory, double, x);
    p->change = SARI_TAKE(&s->memory, double, x);
    p->states = SARI_TAKE(&s->memory, double, 2 * s->system->states);
    return s->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

static void archive_switch(sari_archive* a, sar_switch* x)
{
    double* const vectors[] = {x->momentum_before, x->momentum_after, x->angular_before,
                               x->angular_after,   x->impulse,        x->angular_impulse};
    sar_rank* r = &x->rank;
    SARI_ARCHIVE_INTS(a, &x->phase, &x->moved_body, &x->turned_body, &x->displaced, &r->coordinates,
                      &r->constraints, &r->rank, &r->dof, &r->redundant, &r->on_velocities);
    SARI_ARCHIVE_NUMBERS(a, &x->t, &x->moved, &x->turned, &x->kinetic_before, &x->kinetic_after,
                         &x->potential_change);
    for (int k = 0; k < 6; k++) sari_archive_numbers(a, vectors[k], 3);
}

void sari_switches_archive(sar_simulation* s, sari_archive* a)
{
    sari_phases* p = &s->phases;
    const int joints = s->model->joints_count;
    p->begun = sari_archive_range(a, p->begun, 0, p->capacity);
    for (int k = 0; k < p->begun; k++) {
        sar_switch* x = &p->done[k];
        sar_impulse* of = p->impulse + (size_t)k * (size_t)joints;
        archive_switch(a, x);
        x->impulses = sari_archive_range(a, x->impulses, 0, joints);
        x->joint_impulse = of;
        for (int i = 0; i < x->impulses; i++) {
            of[i].joint = sari_archive_range(a, of[i].joint, 0, joints - 1);
            sari_archive_numbers(a, of[i].force, 3);
            sari_archive_numbers(a, of[i].torque, 3);
        }
    }
    for (int j = 0; p->place && j < joints; j++) {
        if (!s->model->joints[j].attaches) continue;
        p->place[j].body = s->model->joints[j].pair.a.body;
        sari_archive_end(a, &p->place[j]);
        SARI_ARCHIVE_NUMBERS(a, &p->distance[j]);
    }
}

/* ---- where joints attach -------------------------------------------------------------------- */

static void point_at(const sari_mechanism* m, const sar_end* end, const double* X, double p[3])
{
    for (int k = 0; k < 3; k++) {
        sari_affine f = sari_point_affine(m, end->body.i, end->point, k);
        p[k] = f.c;
        for (int i = 0; i < f.n; i++) p[k] += f.coefficient[i] * X[f.index[i]];
    }
}

/* A direction of `from` in the axes of the body `to`. */
static void carry(const sari_mechanism* m, const double* X, int from, int to, const double u[3],
                  double out[3])
{
    double R[9], world[3];
    sari_rotation_of(m, X + m->nx * from, R);
    sari_rotate(R, u, world);
    sari_rotation_of(m, X + m->nx * to, R);
    sari_rotate_back(R, world, out);
}

/* Of axes across each other that of end a: its part across that of b, which is where its angle is
 * zero. */
static void set_across(const double u[3], sar_end* a)
{
    double along = sari_dot(a->axis, u), other[3] = {fabs(u[0]) < 0.7, fabs(u[0]) >= 0.7, 0.0};
    for (int k = 0; k < 3; k++) a->axis[k] -= along * u[k];
    if (sari_norm3(a->axis) < 1e-6) sari_cross(u, other, a->axis);
    double size = sari_norm3(a->axis);
    for (int k = 0; k < 3; k++) a->axis[k] /= size;
    memcpy(a->normal, u, sizeof a->normal);
}

/* Of a curve not its origin meets the point at p, as seen from there, but what is nearest on it. */
static void leave_curve(const sari_curve* curve, const double p[3], sar_end* a)
{
    double o[3], c[3][2];
    sari_cross(a->axis, a->normal, o);
    const double at[2] = {sari_dot(p, a->normal), sari_dot(p, o)};
    sari_curve_at(curve, sari_curve_find(curve, at, NAN).s, c);
    for (int k = 0; k < 3; k++) a->point[k] -= c[0][0] * a->normal[k] + c[0][1] * o[k];
}

/* Where joint j attaches with the bodies at X. */
static void find_place(sar_simulation* s, int j, const double* X)
{
    const sari_mechanism* m = s->system->mechanism;
    const sar_joint_def* def = &s->model->joints[j].pair;
    const sari_joint_form* form = sari_form_of(def, m->dimension);
    sar_end* a = &s->phases.place[j];
    double pa[3], pb[3], p[3], u[3], n[3], R[9];
    *a = def->a;
    point_at(m, &def->a, X, pa);
    point_at(m, &def->b, X, pb);
    for (int k = 0; k < 3; k++) p[k] = pb[k] - pa[k];
    s->phases.distance[j] = sari_norm3(p);
    if (sari_form_has(form, SARI_DISTANCE)) return; // keeps its ends, and the distance of now
    s->phases.distance[j] = def->distance;
    sari_rotation_of(m, X + m->nx * a->body.i, R);
    sari_rotate_back(R, p, p);
    for (int k = 0; k < 3; k++) a->point[k] += p[k];
    carry(m, X, def->b.body.i, a->body.i, def->b.axis, u);
    carry(m, X, def->b.body.i, a->body.i, def->b.normal, n);
    if (sari_form_has(form, SARI_PERPENDICULAR)) set_across(u, a);
    if (form->follow) form->follow(u, n, a);
    if (sari_type_of(def)->curved) leave_curve(&s->model->joints[j].curve, p, a);
    if (!sari_form_aligns(form)) return; // directions stay, and with them the zero of an angle
    memcpy(a->axis, u, sizeof u);
    memcpy(a->normal, n, sizeof n);
}

/* ---- what goes on --------------------------------------------------------------------------- */

/* The bodies as they are now. */
static void take_placement(sar_simulation* s, double* X, double* Xd)
{
    const sari_mechanism* m = s->system->mechanism;
    sari_kinematics* k = s->system->kinematics;
    size_t bytes = (size_t)(m->nx * m->bodies) * sizeof(double);
    sari_kinematics_update(k, s->state.q, s->state.v, 1);
    memcpy(X, k->X, bytes);
    memcpy(Xd, k->Xd, bytes);
    memset(Xd, 0, (size_t)m->nx * sizeof(double)); // the ground
}

static int was_there(const sari_system* old, int joint)
{
    return old->mechanism->active[joint];
}

/* Angles count on; those of joints that attach begin anew. So do foot points on curves of joints
 * that were not there: the nearest ones count. */
static void carry_angles(const sari_system* old, sari_system* now, double t)
{
    const sari_mechanism* m = now->mechanism;
    for (int i = 0; i < now->kinematics->scalars; i++) {
        sari_scalar *to = &now->kinematics->scalar[i], *from = &old->kinematics->scalar[i];
        const int joint = to->joint;
        const int anew = joint >= 0 && m->model->joints[joint].attaches && !was_there(old, joint);
        to->last = anew ? 0.0 : from->last;
        to->last_a = anew ? 0.0 : from->last_a;
        to->last_b = anew ? 0.0 : from->last_b;
        to->rate = anew ? 0.0 : from->rate;
        if (to->kind == SARI_SCALAR_CURVE && !was_there(old, joint)) to->last = NAN;
    }
    sari_turns_begin(now->kinematics, t);
}

/* A new drive of an angle moves it to its value by less than half a revolution: the angle counts on, and
 * what the drive says is off by whole revolutions. */
static void fit_drives(const sari_system* old, sari_system* now, double t)
{
    const double revolution = 2.0 * sari_acos(-1.0);
    for (int i = 0; i < now->mechanism->relations_count; i++) {
        sari_relation* r = &now->relation[i];
        if (!r->value || was_there(old, r->joint)) continue;
        const sari_scalar* angle = &now->kinematics->scalar[r->scalar[0]];
        if (angle->kind != SARI_SCALAR_ANGLE) continue;
        const double apart = angle->last - sari_expression_value(r->value, &t);
        r->offset = isfinite(apart) ? revolution * round(apart / revolution) : 0.0;
    }
}

/* Relations that stay keep their offsets; new ones get theirs, if it is what it is, at the last
 * evaluated position. */
static void carry_offsets(const sari_system* old, sari_system* now)
{
    sari_system_set_offsets(now);
    for (int i = 0; i < now->mechanism->relations_count; i++)
        for (int k = 0; k < old->mechanism->relations_count; k++)
            if (old->relation[k].joint == now->relation[i].joint)
                now->relation[i].offset = old->relation[k].offset;
}

static sar_status attach_joints(sar_simulation* s)
{
    for (int j = 0; j < s->model->joints_count; j++)
        if (s->model->joints[j].attaches && s->system->mechanism->active[j])
            SARI_TRY(sari_system_attach(s->system, j, &s->phases.place[j], s->phases.distance[j]));
    return SAR_OK;
}

/* States of forces and their integrals go on; they are the last of the numbers, in all phases. */
static void take_states(sar_simulation* s)
{
    const sari_system* sys = s->system;
    const int n = sys->states;
    for (int i = 0; i < n; i++) {
        s->phases.states[i] = s->state.q[sys->np - n + i];
        s->phases.states[n + i] = s->state.v[sys->nq - n + i];
    }
}

static void give_states(sar_simulation* s)
{
    const sari_system* sys = s->system;
    const int n = sys->states;
    for (int i = 0; i < n; i++) {
        s->state.q[sys->np - n + i] = s->phases.states[i];
        s->state.v[sys->nq - n + i] = s->phases.states[n + i];
    }
}

/* Coordinates of the bodies at p->X, from which positions and velocities are projected. */
static sar_status enter(sar_simulation* s, int configuration)
{
    sari_phases* p = &s->phases;
    const sari_system* old = s->system;
    const double t = s->state.t;
    const sari_mechanism* m = old->mechanism;
    take_placement(s, p->X, p->Xd);
    take_states(s);
    for (int b = 1; b < m->bodies; b++)
        sari_spin_of(m, p->X + m->nx * b, p->Xd + m->nx * b, p->w + 3 * b);
    for (int j = 0; j < s->model->joints_count; j++)
        if (s->model->joints[j].attaches && !was_there(old, j)) find_place(s, j, p->X);
    if (s->configuration[configuration].scene.system == old) return SAR_OK;
    sari_configuration_enter(s, configuration);
    sari_events_name(&s->passes);
    sari_events_name(&s->branches);
    SARI_TRY(attach_joints(s));
    carry_angles(old, s->system, t);
    s->state.t = t;
    const sari_coordinates* c = &s->system->coordinates;
    c->ops->from_placement(c, p->X, p->Xd, p->w, s->state.q, s->state.v);
    give_states(s);
    sari_kinematics_update(s->system->kinematics, s->state.q, s->state.v, 1);
    carry_offsets(old, s->system);
    fit_drives(old, s->system, t);
    return SAR_OK;
}

/* ---- the account ---------------------------------------------------------------------------- */

/* Linear and angular momentum, and kinetic energy, of bodies at X that move by Xd. */
static double momentum_of(const sari_mechanism* m, const double* X, const double* Xd,
                          double linear[3], double angular[3])
{
    double twice = 0.0;
    for (int k = 0; k < 3; k++) linear[k] = angular[k] = 0.0;
    for (int b = 1; b < m->bodies; b++) {
        double momentum[12], wrench[6], moment[3];
        const double *at = X + m->nx * b, *rate = Xd + m->nx * b;
        double center[3] = {at[0], at[1], m->dimension == 3 ? at[2] : 0.0};
        sari_inertia_times(m, b, rate, momentum);
        for (int a = 0; a < m->nx; a++) twice += rate[a] * momentum[a];
        sari_wrench_of(m, at, momentum, wrench);
        sari_cross(center, wrench, moment);
        for (int k = 0; k < 3; k++) {
            linear[k] += wrench[k];
            angular[k] += wrench[3 + k] + moment[k];
        }
    }
    return 0.5 * twice;
}

/* The angle between two orientations. */
static double turn_between(const double* R, const double* S)
{
    double sine[3] = {0}, part[3], trace = 0.0;
    for (int c = 0; c < 3; c++) {
        double a[3] = {R[c], R[3 + c], R[6 + c]}, b[3] = {S[c], S[3 + c], S[6 + c]};
        sari_cross(a, b, part);
        trace += sari_dot(a, b);
        for (int k = 0; k < 3; k++) sine[k] += 0.5 * part[k];
    }
    return sari_atan2(sari_norm3(sine), 0.5 * (trace - 1.0));
}

/* The correction of positions. Bodies are taken along: velocities of centres and angular velocities
 * in body axes stay, and with them the kinetic energy. */
static void take_along(sari_phases* p, const sari_mechanism* m, sar_switch* out)
{
    for (int b = 1; b < m->bodies; b++) {
        const double *before = p->X + m->nx * b, *after = p->X_after + m->nx * b;
        double *rate = p->Xd + m->nx * b, R[9], S[9], w[3], square = 0.0;
        for (int k = 0; k < m->dimension; k++) square += sari_square(after[k] - before[k]);
        sari_rotation_of(m, before, R);
        sari_rotation_of(m, after, S);
        const double moved = sqrt(square), turned = turn_between(R, S);
        if (moved > out->moved) out->moved = moved, out->moved_body = b;
        if (turned > out->turned) out->turned = turned, out->turned_body = b;
        sari_rotate_back(R, p->w + 3 * b, w);
        sari_rotate(S, w, w);
        if (m->dimension == 2)
            rate[2] = -w[2] * after[3], rate[3] = w[2] * after[2];
        else
            for (int c = 0; c < 3; c++) sari_cross(w, after + 3 + 3 * c, rate + 3 + 3 * c);
    }
}

/* Where a phase is listed; beyond the room there is the last place is written again. */
static int slot_of(const sari_phases* p)
{
    return p->begun < p->capacity ? p->begun : p->capacity - 1;
}

static sar_status account(sar_simulation* s, sar_switch* out)
{
    sari_phases* p = &s->phases;
    const sari_mechanism* m = s->system->mechanism;
    sar_impulse* impulse = p->impulse + slot_of(p) * s->model->joints_count;
    out->kinetic_before =
        momentum_of(m, p->X_after, p->Xd, out->momentum_before, out->angular_before);
    out->kinetic_after =
        momentum_of(m, p->X_after, p->Xd_after, out->momentum_after, out->angular_after);
    for (int i = 0; i < m->nx * m->bodies; i++) p->change[i] = p->Xd_after[i] - p->Xd[i];
    SARI_TRY(sari_reactions_impulse(s->reactions, p->X_after, p->change));
    sari_reactions_sum(s->reactions, out->impulse, out->angular_impulse);
    out->joint_impulse = impulse;
    out->impulses = 0;
    for (int j = 0; j < s->model->joints_count; j++) {
        if (!m->active[j]) continue;
        sar_impulse* one = &impulse[out->impulses++];
        one->joint = j;
        sari_reaction(s->reactions, j, one->force, one->torque);
    }
    return SAR_OK;
}

/* ---- the change ----------------------------------------------------------------------------- */

static void explain(sar_simulation* s, const char* what)
{
    int row;
    char added[160] = "";
    double residual = sari_projector_residual(s->projector, &row);
    if (s->phases.now < 0) {
        snprintf(s->failure, sizeof s->failure,
                 "contact at t = %.9g: no %s satisfy all joints and closed contacts; residual: %s "
                 "(%.2e)",
                 s->state.t, what,
                 row < 0 ? "nothing" : sari_equations_row_name(&s->system->equations, row),
                 s->units.length * residual);
        return;
    }
    const sar_phase_def* def = &s->model->phases[s->phases.now].def;
    for (int k = 0; k < def->adds; k++)
        snprintf(added + strlen(added), sizeof added - strlen(added), "%s%s", k ? ", " : "",
                 s->model->joints[def->add[k].i].name);
    snprintf(
        s->failure, sizeof s->failure,
        "phase %d at t = %.9g, which adds %s: no %s satisfy all joints that are there from then "
        "on; residual: %s (%.2e). Add a joint where its two ends meet, or let it attach: here",
        s->phases.now + 1, s->state.t, added[0] ? added : "nothing", what,
        row < 0 ? "nothing" : sari_equations_row_name(&s->system->equations, row),
        s->units.length * residual);
}

static sar_status project(sar_simulation* s, sar_switch* out)
{
    sari_phases* p = &s->phases;
    const sari_mechanism* m = s->system->mechanism;
    sari_state* x = &s->state;
    sar_status st = sari_project_position(s->projector, x->t, p->X, x->q);
    if (st != SAR_OK) {
        explain(s, "positions");
        return st;
    }
    sari_kinematics_update(s->system->kinematics, x->q, NULL, 1);
    memcpy(p->X_after, s->system->kinematics->X, (size_t)(m->nx * m->bodies) * sizeof(double));
    take_along(p, m, out);
    st = sari_project_velocity(s->projector, x->t, x->q, p->Xd, x->v);
    if (st != SAR_OK) {
        explain(s, "velocities");
        return st;
    }
    take_placement(s, p->X_after, p->Xd_after);
    return SAR_OK;
}

sar_status sari_switch_restart(sar_simulation* s)
{
    sari_state* x = &s->state;
    sari_kinematics_update(s->system->kinematics, x->q, x->v, 0);
    sari_turns_commit(s->system->kinematics, x->t);
    sari_sharing_start(s);
    sar_status st = sari_start_motion(s);
    if (st != SAR_OK) {
        if (!sari_explained(s, st))
            snprintf(
                s->failure, sizeof s->failure, "%s %d at t = %.9g: no accelerations: %s",
                s->phases.now < 0 ? "event" : "phase",
                s->phases.now < 0 ? (int)s->bounds.total : s->phases.now + 1, x->t,
                st == SAR_R_SINGULAR
                    ? "some motion that the joints allow from then on has no mass"
                    : "the joints from then on nearly depend on each other, as where light bodies "
                      "guide others by long levers; try other coordinates");
        return st;
    }
    if (s->integrator->start) SARI_TRY(s->integrator->start(s->integrator_self, x));
    s->form.ops->begin(s->form.self, NULL);
    sari_state_copy(&s->previous, x);
    s->reactions_time = NAN;
    s->power = sari_system_power(s->system, x->t, x->q, x->v, x->lambda, NULL);
    sari_integrals_resume(s);
    SARI_TRY(sari_equations_eval(&s->system->equations, SARI_EVAL_DYNAMICS, x->t, x->q, x->v));
    return sari_watch_start(s);
}

sar_status sari_switch_to(sar_simulation* s, int configuration, void (*prepare)(sar_simulation* s))
{
    sar_switch unused = {0};
    if (configuration == s->present) return SAR_OK;
    SARI_TRY(enter(s, configuration));
    if (prepare) prepare(s);
    return project(s, &unused);
}

sar_status sari_switch(sar_simulation* s, int phase)
{
    sari_phases* p = &s->phases;
    const sar_phase_def* def = &s->model->phases[phase].def;
    sar_switch* out = &p->done[slot_of(p)];
    const sar_energy before = s->energy;
    memset(out, 0, sizeof *out);
    out->phase = p->now = phase;
    out->t = s->state.t;
    memcpy(p->set, s->system->mechanism->active, (size_t)sari_model_set_size(s->model));
    sari_phase_apply(s->model, def, p->set);
    SARI_TRY(enter(s, sari_configuration_find(s, p->set)));
    SARI_TRY(project(s, out));
    const double precise = fmax(s->options.drawing, ROUNDING);
    out->displaced = !def->move && (out->moved > precise * s->units.size || out->turned > precise);
    SARI_TRY(account(s, out));
    SARI_TRY(sari_switch_restart(s));
    sari_observation_measure(&s->seen, NULL);
    out->potential_change = s->energy.potential - before.potential;
    out->rank = sar_simulation_rank(s);
    // the balance of energy goes on: what was lost counts as work
    s->energy.work = before.work + (s->energy.kinetic + s->energy.potential) -
                     (before.kinetic + before.potential);
    sari_ledger_enter(s, SAR_ACCOUNT_PHASES, s->energy.work - before.work);
    sari_switch_in_user_units(&s->units, out, p->impulse + slot_of(p) * s->model->joints_count);
    p->begun++;
    p->now = -1;
    if (!def->repeats) p->next = phase + 1;
    return SAR_OK;
}

sar_status sar_simulation_phase_rank(sar_simulation* s, int phase, sar_rank* out)
{
    const int present = s->present, generic = s->generic_rank;
    if (!s->assembled || phase < 0 || phase >= s->model->phases_count) return SAR_E_ARG;
    const sar_phase_def* def = &s->model->phases[phase].def;
    sari_model_set_after(s->model, def->repeats ? 0 : phase + 1, s->phases.set);
    if (def->repeats) {
        if (!sari_phase_applies(s->model, def, s->phases.set)) return SAR_E_ARG;
        sari_phase_apply(s->model, def, s->phases.set);
    }
    sar_status st = enter(s, sari_configuration_find(s, s->phases.set));
    if (st == SAR_OK) {
        sari_state* x = &s->state;
        st = sari_equations_eval(&s->system->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_MASS, x->t,
                                 x->q, x->v);
        memset(x->a, 0, (size_t)s->system->nq * sizeof(double));
        if (st == SAR_OK) st = sari_monitor_start(s->monitor, x, s->reactions);
        s->generic_rank = -1;
        *out = sar_simulation_rank(s);
        s->generic_rank = generic;
    }
    if (s->present != present) sari_configuration_enter(s, present);
    return st;
}

int sar_simulation_switches(const sar_simulation* s, const sar_switch** list)
{
    *list = s->phases.done;
    return s->phases.begun < s->phases.capacity ? s->phases.begun : s->phases.capacity;
}
