/* sarrus run: simulate a model and report what happened. */
#include "common/inputs.h"
#include "common/interrupt.h"
#include "common/method.h"
#include "common/model_file.h"
#include "common/options.h"
#include "common/progress.h"
#include "pages/page.h"
#include "pictures/gnuplot.h"
#include "run/companion.h"
#include "run/picture.h"
#include "run/realtime.h"
#include "run/record.h"
#include "run/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- the command line ----------------------------------------------------------------------- */

typedef struct request {
    cli_method method;
    cli_settings settings;
    const char* output;
    const char* plot;
    char* view;    ///< a page; NULL: none
    cli_page page; ///< what it says
    char* unnamed; ///< a result for the page alone
    int wants_view;
    int all, json, quiet;
    int errors;      ///< columns of them
    int certify;     ///< CLI_CERTIFY_...
    double accuracy; ///< of the certificate; 0: the usual
    cli_realtime realtime;
    char* command_line;
} request;

/// "yes", "no", or an accuracy. 0, or CLI_USAGE after a message.
static int set_certify(request* want, const char* value)
{
    want->certify = CLI_CERTIFY_YES;
    if (!value || strcmp(value, "yes") == 0) return 0;
    if (strcmp(value, "no") == 0 || strcmp(value, "short") == 0) {
        want->certify = *value == 'n' ? CLI_CERTIFY_NO : CLI_CERTIFY_SHORT;
        return 0;
    }
    char* end;
    want->accuracy = strtod(value, &end);
    if (end != value && !*end && want->accuracy > 0.0 && want->accuracy < 1.0) return 0;
    cli_error("run", "--certify=%s: expected yes, no, short, or an accuracy between 0 and 1",
              value);
    return CLI_USAGE;
}

static int take_option(void* context, const char* name, const char* value)
{
    request* want = context;
    if (cli_method_knows(name)) return cli_method_set(&want->method, "run", name, value);
    if (strcmp(name, "set") == 0) return cli_settings_add(&want->settings, "run", value);
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
    if (strcmp(name, "realtime") == 0) return cli_realtime_set(&want->realtime, value);
    if (strcmp(name, "certify") == 0) return set_certify(want, value);
    if (strcmp(name, "errors") == 0) want->errors = 1;
    if (strcmp(name, "json") == 0) want->json = 1;
    if (strcmp(name, "quiet") == 0) want->quiet = 1;
    return 0;
}

static int ends_in_hdf5(const char* path)
{
    const char* ending = strrchr(path, '.');
    return ending && (strcasecmp(ending, ".h5") == 0 || strcasecmp(ending, ".hdf5") == 0);
}

/// 0, or CLI_USAGE after a message.
static int check_request(const request* want, int operands)
{
    if (operands == 0)
        cli_error("run", "which model? Give a file, or the name of a problem");
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
    else if (!want->wants_view && (want->page.title || want->page.notes))
        cli_error("run", "--title and --notes belong to --view");
    else if (!want->wants_view && !want->plot && want->page.plots.count)
        cli_error("run", "--plot-xy belongs to --plot or --view");
    else
        return 0;
    return cli_usage(&cli_command_run);
}

/* ---- the page ------------------------------------------------------------------------------- */

/// The page is made from a result; without -o that is one that nobody sees.
static int prepare_view(request* want, const char* name, const sar_model* model)
{
    if (!want->wants_view) return 0;
    if (!want->view) want->view = cli_format("%s.html", name);
    int refused = cli_page_check(want->view, "run");
    if (!refused) refused = cli_page_admit(model, "run");
    if (refused || want->output) return refused;
    const char* folder = getenv("TMPDIR");
    want->unnamed = cli_format("%s/sarrus-XXXXXX.h5", folder && *folder ? folder : "/tmp");
    int file = mkstemps(want->unnamed, 3);
    if (file < 0) {
        cli_error("run", "cannot write %s: %s", want->unnamed, strerror(errno));
        return CLI_FAILED;
    }
    close(file);
    want->output = want->unnamed;
    return 0;
}

