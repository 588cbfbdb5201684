/* What contacts and tyres stand on: planes, height fields and roads, as far as the motion goes. Several of them on one plane
 * have one picture. */
#include "pictures/marks.h"

enum { MOST = 32, LINES = 16, POINTS = 48, FLAT_POINTS = 200 };

/// A floor with directions x and y over a point of a body, and the part of it that is needed.
typedef struct floor_picture {
    const sari_force_type* type;
    const sari_force* force;
    sari_force_ground at;
    double y[3];
    double least[2], most[2];
} floor_picture;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Directions of unit length; the place of a plane counts by its height alone. */
static void complete(const sar_drawing* d, floor_picture* f)
{
    sari_force_ground* g = &f->at;
    const double length = sari_norm3(g->normal);
    for (int k = 0; k < 3; k++) g->normal[k] /= length;
    if (d->model->dimension == 2)
        g->x[0] = g->normal[1], g->x[1] = -g->normal[0], g->x[2] = 0.0;
    else if (sari_norm3(g->x) < 0.5)
        sari_mark_across(g->normal, g->x);
    sari_cross(g->normal, g->x, f->y);
    if (f->type->height && g->uneven) return;
    const double level = dot(g->point, g->normal);
    for (int k = 0; k < 3; k++) g->point[k] = level * g->normal[k];
}

/* Where the other body goes over it, and a margin. */
static void measure(const sar_drawing* d, floor_picture* f)
{
    const sari_force_ground* g = &f->at;
    f->least[0] = f->least[1] = INFINITY, f->most[0] = f->most[1] = -INFINITY;
    for (int row = 0; row < d->rows; row++) {
        double foot[3], over[3], x[3], y[3], way[3];
        sari_place_point(d, row, g->body, g->point, foot);
        sari_place_point(d, row, g->other, g->other_point, over);
        sari_place_direction(d, row, g->body, g->x, x);
        sari_place_direction(d, row, g->body, f->y, y);
        sari_mark_along(over, -1.0, foot, way);
        const double s[2] = {dot(way, x), dot(way, y)};
        for (int k = 0; k < 2; k++) {
            f->least[k] = fmin(f->least[k], s[k]);
            f->most[k] = fmax(f->most[k], s[k]);
        }
    }
    const double margin = 2.0 * g->radius + 4.0 * d->r;
    for (int k = 0; k < 2; k++) f->least[k] -= margin, f->most[k] += margin;
}

static bool same_text(const floor_picture* a, const floor_picture* b)
{
    const char *one = sari_force_text_of(a->type, a->force->def, 0),
               *two = sari_force_text_of(b->type, b->force->def, 0);
    if (!a->at.uneven && !b->at.uneven) return true;
    return a->type == b->type && one && two && strcmp(one, two) == 0;
}

static bool is_same(const sar_drawing* d, const floor_picture* a, const floor_picture* b)
{
    double far = 0.0, turned = 0.0;
    for (int k = 0; k < 3; k++) {
        far += fabs(a->at.point[k] - b->at.point[k]);
        turned += fabs(a->at.normal[k] - b->at.normal[k]) + fabs(a->at.x[k] - b->at.x[k]);
    }
    return a->at.body == b->at.body && far <= 1e-6 * d->size && turned <= 1e-9 && same_text(a, b);
}

static void place(const floor_picture* f, double x, double y, double out[3])
{
    const double z = f->at.uneven ? f->type->height(f->force, x, y) : 0.0;
    sari_mark_along(f->at.point, x, f->at.x, out);
    sari_mark_along(out, y, f->y, out);
    sari_mark_along(out, isfinite(z) ? z : 0.0, f->at.normal, out);
}

/* A polyline at y from the one end to the other, or with `across` at x. */
static void draw_line(sar_drawing* d, const floor_picture* f, double at, bool across, int count)
{
    double points[FLAT_POINTS + 1][3];
    const int way = across ? 1 : 0;
    for (int k = 0; k <= count; k++) {
        const double s = f->least[way] + (f->most[way] - f->least[way]) * k / count;
        place(f, across ? at : s, across ? s : at, points[k]);
    }
    sar_mark* mark = sari_mark_add(d, SAR_MARK_LINE, SAR_ROLE_GUIDE, f->at.body,
                                   (const double(*)[3])points, count + 1, 0.0);
    if (mark) mark->name = f->force->name;
}

static void draw_in_plane(sar_drawing* d, const floor_picture* f)
{
    double from[3], to[3], into[3];
    if (f->at.uneven || f->at.body > 0) {
        draw_line(d, f, 0.0, false, FLAT_POINTS);
        return;
    }
    place(f, f->least[0], 0.0, from);
    place(f, f->most[0], 0.0, to);
    for (int k = 0; k < 3; k++) into[k] = -f->at.normal[k];
    sari_draw_ground_line(d, -1, from, to, into);
}

static void draw_in_space(sar_drawing* d, const floor_picture* f)
{
    double corners[4][3];
    for (int k = 0; k <= LINES && f->at.uneven; k++) {
        const double part = (double)k / LINES;
        draw_line(d, f, f->least[1] + part * (f->most[1] - f->least[1]), false, POINTS);
        draw_line(d, f, f->least[0] + part * (f->most[0] - f->least[0]), true, POINTS);
    }
    if (f->at.uneven) return;
    for (int k = 0; k < 4; k++)
        place(f, k == 1 || k == 2 ? f->most[0] : f->least[0], k >= 2 ? f->most[1] : f->least[1],
              corners[k]);
    sar_mark* plate = sari_mark_add(d, SAR_MARK_PLATE, SAR_ROLE_GUIDE, f->at.body,
                                    (const double(*)[3])corners, 4, 0.04 * d->r);
    if (plate) plate->name = f->force->name;
}

/* The floor of a force, into the list or into one that is there. */
static void take(sar_drawing* d, const sari_force_type* type, const sari_force* force,
                 floor_picture* list, int* count)
{
    floor_picture f = {.type = type, .force = force};
    if (*count == MOST || !type->ground(force->def, &f.at) || sari_norm3(f.at.normal) == 0.0)
        return;
    complete(d, &f);
    measure(d, &f);
    for (int k = 0; k < *count; k++) {
        if (!is_same(d, &list[k], &f)) continue;
        for (int i = 0; i < 2; i++) {
            list[k].least[i] = fmin(list[k].least[i], f.least[i]);
            list[k].most[i] = fmax(list[k].most[i], f.most[i]);
        }
        return;
    }
    list[(*count)++] = f;
}

void sari_draw_floors(sar_drawing* d)
{
    floor_picture list[MOST];
    int count = 0;
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        for (int k = 0; k < d->model->forces[t].count && sari_force_types[t]->ground; k++)
            take(d, sari_force_types[t], &d->model->forces[t].at[k], list, &count);
    for (int k = 0; k < count; k++)
        if (d->model->dimension == 2)
            draw_in_plane(d, &list[k]);
        else
            draw_in_space(d, &list[k]);
}
