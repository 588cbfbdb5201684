#include "pictures/plot.h"

#include "math/functions.h"
#include "pictures/gnuplot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 900,        // of the picture [pixels]
    PANEL_HEIGHT = 210, // of one panel's axes
    TITLE = 34,         // room for the title
    OWN_X = 44,         // room for tics and label of an x of its own
    HEAD = 34,          // room above a panel: its label and legend
    LEGEND_LINE = 17,   // height of one line of a legend
    GAP = 16,           // more room between panels
    FOOT = 60,          // room below the last: tics, label
    LEFT = 92,          // room for the tics of y
    RIGHT = 24,
    BUCKETS = 1600,     // columns of pixels that a line is thinned to
    MOST_MARKERS = 400, // more would paint the panel grey
};

// Told apart by every kind of colour vision (Okabe and Ito), without the yellow that white paper
// swallows.
static const char* const colors[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                     "#E69F00", "#56B4E9", "#000000"};
enum { COLORS = sizeof colors / sizeof colors[0] };

#define MARKER_LINE "lc rgb '#808080' lw 0.9 dt (8,6)"

typedef struct range {
    double least, most; ///< least > most: nothing to show
} range;

static int can_show(const cli_panel* panel, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!panel->logscale || y > 0.0);
}

static void include(range* r, double value)
{
    if (value < r->least) r->least = value;
    if (value > r->most) r->most = value;
}

/* Ranges of what can be shown in one panel. */
static void panel_ranges(const cli_panel* panel, range* x, range* y)
{
    for (int k = 0; k < panel->count; k++) {
        const cli_series* s = &panel->series[k];
        for (int i = 0; i < s->n; i++) {
            if (!can_show(panel, s->x[i], s->y[i])) continue;
            const double half = s->area ? s->band[i] : 0.0;
            include(x, s->x[i]);
            include(y, s->y[i] - half);
            include(y, s->y[i] + half);
        }
    }
}

static void put_point(FILE* to, double x, double y)
{
    fprintf(to, "%.9g %.9g\n", x, y);
}

/* Points that share a column of pixels add nothing but bytes: of each run that does, the first, the
 * lowest, the highest and the last are kept, in their order, so that no peak is lost. */
static void put_bucket(FILE* to, const cli_series* s, int from, int end)
{
    int low = from, high = from;
    for (int i = from; i < end; i++) {
        if (s->y[i] < s->y[low]) low = i;
        if (s->y[i] > s->y[high]) high = i;
    }
    int keep[4] = {from, low < high ? low : high, low < high ? high : low, end - 1};
    for (int k = 0; k < 4; k++)
        if (k == 0 || keep[k] > keep[k - 1]) put_point(to, s->x[keep[k]], s->y[keep[k]]);
}

static void put_series(FILE* to, const cli_panel* panel, const cli_series* s, const range* x)
{
    double width = (x->most - x->least) / BUCKETS;
    for (int i = 0; i < s->n;) {
        if (!can_show(panel, s->x[i], s->y[i])) {
            fputc('\n', to); // an empty line breaks the curve
            for (i++; i < s->n && !can_show(panel, s->x[i], s->y[i]);) i++;
            continue;
        }
        int end = i + 1;
        while (end < s->n && fabs(s->x[end] - s->x[i]) < width &&
               can_show(panel, s->x[end], s->y[end]))
            end++;
        put_bucket(to, s, i, end);
        i = end;
    }
}

/* Between y - band and y + band. */
static void put_band(FILE* to, const cli_panel* panel, const cli_series* s)
{
    const int stride = 1 + s->n / BUCKETS;
    for (int i = 0; i < s->n; i += stride) {
        double most = 0.0;
        for (int k = i; k < s->n && k < i + stride; k++) most = fmax(most, s->band[k]);
        if (can_show(panel, s->x[i], s->y[i]) && isfinite(most))
            fprintf(to, "%.9g %.9g %.9g\n", s->x[i], s->y[i] - most, s->y[i] + most);
    }
}

