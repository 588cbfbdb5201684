/* What the table, the files and the report say alike: numbers, parameters, notes, sums. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- measures ----------------------------------------------------------------------------- */

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
    return measure == CLI_BENCH_ENERGY ? row->row->published.energy_drift
                                       : row->row->published.error;
}

double cli_bench_common_limit(const cli_bench_study* study, cli_bench_measure measure)
{
    double limit = study->count ? cli_bench_limit(&study->rows[0], measure) : NAN;
    for (int k = 0; k < study->count; k++)
        if (cli_bench_limit(&study->rows[k], measure) != limit) return NAN;
    return limit;
}

int cli_bench_times_steps(const cli_bench_study* study)
{
    for (int k = 0; k < study->count; k++)
        if (!isnan(study->rows[k].row->published.step_us)) return 1;
    return 0;
}

double cli_bench_ratio(const cli_bench_row* row)
{
    if (!row->measured || row->trial.status != SAR_OK) return NAN;
    if (!isnan(row->row->published.step_us))
        return row->row->published.step_us / row->trial.step_us;
    return row->row->published.seconds / row->trial.seconds;
}

/* ---- words -------------------------------------------------------------------------------- */

const char* cli_bench_number(double value, int digits, char* buffer, size_t size)
{
    if (isnan(value)) return "";
    snprintf(buffer, size, "%.*g", digits, value);
    char* e = strchr(buffer, 'e');
    if (!e) return buffer;
    char* to = e + 1;
    const char* from = to;
    if (*from == '-') *to++ = '-';
    if (*from == '-' || *from == '+') from++;
    while (*from == '0' && from[1]) from++;
    memmove(to, from, strlen(from) + 1);
    return buffer;
}

/// How parameters are called where there is little room; NULL: not told.
static const char* short_name(const char* option)
{
    static const char* const names[][2] = {{"step", "h"},
                                           {"step_min", "h_min"},
                                           {"step_max", "h_max"},
                                           {"newton_tolerance", "tol"},
                                           {"relative_tolerance", "rel"},
                                           {"absolute_tolerance", "abs"},
                                           {"preset", NULL},
                                           {"coordinates", NULL},
                                           {"formulation", NULL},
                                           {"integrator", NULL},
                                           {"solver", NULL},
                                           {"best_effort", NULL},
                                           {"rescue", NULL},
                                           {"updates", NULL},
                                           {"iterations", NULL},
                                           {"end", NULL}};
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
    for (int k = 0; k < row->option_count; k++) {
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

static void add_note(cli_words* texts, cli_words* rows, const char* text, int number)
{
    if (!text || !*text) return;
    for (int k = 0; k < texts->count; k++) {
        if (strcmp(texts->items[k], text) != 0) continue;
        char* longer = cli_format("%s, %d", rows->items[k], number);
        free(rows->items[k]);
        rows->items[k] = longer;
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
        add_note(texts, rows, row->reason, row->number);
        if (row->row->published.failed) {
            char* text = cli_format("Published as failed: %s.", row->row->published.failure);
            add_note(texts, rows, text, row->number);
            free(text);
        }
        add_note(texts, rows, row->row->choice, row->number);
        add_note(texts, rows, row->row->remark, row->number);
    }
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
    char* text = cli_format("%d row%s", all, all == 1 ? "" : "s");
    for (int v = 0; v < SAR_VERDICTS; v++) {
        if (sums[v] == 0) continue;
        char* longer = cli_format("%s, %d %s", text, sums[v], sar_verdict_text((sar_verdict)v));
        free(text);
        text = longer;
    }
    return text;
}

char* cli_machine(void)
{
    char line[512];
    FILE* file = fopen("/proc/cpuinfo", "r");
    char* name = NULL;
    while (file && !name && fgets(line, sizeof line, file)) {
        char* colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        colon += 1 + strspn(colon + 1, " \t");
        colon[strcspn(colon, "\n")] = 0;
        name = cli_format("%s", colon);
    }
    if (file) fclose(file);
    return name ? name : cli_format("%s", "unknown processor");
}
