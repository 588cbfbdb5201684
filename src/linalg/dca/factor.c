/* Elimination in one batch of fronts, four lanes at a time. With the pivots c, e, the panel a_rc
 * and the triangle s_ab of the handles, both with what the children left:
 *
 *     u_rc = a_rc - sum_{e < c} u_re L_ce,  d_c = u_cc,  L_rc = u_rc / d_c      (1)
 *     s_ab = s_ab - sum_c u_ac L_bc                                             (2)
 *
 * The sums of a few neighbours are kept in registers. For common shapes the sizes are constants and
 * no loop remains. A batch with pivots that cannot be used is done again with care. */
#include "linalg/dca/task.h"

typedef long long int4 __attribute__((vector_size(32)));

/* ---- elimination ---------------------------------------------------------------------------- */

// Column c begins so that entry (r, c) is at [r].
SARI_INLINE int column(const int rows, int c)
{
    return c * (rows - 1) - c * (c - 1) / 2;
}

SARI_INLINE sari_vec4 magnitude(sari_vec4 v)
{
    return (sari_vec4)((int4)v & (int4){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX});
}

// Of a pivot that can be used, see sari_pivot_usable.
SARI_INLINE sari_vec4 pivot_limit(sari_vec4 diagonal)
{
    return magnitude(diagonal) * (4 * DBL_EPSILON) + 1e-300;
}

// All bits set in lanes where the pivot cannot be used.
SARI_INLINE int4 unusable(sari_vec4 pivot, sari_vec4 diagonal)
{
    const sari_vec4 size = magnitude(pivot);
    return ~((size > pivot_limit(diagonal)) & (size <= DBL_MAX));
}

static void replace_unusable(const sari_dca_task* t, int c, sari_vec4* pivot, sari_vec4 diagonal)
{
    for (int l = 0; l < t->batch->lanes; l++)
        if (!sari_pivot_usable((*pivot)[l], diagonal[l]))
            (*pivot)[l] = sari_pivot_replace(
                t->watch, t->data->batches.variable[t->batch->variable + c * SARI_LANES + l]);
}

/// Where the numbers of a front come from.
typedef enum origin {
    BARE,   ///< the panel from t->panel; handles had no children: 0
    FRONT,  ///< t->front
    SERIAL, ///< from both children
} origin;

// Front of a serial node with p pivots j and handles l, r from the children's (l, j) and (j, r).
SARI_INLINE sari_vec4 start_serial(const int p, int r, int c, const sari_dca_task* t)
{
    const sari_vec4 *A = t->child[0], *B = t->child[1];
    sari_vec4 v = {0};
    if (c < p && r < p) {
        v = A[column(2 * p, p + c) + p + r] + B[column(2 * p, c) + r];
        if (r == c) v += t->value[c];
    } else if (r < 2 * p) {
        v = c < p ? A[column(2 * p, r - p) + p + c] : A[column(2 * p, c - p) + r - p];
    } else if (c < p) {
        v = B[column(2 * p, c) + r - p];
    } else if (c >= 2 * p) {
        v = B[column(2 * p, c - p) + r - p];
    }
    return v;
}

// Entry (r, c) before elimination.
SARI_INLINE sari_vec4 start(const origin from, const int pivots, const int rows, int r, int c,
                            const sari_dca_task* t)
{
    if (from == SERIAL) return start_serial(pivots, r, c, t);
    if (from == FRONT) return t->front[column(rows, c) + r];
    if (c < pivots) return t->panel[column(rows, c) + r];
    return (sari_vec4){0};
}

/* ---- elimination in fronts of any size ------------------------------------------------------ */

// u of `height` rows from r on in column c, (1). u and L are those of the whole panel.
SARI_INLINE void reduce(const int height, const origin from, int pivots, int rows, int r, int c,
                        const sari_dca_task* t)
{
    sari_vec4 *u = t->front, sum[4];
    for (int i = 0; i < height; i++) sum[i] = start(from, pivots, rows, r + i, c, t);
    if (r == c) sum[0] += SARI_CONST_VEC(t->batch->pad);
    for (int e = 0; e < c; e++) {
        const sari_vec4 l = t->L[column(rows, e) + c];
        for (int i = 0; i < height; i++) sum[i] -= u[column(rows, e) + r + i] * l;
    }
    for (int i = 0; i < height; i++) u[column(rows, c) + r + i] = sum[i];
}