static void put_data(FILE* to, const cli_plot* p, const range* x)
{
    const range point = {0, 0}; // columns without a width: nothing is left out
    for (int k = 0; k < p->count; k++) {
        const int thinned = !p->xlog && !p->points && !p->panels[k].xlabel;
        for (int j = 0; j < p->panels[k].count; j++) {
            fprintf(to, "$d%d_%d << END\n", k, j);
            put_series(to, &p->panels[k], &p->panels[k].series[j], thinned ? x : &point);
            fputs("END\n", to);
            if (!p->panels[k].series[j].band) continue;
            fprintf(to, "$b%d_%d << END\n", k, j);
            put_band(to, &p->panels[k], &p->panels[k].series[j]);
            fputs("END\n", to);
        }
    }
}

static void put_axes_style(FILE* to)
{
    fputs("set border 3 lc rgb '#606060' lw 0.8\n"
          "set tics nomirror out scale 0.5 tc rgb '#303030'\n"
          "set grid xtics ytics back lt 1 lc rgb '#e4e4e4' lw 0.7\n"
          "set key at graph 1, graph 1.03 right bottom horizontal reverse Left noenhanced "
          "tc rgb '#303030' samplen 1.8 width -1\n",
          to);
}

/* The mechanism itself, over the whole width, between the title and the first panel. */
static void put_picture(FILE* to, const char* path, const cli_plot* p, int height)
{
    const int here = cli_sheet_height(p->picture);
    fprintf(to,
            "unset border; unset tics; unset grid; unset key\n"
            "set lmargin at screen 0; set rmargin at screen 1\n"
            "set tmargin at screen %.5f; set bmargin at screen %.5f\n"
            "set xrange [0:%d]; set yrange [0:%d]\n",
            1.0 - (double)TITLE / height, 1.0 - (double)(TITLE + here) / height, WIDTH, here);
    cli_sheet_put(p->picture, to, cli_gnuplot_size(path, 13));
    fputs("plot NaN notitle\nunset object; unset label; unset arrow\n", to);
}

static void put_style(FILE* to, const char* path, const cli_plot* p, int height)
{
    cli_gnuplot_terminal(to, path, WIDTH, height);
    fputs("set multiplot\n", to);
    if (p->title) {
        fputs("set label 1 ", to);
        cli_gnuplot_text(to, p->title);
        fprintf(to, " at screen %.5f, screen %.5f left noenhanced font ',%d' tc rgb '#101010'\n",
                (double)LEFT / WIDTH, 1.0 - 0.6 * TITLE / height, cli_gnuplot_size(path, 16));
    }
    if (p->marker_count > 0 && p->marker_name) {
        fputs("set label 3 'dashed: '.", to);
        cli_gnuplot_text(to, p->marker_name);
        fprintf(to, " at screen %.5f, screen %.5f right noenhanced tc rgb '#606060'\n",
                1.0 - (double)RIGHT / WIDTH, 1.0 - 0.6 * TITLE / height);
    }
}

static void put_markers(FILE* to, const cli_plot* p, const range* x)
{
    int count = p->marker_count < MOST_MARKERS ? p->marker_count : MOST_MARKERS;
    for (int k = 0; k < count; k++) {
        double at = p->markers[k];
        if (at >= x->least && at <= x->most)
            fprintf(
                to,
                "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead back " MARKER_LINE
                "\n",
                at, at);
    }
}

/* A range of one value has no height, and none at all stops gnuplot. */
static void put_linear_range(FILE* to, const range* y)
{
    fputs("unset logscale y; set format y '%h'\n", to);
    double margin = y->least == 0.0 ? 1.0 : 0.1 * fabs(y->least);
    if (y->least > y->most)
        fputs("set yrange [-1:1]\n", to);
    else if (y->least == y->most)
        fprintf(to, "set yrange [%.9g:%.9g]\n", y->least - margin, y->most + margin);
    else
        fputs("set autoscale y; set offsets 0, 0, graph 0.03, graph 0.03\n", to);
}

/* Whole decades, at least one, so that two tics have a label. */
static void put_log_range(FILE* to, const range* y)
{
    fputs("set logscale y; set format y '10^{%T}'; set offsets 0, 0, 0, 0\n", to);
    double low = -1.0, high = 1.0;
    if (y->least <= y->most) {
        low = floor(sari_log10(y->least));
        high = fmax(ceil(sari_log10(y->most)), low + 1.0);
    }
    fprintf(to, "set yrange [1e%.0f:1e%.0f]\n", low, high);
}