static int write_view(const request* want, const char* model, int outcome)
{
    cli_scene scene = {0};
    int failed = cli_scene_read(&scene, want->output, NULL, &want->settings, "run");
    if (!failed) failed = cli_scene_refuse(&scene, "run");
    if (!failed) failed = cli_scene_draw(&scene, "run");
    scene.label = want->unnamed ? model : NULL;
    if (!failed) failed = cli_page_write(&want->page, want->view, &scene, 1, "run");
    cli_scene_clear(&scene);
    return failed && outcome == CLI_DONE ? failed : outcome;
}

/* ---- the run -------------------------------------------------------------------------------- */

typedef struct job {
    request want;
    cli_model_file file;
    sar_simulation* simulation;
    sar_assembly assembly;
    sar_run run;
    cli_record record;
    cli_report report;
    cli_companion* companion; ///< NULL: none
    char* failure;
    int unwritten; ///< rows could not be written, and that is the failure
    int64_t began;
} job;

/// Does it keep pace with the clock?
static int is_paced(const job* j)
{
    return j->want.realtime.factor > 0;
}

static int set_up(job* j, const char* name)
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
    j->report.status = "failed";
    sar_options* options = &j->report.options;
    j->want.method.fixed_step = is_paced(j);
    refused = cli_method_apply(&j->want.method, "run", options, &j->report.warnings);
    if (!refused && strcmp(options->formulation, "auto") == 0) j->report.preset = CLI_AUTOMATIC;
    if (!refused && is_paced(j))
        refused = cli_realtime_choose(&j->want.realtime, options, &j->report.warnings);
    if (!refused)
        refused = cli_method_choose("run", j->file.path, j->file.model, options, j->report.reason,
                                    sizeof j->report.reason);
    if (refused) return refused;
    sar_error error = {0};
    sar_status status =
        sar_simulation_create(j->file.model, &j->report.options, &j->simulation, &error);
    if (status == SAR_OK) return 0;
    j->failure = cli_format("%s", error.message);
    cli_error("run", "%s: %s", j->file.path, error.message);
    if (status == SAR_E_MODEL) j->report.status = "invalid";
    return status == SAR_E_MODEL ? CLI_MODEL : status == SAR_E_NOMEM ? CLI_FAILED : CLI_USAGE;
}

static int put_together(job* j)
{
    sar_status status = sar_simulation_assemble(j->simulation, &j->assembly);
    j->report.assembly = &j->assembly;
    if (status == SAR_OK) return 0;
    const char* why = sar_simulation_failure(j->simulation);
    j->failure = cli_options_as_typed(why && *why ? why : sar_status_text(status));
    cli_error("run", "%s: %s", j->report.model, j->failure);
    if (status != SAR_E_ASSEMBLY) return CLI_FAILED;
    j->report.status = "cannot assemble";
    cli_print_assembly(stderr, &j->assembly);
    cli_hint("'sarrus check' says more about the model.");
    return CLI_ASSEMBLY;
}

/// What is wrong with the names of files before anything is computed. 0, or the exit code after a
/// message.
static int check_files(const request* want, const sar_model* model)
{
    int refused = want->plot ? cli_picture_check(model, &want->page.plots) : 0;
    if (refused) return refused;
    if (want->output && strcmp(want->output, "-") != 0)
        refused = cli_inputs_refuse("run", want->output, cli_endings_of_result);
    if (!refused) refused = cli_inputs_refuse("run", want->plot, cli_endings_of_file);
    if (!refused && want->plot) refused = cli_gnuplot_check(want->plot);
    return refused;
}

static void write_attributes(job* j);

