/* sarrus sweep: one run at each point of a grid of settings. */
#include "sweep/sweep.h"

#include "common/certify.h"
#include "common/files/inputs.h"
#include "common/interrupt.h"
#include "common/options.h"
#include "common/files/output_file.h"
#include "common/progress.h"
#include "common/summary.h"
#include "common/timing.h"
#include "sweep/pool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 16 };

typedef struct request {
    cli_words vary;
    const char *output, *plot, *valid;
    int jobs, json, quiet, restart, times;
} request;

typedef struct job {
    request want;
    cli_setup setup;
    sar_grid* grid;
    cli_conditions conditions;
    cli_sweep sweep;
    cli_ranks ranks;
    cli_journal journal;
    cli_pool* pool;
    cli_progress progress;
    long* open; ///< points to compute
    long open_count, computed, valid_now;
    int written;       ///< the table is
    const char* drawn; ///< the picture, if there is one
    int64_t began;
} job;

/* ---- the command line ----------------------------------------------------------------------- */

static int take_option(void* context, const char* name, const char* value)
{
    job* j = context;
    request* want = &j->want;
    int taken = cli_setup_option(&j->setup, name, value);
    if (taken >= 0) return taken;
    if (strcmp(name, "vary") == 0) cli_words_add(&want->vary, "%s", value);
    if (strcmp(name, "output") == 0) want->output = value;
    if (strcmp(name, "plot") == 0) want->plot = value;
    if (strcmp(name, "valid") == 0) want->valid = value;
    if (strcmp(name, "json") == 0) want->json = 1;
    if (strcmp(name, "quiet") == 0) want->quiet = 1;
    if (strcmp(name, "restart") == 0) want->restart = 1;
    if (strcmp(name, "times") == 0) want->times = 1;
    return strcmp(name, "jobs") == 0 ? cli_read_jobs("sweep", value, &want->jobs) : 0;
}

static int check_request(const job* j, int operands, const char* model)
{
    const request* want = &j->want;
    const char* why = NULL;
    if (operands == 0)
        why = "which model? Give a file, or the name of a problem";
    else if (operands > 1)
        why = "one model at a time";
    else if (want->vary.count == 0)
        why = "what is to vary? Give --vary NAME=VALUES at least once";
    else if (want->vary.count > MOST_AXES)
        why = "too many --vary";
    else if (want->json && want->output && strcmp(want->output, "-") == 0)
        why = "--json and -o - both want standard output; write the table to a file";
    else if (j->ranks.link && strcmp(model, "-") == 0)
        why = "ranks of an MPI job cannot share standard input; write the model to a file";
    if (!why) return 0;
    cli_error("sweep", "%s", why);
    return cli_usage(&cli_command_sweep);
}

static int read_conditions(job* j)
{
    char* why = NULL;
    j->sweep.conditions = &j->conditions;
    j->sweep.validity = j->want.valid
                            ? j->want.valid
                            : "drift at most 5 % of the energy in the motion, same branch";
    if (!j->want.valid || cli_conditions_read(j->want.valid, &j->conditions, &why) == 0) return 0;
    cli_error("sweep", "--valid %s: %s", j->want.valid, why);
    free(why);
    return CLI_USAGE;
}

static int read_grid(job* j)
{
    sar_error error = {0};
    if (sar_grid_create(&j->grid) != SAR_OK) return CLI_FAILED;
    for (int k = 0; k < j->want.vary.count; k++) {
        const char* text = j->want.vary.items[k];
        if (sar_grid_vary(j->grid, text, &error) == SAR_OK) continue;
        cli_error("sweep", "--vary %s: %s", text, error.message);
        return CLI_USAGE;
    }
    j->sweep.grid = j->grid;
    j->sweep.setup = &j->setup;
    j->sweep.points = sar_grid_points(j->grid);
    return 0;
}

/* ---- points --------------------------------------------------------------------------------- */

