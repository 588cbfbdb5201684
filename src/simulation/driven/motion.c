/* Motions that drives prescribe. With as many independent constraints as coordinates,
 *
 *     Phi(t, q) = 0              positions, by Newton's method                           (1)
 *     Phi_q v = -Phi_t           velocities                                              (2)
 *     Phi_q a = -bias            accelerations                                           (3)
 *     Phi_q' lambda = Q - M a    forces, the least ones where they are not unique        (4)
 *
 * Nothing is integrated: every time stands for itself. But (1) has several solutions, the ways a
 * mechanism can be put together, and angles count turns; so the motion is followed from where it
 * is. A step goes to q + h v + h^2/2 a first. If Newton's method does not converge from there, or
 * leads away too far to be trusted, the step is halved. Solutions of (1) meet in singular
 * configurations, where Phi_q has lost rank: near them they are as far apart as Phi_q is from that, and
 * corrections have to be smaller. */
#include "simulation/driven/motion.h"
#include "math/vector.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/vec3.h"
#include "system/turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 40, HALVINGS = 40 };
static const double CORRECTION = 1e-10; ///< relative: the next one is below rounding
static const double TRUST = 0.25;       ///< of a prediction: larger corrections are not believed
static const double TURN = 1.0;         ///< [rad] of a body, at most in a step

/* ---- construction --------------------------------------------------------------------------- */

static sar_status build(sar_motion* m, sar_error* error)
{
    sari_observation* s = &m->seen;
    if (strcmp(s->options.coordinates, "auto") == 0) // nothing is integrated: any will do
        snprintf(s->options.coordinates, sizeof s->options.coordinates, "natural");
    const sari_coordinates_ops* coordinates = sari_coordinates_find(s->options.coordinates);
    if (!coordinates)
        return sari_fail(error, SAR_E_ARG, "coordinates", "there are no coordinates called \"%s\"",
                         s->options.coordinates);
    if (!(s->options.end > s->options.start) || !(s->options.step > 0.0))
        return sari_fail(error, SAR_E_ARG, "end", "end = %g is not after start = %g",
                         s->options.end, s->options.start);
    SARI_TRY(sari_system_create(s->model, coordinates, &s->system, error));
    if (s->system->velocity_rows)
        return sari_fail(error, SAR_E_MODEL, "joints",
                         "\"%s\" holds velocities, not positions: where the mechanism is then "
                         "depends on how it got there; use `sarrus run`",
                         sari_equations_row_name(&s->system->equations, s->system->nc - 1));
    if (s->system->states)
        return sari_fail(error, SAR_E_MODEL, "forces",
                         "a force has states of its own, which depend on what was before: drives "
                         "do not prescribe them; use `sarrus run`");
    const int n = s->system->nq, rows = s->system->nc;
    const size_t variables = SARI_VARIABLE_SIGNAL + (size_t)s->model->signals_count;
    s->variables = SARI_TAKE(&s->memory, double, variables);
    m->moves = SARI_TAKE(&s->memory, char, s->model->joints_count + s->model->bodies_count);
    m->q = SARI_TAKE(&s->memory, double, s->system->np);
    m->d = SARI_TAKE(&s->memory, double, n);
    m->rhs = SARI_TAKE(&s->memory, double, n > rows ? n : rows);
    sari_state_take(&s->state, &s->memory, &s->system->equations, 0);
    sari_state_take(&m->previous, &s->memory, &s->system->equations, 0);
    int ok = !s->memory.failed &&
             sari_determined_create(&s->system->Phi_q, s->options.solver, &m->lin) == SAR_OK &&
             sari_reactions_create(s->system, NULL, &s->reactions) == SAR_OK &&
             sari_coupling_create(s->reactions, &s->coupling) == SAR_OK;
    return ok ? SAR_OK : sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for the motion");
}

/* A prescribed motion goes to any time at once: nothing is added up on the way. */
static int adds_up(const sar_model* model, const sari_output* output)
{
    const int* used;
    const int count = sari_expression_variables(output->value, &used);
    int found = output->integral != 0;
    for (int k = 0; k < count; k++)
        if (used[k] >= SARI_VARIABLE_SIGNAL)
            found |= sari_signal_is_of_ledger(&model->signals[used[k] - SARI_VARIABLE_SIGNAL]);
    return found;
}