/// The file says from the beginning what it holds, and that it is not finished.
static sar_status begin_file(job* j, sar_error* error)
{
    const char* before = j->report.status;
    j->report.status = "unfinished";
    j->report.output = j->want.output;
    write_attributes(j);
    j->report.status = before;
    j->report.output = NULL;
    return cli_rows_flush(&j->record.to, error);
}

static int open_output(job* j)
{
    cli_catch_signals();
    sar_error error = {0};
    const char* path = j->want.output;
    sar_sampling sampling = cli_record_sampling(&j->report.options, j->want.all);
    sar_status status =
        cli_record_open(&j->record, j->file.model, j->simulation, path, j->want.all, j->want.errors,
                        j->want.plot != NULL, &sampling, is_paced(j) || j->want.errors, &error);
    if (status == SAR_OK) status = begin_file(j, &error);
    j->run = sar_run_begin(j->simulation, &sampling);
    if (status != SAR_OK) {
        j->failure = cli_format("%s", error.message);
        cli_error("run", "%s", error.message);
        return status == SAR_E_ARG ? CLI_USAGE : CLI_FAILED; // an ending that means nothing
    }
    size_t length = path ? strlen(path) : 0;
    int is_csv = length > 4 && strcmp(path + length - 4, ".csv") == 0;
    if (j->want.all && (!path || is_csv || strcmp(path, "-") == 0))
        cli_words_add(&j->report.warnings, "--all has no effect without an HDF5 file (-o NAME.h5)");
    if (path && sar_model_outputs(j->file.model) == 0 && !(j->want.all && !is_csv))
        cli_words_add(&j->report.warnings, "the model names no outputs: the file holds times only");
    return 0;
}

/// Keep a row; CLI_FAILED after noting why not.
static int store(job* j, double t)
{
    sar_status status = cli_record_store(&j->record, j->simulation, t);
    if (status == SAR_OK) return 0;
    if (j->failure) return CLI_FAILED;
    j->unwritten = status == SAR_E_IO;
    if (j->unwritten)
        j->failure = cli_format("cannot write the results of t = %.9g s to %s", t, j->want.output);
    else
        j->failure =
            cli_format("the outputs at t = %.9g s have no value: %s", t, sar_status_text(status));
    return CLI_FAILED;
}

/// Rows that waited in memory. CLI_FAILED after noting that they cannot be written.
static int write_held(job* j)
{
    if (cli_record_write(&j->record) == SAR_OK) return 0;
    if (!j->failure) {
        j->unwritten = 1;
        j->failure = cli_format("cannot write the results to %s", j->want.output);
    }
    return CLI_FAILED;
}

/// All rows up to the present time.
static int store_due(job* j)
{
    double t;
    int outcome = 0;
    while (outcome == 0 && sar_run_sample(&j->run, &t)) {
        outcome = store(j, t);
        const double* stored = cli_record_stores(&j->record) ? j->record.row + 1 : NULL;
        if (outcome == 0 && j->companion) cli_companion_row(j->companion, t, stored);
    }
    return outcome;
}

/// One step with its time. CLI_FAILED after noting why it was not a good one.
static int step(job* j)
{
    int64_t from = cli_clock();
    int moved = sar_run_step(&j->run);
    cli_timing_add(&j->report.timing, cli_clock() - from);
    if (moved) return 0;
    j->failure = cli_options_as_typed(sar_simulation_failure(j->simulation));
    return CLI_FAILED;
}

/// The clock, if the run is to keep pace with one; else NULL. The start is stored already.
static cli_realtime* begin_pace(job* j)
{
    cli_realtime* pace = &j->want.realtime;
    if (!is_paced(j)) return NULL;
    j->report.realtime = pace;
    if (!j->want.quiet && !j->want.json && cli_is_terminal(stderr))
        cli_hint("In real time, up to t = %g s. Ctrl-C ends it and keeps the results.",
                 j->report.options.end);
    cli_machine_touch(j, sizeof *j);
    cli_realtime_prepare(pace, j->file.model, &j->report.options);
    cli_realtime_begin(pace, sar_simulation_time(j->simulation));
    return pace;
}