// s of height x width from (r, c) on, (2).
SARI_INLINE void subtract(const int height, const int width, const origin from, int pivots,
                          int rows, int r, int c, const sari_dca_task* t)
{
    const sari_vec4* u = t->front;
    sari_vec4 *rest = t->rest - column(rows, pivots) - pivots, sum[4][2];
    for (int k = 0; k < width; k++)
        for (int i = 0; i < height; i++) sum[i][k] = start(from, pivots, rows, r + i, c + k, t);
    for (int e = 0; e < pivots; e++)
        for (int k = 0; k < width; k++) {
            const sari_vec4 l = t->L[column(rows, e) + c + k];
            for (int i = 0; i < height; i++) sum[i][k] -= u[column(rows, e) + r + i] * l;
        }
    for (int k = 0; k < width; k++)
        for (int i = 0; i < height; i++) rest[column(rows, c + k) + r + i] = sum[i][k];
}

// Says whether a pivot was not usable; with care it is replaced.
SARI_INLINE int4 eliminate(const int care, const origin from, const sari_dca_task* t)
{
    const int pivots = t->plan->pivots, rows = t->plan->rows;
    int4 bad = {0};
    for (int c = 0; c < pivots; c++) {
        int r = c;
        for (; r + 4 <= rows; r += 4) reduce(4, from, pivots, rows, r, c, t);
        for (; r < rows; r++) reduce(1, from, pivots, rows, r, c, t);
        sari_vec4 pivot = t->front[column(rows, c) + c];
        const sari_vec4 diagonal = t->value[t->diagonal[c]];
        bad |= unusable(pivot, diagonal);
        if (care) replace_unusable(t, c, &pivot, diagonal);
        const sari_vec4 inverse = 1.0 / pivot;
        t->L[column(rows, c) + c] = inverse;
        for (int i = c + 1; i < rows; i++)
            t->L[column(rows, c) + i] = t->front[column(rows, c) + i] * inverse;
    }
    for (int c = pivots; c < rows; c += 2) {
        subtract(1, 1, from, pivots, rows, c, c, t);
        int r = c + 1;
        for (; r + 4 <= rows; r += 4) subtract(4, 2, from, pivots, rows, r, c, t);
        for (; r < rows; r++) subtract(1, 2, from, pivots, rows, r, c, t);
    }
    return bad;
}

/* ---- elimination in fronts of known shape --------------------------------------------------- */

/// The pivots among themselves: u and L, and 1 / d. In registers, as far as there are some.
typedef struct corner {
    sari_vec4 u[7][7], L[7][7], inverse[7];
} corner;

SARI_INLINE void factor_corner(const origin from, const int pivots, const int rows,
                               const sari_dca_task* t, corner* k)
{
    SARI_UNROLL for (int c = 0; c < pivots; c++)
    {
        SARI_UNROLL for (int r = c; r < pivots; r++)
        {
            sari_vec4 sum = start(from, pivots, rows, r, c, t);
            if (r == c) {
                sum += SARI_CONST_VEC(t->batch->pad);
            }
            SARI_UNROLL for (int e = 0; e < c; e++) sum -= k->u[r][e] * k->L[c][e];
            k->u[r][c] = sum;
        }
        const sari_vec4 inverse = 1.0 / k->u[c][c];
        k->inverse[c] = t->L[column(rows, c) + c] = inverse;
        SARI_UNROLL for (int r = c + 1; r < pivots; r++) t->L[column(rows, c) + r] = k->L[r][c] =
            k->u[r][c] * inverse;
    }
}

// (1) for `height` handles from r on. Their u go to `front`, row by row.
SARI_INLINE void factor_rows(const int height, const origin from, const int pivots, const int rows,
                             int r, const sari_dca_task* t, const corner* k)
{
    sari_vec4 u[3][7];
    SARI_UNROLL for (int c = 0; c < pivots; c++)
    {
        SARI_UNROLL for (int i = 0; i < height; i++)
        {
            u[i][c] = start(from, pivots, rows, r + i, c, t);
            SARI_UNROLL for (int e = 0; e < c; e++) u[i][c] -= u[i][e] * k->L[c][e];
        }
    }
    SARI_UNROLL for (int c = 0; c < pivots; c++)
    {
        SARI_UNROLL for (int i = 0; i < height; i++)
        {
            t->work[(r - pivots + i) * pivots + c] = u[i][c];
            t->L[column(rows, c) + r + i] = u[i][c] * k->inverse[c];
        }
    }
}

// (2) for height x width from (r, c) on.
SARI_INLINE void update(const int height, const int width, const origin from, const int pivots,
                        const int rows, int r, int c, const sari_dca_task* t)
{
    sari_vec4 *rest = t->rest - column(rows, pivots) - pivots, sum[3][2];
    SARI_UNROLL for (int k = 0; k < width; k++)
    {
        SARI_UNROLL for (int i = 0; i < height; i++) sum[i][k] =
            start(from, pivots, rows, r + i, c + k, t);
    }
    SARI_UNROLL for (int e = 0; e < pivots; e++)
    {
        SARI_UNROLL for (int k = 0; k < width; k++)
        {
            const sari_vec4 l = t->L[column(rows, e) + c + k];
            SARI_UNROLL for (int i = 0; i < height; i++) sum[i][k] -=
                t->work[(r - pivots + i) * pivots + e] * l;
        }
    }
    SARI_UNROLL for (int k = 0; k < width; k++)
    {
        SARI_UNROLL for (int i = 0; i < height; i++) rest[column(rows, c + k) + r + i] = sum[i][k];
    }
}

