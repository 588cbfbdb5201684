/* Where a chart is laid: units and rank at the start of a run, and a new base after every step. */
#include "formulations/chart/rows.h"

#include "linalg/rank.h"
#include "math/functions.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

static const double RANK = 1e-7;     ///< singular values above count; relative to the largest
static const double ABSENT = 1e-11;  ///< rows that nothing changes; relative to the largest
static const double NOTHING = 1e-12; ///< of the model's size: likewise, where all are such
static const double BESIDE = 0.3;    ///< [rad] from the start: where the size of rows is taken
static const double PROBE = 0.1;     ///< [rad] along the motion: where the generic rank is taken
static const double NO_MASS = 1e-6;  ///< of the largest inertia
static const double LENT = 1e-3; ///< likewise: what motions without mass are given in the metric

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
static double zero_of(const sari_chart* c, double usual)
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
    const double absent = fmax(ABSENT * largest, zero_of(c, NOTHING));
    for (int r = 0; r < c->nh; r++) c->row[r] = c->row[r] > absent ? 1.0 / c->row[r] : 0.0;
}

/* ---- rank ----------------------------------------------------------------------------------- */

/* The singular values of row Phi_q unit, as the system is evaluated: rank, and right vectors in
 * c->svd behind them. */
typedef struct spectrum {
    int rank, values;
    double *sigma, *U, *V; ///< nh x values and n x values, by rows
} spectrum;

static spectrum decompose(sari_chart* c, double relative)
{
    const int n = c->n, nh = c->nh, values = n < nh ? n : nh;
    double* A = c->svd;
    spectrum s = {0, values, A + nh * n, NULL, NULL};
    s.U = s.sigma + values;
    s.V = s.U + nh * values;
    double *X = s.V + n * n, *work = X + n * n;
    memset(X, 0, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; i++) X[i * n + i] = c->unit[i];
    sari_chart_rows_times(c, &c->sys->Phi_q, n, X, A);
    if (values > 0) sari_svd(nh, n, A, s.sigma, s.U, s.V, work);
    while (s.rank < values && s.sigma[s.rank] > relative * s.sigma[0]) s.rank++;
    return s;
}

/* T (n x d): what the first `rank` right vectors leave, by Gram and Schmidt; in units of q. */
static void null_space(sari_chart* c, const spectrum* s, int rank, double* T)
{
    const int n = c->n, d = n - rank;
    double* known = c->svd; // A is not needed any more: rows are unit vectors
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
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < found; k++) {
                const double along = sari_vector_dot(n, known + k * n, x);
                for (int i = 0; i < n; i++) x[i] -= along * known[k * n + i];
            }
        const double size = sqrt(sari_vector_dot(n, x, x));
        for (int i = 0; i < n; i++) x[i] /= size;
        for (int i = 0; i < n; i++) T[i * d + found - rank] = c->unit[i] * x[i];
    }
}

/* From q along the motion v by so many radians, and back to the constraints. 0: not reached. */
static int walk(sari_chart* c, double t, const double* q, const double* v, double turn)
{
    enum { MOST = 12 };
    const double WEAK = 1e-5;
    const int n = c->n;
    const double speed = sari_equations_turn(c->sys, q, v);
    for (int i = 0; i < n; i++) c->g[i] = turn / speed * v[i];
    sari_coordinates_move(c->sys->space, q, c->g, c->q);
    for (int k = 0; k < MOST; k++) {
        double largest = 0.0;
        sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, t, c->q, NULL);
        const spectrum s = decompose(c, WEAK);
        memset(c->g, 0, (size_t)n * sizeof(double));
        for (int j = 0; j < s.rank; j++) {
            double part = 0.0;
            for (int i = 0; i < c->nh; i++)
                part -= s.U[i * s.values + j] * c->row[i] * c->sys->Phi[i];
            part /= s.sigma[j];
            for (int i = 0; i < n; i++) c->g[i] += c->unit[i] * s.V[i * s.values + j] * part;
        }
        for (int i = 0; i < n; i++) largest = fmax(largest, fabs(c->g[i]) / c->unit[i]);
        if (!(largest < 1.0)) return 0;
        sari_coordinates_move(c->sys->space, c->q, c->g, c->q);
        if (largest < 1e-12) return 1;
    }
    return 0;
}

/* Tangents on both sides of a singular start, so many radians away, and of them those that both have
 * most of: right to the square of that angle. */
