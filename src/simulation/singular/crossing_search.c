#include "simulation/singular/crossing_search.h"
#include "base/status.h"
#include "linalg/rank.h"
#include "linalg/sym_tools.h"
#include "math/random.h"
#include "math/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    DIRECTIONS = 48,   ///< most that strong rows may leave
    COMBINATIONS = 96, ///< most that weak rows may be
    FILTERS = 6,       ///< applications that leave weak rows alone
    SOLVES = 3,        ///< the same for motions
    PASSES = 3,        ///< of corrections that meet strong rows
    ROUNDS = 16,       ///< of Newton's method
    POLISHING = 5,     ///< and at its end
    SEED = 20161117
};

static const double ZERO = 1e-6; ///< of the largest singular value: what is none
static const double FAR = 0.3;   ///< change of a coordinate in one step, at most
static const double NEAR = 1e-6; ///< likewise where Newton's method is at its end
static const double FLAT = 1e-3; ///< of the largest curvature: what is none
static const double APART =
    0.03; ///< of the weakest of the strong rows: what weak rows are, at most
static const double SURELY = 10.0; ///< errors that a gap has to be, to be known

/* Vectors of n numbers: no more than n of them, and fewer where they are long. */
static int room_for(int most, int n)
{
    enum { NUMBERS = 500000 };
    const int fit = n > 0 ? NUMBERS / n + 1 : most;
    return n < most ? n : fit < most ? fit : most;
}

sar_status sari_crossing_search_create(sari_crossing_search* c, sari_system* sys)
{
    sari_arena* m = &c->memory;
    c->sys = sys;
    c->rows = sys->nc - sys->velocity_rows;
    c->n = sys->nq + (sys->rheonomic != 0);
    c->most = room_for(DIRECTIONS, c->n);
    c->widest = room_for(COMBINATIONS, c->rows);
    const size_t p = (size_t)c->most, w = (size_t)c->widest, wide = p > w ? p : w;
    double** const of_rows[] = {&c->strong, &c->gap_rows, &c->gap_other, &c->drawn_rows, NULL};
    double** const squares[] = {&c->U, &c->V, NULL};
    c->q = SARI_TAKE(m, double, sys->np);
    c->side = SARI_TAKE(m, double, sys->np);
    c->d = SARI_TAKE(m, double, c->n);
    c->W = SARI_TAKE(m, double, p*(size_t)c->n);
    c->Z = SARI_TAKE(m, double, w*(size_t)c->rows);
    c->cross = SARI_TAKE(m, double, w*(size_t)c->rows);
    c->amount = SARI_TAKE(m, double, w);
    c->G = SARI_TAKE(m, double, w* p);
    c->H = SARI_TAKE(m, double, p* w* p);
    c->N = SARI_TAKE(m, double, p* p);
    c->S = SARI_TAKE(m, double, w* w);
    c->x = SARI_TAKE(m, double, p);
    c->b = SARI_TAKE(m, double, wide);
    c->sigma = SARI_TAKE(m, double, wide);
    for (int k = 0; squares[k]; k++) *squares[k] = SARI_TAKE(m, double, wide* wide);
    for (int k = 0; of_rows[k]; k++) *of_rows[k] = SARI_TAKE(m, double, c->rows);
    c->work = SARI_TAKE(m, double, sari_svd_workspace((int)wide, (int)wide));
    return m->failed ? SAR_E_NOMEM : sari_normal_create(&c->normal, sys, c->rows);
}

void sari_crossing_search_clear(sari_crossing_search* c)
{
    sari_arena_clear(&c->memory);
    sari_normal_clear(&c->normal);
}

void sari_crossing_evaluate(sari_crossing_search* c, double t, const double* q)
{
    sari_slack* slack = &c->sys->slack;
    const int count = slack->count;
    slack->count = 0;
    sari_equations_eval(&c->sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T, t, q, NULL);
    slack->count = count;
}

