/* Where a sparse chart is laid: rank and tangents at the start of a run, and a base after each step.
 *
 * No singular values here. The number of motions is guessed by the signs of the pivots of
 * J'J - tau, inverse iteration gives so many vectors, and from them follow S, T_S and N of
 * chart/sparse.h. Then the guess is proved: J T_S = 0 with S T_S = I says that there are at least d
 * motions, a smallest singular value of [J; S] that is not zero that there are no more. */
#include "formulations/chart/small.h"
#include "formulations/chart/sparse.h"

#include "base/status.h"
#include "linalg/rank.h"
#include "linalg/sym_tools.h"
#include "linalg/tall.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

static const double RANK = 1e-7;    ///< singular values above count
static const double MOTION = 1e-9;  ///< rates of rows below are none
static const double PROBE = 0.1;    ///< [rad] along the motion: where the generic rank is taken
static const double WEAK = 1e-10;   ///< squares of singular values that a walk does not follow
static const double NO_MASS = 1e-6; ///< of the largest inertia
static const double LENT = 1e-3;    ///< likewise: what motions without mass are given in the metric
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
    double** const matrices[] = {&c->V,  &c->GV,   &c->tangent, &c->Dd,     &s->GT,
                                 &s->MT, &s->step, &c->side.V,  &c->side.T, NULL};
    for (int k = 0; matrices[k]; k++) *matrices[k] = SARI_TAKE(m, double, nd);
    c->Y = SARI_TAKE(m, double, (size_t)c->nh* d);
    s->residual = SARI_TAKE(m, double, (size_t)c->nh* d);
    c->H = SARI_TAKE(m, double, d* d);
    c->C = SARI_TAKE(m, double, d* d);
    c->Cd = SARI_TAKE(m, double, d* d);
    c->Z = SARI_TAKE(m, double, nd + 5 * d);
    const size_t bridge = 2 * d + 5 * n + nd + (size_t)c->nh,
                 svd = sari_svd_workspace((int)d, (int)d);
    c->sums = SARI_TAKE(m, double, bridge > svd ? bridge : svd);
    s->F = SARI_TAKE(m, double, 2 * d * d);
    c->others = SARI_TAKE(m, double, (SARI_CHART_OTHERS + 1) * n + (size_t)c->nh + 2 * d);
    take_point(c, &c->at, (int)d);
    sari_chart_take_notes(c, m, (int)d);
    for (int k = 0; k < SARI_CHART_POINTS; k++) take_point(c, &c->point[k], (int)d);
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
    c->point_size = 0;
    return make_room(c, motions);
}

/* ---- rank ----------------------------------------------------------------------------------- */

/* X (n x d) = X C'^-1 with X'X = C C': orthonormal columns. */
static void orthonormalise(const sari_chart* c, int d, double* X)
{
    enum { PASSES = 2 };
    for (int k = 0; k < PASSES; k++) {
        sari_tall_product(c->n, d, 1, X, X, c->H);
        if (!sari_chart_cholesky(d, c->H, 1e-15)) return;
        for (int i = 0; i < c->n; i++) sari_chart_forward(d, c->H, X + (size_t)i * (size_t)d);
    }
}

/* d vectors, in units of q, that the rows change least: by inverse iteration. */
static void guess_motions(sari_chart* c, int d, double tau, double* X)
{
    enum { ITERATIONS = 3 };
    uint64_t random = 5;
    for (int i = 0; i < c->n * d; i++) X[i] = sari_random(&random);
    (void)sari_chart_sparse_factor(c, tau, 1);
    for (int k = 0; k < ITERATIONS; k++) {
        sari_chart_sparse_normal_solve(c, d, X);
        orthonormalise(c, d, X);
    }
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < d; j++) X[i * d + j] *= c->unit[i];
}

/* Are the columns of at.T motions, and all there are? */
static int proved(sari_chart* c)
{
    const sari_csr* J = &c->sparse->J;
    double most = 0.0;
    if (!(c->sigma > RANK)) return 0;
    for (int j = 0; j < c->d; j++) {
        for (int i = 0; i < c->n; i++) c->vector[i] = c->at.T[i * c->d + j] / c->unit[i];
        sari_csr_multiply(J, c->vector, c->sparse->residual);
        for (int i = 0; i < c->nh; i++) most = fmax(most, fabs(c->sparse->residual[i]));
    }
    return most < MOTION;
}