static void choices_at(const sar_grid* grid, long point, cli_choice* choices)
{
    int index[MOST_AXES];
    sar_grid_point(grid, point, index);
    for (int axis = 0; axis < sar_grid_axes(grid); axis++)
        choices[axis] =
            (cli_choice){sar_grid_name(grid, axis), sar_grid_text(grid, axis, index[axis])};
}

/// A mistake in the settings shows at every point: say it now, and not as a table of refusals.
static int check_methods(const job* j)
{
    sar_error first = {0};
    for (long k = 0; k < j->sweep.points; k++) {
        cli_choice choices[MOST_AXES] = {{0}};
        sar_options options;
        sar_error error = {0};
        choices_at(j->grid, k, choices);
        if (cli_setup_options(&j->setup, choices, sar_grid_axes(j->grid), &options, &error) ==
            SAR_OK)
            return 0;
        if (k == 0) first = error;
    }
    cli_error("sweep", "%s", first.message);
    cli_hint("'sarrus methods' shows what works together and which options each method has.");
    return CLI_USAGE;
}

/// A misspelt word of an axis, a value out of range: each value alone, at its first point.
static int check_values(const job* j)
{
    for (int axis = 0; axis < sar_grid_axes(j->grid); axis++) {
        const char* name = sar_grid_name(j->grid, axis);
        if (!cli_method_knows(name)) continue;
        for (int k = 0; k < sar_grid_count(j->grid, axis); k++) {
            sar_options options = sar_options_default();
            sar_error error = {0};
            const char* value = sar_grid_text(j->grid, axis, k);
            if (sar_options_set(&options, name, value, &error) == SAR_OK) continue;
            cli_error("sweep", "--vary %s=%s: %s", name, value, error.message);
            return CLI_USAGE;
        }
    }
    return 0;
}

static int open_study(job* j, const char* model)
{
    const char* names[MOST_AXES];
    int axes = sar_grid_axes(j->grid);
    for (int k = 0; k < axes; k++) names[k] = sar_grid_name(j->grid, k);
    int refused = cli_setup_open(&j->setup, model, names, axes);
    for (int k = 0; k < axes && !refused; k++)
        refused = cli_setup_check_name(&j->setup, "vary", names[k]);
    if (!refused) refused = check_values(j);
    return refused ? refused : check_methods(j);
}

/* ---- what is known already ------------------------------------------------------------------ */

enum { PIECES = 5 };

static uint64_t hash_grid(const sar_grid* grid)
{
    uint64_t hash = CLI_HASH_START;
    for (int axis = 0; axis < sar_grid_axes(grid); axis++) {
        hash = cli_hash_text(hash, sar_grid_name(grid, axis));
        for (int k = 0; k < sar_grid_count(grid, axis); k++)
            hash = cli_hash_text(hash, sar_grid_text(grid, axis, k));
        hash = cli_hash_text(hash, "");
    }
    return hash;
}

static void describe(const job* j, cli_journal_piece pieces[PIECES])
{
    const cli_journal_piece all[PIECES] = {
        {"model", "the model or its --set", cli_setup_hash_model(&j->setup)},
        {"method", "the options of the method", cli_setup_hash_method(&j->setup)},
        {"vary", "--vary", hash_grid(j->grid)},
        {"reference", "the reference", cli_setup_hash_reference(&j->setup)},
        {"program", "the program", cli_hash_file(CLI_HASH_START, "/proc/self/exe")}};
    memcpy(pieces, all, sizeof all);
}

static uint64_t identity(const job* j)
{
    cli_journal_piece pieces[PIECES];
    uint64_t hash = CLI_HASH_START;
    if (!j->grid || !j->setup.file.text) return hash;
    describe(j, pieces);
    for (int k = 0; k < PIECES; k++) hash = cli_hash(hash, &pieces[k].hash, sizeof hash);
    return hash;
}