sar_status sar_motion_create(const sar_model* model, const sar_options* options, sar_motion** out,
                             sar_error* error)
{
    *out = NULL;
    for (int j = 0; j < model->joints_count; j++)
        if (model->joints[j].bounded)
            return sari_fail(error, SAR_E_MODEL, "constraints",
                             "\"%s\" has a bound, whose impacts a prescribed motion cannot have",
                             model->joints[j].name);
    if (model->phases_count)
        return sari_fail(error, SAR_E_MODEL, "phases",
                         "drives prescribe the motion of one set of joints, and this model has %d "
                         "phases in which joints come and go; make a model of each",
                         model->phases_count);
    for (int i = 0; i < model->outputs_count; i++)
        if (adds_up(model, &model->outputs[i]))
            return sari_fail(error, SAR_E_MODEL, "outputs",
                             "output \"%s\" is added up over the steps of a run, and a "
                             "prescribed motion has no steps; remove it, or use `sarrus run`",
                             model->outputs[i].name);
    sar_motion* m = SARI_NEW(sar_motion);
    if (!m) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    // in the user's units: coordinates and generalised forces are for all to see
    sari_units fitting, units = {.length = 1.0, .mass = 1.0};
    sar_status st = sari_units_of(model, &fitting)
                        ? SAR_OK
                        : sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for the model");
    if (st == SAR_OK) units.size = fitting.size * fitting.length;
    if (st == SAR_OK) st = sari_observation_take(&m->seen, model, options, &units, error);
    if (st == SAR_OK) st = build(m, error);
    if (st != SAR_OK) {
        sar_motion_destroy(m);
        return st;
    }
    double ratio = (options->end - options->start) / options->step;
    m->steps = ratio < 1e15 ? (long)ceil(ratio - 1e-9 * fmax(1.0, ratio)) : (long)1e15;
    if (m->steps < 1) m->steps = 1;
    *out = m;
    return SAR_OK;
}

void sar_motion_destroy(sar_motion* m)
{
    if (!m) return;
    sari_observation* s = &m->seen;
    sari_determined_clear(&m->lin);
    sari_coupling_destroy(s->coupling);
    sari_reactions_destroy(s->reactions);
    sari_system_destroy(s->system);
    sari_observation_clear(s);
    sari_release(m);
}

/* ---- one position --------------------------------------------------------------------------- */

sar_status sari_motion_positions(sar_motion* m, double t, int most) // (1)
{
    sari_system* sys = m->seen.system;
    double last = INFINITY;
    for (int it = 0; it < ITERATIONS; it++) {
        SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T, t, m->q,
                                     NULL));
        if (!sari_vector_finite(sys->nc, sys->Phi) || !sari_vector_finite(sys->nc, sys->Phi_t))
            return SAR_R_NOT_FINITE;
        sari_determined_factor(&m->lin, &sys->Phi_q, most);
        double left = sari_determined_size(&m->lin, sys->Phi);
        if (left <= 1e-16 * m->size || (left <= 1e-11 * m->size && last <= CORRECTION * m->size))
            return SAR_OK;
        sari_determined_solve(&m->lin, sys->Phi, m->d);
        for (int i = 0; i < sys->nq; i++) m->d[i] = -m->d[i];
        last = sari_vector_max(sys->nq, m->d);
        if (!(last <= 1e3 * m->size)) return SAR_R_NO_CONV;
        sari_coordinates_move(&sys->coordinates, m->q, m->d, m->q);
        m->iterations++;
    }
    double left = sari_determined_size(&m->lin, sys->Phi);
    return left <= 1e-14 * m->size ? SAR_OK : SAR_R_NO_CONV; // slowly, at a singular configuration
}

/* What corrections are measured by: the largest coordinate, which is a length or an angle, but not
 * less than the longest arm of a body, or 1 if that is less. */
