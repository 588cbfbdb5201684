/* sarrus sweep: one run at each point of a grid of settings. */
#include "sweep/sweep_job.h"

#include "common/certify.h"
#include "common/files/inputs.h"
#include "common/files/output_file.h"
#include "common/interrupt.h"
#include "common/options.h"
#include "common/summary.h"
#include "common/timing.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the command line ----------------------------------------------------------------------- */

static int take_option(void* context, const char* name, const char* value)
{
    cli_sweep_job* j = context;
    cli_sweep_request* want = &j->want;
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
    if (strcmp(name, "jobs") != 0) return 0;
    return cli_read_count("sweep", name, value, 1, CLI_MOST_JOBS, &want->jobs);
}

static int check_request(const cli_sweep_job* j, int operands, const char* model)
{
    const cli_sweep_request* want = &j->want;
    const char* why = NULL;
    if (operands == 0)
        why = "which model? Give a file, or the name of a problem";
    else if (operands > 1)
        why = "one model at a time";
    else if (want->vary.count == 0)
        why = "what is to vary? Give --vary NAME=VALUES at least once";
    else if (want->vary.count > CLI_MOST_AXES)
        why = "too many --vary";
    else if (want->json && want->output && strcmp(want->output, "-") == 0)
        why = "--json and -o - both want standard output; write the table to a file";
    else if (j->ranks.link && strcmp(model, "-") == 0)
        why = "ranks of an MPI job cannot share standard input; write the model to a file";
    if (!why) return 0;
    cli_error("sweep", "%s", why);
    return cli_usage(&cli_command_sweep);
}

static int read_conditions(cli_sweep_job* j)
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

static int read_grid(cli_sweep_job* j)
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

/// A mistake in the settings shows at every point: say it now, and not as a table of refusals.
static int check_methods(const cli_sweep_job* j)
{
    sar_error first = {0};
    for (long k = 0; k < j->sweep.points; k++) {
        cli_choice choices[CLI_MOST_AXES] = {{0}};
        sar_options options;
        sar_error error = {0};
        cli_sweep_choices(j->grid, k, choices);
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
static int check_values(const cli_sweep_job* j)
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

static int open_study(cli_sweep_job* j, const char* model)
{
    const char* names[CLI_MOST_AXES];
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

static void describe(const cli_sweep_job* j, cli_journal_piece pieces[PIECES])
{
    const cli_journal_piece all[PIECES] = {
        {"model", "the model or its --set", cli_setup_hash_model(&j->setup)},
        {"method", "the options of the method", cli_setup_hash_method(&j->setup)},
        {"vary", "--vary", hash_grid(j->grid)},
        {"reference", "the reference", cli_setup_hash_reference(&j->setup)},
        {"program", "the program or its plug-ins", cli_hash_program()}};
    memcpy(pieces, all, sizeof all);
}

static uint64_t identity(const cli_sweep_job* j)
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
static int check_files(const cli_sweep_job* j)
{
    const cli_sweep_request* want = &j->want;
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

static int keep(void* context, long point, const cli_outcome* outcome)
{
    cli_sweep* sweep = context;
    if (point >= sweep->points) return -1;
    sweep->outcomes[point] = *outcome;
    sweep->known[point] = 1;
    return 0;
}

static int recall(cli_sweep_job* j)
{
    cli_journal_piece pieces[PIECES];
    j->sweep.outcomes = cli_allocate((size_t)j->sweep.points, sizeof(cli_outcome));
    j->sweep.known = cli_allocate((size_t)j->sweep.points, 1);
    int keeps = j->want.output && strcmp(j->want.output, "-") != 0;
    if (keeps && j->ranks.rank == 0) {
        describe(j, pieces);
        int refused = cli_journal_open(&j->journal, "sweep", j->want.output, pieces, PIECES,
                                       j->want.restart, &(cli_journal_keeper){keep, &j->sweep});
        if (refused) return refused;
    }
    j->open = cli_allocate((size_t)j->sweep.points, sizeof(long));
    for (long k = 0; k < j->sweep.points; k++)
        if (!j->sweep.known[k]) j->open[j->open_count++] = k;
    return CLI_GO_ON;
}

/// CLI_GO_ON, or the exit code after a message.
static int prepare(cli_sweep_job* j, int argc, char** argv)
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
    const cli_sweep_job* j = context;
    cli_choice choices[CLI_MOST_AXES] = {{0}};
    cli_sweep_choices(j->grid, strtol(request_text, NULL, 10), choices);
    const cli_outcome outcome = cli_setup_try(&j->setup, choices, sar_grid_axes(j->grid));
    cli_outcome_write(&outcome, answer, CLI_ANSWER);
}

static void ask(void* context, long k, char* text, size_t size)
{
    const cli_sweep_job* j = context;
    snprintf(text, size, "%ld", j->open[k]);
}

static int take(void* context, long k, const char* answer, const char* reason)
{
    cli_sweep_job* j = context;
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
    cli_sweep_job* j = context;
    if (!j->progress.shown) return;
    char note[64];
    snprintf(note, sizeof note, "%ld valid", j->valid_now);
    cli_progress_points(&j->progress, cli_clock(), j->computed, note);
}

static int run_points(cli_sweep_job* j)
{
    cli_pool_batch batch = {
        .count = j->open_count, .request = ask, .take = take, .tick = tick, .context = j};
    j->progress = cli_progress_begin(0, (double)j->open_count, !j->want.quiet && !j->want.json);
    int outcome = cli_pool_run(j->pool, &batch);
    cli_progress_end(&j->progress);
    if (outcome == 0) outcome = cli_journal_finish(&j->journal, "sweep");
    return outcome;
}

/* ---- the command ----------------------------------------------------------------------------- */

/// Rank 0: all points, then what they came to.
static int carry_out(cli_sweep_job* j)
{
    int outcome = run_points(j);
    if (outcome == CLI_INTERRUPTED) cli_sweep_say_interrupted(j);
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
        cli_sweep_print_json(j, outcome);
    else if (!j->want.quiet && outcome != CLI_INTERRUPTED)
        cli_sweep_print(j, j->want.output && strcmp(j->want.output, "-") == 0 ? stderr : stdout);
    return outcome;
}

static int sweep_main(int argc, char** argv)
{
    cli_sweep_job* j = cli_allocate(1, sizeof *j);
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
    {"jobs", 'j', "N",
     "number of parallel runs (default: one per core; in an MPI job one per rank)"},
    {"restart", 0, NULL, "discard the finished points of an earlier sweep to this file"},
    {"times", 0, NULL, "add computing times to the table, as its last columns"},
    {"quiet", 'q', NULL, "no progress and no summary, only errors"},
    {0}};

static const cli_brief sweep_brief[] = {{"vary", "values: log:1e6:1e8:5, lin:0:1:5, or 2,5,10"},
                                        {"output", "write the table"},
                                        {"plot", "one axis as a curve, two as a map"},
                                        {"valid", "conditions, as in \"drift<0.125\""},
                                        {"reference", "measure the error against this result"},
                                        {"jobs", "runs at once (default: one per core)"},
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
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET | CLI_TAKES_JSON,
    .run = sweep_main};
