/* A step in all lanes, and what is measured after it. Equations (1)-(6) are those of
 * formulations/al3.c, (N1) is (1) of integrators/newmark.c. */
#ifndef SARI_WIDE_STEP_H
#define SARI_WIDE_STEP_H

#include "batch/wide_solver.h"

static const double REUSED = 1e-9; ///< as in al3.c: the last S is good for the projections
static const double USUAL = 1e-9;  ///< sari_usual_correction without rows on velocities

/// The sizes of a step, and what follows from them.
typedef struct shifts {
    wide h, ca, b, c;
    wide keep, h0, h1; ///< of (N1)
} shifts;

static shifts shifts_of(const sari_lanes* s, wide h)
{
    const wide one = all(1.0), beta = ONE(s->beta), gamma = ONE(s->gamma);
    shifts z = {.h = h, .ca = over(one, times(times(beta, h), h))};
    const wide given = ONE(s->alpha);
    const wide alpha = choose(less(all(0.0), given), given, times(ONE(s->own), z.ca));
    z.b = over(one, z.ca);
    z.c = over(alpha, z.ca);
    z.keep = minus(over(all(0.5), beta), one);
    z.h0 = times(h, minus(one, gamma));
    z.h1 = times(h, gamma);
    return z;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* An entry of H x. */
SARI_INLINE wide second_times(const sari_lanes* s, const sari_lane_entry* e, int k, const wide* x,
                              const int is_long)
{
    wide sum =
        plus_product(times(AT(s->entry_c[0])[k], x[e->x[0]]), AT(s->entry_c[1])[k], x[e->x[1]]);
    for (int t = e->more; is_long && t < e->end; t++)
        sum = plus_product(sum, AT(s->term_c)[t], x[s->at.term[t]]);
    return sum;
}

SARI_INLINE wide gradient_of_row(const sari_lanes* s, int r, const wide* x, const int is_long,
                                 wide* restrict g)
{
    wide twice = all(0.0);
    for (int k = s->at.first[r]; k < s->at.first[r + 1]; k++) {
        const sari_lane_entry* e = &s->at.entry[k];
        const wide b = AT(s->entry_b)[k], sum = plus(b, second_times(s, e, k, x, is_long));
        if (g) g[k] = sum;
        twice = plus_product(twice, x[e->i], plus(b, sum));
    }
    return plus(AT(s->row_c)[r], times(all(0.5), twice));
}

static wide value_of_row(const sari_lanes* s, int r, const wide* x)
{
    return gradient_of_row(s, r, x, 1, NULL);
}

/* Phi and Phi_q */
static void eval_rows(sari_lanes* s)
{
    const wide* q = AT(s->q);
    wide* J = AT(s->J);
    for (int r = 0; r < s->at.m; r++) {
        const wide phi =
            s->at.is_long[r] ? gradient_of_row(s, r, q, 1, J) : gradient_of_row(s, r, q, 0, J);
        AT(s->Phi)[r] = minus(phi, AT(s->offset)[r]);
    }
}

SARI_INLINE wide curvature_of_row(const sari_lanes* s, int r, const wide* v, const int is_long)
{
    wide sum = all(0.0);
    for (int k = s->at.first[r]; k < s->at.first[r + 1]; k++) {
        const sari_lane_entry* e = &s->at.entry[k];
        sum = plus_product(sum, v[e->i], second_times(s, e, k, v, is_long));
    }
    return sum;
}

static void eval_bias(sari_lanes* s)
{
    const wide* v = AT(s->v);
    for (int r = 0; r < s->at.m; r++)
        AT(s->bias)
        [r] = s->at.is_long[r] ? curvature_of_row(s, r, v, 1) : curvature_of_row(s, r, v, 0);
}

/* Phi_q as it is factored, in the lanes of `which`. */
static void use_rows(sari_lanes* s, mask which, int all_lanes)
{
    const sari_lane_pattern* at = &s->at;
    wide* used = AT(s->used);
    for (int r = 0; r < at->m; r++)
        for (int k = at->used_first[r]; k < at->used_first[r + 1]; k++) {
            wide x = AT(s->J)[at->taken ? at->taken[k] : k];
            if (s->weighs) x = times(x, AT(s->root)[r]);
            used[k] = all_lanes ? x : choose(which, x, used[k]);
        }
}

/* ---- the linear problem --------------------------------------------------------------------- */

SARI_INLINE wide used_times(const sari_lanes* s, int r, wide sum, int first, const wide* x)
{
    for (int k = s->at.used_first[r] + first; k < s->at.used_first[r + 1]; k++)
        sum = plus_product(sum, AT(s->used)[k], x[s->at.used_i[k]]);
    return sum;
}

/* y += f J_r, y -= f J_r */
SARI_INLINE void add_row(const sari_lanes* s, int r, wide f, wide* restrict y)
{
    for (int k = s->at.used_first[r]; k < s->at.used_first[r + 1]; k++)
        y[s->at.used_i[k]] = plus_product(y[s->at.used_i[k]], f, AT(s->used)[k]);
}

SARI_INLINE void subtract_row(const sari_lanes* s, int r, wide f, wide* restrict y)
{
    for (int k = s->at.used_first[r]; k < s->at.used_first[r + 1]; k++)
        y[s->at.used_i[k]] = minus_product(y[s->at.used_i[k]], f, AT(s->used)[k]);
}

/* (3) and (4) for a small system: forces of rows are added up before f is. */
static void small_correct(sari_lanes* s, wide c)
{
    wide *dq = AT(s->dq), *mu = AT(s->mu), *g = AT(s->g);
    for (int i = 0; i < s->at.n; i++) dq[i] = all(0.0);
    for (int r = 0; r < s->at.m; r++) subtract_row(s, r, minus(mu[r], times(c, g[r])), dq);
    for (int i = 0; i < s->at.n; i++) dq[i] = plus(AT(s->f)[i], dq[i]);
    solve(s, dq);
    for (int r = 0; r < s->at.m; r++) {
        const int first = s->at.used_first[r];
        const wide Jx = times(AT(s->used)[first], dq[s->at.used_i[first]]);
        mu[r] = plus_product(mu[r], c, minus(used_times(s, r, Jx, 1, dq), g[r]));
    }
}

static void large_correct(sari_lanes* s, wide c)
{
    wide *dq = AT(s->dq), *mu = AT(s->mu), *force = AT(s->residual);
    for (int i = 0; i < s->at.n; i++) dq[i] = AT(s->f)[i];
    for (int r = 0; r < s->at.m; r++) {
        force[r] = minus(mu[r], times(c, AT(s->g)[r]));
        add_row(s, r, negative(force[r]), dq);
    }
    solve(s, dq);
    for (int r = 0; r < s->at.m; r++)
        mu[r] = plus_product(force[r], c, used_times(s, r, all(0.0), 0, dq));
}

/* dq and mu from f, g and mu */
static void correct(sari_lanes* s, wide c)
{
    wide *mu = AT(s->mu), *g = AT(s->g), *root = AT(s->root);
    for (int r = 0; s->weighs && r < s->at.m; r++) {
        mu[r] = over(mu[r], root[r]);
        g[r] = times(root[r], g[r]);
    }
    if (s->at.solver == SARI_LANES_SMALL)
        small_correct(s, c);
    else
        large_correct(s, c);
    for (int r = 0; s->weighs && r < s->at.m; r++) mu[r] = times(mu[r], root[r]);
}

/* J_r x */
SARI_INLINE wide row_times(const sari_lanes* s, int r, wide sum, const wide* x)
{
    for (int k = s->at.first[r]; k < s->at.first[r + 1]; k++)
        sum = plus_product(sum, AT(s->J)[k], x[s->at.entry[k].i]);
    return sum;
}

/* (5) or (6) of x; e: NULL or the bias */
static void project(sari_lanes* s, wide c, const wide* e, wide* x)
{
    wide *dx = AT(s->dq), *d = AT(s->residual);
    const int small = s->at.solver == SARI_LANES_SMALL;
    for (int pass = 0; pass < s->at.projections; pass++) {
        for (int i = 0; i < s->at.n; i++) dx[i] = all(0.0);
        for (int r = 0; r < s->at.m; r++) {
            d[r] = plus(row_times(s, r, all(0.0), x), e ? e[r] : all(0.0));
            if (s->weighs) d[r] = times(d[r], AT(s->root)[r]);
            if (small)
                subtract_row(s, r, times(c, d[r]), dx);
            else
                add_row(s, r, times(negative(c), d[r]), dx);
        }
        solve(s, dx);
        for (int i = 0; i < s->at.n; i++) x[i] = plus(x[i], dx[i]);
    }
}

/* y = M x. Small systems go through whole rows, others through the columns of the triangle. */
static void mass_times(const sari_lanes* s, const wide* x, wide* restrict y)
{
    const int *p = s->at.mass_first, *i = s->at.mass_i;
    const wide* M = AT(s->mass);
    for (int r = 0; r < s->at.n; r++) y[r] = all(0.0);
    for (int c = 0; c < s->at.n; c++) {
        wide sum = times(M[p[c]], x[c]);
        if (s->at.solver == SARI_LANES_SMALL) sum = plus(y[c], sum);
        for (int k = p[c] + 1; k < p[c + 1]; k++) {
            y[i[k]] = plus_product(y[i[k]], M[k], x[c]);
            sum = plus_product(sum, M[k], x[i[k]]);
        }
        y[c] = s->at.solver == SARI_LANES_SMALL ? sum : plus(y[c], sum);
    }
}

/* ---- the iteration -------------------------------------------------------------------------- */

/* Four sums, as in newmark.c. */
static wide square_of(const wide* x, int n)
{
    wide sum[4] = {all(0.0), all(0.0), all(0.0), all(0.0)};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] = plus_product(sum[k], x[i + k], x[i + k]);
    for (; i < n; i++) sum[0] = plus_product(sum[0], x[i], x[i]);
    return plus(plus(sum[0], sum[1]), plus(sum[2], sum[3]));
}

