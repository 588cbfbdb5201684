#include "pictures/projection.h"

#include "common/text.h"
#include "math/functions.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- eyes ----------------------------------------------------------------------------------- */

/* From the direction with this azimuth, 0 in front, to the right positive, and this elevation. */
static void orient(const double up[3], double azimuth, double elevation, cli_eye* eye)
{
    double x[3] = {1, 0, 0}, y[3], degree = 3.14159265358979324 / 180.0;
    const double a = degree * azimuth, e = degree * elevation;
    if (fabs(up[0]) > 0.5) x[0] = 0.0, x[1] = 1.0;
    sari_cross(up, x, y);
    for (int k = 0; k < 3; k++) {
        eye->right[k] = sari_cos(a) * x[k] + sari_sin(a) * y[k];
        const double back = sari_sin(a) * x[k] - sari_cos(a) * y[k];
        eye->out[k] = sari_cos(e) * back + sari_sin(e) * up[k];
    }
    sari_cross(eye->out, eye->right, eye->up);
}

int cli_eye_of(const char* text, const sar_drawing* drawing, int dimension, cli_eye* eye)
{
    static const struct {
        const char* word;
        double azimuth, elevation;
    } eyes[] = {{"front", 0, 0}, {"right", 90, 0},   {"back", 180, 0}, {"left", -90, 0},
                {"top", 0, 90},  {"bottom", 0, -90}, {"iso", 30, 22}};
    double up[3], azimuth, elevation;
    char rest;
    sar_drawing_up(drawing, up);
    if (dimension == 2 && (!text || strcmp(text, "front") == 0)) {
        *eye = (cli_eye){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        return 0;
    }
    if (!text) text = "iso";
    for (size_t k = 0; k < sizeof eyes / sizeof *eyes; k++)
        if (strcmp(text, eyes[k].word) == 0) {
            orient(up, eyes[k].azimuth, eyes[k].elevation, eye);
            return 0;
        }
    if (sscanf(text, "%lf,%lf%c", &azimuth, &elevation, &rest) != 2 || !isfinite(azimuth) ||
        !isfinite(elevation))
        return -1;
    orient(up, azimuth, elevation, eye);
    return 0;
}

void cli_place(const double* poses, int body, const double point[3], double out[3])
{
    const double *p = poses + (size_t)SAR_POSE * (size_t)body, *q = p + 3;
    double t[3], u[3];
    sari_cross(q + 1, point, t);
    for (int k = 0; k < 3; k++) t[k] = 2.0 * t[k];
    sari_cross(q + 1, t, u);
    for (int k = 0; k < 3; k++) out[k] = p[k] + point[k] + q[0] * t[k] + u[k];
}

void cli_project(const cli_eye* eye, const double place[3], double flat[2], double* depth)
{
    flat[0] = sari_dot(eye->right, place);
    flat[1] = sari_dot(eye->up, place);
    *depth = sari_dot(eye->out, place);
}

/* ---- colours -------------------------------------------------------------------------------- */

// Told apart by every kind of colour vision (Okabe and Ito), and tints of them.
static const long palette[] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9};
enum { COLOURS = sizeof palette / sizeof *palette };

long cli_body_colour(int body)
{
    return body <= 0 ? 0x8a8f98 : palette[(body - 1) % COLOURS];
}

/* Towards white (share > 0) or black. */
static long tint(long colour, double share)
{
    long out = 0;
    if (colour == CLI_NO_COLOUR) return colour;
    for (int shift = 16; shift >= 0; shift -= 8) {
        const double c = (double)(colour >> shift & 255), to = share > 0 ? 255.0 : 0.0;
        out |= lround(c + (to - c) * fabs(share)) << shift;
    }
    return out;
}

typedef struct paint {
    long fill, stroke;
    double width;
} paint;

