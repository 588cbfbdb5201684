/* Units, rank and tangents where a run starts, also in a singular configuration: over what the algebra (dense
 * or sparse) tells of one place. */
#include "formulations/chart/chart.h"

#include "base/status.h"
#include "linalg/cholesky.h"
#include "linalg/rank.h"
#include "linalg/tall.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

static const double ABSENT = 1e-11;  ///< rows that nothing changes; relative to the largest
static const double NOTHING = 1e-12; ///< of the model's size: likewise, where all are such
static const double BESIDE = 0.3;    ///< [rad] from the start: where the size of rows is taken
static const double PROBE = 0.1;     ///< [rad] along the motion: where the generic rank is taken

/* ---- units ---------------------------------------------------------------------------------- */

static void survey_units(sari_chart* c, const double* q)
{
    memset(c->v, 0, (size_t)c->n * sizeof(double));
    for (int i = 0; i < c->n; i++) {
        c->v[i] = 1.0;
        const double turn = sari_equations_turn(c->sys, q, c->v);
        c->unit[i] = turn > 0.0 ? 1.0 / turn : 1.0;
        c->v[i] = 0.0;
    }
}

/* What counts as zero: rows that are not held do not count. */
double sari_chart_zero(const sari_chart* c, double usual)
{
    const sari_slack* slack = &c->sys->slack;
    return slack->count ? fmax(usual, slack->tolerance) : usual;
}

/* Rows by what they are beside the manifold, where all of them matter: on it some may have no
 * gradient at all, as those out of the plane of a plane mechanism. */
static void survey_rows(sari_chart* c, double t, const double* q)
{
    enum { PLACES = 4 };
    const sari_csr* J = &c->sys->Phi_q;
    uint64_t random = 7;
    double largest = 0.0;
    memset(c->row, 0, (size_t)c->nh * sizeof(double));
    for (int place = 0; place < PLACES; place++) {
        for (int i = 0; i < c->n; i++)
            c->v[i] = place ? BESIDE * c->unit[i] * sari_random(&random) : 0.0;
        sari_coordinates_move(c->sys->space, q, c->v, c->q);
        sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, t, c->q, NULL);
        for (int r = 0; r < c->nh; r++) {
            double square = 0.0;
            for (int e = J->p[r]; e < J->p[r + 1]; e++) {
                const double x = J->x[e] * c->unit[J->i[e]];
                square += x * x;
            }
            if (isfinite(square)) c->row[r] = fmax(c->row[r], sqrt(square));
        }
    }
    for (int r = 0; r < c->nh; r++) largest = fmax(largest, c->row[r]);
    const double absent = fmax(ABSENT * largest, sari_chart_zero(c, NOTHING));
    for (int r = 0; r < c->nh; r++) c->row[r] = c->row[r] > absent ? 1.0 / c->row[r] : 0.0;
}

/* ---- tangents ------------------------------------------------------------------------------- */

/* From q along the motion v by so many radians, and back to the constraints. 0: not reached. The system is
 * evaluated there. */
static int walk(sari_chart* c, double t, const double* q, const double* v, double turn)
{
    enum { MOST = 20 };
    const double speed = sari_equations_turn(c->sys, q, v);
    for (int i = 0; i < c->n; i++) c->work.g[i] = turn / speed * v[i];
    sari_coordinates_move(c->sys->space, q, c->work.g, c->q);
    for (int k = 0; k < MOST; k++) {
        double largest = 0.0;
        sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, t, c->q, NULL);
        c->engine->way_back(c, c->work.g);
        for (int i = 0; i < c->n; i++) largest = fmax(largest, fabs(c->work.g[i]) / c->unit[i]);
        if (!(largest < 1.0)) return 0;
        sari_coordinates_move(c->sys->space, c->q, c->work.g, c->q);
        if (!(largest < 1e-12)) continue;
        sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, t, c->q, NULL);
        return 1;
    }
    return 0;
}

/* X (n x d) = X C'^-1 with X'X = C C': orthonormal columns. */
void sari_chart_orthonormalise(const sari_chart* c, int d, double* X)
{
    enum { PASSES = 2 };
    for (int k = 0; k < PASSES; k++) {
        sari_tall_product(c->n, d, 1, X, X, c->work.H);
        if (sari_cholesky(d, c->work.H, 1e-15) > 0) return;
        for (int i = 0; i < c->n; i++)
            sari_cholesky_forward(d, c->work.H, X + (size_t)i * (size_t)d);
    }
}

/* The motions in the middle between those of two places, whose bases X and Y (n x d, in units) are
 * orthonormal: with X'Y = P s Q', the columns of X P + Y Q. */
static void middle(sari_chart* c, const double* X, const double* Y, double* T)
{
    const int n = c->n, d = c->d;
    double *P = c->C, *Q = c->work.Cd, *sigma = c->zdd, *work = c->work.sums;
    sari_tall_product(n, d, 0, X, Y, c->work.H);
    sari_svd(d, d, c->work.H, sigma, P, Q, work);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++) {
            double sum = 0.0;
            for (int k = 0; k < d; k++)
                sum += X[i * d + k] * P[k * d + j] + Y[i * d + k] * Q[k * d + j];
            T[i * d + j] = c->unit[i] * sum;
        }
}

/* The velocity v of a start is one of the tangents from now on, to rounding: T z = v with z = T'v for
 * columns of T that are orthogonal and of one length, in units. */
