/* Bodies without a shape of their own: rods and plates between the points that joints and forces
 * hold, or a figure with the same inertia where there is but one. */
#include "pictures/marks.h"

#include <stdlib.h>

/* ---- which points --------------------------------------------------------------------------- */

static bool is_new(const sari_outline* o, const double point[3], double within)
{
    for (int k = 0; k < o->count; k++) {
        double gap[3];
        sari_mark_along(o->points[k], -1.0, point, gap);
        if (sari_norm3(gap) <= within) return false;
    }
    return true;
}

enum { POINTS = 64 }; ///< of a body, at most: its picture would not gain from more

static void add_point(sar_drawing* d, int body, const double point[3])
{
    sari_outline* o = &d->outlines[body];
    if (body == 0 || o->count >= POINTS || !is_new(o, point, 1e-9)) return;
    if (!sari_grow((void**)&o->points, o->count, &o->capacity, sizeof *o->points)) {
        d->arena.failed = 1;
        return;
    }
    memcpy(o->points[o->count++], point, 3 * sizeof(double));
}

static void find_joint_points(sar_drawing* d)
{
    const sar_model* m = d->model;
    for (int k = 0; k < m->joints_count; k++) {
        const sari_joint* joint = &m->joints[k];
        const sar_end* ends = sari_joint_ends(joint);
        for (int i = joint->attaches; ends && i < 2; i++)
            add_point(d, ends[i].body.i, ends[i].point);
    }
}

static void find_force_points(sar_drawing* d)
{
    for (int t = 0; t < SARI_FORCE_TYPES; t++) {
        const sari_force_type* type = sari_force_types[t];
        for (int k = 0; k < d->model->forces[t].count; k++) {
            void* def = d->model->forces[t].at[k].def;
            const sar_end* ends = sari_force_ends(type, def);
            if (ends && sari_force_joint(type, def) < 0) {
                for (int i = 0; i < sari_force_ends_count(type, def); i++)
                    add_point(d, ends[i].body.i, ends[i].point);
            } else if (type->is.body && type->picture) {
                add_point(d, sari_force_body(type, def), sari_force_point(type, def));
            }
        }
    }
}

static bool is_usual_name(const char* name)
{
    return strcmp(name, "origin") == 0 || strcmp(name, "center") == 0;
}

static void find_named_points(sar_drawing* d)
{
    for (int b = 1; b < d->model->bodies_count; b++) {
        const sari_body* body = &d->model->bodies[b];
        d->outlines[b].held = d->outlines[b].count;
        for (int k = 0; k < body->points_count; k++)
            if (!is_usual_name(body->points[k].name)) add_point(d, b, body->points[k].v);
    }
}

/* ---- how large ------------------------------------------------------------------------------ */

static double extent(const sari_outline* o, const double extra[3])
{
    double most = 0.0, gap[3];
    for (int i = 0; i < o->count; i++) {
        for (int k = i + 1; k < o->count; k++) {
            sari_mark_along(o->points[i], -1.0, o->points[k], gap);
            most = fmax(most, sari_norm3(gap));
        }
        sari_mark_along(o->points[i], -1.0, extra, gap);
        most = fmax(most, sari_norm3(gap));
    }
    return most;
}

static double gyration(const sar_body_def* def)
{
    const double most = fmax(fmax(def->inertia[0], def->inertia[1]), def->inertia[2]);
    return def->mass > 0.0 ? sqrt(most / def->mass) : 0.0;
}