/// What is wrong with the names of files before the first point. 0, or the exit code after a
/// message.
static int check_files(const job* j)
{
    const request* want = &j->want;
    int refused = 0;
    if (want->output && strcmp(want->output, "-") != 0) {
        refused = cli_inputs_refuse("sweep", want->output, cli_endings_of_sweep);
        if (!refused && cli_output_check(want->output) != 0) {
            cli_error("sweep", "cannot write %s: %s", want->output, strerror(errno));
            refused = CLI_FAILED;
        }
    }
    if (!refused) refused = cli_inputs_refuse("sweep", want->plot, cli_endings_of_file);
    if (!refused && want->plot) refused = cli_heatmap_check(&j->sweep, want->plot);
    return refused;
}

static int recall(job* j)
{
    cli_journal_piece pieces[PIECES];
    j->sweep.outcomes = cli_allocate((size_t)j->sweep.points, sizeof(cli_outcome));
    j->sweep.known = cli_allocate((size_t)j->sweep.points, 1);
    int keeps = j->want.output && strcmp(j->want.output, "-") != 0;
    if (keeps && j->ranks.rank == 0) {
        describe(j, pieces);
        int refused = cli_journal_open(&j->journal, "sweep", j->want.output, pieces, PIECES,
                                       j->want.restart, &j->sweep);
        if (refused) return refused;
    }
    j->open = cli_allocate((size_t)j->sweep.points, sizeof(long));
    for (long k = 0; k < j->sweep.points; k++)
        if (!j->sweep.known[k]) j->open[j->open_count++] = k;
    return CLI_GO_ON;
}

/// CLI_GO_ON, or the exit code after a message.
static int prepare(job* j, int argc, char** argv)
{
    int operands = 0;
    int outcome = cli_parse(&cli_command_sweep, argc, argv, take_option, j, &operands);
    if (outcome != CLI_GO_ON) return outcome;
    outcome = check_request(j, operands, argv[1]);
    if (!outcome) outcome = read_conditions(j);
    if (!outcome) outcome = read_grid(j);
    if (!outcome) outcome = open_study(j, argv[1]);
    if (!outcome && j->ranks.rank == 0) outcome = check_files(j);
    return outcome ? outcome : recall(j);
}

/* ---- the runs ------------------------------------------------------------------------------- */

static void work(void* context, char* request_text, char answer[CLI_ANSWER])
{
    const job* j = context;
    cli_choice choices[MOST_AXES] = {{0}};
    choices_at(j->grid, strtol(request_text, NULL, 10), choices);
    const cli_outcome outcome = cli_setup_try(&j->setup, choices, sar_grid_axes(j->grid));
    cli_outcome_write(&outcome, answer, CLI_ANSWER);
}

static void ask(void* context, long k, char* text, size_t size)
{
    const job* j = context;
    snprintf(text, size, "%ld", j->open[k]);
}

static int take(void* context, long k, const char* answer, const char* reason)
{
    job* j = context;
    long point = j->open[k];
    cli_outcome* outcome = &j->sweep.outcomes[point];
    char line[CLI_OUTCOME_LINE];
    if (!answer || cli_outcome_read(answer, outcome) != 0) {
        *outcome = cli_outcome_failed(CLI_END_CRASHED, reason ? reason : "no answer");
        cli_outcome_write(outcome, line, sizeof line);
        answer = line;
    }
    j->sweep.known[point] = 1;
    j->computed++;
    j->valid_now += cli_sweep_valid(&j->sweep, point);
    return cli_journal_add(&j->journal, "sweep", point, answer);
}

static void tick(void* context)
{
    job* j = context;
    if (!j->progress.shown) return;
    char note[64];
    snprintf(note, sizeof note, "%ld valid", j->valid_now);
    cli_progress_points(&j->progress, cli_clock(), j->computed, note);
}

static int run_points(job* j)
{
    cli_pool_batch batch = {
        .count = j->open_count, .request = ask, .take = take, .tick = tick, .context = j};
    j->progress = cli_progress_begin(0, (double)j->open_count, !j->want.quiet && !j->want.json);
    int outcome = cli_pool_run(j->pool, &batch);
    cli_progress_end(&j->progress);
    if (outcome == 0) outcome = cli_journal_finish(&j->journal, "sweep");
    return outcome;
}

