/* bench --tune: the cheapest setting of a row's method that keeps the row's limit, as the tables of
 * the papers were made. The numbers that the row sets itself vary; all else is the row's. What is
 * found takes the place of the row's own, and the row runs like any other. */
#include "bench/bench.h"

#include "common/command.h"
#include "common/interrupt.h"
#include "sweep/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Ranges where the study names none: of the step or a tolerance, and of others.
static const double DRIVER_FACTOR = 30.0, OTHER_FACTOR = 100.0;

/* ---- limits --------------------------------------------------------------------------------- */

int cli_bench_read_limits(cli_bench* bench, const char* text)
{
    cli_words words = {0};
    bench->tune = 1;
    bench->limit_count = 0;
    if (text) cli_words_split(&words, text, ",");
    int good = words.count <= CLI_BENCH_LIMITS;
    for (int k = 0; k < words.count && good; k++) {
        double* limit = &bench->limits[bench->limit_count++];
        good = sar_number_read(words.items[k], limit) && *limit > 0.0;
    }
    cli_words_clear(&words);
    if (good) return 0;
    cli_error("bench", "--tune=%s: expected up to %d positive numbers, as in 1e-3,1e-4", text,
              CLI_BENCH_LIMITS);
    return CLI_USAGE;
}

/// A row of our own, for the limit (NaN: its own). What was published is for the published limit.
static void copy_row(const cli_bench_study* s, const cli_bench_row* from, double limit,
                     cli_bench_row* to)
{
    *to = *from;
    to->own = cli_allocate(1, sizeof *to->own);
    *to->own = *from->row;
    to->row = to->own;
    sar_setting* options =
        cli_allocate((size_t)from->row->option_count + SAR_TUNE_MOST, sizeof *options);
    if (from->row->option_count)
        memcpy(options, from->row->options, (size_t)from->row->option_count * sizeof *options);
    to->own->options = options;
    to->own->published.relative = to->own->published.absolute = NAN; // another setting may differ
    if (isnan(limit)) return;
    int energy = cli_bench_judged_by(s) == CLI_BENCH_ENERGY;
    to->own->energy_limit = energy ? limit : NAN;
    to->own->error_limit = energy ? NAN : limit;
    to->own->published.failed = 0;
    to->own->published.error = to->own->published.energy_drift = NAN;
    to->own->published.seconds = to->own->published.step_us = to->own->published.value = NAN;
}

/// Rows in the order of their limits, so that those of one precision stand together.
static void copy_rows(const cli_bench* bench, cli_bench_study* s)
{
    int times = bench->limit_count ? bench->limit_count : 1, n = 0;
    cli_bench_row* rows = cli_allocate((size_t)(times * s->count) + 1, sizeof *rows);
    for (int k = 0; k < times; k++)
        for (int j = 0; j < s->count; j++) {
            if (!s->rows[j].wanted) continue;
            copy_row(s, &s->rows[j], bench->limit_count ? bench->limits[k] : NAN, &rows[n]);
            rows[n].number = n + 1;
            n++;
        }
    free(s->rows);
    s->rows = rows;
    s->count = n;
    s->tuned = 1;
}

static int refuse_row(const cli_bench_row* r, const char* why)
{
    cli_error("bench", "row %d, %s: %s", r->number, r->row->label, why);
    return CLI_USAGE;
}

int cli_bench_prepare_tuning(cli_bench* bench)
{
    for (int k = 0; k < bench->count; k++) {
        copy_rows(bench, &bench->studies[k]);
        for (int j = 0; j < bench->studies[k].count; j++) {
            const cli_bench_row* r = &bench->studies[k].rows[j];
            if (*r->row->outside.file) continue;
            if (!isnan(r->row->error_limit) && !*r->row->reference)
                return refuse_row(r, "there is no reference to measure eps_T against");
            if (isnan(r->row->error_limit) && isnan(r->row->energy_limit))
                return refuse_row(r, "it has no limit of eps_T or of the energy drift; give one "
                                     "with --tune=LIMIT");
        }
    }
    return 0;
}

/* ---- what varies ---------------------------------------------------------------------------- */

