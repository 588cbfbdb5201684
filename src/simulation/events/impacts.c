/* Conditions with bounds, lower <= f(t, q) <= upper: impacts, and contacts that close and open.
 *
 * Where f is at a bound and moves on with the rate f' out of it, an impulse P along n = df/dq on the
 * constrained system turns the rate round [glocker2001]:
 *
 *     M dv + Phi_q' p = n P,   Phi_q dv = 0,   n . (v + dv) + f_t = -e (n . v + f_t)           (1)
 *
 * With w = dv for P = 1 that is P = -(1 + e) f'/(n . w). Several at a time are treated one after the
 * other, the fastest first, until no bound is left in a direction that it forbids; so a blow travels
 * through a row of balls. Contacts that were closed take part like all others.
 *
 * What rests at its bound after that, f' = 0, is a candidate for a contact that is closed: a row
 * f = bound of Phi. Which of them close follows from the forces z >= 0 with which they push and the
 * accelerations a >= 0 with which they leave, all in the direction that is allowed, of which one is
 * zero for each:
 *
 *     a = A z + a_open,   A_ij = n_i . w_j,   a'z = 0                                         (3)
 *
 * (linalg/lcp.h); those that leave stay open. If after that a force would have to pull, by rounding
 * or where (3) has no solution, it is left out, the worst first. A closed contact opens where its
 * force goes through zero.
 *
 * With 0 < e < 1 and an acceleration f'' < 0 impacts follow each other in ever shorter times, and
 * end at [brogliato2016]
 *
 *     t + 2 f'/(-f'' (1 - e))                                                                  (2)
 *
 * When the next rise, f'^2/(-2 f''), is invisible beside the model, the contact closes and (2) is
 * reported as the end of the impacts. */
#include "base/status.h"
#include "linalg/lcp.h"
#include "math/vec3.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double VIOLATED = 1e-6;   ///< likewise, of a start that is refused
static const double SLOW = 1e-11;      ///< rates, in parts of what they are the sum of
static const double INVISIBLE = 1e-10; ///< height of a rise, in sizes of the model
static const double NO_FORCE = 1e-10;  ///< beside all forces that act
static const int PASSES = 2000;        ///< impacts at one time, for each bound
static const int AT_ONCE = 20;         ///< events at one time up to rounding that may bounce