double sari_crossing_zero(const sari_crossing_search* c)
{
    const sari_slack* slack = &c->sys->slack;
    return slack->count ? fmax(ZERO, slack->tolerance) : ZERO;
}

/* ---- linear algebra ------------------------------------------------------------------------- */

/* In the metric D. */
static double along(const sari_crossing_search* c, const double* a, const double* b)
{
    double sum = 0.0;
    for (int i = 0; i < c->sys->nq; i++) sum += c->normal.D[i] * a[i] * b[i];
    return sum;
}

/* J'J + (tau^2) D as evaluated last */
static int factor(sari_crossing_search* c, double tau)
{
    return sari_normal_factor(&c->normal, tau * tau * c->normal.scale, NULL) >= 0;
}

/* c->strong = Phi without its part along rows weaker than tau. They contradict each other by the digits of
 * the drawing: followed, they lead away from where their gradients vanish, the farther the smaller tau is. */
static void find_strong(sari_crossing_search* c)
{
    double* weak = c->strong;
    memcpy(weak, c->sys->Phi, (size_t)c->rows * sizeof(double));
    for (int pass = 0; pass < FILTERS; pass++) sari_normal_filter(&c->normal, weak);
    for (int r = 0; r < c->rows; r++) c->strong[r] = c->sys->Phi[r] - weak[r];
}

static int meet_strong(sari_crossing_search* c, double tau, int passes, double t, double* q)
{
    sari_system* sys = c->sys;
    for (int pass = 0; pass < passes; pass++) {
        sari_crossing_evaluate(c, t, q);
        if (!factor(c, tau)) return 0;
        find_strong(c);
        memset(c->d, 0, (size_t)c->n * sizeof(double));
        sari_csr_multiply_add_transposed(&c->normal.J, -1.0, c->strong, c->d);
        sari_normal_solve(&c->normal, c->d);
        if (!isfinite(sari_vector_max(sys->nq, c->d))) return 0;
        sari_coordinates_move(&sys->coordinates, q, c->d, q);
    }
    sari_crossing_evaluate(c, t, q);
    return isfinite(sari_vector_max(c->rows, sys->Phi));
}

/* What strong rows do as time goes on, and time. */
static void follow_time(sari_crossing_search* c, double* w)
{
    sari_csr_multiply_add_transposed(&c->normal.J, -1.0, c->sys->Phi_t, w);
    sari_normal_solve(&c->normal, w);
    w[c->sys->nq] = 1.0;
    const double length = sqrt(along(c, w, w));
    for (int i = 0; i < c->n && length > 0.0; i++) w[i] /= length;
}

/* Directions that only rows weaker than tau hold; and time, if need be. */
static void make_directions(sari_crossing_search* c)
{
    uint64_t state = SEED;
    const int n = c->n, nq = c->sys->nq, moves = c->p - (n > nq);
    memset(c->W, 0, (size_t)c->p * (size_t)n * sizeof(double));
    for (int j = 0; j < moves; j++) sari_fill_at_random(&state, c->W + (size_t)n * j, (size_t)nq);
    for (int pass = 0; pass < SOLVES; pass++)
        for (int j = 0; j < moves; j++) {
            double* w = c->W + (size_t)n * j;
            for (int i = 0; i < nq; i++) w[i] *= c->normal.D[i];
            sari_normal_solve(&c->normal, w);
            for (int k = 0; k < 2 * j; k++) {
                const double *v = c->W + (size_t)n * (k % j), part = along(c, v, w);
                for (int i = 0; i < nq; i++) w[i] -= part * v[i];
            }
            const double length = sqrt(along(c, w, w));
            for (int i = 0; i < nq; i++) w[i] /= length;
        }
    if (moves < c->p) follow_time(c, c->W + (size_t)n * moves);
}