/* ---- afterwards ----------------------------------------------------------------------------- */

static long count_valid(const job* j)
{
    long count = 0;
    for (long k = 0; k < j->sweep.points; k++) count += cli_sweep_valid(&j->sweep, k);
    return count;
}

/// The valid point with the smallest error, or drift; -1: none.
static long best_point(const job* j, int measure)
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
static void print_point(const job* j, long point, FILE* out)
{
    cli_choice choices[MOST_AXES] = {{0}};
    choices_at(j->grid, point, choices);
    fputs(" at", out);
    for (int k = 0; k < sar_grid_axes(j->grid); k++)
        fprintf(out, "%s %s=%s", k ? "," : "", choices[k].name, choices[k].value);
}

static void print_best(const job* j, int measure, FILE* out)
{
    long best = best_point(j, measure);
    if (best < 0) return;
    cli_print_label(out, "best");
    fprintf(out, "%s %.3g", sar_measure_at(measure).name, j->sweep.outcomes[best].measure[measure]);
    print_point(j, best, out);
    fputc('\n', out);
}

/// How many points ended in each way that is no completed run, with the first one's reason.
static void print_others(const job* j, FILE* out)
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

static void print_summary(const job* j, FILE* out)
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

static void json_axes(const job* j, cli_json* json)
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

static void print_json(const job* j, int outcome)
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

static void say_interrupted(const job* j)
{
    long known = j->sweep.points - j->open_count + j->computed;
    cli_warning("sweep", "interrupted: %ld of %ld points are done", known, j->sweep.points);
    if (j->journal.path)
        cli_hint("They are kept in %s; the same command continues from there.", j->journal.path);
    else
        cli_hint("With -o FILE.csv they would have been kept.");
}

/// Rank 0: all points, then what they came to.
static int carry_out(job* j)
{
    int outcome = run_points(j);
    if (outcome == CLI_INTERRUPTED) say_interrupted(j);
    if (outcome == 0 && j->want.output)
        outcome = cli_sweep_write(&j->sweep, "sweep", j->want.output, j->want.times);
    j->written = outcome == 0 && j->want.output;
    if (outcome == 0 && j->want.plot) {
        if (cli_heatmap_draw(&j->sweep, j->want.plot) == 0)
            j->drawn = j->want.plot;
        else
            outcome = CLI_FAILED;
    }
    if (j->want.json)
        print_json(j, outcome);
    else if (!j->want.quiet && outcome != CLI_INTERRUPTED)
        print_summary(j, j->want.output && strcmp(j->want.output, "-") == 0 ? stderr : stdout);
    return outcome;
}

static int sweep_main(int argc, char** argv)
{
    job* j = cli_allocate(1, sizeof *j);
    j->began = cli_clock();
    j->journal.file = -1;
    j->setup.command = "sweep";
    int outcome = cli_ranks_begin(&j->ranks, "sweep");
    if (outcome == 0) {
        outcome = prepare(j, argc, argv);
        outcome = cli_ranks_agree(&j->ranks, "sweep", outcome, j->ranks.link ? identity(j) : 0);
    }
    if (outcome == CLI_GO_ON) {
        cli_catch_signals();
        j->pool = cli_pool_create(
            &(cli_pool_def){.jobs = j->want.jobs, .ranks = &j->ranks, .work = work, .context = j});
        outcome = j->ranks.rank > 0 ? cli_pool_serve(j->pool) : carry_out(j);
    }
    cli_pool_destroy(j->pool);
    cli_ranks_end(&j->ranks);
    cli_journal_close(&j->journal);
    sar_grid_destroy(j->grid);
    cli_setup_close(&j->setup);
    cli_words_clear(&j->want.vary);
    free(j->sweep.outcomes);
    free(j->sweep.known);
    free(j->open);
    free(j);
    return outcome;
}