/* How many entries of the legend stand side by side. Columns are as wide as the longest name;
 * widths are those that gnuplot assumes. */
static int legend_columns(const cli_panel* panel)
{
    size_t longest = 0;
    int named = 0;
    for (int j = 0; j < panel->count; j++) {
        if (!panel->series[j].name) continue;
        size_t length = strlen(panel->series[j].name);
        if (length > longest) longest = length;
        named++;
    }
    int fit = (int)((WIDTH - LEFT - RIGHT) / (9.0 * (double)longest + 66.0));
    if (fit < 1) fit = 1;
    return named < fit ? named : fit;
}

/* Lines of the legend that need room of their own. The first shares its line with the label of y.
 */
static int legend_lines(const cli_panel* panel)
{
    int columns = legend_columns(panel), named = 0;
    for (int j = 0; j < panel->count; j++) named += panel->series[j].name != NULL;
    int lines = columns ? (named + columns - 1) / columns : 0;
    return lines > 1 ? lines : 0;
}

/* Pixels from the top of the picture to the axes of panel k. */
static int panel_top(const cli_plot* p, int k)
{
    int top = TITLE + (p->picture ? cli_sheet_height(p->picture) : 0);
    for (int j = 0; j < p->count && j <= k; j++) {
        if (j > 0) top += PANEL_HEIGHT + GAP + (p->panels[j].xlabel ? OWN_X : 0);
        top += HEAD + LEGEND_LINE * legend_lines(&p->panels[j]);
    }
    return top;
}

/* The markers are times, and mean nothing here. */
static void put_own_x(FILE* to, const range* x)
{
    const double margin = x->most > x->least ? 0.03 * (x->most - x->least) : 1.0;
    fputs("unset arrow; unset logscale x\n", to);
    if (x->least <= x->most)
        fprintf(to, "set xrange [%.9g:%.9g] noextend\n", x->least - margin, x->most + margin);
}

static void put_equal_ranges(FILE* to, const range* x, const range* y)
{
    const double w = WIDTH - LEFT - RIGHT, h = PANEL_HEIGHT;
    const double scale = 0.53 * fmax((x->most - x->least) / w, (y->most - y->least) / h);
    if (!(scale > 0)) return;
    const double cx = 0.5 * (x->least + x->most), cy = 0.5 * (y->least + y->most);
    fprintf(to, "set xrange [%.9g:%.9g]; set offsets 0, 0, 0, 0; set yrange [%.9g:%.9g]\n",
            cx - scale * w, cx + scale * w, cy - scale * h, cy + scale * h);
}

static void put_axes(FILE* to, const cli_plot* p, int k, int height)
{
    const cli_panel* panel = &p->panels[k];
    int last = k + 1 == p->count || p->panels[k + 1].xlabel, top = panel_top(p, k);
    fprintf(to, "set lmargin at screen %.5f; set rmargin at screen %.5f\n", (double)LEFT / WIDTH,
            1.0 - (double)RIGHT / WIDTH);
    fprintf(to, "set tmargin at screen %.5f; set bmargin at screen %.5f\n",
            1.0 - (double)top / height, 1.0 - (double)(top + PANEL_HEIGHT) / height);
    range x = {INFINITY, -INFINITY}, y = {INFINITY, -INFINITY};
    panel_ranges(panel, &x, &y);
    (panel->logscale ? put_log_range : put_linear_range)(to, &y);
    if (panel->xlabel) put_own_x(to, &x);
    if (panel->equal) put_equal_ranges(to, &x, &y);
    fputs(y.least > y.most ? "set label 4 'nothing to show' at graph 0.5, graph 0.5 center "
                             "tc rgb '#808080'\n"
                           : "unset label 4\n",
          to);
    // The label of y stands above the axis: read without turning the head, never cut off.
    fputs("set label 2 ", to);
    cli_gnuplot_text(to, panel->ylabel);
    fprintf(to, " at graph 0, graph %.4f left noenhanced tc rgb '#303030'\n",
            1.07 + (double)LEGEND_LINE * legend_lines(panel) / PANEL_HEIGHT);
    fprintf(to, "set key maxcols %d\n", legend_columns(panel) > 0 ? legend_columns(panel) : 1);
    fputs(last ? "set format x '%h'\nset xlabel " : "set format x ''\nset xlabel ", to);
    cli_gnuplot_text(to, panel->xlabel ? panel->xlabel : last ? p->xlabel : "");
    fputs(" offset 0,0.5 noenhanced tc rgb '#303030'\n", to);
}