/// Another process, for the certificate, if it is asked for.
static void begin_companion(job* j)
{
    const request* want = &j->want;
    const int wanted = want->errors ? CLI_CERTIFY_YES : want->certify;
    if (is_paced(j) || wanted == CLI_CERTIFY_UNASKED || wanted == CLI_CERTIFY_NO) return;
    const cli_companion_def def = {.model = j->file.model,
                                   .simulation = j->simulation,
                                   .options = &j->report.options,
                                   .rows = &j->run.sampling,
                                   .wanted = wanted,
                                   .accuracy = want->accuracy,
                                   .size = j->assembly.size};
    j->companion = cli_companion_begin(&def);
    if (j->companion) cli_companion_step(j->companion, 0, j->run.t);
}

/// The run is at its end: what its companion says, and the columns of errors.
static void hear_companion(job* j)
{
    if (!j->companion) return;
    if (cli_companion_finish(j->companion)) j->report.companion = j->companion;
    cli_record_fill(&j->record, j->companion);
}

/// All steps, until one fails or the user interrupts. The start and the last are stored.
static int run_steps(job* j)
{
    const sar_options* o = &j->report.options;
    int shows = !j->want.quiet && !j->want.json && !is_paced(j);
    cli_progress progress = cli_progress_begin(o->start, o->end, shows);
    begin_companion(j);
    int outcome = store_due(j);
    cli_realtime* pace = outcome == 0 ? begin_pace(j) : NULL;
    while (outcome == 0 && !cli_interrupted && !sar_simulation_done(j->simulation)) {
        if (pace && !cli_realtime_wait(pace)) break;
        outcome = step(j);
        if (outcome) break;
        outcome = store_due(j);
        if (j->companion) cli_companion_step(j->companion, j->run.steps, j->run.t);
        if (pace) cli_realtime_done(pace, j->run.t);
        if (progress.shown) cli_progress_update(&progress, cli_clock(), j->run.t, j->run.steps);
    }
    if (pace) cli_realtime_end(pace, outcome == 0);
    if (j->run.sampling.last != j->run.t && store(j, j->run.t)) outcome = CLI_FAILED;
    if (outcome == 0 && sar_simulation_done(j->simulation)) hear_companion(j);
    if (write_held(j)) outcome = CLI_FAILED;
    cli_progress_end(&progress);
    if (outcome == 0 && !sar_simulation_done(j->simulation)) outcome = CLI_INTERRUPTED;
    return outcome;
}

/* ---- afterwards ----------------------------------------------------------------------------- */

/// What the assembly did to the drawing, if it can be seen.
static void warn_of_start(job* j)
{
    const sar_assembly* a = &j->assembly;
    const double seen = 1e-3;
    if (a->verdict != SAR_ASSEMBLED) return;
    if (a->singular)
        cli_words_add(&j->report.warnings,
                      "the start is a singular position: joint reactions there are not unique, and "
                      "those at t = %g are one choice of many",
                      j->report.options.start);
    if (a->gap > 0.0)
        cli_words_add(&j->report.warnings,
                      "joints contradict each other by %.2g m at %s: within the precision of the "
                      "drawing (--drawing), and closed as far as possible",
                      a->gap, a->conflicts ? a->conflict[0].name : "the start");
    if (a->moved > seen * a->size || a->turned > seen)
        cli_words_add(&j->report.warnings,
                      "the start is not as drawn: %s is moved by %.3g m, bodies are rotated by up "
                      "to %.3g rad, so that joints and start conditions are met",
                      sar_model_body_name(j->file.model, a->moved_body), a->moved, a->turned);
}

/// Singular positions that the drawing has not quite.
static void warn_of_crossings(job* j)
{
    const double gap = sar_simulation_statistics(j->simulation).crossing_gap, seen = 1e-8;
    if (gap > seen * j->assembly.size)
        cli_words_add(&j->report.warnings,
                      "the drawing misses a singular position by %.2g m: within its precision "
                      "(--drawing), and corrected, so that the motion goes through",
                      gap);
}