static paint paint_of(const sar_mark* m)
{
    const long own = m->colour >= 0 ? m->colour : cli_body_colour(m->body);
    if (m->style == SAR_STYLE_WIRE) return (paint){CLI_NO_COLOUR, tint(own, -0.25), 1.0};
    static const paint by_role[SAR_ROLES] = {
        [SAR_ROLE_JOINT] = {0xffffff, 0x222222, 1.3},  [SAR_ROLE_GUIDE] = {0xeceff3, 0x6b7280, 1.3},
        [SAR_ROLE_GROUND] = {0xd5d9df, 0x333333, 1.3}, [SAR_ROLE_HATCH] = {-1, 0x555555, 0.9},
        [SAR_ROLE_FORCE] = {0xdfe3e8, 0x3d4450, 1.4},  [SAR_ROLE_STRIPE] = {-1, 0x222222, 1.0},
        [SAR_ROLE_CENTER] = {0xffe14d, 0x222222, 1.0}};
    if (m->role == SAR_ROLE_BODY || m->colour >= 0)
        return (paint){tint(own, 0.45), tint(own, -0.25), 1.4};
    return by_role[m->role];
}

static double alpha_of(sar_style style)
{
    return style == SAR_STYLE_GLASS ? 0.45 : 1.0;
}

/* ---- marks ---------------------------------------------------------------------------------- */

enum { ROUND = 40, COARSE = 14, COIL_POINTS = 241 }; // points of a circle

typedef struct show {
    cli_sheet* sheet;
    const cli_view* view;
    const double* poses;
    const sar_mark* mark;
    paint paint;
    double alpha;
} show;

static void put(const show* s, const double (*points)[2], int n, double depth, int closed,
                long fill, long stroke)
{
    cli_sheet_add(s->sheet,
                  (cli_figure){.depth = depth,
                               .n = n,
                               .closed = closed,
                               .fill = fill,
                               .stroke = stroke,
                               .width = s->paint.width,
                               .alpha = s->alpha,
                               .frame = s->view->frame},
                  points);
}

static void put_hull(const show* s, double (*points)[2], int n, double depth)
{
    n = cli_hull(points, n);
    put(s, (const double(*)[2])points, n, depth, 1, s->paint.fill, s->paint.stroke);
}

/* Point k of the mark in the world. */
static void place_of(const show* s, int k, double out[3])
{
    const int body = k == 1 && s->mark->other >= 0 ? s->mark->other : s->mark->body;
    cli_place(s->poses, body, s->mark->points[k], out);
}

/* Frames of moving pictures are many: theirs are coarser. */
static int round_points(const show* s)
{
    return s->view->frame >= 0 ? COARSE : ROUND;
}

static void circle(const double at[2], double radius, int n, double (*out)[2])
{
    for (int k = 0; k < n; k++) {
        const double angle = 6.283185307179586 * k / n;
        out[k][0] = at[0] + radius * sari_cos(angle), out[k][1] = at[1] + radius * sari_sin(angle);
    }
}

/* Capsules, balls and plates with round edges: the hull of their balls. */
static void show_round(const show* s)
{
    const int n = s->mark->count, each = round_points(s);
    double(*points)[2] = cli_allocate((size_t)n * ROUND, sizeof *points);
    double mean = 0.0, least = INFINITY;
    for (int k = 0; k < n; k++) {
        double place[3], flat[2], depth;
        place_of(s, k, place);
        cli_project(&s->view->eye, place, flat, &depth);
        circle(flat, s->mark->radius, each, points + (ptrdiff_t)k * each);
        mean += depth / n;
        least = fmin(least, depth);
    }
    // a floor is behind everything that is on it
    put_hull(s, points, n * each, s->mark->joint >= 0 && n > 2 ? least : mean);
    free(points);
}

static void ring(const double at[3], const double x[3], const double y[3], double radius,
                 const cli_eye* eye, int n, double (*out)[2])
{
    for (int k = 0; k < n; k++) {
        const double angle = 6.283185307179586 * k / n;
        double place[3], depth;
        for (int i = 0; i < 3; i++)
            place[i] = at[i] + radius * (sari_cos(angle) * x[i] + sari_sin(angle) * y[i]);
        cli_project(eye, place, out[k], &depth);
    }
}

static double axes_of(const double a[3], const double b[3], double axis[3], double x[3],
                      double y[3])
{
    for (int k = 0; k < 3; k++) axis[k] = b[k] - a[k];
    const double length = sari_norm3(axis);
    for (int k = 0; k < 3; k++) axis[k] = length > 0 ? axis[k] / length : k == 2;
    const double other[3] = {fabs(axis[0]) < 0.5, fabs(axis[0]) >= 0.5, 0};
    sari_cross(axis, other, x);
    const double across = sari_norm3(x);
    for (int k = 0; k < 3; k++) x[k] /= across;
    sari_cross(axis, x, y);
    return length;
}

