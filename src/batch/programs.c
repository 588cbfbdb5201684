/* The loops of wide_step.h and wide_solver.h over the tables of a pattern, written out as programs: the
 * same operations on every number in the same order. Sums over rows of J and M are gathered for each
 * coordinate, and numbers that are zero in all lanes are left out, as there.
 *
 * Numbers of S in the tiles come in another order: below a block of four columns row after row, so that
 * the row's entries of L stay in registers for four columns. */
#include "batch/code.h"
#include "batch/lanes.h"
#include "solvers/dense_fixed.h"

#include <math.h>
#include <string.h>

enum { ROOM = 1 << 19 }; ///< bytes of all programs, at most: they have to stay in the caches
enum { NOTHING = -1 };   ///< in the place of a number: zero

typedef struct writer {
    sari_assembler as;
    sari_code* code;
    sari_lanes* s;
} writer;

static int place(const writer* w, const sari_wide* number)
{
    return (int)((const char*)number - (const char*)w->s->numbers);
}

/* ---- numbers that steps do not change --------------------------------------------------------- */

/* The value that a number has in all lanes; NaN: it has several. */
static double same_value(const writer* w, const sari_wide* number)
{
    const sari_lane_constant* known = &w->s->constant[number - w->s->numbers];
    return known->state == SARI_LANES_SAME ? known->value : NAN;
}

/* Its place; those with one value share it. */
static int constant_place(writer* w, const sari_wide* number)
{
    sari_lanes* s = w->s;
    const double value = same_value(w, number);
    int k = 0;
    if (isnan(value)) return place(w, number);
    while (k < s->pooled && s->pool[k].x[0] != value) k++;
    if (k == SARI_LANES_POOL) return place(w, number);
    if (k == s->pooled) {
        for (int lane = 0; lane < SARI_LANES; lane++) s->pool[k].x[lane] = value;
        s->pooled++;
    }
    return place(w, &s->pool[k]);
}

/* ---- sums -------------------------------------------------------------------------------------- */

/// A sum of products: its register, or -1 as long as it is still what it begins with.
typedef struct sum {
    int reg, from;
} sum;

static sum begin_sum(int from)
{
    return (sum){-1, from};
}

/* sum op a register, which the sum takes over or gives back */
static void accumulate(writer* w, sum* x, sari_operation op, int reg)
{
    sari_assembler* a = &w->as;
    if (x->reg >= 0) {
        sari_asm_operate(a, op, x->reg, x->reg, reg);
        sari_asm_leave(a, reg);
        return;
    }
    const int from = x->from == NOTHING ? SARI_ZERO : sari_asm_number(a, x->from);
    sari_asm_operate(a, op, reg, from, reg);
    if (x->from != NOTHING) sari_asm_leave(a, from);
    x->reg = reg;
}

static void plus_product(writer* w, sum* x, int a, int b)
{
    accumulate(w, x, SARI_ADD, sari_asm_product(&w->as, a, b));
}

static void minus_product(writer* w, sum* x, int a, int b)
{
    accumulate(w, x, SARI_SUBTRACT, sari_asm_product(&w->as, a, b));
}

/* The register of a sum, which may be changed. */
static int value_of(writer* w, sum* x)
{
    sari_assembler* a = &w->as;
    if (x->reg >= 0) return x->reg;
    if (x->from == NOTHING) {
        x->reg = sari_asm_take(a);
        sari_asm_operate(a, SARI_ADD, x->reg, SARI_ZERO, SARI_ZERO);
    } else {
        x->reg = sari_asm_copy(a, x->from);
    }
    return x->reg;
}

