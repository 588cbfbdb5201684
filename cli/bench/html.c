/* The report: tables and plots of the studies in one web page that needs nothing else. */
#include "bench/bench.h"

#include "common/command.h"
#include "common/files/output_file.h"

#include "pictures/svg.h"

#include "sarrus/base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char* const style_sheet =
    "body{font:15px/1.45 system-ui,sans-serif;color:#1a1a1a;max-width:1200px;margin:2em "
    "auto;padding:0 1em}h1{font-size:1.6em;margin-bottom:.2em}h2{font-size:1.2em;margin:2.2em 0 "
    ".2em}p.m{color:#555;margin:.1em "
    "0}div.w{overflow-x:auto}table{border-collapse:collapse;margin:.8em "
    "0;font-size:13.5px;white-space:nowrap}th{text-align:left;border-bottom:1.5px solid "
    "#333;padding:.25em .6em}td{border-bottom:1px solid #e2e2e2;padding:.22em "
    ".6em}td:last-child:not(.n){white-space:normal;min-width:11em}.n{text-align:right;font-variant-"
    "numeric:tabular-nums}.good{color:#00704f}.bad{color:#b3261e;font-weight:600}.odd{color:#"
    "8a5a00}.none{color:#777}dl{font-size:13.5px;display:grid;grid-template-columns:max-content "
    "1fr;gap:.2em "
    "1em}dt{color:#777;max-width:9em}dd{margin:0}.small{display:flex;flex-wrap:wrap;gap:4px}";

/* ---- tables --------------------------------------------------------------------------------- */

static const char* class_of(sar_verdict verdict)
{
    switch (verdict) {
    case SAR_VERDICT_PASSES:
    case SAR_VERDICT_FAILS_AS_PUBLISHED:
        return "good";
    case SAR_VERDICT_FAILS:
    case SAR_VERDICT_NOT_COMPLETED:
        return "bad";
    case SAR_VERDICT_COMPLETED:
        return "";
    case SAR_VERDICT_PASSES_UNLIKE:
    case SAR_VERDICT_DIFFERS:
        return "odd";
    default:
        return "none";
    }
}

static void put_digits(FILE* out, double value, int digits)
{
    char number[32];
    const char* text = cli_bench_number(value, digits, number, sizeof number);
    fprintf(out, "<td class=\"n\">%s</td>", *text ? text : "&ndash;");
}

static void put_number(FILE* out, double value)
{
    put_digits(out, value, 3);
}

static void put_measures(FILE* out, const cli_bench_row* r, const cli_bench_layout* t)
{
    int done = r->measured && r->trial.status == SAR_OK;
    put_number(out, cli_bench_value(r, t->measure));
    if (t->published) put_number(out, cli_bench_published(r, t->measure));
    if (t->each_limit) put_number(out, cli_bench_limit(r, t->measure));
    if (t->extra_error) put_number(out, cli_bench_value(r, CLI_BENCH_ERROR));
    put_number(out, done ? (t->steps ? r->trial.step_us : r->trial.seconds) : NAN);
    if (t->spread) put_number(out, r->row->outside.spread);
    if (t->times) {
        put_number(out, t->steps ? r->row->published.step_us : r->row->published.seconds);
        put_number(out, cli_bench_ratio(r));
    }
}

static void put_row(FILE* out, const cli_bench_study* s, const cli_bench_row* r,
                    const cli_bench_layout* t)
{
    char* parameters = cli_bench_parameters(r->row);
    fprintf(out, "<tr><td class=\"n\">%d</td><td>", r->number);
    cli_put_html(out, r->row->label);
    fputs("</td><td>", out);
    cli_put_html(out, parameters);
    fputs("</td>", out);
    for (int k = 0; k < t->column_count; k++)
        put_digits(out, cli_bench_quantity(s, r, t->columns[k]),
                   cli_bench_quantity_digits(t->columns[k]));
    if (!t->column_count) put_measures(out, r, t);
    fprintf(out, "<td class=\"%s\">", class_of(r->verdict));
    cli_put_html(out, sar_verdict_text(r->verdict));
    if (r->verdict == SAR_VERDICT_NOT_AVAILABLE) {
        fputs(": ", out);
        cli_put_html(out, r->reason);
    }
    fputs("</td></tr>\n", out);
    free(parameters);
}