static int ascending(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(double* values, int count)
{
    if (count == 0) return 0.0;
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

/* Lengths that joints and forces bring along. */
static double other_sizes(const sar_model* m)
{
    double most = 0.0;
    for (int k = 0; k < m->joints_count; k++)
        if (!m->joints[k].relation)
            most = fmax(most, fmax(m->joints[k].pair.radius, m->joints[k].pair.distance));
    return most;
}

/* The median of the bodies' lengths; without any, of their radii of gyration. */
static sar_status find_size(sar_drawing* d)
{
    const int bodies = d->model->bodies_count;
    double *lengths = SARI_TAKE(&d->arena, double, bodies),
           *radii = SARI_TAKE(&d->arena, double, bodies);
    int n = 0, others = 0;
    if (!lengths || !radii) return SAR_E_NOMEM;
    for (int b = 1; b < bodies; b++) {
        const sar_body_def* def = &d->model->bodies[b].def;
        const double length = extent(&d->outlines[b], def->center), radius = gyration(def);
        if (length > 0.0) lengths[n++] = length;
        if (radius > 0.0) radii[others++] = radius;
    }
    d->size = median(lengths, n);
    d->has_lengths = n > 0;
    if (d->size == 0.0) d->size = fmax(2.0 * median(radii, others), other_sizes(d->model));
    double covers = 0.0;
    for (int k = 0; k < 3; k++) covers = fmax(covers, d->most[k] - d->least[k]);
    if (d->size == 0.0) d->size = covers > 0.0 ? 0.2 * covers : 1.0;
    d->r = 0.04 * d->size;
    return SAR_OK;
}

/* ---- layers --------------------------------------------------------------------------------- */

/* In the plane bodies that a joint connects lie over each other, as they would in a machine. */
static sar_status find_layers(sar_drawing* d)
{
    const sar_model* m = d->model;
    enum { LAYERS = 8 };
    unsigned* taken = SARI_TAKE(&d->arena, unsigned, m->bodies_count);
    if (!taken) return SAR_E_NOMEM;
    for (int k = 0; k < m->joints_count; k++) {
        const sari_joint* joint = &m->joints[k];
        if (joint->relation) continue;
        const int a = joint->pair.a.body.i, b = joint->pair.b.body.i, last = a > b ? a : b,
                  first = a > b ? b : a;
        sari_outline* o = &d->outlines[last];
        if (first > 0) taken[last] |= 1u << d->outlines[first].layer;
        for (o->layer = 0; o->layer < LAYERS - 1 && taken[last] & 1u << o->layer;) o->layer++;
    }
    return SAR_OK;
}

sar_status sari_outlines_find(sar_drawing* d)
{
    d->outlines = SARI_TAKE(&d->arena, sari_outline, d->model->bodies_count);
    if (!d->outlines) return SAR_E_NOMEM;
    find_joint_points(d);
    find_force_points(d);
    find_named_points(d);
    SARI_TRY(find_size(d));
    return find_layers(d);
}

/* ---- figures -------------------------------------------------------------------------------- */

static void stripe(sar_drawing* d, int body, const double at[3], const double direction[3],
                   double length)
{
    double end[3];
    sari_mark_along(at, length, direction, end);
    sari_mark_line(d, SAR_ROLE_STRIPE, body, at, end);
}

/* A body between others that have lengths is not to hide them. */
static double most_of_lump(const sar_drawing* d, int body)
{
    return d->has_lengths && d->outlines[body].held > 0 ? 0.22 * d->size : 2.0 * d->size;
}

/* Half edges of a box with this mass and inertia. */
static void box_of(const sar_drawing* d, int body, double half[3])
{
    const sar_body_def* def = &d->model->bodies[body].def;
    const double* I = def->inertia;
    const double sum = I[0] + I[1] + I[2];
    for (int k = 0; k < 3; k++) {
        const double square = def->mass > 0.0 ? 1.5 * (sum - 2.0 * I[k]) / def->mass : 0.0;
        half[k] = fmin(fmax(sqrt(fmax(square, 0.0)), 1.5 * d->r), most_of_lump(d, body));
    }
}

/* A body of which nothing is known but its inertia, or not even that. */
static void draw_lump(sar_drawing* d, int body)
{
    const sar_body_def* def = &d->model->bodies[body].def;
    const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    double at[3] = {def->center[0], def->center[1], sari_layer_height(d, body)};
    if (d->model->dimension == 2) {
        const double R = fmin(fmax(sqrt(2.0) * gyration(def), 2.5 * d->r), most_of_lump(d, body));
        sari_mark_cylinder(d, SAR_ROLE_BODY, body, at, z, 0.8 * d->r, R);
        at[2] += 0.85 * d->r;
        stripe(d, body, at, x, R);
        return;
    }
    at[2] = def->center[2];
    double half[3];
    box_of(d, body, half);
    sari_mark_box(d, SAR_ROLE_BODY, body, at, x, y, half);
}

/* One point is held: a rod to the mass, if that is elsewhere. */
static void draw_around(sar_drawing* d, int body)
{
    const sari_outline* o = &d->outlines[body];
    const sar_body_def* def = &d->model->bodies[body].def;
    const double h = sari_layer_height(d, body);
    double ends[2][3], gap[3];
    memcpy(ends[0], o->points[0], sizeof ends[0]);
    memcpy(ends[1], def->center, sizeof ends[1]);
    sari_mark_along(ends[1], -1.0, ends[0], gap);
    ends[0][2] += h, ends[1][2] += h;
    if (def->mass == 0.0 || sari_norm3(gap) < 3.0 * d->r) {
        if (!o->solid) draw_lump(d, body);
        return;
    }
    sari_mark_add(d, SAR_MARK_CAPSULE, SAR_ROLE_BODY, body, (const double(*)[3])ends, 2,
                  0.8 * d->r);
    sari_mark_add(d, SAR_MARK_BALL, SAR_ROLE_BODY, body, (const double(*)[3]) & ends[1], 1,
                  2.2 * d->r);
}

/* The two points farthest apart, and the one farthest from the line between them: are all of them on
 * a line, or in the plane across `normal`? */
typedef enum form { ON_A_LINE, IN_A_PLANE, IN_SPACE } form;

static form form_of(const sari_outline* o, double within, int far[2], double normal[3])
{
    double most = -1.0, gap[3], axis[3] = {0};
    for (int i = 0; i < o->count; i++)
        for (int k = i + 1; k < o->count; k++) {
            sari_mark_along(o->points[k], -1.0, o->points[i], gap);
            if (sari_norm3(gap) <= most) continue;
            most = sari_norm3(gap);
            far[0] = i, far[1] = k;
            memcpy(axis, gap, sizeof axis);
        }
    double widest = 0.0;
    for (int k = 0; k < o->count; k++) {
        double across[3];
        sari_mark_along(o->points[k], -1.0, o->points[far[0]], gap);
        sari_cross(axis, gap, across);
        if (sari_norm3(across) <= widest) continue;
        widest = sari_norm3(across);
        for (int i = 0; i < 3; i++) normal[i] = across[i] / widest;
    }
    if (widest <= within * most) return ON_A_LINE;
    for (int k = 0; k < o->count; k++) {
        sari_mark_along(o->points[k], -1.0, o->points[far[0]], gap);
        if (fabs(sari_dot(gap, normal)) > within) return IN_SPACE;
    }
    return IN_A_PLANE;
}

typedef struct flat_point {
    double x, y;
    int k;
} flat_point;

static int by_x(const void* a, const void* b)
{
    const flat_point *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

static double turn(const flat_point* a, const flat_point* b, const flat_point* c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* Convex hull in the plane across `normal`, by Andrew's monotone chain. Returns how many of `out`
 * are used. */
static int hull(const sari_outline* o, const double normal[3], double out[][3])
{
    double x[3], y[3];
    flat_point p[POINTS], chain[2 * POINTS];
    int n = 0;
    sari_mark_across(normal, x);
    sari_cross(normal, x, y);
    for (int k = 0; k < o->count; k++)
        p[k] = (flat_point){sari_dot(o->points[k], x), sari_dot(o->points[k], y), k};
    qsort(p, (size_t)o->count, sizeof *p, by_x);
    for (int k = 0; k < o->count; k++) {
        while (n >= 2 && turn(&chain[n - 2], &chain[n - 1], &p[k]) <= 0) n--;
        chain[n++] = p[k];
    }
    for (int k = o->count - 2, lower = n + 1; k >= 0; k--) {
        while (n >= lower && turn(&chain[n - 2], &chain[n - 1], &p[k]) <= 0) n--;
        chain[n++] = p[k];
    }
    for (int k = 0; k < n - 1; k++) memcpy(out[k], o->points[chain[k].k], 3 * sizeof(double));
    return n - 1;
}

static void draw_star(sar_drawing* d, int body)
{
    const sari_outline* o = &d->outlines[body];
    double ends[2][3] = {{0}};
    for (int k = 0; k < o->count; k++)
        sari_mark_along(ends[0], 1.0 / o->count, o->points[k], ends[0]);
    for (int k = 0; k < o->count; k++) {
        memcpy(ends[1], o->points[k], sizeof ends[1]);
        sari_mark_add(d, SAR_MARK_CAPSULE, SAR_ROLE_BODY, body, (const double(*)[3])ends, 2,
                      0.8 * d->r);
    }
}

static void draw_between(sar_drawing* d, int body)
{
    const sari_outline* o = &d->outlines[body];
    const double h = sari_layer_height(d, body);
    double normal[3] = {0, 0, 1}, points[POINTS][3];
    int far[2] = {0, 0}, n = 2;
    switch (form_of(o, 0.2 * d->r, far, normal)) {
    case ON_A_LINE:
        for (int k = 0; k < 2; k++) memcpy(points[k], o->points[far[k]], sizeof points[k]);
        break;
    case IN_A_PLANE:
        n = hull(o, normal, points);
        break;
    case IN_SPACE:
        draw_star(d, body);
        return;
    }
    for (int k = 0; k < n; k++) points[k][2] += h;
    sari_mark_add(d, n == 2 ? SAR_MARK_CAPSULE : SAR_MARK_PLATE, SAR_ROLE_BODY, body,
                  (const double(*)[3])points, n, d->r);
}

static void draw_center(sar_drawing* d, int body)
{
    const sar_body_def* def = &d->model->bodies[body].def;
    const double at[1][3] = {
        {def->center[0], def->center[1], def->center[2] + sari_layer_height(d, body)}};
    if (def->mass > 0.0) sari_mark_add(d, SAR_MARK_BALL, SAR_ROLE_CENTER, body, at, 1, 0.7 * d->r);
}

void sari_draw_bodies(sar_drawing* d)
{
    sari_draw_shapes(d, 0);
    for (int b = 1; b < d->model->bodies_count; b++) {
        const sari_outline* o = &d->outlines[b];
        if (o->unseen) continue;
        draw_center(d, b);
        if (sari_draw_shapes(d, b)) continue;
        if (o->count == 0 && o->solid) continue;
        if (o->count == 0)
            draw_lump(d, b);
        else if (o->count == 1)
            draw_around(d, b);
        else
            draw_between(d, b);
    }
}