/* d and T, in c->tangent, as the system is evaluated; SAR_R_SINGULAR: cannot be told. */
static sar_status find_motions(sari_chart* c)
{
    static const double shifts[] = {1e-12, 1e-10, 1e-13, 1e-8};
    for (int k = 0; k < 4; k++) {
        const int d = sari_chart_sparse_factor(c, -shifts[k], 1);
        SARI_TRY(make_room(c, d));
        guess_motions(c, d, shifts[k], c->tangent);
        c->d = d;
        c->r = c->n - d;
        sari_chart_sparse_select(c, c->tangent);
        (void)sari_chart_sparse_factor(c, 1.0, 0);
        memset(c->sparse->right, 0, (size_t)c->n * sizeof(double));
        sari_chart_sparse_smallest(c);
        sari_chart_sparse_motions(c, REFINEMENTS);
        memcpy(c->tangent, c->at.T, (size_t)c->n * (size_t)d * sizeof(double));
        if (proved(c)) return SAR_OK;
    }
    return SAR_R_SINGULAR;
}

/* From q along the motion v by so many radians, and back to the constraints. 0: not reached. */
static int walk(sari_chart* c, double t, const double* q, const double* v, double turn)
{
    enum { MOST = 20 };
    const int n = c->n;
    const double speed = sari_equations_turn(c->sys, q, v);
    for (int i = 0; i < n; i++) c->q[i] = q[i] + turn / speed * v[i];
    for (int k = 0; k < MOST; k++) {
        double largest = 0.0;
        sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, t, c->q, NULL);
        (void)sari_chart_sparse_factor(c, WEAK, 1);
        for (int i = 0; i < c->nh; i++) c->rhs[i] = -c->row[i] * c->sys->Phi[i];
        memset(c->g, 0, (size_t)n * sizeof(double));
        sari_csr_multiply_add_transposed(&c->sparse->J, 1.0, c->rhs, c->g);
        sari_chart_sparse_normal_solve(c, 1, c->g);
        for (int i = 0; i < n; i++) largest = fmax(largest, fabs(c->g[i]));
        if (!(largest < 1.0)) return 0;
        for (int i = 0; i < n; i++) c->q[i] += c->unit[i] * c->g[i];
        if (largest < 1e-12) return 1;
    }
    return 0;
}

/* The motions in the middle between those of two places, whose bases X and Y (n x d, in units) are
 * orthonormal: with X'Y = P s Q', the columns of X P + Y Q. */
static void middle(sari_chart* c, const double* X, const double* Y, double* T)
{
    const int n = c->n, d = c->d;
    double *P = c->C, *Q = c->Cd, *sigma = c->zdd, *work = c->sums;
    sari_tall_product(n, d, 0, X, Y, c->H);
    sari_svd(d, d, c->H, sigma, P, Q, work);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++) {
            double sum = 0.0;
            for (int k = 0; k < d; k++)
                sum += X[i * d + k] * P[k * d + j] + Y[i * d + k] * Q[k * d + j];
            T[i * d + j] = c->unit[i] * sum;
        }
}

/* T on the branch that v follows through a singular start, and the usual sigma there. */
static sar_status motions_between(sari_chart* c, const sari_state* s, const double* v, double probe)
{
    double sigma = 0.0;
    int d = 0;
    for (int side = 0; side < 2; side++) {
        if (!walk(c, s->t, s->q, v, side ? -probe : probe)) return SAR_R_SINGULAR;
        sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, s->t, c->q, NULL);
        SARI_TRY(find_motions(c));
        if (side && c->d != d) return SAR_R_SINGULAR;
        d = c->d;
        sigma = fmax(sigma, c->sigma);
        double* X = side ? c->V : c->GV;
        for (int i = 0; i < c->n; i++)
            for (int j = 0; j < d; j++) X[i * d + j] = c->tangent[i * d + j] / c->unit[i];
        orthonormalise(c, d, X);
    }
    middle(c, c->GV, c->V, c->tangent);
    sari_chart_contain(c, v, c->tangent);
    c->sigma_usual = 0.5 * sigma / probe;
    return SAR_OK;
}

/* As near to the start as the rows of a drawing tell them: in the middle between two places they are
 * right to the square of the way. */
static sar_status motions_beside(sari_chart* c, const sari_state* s, const double* v)
{
    const int d = c->d, r = c->r;
    sar_status st = SAR_R_SINGULAR;
    for (double probe = 0.01 * PROBE; probe < 2.0 * PROBE && st == SAR_R_SINGULAR; probe *= 10.0) {
        st = motions_between(c, s, v, probe);
        if (st == SAR_OK && c->d < d) return SAR_OK;
        if (st == SAR_OK) st = SAR_R_SINGULAR; // so near it is still singular
        c->d = d, c->r = r;
    }
    return st;
}

