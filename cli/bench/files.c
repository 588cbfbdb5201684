/* The rows of studies for other programs: one JSON object, or a CSV table. */
#include "bench/bench.h"

#include "common/command.h"
#include "common/files/output_file.h"
#include "common/measures.h"

#include "sarrus/base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ----------------------------------------------------------------------------------- */

static void put_trial(cli_json* j, const cli_bench_row* r)
{
    const sar_trial* t = &r->trial;
    cli_json_text(j, "status", t->status == SAR_OK ? "completed" : "failed");
    double values[SAR_MEASURES];
    cli_measures_of(t, values);
    cli_json_measures(j, values, 1, 0);
    cli_json_number(j, "value", t->value);
    cli_json_number(j, "branch_changed", t->branch_changed);
    cli_json_integer(j, "runs", r->runs);
}

/// The columns that the study's table has, by their names.
static void put_columns(cli_json* j, const cli_bench_study* s, const cli_bench_row* r)
{
    cli_json_open(j, "columns", '{');
    for (int k = 0; k < s->head->column_count; k++)
        cli_json_number(j, s->head->columns[k], cli_bench_quantity(s, r, s->head->columns[k]));
    cli_json_close(j);
}

static void put_findings(cli_json* j, const cli_bench_study* s)
{
    int count;
    cli_bench_finding* found = cli_bench_findings(s, &count);
    cli_json_open(j, "statements", '[');
    for (int k = 0; k < count; k++) {
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "text", found[k].statement->text);
        cli_json_text(j, "label", found[k].label);
        cli_json_number(j, "value", found[k].value);
        cli_json_number(j, "published", found[k].statement->published);
        cli_json_text(j, "verdict", cli_bench_holds_text(found[k].verdict));
        cli_json_close(j);
    }
    cli_json_close(j);
    free(found);
    cli_cost c;
    if (!cli_bench_cost(s, &c)) return;
    cli_json_open(j, "cost", '{');
    cli_json_text(j, "label", s->head->fit);
    cli_json_number(j, "fixed_us", c.fixed);
    cli_json_number(j, "alone_us", c.threaded ? c.alone : NAN);
    cli_json_number(j, "shared_us", c.shared);
    cli_json_number(j, "meet_us", c.threaded ? c.meet : NAN);
    cli_json_number(j, "worst", c.worst);
    cli_json_close(j);
}

static void put_row(cli_json* j, const cli_bench_study* s, const cli_bench_row* r)
{
    const sar_study_row* row = r->row;
    cli_json_open(j, NULL, '{');
    cli_json_integer(j, "row", r->number);
    cli_json_text(j, "label", row->label);
    cli_json_text(j, "problem", row->problem);
    cli_json_text(j, "source", row->source);
    cli_json_text(j, "table", row->table);
    cli_json_text(j, "verdict", sar_verdict_text(r->verdict));
    cli_json_text(j, "reason", r->reason);
    cli_json_open(j, "method", '{');
    for (int k = 0; k < row->option_count; k++)
        cli_json_text(j, row->options[k].name, row->options[k].value);
    cli_json_close(j);
    cli_json_open(j, "parameters", '{');
    for (int k = 0; k < row->parameter_count; k++)
        cli_json_text(j, row->parameters[k].name, row->parameters[k].value);
    cli_json_close(j);
    cli_json_open(j, "limits", '{');
    cli_json_number(j, "max_energy_drift", row->energy_limit);
    cli_json_number(j, "total_error", row->error_limit);
    cli_json_number(j, "seconds", row->time_limit);
    cli_json_close(j);
    cli_json_open(j, "published", '{');
    cli_json_text(j, "status", row->published.failed ? "failed" : "completed");
    cli_json_text(j, "failure", row->published.failure);
    cli_json_number(j, "energy_drift", row->published.energy_drift);
    cli_json_number(j, "value", row->published.value);
    cli_json_number(j, "total_error", row->published.error);
    cli_json_number(j, "seconds", row->published.seconds);
    cli_json_number(j, "per_step_us", row->published.step_us);
    cli_json_close(j);
    cli_json_open(j, "ours", '{');
    if (r->measured) put_trial(j, r);
    cli_json_close(j);
    cli_json_number(j, "times_faster", cli_bench_ratio(r));
    put_columns(j, s, r);
    cli_json_text(j, "choice", row->choice);
    cli_json_text(j, "remark", row->remark);
    cli_json_close(j);
}

