/* Singular positions in drawings with finite digits.
 *
 * On paper branches of motion cross there. Let z be a combination of rows with z' Phi_q = 0 in the
 * singular position q*, and x the place beside it in the directions W that the other rows leave:
 *
 *     z' Phi(q* + W x) = d + x' H x / 2 + ...                                               (1)
 *
 * with d = 0: x' H x = 0 are two lines. The digits that a drawing loses make d differ from zero,
 * and the lines a hyperbola: the branches do not meet, the mechanism turns from one into the other
 * within sqrt(d), or has to stop there. No step sees that, and no mechanism that was built does it.
 * Nothing else changes, to first order: d is the one number by which such a crossing unfolds. So
 * if d is less than the precision of the drawing the crossing was meant, and d is taken out of Phi.
 *
 * This is done once in each approach, well before the position, where it moves the mechanism by
 * d over the singular value. q* is looked for from where the motion will be at its lowest measure,
 * by Newton's method for the gradient of (1) with one z at random: all have the same q* on paper,
 * and what is off by d there changes d by its square. Where constraints depend on time, so does
 * (1), and time is among the directions. */
#include "base/arena.h"
#include "base/memory.h"
#include "base/status.h"
#include "math/random.h"
#include "simulation/normal.h"
#include "simulation/simulation.h"
#include "solvers/rank.h"
#include "solvers/sym_tools.h"

#include <math.h>
#include <string.h>

enum {
    DIRECTIONS = 48, ///< most that the other rows may leave
    FILTERS = 6,     ///< applications that leave weak rows alone
    SOLVES = 3,      ///< the same for motions
    PATH = 24,       ///< samples of the motion to come
    GOLDEN = 10,     ///< sections to the lowest point of it
    NEWTON = 8,
    PASSES = 2, ///< of corrections that meet strong rows
    SEED = 20161117
};

struct sari_crossings {
    sari_arena memory;
    sari_system* sys;
    sari_normal normal; ///< of the rows on positions
    double* offset;     ///< taken out of Phi
    double *q, *side, *d, *z, *Jz;
    double t;          ///< with q
    int n;             ///< coordinates, and time if constraints depend on it
    int p;             ///< directions W
    double *W, *H, *g; ///< [p][n], [p][p], [p]
    double *x, *sigma, *U, *V, *work;
};

void sari_crossings_destroy(sari_crossings* c)
{
    if (!c) return;
    sari_arena_clear(&c->memory);
    sari_normal_clear(&c->normal);
    c->sys->slack.offset = NULL;
    sari_release(c);
}

sar_status sari_crossings_create(sari_system* sys, sari_crossings** out)
{
    sari_crossings* c = SARI_NEW(sari_crossings);
    if (!c) return SAR_E_NOMEM;
    const int rows = sys->nc - sys->velocity_rows;
    c->sys = sys;
    c->n = sys->nq + (sys->rheonomic != 0);
    const int most = c->n < DIRECTIONS ? c->n : DIRECTIONS;
    c->offset = SARI_TAKE(&c->memory, double, sys->nc);
    c->q = SARI_TAKE(&c->memory, double, sys->np);
    c->side = SARI_TAKE(&c->memory, double, sys->np);
    c->d = SARI_TAKE(&c->memory, double, c->n);
    c->z = SARI_TAKE(&c->memory, double, sys->nc);
    c->Jz = SARI_TAKE(&c->memory, double, c->n);
    c->W = SARI_TAKE(&c->memory, double, (size_t)most*(size_t)c->n);
    c->H = SARI_TAKE(&c->memory, double, most* most);
    c->g = SARI_TAKE(&c->memory, double, most);
    c->x = SARI_TAKE(&c->memory, double, most);
    c->sigma = SARI_TAKE(&c->memory, double, most);
    c->U = SARI_TAKE(&c->memory, double, most* most);
    c->V = SARI_TAKE(&c->memory, double, most* most);
    c->work = SARI_TAKE(&c->memory, double, sari_svd_workspace(most, most));
    sar_status st = !c->memory.failed ? sari_normal_create(&c->normal, sys, rows) : SAR_E_NOMEM;
    if (st != SAR_OK) {
        sari_crossings_destroy(c);
        return st;
    }
    *out = c;
    return SAR_OK;
}