static int tangents_between(sari_chart* c, const sari_state* s, const double* v, double probe,
                            double* T)
{
    const int n = c->n, d = c->d;
    double* both = c->sums; // n x 2d, in units
    for (int side = 0; side < 2; side++) {
        if (!walk(c, s->t, s->q, v, side ? -probe : probe)) return 0;
        sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, s->t, c->q, NULL);
        const spectrum there = decompose(c, zero_of(c, RANK));
        if (there.rank != c->r) return 0;
        null_space(c, &there, c->r, T);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < d; j++) both[i * 2 * d + side * d + j] = T[i * d + j] / c->unit[i];
    }
    double *sigma = both + n * 2 * d, *U = sigma + 2 * d, *work = U + n * 2 * d;
    const int values = n < 2 * d ? n : 2 * d;
    sari_svd(n, 2 * d, both, sigma, U, NULL, work);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++) T[i * d + j] = c->unit[i] * U[i * values + j];
    return 1;
}

void sari_chart_contain(sari_chart* c, const double* v, double* T)
{
    const int n = c->n, d = c->d;
    double *z = c->sums, *left = z + d, square = 0.0, length = 0.0;
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

/* As near to the start as the rows of a drawing tell its tangents. */
static int tangents_beside(sari_chart* c, const sari_state* s, const double* v, double* T)
{
    for (double probe = 0.01 * PROBE; probe < 2.0 * PROBE; probe *= 10.0) {
        if (!tangents_between(c, s, v, probe, T)) continue;
        sari_chart_contain(c, v, T);
        return 1;
    }
    return 0;
}

/* The rank a short way along v; -1: nothing is reached there. */
static int rank_beside(sari_chart* c, const sari_state* s, const double* v)
{
    if (!walk(c, s->t, s->q, v, PROBE)) return -1;
    sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, s->t, c->q, NULL);
    return decompose(c, zero_of(c, RANK)).rank;
}

/* The largest rank around a start at rest. Where motions meet, most sums of their tangents lead
 * away from all of them, and the way back to the constraints may not be found: then others are
 * tried. */
static int rank_around(sari_chart* c, const sari_state* s, const double* T, double* v)
{
    enum { TRIES = 8 };
    uint64_t random = 11;
    int rank = -1;
    for (int k = 0; k < TRIES && rank < 0; k++) {
        memset(v, 0, (size_t)c->n * sizeof(double));
        for (int j = 0; j < c->d; j++) {
            const double part = sari_random(&random);
            for (int i = 0; i < c->n; i++) v[i] += part * T[i * c->d + j];
        }
        rank = rank_beside(c, s, v);
    }
    return rank;
}

/* A start where motions meet has more tangents than a mechanism that moves. */
static sar_status survey_rank(sari_chart* c, const sari_state* s)
{
    const int n = c->n;
    double* T = c->tangent;
    sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, s->t, s->q, NULL);
    spectrum here = decompose(c, zero_of(c, RANK));
    c->r = here.rank;
    c->d = n - c->r;
    const double least = here.rank ? here.sigma[here.rank - 1] / here.sigma[0] : 1.0;
    null_space(c, &here, c->r, T);
    c->sigma_usual = least;
    if (c->r == c->nh || c->d == 0) return SAR_OK;
    const int moves = sari_equations_turn(c->sys, s->q, s->v) * c->span > 1e-9;
    double* v = c->a;
    if (moves) memcpy(v, s->v, (size_t)n * sizeof(double));
    const int beside = moves ? rank_beside(c, s, v) : rank_around(c, s, T, v);
    if (beside <= c->r || (!moves && c->any_branch)) return SAR_OK;
    if (!moves) {
        c->ambiguous = 1;
        return SAR_R_SINGULAR;
    }
    const spectrum there = decompose(c, zero_of(c, RANK));
    c->singular_start = 1;
    c->lacking = there.rank - c->r;
    c->r = there.rank;
    c->d = n - c->r;
    c->sigma_usual = 0.5 * there.sigma[there.rank - 1] / there.sigma[0] / PROBE;
    return tangents_beside(c, s, v, T) ? SAR_OK : SAR_R_SINGULAR;
}

