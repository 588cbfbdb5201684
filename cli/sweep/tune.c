/* sarrus tune: the cheapest setting of a method that is accurate enough. */
#include "sweep/tune.h"
#include "common/interrupt.h"
#include "common/options.h"
#include "common/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 5 };

/* ---- the command line ----------------------------------------------------------------------- */

/// "eps_T=2e-3": at most that.
static int add_threshold(cli_tune* j, const char* text)
{
    char* why = NULL;
    int before = j->thresholds.count;
    if (cli_conditions_read(text, &j->thresholds, &why) != 0) {
        cli_error("tune", "--threshold %s: %s", text, why);
        free(why);
        return CLI_USAGE;
    }
    for (int k = before; k < j->thresholds.count; k++)
        if (j->thresholds.items[k].relation == '=') j->thresholds.items[k].relation = 'l';
    return 0;
}

static int take_option(void* context, const char* name, const char* value)
{
    cli_tune* j = context;
    int taken = cli_setup_option(&j->setup, name, value);
    if (taken >= 0) return taken;
    if (strcmp(name, "threshold") == 0) return add_threshold(j, value);
    if (strcmp(name, "over") == 0) cli_words_add(&j->want.over, "%s", value);
    if (strcmp(name, "points") == 0)
        return cli_read_count("tune", name, value, 2, 100, &j->want.points);
    if (strcmp(name, "json") == 0) j->want.json = 1;
    if (strcmp(name, "quiet") == 0) j->want.quiet = 1;
    if (strcmp(name, "jobs") != 0) return 0;
    return cli_read_count("tune", name, value, 1, CLI_MOST_JOBS, &j->want.jobs);
}

static int check_request(const cli_tune* j, int operands, const char* model)
{
    const char* why = NULL;
    if (operands == 0)
        why = "which model? Give a file, or the name of a problem";
    else if (operands > 1)
        why = "one model at a time";
    else if (j->thresholds.count == 0)
        why = "which accuracy? Give --threshold eps_T=2e-3, or drift=0.1";
    else if (j->want.over.count == 0)
        why = "which option may vary? Give --over step=1e-5:1e-2 at least once";
    else if (j->want.over.count > SAR_TUNE_MOST)
        why = "too many --over";
    else if (j->ranks.link && strcmp(model, "-") == 0)
        why = "ranks of an MPI job cannot share standard input; write the model to a file";
    if (!why) return 0;
    cli_error("tune", "%s", why);
    return cli_usage(&cli_command_tune);
}

/* ---- variables ------------------------------------------------------------------------------ */

static int refuse(const char* text, const char* why)
{
    cli_error("tune", "--over %s: %s", text, why);
    return CLI_USAGE;
}

static int refuse_name(const char* text, const char* name)
{
    const char* words[128];
    cli_parameter all[128];
    int count = cli_parameters() < 128 ? cli_parameters() : 128;
    if (cli_method_knows(name))
        return refuse(text, "only numbers can be tuned; try each of the words in turn");
    for (int k = 0; k < count; k++) {
        all[k] = cli_parameter_at(k);
        words[k] = all[k].name;
    }
    const char* nearest = cli_nearest(name, words, count);
    if (nearest)
        cli_error("tune", "--over %s: '%s' is not an option of a method; did you mean '%s'?", text,
                  name, nearest);
    else
        cli_error("tune", "--over %s: '%s' is not an option of a method", text, name);
    return CLI_USAGE;
}

/// "1e-5:1e-2", also "lin:0:1" and "log:...". Ends above 0 mean a logarithmic scale by default.
static int read_ends(const char* text, const char* ends, sar_tune_variable* v)
{
    int scale = strncmp(ends, "log:", 4) == 0 ? 1 : strncmp(ends, "lin:", 4) == 0 ? 0 : -1;
    if (scale >= 0) ends += 4;
    char low[CLI_TUNE_NUMBER] = "";
    size_t length = strcspn(ends, ":");
    if (length == 0 || length >= sizeof low || !ends[length])
        return refuse(text, "expected NAME=LOW:HIGH, as in step=1e-5:1e-2");
    memcpy(low, ends, length);
    if (!sar_number_read(low, &v->least) || !sar_number_read(ends + length + 1, &v->most))
        return refuse(text, "expected two numbers, LOW:HIGH");
    if (!(v->least < v->most)) return refuse(text, "the low end is not below the high end");
    if (scale == 1 && !(v->least > 0.0)) return refuse(text, "log: needs ends above 0");
    v->logarithmic = scale < 0 ? v->least > 0.0 : scale;
    return 0;
}

