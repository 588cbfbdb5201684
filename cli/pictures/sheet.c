#include "pictures/sheet.h"

#include "common/files/output_file.h"
#include "common/text.h"
#include "math/functions.h"
#include "pictures/gnuplot.h"
#include "pictures/svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MARGIN = 26, FOOT = 34, HEAD = 30, LEAST_HEIGHT = 170, MOST_HEIGHT = 900 };

/* ---- figures -------------------------------------------------------------------------------- */

static void include(cli_sheet* sheet, const double p[2])
{
    for (int k = 0; k < 2; k++) {
        if (!sheet->begun || p[k] < sheet->least[k]) sheet->least[k] = p[k];
        if (!sheet->begun || p[k] > sheet->most[k]) sheet->most[k] = p[k];
    }
    sheet->begun = 1;
}

cli_figure* cli_sheet_add(cli_sheet* sheet, cli_figure figure, const double (*points)[2])
{
    if (sheet->count == sheet->capacity) {
        sheet->capacity = sheet->capacity ? 2 * sheet->capacity : 256;
        sheet->figures =
            cli_resize(sheet->figures, (size_t)sheet->capacity * sizeof *sheet->figures);
    }
    figure.points = cli_allocate((size_t)figure.n, sizeof *figure.points);
    memcpy(figure.points, points, (size_t)figure.n * sizeof *points);
    figure.order = sheet->count;
    for (int k = 0; k < figure.n; k++) include(sheet, points[k]);
    sheet->figures[sheet->count] = figure;
    return &sheet->figures[sheet->count++];
}

void cli_sheet_text(cli_sheet* sheet, const double at[2], double depth, const char* text)
{
    const double points[1][2] = {{at[0], at[1]}};
    cli_figure* figure = cli_sheet_add(
        sheet, (cli_figure){.depth = depth, .n = 1, .alpha = 1.0, .frame = -1}, points);
    figure->text = cli_format("%s", text);
}

void cli_sheet_clear(cli_sheet* sheet)
{
    for (int k = 0; k < sheet->count; k++) {
        free(sheet->figures[k].points);
        free(sheet->figures[k].text);
    }
    free(sheet->figures);
    free(sheet->title);
    free(sheet->note);
    *sheet = (cli_sheet){0};
}

