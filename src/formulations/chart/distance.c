/* Distance from singular configurations: equation (5) of chart.c. The smallest singular value sigma of the
 * constraints, with its vectors and its gradient by z, comes from the algebra (dense or sparse). */
#include "formulations/chart/limits.h"

#include "linalg/cholesky.h"

#include <math.h>
#include <string.h>

static const double FLAT = 1e-6; ///< of the usual sigma, by a radian: no slope
static const double SPAN =
    6.0; ///< times the distance that is near: as far as sums on both sides reach

/* out = N^-1 g / |.|,  N = T' diag(1/unit^2) T: the steepest way in the metric of turns. */
static void steepest(sari_chart* c, const double* T, const double* g, double* out)
{
    const int n = c->n, d = c->d;
    memcpy(out, g, (size_t)d * sizeof(double));
    memset(c->work.H, 0, (size_t)(d * d) * sizeof(double));
    for (int i = 0; i < n; i++, T += d)
        for (int j = 0; j < d; j++)
            for (int k = 0; k <= j; k++)
                c->work.H[j * d + k] += T[j] * T[k] / (c->unit[i] * c->unit[i]);
    (void)sari_cholesky(d, c->work.H, 0.0);
    sari_cholesky_solve(d, c->work.H, out);
    (void)sari_vector_normalise(d, out);
}

/* The distance along a way of z to where sigma, with its gradient g, is zero; its turn and slope. */
static double distance_along(sari_chart* c, const double* T, const double* along, const double* g,
                             double sigma, double* turn, double* slope)
{
    const int d = c->d;
    for (int i = 0; i < c->n; i++) c->v[i] = sari_vector_dot(d, T + (size_t)(i * d), along);
    *turn = sari_equations_turn(c->sys, c->q, c->v);
    *slope = fabs(sari_vector_dot(d, g, along)) / *turn;
    return *slope > 0.0 ? sigma / *slope : INFINITY;
}

/* Other loops may be near singular configurations of their own, or nearer though their sigma is larger: the
 * way has to lead across all of them, so that the steepest ways are added, each as far as it turns by
 * a radian. */
static void turn_to_others(sari_chart* c, double t, const double* T, const double* first)
{
    const int d = c->d, size = c->nw;
    double *known = c->work.others, *right = known + (size_t)(SARI_CHART_OTHERS * size),
           *left = right + size, *g = left + c->nh, *way = g + d, slope, turn;
    memcpy(known, c->singular.right, (size_t)size * sizeof(double));
    for (int j = 0; j < d; j++) c->singular.along[j] /= c->singular.along_turn;
    for (int k = 1; k < SARI_CHART_OTHERS && k < d && k < c->r; k++) {
        const double sigma = c->engine->next_value(c, k, known, right, left);
        if (!(sigma < SARI_CHART_GATE * c->singular.sigma_usual)) break;
        memcpy(known + (size_t)(k * size), right, (size_t)size * sizeof(double));
        c->engine->gradient(c, t, T, sigma, right, left, g);
        steepest(c, T, g, way);
        const double away = distance_along(c, T, way, g, sigma, &turn, &slope);
        if (!(away < SPAN * SARI_CHART_NEAR_RAD)) continue;
        c->singular.delta = fmin(c->singular.delta, away);
        const double sign = sari_vector_dot(d, c->singular.along, way) < 0.0 ? -1.0 : 1.0;
        sari_vector_add(d, sign / turn, way, c->singular.along);
    }
    (void)sari_vector_normalise(d, c->singular.along);
    distance_along(c, T, c->singular.along, first, c->singular.sigma, &c->singular.along_turn,
                   &c->singular.slope);
}

/* The steepest way to the singular set, in the metric of turns:
 *     N = T' diag(1/unit^2) T,   along = N^-1 grad sigma                                     (5) */
static void steepest_way(sari_chart* c, double t, const double* T, double* g)
{
    c->engine->gradient(c, t, T, c->singular.sigma, c->singular.right, c->singular.left, g);
    steepest(c, T, g, c->singular.along);
    c->singular.delta = distance_along(c, T, c->singular.along, g, c->singular.sigma,
                                       &c->singular.along_turn, &c->singular.slope);
}

static void measure_distance(sari_chart* c, double t, const sari_chart_point* from)
{
    const int others = c->d > 1 && c->r > 1;
    double* g = c->zdd;
    c->singular.measured = 1;
    c->singular.along_time = c->d == 0;
    if (c->d == 0) { // only time moves
        c->singular.slope = c->engine->slope_in_time(c, t, from->w_t, &c->singular.along_turn) /
                            c->singular.along_turn;
        c->singular.delta =
            c->singular.slope > 0.0 ? c->singular.sigma / c->singular.slope : INFINITY;
        return;
    }
    steepest_way(c, t, from->T, g);
    if (others && c->engine->mix && !(c->singular.slope > FLAT * c->singular.sigma_usual) &&
        c->engine->mix(c, FLAT * c->singular.sigma_usual))
        steepest_way(c, t, from->T, g);
    if (others && c->singular.delta < SPAN * SARI_CHART_NEAR_RAD) turn_to_others(c, t, from->T, g);
}

int sari_chart_is_near(sari_chart* c, double t, const sari_chart_point* from, double part)
{
    if (c->r == 0 || !(c->singular.sigma < SARI_CHART_GATE * c->singular.sigma_usual)) {
        c->singular.delta = INFINITY;
        return 0;
    }
    measure_distance(c, t, from);
    // the system is evaluated as before
    sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, t, c->q, NULL);
    memcpy(c->q_rows, c->q, (size_t)c->np * sizeof(double));
    return c->singular.delta < part * SARI_CHART_NEAR_RAD;
}
