/* sarrus run: simulate a model and report what happened. */
#include "common/certify.h"
#include "common/files/inputs.h"
#include "common/interrupt.h"
#include "common/options.h"
#include "common/start.h"
#include "pictures/gnuplot.h"
#include "run/functions.h"
#include "run/job.h"
#include "run/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- the command line ----------------------------------------------------------------------- */

/// "yes", "no", "short", or an accuracy. 0, or CLI_USAGE after a message.
static int set_certify(cli_request* want, const char* value)
{
    want->certify = CLI_CERTIFY_YES;
    if (!value || strcmp(value, "yes") == 0) return 0;
    if (strcmp(value, "no") == 0 || strcmp(value, "short") == 0) {
        want->certify = *value == 'n' ? CLI_CERTIFY_NO : CLI_CERTIFY_SHORT;
        return 0;
    }
    return cli_accuracy_read("run", "certify", value, "yes, no, short, or ", &want->accuracy);
}

static int take_option(void* context, const char* name, const char* value)
{
    cli_request* want = context;
    if (cli_method_knows(name)) {
        cli_words_add(&want->page.options, "%s=%s", name, value ? value : "1");
        return cli_method_set(&want->method, "run", name, value);
    }
    if (strcmp(name, "set") == 0) return cli_settings_add(&want->settings, "run", value);
    if (strcmp(name, "input") == 0) cli_words_add(&want->inputs, "%s", value);
    if (strcmp(name, "output") == 0) want->output = value;
    if (strcmp(name, "plot") == 0) want->plot = value;
    if (strcmp(name, "all") == 0) want->all = 1;
    if (strcmp(name, "view") == 0) {
        want->wants_view = want->all = 1;
        free(want->view);
        want->view = value ? cli_format("%s", value) : NULL;
    }
    if (strcmp(name, "title") == 0) want->page.title = value;
    if (strcmp(name, "notes") == 0) want->page.notes = value;
    if (strcmp(name, "plot-xy") == 0) cli_words_split(&want->page.plots, value, ", ");
    if (strcmp(name, "live") == 0) want->page.live = 1;
    if (strcmp(name, "realtime") == 0) return cli_realtime_set(&want->realtime, value);
    if (strcmp(name, "certify") == 0) return set_certify(want, value);
    if (strcmp(name, "accuracy") == 0) {
        want->reach = 1;
        return cli_accuracy_read("run", name, value, "", &want->accuracy);
    }
    if (strcmp(name, "from") == 0) want->from = value;
    if (strcmp(name, "speed") == 0)
        return cli_read_number("run", name, value, -INFINITY, INFINITY, &want->speed);
    if (strcmp(name, "checkpoint") == 0) want->checkpoint.path = value;
    if (strcmp(name, "every") == 0) return cli_checkpoint_every(&want->checkpoint, value);
    if (strcmp(name, "resume") == 0) want->checkpoint.resume = 1;
    if (strcmp(name, "errors") == 0) want->errors = 1;
    if (strcmp(name, "rates") == 0) want->rates = 1;
    if (strcmp(name, "json") == 0) want->json = 1;
    if (strcmp(name, "quiet") == 0) want->quiet = 1;
    return 0;
}

static int ends_in_hdf5(const char* path)
{
    const char* ending = strrchr(path, '.');
    return ending && (strcasecmp(ending, ".h5") == 0 || strcasecmp(ending, ".hdf5") == 0);
}

static int gives_tolerance(const cli_method* method)
{
    for (int k = 0; k < method->names.count; k++)
        if (strcmp(method->names.items[k], "tolerance") == 0) return 1;
    return 0;
}

