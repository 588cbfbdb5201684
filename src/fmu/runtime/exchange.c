/* Model Exchange: the states are (q, v) in the coordinates and units of the run, and the host integrates
 *
 *     dq/dt = E(q) v,   dv/dt = a(t, q, v)
 *
 * with the accelerations of the formulation. Constraints are stabilised by it; where it projects after a step, the
 * host is asked for event mode when a step has left them by more than DRIFT, and states change there. Multipliers
 * start from those of the last completed step, so that rates are functions of time, states and inputs alone. Phases, impacts,
 * contacts and branches of forces are events, which the host finds by indicators (simulation/events/hosts.c). */
#include "base/memory.h"
#include "base/status.h"
#include "fmu/runtime/instance.h"
#include "simulation/events/events.h"

#include <math.h>
#include <string.h>

static const double DRIFT = 1e-9; // of the size of the model

static void rates_of(sar_simulation* s, double* rates)
{
    const sari_state* x = &s->state;
    sari_coordinates_position_rates(s->system->equations.space, x->q, x->v, rates);
    memcpy(rates + x->np, x->pdot, (size_t)x->n * sizeof(double));
}

sar_status sari_fmu_evaluate(sar_simulation* s, double t, const double* q, const double* p,
                             const double* lambda, double* rates, double* outputs)
{
    sari_state* x = &s->state;
    x->t = t;
    memcpy(x->q, q, (size_t)x->np * sizeof(double));
    memcpy(x->p, p, (size_t)x->n * sizeof(double));
    sari_coordinates_normalise(s->system->equations.space, x->q);
    memcpy(x->lambda, lambda, (size_t)x->m * sizeof(double));
    SARI_TRY(s->form.ops->rates->evaluate(s->form.self, x));
    if (!sari_state_is_finite(s)) return SAR_R_NOT_FINITE;
    if (rates) rates_of(s, rates);
    return outputs ? sari_outputs_of(s, x, outputs) : SAR_OK;
}

sar_status sari_fmu_hold_multipliers(sari_fmu* f, int count)
{
    if (!f->lambda || count > f->room_for_multipliers) {
        sari_release(f->lambda);
        f->lambda = SARI_NEW_ARRAY(double, count + 1);
        f->room_for_multipliers = count;
    }
    f->multipliers = count;
    return f->lambda ? SAR_OK : SAR_E_NOMEM;
}

static sar_status take_states(sari_fmu* f)
{
    const sari_state* x = &f->simulation->state;
    SARI_TRY(sari_fmu_hold_multipliers(f, x->m)); // other contacts, other constraints
    memcpy(f->q, x->q, (size_t)x->np * sizeof(double));
    memcpy(f->p, x->p, (size_t)x->n * sizeof(double));
    memcpy(f->lambda, x->lambda, (size_t)x->m * sizeof(double));
    return SAR_OK;
}

sari_fmu_status sari_fmu_exchange_begin(sari_fmu* f)
{
    const sari_state* x = &f->simulation->state;
    const char* why = sari_fmu_no_exchange(f->simulation);
    if (why) return sari_fmu_refuse(f, SARI_FMU_ERROR, "no Model Exchange: %s", why);
    sari_release(f->q);
    f->q = SARI_NEW_ARRAY(double, x->np + x->n);
    if (f->q) f->p = f->q + x->np;
    if (!f->q || take_states(f) != SAR_OK)
        return sari_fmu_refuse(f, SARI_FMU_ERROR, "out of memory");
    f->evaluated = f->changed = 0;
    return SARI_FMU_OK;
}

static sari_fmu_status check_count(const sari_fmu* f, size_t count)
{
    if (count == (size_t)f->layout.states) return SARI_FMU_OK;
    return sari_fmu_refuse(f, SARI_FMU_ERROR, "there are %d states, not %zu", f->layout.states,
                           count);
}

sari_fmu_status sari_fmu_set_states(sari_fmu* f, const double* x, size_t count)
{
    if (check_count(f, count) != SARI_FMU_OK) return SARI_FMU_ERROR;
    memcpy(f->q, x, count * sizeof(double));
    f->known = f->evaluated = 0;
    return SARI_FMU_OK;
}

sari_fmu_status sari_fmu_get_states(sari_fmu* f, double* x, size_t count)
{
    if (sari_fmu_begin(f) != SARI_FMU_OK || check_count(f, count) != SARI_FMU_OK)
        return SARI_FMU_ERROR;
    memcpy(x, f->q, count * sizeof(double));
    return SARI_FMU_OK;
}

sari_fmu_status sari_fmu_get_rates(sari_fmu* f, double* rates, size_t count)
{
    if (sari_fmu_begin(f) != SARI_FMU_OK || check_count(f, count) != SARI_FMU_OK)
        return SARI_FMU_ERROR;
    const sar_status st =
        sari_fmu_evaluate(f->simulation, f->t, f->q, f->p, f->lambda, rates, NULL);
    f->evaluated = st == SAR_OK;
    if (st == SAR_OK) return SARI_FMU_OK;
    return sari_fmu_refuse(f, SARI_FMU_DISCARD, "no rates at t = %g s: %s", f->t,
                           sar_status_text(st));
}

