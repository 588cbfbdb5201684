/* The two sweeps of a solution in one batch of fronts. With its pivots c and all its rows r:
 *
 *     up:    b_r = b_r - L_rc b_c, r > c; the handles' part goes to the parent       (1)
 *     down:  x_c = b_c / d_c - sum_{r > c} L_rc x_r; the handles' part comes from there (2) */
#include "solvers/dca_kernels.h"

/// One batch, looked up.
typedef struct task {
    const sari_dca_data* data;
    const sari_dca_batch* batch;
    const sari_dca_plan* plan;
    const int* variable; ///< of its rows, by lanes
    const sari_vec4* L;
    sari_vec4* side;
} task;

static task look_up(const sari_dca_data* d, int number)
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

static void add_aligned(const task* t)
{
    const sari_dca_plan* p = t->plan;
    const sari_dca_data* d = t->data;
    const int* list = (const int*)p + SARI_PLAN_HEAD + p->pivots + p->entries + p->zeros;
    const int* child = d->batches.child + t->batch->child;
    for (int c = 0; c < p->children; c++) {
        const int pivots = sari_dca_plan_of(&d->batches, child[c])->pivots;
        const sari_vec4* from = d->side + d->batches.batch[child[c]].side + pivots;
        const int *map = list + 3, handles = list[0];
        for (int k = 0; k < handles; k++) t->side[map[k]] += from[k];
        list += 3 + handles + 2 * (list[1] + list[2]);
    }
}

static void add_child(const task* t, int lane, int child)
{
    const sari_dca_batches* b = &t->data->batches;
    const sari_dca_fronts* f = &b->fronts;
    const int source = b->at[child], pivots = f->pivots[child];
    const int* map = f->map + f->first[child] + pivots;
    const int handles = f->first[child + 1] - f->first[child] - pivots;
    const sari_vec4* from = t->data->side + b->batch[source / SARI_LANES].side + pivots;
    for (int k = 0; k < handles; k++) t->side[map[k]][lane] += from[k][source % SARI_LANES];
}

static void add_loose(const task* t)
{
    const sari_dca_fronts* f = &t->data->batches.fronts;
    for (int l = 0; l < t->batch->lanes; l++) {
        const int front = t->batch->front[l];
        for (int c = f->child_first[front]; c < f->child_first[front + 1]; c++)
            add_child(t, l, f->child[c]);
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

void sari_dca_solve_up(const sari_dca_data* d, int number, const double* b)
{
    const task t = look_up(d, number);
    const int pivots = t.plan->pivots, rows = t.plan->rows;
    for (int c = 0; c < pivots; c++) t.side[c] = gather(b, t.variable + c * SARI_LANES);
    for (int r = pivots; r < rows; r++) t.side[r] = (sari_vec4){0};
    if (t.plan->kind == SARI_DCA_ALIGNED)
        add_aligned(&t);
    else if (t.plan->kind == SARI_DCA_LOOSE)
        add_loose(&t);
    forward(pivots, rows, t.L, t.side);
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

static void take_handles(const task* t, const double* b)
{
    const int pivots = t->plan->pivots, handles = t->plan->rows - pivots;
    sari_vec4* x = t->side + pivots;
    if (t->batch->parent >= 0) {
        const int* map = t->data->batches.list + t->batch->map;
        const sari_vec4* from = t->data->side + t->data->batches.batch[t->batch->parent].side;
        for (int k = 0; k < handles; k++) x[k] = from[map[k]];
    } else {
        for (int k = 0; k < handles; k++) x[k] = gather(b, t->variable + (pivots + k) * SARI_LANES);
    }
}

static void scatter(const task* t, double* b)
{
    const int lanes = t->batch->lanes;
    for (int c = 0; c < t->plan->pivots; c++)
        for (int l = 0; l < lanes; l++) b[t->variable[c * SARI_LANES + l]] = t->side[c][l];
}

void sari_dca_solve_down(const sari_dca_data* d, int number, double* b)
{
    const task t = look_up(d, number);
    take_handles(&t, b);
    backward(t.plan->pivots, t.plan->rows, t.L, t.side);
    scatter(&t, b);
}