sar_status sari_bounds_create(sar_simulation* s)
{
    const sar_model* model = s->model;
    sari_bounds* b = &s->bounds;
    for (int j = 0; j < model->joints_count; j++) b->count += model->joints[j].bounded;
    if (b->count == 0) return SAR_OK;
    int coordinates = 0;
    for (int k = 0; k < s->configurations; k++) {
        const sari_system* sys = k == s->present ? s->system : s->configuration[k].scene.system;
        coordinates = sys->nq > coordinates ? sys->nq : coordinates;
    }
    b->coordinates = coordinates;
    b->A = SARI_TAKE(&s->memory, double, b->count * b->count);
    b->b = SARI_TAKE(&s->memory, double, b->count);
    b->z = SARI_TAKE(&s->memory, double, b->count);
    b->room = SARI_TAKE(&s->memory, double, sari_lcp_room(b->count));
    b->basis = SARI_TAKE(&s->memory, int, b->count);
    b->index = SARI_TAKE(&s->memory, int, b->count);
    b->at = SARI_TAKE(&s->memory, sari_bound, b->count);
    b->impact = SARI_TAKE(&s->memory, sar_impact, b->capacity = 4096);
    b->set = SARI_TAKE(&s->memory, char, sari_model_set_size(model));
    for (int j = 0, k = 0; b->at && j < model->joints_count; j++) {
        if (!model->joints[j].bounded) continue;
        b->at[k].joint = j;
        b->at[k].n = SARI_TAKE(&s->memory, double, coordinates);
        b->at[k].w = SARI_TAKE(&s->memory, double, coordinates);
        k++;
    }
    return s->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

void sari_bounds_archive(sar_simulation* s, sari_archive* a)
{
    sari_bounds* b = &s->bounds;
    SARI_ARCHIVE_NUMBERS(a, &b->no_force);
    SARI_ARCHIVE_LONGS(a, &b->total, &b->impacts);
    for (sari_bound* x = b->at; x < b->at + b->count; x++) {
        SARI_ARCHIVE_INTS(a, &x->closed, &x->side, &x->struck, &x->candidate);
        SARI_ARCHIVE_NUMBERS(a, &x->f, &x->rate, &x->acceleration, &x->touch, &x->moving,
                             &x->rate_before, &x->impulse);
    }
    b->noted = sari_archive_range(a, b->noted, 0, b->capacity);
    for (sar_impact* x = b->impact; x < b->impact + b->noted; x++) {
        x->kind = (sar_impact_kind)sari_archive_range(a, (int)x->kind, 0, SAR_CONTACT_OPENS);
        x->joint = sari_archive_range(a, x->joint, 0, s->model->joints_count - 1);
        SARI_ARCHIVE_INTS(a, &x->upper);
        SARI_ARCHIVE_NUMBERS(a, &x->t, &x->rate_before, &x->rate_after, &x->impulse);
    }
}

/* ---- where they are ------------------------------------------------------------------------- */

static const sari_joint* joint_of(const sar_simulation* s, const sari_bound* b)
{
    return &s->model->joints[b->joint];
}

double sari_bound_gap(sar_simulation* s, const sari_bound* b, int side)
{
    const sari_joint* j = joint_of(s, b);
    const double f = sari_expression_value(j->value, s->variables);
    return side < 0 ? f - j->lower : j->upper - f;
}

/* Of f, in units of the model: that of the places it is computed from, which count from afar. */
static double rounding_of(const sar_simulation* s, const int* used, int count,
                          const double* gradient)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        if (used[i] < SARI_VARIABLE_SIGNAL) continue;
        const sari_signal* signal = &s->model->signals[used[i] - SARI_VARIABLE_SIGNAL];
        const bool place = signal->kind == SARI_SIGNAL_POINT && !signal->frame && !signal->axes;
        const double from = place ? s->units.origin[signal->component] / s->units.length : 0.0;
        sum += fabs(gradient[i]) * (fabs(s->variables[used[i]]) + fabs(from));
    }
    return 8.0 * DBL_EPSILON * sum;
}

/* f, f', f'' and n at the present state, where kinematics are. */
static void measure(sar_simulation* s, sari_bound* b)
{
    const sari_state* x = &s->state;
    const sari_kinematics* k = s->system->kinematics;
    const sari_expression* e = joint_of(s, b)->value;
    double gradient[SARI_POSITION_SIGNALS + 1], series[3], linear = 0.0;
    const int* used;
    const int count = sari_expression_variables(e, &used);
    s->variables[SARI_VARIABLE_T] = x->t;
    s->gradient[SARI_VARIABLE_T] = 1.0;
    memset(b->n, 0, (size_t)s->system->nq * sizeof *b->n);
    sari_scalar_value value = {0};
    for (int i = 0; i < count; i++) {
        if (used[i] < SARI_VARIABLE_SIGNAL) continue;
        const int scalar = s->system->mechanism->signal_scalar[used[i] - SARI_VARIABLE_SIGNAL];
        sari_scalar_eval(k, scalar, 1, &value);
        s->variables[used[i]] = value.value;
        s->gradient[used[i]] = value.rate;
    }
    b->f = sari_expression_gradient(e, s->variables, gradient);
    sari_expression_series_along(e, s->variables, s->gradient, series);
    for (int i = 0; i < count; i++) {
        if (used[i] < SARI_VARIABLE_SIGNAL) continue;
        const int scalar = s->system->mechanism->signal_scalar[used[i] - SARI_VARIABLE_SIGNAL];
        const sari_term_list* list = &k->scalar_depends[scalar];
        sari_scalar_eval(k, scalar, 2, &value);
        linear += gradient[i] * value.bias;
        for (int a = 0; a < list->n; a++) b->n[list->i[a]] += gradient[i] * value.g[a];
    }
    for (int i = 0; i < s->system->nq; i++) linear += b->n[i] * x->a[i];
    b->rate = series[1];
    b->touch = SARI_TOUCHES + rounding_of(s, used, count, gradient);
    b->moving = 0.0;
    for (int i = 0; i < count; i++) b->moving += fabs(gradient[i] * s->gradient[used[i]]);
    b->acceleration = series[2] + linear;
}