/// Forces that jumped inside steps.
/// Rows with numbers that are none: the first output, or what the observers met.
static void warn_of_undefined(job* j)
{
    const cli_record* record = &j->record;
    const char* why = j->failure ? "" : sar_simulation_failure(j->simulation);
    if (record->undefined > 0)
        cli_words_add(&j->report.warnings,
                      "output \"%s\" has no finite value at t = %.9g s; there are %ld such row%s",
                      sar_model_output_name(j->file.model, record->undefined_output),
                      record->undefined_at, record->undefined, cli_plural(record->undefined));
    if (record->doubtful > 0)
        cli_words_add(&j->report.warnings, "%ld row%s with quantities without a finite value%s%s",
                      record->doubtful, cli_plural(record->doubtful), *why ? ": " : "", why);
}

static void warn_of_jumps(job* j)
{
    sar_jump jump;
    if (!sar_simulation_jumps(j->simulation, &jump)) return;
    char* times =
        jump.count > 1 ? cli_format(", %ld jumps in all", jump.count) : cli_format("%s", "");
    cli_words_add(
        &j->report.warnings,
        "the force \"%s\" jumps at t = %.6g s%s: steps across a jump lose their order; %s",
        jump.force, jump.t, times,
        jump.of_time ? "list its times under breakpoints"
                     : "smooth it over a small range (tanh, ramp), or use small steps");
    free(times);
}

/// Constraints that were not held, in a run that went on.
static void warn_of_violations(cli_report* r)
{
    const sar_statistics* z = &r->statistics;
    if (z->violated > 0)
        cli_words_add(&r->warnings,
                      "%ld steps violate constraints, by up to %.2g: do not trust this motion; try "
                      "a smaller step, or al3",
                      z->violated, z->violation.position);
}

/// Steps that did not converge.
static void warn_of_kept_steps(cli_report* r)
{
    const sar_statistics* z = &r->statistics;
    const char* why = r->options.best_effort ? "--best-effort" : "near a singular position";
    if (z->not_converged == 0) return;
    if (z->kept_change > 0.05)
        cli_words_add(
            &r->warnings,
            "%ld steps did not converge and were kept (%s); one of them changed the energy by %.0f "
            "%% of the kinetic energy: do not trust the motion from there on; try a smaller step%s",
            z->not_converged, why, 100.0 * z->kept_change,
            strcmp(r->options.formulation, "al3") == 0 ? "" : ", or al3");
    else
        cli_words_add(&r->warnings, "%ld steps did not converge and were kept (%s)",
                      z->not_converged, why);
}

