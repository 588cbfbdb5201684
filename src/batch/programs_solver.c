/* The factor of S and its solves as programs, see wide_solver.h.
 *
 * Numbers of S in the tiles come in another order: below a block of four columns row after row, so that
 * the row's entries of L stay in registers for four columns. */
#include "solvers/dense_fixed.h"

#include "batch/writer.h" // after it: its `sum` is a name there too

/* ---- factor ------------------------------------------------------------------------------------- */

static int used_place(const writer* w, const source* from, sari_lane_place at, int scaled)
{
    const sari_lane_matrix* z = from->z;
    if (!from->plain) return place(w, scaled ? z->scaled : z->used) + at;
    return place(w, w->s->J) + (z->taken ? z->taken[at / (int)sizeof(sari_wide)] : at);
}

/* Value v of S, before anything is taken off. */
static sum assembled(writer* w, const source* from, const sari_lane_value* v)
{
    sum x = begin_sum(v->mass < 0 ? NOTHING : place(w, from->z->mass) + v->mass);
    for (int p = v[0].product; p < v[1].product; p++)
        plus_product(w, &x, used_place(w, from, from->z->product[p].a, 1),
                     used_place(w, from, from->z->product[p].b, 0));
    return x;
}

/* Is the pivot d a number beside the diagonal before it was reduced? See `usable`. */
static void check_pivot(writer* w, int diagonal, int d, int is_first)
{
    sari_writer* a = &w->as;
    const sari_lanes* s = w->s;
    const int good = place(w, &s->seen[SARI_SEEN_GOOD]);
    const int size = sari_asm_take(a), least = sari_asm_copy(a, diagonal);
    sari_asm_operate_number(a, SARI_AND, size, d, place(w, s->without_sign));
    sari_asm_operate_number(a, SARI_AND, least, least, place(w, s->without_sign));
    sari_asm_operate_number(a, SARI_MULTIPLY, least, least, place(w, s->least_part));
    sari_asm_operate_number(a, SARI_ADD, least, least, place(w, s->least));
    sari_asm_compare(a, SARI_IS_LESS, least, least, size);
    const int largest = sari_asm_number(a, place(w, s->largest));
    sari_asm_compare(a, SARI_IS_AT_MOST, size, size, largest);
    sari_asm_leave(a, largest);
    sari_asm_operate(a, SARI_AND, size, size, least);
    sari_asm_leave(a, least);
    if (!is_first) sari_asm_operate_number(a, SARI_AND, size, size, good);
    sari_asm_store(a, good, size);
    sari_asm_leave(a, size);
}

/* The diagonal before and after it is reduced, and its inverse. */
static void write_pivot(writer* w, const sari_lane_matrix* z, int k, int d)
{
    sari_writer* a = &w->as;
    const int one = sari_asm_number(a, place(w, w->s->one)), by = sari_asm_take(a);
    sari_asm_operate(a, SARI_DIVIDE, by, one, d);
    sari_asm_leave(a, one);
    sari_asm_store(a, place(w, &z->inverse[k]), by);
    sari_asm_leave(a, by);
    check_pivot(w, place(w, &z->diagonal[k]), d, k == 0);
    sari_asm_store(a, place(w, &z->pivot[k]), d);
}

static void write_tile_value(writer* w, const source* from, int c, const sari_lane_value* v)
{
    sari_writer* a = &w->as;
    const sari_lane_matrix* z = from->z;
    const int is_pivot = v == &z->value[z->column[c].value], S = place(w, z->S);
    sari_asm_pause(a);
    sum x = assembled(w, from, v);
    if (is_pivot) {
        sari_asm_store(a, place(w, &z->diagonal[c]), value_of(w, &x));
        sari_asm_leave(a, x.reg);
        x = begin_sum(place(w, &z->diagonal[c]));
    }
    for (int p = v[0].less; p < v[1].less; p++)
        minus_product(w, &x, S + z->less[p].a, S + z->less[p].b);
    const int reg = value_of(w, &x);
    if (is_pivot) {
        write_pivot(w, z, c, reg);
    } else {
        const int L = sari_asm_take(a);
        sari_asm_operate_number(a, SARI_MULTIPLY, L, reg, place(w, &z->inverse[c]));
        sari_asm_store(a, S + v->u, reg);
        sari_asm_store(a, S + v->place, L);
        sari_asm_leave(a, L);
    }
    sari_asm_leave(a, reg);
}