sari_bound* sari_bound_at(sar_simulation* s, int k, const sari_state* x)
{
    const sari_state state = s->state;
    s->state = *x;
    s->system->kinematics->time = x->t;
    sari_kinematics_update(s->system->kinematics, x->q, x->v, 1);
    measure(s, &s->bounds.at[k]);
    s->state = state;
    return &s->bounds.at[k];
}

/* At which bound it is: -1, 1, or 0. */
static int side_at(const sar_simulation* s, const sari_bound* b)
{
    const sari_joint* j = joint_of(s, b);
    if (b->f - j->lower <= b->touch) return -1;
    return j->upper - b->f <= b->touch ? 1 : 0;
}

/* Rate into the inside. */
static double inwards(const sari_bound* b)
{
    return -b->side * b->rate;
}

static void measure_all(sar_simulation* s)
{
    s->system->kinematics->time = s->state.t;
    sari_kinematics_update(s->system->kinematics, s->state.q, s->state.v, 1);
    for (int k = 0; k < s->bounds.count; k++) measure(s, &s->bounds.at[k]);
}

/* ---- what happened -------------------------------------------------------------------------- */

/* In the order of time: impacts end a little after the contact closes. */
static void note(sar_simulation* s, sar_impact_kind kind, const sari_bound* b, double t,
                 double before, double after, double impulse)
{
    sari_bounds* all = &s->bounds;
    all->total++;
    if (kind == SAR_IMPACT) all->impacts++;
    if (all->noted == all->capacity) return;
    const double unit = sari_unit_of_condition(s->model, &s->units, b->joint);
    int k = all->noted++;
    for (; k > 0 && all->impact[k - 1].t > t; k--) all->impact[k] = all->impact[k - 1];
    all->impact[k] = (sar_impact){.kind = kind,
                                  .joint = b->joint,
                                  .upper = b->side > 0,
                                  .t = t,
                                  .rate_before = unit * before,
                                  .rate_after = unit * after,
                                  .impulse = sari_unit_of_energy(&s->units) / unit * impulse};
}

/* ---- impacts -------------------------------------------------------------------------------- */

/* (1) for one of them, with restitution e. */
static void strike(sar_simulation* s, sari_bound* b, double e)
{
    const int n = s->system->nq;
    double mobility = 0.0;
    for (int i = 0; i < n; i++) mobility += b->n[i] * b->w[i];
    if (!(mobility > 0.0)) return; // nothing that it could move
    const double P = -(1.0 + e) * b->rate / mobility, before = b->rate;
    for (int i = 0; i < n; i++) s->state.v[i] += P * b->w[i];
    b->impulse += P;
    if (!b->struck) b->rate_before = before;
    b->struck = 1;
    for (int k = 0; k < s->bounds.count; k++) {
        sari_bound* other = &s->bounds.at[k];
        for (int i = 0; i < n; i++) other->rate += P * other->n[i] * b->w[i];
    }
}

/* The bound that is left fastest, in a forbidden direction. NULL: none is. */
static sari_bound* fastest(sar_simulation* s, double slow)
{
    sari_bound* found = NULL;
    for (int k = 0; k < s->bounds.count; k++) {
        sari_bound* b = &s->bounds.at[k];
        if (!b->side || inwards(b) >= -slow) continue;
        if (!found || inwards(b) < inwards(found)) found = b;
    }
    return found;
}