static wide largest_of(const wide* x, int n)
{
    wide most = all(0.0);
    for (int i = 0; i < n; i++) most = larger(most, magnitude(x[i]));
    return most;
}

static void copy(const sari_wide* from, int n, sari_wide* to)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

static void predict(sari_lanes* s, wide h)
{
    const int n = s->at.n;
    copy(s->q, n, s->q0);
    copy(s->v, n, s->v0);
    copy(s->a, n, s->a0);
    copy(s->lambda, s->at.m, s->lambda0);
    const wide half = times(times(all(0.5), h), h);
    for (int i = 0; i < n; i++) {
        const wide v0 = AT(s->v0)[i], a0 = AT(s->a0)[i];
        AT(s->d)[i] = plus(times(h, v0), times(half, a0));
        AT(s->v)[i] = plus(v0, times(h, a0));
        AT(s->q)[i] = plus(AT(s->q0)[i], AT(s->d)[i]);
    }
}

/* f, g and mu of the present position */
static void residuals(sari_lanes* s, const shifts* z)
{
    wide* f = AT(s->f);
    mass_times(s, AT(s->a), f);
    for (int i = 0; i < s->at.n; i++) f[i] = times(z->b, minus(AT(s->force)[i], f[i]));
    for (int r = 0; r < s->at.m; r++) {
        AT(s->g)[r] = negative(AT(s->Phi)[r]);
        AT(s->mu)[r] = times(z->b, AT(s->lambda)[r]);
    }
}

