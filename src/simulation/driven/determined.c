/* With R and C the diagonal matrices of the scales, A = R J C and Pi the order of the pivots,
 *
 *     A Pi = Q (U; 0)                                       Householder, see qr.c       (1)
 *     x  = C Pi U^-1 (Q' R g)_1                             J x = g                     (2)
 *     mu = R Q (U'^-1 Pi' C f; 0)                           J' mu = f, least R^-1 mu    (3)
 *     x  = C Pi (-U_1^-1 U_2 e_k; e_k)                      J x = 0, U = (U_1 U_2)      (4)
 *
 * Sparse: the problem of constrained.h with P = 1, in the limit,
 *
 *     x/C + A' mu/R = C f,      A x/C = R g                                             (5)
 *
 * With f = 0 its x is the least solution of J x = g. With g = 0 its x is the part of f that J
 * leaves free, zero if there is none, and mu the least solution of J' mu = f less that part. So
 * vectors at random in place of f show the free directions. Without any, inverse iteration with A'A
 * gives the weight: both solutions of (5) in turn. */
#include "simulation/driven/determined.h"
#include "math/vector.h"

#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-10; ///< weaker columns are not taken as independent

enum { SMALL = 60, PASSES = 3 };
static const double DELTA = 1e-11; ///< of the limit: directions weaker than its root are free

static sar_status create_sparse(const sari_csr* J, sari_determined* d)
{
    sari_pattern pattern;
    const int n = d->n, m = d->m;
    sari_pattern_init(&pattern, m, n);
    for (int r = 0; r < m; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) sari_pattern_add(&pattern, r, J->i[k]);
    sar_status st = sari_pattern_make_csr(&pattern, &d->J);
    sari_pattern_clear(&pattern);
    if (st == SAR_OK) st = sari_constrained_create_diagonal(&d->lin, &d->J, 1, "sparse");
    d->zero = SARI_TAKE(&d->memory, double, n);
    d->x = SARI_TAKE(&d->memory, double, n);
    d->y = SARI_TAKE(&d->memory, double, m);
    d->z = SARI_TAKE(&d->memory, double, n);
    d->free = SARI_TAKE(&d->memory, double, (size_t)n* SARI_DETERMINED_FREE);
    if (st != SAR_OK || d->memory.failed) return SAR_E_NOMEM;
    for (int i = 0; i < n; i++) d->lin.P.x[d->lin.P.p[i]] = 1.0;
    d->lin.c = 1.0;
    d->lin.delta = DELTA;
    return SAR_OK;
}

sar_status sari_determined_create(const sari_csr* J, const char* solver, sari_determined* out)
{
    const int rows = J->rows, cols = J->cols;
    int small = strcmp(solver, "dense") == 0 || (strcmp(solver, "auto") == 0 && cols <= SMALL);
    *out = (sari_determined){.n = cols, .m = rows};
    out->sparse = !small && rows > 0 && cols > 0;
    out->plain = SARI_TAKE(&out->memory, double, rows);
    out->row = SARI_TAKE(&out->memory, double, rows);
    out->col = SARI_TAKE(&out->memory, double, cols);
    out->work = SARI_TAKE(&out->memory, double, rows > cols ? rows : cols);
    if (out->memory.failed) return SAR_E_NOMEM;
    for (int c = 0; c < cols; c++) out->col[c] = 1.0;
    return out->sparse ? create_sparse(J, out) : sari_qr_create(rows, cols, &out->qr);
}

void sari_determined_clear(sari_determined* d)
{
    sari_qr_clear(&d->qr);
    sari_constrained_clear(&d->lin);
    sari_csr_clear(&d->J);
    sari_arena_clear(&d->memory);
    *d = (sari_determined){0};
}

static double inverse_length(double square)
{
    return square > 0.0 ? 1.0 / sqrt(square) : 1.0;
}

/* Rows of length one, but for rows that are nothing but rounding. */
static void scale_rows(sari_determined* d, const sari_csr* J)
{
    double longest = 0.0;
    for (int r = 0; r < d->m; r++) {
        double square = 0.0, plain = 0.0;
        for (int k = J->p[r]; k < J->p[r + 1]; k++) {
            double x = J->x[k] * d->col[J->i[k]];
            square += x * x;
            plain += J->x[k] * J->x[k];
        }
        d->plain[r] = sqrt(plain);
        d->row[r] = square;
        longest = fmax(longest, square);
    }
    for (int r = 0; r < d->m; r++) d->row[r] = inverse_length(fmax(d->row[r], 1e-16 * longest));
}

/* ---- small ---------------------------------------------------------------------------------- */