static void write_scaled(writer* w, const sari_lane_matrix* z, const sari_lane_scaled* x)
{
    const int S = place(w, z->S);
    const int reg = sari_asm_product(&w->as, S + x->L, place(w, z->pivot) + x->pivot);
    sari_asm_store(&w->as, S + x->w, reg);
    sari_asm_leave(&w->as, reg);
}

/* Columns c to end - 1. */
static void write_block(writer* w, const source* from, int c, int end)
{
    const sari_lane_matrix* z = from->z;
    const sari_lane_value* next[4];
    for (int k = z->column[c].scaled; k < z->column[end].scaled; k++)
        write_scaled(w, z, &z->w_list[k]);
    for (int k = c; k < end; k++) {
        const sari_lane_value *v = &z->value[z->column[k].value],
                              *last = &z->value[z->column[k + 1].value];
        for (; v < last && v->row < end; v++) write_tile_value(w, from, k, v);
        next[k - c] = v;
    }
    for (int row = end; row < z->n; row++)
        for (int k = c; k < end; k++)
            if (next[k - c] < &z->value[z->column[k + 1].value] && next[k - c]->row == row)
                write_tile_value(w, from, k, next[k - c]++);
}

static void write_tiles_factor(writer* w, const source* from)
{
    const int n = from->z->n;
    for (int c = 0; c < n; c += 4) write_block(w, from, c, c + 4 < n ? c + 4 : n);
}

/// Which entries of the factor of a small matrix are not always zero: [column][row].
typedef struct fill {
    char at[SARI_FIXED_MOST][SARI_FIXED_MOST];
} fill;

static fill find_fill(const sari_lane_matrix* z)
{
    const int n = z->n;
    fill x = {0};
    for (int k = 0; k < z->value_count; k++) {
        const sari_lane_value* v = &z->value[k];
        const int at = v->place / (int)sizeof(sari_wide), c = at / n, r = at % n;
        x.at[c][r] = r == c || v->mass >= 0 || v[0].product < v[1].product;
    }
    for (int k = 0; k < n; k++)
        for (int j = k + 1; j < n; j++)
            for (int i = j; i < n; i++)
                if (x.at[k][i] && x.at[k][j]) x.at[j][i] = 1;
    return x;
}

/* x -= u_k,r u_k,c / d_k, the columns before c one after the other */
static void reduce_small(writer* w, const source* from, const fill* has, int c, int r, sum* x)
{
    const sari_lane_matrix* z = from->z;
    for (int k = 0; k < c; k++) {
        if (!has->at[k][c] || !has->at[k][r]) continue;
        const int reg =
            sari_asm_product(&w->as, place(w, &z->u[k * z->n + r]), place(w, &z->u[k * z->n + c]));
        sari_asm_operate_number(&w->as, SARI_MULTIPLY, reg, reg, place(w, &z->inverse[k]));
        accumulate(w, x, SARI_SUBTRACT, reg);
    }
}