/* (N1) with the correction dq, and (4), in the lanes that go on. */
static void apply(sari_lanes* s, const shifts* z, mask going)
{
    for (int i = 0; i < s->at.n; i++) {
        wide *d = AT(s->d) + i, *v = AT(s->v) + i, *a = AT(s->a) + i, *q = AT(s->q) + i;
        const wide v0 = AT(s->v0)[i], a0 = AT(s->a0)[i], moved = plus(*d, AT(s->dq)[i]);
        const wide now = minus(times(z->ca, minus(moved, times(z->h, v0))), times(z->keep, a0));
        const wide speed = plus(plus(v0, times(z->h0, a0)), times(z->h1, now));
        *d = choose(going, moved, *d);
        *a = choose(going, now, *a);
        *v = choose(going, speed, *v);
        *q = choose(going, plus(AT(s->q0)[i], moved), *q);
    }
    for (int r = 0; r < s->at.m; r++) {
        wide* lambda = AT(s->lambda) + r;
        *lambda = choose(going, times(z->ca, AT(s->mu)[r]), *lambda);
    }
}

/// Of the corrections of a step.
typedef struct course {
    wide norm, added, last;
    wide size;    ///< of the last correction of every lane
    wide largest; ///< number in it
    wide count;
} course;

/* sari_converged, for the iterations that lanes do: fewer than SARI_LAST_CORRECTION. */
static mask small_enough(const course* k, wide size)
{
    const wide rounding = times(all(1e-12), k->norm), last = k->last;
    const mask shrinks = less(size, last);
    const wide left = times(size, over(size, minus(last, size)));
    mask good = both(shrinks, at_most(left, times(all(1e-3), k->added)));
    good = either(good, less(size, times(all(1e-3), rounding)));
    return either(good, both(less(size, rounding), less(last, times(all(2.0), size))));
}

