/* Sparse L U without pivoting, on the order and pattern of the symmetric analysis: U' has the
 * pattern of L and is stored like it. Right-looking; for the k-th pivot d and rows i, j below it:
 *
 *     l_i = a_ik / d,   u_j = a_kj                                         (1)
 *
 *     a_ij -= l_i u_j                                                      (2)
 *
 * The tangents that come here are a positive definite matrix and a part without symmetry that is
 * small for small steps. What the missing pivoting costs, one step of refinement gives back. */
#include "base/memory.h"
#include "base/status.h"
#include "linalg/lu.h"
#include "linalg/pivots.h"
#include "linalg/sparse/sparse_symbolic.h"

#include <string.h>

typedef struct sparse {
    sari_arena memory;
    sari_symbolic symbolic;
    sari_sym pattern;       ///< copy; its values are the lower ones last factored
    double* upper;          ///< and the upper ones
    unsigned char* flipped; ///< [entries] the order turned the entry over the diagonal
    double *L, *U;          ///< L begins with the pivots; see sari_symbolic
    double* inverse;        ///< 1 / pivot
    double* y;              ///< [3 n] right-hand side in the order of elimination; refinement
    sari_pivot_watch watch;
} sparse;

static sar_status find_flipped(sparse* s)
{
    const int n = s->pattern.n;
    int* rank = SARI_NEW_ARRAY(int, n);
    if (!rank) return SAR_E_NOMEM;
    for (int k = 0; k < n; k++) rank[s->symbolic.order[k]] = k;
    for (int c = 0; c < n; c++)
        for (int e = s->pattern.p[c]; e < s->pattern.p[c + 1]; e++)
            s->flipped[e] = rank[s->pattern.i[e]] < rank[c];
    sari_release(rank);
    return SAR_OK;
}

static sar_status sparse_create(void* self, const sari_sym* A)
{
    sparse* s = self;
    const int n = A->n, entries = A->p[n];
    SARI_TRY(sari_symbolic_init(&s->symbolic, &s->memory, A));
    sari_pivot_watch_init(&s->watch, &s->memory, n);
    s->pattern.n = n;
    s->pattern.p = sari_arena_copy(&s->memory, A->p, (size_t)n + 1, sizeof(int));
    s->pattern.i = sari_arena_copy(&s->memory, A->i, (size_t)entries, sizeof(int));
    s->pattern.x = SARI_TAKE(&s->memory, double, entries);
    s->upper = SARI_TAKE(&s->memory, double, entries);
    s->flipped = SARI_TAKE(&s->memory, unsigned char, entries);
    s->L = SARI_TAKE(&s->memory, double, s->symbolic.values);
    s->U = SARI_TAKE(&s->memory, double, s->symbolic.values);
    s->inverse = SARI_TAKE(&s->memory, double, n);
    s->y = SARI_TAKE(&s->memory, double, 3 * n);
    if (s->memory.failed) return SAR_E_NOMEM;
    for (int k = 0; k < n; k++) s->watch.at[k] = A->p[s->symbolic.order[k]];
    return find_flipped(s);
}

/* Start of column c of a panel in the values: its entries inside the panel, then those below. */
static int column_start(const sari_panel* p, int c)
{
    return p->value + c * (p->width - 1 + p->rows) - c * (c - 1) / 2;
}

/* (1) for the columns of a panel, (2) inside it. */
static void factor_panel(sparse* s, const sari_panel* p)
{
    for (int c = 0; c < p->width; c++) {
        const int k = p->first + c, length = p->width - 1 - c + p->rows;
        double *l = s->L + column_start(p, c), *u = s->U + column_start(p, c);
        double d = s->L[k];
        if (!sari_pivot_usable(d, s->watch.x[s->watch.at[k]]))
            d = s->L[k] = sari_pivot_replace(&s->watch, k);
        s->inverse[k] = 1 / d;
        for (int e = 0; e < length; e++) l[e] *= s->inverse[k];
        for (int j = c + 1; j < p->width; j++) {
            const double lj = l[j - c - 1], uj = u[j - c - 1];
            const int rest = p->width - 1 - j + p->rows;
            double* restrict to_l = s->L + column_start(p, j);
            double* restrict to_u = s->U + column_start(p, j);
            s->L[p->first + j] -= lj * uj;
            for (int e = 0; e < rest; e++) {
                to_l[e] -= l[j - c + e] * uj;
                to_u[e] -= u[j - c + e] * lj;
            }
        }
    }
}

