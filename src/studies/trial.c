/* One run and what it is judged by. Only the steps are timed, in CPU time of this thread, so that
 * samples, the comparison and other programs do not count; and in wall time, for steps shared
 * by several threads. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "sarrus/run.h"
#include "studies/history.h"

#include "sarrus/certificate.h"

#include <math.h>
#include <stdio.h>

enum {
    CHECK_EVERY = 512,  ///< steps between samples at the clock and at `watch`
    CERTIFICATE = 1000, ///< samples of a certificate, about
};

typedef struct trial {
    const sar_trial_def* def;
    sar_simulation* s;
    sar_run run;
    sari_history history;
    int keeps;              ///< the caller wants the history
    sari_history outputs;   ///< for the certificate
    sar_sampling plan;      ///< of it
    double began, sampling; ///< CPU time
    double wall_began, wall_sampling;
    sar_assembly assembly;
    sar_result* result; ///< of the history
    sar_trial* out;
} trial;

/* Outputs for the certificate. */
static sar_status sample_outputs(trial* x)
{
    double t;
    while (x->def->certify > 0.0 && sar_sampling_next(&x->plan, x->run.steps, x->run.t, &t))
        SARI_TRY(sari_history_add(&x->outputs, x->s, t));
    return SAR_OK;
}

/* All samples up to the present time. */
static sar_status sample(trial* x)
{
    double t;
    if (!x->keeps && !(x->def->certify > 0.0)) return SAR_OK;
    double pause = sari_clock_thread(), wall_pause = sari_clock_wall();
    sar_status st = sample_outputs(x);
    int taken = 0;
    while (st == SAR_OK && x->keeps && sar_run_sample(&x->run, &t)) {
        st = sari_history_add(&x->history, x->s, t);
        taken = 1;
    }
    if (st == SAR_OK && taken && x->def->sampled) x->def->sampled(x->def->context, x->s);
    x->sampling += sari_clock_thread() - pause;
    x->wall_sampling += sari_clock_wall() - wall_pause;
    if (st != SAR_OK)
        snprintf(x->out->failure, sizeof x->out->failure,
                 "the outputs at t = %.9g s have no value: %s", sar_simulation_time(x->s),
                 sar_status_text(st));
    return st;
}

/* The time limit, and whether the caller wants to go on. */
static sar_status check_limits(trial* x)
{
    const sar_trial_def* def = x->def;
    double t = x->run.t, spent = sari_clock_thread() - x->began - x->sampling;
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

/* From the start of the run, with its first samples. */
static sar_status begin_steps(trial* x)
{
    const sar_sampling plan = sar_sampling_of(&x->def->options, 0);
    sar_options at_steps = x->def->options;
    at_steps.sample = 0.0;
    x->plan = sar_sampling_of(&at_steps, CERTIFICATE);
    x->run = sar_run_begin(x->s, &plan);
    const sar_status st = sample(x);
    x->began = sari_clock_thread();
    x->wall_began = sari_clock_wall();
    x->sampling = x->wall_sampling = 0.0;
    return st;
}

static sar_status run_steps(trial* x)
{
    sar_status st = begin_steps(x);
    while (st == SAR_OK && sar_run_step(&x->run)) {
        st = sample(x);
        if (st == SAR_OK && x->run.steps % CHECK_EVERY == 0) st = check_limits(x);
    }
    x->out->seconds = sari_clock_thread() - x->began - x->sampling;
    x->out->wall = sari_clock_wall() - x->wall_began - x->wall_sampling;
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

/* Reference runs of a run that is complete. What they do not say stays NaN. */
static sar_status certify(trial* x, double size)
{
    const sari_history* h = &x->outputs;
    const size_t rows = (size_t)h->rows, columns = (size_t)h->outputs;
    if (rows == 0 || columns == 0) return SAR_OK;
    double* room = SARI_NEW_ARRAY(double, rows*(3 * columns + 1) + 2 * columns);
    if (!room) return SAR_E_NOMEM;
    double *time = room, *values = room + rows;
    for (size_t i = 0; i < rows; i++) {
        const double* row = h->values + i * (columns + 1);
        time[i] = row[0];
        for (size_t j = 0; j < columns; j++) values[i * columns + j] = row[1 + j];
    }
    const sar_reference_run_def def = {.model = x->def->model,
                                       .options = &x->def->options,
                                       .coordinates = x->out->rank.coordinates,
                                       .size = size,
                                       .accuracy = x->def->certify,
                                       .rows = h->rows,
                                       .time = time,
                                       .values = values,
                                       .reference = values + rows * columns,
                                       .second = values + 2 * rows * columns,
                                       .noise = values + 3 * rows * columns};
    sar_reference_outcome by;
    sar_reference_run(&def, &by);
    sar_certificate found;
    if (sar_reference_outcome_certify(&def, &by, &found, NULL, NULL) == SAR_OK)
        x->out->certificate = found;
    sari_release(room);
    return SAR_OK;
}

/* 0: it cannot, and `out` says why. */
static int assemble(trial* x)
{
    sar_trial* out = x->out;
    out->reached = x->def->options.start;
    out->status = sar_simulation_assemble(x->s, &x->assembly);
    if (out->status != SAR_OK)
        snprintf(out->failure, sizeof out->failure, "%s", sar_simulation_failure(x->s));
    return out->status == SAR_OK;
}

static sar_status run(trial* x)
{
    sar_trial* out = x->out;
    if (assemble(x)) {
        out->status = run_steps(x);
        collect(x->s, out);
    }
    if (out->status == SAR_OK && x->def->certify > 0.0) SARI_TRY(certify(x, x->assembly.size));
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

static sar_status create(trial* x, sar_error* error)
{
    const sar_trial_def* def = x->def;
    const sar_trial_def bare = {.model = def->model};
    *x->out = (sar_trial){.error = NAN,
                          .max_error = NAN,
                          .branch_changed = NAN,
                          .certificate = {.largest = NAN, .trusted = NAN, .column = -1},
                          .value = NAN};
    SARI_TRY(sari_history_init(&x->history, def, error));
    SARI_TRY(sari_history_init(&x->outputs, &bare, error));
    return sar_simulation_create(def->model, &def->options, &x->s, error);
}

/* What the run, which ended with st, is judged by. */
static sar_status finish(trial* x, sar_status st, sar_error* error)
{
    if (st == SAR_OK && x->keeps) st = sari_history_result(&x->history, &x->result);
    if (st == SAR_E_NOMEM) sari_fail(error, st, NULL, "out of memory for the history of a run");
    return st == SAR_OK ? judge(x->def, x->result, x->out, error) : st;
}

static void clear(trial* x)
{
    sar_simulation_destroy(x->s);
    sari_history_clear(&x->history);
    sari_history_clear(&x->outputs);
    sar_result_destroy(x->result);
}

sar_status sar_trial_run(const sar_trial_def* def, sar_trial* out, sar_result** history,
                         sar_error* error)
{
    trial x = {.def = def, .out = out, .keeps = history || def->reference};
    if (history) *history = NULL;
    sar_status st = create(&x, error);
    if (st == SAR_OK) st = finish(&x, run(&x), error);
    if (history && st == SAR_OK) {
        *history = x.result;
        x.result = NULL;
    }
    clear(&x);
    return st;
}
