/* S = P + c J'J = L D L' and its solves in all lanes: every entry by the operations, in the order, of
 * the library's solver of that size. Where that adds products of entries that are always zero, these
 * are left out: they change nothing.
 *
 * The first names of functions are those of the kernels that they follow: small (dense_small.c),
 * tiles (dense_tiles.c), sparse (sparse.c). */
#ifndef SARI_WIDE_SOLVER_H
#define SARI_WIDE_SOLVER_H

#include "batch/wide.h"

#include <string.h>

/* Lanes whose pivot d is one, see sari_pivot_usable. */
SARI_INLINE mask usable(wide d, wide diagonal)
{
    const wide size = magnitude(d);
    const wide least = plus(times(all(4 * DBL_EPSILON), magnitude(diagonal)), all(1e-300));
    return both(less(least, size), at_most(size, all(DBL_MAX)));
}

/* ---- S -------------------------------------------------------------------------------------- */

/* c J */
static void scale_rows(const sari_lane_matrix* s, wide c)
{
    const int entries = s->first[s->m];
    const wide* restrict J = AT(s->used);
    wide* restrict scaled = AT(s->scaled);
    for (int k = 0; k < entries; k++) scaled[k] = times(c, J[k]);
}

#define AT_ADDRESS(pointer) (*(const wide*)(pointer))

/* sum + a b of the next pairs, one after the other; sum - a b */
SARI_INLINE wide add_pairs(wide sum, int count, const sari_lane_pair** next)
{
    const sari_lane_pair* p = *next;
    for (; count >= 4; count -= 4, p += 4) {
        sum = plus_product(sum, AT_ADDRESS(p[0].a), AT_ADDRESS(p[0].b));
        sum = plus_product(sum, AT_ADDRESS(p[1].a), AT_ADDRESS(p[1].b));
        sum = plus_product(sum, AT_ADDRESS(p[2].a), AT_ADDRESS(p[2].b));
        sum = plus_product(sum, AT_ADDRESS(p[3].a), AT_ADDRESS(p[3].b));
    }
    for (; count > 0; count--, p++) sum = plus_product(sum, AT_ADDRESS(p->a), AT_ADDRESS(p->b));
    *next = p;
    return sum;
}

SARI_INLINE wide subtract_pairs(wide sum, int count, const sari_lane_pair** next)
{
    const sari_lane_pair* p = *next;
    for (; count >= 4; count -= 4, p += 4) {
        sum = minus_product(sum, AT_ADDRESS(p[0].a), AT_ADDRESS(p[0].b));
        sum = minus_product(sum, AT_ADDRESS(p[1].a), AT_ADDRESS(p[1].b));
        sum = minus_product(sum, AT_ADDRESS(p[2].a), AT_ADDRESS(p[2].b));
        sum = minus_product(sum, AT_ADDRESS(p[3].a), AT_ADDRESS(p[3].b));
    }
    for (; count > 0; count--, p++) sum = minus_product(sum, AT_ADDRESS(p->a), AT_ADDRESS(p->b));
    *next = p;
    return sum;
}

static void assemble(const sari_lane_matrix* s)
{
    const sari_lane_bound *value = s->bound, *end = value + s->value_count;
    const sari_lane_pair* pair = s->pair;
    for (; value < end; value++)
        *AT(value->to) = add_pairs(AT_ADDRESS(value->mass), value->adds, &pair);
}

/* ---- factor: the lanes whose pivots are numbers --------------------------------------------- */

static mask small_factor(const sari_lane_matrix* s, wide* restrict a)
{
    const int n = s->n;
    wide* restrict inverse = AT(s->inverse), * restrict pivot = AT(s->pivot);
    wide* restrict diagonal = AT(s->w);
    mask good = mask_of(ALL_LANES);
    for (int k = 0; k < n; k++) diagonal[k] = a[k * n + k];
    for (int k = 0; k < n; k++) {
        wide* restrict u = a + k * n;
        const wide d = u[k], by = over(all(1.0), d);
        good = both(good, usable(d, diagonal[k]));
        inverse[k] = by;
        pivot[k] = d;
        for (int j = k + 1; j < n; j++) {
            const wide uj = u[j];
            for (int i = j; i < n; i++)
                a[j * n + i] = minus(a[j * n + i], times(times(u[i], uj), by));
        }
        for (int i = k + 1; i < n; i++) u[i] = times(u[i], by);
    }
    return good;
}

