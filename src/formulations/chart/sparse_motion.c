/* Velocities and accelerations at a place of the sparse chart: equations (6) to (11) of chart.c,
 * with the vectors of chart/sparse.h. */
#include "formulations/chart/sparse.h"

#include "linalg/cholesky.h"
#include "linalg/sym_tools.h"
#include "linalg/tall.h"

#include <math.h>
#include <string.h>

enum { REFINEMENTS = 4 };

static double row_dot(const sari_chart* c, const double* X, int i, const double* z)
{
    return sari_vector_dot(c->d, X + (size_t)i * (size_t)c->d, z);
}

/* H = T'GT = C C',  zd = C'^-1 u                                                       (6), (s6) */
static int velocities_of(sari_chart* c, const double* u)
{
    memcpy(c->at.zd, u, (size_t)c->d * sizeof(double));
    sari_tall_sym_times(&c->sparse->G, c->d, c->at.T, c->sparse->GT);
    sari_tall_product(c->n, c->d, 1, c->at.T, c->sparse->GT, c->C);
    if (sari_cholesky(c->d, c->C, 1e-15) > 0) return 0;
    sari_cholesky_backward(c->d, c->C, c->at.zd);
    return 1;
}

/* Td: J Td = -dJ/dt T, V'G Td = 0                                                            (8) */
static void tangent_rates(sari_chart* c)
{
    sari_chart_times(c, &c->sys->Phi_q_rate, c->d, c->at.T, c->work.Y);
    for (int i = 0; i < c->nh * c->d; i++) c->work.Y[i] = -c->work.Y[i];
    sari_chart_sparse_solve(c, c->d, c->work.Y, REFINEMENTS, c->work.Dd);
    sari_chart_sparse_complement(c, c->d, c->at.T, c->work.Dd);
}

/* e from the bias; without time the same as Td zd, and then exactly so. */
static void set_curvature(sari_chart* c)
{
    if (!c->sys->rheonomic) {
        for (int i = 0; i < c->n; i++) c->at.e[i] = row_dot(c, c->work.Dd, i, c->at.zd);
        return;
    }
    for (int i = 0; i < c->nh; i++) c->work.rhs[i] = -c->row[i] * c->sys->bias[i];
    sari_chart_sparse_solve(c, 1, c->work.rhs, REFINEMENTS, c->at.e);
    sari_chart_sparse_complement(c, 1, c->at.T, c->at.e);
}

/* MT and the factors of T'MT. 0: some motion has no mass. */
static int reduced_mass(sari_chart* c, const double** MT, const double** K)
{
    sari_chart_sparse* s = c->sparse;
    *MT = s->same_metric ? s->GT : s->MT;
    *K = s->same_metric ? c->C : c->work.H;
    if (s->same_metric) return 1;
    sari_tall_sym_times(&c->sys->M, c->d, c->at.T, s->MT);
    sari_tall_product(c->n, c->d, 1, c->at.T, s->MT, c->work.H);
    return sari_cholesky(c->d, c->work.H, 1e-14) == 0;
}

/* (T'MT) zdd = T'(Q - M e),  a = T zdd + e                                                   (9) */
static void set_acceleration(sari_chart* c, const double* MT, const double* K)
{
    const int n = c->n, d = c->d;
    memset(c->zdd, 0, (size_t)d * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++)
            c->zdd[j] += c->at.T[i * d + j] * c->sys->Q[i] - MT[i * d + j] * c->at.e[i];
    sari_cholesky_solve(d, K, c->zdd);
    for (int i = 0; i < n; i++) c->a[i] = c->at.e[i] + row_dot(c, c->at.T, i, c->zdd);
}

/* dH/dt = Td'GT + (Td'GT)' */
static void metric_rate(sari_chart* c, double* S)
{
    const int d = c->d;
    sari_tall_product(c->n, d, 0, c->work.Dd, c->sparse->GT, S);
    for (int j = 0; j < d; j++)
        for (int k = 0; k <= j; k++) S[j * d + k] = S[k * d + j] = S[j * d + k] + S[k * d + j];
}

sari_chart_outcome sari_chart_sparse_motion(sari_chart* c, double t, const double* u)
{
    sari_equations* sys = c->sys;
    const double *MT, *K;
    unsigned what = SARI_EVAL_FORCE | SARI_EVAL_JACOBIAN_RATE;
    if (!sys->constant_mass) what |= SARI_EVAL_MASS;
    if (sys->rheonomic) what |= SARI_EVAL_BIAS;
    if (!velocities_of(c, u)) return SARI_CHART_UNDEFINED;
    for (int i = 0; i < c->n; i++) // (7)
        c->v[i] = row_dot(c, c->at.T, i, c->at.zd) + c->at.w_t[i];
    if (sari_equations_eval(sys, what, t, sari_chart_evaluated(c), c->v) != SAR_OK)
        return SARI_CHART_UNDEFINED;
    tangent_rates(c);
    set_curvature(c);
    if (!reduced_mass(c, &MT, &K)) return c->no_mass = 1, SARI_CHART_UNDEFINED;
    set_acceleration(c, MT, K);
    metric_rate(c, c->work.H);
    sari_chart_quasi_accelerations(c, c->work.H);
    return sari_vector_finite(c->n, c->a) && sari_vector_finite(c->d, c->ud) ? SARI_CHART_OK
                                                                             : SARI_CHART_UNDEFINED;
}

/* J' mu = unit (Q - M a), which no motion feels: then N y is that with S y = 0, and mu = J y is the
 * shortest such.                                                                            (11) */
void sari_chart_sparse_multipliers(sari_chart* c)
{
    enum { PASSES = 2 };
    const sari_csr* J = &c->sparse->J;
    double *rest = c->x, *y = c->work.g, *mu = c->work.rhs;
    sari_sym_multiply(&c->sys->M, c->sys->M.x, c->a, rest);
    for (int i = 0; i < c->n; i++) rest[i] = c->unit[i] * (c->sys->Q[i] - rest[i]);
    memset(mu, 0, (size_t)c->nh * sizeof *mu);
    for (int k = 0; k < PASSES; k++) {
        memcpy(y, rest, (size_t)c->n * sizeof *y);
        sari_chart_sparse_normal_solve(c, 1, y);
        sari_csr_multiply(J, y, c->sparse->residual);
        for (int i = 0; i < c->nh; i++) mu[i] += c->sparse->residual[i];
        sari_csr_multiply_add_transposed(J, -1.0, c->sparse->residual, rest);
    }
    for (int i = 0; i < c->nh; i++) c->lambda[i] = c->row[i] * mu[i];
}