static sar_status strike_all(sar_simulation* s, double* slow)
{
    sari_bounds* all = &s->bounds;
    double largest = 0.0;
    SARI_TRY(sari_projector_prepare(s->projector, s->state.t, s->state.q));
    for (int k = 0; k < all->count; k++) {
        sari_bound* b = &all->at[k];
        b->struck = 0;
        b->impulse = 0.0;
        if (!b->side) continue;
        largest = fmax(largest, b->moving);
        sari_projector_response(s->projector, b->n, b->w);
    }
    *slow = SLOW * largest;
    for (int pass = 0; pass < PASSES * all->count; pass++) {
        sari_bound* b = fastest(s, *slow);
        if (!b) break;
        // after long, what goes on to and fro comes to rest
        const bool exhausted = pass >= PASSES || s->phases.at_once > AT_ONCE;
        strike(s, b, exhausted ? 0.0 : joint_of(s, b)->restitution);
    }
    for (int k = 0; k < all->count; k++) {
        sari_bound* b = &all->at[k];
        if (b->struck) note(s, SAR_IMPACT, b, s->state.t, b->rate_before, b->rate, b->impulse);
    }
    return SAR_OK;
}

/* ---- contacts ------------------------------------------------------------------------------- */

/* Is the next rise one that nobody sees? Then impacts end. */
static int comes_to_rest(sar_simulation* s, const sari_bound* b)
{
    const double v = inwards(b), a = -b->side * b->acceleration;
    const double e = joint_of(s, b)->restitution;
    const double invisible = fmax(INVISIBLE * s->units.size, b->touch - SARI_TOUCHES);
    if (!b->struck || e >= 1.0 || !(a < 0.0) || v * v / (-2.0 * a) > invisible) return 0;
    note(s, SAR_IMPACTS_END, b, s->state.t + 2.0 * v / (-a * (1.0 - e)), b->rate, 0.0, 0.0); // (2)
    return 1;
}

/* Does it stay at its bound? */
static int stays(sar_simulation* s, sari_bound* b, double slow)
{
    const double v = inwards(b);
    if (!b->side || v < -slow) return 0;
    if (v <= slow) return 1;
    if (!comes_to_rest(s, b)) return 0;
    strike(s, b, 0.0);
    return 1;
}

/* With none of the contacts that are closed. */
static int open_configuration(sar_simulation* s)
{
    sari_bounds* all = &s->bounds;
    memcpy(all->set, s->system->mechanism->active, (size_t)sari_model_set_size(s->model));
    for (int k = 0; k < all->count; k++) all->set[all->at[k].joint] = 0;
    return sari_configuration_make(s, all->set);
}

/* With the candidates closed. */
static int closed_configuration(sar_simulation* s)
{
    sari_bounds* all = &s->bounds;
    memcpy(all->set, s->system->mechanism->active, (size_t)sari_model_set_size(s->model));
    for (int k = 0; k < all->count; k++) all->set[all->at[k].joint] = all->at[k].candidate != 0;
    return sari_configuration_make(s, all->set);
}

/* Rows of closed contacts hold the bound that they are at. */
static void set_offsets(sar_simulation* s)
{
    sari_system* sys = s->system;
    double rounding = 0.0;
    for (int k = 0; k < s->bounds.count; k++)
        rounding = fmax(rounding, s->bounds.at[k].touch - SARI_TOUCHES);
    sari_projector_allow(s->projector, rounding);
    for (int r = 0; r < sys->relation_rows; r++)
        for (int k = 0; k < s->bounds.count; k++) {
            const sari_bound* b = &s->bounds.at[k];
            if (sys->relation[r].joint != b->joint) continue;
            sys->relation[r].offset = b->side < 0 ? joint_of(s, b)->lower : joint_of(s, b)->upper;
        }
}

/* A force that is none: beside all that act, or because it moves nothing by a way that is seen in the
 * time of the run. Where nothing acts the second remains: what is closed there stays. */
