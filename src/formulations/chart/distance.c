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
    memset(c->H, 0, (size_t)(d * d) * sizeof(double));
    for (int i = 0; i < n; i++, T += d)
        for (int j = 0; j < d; j++)
            for (int k = 0; k <= j; k++) c->H[j * d + k] += T[j] * T[k] / (c->unit[i] * c->unit[i]);
    (void)sari_cholesky(d, c->H, 0.0);
    sari_cholesky_solve(d, c->H, out);
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
    double *known = c->others, *right = known + (size_t)(SARI_CHART_OTHERS * size),
           *left = right + size, *g = left + c->nh, *way = g + d, slope, turn;
    memcpy(known, c->right, (size_t)size * sizeof(double));
    for (int j = 0; j < d; j++) c->along[j] /= c->along_turn;
    for (int k = 1; k < SARI_CHART_OTHERS && k < d && k < c->r; k++) {
        const double sigma = c->engine->next_value(c, k, known, right, left);
        if (!(sigma < SARI_CHART_GATE * c->sigma_usual)) break;
        memcpy(known + (size_t)(k * size), right, (size_t)size * sizeof(double));
        c->engine->gradient(c, t, T, sigma, right, left, g);
        steepest(c, T, g, way);
        const double away = distance_along(c, T, way, g, sigma, &turn, &slope);
        if (!(away < SPAN * SARI_CHART_NEAR_RAD)) continue;
        c->delta = fmin(c->delta, away);
        const double sign = sari_vector_dot(d, c->along, way) < 0.0 ? -1.0 : 1.0;
        sari_vector_add(d, sign / turn, way, c->along);
    }
    (void)sari_vector_normalise(d, c->along);
    distance_along(c, T, c->along, first, c->sigma, &c->along_turn, &c->slope);
}

/* The steepest way to the singular set, in the metric of turns:
 *     N = T' diag(1/unit^2) T,   along = N^-1 grad sigma                                     (5) */
static void steepest_way(sari_chart* c, double t, const double* T, double* g)
{
    c->engine->gradient(c, t, T, c->sigma, c->right, c->left, g);
    steepest(c, T, g, c->along);
    c->delta = distance_along(c, T, c->along, g, c->sigma, &c->along_turn, &c->slope);
}

static void measure_distance(sari_chart* c, double t, const sari_chart_point* from)
{
    const int others = c->d > 1 && c->r > 1;
    double* g = c->zdd;
    c->measured = 1;
    c->along_time = c->d == 0;
    if (c->d == 0) { // only time moves
        c->slope = c->engine->slope_in_time(c, t, from->w_t, &c->along_turn) / c->along_turn;
        c->delta = c->slope > 0.0 ? c->sigma / c->slope : INFINITY;
        return;
    }
    steepest_way(c, t, from->T, g);
    if (others && c->engine->mix && !(c->slope > FLAT * c->sigma_usual) &&
        c->engine->mix(c, FLAT * c->sigma_usual))
        steepest_way(c, t, from->T, g);
    if (others && c->delta < SPAN * SARI_CHART_NEAR_RAD) turn_to_others(c, t, from->T, g);
}

int sari_chart_is_near(sari_chart* c, double t, const sari_chart_point* from, double part)
{
    if (c->r == 0 || !(c->sigma < SARI_CHART_GATE * c->sigma_usual)) {
        c->delta = INFINITY;
        return 0;
    }
    measure_distance(c, t, from);
    // the system is evaluated as before
    sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, t, c->q, NULL);
    memcpy(c->q_rows, c->q, (size_t)c->np * sizeof(double));
    return c->delta < part * SARI_CHART_NEAR_RAD;
}
