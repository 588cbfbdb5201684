/* The result of a search of `tune`: as text and as JSON. */
#include "common/command.h"
#include "common/measures.h"
#include "common/summary.h"
#include "common/timing.h"
#include "sweep/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the answer ----------------------------------------------------------------------------- */

static void add_option(cli_words* line, const char* name, const char* value)
{
    int k = cli_parameter_find(name);
    cli_parameter p = {0};
    if (k >= 0) p = cli_parameter_at(k);
    if (k >= 0 && p.is_integer && p.min == 0 && p.max == 1) { // a switch
        cli_words_add(line, strcmp(value, "1") == 0 ? "--%s" : "--%s=%s", name, value);
        return;
    }
    cli_words_add(line, "--%s", name);
    cli_words_add(line, "%s", value);
}

/// The run that was found, as it can be typed.
static char* run_command(const cli_tune* j)
{
    cli_words line = {0};
    const cli_setup* s = &j->setup;
    cli_words_add(&line, "run");
    cli_words_add(&line, "%s", j->model);
    if (s->method.preset) add_option(&line, "preset", s->method.preset);
    for (int k = 0; k < s->method.names.count; k++)
        add_option(&line, s->method.names.items[k], s->method.values.items[k]);
    for (int k = 0; k < s->settings.names.count; k++) {
        cli_words_add(&line, "--set");
        cli_words_add(&line, "%s=%s", s->settings.names.items[k], s->settings.values.items[k]);
    }
    for (int k = 0; k < j->def.count; k++) {
        char value[CLI_TUNE_NUMBER];
        cli_tune_number(j->answer.setting[k], value);
        add_option(&line, j->names[k], value);
    }
    char* text = cli_quote_command(line.count, line.items);
    cli_words_clear(&line);
    return text;
}

static void print_setting(const cli_tune* j, const double* x, FILE* out)
{
    for (int k = 0; k < j->def.count; k++)
        fprintf(out, "%s%s=%.4g", k ? ", " : "", j->names[k], x[k]);
}

static double margin_of(const cli_tune* j)
{
    return j->thresholds.items[0].bound / cli_tune_value(j, &j->best);
}

static void print_neighbours(const cli_tune* j, FILE* out)
{
    const char* name = sar_measure_at(j->thresholds.items[0].measure).name;
    double cost = cli_tune_cost(&j->best);
    for (int k = 0; k < j->neighbour_count; k++) {
        const cli_tune_neighbour* n = &j->neighbours[k];
        int good = cli_tune_passes(j, &n->outcome);
        cli_print_label(out, k ? "" : "beside it");
        fprintf(out, "%s=%-10.4g %s%s%s", j->names[n->variable], n->setting[n->variable],
                cli_paint(out, good ? CLI_GREEN : CLI_RED), good ? "passes" : "fails ",
                cli_paint(out, CLI_PLAIN));
        if (n->outcome.end == CLI_END_COMPLETED)
            fprintf(out, "  %s %.3g, cost %+.0f %%\n", name, cli_tune_value(j, &n->outcome),
                    100.0 * (cli_tune_cost(&n->outcome) / cost - 1.0));
        else
            fprintf(out, "  %s\n", cli_end_word(n->outcome.end));
    }
}

void cli_tune_print(const cli_tune* j, FILE* out)
{
    const double* m = j->best.measure;
    double wall = 1e-9 * (double)(cli_clock() - j->began);
    fprintf(out, "%s%s: ", cli_paint(out, CLI_BOLD), sar_model_name(j->setup.file.model));
    print_setting(j, j->answer.setting, out);
    fprintf(out, "%s\n", cli_paint(out, CLI_PLAIN));
    cli_print_label(out, "measure");
    fprintf(out, "%s %.4g, threshold %.4g: margin %.3g\n",
            sar_measure_at(j->thresholds.items[0].measure).name, cli_tune_value(j, &j->best),
            j->thresholds.items[0].bound, margin_of(j));
    cli_print_label(out, "cost");
    fprintf(out, "%.0f steps, %.0f iterations; CPU time %.3g ms, %.3g us per step\n",
            m[SAR_MEASURE_STEPS], m[SAR_MEASURE_ITERATIONS], 1e3 * m[SAR_MEASURE_SECONDS],
            m[SAR_MEASURE_STEP_US]);
    print_neighbours(j, out);
    cli_print_label(out, "tried");
    fprintf(out, "%d settings in %.3g s with %d process%s\n", j->answer.tried, wall,
            cli_pool_jobs(j->pool), cli_pool_jobs(j->pool) == 1 ? "" : "es");
    char* command = run_command(j);
    cli_print_label(out, "command");
    fprintf(out, "%s\n", command);
    free(command);
}

