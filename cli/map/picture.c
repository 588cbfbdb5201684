/* The map as a picture: curves over two coordinates of joints, and the graph with a small drawing of the mechanism at every
 * node and on every curve. As a page (.html) it also moves: a click on a curve of the graph shows the mechanism there. */
#include "map/map.h"

#include "common/files/output_file.h"
#include "math/functions.h"
#include "pictures/projection.h"
#include "pictures/svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WIDTH = 1120, HEIGHT = 640, PLOT = 520, SAMPLES = 121, MOST_SMALL = 24, MOST_SHOWN = 160 };
static const double PI = 3.14159265358979323846;

typedef struct picture {
    const cli_map* m;
    FILE* out;
    sar_drawing* drawing;
    cli_eye eye;
    double* poses;            ///< of all bodies, the ground first
    double (*at)[2];          ///< of nodes
    double least[2], most[2]; ///< of the mechanism in all its configurations
} picture;

/* ---- the mechanism ---------------------------------------------------------------------------- */

static int pose_at(picture* p, sar_map_place place)
{
    p->poses[3] = 1.0;
    return sar_map_pose(p->m->map, &place, 0.0, p->poses + SAR_POSE, NULL) == SAR_OK;
}

static sar_map_place on_arc(int arc, double at)
{
    return (sar_map_place){-1, arc, -1, at, -1};
}

static sar_map_place at_node(int node)
{
    return (sar_map_place){node, -1, -1, 0.0, -1};
}

/* The mechanism at a place, `size` pixels wide, its middle at (x, y). */
static void put_mechanism(picture* p, sar_map_place place, double x, double y, double size)
{
    enum { FULL = 260 };
    if (!pose_at(p, place)) return;
    cli_sheet sheet = {.width = FULL, .height = FULL, .begun = 1};
    memcpy(sheet.least, p->least, sizeof p->least);
    memcpy(sheet.most, p->most, sizeof p->most);
    const cli_view view = {.eye = p->eye, .alpha = 1.0, .frame = -1, .fixed = 1, .moving = 1};
    cli_show_marks(&sheet, p->drawing, p->poses, &view);
    const double f = size / FULL;
    fprintf(p->out, "<g transform=\"translate(%.1f %.1f) scale(%.4f)\" stroke-linejoin=\"round\">",
            x - 0.5 * size, y - 0.5 * f * cli_sheet_height(&sheet), f);
    cli_sheet_put_svg(&sheet, p->out);
    fputs("</g>\n", p->out);
    cli_sheet_clear(&sheet);
}

/* The drawing, by configurations from all over the map. */
static int make_drawing(picture* p)
{
    const cli_map* m = p->m;
    enum { EACH = 12 };
    const size_t bodies = (size_t)sar_model_bodies(m->base.file.model), one = SAR_POSE * bodies;
    const size_t most = (size_t)(m->summary.arcs * EACH + m->summary.components);
    double* rows = cli_allocate(most * one, sizeof *rows);
    size_t count = 0;
    p->poses = cli_allocate(one, sizeof *p->poses);
    for (int a = 0; a < m->summary.arcs; a++)
        for (int k = 0; k < EACH; k++)
            if (pose_at(p, on_arc(a, (k + 0.5) / EACH)))
                memcpy(rows + one * count++, p->poses, one * sizeof *rows);
    for (int c = 0; c < m->summary.components; c++)
        if (m->component[c].dimension != 1 && pose_at(p, (sar_map_place){-1, -1, c, 0.0, -1}))
            memcpy(rows + one * count++, p->poses, one * sizeof *rows);
    sar_error error = {0};
    const sar_status status =
        sar_drawing_create(m->base.file.model, rows, (int)count, &p->drawing, &error);
    free(rows);
    if (status != SAR_OK) {
        cli_error("map", "%s", error.message);
        return CLI_FAILED;
    }
    double box[2][3];
    sar_drawing_bounds(p->drawing, box[0], box[1]);
    cli_eye_of(NULL, p->drawing, sar_model_dimension(m->base.file.model), &p->eye);
    for (int i = 0; i < 2; i++) p->least[i] = INFINITY, p->most[i] = -INFINITY;
    for (int k = 0; k < 8; k++) {
        const double corner[3] = {box[k & 1][0], box[k >> 1 & 1][1], box[k >> 2][2]};
        double flat[2], depth;
        cli_project(&p->eye, corner, flat, &depth);
        for (int i = 0; i < 2; i++)
            p->least[i] = fmin(p->least[i], flat[i]), p->most[i] = fmax(p->most[i], flat[i]);
    }
    return 0;
}