static double size_of(const sar_motion* m)
{
    const sar_model* model = m->seen.model;
    double arm = 0.0;
    for (int b = 1; b < model->bodies_count; b++)
        arm = fmax(arm, sari_norm3(model->bodies[b].def.center));
    for (int j = 0; j < model->joints_count; j++) {
        arm = fmax(arm, sari_norm3(model->joints[j].pair.a.point));
        arm = fmax(arm, sari_norm3(model->joints[j].pair.b.point));
    }
    return fmax(sari_vector_max(m->seen.system->np, m->q), arm > 0.0 ? fmin(arm, 1.0) : 1.0);
}

/* Weights of the columns: coordinates without mass weigh as much as the heaviest. */
static void weigh(sar_motion* m, double t)
{
    sari_system* sys = m->seen.system;
    const sari_sym* M = &sys->M;
    double heaviest = 0.0;
    sari_equations_eval(&sys->equations, SARI_EVAL_MASS, t, m->q, NULL);
    for (int i = 0; i < sys->nq; i++) heaviest = fmax(heaviest, M->x[M->p[i]]);
    for (int i = 0; i < sys->nq; i++) {
        double mass = M->x[M->p[i]];
        if (!(mass > 1e-9 * heaviest)) mass = heaviest > 0.0 ? heaviest : 1.0;
        m->lin.col[i] = 1.0 / sqrt(mass);
    }
}

/* (2)-(4) for the state's position, for which Phi_q is factored. */
static sar_status complete(void* m_)
{
    sar_motion* m = m_;
    sari_system* sys = m->seen.system;
    sari_state* x = &m->seen.state;
    for (int r = 0; r < sys->nc; r++) m->rhs[r] = -sys->Phi_t[r];
    sari_determined_solve(&m->lin, m->rhs, x->v); // (2)
    SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_DYNAMICS, x->t, x->q, x->v));
    for (int r = 0; r < sys->nc; r++) m->rhs[r] = -sys->bias[r];
    sari_determined_solve(&m->lin, m->rhs, x->a); // (3)
    sari_equations_mass_times(&sys->equations, x->a, m->rhs);
    for (int i = 0; i < sys->nq; i++) m->rhs[i] = sys->Q[i] - m->rhs[i];
    sari_determined_solve_transposed(&m->lin, m->rhs, x->lambda); // (4)
    int fine = sari_vector_finite(sys->nq, x->v) && sari_vector_finite(sys->nq, x->a) &&
               sari_vector_finite(sys->nc, x->lambda);
    return fine ? SAR_OK : SAR_R_NOT_FINITE;
}

static void measure(sar_motion* m)
{
    sari_observation* s = &m->seen;
    sari_observation_measure(s, NULL);
    s->energy.work = s->energy.kinetic + s->energy.potential - m->initial;
    s->reactions_time = NAN;
}

static void fill_rank(sar_motion* m, int rank)
{
    const sari_system* sys = m->seen.system;
    m->determinacy = (sar_determinacy){
        .rank = sari_rank(sys, sari_reactions_conditions(m->seen.reactions), rank),
        .weight = m->lin.weight};
}

/* m->q becomes the position at t, with all that follows from it. `start`: the first position. */
static sar_status complete_state(sar_motion* m, double t, int start)
{
    sari_observation* s = &m->seen;
    sari_system* sys = s->system;
    int rank = sari_determined_rank(&m->lin, SARI_MOTION_WEIGHT);
    fill_rank(m, rank);
    if (rank < sys->nq) {
        m->determinacy.singular = 1;
        if (start)
            sari_motion_freedom(m, rank);
        else
            sari_motion_name_free(m, m->q, rank);
        return m->determinacy.undriven ? SAR_E_MODEL : SAR_R_SINGULAR;
    }
    m->weight = m->lin.weight;
    s->state.t = t;
    if (sys->np > 0) memcpy(s->state.q, m->q, (size_t)sys->np * sizeof *m->q);
    SARI_TRY(sari_coupling_solve(s->coupling, &s->state, complete, m));
    measure(m);
    sari_kinematics_update(sys->kinematics, s->state.q, s->state.v, 1);
    sari_turns_commit(sys->kinematics, t);
    return SAR_OK;
}

/* ---- what went wrong ------------------------------------------------------------------------ */

