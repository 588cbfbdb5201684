/* Choice of a solver without symmetry, and the dense one: Gaussian elimination by rows with partial
 * pivoting. */
#include "linalg/lu.h"

#include "base/memory.h"
#include "linalg/inline.h"
#include "linalg/solver.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- choice --------------------------------------------------------------------------------- */

/* The work and the fill are twice those of L D L' in both, so that its break-even serves here too.
 */
sar_status sari_lu_create(const char* name, const sari_sym* pattern, sari_lu* out)
{
    *out = (sari_lu){0};
    const sari_solver_ops* beside = sari_solver_find(name, pattern);
    if (!beside) return SAR_E_ARG;
    out->ops = beside == &sari_solver_dense ? &sari_lu_dense : &sari_lu_sparse;
    out->self = sari_allocate(1, out->ops->size);
    sar_status st = out->self ? out->ops->create(out->self, pattern) : SAR_E_NOMEM;
    st = sari_object_outcome(out->self, st, out->ops->name, &(sar_error){0}, NULL);
    if (st != SAR_OK) sari_lu_clear(out);
    return st;
}

void sari_lu_clear(sari_lu* lu)
{
    sari_object_destroy(lu->self);
    *lu = (sari_lu){0};
}

static void multiply(const sari_sym* pattern, const double* diagonal, const double* below,
                     const double* above, const double* restrict b, double* restrict y)
{
    const int *p = pattern->p, *i = pattern->i;
    for (int r = 0; r < pattern->n; r++) y[r] = 0;
    for (int c = 0; c < pattern->n; c++) {
        int e = p[c];
        double sum = diagonal[e] * b[c];
        for (e++; e < p[c + 1]; e++) {
            y[i[e]] += below[e] * b[c];
            sum += above[e] * b[i[e]];
        }
        y[c] += sum;
    }
}

void sari_lu_multiply(const sari_sym* pattern, const double* restrict lower,
                      const double* restrict upper, const double* restrict b, double* restrict y)
{
    multiply(pattern, lower, lower, upper, b, y);
}

/* A' has the lower values where A has the upper ones; the diagonal's are the lower ones in both. */
void sari_lu_multiply_transposed(const sari_sym* pattern, const double* restrict lower,
                                 const double* restrict upper, const double* restrict b,
                                 double* restrict y)
{
    multiply(pattern, lower, upper, lower, b, y);
}

/* ---- dense ---------------------------------------------------------------------------------- */

typedef struct dense {
    sari_arena memory;
    int n, entries;
    int full;                 ///< every entry is in the pattern
    int *lower_at, *upper_at; ///< where the pattern's entries go
    double* A;                ///< by rows; then U, and L below its unit diagonal
    double *inverse, *most;   ///< 1 / pivot; largest entry of each column
    double* y;
    int* row; ///< row of A that was chosen as the k-th
} dense;

static sar_status dense_create(void* self, const sari_sym* pattern)
{
    dense* s = self;
    const int n = pattern->n, entries = pattern->p[n];
    if (n > 40000) return SAR_E_NOMEM; // places are int
    s->n = n;
    s->entries = entries;
    s->full = entries == n * (n + 1) / 2;
    s->lower_at = SARI_TAKE(&s->memory, int, entries);
    s->upper_at = SARI_TAKE(&s->memory, int, entries);
    s->A = SARI_TAKE(&s->memory, double, (size_t)n*(size_t)n);
    s->inverse = SARI_TAKE(&s->memory, double, n);
    s->most = SARI_TAKE(&s->memory, double, n);
    s->y = SARI_TAKE(&s->memory, double, n);
    s->row = SARI_TAKE(&s->memory, int, n);
    if (s->memory.failed) return SAR_E_NOMEM;
    for (int c = 0; c < n; c++)
        for (int e = pattern->p[c]; e < pattern->p[c + 1]; e++) {
            s->lower_at[e] = pattern->i[e] * n + c;
            s->upper_at[e] = c * n + pattern->i[e];
        }
    return SAR_OK;
}

static void fill_matrix(dense* s, const double* lower, const double* upper)
{
    if (!s->full) memset(s->A, 0, (size_t)s->n * (size_t)s->n * sizeof *s->A);
    for (int e = 0; e < s->entries; e++) s->A[s->upper_at[e]] = upper[e];
    for (int e = 0; e < s->entries; e++) s->A[s->lower_at[e]] = lower[e]; // the diagonal's last
}