/* As `converged` of newmark.c. */
static mask converged(const sari_lanes* s, const course* k, int iteration, wide size)
{
    const wide tolerance = ONE(s->tolerance);
    const mask given = less(all(0.0), tolerance);
    mask good;
    if (iteration == 1) {
        good = less(size, all(1e-14));
    } else {
        good = less(size, times(all(USUAL), larger(all(1.0), k->norm)));
        if (!s->at.published) good = both(good, small_enough(k, size));
    }
    return either(both(given, less(size, tolerance)), without(good, given));
}

/* Corrections until all lanes have converged or are given up; the lanes that have. */
static mask iterate(sari_lanes* s, const shifts* z, mask active, course* k)
{
    const int n = s->at.n;
    mask going = active, good = mask_of(0);
    *k = (course){.norm = square_root(square_of(AT(s->q0), n)), .last = all(INFINITY)};
    for (int iteration = 1; lanes_of(going); iteration++) {
        eval_rows(s);
        use_rows(s, going, iteration == 1);
        going = both(going, factor(s, z->c));
        residuals(s, z);
        correct(s, z->c);
        apply(s, z, going);
        const wide size = square_root(square_of(AT(s->dq), n));
        going = both(going, at_most(size, all(DBL_MAX)));
        k->size = choose(going, size, k->size);
        k->largest = choose(going, largest_of(AT(s->dq), n), k->largest);
        k->count = choose(going, plus(k->count, all(1.0)), k->count);
        k->added = choose(going, plus(k->added, size), k->added);
        const mask done = both(going, converged(s, k, iteration, size));
        k->last = size;
        good = either(good, done);
        going = both(without(going, done), less(all(iteration), ONE(s->patience)));
    }
    return good;
}

/* (5) and (6); the lanes in which they have a solution. */
static mask project_all(sari_lanes* s, const shifts* z, const course* k)
{
    mask good = mask_of(~0u);
    const mask anew = less(all(REUSED), k->largest);
    eval_rows(s);
    if (lanes_of(anew)) {
        use_rows(s, anew, 0);
        good = factor(s, z->c);
    }
    project(s, z->c, NULL, AT(s->v));
    eval_bias(s);
    project(s, z->c, AT(s->bias), AT(s->a));
    return good;
}

/* ---- what is measured ----------------------------------------------------------------------- */

/// At the end of a step.
typedef struct measured {
    wide kinetic, potential, violation[3];
} measured;

static wide kinetic_energy(const sari_lanes* s)
{
    const int *p = s->at.mass_first, *i = s->at.mass_i;
    const wide *M = AT(s->mass), *v = AT(s->v);
    wide twice = all(0.0);
    for (int c = 0; c < s->at.n; c++) {
        wide off = all(0.0);
        for (int k = p[c] + 1; k < p[c + 1]; k++) off = plus_product(off, M[k], v[i[k]]);
        const wide sum = plus(times(M[p[c]], v[c]), times(all(2.0), off));
        twice = plus_product(twice, v[c], sum);
    }
    return times(all(0.5), twice);
}

static void measure(const sari_lanes* s, measured* x)
{
    const wide *v = AT(s->v), *a = AT(s->a), *q = AT(s->q);
    for (int k = 0; k < 3; k++) x->violation[k] = all(0.0);
    for (int r = 0; r < s->at.m; r++) {
        wide rate = all(0.0), second = AT(s->bias)[r];
        for (int k = s->at.first[r]; k < s->at.first[r + 1]; k++) {
            const int i = s->at.entry[k].i;
            rate = plus_product(rate, AT(s->J)[k], v[i]);
            second = plus_product(second, AT(s->J)[k], a[i]);
        }
        x->violation[0] = larger(x->violation[0], magnitude(AT(s->Phi)[r]));
        x->violation[1] = larger(x->violation[1], magnitude(rate));
        x->violation[2] = larger(x->violation[2], magnitude(second));
    }
    x->kinetic = kinetic_energy(s);
    x->potential = plus(all(0.0), ONE(s->weight_0));
    for (int i = 0; i < s->at.n; i++)
        x->potential = minus_product(x->potential, AT(s->force)[i], q[i]);
}

static mask finite_state(const sari_lanes* s)
{
    wide sum = all(0.0);
    for (int i = 0; i < s->at.n; i++)
        sum = plus(sum, plus(AT(s->q)[i], plus(AT(s->v)[i], AT(s->a)[i])));
    return at_most(magnitude(sum), all(DBL_MAX));
}

SARI_INLINE void keep(sari_wide* number, mask which, wide value)
{
    ONE(*number) = choose(which, value, ONE(*number));
}

