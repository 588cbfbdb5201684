/* Divide and conquer along the graph of the blocks of [P J'; J -D]: the index-3 algorithm of
 * [malczyk2018] in its dual form, as a multifrontal L D L'.
 *
 *     leaf (one body)     -J P^-1 J': its compliance at its joints                       (1)
 *     node (A, B)         joins two compounds: eliminates the rows of the joints between them,
 *                         pivots -(D + compliance of A + compliance of B), and leaves the
 *                         compliance at its other joints                                 (2)
 *     solve               up the tree like (1), (2), then down: multipliers of the joints between
 *                         A and B from those outside, at last x = P^-1 (b - J' lambda)   (3)
 *
 * Every joint that a compound shows to the outside is a handle: its rows. The tree is made for any
 * graph (dca/tree.c, dca/fronts.c). Four like fronts are worked on at once, and branches of the
 * tree by different threads (dca/batches.c, dca/groups.c). Both are fixed by the pattern alone: the
 * result has the same bits whatever the number of threads. */
#include "linalg/dca/dca.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/dca/kernels.h"

#include <stdint.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#define SHARE_UNITS _Pragma("omp parallel for num_threads(s->threads) schedule(static)")
#else
#define SHARE_UNITS
#endif

typedef struct dca {
    sari_arena memory;
    sari_dca_data data;
    int most;         ///< threads that there is memory for
    int threads;      ///< to use
    sari_vec4* front; ///< [threads] fronts in work
    size_t stride;    ///< from one to the next
    int entries;      ///< of the pattern
    int* zeros;       ///< [units] pivots that were replaced
    double* pivot;    ///< [n] for the report
    sari_pivot_watch watch;
} dca;

static void dca_clear(void* self)
{
    sari_dca_batches_clear(&((dca*)self)->data.batches);
}

/* ---- creation ------------------------------------------------------------------------------- */

// One block for all arrays, from the start of a cache line.
static sar_status share_out_memory(dca* s)
{
    enum { LINE = 64 };
    sari_dca_data* d = &s->data;
    const sari_dca_batches* b = &d->batches;
    s->stride = b->widest + SARI_DCA_WORK + LINE / sizeof(sari_vec4);
    const size_t vectors =
        b->values + b->factors + b->rests + b->side + s->stride * (size_t)s->threads;
    double* all = SARI_TAKE(&s->memory, double, SARI_LANES* vectors + LINE / sizeof(double));
    if (!all) return SAR_E_NOMEM;
    const size_t past = (uintptr_t)all % LINE;
    d->value = (sari_vec4*)(all + (past ? (LINE - past) / sizeof(double) : 0));
    d->factor = d->value + b->values;
    d->rest = d->factor + b->factors;
    d->side = d->rest + b->rests;
    s->front = d->side + b->side;
    return SAR_OK;
}

// As many as there are branches for.
static int useful_threads(const sari_dca_batches* b, int wanted)
{
#ifdef _OPENMP
    if (wanted < 1) return 1;
    return wanted < b->units - 1 ? wanted : b->units - 1 > 1 ? b->units - 1 : 1;
#else
    (void)b, (void)wanted;
    return 1;
#endif
}

static sar_status allocate(dca* s, const sari_sym* A, const sari_structure* structure)
{
    SARI_TRY(sari_dca_batches_init(&s->data.batches, &s->memory, A, structure));
    sari_pivot_watch_init(&s->watch, &s->memory, A->n);
    s->threads = s->most = useful_threads(&s->data.batches, structure->threads);
    s->entries = A->p[A->n];
    s->zeros = SARI_TAKE(&s->memory, int, s->data.batches.units);
    s->pivot = SARI_TAKE(&s->memory, double, A->n);
    if (s->memory.failed) return SAR_E_NOMEM;
    for (int k = 0; k < A->n; k++) s->watch.at[k] = s->data.batches.place[A->p[k]];
    return share_out_memory(s);
}

// Nothing known: every variable is a block.
static sar_status allocate_unknown(dca* s, const sari_sym* A)
{
    int* block = SARI_NEW_ARRAY(int, A->n);
    if (!block) return SAR_E_NOMEM;
    for (int k = 0; k < A->n; k++) block[k] = k;
    sar_status status = allocate(s, A, &(sari_structure){A->n, block, 1});
    sari_release(block);
    return status;
}

static sar_status dca_create(void* self, const sari_sym* A, const sari_structure* structure)
{
    return structure ? allocate(self, A, structure) : allocate_unknown(self, A);
}

/* ---- factor and solve ----------------------------------------------------------------------- */

static void factor_unit(dca* s, int unit, int thread)
{
    const sari_dca_batches* b = &s->data.batches;
    sari_pivot_watch watch = s->watch; // its own count; the arrays are shared
    sari_vec4* front = s->front + s->stride * (size_t)thread;
    for (int k = b->unit[unit]; k < b->unit[unit + 1]; k++)
        sari_dca_factor_batch(&s->data, k, front, &watch);
    s->zeros[unit] = watch.zeros;
}

static void solve_unit_up(const dca* s, int unit, const double* x)
{
    const sari_dca_batches* b = &s->data.batches;
    for (int k = b->unit[unit]; k < b->unit[unit + 1]; k++) sari_dca_solve_up(&s->data, k, x);
}

