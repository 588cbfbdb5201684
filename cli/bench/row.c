/* One row of a study: set up its run, repeat it for the time, judge it. */
#include "bench/bench.h"

#include "common/command.h"
#include "common/files/model_file.h"
#include "common/files/result_file.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "common/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LONG_ENOUGH = 0.2; ///< [s] of steps for a fair time
enum { MOST_RUNS = 20, MOST_EXTRA = 16 };

/// What a run in progress has to do with the row.
typedef struct running {
    cli_progress progress;
    cli_sketch* sketch; ///< NULL: none is wanted
    const sar_model* model;
} running;

static int watch(void* context, double t, long steps)
{
    running* run = context;
    cli_progress_update(&run->progress, cli_clock(), t, steps);
    return !cli_interrupted;
}

static void draw(void* context, const sar_simulation* s)
{
    running* run = context;
    cli_sketch_take(run->sketch, run->model, s);
}

static double snapshots_of(const sar_study_head* head)
{
    for (int k = 0; k < head->plot_count; k++)
        if (head->plots[k].snapshots > 0.0) return head->plots[k].snapshots;
    return 0.0;
}

static void add_column(const sar_model* model, const char* name, const char** names, int* count)
{
    int known = !*name || *count == MOST_EXTRA;
    for (int j = 0; j < sar_model_outputs(model) && !known; j++)
        known = strcmp(sar_model_output_name(model, j), name) == 0;
    for (int j = 0; j < *count && !known; j++) known = strcmp(names[j], name) == 0;
    if (!known) names[(*count)++] = name;
}

/// Columns that the measure of the row and the plots and statements of the study want and the model
/// does not have as outputs.
static int extra_columns(const sar_study_head* head, const sar_study_row* row,
                         const sar_model* model, const char** names)
{
    int count = 0;
    add_column(model, row->measure.of, names, &count);
    add_column(model, row->measure.minus, names, &count);
    for (int k = 0; k < head->plot_count; k++)
        if (strcmp(head->plots[k].x, "t") == 0) {
            add_column(model, head->plots[k].y, names, &count);
            add_column(model, head->plots[k].orbit, names, &count);
        }
    for (int k = 0; k < head->statement_count; k++)
        if (!cli_bench_is_quantity(head->statements[k].of))
            add_column(model, head->statements[k].of, names, &count);
    return count;
}

