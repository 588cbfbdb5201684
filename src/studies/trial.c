#include "sarrus/study.h"

#include "base/memory.h"
#include "base/status.h"
#include "results/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/// Outputs over time while the run goes on, row after row.
typedef struct history {
    int columns, rows, capacity;
    double* values; ///< time, then the outputs
    double start, interval;
    long next; ///< sample to take
} history;

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static sar_status add_row(history* h, sar_simulation* s, double t)
{
    size_t width = (size_t)h->columns + 1;
    if (!sari_grow((void**)&h->values, h->rows, &h->capacity, width * sizeof(double)))
        return SAR_E_NOMEM;
    double* row = h->values + width * (size_t)h->rows;
    row[0] = t;
    SARI_TRY(sar_simulation_outputs_at(s, t, row + 1));
    h->rows++;
    return SAR_OK;
}

/* All samples up to the present time; without an interval, the present one. */
static sar_status take_samples(history* h, sar_simulation* s)
{
    double now = sar_simulation_time(s);
    if (h->interval <= 0.0) return add_row(h, s, now);
    double rounding = 1e-9 * h->interval;
    for (;;) {
        double t = h->start + (double)h->next * h->interval;
        if (t > now + rounding) return SAR_OK;
        SARI_TRY(add_row(h, s, fmin(t, now)));
        h->next++;
    }
}

static sar_status make_result(const history* h, const sar_model* model, sar_result** out)
{
    sar_result* r = SARI_NEW(sar_result);
    if (!r) return SAR_E_NOMEM;
    *out = r;
    r->rows = h->rows;
    r->time = SARI_NEW_ARRAY(double, h->rows);
    r->values = SARI_NEW_ARRAY(double, (size_t)h->rows*(size_t)h->columns);
    r->names = SARI_NEW_ARRAY(char*, h->columns);
    if (!r->time || !r->values || !r->names) return SAR_E_NOMEM;
    r->columns = h->columns;
    for (int c = 0; c < h->columns; c++) {
        const char* name = sar_model_output_name(model, c);
        r->names[c] = sari_copy(name, strlen(name) + 1, 1);
        if (!r->names[c]) return SAR_E_NOMEM;
    }
    for (int i = 0; i < h->rows; i++) {
        const double* row = h->values + (size_t)(h->columns + 1) * (size_t)i;
        r->time[i] = row[0];
        for (int c = 0; c < h->columns; c++)
            r->values[(size_t)c * (size_t)h->rows + (size_t)i] = row[1 + c];
    }
    return SAR_OK;
}

/* Steps to the end, with the time they take; what the samples take is not counted. */
static sar_status run_steps(const sar_trial_def* def, sar_simulation* s, history* h, sar_trial* out)
{
    sar_status st = take_samples(h, s);
    enum { CLOCK_EVERY = 256 }; // steps without a sample
    double began = cpu_seconds(), sampling = 0.0;
    long quiet = 0;
    while (st == SAR_OK && !sar_simulation_done(s)) {
        double before = sar_simulation_time(s);
        st = sar_simulation_advance(s);
        if (st != SAR_OK) {
            snprintf(out->failure, sizeof out->failure, "%s", sar_simulation_failure(s));
            break;
        }
        double now = sar_simulation_time(s);
        if (!(now > before)) {
            snprintf(out->failure, sizeof out->failure,
                     "the step became too small to move on from t = %.9g s", before);
            st = SAR_R_NO_CONV;
            break;
        }
        int due = h->interval <= 0.0 ||
                  h->start + (double)h->next * h->interval <= now + 1e-9 * h->interval;
        if (!due && ++quiet % CLOCK_EVERY) continue;
        double pause = cpu_seconds();
        if (due) st = take_samples(h, s);
        sampling += cpu_seconds() - pause;
        if (def->most_seconds > 0.0 && pause - began - sampling > def->most_seconds) {
            snprintf(out->failure, sizeof out->failure,
                     "stopped at t = %.9g s: the steps took more than %g s", now,
                     def->most_seconds);
            st = SAR_R_NO_CONV;
        }
    }
    out->seconds = cpu_seconds() - began - sampling;
    return st;
}

static void collect(const sar_simulation* s, sar_trial* out)
{
    const sar_event* events;
    out->reached = sar_simulation_time(s);
    out->statistics = sar_simulation_statistics(s);
    out->rank = sar_simulation_rank(s);
    out->singular_passes = sar_simulation_singular_passes(s, &events);
    out->branch_changes = sar_simulation_branch_changes(s, &events);
    if (out->statistics.steps > 0)
        out->step_us = 1e6 * out->seconds / (double)out->statistics.steps;
}

static sar_status run(const sar_trial_def* def, sar_simulation* s, history* h, sar_trial* out)
{
    out->status = sar_simulation_assemble(s, NULL);
    if (out->status != SAR_OK) {
        snprintf(out->failure, sizeof out->failure, "%s", sar_simulation_failure(s));
        return out->status == SAR_E_NOMEM ? SAR_E_NOMEM : SAR_OK;
    }
    out->status = run_steps(def, s, h, out);
    collect(s, out);
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

sar_status sar_trial_run(const sar_trial_def* def, sar_trial* out, sar_result** result,
                         sar_error* error)
{
    sar_simulation* s = NULL;
    sar_result* r = NULL;
    history h = {.columns = sar_model_outputs(def->model),
                 .start = def->options.start,
                 .interval = def->options.sample};
    *out = (sar_trial){.error = NAN, .max_error = NAN};
    if (result) *result = NULL;
    SARI_TRY(sar_simulation_create(def->model, &def->options, &s, error));
    sar_status st = run(def, s, &h, out);
    if (st == SAR_OK) st = make_result(&h, def->model, &r);
    if (st == SAR_E_NOMEM) sari_fail(error, st, NULL, "out of memory for the history of a run");
    if (st == SAR_OK) st = judge(def, r, out, error);
    sar_simulation_destroy(s);
    sari_release(h.values);
    if (result && st == SAR_OK)
        *result = r;
    else
        sar_result_destroy(r);
    return st;
}
