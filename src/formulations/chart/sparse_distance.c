/* Singular values of the sparse chart and their gradients, for chart/distance.c. */
#include "formulations/chart/sparse.h"

#include "linalg/sym_tools.h"

#include <math.h>
#include <string.h>

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
    double *x = c->work.vector, *Jx = c->sparse->residual;
    sari_chart_times(c, &c->sys->Phi_q_rate, 1, v, left);
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
void sari_chart_sparse_gradient(sari_chart* c, double t, const double* T, double sigma,
                                const double* right, double* left, double* g)
{
    double *slope = c->work.g, *v = c->x;
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

double sari_chart_sparse_slope_in_time(sari_chart* c, double t, const double* w_t, double* turn)
{
    if (c->singular.sigma < BLURRED) {
        evaluate_rate(c, t, 1.0, c->singular.right);
        find_left(c, w_t, c->singular.left);
    }
    sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN_RATE, t, c->q, w_t);
    for (int i = 0; i < c->n; i++) c->x[i] = c->unit[i] * c->singular.right[i];
    sari_chart_times(c, &c->sys->Phi_q_rate, 1, c->x, c->work.rhs);
    *turn = sari_equations_turn(c->sys, c->q, w_t);
    return fabs(sari_vector_dot(c->nh, c->singular.left, c->work.rhs));
}

/* The next singular value of [J; S] after `count` ones whose right vectors are known. */
double sari_chart_sparse_next_value(sari_chart* c, int count, const double* known, double* right,
                                    double* left)
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