static int read_reference(cli_bench_row* r)
{
    if (!*r->row->reference) return 0;
    char* path = cli_problem_file(r->row->problem, r->row->reference);
    if (!path) return 0;
    sar_error error = {0};
    sar_status status = cli_result_read(path, &r->reference, &error);
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

/// Time without history, samples and drawings. CPU time and wall time are the minimum of all
/// runs: what disturbs a run only adds to them. The parts of a step go with the CPU time.
static sar_status run_again(const sar_trial_def* def, cli_bench_row* r, double* spent,
                            sar_error* error)
{
    sar_trial again, *best = &r->trial;
    sar_trial_def bare = *def;
    bare.extra_count = 0;
    bare.reference = NULL;
    bare.certify = 0.0;
    bare.sampled = NULL;
    sar_status status = sar_trial_run(&bare, &again, NULL, error);
    if (status != SAR_OK || again.stopped || again.status != SAR_OK) return status;
    r->runs++;
    *spent += again.seconds;
    r->wall += again.wall;
    if (again.wall < best->wall) best->wall = again.wall;
    if (again.seconds < best->seconds) {
        best->seconds = again.seconds;
        best->step_us = again.step_us;
        best->statistics.correction_time = again.statistics.correction_time;
        best->statistics.projection_time = again.statistics.projection_time;
    }
    return SAR_OK;
}

/// Run once for the result and then for the time, which only gets better.
static sar_status run_often(const sar_trial_def* def, int repeat, cli_bench_row* r,
                            sar_error* error)
{
    sar_status status = sar_trial_run(def, &r->trial, &r->history, error);
    double spent = r->trial.seconds;
    r->runs = 1;
    r->wall = r->trial.wall;
    while (status == SAR_OK && r->trial.status == SAR_OK && !cli_interrupted) {
        if (repeat ? r->runs >= repeat : spent > LONG_ENOUGH || r->runs >= MOST_RUNS) break;
        status = run_again(def, r, &spent, error);
    }
    return status;
}

/// As the study wants it: the mean time on the clock in the place of the least CPU time.
static void take_mean(cli_bench_row* r)
{
    const double mean = r->wall / r->runs;
    r->trial.step_us *= r->trial.seconds > 0.0 ? mean / r->trial.seconds : 1.0;
    r->trial.seconds = r->trial.wall = mean;
}

static sar_trial_def definition(const cli_bench_row* r, const sar_comparison_def* metric,
                                double certify, running* run)
{
    const sar_study_row* row = r->row;
    return (sar_trial_def){.model = run->model,
                           .options = r->options,
                           .reference = r->reference,
                           .metric = row->column_count ? metric : NULL,
                           .max_seconds = isnan(row->time_limit) ? 0.0 : row->time_limit,
                           .certify = certify,
                           .watch = watch,
                           .sampled = run->sketch ? draw : NULL,
                           .context = run};
}

static int measure(const cli_bench* bench, cli_bench_row* r, const cli_bench_study* study,
                   const sar_model* model)
{
    const sar_study_row* row = r->row;
    const char* extra[MOST_EXTRA];
    sar_comparison_def metric = {.names = row->column_count ? row->columns : NULL,
                                 .weights = row->weights,
                                 .count = row->column_count,
                                 .relative = row->relative,
                                 .linear = row->linear};
    int again = r->measured, in_turn = study->head->rounds > 0, mean_of = study->head->mean_of;
    const int repeats = bench->repeat || !mean_of ? bench->repeat : mean_of;
    r->options.sample = row->linear ? 0.0 : sampling(r); // 0: the steps themselves
    r->bodies = sar_model_bodies(model) - 1;
    r->sketch.interval = snapshots_of(study->head);
    running run = {cli_progress_begin(r->options.start, r->options.end, !bench->quiet),
                   r->sketch.interval > 0.0 ? &r->sketch : NULL, model};
    sar_trial_def def = definition(r, &metric, bench->certify, &run);
    def.extra = extra;
    def.extra_count = extra_columns(study->head, row, model, extra);
    sar_error error = {0};
    double spent = 0.0;
    sar_status status = again ? run_again(&def, r, &spent, &error)
                              : run_often(&def, in_turn ? 1 : repeats, r, &error);
    if (status == SAR_OK && mean_of && !again && !in_turn && r->trial.status == SAR_OK)
        take_mean(r);
    cli_progress_end(&run.progress);
    if (status != SAR_OK) {
        cli_error("bench", "row %d, %s: %s", r->number, row->label, error.message);
        return CLI_FAILED;
    }
    r->measured = 1;
    if (!again && r->trial.status == SAR_OK)
        r->trial.value = cli_bench_measured(&row->measure, r->history);
    if (!again) r->verdict = sar_study_judge(row, &r->trial, r->reason, sizeof r->reason);
    return 0;
}

/// The row's method over the defaults. Of the model's own only the time and the start count.
static sar_status choose_method(cli_bench_row* r, const cli_model_file* file, sar_error* error)
{
    r->options = sar_options_default();
    r->options.start = file->method.start;
    r->options.end = file->method.end;
    r->options.equilibrium = file->method.equilibrium;
    sar_status status = sar_study_method(r->row, &r->options, error);
    if (status == SAR_OK && r->options.threads > cli_cores()) {
        snprintf(error->message, sizeof error->message, "%d cores here", cli_cores());
        return SAR_E_BUILD;
    }
    return status;
}

/// Where a row of another code comes from, in words.
static void describe_outside(cli_bench_row* r)
{
    const sar_study_row* row = r->row;
    char time[96] = "";
    const size_t used = strlen(r->reason);
    if (row->outside.times > 1)
        snprintf(time, sizeof time, "; mean of %d times, spread %.3g s", row->outside.times,
                 row->outside.spread);
    snprintf(r->reason + used, sizeof r->reason - used, "%s%s%s%s%s%s%s%s%s", used ? "; " : "",
             row->outside.code, *row->outside.version ? " " : "", row->outside.version,
             *row->outside.machine ? ", on " : "", row->outside.machine,
             *row->outside.author ? ", by " : "", row->outside.author, time);
}

/// A row of another code: its file is held against the reference like a run of ours.
static int judge_outside(cli_bench_row* r)
{
    const sar_study_row* row = r->row;
    const double unknown = NAN;
    sar_error error = {0};
    sar_comparison found;
    const sar_comparison_def metric = {.names = row->column_count ? row->columns : NULL,
                                       .weights = row->weights,
                                       .count = row->column_count,
                                       .relative = row->relative};
    r->trial = (sar_trial){.error = unknown,
                           .max_error = unknown,
                           .branch_changed = unknown,
                           .value = unknown,
                           .seconds = row->outside.mean,
                           .wall = row->outside.mean,
                           .step_us = unknown};
    r->runs = row->outside.times;
    sar_status status = cli_result_read(row->outside.file, &r->history, &error);
    if (status == SAR_OK) {
        const int rows = sar_result_rows(r->history);
        r->trial.reached = rows ? sar_result_time(r->history)[rows - 1] : 0.0;
        if (r->reference && !*row->outside.failure)
            status = sar_result_compare(r->history, r->reference, &metric, &found, NULL, &error);
    }
    if (status != SAR_OK) {
        cli_error("bench", "row %d, %s: %s", r->number, row->label, error.message);
        return CLI_FAILED;
    }
    if (r->reference && !*row->outside.failure)
        r->trial.error = found.total, r->trial.max_error = found.max_error;
    if (*row->outside.failure) {
        r->trial.status = SAR_R_NO_CONV;
        snprintf(r->trial.failure, sizeof r->trial.failure, "%s", row->outside.failure);
    } else {
        r->trial.value = cli_bench_measured(&row->measure, r->history);
    }
    r->measured = 1;
    r->verdict = sar_study_judge(row, &r->trial, r->reason, sizeof r->reason);
    describe_outside(r);
    return 0;
}

int cli_bench_run(const cli_bench* bench, cli_bench_row* r, const cli_bench_study* study)
{
    const sar_study_row* row = r->row;
    if (*row->outside.file) {
        if (r->measured) return 0;
        const int failed = read_reference(r);
        return failed ? failed : judge_outside(r);
    }
    if (r->measured ? r->trial.status != SAR_OK : r->verdict == SAR_VERDICT_NOT_AVAILABLE)
        return 0; // in an earlier round, and another would not change it
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
        sar_status status = choose_method(r, &file, &error);
        if (status == SAR_E_BUILD) {
            r->verdict = SAR_VERDICT_NOT_AVAILABLE;
            snprintf(r->reason, sizeof r->reason, "%s", error.message);
        } else if (status != SAR_OK) {
            cli_error("bench", "row %d, %s: %s", r->number, row->label, error.message);
            refused = CLI_FAILED;
        } else {
            if (!r->measured) refused = read_reference(r);
            if (!refused) refused = measure(bench, r, study, file.model);
        }
    }
    cli_model_close(&file);
    return refused;
}
