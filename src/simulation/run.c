/* The loop of a run, and the times of its samples. */
#include "sarrus/run.h"

#include "base/status.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>

/* ---- samples -------------------------------------------------------------------------------- */

static const int LONG_STEPS = 7; ///< order from which on steps are too long to draw curves by
static const double INTERVALS = 1000.0; ///< of their samples, unless asked for otherwise

sar_sampling sar_sampling_of(const sar_options* options, int max)
{
    const double span = options->end - options->start;
    const double steps = ceil(span / options->step * (1 - 1e-12));
    const sari_integrator_ops* integrator = sari_integrator_named(options->integrator);
    const int variable = integrator && integrator->variable;
    const int long_steps = variable && integrator->dense && integrator->order >= LONG_STEPS;
    const double sample = options->sample > 0.0 || max == 0 || !long_steps
                              ? options->sample
                              : span / fmin(INTERVALS, max);
    sar_sampling plan = {.start = options->start,
                         .end = options->end,
                         .interval = sample,
                         .stride = 1,
                         .last = -INFINITY};
    if (max > 0 && variable)
        plan.spacing = span / max;
    else if (max > 0 && steps > max)
        plan.stride = (long)fmin(ceil(steps / max), 1e18);
    const double at_steps = max > 0 ? fmin(steps, max) : variable ? INFINITY : steps;
    plan.max_samples = (sample > 0 ? span / sample : at_steps) + 3; // both ends, rounding
    return plan;
}

/* Strides count steps, spacings time. */
static int wants_step(const sar_sampling* plan, long steps, double t)
{
    return (plan->stride <= 1 || steps % plan->stride == 0) && t >= plan->last + plan->spacing;
}

/* The next time of the grid, if it is not after t. */
static int wants_time(sar_sampling* plan, double t, double* at)
{
    const double wanted = plan->start + plan->next * plan->interval;
    const double rounding = 1e-9 * plan->interval + 1e-15 * fabs(t);
    if (wanted > t + rounding) return 0;
    if (plan->at_steps)
        plan->next = floor((t + rounding - plan->start) / plan->interval) + 1;
    else
        plan->next++;
    if (!plan->at_steps && wanted < t - rounding) *at = wanted;
    return 1;
}

int sar_sampling_next(sar_sampling* plan, long steps, double t, double* at)
{
    *at = t;
    if (t <= plan->last) return 0;
    const int due = plan->interval > 0.0 ? wants_time(plan, t, at) : wants_step(plan, steps, t);
    if (!due && t < plan->end) return 0;
    plan->last = *at;
    return 1;
}

/* ---- steps ---------------------------------------------------------------------------------- */

sar_run sar_run_begin(sar_simulation* simulation, const sar_sampling* sampling)
{
    sar_run run = {
        .simulation = simulation, .sampling = *sampling, .t = sar_simulation_time(simulation)};
    run.sampling.next = 0;
    run.sampling.last = -INFINITY;
    return run;
}

int sar_run_sample(sar_run* run, double* t)
{
    return sar_sampling_next(&run->sampling, run->steps, run->t, t);
}

int sar_run_step(sar_run* run)
{
    sar_simulation* s = run->simulation;
    if (run->status != SAR_OK || sar_simulation_done(s)) return 0;
    const sar_status st = sar_simulation_advance(s);
    const double t = sar_simulation_time(s);
    const int moved = t > run->t, tolerated = st > 0 && s->options.best_effort && moved;
    if (st != SAR_OK && !tolerated) {
        run->status = st;
        if (!s->failure[0]) snprintf(s->failure, sizeof s->failure, "%s", sar_status_text(st));
        return 0;
    }
    if (!moved && !sar_simulation_done(s)) {
        run->status = SAR_R_NO_CONV;
        sari_explain_rest(s);
        return 0;
    }
    run->t = t;
    run->steps++;
    return 1;
}

/* Further than the end that the options name: it moves, to a whole number of steps. */
static void move_end(sar_simulation* s, double t)
{
    sar_options* o = &s->options;
    const double steps = ceil((t - o->start) / o->step - 1e-9);
    o->end = s->integrator->variable ? t : fmax(t, o->start + steps * o->step);
    sari_count_steps(s);
}

int sari_is_before(const sar_simulation* s, double t)
{
    return s->state.t < t - 1e-9 * fmin(s->options.step, fabs(t - s->previous.t));
}

sar_status sari_step_towards(sar_simulation* s, double t)
{
    sar_run run = sar_run_begin(s, &(sar_sampling){0});
    if (t > s->options.end) move_end(s, t);
    s->horizon = t;
    (void)sar_run_step(&run);
    s->horizon = INFINITY;
    return run.status;
}

sar_status sar_simulation_advance_to(sar_simulation* s, double t)
{
    if (!s->assembled || !isfinite(t)) return SAR_E_ARG;
    if (s->looks_back) SARI_TRY(sar_simulation_look(s, INFINITY));
    if (t < s->state.t - 1e-9 * s->options.step) return SAR_E_ARG;
    while (sari_is_before(s, t)) SARI_TRY(sari_step_towards(s, t));
    return SAR_OK;
}