static double force_that_is_none(const sar_simulation* s)
{
    const double span = s->options.end - s->options.start;
    double sum = 0.0, mass = 0.0;
    for (int i = 0; i < s->system->nq; i++) sum += fabs(s->system->Q[i]);
    for (int b = 1; b < s->model->bodies_count; b++) mass += s->model->bodies[b].def.mass;
    return NO_FORCE * (sum + mass * sari_norm3(s->model->gravity)) +
           INVISIBLE * mass * s->units.size / (span * span);
}

/* The candidate whose contact would pull most; NULL: none would. */
static sari_bound* pulls_most(sar_simulation* s)
{
    sari_bound* found = NULL;
    double most = -(s->bounds.no_force = force_that_is_none(s));
    for (int k = 0; k < s->bounds.count; k++) {
        sari_bound* b = &s->bounds.at[k];
        if (!b->candidate) continue;
        const double push = -b->side * sari_reaction_along(s->reactions, b->joint);
        if (push < most) most = push, found = b;
    }
    return found;
}

static int candidates(const sari_bounds* all)
{
    int count = 0;
    for (int k = 0; k < all->count; k++) count += all->at[k].candidate;
    return count;
}

/* (3), with all contacts open: candidates that would leave are none. */
static void choose_contacts(sar_simulation* s)
{
    sari_bounds* all = &s->bounds;
    const double no_force = force_that_is_none(s);
    int n = 0;
    for (int k = 0; k < all->count; k++)
        if (all->at[k].candidate) all->index[n++] = k;
    if (n < 2) return; // whether a single one pulls is seen
    for (int i = 0; i < n; i++) {
        const sari_bound* b = &all->at[all->index[i]];
        all->b[i] = -b->side * b->acceleration;
        for (int j = 0; j < n; j++) {
            const sari_bound* other = &all->at[all->index[j]];
            double sum = 0.0;
            for (int q = 0; q < s->system->nq; q++) sum += b->n[q] * other->w[q];
            all->A[n * i + j] = b->side * other->side * sum;
        }
    }
    if (sari_lcp_solve(n, all->A, all->b, all->z, all->room, all->basis) != SAR_OK) return;
    for (int i = 0; i < n; i++) {
        double leaves = all->b[i];
        for (int j = 0; j < n; j++) leaves += all->A[n * i + j] * all->z[j];
        // faster than by a force that does not count
        if (all->z[i] == 0.0 && leaves > no_force * all->A[(n + 1) * i])
            all->at[all->index[i]].candidate = 0;
    }
}

static sar_status enter_contacts(sar_simulation* s, int configuration)
{
    if (configuration >= 0) return sari_switch_to(s, configuration, set_offsets);
    snprintf(s->failure, sizeof s->failure,
             "there is no memory for another set of closed contacts at t = %.9g, after %d of them",
             s->state.t, s->configurations);
    return SAR_E_NOMEM;
}

/* The contacts that close, from the candidates. */
static sar_status close_contacts(sar_simulation* s)
{
    choose_contacts(s);
    while (candidates(&s->bounds)) {
        SARI_TRY(enter_contacts(s, closed_configuration(s)));
        SARI_TRY(sari_start_motion(s));
        SARI_TRY(sari_reactions_solve(s->reactions, &s->state));
        sari_bound* b = pulls_most(s);
        if (!b) return SAR_OK;
        b->candidate = 0;
    }
    return enter_contacts(s, open_configuration(s));
}

/* What comes back to a contact that has closed now: the ball above the one on the floor. Velocities are
 * projected when all are closed. */
static int join_contacts(sar_simulation* s, double slow)
{
    int more = 0;
    measure_all(s);
    for (int k = 0; k < s->bounds.count; k++) {
        sari_bound* b = &s->bounds.at[k];
        if (b->candidate || !b->side || !(inwards(b) > slow) || !comes_to_rest(s, b)) continue;
        b->candidate = more = 1;
    }
    return more;
}

