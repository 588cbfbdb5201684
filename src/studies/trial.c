/* One run and what it is judged by. Only the steps are timed, in CPU time of this thread, so that
 * samples, the comparison and other programs do not count; and in wall time, for steps shared
 * by several threads. */
#include "base/memory.h"
#include "base/status.h"
#include "sarrus/run.h"
#include "studies/history.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { LOOK_EVERY = 512 }; ///< steps between looks at the clock and at `watch`

typedef struct trial {
    const sar_trial_def* def;
    sar_simulation* s;
    sar_run run;
    sari_history history;
    int keeps;              ///< somebody wants the history
    double began, sampling; ///< CPU time
    double wall_began, wall_sampling;
    sar_trial* out;
} trial;

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu_seconds(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static double wall_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

/* All samples up to the present time. */
static sar_status sample(trial* x)
{
    double t;
    if (!x->keeps || !sar_run_sample(&x->run, &t)) return SAR_OK;
    double pause = cpu_seconds(), wall_pause = wall_seconds();
    sar_status st;
    do st = sari_history_add(&x->history, x->s, t);
    while (st == SAR_OK && sar_run_sample(&x->run, &t));
    if (st == SAR_OK && x->def->sampled) x->def->sampled(x->def->context, x->s);
    x->sampling += cpu_seconds() - pause;
    x->wall_sampling += wall_seconds() - wall_pause;
    if (st != SAR_OK)
        snprintf(x->out->failure, sizeof x->out->failure,
                 "the outputs at t = %.9g s have no value: %s", sar_simulation_time(x->s),
                 sar_status_text(st));
    return st;
}

/* The time limit, and whether the caller wants to go on. */
static sar_status look(trial* x)
{
    const sar_trial_def* def = x->def;
    double t = x->run.t, spent = cpu_seconds() - x->began - x->sampling;
    sar_trial* out = x->out;
    if (def->watch && !def->watch(def->context, t, x->run.steps)) {
        out->stopped = 1;
        snprintf(out->failure, sizeof out->failure, "stopped at t = %.9g s", t);
        return SAR_R_NO_CONV;
    }
    if (def->max_seconds > 0.0 && spent > def->max_seconds) {
        snprintf(out->failure, sizeof out->failure,
                 "took more than %g s of computing at t = %.9g s", def->max_seconds, t);
        return SAR_R_NO_CONV;
    }
    return SAR_OK;
}

static sar_status run_steps(trial* x)
{
    const sar_sampling plan = sar_sampling_of(&x->def->options, 0);
    x->run = sar_run_begin(x->s, &plan);
    sar_status st = sample(x);
    x->began = cpu_seconds();
    x->wall_began = wall_seconds();
    x->sampling = x->wall_sampling = 0.0;
    while (st == SAR_OK && sar_run_step(&x->run)) {
        st = sample(x);
        if (st == SAR_OK && x->run.steps % LOOK_EVERY == 0) st = look(x);
    }
    x->out->seconds = cpu_seconds() - x->began - x->sampling;
    x->out->wall = wall_seconds() - x->wall_began - x->wall_sampling;
    if (x->run.status != SAR_OK)
        snprintf(x->out->failure, sizeof x->out->failure, "%s", sar_simulation_failure(x->s));
    return st == SAR_OK ? x->run.status : st;
}

static void collect(const sar_simulation* s, sar_trial* out)
{
    const sar_event* events;
    out->reached = sar_simulation_time(s);
    out->statistics = sar_simulation_statistics(s);
    out->rank = sar_simulation_rank(s);
    out->singular_passes = (int)out->statistics.singular_passes;
    out->branch_changes = (int)out->statistics.branch_changes;
    if (sar_simulation_branch_changes(s, &events) > 0) out->branch_changed = events[0].t;
    if (out->statistics.steps > 0)
        out->step_us = 1e6 * out->seconds / (double)out->statistics.steps;
}

static sar_status run(trial* x)
{
    sar_trial* out = x->out;
    out->reached = x->def->options.start;
    out->status = sar_simulation_assemble(x->s, NULL);
    if (out->status != SAR_OK) {
        snprintf(out->failure, sizeof out->failure, "%s", sar_simulation_failure(x->s));
    } else {
        out->status = run_steps(x);
        collect(x->s, out);
    }
    return out->status == SAR_E_NOMEM ? SAR_E_NOMEM : SAR_OK;
}

static sar_status judge(const sar_trial_def* def, const sar_result* r, sar_trial* out,
                        sar_error* error)
{
    if (!def->reference || out->status != SAR_OK) return SAR_OK;
    sar_comparison comparison;
    sar_status st = sar_result_compare(r, def->reference, def->metric, &comparison, NULL, error);
    if (st > 0) return SAR_OK; // not finite: no error can be told
    SARI_TRY(st);
    out->error = comparison.total;
    out->max_error = comparison.max_error;
    return SAR_OK;
}

sar_status sar_trial_run(const sar_trial_def* def, sar_trial* out, sar_result** history,
                         sar_error* error)
{
    trial x = {.def = def, .out = out, .keeps = history || def->reference};
    sar_result* r = NULL;
    *out = (sar_trial){.error = NAN, .max_error = NAN, .branch_changed = NAN, .value = NAN};
    if (history) *history = NULL;
    sar_status st = sari_history_init(&x.history, def, error);
    if (st == SAR_OK) st = sar_simulation_create(def->model, &def->options, &x.s, error);
    if (st == SAR_OK) {
        st = run(&x);
        if (st == SAR_OK && x.keeps) st = sari_history_result(&x.history, &r);
        if (st == SAR_E_NOMEM) sari_fail(error, st, NULL, "out of memory for the history of a run");
        if (st == SAR_OK) st = judge(def, r, out, error);
    }
    sar_simulation_destroy(x.s);
    sari_history_clear(&x.history);
    if (history && st == SAR_OK)
        *history = r;
    else
        sar_result_destroy(r);
    return st;
}