static void name_worst(const sar_motion* m, char* text, size_t size)
{
    const sari_system* sys = m->seen.system;
    double worst = sari_determined_size(&m->lin, sys->Phi);
    const char* last = "";
    text[0] = 0;
    for (int r = 0; r < sys->nc && worst > 0.0; r++) {
        const char* name = sari_equations_row_name(&sys->equations, r);
        double left = fabs(sys->Phi[r]) / fmax(m->lin.plain[r], 1e-300);
        if (left < 0.2 * worst || strcmp(name, last) == 0) continue;
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s (%.2g)", used ? ", " : "", name, left);
        last = name;
    }
}

static void explain_free(sar_motion* m, double t)
{
    const sar_determinacy* d = &m->determinacy;
    char* text = m->seen.failure;
    size_t size = sizeof m->seen.failure;
    const char* what = d->joints[0] ? d->joints : d->bodies;
    if (d->undriven)
        snprintf(text, size,
                 "the drives do not determine the motion: %s%d degree%s of freedom %s no drive; "
                 "free to move: %s",
                 m->lin.sparse && m->lin.frees == SARI_DETERMINED_FREE ? "at least " : "",
                 d->undriven, d->undriven == 1 ? "" : "s", d->undriven == 1 ? "has" : "have", what);
    else
        snprintf(
            text, size,
            "at t = %.9g s the mechanism is in a singular configuration: there its drives do not "
            "determine how it moves on, and forces can be without bounds; free to move: %s",
            t, what);
}

static void explain(sar_motion* m, sar_status st, double from, double t)
{
    char names[256], *text = m->seen.failure;
    size_t size = sizeof m->seen.failure;
    if (st == SAR_E_MODEL || st == SAR_R_SINGULAR) {
        explain_free(m, t);
    } else if (st == SAR_R_NOT_FINITE) {
        if (sari_explain_undefined(&m->seen.system->undefined, text, size)) return;
        snprintf(text, size,
                 "at t = %.9g s a drive or a force has no finite value: see its expression", t);
    } else {
        name_worst(m, names, sizeof names);
        snprintf(text, size,
                 "the mechanism cannot follow its drives beyond t = %.9g s: joints and drives "
                 "contradict each other there, or an end of its reach is near; residual: %s",
                 from, names);
    }
}

/* ---- the start ------------------------------------------------------------------------------ */

static void explain_assembly(sar_motion* m, const sar_assembly* report)
{
    char names[256] = "";
    for (int k = 0; k < report->conflicts; k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s (%.2e)", k ? ", " : "",
                 report->conflict[k].name, report->conflict[k].residual);
    snprintf(m->seen.failure, sizeof m->seen.failure,
             "cannot be assembled: the %s of the start %s; residual: %s",
             report->level ? "velocities" : "positions",
             report->verdict == SAR_ASSEMBLY_IMPOSSIBLE ? "contradict each other"
                                                        : "were not found within the iterations",
             names);
}

sar_status sar_motion_assemble(sar_motion* m, sar_assembly* report)
{
    sar_assembly local;
    sari_observation* s = &m->seen;
    sari_system* sys = s->system;
    double t = s->options.start;
    if (!report) report = &local;
    s->assembled = 0;
    sys->undefined.what = NULL;
    m->step = m->iterations = 0;
    m->initial = 0.0;
    if (sys->np > 0) memcpy(m->q, sys->coordinates.q0, (size_t)sys->np * sizeof(double));
    if (sys->nq > 0) memcpy(s->state.v, sys->coordinates.v0, (size_t)sys->nq * sizeof(double));
    const sari_assembly_task task = {t, 0, s->units.size, s->options.drawing, 0, 0.0};
    sar_status st = sari_assemble(sys, &task, m->q, s->state.v, NULL, report);
    if (st != SAR_OK) {
        if (st == SAR_E_ASSEMBLY) explain_assembly(m, report);
        return st;
    }
    m->size = size_of(m);
    weigh(m, t);
    st = sari_motion_positions(m, t, sys->nq);
    if (st == SAR_OK) {
        sari_determined_assess(&m->lin);
        st = complete_state(m, t, 1);
    }
    if (st != SAR_OK) {
        explain(m, st, t, t);
        return st;
    }
    m->initial = s->energy.kinetic + s->energy.potential;
    s->energy.work = 0.0;
    s->assembled = 1;
    return SAR_OK;
}