/* The sizes of the columns: what their pivots are measured by. */
SARI_INLINE void measure_columns(const int n, dense* s)
{
    for (int c = 0; c < n; c++) s->most[c] = 0.0;
    for (int r = 0; r < n; r++) {
        s->row[r] = r;
        for (int c = 0; c < n; c++) {
            const double size = fabs(s->A[r * n + c]);
            s->most[c] = size > s->most[c] ? size : s->most[c];
        }
    }
}

/* The row, from k on, with the largest entry in column k changes places with row k. */
SARI_INLINE void choose_pivot(const int n, dense* s, int k)
{
    double* A = s->A;
    int best = k;
    for (int r = k + 1; r < n; r++)
        if (fabs(A[r * n + k]) > fabs(A[best * n + k])) best = r;
    if (best == k) return;
    for (int c = 0; c < n; c++) {
        const double other = A[k * n + c];
        A[k * n + c] = A[best * n + c];
        A[best * n + c] = other;
    }
    const int row = s->row[k];
    s->row[k] = s->row[best];
    s->row[best] = row;
}

SARI_INLINE sar_status eliminate(const int n, dense* s)
{
    double* A = s->A;
    sar_status status = SAR_OK;
    measure_columns(n, s);
    for (int k = 0; k < n; k++) {
        choose_pivot(n, s, k);
        double d = A[k * n + k], most = s->most[k];
        if (!(fabs(d) > 4 * DBL_EPSILON * most + 1e-300 && fabs(d) <= DBL_MAX)) {
            status = SAR_R_SINGULAR;
            d = A[k * n + k] = sqrt(DBL_EPSILON) * (most > 1e-290 && most <= DBL_MAX ? most : 1);
        }
        s->inverse[k] = 1 / d;
        const double* restrict from = A + k * n;
        for (int r = k + 1; r < n; r++) {
            double* restrict to = A + r * n;
            const double l = to[k] *= s->inverse[k];
            for (int c = k + 1; c < n; c++) to[c] -= l * from[c];
        }
    }
    return status;
}

SARI_INLINE void substitute(const int n, const dense* s, double* b)
{
    double* y = s->y;
    for (int r = 0; r < n; r++) {
        double sum = b[s->row[r]];
        for (int c = 0; c < r; c++) sum -= s->A[r * n + c] * y[c];
        y[r] = sum;
    }
    for (int r = n - 1; r >= 0; r--) {
        double sum = y[r];
        for (int c = r + 1; c < n; c++) sum -= s->A[r * n + c] * b[c];
        b[r] = sum * s->inverse[r];
    }
}

/* U'L' x = b, with x in the order of the rows */
static void dense_solve_transposed(const void* self, double* b)
{
    const dense* s = self;
    const int n = s->n;
    double* y = s->y;
    for (int c = 0; c < n; c++) {
        double sum = b[c];
        for (int k = 0; k < c; k++) sum -= s->A[k * n + c] * y[k];
        y[c] = sum * s->inverse[c];
    }
    for (int c = n - 1; c >= 0; c--)
        for (int r = c + 1; r < n; r++) y[c] -= s->A[r * n + c] * y[r];
    for (int k = 0; k < n; k++) b[s->row[k]] = y[k];
}

/* Code of their own for the smallest sizes, as in dense_small.c. */
#define SIZES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)

static sar_status dense_factor(void* self, const double* lower, const double* upper)
{
    dense* s = self;
    fill_matrix(s, lower, upper);
    switch (s->n) {
#define CASE(n)                                                                                    \
    case n:                                                                                        \
        return eliminate(n, s);
        SIZES(CASE)
#undef CASE
    default:
        return eliminate(s->n, s);
    }
}

static void dense_solve(const void* self, double* b)
{
    const dense* s = self;
    switch (s->n) {
#define CASE(n)                                                                                    \
    case n:                                                                                        \
        substitute(n, s, b);                                                                       \
        return;
        SIZES(CASE)
#undef CASE
    default:
        substitute(s->n, s, b);
    }
}

const sari_lu_ops sari_lu_dense = {
    .name = "dense",
    .size = SARI_OBJECT(dense, memory),
    .create = dense_create,
    .factor = dense_factor,
    .solve = dense_solve,
    .solve_transposed = dense_solve_transposed,
};
