/* After the steps of a run: its report, what the file says about itself, the plot. */
#include "run/job.h"

#include "common/command.h"
#include "common/options.h"
#include "run/picture.h"

#include <stdlib.h>
#include <string.h>

/* The last look, and the names of what is not unique. */
static void find_not_unique(cli_job* j)
{
    cli_report* r = &j->report;
    const sar_model* model = j->file.model;
    cli_words_clear(&r->not_unique);
    cli_words_clear(&r->not_unique_outputs);
    cli_unique_sample(&j->unique, j->simulation);
    r->split = j->unique.split;
    for (int k = 0; k < sar_model_joints(model); k++)
        if (j->unique.joint[k]) cli_words_add(&r->not_unique, "%s", sar_model_joint_name(model, k));
    for (int k = 0; k < sar_model_outputs(model); k++)
        if (j->unique.output[k])
            cli_words_add(&r->not_unique_outputs, "%s", sar_model_output_name(model, k));
}

static void write_not_unique(cli_job* j)
{
    const cli_report* r = &j->report;
    const cli_words* const lists[] = {&r->not_unique, &r->not_unique_outputs};
    const char* const names[] = {"not_unique_reactions", "not_unique_outputs"};
    for (int k = 0; k < 2; k++) {
        char* text = cli_words_join(lists[k], ", ");
        if (lists[k]->count) cli_rows_attribute(&j->record.to, names[k], text);
        free(text);
    }
}

void cli_job_collect(cli_job* j, int outcome)
{
    cli_report* r = &j->report;
    r->status = outcome == CLI_DONE          ? "completed"
                : outcome == CLI_INTERRUPTED ? "interrupted"
                                             : "failed";
    r->has_run = 1;
    r->failure = j->failure;
    r->statistics = sar_simulation_statistics(j->simulation);
    r->rank = sar_simulation_rank(j->simulation);
    find_not_unique(j);
    r->account_count = sar_simulation_accounts(j->simulation, NULL, 0);
    free(r->accounts);
    r->accounts = cli_allocate((size_t)r->account_count, sizeof *r->accounts);
    sar_simulation_accounts(j->simulation, r->accounts, r->account_count);
    r->pass_count = sar_simulation_singular_passes(j->simulation, &r->passes);
    r->branch_count = sar_simulation_branch_changes(j->simulation, &r->branches);
    if (sar_model_phases(j->file.model) > 0) r->phased = j->file.model;
    r->switch_count = sar_simulation_switches(j->simulation, &r->switches);
    r->note_count = sar_simulation_notes(j->simulation, r->note, CLI_NOTES);
    r->impact_count = sar_simulation_impacts(j->simulation, &r->impacts, &r->impact_total);
    if (r->impact_count) r->model_of_impacts = j->file.model;
    r->reached = sar_simulation_time(j->simulation);
    r->rows = j->record.rows;
    r->output = j->want.unnamed ? NULL : j->want.output;
    cli_job_warn(j, outcome);
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

static void write_certificate(cli_job* j)
{
    const sar_certificate* c = cli_reference_run_certificate(j->report.reference);
    if (!c) return;
    char *until = cli_format("%.17g", c->trusted), *largest = cli_format("%.17g", c->largest);
    cli_rows_attribute(&j->record.to, "trusted_until", until);
    cli_rows_attribute(&j->record.to, "estimate", largest);
    free(until);
    free(largest);
}

void cli_job_attributes(cli_job* j)
{
    cli_words keys = {0};
    sar_statistics statistics = sar_simulation_statistics(j->simulation);
    cli_method_cite(&j->want.method, &j->report.options, statistics.solver, &keys);
    char* cite = cli_words_join(&keys, " ");
    char *json = json_text(&j->report), *settings = cli_settings_text(&j->want.settings);
    cli_rows_attribute(&j->record.to, "model", j->report.model);
    cli_rows_attribute(&j->record.to, "model_text", j->file.text);
    cli_rows_attribute(&j->record.to, "model_file", j->file.path);
    cli_rows_attribute(&j->record.to, "settings", settings);
    cli_rows_attribute(&j->record.to, "cite", cite);
    cli_rows_attribute(&j->record.to, "verdict", j->report.status);
    cli_rows_attribute(&j->record.to, "json", json);
    write_certificate(j);
    write_not_unique(j);
    cli_rows_attribute(&j->record.to, "command", j->want.command_line);
    cli_rows_attribute(&j->record.to, "version", SAR_VERSION);
    free(json);
    free(settings);
    free(cite);
    cli_words_clear(&keys);
}

static int draw(cli_job* j, int outcome)
{
    if (!j->want.plot) return outcome;
    j->report.plot = j->want.plot;
    if (cli_picture_run(&j->record, &j->report, &j->want.page.plots, j->want.plot) == 0)
        return outcome;
    j->report.plot = NULL;
    return outcome == CLI_DONE ? CLI_FAILED : outcome;
}

int cli_job_finish(cli_job* j, int outcome)
{
    sar_error error = {0};
    outcome = draw(j, outcome);
    cli_job_attributes(j);
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
static void say_kept(const cli_job* j)
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

void cli_job_say_failure(const cli_job* j, int outcome)
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
