/* The plots of a study: histories over time, quantities of the runs, snapshots of the mechanism. */
#include "bench/bench.h"

#include "pictures/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 1080, TALL = 330, SMALL_WIDE = 355, SMALL_TALL = 190 };

/* ---- histories ------------------------------------------------------------------------------ */

/// The part of a column that the plot shows.
static cli_svg_series series_of(const sar_result* r, int column, const sar_study_plot* plot,
                                const char* name, int style)
{
    const double* t = sar_result_time(r);
    const int over = *plot->orbit ? sar_result_find(r, plot->orbit) : -1;
    int first = 0, end = sar_result_rows(r);
    while (first < end && t[first] < plot->from) first++; // NaN: all
    while (end > first && t[end - 1] > plot->until) end--;
    return (cli_svg_series){.name = name,
                            .n = end - first,
                            .x = (over < 0 ? t : sar_result_column(r, over)) + first,
                            .y = sar_result_column(r, column) + first,
                            .style = style};
}

/// Each run over the reference in a small plot of its own: where they part is seen at once.
static void put_small_plots(FILE* out, const cli_bench_study* s, const sar_study_plot* plot)
{
    fprintf(out, "<h3>");
    cli_put_html(out, *plot->title ? plot->title : plot->y);
    fprintf(out, ": ");
    cli_put_html(out, plot->y);
    fprintf(out, " over ");
    cli_put_html(out, *plot->orbit ? plot->orbit : "time");
    fputs(", the reference in grey</h3><div class=\"small\">\n", out);
    for (int k = 0; k < s->count; k++) {
        const cli_bench_row* r = &s->rows[k];
        int ours = r->history ? sar_result_find(r->history, plot->y) : -1;
        if (!r->wanted || ours < 0) continue;
        int theirs = r->reference ? sar_result_find(r->reference, plot->y) : -1;
        cli_svg_series series[2];
        int count = 0;
        if (theirs >= 0) series[count++] = series_of(r->reference, theirs, plot, "reference", -1);
        series[count++] = series_of(r->history, ours, plot, r->row->label, 0);
        char* title = cli_format("%d  %s", r->number, r->row->label);
        cli_svg_write(out, &(cli_svg_plot){.title = title,
                                           .ylabel = "",
                                           .xlabel = *plot->orbit ? plot->orbit : "t [s]",
                                           .width = SMALL_WIDE,
                                           .height = *plot->orbit ? SMALL_WIDE : SMALL_TALL,
                                           .true_scale = *plot->orbit != 0,
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
        series[count] = series_of(r->history, column, plot, "", count);
        if (plot->logarithmic) series[count].y = magnitudes(series[count].y, series[count].n);
        cli_words_add(&names, "%d  %s", r->number, r->row->label);
        count++;
    }
    for (int k = 0; k < count; k++) series[k].name = names.items[k];
    if (count > 0)
        cli_svg_write(out, &(cli_svg_plot){.title = *plot->title ? plot->title : plot->y,
                                           .ylabel = "",
                                           .xlabel = *plot->orbit ? plot->orbit : "t [s]",
                                           .true_scale = *plot->orbit != 0,
                                           .log_y = plot->logarithmic ? 10 : 0,
                                           .most_y = plot->most > 0.0 ? plot->most : 0.0,
                                           .width = WIDE,
                                           .height = TALL,
                                           .legend = 1,
                                           .series = series,
                                           .count = count});
    for (int k = 0; plot->logarithmic && k < count; k++) free((double*)(uintptr_t)series[k].y);
    free(series);
    cli_words_clear(&names);
}

/* ---- quantities of the runs ----------------------------------------------------------------- */

/// Which curve of the plot a row belongs to: "DCA", "n = 128". To be freed.
static char* curve_of(const cli_bench_row* r, const char* by)
{
    if (strcmp(by, "label") == 0) return cli_format("%s", r->row->label);
    return cli_format("%s = %g", by, cli_bench_setting(r, by));
}

/// Over anything but time the drift is the largest of each run.
static const char* quantity_of(const sar_study_plot* plot)
{
    return strcmp(plot->y, "energy_drift") == 0 ? "energy.max_drift" : plot->y;
}

/// The points of one curve. The number of them.
static int collect(const cli_bench_study* s, const sar_study_plot* plot, const char* curve,
                   double* x, double* y)
{
    const char* of = quantity_of(plot);
    int n = 0;
    for (int k = 0; k < s->count; k++) {
        const cli_bench_row* r = &s->rows[k];
        char* own = curve_of(r, plot->by);
        if (r->wanted && r->measured && strcmp(own, curve) == 0) {
            x[n] = cli_bench_quantity(s, r, plot->x);
            y[n] = cli_bench_quantity(s, r, of);
            if (plot->logarithmic) y[n] = fabs(y[n]); // how small, not with which sign
            n++;
        }
        free(own);
    }
    return n;
}

/// Counts are mostly doubled from run to run, and their axis shows it.
static int is_a_count(const cli_bench_study* s, const char* name)
{
    if (cli_bench_is_quantity(name)) return 0;
    for (int k = 0; k < s->count; k++) {
        double value = cli_bench_setting(&s->rows[k], name);
        if (!isnan(value) && value != floor(value)) return 0;
    }
    return 1;
}

/// A quantity of the runs over another, or over an option or a parameter.
static void put_scatter(FILE* out, const cli_bench_study* s, const sar_study_plot* plot)
{
    cli_words curves = {0};
    for (int k = 0; k < s->count; k++) {
        char* curve = curve_of(&s->rows[k], plot->by);
        if (s->rows[k].wanted && s->rows[k].measured) cli_words_add_once(&curves, curve);
        free(curve);
    }
    size_t room = (size_t)s->count;
    cli_svg_series* series = cli_allocate((size_t)curves.count + 1, sizeof *series);
    double* values = cli_allocate(2 * (size_t)(curves.count + 1) * room, sizeof *values);
    for (int c = 0; c < curves.count; c++) {
        double *x = values + 2 * (size_t)c * room, *y = x + room;
        int n = collect(s, plot, curves.items[c], x, y);
        series[c] = (cli_svg_series){
            .name = curves.items[c], .n = n, .x = x, .y = y, .style = c, .points = 1};
    }
    char *ylabel = cli_bench_quantity_title(quantity_of(plot)),
         *xlabel = cli_bench_quantity_title(plot->x);
    int doubled = is_a_count(s, plot->x);
    if (curves.count > 0)
        cli_svg_write(out, &(cli_svg_plot){.title = *plot->title ? plot->title : plot->y,
                                           .ylabel = ylabel,
                                           .xlabel = xlabel,
                                           .log_x = doubled             ? 2
                                                    : plot->logarithmic ? 10
                                                                        : 0,
                                           .log_y = plot->logarithmic ? 10 : 0,
                                           .from_zero = !plot->logarithmic,
                                           .width = WIDE,
                                           .height = TALL + 90,
                                           .legend = 1,
                                           .series = series,
                                           .count = curves.count});
    free(ylabel);
    free(xlabel);
    free(values);
    free(series);
    cli_words_clear(&curves);
}

/* ---- snapshots ------------------------------------------------------------------------------ */

/// The mechanism of one run, paler the longer ago.
static void put_snapshots(FILE* out, const cli_bench_row* r, const sar_study_plot* plot)
{
    const cli_sketch* sketch = &r->sketch;
    cli_svg_series* series = cli_allocate((size_t)sketch->count + 1, sizeof *series);
    cli_words times = {0};
    for (int k = 0; k < sketch->count; k++) cli_words_add(&times, "%.3g s", sketch->t[k]);
    for (int k = 0; k < sketch->count; k++)
        series[k] = (cli_svg_series){.name = times.items[k],
                                     .n = sketch->each,
                                     .x = sketch->x + (size_t)sketch->each * (size_t)k,
                                     .y = sketch->y + (size_t)sketch->each * (size_t)k,
                                     .pale = 1.0 - (k + 1.0) / sketch->count,
                                     .tag = 1};
    char* title = cli_format("%s: %d  %s", plot->title, r->number, r->row->label);
    if (sketch->count > 0)
        cli_svg_write(out, &(cli_svg_plot){.title = title,
                                           .ylabel = "y [m]",
                                           .xlabel = "x [m]",
                                           .width = WIDE,
                                           .height = 2 * TALL,
                                           .true_scale = 1,
                                           .series = series,
                                           .count = sketch->count});
    free(title);
    free(series);
    cli_words_clear(&times);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static int has_reference(const cli_bench_study* s, const char* column)
{
    for (int k = 0; k < s->count; k++)
        if (s->rows[k].reference && sar_result_find(s->rows[k].reference, column) >= 0) return 1;
    return 0;
}

/// Do the rows want a plot of time over precision that the study does not have?
static int compares_precision(const cli_bench_study* s)
{
    int wanted = s->tuned;
    for (int k = 0; k < s->count; k++) wanted |= *s->rows[k].row->outside.file != 0;
    for (int k = 0; k < s->head->plot_count; k++)
        wanted &= strcmp(s->head->plots[k].y, "seconds") != 0;
    return wanted;
}

/// Which method or code needs how long for which precision.
static void put_time_over_precision(FILE* out, const cli_bench_study* s)
{
    int energy = cli_bench_judged_by(s) == CLI_BENCH_ENERGY;
    put_scatter(out, s,
                &(sar_study_plot){.title = "Time over precision",
                                  .x = energy ? "energy.max_drift" : "total_error",
                                  .y = "seconds",
                                  .by = "label",
                                  .logarithmic = 1});
}

void cli_bench_plots(const cli_bench_study* s, FILE* out)
{
    if (compares_precision(s)) put_time_over_precision(out, s);
    for (int k = 0; k < s->head->plot_count; k++) {
        const sar_study_plot* plot = &s->head->plots[k];
        if (plot->snapshots > 0.0)
            for (int j = 0; j < s->count; j++) put_snapshots(out, &s->rows[j], plot);
        else if (strcmp(plot->x, "t") != 0)
            put_scatter(out, s, plot);
        else if (has_reference(s, plot->y))
            put_small_plots(out, s, plot);
        else
            put_joint_plot(out, s, plot);
    }
}