/* ---- following it --------------------------------------------------------------------------- */

/* d = h v + h^2/2 a. 0: where the second term outgrows the first, and that by more than the
 * distance to other solutions, the sum means nothing. */
static int predict(sar_motion* m, double h)
{
    const sari_system* sys = m->seen.system;
    const sari_state* x = &m->seen.state;
    double bent = 0.5 * h * h * sari_vector_max(sys->nq, x->a),
           straight = fabs(h) * sari_vector_max(sys->nq, x->v);
    if (bent > fmax(straight, m->weight * m->size)) return 0;
    for (int i = 0; i < sys->nq; i++) m->d[i] = h * (x->v[i] + 0.5 * h * x->a[i]);
    sari_coordinates_move(&sys->coordinates, x->q, m->d, m->q);
    return 1;
}

/* One step to t. SAR_OK, or the state is as before. */
static sar_status try_step(sar_motion* m, double t)
{
    sari_observation* s = &m->seen;
    sari_system* sys = s->system;
    if (!predict(m, t - s->state.t)) return SAR_R_NO_CONV;
    double moved = sari_vector_max(sys->nq, m->d);
    SARI_TRY(sari_motion_positions(m, t, sys->nq));
    sari_determined_assess(&m->lin);
    sari_coordinates_difference(&sys->coordinates, s->state.q, m->q, m->d);
    double h = t - s->state.t;
    for (int i = 0; i < sys->nq; i++) m->d[i] -= h * (s->state.v[i] + 0.5 * h * s->state.a[i]);
    double correction = sari_vector_max(sys->nq, m->d);
    if (sari_determined_rank(&m->lin, SARI_MOTION_WEIGHT) == sys->nq &&
        (correction > TRUST * moved + 1e-4 * m->size ||
         correction > TRUST * m->lin.weight * m->size))
        return SAR_R_NO_CONV;
    sari_state_copy(&m->previous, &s->state);
    sar_status st = complete_state(m, t, 0);
    if (st != SAR_OK) sari_state_copy(&s->state, &m->previous);
    return st;
}

/* The longest step in which no body turns too far for its angles to be counted. */
static double longest(sar_motion* m)
{
    double fastest = 0.0, v[3], w[3];
    for (int b = 1; b < m->seen.system->mechanism->bodies; b++) {
        sari_observation_velocity(&m->seen, m->seen.state.v, b, v, w);
        fastest = fmax(fastest, sari_norm3(w));
    }
    return fastest > 0.0 ? TURN / fastest : INFINITY;
}

/* Steps up to t. A singular configuration on the way is stepped over. */
static sar_status follow(sar_motion* m, double t)
{
    const sari_state* x = &m->seen.state;
    sar_status st = SAR_OK;
    double h = t - x->t;
    for (int halved = 0; x->t != t;) {
        double most = longest(m), left = t - x->t;
        if (fabs(h) > most) h = copysign(most, h);
        double next = fabs(h) >= fabs(left) * (1.0 - 1e-9) ? t : x->t + h;
        st = next == x->t ? SAR_R_NO_CONV : try_step(m, next);
        if (st == SAR_OK) {
            h *= 2.0;
            if (halved > 0) halved--;
            continue;
        }
        if (st < 0 || (st == SAR_R_SINGULAR && next == t)) return st;
        if (++halved > HALVINGS || next == x->t) // the motion ends before t
            return st == SAR_R_NOT_FINITE ? st : SAR_R_NO_CONV;
        h *= st == SAR_R_SINGULAR ? 0.7 : 0.5;
    }
    return SAR_OK;
}