static void collect(job* j, int outcome)
{
    cli_report* r = &j->report;
    r->status = outcome == CLI_DONE          ? "completed"
                : outcome == CLI_INTERRUPTED ? "interrupted"
                                             : "failed";
    r->has_run = 1;
    r->failure = j->failure;
    r->statistics = sar_simulation_statistics(j->simulation);
    r->rank = sar_simulation_rank(j->simulation);
    r->pass_count = sar_simulation_singular_passes(j->simulation, &r->passes);
    r->branch_count = sar_simulation_branch_changes(j->simulation, &r->branches);
    if (sar_model_phases(j->file.model) > 0) r->phased = j->file.model;
    r->switch_count = sar_simulation_switches(j->simulation, &r->switches);
    r->reached = sar_simulation_time(j->simulation);
    r->rows = j->record.rows;
    r->output = j->want.unnamed ? NULL : j->want.output;
    if (j->assembly.verdict == SAR_ASSEMBLY_AS_GIVEN)
        cli_words_add(&r->warnings,
                      "started as given (--assemble 0): the constraints are violated by %.3g there",
                      j->assembly.residual);
    warn_of_start(j);
    double scale = r->statistics.energy_scale;
    const int off = r->statistics.energy_max_drift > SAR_DRIFT_LIMIT * scale;
    const int jumped = r->statistics.kept_change > 0.05;
    r->doubtful = !r->options.best_effort && (off || jumped || r->branch_count > 0);
    r->doubtful |= r->statistics.violated > 0;
    if (outcome != CLI_FAILED && off) // else: its cause
        cli_words_add(
            &r->warnings,
            "the energy balance is off by %.2g J, %.0f %% of the energy in this motion: do not "
            "trust it; try a smaller step",
            r->statistics.energy_max_drift, 100.0 * r->statistics.energy_max_drift / scale);
    warn_of_crossings(j);
    warn_of_jumps(j);
    if (r->statistics.turn > 0.3)
        cli_words_add(
            &r->warnings,
            "a body rotated by %.2g rad in one step: in %s coordinates its spin then has an error "
            "of about %.2g %%; try --coordinates increments or relative, or a smaller step",
            r->statistics.turn, r->options.coordinates,
            100.0 / 6.0 * r->statistics.turn * r->statistics.turn);
    if (r->statistics.filter < 2.0 && (r->options.iterations_fixed || !r->options.rescue))
        cli_words_add(&r->warnings,
                      "alpha is too small for this many bodies in a row: its filter number is "
                      "%.2g, and below 2 the reactions do not converge in the iterations of a "
                      "step; use alpha auto, or at least %.2g",
                      r->statistics.filter, 2.0 * r->statistics.alpha / r->statistics.filter);
    if (r->branch_count > 0)
        cli_words_add(&r->warnings,
                      "the motion left its branch at a singular position %ld time%s; try a "
                      "smaller step, or --alpha inf",
                      r->statistics.branch_changes, cli_plural(r->statistics.branch_changes));
    warn_of_violations(r);
    warn_of_kept_steps(r);
    warn_of_undefined(j);
    if (r->realtime) cli_realtime_warn(r->realtime, &r->warnings);
    if (r->companion && !r->options.best_effort) r->doubtful |= cli_companion_doubts(r->companion);
    r->total = 1e-9 * (double)(cli_clock() - j->began);
}

static char* json_text(const cli_report* report)
{
    char* text = NULL;
    size_t length = 0;
    FILE* memory = open_memstream(&text, &length);
    if (!memory) return cli_format("{}\n");
    cli_report_json(report, memory);
    fclose(memory);
    return text;
}

static void write_attributes(job* j)
{
    cli_words keys = {0};
    sar_statistics statistics = sar_simulation_statistics(j->simulation);
    cli_method_cite(&j->want.method, &j->report.options, statistics.solver, &keys);
    char* cite = cli_format("%s", "");
    for (int k = 0; k < keys.count; k++) {
        char* longer = cli_format("%s%s%s", cite, k ? " " : "", keys.items[k]);
        free(cite);
        cite = longer;
    }
    char *json = json_text(&j->report), *settings = cli_settings_text(&j->want.settings);
    cli_rows_attribute(&j->record.to, "model", j->report.model);
    cli_rows_attribute(&j->record.to, "model_text", j->file.text);
    cli_rows_attribute(&j->record.to, "model_file", j->file.path);
    cli_rows_attribute(&j->record.to, "settings", settings);
    cli_rows_attribute(&j->record.to, "cite", cite);
    cli_rows_attribute(&j->record.to, "verdict", j->report.status);
    cli_rows_attribute(&j->record.to, "json", json);
    cli_rows_attribute(&j->record.to, "command", j->want.command_line);
    cli_rows_attribute(&j->record.to, "version", SAR_VERSION);
    free(json);
    free(settings);
    free(cite);
    cli_words_clear(&keys);
}

