/* The report: tables and plots of the studies in one web page that needs nothing else. */
#include "bench.h"

#include "svg.h"

#include "sarrus/base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDE = 1080, TALL = 330, SMALL_WIDE = 355, SMALL_TALL = 190 };

static const char* const style_sheet =
    "body{font:15px/1.45 system-ui,sans-serif;color:#1a1a1a;max-width:1200px;margin:2em auto;"
    "padding:0 1em}"
    "h1{font-size:1.6em;margin-bottom:.2em}h2{font-size:1.2em;margin:2.2em 0 .2em}"
    "p.m{color:#555;margin:.1em 0}"
    "div.w{overflow-x:auto}"
    "table{border-collapse:collapse;margin:.8em 0;font-size:13.5px;white-space:nowrap}"
    "th{text-align:left;border-bottom:1.5px solid #333;padding:.25em .6em}"
    "td{border-bottom:1px solid #e2e2e2;padding:.22em .6em}"
    "td:last-child{white-space:normal;min-width:11em}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}"
    ".good{color:#00704f}.bad{color:#b3261e;font-weight:600}.odd{color:#8a5a00}.none{color:#777}"
    "dl{font-size:13.5px;display:grid;grid-template-columns:max-content 1fr;gap:.2em 1em}"
    "dt{color:#777;max-width:9em}dd{margin:0}"
    ".small{display:flex;flex-wrap:wrap;gap:4px}"
    "svg{font:11px system-ui,sans-serif;max-width:100%;height:auto}"
    "svg .g{stroke:#e6e6e6;fill:none}svg .a{stroke:#666;fill:none}"
    "svg text{fill:#333}svg .t{font-size:13px;font-weight:600}svg .u{font-weight:400;fill:#666}";

/* ---- tables ------------------------------------------------------------------------------- */

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
        return "odd";
    default:
        return "none";
    }
}

static void put_number(FILE* out, double value)
{
    char number[32];
    const char* text = cli_bench_number(value, 3, number, sizeof number);
    fprintf(out, "<td class=\"n\">%s</td>", *text ? text : "&ndash;");
}