sar_status sar_motion_go(sar_motion* m, double t)
{
    if (!m->seen.assembled || !isfinite(t)) return SAR_E_ARG;
    sar_determinacy before = m->determinacy;
    m->seen.system->undefined.what = NULL;
    sar_status st = follow(m, t);
    if (st == SAR_OK) return SAR_OK;
    explain(m, st, m->seen.state.t, t);
    if (st != SAR_R_SINGULAR) m->determinacy = before;
    // what the system holds is that of the last trial
    const sari_state* x = &m->seen.state;
    sari_equations_eval(&m->seen.system->equations, SARI_EVAL_DYNAMICS, x->t, x->q, x->v);
    measure(m);
    return st;
}

sar_status sar_motion_advance(sar_motion* m)
{
    const sar_options* o = &m->seen.options;
    if (!m->seen.assembled || sar_motion_done(m)) return SAR_E_ARG;
    double t = m->step + 1 >= m->steps ? o->end : o->start + (double)(m->step + 1) * o->step;
    SARI_TRY(sar_motion_go(m, t));
    m->step++;
    return SAR_OK;
}

int sar_motion_done(const sar_motion* m)
{
    return m->step >= m->steps;
}

/* ---- observation ---------------------------------------------------------------------------- */

double sar_motion_time(const sar_motion* m)
{
    return m->seen.state.t;
}

const char* sar_motion_failure(const sar_motion* m)
{
    return m->seen.failure;
}

sar_determinacy sar_motion_determinacy(const sar_motion* m)
{
    return m->determinacy;
}

long sar_motion_iterations(const sar_motion* m)
{
    return m->iterations;
}

sar_status sar_motion_outputs(sar_motion* m, double* values)
{
    return m->seen.assembled ? sari_report_outputs(&m->seen, values) : SAR_E_ARG;
}

void sar_motion_pose(const sar_motion* m, sar_body_id body, double position[3],
                     double quaternion[4])
{
    sari_report_pose(&m->seen, body, position, quaternion);
}

void sar_motion_velocity(const sar_motion* m, sar_body_id body, double velocity[3],
                         double angular[3])
{
    sari_report_velocity(&m->seen, m->seen.state.v, body, velocity, angular);
}

sar_status sar_motion_reaction(sar_motion* m, sar_joint_id joint, double force[3], double torque[3])
{
    if (!m->seen.assembled || joint.i < 0 || joint.i >= m->seen.model->joints_count)
        return SAR_E_ARG;
    return sari_report_reaction(&m->seen, joint, force, torque);
}

sar_status sar_motion_drive_force(sar_motion* m, sar_joint_id joint, double* force)
{
    return m->seen.assembled ? sari_report_drive_force(&m->seen, joint, force) : SAR_E_ARG;
}

sar_status sar_motion_drive_power(sar_motion* m, sar_joint_id joint, double* power)
{
    double series[3], t = m->seen.state.t;
    if (!m->seen.assembled) return SAR_E_ARG;
    SARI_TRY(sari_observation_drive_force(&m->seen, joint.i, power));
    sari_expression_series(m->seen.model->joints[joint.i].value, &t, SARI_VARIABLE_T, series);
    *power *= series[1] * sari_unit_of_energy(&m->seen.units);
    return SAR_OK;
}

sar_energy sar_motion_energy(const sar_motion* m)
{
    return sari_report_energy(&m->seen);
}

sar_violation sar_motion_violation(const sar_motion* m)
{
    return sari_report_violation(&m->seen, m->seen.violation);
}

sar_motion_state sar_motion_coordinates(const sar_motion* m)
{
    const sari_state* x = &m->seen.state;
    return (sar_motion_state){x->np, x->n, x->m, x->q, x->v, x->a, x->lambda};
}

sar_status sar_motion_forces(sar_motion* m, double t, const double* q, const double* v,
                             const double* a, double* tau)
{
    sari_system* sys = m->seen.system;
    const sari_state* x = &m->seen.state;
    const sar_status st =
        sari_equations_eval(&sys->equations, SARI_EVAL_MASS | SARI_EVAL_FORCE, t, q, v);
    sari_equations_mass_times(&sys->equations, a, tau);
    for (int i = 0; i < sys->nq; i++) tau[i] -= sys->Q[i];
    if (m->seen.assembled) // as it was found; it also keeps no pointers to q and v
        sari_equations_eval(&sys->equations, SARI_EVAL_DYNAMICS, x->t, x->q, x->v);
    return st;
}