/* (2) outside of a panel */
static void update(sparse* s, const sari_panel* p)
{
    for (int c = 0; c < p->width; c++) {
        const int below = column_start(p, c) + p->width - 1 - c;
        const double *l = s->L + below, *u = s->U + below;
        const int* target = s->symbolic.target + p->target;
        for (int a = 0; a < p->rows; a++) {
            s->L[*target++] -= l[a] * u[a];
            for (int b = a + 1; b < p->rows; b++, target++) {
                s->L[*target] -= l[b] * u[a];
                s->U[*target] -= l[a] * u[b];
            }
        }
    }
}

static sar_status sparse_factor(void* self, const double* lower, const double* upper)
{
    sparse* s = self;
    const int entries = s->pattern.p[s->pattern.n];
    const size_t bytes = sizeof(double) * (size_t)s->symbolic.values;
    memcpy(s->pattern.x, lower, sizeof(double) * (size_t)entries);
    memcpy(s->upper, upper, sizeof(double) * (size_t)entries);
    memset(s->L, 0, bytes);
    memset(s->U, 0, bytes);
    for (int e = 0; e < entries; e++) {
        const int at = s->symbolic.place[e];
        s->L[at] = s->flipped[e] ? upper[e] : lower[e];
        s->U[at] = s->flipped[e] ? lower[e] : upper[e];
    }
    sari_pivot_watch_start(&s->watch, s->pattern.x);
    for (int k = 0; k < s->symbolic.panels; k++) {
        factor_panel(s, &s->symbolic.panel[k]);
        update(s, &s->symbolic.panel[k]);
    }
    return s->watch.zeros ? SAR_R_SINGULAR : SAR_OK;
}

/* T y = y in one panel, T with columns like those of L; a diagonal of ones, or of pivots */
static void solve_forward(const sparse* s, const sari_panel* p, const double* T, int pivots)
{
    const int* row = s->symbolic.row + p->row;
    double* y = s->y;
    for (int c = 0; c < p->width; c++) {
        if (pivots) y[p->first + c] *= s->inverse[p->first + c];
        const double *t = T + column_start(p, c), v = y[p->first + c];
        for (int r = c + 1; r < p->width; r++) y[p->first + r] -= *t++ * v;
        for (int r = 0; r < p->rows; r++) y[row[r]] -= *t++ * v;
    }
}

/* T' y = y in one panel */
static void solve_backward(const sparse* s, const sari_panel* p, const double* T, int pivots)
{
    const int* row = s->symbolic.row + p->row;
    double* y = s->y;
    for (int c = p->width - 1; c >= 0; c--) {
        const double* t = T + column_start(p, c);
        double sum = y[p->first + c];
        for (int r = c + 1; r < p->width; r++) sum -= *t++ * y[p->first + r];
        for (int r = 0; r < p->rows; r++) sum -= *t++ * y[row[r]];
        y[p->first + c] = pivots ? sum * s->inverse[p->first + c] : sum;
    }
}

/* L U y = b, or U'L' y = b: the same with U' in the place of L */
static void solve_once(const sparse* s, int transposed, double* b)
{
    const int n = s->symbolic.n, panels = s->symbolic.panels;
    const int* order = s->symbolic.order;
    const double *first = transposed ? s->U : s->L, *second = transposed ? s->L : s->U;
    for (int k = 0; k < n; k++) s->y[k] = b[order[k]];
    for (int k = 0; k < panels; k++) solve_forward(s, &s->symbolic.panel[k], first, transposed);
    for (int k = panels - 1; k >= 0; k--)
        solve_backward(s, &s->symbolic.panel[k], second, !transposed);
    for (int k = 0; k < n; k++) b[order[k]] = s->y[k];
}

static void solve_refined(const sparse* s, int transposed, double* b)
{
    const int n = s->symbolic.n;
    double *x = s->y + n, *rest = s->y + 2 * n;
    for (int i = 0; i < n; i++) x[i] = b[i];
    solve_once(s, transposed, x);
    if (transposed)
        sari_lu_multiply_transposed(&s->pattern, s->pattern.x, s->upper, x, rest);
    else
        sari_lu_multiply(&s->pattern, s->pattern.x, s->upper, x, rest);
    for (int i = 0; i < n; i++) rest[i] = b[i] - rest[i];
    solve_once(s, transposed, rest);
    for (int i = 0; i < n; i++) b[i] = x[i] + rest[i];
}

static void sparse_solve(const void* self, double* b)
{
    solve_refined(self, 0, b);
}

static void sparse_solve_transposed(const void* self, double* b)
{
    solve_refined(self, 1, b);
}

const sari_lu_ops sari_lu_sparse = {
    .name = "sparse",
    .size = SARI_OBJECT(sparse, memory),
    .create = sparse_create,
    .factor = sparse_factor,
    .solve = sparse_solve,
    .solve_transposed = sparse_solve_transposed,
};
