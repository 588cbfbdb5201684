/* Where a sparse chart is laid: rank and tangents at the start of a run, and a base after each step.
 *
 * No singular values here. The number of motions is guessed by the signs of the pivots of
 * J'J - tau, inverse iteration gives so many vectors, and from them follow S, T_S and N of
 * chart/sparse.h. Then the guess is proved: J T_S = 0 with S T_S = I says that there are at least d
 * motions, a smallest singular value of [J; S] that is not zero that there are no more. */
#include "formulations/chart/sparse.h"

#include "base/status.h"
#include "linalg/cholesky.h"
#include "linalg/rank.h"
#include "linalg/sym_tools.h"
#include "linalg/tall.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

static const double RANK = 1e-7;    ///< singular values above count
static const double MOTION = 1e-9;  ///< rates of rows below are none
static const double WEAK = 1e-10;   ///< squares of singular values that a walk does not follow
static const double NO_MASS = 1e-6; ///< of the largest inertia
static const double REGULARISATION =
    1e-3; ///< likewise: what motions without mass are given in the metric
static const double DEFINITE = 1e-8; ///< of its diagonal: what the metric must be able to spare
enum { REFINEMENTS = 4 };

/* ---- memory --------------------------------------------------------------------------------- */

static void take_point(sari_chart* c, sari_chart_point* p, int d)
{
    sari_arena* m = &c->sparse->room;
    p->z = SARI_TAKE(m, double, d);
    p->zd = SARI_TAKE(m, double, d);
    p->w = SARI_TAKE(m, double, c->n);
    p->w_t = SARI_TAKE(m, double, c->n);
    p->e = SARI_TAKE(m, double, c->n);
    p->T = SARI_TAKE(m, double, (size_t)c->n*(size_t)d);
    p->D = NULL;
}

/* Room for d motions. A run has one d, which is known when it starts. */
static sar_status make_room(sari_chart* c, int motions)
{
    sari_chart_sparse* s = c->sparse;
    if (motions <= s->most) return SAR_OK;
    const size_t n = (size_t)c->n, d = (size_t)motions + 1, nd = n * d; // never nothing
    sari_arena* m = &s->room;
    sari_arena_clear(m);
    s->most = -1;
    double** const matrices[] = {&c->base.V, &c->base.GV, &c->base.tangent, &c->work.Dd, &s->GT,
                                 &s->MT,     &s->step,    &c->side.V,       &c->side.T,  NULL};
    for (int k = 0; matrices[k]; k++) *matrices[k] = SARI_TAKE(m, double, nd);
    c->work.Y = SARI_TAKE(m, double, (size_t)c->nh* d);
    s->residual = SARI_TAKE(m, double, (size_t)c->nh* d);
    c->work.H = SARI_TAKE(m, double, d* d);
    c->C = SARI_TAKE(m, double, d* d);
    c->work.Cd = SARI_TAKE(m, double, d* d);
    c->work.Z = SARI_TAKE(m, double, nd + 5 * d);
    const size_t bridge = 2 * d + 5 * n + nd + (size_t)c->nh,
                 svd = sari_svd_workspace((int)d, (int)d);
    c->work.sums = SARI_TAKE(m, double, bridge > svd ? bridge : svd);
    s->F = SARI_TAKE(m, double, d* d);
    c->work.others = SARI_TAKE(m, double, (SARI_CHART_OTHERS + 1) * n + (size_t)c->nh + 2 * d);
    take_point(c, &c->at, (int)d);
    sari_chart_take_notes(c, m, (int)d);
    for (int k = 0; k < SARI_CHART_POINTS; k++) take_point(c, &c->cache.point[k], (int)d);
    if (m->failed) return SAR_E_NOMEM;
    s->most = motions;
    return SAR_OK;
}

sar_status sari_chart_take_sparse(sari_chart* c, int motions)
{
    if (!c->sparse) return SAR_E_ARG;
    if (c->engine != &sari_chart_engine_sparse)
        c->sparse->most = -1; // it has become dense meanwhile
    c->engine = &sari_chart_engine_sparse;
    c->cache.size = 0;
    return make_room(c, motions);
}

/* ---- rank ----------------------------------------------------------------------------------- */

/* d vectors, in units of q, that the rows change least: by inverse iteration. */
static void guess_motions(sari_chart* c, int d, double tau, double* X)
{
    enum { ITERATIONS = 3 };
    uint64_t random = 5;
    for (int i = 0; i < c->n * d; i++) X[i] = sari_random(&random);
    (void)sari_chart_sparse_factor(c, tau, 1);
    for (int k = 0; k < ITERATIONS; k++) {
        sari_chart_sparse_normal_solve(c, d, X);
        sari_chart_orthonormalise(c, d, X);
    }
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < d; j++) X[i * d + j] *= c->unit[i];
}