static int by_place(const void* a, const void* b)
{
    const double *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

static double turn(const double* a, const double* b, const double* c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Andrew's monotone chain. */
int cli_hull(double (*points)[2], int n)
{
    if (n < 3) return n;
    double(*chain)[2] = cli_allocate(2 * (size_t)n + 1, sizeof *chain);
    int m = 0;
    qsort(points, (size_t)n, sizeof *points, by_place);
    for (int k = 0; k < n; k++) {
        while (m >= 2 && turn(chain[m - 2], chain[m - 1], points[k]) <= 0) m--;
        memcpy(chain[m++], points[k], sizeof *chain);
    }
    for (int k = n - 2, lower = m + 1; k >= 0; k--) {
        while (m >= lower && turn(chain[m - 2], chain[m - 1], points[k]) <= 0) m--;
        memcpy(chain[m++], points[k], sizeof *chain);
    }
    m--;
    if (m > n) m = n;
    memcpy(points, chain, (size_t)m * sizeof *chain);
    free(chain);
    return m;
}

static int by_depth(const void* a, const void* b)
{
    const cli_figure *p = a, *q = b;
    if ((p->text != NULL) != (q->text != NULL)) return p->text ? 1 : -1;
    if (p->depth != q->depth) return p->depth < q->depth ? -1 : 1;
    return p->order - q->order;
}

/* ---- layout --------------------------------------------------------------------------------- */

typedef struct layout {
    double scale; ///< pixels to the metre
    double left, bottom;
    int width, height, head;
} layout;

static layout layout_of(const cli_sheet* sheet)
{
    layout l = {.width = sheet->width, .head = sheet->title || sheet->note ? HEAD : 0};
    double w = sheet->most[0] - sheet->least[0], h = sheet->most[1] - sheet->least[1];
    const double room = l.width - 2 * MARGIN,
                 most = (sheet->height ? sheet->height : MOST_HEIGHT) - FOOT - MARGIN - l.head;
    if (!(w > 0) && !(h > 0)) w = h = 1.0;
    l.scale = fmin(w > 0 ? room / w : INFINITY, h > 0 ? most / h : INFINITY);
    const double used = fmax(h * l.scale, LEAST_HEIGHT - FOOT - MARGIN);
    l.height = (int)ceil(used + FOOT + MARGIN + l.head);
    l.left = 0.5 * (l.width - l.scale * (sheet->least[0] + sheet->most[0]));
    l.bottom = l.head + MARGIN + 0.5 * (used + l.scale * (sheet->least[1] + sheet->most[1]));
    return l;
}

static double at_x(const layout* l, const double p[2])
{
    return l->left + l->scale * p[0];
}

static double at_y(const layout* l, const double p[2])
{
    return l->bottom - l->scale * p[1];
}

/* A round length of about a seventh of the width. */
static double bar_length(const layout* l)
{
    const double wanted = l->width / (7.0 * l->scale),
                 power = sari_pow(10.0, floor(sari_log10(wanted)));
    const double part = wanted / power;
    return power * (part >= 5.0 ? 5.0 : part >= 2.0 ? 2.0 : 1.0);
}

static void bar_text(double length, char text[32])
{
    if (length >= 1e3)
        snprintf(text, 32, "%g km", length * 1e-3);
    else if (length >= 1.0)
        snprintf(text, 32, "%g m", length);
    else if (length >= 1e-3)
        snprintf(text, 32, "%g mm", length * 1e3);
    else
        snprintf(text, 32, "%g m", length);
}

/* ---- SVG ------------------------------------------------------------------------------------ */

static void put_paint(FILE* out, const char* what, long colour)
{
    if (colour == CLI_NO_COLOUR)
        fprintf(out, " %s=\"none\"", what);
    else
        fprintf(out, " %s=\"#%06lx\"", what, colour);
}

/* Are all points between i and k as near to the line between these as can be seen? */
static int is_straight(const layout* l, const cli_figure* f, int i, int k)
{
    const double NEAR = 0.15; // [pixels]
    const double *a = f->points[i], *b = f->points[k];
    const double x = l->scale * (b[0] - a[0]), y = l->scale * (b[1] - a[1]);
    const double length = sari_hypot(x, y);
    for (int j = i + 1; j < k; j++) {
        const double dx = l->scale * (f->points[j][0] - a[0]);
        const double dy = l->scale * (f->points[j][1] - a[1]);
        const double along = length > 0.0 ? (dx * x + dy * y) / length : 0.0;
        const double rest = fmax(0.0, fmax(-along, along - length));
        const double across = length > 0.0 ? (dx * y - dy * x) / length : sari_hypot(dx, dy);
        if (sari_hypot(across, rest) > NEAR) return 0;
    }
    return 1;
}

/* A tenth of pixels, as short as it can be written. */
static void put_tenths(FILE* out, long tenths, const char* between)
{
    if (*between && tenths >= 0) fputs(between, out);
    if (tenths < 0) fputc('-', out);
    const long size = labs(tenths);
    if (size >= 10 || size == 0) fprintf(out, "%ld", size / 10);
    if (size % 10) fprintf(out, ".%ld", size % 10);
}

/* A line through its points, each from the one before, without those that make no difference. */
static void put_line(FILE* out, const layout* l, const cli_figure* f)
{
    enum { FARTHEST = 24 }; // points that a straight piece may stand for: the search is linear
    long x = 0, y = 0;
    for (int i = 0, next; i < f->n; i = next) {
        const long to_x = lround(10.0 * at_x(l, f->points[i]));
        const long to_y = lround(10.0 * at_y(l, f->points[i]));
        fputc(i ? 'l' : 'M', out);
        put_tenths(out, to_x - x, "");
        put_tenths(out, to_y - y, " ");
        x = to_x, y = to_y;
        next = i + 1;
        while (next + 1 < f->n && next - i < FARTHEST && is_straight(l, f, i, next + 1)) next++;
    }
}

static void put_figure(FILE* out, const layout* l, const cli_figure* f)
{
    if (f->text) {
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"l\">", at_x(l, f->points[0]),
                at_y(l, f->points[0]));
        cli_put_html(out, f->text);
        fputs("</text>\n", out);
        return;
    }
    fputs("<path d=\"", out);
    put_line(out, l, f);
    fputs(f->closed ? "Z\"" : "\"", out);
    put_paint(out, "fill", f->fill);
    if (f->stroke != CLI_NO_COLOUR) {
        put_paint(out, "stroke", f->stroke);
        fprintf(out, " stroke-width=\"%.2g\"", f->width);
    }
    if (f->dashed) fputs(" stroke-dasharray=\"6 4\"", out);
    if (f->alpha < 1.0) fprintf(out, " opacity=\"%.2f\"", f->alpha);
    fputs("/>\n", out);
}

static void put_bar(FILE* out, const layout* l)
{
    const double length = bar_length(l), y = l->height - 14.0;
    char text[32];
    bar_text(length, text);
    fprintf(out,
            "<path d=\"M%d %.1fv-5m0 5h%.1fm0 0v-5\" fill=\"none\" stroke=\"#333\" "
            "stroke-width=\"1.2\"/><text x=\"%.1f\" y=\"%.1f\">%s</text>\n",
            MARGIN, y, l->scale * length, MARGIN + l->scale * length + 8, y, text);
}

static void put_head(FILE* out, const cli_sheet* sheet, const layout* l)
{
    const double y = 22.0;
    if (sheet->title) {
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" class=\"t\">", MARGIN, y);
        cli_put_html(out, sheet->title);
        fputs("</text>", out);
    }
    if (sheet->note) {
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", l->width - MARGIN, y);
        cli_put_html(out, sheet->note);
        fputs("</text>\n", out);
    }
}

