/* Dense L D L' for small or filled matrices. A zeroed square takes the values of the sparse pattern through a map made
 * once; then one of two kernels runs: unrolled for the smallest sizes, tiles of four above. */
#include "base/memory.h"
#include "base/status.h"
#include "solvers/dense_kernels.h"

#include <string.h>

typedef struct dense {
    sari_dense matrix;
    int entries;      ///< of the pattern
    int* place;       ///< [entries] where each goes in matrix.A
    size_t size;      ///< of matrix.A
    int pattern_full; ///< every place of the lower triangle is written: no need to zero it first
} dense;

static void dense_destroy(void* self)
{
    dense* s = self;
    if (!s) return;
    sari_pivot_watch_clear(&s->matrix.watch);
    sari_release(s->matrix.A);
    sari_release(s->matrix.d);
    sari_release(s->matrix.inverse);
    sari_release(s->matrix.work);
    sari_release(s->place);
    sari_release(s);
}

static void map_pattern(dense* s, const sari_sym* pattern)
{
    const int n = pattern->n;
    for (int c = 0; c < n; c++) {
        s->matrix.watch.at[c] = pattern->p[c];
        for (int e = pattern->p[c]; e < pattern->p[c + 1]; e++)
            s->place[e] = c * s->matrix.stride + pattern->i[e];
    }
    s->pattern_full = s->entries == n * (n + 1) / 2;
}

static sar_status dense_create(const sari_sym* pattern, void** self)
{
    *self = NULL;
    const int n = pattern->n;
    if (n > 40000) return SAR_E_NOMEM; // places are int
    dense* s = SARI_NEW(dense);
    if (!s) return SAR_E_NOMEM;
    sari_dense* m = &s->matrix;
    m->n = n;
    m->stride = n <= SARI_DENSE_SMALL ? n : (n + 3) / 4 * 4;
    s->entries = n ? pattern->p[n] : 0;
    s->size = (size_t)m->stride * (size_t)m->stride;
    m->A = SARI_NEW_ARRAY(double, s->size);
    m->d = SARI_NEW_ARRAY(double, m->stride);
    m->inverse = SARI_NEW_ARRAY(double, m->stride);
    m->work = SARI_NEW_ARRAY(double, 4 * m->stride);
    s->place = SARI_NEW_ARRAY(int, s->entries);
    if (!m->A || !m->d || !m->inverse || !m->work || !s->place ||
        sari_pivot_watch_init(&m->watch, n) != SAR_OK) {
        dense_destroy(s);
        return SAR_E_NOMEM;
    }
    map_pattern(s, pattern);
    *self = s;
    return SAR_OK;
}

static sar_status dense_factor(void* self, const double* x)
{
    dense* s = self;
    double* restrict A = s->matrix.A;
    const int* restrict place = s->place;
    // A factor with bad pivots may have left NaN in the padding.
    if (!s->pattern_full || s->matrix.watch.zeros) memset(A, 0, s->size * sizeof *A);
    for (int e = 0; e < s->entries; e++) A[place[e]] = x[e];

    sari_pivot_watch_start(&s->matrix.watch, x);
    if (s->matrix.n <= SARI_DENSE_SMALL)
        sari_dense_factor_small(&s->matrix);
    else
        sari_dense_factor_tiles(&s->matrix);
    return s->matrix.watch.zeros ? SAR_R_SINGULAR : SAR_OK;
}

static void dense_solve(const void* self, double* b)
{
    const dense* s = self;
    if (s->matrix.n <= SARI_DENSE_SMALL)
        sari_dense_solve_small(&s->matrix, b);
    else
        sari_dense_solve_tiles(&s->matrix, b);
}

static void dense_pivots(const void* self, sari_pivots* out)
{
    const dense* s = self;
    sari_pivot_report(&s->matrix.watch, s->matrix.d, out);
}

static long dense_fill(const void* self)
{
    const dense* s = self;
    return (long)s->matrix.n * (s->matrix.n + 1) / 2;
}

const sari_solver_ops sari_solver_dense = {
    .name = "dense",
    .cite = "",
    .text = "dense L D L' without pivoting, for small or filled matrices",
    .create = dense_create,
    .factor = dense_factor,
    .solve = dense_solve,
    .pivots = dense_pivots,
    .fill = dense_fill,
    .destroy = dense_destroy,
};
