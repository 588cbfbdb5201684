/* Bars: what one percent of each parameter does to each objective; or curves with bands: what tolerances do. */
#include "sensitivity/sensitivity.h"

#include "common/files/output_file.h"
#include "pictures/svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 760, NAME = 250, NUMBER = 110, LINE = 24, HEAD = 44, MOST = 20, CURVE = 320 };

/* One objective from y on; returns where it ends. */
static int put_bars(const cli_derivatives* d, FILE* out, int objective, int y)
{
    int* order;
    const int count = cli_derivatives_sorted(d, objective, &order),
              shown = count < MOST ? count : MOST;
    double most = 0.0;
    for (int k = 0; k < shown; k++)
        most = fmax(most, fabs(cli_derivatives_effect(d, objective, order[k], NULL)));
    const double room = 0.5 * (WIDTH - NAME - NUMBER - 20), middle = NAME + room;
    fprintf(out, "<text x=\"16\" y=\"%d\" font-weight=\"bold\">", y + 20);
    cli_put_html(out, d->of.items[objective]);
    fprintf(
        out,
        "</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#666\">change by 1 %% of the "
        "parameter (by 0.01 where it is 0)</text>\n",
        WIDTH - 16, y + 20);
    y += HEAD - 10;
    for (int k = 0; k < shown; k++, y += LINE) {
        sar_sensitivity_parameter p;
        const double effect = cli_derivatives_effect(d, objective, order[k], NULL),
                     length = most > 0.0 ? room * effect / most : 0.0;
        sar_sensitivity_get_parameter(d->found, order[k], &p);
        fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", NAME - 10, y + 15);
        cli_put_html(out, p.name);
        fprintf(out,
                "</text><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>"
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%+.3g</text>\n",
                length < 0.0 ? middle + length : middle, y + 3, fabs(length), LINE - 8,
                cli_svg_colour(length < 0.0 ? 1 : 0), WIDTH - 16, y + 15, effect);
    }
    fprintf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#888\"/>\n", middle,
            middle, y - shown * LINE, y);
    free(order);
    return y + 12;
}

static int height_of(const cli_derivatives* d)
{
    int height = 10;
    for (int k = 0; k < d->of.count; k++) {
        int* order;
        const int count = cli_derivatives_sorted(d, k, &order);
        free(order);
        height += HEAD + LINE * (count < MOST ? count : MOST) + 2;
    }
    return height;
}

/* Values of an objective at the samples, and what tolerances make of them. */
static void put_curve(const cli_derivatives* d, FILE* out, int objective, int y)
{
    const size_t n = (size_t)d->rows;
    double *t = cli_allocate(4 * n, sizeof *t), *value = t + n, *low = value + n, *high = low + n;
    int count = 0;
    for (int r = 0; r < d->rows; r++) {
        sar_sensitivity_row of;
        sar_sensitivity_get_row(d->found, r, &of);
        if (of.objective != objective) continue;
        const double band = cli_derivatives_band(d, r);
        t[count] = of.t, value[count] = of.value;
        low[count] = of.value - band, high[count++] = of.value + band;
    }
    const cli_svg_series curves[] = {
        {.name = "by tolerances", .n = count, .x = t, .y = low, .style = 1, .pale = 0.3},
        {.name = "by tolerances", .n = count, .x = t, .y = high, .style = 1, .pale = 0.3},
        {.name = d->of.items[objective], .n = count, .x = t, .y = value}};
    const cli_svg_plot plot = {.title = d->of.items[objective],
                               .xlabel = "time [s]",
                               .ylabel = "and what tolerances do",
                               .width = WIDTH - 20,
                               .height = CURVE - 20,
                               .series = curves,
                               .count = 3};
    fprintf(out, "<g transform=\"translate(10, %d)\">", y + 10);
    cli_svg_write(out, &plot);
    fputs("</g>\n", out);
    free(t);
}

static void put_bands(const cli_derivatives* d, FILE* out)
{
    cli_svg_begin(out, WIDTH, CURVE * d->of.count);
    for (int k = 0; k < d->of.count; k++) put_curve(d, out, k, CURVE * k);
}

static void put_all_bars(const cli_derivatives* d, FILE* out)
{
    const int height = height_of(d);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"13\"><rect width=\"100%%\" "
            "height=\"100%%\" fill=\"#fff\"/>\n",
            WIDTH, height, WIDTH, height);
    int y = 6;
    for (int k = 0; k < d->of.count; k++) y = put_bars(d, out, k, y);
}

int cli_derivatives_draw(const cli_derivatives* d)
{
    FILE* out = fopen(d->plot, "w");
    if (!out) {
        cli_error("sensitivity", "cannot write %s: %s", d->plot, strerror(errno));
        return CLI_FAILED;
    }
    (d->at_samples && d->tolerances ? put_bands : put_all_bars)(d, out);
    fputs("</svg>\n", out);
    if (fclose(out) == 0) return 0;
    cli_error("sensitivity", "cannot write %s: %s", d->plot, strerror(errno));
    return CLI_FAILED;
}
