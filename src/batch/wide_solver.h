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

static void set_mass(const sari_lanes* s, wide* S)
{
    const sari_lane_pattern* at = &s->at;
    memset(S, 0, (size_t)at->values * sizeof *S);
    for (int k = 0; k < at->mass_first[at->n]; k++) S[at->mass_at[k]] = AT(s->mass)[k];
}

/* Column k of the triangle begins at S + k n. */
static void small_assemble(const sari_lanes* s, wide c, wide* restrict S)
{
    const sari_lane_pattern* at = &s->at;
    const wide* restrict J = AT(s->used);
    set_mass(s, S);
    for (int r = 0; r < at->m; r++)
        for (int a = at->used_first[r]; a < at->used_first[r + 1]; a++) {
            const wide cJ = times(c, J[a]);
            wide* column = S + at->used_i[a] * at->n;
            for (int b = a; b < at->used_first[r + 1]; b++)
                column[at->used_i[b]] = plus_product(column[at->used_i[b]], cJ, J[b]);
        }
}

static void assemble(const sari_lanes* s, wide c, wide* restrict S)
{
    const sari_lane_pattern* at = &s->at;
    const wide* restrict J = AT(s->used);
    const int* restrict place = at->product_at;
    set_mass(s, S);
    for (int r = 0; r < at->m; r++) {
        const int first = at->used_first[r];
        for (int a = first; a < at->used_first[r + 1]; a++) {
            const wide cx = times(c, J[a]);
            for (int b = first; b <= a; b++, place++) S[*place] = plus_product(S[*place], cx, J[b]);
        }
    }
}

/* ---- factor: the lanes whose pivots are numbers --------------------------------------------- */

static mask small_factor(const sari_lanes* s, wide* restrict a)
{
    const int n = s->at.n;
    wide* restrict inverse = AT(s->inverse), * restrict diagonal = AT(s->w);
    mask good = mask_of(~0u);
    for (int k = 0; k < n; k++) diagonal[k] = a[k * n + k];
    for (int k = 0; k < n; k++) {
        wide* restrict u = a + k * n;
        const wide d = u[k], by = over(all(1.0), d);
        good = both(good, usable(d, diagonal[k]));
        inverse[k] = by;
        for (int j = k + 1; j < n; j++) {
            const wide uj = u[j];
            for (int i = j; i < n; i++)
                a[j * n + i] = minus(a[j * n + i], times(times(u[i], uj), by));
        }
        for (int i = k + 1; i < n; i++) u[i] = times(u[i], by);
    }
    return good;
}

/* The block on the diagonal from j0 on. l[e][c] = L_ce. */
SARI_INLINE mask tiles_diagonal(const sari_lanes* s, wide* restrict A, int j0, int width,
                                wide l[4][4], wide inverse[4])
{
    const int stride = s->at.stride;
    const wide* restrict w = AT(s->w);
    mask good = mask_of(~0u);
    wide u[4][4];
    for (int c = 0; c < width; c++) {
        wide* column = A + (j0 + c) * stride + j0;
        for (int r = c; r < width; r++) {
            wide sum = column[r];
            for (int k = 0; k < j0; k++)
                sum = minus_product(sum, A[k * stride + j0 + r], w[4 * k + c]);
            for (int e = 0; e < c; e++) sum = minus_product(sum, u[e][r], l[e][c]);
            u[c][r] = sum;
        }
        const wide d = u[c][c];
        good = both(good, usable(d, column[c]));
        inverse[c] = over(all(1.0), d);
        AT(s->pivot)[j0 + c] = d;
        AT(s->inverse)[j0 + c] = inverse[c];
        for (int r = c + 1; r < width; r++) column[r] = l[c][r] = times(u[c][r], inverse[c]);
    }
    return good;
}

/* Row r below the block. */
SARI_INLINE void tiles_row(const sari_lanes* s, wide* restrict A, int j0, int r, wide l[4][4],
                           const wide inverse[4])
{
    const int stride = s->at.stride;
    const wide* restrict w = AT(s->w);
    wide* B = A + j0 * stride + r;
    wide u0 = B[0], u1 = B[stride], u2 = B[2 * stride], u3 = B[3 * stride];
    for (int k = 0; k < j0; k++) {
        const wide x = A[k * stride + r];
        u0 = minus_product(u0, x, w[4 * k]);
        u1 = minus_product(u1, x, w[4 * k + 1]);
        u2 = minus_product(u2, x, w[4 * k + 2]);
        u3 = minus_product(u3, x, w[4 * k + 3]);
    }
    u1 = minus_product(u1, u0, l[0][1]);
    u2 = minus_product(u2, u0, l[0][2]);
    u3 = minus_product(u3, u0, l[0][3]);
    u2 = minus_product(u2, u1, l[1][2]);
    u3 = minus_product(u3, u1, l[1][3]);
    u3 = minus_product(u3, u2, l[2][3]);
    B[0] = times(u0, inverse[0]);
    B[stride] = times(u1, inverse[1]);
    B[2 * stride] = times(u2, inverse[2]);
    B[3 * stride] = times(u3, inverse[3]);
}

static mask tiles_factor(const sari_lanes* s, wide* restrict A)
{
    const int n = s->at.n, stride = s->at.stride;
    wide* restrict w = AT(s->w);
    mask good = mask_of(~0u);
    for (int j0 = 0; j0 < n; j0 += 4) {
        const int width = n - j0 < 4 ? n - j0 : 4;
        wide l[4][4], inverse[4];
        for (int k = 0; k < j0; k++)
            for (int c = 0; c < width; c++)
                w[4 * k + c] = times(A[k * stride + j0 + c], AT(s->pivot)[k]);
        good = both(good, tiles_diagonal(s, A, j0, width, l, inverse));
        for (int r = j0 + 4; r < n; r++) tiles_row(s, A, j0, r, l, inverse);
    }
    return good;
}

