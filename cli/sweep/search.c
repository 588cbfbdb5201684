/* The search of tune: settings are tried in worker processes. */
#include "common/command.h"
#include "common/timing.h"
#include "sweep/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The larger the step or a tolerance, the cheaper the run.
static int find_driver(const cli_tune* j)
{
    int driver = -1;
    for (int k = j->def.count - 1; k >= 0; k--) {
        size_t length = strlen(j->names[k]);
        if (length >= 9 && strcmp(j->names[k] + length - 9, "tolerance") == 0) driver = k;
    }
    for (int k = 0; k < j->def.count; k++)
        if (strcmp(j->names[k], "step") == 0) driver = k;
    return driver;
}

/* ---- trying settings ------------------------------------------------------------------------ */

/// Four digits as a rule; the ends of a range may have more.
void cli_tune_number(double value, char text[CLI_TUNE_NUMBER])
{
    snprintf(text, CLI_TUNE_NUMBER, "%g", value);
    if (strtod(text, NULL) != value) snprintf(text, CLI_TUNE_NUMBER, "%.17g", value);
}

static void write_setting(const cli_tune* j, const double* x, char* text, size_t size)
{
    size_t used = 0;
    for (int k = 0; k < j->def.count; k++) {
        char number[CLI_TUNE_NUMBER];
        cli_tune_number(x[k], number);
        used += (size_t)snprintf(text + used, size - used, "%s%s", k ? " " : "", number);
    }
}

/// `text` is taken apart.
static void read_choices(const cli_tune* j, char* text, cli_choice* choices)
{
    for (int k = 0; k < j->def.count; k++) {
        size_t length = strcspn(text, " ");
        choices[k] = (cli_choice){j->names[k], text};
        text += length;
        if (*text) *text++ = 0;
    }
}

static void work(void* context, char* request_text, char answer[CLI_ANSWER])
{
    const cli_tune* j = context;
    cli_choice choices[SAR_TUNE_MOST];
    read_choices(j, request_text, choices);
    const cli_outcome outcome = cli_setup_try(&j->setup, choices, j->def.count);
    cli_outcome_write(&outcome, answer, CLI_ANSWER);
}

/// Settings that are tried at once.
typedef struct round_of {
    cli_tune* j;
    const double* settings;
    cli_outcome* outcomes;
} round_of;

static void ask(void* context, long k, char* text, size_t size)
{
    const round_of* r = context;
    write_setting(r->j, r->settings + k * r->j->def.count, text, size);
}

static int take(void* context, long k, const char* answer, const char* reason)
{
    round_of* r = context;
    if (!answer || cli_outcome_read(answer, &r->outcomes[k]) != 0)
        r->outcomes[k] = cli_outcome_failed(CLI_END_CRASHED, reason ? reason : "no answer");
    r->j->tried++;
    return 0;
}

static void tick(void* context)
{
    cli_tune* j = ((round_of*)context)->j;
    if (!j->progress.shown) return;
    cli_progress_count(&j->progress, cli_clock(), j->tried, "settings tried");
}

static int try_settings(cli_tune* j, int count, const double* settings, cli_outcome* outcomes)
{
    round_of r = {j, settings, outcomes};
    return cli_pool_run(
        j->pool, &(cli_pool_batch){
                     .count = count, .request = ask, .take = take, .tick = tick, .context = &r});
}

double cli_tune_cost(const cli_outcome* o)
{
    return o->measure[SAR_MEASURE_STEPS] + o->measure[SAR_MEASURE_REJECTED] +
           o->measure[SAR_MEASURE_ITERATIONS];
}

double cli_tune_value(const cli_tune* j, const cli_outcome* o)
{
    return o->measure[j->thresholds.items[0].measure];
}

/// A motion on another branch is another motion, however well it keeps its energy.
int cli_tune_passes(const cli_tune* j, const cli_outcome* o)
{
    return cli_conditions_hold(&j->thresholds, o) && o->measure[SAR_MEASURE_BRANCH_CHANGES] == 0;
}

static sar_status evaluate(void* context, int count, const double* settings,
                           sar_tune_outcome* results)
{
    cli_tune* j = context;
    cli_outcome* outcomes = cli_allocate((size_t)count, sizeof *outcomes);
    j->stop = try_settings(j, count, settings, outcomes);
    for (int k = 0; k < count && !j->stop; k++) {
        const cli_outcome* o = &outcomes[k];
        results[k] =
            (sar_tune_outcome){cli_tune_passes(j, o), cli_tune_cost(o), cli_tune_value(j, o)};
        int near = o->end == CLI_END_COMPLETED && !results[k].passes &&
                   !(results[k].value >= j->nearest_value);
        if (!near || isnan(results[k].value)) continue;
        j->nearest_value = results[k].value;
        memcpy(j->nearest, settings + (ptrdiff_t)k * j->def.count,
               sizeof *settings * (size_t)j->def.count);
    }
    free(outcomes);
    return j->stop ? SAR_E_IO : SAR_OK;
}

