/* What all programs are written with: numbers and their places, those that are the same in all lanes, and
 * sums of products. */
#ifndef SARI_WRITER_H
#define SARI_WRITER_H

#include "batch/code.h"
#include "batch/lanes.h"

#include <math.h>

enum { NOTHING = -1 }; ///< in the place of a number: zero

typedef struct writer {
    sari_writer as;
    sari_code* code;
    sari_lanes* s;
} writer;

static inline int place(const writer* w, const sari_wide* number)
{
    return (int)((const char*)number - (const char*)w->s->numbers);
}

/* ---- numbers that steps do not change --------------------------------------------------------- */

/* The value that a number has in all lanes; NaN: it has several. */
static inline double same_value(const writer* w, const sari_wide* number)
{
    const sari_lane_constant* known = &w->s->constant[number - w->s->numbers];
    return known->state == SARI_LANES_SAME ? known->value : NAN;
}

/* Its place; those with one value share it. */
static inline int constant_place(writer* w, const sari_wide* number)
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

static inline sum begin_sum(int from)
{
    return (sum){-1, from};
}

/* sum op a register, which the sum takes over or gives back */
static inline void accumulate(writer* w, sum* x, sari_operation op, int reg)
{
    sari_writer* a = &w->as;
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

static inline void plus_product(writer* w, sum* x, int a, int b)
{
    accumulate(w, x, SARI_ADD, sari_asm_product(&w->as, a, b));
}

static inline void minus_product(writer* w, sum* x, int a, int b)
{
    accumulate(w, x, SARI_SUBTRACT, sari_asm_product(&w->as, a, b));
}

/* The register of a sum, which may be changed. */
static inline int value_of(writer* w, sum* x)
{
    sari_writer* a = &w->as;
    if (x->reg >= 0) return x->reg;
    if (x->from == NOTHING) {
        x->reg = sari_asm_take(a);
        sari_asm_operate(a, SARI_ADD, x->reg, SARI_ZERO, SARI_ZERO);
    } else {
        x->reg = sari_asm_copy(a, x->from);
    }
    return x->reg;
}

static inline void store_sum(writer* w, sum* x, int to)
{
    const int reg = value_of(w, x);
    sari_asm_store(&w->as, to, reg);
    sari_asm_leave(&w->as, reg);
}

/* programs_solver.c */
/// Where the factor finds its numbers: those of the monitor's matrix, c = 1, are entries of J.
typedef struct source {
    const sari_lane_matrix* z;
    int plain;
} source;

/// S = L D L' by the small or the tiled solver, and what is solved with it: dq, in place.
sari_program* sari_write_factor(writer* w, const source* from);
sari_program* sari_write_solve(writer* w);

#endif