void sari_chart_survey_units(sari_chart* c, const sari_state* s)
{
    survey_units(c, s->q);
    survey_rows(c, s->t, s->q);
    if (!c->felt_known) sari_chart_survey_felt(c, s);
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

void sari_chart_lay_points(sari_chart* c)
{
    const size_t d = (size_t)c->d, r = (size_t)c->r;
    c->point_size = 2 * d + 3 * r + r * d + (size_t)c->n * d;
    lay_point(c, &c->at, c->point_memory);
    for (int k = 0; k < SARI_CHART_POINTS; k++)
        lay_point(c, &c->point[k], c->point_memory + (size_t)(k + 1) * c->point_size);
}

sar_status sari_chart_dense_survey(sari_chart* c, const sari_state* s)
{
    c->ambiguous = c->no_mass = c->singular_start = c->lacking = c->factored = 0;
    c->points = 0;
    c->Omega = 1.0 / c->span;
    sari_chart_survey_units(c, s);
    const sar_status st = survey_rank(c, s);
    c->nw = c->r;
    sari_chart_lay_points(c);
    c->f.cols = c->r;
    c->f.rows = c->nh;
    memset(c->f.right, 0, (size_t)c->r * sizeof(double));
    memcpy(c->tangent_q, s->q, (size_t)c->np * sizeof(double));
    c->tangent_t = s->t;
    return st;
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
    for (double lent = LENT, all = 0.0; lent < 10.0; lent *= 10.0, all = lent) {
        int fine = 1;
        c->lent = all > 0.0;
        memset(c->L, 0, (size_t)(n * n) * sizeof(double));
        for (int j = 0; j < n; j++)
            for (int p = M->p[j]; p < M->p[j + 1]; p++) c->L[M->i[p] * n + j] = M->x[p];
        for (int i = 0; i < n; i++) {
            const double unit2 = c->unit[i] * c->unit[i], mass = c->L[i * n + i] * unit2;
            c->lent |= mass < NO_MASS * largest;
            c->L[i * n + i] += (mass < NO_MASS * largest ? lent : all) * largest / unit2;
        }
        for (int k = 0; k < n && fine; k++) {
            double* row = c->L + (size_t)k * (size_t)n;
            const double whole = row[k], pivot = whole - sari_vector_dot(k, row, row);
            fine = pivot > 1e-8 * whole;
            row[k] = sqrt(fmax(pivot, 0.0));
            for (int i = k + 1; i < n && fine; i++) {
                double* other = c->L + (size_t)i * (size_t)n;
                other[k] = (other[k] - sari_vector_dot(k, other, row)) / row[k];
            }
        }
        if (fine) return;
    }
}

/* X = L' X, n x k */
static void metric_root(const sari_chart* c, int k, double* X)
{
    const int n = c->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0.0;
            for (int l = i; l < n; l++) sum += c->L[l * n + i] * X[l * k + j];
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
            const double* restrict other = X + (size_t)(l * k), factor = c->L[l * n + i];
            for (int j = 0; j < k; j++) x[j] -= factor * other[j];
        }
        for (int j = 0; j < k; j++) x[j] /= c->L[i * n + i];
    }
}

/* X = L X, n x k */
static void metric_times_root(const sari_chart* c, int k, double* X)
{
    const int n = c->n;
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < k; j++) {
            double sum = 0.0;
            for (int l = 0; l <= i; l++) sum += c->L[i * n + l] * X[l * k + j];
            X[i * k + j] = sum;
        }
}

/* V_j leads where T_j did: what was known of z and u, a Jacobian say, is so still. */
static void keep_directions(sari_chart* c, const double* T)
{
    const int n = c->n, d = c->d;
    for (int j = 0; j < d; j++) {
        double along = 0.0;
        for (int i = 0; i < n; i++) along += c->GV[i * d + j] * T[i * d + j];
        if (along >= 0.0) continue;
        for (int i = 0; i < n; i++) {
            c->V[i * d + j] = -c->V[i * d + j];
            c->GV[i * d + j] = -c->GV[i * d + j];
        }
    }
}

/* V and W from L' T = Q R: V = L'^-1 Q1, W = L'^-1 Q2. GV = L Q1, GW = L Q2. */
static void orthonormalise(sari_chart* c, const double* T)
{
    const int n = c->n, d = c->d, r = c->r;
    double* Q = c->svd; // d columns, then their complement
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
                c->V[i * d + j] = c->GV[i * d + j] = column[i];
            else
                c->W[i * r + j - d] = c->GW[i * r + j - d] = column[i];
        }
    }
    metric_unroot(c, d, c->V);
    metric_unroot(c, r, c->W);
    metric_times_root(c, d, c->GV);
    metric_times_root(c, r, c->GW);
    keep_directions(c, T);
}

/* The length of z, or of w where there is none, that turns a body by one radian. */
static double length_of_turn(sari_chart* c)
{
    const int columns = c->d ? c->d : c->r;
    const double* X = c->d ? c->V : c->W;
    double fastest = 0.0;
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < c->n; i++) c->vector[i] = X[i * columns + j];
        fastest = fmax(fastest, sari_equations_turn(c->sys, c->q_b, c->vector));
    }
    return fastest > 0.0 ? 1.0 / fastest : 1.0;
}

