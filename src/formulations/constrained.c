#include "formulations/constrained.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linalg/inline.h"
#include "linalg/sym_tools.h"

#include <math.h>
#include <string.h>

enum { REFINEMENTS = 2 };
enum { BLOCK = 12 }; ///< variables of a body, at most

enum { IMPLIED_PASSES = 8 };
static const double IMPLIED = 1e-3;               ///< part that is left of a row's multiplier
static const double GOLDEN = 0.61803398874989485; ///< whose multiples are spread evenly

void sari_constrained_clear(sari_constrained* s)
{
    sari_solver_clear(&s->solver);
    sari_sym_clear(&s->P);
    sari_release(s->used.x);
    sari_arena_clear(&s->memory);
    memset(s, 0, sizeof *s);
}

/* ---- factor --------------------------------------------------------------------------------- */

/* S += c x' x, lower triangle; where its entries are: `at`, row after row. */
SARI_INLINE const int* add_square(const int n, double c, const double* restrict x,
                                  const int* restrict at, double* restrict S)
{
    for (int a = 0; a < n; a++) {
        const double cx = c * x[a];
        for (int b = 0; b <= a; b++) S[at[b]] += cx * x[b];
        at += a + 1;
    }
    return at;
}

/* S += c J'J. Rows of planar bars (4 entries), points in space (3, or 8 where bodies turn) and right
 * angles (6) are the most frequent. */
static void add_product(const sari_constrained* s)
{
    const sari_csr* J = &s->used;
    double* S = s->storage.value;
    const int* at = s->product_at;
    for (int r = 0; r < s->m; r++) {
        const double* x = J->x + J->p[r];
        const int n = J->p[r + 1] - J->p[r];
        at = add_square(n, s->c, x, at, S);
    }
}

/* Smallest pivot of the Cholesky factor of one block of P, by its largest diagonal entry. */
static double block_pivot(const sari_constrained* s, int first, int size)
{
    double A[BLOCK][BLOCK] = {{0}}, largest = 0.0, least = INFINITY;
    if (size > BLOCK) return 1.0;
    for (int c = 0; c < size; c++)
        for (int k = s->P.p[first + c]; k < s->P.p[first + c + 1]; k++)
            if (s->P.i[k] < first + size) A[s->P.i[k] - first][c] = s->P.x[k];
    for (int c = 0; c < size; c++) largest = fmax(largest, A[c][c]);
    for (int c = 0; c < size && least > 0.0; c++) {
        least = fmin(least, A[c][c]);
        for (int j = c + 1; j < size && A[c][c] > 0.0; j++)
            for (int i = j; i < size; i++) A[i][j] -= A[i][c] * A[j][c] / A[c][c];
    }
    return largest > 0.0 ? least / largest : 0.0;
}

/* Bodies come first along the graph, so none may be without mass in some direction: where one is,
 * a little is added to it, and refinement with the matrix itself takes that back. */
static void lend_mass(sari_constrained* s)
{
    double mean = 0.0;
    for (int i = 0; i < s->n; i++) mean += s->P.x[s->P.p[i]] / s->n;
    for (int first = 0, end; first < s->n; first = end) {
        double largest = 0.0;
        for (end = first; end < s->n && s->block[end] == s->block[first]; end++)
            largest = fmax(largest, s->P.x[s->P.p[end]]);
        if (block_pivot(s, first, end - first) > 1e-10) continue;
        for (int i = first; i < end; i++) s->shift[i] = 1e-4 * (largest > 0.0 ? largest : mean);
        s->refine = 1;
    }
}

sar_status sari_constrained_vary(sari_constrained* s, const int* varying, int count)
{
    if (!varying || !s->augmented) return SAR_OK;
    s->varying_at = SARI_TAKE(&s->memory, int, count);
    if (!s->varying_at) return SAR_E_NOMEM;
    for (int i = 0; i < count; i++) s->varying_at[i] = s->J_at[varying[i]];
    s->varying = varying;
    s->varying_count = count;
    return SAR_OK;
}

void sari_constrained_share(sari_constrained* s, int threads)
{
    s->threads = threads;
    if (s->solver.ops->share) s->solver.ops->share(s->solver.self, threads);
}

/* J's entries as they are factored. */
static void take_rows(sari_constrained* s)
{
    const sari_csr* J = &s->used;
    const double* from = s->J->x;
    if (s->taken)
        for (int k = 0; k < J->p[s->m]; k++) J->x[k] = from[s->taken[k]];
    else
        memcpy(J->x, from, (size_t)J->p[s->m] * sizeof(double));
    for (int r = 0; s->weighs && r < s->m; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) J->x[k] *= s->root[r];
}