static int read_variable(cli_tune* j, int k)
{
    const char* text = j->want.over.items[k];
    size_t length = strcspn(text, "=");
    if (length == 0 || length >= CLI_TUNE_NUMBER || !text[length])
        return refuse(text, "expected NAME=LOW:HIGH, as in step=1e-5:1e-2");
    memcpy(j->names[k], text, length);
    sar_tune_variable* v = &j->variables[k];
    int parameter = cli_parameter_find(j->names[k]);
    if (parameter < 0) return refuse_name(text, j->names[k]);
    int refused = read_ends(text, text + length + 1, v);
    if (refused) return refused;
    cli_parameter p = cli_parameter_at(parameter);
    v->integer = p.is_integer;
    snprintf(j->names[k], sizeof j->names[k], "%s", p.name); // '-' for '_'
    if (v->least < p.min || v->most > p.max) {
        cli_error("tune", "--over %s: %s goes from %g to %g", text, p.name, p.min, p.max);
        return CLI_USAGE;
    }
    for (int i = 0; i < k; i++)
        if (cli_parameter_find(j->names[i]) == parameter) return refuse(text, "it is given twice");
    return 0;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int prepare(cli_tune* j, int argc, char** argv)
{
    int operands = 0;
    int outcome = cli_parse(&cli_command_tune, argc, argv, take_option, j, &operands);
    if (outcome != CLI_GO_ON) return outcome;
    j->model = argv[1];
    outcome = check_request(j, operands, argv[1]);
    for (int k = 0; k < j->want.over.count && !outcome; k++) outcome = read_variable(j, k);
    if (!outcome) outcome = cli_setup_open(&j->setup, argv[1], NULL, 0);
    for (int k = 0; k < j->want.over.count && !outcome; k++)
        outcome = cli_setup_check_name(&j->setup, "over", j->names[k]);
    if (!outcome) outcome = cli_tune_define(j, j->want.over.count);
    return outcome ? outcome : CLI_GO_ON;
}

static int carry_out(cli_tune* j)
{
    int outcome = cli_tune_search(j);
    if (outcome == CLI_DONE) outcome = cli_tune_examine(j);
    cli_progress_end(&j->progress);
    if (outcome == CLI_INTERRUPTED)
        cli_warning("tune", "interrupted after %ld settings; nothing is kept", j->tried);
    else if (outcome == CLI_FAILED && !j->answer.found)
        cli_tune_miss(j);
    if (outcome == CLI_USAGE) return outcome;
    if (j->want.json)
        cli_tune_json(j, outcome, stdout);
    else if (outcome == CLI_DONE && !j->want.quiet)
        cli_tune_print(j, stdout);
    return outcome;
}

static int tune_main(int argc, char** argv)
{
    cli_tune* j = cli_allocate(1, sizeof *j);
    j->began = cli_clock();
    j->setup.command = "tune";
    j->want.points = POINTS;
    int outcome = cli_ranks_begin(&j->ranks, "tune");
    if (outcome == 0) {
        outcome = prepare(j, argc, argv);
        outcome =
            cli_ranks_agree(&j->ranks, "tune", outcome, j->ranks.link ? cli_tune_identity(j) : 0);
    }
    if (outcome == CLI_GO_ON) {
        cli_catch_signals();
        cli_tune_open_pool(j);
        outcome = j->ranks.rank > 0 ? cli_pool_serve(j->pool) : carry_out(j);
    }
    cli_pool_destroy(j->pool);
    cli_ranks_end(&j->ranks);
    cli_setup_close(&j->setup);
    cli_words_clear(&j->want.over);
    free(j);
    return outcome;
}

static const cli_option tune_options[] = {
    {"threshold", 't', "NAME=BOUND",
     "accuracy required: eps_T=2e-3 (needs a reference), drift=0.1 [J], or any column of a sweep; "
     "may be repeated, all must hold"},
    {"over", 0, "NAME=LOW:HIGH",
     "an option of the method and its range: step=1e-5:1e-2. Logarithmic if LOW is above 0; "
     "lin:0.1:1 and log:... set the scale. May be repeated"},
    {"points", 0, "N", "points of each variable in the coarse grid (default 5)"},
    {"reference", 0, "FILE",
     "measure eps_T against this result (default: the problem's reference.csv)"},
    {"jobs", 'j', "N",
     "number of parallel runs (default: one per core; in an MPI job one per rank)"},
    {"quiet", 'q', NULL, "no progress and no summary, only errors"},
    {0}};

static const cli_brief tune_brief[] = {{"threshold", "accuracy required: eps_T=2e-3, drift=0.1"},
                                       {"over", "an option of the method and its range"},
                                       {"points", "of each variable in the coarse grid"},
                                       {"reference", "measure the error against this result"},
                                       {"jobs", "runs at once (default: one per core)"},
                                       {0}};

const cli_command cli_command_tune = {
    .name = "tune",
    .summary = "the cheapest setting of a method that is accurate enough",
    .operands = "MODEL --threshold NAME=BOUND --over NAME=LOW:HIGH [--over ...] [options]",
    .examples = "# the largest step that keeps the error below 2e-3\n"
                "sarrus tune slider-crank-1 --threshold eps_T=2e-3 --over step=1e-4:2e-2\n"
                "# step and penalty factor together\n"
                "sarrus tune slider-crank-1 --preset ALi3p --threshold eps_T=2e-3 \\\n"
                "    --over step=1e-4:2e-2 --over alpha=1e6:1e14\n"
                "# no reference: by the energy\n"
                "sarrus tune robot.yaml --threshold drift=0.1 --over step=1e-4:1e-1",
    .gist = "Searches the largest step (or tolerance) that is accurate enough. Exit codes: "
            "0 found, 1 no setting is accurate enough. 'sarrus help' lists the models that "
            "come with Sarrus.",
    .brief = tune_brief,
    .text = "A coarse grid, then refinement: for each setting of the other variables the largest "
            "step (or tolerance) that passes is bracketed and bisected to 2 %. Cheapest means the "
            "fewest steps plus iterations, which is the same on every machine; the CPU time of the "
            "answer is measured and printed. A run that leaves its branch of motion never passes.\n"
            "\n"
            "Also printed: the margin (threshold over measure), and the results of neighbouring "
            "settings (10 % of the step, half a decade of other variables).\n"
            "\n"
            "Exit codes: 0 found, 1 no setting is accurate enough, 2 wrong usage, 3 invalid model, "
            "130 interrupted.",
    .options = tune_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET | CLI_TAKES_JSON,
    .run = tune_main};