/* Combinations of rows that are weaker than tau, orthonormal. */
static void make_combinations(sari_crossing_search* c)
{
    uint64_t state = SEED;
    const int m = c->rows;
    sari_fill_at_random(&state, c->Z, (size_t)c->w * (size_t)m);
    for (int pass = 0; pass < FILTERS; pass++)
        for (int k = 0; k < c->w; k++) {
            double* z = c->Z + (size_t)m * k;
            sari_normal_filter(&c->normal, z);
            for (int j = 0; j < 2 * k; j++) {
                const double *y = c->Z + (size_t)m * (j % k), part = sari_vector_dot(m, y, z);
                for (int r = 0; r < m; r++) z[r] -= part * y[r];
            }
            const double length = sqrt(sari_vector_dot(m, z, z));
            for (int r = 0; r < m; r++) z[r] /= length;
        }
}

/* Z' Phi_q W as evaluated last */
static void gradients(sari_crossing_search* c, double* G)
{
    const sari_csr* J = &c->normal.J;
    const int nq = c->sys->nq, p = c->p;
    memset(G, 0, (size_t)c->w * (size_t)p * sizeof(double));
    for (int r = 0; r < c->rows; r++)
        for (int j = 0; j < p; j++) {
            const double* w = c->W + (size_t)c->n * j;
            double change = c->n > nq ? c->sys->Phi_t[r] * w[nq] : 0.0;
            for (int e = J->p[r]; e < J->p[r + 1]; e++) change += J->x[e] * w[J->i[e]];
            for (int k = 0; k < c->w; k++)
                G[(size_t)k * p + j] += c->Z[(size_t)c->rows * k + r] * change;
        }
}

static void go_beside(sari_crossing_search* c, const double* w, double way)
{
    for (int i = 0; i < c->n; i++) c->d[i] = way * w[i];
    sari_coordinates_move(&c->sys->coordinates, c->q, c->d, c->side);
    sari_crossing_evaluate(c, c->t + (c->n > c->sys->nq ? c->d[c->n - 1] : 0.0), c->side);
}

/* G and H; at their end the system is evaluated at q again. */
static void differentiate(sari_crossing_search* c)
{
    const double BESIDE = 3e-5;
    const size_t size = (size_t)c->w * (size_t)c->p;
    for (int j = 0; j < c->p; j++) {
        const double *w = c->W + (size_t)c->n * j, way = BESIDE / sari_vector_max(c->sys->nq, w);
        double* h = c->H + size * (size_t)j;
        go_beside(c, w, -way);
        gradients(c, c->G);
        go_beside(c, w, way);
        gradients(c, h);
        for (size_t i = 0; i < size; i++) h[i] = 0.5 * (h[i] - c->G[i]) / way;
    }
    sari_crossing_evaluate(c, c->t, c->q);
    gradients(c, c->G);
}

/* W, Z, G and H at the place nearest to q where strong rows are met and leave more than `regular` directions:
 * ordinary minima of the measure are given up before anything of this is made. */
static int describe(sari_crossing_search* c, int regular)
{
    if (!meet_strong(c, c->tau, PASSES, c->t, c->q)) return 0;
    const int rank = sari_normal_rank(&c->normal, c->tau);
    c->p = c->sys->nq - rank + (c->n - c->sys->nq);
    c->w = c->rows - rank;
    if (c->p < 1 || c->p <= regular || c->p > c->most || c->w < 1 || c->w > c->widest) return 0;
    if (!factor(c, c->tau)) return 0;
    make_directions(c);
    make_combinations(c);
    differentiate(c);
    return 1;
}

/* ---- Newton's method ------------------------------------------------------------------------ */

/* Directions along which nothing is curved are those in which the configuration is not unique. Returns
 * the number of others, with c->V their directions and c->sigma the squares of their curvatures. */