// Two columns of (2), from c on.
SARI_INLINE void update_columns(const origin from, const int pivots, const int rows, int c,
                                const sari_dca_task* t)
{
    update(1, 1, from, pivots, rows, c, c, t);
    int r = c + 1;
    SARI_UNROLL for (; r + 3 <= rows; r += 3) update(3, 2, from, pivots, rows, r, c, t);
    SARI_UNROLL for (; r < rows; r++) update(1, 2, from, pivots, rows, r, c, t);
}

// The test of `unusable` by the reciprocals, last of all: nothing waits for it.
SARI_INLINE int4 any_unusable(const int pivots, const int rows, const sari_dca_task* t)
{
    int4 good = ~(int4){0};
    SARI_UNROLL for (int c = 0; c < pivots; c++)
    {
        const sari_vec4 size = magnitude(t->L[column(rows, c) + c]);
        good &= (size * pivot_limit(t->value[t->diagonal[c]]) < 1.0) & (size > 1 / DBL_MAX);
    }
    return ~good;
}

// Works on a copy of the task, which vectors that are stored cannot overwrite: it stays in
// registers.
SARI_INLINE int4 eliminate_known(const origin from, const int pivots, const int rows,
                                 const sari_dca_task* given)
{
    const sari_dca_task t = *given;
    corner k;
    factor_corner(from, pivots, rows, &t, &k);
    int r = pivots;
    SARI_UNROLL for (; r + 2 <= rows; r += 2) factor_rows(2, from, pivots, rows, r, &t, &k);
    if (r < rows) factor_rows(1, from, pivots, rows, r, &t, &k);
    int c = pivots;
    SARI_UNROLL for (; c + 2 <= rows; c += 2) update_columns(from, pivots, rows, c, &t);
    if (c < rows) update(1, 1, from, pivots, rows, c, c, &t);
    return any_unusable(pivots, rows, &t);
}

#define ELIMINATE(leaf, pivots, rows)                                                              \
    case SARI_DCA_KEY(leaf, pivots, rows):                                                         \
        return eliminate_known(leaf ? BARE : FRONT, pivots, rows, t);
#define ELIMINATE_SERIAL(pivots)                                                                   \
    case pivots:                                                                                   \
        return eliminate_known(SERIAL, pivots, 3 * (pivots), t);

static int4 eliminate_any(const sari_dca_task* t)
{
    switch (sari_dca_key(t->plan)) {
        SARI_DCA_SHAPES(ELIMINATE)
    default:
        if (t->plan->kind == SARI_DCA_LEAF) return eliminate(0, BARE, t);
        return eliminate(0, FRONT, t);
    }
}

static void eliminate_with_care(const sari_dca_task* t)
{
    if (t->plan->kind == SARI_DCA_LEAF)
        eliminate(1, BARE, t);
    else
        eliminate(1, FRONT, t);
}

/* ---- one batch ------------------------------------------------------------------------------ */

static int4 assemble_and_eliminate(sari_dca_task* t)
{
    if (t->plan->kind == SARI_DCA_SERIAL) {
        const sari_dca_batches* b = &t->data->batches;
        for (int c = 0; c < 2; c++)
            t->child[c] = t->data->rest + b->batch[b->child[t->batch->child + c]].rest;
        switch (t->plan->pivots) {
            SARI_DCA_SERIAL_SHAPES(ELIMINATE_SERIAL)
        }
    }
    sari_dca_assemble(t);
    return eliminate_any(t);
}

void sari_dca_factor_batch(const sari_dca_data* d, int number, sari_vec4* front,
                           sari_pivot_watch* watch)
{
    const sari_dca_batch* batch = &d->batches.batch[number];
    const sari_dca_plan* plan = sari_dca_plan_of(&d->batches, number);
    const int* list = (const int*)plan + SARI_PLAN_HEAD;
    sari_dca_task t = {.data = d,
                       .batch = batch,
                       .plan = plan,
                       .diagonal = list,
                       .position = list + plan->pivots,
                       .value = d->value + batch->value,
                       .L = d->factor + batch->factor,
                       .rest = d->rest + batch->rest,
                       .front = front,
                       .work = front + d->batches.widest,
                       .watch = watch};
    const int4 bad = assemble_and_eliminate(&t);
    int any = 0; // lanes that are not in use may hold anything
    for (int l = 0; l < batch->lanes; l++) any |= bad[l] != 0;
    if (!any) return;
    sari_dca_assemble(&t);
    eliminate_with_care(&t);
}
