/* What the monitor of singular positions asks for, in all lanes at once. */
#ifndef SARI_WIDE_MONITOR_H
#define SARI_WIDE_MONITOR_H

#include "batch/wide_step.h"

/* Products as those of sari_pivot_report, as long as they need no exponents of their own. */
static void glance(sari_lanes* s, unsigned lanes, const sari_wide* shift, sari_wide* determinant,
                   sari_wide* positive)
{
    const sari_lane_matrix* z = &s->normal;
    const wide *D = AT(s->D), by = ONE(*shift), low = all(0x1p-400), high = all(0x1p400);
    const int n = z->n;
    wide *P = AT(z->mass), product = all(1.0), above = all(0.0);
    for (int i = 0; i < n; i++) P[i] = times(by, D[i]);
    mask known;
    if (s->programs.look) {
        run_program_in(s->programs.look, s, lanes);
        known = seen_good(s);
    } else {
        use_rows(s, z, mask_of(ALL_LANES));
        known = factor(z, all(1.0));
    }
    const wide* pivot = z->solver == SARI_LANES_SPARSE ? AT(z->S) : AT(z->pivot);
    for (int k = 0; k < n; k++) {
        const wide size = magnitude(pivot[k]);
        known = both(known, both(less(low, size), less(size, high)));
        product = times(product, size);
        known = both(known, both(less(low, product), less(product, high)));
        above = plus(above, choose(less(all(0.0), pivot[k]), all(1.0), all(0.0)));
    }
    ONE(*determinant) = choose(known, product, all(NAN));
    ONE(*positive) = choose(known, above, all(NAN));
}

/* A component of an axis, or its rate. */
SARI_INLINE wide component(const sari_lanes* s, int row, const wide* x, wide sum)
{
    for (int e = s->at.axis_first[row]; e < s->at.axis_first[row + 1]; e++)
        sum = plus_product(sum, AT(s->axis_t)[e], PLACE(x, s->at.axis_i[e]));
    return sum;
}

/* w += 1/2 x X rate */
SARI_INLINE void add_half_cross(const wide x[3], const wide rate[3], wide w[3])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const wide part_of = minus(times(x[j], rate[k]), times(x[k], rate[j]));
        w[i] = plus(w[i], times(all(0.5), part_of));
    }
}

/* As sari_spin_of and sari_norm3; the rows of its axes begin at `row`. */
static wide spin_of(const sari_lanes* s, int row)
{
    const wide *q = AT(s->q), *v = AT(s->v), *x0 = AT(s->axis_0);
    wide w[3] = {all(0.0), all(0.0), all(0.0)}, x[3], rate[3];
    const int dimension = s->at.dimension;
    for (int axis = 0; axis < (dimension == 2 ? 1 : 3); axis++, row += dimension) {
        for (int k = 0; k < dimension; k++) {
            x[k] = component(s, row + k, q, x0[row + k]);
            rate[k] = component(s, row + k, v, all(0.0));
        }
        if (dimension == 2)
            w[2] = minus(times(x[0], rate[1]), times(x[1], rate[0]));
        else
            add_half_cross(x, rate, w);
    }
    return square_root(plus(plus(times(w[0], w[0]), times(w[1], w[1])), times(w[2], w[2])));
}

/* As fastest_spin and turned of monitor.c. */
static void watch(sari_lanes* s, unsigned lanes)
{
    if (s->programs.watch) {
        const wide* seen = AT(s->seen);
        run_program_in(s->programs.watch, s, lanes);
        ONE(s->spin) = seen[SARI_SEEN_SPIN];
        ONE(s->turned) =
            choose(less(all(0.0), seen[SARI_SEEN_SIZES]), seen[SARI_SEEN_TURN], all(1.0));
        return;
    }
    const wide *u = AT(s->last), *v = AT(s->v);
    const int n = s->at.n, each = s->at.dimension == 2 ? 2 : 9;
    wide spin = all(0.0), uu = spin, vv = spin, apart = spin;
    for (int b = 0; b < s->at.bodies; b++) spin = larger(spin, spin_of(s, each * b));
    for (int i = 0; i < n; i++) {
        const wide d = minus(u[i], v[i]);
        uu = plus_product(uu, u[i], u[i]);
        vv = plus_product(vv, v[i], v[i]);
        apart = plus_product(apart, d, d);
    }
    const wide sizes = times(uu, vv);
    const wide turn = square_root(over(apart, square_root(sizes)));
    ONE(s->spin) = spin;
    ONE(s->turned) = choose(less(all(0.0), sizes), turn, all(1.0));
}

#endif