static int curved_directions(sari_crossing_search* c)
{
    const int p = c->p;
    const size_t size = (size_t)c->w * (size_t)p;
    int curved = 0;
    for (int i = 0; i < p; i++)
        for (int j = 0; j < p; j++)
            c->N[i * p + j] =
                sari_vector_dot((int)size, c->H + size * (size_t)i, c->H + size * (size_t)j);
    sari_svd(p, p, c->N, c->sigma, c->U, c->V, c->work);
    while (curved < p && c->sigma[curved] > FLAT * FLAT * c->sigma[0]) curved++;
    return c->sigma[0] > 0.0 ? curved : 0;
}

/* x: the gradients of all combinations vanish, as nearly as they can. Returns the largest change of a
 * coordinate. */
static double newton_step(sari_crossing_search* c)
{
    const int p = c->p, n = c->n, curved = curved_directions(c);
    const size_t size = (size_t)c->w * (size_t)p;
    for (int i = 0; i < p; i++) c->b[i] = sari_vector_dot((int)size, c->H + size * (size_t)i, c->G);
    memset(c->x, 0, (size_t)p * sizeof(double));
    for (int k = 0; k < curved; k++) {
        double part = 0.0;
        for (int i = 0; i < p; i++) part += c->U[i * p + k] * c->b[i];
        for (int i = 0; i < p; i++) c->x[i] -= c->V[i * p + k] * part / c->sigma[k];
    }
    memset(c->d, 0, (size_t)n * sizeof(double));
    for (int j = 0; j < p; j++)
        for (int i = 0; i < n; i++) c->d[i] += c->x[j] * c->W[(size_t)n * j + i];
    return sari_vector_max(c->sys->nq, c->d);
}

static void take_step(sari_crossing_search* c, double length)
{
    const double part = length > FAR ? FAR / length : 1.0;
    for (int i = 0; i < c->n; i++) c->d[i] *= part;
    sari_coordinates_move(&c->sys->coordinates, c->q, c->d, c->q);
    if (c->n > c->sys->nq) c->t += c->d[c->n - 1];
}

/* To where all that is weak is as weak as it gets. 0: nothing is found. */
static int approach(sari_crossing_search* c, int regular, double least)
{
    const double WEAK = 0.7, SHARPEST = 1e-2;
    c->tau = WEAK * least;
    for (int k = 0; k < ROUNDS; k++) {
        if (!describe(c, regular)) return 0;
        const double step = newton_step(c);
        if (!isfinite(step)) return 0;
        take_step(c, step);
        if (step < NEAR) return 1;
        if (k > 0) c->tau = fmax(0.5 * c->tau, SHARPEST * WEAK * least);
    }
    return 0;
}

/* Weak and strong rows are separated by their singular values there; the last steps are those of rounding. */
static int polish(sari_crossing_search* c, int regular)
{
    const double ROUNDING = 1e-13, zero = sari_crossing_zero(c);
    const int rank = sari_normal_rank(&c->normal, c->tau);
    const double strong = sari_normal_least(&c->normal, rank, zero);
    double before = INFINITY;
    if (!(strong * APART > zero)) return 0;
    c->tau = APART * strong;
    for (int k = 0; k < POLISHING; k++) {
        if (!describe(c, regular) || c->p != c->sys->nq - rank + (c->n - c->sys->nq)) return 0;
        const double step = newton_step(c);
        if (!(step < NEAR)) return 0;
        if (step < ROUNDING || step > 0.5 * before) break;
        before = step;
        take_step(c, step);
    }
    return 1;
}

/* ---- the gap -------------------------------------------------------------------------------- */

/* Combinations of rows with curvature, into `cross`: the others, without any, are permanent redundancy.
 * Returns the largest curvature of those, in parts of the least of the first. */