/* Entry after entry, each assembled when it is needed. */
static mask tiles_factor(const sari_lane_matrix* s)
{
    const sari_lane_column *column = s->column, *last = column + s->n;
    const sari_lane_bound* value = s->bound;
    const sari_lane_pair* pair = s->pair;
    const sari_lane_bound_scaled* w = s->bound_w;
    wide *pivot = AT(s->pivot), *inverse = AT(s->inverse);
    mask good = mask_of(ALL_LANES);
    for (; column < last; column++) {
        const sari_lane_bound_scaled* w_end = s->bound_w + column[1].scaled;
        for (; w < w_end; w++) *AT(w->w) = times(AT_ADDRESS(w->L), AT_ADDRESS(w->pivot));
        const wide diagonal = add_pairs(AT_ADDRESS(value->mass), value->adds, &pair);
        const wide d = subtract_pairs(diagonal, value->less, &pair), by = over(all(1.0), d);
        good = both(good, usable(d, diagonal));
        *pivot++ = d;
        *inverse++ = by;
        for (const sari_lane_bound* end = s->bound + column[1].value; ++value < end;) {
            const wide entry = add_pairs(AT_ADDRESS(value->mass), value->adds, &pair);
            const wide u = subtract_pairs(entry, value->less, &pair);
            *AT(value->u) = u;
            *AT(value->to) = times(u, by);
        }
    }
    return good;
}

/* Start of the entries below a panel in its column c. */
SARI_INLINE int below(const int width, int rows, int c)
{
    return c * (width - 1 + rows) - c * (c - 1) / 2 + (width - 1 - c);
}

SARI_INLINE mask sparse_inside(const int width, const sari_lane_matrix* s, wide* value,
                               const sari_panel* p, wide l[4][4])
{
    wide *column = value + p->value, *inverse = AT(s->inverse), *diagonal = AT(s->pivot);
    mask good = mask_of(ALL_LANES);
    for (int c = 0; c < width; c++) {
        const wide d = value[p->first + c], by = over(all(1.0), d);
        good = both(good, usable(d, diagonal[p->first + c]));
        inverse[p->first + c] = by;
        for (int r = c + 1; r < width; r++) l[c][r] = times(column[r - c - 1], by);
        wide* later = column + (width - 1 - c) + p->rows;
        for (int e = c + 1; e < width; e++) {
            wide* pivot = &value[p->first + e];
            *pivot = minus_product(*pivot, column[e - c - 1], l[c][e]);
            for (int r = e + 1; r < width; r++)
                later[r - e - 1] = minus_product(later[r - e - 1], column[r - c - 1], l[c][e]);
            later += (width - 1 - e) + p->rows;
        }
        for (int r = c + 1; r < width; r++) column[r - c - 1] = l[c][r];
        column += (width - 1 - c) + p->rows;
    }
    return good;
}

SARI_INLINE void sparse_below(const int width, const sari_lane_matrix* s, wide* value,
                              const sari_panel* p, wide l[4][4])
{
    const int rows = p->rows;
    wide *L = value + p->value, *u = AT(s->w);
    const wide* inverse = AT(s->inverse) + p->first;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < width; c++) {
            wide sum = L[below(width, rows, c) + r];
            for (int e = 0; e < c; e++) sum = minus_product(sum, u[e * rows + r], l[e][c]);
            u[c * rows + r] = sum;
            L[below(width, rows, c) + r] = times(sum, inverse[c]);
        }
}

SARI_INLINE void sparse_update(const int width, const sari_lane_matrix* s, wide* value,
                               const sari_panel* p)
{
    const int rows = p->rows;
    const wide *L = value + p->value, *u = AT(s->w);
    const int* target = s->symbolic->target + p->target;
    for (int a = 0; a < rows; a++) {
        wide l[4];
        for (int c = 0; c < width; c++) l[c] = L[below(width, rows, c) + a];
        for (int b = a; b < rows; b++, target++) {
            wide sum = times(u[b], l[0]);
            for (int c = 1; c < width; c++) sum = plus_product(sum, u[c * rows + b], l[c]);
            value[*target] = minus(value[*target], sum);
        }
    }
}