static void solve_unit_down(const dca* s, int unit, double* x)
{
    const sari_dca_batches* b = &s->data.batches;
    for (int k = b->unit[unit + 1] - 1; k >= b->unit[unit]; k--)
        sari_dca_solve_down(&s->data, k, x);
}

static int thread_number(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

static sar_status dca_factor_stored(void* self)
{
    dca* s = self;
    const int last = s->data.batches.units - 1;
    sari_pivot_watch_start(&s->watch, (const double*)s->data.value);
    if (s->threads == 1) {
        for (int u = 0; u < last; u++) factor_unit(s, u, 0);
    } else {
        SHARE_UNITS
        for (int u = 0; u < last; u++) factor_unit(s, u, thread_number());
    }
    factor_unit(s, last, 0);
    for (int u = 0; u <= last; u++) s->watch.zeros += s->zeros[u];
    return s->watch.zeros ? SAR_R_SINGULAR : SAR_OK;
}

static sar_status dca_factor(void* self, const double* x)
{
    dca* s = self;
    double* restrict value = (double*)s->data.value;
    const int* restrict place = s->data.batches.place;
    for (int e = 0; e < s->entries; e++) value[place[e]] = x[e];
    return dca_factor_stored(self);
}

static void dca_storage(void* self, sari_solver_storage* out)
{
    dca* s = self;
    *out = (sari_solver_storage){(double*)s->data.value, SARI_LANES * s->data.batches.values,
                                 s->data.batches.place, .kept = 1};
}

static void dca_share(void* self, int threads)
{
    dca* s = self;
    s->threads = threads < s->most ? threads : s->most;
}

static void dca_solve(const void* self, double* b)
{
    const dca* s = self;
    const int last = s->data.batches.units - 1;
    if (s->threads == 1) {
        for (int u = 0; u <= last; u++) solve_unit_up(s, u, b);
        for (int u = last; u >= 0; u--) solve_unit_down(s, u, b);
        return;
    }
    SHARE_UNITS
    for (int u = 0; u < last; u++) solve_unit_up(s, u, b);
    solve_unit_up(s, last, b);
    solve_unit_down(s, last, b);
    SHARE_UNITS
    for (int u = 0; u < last; u++) solve_unit_down(s, u, b);
}

/* ---- reports -------------------------------------------------------------------------------- */

static void dca_pivots(const void* self, sari_pivots* out)
{
    const dca* s = self;
    const sari_dca_batches* b = &s->data.batches;
    for (int k = 0; k < b->count; k++) {
        const sari_dca_batch* batch = &b->batch[k];
        const sari_dca_plan* plan = sari_dca_plan_of(b, k);
        for (int c = 0; c < plan->pivots; c++) {
            const sari_vec4 inverse =
                s->data.factor[batch->factor + (size_t)sari_dca_at(plan->rows, c, c)];
            for (int l = 0; l < batch->lanes; l++)
                s->pivot[b->variable[batch->variable + c * SARI_LANES + l]] = 1 / inverse[l];
        }
    }
    sari_pivot_report(&s->watch, s->pivot, out);
}

static long dca_fill(const void* self)
{
    const sari_dca_fronts* f = &((const dca*)self)->data.batches.fronts;
    long sum = 0;
    for (int k = 0; k < f->count; k++) {
        const long rows = f->first[k + 1] - f->first[k], pivots = f->pivots[k];
        sum += pivots * rows - pivots * (pivots - 1) / 2;
    }
    return sum;
}

void sari_dca_facts_of(const void* self, sari_dca_facts* out)
{
    const sari_dca_batches* b = &((const dca*)self)->data.batches;
    *out = (sari_dca_facts){.fronts = b->fronts.count,
                            .batches = b->count,
                            .depth = b->depth,
                            .largest = b->largest,
                            .units = b->units - 1,
                            .flops = b->flops};
    for (int k = 0; k < b->count; k++) {
        const sari_dca_plan* p = sari_dca_plan_of(b, k);
        for (int c = 1; c <= p->pivots; c++)
            out->padded += SARI_LANES * (double)(p->rows - c) * (p->rows - c + 3);
    }
}

static void dca_archive(void* self, sari_archive* a)
{
    dca* s = self;
    const sari_dca_batches* b = &s->data.batches;
    sari_archive_numbers(a, (double*)s->data.value, SARI_LANES * b->values);
    sari_archive_numbers(a, (double*)s->data.factor, SARI_LANES * b->factors);
    sari_pivot_watch_archive(&s->watch, a);
}

const sari_solver_ops sari_solver_dca = {
    .name = "dca",
    .cite = "malczyk2018",
    .text = "divide and conquer along the graph of bodies and joints, by several threads",
    .graph = 1,
    .size = SARI_OBJECT(dca, memory),
    .create = dca_create,
    .factor = dca_factor,
    .factor_stored = dca_factor_stored,
    .storage = dca_storage,
    .share = dca_share,
    .solve = dca_solve,
    .pivots = dca_pivots,
    .fill = dca_fill,
    .archive = dca_archive,
    .clear = dca_clear,
};