/* A tenth of what rows of size one make of W. */
static double usual_size(const sari_chart* c)
{
    double largest = 0.0;
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->r; k++)
            largest = fmax(largest, fabs(c->W[i * c->r + k]) / c->unit[i]);
    return 0.1 * largest;
}

static sar_status set_base(sari_chart* c, double t, const double* q, const double* T)
{
    memcpy(c->q_b, q, (size_t)c->np * sizeof(double));
    memcpy(c->q, q, (size_t)c->np * sizeof(double));
    c->t_b = t;
    sari_equations_eval(c->sys, SARI_EVAL_MASS, t, q, NULL);
    if (!c->sys->constant_mass || !c->factored) factor_metric(c);
    c->factored = 1;
    c->massive = c->sys->constant_mass && !c->lent && !c->turns && !c->mv;
    orthonormalise(c, T);
    c->ell = length_of_turn(c);
    c->usual = usual_size(c);
    c->points = c->oldest = 0;
    return SAR_OK;
}

/* e of row k: the part of a along column k of W. Rounding of a is none: the time of a way, by which it is
 * multiplied, has no bound where the motion comes to rest. */
static double curvature(const sari_chart* c, const double* a, int k)
{
    const double ROUNDING = 1e-13; // of the terms
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < c->n; i++) {
        const double term = c->GW[i * c->r + k] * a[i];
        sum += term;
        size += fabs(term);
    }
    return fabs(sum) > ROUNDING * size ? sum : 0.0;
}

static void begin_cache(sari_chart* c, const double* v, const double* a)
{
    const int n = c->n, d = c->d, r = c->r;
    sari_chart_point* p = &c->at;
    p->t = c->t_b;
    memset(p->z, 0, (size_t)d * sizeof(double));
    memset(p->w, 0, (size_t)r * sizeof(double));
    memset(p->D, 0, (size_t)(r * d) * sizeof(double));
    memset(p->zd, 0, (size_t)d * sizeof(double));
    memset(p->w_t, 0, (size_t)r * sizeof(double));
    memset(p->e, 0, (size_t)r * sizeof(double));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < d; j++) p->zd[j] += c->GV[i * d + j] * v[i];
        for (int k = 0; k < r; k++) p->w_t[k] += c->GW[i * r + k] * v[i];
    }
    for (int k = 0; a && k < r; k++) p->e[k] = curvature(c, a, k);
    if (!c->sys->rheonomic) memset(p->w_t, 0, (size_t)r * sizeof(double));
    memcpy(p->T, c->V, (size_t)(n * d) * sizeof(double));
    sari_chart_keep(c);
}

/* The bridge summed w and D. */
static void settle(sari_chart* c, int whole)
{
    const int n = c->n, d = c->d, r = c->r;
    for (int i = 0; i < n; i++)
        c->x[i] = sari_vector_dot(d, c->V + (size_t)(i * d), c->at.z) +
                  sari_vector_dot(r, c->W + (size_t)(i * r), c->at.w);
    sari_chart_place(c, c->x);
    if (!whole) return;
    if (c->turns) {
        memcpy(c->AW, c->W, (size_t)(n * r) * sizeof(double));
        memcpy(c->AV, c->V, (size_t)(n * d) * sizeof(double));
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

static sari_look measure(const sari_chart* c, double t)
{
    const double LEAST = 1e-300;
    sari_look look = {t, c->sigma, 1.0, 0.0};
    for (int k = 0; k < c->r; k++) {
        const double pivot = fabs(c->f.A[k * c->r + k]);
        look.product *= pivot > LEAST ? pivot : LEAST;
        if (look.product > 1e-150 && look.product < 1e150) continue;
        look.log += sari_log(look.product);
        look.product = 1.0;
    }
    return look;
}

/* Singular values of B below a limit, relative to its largest pivot. */
static int count_below(sari_chart* c, double limit)
{
    const int r = c->r;
    double *R = c->svd, *sigma = R + r * r, *work = sigma + r;
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
    .survey = sari_chart_dense_survey,
    .set_base = set_base,
    .begin_cache = begin_cache,
    .geometry = sari_chart_dense_geometry,
    .place = sari_chart_dense_place,
    .meet = sari_chart_dense_meet,
    .velocity = sari_chart_dense_velocity,
    .look = sari_chart_dense_look,
    .motion = sari_chart_dense_motion,
    .multipliers = sari_chart_dense_multipliers,
    .settle = settle,
    .measure = measure,
    .count_below = count_below,
    .metric_times = metric_times,
};
