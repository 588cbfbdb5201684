/* Elimination in one batch of fronts, four lanes at a time. With the pivots c, e, the panel a_rc
 * and the triangle s_ab of the handles, both with what the children left:
 *
 *     u_rc = a_rc - sum_{e < c} u_re L_ce,  d_c = u_cc,  L_rc = u_rc / d_c      (1)
 *     s_ab = s_ab - sum_c u_ac L_bc                                             (2)
 *
 * The sums of a few neighbours are kept in registers. For common shapes the sizes are constants and
 * no loop remains. A batch with pivots that cannot be used is done again with care. */
#include "solvers/dca_kernels.h"

#include <string.h>

typedef long long int4 __attribute__((vector_size(32)));

/// One batch, looked up.
typedef struct task {
    const sari_dca_data* data;
    const sari_dca_batch* batch;
    const sari_dca_plan* plan;
    const int* diagonal; ///< lists of the plan
    const int* position;
    const sari_vec4* value;
    sari_vec4* L;
    sari_vec4* rest;
    sari_vec4* front;
    sari_pivot_watch* watch;
} task;

/* ---- what comes into a front ---------------------------------------------------------------- */

static void fill_zero(sari_vec4* front, int count)
{
    memset(front, 0, sizeof(sari_vec4) * (size_t)count);
}

static void assemble_leaf(const task* t)
{
    const sari_dca_plan* p = t->plan;
    fill_zero(t->front, p->pivots * p->rows - p->pivots * (p->pivots - 1) / 2);
    for (int k = 0; k < p->entries; k++) t->front[t->position[k]] = t->value[k];
}

static void assemble_aligned(const task* t)
{
    const sari_dca_plan* p = t->plan;
    const sari_dca_data* d = t->data;
    sari_vec4* restrict front = t->front;
    const int* list = t->position + p->entries;
    const int* child = d->batches.child + t->batch->child;
    for (int k = 0; k < p->zeros; k++) front[list[k]] = (sari_vec4){0};
    list += p->zeros;
    for (int c = 0; c < p->children; c++) {
        const sari_vec4* restrict from = d->rest + d->batches.batch[child[c]].rest;
        const int writes = list[1], adds = list[2];
        list += 3 + list[0];
        for (int k = 0; k < writes; k++, list += 2) front[list[0]] = from[list[1]];
        for (int k = 0; k < adds; k++, list += 2) front[list[0]] += from[list[1]];
    }
    for (int k = 0; k < p->entries; k++) front[t->position[k]] += t->value[k];
}

// One child of one lane.
static void add_child(const task* t, int lane, int child)
{
    const sari_dca_batches* b = &t->data->batches;
    const sari_dca_fronts* f = &b->fronts;
    const int rows = t->plan->rows, source = b->at[child];
    const int *map = f->map + f->first[child] + f->pivots[child],
              handles = f->first[child + 1] - f->first[child] - f->pivots[child];
    const double* from =
        (const double*)(t->data->rest + b->batch[source / SARI_LANES].rest) + source % SARI_LANES;
    double* front = (double*)t->front + lane;
    for (int a = 0; a < handles; a++)
        for (int k = a; k < handles; k++, from += SARI_LANES) {
            const int r = map[a] > map[k] ? map[a] : map[k], c = map[a] > map[k] ? map[k] : map[a];
            front[sari_dca_at(rows, r, c) * SARI_LANES] += *from;
        }
}

static void assemble_loose(const task* t)
{
    const sari_dca_plan* p = t->plan;
    const sari_dca_fronts* f = &t->data->batches.fronts;
    fill_zero(t->front, p->rows * (p->rows + 1) / 2);
    for (int k = 0; k < p->entries; k++) t->front[t->position[k]] = t->value[k];
    for (int l = 0; l < t->batch->lanes; l++) {
        const int front = t->batch->front[l];
        for (int c = f->child_first[front]; c < f->child_first[front + 1]; c++)
            add_child(t, l, f->child[c]);
    }
}

/* ---- elimination ---------------------------------------------------------------------------- */

// Column c begins so that entry (r, c) is at [r].
SARI_INLINE int column(const int rows, int c)
{
    return c * (rows - 1) - c * (c - 1) / 2;
}

// All bits set in lanes where the pivot cannot be used: sari_pivot_usable for four.
SARI_INLINE int4 unusable(sari_vec4 pivot, sari_vec4 diagonal)
{
    const int4 no_sign = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    const sari_vec4 size = (sari_vec4)((int4)pivot & no_sign);
    const sari_vec4 limit = (sari_vec4)((int4)diagonal & no_sign) * (4 * DBL_EPSILON) + 1e-300;
    return ~((size > limit) & (size <= DBL_MAX));
}

static void replace_unusable(const task* t, int c, sari_vec4* pivot, sari_vec4 diagonal)
{
    for (int l = 0; l < t->batch->lanes; l++)
        if (!sari_pivot_usable((*pivot)[l], diagonal[l]))
            (*pivot)[l] = sari_pivot_replace(
                t->watch, t->data->batches.variable[t->batch->variable + c * SARI_LANES + l]);
}

// u of `height` rows from r on in column c, (1).
SARI_INLINE void reduce(const int height, const int rows, int r, int c, const sari_vec4* a,
                        sari_vec4* u, const sari_vec4* L)
{
    sari_vec4 sum[4];
    SARI_UNROLL for (int i = 0; i < height; i++) sum[i] = a[column(rows, c) + r + i];
    SARI_UNROLL for (int e = 0; e < c; e++)
    {
        const sari_vec4 l = L[column(rows, e) + c];
        SARI_UNROLL for (int i = 0; i < height; i++) sum[i] -= u[column(rows, e) + r + i] * l;
    }
    SARI_UNROLL for (int i = 0; i < height; i++) u[column(rows, c) + r + i] = sum[i];
}