/* Frames stand below each other, and the strip of them jumps up; readers that want no motion see the
 * first. */
static void put_frames(FILE* out, const cli_sheet* sheet, const layout* l)
{
    fprintf(out,
            "<style>@keyframes play{to{transform:translateY(-%dpx)}}.strip{animation:play %.3gs "
            "steps(%d) infinite}@media(prefers-reduced-motion:reduce){.strip{animation:none}}"
            "</style>\n<g class=\"strip\">\n",
            l->height * sheet->frames, sheet->seconds, sheet->frames);
    for (int frame = 0; frame < sheet->frames; frame++) {
        fprintf(out, "<g transform=\"translate(0 %d)\">\n", frame * l->height);
        for (int k = 0; k < sheet->count; k++)
            if (sheet->figures[k].frame == frame) put_figure(out, l, &sheet->figures[k]);
        fputs("</g>\n", out);
    }
    fputs("</g>\n", out);
}

static int write_svg(const cli_sheet* sheet, const layout* l, const char* path)
{
    cli_output_file file;
    if (cli_output_begin(&file, NULL, path)) return -1;
    FILE* out = file.to;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"Helvetica,Arial,sans-serif\" font-size=\"13\" "
            "fill=\"#222\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n"
            "<style>.t{font-size:16px}.l{text-anchor:middle;dominant-baseline:middle;"
            "paint-order:stroke;stroke:#fff;stroke-width:3px}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            l->width, l->height, l->width, l->height);
    for (int k = 0; k < sheet->count; k++)
        if (sheet->figures[k].frame < 0) put_figure(out, l, &sheet->figures[k]);
    if (sheet->frames) put_frames(out, sheet, l);
    put_head(out, sheet, l);
    put_bar(out, l);
    fputs("</svg>\n", out);
    return cli_output_end(&file, NULL, path) ? -1 : 0;
}

/* ---- gnuplot -------------------------------------------------------------------------------- */