/* The motions that are left a short way along v; -1: nothing is reached there. */
static int free_beside(sari_chart* c, const sari_state* s, const double* v)
{
    if (!walk(c, s->t, s->q, v, PROBE)) return -1;
    sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, s->t, c->q, NULL);
    return sari_chart_sparse_factor(c, -RANK * RANK * 100.0, 1);
}

/* As in the dense algebra: around a start at rest any sum of its motions will do, if the way back to
 * the constraints is found. */
static int free_around(sari_chart* c, const sari_state* s, double* v)
{
    enum { TRIES = 8 };
    const int n = c->n, d = c->d;
    uint64_t random = 11;
    int left = -1;
    for (int k = 0; k < TRIES && left < 0; k++) {
        memset(v, 0, (size_t)n * sizeof(double));
        for (int j = 0; j < d; j++) {
            const double part = sari_random(&random);
            for (int i = 0; i < n; i++) v[i] += part * c->tangent[i * d + j];
        }
        left = free_beside(c, s, v);
    }
    return left;
}

/* A start where motions meet has more of them than a mechanism that moves. */
static sar_status survey_rank(sari_chart* c, const sari_state* s)
{
    const int n = c->n;
    sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, s->t, s->q, NULL);
    SARI_TRY(find_motions(c));
    c->sigma_usual = c->sigma;
    const int d = c->d;
    if (c->r == c->nh || d == 0) return SAR_OK;
    const int moves = sari_equations_turn(c->sys, s->q, s->v) * c->span > 1e-9;
    double* v = c->a;
    if (moves) memcpy(v, s->v, (size_t)n * sizeof(double));
    const int beside = moves ? free_beside(c, s, v) : free_around(c, s, v);
    if (beside < 0 || beside >= d || (!moves && c->any_branch)) return SAR_OK;
    if (!moves) {
        c->ambiguous = 1;
        return SAR_R_SINGULAR;
    }
    c->singular_start = 1;
    const sar_status st = motions_beside(c, s, v);
    c->lacking = d - c->d;
    return st;
}

sar_status sari_chart_sparse_survey(sari_chart* c, const sari_state* s)
{
    c->ambiguous = c->no_mass = c->singular_start = c->lacking = 0;
    c->points = 0;
    c->Omega = 1.0 / c->span;
    c->nw = c->n;
    c->sparse->metric_known = 0;
    sar_status st = SAR_R_SINGULAR;
    if (c->sys->slack.count == 0) {
        sari_chart_survey_units(c, s);
        st = survey_rank(c, s);
    }
    if (st == SAR_R_SINGULAR && !c->ambiguous) { // what is not clear is for the dense algebra
        SARI_TRY(sari_chart_take_dense(c));
        return sari_chart_dense_survey(c, s);
    }
    memset(c->sparse->right, 0, (size_t)c->n * sizeof(double));
    memcpy(c->tangent_q, s->q, (size_t)c->np * sizeof(double));
    c->tangent_t = s->t;
    return st;
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
    if (s->metric_known) return;
    for (int i = 0; i < n; i++) largest = fmax(largest, M->x[M->p[i]] * c->unit[i] * c->unit[i]);
    if (largest == 0.0) largest = 1.0;
    for (double lent = LENT, all = 0.0; lent < 10.0; lent *= 10.0, all = lent) {
        int changed = 0;
        memcpy(s->G.x, M->x, (size_t)M->p[n] * sizeof(double));
        for (int i = 0; i < n; i++) {
            const double unit2 = c->unit[i] * c->unit[i], mass = M->x[M->p[i]] * unit2;
            const double more = mass < NO_MASS * largest ? lent : all;
            changed |= more > 0.0;
            s->G.x[M->p[i]] += more * largest / unit2;
        }
        s->same_metric = c->sys->constant_mass && !changed;
        s->metric_known = c->sys->constant_mass;
        if (is_definite(c)) break;
    }
    if (s->same_metric) memcpy(s->G.x, M->x, (size_t)M->p[n] * sizeof(double));
}

/* V = T C'^-1 with T'GT = C C' */
static int set_frame(sari_chart* c, const double* T)
{
    const int n = c->n, d = c->d;
    memcpy(c->V, T, (size_t)n * (size_t)d * sizeof(double));
    sari_tall_sym_times(&c->sparse->G, d, c->V, c->GV);
    sari_tall_product(n, d, 1, c->V, c->GV, c->C);
    if (!sari_chart_cholesky(d, c->C, 1e-15)) return 0;
    for (int i = 0; i < n; i++) {
        sari_chart_forward(d, c->C, c->V + (size_t)i * (size_t)d);
        sari_chart_forward(d, c->C, c->GV + (size_t)i * (size_t)d);
    }
    return 1;
}