SARI_INLINE void keep_larger(sari_wide* number, mask which, wide value)
{
    keep(number, which, larger(ONE(*number), value));
}

/* Statistics of a run, as update_statistics of simulation.c. */
static void record(sari_lanes* s, const shifts* z, const course* k, const measured* x, mask good)
{
    const wide work = ONE(s->work), balance = minus(plus(x->kinetic, x->potential), work);
    const wide drift = minus(balance, ONE(s->energy_initial)), size = magnitude(drift);
    keep(&s->balance_before, good, minus(plus(ONE(s->kinetic), ONE(s->potential)), work));
    keep(&s->kinetic, good, x->kinetic);
    keep(&s->potential, good, x->potential);
    keep(&s->drift, good, drift);
    keep(&s->worst_drift, both(good, less(ONE(s->max_drift), size)), drift);
    keep_larger(&s->max_drift, good, size);
    keep_larger(&s->kinetic_max, good, x->kinetic);
    keep(&s->lowest, good, smaller(ONE(s->lowest), x->potential));
    keep_larger(&s->highest, good, x->potential);
    const wide moved = larger(minus(ONE(s->highest), ONE(s->lowest)), magnitude(work));
    keep_larger(&s->energy_scale, good, larger(ONE(s->kinetic_max), moved));
    for (int i = 0; i < 3; i++) {
        keep(&s->violation[i], good, x->violation[i]);
        keep_larger(&s->max_violation[i], good, x->violation[i]);
    }
    keep(&s->iterations, good, plus(ONE(s->iterations), k->count));
    keep_larger(&s->correction, good, k->size);
    keep(&s->shortest, good, smaller(ONE(s->shortest), z->h));
}

static void go_back(sari_lanes* s, mask good)
{
    for (int i = 0; i < s->at.n; i++) {
        keep(&s->q[i], without(mask_of(~0u), good), AT(s->q0)[i]);
        keep(&s->v[i], without(mask_of(~0u), good), AT(s->v0)[i]);
        keep(&s->a[i], without(mask_of(~0u), good), AT(s->a0)[i]);
    }
    for (int r = 0; r < s->at.m; r++)
        keep(&s->lambda[r], without(mask_of(~0u), good), AT(s->lambda0)[r]);
}

/* Lanes in which some angle has moved by some 20 degrees since it was counted, see
 * sari_scalars_commit. */
static mask turned(const sari_lanes* s)
{
    mask any = mask_of(0);
    for (int k = 0; k < s->at.angles; k++) {
        const wide a = value_of_row(s, s->at.m + 2 * k, AT(s->q));
        const wide b = value_of_row(s, s->at.m + 2 * k + 1, AT(s->q));
        const wide a0 = AT(s->turn_a)[k], b0 = AT(s->turn_b)[k];
        const wide along = plus(times(a, a0), times(b, b0));
        const wide sizes = times(times(all(0.88), plus(times(a, a), times(b, b))),
                                 plus(times(a0, a0), times(b0, b0)));
        const mask near = both(less(all(0.0), along), less(sizes, times(along, along)));
        any = either(any, without(mask_of(~0u), near));
    }
    return any;
}

/* One step; the lanes that did it. */
static mask step(sari_lanes* s, mask active)
{
    const wide t = ONE(s->t), one = all(1.0);
    const wide next = plus(ONE(s->start), times(plus(ONE(s->index), one), ONE(s->step)));
    const shifts z = shifts_of(s, minus(next, t));
    course k;
    measured x;
    predict(s, z.h);
    mask good = iterate(s, &z, both(active, less(t, next)), &k);
    good = both(good, project_all(s, &z, &k));
    measure(s, &x);
    good = both(good, both(finite_state(s), at_most(x.violation[0], ONE(s->limit))));
    good = both(good, at_most(magnitude(plus(x.kinetic, x.potential)), all(DBL_MAX)));
    record(s, &z, &k, &x, good);
    if (lanes_of(without(active, good))) go_back(s, good);
    keep(&s->t0, good, t);
    keep(&s->t, good, next);
    keep(&s->index, good, plus(ONE(s->index), one));
    return good;
}

static sari_lane_report run(sari_lanes* s, unsigned active, long steps)
{
    sari_lane_report report = {0};
    const mask lanes = mask_of(active);
    while (report.steps < steps && !report.failed && !report.turned) {
        const mask good = step(s, lanes);
        report.steps++;
        report.failed = lanes_of(without(lanes, good));
        if (s->at.angles) report.turned = lanes_of(both(good, turned(s)));
    }
    return report;
}

#endif
