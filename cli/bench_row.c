/* One row of a study: set up its run, repeat it for the time, judge it. */
#include "bench.h"

#include "command.h"
#include "interrupt.h"
#include "model_file.h"
#include "progress.h"
#include "timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LONG_ENOUGH = 0.2; ///< [s] of steps for a fair time
enum { MOST_RUNS = 20, MOST_EXTRA = 16 };

static int watch(void* context, double t, long steps)
{
    cli_progress_update(context, cli_clock(), t, steps);
    return !cli_interrupted;
}

/// Columns that the plots of the study want and the model does not have as outputs.
static int extra_columns(const sar_study_head* head, const sar_model* model, const char** names)
{
    int count = 0;
    for (int k = 0; k < head->plot_count && count < MOST_EXTRA; k++) {
        const char* y = head->plots[k].y;
        int known = strcmp(head->plots[k].x, "t") != 0;
        for (int j = 0; j < sar_model_outputs(model) && !known; j++)
            known = strcmp(sar_model_output_name(model, j), y) == 0;
        for (int j = 0; j < count && !known; j++) known = strcmp(names[j], y) == 0;
        if (!known) names[count++] = y;
    }
    return count;
}

static int read_reference(cli_bench_row* r)
{
    if (!*r->row->reference) return 0;
    char* path = cli_problem_file(r->row->problem, r->row->reference);
    if (!path) return 0;
    sar_error error = {0};
    sar_status status = sar_result_read(path, &r->reference, &error);
    free(path);
    if (status == SAR_OK) return 0;
    cli_error("bench", "%s", error.message);
    return CLI_FAILED;
}

/// The samples of the metric, else those of the reference, else about a thousand.
static double sampling(const cli_bench_row* r)
{
    if (!isnan(r->row->sample)) return r->row->sample;
    if (r->reference && sar_result_rows(r->reference) > 1) {
        const double* t = sar_result_time(r->reference);
        return t[1] - t[0];
    }
    return 1e-3 * (r->options.end - r->options.start);
}

/// Run once for the result and then for the time, which only gets better.
static sar_status run_often(const sar_trial_def* def, int repeat, cli_bench_row* r,
                            sar_error* error)
{
    sar_status status = sar_trial_run(def, &r->trial, &r->history, error);
    double spent = r->trial.seconds;
    for (r->runs = 1; status == SAR_OK && r->trial.status == SAR_OK; r->runs++) {
        if (repeat ? r->runs >= repeat : spent > LONG_ENOUGH || r->runs >= MOST_RUNS) break;
        sar_trial again;
        sar_trial_def bare = *def;
        bare.extra_count = 0;
        status = sar_trial_run(&bare, &again, NULL, error);
        if (again.stopped) break;
        spent += again.seconds;
        if (again.seconds < r->trial.seconds) {
            r->trial.seconds = again.seconds;
            r->trial.step_us = again.step_us;
        }
    }
    return status;
}

static int measure(const cli_bench* bench, cli_bench_row* r, const cli_bench_study* study,
                   const sar_model* model)
{
    const sar_study_row* row = r->row;
    const char* extra[MOST_EXTRA];
    sar_comparison_def metric = {.names = row->column_count ? row->columns : NULL,
                                 .weights = row->weights,
                                 .count = row->column_count};
    r->options.sample = sampling(r);
    cli_progress progress = cli_progress_begin(r->options.start, r->options.end, !bench->quiet);
    sar_trial_def def = {.model = model,
                         .options = r->options,
                         .reference = r->reference,
                         .metric = row->column_count ? &metric : NULL,
                         .most_seconds = isnan(row->time_limit) ? 0.0 : row->time_limit,
                         .extra = extra,
                         .extra_count = extra_columns(study->head, model, extra),
                         .watch = watch,
                         .context = &progress};
    sar_error error = {0};
    sar_status status = run_often(&def, bench->repeat, r, &error);
    cli_progress_end(&progress);
    if (status != SAR_OK) {
        cli_error("bench", "row %d, %s: %s", r->number, row->label, error.message);
        return CLI_FAILED;
    }
    r->measured = 1;
    r->verdict = sar_study_judge(row, &r->trial, r->reason, sizeof r->reason);
    return 0;
}

int cli_bench_run(const cli_bench* bench, cli_bench_row* r, const cli_bench_study* study)
{
    const sar_study_row* row = r->row;
    cli_settings settings = {0};
    cli_model_file file;
    for (int k = 0; k < row->parameter_count; k++) {
        cli_words_add(&settings.names, "%s", row->parameters[k].name);
        cli_words_add(&settings.values, "%s", row->parameters[k].value);
    }
    int refused = cli_model_open(row->problem, "bench", &settings, &file);
    cli_settings_clear(&settings);
    if (!refused) {
        sar_error error = {0};
        // of the model's own method only the time: the rest is the row's
        r->options = sar_options_default();
        r->options.start = file.method.start;
        r->options.end = file.method.end;
        sar_status status = sar_study_method(row, &r->options, &error);
        if (status == SAR_E_BUILD) {
            r->verdict = SAR_VERDICT_NOT_AVAILABLE;
            snprintf(r->reason, sizeof r->reason, "%s", error.message);
        } else if (status != SAR_OK) {
            cli_error("bench", "row %d, %s: %s", r->number, row->label, error.message);
            refused = CLI_FAILED;
        } else {
            refused = read_reference(r);
            if (!refused) refused = measure(bench, r, study, file.model);
        }
    }
    cli_model_close(&file);
    return refused;
}