/* Start of the entries below a panel in its column c. */
SARI_INLINE int below(const int width, int rows, int c)
{
    return c * (width - 1 + rows) - c * (c - 1) / 2 + (width - 1 - c);
}

SARI_INLINE mask sparse_inside(const int width, const sari_lanes* s, wide* value,
                               const sari_panel* p, wide l[4][4])
{
    wide *column = value + p->value, *inverse = AT(s->inverse), *diagonal = AT(s->pivot);
    mask good = mask_of(~0u);
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

SARI_INLINE void sparse_below(const int width, const sari_lanes* s, wide* value,
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

SARI_INLINE void sparse_update(const int width, const sari_lanes* s, wide* value,
                               const sari_panel* p)
{
    const int rows = p->rows;
    const wide *L = value + p->value, *u = AT(s->w);
    const int* target = s->at.symbolic->target + p->target;
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

SARI_INLINE mask sparse_eliminate(const int width, const sari_lanes* s, wide* value,
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
static mask sparse_factor(const sari_lanes* s, wide* value)
{
    const sari_symbolic* symbolic = s->at.symbolic;
    mask good = mask_of(~0u);
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
static mask factor(sari_lanes* s, wide c)
{
    wide* S = AT(s->S);
    switch (s->at.solver) {
    case SARI_LANES_SMALL:
        small_assemble(s, c, S);
        return small_factor(s, S);
    case SARI_LANES_TILES:
        assemble(s, c, S);
        return tiles_factor(s, S);
    default:
        assemble(s, c, S);
        return sparse_factor(s, S);
    }
}

/* ---- solve, in place ------------------------------------------------------------------------ */

static void small_solve(const sari_lanes* s, wide* restrict y)
{
    const int n = s->at.n;
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

static void tiles_forward(const sari_lanes* s, wide* restrict y)
{
    const int n = s->at.n, stride = s->at.stride;
    const wide* restrict inverse = AT(s->inverse);
    for (int j0 = 0; j0 < n; j0 += 4) {
        const int width = n - j0 < 4 ? n - j0 : 4;
        const wide* restrict L = AT(s->S) + j0 * stride;
        wide v[4];
        for (int c = 0; c < width; c++) {
            v[c] = y[j0 + c];
            for (int e = 0; e < c; e++) v[c] = minus_product(v[c], L[e * stride + j0 + c], v[e]);
        }
        for (int c = 0; c < width; c++) y[j0 + c] = times(v[c], inverse[j0 + c]);
        for (int i = j0 + 4; i < n; i++) {
            const wide one = plus_product(times(L[i], v[0]), L[stride + i], v[1]);
            const wide two = plus_product(times(L[2 * stride + i], v[2]), L[3 * stride + i], v[3]);
            y[i] = minus(y[i], plus(one, two));
        }
    }
}

/* Four partial sums, as the library's kernel has them in the four places of a vector. */
static void tiles_backward(const sari_lanes* s, wide* restrict x)
{
    const int n = s->at.n, stride = s->at.stride;
    for (int j0 = (n - 1) / 4 * 4; j0 >= 0; j0 -= 4) {
        const int width = n - j0 < 4 ? n - j0 : 4;
        const wide* restrict L = AT(s->S) + j0 * stride;
        for (int c = width - 1; c >= 0; c--) {
            const wide* restrict column = L + c * stride;
            wide sum[4] = {all(0.0), all(0.0), all(0.0), all(0.0)};
            int i = j0 + 4;
            for (; i + 4 <= n; i += 4) {
                sum[0] = plus_product(sum[0], column[i], x[i]);
                sum[1] = plus_product(sum[1], column[i + 1], x[i + 1]);
                sum[2] = plus_product(sum[2], column[i + 2], x[i + 2]);
                sum[3] = plus_product(sum[3], column[i + 3], x[i + 3]);
            }
            if (i < n) sum[0] = plus_product(sum[0], column[i], x[i]);
            if (i + 1 < n) sum[1] = plus_product(sum[1], column[i + 1], x[i + 1]);
            if (i + 2 < n) sum[2] = plus_product(sum[2], column[i + 2], x[i + 2]);
            wide xc = minus(x[j0 + c], plus(plus(sum[0], sum[1]), plus(sum[2], sum[3])));
            for (int e = c + 1; e < width; e++) xc = minus_product(xc, column[j0 + e], x[j0 + e]);
            x[j0 + c] = xc;
        }
    }
}

SARI_INLINE void sparse_forward(const int width, const sari_lanes* s, const sari_panel* p, wide* y)
{
    const int rows = p->rows, *row = s->at.symbolic->row + p->row;
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

SARI_INLINE void sparse_backward(const int width, const sari_lanes* s, const sari_panel* p, wide* y)
{
    const int rows = p->rows, *row = s->at.symbolic->row + p->row;
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

static void sparse_solve(const sari_lanes* s, wide* b)
{
    const sari_symbolic* symbolic = s->at.symbolic;
    wide* y = AT(s->y);
    for (int k = 0; k < symbolic->n; k++) y[k] = b[symbolic->order[k]];
    for (int k = 0; k < symbolic->panels; k++)
        OF_WIDTH(sparse_forward, symbolic->panel[k].width, s, &symbolic->panel[k], y);
    for (int k = symbolic->panels - 1; k >= 0; k--)
        OF_WIDTH(sparse_backward, symbolic->panel[k].width, s, &symbolic->panel[k], y);
    for (int k = 0; k < symbolic->n; k++) b[symbolic->order[k]] = y[k];
}

static void solve(const sari_lanes* s, wide* b)
{
    switch (s->at.solver) {
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