// (1). Says whether a pivot was not usable; with care it is replaced.
SARI_INLINE int4 factor_panel(const int care, const int pivots, const int rows, const task* t,
                              const sari_vec4* a)
{
    sari_vec4* u = t->front;
    sari_vec4* L = t->L;
    const sari_vec4 pad = SARI_CONST_VEC(t->batch->pad);
    int4 bad = {0};
    SARI_UNROLL for (int c = 0; c < pivots; c++)
    {
        int r = c;
        SARI_UNROLL for (; r + 4 <= rows; r += 4) reduce(4, rows, r, c, a, u, L);
        SARI_UNROLL for (; r < rows; r++) reduce(1, rows, r, c, a, u, L);
        sari_vec4 pivot = u[column(rows, c) + c] + pad;
        const sari_vec4 diagonal = t->value[t->diagonal[c]];
        if (care)
            replace_unusable(t, c, &pivot, diagonal);
        else
            bad |= unusable(pivot, diagonal);
        const sari_vec4 inverse = 1.0 / pivot;
        L[column(rows, c) + c] = inverse;
        SARI_UNROLL for (int i = c + 1; i < rows; i++) L[column(rows, c) + i] =
            u[column(rows, c) + i] * inverse;
    }
    return bad;
}

// s of height x width from (r, c) on, (2). `bare`: nothing came from children.
SARI_INLINE void update(const int height, const int width, const int bare, const int pivots,
                        const int rows, int r, int c, const task* t)
{
    const sari_vec4* u = t->front;
    const sari_vec4* L = t->L;
    sari_vec4* rest = t->rest - column(rows, pivots) - pivots;
    sari_vec4 sum[3][2];
    SARI_UNROLL for (int k = 0; k < width; k++)
    {
        SARI_UNROLL for (int i = 0; i < height; i++) sum[i][k] =
            bare ? (sari_vec4){0} : u[column(rows, c + k) + r + i];
    }
    SARI_UNROLL for (int e = 0; e < pivots; e++)
    {
        SARI_UNROLL for (int k = 0; k < width; k++)
        {
            const sari_vec4 l = L[column(rows, e) + c + k];
            SARI_UNROLL for (int i = 0; i < height; i++) sum[i][k] -=
                u[column(rows, e) + r + i] * l;
        }
    }
    SARI_UNROLL for (int k = 0; k < width; k++)
    {
        SARI_UNROLL for (int i = 0; i < height; i++) rest[column(rows, c + k) + r + i] = sum[i][k];
    }
}

// (2), two columns at a time.
SARI_INLINE void update_handles(const int bare, const int pivots, const int rows, const task* t)
{
    int c = pivots;
    SARI_UNROLL for (; c + 2 <= rows; c += 2)
    {
        update(1, 1, bare, pivots, rows, c, c, t);
        int r = c + 1;
        SARI_UNROLL for (; r + 3 <= rows; r += 3) update(3, 2, bare, pivots, rows, r, c, t);
        SARI_UNROLL for (; r < rows; r++) update(1, 2, bare, pivots, rows, r, c, t);
    }
    if (c < rows) update(1, 1, bare, pivots, rows, c, c, t);
}

SARI_INLINE int4 eliminate(const int care, const int bare, const int pivots, const int rows,
                           const task* t, const sari_vec4* a)
{
    const int4 bad = factor_panel(care, pivots, rows, t, a);
    update_handles(bare, pivots, rows, t);
    return bad;
}

#define ELIMINATE(leaf, pivots, rows)                                                              \
    case SARI_DCA_KEY(leaf, pivots, rows):                                                         \
        return eliminate(0, leaf, pivots, rows, t, a);

static int4 eliminate_any(const task* t, const sari_vec4* a)
{
    switch (sari_dca_key(t->plan)) {
        SARI_DCA_SHAPES(ELIMINATE)
    default:
        return eliminate(0, t->plan->kind == SARI_DCA_LEAF, t->plan->pivots, t->plan->rows, t, a);
    }
}

static void eliminate_with_care(const task* t, const sari_vec4* a)
{
    eliminate(1, t->plan->kind == SARI_DCA_LEAF, t->plan->pivots, t->plan->rows, t, a);
}

// The panel before elimination.
static const sari_vec4* assemble(const task* t)
{
    if (t->plan->panel) return t->value;
    if (t->plan->kind == SARI_DCA_LEAF)
        assemble_leaf(t);
    else if (t->plan->kind == SARI_DCA_ALIGNED)
        assemble_aligned(t);
    else
        assemble_loose(t);
    return t->front;
}

void sari_dca_factor_batch(const sari_dca_data* d, int number, sari_vec4* front,
                           sari_pivot_watch* watch)
{
    const sari_dca_batch* batch = &d->batches.batch[number];
    const sari_dca_plan* plan = sari_dca_plan_of(&d->batches, number);
    const int* list = (const int*)plan + SARI_PLAN_HEAD;
    const task t = {.data = d,
                    .batch = batch,
                    .plan = plan,
                    .diagonal = list,
                    .position = list + plan->pivots,
                    .value = d->value + batch->value,
                    .L = d->factor + batch->factor,
                    .rest = d->rest + batch->rest,
                    .front = front,
                    .watch = watch};
    const int4 bad = eliminate_any(&t, assemble(&t));
    if (bad[0] | bad[1] | bad[2] | bad[3]) eliminate_with_care(&t, assemble(&t));
}
