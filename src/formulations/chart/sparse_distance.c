/* Distance from singular configurations in the sparse chart: equation (5) of chart.c. */
#include "formulations/chart/sparse.h"

#include "linalg/cholesky.h"
#include "linalg/sym_tools.h"

#include <math.h>
#include <string.h>

// as in chart/geometry.c
static const double NEAR =
    0.012;                      ///< [rad] from a singular configuration: evaluated from both sides
static const double SPAN = 6.0; ///< times that: as far as the sums on both sides reach
static const double GATE = 0.2; ///< of the usual sigma: where its distance is looked at
static const double BLURRED = 1e-7; ///< sigma by whose square N has no meaning any more

/* dPhi_q/dt along `sign` times the right vector b: dJ[b], whose product with a motion v is dJ[v] b. */
static void evaluate_rate(sari_chart* c, double t, double sign, const double* right)
{
    for (int i = 0; i < c->n; i++) c->v[i] = sign * c->unit[i] * right[i];
    sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN_RATE, t, c->q, c->v);
}

/* a_J where sigma is too small to be divided by: what of dJ[b] v no motion answers to. */
static void find_left(sari_chart* c, const double* v, double* left)
{
    enum { PASSES = 3 };
    const sari_csr* J = &c->sparse->J;
    double *x = c->vector, *Jx = c->sparse->residual;
    sari_chart_rows_times(c, &c->sys->Phi_q_rate, 1, v, left);
    for (int k = 0; k < PASSES; k++) {
        memset(x, 0, (size_t)c->n * sizeof *x);
        sari_csr_multiply_add_transposed(J, 1.0, left, x);
        sari_chart_sparse_normal_solve(c, 1, x);
        sari_csr_multiply(J, x, Jx);
        for (int i = 0; i < c->nh; i++) left[i] -= Jx[i];
    }
    (void)sari_vector_normalise(c->nh, left);
}

/* out += a_J' row dJ[b] */
static void add_slope(const sari_chart* c, double sign, const double* left, double* out)
{
    const sari_csr* rate = &c->sys->Phi_q_rate;
    for (int i = 0; i < c->nh; i++) {
        const double factor = sign * c->row[i] * left[i];
        for (int e = rate->p[i]; e < rate->p[i + 1]; e++) out[rate->i[e]] += factor * rate->x[e];
    }
}

/* g = grad sigma by z, from the slope along any motion, see chart/sparse.h. What changes with time
 * alone is in rates of both signs and drops out. */
static void gradient(sari_chart* c, double t, const double* T, double sigma, const double* right,
                     double* left, double* g)
{
    double *slope = c->g, *v = c->x;
    memset(slope, 0, (size_t)c->n * sizeof *slope);
    evaluate_rate(c, t, 1.0, right);
    if (sigma < BLURRED) {
        for (int i = 0; i < c->n; i++) v[i] = 0.0;
        for (int i = 0; i < c->n; i++)
            for (int j = 0; j < c->d; j++) v[i] += T[i * c->d + j];
        find_left(c, v, left);
    }
    add_slope(c, 1.0, left, slope);
    if (c->sys->rheonomic) {
        evaluate_rate(c, t, -1.0, right);
        add_slope(c, -1.0, left, slope);
        for (int i = 0; i < c->n; i++) slope[i] *= 0.5;
    }
    memset(g, 0, (size_t)c->d * sizeof *g);
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->d; j++) g[j] += slope[i] * T[i * c->d + j];
}

/* out = N^-1 g / |.|,  N = T' diag(1/unit^2) T: the steepest way in the metric of turns. */
static void steepest(sari_chart* c, const double* T, const double* g, double* out)
{
    const int n = c->n, d = c->d;
    memcpy(out, g, (size_t)d * sizeof *out);
    memset(c->H, 0, (size_t)(d * d) * sizeof(double));
    for (int i = 0; i < n; i++) {
        const double *row = T + (size_t)i * (size_t)d, weight = 1.0 / (c->unit[i] * c->unit[i]);
        for (int j = 0; j < d; j++)
            for (int k = 0; k < d; k++) c->H[j * d + k] += weight * row[j] * row[k];
    }
    (void)sari_cholesky(d, c->H, 0.0);
    sari_cholesky_solve(d, c->H, out);
    (void)sari_vector_normalise(d, out);
}

/* The distance along a way of z to where sigma, with its gradient g, is zero; its turn and slope. */
static double distance_along(sari_chart* c, const double* T, const double* along, const double* g,
                             double sigma, double* turn, double* slope)
{
    for (int i = 0; i < c->n; i++)
        c->v[i] = sari_vector_dot(c->d, T + (size_t)i * (size_t)c->d, along);
    *turn = sari_equations_turn(c->sys, c->q, c->v);
    *slope = fabs(sari_vector_dot(c->d, g, along)) / *turn;
    return *slope > 0.0 ? sigma / *slope : INFINITY;
}