static int is_driver(const char* name)
{
    size_t length = strlen(name);
    return strcmp(name, "step") == 0 ||
           (length >= 9 && strcmp(name + length - 9, "tolerance") == 0);
}

/// Where the run begins, ends and is sampled is no matter of the method.
static int is_of_method(const char* name)
{
    static const char* const others[] = {"start", "end", "sample"};
    for (int k = 0; k < 3; k++)
        if (strcmp(name, others[k]) == 0) return 0;
    return 1;
}

static int add_variable(cli_tune* j, int n, const cli_parameter* p, double low, double high)
{
    if (n == SAR_TUNE_MOST) return n;
    low = fmax(low, p->min);
    high = fmin(high, p->max);
    if (!(low < high)) return n;
    snprintf(j->names[n], sizeof j->names[n], "%s", p->name);
    j->variables[n] = (sar_tune_variable){
        .least = low, .most = high, .logarithmic = low > 0.0, .integer = p->is_integer};
    return n + 1;
}

static int varies(const cli_tune* j, int n, const char* name)
{
    for (int k = 0; k < n; k++)
        if (cli_parameter_find(j->names[k]) == cli_parameter_find(name)) return 1;
    return 0;
}

/// The options that vary. Their number; -1 after a message.
static int choose_variables(cli_tune* j, const cli_bench_row* r)
{
    const sar_study_row* row = r->row;
    int n = 0;
    for (int k = 0; k < row->range_count; k++) {
        int found = cli_parameter_find(row->ranges[k].name);
        if (found < 0) {
            cli_error("bench", "row %d, %s: ranges: '%s' is not an option of a method", r->number,
                      row->label, row->ranges[k].name);
            return -1;
        }
        const cli_parameter p = cli_parameter_at(found);
        n = add_variable(j, n, &p, row->ranges[k].low, row->ranges[k].high);
    }
    for (int k = row->inherited; k < row->option_count; k++) {
        const char* name = row->options[k].name;
        double value;
        int found = cli_parameter_find(name);
        if (found < 0 || varies(j, n, name) || !is_of_method(name)) continue;
        const cli_parameter p = cli_parameter_at(found);
        if (p.is_integer || !sar_number_read(row->options[k].value, &value) || !(value > 0.0))
            continue;
        double factor = is_driver(name) ? DRIVER_FACTOR : OTHER_FACTOR;
        n = add_variable(j, n, &p, value / factor, value * factor);
    }
    return n;
}

/* ---- the search ----------------------------------------------------------------------------- */

/// The row's method without what varies, on the row's model, by the row's metric.
static int open_setup(cli_tune* j, const cli_bench_row* r, int variables)
{
    const sar_study_row* row = r->row;
    cli_setup* s = &j->setup;
    int refused = 0;
    for (int k = 0; k < row->option_count && !refused; k++)
        if (!varies(j, variables, row->options[k].name) ||
            cli_parameter_find(row->options[k].name) < 0)
            refused =
                cli_method_set(&s->method, "bench", row->options[k].name, row->options[k].value);
    for (int k = 0; k < row->parameter_count; k++) {
        cli_words_add(&s->settings.names, "%s", row->parameters[k].name);
        cli_words_add(&s->settings.values, "%s", row->parameters[k].value);
    }
    char* reference = *row->reference ? cli_problem_file(row->problem, row->reference) : NULL;
    s->reference_path = reference;
    if (!refused) refused = cli_setup_open(s, row->problem, NULL, 0);
    s->reference_path = NULL;
    free(reference);
    if (refused) return refused;
    const sar_options model = s->file.method; // of the model's own only time and start count
    s->file.method = sar_options_default();
    s->file.method.start = model.start;
    s->file.method.end = model.end;
    s->file.method.equilibrium = model.equilibrium;
    s->max_seconds = isnan(row->time_limit) ? 0.0 : row->time_limit;
    s->linear = row->linear;
    s->has_metric = row->column_count > 0 && row->column_count <= 8;
    s->metric = (sar_metric){.count = s->has_metric ? row->column_count : 0,
                             .interval = isnan(row->sample) ? 0.0 : row->sample,
                             .relative = row->relative};
    for (int k = 0; k < s->metric.count; k++) {
        snprintf(s->metric.names[k], sizeof s->metric.names[k], "%s", row->columns[k]);
        s->metric.weights[k] = row->weights[k];
    }
    return 0;
}

