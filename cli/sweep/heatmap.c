/* A sweep over two axes as a map: letters for the terminal, colours for a picture; over one axis as
 * a curve. */
#include "common/command.h"
#include "math/functions.h"
#include "pictures/gnuplot.h"
#include "pictures/plot.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TERMINAL = 100, WIDTH = 820, HEIGHT = 560 }; // [characters], [pixels]

/// Point of the grid with these values on axes 0 and 1.
static long point_at(const cli_sweep* s, int first, int second)
{
    return (long)first * sar_grid_count(s->grid, 1) + second;
}

/// Short, for people: "3.16e+06", or the word.
static void label(const cli_sweep* s, int axis, int k, char* text, size_t size)
{
    if (sar_grid_scale(s->grid, axis) == SAR_SCALE_WORDS)
        snprintf(text, size, "%s", sar_grid_text(s->grid, axis, k));
    else
        snprintf(text, size, "%.3g", sar_grid_value(s->grid, axis, k));
}

static int label_width(const cli_sweep* s, int axis)
{
    char text[64];
    int width = 0;
    for (int k = 0; k < sar_grid_count(s->grid, axis); k++) {
        label(s, axis, k, text, sizeof text);
        if ((int)strlen(text) > width) width = (int)strlen(text);
    }
    return width;
}

/* ---- letters -------------------------------------------------------------------------------- */

static char letter(const cli_sweep* s, long point)
{
    if (!s->known[point]) return ' ';
    if (cli_sweep_valid(s, point)) return '#';
    switch (s->outcomes[point].end) {
    case CLI_END_COMPLETED:
        return '.';
    case CLI_END_REFUSED:
        return '-';
    default:
        return 'x';
    }
}

/// Axis `down` runs from the bottom to the top, like that of a picture.
static void print_map(const cli_sweep* s, int across, int down, int cell, FILE* out)
{
    char text[64];
    int margin = label_width(s, down), name = (int)strlen(sar_grid_name(s->grid, down));
    if (name > margin) margin = name;
    int columns = sar_grid_count(s->grid, across);
    fprintf(out, "  %*s\n", margin, sar_grid_name(s->grid, down));
    for (int row = sar_grid_count(s->grid, down) - 1; row >= 0; row--) {
        label(s, down, row, text, sizeof text);
        fprintf(out, "  %*s |", margin, text);
        for (int k = 0; k < columns; k++) {
            char c = letter(s, across == 0 ? point_at(s, k, row) : point_at(s, row, k));
            fprintf(out, "%*s%s%c%s", cell - 1, "",
                    cli_paint(out, c == '#'   ? CLI_GREEN
                                   : c == 'x' ? CLI_RED
                                              : CLI_PLAIN),
                    c, cli_paint(out, CLI_PLAIN));
        }
        fputc('\n', out);
    }
    fprintf(out, "  %*s +", margin, "");
    for (int k = 0; k < columns * cell; k++) fputc('-', out);
    fprintf(out, "\n  %*s  ", margin, "");
    for (int k = 0; k < columns && cell > 2; k++) {
        label(s, across, k, text, sizeof text);
        fprintf(out, "%*s", cell, text);
    }
    if (cell <= 2) {
        label(s, across, 0, text, sizeof text);
        fprintf(out, "%s ... ", text);
        label(s, across, columns - 1, text, sizeof text);
        fputs(text, out);
    }
    fprintf(out, "  %s\n", sar_grid_name(s->grid, across));
    fputs("  # valid  . not valid  x failed  - no such method\n", out);
}

void cli_heatmap_print(const cli_sweep* s, FILE* out)
{
    if (sar_grid_axes(s->grid) != 2) return;
    for (int cell = 0; cell < 2; cell++) { // with all labels if they fit, else with two
        for (int across = 0; across < 2; across++) {
            int width = cell ? 2 : label_width(s, across) + 1;
            int all = sar_grid_count(s->grid, across) * (width > 2 ? width : 2);
            if (all + label_width(s, !across) + 6 > TERMINAL) continue;
            print_map(s, across, !across, width > 2 ? width : 2, out);
            return;
        }
    }
}

/* ---- colours -------------------------------------------------------------------------------- */

/// Where a value is on its axis: words stand at 1, 2, ...
static double position(const cli_sweep* s, int axis, int k)
{
    return sar_grid_scale(s->grid, axis) == SAR_SCALE_WORDS ? k + 1.0
                                                            : sar_grid_value(s->grid, axis, k);
}

static double middle(const cli_sweep* s, int axis, double a, double b)
{
    return sar_grid_scale(s->grid, axis) == SAR_SCALE_LOG ? sqrt(a * b) : 0.5 * (a + b);
}

static double beyond(const cli_sweep* s, int axis, double edge, double inner)
{
    return sar_grid_scale(s->grid, axis) == SAR_SCALE_LOG ? edge * edge / inner : 2 * edge - inner;
}