static double separate(sari_crossing_search* c)
{
    const int p = c->p, w = c->w;
    for (int k = 0; k < w; k++)
        for (int l = 0; l < w; l++) {
            double sum = 0.0;
            for (int j = 0; j < p; j++)
                sum += sari_vector_dot(p, c->H + ((size_t)j * w + k) * p,
                                       c->H + ((size_t)j * w + l) * p);
            c->S[k * w + l] = sum;
        }
    sari_svd(w, w, c->S, c->sigma, c->U, c->V, c->work);
    for (c->crossing = 0; c->crossing < w; c->crossing++)
        if (!(c->sigma[c->crossing] > FLAT * FLAT * c->sigma[0])) break;
    if (c->crossing == 0) return INFINITY;
    memset(c->cross, 0, (size_t)c->crossing * (size_t)c->rows * sizeof(double));
    for (int a = 0; a < c->crossing; a++)
        for (int k = 0; k < w; k++)
            for (int r = 0; r < c->rows; r++)
                c->cross[(size_t)a * c->rows + r] +=
                    c->U[k * w + a] * c->Z[(size_t)k * c->rows + r];
    c->curvature = sqrt(c->sigma[c->crossing - 1]);
    return c->crossing < w ? sqrt(c->sigma[c->crossing]) / c->curvature : 0.0;
}

/* What the residual gradient of a combination may change its amount by: along directions that are
 * curved it is second order, along others the configuration is not unique. */
static double error_of_gradient(sari_crossing_search* c, int a, int curved)
{
    const double REACH = 0.1; // along the set of singular configurations
    const int p = c->p, w = c->w;
    double second = 0.0, first = 0.0;
    for (int k = 0; k < p; k++) {
        double g = 0.0;
        for (int l = 0; l < w; l++) {
            const double part = sari_vector_dot(c->rows, c->cross + (size_t)a * c->rows,
                                                c->Z + (size_t)l * c->rows);
            for (int i = 0; i < p; i++) g += part * c->G[l * p + i] * c->V[i * p + k];
        }
        if (k < curved)
            second += g * g / sqrt(c->sigma[k]);
        else
            first += fabs(g);
    }
    return second + REACH * first;
}

/* Rows of a body's own coordinates are squares of lengths, those of joints are lengths. */
static double per_length(const sari_crossing_search* c, int r)
{
    const sari_csr* J = &c->normal.J;
    double square = 0.0;
    if (r >= c->sys->own_rows) return 1.0;
    for (int e = J->p[r]; e < J->p[r + 1]; e++) square += J->x[e] * J->x[e];
    const int both_ends = J->p[r + 1] - J->p[r] > c->sys->mechanism->dimension;
    return sqrt(both_ends ? 0.5 * square : square);
}

/* The length by which a loop is open, in any coordinates: rows as forces are a state of self-stress, and
 * the gap is what it works over, by its largest force. */
static double length_of(const sari_crossing_search* c, const double* rows)
{
    const sari_equations* equations = &c->sys->equations;
    const char* joint = NULL;
    double largest_square = 0.0, force = 0.0;
    for (int r = 0; r < c->rows; r++) {
        const char* name = sari_equations_row_name(equations, r);
        const double f = rows[r] * per_length(c, r);
        force = name == joint ? force + f * f : f * f;
        joint = name;
        largest_square = fmax(largest_square, force);
    }
    const double work = sari_vector_dot(c->rows, rows, rows);
    return largest_square > 0.0 ? work / sqrt(largest_square) : 0.0;
}