SARI_INLINE mask sparse_eliminate(const int width, const sari_lane_matrix* s, wide* value,
                                  const sari_panel* p)
{
    wide l[4][4];
    const mask good = sparse_inside(width, s, value, p, l);
    sparse_below(width, s, value, p, l);
    sparse_update(width, s, value, p);
    return good;
}

#define OF_WIDTH(kernel, width, ...)                                                               \
    ((width) == 1   ? kernel(1, __VA_ARGS__)                                                       \
     : (width) == 2 ? kernel(2, __VA_ARGS__)                                                       \
     : (width) == 3 ? kernel(3, __VA_ARGS__)                                                       \
                    : kernel(4, __VA_ARGS__))

/* The pivots' places hold the diagonal before it is reduced. */
static mask sparse_factor(const sari_lane_matrix* s, wide* value)
{
    const sari_symbolic* symbolic = s->symbolic;
    mask good = mask_of(ALL_LANES);
    memcpy(s->pivot, value, (size_t)symbolic->n * sizeof *value);
    for (const sari_panel* p = symbolic->panel; p < symbolic->panel + symbolic->panels; p++) {
        const mask panel = p->width == 1   ? sparse_eliminate(1, s, value, p)
                           : p->width == 2 ? sparse_eliminate(2, s, value, p)
                           : p->width == 3 ? sparse_eliminate(3, s, value, p)
                                           : sparse_eliminate(4, s, value, p);
        good = both(good, panel);
    }
    return good;
}

/* S with J as in s->used. The lanes in which it has a factor. */
static mask factor(const sari_lane_matrix* s, wide c)
{
    wide* S = AT(s->S);
    scale_rows(s, c);
    if (s->solver == SARI_LANES_TILES) return tiles_factor(s);
    assemble(s);
    return s->solver == SARI_LANES_SMALL ? small_factor(s, S) : sparse_factor(s, S);
}

/* ---- solve, in place ------------------------------------------------------------------------ */

static void small_solve(const sari_lane_matrix* s, wide* restrict y)
{
    const int n = s->n;
    const wide* restrict L = AT(s->S), * restrict inverse = AT(s->inverse);
    for (int k = 0; k < n; k++) {
        const wide yk = y[k];
        for (int i = k + 1; i < n; i++) y[i] = minus_product(y[i], L[k * n + i], yk);
    }
    for (int k = 0; k < n; k++) y[k] = times(y[k], inverse[k]);
    for (int k = n - 1; k > 0; k--) {
        const wide yk = y[k];
        for (int i = k - 1; i >= 0; i--) y[i] = minus_product(y[i], L[i * n + k], yk);
    }
}

static void tiles_forward(const sari_lane_matrix* s, wide* y)
{
    const sari_lane_tile *t = s->tile, *last = t + s->tiles;
    const sari_lane_bound_row* row = s->bound_row;
    const wide *inverse = AT(s->inverse), *L = AT(s->S);
    for (; t < last; t++) {
        wide v[4];
        for (int c = 0; c < t->width; c++) {
            v[c] = (&PLACE(y, t->j))[c];
            for (int e = 0; e < c; e++) v[c] = minus_product(v[c], PLACE(L, t->L[e][c]), v[e]);
        }
        for (int c = 0; c < t->width; c++)
            (&TO_PLACE(y, t->j))[c] = times(v[c], (&PLACE(inverse, t->j))[c]);
        for (int r = t->row; r < t->end[3]; r++) {
            const sari_lane_bound_row* x = &row[r];
            const wide one =
                plus_product(times(AT_ADDRESS(x->L[0]), v[0]), AT_ADDRESS(x->L[1]), v[1]);
            const wide two =
                plus_product(times(AT_ADDRESS(x->L[2]), v[2]), AT_ADDRESS(x->L[3]), v[3]);
            TO_PLACE(y, x->i) = minus(PLACE(y, x->i), plus(one, two));
        }
    }
}

/* Four partial sums, as the library's kernel has them in the four places of a vector: rows are listed
 * by the one that they go to. */