static void write_small_value(writer* w, const source* from, const fill* has,
                              const sari_lane_value* v)
{
    sari_writer* a = &w->as;
    const sari_lane_matrix* z = from->z;
    const int at = v->place / (int)sizeof(sari_wide), c = at / z->n, r = at % z->n;
    if (!has->at[c][r]) return;
    sari_asm_pause(a);
    sum x = assembled(w, from, v);
    if (r == c) {
        sari_asm_store(a, place(w, &z->diagonal[c]), value_of(w, &x));
        sari_asm_leave(a, x.reg);
        x = begin_sum(place(w, &z->diagonal[c]));
    }
    reduce_small(w, from, has, c, r, &x);
    const int reg = value_of(w, &x);
    if (r == c) {
        write_pivot(w, z, c, reg);
    } else {
        const int L = sari_asm_take(a);
        sari_asm_operate_number(a, SARI_MULTIPLY, L, reg, place(w, &z->inverse[c]));
        sari_asm_store(a, place(w, &z->S[at]), L);
        sari_asm_leave(a, L);
        sari_asm_store(a, place(w, &z->u[at]), reg);
    }
    sari_asm_leave(a, reg);
}

static void write_small_factor(writer* w, const source* from)
{
    const fill has = find_fill(from->z);
    for (int k = 0; k < from->z->value_count; k++)
        write_small_value(w, from, &has, &from->z->value[k]);
}

sari_program* sari_write_factor(writer* w, const source* from)
{
    sari_program* here = sari_asm_begin(&w->as, w->code, w->s->where);
    if (from->z->solver == SARI_LANES_SMALL)
        write_small_factor(w, from);
    else
        write_tiles_factor(w, from);
    sari_asm_end(&w->as);
    return here;
}

/* ---- solve: dq, in place ------------------------------------------------------------------------ */

static void times_inverse(writer* w, int y, int inverse)
{
    const int reg = sari_asm_product(&w->as, y, inverse);
    sari_asm_store(&w->as, y, reg);
    sari_asm_leave(&w->as, reg);
}

static void write_small_solve(writer* w)
{
    const sari_lanes* s = w->s;
    const sari_lane_matrix* z = &s->matrix;
    const int n = z->n;
    const fill has = find_fill(z);
    for (int i = 0; i < n; i++) {
        sari_asm_pause(&w->as);
        sum y = begin_sum(place(w, &s->dq[i]));
        for (int k = 0; k < i; k++)
            if (has.at[k][i]) minus_product(w, &y, place(w, &z->S[k * n + i]), place(w, &s->dq[k]));
        if (y.reg >= 0) store_sum(w, &y, y.from);
    }
    for (int i = n - 1; i >= 0; i--) {
        times_inverse(w, place(w, &s->dq[i]), place(w, &z->inverse[i]));
        sum y = begin_sum(place(w, &s->dq[i]));
        for (int k = n - 1; k > i; k--)
            if (has.at[i][k]) minus_product(w, &y, place(w, &z->S[i * n + k]), place(w, &s->dq[k]));
        if (y.reg >= 0) store_sum(w, &y, y.from);
    }
}

/* Place of an entry of L; NOTHING: it is always zero. */
static int entry_of_L(const writer* w, sari_lane_place at)
{
    const sari_lane_matrix* z = &w->s->matrix;
    const int zero = (z->values - 1) * (int)sizeof(sari_wide);
    return at == zero ? NOTHING : place(w, z->S) + at;
}

/* y_i -= (L_i0 v_0 + L_i1 v_1) + (L_i2 v_2 + L_i3 v_3) */
static void write_tile_row(writer* w, const sari_lane_tile* t, const sari_lane_tile_row* row, int v)
{
    sari_writer* a = &w->as;
    const int y = place(w, w->s->dq) + row->i;
    sari_asm_pause(a);
    int half[2] = {-1, -1};
    for (int c = 0; c < 4; c++) {
        const int L = entry_of_L(w, row->L[c]);
        if (L == NOTHING || c >= t->width) continue;
        const int reg = sari_asm_product(a, L, v + c * (int)sizeof(sari_wide));
        if (half[c / 2] < 0) {
            half[c / 2] = reg;
        } else {
            sari_asm_operate(a, SARI_ADD, half[c / 2], half[c / 2], reg);
            sari_asm_leave(a, reg);
        }
    }
    if (half[0] < 0) half[0] = half[1], half[1] = -1;
    if (half[1] >= 0) {
        sari_asm_operate(a, SARI_ADD, half[0], half[0], half[1]);
        sari_asm_leave(a, half[1]);
    }
    sum x = begin_sum(y);
    accumulate(w, &x, SARI_SUBTRACT, half[0]);
    store_sum(w, &x, y);
}

