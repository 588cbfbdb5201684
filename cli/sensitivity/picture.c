/* Bars: what one percent of each parameter does to each objective. */
#include "sensitivity/sensitivity.h"

#include "common/files/output_file.h"
#include "pictures/svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 760, NAME = 250, NUMBER = 110, LINE = 24, HEAD = 44, MOST = 20 };

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

int cli_derivatives_draw(const cli_derivatives* d)
{
    FILE* out = fopen(d->plot, "w");
    if (!out) {
        cli_error("sensitivity", "cannot write %s: %s", d->plot, strerror(errno));
        return CLI_FAILED;
    }
    const int height = height_of(d);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"13\"><rect width=\"100%%\" height=\"100%%\" "
            "fill=\"#fff\"/>\n",
            WIDTH, height, WIDTH, height);
    int y = 6;
    for (int k = 0; k < d->of.count; k++) y = put_bars(d, out, k, y);
    fputs("</svg>\n", out);
    if (fclose(out) == 0) return 0;
    cli_error("sensitivity", "cannot write %s: %s", d->plot, strerror(errno));
    return CLI_FAILED;
}