static void put_head(FILE* out, const char* text)
{
    fprintf(out, "<th class=\"n\">%s", text);
}

static const char* const names[] = {"drift [J]", "&epsilon;<sub>T</sub>"};

static void put_heads(FILE* out, const cli_bench_study* s, const cli_bench_layout* t)
{
    for (int k = 0; k < t->column_count; k++)
        put_head(out, cli_bench_quantity_head(s, t->columns[k]));
    if (t->column_count) return;
    put_head(out, names[t->measure]);
    if (t->published) put_head(out, "published");
    if (t->each_limit) put_head(out, "limit");
    if (t->extra_error) put_head(out, names[CLI_BENCH_ERROR]);
    put_head(out, t->steps ? "&micro;s/step" : "time [s]");
    if (t->spread) put_head(out, "spread");
    if (t->times) put_head(out, "published");
    if (t->times) put_head(out, "times faster");
}

static void put_table(FILE* out, const cli_bench_study* s)
{
    cli_bench_layout t = cli_bench_layout_of(s);
    char number[32];
    double limit = cli_bench_common_limit(s, t.measure);
    if (!isnan(limit))
        fprintf(out, "<p class=\"m\">Passes: %s at most %s.</p>\n", names[t.measure],
                cli_bench_number(limit, 3, number, sizeof number));
    char* own = cli_bench_own_limit(s);
    if (own) fprintf(out, "<p class=\"m\">Passes: %s.</p>\n", own);
    free(own);
    fputs("<div class=\"w\"><table><tr><th>#<th>method<th>parameters", out);
    put_heads(out, s, &t);
    fputs("<th>verdict</tr>\n", out);
    for (int k = 0; k < s->count; k++)
        if (s->rows[k].wanted) put_row(out, s, &s->rows[k], &t);
    fputs("</table></div>\n", out);
}

static void put_notes(FILE* out, const cli_bench_study* s)
{
    cli_words texts = {0}, rows = {0};
    cli_bench_notes(s, &texts, &rows);
    if (texts.count) fputs("<dl>", out);
    for (int k = 0; k < texts.count; k++) {
        fprintf(out, "<dt>%s</dt><dd>", rows.items[k]);
        cli_put_html(out, texts.items[k]);
        fputs("</dd>\n", out);
    }
    if (texts.count) fputs("</dl>\n", out);
    cli_words_clear(&texts);
    cli_words_clear(&rows);
}

/* ---- what the source says ------------------------------------------------------------------- */

static void put_findings(FILE* out, const cli_bench_study* s)
{
    static const char* const classes[] = {"good", "odd", "good", "bad", "", "none", "none"};
    int count;
    cli_bench_finding* found = cli_bench_findings(s, &count);
    if (count)
        fputs("<div class=\"w\"><table><tr><th>statement<th>method<th class=\"n\">ours<th "
              "class=\"n\">published<th>verdict</tr>\n",
              out);
    for (int k = 0; k < count; k++) {
        fputs("<tr><td>", out);
        cli_put_html(out, found[k].statement->text);
        fputs("</td><td>", out);
        cli_put_html(out, found[k].label);
        fputs("</td>", out);
        int digits = cli_bench_quantity_digits(found[k].statement->of);
        put_digits(out, found[k].value, digits);
        put_digits(out, found[k].statement->published, digits);
        fprintf(out, "<td class=\"%s\">%s</td></tr>\n", classes[found[k].verdict],
                cli_bench_holds_text(found[k].verdict));
    }
    if (count) fputs("</table></div>\n", out);
    free(found);
}

