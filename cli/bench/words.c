/* Texts that table, files and report share: numbers, parameters, notes, sums. */
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- measures ------------------------------------------------------------------------------- */

cli_bench_measure cli_bench_judged_by(const cli_bench_study* study)
{
    int energy = 0;
    for (int k = 0; k < study->count; k++) {
        const sar_study_row* row = study->rows[k].row;
        if (!isnan(row->error_limit)) return CLI_BENCH_ERROR;
        energy |= !isnan(row->energy_limit) || !isnan(row->published.energy_drift);
    }
    return energy ? CLI_BENCH_ENERGY : CLI_BENCH_ERROR;
}

double cli_bench_limit(const cli_bench_row* row, cli_bench_measure measure)
{
    return measure == CLI_BENCH_ENERGY ? row->row->energy_limit : row->row->error_limit;
}

double cli_bench_value(const cli_bench_row* row, cli_bench_measure measure)
{
    if (!row->measured) return NAN;
    return measure == CLI_BENCH_ERROR ? row->trial.error : row->trial.statistics.energy_max_drift;
}

double cli_bench_published(const cli_bench_row* row, cli_bench_measure measure)
{
    return measure == CLI_BENCH_ENERGY ? fabs(row->row->published.energy_drift)
                                       : row->row->published.error;
}

double cli_bench_common_limit(const cli_bench_study* study, cli_bench_measure measure)
{
    double limit = study->count ? cli_bench_limit(&study->rows[0], measure) : NAN;
    for (int k = 0; k < study->count; k++)
        if (cli_bench_limit(&study->rows[k], measure) != limit) return NAN;
    return limit;
}

/// All rows have a measure of their own, and the same one.
static int has_own_measure(const cli_bench_study* study)
{
    for (int k = 0; k < study->count; k++)
        if (!*study->rows[k].row->measure.of) return 0;
    return study->count > 0;
}

char* cli_bench_own_limit(const cli_bench_study* study)
{
    if (!has_own_measure(study)) return NULL;
    const sar_study_measure* own = &study->rows[0].row->measure;
    char within[32], right[32];
    if (isnan(own->within)) return NULL;
    return cli_format("%s within %s of %s", *own->title ? own->title : own->of,
                      cli_bench_number(own->within, 3, within, sizeof within),
                      cli_bench_number(own->right, 4, right, sizeof right));
}

double cli_bench_ratio(const cli_bench_row* row)
{
    if (!row->measured || row->trial.status != SAR_OK) return NAN;
    if (!isnan(row->row->published.step_us))
        return row->row->published.step_us / row->trial.step_us;
    return row->row->published.seconds / row->trial.seconds;
}

/* ---- words ---------------------------------------------------------------------------------- */

/// "1.50e-03" to "1.5e-3".
static void shorten(char* text)
{
    char* e = strchr(text, 'e');
    if (!e) return;
    char* end = e;
    if (memchr(text, '.', (size_t)(e - text))) {
        while (end[-1] == '0') end--;
        if (end[-1] == '.') end--;
    }
    long exponent = strtol(e + 1, NULL, 10);
    snprintf(end, 8, "e%ld", exponent);
}

const char* cli_bench_number(double value, int digits, char* buffer, size_t size)
{
    double magnitude = fabs(value);
    if (isnan(value)) return "";
    if (isfinite(value) && value != 0.0 && (magnitude < 0.01 || magnitude >= 99999.5)) {
        snprintf(buffer, size, "%.*e", digits - 1, value);
        shorten(buffer);
    } else if (magnitude >= 1000.0) {
        snprintf(buffer, size, "%.0f", value);
    } else {
        snprintf(buffer, size, "%.*g", digits, value);
    }
    return buffer;
}

/// Short names of parameters; NULL: not shown.
static const char* short_name(const char* option)
{
    static const char* const names[][2] = {{"step", "h"},         {"step_min", "h_min"},
                                           {"step_max", "h_max"}, {"newton_tolerance", "tol"},
                                           {"tolerance", "rel"},  {"absolute_tolerance", "abs"},
                                           {"preset", NULL},      {"coordinates", NULL},
                                           {"formulation", NULL}, {"integrator", NULL},
                                           {"solver", NULL},      {"best_effort", NULL},
                                           {"rescue", NULL},      {"updates", NULL},
                                           {"end", NULL},         {"profile", NULL},
                                           {"geometric", NULL},   {"iterations", "its"}};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(names[k][0], option) == 0) return names[k][1];
    return option;
}