static double delta_of(const sari_constrained* s, int r)
{
    return s->kkt && r >= s->m - s->soft_rows ? s->soft_delta : s->delta;
}

static void store_P(void* self, int first, int end)
{
    const sari_constrained* s = self;
    for (int k = first; k < end; k++) s->storage.value[s->P_at[k]] = s->P.x[k];
}

static void store_varying(void* self, int first, int end)
{
    const sari_constrained* s = self;
    double* restrict S = s->storage.value;
    const double* restrict x = s->J->x;
    for (int i = first; i < end; i++) S[s->varying_at[i]] = x[s->varying[i]];
}

/* The storage still holds the last matrix: only what may have changed is written. */
static sar_status factor_kept(sari_constrained* s)
{
    double* restrict S = s->storage.value;
    if (!s->written && s->shift && s->block) lend_mass(s);
    if (s->refine || s->weighs) take_rows(s);
    const double* restrict x = s->weighs ? s->used.x : s->J->x;
    if (!s->same_P || !s->written) {
        sari_parallel(s->threads, s->P.p[s->n], store_P, s);
        for (int i = 0; s->shift && s->refine && i < s->n; i++)
            S[s->P_at[s->P.p[i]]] += s->shift[i];
    }
    if (s->varying && s->written && !s->weighs)
        sari_parallel(s->threads, s->varying_count, store_varying, s);
    else
        for (int k = 0; k < s->J->p[s->m]; k++) S[s->J_at[k]] = x[k];
    if (!s->kkt) s->delta = 1.0 / s->c;
    if (!s->written || s->delta != s->delta_written)
        for (int r = 0; r < s->m; r++) S[s->delta_at[r]] = -delta_of(s, r);
    s->delta_written = s->delta;
    s->written = 1;
    return s->solver.ops->factor_stored(s->solver.self);
}

sar_status sari_constrained_factor(sari_constrained* s)
{
    double* S = s->storage.value;
    const double* restrict P = s->P.x;
    if (s->storage.kept && s->augmented) return factor_kept(s);
    if (!s->same_P)
        for (int k = 0; k < s->P.p[s->n]; k++) s->base[s->P_at[k]] = P[k];
    const int taken = s->weighs || s->taken;
    if (taken || (!s->small && (s->refine || !s->augmented))) take_rows(s);
    const double* restrict x = taken ? s->used.x : s->J->x;
    if (s->small) {
        for (int k = 0; k < s->used.p[s->m]; k++) s->rows[s->row_at[k]] = x[k];
        return s->small->factor(s->solver.self, s->base, s->rows, s->m, s->c);
    }
    memcpy(S, s->base, s->storage.count * sizeof *S);
    if (!s->augmented) add_product(s);
    if (s->kkt || s->augmented) {
        if (!s->kkt) s->delta = 1.0 / s->c;
        for (int k = 0; k < s->J->p[s->m]; k++) S[s->J_at[k]] = x[k];
        for (int r = 0; r < s->m; r++) S[s->delta_at[r]] = -delta_of(s, r);
    }
    return s->solver.ops->factor_stored(s->solver.self);
}

void sari_constrained_archive(sari_constrained* s, sari_archive* a, int factors)
{
    const size_t n = (size_t)s->n, m = (size_t)s->m;
    SARI_ARCHIVE_INTS(a, &s->refine, &s->written, &s->same_P, &s->weighs);
    SARI_ARCHIVE_NUMBERS(a, &s->delta_written, &s->c, &s->delta, &s->soft_delta);
    sari_archive_numbers(a, s->root, m);
    if (s->block) sari_archive_numbers(a, s->shift, n);
    sari_sym_archive(&s->P, a);
    if (s->same_P && !s->storage.kept) sari_archive_numbers(a, s->base, s->storage.count);
    if (!factors && !(s->storage.kept && s->written)) return;
    sari_archive_numbers(a, s->used.x, (size_t)s->used.p[s->m]);
    if (s->small) sari_archive_numbers(a, s->rows, m * (size_t)s->small->stride);
    s->solver.ops->archive(s->solver.self, a);
}

/* ---- solve ---------------------------------------------------------------------------------- */

SARI_INLINE double times(const int n, const double* restrict a, const int* restrict i,
                         const double* x)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * x[i[k]];
    return sum;
}

SARI_INLINE void add(const int n, double f, const double* restrict a, const int* restrict i,
                     double* restrict y)
{
    for (int k = 0; k < n; k++) y[i[k]] += f * a[k];
}

