/* The rows of a study as a table for the eye, row by row as they are done. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = 9, WRAP = 118 };

/// Where the rows come from, and what their times are compared with.
static void print_source(const cli_bench_study* study, FILE* out)
{
    const sar_study_head* head = study->head;
    const char* machine = study->count ? study->rows[0].row->published.machine : "";
    char* here = cli_machine();
    if (*head->source) {
        fprintf(out, "[%s%s%s]", head->source, *head->table ? ", Table " : "", head->table);
        if (*machine) fprintf(out, ", times on %s", machine);
        fputc('\n', out);
    }
    fprintf(out, "ours on %s\n", here);
    free(here);
}

static void print_head(const cli_bench_layout* t, const cli_bench_study* study, FILE* out)
{
    const char* what = t->measure == CLI_BENCH_ENERGY ? "drift [J]" : "eps_T";
    char number[32];
    double limit = cli_bench_common_limit(study, t->measure);
    if (!isnan(limit))
        fprintf(out, "passes: %s at most %s\n",
                t->measure == CLI_BENCH_ENERGY ? "energy drift [J]" : "eps_T",
                cli_bench_number(limit, 3, number, sizeof number));
    fprintf(out, "\n%s", cli_paint(out, CLI_BOLD));
    fprintf(out, " #  %-*s  %-*s %*s", t->label, "method", t->parameters, "parameters", NUMBER,
            what);
    if (t->published) fprintf(out, " %*s", NUMBER, "publ.");
    if (t->each_limit) fprintf(out, " %*s", NUMBER, "limit");
    if (t->extra_error) fprintf(out, " %*s", NUMBER, "eps_T");
    fprintf(out, " %*s", NUMBER, t->steps ? "us/step" : "time [s]");
    if (t->times) fprintf(out, " %*s %7s", NUMBER - 1, "publ.", "faster");
    fprintf(out, "  verdict%s\n", cli_paint(out, CLI_PLAIN));
}

void cli_bench_table_begin(const cli_bench_layout* t, const cli_bench_study* study, FILE* out)
{
    fprintf(out, "%s%s%s  %s\n", cli_paint(out, CLI_BOLD), study->head->name,
            cli_paint(out, CLI_PLAIN), study->head->title);
    print_source(study, out);
    print_head(t, study, out);
}

static cli_style colour(sar_verdict verdict)
{
    static const cli_style styles[SAR_VERDICTS] = {
        [SAR_VERDICT_PASSES] = CLI_GREEN,      [SAR_VERDICT_FAILS_AS_PUBLISHED] = CLI_GREEN,
        [SAR_VERDICT_FAILS] = CLI_RED,         [SAR_VERDICT_PASSES_UNLIKE] = CLI_YELLOW,
        [SAR_VERDICT_COMPLETED] = CLI_PLAIN,   [SAR_VERDICT_NOT_COMPLETED] = CLI_RED,
        [SAR_VERDICT_NOT_AVAILABLE] = CLI_DIM, [SAR_VERDICT_NOT_RUN] = CLI_DIM};
    return styles[verdict];
}

static void print_number(FILE* out, double value, int width)
{
    char number[32];
    const char* text = cli_bench_number(value, 3, number, sizeof number);
    fprintf(out, " %*s", width, *text ? text : "-");
}

void cli_bench_table_row(const cli_bench_layout* t, const cli_bench_row* r, FILE* out)
{
    char* parameters = cli_bench_parameters(r->row);
    fprintf(out, "%2d  %-*s  %-*s", r->number, t->label, r->row->label, t->parameters, parameters);
    free(parameters);
    int done = r->measured && r->trial.status == SAR_OK;
    print_number(out, cli_bench_value(r, t->measure), NUMBER);
    if (t->published) print_number(out, cli_bench_published(r, t->measure), NUMBER);
    if (t->each_limit) print_number(out, cli_bench_limit(r, t->measure), NUMBER);
    if (t->extra_error) print_number(out, cli_bench_value(r, CLI_BENCH_ERROR), NUMBER);
    double ours = t->steps ? r->trial.step_us : r->trial.seconds;
    print_number(out, done ? ours : NAN, NUMBER);
    if (t->times) {
        print_number(out, t->steps ? r->row->published.step_us : r->row->published.seconds,
                     NUMBER - 1);
        print_number(out, cli_bench_ratio(r), 7);
    }
    fprintf(out, "  %s", cli_paint(out, colour(r->verdict)));
    cli_bench_put_verdict(r, out);
    fprintf(out, "%s\n", cli_paint(out, CLI_PLAIN));
}

void cli_bench_table_end(const cli_bench_study* study, FILE* out)
{
    cli_words texts = {0}, rows = {0};
    cli_bench_notes(study, &texts, &rows);
    int width = 0;
    for (int k = 0; k < rows.count; k++)
        if ((int)strlen(rows.items[k]) > width) width = (int)strlen(rows.items[k]);
    if (width > 16) width = 16;
    if (texts.count) fputc('\n', out);
    for (int k = 0; k < texts.count; k++) {
        int at = fprintf(out, "  %-*s  ", width, rows.items[k]);
        cli_wrap(out, texts.items[k], at, width + 4, WRAP);
    }
    if (study->others)
        fprintf(out, "\n%d more published result%s cannot be run: curves or ratios only\n",
                study->others, study->others == 1 ? "" : "s");
    char* summary = cli_bench_summary(study, 1);
    fprintf(out, "\n%s\n", summary);
    free(summary);
    cli_words_clear(&texts);
    cli_words_clear(&rows);
}