/* A curve that is dashed where it is not to be trusted. */
static void put_curve(FILE* to, int k, int j, const cli_series* s)
{
    const char* color = colors[j % COLORS];
    fprintf(to, ", $d%d_%d using 1:($1 <= %.17g ? $2 : NaN) with lines lw 1.4 lc rgb '%s' ", k, j,
            s->solid, color);
    fputs(s->name ? "title " : "notitle ", to);
    if (s->name) cli_gnuplot_text(to, s->name);
    fprintf(to,
            ", $d%d_%d using 1:($1 >= %.17g ? $2 : NaN) with lines lw 1.1 dt (12,8) lc rgb '%s' "
            "notitle",
            k, j, s->solid, color);
}

static void put_panel(FILE* to, const cli_plot* p, int k)
{
    const cli_panel* panel = &p->panels[k];
    fputs("plot NaN notitle", to);
    for (int j = 0; j < panel->count; j++) {
        const cli_series* s = &panel->series[j];
        if (s->area) {
            fprintf(to,
                    ", $b%d_%d using 1:2:3 with filledcurves fc rgb '%s' fs solid 0.7 noborder "
                    "title ",
                    k, j, colors[j % COLORS]);
            cli_gnuplot_text(to, s->name);
            continue;
        }
        if (s->band)
            fprintf(to,
                    ", $b%d_%d using 1:2:3 with filledcurves fc rgb '%s' fs transparent solid 0.25 "
                    "noborder notitle",
                    k, j, colors[j % COLORS]);
        if (s->solid > 0.0) {
            put_curve(to, k, j, s);
            continue;
        }
        fprintf(to, ", $d%d_%d using 1:2 with %s lw 1.4 dt %d lc rgb '%s' ", k, j,
                p->points ? "linespoints pt 7 ps 0.5" : "lines", s->sum ? 1 : 1 + j / COLORS,
                s->sum ? "#000000" : colors[j % COLORS]);
        fputs(s->name ? "title " : "notitle ", to);
        if (s->name) cli_gnuplot_text(to, s->name);
    }
    fputs("\nunset label 1; unset label 3\n", to);
}

/* Dots at the ends are not to be cut in half. */
static void widen(const cli_plot* p, range* x)
{
    if (p->xlog) {
        double ratio = sari_pow(x->most / x->least, 0.02);
        *x = (range){x->least / ratio, x->most * ratio};
    } else {
        double margin = 0.02 * (x->most - x->least);
        *x = (range){x->least - margin, x->most + margin};
    }
}

static void put_script(FILE* to, const char* path, const cli_plot* p)
{
    int height = panel_top(p, p->count - 1) + PANEL_HEIGHT + FOOT;
    range x = {INFINITY, -INFINITY}, y = {INFINITY, -INFINITY};
    for (int k = 0; k < p->count; k++)
        if (!p->panels[k].xlabel) panel_ranges(&p->panels[k], &x, &y);
    if (x.least > x.most) x = (range){0, 1};
    if (x.least == x.most) x = (range){x.least - 0.5, x.most + 0.5};
    if (p->points) widen(p, &x);

    put_data(to, p, &x);
    put_style(to, path, p, height);
    if (p->picture) put_picture(to, path, p, height);
    put_axes_style(to);
    fprintf(to, "set xrange [%.9g:%.9g] noextend%s\n", x.least, x.most,
            p->xlog ? "; set logscale x" : "");
    put_markers(to, p, &x);
    for (int k = 0; k < p->count; k++) {
        put_axes(to, p, k, height);
        put_panel(to, p, k);
    }
    fputs("unset multiplot\nset output\n", to);
}

int cli_plot_lines(const char* path, const cli_plot* p)
{
    cli_gnuplot g;
    if (p->count < 1) {
        fprintf(stderr, "sarrus: no plot %s: there is nothing to show\n", path);
        return -1;
    }
    if (cli_gnuplot_open(&g, path) != 0) return -1;
    put_script(g.to, path, p);
    return cli_gnuplot_close(&g);
}
