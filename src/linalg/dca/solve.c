/* The two sweeps of a solution in one batch of fronts. With its pivots c and all its rows r:
 *
 *     up:    b_r = b_r - L_rc b_c, r > c; the handles' part goes to the parent       (1)
 *     down:  x_c = b_c / d_c - sum_{r > c} L_rc x_r; the handles' part comes from there (2) */
#include "linalg/dca/kernels.h"

/// One batch, looked up.
typedef struct task {
    const sari_dca_data* data;
    const sari_dca_batch* batch;
    const sari_dca_plan* plan;
    const int* variable; ///< of its rows, by lanes
    const sari_vec4* L;
    sari_vec4* side;
} task;

static task find_name(const sari_dca_data* d, int number)
{
    const sari_dca_batch* batch = &d->batches.batch[number];
    return (task){.data = d,
                  .batch = batch,
                  .plan = sari_dca_plan_of(&d->batches, number),
                  .variable = d->batches.variable + batch->variable,
                  .L = d->factor + batch->factor,
                  .side = d->side + batch->side};
}

SARI_INLINE int column(const int rows, int c)
{
    return c * (rows - 1) - c * (c - 1) / 2;
}

SARI_INLINE sari_vec4 gather(const double* b, const int* variable)
{
    return (sari_vec4){b[variable[0]], b[variable[1]], b[variable[2]], b[variable[3]]};
}

/* ---- up ------------------------------------------------------------------------------------- */

static void add_aligned(const task* t, sari_vec4* b)
{
    const sari_dca_plan* p = t->plan;
    const sari_dca_data* d = t->data;
    const int* list = (const int*)p + SARI_PLAN_HEAD + p->pivots + p->entries + p->zeros;
    const int* child = d->batches.child + t->batch->child;
    for (int c = 0; c < p->children; c++) {
        const int pivots = sari_dca_plan_of(&d->batches, child[c])->pivots;
        const sari_vec4* from = d->side + d->batches.batch[child[c]].side + pivots;
        const int *map = list + 3, handles = list[0];
        for (int k = 0; k < handles; k++) b[map[k]] += from[k];
        list += 3 + handles + 2 * (list[1] + list[2]);
    }
}

// Like add_aligned, each lane from another batch.
static void add_gathered(const task* t, sari_vec4* b)
{
    const sari_dca_plan* p = t->plan;
    const sari_dca_batches* all = &t->data->batches;
    const int* list = (const int*)p + SARI_PLAN_HEAD + p->pivots + p->entries + p->zeros;
    const int* source = all->child + t->batch->child;
    for (int c = 0; c < p->children; c++, source += SARI_LANES) {
        const double* from[SARI_LANES];
        for (int l = 0; l < SARI_LANES; l++) {
            const int batch = source[l] / SARI_LANES;
            from[l] = (const double*)(t->data->side + all->batch[batch].side +
                                      sari_dca_plan_of(all, batch)->pivots) +
                      source[l] % SARI_LANES;
        }
        const int *map = list + 3, handles = list[0];
        for (int k = 0, at = 0; k < handles; k++, at += SARI_LANES)
            b[map[k]] += (sari_vec4){from[0][at], from[1][at], from[2][at], from[3][at]};
        list += 3 + handles + 2 * (list[1] + list[2]);
    }
}

static void add_child(const task* t, sari_vec4* side, int lane, int child)
{
    const sari_dca_batches* b = &t->data->batches;
    const sari_dca_fronts* f = &b->fronts;
    const int source = b->at[child], pivots = f->pivots[child];
    const int* map = f->map + f->first[child] + pivots;
    const int handles = f->first[child + 1] - f->first[child] - pivots;
    const sari_vec4* from = t->data->side + b->batch[source / SARI_LANES].side + pivots;
    for (int k = 0; k < handles; k++) side[map[k]][lane] += from[k][source % SARI_LANES];
}

static void add_loose(const task* t, sari_vec4* b)
{
    const sari_dca_fronts* f = &t->data->batches.fronts;
    for (int l = 0; l < t->batch->lanes; l++) {
        const int front = t->batch->front[l];
        for (int c = f->child_first[front]; c < f->child_first[front + 1]; c++)
            add_child(t, b, l, f->child[c]);
    }
}

SARI_INLINE void forward(const int pivots, const int rows, const sari_vec4* restrict L,
                         sari_vec4* restrict b)
{
    SARI_UNROLL for (int c = 0; c < pivots; c++)
    {
        const sari_vec4 y = b[c];
        SARI_UNROLL for (int r = c + 1; r < rows; r++) b[r] -= L[column(rows, c) + r] * y;
    }
}

