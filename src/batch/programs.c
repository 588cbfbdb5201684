/* The loops of wide_step.h and wide_solver.h over the tables of a pattern, written out as programs: the
 * same operations on every number in the same order. Sums over rows of J and M are gathered for each
 * coordinate, and numbers that are zero in all lanes are left out, as there. */
#include "batch/writer.h"

#include <string.h>

enum { ROOM = 1 << 19 }; ///< bytes of all programs, at most: they have to stay in the caches

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
    sari_writer* a = &w->as;
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
    sari_writer* a = &w->as;
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
    sari_writer* a = &w->as;
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
    sari_writer* a = &w->as;
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
    sari_writer* a = &w->as;
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
    sari_writer* a = &w->as;
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
    sari_writer* a = &w->as;
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
    sari_writer* a = &w->as;
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
    sari_writer* a = &w->as;
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
    sari_writer* a = &w->as;
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
    sari_writer* a = &w->as;
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
    sari_writer* a = &w->as;
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
    sari_writer* a = &w->as;
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
        to->factor = sari_write_factor(w, &step);
        to->solve = sari_write_solve(w);
    }
    if (s->normal.solver != SARI_LANES_SPARSE) to->look = sari_write_factor(w, &monitor);
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