/* The length of z that turns a body by one radian; without z, of a vector likewise. */
static double length_of_turn(sari_chart* c)
{
    double fastest = 0.0;
    for (int j = 0; j < c->d; j++) {
        for (int i = 0; i < c->n; i++) c->vector[i] = c->V[i * c->d + j];
        fastest = fmax(fastest, sari_equations_turn(c->sys, c->q_b, c->vector));
    }
    for (int i = 0; c->d == 0 && i < c->n; i++)
        fastest = fmax(fastest, 1.0 / (c->unit[i] * sqrt(c->sparse->G.x[c->sparse->G.p[i]])));
    return fastest > 0.0 ? 1.0 / fastest : 1.0;
}

sar_status sari_chart_sparse_set_base(sari_chart* c, double t, const double* q, const double* T)
{
    memcpy(c->q_b, q, (size_t)c->np * sizeof(double));
    memcpy(c->q, q, (size_t)c->np * sizeof(double));
    c->t_b = t;
    sari_equations_eval(c->sys, SARI_EVAL_MASS, t, q, NULL);
    set_metric(c);
    if (!set_frame(c, T)) return SAR_R_SINGULAR;
    sari_chart_sparse_select(c, c->V);
    c->ell = length_of_turn(c);
    c->points = c->oldest = 0;
    return SAR_OK;
}

/* x becomes what of it is not along V; its parts along V go to z. */
static void split(const sari_chart* c, double* x, double* z)
{
    const int n = c->n, d = c->d;
    memset(z, 0, (size_t)d * sizeof *z);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++) z[j] += c->GV[i * d + j] * x[i];
    for (int i = 0; i < n; i++) x[i] -= sari_vector_dot(d, c->V + (size_t)i * (size_t)d, z);
}

/* x, what is left of another one beside V z, without its rounding, as in chart/base.c. */
static void forget_rounding(const sari_chart* c, const double* z, double* x)
{
    const double ROUNDING = 1e-13; // of the terms
    for (int i = 0; i < c->n; i++) {
        double size = fabs(x[i]);
        for (int j = 0; j < c->d; j++) size += fabs(c->V[i * c->d + j] * z[j]);
        if (fabs(x[i]) <= ROUNDING * size) x[i] = 0.0;
    }
}

void sari_chart_sparse_begin_cache(sari_chart* c, const double* v, const double* a)
{
    const size_t n = (size_t)c->n * sizeof(double);
    sari_chart_point* p = &c->at;
    p->t = c->t_b;
    memset(p->w, 0, n);
    memset(p->e, 0, n);
    memcpy(p->w_t, v, n);
    split(c, p->w_t, p->zd);
    if (!c->sys->rheonomic) memset(p->w_t, 0, n);
    if (a) memcpy(p->e, a, n), split(c, p->e, c->drop), forget_rounding(c, c->drop, p->e);
    memset(p->z, 0, (size_t)c->d * sizeof(double));
    memcpy(p->T, c->V, n * (size_t)c->d);
    sari_chart_keep(c);
}

/* The bridge summed w and T. */
void sari_chart_sparse_settle(sari_chart* c, int whole)
{
    (void)whole;
    for (int i = 0; i < c->n; i++)
        c->q[i] = c->q_b[i] + c->at.w[i] +
                  sari_vector_dot(c->d, c->V + (size_t)i * (size_t)c->d, c->at.z);
}

static sari_chart_outcome look(sari_chart* c, double t, const double* z)
{
    return sari_chart_geometry(c, t, z, 0);
}

/* The smallest one alone. */
static sari_look measure(const sari_chart* c, double t)
{
    return (sari_look){t, c->sigma, c->sigma, 0.0};
}

const sari_chart_engine sari_chart_engine_sparse = {
    .name = "sparse",
    .survey = sari_chart_sparse_survey,
    .set_base = sari_chart_sparse_set_base,
    .begin_cache = sari_chart_sparse_begin_cache,
    .look = look,
    .geometry = sari_chart_sparse_geometry,
    .motion = sari_chart_sparse_motion,
    .multipliers = sari_chart_sparse_multipliers,
    .settle = sari_chart_sparse_settle,
    .measure = measure,
    .count_below = sari_chart_sparse_count_below,
    .metric_times = sari_chart_sparse_metric_times,
};
