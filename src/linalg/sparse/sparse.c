/* Sparse L D L' with a pattern fixed once, right-looking by panels of like columns:
 *
 *     inside the panel, for its columns c:  u_rc = a_rc - sum_e u_re L_ce, e < c in the panel (1)
 *                                           d_c  = u_cc,   L_rc = u_rc / d_c                  (2)
 *     outside, for its rows a <= b:         a_ba -= sum_c L_ac u_bc                           (3)
 *
 * All positions that (3) writes to were listed by the analysis: no search, no branch. */
#include "base/status.h"
#include "linalg/inline.h"
#include "linalg/pivots.h"
#include "linalg/sparse/sparse_symbolic.h"

#include <string.h>

enum { SIDE = 8 }; ///< right-hand sides at a time: each entry of L is read once for all of them

typedef struct sparse {
    sari_arena memory;
    sari_symbolic symbolic;
    int entries;      ///< of A
    double* value;    ///< the pivots, then L; see sari_symbolic
    double* inverse;  ///< 1 / pivot
    double* diagonal; ///< of the matrix, in the order of elimination
    double* u;        ///< [width * stride] the columns of a panel before their division
    int stride;       ///< most rows of a panel, and a few
    double* y;        ///< [n] right-hand side in the order of elimination
    double* side;     ///< [SIDE n] several of them, next to each other
    sari_pivot_watch watch;
} sparse;

static sar_status sparse_create(void* self, const sari_sym* A, const sari_structure* structure)
{
    sparse* s = self;
    sari_arena* memory = &s->memory;
    const int n = A->n;
    (void)structure;
    SARI_TRY(sari_symbolic_init(&s->symbolic, memory, A));
    sari_pivot_watch_init(&s->watch, memory, n);
    s->entries = A->p[n];
    s->value = SARI_TAKE(memory, double, s->symbolic.values);
    s->inverse = SARI_TAKE(memory, double, n);
    s->diagonal = SARI_TAKE(memory, double, n);
    s->stride = s->symbolic.widest + 3;
    s->u = SARI_TAKE(memory, double, (size_t)SARI_PANEL_WIDTH*(size_t)s->stride);
    s->y = SARI_TAKE(memory, double, n);
    s->side = SARI_TAKE(memory, double, SIDE*(size_t)n);
    if (memory->failed) return SAR_E_NOMEM;
    for (int k = 0; k < n; k++) s->watch.at[k] = k;
    return SAR_OK;
}

// Code of its own for every width: the loops over columns are unrolled.
#define WITH_WIDTH(kernel, s, p)                                                                   \
    switch ((p)->width) {                                                                          \
    case 1:                                                                                        \
        kernel(1, s, p);                                                                           \
        break;                                                                                     \
    case 2:                                                                                        \
        kernel(2, s, p);                                                                           \
        break;                                                                                     \
    case 3:                                                                                        \
        kernel(3, s, p);                                                                           \
        break;                                                                                     \
    default:                                                                                       \
        kernel(4, s, p);                                                                           \
    }

// Likewise, with what is below for the panels of planar chains: points with two coordinates each.
#define WITH_SHAPE(kernel, s, p)                                                                   \
    if ((p)->width == 2 && (p)->rows == 2)                                                         \
        kernel(2, 2, s, p);                                                                        \
    else                                                                                           \
        switch ((p)->width) {                                                                      \
        case 1:                                                                                    \
            kernel(1, (p)->rows, s, p);                                                            \
            break;                                                                                 \
        case 2:                                                                                    \
            kernel(2, (p)->rows, s, p);                                                            \
            break;                                                                                 \
        case 3:                                                                                    \
            kernel(3, (p)->rows, s, p);                                                            \
            break;                                                                                 \
        default:                                                                                   \
            kernel(4, (p)->rows, s, p);                                                            \
        }

// Start of the entries below the panel in its column c, counted from the panel's first value.
SARI_INLINE int below(const int width, int rows, int c)
{
    return c * (width - 1 + rows) - c * (c - 1) / 2 + (width - 1 - c);
}