/* The outline, and over it the end that faces the eye. */
static void show_tube(const show* s, const double a[3], const double b[3], double radius)
{
    const int n = round_points(s);
    double axis[3], x[3], y[3], points[2 * ROUND][2], cap[ROUND][2], flat[2], da, db;
    axes_of(a, b, axis, x, y);
    ring(a, x, y, radius, &s->view->eye, n, points);
    ring(b, x, y, radius, &s->view->eye, n, points + n);
    cli_project(&s->view->eye, a, flat, &da);
    cli_project(&s->view->eye, b, flat, &db);
    ring(db > da ? b : a, x, y, radius, &s->view->eye, n, cap);
    put_hull(s, points, 2 * n, 0.5 * (da + db));
    if (fabs(sari_dot(axis, s->view->eye.out)) > 0.05)
        put(s, (const double(*)[2])cap, n, fmax(da, db), 1, tint(s->paint.fill, 0.25),
            s->paint.stroke);
}

static void show_cylinder(const show* s)
{
    double a[3], b[3];
    place_of(s, 0, a);
    place_of(s, 1, b);
    show_tube(s, a, b, s->mark->radius);
}

/* The faces that the eye sees, each with the light that falls on it. */
static void show_box(const show* s)
{
    double corner[4][3], edge[3][3];
    for (int k = 0; k < 4; k++) place_of(s, k, corner[k]);
    for (int e = 0; e < 3; e++)
        for (int k = 0; k < 3; k++) edge[e][k] = corner[e + 1][k] - corner[0][k];
    for (int face = 0; face < 6; face++) {
        const double side = face & 1 ? 1.0 : -1.0, *n = edge[face / 2];
        const double *u = edge[(face / 2 + 1) % 3], *v = edge[(face / 2 + 2) % 3];
        const double size = sari_norm3(n), facing = side * sari_dot(n, s->view->eye.out) / size;
        if (!(facing > 1e-6)) continue;
        double points[4][2], depth = 0.0, deep;
        for (int k = 0; k < 4; k++) {
            const double p = k == 0 || k == 3 ? -1.0 : 1.0, q = k < 2 ? -1.0 : 1.0;
            double place[3];
            for (int i = 0; i < 3; i++) place[i] = corner[0][i] + side * n[i] + p * u[i] + q * v[i];
            cli_project(&s->view->eye, place, points[k], &deep);
            depth += 0.25 * deep;
        }
        const double light = side * sari_dot(n, s->view->eye.up) / size;
        put(s, (const double(*)[2])points, 4, depth, 1, tint(s->paint.fill, 0.25 * light),
            s->paint.stroke);
    }
}

/* Long lines on round bodies are cut, so that the half behind is hidden. */
static void show_line(const show* s)
{
    const int n = s->mark->count, cut = s->mark->role == SAR_ROLE_STRIPE && n > 2;
    double(*points)[2] = cli_allocate((size_t)n, sizeof *points), mean = 0.0, before = 0.0;
    for (int k = 0; k < n; k++) {
        double place[3], depth;
        place_of(s, k, place);
        cli_project(&s->view->eye, place, points[k], &depth);
        mean += depth / n;
        if (cut && k > 0)
            put(s, (const double(*)[2])points + k - 1, 2, 0.5 * (depth + before), 0, CLI_NO_COLOUR,
                s->paint.stroke);
        before = depth;
    }
    if (!cut) put(s, (const double(*)[2])points, n, mean, 0, CLI_NO_COLOUR, s->paint.stroke);
    free(points);
}

static void show_polygon(const show* s)
{
    const int n = s->mark->count;
    double(*points)[2] = cli_allocate((size_t)n, sizeof *points), mean = 0.0;
    for (int k = 0; k < n; k++) {
        double place[3], depth;
        place_of(s, k, place);
        cli_project(&s->view->eye, place, points[k], &depth);
        mean += depth / n;
    }
    put(s, (const double(*)[2])points, n, mean, 1, s->paint.fill, s->paint.stroke);
    free(points);
}