/* Where only time moves, along w_t. */
static void distance_in_time(sari_chart* c, double t, const double* w_t)
{
    if (c->sigma < BLURRED) {
        evaluate_rate(c, t, 1.0, c->sparse->right);
        find_left(c, w_t, c->sparse->left);
    }
    sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN_RATE, t, c->q, w_t);
    for (int i = 0; i < c->n; i++) c->x[i] = c->unit[i] * c->sparse->right[i];
    sari_chart_rows_times(c, &c->sys->Phi_q_rate, 1, c->x, c->rhs);
    c->along_time = 1.0;
    c->along_turn = sari_equations_turn(c->sys, c->q, w_t);
    c->slope = fabs(sari_vector_dot(c->nh, c->sparse->left, c->rhs)) / c->along_turn;
    c->delta = c->slope > 0.0 ? c->sigma / c->slope : INFINITY;
}

/* The next singular value of [J; S] after `count` ones whose right vectors are known. */
static double next_value(sari_chart* c, int count, const double* known, double* right, double* left)
{
    enum { ITERATIONS = 6 };
    const int n = c->n;
    double square;
    for (int i = 0; i < n; i++) right[i] = 1.0 + 0.3 * ((3 * i + count) % 5);
    for (int k = 0; k < ITERATIONS; k++) {
        if (k) sari_chart_sparse_normal_solve(c, 1, right);
        for (int l = 0; l < count; l++) {
            const double* other = known + (size_t)l * (size_t)n;
            sari_vector_add(n, -sari_vector_dot(n, other, right), other, right);
        }
        (void)sari_vector_normalise(n, right);
    }
    sari_csr_multiply(&c->sparse->J, right, left);
    square = sari_vector_dot(c->nh, left, left);
    for (int j = 0; j < c->d; j++) {
        const double x = right[c->sparse->selected[j]];
        square += x * x;
    }
    for (int i = 0; i < c->nh && square > 0.0; i++) left[i] /= sqrt(square);
    return sqrt(square);
}

/* Other loops may be near singular configurations of their own: the way has to lead across all of them,
 * so that the steepest ways are added. */
static void turn_to_others(sari_chart* c, double t, const double* T, const double* first)
{
    const int n = c->n, d = c->d;
    double *known = c->others, *right = known + (size_t)(SARI_CHART_OTHERS * n), *left = right + n,
           *g = left + c->nh, *way = g + d, slope, turn;
    memcpy(known, c->sparse->right, (size_t)n * sizeof *known);
    for (int k = 1; k < SARI_CHART_OTHERS && k < d; k++) {
        const double sigma = next_value(c, k, known, right, left);
        if (!(sigma < GATE * c->sigma_usual)) break;
        memcpy(known + (size_t)(k * n), right, (size_t)n * sizeof *known);
        gradient(c, t, T, sigma, right, left, g);
        steepest(c, T, g, way);
        const double away = distance_along(c, T, way, g, sigma, &turn, &slope);
        if (!(away < SPAN * NEAR)) continue;
        c->delta = fmin(c->delta, away);
        const double sign = sari_vector_dot(d, c->along, way) < 0.0 ? -1.0 : 1.0;
        for (int j = 0; j < d; j++) c->along[j] += sign * way[j];
    }
    (void)sari_vector_normalise(d, c->along);
    distance_along(c, T, c->along, first, c->sigma, &c->along_turn, &c->slope);
}

/* The steepest way to the singular set: along = N^-1 grad sigma                             (5) */
static void measure_distance(sari_chart* c, double t, const sari_chart_point* from)
{
    double* g = c->zdd;
    c->measured = 1;
    if (c->d == 0) {
        distance_in_time(c, t, from->w_t);
        return;
    }
    c->along_time = 0.0;
    gradient(c, t, from->T, c->sigma, c->sparse->right, c->sparse->left, g);
    steepest(c, from->T, g, c->along);
    c->delta = distance_along(c, from->T, c->along, g, c->sigma, &c->along_turn, &c->slope);
    if (c->d > 1 && c->delta < SPAN * NEAR) turn_to_others(c, t, from->T, g);
}

int sari_chart_sparse_is_near(sari_chart* c, double t, const sari_chart_point* from, double part)
{
    if (!(c->sigma < GATE * c->sigma_usual)) {
        c->delta = INFINITY;
        return 0;
    }
    measure_distance(c, t, from);
    // the system is evaluated as before
    sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, t, c->q, NULL);
    return c->delta < part * NEAR;
}