/// The nearest value below (-1) or above (1) in size, which need not be the next in the list.
static int next_value(const cli_sweep* s, int axis, int k, int side)
{
    int best = -1;
    double here = position(s, axis, k);
    for (int i = 0; i < sar_grid_count(s->grid, axis); i++) {
        double there = position(s, axis, i);
        if (side * (there - here) <= 0) continue;
        if (best < 0 || side * (there - position(s, axis, best)) < 0) best = i;
    }
    return best;
}

/// The cell of a value goes half way to its neighbours.
static double border(const cli_sweep* s, int axis, int k, int side)
{
    double here = position(s, axis, k);
    int near = next_value(s, axis, k, side);
    if (near >= 0) return middle(s, axis, here, position(s, axis, near));
    int other = next_value(s, axis, k, -side);
    if (other >= 0) return beyond(s, axis, here, middle(s, axis, here, position(s, axis, other)));
    return sar_grid_scale(s->grid, axis) == SAR_SCALE_LOG ? here * sari_pow(2.0, side)
                                                          : here + 0.5 * side;
}

static double drift_at(const cli_sweep* s, long point)
{
    const cli_outcome* o = &s->outcomes[point];
    return o->end == CLI_END_COMPLETED ? o->measure[SAR_MEASURE_MAX_DRIFT] : NAN;
}

/// One block of data for each kind of point: all cells, and those that get a mark.
static void put_cells(FILE* to, const cli_sweep* s)
{
    int columns = sar_grid_count(s->grid, 0), rows = sar_grid_count(s->grid, 1);
    const char* const blocks[] = {"$cells", "$failed", "$valid"};
    for (int block = 0; block < 3; block++) {
        fprintf(to, "%s << END\n", blocks[block]);
        for (int i = 0; i < columns; i++) {
            for (int k = 0; k < rows; k++) {
                long point = point_at(s, i, k);
                double drift = drift_at(s, point);
                int failed = !isfinite(drift);
                if (failed != (block == 1)) continue;
                if (block == 2 && !cli_sweep_valid(s, point)) continue;
                fprintf(to, "%.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", position(s, 0, i),
                        position(s, 1, k), border(s, 0, i, -1), border(s, 0, i, 1),
                        border(s, 1, k, -1), border(s, 1, k, 1), fmax(drift, 1e-16));
            }
        }
        fputs("END\n", to);
    }
}

static void put_axis(FILE* to, const cli_sweep* s, int axis)
{
    const char* letter_of = axis == 0 ? "x" : "y";
    double least = INFINITY, most = -INFINITY;
    int count = sar_grid_count(s->grid, axis);
    for (int k = 0; k < count; k++) {
        least = fmin(least, border(s, axis, k, -1));
        most = fmax(most, border(s, axis, k, 1));
    }
    fprintf(to, "set %srange [%.9g:%.9g] noextend\nset %slabel ", letter_of, least, most,
            letter_of);
    cli_gnuplot_text(to, sar_grid_name(s->grid, axis));
    fputs(" noenhanced tc rgb '#303030'\n", to);
    if (sar_grid_scale(s->grid, axis) == SAR_SCALE_LOG) fprintf(to, "set logscale %s\n", letter_of);
    if (count > 24) return; // gnuplot's own tics
    fprintf(to, "set %stics (", letter_of);
    for (int k = 0; k < count; k++) {
        char text[64];
        label(s, axis, k, text, sizeof text);
        fputs(k ? ", " : "", to);
        cli_gnuplot_text(to, text);
        fprintf(to, " %.9g", position(s, axis, k));
    }
    fputs(") noenhanced\n", to);
    if (axis == 0 && count * label_width(s, axis) > 70) fputs("set xtics rotate by -40\n", to);
}

static void put_colours(FILE* to, const cli_sweep* s)
{
    double least = INFINITY, most = 0.0;
    for (long k = 0; k < s->points; k++) {
        double drift = drift_at(s, k);
        if (!(drift > 0.0) || !isfinite(drift)) continue;
        least = fmin(least, drift);
        most = fmax(most, drift);
    }
    if (least > most) least = 0.1, most = 1.0;
    // a few points that went to infinity must not leave one colour for all others
    fprintf(to, "set cbrange [%.9g:%.9g]\n", fmax(least, 1e-16),
            fmin(fmax(most, 10.0 * least), 1e8 * least));
    fputs("set logscale cb\nset format cb '10^{%L}'\n"
          "set cblabel 'largest energy drift [J]' tc rgb '#303030'\n"
          // viridis: even in lightness, and for every kind of colour vision
          "set palette defined (0 '#440154', 1 '#472c7a', 2 '#3b518b', 3 '#2c718e', 4 '#21908d', "
          "5 '#27ad81', 6 '#5cc863', 7 '#aadc32', 8 '#fde725')\n",
          to);
}

