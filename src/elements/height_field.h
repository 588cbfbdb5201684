/* The place of a height field z = h(x, y) that is nearest to a point c, with derivatives by dual
 * numbers: dual_vec3.h has to be there. At the place s = (x, y, h) with the unit normal n and the
 * signed distance D,
 *
 *     c = s + D n                                                                             (1)
 *
 * is solved by Newton's method, (G - D B) d(x, y) = (s_x . (c - s), s_y . (c - s)), with the first
 * and second fundamental forms G and B of the surface. The same matrix gives the derivatives of
 * the place by c: (G - D B) d(x, y) = (s_x . dc, s_y . dc). It is regular where the surface is less
 * curved than a ball of radius D. */
#ifndef SARI_HEIGHT_FIELD_H
#define SARI_HEIGHT_FIELD_H

#include "model/model.h"

/// h and its derivatives at a place: of the surface, by x, y, xx, xy, yy.
typedef struct height {
    double h, x, y, xx, xy, yy;
} height;

/* Second derivatives are those along lines: of x, of y and of both. */
static double height_along(const sari_expression* e, const double place[2], double dx, double dy,
                           double* slope, double* value)
{
    double at[SARI_VARIABLE_SIGNAL] = {0}, direction[SARI_VARIABLE_SIGNAL] = {0}, series[3];
    at[SARI_VARIABLE_X] = place[0], at[SARI_VARIABLE_V] = place[1];
    direction[SARI_VARIABLE_X] = dx, direction[SARI_VARIABLE_V] = dy;
    sari_expression_series_along(e, at, direction, series);
    *value = series[0], *slope = series[1];
    return series[2];
}

static height height_at(const sari_expression* e, const double place[2])
{
    height f;
    double both;
    f.xx = height_along(e, place, 1.0, 0.0, &f.x, &f.h);
    f.yy = height_along(e, place, 0.0, 1.0, &f.y, &f.h);
    f.xy = 0.5 * (height_along(e, place, 1.0, 1.0, &both, &f.h) - f.xx - f.yy);
    return f;
}

/// G - D B at a place, and c - s there.
typedef struct foot {
    height f;
    double A[3], d[3]; ///< xx, xy, yy
} foot;

static foot foot_at(const sari_expression* e, const double place[2], const double c[3])
{
    foot t = {.f = height_at(e, place)};
    const double W2 = 1.0 + t.f.x * t.f.x + t.f.y * t.f.y;
    t.d[0] = c[0] - place[0], t.d[1] = c[1] - place[1], t.d[2] = c[2] - t.f.h;
    const double D = (t.d[2] - t.f.x * t.d[0] - t.f.y * t.d[1]) / W2; // D/W
    t.A[0] = 1.0 + t.f.x * t.f.x - D * t.f.xx;
    t.A[1] = t.f.x * t.f.y - D * t.f.xy;
    t.A[2] = 1.0 + t.f.y * t.f.y - D * t.f.yy;
    return t;
}

/* x of A x = b */
static void foot_solve(const foot* t, double b0, double b1, double x[2])
{
    const double det = t->A[0] * t->A[2] - t->A[1] * t->A[1];
    x[0] = (t->A[2] * b0 - t->A[1] * b1) / det;
    x[1] = (t->A[0] * b1 - t->A[1] * b0) / det;
}

/* Over c at first; (1). */
static foot find_foot(const sari_expression* e, const double c[3], double place[2])
{
    enum { ITERATIONS = 20 };
    place[0] = c[0], place[1] = c[1];
    foot t = foot_at(e, place, c);
    for (int k = 0; k < ITERATIONS; k++) {
        double step[2];
        foot_solve(&t, t.d[0] + t.f.x * t.d[2], t.d[1] + t.f.y * t.d[2], step);
        place[0] += step[0], place[1] += step[1];
        t = foot_at(e, place, c);
        if (fabs(step[0]) + fabs(step[1]) <=
            1e-14 * (fabs(place[0]) + fabs(place[1]) + fabs(t.d[2])))
            break;
    }
    return t;
}

/// The unit normal at the foot of c (in x, y, z), and the distance from there.
static dual over_surface(const sari_expression* e, const vector* c, vector* n)
{
    const double at[3] = {c->x[0].v, c->x[1].v, c->x[2].v};
    double place[2];
    const foot t = find_foot(e, at, place);
    dual x = dual_constant(place[0]), y = dual_constant(place[1]);
    for (int k = 0; k < SARI_DUAL; k++) {
        double d[2];
        const double z = c->x[2].d[k];
        foot_solve(&t, c->x[0].d[k] + t.f.x * z, c->x[1].d[k] + t.f.y * z, d);
        x.d[k] = d[0], y.d[k] = d[1];
    }
    const dual h = dual_add(dual_of(x, t.f.h, t.f.x), dual_of(y, 0.0, t.f.y));
    const dual hx = dual_add(dual_of(x, t.f.x, t.f.xx), dual_of(y, 0.0, t.f.xy));
    const dual hy = dual_add(dual_of(x, t.f.y, t.f.xy), dual_of(y, 0.0, t.f.yy));
    const dual W = dual_sqrt(dual_shift(dual_add(dual_times(hx, hx), dual_times(hy, hy)), 1.0));
    n->x[0] = dual_over(dual_scale(-1.0, hx), W);
    n->x[1] = dual_over(dual_scale(-1.0, hy), W);
    n->x[2] = dual_over(dual_constant(1.0), W);
    const vector d = {
        {dual_subtract(c->x[0], x), dual_subtract(c->x[1], y), dual_subtract(c->x[2], h)}};
    return vector_dot(&d, n);
}

#endif