/* A row times a vector, and y += f times a row. */
SARI_INLINE double row_times(const sari_csr* J, int r, const double* x)
{
    return times(J->p[r + 1] - J->p[r], J->x + J->p[r], J->i + J->p[r], x);
}

SARI_INLINE void add_row(const sari_csr* J, int r, double f, double* restrict y)
{
    add(J->p[r + 1] - J->p[r], f, J->x + J->p[r], J->i + J->p[r], y);
}

static void solve_penalty(sari_constrained* s, const double* f, const double* g, double* x,
                          double* mu)
{
    const sari_csr* J = &s->used;
    for (int i = 0; i < s->n; i++) x[i] = f[i];
    for (int r = 0; (g || mu) && r < s->m; r++) {
        double force = (mu ? mu[r] : 0.0) - (g ? s->c * g[r] : 0.0);
        s->residual[r] = force;
        add_row(J, r, -force, x);
    }
    s->solver.ops->solve(s->solver.self, x);
    for (int r = 0; mu && r < s->m; r++) mu[r] = s->residual[r] + s->c * row_times(J, r, x);
}

/* rest = b - S y, from the parts of S */
static void kkt_residual(sari_constrained* s, const double* b, const double* y, double* rest)
{
    const sari_csr* J = &s->used;
    sari_sym_multiply(&s->P, s->P.x, y, rest);
    for (int i = 0; i < s->n; i++) rest[i] = b[i] - rest[i];
    for (int r = 0; r < s->m; r++) {
        const double Jy = row_times(J, r, y), mu = y[s->n + r];
        add_row(J, r, s->augmented ? -mu : -(s->c * Jy + mu), rest);
        rest[s->n + r] = b[s->n + r] - (Jy - delta_of(s, r) * mu);
    }
}

/* Solve S y = rhs in place. Without pivoting a tiny -delta may come first and grow rounding by
 * 1/delta: refinement with the matrix itself takes that out again. */
static void solve_refined(sari_constrained* s)
{
    int size = s->n + s->m;
    if (!s->refine) {
        s->solver.ops->solve(s->solver.self, s->rhs);
        return;
    }
    double *b = s->rhs, *y = s->rhs + size, *rest = s->rhs + 2 * size;
    for (int i = 0; i < size; i++) y[i] = b[i];
    s->solver.ops->solve(s->solver.self, y);
    for (int step = 0; step < REFINEMENTS; step++) {
        kkt_residual(s, b, y, rest);
        s->solver.ops->solve(s->solver.self, rest);
        for (int i = 0; i < size; i++) y[i] += rest[i];
    }
    for (int i = 0; i < size; i++) b[i] = y[i];
}

typedef struct sides {
    const sari_constrained* s;
    const double *f, *g;
    double *x, *mu;
} sides;

/* Numbers of the right-hand side, those of rows after those of P; and of the solution. */
static void load_side(void* task, int first, int end)
{
    const sides* t = task;
    const sari_constrained* s = t->s;
    for (int i = first; i < end; i++) {
        const int r = i - s->n;
        s->rhs[i] =
            r < 0 ? t->f[i] : (t->g ? t->g[r] : 0.0) - (t->mu ? delta_of(s, r) * t->mu[r] : 0.0);
    }
}

static void store_side(void* task, int first, int end)
{
    const sides* t = task;
    const int n = t->s->n;
    for (int i = first; i < end && i < n; i++) t->x[i] = t->s->rhs[i];
    for (int i = first > n ? first : n; t->mu && i < end; i++) t->mu[i - n] = t->s->rhs[i];
}

/* [P + c J'J  J'; J  -delta] (x, mu_new) = (f + c J' g, g - delta mu_old); augmented: without c */
static void solve_kkt(sari_constrained* s, const double* f, const double* g, double* x, double* mu)
{
    sides t = {s, f, g, x, mu};
    sari_parallel(s->threads, s->n + s->m, load_side, &t);
    if (g && !s->augmented) sari_csr_multiply_add_transposed(&s->used, s->c, g, s->rhs);
    solve_refined(s);
    sari_parallel(s->threads, s->n + s->m, store_side, &t);
}

/* g as the weighed rows have it, and mu, with J' mu as it was; mu's way back. */
static const double* weigh_sides(sari_constrained* s, const double* g, double* mu)
{
    for (int r = 0; mu && r < s->m; r++) mu[r] /= s->root[r];
    for (int r = 0; g && r < s->m; r++) s->weighed[r] = s->root[r] * g[r];
    return g ? s->weighed : NULL;
}

