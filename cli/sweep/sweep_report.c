#include "sweep/sweep_job.h"

#include "common/command.h"
#include "common/summary.h"
#include "common/timing.h"

#include <math.h>
#include <string.h>

void cli_sweep_choices(const sar_grid* grid, long point, cli_choice* choices)
{
    int index[CLI_MOST_AXES];
    sar_grid_point(grid, point, index);
    for (int axis = 0; axis < sar_grid_axes(grid); axis++)
        choices[axis] =
            (cli_choice){sar_grid_name(grid, axis), sar_grid_text(grid, axis, index[axis])};
}

static long count_valid(const cli_sweep_job* j)
{
    long count = 0;
    for (long k = 0; k < j->sweep.points; k++) count += cli_sweep_valid(&j->sweep, k);
    return count;
}

/// The valid point with the smallest error, or drift; -1: none.
static long best_point(const cli_sweep_job* j, int measure)
{
    long best = -1;
    for (long k = 0; k < j->sweep.points; k++) {
        if (!cli_sweep_valid(&j->sweep, k) || isnan(j->sweep.outcomes[k].measure[measure]))
            continue;
        if (best < 0 ||
            j->sweep.outcomes[k].measure[measure] < j->sweep.outcomes[best].measure[measure])
            best = k;
    }
    return best;
}

/// " at m=1, L=2"
static void print_point(const cli_sweep_job* j, long point, FILE* out)
{
    cli_choice choices[CLI_MOST_AXES] = {{0}};
    cli_sweep_choices(j->grid, point, choices);
    fputs(" at", out);
    for (int k = 0; k < sar_grid_axes(j->grid); k++)
        fprintf(out, "%s %s=%s", k ? "," : "", choices[k].name, choices[k].value);
}

static void print_best(const cli_sweep_job* j, int measure, FILE* out)
{
    long best = best_point(j, measure);
    if (best < 0) return;
    cli_print_label(out, "best");
    fprintf(out, "%s %.3g", sar_measure_at(measure).name, j->sweep.outcomes[best].measure[measure]);
    print_point(j, best, out);
    fputc('\n', out);
}

/// How many points ended in each way that is no completed run, with the first one's reason.
static void print_others(const cli_sweep_job* j, FILE* out)
{
    for (int end = CLI_END_FAILED; end < CLI_ENDS; end++) {
        long count = 0, first = -1;
        for (long k = 0; k < j->sweep.points; k++) {
            if (!j->sweep.known[k] || (int)j->sweep.outcomes[k].end != end) continue;
            if (count++ == 0) first = k;
        }
        if (count == 0) continue;
        cli_print_label(out, end == CLI_END_FAILED ? "broken off" : "not run");
        fprintf(out, "%ld %s; the first", count, cli_end_word((cli_end)end));
        print_point(j, first, out);
        fprintf(out, ": %s\n", j->sweep.outcomes[first].verdict);
    }
}

void cli_sweep_print(const cli_sweep_job* j, FILE* out)
{
    double wall = 1e-9 * (double)(cli_clock() - j->began);
    fprintf(out, "%s%s: valid %ld of %ld%s (%s)\n", cli_paint(out, CLI_BOLD),
            sar_model_name(j->setup.file.model), count_valid(j), j->sweep.points,
            cli_paint(out, CLI_PLAIN), j->sweep.validity);
    cli_heatmap_print(&j->sweep, out);
    print_best(j, SAR_MEASURE_MAX_DRIFT, out);
    print_best(j, SAR_MEASURE_TOTAL_ERROR, out);
    print_others(j, out);
    cli_print_label(out, "reference");
    fprintf(out, "%s\n", j->setup.reference ? j->setup.reference_found : j->setup.no_reference);
    cli_print_label(out, "computed");
    fprintf(out, "%ld points in %.3g s with %d process%s", j->computed, wall,
            cli_pool_jobs(j->pool), cli_pool_jobs(j->pool) == 1 ? "" : "es");
    if (j->computed < j->sweep.points)
        fprintf(out, "; %ld were in %s (--restart computes them again)",
                j->sweep.points - j->computed, j->journal.path);
    fputc('\n', out);
    cli_print_label(out, "file");
    fprintf(out, "%s\n",
            !j->want.output                    ? "none; add -o sweep.csv to keep the table"
            : !j->written                      ? "none: it could not be written"
            : strcmp(j->want.output, "-") == 0 ? "standard output"
                                               : j->want.output);
    if (j->drawn) {
        cli_print_label(out, "plot");
        fprintf(out, "%s\n", j->drawn);
    }
}

static void json_axes(const cli_sweep_job* j, cli_json* json)
{
    static const char* const scales[] = {"words", "linear", "log"};
    cli_json_open(json, "axes", '[');
    for (int axis = 0; axis < sar_grid_axes(j->grid); axis++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", sar_grid_name(j->grid, axis));
        cli_json_text(json, "scale", scales[sar_grid_scale(j->grid, axis)]);
        cli_json_open(json, "values", '[');
        for (int k = 0; k < sar_grid_count(j->grid, axis); k++) {
            if (sar_grid_scale(j->grid, axis) == SAR_SCALE_WORDS)
                cli_json_text(json, NULL, sar_grid_text(j->grid, axis, k));
            else
                cli_json_number(json, NULL, sar_grid_value(j->grid, axis, k));
        }
        cli_json_close(json);
        cli_json_close(json);
    }
    cli_json_close(json);
}

void cli_sweep_print_json(const cli_sweep_job* j, int outcome)
{
    cli_json json = cli_json_begin(stdout);
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "sarrus.sweep/1");
    cli_json_text(&json, "status",
                  outcome == CLI_DONE          ? "completed"
                  : outcome == CLI_INTERRUPTED ? "interrupted"
                                               : "failed");
    cli_json_text(&json, "model", sar_model_name(j->setup.file.model));
    json_axes(j, &json);
    cli_json_text(&json, "conditions", j->sweep.validity);
    cli_json_text(&json, "reference", j->setup.reference ? j->setup.reference_found : NULL);
    cli_json_integer(&json, "points", j->sweep.points);
    cli_json_integer(&json, "valid", count_valid(j));
    cli_json_integer(&json, "computed", j->computed);
    cli_json_integer(&json, "processes", cli_pool_jobs(j->pool));
    cli_json_number(&json, "wall_s", 1e-9 * (double)(cli_clock() - j->began));
    cli_sweep_json(&j->sweep, &json, "results");
    cli_json_text(&json, "output", j->written ? j->want.output : NULL);
    cli_json_text(&json, "plot", j->drawn);
    cli_json_close(&json);
}

void cli_sweep_say_interrupted(const cli_sweep_job* j)
{
    long known = j->sweep.points - j->open_count + j->computed;
    cli_warning("sweep", "interrupted: %ld of %ld points are done", known, j->sweep.points);
    if (j->journal.path)
        cli_hint("They are kept in %s; the same command continues from there.", j->journal.path);
    else
        cli_hint("With -o FILE.csv they would have been kept.");
}