void sari_crossings_start(sari_crossings* c)
{
    memset(c->offset, 0, (size_t)c->sys->nc * sizeof(double));
    c->sys->slack.offset = NULL;
    sari_normal_weigh(&c->normal, c->sys);
}

/* ---- the motion to come --------------------------------------------------------------------- */

static void evaluate(sari_crossings* c, double t, const double* q)
{
    sari_equations_eval(&c->sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T, t, q, NULL);
}

/* q = where the motion will be in s seconds */
static void place_ahead(sari_crossings* c, const sari_state* now, double s, double* q)
{
    for (int i = 0; i < c->sys->nq; i++) c->d[i] = s * (now->v[i] + 0.5 * s * now->a[i]);
    sari_coordinates_move(&c->sys->coordinates, now->q, c->d, q);
}

/* log det of J'J + (tau^2) D where the motion will be in s seconds */
static double measure_ahead(sari_crossings* c, const sari_state* now, double s, double tau)
{
    sari_pivots pivots = {0};
    place_ahead(c, now, s, c->side);
    evaluate(c, now->t + s, c->side);
    (void)sari_normal_factor(&c->normal, tau * tau * c->normal.scale, &pivots);
    return pivots.log_abs_det;
}

/* c->q is where the measure, which falls by `rate` now, will be lowest: 2k/rate ahead if k singular
 * values go to zero together. 0: it does not rise again soon. */
static int look_ahead(sari_crossings* c, const sari_state* now, double rate, double soon,
                      double tau)
{
    const double GROWTH = 1.15, golden = 0.61803398874989485;
    double step = 0.5 / rate, a = 0.0, b = 0.0, s = step;
    double lowest = measure_ahead(c, now, b, tau), next = measure_ahead(c, now, s, tau);
    for (int k = 0; k < PATH && next < lowest && s < soon; k++, step *= GROWTH) {
        a = b, b = s, s += step, lowest = next;
        next = measure_ahead(c, now, s, tau);
    }
    if (!(next >= lowest) || b == 0.0) return 0;
    double at[2] = {s - golden * (s - a), a + golden * (s - a)};
    double f[2] = {measure_ahead(c, now, at[0], tau), measure_ahead(c, now, at[1], tau)};
    for (int k = 0; k < GOLDEN; k++) {
        const int left = f[0] < f[1];
        if (left)
            s = at[1], at[1] = at[0], f[1] = f[0], at[0] = s - golden * (s - a);
        else
            a = at[0], at[0] = at[1], f[0] = f[1], at[1] = a + golden * (s - a);
        f[!left] = measure_ahead(c, now, at[!left], tau);
    }
    c->t = now->t + 0.5 * (a + s);
    place_ahead(c, now, 0.5 * (a + s), c->q);
    return 1;
}

/* ---- Newton's method for the singular position ---------------------------------------------- */

/* J'J + (tau^2) D as evaluated last */
static int factor(sari_crossings* c, double tau)
{
    return sari_normal_factor(&c->normal, tau * tau * c->normal.scale, NULL) >= 0;
}

/* q is corrected so that rows stronger than tau are met, and evaluated there. */
static int meet_strong_rows(sari_crossings* c, double tau, int passes, double t, double* q)
{
    sari_system* sys = c->sys;
    for (int pass = 0; pass < passes; pass++) {
        evaluate(c, t, q);
        if (!factor(c, tau)) return 0;
        memset(c->d, 0, (size_t)c->n * sizeof(double));
        sari_csr_multiply_add_transposed(&c->normal.J, -1.0, sys->Phi, c->d);
        sari_normal_solve(&c->normal, c->d);
        sari_coordinates_move(&sys->coordinates, q, c->d, q);
    }
    evaluate(c, t, q);
    return 1;
}