static void tiles_backward(const sari_lane_matrix* s, wide* x)
{
    const sari_lane_tile* first = s->tile;
    const sari_lane_bound_row* row = s->bound_row;
    const wide* L = AT(s->S);
    for (const sari_lane_tile* t = first + s->tiles - 1; t >= first; t--) {
        wide *at = &TO_PLACE(x, t->j), sum[4][4]; // of each column
        for (int p = 0, r = t->row; p < 4; p++) {
            wide s0 = all(0.0), s1 = s0, s2 = s0, s3 = s0;
            for (; r < t->end[p]; r++) {
                const wide y = PLACE(x, row[r].i);
                s0 = plus_product(s0, AT_ADDRESS(row[r].L[0]), y);
                s1 = plus_product(s1, AT_ADDRESS(row[r].L[1]), y);
                s2 = plus_product(s2, AT_ADDRESS(row[r].L[2]), y);
                s3 = plus_product(s3, AT_ADDRESS(row[r].L[3]), y);
            }
            sum[0][p] = s0, sum[1][p] = s1, sum[2][p] = s2, sum[3][p] = s3;
        }
        for (int c = t->width - 1; c >= 0; c--) {
            wide xc = minus(at[c], plus(plus(sum[c][0], sum[c][1]), plus(sum[c][2], sum[c][3])));
            for (int e = c + 1; e < t->width; e++)
                xc = minus_product(xc, PLACE(L, t->L[c][e]), at[e]);
            at[c] = xc;
        }
    }
}

SARI_INLINE void sparse_forward(const int width, const sari_lane_matrix* s, const sari_panel* p,
                                wide* y)
{
    const int rows = p->rows, *row = s->symbolic->row + p->row;
    const wide* restrict L = AT(s->S) + p->value;
    wide v[4];
    for (int c = 0; c < width; c++) {
        v[c] = y[p->first + c];
        for (int e = 0; e < c; e++)
            v[c] = minus_product(v[c], L[below(width, rows, e) - (width - c)], v[e]);
        y[p->first + c] = v[c];
    }
    for (int r = 0; r < rows; r++) {
        wide sum = times(L[below(width, rows, 0) + r], v[0]);
        for (int c = 1; c < width; c++) sum = plus_product(sum, L[below(width, rows, c) + r], v[c]);
        y[row[r]] = minus(y[row[r]], sum);
    }
}

SARI_INLINE void sparse_backward(const int width, const sari_lane_matrix* s, const sari_panel* p,
                                 wide* y)
{
    const int rows = p->rows, *row = s->symbolic->row + p->row;
    const wide* restrict L = AT(s->S) + p->value;
    wide v[4];
    for (int c = 0; c < width; c++) v[c] = times(y[p->first + c], AT(s->inverse)[p->first + c]);
    for (int r = 0; r < rows; r++) {
        const wide x = y[row[r]];
        for (int c = 0; c < width; c++) v[c] = minus_product(v[c], L[below(width, rows, c) + r], x);
    }
    for (int c = width - 1; c >= 0; c--) {
        for (int e = c + 1; e < width; e++)
            v[c] = minus_product(v[c], L[below(width, rows, c) - (width - e)], v[e]);
        y[p->first + c] = v[c];
    }
}

static void sparse_solve(const sari_lane_matrix* s, wide* b)
{
    const sari_symbolic* symbolic = s->symbolic;
    wide* y = AT(s->y);
    for (int k = 0; k < symbolic->n; k++) y[k] = b[symbolic->order[k]];
    for (int k = 0; k < symbolic->panels; k++)
        OF_WIDTH(sparse_forward, symbolic->panel[k].width, s, &symbolic->panel[k], y);
    for (int k = symbolic->panels - 1; k >= 0; k--)
        OF_WIDTH(sparse_backward, symbolic->panel[k].width, s, &symbolic->panel[k], y);
    for (int k = 0; k < symbolic->n; k++) b[symbolic->order[k]] = y[k];
}

static void solve(const sari_lane_matrix* s, wide* b)
{
    switch (s->solver) {
    case SARI_LANES_SMALL:
        small_solve(s, b);
        return;
    case SARI_LANES_TILES:
        tiles_forward(s, b);
        tiles_backward(s, b);
        return;
    default:
        sparse_solve(s, b);
    }
}

#endif
