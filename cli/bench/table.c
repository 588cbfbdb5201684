/* The rows of a study as a table on the terminal, printed as they are finished. */
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = 9, WRAP = 118 };

/// Where the rows come from, and what their times are compared with.
static void print_source(const cli_bench_study* study, FILE* out)
{
    const sar_study_head* head = study->head;
    const char* machine = study->count ? study->rows[0].row->published.machine : "";
    char* here = cli_processor();
    if (*head->source) {
        fprintf(out, "[%s%s%s]", head->source, *head->table ? ", Table " : "", head->table);
        if (*machine) fprintf(out, ", times on %s", machine);
        fputc('\n', out);
    }
    fprintf(out, "ours on %s\n", here);
    free(here);
}

static const char* const certified[] = {"estimate", "trusted"};

static void print_end_of_head(const cli_bench_study* study, FILE* out)
{
    for (int k = 0; study->certified && k < 2; k++)
        fprintf(out, " %*s", NUMBER, cli_bench_quantity_head(study, certified[k]));
    fprintf(out, "  verdict%s\n", cli_paint(out, CLI_PLAIN));
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
    char* own = cli_bench_own_limit(study);
    if (own) fprintf(out, "passes: %s\n", own);
    free(own);
    fprintf(out, "\n%s", cli_paint(out, CLI_BOLD));
    fprintf(out, " #  %-*s  %-*s", t->label, "method", t->parameters, "parameters");
    for (int k = 0; k < t->column_count; k++)
        fprintf(out, " %*s", NUMBER, cli_bench_quantity_head(study, t->columns[k]));
    if (t->column_count) {
        print_end_of_head(study, out);
        return;
    }
    fprintf(out, " %*s", NUMBER, what);
    if (t->published) fprintf(out, " %*s", NUMBER, "publ.");
    if (t->each_limit) fprintf(out, " %*s", NUMBER, "limit");
    if (t->extra_error) fprintf(out, " %*s", NUMBER, "eps_T");
    fprintf(out, " %*s", NUMBER, t->steps ? "us/step" : "time [s]");
    if (t->spread) fprintf(out, " %*s", NUMBER, "spread");
    if (t->times) fprintf(out, " %*s %7s", NUMBER - 1, "publ.", "faster");
    print_end_of_head(study, out);
}

void cli_bench_table_begin(const cli_bench_layout* t, const cli_bench_study* study, FILE* out)
{
    fprintf(out, "%s%s%s  %s\n", cli_paint(out, CLI_BOLD), study->head->name,
            cli_paint(out, CLI_PLAIN), study->head->title);
    print_source(study, out);
    if (study->head->mean_of)
        fprintf(out, "times: mean of %d runs, on the clock\n", study->head->mean_of);
    if (study->head->linear) fprintf(out, "eps_T: straight lines between steps\n");
    print_head(t, study, out);
}

static cli_style colour(sar_verdict verdict)
{
    static const cli_style styles[SAR_VERDICTS] = {
        [SAR_VERDICT_PASSES] = CLI_GREEN,    [SAR_VERDICT_FAILS_AS_PUBLISHED] = CLI_GREEN,
        [SAR_VERDICT_FAILS] = CLI_RED,       [SAR_VERDICT_PASSES_UNLIKE] = CLI_YELLOW,
        [SAR_VERDICT_COMPLETED] = CLI_PLAIN, [SAR_VERDICT_NOT_COMPLETED] = CLI_RED,
        [SAR_VERDICT_DIFFERS] = CLI_YELLOW,  [SAR_VERDICT_NOT_AVAILABLE] = CLI_DIM,
        [SAR_VERDICT_NOT_RUN] = CLI_DIM};
    return styles[verdict];
}

static void print_digits(FILE* out, double value, int digits, int width)
{
    char number[32];
    const char* text = cli_bench_number(value, digits, number, sizeof number);
    fprintf(out, " %*s", width, *text ? text : "-");
}

static void print_number(FILE* out, double value, int width)
{
    print_digits(out, value, 3, width);
}

static void print_measures(const cli_bench_layout* t, const cli_bench_row* r, FILE* out)
{
    int done = r->measured && r->trial.status == SAR_OK;
    print_number(out, cli_bench_value(r, t->measure), NUMBER);
    if (t->published) print_number(out, cli_bench_published(r, t->measure), NUMBER);
    if (t->each_limit) print_number(out, cli_bench_limit(r, t->measure), NUMBER);
    if (t->extra_error) print_number(out, cli_bench_value(r, CLI_BENCH_ERROR), NUMBER);
    double ours = t->steps ? r->trial.step_us : r->trial.seconds;
    print_number(out, done ? ours : NAN, NUMBER);
    if (t->spread) print_number(out, r->row->outside.spread, NUMBER);
    if (t->times) {
        print_number(out, t->steps ? r->row->published.step_us : r->row->published.seconds,
                     NUMBER - 1);
        print_number(out, cli_bench_ratio(r), 7);
    }
}