/* ---- curves over two coordinates -------------------------------------------------------------- */

static double shown(const cli_map* m, int k, double value)
{
    return m->quantity[k].is_angle ? value * 180.0 / PI : value;
}

/* How well a pair of quantities keeps nodes apart; without nodes, how much of the plane curves fill. */
static double merit(const cli_map* m, int a, int b)
{
    double least = INFINITY, spread[2] = {0};
    for (int i = 0; i < m->summary.nodes; i++)
        for (int j = 0; j < i; j++) {
            const double u = sari_sin(0.5 * (m->node[i].value[a] - m->node[j].value[a])),
                         v = sari_sin(0.5 * (m->node[i].value[b] - m->node[j].value[b]));
            least = fmin(least, u * u + v * v);
        }
    for (int i = 0; i < m->summary.arcs; i++) {
        spread[0] += m->arc[i].range[a].greatest - m->arc[i].range[a].least;
        spread[1] += m->arc[i].range[b].greatest - m->arc[i].range[b].least;
    }
    const double both = fmin(spread[0], spread[1]);
    return isfinite(least) ? least + 1e-6 * both : both;
}

static int find_quantity(const cli_map* m, const char* name, size_t length)
{
    for (int k = 0; k < m->quantities; k++)
        if (strlen(m->quantity[k].name) == length &&
            strncmp(m->quantity[k].name, name, length) == 0)
            return k;
    cli_error("map", "--over: there is no coordinate '%.*s'; there are %s, ...", (int)length, name,
              m->quantities ? m->quantity[0].name : "none");
    return -1;
}

int cli_map_pair(const cli_map* m, int pair[2])
{
    pair[0] = 0, pair[1] = m->quantities > 1 ? 1 : 0;
    if (m->boundary) pair[0] = m->quantities - 2, pair[1] = m->quantities - 1;
    const char* over = m->over ? m->over : m->singular;
    if (m->boundary && !m->over) return 0;
    if (over) {
        const size_t first = strcspn(over, ",");
        const char* second = over[first] ? over + first + 1 : over;
        pair[0] = find_quantity(m, over, first);
        pair[1] = find_quantity(m, second, strlen(second));
        return pair[0] < 0 || pair[1] < 0 ? CLI_USAGE : 0;
    }
    double best = -1.0;
    for (int a = 0; a < m->quantities; a++)
        for (int b = a + 1; b < m->quantities; b++)
            if (merit(m, a, b) > best) best = merit(m, a, b), pair[0] = a, pair[1] = b;
    return 0;
}

/* An arc as a series: angles between -180 and 180 degrees, with gaps where they go round. Returns the number of points. */
static int sample(picture* p, int arc, const int pair[2], double* x, double* y)
{
    const cli_map* m = p->m;
    double* values = cli_allocate((size_t)m->quantities, sizeof *values);
    int n = 0;
    for (int k = 0; k < SAMPLES; k++) {
        const sar_map_place place = on_arc(arc, (double)k / (SAMPLES - 1));
        if (sar_map_values(m->map, &place, values, NULL) != SAR_OK) continue;
        double u = shown(m, pair[0], values[pair[0]]), v = shown(m, pair[1], values[pair[1]]);
        if (n && fabs(u) > 180.0 - 1e-6) u = copysign(u, x[n - 1]); // half a turn either way
        if (n && fabs(v) > 180.0 - 1e-6) v = copysign(v, y[n - 1]);
        if (n && ((m->quantity[pair[0]].is_angle && fabs(u - x[n - 1]) > 180.0) ||
                  (m->quantity[pair[1]].is_angle && fabs(v - y[n - 1]) > 180.0)))
            x[n] = y[n] = NAN, n++;
        x[n] = u, y[n] = v, n++;
    }
    free(values);
    return n;
}

