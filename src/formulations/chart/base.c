/* Where a chart is laid: units and rank at the start of a run, and a new base after every step. */
#include "formulations/chart/rows.h"

#include "linalg/cholesky.h"
#include "linalg/elimination.h"
#include "linalg/rank.h"
#include "linalg/tall.h"
#include "math/functions.h"

#include <math.h>
#include <string.h>

static const double RANK = 1e-7;    ///< singular values above count; relative to the largest
static const double NO_MASS = 1e-6; ///< of the largest inertia
static const double REGULARISATION =
    1e-3; ///< likewise: what motions without mass are given in the metric

/* ---- rank ----------------------------------------------------------------------------------- */

/* The singular values of row Phi_q unit, as the system is evaluated: rank, and right vectors in
 * c->work.svd behind them. */
typedef struct spectrum {
    int rank, values;
    double *sigma, *U, *V; ///< nh x values and n x values, by rows
} spectrum;

static spectrum decompose(sari_chart* c, double relative)
{
    const int n = c->n, nh = c->nh, values = n < nh ? n : nh;
    double* A = c->work.svd;
    spectrum s = {0, values, A + nh * n, NULL, NULL};
    s.U = s.sigma + values;
    s.V = s.U + nh * values;
    double *X = s.V + n * n, *work = X + n * n;
    memset(X, 0, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; i++) X[i * n + i] = c->unit[i];
    sari_chart_times(c, &c->sys->Phi_q, n, X, A);
    if (values > 0) sari_svd(nh, n, A, s.sigma, s.U, s.V, work);
    while (s.rank < values && s.sigma[s.rank] > relative * s.sigma[0]) s.rank++;
    return s;
}

/* T (n x d): what the right vectors of the rank leave, by Gram and Schmidt; in units of q. */
static void null_space(sari_chart* c, const spectrum* s, double* T)
{
    const int n = c->n, rank = s->rank, d = n - rank;
    double* known = c->work.svd; // A is not needed any more: rows are unit vectors
    for (int k = 0; k < rank; k++)
        for (int i = 0; i < n; i++) known[k * n + i] = s->V[i * s->values + k];
    for (int found = rank; found < n; found++) {
        // the unit vector that is best left over
        int best = 0;
        double most = -1.0;
        for (int i = 0; i < n; i++) {
            double left = 1.0;
            for (int k = 0; k < found; k++) left -= known[k * n + i] * known[k * n + i];
            if (left > most) most = left, best = i;
        }
        double* x = known + found * n;
        for (int i = 0; i < n; i++) x[i] = i == best;
        sari_vector_deflate(n, found, known, x);
        (void)sari_vector_normalise(n, x);
        for (int i = 0; i < n; i++) T[i * d + found - rank] = c->unit[i] * x[i];
    }
}

/* As the system is evaluated: by the singular vectors that are not weak. */
static void way_back(sari_chart* c, double* g)
{
    const double WEAK = 1e-5;
    const spectrum s = decompose(c, WEAK);
    memset(g, 0, (size_t)c->n * sizeof(double));
    for (int j = 0; j < s.rank; j++) {
        double part = 0.0;
        for (int i = 0; i < c->nh; i++) part -= s.U[i * s.values + j] * c->row[i] * c->sys->Phi[i];
        part /= s.sigma[j];
        for (int i = 0; i < c->n; i++) g[i] += c->unit[i] * s.V[i * s.values + j] * part;
    }
}

static int rank_here(sari_chart* c)
{
    return decompose(c, sari_chart_zero(c, RANK)).rank;
}

static sar_status tangents(sari_chart* c)
{
    const spectrum here = decompose(c, sari_chart_zero(c, RANK));
    c->r = here.rank;
    c->d = c->n - c->r;
    c->singular.sigma = here.rank ? here.sigma[here.rank - 1] / here.sigma[0] : 1.0;
    null_space(c, &here, c->base.tangent);
    return SAR_OK;
}

/* The numbers of a point lie side by side, so that it is copied in one go. */
static void lay_point(const sari_chart* c, sari_chart_point* p, double* x)
{
    const size_t d = (size_t)c->d, r = (size_t)c->r;
    p->z = x;
    p->zd = p->z + d;
    p->w = p->zd + d;
    p->w_t = p->w + r;
    p->e = p->w_t + r;
    p->D = p->e + r;
    p->T = p->D + r * d;
}