/* Are the columns of at.T motions, and all there are? */
static int proved(sari_chart* c)
{
    const sari_csr* J = &c->sparse->J;
    double most = 0.0;
    if (!(c->singular.sigma > RANK)) return 0;
    for (int j = 0; j < c->d; j++) {
        for (int i = 0; i < c->n; i++) c->work.vector[i] = c->at.T[i * c->d + j] / c->unit[i];
        sari_csr_multiply(J, c->work.vector, c->sparse->residual);
        for (int i = 0; i < c->nh; i++) most = fmax(most, fabs(c->sparse->residual[i]));
    }
    return most < MOTION;
}

/* d and T, in c->base.tangent, as the system is evaluated; SAR_R_SINGULAR: cannot be known. */
static sar_status find_motions(sari_chart* c)
{
    static const double shifts[] = {1e-12, 1e-10, 1e-13, 1e-8};
    for (int k = 0; k < 4; k++) {
        const int d = sari_chart_sparse_factor(c, -shifts[k], 1);
        SARI_TRY(make_room(c, d));
        guess_motions(c, d, shifts[k], c->base.tangent);
        c->d = d;
        c->r = c->n - d;
        sari_chart_sparse_select(c, c->base.tangent);
        (void)sari_chart_sparse_factor(c, 1.0, 0);
        memset(c->singular.right, 0, (size_t)c->n * sizeof(double));
        sari_chart_sparse_smallest(c);
        sari_chart_sparse_motions(c, REFINEMENTS);
        memcpy(c->base.tangent, c->at.T, (size_t)c->n * (size_t)d * sizeof(double));
        if (proved(c)) return SAR_OK;
    }
    return SAR_R_SINGULAR;
}

/* As the system is evaluated; g in units, then not. */
static void way_back(sari_chart* c, double* g)
{
    (void)sari_chart_sparse_factor(c, WEAK, 1);
    for (int i = 0; i < c->nh; i++) c->work.rhs[i] = -c->row[i] * c->sys->Phi[i];
    memset(g, 0, (size_t)c->n * sizeof(double));
    sari_csr_multiply_add_transposed(&c->sparse->J, 1.0, c->work.rhs, g);
    sari_chart_sparse_normal_solve(c, 1, g);
    for (int i = 0; i < c->n; i++) g[i] *= c->unit[i];
}

static int rank_here(sari_chart* c)
{
    return c->n - sari_chart_sparse_factor(c, -RANK * RANK * 100.0, 1);
}

static void lay_points(sari_chart* c)
{
    c->nw = c->n;
}

/* ---- base ----------------------------------------------------------------------------------- */

/* Can the metric spare a little of its diagonal? */
static int is_definite(sari_chart* c)
{
    sari_chart_sparse* s = c->sparse;
    sari_pivots pivots = {0};
    for (int i = 0; i < c->n; i++) s->G.x[s->G.p[i]] *= 1.0 - DEFINITE;
    (void)s->metric.ops->factor(s->metric.self, s->G.x);
    s->metric.ops->pivots(s->metric.self, &pivots);
    for (int i = 0; i < c->n; i++) s->G.x[s->G.p[i]] /= 1.0 - DEFINITE;
    return pivots.positive == c->n;
}

/* G = M, with something for motions that have no mass. */
static void set_metric(sari_chart* c)
{
    sari_chart_sparse* s = c->sparse;
    const sari_sym* M = &c->sys->M;
    const int n = c->n;
    double largest = 0.0;
    if (c->base.metric_known) return;
    for (int i = 0; i < n; i++) largest = fmax(largest, M->x[M->p[i]] * c->unit[i] * c->unit[i]);
    if (largest == 0.0) largest = 1.0;
    for (double regularisation = REGULARISATION, all = 0.0; regularisation < 10.0;
         regularisation *= 10.0, all = regularisation) {
        int changed = 0;
        memcpy(s->G.x, M->x, (size_t)M->p[n] * sizeof(double));
        for (int i = 0; i < n; i++) {
            const double unit2 = c->unit[i] * c->unit[i], mass = M->x[M->p[i]] * unit2;
            const double more = mass < NO_MASS * largest ? regularisation : all;
            changed |= more > 0.0;
            s->G.x[M->p[i]] += more * largest / unit2;
        }
        s->same_metric = c->sys->constant_mass && !changed;
        c->base.metric_known = c->sys->constant_mass;
        if (is_definite(c)) break;
    }
    if (s->same_metric) memcpy(s->G.x, M->x, (size_t)M->p[n] * sizeof(double));
}

/* V = T C'^-1 with T'GT = C C' */
static int set_frame(sari_chart* c, const double* T)
{
    const int n = c->n, d = c->d;
    memcpy(c->base.V, T, (size_t)n * (size_t)d * sizeof(double));
    sari_tall_sym_times(&c->sparse->G, d, c->base.V, c->base.GV);
    sari_tall_product(n, d, 1, c->base.V, c->base.GV, c->C);
    if (sari_cholesky(d, c->C, 1e-15) > 0) return 0;
    for (int i = 0; i < n; i++) {
        sari_cholesky_forward(d, c->C, c->base.V + (size_t)i * (size_t)d);
        sari_cholesky_forward(d, c->C, c->base.GV + (size_t)i * (size_t)d);
    }
    return 1;
}