void cli_bench_json(const cli_bench* bench, FILE* out)
{
    cli_json j = cli_json_begin(out);
    char* machine = cli_processor();
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "sarrus.bench/1");
    cli_json_text(&j, "version", SAR_VERSION);
    cli_json_text(&j, "machine", machine);
    cli_json_open(&j, "studies", '[');
    for (int k = 0; k < bench->count; k++) {
        const cli_bench_study* s = &bench->studies[k];
        cli_json_open(&j, NULL, '{');
        cli_json_text(&j, "name", s->head->name);
        cli_json_text(&j, "title", s->head->title);
        cli_json_text(&j, "source", s->head->source);
        cli_json_open(&j, "rows", '[');
        for (int i = 0; i < s->count; i++)
            if (s->rows[i].wanted) put_row(&j, s, &s->rows[i]);
        cli_json_close(&j);
        put_findings(&j, s);
        cli_json_close(&j);
    }
    cli_json_close(&j);
    cli_json_close(&j);
    free(machine);
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static const char* const quantities[] = {
    "n",       "threads", "step_iterations", "wall_us",         "newton_us", "projection_us",
    "body_us", "speedup", "efficiency",      "published_drift", "off"};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

/// What was asked for and published, beside what was measured.
static const char* const given[] = {
    "energy_limit",      "published_energy_drift", "error_limit", "published_total_error",
    "published_seconds", "published_per_step_us",  "times_faster"};
enum { GIVEN = sizeof given / sizeof *given };

static void put_text(FILE* out, const char* text)
{
    fputs(",\"", out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_number(FILE* out, double value)
{
    if (isnan(value))
        fputc(',', out);
    else
        fprintf(out, ",%.9g", value);
}

static void put_csv_row(FILE* out, const cli_bench_study* s, const cli_bench_row* r)
{
    const sar_study_row* row = r->row;
    char* method = cli_bench_method(row);
    fprintf(out, "%s,%d", s->head->name, r->number);
    put_text(out, row->problem);
    put_text(out, row->source);
    put_text(out, row->table);
    put_text(out, row->label);
    put_text(out, method);
    put_text(out, sar_verdict_text(r->verdict));
    put_text(out, r->reason);
    const double other[GIVEN] = {row->energy_limit,      fabs(row->published.energy_drift),
                                 row->error_limit,       row->published.error,
                                 row->published.seconds, row->published.step_us,
                                 cli_bench_ratio(r)};
    for (int k = 0; k < GIVEN; k++) put_number(out, other[k]);
    for (int m = 0; m < SAR_MEASURES; m++)
        put_number(out, r->measured ? sar_measure_get(m, &r->trial) : NAN);
    for (int k = 0; k < QUANTITIES; k++) put_number(out, cli_bench_quantity(s, r, quantities[k]));
    put_number(out, cli_bench_quantity(s, r, "value"));
    put_number(out, row->published.value);
    fputc('\n', out);
    free(method);
}

/// Statements are rows too: s1, s2, ..., with their text as the label.
static void put_csv_findings(FILE* out, const cli_bench_study* s)
{
    int count;
    cli_bench_finding* found = cli_bench_findings(s, &count);
    for (int k = 0; k < count; k++) {
        fprintf(out, "%s,s%d,", s->head->name, k + 1);
        put_text(out, s->head->source);
        fputc(',', out);
        put_text(out, found[k].statement->text);
        put_text(out, found[k].label);
        put_text(out, cli_bench_holds_text(found[k].verdict));
        for (int j = 0; j <= GIVEN + SAR_MEASURES + QUANTITIES; j++) fputc(',', out);
        put_number(out, found[k].value);
        put_number(out, found[k].statement->published);
        fputc('\n', out);
    }
    free(found);
}

int cli_bench_csv(const cli_bench* bench, const char* path)
{
    cli_output_file file;
    if (cli_output_begin(&file, "bench", path)) return CLI_FAILED;
    FILE* out = file.to;
    fputs("study,row,problem,source,table,label,method,verdict,reason", out);
    for (int k = 0; k < GIVEN; k++) fprintf(out, ",%s", given[k]);
    for (int m = 0; m < SAR_MEASURES; m++) fprintf(out, ",%s", sar_measure_at(m).name);
    for (int k = 0; k < QUANTITIES; k++) fprintf(out, ",%s", quantities[k]);
    fputs(",value,published_value\n", out);
    for (int k = 0; k < bench->count; k++) {
        const cli_bench_study* s = &bench->studies[k];
        for (int j = 0; j < s->count; j++)
            if (s->rows[j].wanted) put_csv_row(out, s, &s->rows[j]);
        put_csv_findings(out, s);
    }
    return cli_output_end(&file, "bench", path);
}