static const cli_option sweep_options[] = {
    {"vary", 'v', "NAME=VALUES",
     "an axis of the grid: an option of the method (also preset, coordinates, formulation, "
     "integrator, solver) or a parameter of the model. VALUES: log:1e6:1e8.5:6, lin:0:1:5, or "
     "2,5,10 (list:2,5,10). May be repeated"},
    {"output", 'o', "FILE.csv",
     "write the table; '-' for standard output. Finished points are kept beside it, so that the "
     "same command continues after an interruption"},
    {"plot", 0, "FILE",
     "plot the energy drift: one axis as a curve, two as a map; .svg, .png or .pdf by the file "
     "extension (needs gnuplot)"},
    {"valid", 0, "CONDITIONS",
     "conditions of a valid run: \"drift<0.125\", \"eps_T<2e-3,branch_changes=0\". Default: energy "
     "drift at most 5 % of the energy in the motion, and no branch change"},
    {"reference", 0, "FILE",
     "measure eps_T against this result (default: the problem's reference.csv)"},
    {"certify", 0, "[=ACCURACY]", CLI_CERTIFY_TEXT},
    {"set", 's', "NAME=VALUE", "set a parameter of the model; may be repeated"},
    {"jobs", 'j', "N",
     "number of parallel runs (default: one per core; in an MPI job one per rank)"},
    {"restart", 0, NULL, "discard the finished points of an earlier sweep to this file"},
    {"times", 0, NULL, "add computing times to the table, as its last columns"},
    {"json", 0, NULL, "print one JSON object on standard output and nothing else"},
    {"quiet", 'q', NULL, "no progress and no summary, only errors"},
    {0}};

static const cli_brief sweep_brief[] = {{"vary", "values: log:1e6:1e8:5, lin:0:1:5, or 2,5,10"},
                                        {"output", "write the table"},
                                        {"plot", "one axis as a curve, two as a map"},
                                        {"valid", "conditions, as in \"drift<0.125\""},
                                        {"reference", "measure the error against this result"},
                                        {"set", "set a parameter of the model; may be repeated"},
                                        {"jobs", "runs at once (default: one per core)"},
                                        {"json", "the report as JSON"},
                                        {0}};

const cli_command cli_command_sweep = {
    .name = "sweep",
    .summary = "run a model at every point of a grid of settings",
    .operands = "MODEL --vary NAME=VALUES [--vary ...] [options]",
    .examples = "# where does a method work? Penalty factor against stabilisation frequency\n"
                "sarrus sweep n-four-bar --formulation al1 --step 5e-3 --best-effort \\\n"
                "    --integrator trapezoidal-fixed-point --vary alpha=log:1e6:1e8.5:6 \\\n"
                "    --vary omega=2,10,50,250 --valid \"drift<0.125\" -o map.csv --plot map.svg\n"
                "# error over the step, against the problem's reference\n"
                "sarrus sweep slider-crank-1 --vary step=log:1e-4:1e-2:9 --plot steps.svg\n"
                "# on several machines\n"
                "mpirun -n 64 sarrus sweep robot.yaml --vary mass=lin:1:2:101 -o mass.csv",
    .gist = "Every point of the grid is one run. NAME is a parameter of the model or an "
            "option of the method. After an interruption the same command goes on with the "
            "missing points. 'sarrus help' lists the models that come with Sarrus.",
    .brief = sweep_brief,
    .text =
        "Each point is one run, judged by its energy drift, by its error if there is a reference, "
        "and by the warnings of 'sarrus run'. Points are independent: the table does not depend on "
        "the number of processes.\n"
        "\n"
        "If the sweep is interrupted, or the machine stops, the same command continues with the "
        "missing points and writes the same table as an undisturbed sweep.\n"
        "\n"
        "A failed point is a result: it does not change the exit code. Exit codes: 0 all points "
        "done, 1 a file could not be written, 2 wrong usage, 3 invalid model, 130 interrupted.",
    .options = sweep_options,
    .takes = CLI_TAKES_AXES | CLI_TAKES_PARAMETERS,
    .run = sweep_main};