char* cli_bench_parameters(const sar_study_row* row)
{
    char *text = NULL, number[64];
    size_t length = 0;
    FILE* out = open_memstream(&text, &length);
    if (!out) return cli_format("%s", "");
    const char* gap = "";
    for (int k = row->inherited; k < row->option_count; k++) { // the label says the rest
        const char* name = short_name(row->options[k].name);
        if (!name) continue;
        char* end = NULL;
        double value = strtod(row->options[k].value, &end);
        fprintf(out, "%s%s %s", gap, name,
                *end ? row->options[k].value : cli_bench_number(value, 6, number, sizeof number));
        gap = " ";
    }
    for (int k = 0; k < row->parameter_count; k++) {
        fprintf(out, "%s%s=%s", gap, row->parameters[k].name, row->parameters[k].value);
        gap = " ";
    }
    fclose(out);
    return text;
}

char* cli_bench_method(const sar_study_row* row)
{
    char* text = NULL;
    size_t length = 0;
    FILE* out = open_memstream(&text, &length);
    if (!out) return cli_format("%s", "");
    for (int k = 0; k < row->option_count; k++)
        fprintf(out, "%s%s=%s", k ? " " : "", row->options[k].name, row->options[k].value);
    fclose(out);
    return text;
}

cli_bench_layout cli_bench_layout_of(const cli_bench_study* study)
{
    cli_bench_layout t = {.label = 6,
                          .parameters = 10,
                          .measure = cli_bench_judged_by(study),
                          .columns = study->head->columns,
                          .column_count = study->head->column_count};
    static const char* const own[] = {
        "value", "published_value", "off", "seconds", "published_seconds", "faster", "step_us"};
    int limits = 0;
    if (!t.column_count && has_own_measure(study)) {
        t.columns = own;
        t.column_count = (int)(sizeof own / sizeof *own);
    }
    for (int k = 0; k < study->count; k++) {
        const cli_bench_row* row = &study->rows[k];
        char* parameters = cli_bench_parameters(row->row);
        int length = (int)strlen(parameters), label = (int)strlen(row->row->label);
        free(parameters);
        if (length > t.parameters) t.parameters = length;
        if (label > t.label) t.label = label;
        t.published |= !isnan(cli_bench_published(row, t.measure));
        t.times |= !isnan(row->row->published.seconds);
        t.steps |= !isnan(row->row->published.step_us);
        t.spread |= row->row->outside.times > 1;
        limits |= !isnan(cli_bench_limit(row, t.measure));
        t.extra_error |= t.measure == CLI_BENCH_ENERGY && *row->row->reference;
    }
    if (study->tuned) t.parameters += 8; // the numbers that will be found may have more digits
    t.each_limit = limits && isnan(cli_bench_common_limit(study, t.measure));
    return t;
}

static void add_note(cli_words* texts, cli_words* rows, const char* text, int number)
{
    if (!text || !*text) return;
    for (int k = 0; k < texts->count; k++) {
        if (strcmp(texts->items[k], text) != 0) continue;
        cli_append(&rows->items[k], ", %d", number);
        return;
    }
    cli_words_add(texts, "%s", text);
    cli_words_add(rows, "%d", number);
}

void cli_bench_notes(const cli_bench_study* study, cli_words* texts, cli_words* rows)
{
    for (int k = 0; k < study->count; k++) {
        const cli_bench_row* row = &study->rows[k];
        if (!row->wanted) continue;
        int available = row->verdict != SAR_VERDICT_NOT_AVAILABLE;
        if (available) add_note(texts, rows, row->reason, row->number);
        add_note(texts, rows, row->tuned, row->number);
        if (row->measured && row->trial.statistics.not_converged > 0) {
            char* text =
                cli_format("%ld of %ld steps did not converge; their best iterate was kept.",
                           row->trial.statistics.not_converged, row->trial.statistics.steps);
            add_note(texts, rows, text, row->number);
            free(text);
        }
        if (available && row->row->published.failed) {
            char* text = cli_format("Published as failed: %s.", row->row->published.failure);
            add_note(texts, rows, text, row->number);
            free(text);
        }
        if (available) add_note(texts, rows, row->row->choice, row->number);
        add_note(texts, rows, row->row->remark, row->number);
    }
}

void cli_bench_put_verdict(const cli_bench_row* row, FILE* out)
{
    fputs(sar_verdict_text(row->verdict), out);
    if (row->verdict == SAR_VERDICT_NOT_AVAILABLE) fprintf(out, ": %s", row->reason);
}

char* cli_bench_summary(const cli_bench_study* studies, int count)
{
    int sums[SAR_VERDICTS] = {0}, all = 0;
    for (int k = 0; k < count; k++)
        for (int j = 0; j < studies[k].count; j++) {
            if (!studies[k].rows[j].wanted) continue;
            sums[studies[k].rows[j].verdict]++;
            all++;
        }
    char* text = cli_format("%d row%s", all, cli_plural(all));
    const char* gap = ":";
    for (int v = 0; v < SAR_VERDICTS; v++) {
        if (sums[v] == 0) continue;
        cli_append(&text, "%s %d %s", gap, sums[v], sar_verdict_text((sar_verdict)v));
        gap = ",";
    }
    return text;
}