/* Residuals along the combinations that cross, the length of them, and how well it is known. */
static void measure(sari_crossing_search* c)
{
    const double rounding = 64.0 * DBL_EPSILON * (c->sys->size + c->sys->away);
    const int m = c->rows;
    const double* Phi = c->sys->Phi;
    const double blurred = separate(c);
    double permanent = 0.0, strong = 0.0;
    memset(c->gap_rows, 0, (size_t)m * sizeof(double));
    for (int a = 0; a < c->crossing; a++) {
        const double* u = c->cross + (size_t)a * m;
        c->amount[a] = sari_vector_dot(m, u, Phi);
        for (int r = 0; r < m; r++) c->gap_rows[r] += c->amount[a] * u[r];
    }
    for (int r = 0; r < m; r++) strong += Phi[r] * Phi[r];
    for (int k = 0; k < c->w; k++) {
        const double part = sari_vector_dot(m, c->Z + (size_t)k * m, Phi);
        strong -= part * part;
        permanent += part * part;
    }
    for (int a = 0; a < c->crossing; a++) permanent -= c->amount[a] * c->amount[a];
    c->error =
        rounding * sqrt((double)m) + sqrt(fmax(strong, 0.0)) + blurred * sqrt(fmax(permanent, 0.0));
    const int crossing = c->crossing, curved = curved_directions(c);
    for (int a = 0; a < crossing; a++) c->error += error_of_gradient(c, a, curved);
    const double rows = sqrt(sari_vector_dot(m, c->gap_rows, c->gap_rows));
    c->gap = length_of(c, c->gap_rows);
    c->error *= rows > 0.0 ? c->gap / rows : 1.0;
    c->drawn = c->gap;
    memcpy(c->drawn_rows, c->gap_rows, (size_t)m * sizeof(double));
    const double* offset = c->sys->slack.offset;
    if (!offset) return;
    for (int a = 0; a < crossing; a++) {
        const double *u = c->cross + (size_t)a * m, part = sari_vector_dot(m, u, offset);
        for (int r = 0; r < m; r++) c->drawn_rows[r] += part * u[r];
    }
    c->drawn = length_of(c, c->drawn_rows);
}

static int search(sari_crossing_search* c, int regular, double least)
{
    c->crossing = 0;
    if (!approach(c, regular, least) || !polish(c, regular)) return 0;
    measure(c);
    return c->crossing > 0;
}

/* The same from beyond the configuration, not as far from it as the motion is. */
static int agrees_from_beyond(sari_crossing_search* c, int regular, double least,
                              const double* away)
{
    const double MOST = 0.1, PART = 0.3; // of a coordinate; of the way
    const double SAME = 0.1;             // of the gap
    const double gap = c->gap;
    const int crossing = c->crossing;
    memcpy(c->gap_other, c->gap_rows, (size_t)c->rows * sizeof(double));
    sari_coordinates_difference(&c->sys->coordinates, away, c->q, c->d);
    const double way = sari_vector_max(c->sys->nq, c->d);
    for (int i = 0; i < c->sys->nq; i++) c->d[i] *= fmin(PART, MOST / way);
    sari_coordinates_move(&c->sys->coordinates, c->q, c->d, c->q);
    if (!search(c, regular, least) || c->crossing != crossing) return 0;
    const double rows = sari_vector_max(c->rows, c->gap_rows);
    for (int r = 0; r < c->rows; r++) c->gap_other[r] -= c->gap_rows[r];
    const double apart = sari_vector_max(c->rows, c->gap_other) / rows;
    c->error = fmax(c->error, apart * gap);
    return apart <= SAME;
}

int sari_crossing_find(sari_crossing_search* c, int regular, double least, const double* away,
                       int* known)
{
    const double ROUNDING = 1e-12; // of the size: what drawings with all digits may be off by
    const double CLEAR = 30.0;
    *known = 0;
    if (!search(c, regular, least)) return 0;
    if (!(c->gap > fmax(SURELY * c->error, ROUNDING * (c->sys->size + c->sys->away)))) return 1;
    // where branches only touch or end, all that can be reached is as near as the gap lets it be
    sari_coordinates_difference(&c->sys->coordinates, c->q, away, c->d);
    const double way = sari_vector_max(c->sys->nq, c->d), length = sqrt(along(c, c->d, c->d));
    if (!(way > 0.0 && c->curvature * length * length > CLEAR * c->gap)) return 1;
    *known = agrees_from_beyond(c, regular, least, away) && c->gap > SURELY * c->error;
    return 1;
}