void sari_constrained_solve(sari_constrained* s, const double* f, const double* g, int passes,
                            double* x, double* mu)
{
    if (s->weighs) g = weigh_sides(s, g, mu);
    for (int pass = 0; pass < passes; pass++) {
        if (s->small)
            s->small->solve(s->solver.self, s->rows, s->m, s->c, f, g, x, mu);
        else if (s->kkt || s->augmented)
            solve_kkt(s, f, g, x, mu);
        else
            solve_penalty(s, f, g, x, mu);
    }
    for (int r = 0; s->weighs && mu && r < s->m; r++) mu[r] *= s->root[r];
}

typedef struct violation {
    const sari_csr* J;
    const double *x, *e;
    double* d;
} violation;

static void find_violation(void* self, int first, int end)
{
    const violation* v = self;
    for (int r = first; r < end; r++) v->d[r] = row_times(v->J, r, v->x) + (v->e ? v->e[r] : 0.0);
}

/* d = J x + e, with J as it is now, is what there is to correct: rounding is relative to it, not to
 * x, and a J that has moved a little since it was factored still steers x to the right place.
 *
 *   penalty   S dx = -c J' d, again with the new d in every pass: what solve does with f = P x
 *   kkt       [P + c J'J  J'; J  -delta] (dx, mu) = (-c J' d, -d); augmented: without c */
void sari_constrained_project(sari_constrained* s, const double* e, int passes, double* x)
{
    double *dx = s->rhs, *d = s->residual;
    if (s->m == 0) return;
    for (int pass = 0; pass < passes; pass++) {
        violation task = {s->J, x, e, d};
        sari_parallel(s->threads, s->m, find_violation, &task);
        if (s->slack) sari_slack_drop(s->slack, d);
        for (int r = 0; s->weighs && r < s->m; r++) d[r] *= s->root[r];
        if (s->small) {
            s->small->add_normal(s->solver.self, s->rows, s->m, -s->c, d, x);
            continue;
        }
        memset(dx, 0, (size_t)s->n * sizeof *dx);
        for (int r = 0; r < s->m && !s->augmented; r++) add_row(&s->used, r, -s->c * d[r], dx);
        if (s->kkt || s->augmented) {
            for (int r = 0; r < s->m; r++) dx[s->n + r] = -d[r];
            solve_refined(s);
        } else {
            s->solver.ops->solve(s->solver.self, dx);
        }
        for (int i = 0; i < s->n; i++) x[i] += dx[i];
    }
}

void sari_constrained_multiply(const sari_constrained* s, const double* x, double* y)
{
    if (s->small)
        s->small->multiply(s->base, x, y);
    else
        sari_sym_multiply(&s->P, s->P.x, x, y);
}

/* (P + c J'J) dx = (f - P x - J' mu) + c J' (g - J x),   mu += c (J (x + dx) - g) */
void sari_constrained_improve(sari_constrained* s, const double* f, const double* g, double* x,
                              double* mu)
{
    double *dx = s->rhs, *left = s->rhs + s->n, *apart = s->rhs + 2 * s->n;
    sari_constrained_multiply(s, x, left);
    for (int i = 0; i < s->n; i++) left[i] = f[i] - left[i];
    for (int r = 0; r < s->m; r++) apart[r] = g[r] - row_times(s->J, r, x);
    sari_constrained_solve(s, left, apart, 1, dx, mu);
    for (int i = 0; i < s->n; i++) x[i] += dx[i];
}

void sari_constrained_strip(sari_constrained* s, int passes, double* x, double* rest, double* mu)
{
    for (int r = 0; r < s->m; r++) rest[r] = mu[r];
    for (int pass = 0; pass < passes; pass++) {
        memset(x, 0, (size_t)s->n * sizeof *x);
        sari_constrained_solve(s, x, NULL, 1, x, rest);
    }
    for (int r = 0; r < s->m; r++) mu[r] -= rest[r];
}

/* Passes leave of any mu a vector of the null space of J', if there is one: no entry of a general
 * one is zero by chance. Numbers without a pattern, the same in every run, begin it. */
int sari_constrained_implied(sari_constrained* s, int rows, double* x, double* rest, double* mu)
{
    double fraction = 0.5, most = 0.0;
    for (int r = 0; r < s->m; r++) {
        fraction = fmod(fraction + GOLDEN, 1.0);
        mu[r] = 0.5 + fraction;
    }
    sari_constrained_strip(s, IMPLIED_PASSES, x, rest, mu);
    for (int r = s->m - rows; r < s->m; r++) most = fmax(most, fabs(rest[r]));
    return most > IMPLIED;
}