void cli_tune_miss(const cli_tune* j)
{
    cli_error("tune", "%s: none of the %d settings that were tried is accurate enough",
              sar_model_name(j->setup.file.model), j->answer.tried);
    if (!isfinite(j->nearest_value)) {
        cli_hint("No run reached its end on its branch; try smaller steps, or another method.");
        return;
    }
    fprintf(stderr,
            "The nearest has %s %.3g: ", sar_measure_at(j->thresholds.items[0].measure).name,
            j->nearest_value);
    print_setting(j, j->nearest, stderr);
    fputs(". Widen --over, or take another method.\n", stderr);
}

static void json_setting(const cli_tune* j, cli_json* json, const char* key, const double* x)
{
    cli_json_open(json, key, '{');
    for (int k = 0; k < j->def.count; k++) cli_json_number(json, j->names[k], x[k]);
    cli_json_close(json);
}

static void json_outcome(const cli_tune* j, cli_json* json, const cli_outcome* o)
{
    cli_json_boolean(json, "passes", cli_tune_passes(j, o));
    cli_json_text(json, "status", cli_end_word(o->end));
    cli_json_number(json, "value", cli_tune_value(j, o));
    cli_json_number(json, "cost", cli_tune_cost(o));
    cli_json_measures(json, o->measure, 1, 0);
    cli_json_text(json, "verdict", o->verdict);
}

static void json_thresholds(const cli_tune* j, cli_json* json)
{
    cli_json_open(json, "thresholds", '[');
    for (int k = 0; k < j->thresholds.count; k++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "measure", sar_measure_at(j->thresholds.items[k].measure).name);
        cli_json_number(json, "bound", j->thresholds.items[k].bound);
        cli_json_close(json);
    }
    cli_json_close(json);
}

static void json_found(const cli_tune* j, cli_json* json)
{
    json_setting(j, json, "setting", j->answer.setting);
    cli_json_number(json, "margin", margin_of(j));
    cli_json_open(json, "outcome", '{');
    json_outcome(j, json, &j->best);
    cli_json_close(json);
    cli_json_open(json, "neighbours", '[');
    for (int k = 0; k < j->neighbour_count; k++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "variable", j->names[j->neighbours[k].variable]);
        json_setting(j, json, "setting", j->neighbours[k].setting);
        json_outcome(j, json, &j->neighbours[k].outcome);
        cli_json_close(json);
    }
    cli_json_close(json);
    char* command = run_command(j);
    cli_json_text(json, "command", command);
    free(command);
}

void cli_tune_json(const cli_tune* j, int outcome, FILE* out)
{
    cli_json json = cli_json_begin(out);
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "sarrus.tune/1");
    cli_json_text(&json, "status",
                  outcome == CLI_INTERRUPTED ? "interrupted"
                  : j->answer.found          ? "found"
                                             : "not found");
    cli_json_text(&json, "model", sar_model_name(j->setup.file.model));
    json_thresholds(j, &json);
    cli_json_integer(&json, "tried", j->answer.tried);
    cli_json_number(&json, "wall_s", 1e-9 * (double)(cli_clock() - j->began));
    if (outcome == CLI_DONE)
        json_found(j, &json);
    else if (isfinite(j->nearest_value))
        json_setting(j, &json, "nearest", j->nearest);
    cli_json_close(&json);
}