static void put_plot(picture* p, const int pair[2])
{
    const cli_map* m = p->m;
    const int arcs = m->summary.arcs, nodes = m->summary.nodes;
    const sar_map_region* region;
    const int regions = m->over ? 0 : sar_map_regions(m->map, &region);
    const size_t points = (size_t)(nodes + regions + 1);
    cli_svg_series* series = cli_allocate((size_t)arcs + points, sizeof *series);
    double* room = cli_allocate((size_t)(arcs * 4 * SAMPLES) + 2 * points, sizeof *room);
    char(*count)[16] = cli_allocate(points, sizeof *count);
    double* next = room;
    for (int a = 0; a < arcs; a++, next += (ptrdiff_t)4 * SAMPLES) {
        const int n = sample(p, a, pair, next, next + (ptrdiff_t)2 * SAMPLES);
        series[a] = (cli_svg_series){.name = m->arc[a].name,
                                     .n = n,
                                     .x = next,
                                     .y = next + (ptrdiff_t)2 * SAMPLES,
                                     .style = a % 6};
    }
    for (int i = 0; i < nodes; i++, next += 2) {
        next[0] = shown(m, pair[0], m->node[i].value[pair[0]]);
        next[1] = shown(m, pair[1], m->node[i].value[pair[1]]);
        series[arcs + i] = (cli_svg_series){.name = m->node[i].name,
                                            .n = 1,
                                            .x = next,
                                            .y = next + 1,
                                            .style = 0,
                                            .points = 1,
                                            .tag = 1};
    }
    for (int i = 0; i < regions; i++, next += 2) { // in how many configurations it can be there
        snprintf(count[i], sizeof *count, "%d", region[i].configurations);
        next[0] = shown(m, pair[0], region[i].at[0]), next[1] = shown(m, pair[1], region[i].at[1]);
        series[arcs + nodes + i] = (cli_svg_series){
            .name = count[i], .n = 1, .x = next, .y = next + 1, .style = 5, .points = 1, .tag = 1};
    }
    char label[2][160];
    for (int k = 0; k < 2; k++)
        snprintf(label[k], sizeof label[k], "%s [%s]", m->quantity[pair[k]].name,
                 m->quantity[pair[k]].is_angle ? "deg" : "m");
    const cli_svg_plot plot = {.title = "",
                               .xlabel = label[0],
                               .ylabel = label[1],
                               .width = PLOT,
                               .height = 480,
                               .true_scale =
                                   m->quantity[pair[0]].is_angle == m->quantity[pair[1]].is_angle,
                               .series = series,
                               .count = arcs + nodes + regions};
    fputs("<g transform=\"translate(0 50)\">\n", p->out);
    cli_svg_write(p->out, &plot);
    fputs("</g>\n", p->out);
    free(series);
    free(room);
    free(count);
}

/* ---- the graph -------------------------------------------------------------------------------- */

static void lay_out(picture* p)
{
    const int n = p->m->summary.nodes;
    p->at = cli_allocate((size_t)n, sizeof *p->at);
    for (int i = 0; i < n; i++) {
        const double angle = PI - 2.0 * PI * i / n, r = n > 1 ? 190.0 : 0.0;
        p->at[i][0] = PLOT + 300.0 + 1.15 * r * sari_cos(angle);
        p->at[i][1] = 275.0 - r * sari_sin(angle);
    }
}

/* Control points of the curve of an arc, and how many others connect the same nodes before it. */
static void bend(const picture* p, int arc, double c[4][2])
{
    const cli_map* m = p->m;
    const sar_map_arc* a = &m->arc[arc];
    int before = 0, all = 0;
    for (int i = 0; i < m->summary.arcs; i++) {
        const sar_map_arc* b = &m->arc[i];
        const int same = (b->node[0] == a->node[0] && b->node[1] == a->node[1]) ||
                         (b->node[0] == a->node[1] && b->node[1] == a->node[0]);
        all += same, before += same && i < arc;
    }
    const double *from = p->at[a->node[0]], *to = p->at[a->node[1]];
    for (int k = 0; k < 2; k++) c[0][k] = from[k], c[3][k] = to[k];
    if (a->node[0] == a->node[1]) { // a loop
        const double angle = 2.0 * PI * (before + 0.5) / all, wide = 0.5;
        for (int k = 0; k < 2; k++)
            for (int e = 0; e < 2; e++) {
                const double to_side = angle + (e ? wide : -wide);
                c[1 + e][k] = from[k] + 270.0 * (k ? -sari_sin(to_side) : sari_cos(to_side));
            }
        return;
    }
    const int turned = a->node[0] > a->node[1];
    const double length = fmax(1.0, sari_hypot(to[0] - from[0], to[1] - from[1]));
    const double side =
        (turned ? -1.0 : 1.0) * (before - 0.5 * (all - 1)) * fmin(120.0, 420.0 / all);
    const double normal[2] = {-(to[1] - from[1]) / length, (to[0] - from[0]) / length};
    for (int k = 0; k < 2; k++)
        for (int e = 0; e < 2; e++)
            c[1 + e][k] = from[k] + (e ? 0.67 : 0.33) * (to[k] - from[k]) + side * 1.33 * normal[k];
}

static void middle(double c[4][2], double out[2])
{
    for (int k = 0; k < 2; k++)
        out[k] = 0.125 * (c[0][k] + 3.0 * c[1][k] + 3.0 * c[2][k] + c[3][k]);
}