// (1) and (2) for the rows inside the panel. l[e][c] = L_ce.
SARI_INLINE void factor_inside(const int width, const int rows, sparse* s, const sari_panel* p,
                               double l[4][4])
{
    double* column = s->value + p->value; // entry (r, c) is column[r - c - 1]
    for (int c = 0; c < width; c++) {
        const int k = p->first + c;
        double d = s->value[k];
        if (!sari_pivot_usable(d, s->diagonal[k])) d = sari_pivot_replace(&s->watch, k);
        const double inverse = 1 / d;
        s->value[k] = d;
        s->inverse[k] = inverse;
        for (int r = c + 1; r < width; r++) l[c][r] = column[r - c - 1] * inverse;
        double* later = column + (width - 1 - c) + rows;
        for (int e = c + 1; e < width; e++) {
            s->value[p->first + e] -= column[e - c - 1] * l[c][e];
            for (int r = e + 1; r < width; r++) later[r - e - 1] -= column[r - c - 1] * l[c][e];
            later += (width - 1 - e) + rows;
        }
        for (int r = c + 1; r < width; r++) column[r - c - 1] = l[c][r];
        column += (width - 1 - c) + rows;
    }
}

// (1) and (2) for the rows below: L goes back to its place, u to the workspace, column by column.
// Four rows at a time; u has room for those beyond the last.
SARI_INLINE void factor_below(const int width, const int rows, sparse* s, const sari_panel* p,
                              double l[4][4])
{
    const int stride = s->stride;
    double *L = s->value + p->value, *u = s->u;
    const double* inverse = s->inverse + p->first;
    int r = 0;
    for (; r + 4 <= rows; r += 4)
        for (int c = 0; c < width; c++) {
            sari_vec4 sum = SARI_VEC(L + below(width, rows, c) + r);
            for (int e = 0; e < c; e++) sum -= SARI_VEC(u + e * stride + r) * l[e][c];
            SARI_VEC(u + c * stride + r) = sum;
            SARI_VEC(L + below(width, rows, c) + r) = sum * inverse[c];
        }
    for (; r < rows; r++)
        for (int c = 0; c < width; c++) {
            double sum = L[below(width, rows, c) + r];
            for (int e = 0; e < c; e++) sum -= u[e * stride + r] * l[e][c];
            u[c * stride + r] = sum;
            L[below(width, rows, c) + r] = sum * inverse[c];
        }
}

// (3) one by one, where there is no vector of four: to read one that was just written in parts takes
// longer than to compute it.
SARI_INLINE void update_few(const int width, const int rows, sparse* s, const sari_panel* p)
{
    const double *L = s->value + p->value, *u = s->u;
    const int* target = s->symbolic.target + p->target;
    for (int a = 0; a < rows; a++)
        for (int b = a; b < rows; b++) {
            double sum = u[b] * L[below(width, rows, 0) + a];
            for (int c = 1; c < width; c++)
                sum += u[c * s->stride + b] * L[below(width, rows, c) + a];
            s->value[*target++] -= sum;
        }
}

// (3), likewise. Each target is another one.
SARI_INLINE void update(const int width, const int rows, sparse* s, const sari_panel* p)
{
    const int stride = s->stride;
    double* value = s->value;
    const double *L = value + p->value, *u = s->u;
    const int* target = s->symbolic.target + p->target;
    for (int a = 0; a < rows; a++) {
        double l[4];
        for (int c = 0; c < width; c++) l[c] = L[below(width, rows, c) + a];
        for (int b = a; b < rows; b += 4) {
            sari_vec4 sum = SARI_CONST_VEC(u + b) * l[0];
            for (int c = 1; c < width; c++) sum += SARI_CONST_VEC(u + c * stride + b) * l[c];
            const int count = rows - b;
            value[target[0]] -= sum[0];
            if (count > 1) value[target[1]] -= sum[1];
            if (count > 2) value[target[2]] -= sum[2];
            if (count > 3) value[target[3]] -= sum[3];
            target += count < 4 ? count : 4;
        }
    }
}

SARI_INLINE void eliminate(const int width, const int rows, sparse* s, const sari_panel* p)
{
    double l[4][4];
    factor_inside(width, rows, s, p, l);
    factor_below(width, rows, s, p, l);
    if (rows < 4)
        update_few(width, rows, s, p);
    else
        update(width, rows, s, p);
}