static int draw(job* j, int outcome)
{
    if (!j->want.plot) return outcome;
    j->report.plot = j->want.plot;
    if (cli_picture_run(&j->record, &j->report, &j->want.page.plots, j->want.plot) == 0)
        return outcome;
    j->report.plot = NULL;
    return outcome == CLI_DONE ? CLI_FAILED : outcome;
}

/// Close the file, and correct what the report says about it if that fails.
static int finish_output(job* j, int outcome)
{
    sar_error error = {0};
    outcome = draw(j, outcome);
    write_attributes(j);
    sar_status status = cli_rows_close(&j->record.to, &error);
    if (status == SAR_OK) return outcome;
    j->report.incomplete = 1;
    j->report.rows = j->record.to.filed;
    j->report.status = "failed";
    char* both = j->failure && !j->unwritten ? cli_format("%s; %s", j->failure, error.message)
                                             : cli_format("%s", error.message);
    free(j->failure);
    j->report.failure = j->failure = both;
    return CLI_FAILED;
}

/// What is in the file, if not everything is.
static void say_kept(const job* j)
{
    const cli_record* record = &j->record;
    const char* output = j->report.output;
    if (record->to.stream)
        cli_hint("What has reached standard output is not all.");
    else if (record->to.filed > 0)
        cli_hint("%s has the first %ld rows, up to t = %.9g s, and says that it is unfinished.",
                 output, record->to.filed, record->to.filed_t);
    else
        cli_hint("%s has no rows.", output);
}

static void say_failure(const job* j, int outcome)
{
    const cli_report* r = &j->report;
    if (outcome == CLI_FAILED && j->failure) cli_error("run", "%s: %s", r->model, j->failure);
    if (outcome == CLI_INTERRUPTED)
        cli_warning("run", "%s: interrupted at t = %.9g s", r->model, r->reached);
    if (outcome == CLI_DONE || (outcome == CLI_FAILED && !j->failure)) return;
    if (r->incomplete)
        say_kept(j);
    else if (r->output)
        cli_hint("The last good time is %.9g s; everything up to it is in %s.", r->reached,
                 strcmp(r->output, "-") == 0 ? "standard output" : r->output);
    else
        cli_hint("The last good time is %.9g s.", r->reached);
}

static int carry_out(job* j, const char* name)
{
    int outcome = set_up(j, name);
    if (outcome == 0) outcome = prepare_view(&j->want, j->report.model, j->file.model);
    if (outcome == 0) outcome = check_files(&j->want, j->file.model);
    if (outcome == 0) outcome = put_together(j);
    if (outcome == 0) outcome = open_output(j);
    if (outcome != 0) {
        j->report.failure = j->failure;
        if (j->want.json && outcome != CLI_USAGE) cli_report_json(&j->report, stdout);
        return outcome;
    }
    int verdict = run_steps(j);
    collect(j, verdict);
    outcome = finish_output(j, verdict);
    if (j->want.wants_view) outcome = write_view(&j->want, j->report.model, outcome);
    say_failure(j, outcome);
    if (j->want.json)
        cli_report_json(&j->report, stdout);
    else if (!j->want.quiet)
        cli_report_print(&j->report, j->record.to.stream ? stderr : stdout);
    if (outcome == CLI_DONE && j->want.realtime.missed > 0) outcome = CLI_LATE;
    if (outcome == CLI_DONE && j->report.doubtful) outcome = CLI_DOUBTFUL;
    return outcome;
}