static void put_cost(FILE* out, const cli_bench_study* s)
{
    cli_cost c;
    if (!cli_bench_cost(s, &c)) return;
    char* formula = cli_bench_cost_text(s, &c);
    fputs("<p>Cost model, ", out);
    cli_put_html(out, formula);
    fputs(".</p>\n", out);
    free(formula);
    if (!cli_bench_cost_predicts(&c)) return;
    fputs("<p class=\"m\">By this the speed-up on</p><div class=\"w\"><table><tr><th "
          "class=\"n\">n",
          out);
    for (int j = 0; j < CLI_BENCH_CORES; j++)
        fprintf(out, "<th class=\"n\">%d cores", cli_bench_cores[j]);
    fputs("</tr>\n", out);
    for (int i = 0; i < CLI_BENCH_SIZES; i++) {
        fprintf(out, "<tr><td class=\"n\">%d</td>", cli_bench_sizes[i]);
        for (int j = 0; j < CLI_BENCH_CORES; j++)
            put_number(out, cli_cost_speedup(&c, cli_bench_sizes[i], cli_bench_cores[j]));
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

/* ---- the page ------------------------------------------------------------------------------- */

static void put_study(FILE* out, const cli_bench_study* s)
{
    const char* machine = s->count ? s->rows[0].row->published.machine : "";
    char* summary = cli_bench_summary(s, 1);
    fprintf(out, "<h2 id=\"%s\">%s &middot; ", s->head->name, s->head->name);
    cli_put_html(out, s->head->title);
    fputs("</h2>\n<p class=\"m\">", out);
    if (*s->head->source) {
        fprintf(out, "[%s%s%s]", s->head->source, *s->head->table ? ", Table " : "",
                s->head->table);
        if (*machine) fputs(", times on ", out);
        cli_put_html(out, machine);
        fputs(". ", out);
    }
    cli_put_html(out, summary);
    fputs(".</p>\n", out);
    free(summary);
    put_table(out, s);
    put_notes(out, s);
    put_findings(out, s);
    put_cost(out, s);
    cli_bench_plots(s, out);
}

static void put_page(FILE* out, const cli_bench* bench)
{
    char *machine = cli_processor(), *summary = cli_bench_summary(bench->studies, bench->count);
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta "
            "name=\"viewport\" content=\"width=device-width\"><title>Sarrus: published figures "
            "and ours</title>\n<style>%s%s</style></head><body>\n<h1>Published figures and "
            "ours</h1>\n<p class=\"m\">Sarrus " SAR_VERSION " on ",
            style_sheet, cli_svg_style);
    cli_put_html(out, machine);
    fprintf(out, ", %s. ", date);
    cli_put_html(out, summary);
    fprintf(out,
            ".</p>\n<p class=\"m\">Every row was run with %s and is judged by the limit of its "
            "source, or of the study where that gives none. Times are CPU times of the steps; the "
            "published ones were taken on other machines, so ratios are indicative.</p>\n",
            bench->tune ? "the best setting of its method that was found"
                        : "the published method and parameters");
    if (bench->count > 1) {
        fputs("<p>", out);
        for (int k = 0; k < bench->count; k++)
            fprintf(out, "%s<a href=\"#%s\">%s</a>", k ? " &middot; " : "",
                    bench->studies[k].head->name, bench->studies[k].head->name);
        fputs("</p>\n", out);
    }
    for (int k = 0; k < bench->count; k++) put_study(out, &bench->studies[k]);
    fputs("</body></html>\n", out);
    free(machine);
    free(summary);
}

int cli_bench_html(const cli_bench* bench, const char* path)
{
    cli_output_file file;
    if (cli_output_begin(&file, "bench", path)) return CLI_FAILED;
    put_page(file.to, bench);
    return cli_output_end(&file, "bench", path);
}