static void store_sum(writer* w, sum* x, int to)
{
    const int reg = value_of(w, x);
    sari_asm_store(&w->as, to, reg);
    sari_asm_leave(&w->as, reg);
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* c x, in a register */
static int times_constant(writer* w, const sari_wide* c, int x)
{
    return same_value(w, c) == 1.0 ? sari_asm_copy(&w->as, x)
                                   : sari_asm_product(&w->as, constant_place(w, c), x);
}

/* sum + c x */
static void plus_constant_times(writer* w, sum* y, const sari_wide* c, int x)
{
    const double value = same_value(w, c);
    if (value == 1.0 || value == -1.0)
        sari_asm_operate_number(&w->as, value > 0 ? SARI_ADD : SARI_SUBTRACT, y->reg, y->reg, x);
    else
        plus_product(w, y, constant_place(w, c), x);
}

/* Entry k of H x, in a register. */
static int second_times(writer* w, int k, const sari_wide* x)
{
    const sari_lanes* s = w->s;
    const sari_lane_entry* e = &s->at.entry[k];
    const int at = place(w, x);
    sum y = {times_constant(w, &s->entry_c[0][k], at + e->x[0]), NOTHING};
    if (e->has & SARI_LANES_SECOND) plus_constant_times(w, &y, &s->entry_c[1][k], at + e->x[1]);
    for (int t = e->more; t < e->end; t++)
        plus_constant_times(w, &y, &s->term_c[t], at + s->at.term[t]);
    return y.reg;
}

/* Entry k of J is in a register. */
static void keep_entry(writer* w, int k, int reg, int is_used)
{
    sari_assembler* a = &w->as;
    const sari_lanes* s = w->s;
    if (is_used) {
        const int scaled = sari_asm_take(a);
        sari_asm_operate_number(a, SARI_MULTIPLY, scaled, reg, place(w, s->now_c));
        sari_asm_store(a, place(w, &s->matrix.scaled[k]), scaled);
        sari_asm_leave(a, scaled);
        sari_asm_store(a, place(w, &s->matrix.used[k]), reg);
    }
    sari_asm_store(a, place(w, &s->J[k]), reg);
}

static void write_row(writer* w, int r, int is_used)
{
    sari_assembler* a = &w->as;
    const sari_lanes* s = w->s;
    sum twice = begin_sum(NOTHING);
    for (int k = s->at.first[r]; k < s->at.first[r + 1]; k++) {
        const int reg = second_times(w, k, s->q), product = sari_asm_take(a);
        int both = reg;
        if (s->at.entry[k].has & SARI_LANES_B) {
            sari_asm_operate_number(a, SARI_ADD, reg, reg, constant_place(w, &s->entry_b[k]));
            sari_asm_operate_number(a, SARI_ADD, product, reg, constant_place(w, &s->entry_b[k]));
            both = product;
        }
        sari_asm_operate_number(a, SARI_MULTIPLY, product, both, place(w, s->q) + s->at.entry[k].i);
        keep_entry(w, k, reg, is_used);
        sari_asm_leave(a, reg);
        accumulate(w, &twice, SARI_ADD, product);
    }
    const int phi = value_of(w, &twice);
    sari_asm_operate_number(a, SARI_MULTIPLY, phi, phi, place(w, s->half));
    sari_asm_operate_number(a, SARI_ADD, phi, phi, constant_place(w, &s->row_c[r]));
    sari_asm_operate_number(a, SARI_SUBTRACT, phi, phi, place(w, &s->offset[r]));
    store_sum(w, &twice, place(w, &s->Phi[r]));
}

/* Phi and Phi_q; the latter also as it is used for S. */
static sari_program* write_rows(writer* w, int is_used)
{
    sari_program* here = sari_asm_begin(&w->as, w->code, w->s->where);
    for (int r = 0; r < w->s->at.m; r++) {
        write_row(w, r, is_used);
        sari_asm_pause(&w->as);
    }
    sari_asm_end(&w->as);
    return here;
}

static sari_program* write_bias(writer* w)
{
    const sari_lanes* s = w->s;
    sari_program* here = sari_asm_begin(&w->as, w->code, w->s->where);
    for (int r = 0; r < s->at.m; r++) {
        sum bias = begin_sum(NOTHING);
        for (int k = s->at.first[r]; k < s->at.first[r + 1]; k++) {
            const int reg = second_times(w, k, s->v);
            sari_asm_operate_number(&w->as, SARI_MULTIPLY, reg, reg,
                                    place(w, s->v) + s->at.entry[k].i);
            accumulate(w, &bias, SARI_ADD, reg);
        }
        store_sum(w, &bias, place(w, &s->bias[r]));
        sari_asm_pause(&w->as);
    }
    sari_asm_end(&w->as);
    return here;
}

/* ---- factor ------------------------------------------------------------------------------------- */

/// Where the factor finds its numbers: those of the monitor's matrix, c = 1, are entries of J.
typedef struct source {
    const sari_lane_matrix* z;
    int plain;
} source;

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
    sari_assembler* a = &w->as;
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
    sari_assembler* a = &w->as;
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
    sari_assembler* a = &w->as;
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
    sari_assembler* a = &w->as;
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

static sari_program* write_factor(writer* w, const source* from)
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
    sari_assembler* a = &w->as;
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
    sari_assembler* a = &w->as;
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

static sari_program* write_solve(writer* w)
{
    const sari_lane_matrix* z = &w->s->matrix;
    sari_program* here = sari_asm_begin(&w->as, w->code, w->s->where);
    if (z->solver == SARI_LANES_SMALL) write_small_solve(w);
    for (int k = 0; k < z->tiles; k++) write_tile_forward(w, &z->tile[k]);
    for (int k = z->tiles - 1; k >= 0; k--) write_tile_backward(w, &z->tile[k]);
    sari_asm_end(&w->as);
    return here;
}

/* ---- right-hand sides ---------------------------------------------------------------------------- */

/* y_i of M x, see mass_times. */
static int mass_row(writer* w, int i, const sari_wide* x)
{
    const sari_lanes* s = w->s;
    const int* p = s->at.mass_first;
    const sari_wide* M = s->matrix.mass;
    const int at = place(w, x), size = (int)sizeof(sari_wide);
    sum before = begin_sum(NOTHING);
    for (int c = 0; c < i; c++)
        for (int k = p[c] + 1; k < p[c + 1]; k++)
            if (s->at.mass_i[k] == i * size)
                plus_product(w, &before, place(w, &M[k]), at + c * size);
    if (s->matrix.solver == SARI_LANES_SMALL) {
        for (int k = p[i]; k < p[i + 1]; k++)
            plus_product(w, &before, place(w, &M[k]), at + s->at.mass_i[k]);
        return value_of(w, &before);
    }
    sum after = {sari_asm_product(&w->as, place(w, &M[p[i]]), at + i * size), NOTHING};
    for (int k = p[i] + 1; k < p[i + 1]; k++)
        plus_product(w, &after, place(w, &M[k]), at + s->at.mass_i[k]);
    sari_asm_operate(&w->as, SARI_ADD, after.reg, before.reg < 0 ? SARI_ZERO : before.reg,
                     after.reg);
    if (before.reg >= 0) sari_asm_leave(&w->as, before.reg);
    return after.reg;
}

/* dq_i = from_i - (J' force)_i; the sum is made first in small systems. */
static void write_row_forces(writer* w, int i, int from)
{
    const sari_lanes* s = w->s;
    const sari_lane_matrix* z = &s->matrix;
    const int apart = z->solver == SARI_LANES_SMALL, size = (int)sizeof(sari_wide);
    sari_asm_pause(&w->as);
    sum x = begin_sum(apart ? NOTHING : from);
    for (int r = 0; r < z->m; r++)
        for (int k = z->first[r]; k < z->first[r + 1]; k++)
            if (z->used_i[k] == i * size)
                minus_product(w, &x, place(w, &z->used[k]), place(w, &s->residual[r]));
    if (apart && from != NOTHING) {
        const int reg = value_of(w, &x);
        sari_asm_operate_number(&w->as, SARI_ADD, reg, reg, from);
    }
    store_sum(w, &x, place(w, &s->dq[i]));
}

/* The right-hand side of a correction: in dq, with mu and the forces of the rows. */
static sari_program* write_residuals(writer* w)
{
    const sari_lanes* s = w->s;
    sari_assembler* a = &w->as;
    sari_program* here = sari_asm_begin(a, w->code, w->s->where);
    for (int r = 0; r < s->at.m; r++) {
        const int mu = sari_asm_product(a, place(w, s->now_b), place(w, &s->lambda[r]));
        const int force = sari_asm_product(a, place(w, s->now_c), place(w, &s->Phi[r]));
        sari_asm_operate(a, SARI_ADD, force, mu, force);
        sari_asm_store(a, place(w, &s->mu[r]), mu);
        sari_asm_store(a, place(w, &s->residual[r]), force);
        sari_asm_leave(a, mu);
        sari_asm_leave(a, force);
    }
    for (int i = 0; i < s->at.n; i++) {
        const int f = mass_row(w, i, s->a), Q = sari_asm_number(a, place(w, &s->force[i]));
        sari_asm_operate(a, SARI_SUBTRACT, f, Q, f);
        sari_asm_leave(a, Q);
        sari_asm_operate_number(a, SARI_MULTIPLY, f, f, place(w, s->now_b));
        sari_asm_store(a, place(w, &s->f[i]), f);
        sari_asm_leave(a, f);
        write_row_forces(w, i, place(w, &s->f[i]));
    }
    sari_asm_end(a);
    return here;
}

/* The square of the norm of dq, by four sums, see square_of. */
static void write_square(writer* w)
{
    sari_assembler* a = &w->as;
    const sari_wide* x = w->s->dq;
    const int n = w->s->at.n, whole = n / 4 * 4;
    int reg[4];
    for (int k = 0; k < 4; k++) {
        sum y = begin_sum(NOTHING);
        for (int i = k; i < whole; i += 4) plus_product(w, &y, place(w, &x[i]), place(w, &x[i]));
        for (int i = whole; k == 0 && i < n; i++)
            plus_product(w, &y, place(w, &x[i]), place(w, &x[i]));
        reg[k] = y.reg;
    }
    for (int step = 0; step < 3; step++) { // 0 + 1, 2 + 3, then these
        const int one = step == 1 ? 2 : 0, other = step == 2 ? 2 : one + 1;
        if (reg[other] < 0) continue; // nothing below it either
        sari_asm_operate(a, SARI_ADD, reg[one], reg[one], reg[other]);
        sari_asm_leave(a, reg[other]);
    }
    sari_asm_store(a, place(w, &w->s->seen[SARI_SEEN_SIZE]), reg[0]);
    sari_asm_leave(a, reg[0]);
    sari_asm_pause(a);
}

/* Square and largest entry of dq. */
static void write_size(writer* w)
{
    const sari_lanes* s = w->s;
    sari_assembler* a = &w->as;
    write_square(w);
    const int most = sari_asm_take(a);
    sari_asm_operate(a, SARI_ADD, most, SARI_ZERO, SARI_ZERO);
    for (int i = 0; i < s->at.n; i++) {
        const int x = sari_asm_copy(a, place(w, &s->dq[i]));
        sari_asm_operate_number(a, SARI_AND, x, x, place(w, s->without_sign));
        sari_asm_operate(a, SARI_MAX, most, x, most);
        sari_asm_leave(a, x);
    }
    sari_asm_store(a, place(w, &s->seen[SARI_SEEN_LARGEST]), most);
    sari_asm_leave(a, most);
    sari_asm_pause(a);
}

/* mu with the correction dq, and how large that is */
static sari_program* write_multipliers(writer* w)
{
    const sari_lanes* s = w->s;
    const sari_lane_matrix* z = &s->matrix;
    sari_assembler* a = &w->as;
    const int small = z->solver == SARI_LANES_SMALL, dq = place(w, s->dq);
    sari_program* here = sari_asm_begin(a, w->code, w->s->where);
    for (int r = 0; r < z->m; r++) {
        int k = z->first[r];
        sari_asm_pause(a);
        sum x = begin_sum(NOTHING);
        if (small) x.reg = sari_asm_product(a, place(w, &z->used[k]), dq + z->used_i[k]), k++;
        for (; k < z->first[r + 1]; k++)
            plus_product(w, &x, place(w, &z->used[k]), dq + z->used_i[k]);
        const int reg = value_of(w, &x);
        if (small) sari_asm_operate_number(a, SARI_ADD, reg, reg, place(w, &s->Phi[r]));
        sari_asm_operate_number(a, SARI_MULTIPLY, reg, reg, place(w, s->now_c));
        sari_asm_operate_number(a, SARI_ADD, reg, reg,
                                place(w, small ? &s->mu[r] : &s->residual[r]));
        store_sum(w, &x, place(w, &s->mu[r]));
    }
    sari_asm_pause(a);
    write_size(w);
    sari_asm_end(a);
    return here;
}

/* ---- projections ---------------------------------------------------------------------------------- */

/* The right-hand side of (5) or (6) of x, in dq; e: NULL or the bias. */
static sari_program* write_projection(writer* w, const sari_wide* x, const sari_wide* e)
{
    const sari_lanes* s = w->s;
    sari_assembler* a = &w->as;
    sari_program* here = sari_asm_begin(a, w->code, w->s->where);
    for (int r = 0; r < s->at.m; r++) {
        sari_asm_pause(a);
        sum d = begin_sum(NOTHING);
        for (int k = s->at.first[r]; k < s->at.first[r + 1]; k++)
            plus_product(w, &d, place(w, &s->J[k]), place(w, x) + s->at.entry[k].i);
        const int reg = value_of(w, &d);
        if (e) sari_asm_operate_number(a, SARI_ADD, reg, reg, place(w, &e[r]));
        sari_asm_operate_number(a, SARI_MULTIPLY, reg, reg, place(w, s->now_c));
        store_sum(w, &d, place(w, &s->residual[r]));
    }
    for (int i = 0; i < s->at.n; i++) write_row_forces(w, i, NOTHING);
    sari_asm_end(a);
    return here;
}

/* ---- what is measured ----------------------------------------------------------------------------- */

/* Number k of what is seen becomes at least |x|, in a register. */
static void raise(writer* w, int k, int x)
{
    sari_assembler* a = &w->as;
    const int seen = place(w, &w->s->seen[k]);
    sari_asm_operate_number(a, SARI_AND, x, x, place(w, w->s->without_sign));
    sari_asm_operate_number(a, SARI_MAX, x, x, seen);
    sari_asm_store(a, seen, x);
    sari_asm_leave(a, x);
}

static void write_violations(writer* w)
{
    const sari_lanes* s = w->s;
    for (int k = 0; k <= SARI_SEEN_KINETIC; k++)
        sari_asm_store(&w->as, place(w, &s->seen[k]), SARI_ZERO);
    for (int r = 0; r < s->at.m; r++) {
        sum phi = begin_sum(place(w, &s->Phi[r])), rate = begin_sum(NOTHING);
        sum second = begin_sum(place(w, &s->bias[r]));
        for (int k = s->at.first[r]; k < s->at.first[r + 1]; k++) {
            plus_product(w, &rate, place(w, &s->J[k]), place(w, s->v) + s->at.entry[k].i);
            plus_product(w, &second, place(w, &s->J[k]), place(w, s->a) + s->at.entry[k].i);
        }
        raise(w, 0, value_of(w, &phi));
        raise(w, 1, value_of(w, &rate));
        raise(w, 2, value_of(w, &second));
        sari_asm_pause(&w->as);
    }
}

static void write_kinetic(writer* w)
{
    const sari_lanes* s = w->s;
    const int *p = s->at.mass_first, seen = place(w, &s->seen[SARI_SEEN_KINETIC]);
    const sari_wide* M = s->matrix.mass;
    sari_assembler* a = &w->as;
    for (int c = 0; c < s->at.n; c++) {
        sum off = begin_sum(NOTHING), twice = begin_sum(seen);
        for (int k = p[c] + 1; k < p[c + 1]; k++)
            plus_product(w, &off, place(w, &M[k]), place(w, s->v) + s->at.mass_i[k]);
        const int reg = sari_asm_product(a, place(w, &M[p[c]]), place(w, &s->v[c]));
        const int both = value_of(w, &off);
        sari_asm_operate_number(a, SARI_MULTIPLY, both, both, place(w, s->two));
        sari_asm_operate(a, SARI_ADD, reg, reg, both);
        sari_asm_leave(a, both);
        sari_asm_operate_number(a, SARI_MULTIPLY, reg, reg, place(w, &s->v[c]));
        accumulate(w, &twice, SARI_ADD, reg);
        store_sum(w, &twice, seen);
        sari_asm_pause(a);
    }
    const int twice = sari_asm_product(a, place(w, s->half), seen);
    sari_asm_store(a, seen, twice);
    sari_asm_leave(a, twice);
}

static sari_program* write_measure(writer* w)
{
    sari_program* here = sari_asm_begin(&w->as, w->code, w->s->where);
    write_violations(w);
    write_kinetic(w);
    sari_asm_end(&w->as);
    return here;
}

/* ---- for the monitor ------------------------------------------------------------------------------ */

/* A component of an axis, or its rate, in a register. */
static int component(writer* w, int row, const sari_wide* x, int from)
{
    const sari_lanes* s = w->s;
    sum y = begin_sum(from);
    for (int e = s->at.axis_first[row]; e < s->at.axis_first[row + 1]; e++) {
        const sari_wide* T = &s->axis_t[e];
        accumulate(w, &y, SARI_ADD, times_constant(w, T, place(w, x) + s->at.axis_i[e]));
    }
    return value_of(w, &y);
}

/* x_j rate_k - x_k rate_j, in a register */
static int cross(writer* w, const int x[3], const int rate[3], int j, int k)
{
    sari_assembler* a = &w->as;
    const int one = sari_asm_take(a), other = sari_asm_take(a);
    sari_asm_operate(a, SARI_MULTIPLY, one, x[j], rate[k]);
    sari_asm_operate(a, SARI_MULTIPLY, other, x[k], rate[j]);
    sari_asm_operate(a, SARI_SUBTRACT, one, one, other);
    sari_asm_leave(a, other);
    return one;
}

/* w += 1/2 x X rate of the axis whose components are rows from `row` on; in the plane w = x X rate */
static void write_axis_spin(writer* w, int row, sum spin[3])
{
    const sari_lanes* s = w->s;
    sari_assembler* a = &w->as;
    const int dimension = s->at.dimension;
    int x[3], rate[3];
    for (int k = 0; k < dimension; k++) {
        x[k] = component(w, row + k, s->q, constant_place(w, &s->axis_0[row + k]));
        rate[k] = component(w, row + k, s->v, NOTHING);
    }
    for (int i = dimension == 2 ? 2 : 0; i < 3; i++) {
        const int reg =
            dimension == 2 ? cross(w, x, rate, 0, 1) : cross(w, x, rate, (i + 1) % 3, (i + 2) % 3);
        if (dimension == 3) sari_asm_operate_number(a, SARI_MULTIPLY, reg, reg, place(w, s->half));
        accumulate(w, &spin[i], SARI_ADD, reg);
    }
    for (int k = 0; k < dimension; k++) sari_asm_leave(a, x[k]), sari_asm_leave(a, rate[k]);
}

/* As spin_of; the largest is kept. */
static void write_spin(writer* w, int row)
{
    sari_assembler* a = &w->as;
    const int dimension = w->s->at.dimension, seen = place(w, &w->s->seen[SARI_SEEN_SPIN]);
    sum spin[3] = {begin_sum(NOTHING), begin_sum(NOTHING), begin_sum(NOTHING)};
    for (int axis = 0; axis < (dimension == 2 ? 1 : 3); axis++)
        write_axis_spin(w, row + dimension * axis, spin);
    sum square = begin_sum(NOTHING);
    for (int i = dimension == 2 ? 2 : 0; i < 3; i++) {
        const int reg = value_of(w, &spin[i]);
        sari_asm_operate(a, SARI_MULTIPLY, reg, reg, reg);
        accumulate(w, &square, SARI_ADD, reg);
    }
    sari_asm_square_root(a, square.reg, square.reg);
    sari_asm_operate_number(a, SARI_MAX, square.reg, square.reg, seen);
    store_sum(w, &square, seen);
    sari_asm_pause(a);
}

/* As `watch`, but for what is said of lanes at rest. */
static sari_program* write_watch(writer* w)
{
    const sari_lanes* s = w->s;
    sari_assembler* a = &w->as;
    sari_program* here = sari_asm_begin(a, w->code, s->where);
    sari_asm_store(a, place(w, &s->seen[SARI_SEEN_SPIN]), SARI_ZERO);
    for (int b = 0; b < s->at.bodies; b++) write_spin(w, b * (s->at.dimension == 2 ? 2 : 9));
    sum uu = begin_sum(NOTHING), vv = uu, apart = uu;
    for (int i = 0; i < s->at.n; i++) {
        const int u = place(w, &s->last[i]), v = place(w, &s->v[i]), d = sari_asm_copy(a, u);
        sari_asm_operate_number(a, SARI_SUBTRACT, d, d, v);
        sari_asm_operate(a, SARI_MULTIPLY, d, d, d);
        plus_product(w, &uu, u, u);
        plus_product(w, &vv, v, v);
        accumulate(w, &apart, SARI_ADD, d);
    }
    sari_asm_operate(a, SARI_MULTIPLY, uu.reg, uu.reg, vv.reg);
    sari_asm_square_root(a, vv.reg, uu.reg);
    sari_asm_operate(a, SARI_DIVIDE, apart.reg, apart.reg, vv.reg);
    sari_asm_square_root(a, apart.reg, apart.reg);
    sari_asm_leave(a, vv.reg);
    store_sum(w, &uu, place(w, &s->seen[SARI_SEEN_SIZES]));
    store_sum(w, &apart, place(w, &s->seen[SARI_SEEN_TURN]));
    sari_asm_end(a);
    return here;
}

/* ---- all of them ---------------------------------------------------------------------------------- */

static void write_all(writer* w, sari_lane_programs* to)
{
    const sari_lanes* s = w->s;
    const source step = {&s->matrix, 0}, monitor = {&s->normal, 1};
    to->rows = write_rows(w, 0);
    to->watch = write_watch(w);
    to->bias = write_bias(w);
    to->measure = write_measure(w);
    if (s->matrix.solver != SARI_LANES_SPARSE) {
        to->factor = write_factor(w, &step);
        to->solve = write_solve(w);
    }
    if (s->normal.solver != SARI_LANES_SPARSE) to->look = write_factor(w, &monitor);
    if (s->weighs) return;
    to->used_rows = write_rows(w, 1);
    to->residuals = write_residuals(w);
    to->multipliers = write_multipliers(w);
    to->velocities = write_projection(w, s->v, NULL);
    to->accelerations = write_projection(w, s->a, s->bias);
}

void sari_lanes_write_programs(sari_lanes* s)
{
    writer w = {.code = &s->code, .s = s};
    sari_lane_programs programs = {0};
    s->programs = (sari_lane_programs){.tried = 1};
    s->pooled = 0;
    memset(s->where, -1, (size_t)s->number_count);
    sari_code_release(&s->code);
    if (!sari_code_open(&s->code, ROOM)) return;
    write_all(&w, &programs);
    if (sari_code_close(&s->code)) {
        s->programs = programs;
        s->programs.tried = 1;
    }
}
