/* Belts around two pulleys, and cables over points.
 *
 * Seen along the axis of the first pulley, with the direction e from one to the other, f across and
 * the distance D, the strands leave the circles at the angles +-beta from e,
 *
 *     cos beta = (r_A - r_B)/D,   crossed (r_A + r_B)/D, on the second circle at beta + 180 degrees
 */
#include "math/functions.h"
#include "pictures/marks.h"

#include <math.h>

/* A strand or a way of a cable, from a point of one body to one of another. */
static void draw_strand(sar_drawing* d, const sari_belt* belt, int a, const double p[3], int b,
                        const double q[3])
{
    const double points[2][3] = {{p[0], p[1], p[2]}, {q[0], q[1], q[2]}};
    sar_mark* mark = sari_mark_add(d, SAR_MARK_BAR, belt->role, a, points, 2, 0.25 * d->r);
    if (!mark) return;
    mark->other = b;
    mark->joint = belt->joint;
    mark->name = belt->name;
}

/// A circle in the frame of the body that carries its pulley.
typedef struct circle {
    int body;
    double at[3], e[3], f[3], radius;
} circle;

static void point_on(const circle* c, double angle, double out[3])
{
    sari_mark_along(c->at, c->radius * sari_cos(angle), c->e, out);
    sari_mark_along(out, c->radius * sari_sin(angle), c->f, out);
}

static void draw_arc(sar_drawing* d, const sari_belt* belt, const circle* c, double from, double to)
{
    enum { N = 32 };
    double points[N + 1][3];
    for (int k = 0; k <= N; k++) point_on(c, from + (to - from) * k / N, points[k]);
    for (int k = 0; k < N; k++) draw_strand(d, belt, c->body, points[k], c->body, points[k + 1]);
}

static circle circle_of(const sar_drawing* d, const sari_belt* belt, int k, const double e[3],
                        const double f[3])
{
    const sar_end* a = &belt->pulley[k]->a;
    circle c = {.body = a->body.i, .radius = belt->radius[k]};
    memcpy(c.at, a->point, sizeof c.at);
    if (d->model->dimension == 2) c.at[2] += sari_layer_height(d, belt->pulley[k]->b.body.i);
    sari_direction_in(d, c.body, e, c.e);
    sari_direction_in(d, c.body, f, c.f);
    return c;
}

void sari_draw_belt(sar_drawing* d, const sari_belt* belt)
{
    const double pi = 3.14159265358979;
    const sar_end *a = &belt->pulley[0]->a, *b = &belt->pulley[1]->a;
    const double sign = belt->crossed ? 1.0 : -1.0, *r = belt->radius;
    double A[3], B[3], e[3], f[3], axis[3] = {0, 0, 1}, p[2][3], q[2][3];
    sari_place_point(d, 0, a->body.i, a->point, A);
    sari_place_point(d, 0, b->body.i, b->point, B);
    if (d->model->dimension == 3) sari_place_direction(d, 0, a->body.i, a->axis, axis);
    sari_mark_along(B, -1.0, A, e);
    sari_mark_along(e, -sari_dot(e, axis), axis, e);
    const double D = sari_norm3(e), cosine = (r[0] + sign * r[1]) / D;
    if (!(fabs(cosine) < 1.0)) return; // one within the other: no belt goes around both
    for (int k = 0; k < 3; k++) e[k] /= D;
    sari_cross(axis, e, f);
    const double beta = sari_acos(cosine), other = belt->crossed ? beta + pi : beta;
    const circle first = circle_of(d, belt, 0, e, f), second = circle_of(d, belt, 1, e, f);
    for (int k = 0; k < 2; k++) {
        const double side = k ? -1.0 : 1.0;
        point_on(&first, side * beta, p[k]);
        point_on(&second, side * other, q[k]);
        draw_strand(d, belt, first.body, p[k], second.body, q[k]);
    }
    draw_arc(d, belt, &first, beta, 2.0 * pi - beta);
    draw_arc(d, belt, &second, -(belt->crossed ? pi - beta : beta),
             belt->crossed ? pi - beta : beta);
}

void sari_draw_cable(sar_drawing* d, const sari_belt* belt, const sar_end* over, int points)
{
    for (int k = 1; k < points; k++) {
        double p[3], q[3];
        memcpy(p, over[k - 1].point, sizeof p), memcpy(q, over[k].point, sizeof q);
        p[2] += sari_layer_height(d, over[k - 1].body.i);
        q[2] += sari_layer_height(d, over[k].body.i);
        draw_strand(d, belt, over[k - 1].body.i, p, over[k].body.i, q);
    }
}