static int run_main(int argc, char** argv)
{
    job* j = cli_allocate(1, sizeof *j);
    j->began = cli_clock();
    j->want.command_line = cli_quote_command(argc, argv);
    int operands = 0;
    int outcome = cli_parse(&cli_command_run, argc, argv, take_option, &j->want, &operands);
    if (outcome == CLI_GO_ON) {
        outcome = check_request(&j->want, operands);
        if (outcome == 0) {
            j->report.preset = j->want.method.preset;
            outcome = carry_out(j, argv[1]);
        }
    }
    cli_companion_end(j->companion);
    cli_record_clear(&j->record);
    sar_simulation_destroy(j->simulation);
    cli_model_close(&j->file);
    cli_words_clear(&j->report.warnings);
    cli_method_clear(&j->want.method);
    cli_settings_clear(&j->want.settings);
    if (j->want.unnamed) unlink(j->want.unnamed);
    cli_words_clear(&j->want.page.plots);
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
    {"set", 's', "NAME=VALUE", "set a parameter of the model; may be repeated"},
    {"plot", 0, "FILE",
     "the mechanism, and its outputs and the energy drift over time: .svg, .png or .pdf by the "
     "file "
     "extension (needs gnuplot)"},
    {"view", 0, "[=FILE]",
     "a page with the motion, curves and verdict, for any browser; default NAME.html. Stores "
     "everything, as --all"},
    {"title", 0, "TEXT", "of that page"},
    {"notes", 0, "TEXT", "of that page: a paragraph above the summary"},
    {"plot-xy", 0, "X:Y,...", "curves of --plot and of that page: the output Y over X"},
    {"realtime", 0, "[=FACTOR]",
     "run in real time (FACTOR times as fast; default 1) and report missed deadlines. Rows are "
     "written at the end; the defaults of iterations and monitor are then fixed:3 and 0"},
    {"certify", 0, "[=ACCURACY]",
     "estimate the errors of all outputs by a companion run in another process, and the time until "
     "which they are below ACCURACY (default 0.01) of an output's range; 'short': if the run is "
     "short (iterations times coordinates below 2e6); 'no': do not (default)"},
    {"errors", 0, NULL,
     "store the estimates with the outputs, as columns NAME.error; as --certify. Rows are written "
     "at the end"},
    {"json", 0, NULL, "print one JSON object on standard output and nothing else"},
    {"quiet", 'q', NULL, "no progress and no summary, only errors"},
    {0}};

const cli_command cli_command_run = {
    .name = "run",
    .summary = "simulate a model and report what happened",
    .operands = "MODEL [options]",
    .examples = "# a problem that comes with Sarrus: summary only, no file\n"
                "sarrus run slider-crank-1\n"
                "# your own model, more accurate, results for Python, MATLAB or Octave\n"
                "sarrus run robot.yaml --tolerance 1e-8 --end 5 -o robot.h5\n"
                "# another value of a parameter, a row every 10 ms, and a plot\n"
                "sarrus run n-four-bar --set n=10 --sample 0.01 -o run.csv --plot run.svg\n"
                "# 1000 steps per second in real time, with the same work in every step\n"
                "sarrus run four-bar --realtime --step 1e-3 --iterations fixed:2",
    .text = "MODEL is a model file (YAML or JSON), '-' for standard input, a folder with a "
            "model.yaml, or the name of a problem: problems/NAME/model.yaml in the working "
            "directory, beside the program's folder, or where Sarrus is installed.\n"
            "\n"
            "Without a method the run is automatic: --tolerance says how accurate it shall be, "
            "and nothing else has to be chosen. --tolerance alone asks for this whatever the "
            "model's 'method:' section says. Otherwise the method comes from that section; options "
            "given here override it. An option that the chosen method does not have is an error.\n"
            "\n"
            "Ctrl-C ends the run after the present step and keeps the results; a second Ctrl-C "
            "stops at once. During the run the file of -o has all rows older than a second and is "
            "marked as unfinished; FILE.part beside it is in use. Input files are never "
            "overwritten. Exit codes: 0 completed, 1 the run failed or a file could not be "
            "written, 2 wrong usage, 3 invalid model, 4 the mechanism cannot be assembled, 5 "
            "completed but deadlines of --realtime were missed, 6 completed but a warning or "
            "the certificate says that the motion cannot be trusted, 130 interrupted.",
    .options = run_options,
    .takes = CLI_TAKES_AXES | CLI_TAKES_PARAMETERS,
    .run = run_main};