static double dot(const sari_crossings* c, const double* a, const double* b)
{
    double sum = 0.0;
    for (int i = 0; i < c->sys->nq; i++) sum += c->normal.D[i] * a[i] * b[i];
    return sum;
}

/* What strong rows do as time goes on, and time. */
static void follow_time(sari_crossings* c, double* w)
{
    sari_csr_multiply_add_transposed(&c->normal.J, -1.0, c->sys->Phi_t, w);
    sari_normal_solve(&c->normal, w);
    w[c->sys->nq] = 1.0;
    const double length = sqrt(dot(c, w, w));
    for (int i = 0; i < c->n && length > 0.0; i++) w[i] /= length;
}

/* Directions that only rows weaker than tau hold, orthonormal in D; and time, if need be. */
static void make_directions(sari_crossings* c)
{
    uint64_t state = SEED;
    const int n = c->n, moves = c->p - (n > c->sys->nq);
    memset(c->W, 0, (size_t)c->p * (size_t)n * sizeof(double));
    for (int j = 0; j < moves; j++)
        sari_fill_at_random(&state, c->W + (size_t)n * j, (size_t)c->sys->nq);
    for (int pass = 0; pass < SOLVES; pass++)
        for (int j = 0; j < moves; j++) {
            double* w = c->W + (size_t)n * j;
            for (int i = 0; i < c->sys->nq; i++) w[i] *= c->normal.D[i];
            sari_normal_solve(&c->normal, w);
            for (int k = 0; k < 2 * j; k++) {
                const double* v = c->W + (size_t)n * (k % j);
                const double along = dot(c, v, w);
                for (int i = 0; i < c->sys->nq; i++) w[i] -= along * v[i];
            }
            const double length = sqrt(dot(c, w, w));
            for (int i = 0; i < c->sys->nq; i++) w[i] /= length;
        }
    if (moves < c->p) follow_time(c, c->W + (size_t)n * moves);
}

/* Rows that are stronger than tau, or not held, leave x. */
static void keep_weak(sari_crossings* c, double* x)
{
    for (int k = 0; k < FILTERS; k++) sari_normal_filter(&c->normal, x);
    if (c->sys->slack.count) sari_slack_drop(&c->sys->slack, x);
}

/* g = W' (z' Phi)_q as evaluated last */
static void gradient(sari_crossings* c, double* g)
{
    const sari_system* sys = c->sys;
    memset(c->Jz, 0, (size_t)c->n * sizeof(double));
    sari_csr_multiply_add_transposed(&c->normal.J, 1.0, c->z, c->Jz);
    if (c->n > sys->nq)
        for (int r = 0; r < c->normal.J.rows; r++) c->Jz[sys->nq] += c->z[r] * sys->Phi_t[r];
    for (int j = 0; j < c->p; j++) {
        const double* w = c->W + (size_t)c->n * j;
        g[j] = 0.0;
        for (int i = 0; i < c->n; i++) g[j] += w[i] * c->Jz[i];
    }
}

/* H of (1), by differences along W. */
static void curvature(sari_crossings* c)
{
    const double EPS = 1e-5;
    for (int j = 0; j < c->p; j++) {
        const double* w = c->W + (size_t)c->n * j;
        for (int i = 0; i < c->n; i++) c->d[i] = EPS * w[i];
        sari_coordinates_move(&c->sys->coordinates, c->q, c->d, c->side);
        evaluate(c, c->t + (c->n > c->sys->nq ? c->d[c->n - 1] : 0.0), c->side);
        double* h = c->H + c->p * j;
        gradient(c, h);
        for (int i = 0; i < c->p; i++) h[i] = (h[i] - c->g[i]) / EPS;
    }
}

/* x = -H^+ g, where small singular values of H do not count: along a motion that goes on through
 * the position without meeting others there is no curvature. Returns its length. */