sari_fmu_status sari_fmu_set_time(sari_fmu* f, double t)
{
    if (!isfinite(t)) return sari_fmu_refuse(f, SARI_FMU_ERROR, "the time is not finite");
    if (t != f->t) f->known = f->evaluated = 0;
    f->t = t;
    return SARI_FMU_OK;
}

/// How far the formulation would move the states back to the constraints; it leaves the simulation there.
static sar_status project(sari_fmu* f, double* moved)
{
    sar_simulation* s = f->simulation;
    int changed = 0;
    *moved = 0.0;
    SARI_TRY(sari_fmu_evaluate(s, f->t, f->q, f->p, f->lambda, NULL, NULL));
    memcpy(f->lambda, s->state.lambda, (size_t)s->state.m * sizeof(double));
    SARI_TRY(s->form.ops->rates->accept(s->form.self, &s->state, &changed));
    for (int i = 0; changed && i < s->state.np; i++)
        *moved = fmax(*moved, fabs(s->state.q[i] - f->q[i]));
    return SAR_OK;
}

sari_fmu_status sari_fmu_complete_step(sari_fmu* f, int* event)
{
    double moved;
    sar_simulation* s = f->simulation;
    *event = 0;
    sar_status st = project(f, &moved);
    f->known = f->evaluated = 0;
    if (st == SAR_OK) sari_commit_angles(s->system, &s->state);
    if (st == SAR_OK) st = sari_events_stepped(s);
    if (st != SAR_OK)
        return sari_fmu_refuse(f, SARI_FMU_DISCARD, "no rates at t = %g s: %s", f->t,
                               sar_status_text(st));
    sari_state_copy(&s->previous, &s->state);
    *event = f->changed = moved > DRIFT;
    return SARI_FMU_OK;
}

sari_fmu_status sari_fmu_indicators(sari_fmu* f, double* z, size_t count)
{
    if (sari_fmu_begin(f) != SARI_FMU_OK) return SARI_FMU_ERROR;
    if (count != (size_t)f->layout.indicators)
        return sari_fmu_refuse(f, SARI_FMU_ERROR, "there are %d event indicators, not %zu",
                               f->layout.indicators, count);
    if (count == 0) return SARI_FMU_OK;
    sar_status st = sari_fmu_evaluate(f->simulation, f->t, f->q, f->p, f->lambda, NULL, NULL);
    f->evaluated = st == SAR_OK;
    if (st == SAR_OK) st = sari_events_indicate(f->simulation, z);
    if (st == SAR_OK) return SARI_FMU_OK;
    return sari_fmu_refuse(f, SARI_FMU_DISCARD, "no event indicators at t = %g s: %s", f->t,
                           sar_status_text(st));
}

/* ---- events --------------------------------------------------------------------------------- */

/// When a phase begins by the clock, or a function of time jumps.
static double next_event(sari_fmu* f)
{
    sar_simulation* s = f->simulation;
    int breaks;
    double next = sari_time_functions_until(s, s->options.end, &breaks);
    if (!breaks) next = INFINITY;
    for (int k = s->model->breakpoints_count - 1; k >= 0; k--)
        if (s->model->breakpoints[k] > f->t) next = fmin(next, s->model->breakpoints[k]);
    return s->phases.stop > f->t ? fmin(next, s->phases.stop) : next;
}

/// Is the simulation where the host was?
static int is_as_before(const sari_fmu* f, int configuration)
{
    const sar_simulation* s = f->simulation;
    const sari_state* x = &s->state;
    return s->present == configuration && memcmp(x->q, f->q, (size_t)x->np * sizeof(double)) == 0 &&
           memcmp(x->p, f->p, (size_t)x->n * sizeof(double)) == 0;
}

/// From the state of the host, back to the constraints if it has left them.
static sar_status arrive(sari_fmu* f, int* changed)
{
    sar_simulation* s = f->simulation;
    const int before = s->present;
    double moved;
    if (f->changed)
        SARI_TRY(project(f, &moved));
    else
        SARI_TRY(sari_fmu_evaluate(s, f->t, f->q, f->p, f->lambda, NULL, NULL));
    SARI_TRY(sari_events_arrive(s));
    if (s->system->np + s->system->nq != f->layout.states) return SAR_E_INCOMPAT;
    *changed = !is_as_before(f, before);
    if (*changed) SARI_TRY(take_states(f));
    f->known = f->evaluated = f->changed = 0;
    return SAR_OK;
}

sari_fmu_status sari_fmu_update(sari_fmu* f, int* changed, double* next)
{
    *changed = 0;
    *next = INFINITY;
    f->simulation->failure[0] = 0;
    const sar_status st = arrive(f, changed);
    sari_fmu_report(f);
    if (st != SAR_OK)
        return sari_fmu_refuse(f, SARI_FMU_DISCARD, "the motion ends at t = %.9g s: %s", f->t,
                               f->simulation->failure[0] ? f->simulation->failure
                                                         : sar_status_text(st));
    f->simulation->state.t = f->t;
    *next = next_event(f);
    return SARI_FMU_OK;
}