static int count_block(const cli_sweep* s, int valid)
{
    int count = 0;
    for (long k = 0; k < s->points; k++)
        count += valid ? cli_sweep_valid(s, k) : !isfinite(drift_at(s, k));
    return count;
}

static int draw_map(const cli_sweep* s, const char* path)
{
    cli_gnuplot g;
    if (cli_gnuplot_open(&g, path) != 0) return -1;
    int valid = count_block(s, 1), failed = count_block(s, 0), begun = 0;
    put_cells(g.to, s);
    cli_gnuplot_terminal(g.to, path, WIDTH, HEIGHT);
    fputs("set border 3 lc rgb '#606060' lw 0.8\n"
          "set tics nomirror out scale 0.5 tc rgb '#303030'\n"
          "set key at graph 1, graph 1.02 right bottom horizontal noenhanced tc rgb '#303030' "
          "samplen 1\n"
          "set label 1 ",
          g.to);
    char* title = cli_format("%s: valid %d of %ld (%s)", sar_model_name(s->setup->file.model),
                             valid, s->points, s->validity);
    cli_gnuplot_text(g.to, title);
    free(title);
    fprintf(g.to, " at graph 0, graph 1.10 left noenhanced font ',%d' tc rgb '#101010'\n",
            cli_gnuplot_size(path, 16));
    fputs("set tmargin 4.5\n", g.to);
    put_axis(g.to, s, 0);
    put_axis(g.to, s, 1);
    put_colours(g.to, s);
    fputs("plot ", g.to);
    if (failed < s->points)
        begun = fputs("$cells using 1:2:3:4:5:6:7 with boxxyerror fs solid noborder lc palette "
                      "notitle",
                      g.to) >= 0;
    if (failed > 0) {
        fputs(begun ? ", " : "", g.to);
        fputs("$failed using 1:2:3:4:5:6 with boxxyerror fs solid noborder lc rgb '#d8d8d8' "
              "notitle, $failed using 1:2 with points pt 2 ps 0.8 lw 1.5 lc rgb '#808080' title "
              "'failed'",
              g.to);
    }
    if (valid > 0)
        fputs(", $valid using 1:2 with points pt 7 ps 0.9 lc rgb '#ffffff' notitle, $valid using "
              "1:2 with points pt 6 ps 0.9 lw 1.2 lc rgb '#000000' title 'valid'",
              g.to);
    fputs("\nset output\n", g.to);
    return cli_gnuplot_close(&g);
}

/* ---- one axis ------------------------------------------------------------------------------- */

/// "formulation: 1 al1, 2 penalty" where the values are words.
static char* name_axis(const cli_sweep* s)
{
    char* text = cli_format("%s", sar_grid_name(s->grid, 0));
    if (sar_grid_scale(s->grid, 0) != SAR_SCALE_WORDS) return text;
    for (int k = 0; k < sar_grid_count(s->grid, 0); k++) {
        cli_append(&text, "%s %d %s", k ? "," : ":", k + 1, sar_grid_text(s->grid, 0, k));
    }
    return text;
}

static int draw_curve(const cli_sweep* s, const char* path)
{
    int count = (int)s->points, panels = s->setup->reference ? 2 : 1, first = -1;
    double* x = cli_allocate(3 * (size_t)count, sizeof *x);
    double *drift = x + count, *error = drift + count;
    for (int k = 0; k < count; k++) // the least value
        if (next_value(s, 0, k, -1) < 0) first = k;
    for (int k = first, n = 0; k >= 0; k = next_value(s, 0, k, 1), n++) {
        x[n] = position(s, 0, k);
        drift[n] = drift_at(s, k);
        error[n] = s->outcomes[k].measure[SAR_MEASURE_TOTAL_ERROR];
    }
    cli_series series[2] = {{.n = count, .x = x, .y = drift}, {.n = count, .x = x, .y = error}};
    cli_panel parts[2] = {
        {.ylabel = "largest energy drift [J]", .logscale = 1, .series = series, .count = 1},
        {.ylabel = "eps_T", .logscale = 1, .series = series + 1, .count = 1}};
    char* name = name_axis(s);
    cli_plot plot = {.title = sar_model_name(s->setup->file.model),
                     .xlabel = name,
                     .xlog = sar_grid_scale(s->grid, 0) == SAR_SCALE_LOG,
                     .points = 1,
                     .panels = parts,
                     .count = panels};
    int failed = cli_plot_lines(path, &plot);
    free(name);
    free(x);
    return failed;
}

int cli_heatmap_check(const cli_sweep* s, const char* path)
{
    int axes = sar_grid_axes(s->grid);
    if (axes <= 2) return cli_gnuplot_check(path);
    fprintf(stderr, "sarrus: no plot %s: one or two varied axes can be drawn, not %d\n", path,
            axes);
    return CLI_FAILED;
}

int cli_heatmap_draw(const cli_sweep* s, const char* path)
{
    return sar_grid_axes(s->grid) == 1 ? draw_curve(s, path) : draw_map(s, path);
}