static double newton_step(sari_crossings* c)
{
    const double SMALL = 1e-3;
    const int p = c->p;
    double square = 0.0;
    sari_svd(p, p, c->H, c->sigma, c->U, c->V, c->work);
    memset(c->x, 0, (size_t)p * sizeof(double));
    for (int k = 0; k < p && c->sigma[k] > SMALL * c->sigma[0]; k++) {
        double along = 0.0; // h_ji = dg_i/dx_j: g + H' x = 0
        for (int i = 0; i < p; i++) along += c->V[p * i + k] * c->g[i];
        for (int i = 0; i < p; i++) c->x[i] -= c->U[p * i + k] * along / c->sigma[k];
    }
    for (int i = 0; i < p; i++) square += c->x[i] * c->x[i];
    return sqrt(square);
}

static void take_step(sari_crossings* c, double factor)
{
    const int n = c->n, nq = c->sys->nq;
    memset(c->d, 0, (size_t)n * sizeof(double));
    for (int j = 0; j < c->p; j++)
        for (int i = 0; i < n; i++) c->d[i] += factor * c->x[j] * c->W[(size_t)n * j + i];
    sari_coordinates_move(&c->sys->coordinates, c->q, c->d, c->q);
    if (n > nq) c->t += c->d[nq];
}

/* From c->q to the singular position; `regular` directions are free anywhere. 0: there is none. */
static int find_position(sari_crossings* c, int regular, double tau)
{
    const double FAR = 0.5, SAME = 1e-6, LEAST = 1e-2;
    const double sharpest = LEAST * tau;
    for (int k = 0; k < NEWTON; k++) {
        uint64_t state = SEED;
        if (!meet_strong_rows(c, tau, PASSES, c->t, c->q)) return 0;
        c->p = c->sys->nq - sari_normal_rank(&c->normal, tau) + (c->n - c->sys->nq);
        if (c->p <= regular || c->p > DIRECTIONS) return 0;
        if (!factor(c, tau)) return 0;
        make_directions(c);
        sari_fill_at_random(&state, c->z, (size_t)c->normal.J.rows);
        keep_weak(c, c->z);
        double length = 0.0;
        for (int r = 0; r < c->normal.J.rows; r++) length = fmax(length, fabs(c->z[r]));
        if (!(length > 0.0)) return 0;
        for (int r = 0; r < c->normal.J.rows; r++) c->z[r] /= length;
        gradient(c, c->g);
        curvature(c);
        const double step = newton_step(c);
        if (!isfinite(step)) return 0;
        take_step(c, fmin(1.0, FAR / fmax(step, FAR)));
        if (step < SAME) return meet_strong_rows(c, tau, PASSES, c->t, c->q) && factor(c, tau);
        if (k > 0) tau = fmax(0.5 * tau, sharpest);
    }
    return 0;
}

int sari_crossings_meet(sari_crossings* c, const sari_state* now, double rate, double soon,
                        double drawing, double* gap)
{
    const double ZERO = 1e-6, WEAK = 0.7, ROUNDING = 1e-12;
    const double ADDED = 10.0; // precisions of the drawing that add up around a loop
    sari_system* sys = c->sys;
    const int rows = c->normal.J.rows, rank = sari_normal_rank(&c->normal, ZERO);
    const double least = sari_normal_least(&c->normal, rank, ZERO);
    const int regular = sys->nq - rank + (c->n - sys->nq);
    *gap = 0.0;
    if (!look_ahead(c, now, rate, soon, 0.01 * least) || !find_position(c, regular, WEAK * least))
        return 0;
    double most = 0.0;
    memcpy(c->z, sys->Phi, (size_t)rows * sizeof(double));
    keep_weak(c, c->z);
    for (int r = 0; r < rows; r++) most = fmax(most, fabs(c->z[r]));
    if (!(most > ROUNDING && most <= ADDED * drawing)) return 1;
    for (int r = 0; r < rows; r++) c->offset[r] += c->z[r];
    sys->slack.offset = c->offset;
    *gap = most;
    return 1;
}

void sari_crossings_project(sari_crossings* c, sari_state* x)
{
    const double LITTLE = 1e-6; // of the largest singular value: redundant rows do no harm
    (void)meet_strong_rows(c, LITTLE, 2 * PASSES, x->t, x->q);
}