static void put_label(picture* p, double x, double y, const char* text)
{
    fprintf(p->out,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-family=\"sans-serif\" "
            "font-size=\"13\" fill=\"#222\" paint-order=\"stroke\" stroke=\"#fff\" "
            "stroke-width=\"3\">%s</text>\n",
            x, y, text);
}

static void put_edges(picture* p)
{
    const cli_map* m = p->m;
    int alone = 0, count = 0;
    for (int i = 0; i < m->summary.arcs; i++)
        count += m->arc[i].node[0] < 0 || m->arc[i].node[1] < 0;
    for (int i = 0; i < m->summary.arcs; i++) {
        const sar_map_arc* a = &m->arc[i];
        const char* dashes = a->freedoms > 1 ? " stroke-dasharray=\"6 4\"" : "";
        if (a->node[0] >= 0 && a->node[1] >= 0) {
            double c[4][2];
            bend(p, i, c);
            fprintf(p->out,
                    "<path class=\"arc\" data-arc=\"%d\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f "
                    "%.1f\" fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\"%s/>\n",
                    i, c[0][0], c[0][1], c[1][0], c[1][1], c[2][0], c[2][1], c[3][0], c[3][1],
                    cli_svg_colour(i % 6), dashes);
            continue;
        }
        const int row = m->summary.nodes ? 6 : 3,
                  columns = count < row ? count : row; // below a graph: small
        const int rows = (count + columns - 1) / columns, line = alone / columns;
        const double wide = m->summary.nodes ? 95.0 : 190.0, r = 0.42 * wide;
        const double x = PLOT + 300.0 + (alone % columns - 0.5 * (columns - 1)) * wide,
                     y = m->summary.nodes ? 560.0 : 290.0 + (line - 0.5 * (rows - 1)) * wide;
        if (m->summary.nodes && line > 0) continue;
        alone++;
        fprintf(p->out,
                "<path class=\"arc\" data-arc=\"%d\" d=\"M%.1f %.1fA%g %g 0 1 1 %.1f %.1f\" "
                "fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\"%s/>\n",
                i, x, y - r, r, r, a->closed ? x - 0.1 : x - r, a->closed ? y - r : y,
                cli_svg_colour(i % 6), dashes);
        put_mechanism(p, on_arc(i, 0.0), x, y, 0.74 * wide);
        put_label(p, x, y + r + 16.0, a->name);
    }
}

static void put_middles(picture* p)
{
    const cli_map* m = p->m;
    const double size = m->summary.arcs > 8 ? 74.0 : 100.0;
    for (int i = 0; i < m->summary.arcs; i++) {
        if (m->arc[i].node[0] < 0 || m->arc[i].node[1] < 0) continue;
        double c[4][2], at[2];
        bend(p, i, c);
        middle(c, at);
        if (m->summary.arcs <= MOST_SMALL) put_mechanism(p, on_arc(i, 0.5), at[0], at[1], size);
        put_label(p, at[0], at[1] + (m->summary.arcs <= MOST_SMALL ? 0.5 * size : 4.0),
                  m->arc[i].name);
    }
}

static void put_nodes(picture* p)
{
    const cli_map* m = p->m;
    for (int i = 0; i < m->summary.nodes; i++) {
        const double x = p->at[i][0], y = p->at[i][1];
        fprintf(p->out,
                "<circle class=\"node\" data-node=\"%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"42\" "
                "fill=\"#fff\" stroke=\"#222\" stroke-width=\"1.5\"/>\n",
                i, x, y);
        put_mechanism(p, at_node(i), x, y, 96.0);
        put_label(p, x, y + 57.0, m->node[i].name);
    }
    int modes = 0;
    for (int c = 0; c < m->summary.components && modes < 6; c++) {
        if (m->component[c].dimension == 1 || m->component[c].nodes) continue;
        const double x = PLOT + 60.0 + 95.0 * modes++, y = 565.0;
        put_mechanism(p, (sar_map_place){-1, -1, c, 0.0, -1}, x, y, 80.0);
        put_label(p, x, y + 48.0, m->component[c].name);
    }
}