static void lay_points(sari_chart* c)
{
    const size_t d = (size_t)c->d, r = (size_t)c->r;
    c->nw = c->f.cols = c->r;
    c->f.rows = c->nh;
    c->cache.size = 2 * d + 3 * r + r * d + (size_t)c->n * d;
    lay_point(c, &c->at, c->cache.memory);
    for (int k = 0; k < SARI_CHART_POINTS; k++)
        lay_point(c, &c->cache.point[k], c->cache.memory + (size_t)(k + 1) * c->cache.size);
}

/* ---- base ----------------------------------------------------------------------------------- */

/* G = M, with something for motions that have no mass, as L L'. */
static void factor_metric(sari_chart* c)
{
    const int n = c->n;
    const sari_sym* M = &c->sys->M;
    double largest = 0.0;
    for (int i = 0; i < n; i++) largest = fmax(largest, M->x[M->p[i]] * c->unit[i] * c->unit[i]);
    if (largest == 0.0) largest = 1.0;
    for (double regularisation = REGULARISATION, all = 0.0; regularisation < 10.0;
         regularisation *= 10.0, all = regularisation) {
        c->base.regularised = all > 0.0;
        memset(c->base.L, 0, (size_t)(n * n) * sizeof(double));
        for (int j = 0; j < n; j++)
            for (int p = M->p[j]; p < M->p[j + 1]; p++) c->base.L[M->i[p] * n + j] = M->x[p];
        for (int i = 0; i < n; i++) {
            const double unit2 = c->unit[i] * c->unit[i], mass = c->base.L[i * n + i] * unit2;
            c->base.regularised |= mass < NO_MASS * largest;
            c->base.L[i * n + i] +=
                (mass < NO_MASS * largest ? regularisation : all) * largest / unit2;
        }
        if (sari_cholesky(n, c->base.L, 1e-8) == 0) return;
    }
}

/* X = L' X, n x k */
static void metric_root(const sari_chart* c, int k, double* X)
{
    const int n = c->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0.0;
            for (int l = i; l < n; l++) sum += c->base.L[l * n + i] * X[l * k + j];
            X[i * k + j] = sum;
        }
}

/* X = L'^-1 X, n x k */
static void metric_unroot(const sari_chart* c, int k, double* X)
{
    const int n = c->n;
    for (int i = n - 1; i >= 0; i--) {
        double* restrict x = X + (size_t)(i * k);
        for (int l = i + 1; l < n; l++) {
            const double* restrict other = X + (size_t)(l * k), factor = c->base.L[l * n + i];
            for (int j = 0; j < k; j++) x[j] -= factor * other[j];
        }
        for (int j = 0; j < k; j++) x[j] /= c->base.L[i * n + i];
    }
}

/* X = L X, n x k */
static void metric_times_root(const sari_chart* c, int k, double* X)
{
    const int n = c->n;
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < k; j++) {
            double sum = 0.0;
            for (int l = 0; l <= i; l++) sum += c->base.L[i * n + l] * X[l * k + j];
            X[i * k + j] = sum;
        }
}

int sari_chart_normalise(sari_chart* c, double* T)
{
    const double FLAT = 1e-9; // pivots of V'G T
    const int n = c->n, d = c->d;
    double *inverse = c->work.Cd, *row = c->work.drop, *const both[] = {c->work.H, inverse};
    sari_tall_product(n, d, 0, c->base.GV, T, c->work.H);
    for (int k = 0; k < d * d; k++) inverse[k] = k % (d + 1) == 0;
    if (sari_divide(d, 2, both, FLAT) > 0) return 0;
    for (int i = 0; i < n; i++, T += d) {
        memcpy(row, T, (size_t)d * sizeof *T);
        memset(T, 0, (size_t)d * sizeof *T);
        for (int k = 0; k < d; k++)
            for (int j = 0; j < d; j++) T[j] += row[k] * inverse[k * d + j];
    }
    return 1;
}