/// 0, or CLI_USAGE after a message.
static int check_request(const cli_request* want, int operands)
{
    if (operands == 0)
        cli_error("run",
                  "which model? Give a file, or the name of a problem or example: 'sarrus help' "
                  "lists them");
    else if (operands > 1)
        cli_error("run", "one model at a time");
    else if (want->json && want->output && strcmp(want->output, "-") == 0)
        cli_error("run", "--json and -o - both want standard output; write the results to a file");
    else if (want->wants_view && want->output && !ends_in_hdf5(want->output))
        cli_error("run",
                  "--view needs the poses of bodies, and %s cannot hold them: write an "
                  "HDF5 file (-o NAME.h5), or none",
                  want->output);
    else if (want->errors && !want->output)
        cli_error("run", "--errors adds columns to a file: name one with -o");
    else if (want->errors && (want->certify == CLI_CERTIFY_NO || want->realtime.factor > 0))
        cli_error("run", "--errors needs a certificate, which %s has not",
                  want->certify == CLI_CERTIFY_NO ? "a run with --certify=no"
                                                  : "a run in real time");
    else if (want->reach && want->certify != CLI_CERTIFY_UNASKED)
        cli_error("run", "--accuracy has a certificate of its own: leave --certify out");
    else if (want->reach && want->output && strcmp(want->output, "-") == 0)
        cli_error("run", "--accuracy repeats runs: write the results to a file");
    else if (want->reach && want->realtime.factor > 0)
        cli_error("run", "--accuracy repeats runs: not in real time");
    else if (want->reach && gives_tolerance(&want->method))
        cli_error("run", "--accuracy chooses the tolerance: leave --tolerance out");
    else if (want->checkpoint.path &&
             (want->plot || want->errors || want->reach || want->realtime.factor > 0 ||
              want->certify == CLI_CERTIFY_YES || want->certify == CLI_CERTIFY_SHORT))
        cli_error("run", "--checkpoint does not go together with --plot, --errors, --accuracy, "
                         "--certify and --realtime");
    else if (want->checkpoint.path && want->output && strcmp(want->output, "-") == 0)
        cli_error("run", "--checkpoint: write the results to a file");
    else if (want->speed != 0.0 && !want->from)
        cli_error("run", "--speed belongs to --from: it moves along a curve of the map");
    else if (!want->wants_view && (want->page.title || want->page.notes || want->page.live))
        cli_error("run", "--title, --notes and --live belong to --view");
    else if (!want->wants_view && !want->plot && want->page.plots.count)
        cli_error("run", "--plot-xy belongs to --plot or --view");
    else
        return 0;
    return cli_usage(&cli_command_run);
}

/* ---- the start ------------------------------------------------------------------------------ */

int cli_job_is_paced(const cli_job* j)
{
    return j->want.realtime.factor > 0;
}

static int create(cli_job* j)
{
    const int refused =
        cli_start_create(j->file.model, &j->report.options, &j->simulation, &j->failure);
    if (refused) cli_error("run", "%s: %s", j->file.path, j->failure);
    if (refused == CLI_MODEL) j->report.status = "invalid";
    return refused;
}

/// The automatic method with the first tolerance of a search. 0, or CLI_USAGE after a message.
static int aim(cli_job* j)
{
    if (!j->want.reach) return 0;
    j->report.accuracy = cli_accuracy_begin(j->want.accuracy);
    char* tolerance = cli_format("%.17g", j->report.accuracy.tolerance);
    const int refused = cli_method_set(&j->want.method, "run", "tolerance", tolerance);
    free(tolerance);
    return refused;
}

/// Only there do errors follow the tolerance.
static int check_aim(const cli_job* j)
{
    if (!j->want.reach || strcmp(j->report.options.formulation, "auto") == 0) return 0;
    cli_error("run", "--accuracy needs the automatic method: leave the choice of another one out");
    return CLI_USAGE;
}

static int set_up(cli_job* j, const char* name)
{
    j->report.status = "invalid";
    j->report.model = name;
    int refused = cli_model_open(name, "run", &j->want.settings, &j->file);
    j->report.options = j->file.method;
    if (refused) {
        if (j->file.complaints) j->failure = cli_format("%s", j->file.complaints);
        return refused;
    }
    j->report.model = sar_model_name(j->file.model);
    cli_model_warnings(&j->file, &j->report.warnings);
    refused = cli_functions_apply(&j->want.inputs, j->file.model);
    if (refused) return refused;
    if (j->want.from)
        refused =
            cli_place_go("run", j->file.path, j->file.model, j->want.from, j->want.speed, &j->map);
    if (refused) return refused;
    j->report.status = "failed";
    sar_options* options = &j->report.options;
    j->want.method.fixed_step = cli_job_is_paced(j);
    refused = aim(j);
    if (!refused) refused = cli_method_apply(&j->want.method, "run", options, &j->report.warnings);
    if (!refused) refused = check_aim(j);
    if (!refused && strcmp(options->formulation, "auto") == 0) j->report.preset = CLI_AUTOMATIC;
    if (!refused && cli_job_is_paced(j))
        refused = cli_realtime_choose(&j->want.realtime, options, &j->report.warnings);
    if (!refused)
        refused = cli_method_choose("run", j->file.path, j->file.model, options, j->report.reason,
                                    sizeof j->report.reason);
    if (refused) return refused;
    return create(j);
}

