#include "pictures/svg.h"
#include "math/functions.h"

#include <math.h>
#include <string.h>

// Told apart by every kind of colour vision (Okabe and Ito), without the yellow that white paper
// swallows.
static const char* const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000"};
static const char* const dashes[] = {"", "7,3", "2,3", "9,3,2,3"};
enum { COLOURS = sizeof colours / sizeof *colours, DASHES = sizeof dashes / sizeof *dashes };
enum { LEFT = 64, RIGHT = 14, TOP = 26, BOTTOM = 40, LINE = 17, COLUMN = 190 };

typedef struct axis {
    double least, most; ///< of what is shown, as logarithms if it is
    int logarithmic;
    double from, to; ///< [pixels]
} axis;

void cli_put_html(FILE* out, const char* text)
{
    for (const char* c = text ? text : ""; *c; c++) {
        const char* special = "&<>\"";
        static const char* const meant[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
        const char* found = strchr(special, *c);
        if (found)
            fputs(meant[found - special], out);
        else
            fputc(*c, out);
    }
}

static double shown(const axis* a, double value)
{
    if (!a->logarithmic) return value;
    if (!(value > 0.0)) return NAN;
    return sari_log10(value);
}

static double place(const axis* a, double value)
{
    return a->from + (shown(a, value) - a->least) / (a->most - a->least) * (a->to - a->from);
}

static void include(axis* a, double value)
{
    double v = shown(a, value);
    if (!isfinite(v)) return;
    if (v < a->least) a->least = v;
    if (v > a->most) a->most = v;
}

/* Logarithms go to whole decades, and over no more than twelve of them: below that is
 * rounding. */
static void round_off(axis* a)
{
    if (a->least > a->most) a->least = 0.0, a->most = 1.0;
    if (a->logarithmic) {
        a->most = ceil(a->most - 1e-9);
        a->least = fmax(floor(a->least + 1e-9), a->most - 12.0);
        if (a->most - a->least < 1.0) a->least = a->most - 1.0;
        return;
    }
    double margin = a->most > a->least ? 0.04 * (a->most - a->least) : 0.1 + 0.1 * fabs(a->most);
    a->least -= margin, a->most += margin;
}

static double tick_step(const axis* a, int wanted)
{
    double span = (a->most - a->least) / wanted;
    if (a->logarithmic) return fmax(1.0, ceil(span));
    double power = sari_pow(10.0, floor(sari_log10(span))), part = span / power;
    return power * (part <= 1.0 ? 1.0 : part <= 2.0 ? 2.0 : part <= 5.0 ? 5.0 : 10.0);
}

static void put_tick(FILE* out, const axis* a, double tick)
{
    if (a->logarithmic)
        fprintf(out, "10<tspan dy=\"-4\" font-size=\"9\">%d</tspan>", (int)lround(tick));
    else
        fprintf(out, "%.6g", fabs(tick) < 1e-12 ? 0.0 : tick);
}

static void put_axes(FILE* out, const cli_svg_plot* p, const axis* x, const axis* y)
{
    double step = tick_step(x, p->width / 90);
    for (double v = ceil(x->least / step - 1e-9) * step; v <= x->most + 1e-9 * step; v += step) {
        double at = x->from + (v - x->least) / (x->most - x->least) * (x->to - x->from);
        fprintf(out,
                "<path class=\"g\" d=\"M%.1f %.1fV%.1f\"/><text x=\"%.1f\" y=\"%.1f\" "
                "text-anchor=\"middle\">",
                at, y->from, y->to, at, y->from + 15);
        put_tick(out, x, v);
        fputs("</text>", out);
    }
    step = tick_step(y, p->height / 45);
    for (double v = ceil(y->least / step - 1e-9) * step; v <= y->most + 1e-9 * step; v += step) {
        double at = y->from + (v - y->least) / (y->most - y->least) * (y->to - y->from);
        fprintf(out,
                "<path class=\"g\" d=\"M%.1f %.1fH%.1f\"/><text x=\"%.1f\" y=\"%.1f\" "
                "text-anchor=\"end\">",
                x->from, at, x->to, x->from - 6, at + 4);
        put_tick(out, y, v);
        fputs("</text>", out);
    }
    fprintf(out, "<path class=\"a\" d=\"M%.1f %.1fV%.1fH%.1f\"/>", x->from, y->to, y->from, x->to);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", 0.5 * (x->from + x->to),
            y->from + 31);
    cli_put_html(out, p->xlabel);
    fprintf(out, "</text><text x=\"%d\" y=\"15\" class=\"t\">", 6);
    cli_put_html(out, p->title);
    if (p->ylabel && *p->ylabel) {
        fputs(" <tspan class=\"u\">", out);
        cli_put_html(out, p->ylabel);
        fputs("</tspan>", out);
    }
    fputs("</text>", out);
}

/// The same length on both axes: the one with room to spare shows more than it has to.
static void make_true(axis* x, axis* y)
{
    double per_x = (x->most - x->least) / fabs(x->to - x->from);
    double per_y = (y->most - y->least) / fabs(y->to - y->from);
    axis* wide = per_x < per_y ? x : y;
    double middle = 0.5 * (wide->least + wide->most);
    double half = 0.5 * fmax(per_x, per_y) * fabs(wide->to - wide->from);
    wide->least = middle - half, wide->most = middle + half;
}