/* V_j leads where T_j did: what was known of z and u, a Jacobian say, is so still. */
static void keep_directions(sari_chart* c, const double* T)
{
    const int n = c->n, d = c->d;
    for (int j = 0; j < d; j++) {
        double along = 0.0;
        for (int i = 0; i < n; i++) along += c->base.GV[i * d + j] * T[i * d + j];
        if (along >= 0.0) continue;
        for (int i = 0; i < n; i++) {
            c->base.V[i * d + j] = -c->base.V[i * d + j];
            c->base.GV[i * d + j] = -c->base.GV[i * d + j];
        }
    }
}

/* V and W from L' T = Q R: V = L'^-1 Q1, W = L'^-1 Q2. GV = L Q1, GW = L Q2. */
static void orthonormalise(sari_chart* c, const double* T)
{
    const int n = c->n, d = c->d, r = c->r;
    double* Q = c->work.svd; // d columns, then their complement
    sari_least_squares f = {.rows = n, .cols = d, .A = Q, .tau = Q + n * n, .sum = Q + n * n + n};
    double* column = Q + n * n + 2 * n;
    memcpy(Q, T, (size_t)(n * d) * sizeof(double));
    metric_root(c, d, Q);
    sari_least_squares_factor(&f);
    for (int j = 0; j < n; j++) {
        memset(column, 0, (size_t)n * sizeof(double));
        column[j] = 1.0;
        sari_least_squares_rotate(&f, column);
        for (int i = 0; i < n; i++) {
            if (j < d)
                c->base.V[i * d + j] = c->base.GV[i * d + j] = column[i];
            else
                c->base.W[i * r + j - d] = c->base.GW[i * r + j - d] = column[i];
        }
    }
    metric_unroot(c, d, c->base.V);
    metric_unroot(c, r, c->base.W);
    metric_times_root(c, d, c->base.GV);
    metric_times_root(c, r, c->base.GW);
    keep_directions(c, T);
}

/* The length of z, or of w where there is none, that turns a body by one radian. */
static double length_of_turn(sari_chart* c)
{
    const int columns = c->d ? c->d : c->r;
    const double* X = c->d ? c->base.V : c->base.W;
    double fastest = 0.0;
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < c->n; i++) c->work.vector[i] = X[i * columns + j];
        fastest = fmax(fastest, sari_equations_turn(c->sys, c->base.q, c->work.vector));
    }
    return fastest > 0.0 ? 1.0 / fastest : 1.0;
}

/* A tenth of what rows of size one make of W. */
static double usual_size(const sari_chart* c)
{
    double largest = 0.0;
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->r; k++)
            largest = fmax(largest, fabs(c->base.W[i * c->r + k]) / c->unit[i]);
    return 0.1 * largest;
}

static sar_status set_base(sari_chart* c, double t, const double* q, const double* T)
{
    memcpy(c->base.q, q, (size_t)c->np * sizeof(double));
    memcpy(c->q, q, (size_t)c->np * sizeof(double));
    c->base.t = t;
    sari_equations_eval(c->sys, SARI_EVAL_MASS, t, q, NULL);
    if (!c->sys->constant_mass || !c->base.metric_known) factor_metric(c);
    c->base.metric_known = 1;
    c->base.massive = c->sys->constant_mass && !c->base.regularised && !c->turns && !c->mv;
    orthonormalise(c, T);
    c->base.ell = length_of_turn(c);
    c->base.usual = usual_size(c);
    c->cache.points = c->cache.oldest = 0;
    return SAR_OK;
}

/* e of row k: the part of a along column k of W. Rounding of a is none: the time of a way, by which it is
 * multiplied, has no bound where the motion comes to rest. */
static double curvature(const sari_chart* c, const double* a, int k)
{
    const double ROUNDING = 1e-13; // of the terms
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < c->n; i++) {
        const double term = c->base.GW[i * c->r + k] * a[i];
        sum += term;
        size += fabs(term);
    }
    return fabs(sum) > ROUNDING * size ? sum : 0.0;
}