static void show_mesh(const show* s)
{
    const sar_mark* m = s->mark;
    for (int t = 0; t < m->triangle_count; t++) {
        double place[3][3], points[3][2], depth = 0.0, deep, u[3], v[3], n[3];
        for (int k = 0; k < 3; k++) {
            cli_place(s->poses, m->body, m->points[m->triangles[3 * t + k]], place[k]);
            cli_project(&s->view->eye, place[k], points[k], &deep);
            depth += deep / 3.0;
        }
        for (int k = 0; k < 3; k++)
            u[k] = place[1][k] - place[0][k], v[k] = place[2][k] - place[0][k];
        sari_cross(u, v, n);
        const double size = sari_norm3(n),
                     light = size > 0 ? sari_dot(n, s->view->eye.out) / size : 0;
        if (light < 0.0) continue;
        const long fill = tint(s->paint.fill, 0.5 * light - 0.3);
        const int wire = s->mark->style == SAR_STYLE_WIRE;
        put(s, (const double(*)[2])points, 3, depth, 1, fill, wire ? s->paint.stroke : fill);
    }
}

/* Straight at both ends, eight turns between. */
static void show_coil(const show* s)
{
    double a[3], b[3], axis[3], x[3], y[3], points[COIL_POINTS][2], flat[2], da, db, deep;
    place_of(s, 0, a);
    place_of(s, 1, b);
    const double length = axes_of(a, b, axis, x, y), turns = 8.0;
    cli_project(&s->view->eye, a, flat, &da);
    cli_project(&s->view->eye, b, flat, &db);
    for (int k = 0; k < COIL_POINTS; k++) {
        const double part = (double)k / (COIL_POINTS - 1), inner = (part - 0.14) / 0.72;
        const double R =
            inner > 0 && inner < 1 ? s->mark->radius * fmin(1, 12 * fmin(inner, 1 - inner)) : 0;
        const double angle = 6.283185307179586 * turns * inner;
        double place[3];
        for (int i = 0; i < 3; i++)
            place[i] = a[i] + part * length * axis[i] +
                       R * (sari_cos(angle) * x[i] + sari_sin(angle) * y[i]);
        cli_project(&s->view->eye, place, points[k], &deep);
    }
    put(s, (const double(*)[2])points, COIL_POINTS, 0.5 * (da + db), 0, CLI_NO_COLOUR,
        s->paint.stroke);
}

static void between(const double a[3], const double b[3], double part, double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[k] + part * (b[k] - a[k]);
}

/* A thin rod into a wide pot. */
static void show_pot(const show* s)
{
    double a[3], b[3], p[3], q[3], r[3];
    place_of(s, 0, a);
    place_of(s, 1, b);
    between(a, b, 0.25, p);
    between(a, b, 0.65, q);
    between(a, b, 0.45, r);
    show_tube(s, a, p, 0.25 * s->mark->radius);
    show_tube(s, r, b, 0.25 * s->mark->radius);
    show_tube(s, p, q, s->mark->radius);
}

static void show_mark(const show* s)
{
    static void (*const shows[SAR_MARK_KINDS])(const show*) = {
        [SAR_MARK_CAPSULE] = show_round, [SAR_MARK_CYLINDER] = show_cylinder,
        [SAR_MARK_BALL] = show_round,    [SAR_MARK_BOX] = show_box,
        [SAR_MARK_PLATE] = show_round,   [SAR_MARK_POLYGON] = show_polygon,
        [SAR_MARK_LINE] = show_line,     [SAR_MARK_MESH] = show_mesh,
        [SAR_MARK_COIL] = show_coil,     [SAR_MARK_POT] = show_pot,
        [SAR_MARK_BAR] = show_cylinder};
    shows[s->mark->kind](s);
}

void cli_show_marks(cli_sheet* sheet, const sar_drawing* drawing, const double* poses,
                    const cli_view* view)
{
    for (int k = 0; k < sar_drawing_marks(drawing); k++) {
        const sar_mark* mark = sar_drawing_mark(drawing, k);
        const int moves = mark->body > 0 || mark->other > 0;
        if (moves ? !view->moving : !view->fixed) continue;
        if (mark->role == SAR_ROLE_CENTER && !view->centers) continue;
        const show s = {sheet, view,           poses,
                        mark,  paint_of(mark), (moves ? view->alpha : 1.0) * alpha_of(mark->style)};
        show_mark(&s);
    }
}