static void put_polygon(FILE* to, const layout* l, const cli_figure* f, int k)
{
    const int veil = (int)lround(255.0 * (1.0 - f->alpha));
    if (f->closed) {
        fprintf(to, "set object %d polygon from ", k);
        for (int i = 0; i <= f->n; i++)
            fprintf(to, "%s%.2f,%.2f", i ? " to " : "", at_x(l, f->points[i % f->n]),
                    l->height - at_y(l, f->points[i % f->n]));
        if (f->fill == CLI_NO_COLOUR)
            fputs(" fs empty", to);
        else
            fprintf(to, " fc rgb '#%02x%06lx' fs solid", veil, f->fill);
        if (f->stroke == CLI_NO_COLOUR)
            fputs(" noborder", to);
        else
            fprintf(to, " border rgb '#%02x%06lx' lw %.2g", veil, f->stroke, f->width);
        fputs("\n", to);
        return;
    }
    fprintf(to, "set object %d polygon from ", k); // forth and back: a line in the order of objects
    for (int i = 0; i < 2 * f->n - 1; i++) {
        const double* p = f->points[i < f->n ? i : 2 * f->n - 2 - i];
        fprintf(to, "%s%.2f,%.2f", i ? " to " : "", at_x(l, p), l->height - at_y(l, p));
    }
    fprintf(to, " fs empty border rgb '#%02x%06lx' lw %.2g\n", veil, f->stroke, f->width);
}

static void put_label(FILE* to, const char* text, double x, double y, const char* where, int size)
{
    fputs("set label ", to);
    cli_gnuplot_text(to, text);
    fprintf(to, " at %.2f,%.2f %s noenhanced front font ',%d' tc rgb '#222222'\n", x, y, where,
            size);
}

static void put_objects(const cli_sheet* sheet, const layout* l, FILE* to, int size)
{
    char text[32];
    const double length = bar_length(l);
    for (int k = 0; k < sheet->count; k++) {
        const cli_figure* f = &sheet->figures[k];
        if (f->text)
            put_label(to, f->text, at_x(l, f->points[0]), l->height - at_y(l, f->points[0]),
                      "center", size);
        else
            put_polygon(to, l, f, k + 1);
    }
    bar_text(length, text);
    fprintf(to, "set arrow from %d,14 to %.1f,14 heads size 0,90 lw 1.2 lc rgb '#333333'\n", MARGIN,
            MARGIN + l->scale * length);
    put_label(to, text, MARGIN + l->scale * length + 8, 16, "left", size);
}

static int write_gnuplot(const cli_sheet* sheet, const layout* l, const char* path)
{
    cli_gnuplot g;
    const int size = cli_gnuplot_size(path, 13);
    if (cli_gnuplot_open(&g, path) != 0) return -1;
    cli_gnuplot_terminal(g.to, path, l->width, l->height);
    fprintf(g.to,
            "unset border; unset tics; unset key; set margins 0,0,0,0\n"
            "set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; "
            "set bmargin at screen 0\nset xrange [0:%d]; set yrange [0:%d]\n",
            l->width, l->height);
    put_objects(sheet, l, g.to, size);
    if (sheet->title)
        put_label(g.to, sheet->title, MARGIN, l->height - 18, "left", cli_gnuplot_size(path, 16));
    if (sheet->note) put_label(g.to, sheet->note, l->width - MARGIN, l->height - 18, "right", size);
    fputs("plot NaN notitle\nset output\n", g.to);
    return cli_gnuplot_close(&g);
}

static void sort(cli_sheet* sheet)
{
    qsort(sheet->figures, (size_t)sheet->count, sizeof *sheet->figures, by_depth);
}

int cli_sheet_height(const cli_sheet* sheet)
{
    return layout_of(sheet).height;
}

void cli_sheet_put(cli_sheet* sheet, FILE* to, int size)
{
    sort(sheet);
    const layout l = layout_of(sheet);
    put_objects(sheet, &l, to, size);
}

void cli_sheet_put_svg(cli_sheet* sheet, FILE* out)
{
    sort(sheet);
    const layout l = layout_of(sheet);
    for (int k = 0; k < sheet->count; k++) put_figure(out, &l, &sheet->figures[k]);
}

int cli_sheet_write(cli_sheet* sheet, const char* path)
{
    const char* ending = strrchr(path, '.');
    sort(sheet);
    const layout l = layout_of(sheet);
    if (ending && strcasecmp(ending, ".svg") == 0) return write_svg(sheet, &l, path);
    return write_gnuplot(sheet, &l, path);
}
