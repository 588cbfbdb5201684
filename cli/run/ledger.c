#include "run/ledger.h"

#include "common/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 12, MOST_AREAS = 6 };

static const char* const words[SAR_ACCOUNT_KINDS] = {
    "kinetic", "potential", "work",        "drive",       "impacts",
    "phases",  "jumps",     "corrections", "projections", "integrator"};

static int is_named(const sar_account* a)
{
    return a->kind == SAR_ACCOUNT_POTENTIAL || a->kind == SAR_ACCOUNT_FORCE ||
           a->kind == SAR_ACCOUNT_DRIVE;
}

char* cli_ledger_path(const sar_account* a)
{
    return is_named(a) ? cli_format("ledger/%s/%s", words[a->kind], a->name)
                       : cli_format("ledger/%s", words[a->kind]);
}

static char* label_of(const sar_account* a)
{
    if (a->kind == SAR_ACCOUNT_POTENTIAL) return cli_format("potential of %s", a->name);
    if (is_named(a)) return cli_format("work of %s", a->name);
    return cli_format("%s", words[a->kind]);
}

/* What is stored less what came in: rounding. */
static double left_over(const cli_report* r)
{
    double sum = 0.0;
    for (int k = 0; k < r->account_count; k++)
        sum += sar_account_is_stored(r->accounts[k].kind) ? r->accounts[k].value
                                                          : -r->accounts[k].value;
    return sum;
}

static void print_part(const cli_report* r, int stored, FILE* out)
{
    fprintf(out, "%*s%s\n", LABEL + 4, "", stored ? "stored since the start" : "came in");
    for (int k = 0; k < r->account_count; k++) {
        const sar_account* a = &r->accounts[k];
        if (sar_account_is_stored(a->kind) != stored) continue;
        if (a->value == 0.0 && a->kind != SAR_ACCOUNT_INTEGRATOR) continue;
        char* label = label_of(a);
        fprintf(out, "%*s%-28s %14.7g J\n", LABEL + 6, "", label, a->value);
        free(label);
    }
}

void cli_ledger_print(const cli_report* r, FILE* out)
{
    cli_print_label(out, "ledger");
    fprintf(out, "where the energy went; the sums differ by %.1e J\n", fabs(left_over(r)));
    print_part(r, 1, out);
    print_part(r, 0, out);
}

void cli_ledger_json(const cli_report* r, cli_json* j)
{
    cli_json_open(j, "ledger", '{');
    cli_json_open(j, "accounts", '[');
    for (int k = 0; k < r->account_count; k++) {
        const sar_account* a = &r->accounts[k];
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "kind", words[a->kind]);
        if (is_named(a)) cli_json_text(j, "name", a->name);
        cli_json_boolean(j, "stored", sar_account_is_stored(a->kind));
        cli_json_number(j, "value", a->value);
        cli_json_close(j);
    }
    cli_json_close(j);
    cli_json_number(j, "left_over", left_over(r));
    cli_json_close(j);
}

/* ---- areas ---------------------------------------------------------------------------------- */

/// Accounts of one side, the largest first; those beyond MOST_AREAS are one area.
typedef struct side {
    int account[MOST_AREAS + 1], count, others;
} side;

static double value_at(const cli_record* r, long row, int account)
{
    return r->kept[row * r->kept_width + 2 + r->outputs + account];
}

static side sort_side(const cli_record* r, int stored)
{
    side s = {0};
    double* most = cli_allocate((size_t)r->accounts + 1, sizeof *most);
    for (int k = 0; k < r->accounts; k++)
        for (long i = 0; i < r->rows; i++) most[k] = fmax(most[k], fabs(value_at(r, i, k)));
    for (;;) {
        int best = -1;
        for (int k = 0; k < r->accounts; k++)
            if (sar_account_is_stored(r->account[k].kind) == stored && most[k] > 0.0 &&
                (best < 0 || most[k] > most[best]))
                best = k;
        if (best < 0) break;
        most[best] = 0.0;
        if (s.count < MOST_AREAS)
            s.account[s.count++] = best;
        else
            s.others = 1;
    }
    free(most);
    return s;
}

/* What an area shows in a row; the one behind the last is all others. */
static double area_value(const cli_record* r, const side* s, int stored, long row, int area)
{
    if (area < s->count) return value_at(r, row, s->account[area]);
    double sum = 0.0;
    for (int k = 0; k < r->accounts; k++)
        if (sar_account_is_stored(r->account[k].kind) == stored) sum += value_at(r, row, k);
    for (int k = 0; k < s->count; k++) sum -= value_at(r, row, s->account[k]);
    return sum;
}

/* Areas of values above zero stand on each other, those below hang under each other. The last series is the sum. */
static int stack(const cli_record* r, int stored, const double* time, cli_ledger_areas* out,
                 cli_series* series, double* numbers)
{
    const side s = sort_side(r, stored);
    const int areas = s.count + s.others;
    const size_t rows = (size_t)r->rows;
    double *up = numbers, *down = up + rows, *middle = down + rows;
    for (int k = 0; k < areas; k++, middle += 2 * rows) {
        double* half = middle + rows;
        for (long i = 0; i < r->rows; i++) {
            const double value = area_value(r, &s, stored, i, k);
            double* to = value > 0.0 ? &up[i] : &down[i];
            middle[i] = *to + 0.5 * value;
            half[i] = 0.5 * fabs(value);
            *to += value;
        }
        char* label = k < s.count ? label_of(&r->account[s.account[k]]) : cli_format("others");
        cli_words_add(&out->names, "%s", label);
        free(label);
        series[k] =
            (cli_series){.n = (int)r->rows, .x = time, .y = middle, .band = half, .area = 1};
    }
    for (long i = 0; i < r->rows; i++) up[i] += down[i];
    series[areas] = (cli_series){.n = (int)r->rows, .x = time, .y = up, .sum = 1};
    cli_words_add(&out->names, "sum");
    return areas + 1;
}

void cli_ledger_areas_of(const cli_record* record, const double* time, cli_ledger_areas* out)
{
    const size_t each = MOST_AREAS + 2, numbers = (2 + 2 * each) * (size_t)record->rows;
    *out = (cli_ledger_areas){0};
    out->series = cli_allocate(2 * each, sizeof *out->series);
    out->numbers = cli_allocate(2 * numbers, sizeof *out->numbers);
    for (int k = 0; k < CLI_LEDGER_PANELS; k++) {
        cli_series* series = out->series + (size_t)k * each;
        const int count =
            stack(record, k == 0, time, out, series, out->numbers + (size_t)k * numbers);
        out->panel[k] = (cli_panel){.ylabel = k == 0 ? "energy stored since the start [J]"
                                                     : "energy that came in [J]",
                                    .series = series,
                                    .count = count};
    }
    for (int k = 0, name = 0; k < CLI_LEDGER_PANELS; k++)
        for (int i = 0; i < out->panel[k].count; i++)
            out->series[(size_t)k * each + (size_t)i].name = out->names.items[name++];
}

void cli_ledger_areas_clear(cli_ledger_areas* areas)
{
    free(areas->series);
    free(areas->numbers);
    cli_words_clear(&areas->names);
}