/// Every step costs itself and one evaluation.
static double least_cost(void* context, const double* x)
{
    const cli_tune* j = context;
    char text[CLI_REQUEST];
    cli_choice choices[SAR_TUNE_MOST];
    sar_options options;
    sar_error error;
    write_setting(j, x, text, sizeof text);
    read_choices(j, text, choices);
    if (cli_setup_options(&j->setup, choices, j->def.count, &options, &error) != SAR_OK) return 0.0;
    int is_step = j->def.driver >= 0 && strcmp(j->names[j->def.driver], "step") == 0;
    return is_step ? 2.0 * (options.end - options.start) / options.step : 0.0;
}

/* ---- the search ----------------------------------------------------------------------------- */

/// Does the method have what is to be tuned, and can the thresholds be measured?
static int check_method(cli_tune* j)
{
    char text[CLI_REQUEST];
    cli_choice choices[SAR_TUNE_MOST];
    sar_options options;
    sar_error error = {0};
    double low[SAR_TUNE_MOST];
    for (int k = 0; k < j->def.count; k++) low[k] = j->variables[k].least;
    write_setting(j, low, text, sizeof text);
    read_choices(j, text, choices);
    if (cli_setup_options(&j->setup, choices, j->def.count, &options, &error) != SAR_OK) {
        cli_error(j->setup.command, "%s", error.message);
        cli_hint("'sarrus methods' shows what works together and which options each method has.");
        return CLI_USAGE;
    }
    for (int k = 0; k < j->thresholds.count; k++) {
        int measure = j->thresholds.items[k].measure;
        if (j->setup.reference || sar_measure_at(measure).kind != SAR_KIND_ERROR) continue;
        cli_error(j->setup.command, "--threshold %s: %s", sar_measure_at(measure).name,
                  j->setup.no_reference);
        return CLI_USAGE;
    }
    return 0;
}

int cli_tune_define(cli_tune* j, int count)
{
    j->def = (sar_tune_def){.variables = j->variables,
                            .count = count,
                            .points = j->want.points,
                            .tightness = 1.02,
                            .evaluate = evaluate,
                            .least_cost = least_cost,
                            .context = j};
    j->def.driver = find_driver(j);
    return check_method(j);
}

void cli_tune_open_pool(cli_tune* j)
{
    j->pool = cli_pool_create(
        &(cli_pool_def){.jobs = j->want.jobs, .ranks = &j->ranks, .work = work, .context = j});
}

uint64_t cli_tune_identity(const cli_tune* j)
{
    uint64_t hash = cli_hash_program();
    if (!j->setup.file.text) return hash;
    const uint64_t parts[] = {cli_setup_hash_model(&j->setup), cli_setup_hash_method(&j->setup),
                              cli_setup_hash_reference(&j->setup)};
    hash = cli_hash(hash, parts, sizeof parts);
    for (int k = 0; k < j->def.count; k++) hash = cli_hash_text(hash, j->names[k]);
    return hash;
}

/// Run the setting again by itself, for its time, and its neighbours.
int cli_tune_examine(cli_tune* j)
{
    int outcome = 0;
    cli_outcome again;
    for (int k = 0; k < 3 && !outcome; k++) {
        outcome = try_settings(j, 1, j->answer.setting, &again);
        const int faster =
            k == 0 || again.measure[SAR_MEASURE_SECONDS] < j->best.measure[SAR_MEASURE_SECONDS];
        if (faster) j->best = again;
    }
    double settings[2 * SAR_TUNE_MOST * SAR_TUNE_MOST];
    cli_outcome outcomes[2 * SAR_TUNE_MOST];
    for (int k = 0; k < j->def.count; k++) {
        for (int side = -1; side <= 1; side += 2) {
            cli_tune_neighbour* n = &j->neighbours[j->neighbour_count];
            n->variable = k;
            if (!sar_tune_neighbour(&j->def, j->answer.setting, k, side, n->setting)) continue;
            memcpy(settings + (ptrdiff_t)j->neighbour_count * j->def.count, n->setting,
                   sizeof *settings * (size_t)j->def.count);
            j->neighbour_count++;
        }
    }
    if (!outcome) outcome = try_settings(j, j->neighbour_count, settings, outcomes);
    for (int k = 0; k < j->neighbour_count && !outcome; k++) j->neighbours[k].outcome = outcomes[k];
    return outcome;
}

int cli_tune_search(cli_tune* j)
{
    sar_error error = {0};
    j->nearest_value = INFINITY;
    j->progress = cli_progress_begin(0, 1, !j->want.quiet && !j->want.json);
    sar_status status = sar_tune(&j->def, &j->answer, &error);
    int outcome = j->stop;
    if (!outcome && status != SAR_OK) {
        cli_progress_end(&j->progress);
        cli_error(j->setup.command, "%s", error.message);
        outcome = status == SAR_E_ARG ? CLI_USAGE : CLI_FAILED;
    }
    return outcome ? outcome : j->answer.found ? CLI_DONE : CLI_FAILED;
}