static void begin_cache(sari_chart* c, const double* v, const double* a)
{
    const int n = c->n, d = c->d, r = c->r;
    sari_chart_point* p = &c->at;
    p->t = c->base.t;
    memset(p->z, 0, (size_t)d * sizeof(double));
    memset(p->w, 0, (size_t)r * sizeof(double));
    memset(p->D, 0, (size_t)(r * d) * sizeof(double));
    memset(p->zd, 0, (size_t)d * sizeof(double));
    memset(p->w_t, 0, (size_t)r * sizeof(double));
    memset(p->e, 0, (size_t)r * sizeof(double));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < d; j++) p->zd[j] += c->base.GV[i * d + j] * v[i];
        for (int k = 0; k < r; k++) p->w_t[k] += c->base.GW[i * r + k] * v[i];
    }
    for (int k = 0; a && k < r; k++) p->e[k] = curvature(c, a, k);
    if (!c->sys->rheonomic) memset(p->w_t, 0, (size_t)r * sizeof(double));
    memcpy(p->T, c->base.V, (size_t)(n * d) * sizeof(double));
    sari_chart_keep(c);
}

/* The bridge summed w and D. */
static void complete(sari_chart* c, int whole)
{
    const int n = c->n, d = c->d, r = c->r;
    for (int i = 0; i < n; i++)
        c->x[i] = sari_vector_dot(d, c->base.V + (size_t)(i * d), c->at.z) +
                  sari_vector_dot(r, c->base.W + (size_t)(i * r), c->at.w);
    sari_chart_place(c, c->x);
    if (!whole) return;
    if (c->turns) {
        memcpy(c->AW, c->base.W, (size_t)(n * r) * sizeof(double));
        memcpy(c->AV, c->base.V, (size_t)(n * d) * sizeof(double));
        sari_chart_apply_inverse(c, r, c->AW);
        sari_chart_apply_inverse(c, d, c->AV);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++) {
            double sum = c->AV[i * d + j];
            for (int k = 0; k < r; k++) sum += c->AW[i * r + k] * c->at.D[k * d + j];
            c->at.T[i * d + j] = sum;
        }
}

static sari_rank_sample measure(const sari_chart* c, double t)
{
    const double LEAST = 1e-300;
    sari_rank_sample sample = {t, c->singular.sigma, 1.0, 0.0};
    for (int k = 0; k < c->r; k++) {
        const double pivot = fabs(c->f.A[k * c->r + k]);
        sample.product *= pivot > LEAST ? pivot : LEAST;
        if (sample.product > 1e-150 && sample.product < 1e150) continue;
        sample.log += sari_log(sample.product);
        sample.product = 1.0;
    }
    return sample;
}

/* Singular values of B below a limit, relative to its largest pivot. */
static int count_below(sari_chart* c, double limit)
{
    const int r = c->r;
    double *R = c->work.svd, *sigma = R + r * r, *work = sigma + r;
    int count = 0;
    sari_chart_refresh(c);
    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++) R[i * r + j] = j < i ? 0.0 : c->f.A[i * r + j];
    sari_svd(r, r, R, sigma, NULL, NULL, work);
    for (int i = 0; i < r; i++) count += sigma[i] < limit * c->f.largest;
    return count;
}

static void metric_times(const sari_chart* c, const double* x, double* y)
{
    memcpy(y, x, (size_t)c->n * sizeof(double));
    metric_root(c, 1, y);
    metric_times_root(c, 1, y);
}

const sari_chart_engine sari_chart_engine_dense = {
    .name = "dense",
    .gradient = sari_chart_dense_gradient,
    .slope_in_time = sari_chart_dense_slope_in_time,
    .next_value = sari_chart_dense_next_value,
    .mix = sari_chart_dense_mix,
    .tangents = tangents,
    .rank = rank_here,
    .way_back = way_back,
    .lay_points = lay_points,
    .set_base = set_base,
    .begin_cache = begin_cache,
    .rounded = 1e-15,
    .predict = sari_chart_predict,
    .go = sari_chart_dense_go,
    .factor = sari_chart_dense_factor,
    .correct = sari_chart_dense_correct,
    .set_tangents = sari_chart_dense_tangents,
    .left_branch = sari_chart_left_branch,
    .velocity = sari_chart_dense_velocity,
    .motion = sari_chart_dense_motion,
    .multipliers = sari_chart_dense_multipliers,
    .complete = complete,
    .measure = measure,
    .count_below = count_below,
    .metric_times = metric_times,
};