/* The tile's numbers are kept in `v` before they are multiplied by the inverse. */
static void write_tile_forward(writer* w, const sari_lane_tile* t)
{
    const sari_lanes* s = w->s;
    const int size = (int)sizeof(sari_wide), y = place(w, s->dq) + t->j, v = place(w, s->tile);
    for (int c = 0; c < t->width; c++) {
        sum x = begin_sum(y + c * size);
        for (int e = 0; e < c; e++) {
            const int L = entry_of_L(w, t->L[e][c]);
            if (L != NOTHING) minus_product(w, &x, L, v + e * size);
        }
        store_sum(w, &x, v + c * size);
    }
    for (int r = t->row; r < t->end[3]; r++) write_tile_row(w, t, &s->matrix.tile_row[r], v);
    for (int c = 0; c < t->width; c++) {
        const int reg =
            sari_asm_product(&w->as, v + c * size, place(w, s->matrix.inverse) + t->j + c * size);
        sari_asm_store(&w->as, y + c * size, reg);
        sari_asm_leave(&w->as, reg);
    }
}

/* Column c of a tile: the sum of L_ic x_i over the rows i below, by parts; -1: there are none. */
static int write_column_sum(writer* w, const sari_lane_tile* t, int c)
{
    const sari_lanes* s = w->s;
    sari_writer* a = &w->as;
    int reg[4], r = t->row;
    for (int p = 0; p < 4; p++) {
        sum x = begin_sum(NOTHING);
        for (; r < t->end[p]; r++) {
            const sari_lane_tile_row* row = &s->matrix.tile_row[r];
            const int L = entry_of_L(w, row->L[c]);
            if (L != NOTHING) plus_product(w, &x, L, place(w, s->dq) + row->i);
        }
        reg[p] = x.reg;
    }
    for (int step = 0; step < 3; step++) { // 0 + 1, 2 + 3, then these
        const int to = step == 1 ? 2 : 0, other = step == 2 ? 2 : to + 1;
        if (reg[other] < 0) continue;
        if (reg[to] < 0) {
            reg[to] = reg[other];
            continue;
        }
        sari_asm_operate(a, SARI_ADD, reg[to], reg[to], reg[other]);
        sari_asm_leave(a, reg[other]);
    }
    return reg[0];
}

static void write_tile_backward(writer* w, const sari_lane_tile* t)
{
    const sari_lanes* s = w->s;
    const int size = (int)sizeof(sari_wide), x = place(w, s->dq) + t->j;
    for (int c = t->width - 1; c >= 0; c--) {
        sari_asm_pause(&w->as);
        sum y = begin_sum(x + c * size);
        const int below = write_column_sum(w, t, c);
        if (below >= 0) accumulate(w, &y, SARI_SUBTRACT, below);
        for (int e = c + 1; e < t->width; e++) {
            const int L = entry_of_L(w, t->L[c][e]);
            if (L != NOTHING) minus_product(w, &y, L, x + e * size);
        }
        if (y.reg >= 0) store_sum(w, &y, y.from);
    }
}

sari_program* sari_write_solve(writer* w)
{
    const sari_lane_matrix* z = &w->s->matrix;
    sari_program* here = sari_asm_begin(&w->as, w->code, w->s->where);
    if (z->solver == SARI_LANES_SMALL) write_small_solve(w);
    for (int k = 0; k < z->tiles; k++) write_tile_forward(w, &z->tile[k]);
    for (int k = z->tiles - 1; k >= 0; k--) write_tile_backward(w, &z->tile[k]);
    sari_asm_end(&w->as);
    return here;
}