static void put_stroke(FILE* out, int style)
{
    if (style < 0) {
        fputs("stroke=\"#b8b8b8\" stroke-width=\"4\"", out);
        return;
    }
    fprintf(out, "stroke=\"%s\" stroke-width=\"1.4\"", colours[style % COLOURS]);
    const char* dash = dashes[style / COLOURS % DASHES];
    if (*dash) fprintf(out, " stroke-dasharray=\"%s\"", dash);
}

/// The name beyond the end of the curve, seen from where it begins.
static void put_tag(FILE* out, const cli_svg_series* s, const axis* x, const axis* y)
{
    double begin = s->n > 0 ? place(x, s->x[0]) : 0.0;
    for (int i = s->n - 1; i >= 0; i--) {
        double px = place(x, s->x[i]), py = place(y, s->y[i]);
        if (!isfinite(px) || !isfinite(py)) continue;
        int left = px < begin;
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"%s>", left ? px - 5 : px + 4, py + 4,
                left ? " text-anchor=\"end\"" : "");
        cli_put_html(out, s->name);
        fputs("</text>", out);
        return;
    }
}

static void put_series(FILE* out, const cli_svg_series* s, const axis* x, const axis* y)
{
    fputs("<g><title>", out);
    cli_put_html(out, s->name);
    fputs("</title><path fill=\"none\" stroke-linejoin=\"round\" ", out);
    put_stroke(out, s->style);
    if (s->pale > 0.0) fprintf(out, " stroke-opacity=\"%.2f\"", 1.0 - 0.8 * s->pale);
    fputs(" d=\"", out);
    int pen = 0;
    for (int i = 0; i < s->n; i++) {
        double px = place(x, s->x[i]), py = place(y, s->y[i]);
        // what lies far outside would only spoil the rendering
        if (!isfinite(px) || !isfinite(py) || fabs(py) > 1e5) {
            pen = 0;
            continue;
        }
        fprintf(out, "%c%.1f %.1f", pen ? 'L' : 'M', px, py);
        pen = 1;
    }
    fputs("\"/>", out);
    for (int i = 0; s->points && i < s->n; i++) {
        double px = place(x, s->x[i]), py = place(y, s->y[i]);
        if (isfinite(px) && isfinite(py))
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\" fill=\"%s\"/>", px, py,
                    colours[s->style % COLOURS]);
    }
    if (s->tag) put_tag(out, s, x, y);
    fputs("</g>\n", out);
}

static int legend_columns(const cli_svg_plot* p)
{
    return (p->width - LEFT) / COLUMN > 0 ? (p->width - LEFT) / COLUMN : 1;
}

static void put_legend(FILE* out, const cli_svg_plot* p, double top)
{
    int columns = legend_columns(p);
    for (int k = 0; k < p->count; k++) {
        int row = k / columns, column = k % columns;
        double px = LEFT + COLUMN * column, py = top + LINE * row;
        fprintf(out, "<path d=\"M%.1f %.1fh24\" ", px, py - 4);
        put_stroke(out, p->series[k].style);
        fprintf(out, "/><text x=\"%.1f\" y=\"%.1f\">", px + 30, py);
        cli_put_html(out, p->series[k].name);
        fputs("</text>", out);
    }
}

int cli_svg_height(const cli_svg_plot* p)
{
    const int columns = legend_columns(p);
    const int lines = p->legend ? (p->count + columns - 1) / columns : 0;
    return p->height + (lines ? LINE * lines + 6 : 0);
}

void cli_svg_write(FILE* out, const cli_svg_plot* p)
{
    static int plots; // every plot clips by a rectangle with a name of its own
    const int height = cli_svg_height(p);
    axis x = {INFINITY, -INFINITY, p->log_x, LEFT, p->width - RIGHT};
    axis y = {INFINITY, -INFINITY, p->log_y, p->height - BOTTOM, TOP};
    for (int k = 0; k < p->count; k++)
        for (int i = 0; i < p->series[k].n; i++) {
            include(&x, p->series[k].x[i]);
            include(&y, p->series[k].y[i]);
        }
    int fills = !x.logarithmic && !p->true_scale && x.least < x.most; // time fills the width
    if (!fills) round_off(&x);
    round_off(&y);
    if (p->true_scale) make_true(&x, &y);
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">", p->width,
            height, p->width, height);
    put_axes(out, p, &x, &y);
    fprintf(out,
            "<clipPath id=\"c%d\"><rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>"
            "</clipPath><g clip-path=\"url(#c%d)\">\n",
            plots, x.from, y.to, x.to - x.from, y.from - y.to, plots);
    plots++;
    for (int k = 0; k < p->count; k++) put_series(out, &p->series[k], &x, &y);
    fputs("</g>", out);
    if (p->legend) put_legend(out, p, p->height + 8);
    fputs("</svg>\n", out);
}

const char* cli_svg_colour(int style)
{
    return colours[style % COLOURS];
}

/// How plots look.
static const char look[] =
    "svg{font:11px system-ui,sans-serif;max-width:100%;height:auto}"
    "svg .g{stroke:#e6e6e6;fill:none}svg .a{stroke:#666;fill:none}"
    "svg text{fill:#333}svg .t{font-size:13px;font-weight:600}svg .u{font-weight:400;fill:#666}";

void cli_svg_begin(FILE* out, int width, int height)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\">\n<style>%s</style>\n<rect width=\"%d\" height=\"%d\" "
            "fill=\"white\"/>\n",
            width, height, width, height, look, width, height);
}
