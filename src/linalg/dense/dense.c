/* Dense L D L' for small or filled matrices. A zeroed square takes the values of the sparse pattern
 * through a map made once; then one of two kernels runs: unrolled for the smallest sizes, tiles of
 * four above. The kernels leave the diagonal alone, so that pivots can be compared with it. */
#include "base/status.h"
#include "linalg/dense/dense_kernels.h"

#include <stdint.h>
#include <string.h>

typedef struct dense {
    sari_dense matrix; ///< first: the kernels take it for the solver
    int entries;       ///< of the pattern
    int* place;        ///< [entries] where each goes in matrix.A
    size_t size;       ///< of matrix.A
    int pattern_full;  ///< every place of the lower triangle is written: no need to zero it first
    void (*factor_kernel)(sari_dense*);
    void (*solve_kernel)(const sari_dense*, double*);
} dense;

// One block for all arrays, from the start of a cache line: vectors then never lie across two.
static void share_out_memory(dense* s)
{
    enum { LINE = 64 };
    sari_dense* m = &s->matrix;
    const size_t stride = (size_t)m->stride;
    s->size = stride * stride;
    m->A = SARI_TAKE(&m->memory, double, s->size + 7 * stride + LINE / sizeof(double));
    if (!m->A) return;
    const size_t past = (uintptr_t)m->A % LINE;
    m->A += past ? (LINE - past) / sizeof(double) : 0;
    m->d = m->A + s->size;
    m->inverse = m->d + stride;
    m->y = m->inverse + stride;
    m->w = m->y + stride;
}

static void map_pattern(dense* s, const sari_sym* pattern)
{
    const int n = pattern->n;
    for (int c = 0; c < n; c++) {
        s->matrix.watch.at[c] = c * s->matrix.stride + c;
        for (int e = pattern->p[c]; e < pattern->p[c + 1]; e++)
            s->place[e] = c * s->matrix.stride + pattern->i[e];
    }
    s->pattern_full = s->entries == n * (n + 1) / 2;
}

static sar_status dense_create(void* self, const sari_sym* pattern, const sari_structure* structure)
{
    dense* s = self;
    (void)structure;
    const int n = pattern->n;
    if (n > 40000) return SAR_E_NOMEM; // places are int
    s->matrix.n = n;
    s->matrix.stride = n <= SARI_DENSE_SMALL ? n : (n + 3) / 4 * 4;
    s->entries = pattern->p[n];
    s->place = SARI_TAKE(&s->matrix.memory, int, s->entries);
    share_out_memory(s);
    sari_pivot_watch_init(&s->matrix.watch, &s->matrix.memory, n);
    if (s->matrix.memory.failed) return SAR_E_NOMEM;
    map_pattern(s, pattern);
    const int small = n > 0 && n <= SARI_DENSE_SMALL;
    s->factor_kernel = small ? sari_dense_factor_small(n) : sari_dense_factor_tiles;
    s->solve_kernel = small ? sari_dense_solve_small(n) : sari_dense_solve_tiles;
    return SAR_OK;
}

static sar_status dense_factor_stored(void* self)
{
    dense* s = self;
    sari_pivot_watch_start(&s->matrix.watch, s->matrix.A);
    s->factor_kernel(&s->matrix);
    return s->matrix.watch.zeros ? SAR_R_SINGULAR : SAR_OK;
}

static void dense_storage(void* self, sari_solver_storage* out)
{
    dense* s = self;
    *out = (sari_solver_storage){s->matrix.A, s->size, s->place};
}

static const sari_normal_kernels* dense_normal(const void* self)
{
    const dense* s = self;
    const int n = s->matrix.n;
    return n > 0 && n <= SARI_DENSE_SMALL ? sari_dense_normal(n) : NULL;
}

static sar_status dense_factor(void* self, const double* x)
{
    dense* s = self;
    double* restrict A = s->matrix.A;
    const int* restrict place = s->place;
    // A factor with bad pivots may have left NaN in the padding.
    if (!s->pattern_full || s->matrix.watch.zeros) memset(A, 0, s->size * sizeof *A);
    for (int e = 0; e < s->entries; e++) A[place[e]] = x[e];
    return dense_factor_stored(self);
}

static void dense_solve(const void* self, double* b)
{
    const dense* s = self;
    s->solve_kernel(&s->matrix, b);
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

static void dense_archive(void* self, sari_archive* a)
{
    dense* s = self;
    const size_t stride = (size_t)s->matrix.stride;
    sari_archive_numbers(a, s->matrix.A, s->size);
    sari_archive_numbers(a, s->matrix.d, stride);
    sari_archive_numbers(a, s->matrix.inverse, stride);
    sari_pivot_watch_archive(&s->matrix.watch, a);
}

const sari_solver_ops sari_solver_dense = {
    .name = "dense",
    .cite = "",
    .text = "dense L D L' without pivoting, for small or filled matrices",
    .size = SARI_OBJECT(dense, matrix.memory),
    .create = dense_create,
    .factor = dense_factor,
    .factor_stored = dense_factor_stored,
    .storage = dense_storage,
    .normal = dense_normal,
    .solve = dense_solve,
    .pivots = dense_pivots,
    .fill = dense_fill,
    .archive = dense_archive,
};
