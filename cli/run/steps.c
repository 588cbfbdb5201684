/* The steps of a run: rows to the file, the clock, the reference run. */
#include "run/job.h"

#include "common/command.h"
#include "common/interrupt.h"
#include "common/machine.h"
#include "common/options.h"
#include "common/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The file says from the beginning what it holds, and that it is not finished.
static sar_status begin_file(cli_job* j, sar_error* error)
{
    const char* before = j->report.status;
    j->report.status = "unfinished";
    j->report.output = j->want.output;
    cli_job_attributes(j);
    j->report.status = before;
    j->report.output = NULL;
    return cli_rows_flush(&j->record.to, error);
}

int cli_job_open_output(cli_job* j)
{
    cli_catch_signals();
    sar_error error = {0};
    const char* path = j->want.output;
    sar_sampling sampling =
        cli_record_sampling(&j->report.options, j->want.all || j->report.options.energy_ledger);
    const cli_record_def def = {.model = j->file.model,
                                .simulation = j->simulation,
                                .path = path,
                                .all = j->want.all,
                                .errors = j->want.errors,
                                .rates = j->want.rates,
                                .ledger = j->report.options.energy_ledger,
                                .keep = j->want.plot != NULL,
                                .holds = cli_job_is_paced(j) || j->want.errors};
    sar_status status = cli_record_open(&j->record, &def, &sampling, &error);
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
        cli_words_add_once(&j->report.warnings,
                           "--all has no effect without an HDF5 file (-o NAME.h5)");
    if (path && sar_model_outputs(j->file.model) == 0 && !(j->want.all && !is_csv))
        cli_words_add_once(&j->report.warnings,
                           "the model names no outputs: the file holds times only");
    return 0;
}