sar_status sari_bounds_resolve(sar_simulation* s)
{
    sari_bounds* all = &s->bounds;
    const sar_energy before = s->energy;
    double slow;
    for (int k = 0; k < all->count; k++) all->at[k].candidate = 0;
    SARI_TRY(sari_switch_to(s, open_configuration(s), NULL));
    measure_all(s);
    for (int k = 0; k < all->count; k++) all->at[k].side = side_at(s, &all->at[k]);
    SARI_TRY(strike_all(s, &slow));
    SARI_TRY(sari_start_motion(s));
    measure_all(s);
    for (int k = 0; k < all->count; k++) all->at[k].candidate = stays(s, &all->at[k], slow);
    SARI_TRY(close_contacts(s));
    for (int k = 0; k < all->count && candidates(all) && join_contacts(s, slow); k++) {
        SARI_TRY(sari_switch_to(s, open_configuration(s), NULL));
        SARI_TRY(sari_start_motion(s));
        measure_all(s);
        SARI_TRY(close_contacts(s));
    }
    SARI_TRY(sari_switch_restart(s));
    for (int k = 0; k < all->count; k++) {
        sari_bound* b = &all->at[k];
        const int closed = b->candidate ? b->side : 0;
        if (closed && !b->closed) note(s, SAR_CONTACT_CLOSES, b, s->state.t, 0.0, 0.0, 0.0);
        if (!closed && b->closed) note(s, SAR_CONTACT_OPENS, b, s->state.t, 0.0, b->rate, 0.0);
        b->closed = closed;
    }
    sari_observation_measure(&s->seen, NULL);
    s->energy.work = before.work + (s->energy.kinetic + s->energy.potential) -
                     (before.kinetic + before.potential); // what was lost counts as work
    sari_ledger_enter(s, SAR_ACCOUNT_IMPACTS, s->energy.work - before.work);
    return SAR_OK;
}

/* ---- the start ------------------------------------------------------------------------------ */

sar_status sari_bounds_start(sar_simulation* s)
{
    sari_bounds* all = &s->bounds;
    all->total = all->impacts = 0;
    all->noted = 0;
    for (int k = 0; k < all->count; k++) all->at[k].closed = 0;
    if (all->count == 0) return SAR_OK;
    measure_all(s);
    int touches = 0;
    for (int k = 0; k < all->count; k++) {
        sari_bound* b = &all->at[k];
        const sari_joint* j = joint_of(s, b);
        const double unit = sari_unit_of_condition(s->model, &s->units, b->joint);
        touches |= b->side = side_at(s, b);
        if (b->f > j->lower - VIOLATED - b->touch && b->f < j->upper + VIOLATED + b->touch)
            continue;
        const char* beyond = b->f < j->lower ? "below" : "above";
        const double bound = unit * (b->f < j->lower ? j->lower : j->upper), f = unit * b->f;
        if (!s->options.equilibrium)
            snprintf(s->failure, sizeof s->failure,
                     "the start violates \"%s\": %.80s is %.9g, which is %s its bound %g. Start "
                     "inside its bounds",
                     j->name, j->drive.value, f, beyond, bound);
        else
            snprintf(
                s->failure, sizeof s->failure,
                "forces are balanced where \"%s\" is violated: %.80s is %.9g, which is %s its "
                "bound %g. The search for an equilibrium closes no contacts: say by a condition "
                "without bounds that it is closed, or give it stiffness (a stop, a contact)",
                j->name, j->drive.value, f, beyond, bound);
        s->equilibrium.verdict = SAR_EQUILIBRIUM_NOT_FOUND;
        return SAR_E_ASSEMBLY;
    }
    return touches ? sari_bounds_resolve(s) : SAR_OK;
}

int sar_simulation_impacts(const sar_simulation* s, const sar_impact** list, long* total)
{
    *list = s->bounds.impact;
    if (total) *total = s->bounds.total;
    return s->bounds.noted;
}