static void factor_qr(sari_determined* d, const sari_csr* J, int most) // (1)
{
    sari_qr* qr = &d->qr;
    memset(qr->A, 0, (size_t)d->m * (size_t)d->n * sizeof *qr->A);
    for (int r = 0; r < d->m; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            qr->A[(size_t)J->i[k] * (size_t)d->m + (size_t)r] =
                d->row[r] * J->x[k] * d->col[J->i[k]];
    sari_qr_factor(qr, most);
    d->weight = d->n == 0 ? 1.0 : qr->rank == d->n ? qr->pivot[d->n - 1] / qr->pivot[0] : 0.0;
    qr->rank = sari_qr_rank(qr, ROUNDING);
}

static void solve_qr(sari_determined* d, const double* g, double* x) // (2)
{
    const sari_qr* qr = &d->qr;
    for (int r = 0; r < d->m; r++) d->work[r] = d->row[r] * g[r];
    sari_qr_multiply_transposed(qr, d->work);
    sari_qr_back(qr, d->work);
    for (int k = 0; k < d->n; k++) {
        int c = qr->order[k];
        x[c] = k < qr->rank ? d->col[c] * d->work[k] : 0.0;
    }
}

static void solve_qr_transposed(sari_determined* d, const double* f, double* mu) // (3)
{
    const sari_qr* qr = &d->qr;
    for (int r = 0; r < d->m; r++) mu[r] = 0.0;
    for (int k = 0; k < qr->rank; k++) mu[k] = d->col[qr->order[k]] * f[qr->order[k]];
    sari_qr_back_transposed(qr, mu);
    sari_qr_multiply(qr, mu);
    for (int r = 0; r < d->m; r++) mu[r] *= d->row[r];
}

static void free_qr(sari_determined* d, int rank, int k, double* x) // (4)
{
    const sari_qr* qr = &d->qr;
    const double* column = qr->A + (size_t)(rank + k) * (size_t)d->m;
    sari_qr leading = *qr;
    leading.rank = rank;
    for (int i = 0; i < rank; i++) d->work[i] = -column[i];
    sari_qr_back(&leading, d->work);
    for (int i = 0; i < d->n; i++)
        x[qr->order[i]] = i < rank ? d->work[i] : i == rank + k ? 1.0 : 0.0;
}

/* ---- large ---------------------------------------------------------------------------------- */

/* (5) with scaled sides: x and mu from f and g; either of these may be NULL. */
static void solve_limit(sari_determined* d, const double* f, const double* g, double* x, double* mu)
{
    for (int r = 0; r < d->m; r++) mu[r] = 0.0;
    sari_constrained_solve(&d->lin, f ? f : d->zero, g, PASSES, x, mu);
}

static double weight_of(sari_determined* d) // z is at random
{
    double weight = 0.0;
    for (int round = 0; round < 3; round++) {
        (void)sari_vector_normalise(d->n, d->z);
        solve_limit(d, d->z, NULL, d->x, d->y);
        memcpy(d->work, d->y, (size_t)d->m * sizeof *d->y);
        solve_limit(d, NULL, d->work, d->z, d->y);
        weight = 1.0 / sqrt(sqrt(sari_vector_dot(d->n, d->z, d->z)));
    }
    return fmin(weight, 1.0);
}

static void assess_sparse(sari_determined* d)
{
    uint64_t state = 20161116;
    d->frees = 0;
    for (int missed = 0; missed < 2 && d->frees < SARI_DETERMINED_FREE;) {
        double* x = d->free + (size_t)d->frees * (size_t)d->n;
        sari_fill_at_random(&state, d->z, (size_t)d->n);
        double whole = sari_vector_dot(d->n, d->z, d->z);
        solve_limit(d, d->z, NULL, x, d->y);
        sari_vector_deflate(d->n, d->frees, d->free, x);
        double left = sari_vector_dot(d->n, x, x);
        if (left < 1e-8 * whole) {
            missed += d->frees == 0 ? 2 : 1;
            continue;
        }
        for (int i = 0; i < d->n; i++) x[i] /= sqrt(left);
        d->frees++;
    }
    d->weight = d->frees > 0 ? 0.0 : weight_of(d);
}

/* ---- either --------------------------------------------------------------------------------- */

void sari_determined_factor(sari_determined* d, const sari_csr* J, int most)
{
    scale_rows(d, J);
    if (!d->sparse) {
        factor_qr(d, J, most);
        return;
    }
    for (int r = 0; r < d->m; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            d->J.x[k] = d->row[r] * J->x[k] * d->col[J->i[k]];
    (void)sari_constrained_factor(&d->lin); // solutions that are not finite are noticed
}

void sari_determined_assess(sari_determined* d)
{
    if (d->sparse) assess_sparse(d);
}

int sari_determined_rank(const sari_determined* d, double tolerance)
{
    return d->sparse ? d->n - d->frees : sari_qr_rank(&d->qr, tolerance);
}

void sari_determined_solve(sari_determined* d, const double* g, double* x)
{
    if (!d->sparse) {
        solve_qr(d, g, x);
        return;
    }
    for (int r = 0; r < d->m; r++) d->work[r] = d->row[r] * g[r];
    solve_limit(d, NULL, d->work, x, d->y);
    for (int i = 0; i < d->n; i++) x[i] *= d->col[i];
}

void sari_determined_solve_transposed(sari_determined* d, const double* f, double* mu)
{
    if (!d->sparse) {
        solve_qr_transposed(d, f, mu);
        return;
    }
    for (int i = 0; i < d->n; i++) d->z[i] = d->col[i] * f[i];
    solve_limit(d, d->z, NULL, d->x, mu);
    for (int r = 0; r < d->m; r++) mu[r] *= d->row[r];
}

void sari_determined_free(sari_determined* d, int rank, int k, double* x)
{
    if (d->sparse)
        memcpy(x, d->free + (size_t)k * (size_t)d->n, (size_t)d->n * sizeof *x);
    else
        free_qr(d, rank, k, x);
    for (int i = 0; i < d->n; i++) x[i] *= d->col[i];
    double scale = inverse_length(sari_vector_dot(d->n, x, x));
    for (int i = 0; i < d->n; i++) x[i] *= scale;
}

double sari_determined_size(const sari_determined* d, const double* g)
{
    double most = 0.0;
    for (int r = 0; r < d->m; r++)
        most = fmax(most, fabs(g[r]) / (d->plain[r] > 0.0 ? d->plain[r] : 1.0));
    return most;
}