static sar_status sparse_factor_stored(void* self)
{
    sparse* s = self;
    memcpy(s->diagonal, s->value, sizeof(double) * (size_t)s->symbolic.n);
    sari_pivot_watch_start(&s->watch, s->diagonal);
    const sari_panel* end = s->symbolic.panel + s->symbolic.panels;
    for (const sari_panel* p = s->symbolic.panel; p < end; p++) WITH_SHAPE(eliminate, s, p)
    return s->watch.zeros ? SAR_R_SINGULAR : SAR_OK;
}

static sar_status sparse_factor(void* self, const double* x)
{
    sparse* s = self;
    const int* restrict place = s->symbolic.place;
    memset(s->value, 0, sizeof(double) * (size_t)s->symbolic.values);
    for (int e = 0; e < s->entries; e++) s->value[place[e]] = x[e];
    return sparse_factor_stored(self);
}

static void sparse_storage(void* self, sari_solver_storage* out)
{
    sparse* s = self;
    *out = (sari_solver_storage){s->value, (size_t)s->symbolic.values, s->symbolic.place};
}

// L y = b in one panel.
SARI_INLINE void solve_forward(const int width, const int rows, const sparse* s,
                               const sari_panel* p)
{
    const double* restrict L = s->value + p->value;
    const int* restrict row = s->symbolic.row + p->row;
    double* y = s->y;
    double v[4];
    for (int c = 0; c < width; c++) {
        v[c] = y[p->first + c];
        for (int e = 0; e < c; e++) v[c] -= L[below(width, rows, e) - (width - c)] * v[e];
        y[p->first + c] = v[c];
    }
    int r = 0;
    for (; r + 4 <= rows; r += 4) {
        sari_vec4 sum = SARI_CONST_VEC(L + below(width, rows, 0) + r) * v[0];
        for (int c = 1; c < width; c++) sum += SARI_CONST_VEC(L + below(width, rows, c) + r) * v[c];
        for (int k = 0; k < 4; k++) y[row[r + k]] -= sum[k];
    }
    for (; r < rows; r++) {
        double sum = L[below(width, rows, 0) + r] * v[0];
        for (int c = 1; c < width; c++) sum += L[below(width, rows, c) + r] * v[c];
        y[row[r]] -= sum;
    }
}

// L' x = D^-1 y in one panel.
SARI_INLINE void solve_backward(const int width, const int rows, const sparse* s,
                                const sari_panel* p)
{
    const double* restrict L = s->value + p->value;
    const int* restrict row = s->symbolic.row + p->row;
    double* y = s->y;
    double v[4];
    for (int c = 0; c < width; c++) v[c] = y[p->first + c] * s->inverse[p->first + c];
    for (int r = 0; r < rows; r++) {
        const double x = y[row[r]];
        for (int c = 0; c < width; c++) v[c] -= L[below(width, rows, c) + r] * x;
    }
    for (int c = width - 1; c >= 0; c--) {
        for (int e = c + 1; e < width; e++) v[c] -= L[below(width, rows, c) - (width - e)] * v[e];
        y[p->first + c] = v[c];
    }
}

static void sparse_solve(const void* self, double* b)
{
    const sparse* s = self;
    const int n = s->symbolic.n;
    const int* restrict order = s->symbolic.order;
    for (int k = 0; k < n; k++) s->y[k] = b[order[k]];
    const sari_panel* panel = s->symbolic.panel;
    for (int k = 0; k < s->symbolic.panels; k++) WITH_SHAPE(solve_forward, s, &panel[k])
    for (int k = s->symbolic.panels - 1; k >= 0; k--) WITH_SHAPE(solve_backward, s, &panel[k])
    for (int k = 0; k < n; k++) b[order[k]] = s->y[k];
}

// L Y = B in one panel, for SIDE right-hand sides next to each other.
SARI_INLINE void solve_forward_side(const int width, const sparse* s, const sari_panel* p)
{
    const int rows = p->rows;
    const double* restrict L = s->value + p->value;
    const int* restrict row = s->symbolic.row + p->row;
    double v[4][SIDE];
    for (int c = 0; c < width; c++) {
        double* y = s->side + (size_t)(p->first + c) * SIDE;
        for (int b = 0; b < SIDE; b++) v[c][b] = y[b];
        for (int e = 0; e < c; e++) {
            const double l = L[below(width, rows, e) - (width - c)];
            for (int b = 0; b < SIDE; b++) v[c][b] -= l * v[e][b];
        }
        for (int b = 0; b < SIDE; b++) y[b] = v[c][b];
    }
    for (int r = 0; r < rows; r++) {
        double* y = s->side + (size_t)row[r] * SIDE;
        for (int c = 0; c < width; c++) {
            const double l = L[below(width, rows, c) + r];
            for (int b = 0; b < SIDE; b++) y[b] -= l * v[c][b];
        }
    }
}