static void put_picture(picture* p, const int pair[2])
{
    cli_svg_begin(p->out, WIDTH, HEIGHT);
    fprintf(p->out,
            "<text x=\"20\" y=\"30\" font-family=\"sans-serif\" font-size=\"16\" fill=\"#222\">");
    cli_put_html(p->out, p->m->base.name);
    fprintf(p->out, ": %d component%s, %d curve%s, %d singular configuration%s</text>\n",
            p->m->summary.components, cli_plural(p->m->summary.components), p->m->summary.arcs,
            cli_plural(p->m->summary.arcs), p->m->summary.nodes, cli_plural(p->m->summary.nodes));
    if (p->m->quantities && p->m->summary.arcs) put_plot(p, pair);
    put_edges(p);
    put_middles(p);
    put_nodes(p);
    fputs("<circle id=\"here\" r=\"6\" fill=\"#222\" visibility=\"hidden\"/>\n</svg>\n", p->out);
}

/* ---- a page that moves ------------------------------------------------------------------------ */

static const char SCRIPT[] =
    "<script>\n"
    "const here=document.getElementById('here'),frames={};\n"
    "for(const f of document.querySelectorAll('.frame')){const "
    "a=f.dataset.arc;frames[a]=frames[a]||[];frames[a].push(f)}\n"
    "let seen=null;\n"
    "function show(path,at){const list=frames[path.dataset.arc];if(!list)return;\n"
    " const f=list[Math.round(at*(list.length-1))];\n"
    " if(seen)seen.setAttribute('display','none');f.removeAttribute('display');seen=f;\n"
    " const q=path.getPointAtLength(at*path.getTotalLength());\n"
    " here.setAttribute('cx',q.x);here.setAttribute('cy',q.y);here.setAttribute('visibility','"
    "visible')}\n"
    "function nearest(path,x,y){const all=path.getTotalLength();let best=0,least=1e9;\n"
    " for(let k=0;k<=200;k++){const q=path.getPointAtLength(all*k/200),d=(q.x-x)**2+(q.y-y)**2;\n"
    "  if(d<least){least=d;best=k/200}}return best}\n"
    "function go(e){const svg=e.target.ownerSVGElement,p=new DOMPoint(e.clientX,e.clientY)\n"
    "  .matrixTransform(svg.getScreenCTM().inverse());show(e.target,nearest(e.target,p.x,p.y))}\n"
    "for(const a of document.querySelectorAll('.arc')){a.style.cursor='pointer';\n"
    " a.addEventListener('pointerdown',e=>{a.setPointerCapture(e.pointerId);go(e)});\n"
    " a.addEventListener('pointermove',e=>{if(e.buttons)go(e)})}\n"
    "const first=document.querySelector('.arc');if(first)show(first,0.3);\n"
    "</script>\n";

static void put_page(picture* p, const int pair[2])
{
    const cli_map* m = p->m;
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", p->out);
    cli_put_html(p->out, m->base.name);
    fputs(": map</title><style>body{margin:1em;font-family:sans-serif;background:#fff;color:#222}"
          "svg{max-width:100%;height:auto}</style></head><body>\n",
          p->out);
    put_picture(p, pair);
    fputs("<p>Click on a curve of the graph, or drag along it: the mechanism moves there.</p>\n"
          "<svg viewBox=\"0 0 420 420\" width=\"420\" height=\"420\">\n",
          p->out);
    const int each = m->summary.arcs ? MOST_SHOWN / m->summary.arcs : 0;
    const int frames = each > 60 ? 60 : each;
    for (int a = 0; a < m->summary.arcs && frames > 1; a++)
        for (int k = 0; k < frames; k++) {
            fprintf(p->out, "<g class=\"frame\" data-arc=\"%d\" display=\"none\">", a);
            put_mechanism(p, on_arc(a, (double)k / (frames - 1)), 210.0, 210.0, 420.0);
            fputs("</g>", p->out);
        }
    fputs("</svg>\n", p->out);
    fputs(SCRIPT, p->out);
    fputs("</body></html>\n", p->out);
}

int cli_map_picture(const cli_map* m)
{
    const char* ending = strrchr(m->output, '.');
    const int page = ending && strcasecmp(ending, ".html") == 0;
    if (!page && (!ending || strcasecmp(ending, ".svg") != 0)) {
        cli_error("map", "-o %s: the picture is a file .svg or .html", m->output);
        return CLI_USAGE;
    }
    picture p = {.m = m};
    int pair[2], outcome = m->quantities ? cli_map_pair(m, pair) : 0;
    if (!outcome) outcome = make_drawing(&p);
    if (outcome) return outcome;
    cli_output_file file;
    lay_out(&p);
    outcome = cli_output_begin(&file, "map", m->output);
    if (!outcome) {
        p.out = file.to;
        page ? put_page(&p, pair) : put_picture(&p, pair);
        outcome = cli_output_end(&file, "map", m->output);
    }
    sar_drawing_destroy(p.drawing);
    free(p.poses);
    free(p.at);
    return outcome;
}