static void contain(sari_chart* c, const double* v, double* T)
{
    const int n = c->n, d = c->d;
    double *z = c->work.sums, *left = z + d, square = 0.0, length = 0.0;
    for (int i = 0; i < n; i++) length += T[i * d] * T[i * d] / (c->unit[i] * c->unit[i]);
    for (int j = 0; j < d; j++) {
        z[j] = 0.0;
        for (int i = 0; i < n; i++)
            z[j] += T[i * d + j] * v[i] / (c->unit[i] * c->unit[i] * length);
        square += z[j] * z[j];
    }
    for (int i = 0; i < n; i++) left[i] = v[i] - sari_vector_dot(d, T + (size_t)i * (size_t)d, z);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++) T[i * d + j] += left[i] * z[j] / square;
}

/* Tangents on both sides of a singular start, so many radians away along v, and those in the middle between
 * them, which are right to the square of that angle; and the usual sigma there. */
static sar_status tangents_between(sari_chart* c, const sari_state* s, const double* v,
                                   double probe)
{
    double sigma = 0.0;
    int d = 0;
    for (int side = 0; side < 2; side++) {
        if (!walk(c, s->t, s->q, v, side ? -probe : probe)) return SAR_R_SINGULAR;
        SARI_TRY(c->engine->tangents(c));
        if (side && c->d != d) return SAR_R_SINGULAR;
        d = c->d;
        sigma = fmax(sigma, c->singular.sigma);
        double* X = side ? c->base.V : c->base.GV;
        for (int i = 0; i < c->n; i++)
            for (int j = 0; j < d; j++) X[i * d + j] = c->base.tangent[i * d + j] / c->unit[i];
        sari_chart_orthonormalise(c, d, X);
    }
    middle(c, c->base.GV, c->base.V, c->base.tangent);
    contain(c, v, c->base.tangent);
    c->singular.sigma_usual = 0.5 * sigma / probe;
    return SAR_OK;
}

/* As near to the start as the rows of a drawing tell them. */
static sar_status tangents_beside(sari_chart* c, const sari_state* s, const double* v)
{
    const int d = c->d, r = c->r;
    sar_status st = SAR_R_SINGULAR;
    for (double probe = 0.01 * PROBE; probe < 2.0 * PROBE && st == SAR_R_SINGULAR; probe *= 10.0) {
        st = tangents_between(c, s, v, probe);
        if (st == SAR_OK && c->d < d) return SAR_OK;
        if (st == SAR_OK) st = SAR_R_SINGULAR; // so near it is still singular
        c->d = d, c->r = r;
    }
    return st;
}

/* ---- rank ----------------------------------------------------------------------------------- */

/* The rank a short way along v; -1: nothing is reached there. */
static int rank_beside(sari_chart* c, const sari_state* s, const double* v)
{
    return walk(c, s->t, s->q, v, PROBE) ? c->engine->rank(c) : -1;
}

/* The largest rank around a start at rest. Where motions meet, most sums of their tangents lead
 * away from all of them, and the way back to the constraints may not be found: then others are
 * tried. */
static int rank_around(sari_chart* c, const sari_state* s, double* v)
{
    enum { TRIES = 8 };
    uint64_t random = 11;
    int rank = -1;
    for (int k = 0; k < TRIES && rank < 0; k++) {
        memset(v, 0, (size_t)c->n * sizeof(double));
        for (int j = 0; j < c->d; j++) {
            const double part = sari_random(&random);
            for (int i = 0; i < c->n; i++) v[i] += part * c->base.tangent[i * c->d + j];
        }
        rank = rank_beside(c, s, v);
    }
    return rank;
}

/* A start where motions meet has more tangents than a mechanism that moves. */
static sar_status survey_rank(sari_chart* c, const sari_state* s)
{
    sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, s->t, s->q, NULL);
    SARI_TRY(c->engine->tangents(c));
    c->singular.sigma_usual = c->singular.sigma;
    if (c->r == c->nh || c->d == 0) return SAR_OK;
    const int moves = sari_equations_turn(c->sys, s->q, s->v) * c->span > 1e-9, r = c->r;
    double* v = c->a;
    if (moves) memcpy(v, s->v, (size_t)c->n * sizeof(double));
    const int beside = moves ? rank_beside(c, s, v) : rank_around(c, s, v);
    if (beside <= r || (!moves && c->start.any_branch)) return SAR_OK;
    if (!moves) {
        c->start.ambiguous = 1;
        return SAR_R_SINGULAR;
    }
    c->start.singular = 1;
    const sar_status st = tangents_beside(c, s, v);
    c->start.deficiency = c->r - r;
    return st;
}

sar_status sari_chart_survey(sari_chart* c, const sari_state* s)
{
    const int sparse = c->engine == &sari_chart_engine_sparse;
    c->start.ambiguous = c->no_mass = c->start.singular = c->start.deficiency =
        c->base.metric_known = 0;
    c->cache.points = 0;
    c->Omega = 1.0 / c->span;
    sar_status st = SAR_R_SINGULAR;
    if (!sparse || c->sys->slack.count == 0) {
        survey_units(c, s->q);
        survey_rows(c, s->t, s->q);
        if (!c->felt_known) sari_chart_survey_felt(c, s);
        st = survey_rank(c, s);
    }
    if (sparse && st == SAR_R_SINGULAR &&
        !c->start.ambiguous) { // what is not clear is for the dense algebra
        SARI_TRY(sari_chart_take_dense(c));
        return sari_chart_survey(c, s);
    }
    c->engine->lay_points(c);
    memset(c->singular.right, 0, (size_t)c->nw * sizeof(double));
    memcpy(c->base.tangent_q, s->q, (size_t)c->np * sizeof(double));
    c->base.tangent_t = s->t;
    return st;
}