/// Keep a row; CLI_FAILED after noting why not.
static int store(cli_job* j, double t)
{
    sar_status status = cli_record_store(&j->record, j->simulation, t);
    if (status == SAR_OK) cli_checkpoint_row(&j->want.checkpoint, &j->record);
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
static int write_held(cli_job* j)
{
    if (cli_record_write(&j->record) == SAR_OK) return 0;
    if (!j->failure) {
        j->unwritten = 1;
        j->failure = cli_format("cannot write the results to %s", j->want.output);
    }
    return CLI_FAILED;
}

/// All rows up to the present time.
static int store_due(cli_job* j)
{
    double t;
    int outcome = 0;
    while (outcome == 0 && sar_run_sample(&j->run, &t)) {
        outcome = store(j, t);
        const double* stored = cli_record_stores(&j->record) ? j->record.row + 1 : NULL;
        if (outcome == 0 && j->reference) cli_reference_run_row(j->reference, t, stored);
    }
    return outcome;
}

/// Runs of very many steps say so while they last: where they are, after 1e5 steps that brought less than
/// a hundredth of the run, after twice as many, and so on.
static void note_slowness(cli_job* j)
{
    enum { FIRST = 100000 };
    const sar_options* o = &j->report.options;
    if (j->next_sample == 0) j->next_sample = FIRST, j->looked_at = o->start;
    if (j->run.steps < j->next_sample) return;
    const double done = (j->run.t - o->start) / (o->end - o->start);
    const int elsewhere = strcmp(o->coordinates, "relative") != 0;
    if (j->run.t - j->looked_at < 0.01 * (o->end - o->start) && !j->want.quiet)
        cli_hint("%ld steps so far, t = %.6g of %.6g s: the last one was %.2g s long; %.1g more at "
                 "this pace%s",
                 j->run.steps, j->run.t, o->end, sar_simulation_statistics(j->simulation).step,
                 (double)j->run.steps * (1.0 / done - 1.0),
                 elsewhere ? ". Bodies that spin fast take few steps with --coordinates relative"
                           : "");
    j->looked_at = j->run.t;
    j->next_sample *= 2;
}

/// Passages since the last step have the names of nodes of the map: at their time, or where the integrator does not interpolate
/// at the end of the step.
static void name_passages(cli_job* j)
{
    const sar_event* passes;
    cli_words* names = &j->report.pass_nodes;
    const int count = sar_simulation_singular_passes(j->simulation, &passes);
    while (names->count < count) {
        sar_simulation_look(j->simulation, passes[names->count].t);
        const char* node = cli_place_node(j->map, j->file.model, j->simulation, j->assembly.size);
        cli_words_add(names, "%s", node ? node : "");
        sar_simulation_look(j->simulation, INFINITY);
    }
}

/// One step with its time. CLI_FAILED after noting why it was not a good one.
static int step(cli_job* j)
{
    int64_t from = cli_clock();
    int moved = sar_run_step(&j->run);
    cli_timing_add(&j->report.timing, cli_clock() - from);
    if (moved) note_slowness(j);
    if (moved && j->map) name_passages(j);
    if (moved) return 0;
    j->failure = cli_options_as_typed(sar_simulation_failure(j->simulation));
    return CLI_FAILED;
}

/// The clock, if the run is to keep pace with one; else NULL. The start is stored already.
static cli_realtime* begin_pace(cli_job* j)
{
    cli_realtime* pace = &j->want.realtime;
    if (!cli_job_is_paced(j)) return NULL;
    j->report.realtime = pace;
    if (!j->want.quiet && !j->want.json && cli_is_terminal(stderr))
        cli_hint("In real time, up to t = %g s. Ctrl-C ends it and keeps the results.",
                 j->report.options.end);
    cli_machine_touch(j, sizeof *j);
    cli_realtime_prepare(pace, j->file.model, &j->report.options);
    cli_realtime_begin(pace, sar_simulation_time(j->simulation));
    return pace;
}

/// CLI_CERTIFY_... of this run. Unasked: not where every step counts.
static int certifies(const cli_job* j)
{
    const cli_request* want = &j->want;
    const char* usual = getenv("SARRUS_CERTIFY");
    if (cli_job_is_paced(j) || want->checkpoint.path) return CLI_CERTIFY_NO;
    if (want->errors || want->reach) return CLI_CERTIFY_YES;
    if (want->certify != CLI_CERTIFY_UNASKED) return want->certify;
    if (usual && strcmp(usual, "no") == 0) return CLI_CERTIFY_NO;
    return usual && strcmp(usual, "yes") == 0 ? CLI_CERTIFY_YES : CLI_CERTIFY_SHORT;
}

/// Another process, for the certificate.
static void begin_reference(cli_job* j)
{
    const cli_request* want = &j->want;
    const int wanted = certifies(j);
    if (wanted == CLI_CERTIFY_NO) return;
    const cli_reference_run_def def = {.model = j->file.model,
                                       .simulation = j->simulation,
                                       .options = &j->report.options,
                                       .rows =
                                           cli_record_stores(&j->record) ? &j->run.sampling : NULL,
                                       .wanted = wanted,
                                       .accuracy = want->accuracy,
                                       .size = j->assembly.size};
    j->reference = cli_reference_run_begin(&def);
    if (j->reference) cli_reference_run_step(j->reference, 0, j->run.t);
}

/// The run is at its end: what its reference run says, and the columns of errors.
static void hear_reference(cli_job* j)
{
    if (!j->reference) return;
    if (cli_reference_run_finish(j->reference))
        j->report.reference = j->reference;
    else
        j->report.uncertified = cli_reference_run_silence(j->reference);
    cli_record_fill(&j->record, j->reference);
}

int cli_job_steps(cli_job* j)
{
    const sar_options* o = &j->report.options;
    int shows = !j->want.quiet && !j->want.json && !cli_job_is_paced(j);
    cli_progress progress = cli_progress_begin(o->start, o->end, shows);
    cli_checkpoint* checkpoint = &j->want.checkpoint;
    cli_unique_begin(&j->unique, j->file.model);
    int outcome = cli_checkpoint_begin(checkpoint, &j->run, &j->record);
    if (outcome) return outcome;
    begin_reference(j);
    outcome = store_due(j);
    cli_realtime* pace = outcome == 0 ? begin_pace(j) : NULL;
    while (outcome == 0 && !cli_interrupted && !sar_simulation_done(j->simulation)) {
        if (pace && !cli_realtime_wait(pace)) break;
        outcome = step(j);
        if (outcome) break;
        outcome = store_due(j);
        if (j->reference) cli_reference_run_step(j->reference, j->run.steps, j->run.t);
        if (pace)
            cli_realtime_done(pace, j->run.t);
        else
            cli_unique_step(&j->unique, j->simulation, j->run.steps);
        if (!outcome) outcome = cli_checkpoint_step(&j->want.checkpoint, &j->run, &j->record, 0);
        if (progress.shown) cli_progress_update(&progress, cli_clock(), j->run.t, j->run.steps);
    }
    if (pace) cli_realtime_end(pace, outcome == 0);
    if (cli_interrupted && outcome == 0 && !sar_simulation_done(j->simulation))
        outcome = cli_checkpoint_step(checkpoint, &j->run, &j->record, 1);
    cli_checkpoint_end(checkpoint, outcome == 0 && sar_simulation_done(j->simulation));
    if (j->run.sampling.last != j->run.t && store(j, j->run.t)) outcome = CLI_FAILED;
    if (outcome == 0 && sar_simulation_done(j->simulation)) hear_reference(j);
    if (write_held(j)) outcome = CLI_FAILED;
    cli_progress_end(&progress);
    if (outcome == 0 && !sar_simulation_done(j->simulation)) outcome = CLI_INTERRUPTED;
    return outcome;
}