void cli_bench_table_row(const cli_bench_layout* t, const cli_bench_study* study,
                         const cli_bench_row* r, FILE* out)
{
    char* parameters = cli_bench_parameters(r->row);
    fprintf(out, "%2d  %-*s  %-*s", r->number, t->label, r->row->label, t->parameters, parameters);
    free(parameters);
    for (int k = 0; k < t->column_count; k++)
        print_digits(out, cli_bench_quantity(study, r, t->columns[k]),
                     cli_bench_quantity_digits(t->columns[k]), NUMBER);
    if (!t->column_count) print_measures(t, r, out);
    for (int k = 0; study->certified && k < 2; k++)
        print_number(out, cli_bench_quantity(study, r, certified[k]), NUMBER);
    fprintf(out, "  %s", cli_paint(out, colour(r->verdict)));
    cli_bench_put_verdict(r, out);
    fprintf(out, "%s\n", cli_paint(out, CLI_PLAIN));
}

/* ---- below the table ------------------------------------------------------------------------ */

static void print_notes(const cli_bench_study* study, FILE* out)
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
    cli_words_clear(&texts);
    cli_words_clear(&rows);
}

static void print_findings(const cli_bench_study* study, FILE* out)
{
    static const cli_style styles[] = {CLI_GREEN, CLI_YELLOW, CLI_GREEN, CLI_RED,
                                       CLI_PLAIN, CLI_DIM,    CLI_DIM};
    int count, text = 9, label = 6;
    cli_bench_finding* found = cli_bench_findings(study, &count);
    for (int k = 0; k < count; k++) {
        int length = (int)strlen(found[k].statement->text), name = (int)strlen(found[k].label);
        if (length > text) text = length;
        if (name > label) label = name;
    }
    if (count)
        fprintf(out, "\n%s    %-*s  %-*s %*s %*s  verdict%s\n", cli_paint(out, CLI_BOLD), text,
                "statement", label, "method", NUMBER, "ours", NUMBER, "publ.",
                cli_paint(out, CLI_PLAIN));
    for (int k = 0; k < count; k++) {
        fprintf(out, "    %-*s  %-*s", text, found[k].statement->text, label, found[k].label);
        int digits = cli_bench_quantity_digits(found[k].statement->of);
        print_digits(out, found[k].value, digits, NUMBER);
        print_digits(out, found[k].statement->published, digits, NUMBER);
        fprintf(out, "  %s%s%s\n", cli_paint(out, styles[found[k].verdict]),
                cli_bench_holds_text(found[k].verdict), cli_paint(out, CLI_PLAIN));
    }
    free(found);
}

/// The fitted cost of a step, and what it says about machines with more cores.
static void print_cost(const cli_bench_study* study, FILE* out)
{
    cli_cost c;
    if (!cli_bench_cost(study, &c)) return;
    char* formula = cli_bench_cost_text(study, &c);
    fprintf(out, "\n%s\n", formula);
    free(formula);
    if (!cli_bench_cost_predicts(&c)) return;
    fprintf(out, "by this the speed-up on\n%10s", "n");
    for (int j = 0; j < CLI_BENCH_CORES; j++) fprintf(out, " %5d cores", cli_bench_cores[j]);
    fputc('\n', out);
    for (int i = 0; i < CLI_BENCH_SIZES; i++) {
        fprintf(out, "%10d", cli_bench_sizes[i]);
        for (int j = 0; j < CLI_BENCH_CORES; j++)
            print_number(out, cli_cost_speedup(&c, cli_bench_sizes[i], cli_bench_cores[j]), 11);
        fputc('\n', out);
    }
}

void cli_bench_table_end(const cli_bench_study* study, FILE* out)
{
    print_notes(study, out);
    print_findings(study, out);
    print_cost(study, out);
    if (study->others)
        fprintf(out, "\n%d more published result%s cannot be run: curves or ratios only\n",
                study->others, cli_plural(study->others));
    char* summary = cli_bench_summary(study, 1);
    fprintf(out, "\n%s\n", summary);
    free(summary);
}