// L' X = D^-1 Y likewise.
SARI_INLINE void solve_backward_side(const int width, const sparse* s, const sari_panel* p)
{
    const int rows = p->rows;
    const double* restrict L = s->value + p->value;
    const int* restrict row = s->symbolic.row + p->row;
    double v[4][SIDE];
    for (int c = 0; c < width; c++) {
        const double *y = s->side + (size_t)(p->first + c) * SIDE, d = s->inverse[p->first + c];
        for (int b = 0; b < SIDE; b++) v[c][b] = y[b] * d;
    }
    for (int r = 0; r < rows; r++) {
        const double* y = s->side + (size_t)row[r] * SIDE;
        for (int c = 0; c < width; c++) {
            const double l = L[below(width, rows, c) + r];
            for (int b = 0; b < SIDE; b++) v[c][b] -= l * y[b];
        }
    }
    for (int c = width - 1; c >= 0; c--) {
        double* y = s->side + (size_t)(p->first + c) * SIDE;
        for (int e = c + 1; e < width; e++) {
            const double l = L[below(width, rows, c) - (width - e)];
            for (int b = 0; b < SIDE; b++) v[c][b] -= l * v[e][b];
        }
        for (int b = 0; b < SIDE; b++) y[b] = v[c][b];
    }
}

static void solve_side(const sparse* s)
{
    const sari_panel* panel = s->symbolic.panel;
    for (int k = 0; k < s->symbolic.panels; k++) WITH_WIDTH(solve_forward_side, s, &panel[k])
    for (int k = s->symbolic.panels - 1; k >= 0; k--) WITH_WIDTH(solve_backward_side, s, &panel[k])
}

static void sparse_solve_many(const void* self, int count, double* B)
{
    const sparse* s = self;
    const int n = s->symbolic.n;
    const int* restrict order = s->symbolic.order;
    for (int first = 0; first < count; first += SIDE) {
        const int width = count - first < SIDE ? count - first : SIDE;
        for (int k = 0; k < n; k++) {
            const double* b = B + (size_t)order[k] * (size_t)count + first;
            double* y = s->side + (size_t)k * SIDE;
            for (int j = 0; j < SIDE; j++) y[j] = j < width ? b[j] : 0.0;
        }
        solve_side(s);
        for (int k = 0; k < n; k++) {
            double* b = B + (size_t)order[k] * (size_t)count + first;
            const double* y = s->side + (size_t)k * SIDE;
            for (int j = 0; j < width; j++) b[j] = y[j];
        }
    }
}

static void sparse_pivots(const void* self, sari_pivots* out)
{
    const sparse* s = self;
    sari_pivot_report(&s->watch, s->value, out);
}

static long sparse_fill(const void* self)
{
    return ((const sparse*)self)->symbolic.values;
}

static void sparse_archive(void* self, sari_archive* a)
{
    sparse* s = self;
    sari_archive_numbers(a, s->value, (size_t)s->symbolic.values);
    sari_archive_numbers(a, s->inverse, (size_t)s->symbolic.n);
    sari_pivot_watch_archive(&s->watch, a);
}

const sari_solver_ops sari_solver_sparse = {
    .name = "sparse",
    .cite = "amestoy1996 davis2006",
    .text = "sparse L D L' with a static pattern in a fill-reducing order, without pivoting",
    .size = SARI_OBJECT(sparse, memory),
    .create = sparse_create,
    .factor = sparse_factor,
    .factor_stored = sparse_factor_stored,
    .storage = sparse_storage,
    .solve = sparse_solve,
    .solve_many = sparse_solve_many,
    .pivots = sparse_pivots,
    .fill = sparse_fill,
    .archive = sparse_archive,
};