static void put_row(FILE* out, const cli_bench_row* r, const cli_bench_layout* t)
{
    char* parameters = cli_bench_parameters(r->row);
    int done = r->measured && r->trial.status == SAR_OK;
    fprintf(out, "<tr><td class=\"n\">%d</td><td>", r->number);
    cli_put_html(out, r->row->label);
    fputs("</td><td>", out);
    cli_put_html(out, parameters);
    fputs("</td>", out);
    put_number(out, cli_bench_value(r, t->measure));
    if (t->published) put_number(out, cli_bench_published(r, t->measure));
    if (t->each_limit) put_number(out, cli_bench_limit(r, t->measure));
    if (t->extra_error) put_number(out, cli_bench_value(r, CLI_BENCH_ERROR));
    put_number(out, done ? (t->steps ? r->trial.step_us : r->trial.seconds) : NAN);
    if (t->times) {
        put_number(out, t->steps ? r->row->published.step_us : r->row->published.seconds);
        put_number(out, cli_bench_ratio(r));
    }
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

static void put_table(FILE* out, const cli_bench_study* s)
{
    static const char* const names[] = {"drift [J]", "&epsilon;<sub>T</sub>"};
    cli_bench_layout t = cli_bench_layout_of(s);
    char number[32];
    double limit = cli_bench_common_limit(s, t.measure);
    if (!isnan(limit))
        fprintf(out, "<p class=\"m\">Passes: %s at most %s.</p>\n", names[t.measure],
                cli_bench_number(limit, 3, number, sizeof number));
    fputs("<div class=\"w\"><table><tr><th>#<th>method<th>parameters", out);
    put_head(out, names[t.measure]);
    if (t.published) put_head(out, "published");
    if (t.each_limit) put_head(out, "limit");
    if (t.extra_error) put_head(out, names[CLI_BENCH_ERROR]);
    put_head(out, t.steps ? "&micro;s/step" : "time [s]");
    if (t.times) put_head(out, "published");
    if (t.times) put_head(out, "times faster");
    fputs("<th>verdict</tr>\n", out);
    for (int k = 0; k < s->count; k++)
        if (s->rows[k].wanted) put_row(out, &s->rows[k], &t);
    fputs("</table></div>\n", out);
}

static void put_notes(FILE* out, const cli_bench_study* s)
{
    cli_words texts = {0}, rows = {0};
    cli_bench_notes(s, &texts, &rows);
    fputs("<dl>", out);
    for (int k = 0; k < texts.count; k++) {
        fprintf(out, "<dt>%s</dt><dd>", rows.items[k]);
        cli_put_html(out, texts.items[k]);
        fputs("</dd>\n", out);
    }
    fputs("</dl>\n", out);
    cli_words_clear(&texts);
    cli_words_clear(&rows);
}

/* ---- plots -------------------------------------------------------------------------------- */

static cli_svg_series series_of(const sar_result* r, int column, const char* name, int style)
{
    return (cli_svg_series){.name = name,
                            .n = sar_result_rows(r),
                            .x = sar_result_time(r),
                            .y = sar_result_column(r, column),
                            .style = style};
}

/// Each run over the reference in a small plot of its own: where they part is seen at once.
static void put_small_plots(FILE* out, const cli_bench_study* s, const sar_study_plot* plot)
{
    fprintf(out, "<h3>");
    cli_put_html(out, *plot->title ? plot->title : plot->y);
    fprintf(out, ": ");
    cli_put_html(out, plot->y);
    fputs(" over time, the reference in grey</h3><div class=\"small\">\n", out);
    for (int k = 0; k < s->count; k++) {
        const cli_bench_row* r = &s->rows[k];
        int ours = r->history ? sar_result_find(r->history, plot->y) : -1;
        if (!r->wanted || ours < 0) continue;
        int theirs = r->reference ? sar_result_find(r->reference, plot->y) : -1;
        cli_svg_series series[2];
        int count = 0;
        if (theirs >= 0) series[count++] = series_of(r->reference, theirs, "reference", -1);
        series[count++] = series_of(r->history, ours, r->row->label, 0);
        char* title = cli_format("%d  %s", r->number, r->row->label);
        cli_svg_write(out, &(cli_svg_plot){.title = title,
                                           .ylabel = "",
                                           .xlabel = "t [s]",
                                           .width = SMALL_WIDE,
                                           .height = SMALL_TALL,
                                           .series = series,
                                           .count = count});
        free(title);
    }
    fputs("</div>\n", out);
}

/// Magnitudes: a logarithm shows how small they are, not their sign.
static double* magnitudes(const double* y, int n)
{
    double* copy = cli_allocate((size_t)n, sizeof *copy);
    for (int i = 0; i < n; i++) copy[i] = fabs(y[i]);
    return copy;
}

/// All runs in one plot.
static void put_joint_plot(FILE* out, const cli_bench_study* s, const sar_study_plot* plot)
{
    cli_svg_series* series = cli_allocate((size_t)s->count, sizeof *series);
    cli_words names = {0};
    int count = 0;
    for (int k = 0; k < s->count; k++) {
        const cli_bench_row* r = &s->rows[k];
        int column = r->history ? sar_result_find(r->history, plot->y) : -1;
        if (!r->wanted || column < 0) continue;
        series[count] = series_of(r->history, column, "", count);
        if (plot->logarithmic) series[count].y = magnitudes(series[count].y, series[count].n);
        cli_words_add(&names, "%d  %s", r->number, r->row->label);
        count++;
    }
    for (int k = 0; k < count; k++) series[k].name = names.items[k];
    if (count > 0)
        cli_svg_write(out, &(cli_svg_plot){.title = *plot->title ? plot->title : plot->y,
                                           .ylabel = "",
                                           .xlabel = "t [s]",
                                           .log_y = plot->logarithmic,
                                           .width = WIDE,
                                           .height = TALL,
                                           .legend = 1,
                                           .series = series,
                                           .count = count});
    for (int k = 0; plot->logarithmic && k < count; k++) free((double*)(uintptr_t)series[k].y);
    free(series);
    cli_words_clear(&names);
}

/// One measure of the runs over their time: rows of one label are one curve.
static void put_scatter(FILE* out, const cli_bench_study* s, const sar_study_plot* plot)
{
    cli_bench_measure measure =
        strcmp(plot->y, "energy_drift") == 0 ? CLI_BENCH_ENERGY : CLI_BENCH_ERROR;
    cli_words labels = {0};
    for (int k = 0; k < s->count; k++)
        if (s->rows[k].wanted && s->rows[k].measured)
            cli_words_add_once(&labels, s->rows[k].row->label);
    cli_svg_series* series = cli_allocate((size_t)labels.count, sizeof *series);
    double* values = cli_allocate(2 * (size_t)labels.count * (size_t)s->count, sizeof *values);
    for (int c = 0; c < labels.count; c++) {
        double *x = values + 2 * (size_t)c * (size_t)s->count, *y = x + s->count;
        int n = 0;
        for (int k = 0; k < s->count; k++) {
            const cli_bench_row* r = &s->rows[k];
            if (!r->wanted || !r->measured || strcmp(r->row->label, labels.items[c]) != 0) continue;
            x[n] = r->trial.seconds;
            y[n++] = r->trial.status == SAR_OK ? cli_bench_value(r, measure) : NAN;
        }
        series[c] = (cli_svg_series){labels.items[c], n, x, y, .style = c, .points = 1};
    }
    if (labels.count > 0)
        cli_svg_write(out,
                      &(cli_svg_plot){.title = *plot->title ? plot->title : plot->y,
                                      .ylabel = measure == CLI_BENCH_ENERGY ? "energy drift [J]"
                                                                            : "total error eps_T",
                                      .xlabel = "time of a run [s]",
                                      .log_x = plot->logarithmic,
                                      .log_y = plot->logarithmic,
                                      .width = WIDE,
                                      .height = TALL + 90,
                                      .legend = 1,
                                      .series = series,
                                      .count = labels.count});
    free(values);
    free(series);
    cli_words_clear(&labels);
}

static int has_reference(const cli_bench_study* s, const char* column)
{
    for (int k = 0; k < s->count; k++)
        if (s->rows[k].reference && sar_result_find(s->rows[k].reference, column) >= 0) return 1;
    return 0;
}

static void put_plots(FILE* out, const cli_bench_study* s)
{
    for (int k = 0; k < s->head->plot_count; k++) {
        const sar_study_plot* plot = &s->head->plots[k];
        if (strcmp(plot->x, "t") != 0)
            put_scatter(out, s, plot);
        else if (has_reference(s, plot->y))
            put_small_plots(out, s, plot);
        else
            put_joint_plot(out, s, plot);
    }
}

/* ---- the page ----------------------------------------------------------------------------- */

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
    put_plots(out, s);
}

static void put_page(FILE* out, const cli_bench* bench)
{
    char *machine = cli_machine(), *summary = cli_bench_summary(bench->studies, bench->count);
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta "
            "name=\"viewport\" content=\"width=device-width\"><title>Sarrus: published figures "
            "and ours</title>\n<style>%s</style></head><body>\n<h1>Published figures and "
            "ours</h1>\n<p class=\"m\">Sarrus " SAR_VERSION " on ",
            style_sheet);
    cli_put_html(out, machine);
    fprintf(out, ", %s. ", date);
    cli_put_html(out, summary);
    fputs(".</p>\n<p class=\"m\">Every row was run with the published method and parameters and is "
          "judged by the limit of its source. Times are CPU times of the steps; the published ones "
          "were taken on other machines, so ratios are indicative.</p>\n",
          out);
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
    FILE* out = fopen(path, "w");
    if (out) {
        put_page(out, bench);
        int failed = ferror(out);
        if (fclose(out) == 0 && !failed) return 0;
    }
    cli_error("bench", "cannot write '%s': %s", path, strerror(errno));
    return -1;
}