// `work`: room for the rows; registers where their number is known.
SARI_INLINE void go_up(const int leaf, const int pivots, const int rows, const task* t,
                       const double* b, sari_vec4* work)
{
    SARI_UNROLL for (int c = 0; c < pivots; c++) work[c] = gather(b, t->variable + c * SARI_LANES);
    SARI_UNROLL for (int r = pivots; r < rows; r++) work[r] = (sari_vec4){0};
    if (!leaf) {
        if (t->plan->kind <= SARI_DCA_ALIGNED)
            add_aligned(t, work);
        else if (t->plan->kind == SARI_DCA_GATHERED)
            add_gathered(t, work);
        else
            add_loose(t, work);
    }
    forward(pivots, rows, t->L, work);
    if (work == t->side) return;
    SARI_UNROLL for (int r = 0; r < rows; r++) t->side[r] = work[r];
}

/* ---- down ----------------------------------------------------------------------------------- */

SARI_INLINE void backward(const int pivots, const int rows, const sari_vec4* restrict L,
                          sari_vec4* restrict x)
{
    SARI_UNROLL for (int c = 0; c < pivots; c++)
    {
        sari_vec4 sum = x[c] * L[column(rows, c) + c];
        SARI_UNROLL for (int r = pivots; r < rows; r++) sum -= L[column(rows, c) + r] * x[r];
        x[c] = sum;
    }
    SARI_UNROLL for (int c = pivots - 1; c >= 0; c--)
    {
        sari_vec4 sum = x[c];
        SARI_UNROLL for (int r = pivots - 1; r > c; r--) sum -= L[column(rows, c) + r] * x[r];
        x[c] = sum;
    }
}

SARI_INLINE void take_handles(const int pivots, const int rows, const task* t, const double* b,
                              sari_vec4* x)
{
    if (t->batch->parent >= 0) {
        const int* map = t->data->batches.list + t->batch->map - pivots;
        const sari_vec4* from = t->data->side + t->data->batches.batch[t->batch->parent].side;
        SARI_UNROLL for (int r = pivots; r < rows; r++) x[r] = from[map[r]];
    } else {
        SARI_UNROLL for (int r = pivots; r < rows; r++) x[r] =
            gather(b, t->variable + r * SARI_LANES);
    }
}

SARI_INLINE void scatter(const int pivots, const task* t, const sari_vec4* x, double* b)
{
    const int* variable = t->variable;
    if (t->batch->lanes == SARI_LANES) {
        SARI_UNROLL for (int c = 0; c < pivots; c++)
        {
            SARI_UNROLL for (int l = 0; l < SARI_LANES; l++) b[variable[c * SARI_LANES + l]] =
                x[c][l];
        }
    } else {
        for (int c = 0; c < pivots; c++)
            for (int l = 0; l < t->batch->lanes; l++) b[variable[c * SARI_LANES + l]] = x[c][l];
    }
}

// Children read from `side`: leaves have none.
SARI_INLINE void go_down(const int leaf, const int pivots, const int rows, const task* t, double* b,
                         sari_vec4* work)
{
    take_handles(pivots, rows, t, b, work);
    if (work != t->side) {
        SARI_UNROLL for (int c = 0; c < pivots; c++) work[c] = t->side[c];
    }
    backward(pivots, rows, t->L, work);
    scatter(pivots, t, work, b);
    if (leaf || work == t->side) return;
    SARI_UNROLL for (int r = 0; r < rows; r++) t->side[r] = work[r];
}

/* ---- by shape ------------------------------------------------------------------------------- */

#define UP(leaf, pivots, rows)                                                                     \
    case SARI_DCA_KEY(leaf, pivots, rows): {                                                       \
        sari_vec4 work[rows];                                                                      \
        go_up(leaf, pivots, rows, &t, b, work);                                                    \
        break;                                                                                     \
    }
#define DOWN(leaf, pivots, rows)                                                                   \
    case SARI_DCA_KEY(leaf, pivots, rows): {                                                       \
        sari_vec4 work[rows];                                                                      \
        go_down(leaf, pivots, rows, &t, b, work);                                                  \
        break;                                                                                     \
    }

void sari_dca_solve_up(const sari_dca_data* d, int number, const double* b)
{
    const task t = find_name(d, number);
    switch (sari_dca_key(t.plan)) {
        SARI_DCA_SHAPES(UP)
    default:
        go_up(t.plan->kind == SARI_DCA_LEAF, t.plan->pivots, t.plan->rows, &t, b, t.side);
    }
}

void sari_dca_solve_down(const sari_dca_data* d, int number, double* b)
{
    const task t = find_name(d, number);
    switch (sari_dca_key(t.plan)) {
        SARI_DCA_SHAPES(DOWN)
    default:
        go_down(t.plan->kind == SARI_DCA_LEAF, t.plan->pivots, t.plan->rows, &t, b, t.side);
    }
}