static void add_threshold(cli_tune* j, sar_measure_id measure, double bound)
{
    if (isnan(bound)) return;
    j->thresholds.items[j->thresholds.count].measure = (int)measure;
    j->thresholds.items[j->thresholds.count].relation = 'l';
    j->thresholds.items[j->thresholds.count++].bound = bound;
}

/// The setting in the place of the row's own numbers.
static void adopt(cli_bench_row* r, const cli_tune* j, const double* setting)
{
    sar_setting* options = (sar_setting*)(uintptr_t)r->own->options;
    for (int k = 0; k < j->def.count; k++) {
        int found = cli_parameter_find(j->names[k]), at = 0;
        while (at < r->own->option_count && cli_parameter_find(options[at].name) != found) at++;
        if (at == r->own->option_count)
            options[r->own->option_count++].name = cli_parameter_at(found).field;
        cli_tune_number(setting[k], r->values[k]);
        options[at].value = r->values[k];
    }
}

/// What the search came to: the row has the best setting, the nearest, or its own.
static void conclude(cli_bench_row* r, const cli_tune* j)
{
    char* before = cli_bench_parameters(r->row);
    char* own = *before ? cli_format("; the study has %s", before) : cli_format("%s", "");
    free(before);
    if (j->answer.found) {
        adopt(r, j, j->answer.setting);
        snprintf(r->tuned, sizeof r->tuned, "Best of %d settings%s.", j->answer.tried, own);
    } else if (isfinite(j->nearest_value)) {
        adopt(r, j, j->nearest);
        snprintf(r->tuned, sizeof r->tuned,
                 "None of %d settings keeps the limit; this is the nearest%s.", j->answer.tried,
                 own);
    } else {
        snprintf(r->tuned, sizeof r->tuned,
                 "None of %d settings reaches its end on its branch; this is the study's own.",
                 j->answer.tried);
    }
    free(own);
}

/// With few variables the coarse grid may be finer.
static int grid_points(int variables)
{
    return variables <= 2 ? 5 : 3;
}

static int search(cli_bench_row* r, cli_tune* j, int variables)
{
    int refused = open_setup(j, r, variables);
    if (!refused) refused = cli_tune_define(j, variables);
    if (refused) return refused;
    cli_tune_open_pool(j);
    int outcome = cli_tune_search(j);
    cli_progress_end(&j->progress);
    if (outcome == CLI_DONE || (outcome == CLI_FAILED && !j->stop && j->answer.tried > 0))
        conclude(r, j);
    else
        refused = outcome == CLI_INTERRUPTED ? 0 : outcome;
    return refused;
}

int cli_bench_tune(const cli_bench* bench, cli_bench_row* r)
{
    sar_options options = sar_options_default();
    sar_error error = {0};
    if (*r->row->outside.file || sar_study_method(r->row, &options, &error) == SAR_E_BUILD)
        return 0; // as it is
    cli_tune* j = cli_allocate(1, sizeof *j);
    j->setup.command = "bench";
    j->want.quiet = bench->quiet;
    j->want.jobs = bench->jobs;
    j->memo = bench->memo;
    add_threshold(j, SAR_MEASURE_TOTAL_ERROR, r->row->error_limit);
    add_threshold(j, SAR_MEASURE_MAX_DRIFT, r->row->energy_limit);
    int refused = 0, variables = choose_variables(j, r);
    j->want.points = grid_points(variables);
    if (variables > 0)
        refused = search(r, j, variables);
    else if (variables < 0)
        refused = CLI_USAGE;
    else
        snprintf(r->tuned, sizeof r->tuned, "It sets no number that could be tuned.");
    cli_pool_destroy(j->pool);
    cli_setup_close(&j->setup);
    free(j);
    return refused;
}