static int put_together(cli_job* j)
{
    const int refused = cli_start_assemble(j->simulation, &j->assembly, &j->failure);
    j->report.assembly = &j->assembly;
    if (refused) cli_error("run", "%s: %s", j->report.model, j->failure);
    if (refused != CLI_ASSEMBLY) return refused;
    j->report.status = "cannot assemble";
    cli_print_assembly(stderr, j->file.model, &j->assembly);
    cli_hint("'sarrus check' says more about the model.");
    return CLI_ASSEMBLY;
}

/// What is wrong with the names of files before anything is computed. 0, or the exit code after a
/// message.
static int check_files(const cli_request* want, const sar_model* model)
{
    int refused = want->plot ? cli_picture_check(model, &want->page.plots) : 0;
    if (refused) return refused;
    if (want->output && strcmp(want->output, "-") != 0)
        refused = cli_inputs_refuse("run", want->output, cli_endings_of_result);
    if (!refused) refused = cli_inputs_refuse("run", want->plot, cli_endings_of_file);
    if (!refused && want->plot) refused = cli_gnuplot_check(want->plot);
    return refused;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/// Once more with a smaller tolerance?
static int repeats(cli_job* j, int verdict)
{
    cli_accuracy* goal = &j->report.accuracy;
    if (verdict != CLI_DONE || goal->wanted == 0.0) return 0;
    if (!cli_accuracy_again(goal, cli_reference_run_certificate(j->report.reference))) return 0;
    if (!j->want.quiet && !j->want.json)
        cli_hint("The estimate is %.1e: again, with tolerance %.1e.",
                 cli_reference_run_certificate(j->report.reference)->largest, goal->tolerance);
    cli_reference_run_end(j->reference);
    cli_record_clear(&j->record);
    cli_words_clear(&j->report.pass_nodes);
    sar_simulation_destroy(j->simulation);
    j->report.reference = j->reference = NULL;
    j->simulation = NULL;
    j->report.timing = (cli_timing){0};
    j->report.options.tolerance = goal->tolerance;
    return 1;
}

/// A chart that was asked for, though it takes its time.
static void warn_of_long_charts(cli_job* j)
{
    enum { MANY = 40 }; // degrees of freedom
    const sar_options* o = &j->report.options;
    if (strcmp(o->formulation, "chart") != 0 || *j->report.reason) return;
    if (j->want.quiet || j->want.json) return;
    const sar_rank rank = sar_simulation_rank(j->simulation);
    if (rank.dof < MANY) return;
    cli_hint("A chart of %d coordinates with %d degrees of freedom takes long; --formulation auto "
             "chooses another one, which is more than a hundred times faster for long chains.",
             rank.coordinates, rank.dof);
}

/// From the assembly to the last step. An exit code after a message, with *ran 0: before the first.
static int go(cli_job* j, int* ran)
{
    int outcome;
    do {
        *ran = 0;
        outcome = j->simulation ? 0 : create(j);
        if (outcome == 0) outcome = put_together(j);
        if (outcome == 0) outcome = cli_job_open_output(j);
        if (outcome != 0) return outcome;
        warn_of_long_charts(j);
        *ran = 1;
        outcome = cli_job_steps(j);
    } while (repeats(j, outcome));
    return outcome;
}

static int carry_out(cli_job* j, const char* name)
{
    int ran = 0;
    int outcome = set_up(j, name);
    if (outcome == 0) outcome = cli_job_prepare_view(&j->want, j->report.model, j->file.model);
    if (outcome == 0) outcome = check_files(&j->want, j->file.model);
    if (outcome == 0) outcome = go(j, &ran);
    if (!ran) {
        j->report.failure = j->failure;
        if (j->want.json && outcome != CLI_USAGE) cli_report_json(&j->report, stdout);
        return outcome;
    }
    cli_job_collect(j, outcome);
    outcome = cli_job_finish(j, outcome);
    if (j->want.wants_view) outcome = cli_job_write_view(&j->want, j->report.model, outcome);
    cli_job_say_failure(j, outcome);
    if (j->want.json)
        cli_report_json(&j->report, stdout);
    else if (!j->want.quiet)
        cli_report_print(&j->report, j->record.to.stream ? stderr : stdout);
    if (outcome == CLI_DONE && j->want.quiet && j->report.reference)
        cli_reference_run_warn(j->report.reference, j->report.model);
    if (outcome == CLI_DONE && j->want.realtime.missed > 0) outcome = CLI_LATE;
    if (outcome == CLI_DONE && j->report.doubtful) outcome = CLI_DOUBTFUL;
    return outcome;
}

static int run_main(int argc, char** argv)
{
    cli_job* j = cli_allocate(1, sizeof *j);
    j->began = cli_clock();
    j->want.command_line = cli_quote_command(argc, argv);
    int operands = 0;
    int outcome = cli_parse(&cli_command_run, argc, argv, take_option, &j->want, &operands);
    if (outcome == CLI_GO_ON) {
        outcome = check_request(&j->want, operands);
        if (outcome == 0) outcome = cli_checkpoint_check(&j->want.checkpoint);
        if (outcome == 0) {
            j->report.preset = j->want.method.preset;
            outcome = carry_out(j, argv[1]);
        }
    }
    sar_map_destroy(j->map);
    cli_words_clear(&j->report.pass_nodes);
    cli_reference_run_end(j->reference);
    cli_record_clear(&j->record);
    sar_simulation_destroy(j->simulation);
    cli_model_close(&j->file);
    cli_words_clear(&j->report.warnings);
    free(j->report.accounts);
    cli_unique_end(&j->unique);
    cli_words_clear(&j->report.not_unique);
    cli_words_clear(&j->report.not_unique_outputs);
    cli_method_clear(&j->want.method);
    cli_settings_clear(&j->want.settings);
    cli_words_clear(&j->want.inputs);
    if (j->want.unnamed) unlink(j->want.unnamed);
    cli_words_clear(&j->want.page.plots);
    cli_words_clear(&j->want.page.options);
    free(j->want.unnamed);
    free(j->want.view);
    free(j->want.command_line);
    free(j->failure);
    free(j);
    return outcome;
}

static const cli_option run_options[] = {
    {"output", 'o', "FILE",
     "write the results: .h5 (HDF5) or .csv by the file extension, '-' for CSV on standard output "
     "(default: no file)"},
    {"all", 0, NULL,
     "also store poses and velocities of the bodies, reactions of the joints, energies and "
     "violations (HDF5)"},
    {"from", 0, "NAME",
     "start at a place of the model's map: A2 or A2@0.25 on a curve, S1 or S1/2 in a singular "
     "configuration, on its second motion, M1 in an assembly mode ('sarrus map')"},
    {"speed", 0, "V",
     "with --from: the fastest body has this speed along the curve, in radians or sizes of the "
     "model a second; negative: backwards (default 0)"},
    {"checkpoint", 0, "FILE",
     "keep the state of the run in this file, from time to time and when it is interrupted; "
     "removed at the end"},
    {"every", 0, "TIME", "time between checkpoints: 60s (default), 5min, 1h"},
    {"resume", 0, NULL,
     "go on from the checkpoint, if it is there: the results are those of a run without a break"},
    {"input", 0, "NAME=FUNCTION",
     "an input of the model as an expression of t, or as a FILE.csv over time with a column of its "
     "name (or FILE.csv:COLUMN), linear between rows; with ',hold' behind it each value up to the "
     "next row, with ',cubic' a spline; may be repeated"},
    {"plot", 0, "FILE",
     "the mechanism, and its outputs and the energy drift over time: .svg, .png or .pdf by the "
     "file extension (needs gnuplot)"},
    {"view", 0, "[=FILE]",
     "a page with the motion, curves and verdict, for any browser; default NAME.html. Stores "
     "everything, as --all"},
    {"title", 0, "TEXT", "of that page"},
    {"notes", 0, "TEXT", "of that page: a paragraph above the summary"},
    {"plot-xy", 0, "X:Y,...", "curves of --plot and of that page: the output Y over X"},
    {"live", 0, NULL, "that page has the solver inside: see 'sarrus help view'"},
    {"realtime", 0, "[=FACTOR]",
     "run in real time (FACTOR times as fast; default 1) and report missed deadlines. Rows are "
     "written at the end; the defaults of iterations and monitor are then fixed:3 and 0"},
    {"certify", 0, "[=ACCURACY]",
     "estimate the errors of all outputs by a second run with other equations or smaller steps, "
     "and report from when on they exceed ACCURACY (default 0.01) of an output's range; 'no': do "
     "not; 'short' (default): only if the run takes less than about a second, and not in real "
     "time; 'start': also report which parameter or start condition the end depends on most"},
    {"accuracy", 0, "A",
     "repeat the run with the automatic method until its errors are below A of the outputs' "
     "ranges, or say that double precision cannot"},
    {"errors", 0, NULL,
     "store the estimates with the outputs, as columns NAME.error; as --certify. Rows are written "
     "at the end"},
    {"rates", 0, NULL,
     "store the rates of outputs in a CSV too, as columns NAME.rate, so that values between rows "
     "are as good as the rows; HDF5 files always have them"},
    {"quiet", 'q', NULL, "no progress and no summary, only errors"},
    {0}};

static const cli_brief run_brief[] = {{"output", "write the results, HDF5 or CSV by the ending"},
                                      {"end", "time at the end (default 10 s)"},
                                      {"tolerance", "of the automatic method (default 1e-6)"},
                                      {"step", "fixed steps of this size, by al3"},
                                      {"preset", "a named method of the literature"},
                                      {"all", "store poses, velocities, reactions, energies too"},
                                      {"view", "a page with the motion and curves"},
                                      {"certify", "estimate errors by a second run, or 'no'"},
                                      {"quiet", "no progress and no report, only errors"},
                                      {0}};

const cli_command cli_command_run = {
    .name = "run",
    .summary = "simulate a model and report what happened",
    .operands = "MODEL [options]",
    .examples = "# a problem that comes with Sarrus: report only, no file\n"
                "sarrus run slider-crank-1\n"
                "# your own model, more accurate, results for Python, MATLAB or Octave\n"
                "sarrus run robot.yaml --tolerance 1e-8 --end 5 -o robot.h5",
    .gist = "MODEL is a model file (YAML or JSON) or one of the names below. Without a method the "
            "run is automatic. Exit code 0: completed; 6: completed, but do not trust it.",
    .brief = run_brief,
    .text =
        "MODEL is a model file (YAML or JSON; .yaml, .yml and .json may be left out), '-' for "
        "standard input, a folder with a model.yaml, or the name of a problem or an example: "
        "problems/NAME/model.yaml or examples/models/NAME.yaml in the working directory, beside "
        "the program's folder, or where Sarrus is installed.\n"
        "\n"
        "More examples: 'sarrus run n-four-bar --set n=10 --step 2e-3 -o run.csv --plot "
        "run.svg' has another value of a parameter, another step, and a plot; 'sarrus run "
        "four-bar --realtime --step 1e-3 --iterations fixed:2' takes 1000 steps per second in "
        "real time, with the same work in every step.\n"
        "\n"
        "Without a method the run is automatic: --tolerance says how accurate it shall be, "
        "and nothing else has to be chosen. --tolerance alone asks for this whatever the "
        "model's 'method:' section says. Otherwise the method comes from that section; options "
        "given here override it. An option that the chosen method does not have is an error.\n"
        "\n"
        "Ctrl-C ends the run after the present step and keeps the results; a second Ctrl-C "
        "stops at once. While the run goes on, the file of -o is complete up to about a second "
        "ago and marked as unfinished; leave FILE.part alone. Input files are never "
        "overwritten. Exit codes: 0 completed, 1 the run failed or a file could not be "
        "written, 2 wrong usage, 3 invalid model, 4 the mechanism cannot be assembled, 5 "
        "completed but deadlines of --realtime were missed, 6 completed but a warning or "
        "the certificate says that the motion cannot be trusted (also with --best-effort), 130 "
        "interrupted.",
    .options = run_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET | CLI_TAKES_JSON | CLI_LISTS_MODELS,
    .run = run_main};