/* The length of z that turns a body by one radian; without z, of a vector likewise. */
static double length_of_turn(sari_chart* c)
{
    double fastest = 0.0;
    for (int j = 0; j < c->d; j++) {
        for (int i = 0; i < c->n; i++) c->work.vector[i] = c->base.V[i * c->d + j];
        fastest = fmax(fastest, sari_equations_turn(c->sys, c->base.q, c->work.vector));
    }
    for (int i = 0; c->d == 0 && i < c->n; i++)
        fastest = fmax(fastest, 1.0 / (c->unit[i] * sqrt(c->sparse->G.x[c->sparse->G.p[i]])));
    return fastest > 0.0 ? 1.0 / fastest : 1.0;
}

sar_status sari_chart_sparse_set_base(sari_chart* c, double t, const double* q, const double* T)
{
    memcpy(c->base.q, q, (size_t)c->np * sizeof(double));
    memcpy(c->q, q, (size_t)c->np * sizeof(double));
    c->base.t = t;
    sari_equations_eval(c->sys, SARI_EVAL_MASS, t, q, NULL);
    set_metric(c);
    if (!set_frame(c, T)) return SAR_R_SINGULAR;
    sari_chart_sparse_select(c, c->base.V);
    c->base.ell = length_of_turn(c);
    c->cache.points = c->cache.oldest = 0;
    return SAR_OK;
}

/* x becomes what of it is not along V; its parts along V go to z. */
static void split(const sari_chart* c, double* x, double* z)
{
    const int n = c->n, d = c->d;
    memset(z, 0, (size_t)d * sizeof *z);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++) z[j] += c->base.GV[i * d + j] * x[i];
    for (int i = 0; i < n; i++) x[i] -= sari_vector_dot(d, c->base.V + (size_t)i * (size_t)d, z);
}

/* x, what is left of another one beside V z, without its rounding, as in chart/base.c. */
static void forget_rounding(const sari_chart* c, const double* z, double* x)
{
    const double ROUNDING = 1e-13; // of the terms
    for (int i = 0; i < c->n; i++) {
        double size = fabs(x[i]);
        for (int j = 0; j < c->d; j++) size += fabs(c->base.V[i * c->d + j] * z[j]);
        if (fabs(x[i]) <= ROUNDING * size) x[i] = 0.0;
    }
}

void sari_chart_sparse_begin_cache(sari_chart* c, const double* v, const double* a)
{
    const size_t n = (size_t)c->n * sizeof(double);
    sari_chart_point* p = &c->at;
    p->t = c->base.t;
    memset(p->w, 0, n);
    memset(p->e, 0, n);
    memcpy(p->w_t, v, n);
    split(c, p->w_t, p->zd);
    if (!c->sys->rheonomic) memset(p->w_t, 0, n);
    if (a) memcpy(p->e, a, n), split(c, p->e, c->work.drop), forget_rounding(c, c->work.drop, p->e);
    memset(p->z, 0, (size_t)c->d * sizeof(double));
    memcpy(p->T, c->base.V, n * (size_t)c->d);
    sari_chart_keep(c);
}

/* The bridge summed w and T. */
void sari_chart_sparse_complete(sari_chart* c, int whole)
{
    (void)whole;
    for (int i = 0; i < c->n; i++)
        c->q[i] = c->base.q[i] + c->at.w[i] +
                  sari_vector_dot(c->d, c->base.V + (size_t)i * (size_t)c->d, c->at.z);
}

/* The smallest one alone. */
static sari_rank_sample measure(const sari_chart* c, double t)
{
    return (sari_rank_sample){t, c->singular.sigma, c->singular.sigma, 0.0};
}

const sari_chart_engine sari_chart_engine_sparse = {
    .name = "sparse",
    .gradient = sari_chart_sparse_gradient,
    .slope_in_time = sari_chart_sparse_slope_in_time,
    .next_value = sari_chart_sparse_next_value,
    .tangents = find_motions,
    .rank = rank_here,
    .way_back = way_back,
    .lay_points = lay_points,
    .set_base = sari_chart_sparse_set_base,
    .begin_cache = sari_chart_sparse_begin_cache,
    .lazy = 1,
    .rounded = 1e-13,
    .predict = sari_chart_sparse_predict,
    .go = sari_chart_sparse_go,
    .factor = sari_chart_sparse_renew,
    .correct = sari_chart_sparse_correct,
    .set_tangents = sari_chart_sparse_set_tangents,
    .left_branch = sari_chart_sparse_left_branch,
    .motion = sari_chart_sparse_motion,
    .multipliers = sari_chart_sparse_multipliers,
    .complete = sari_chart_sparse_complete,
    .measure = measure,
    .count_below = sari_chart_sparse_count_below,
    .metric_times = sari_chart_sparse_metric_times,
};
