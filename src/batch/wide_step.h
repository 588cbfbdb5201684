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

/* In all lanes. */
SARI_INLINE void run_program(sari_program* program, sari_lanes* s)
{
    program(s->numbers, SARI_HALF);
}

/* In the halves of some lanes. */
static void run_program_in(sari_program* program, sari_lanes* s, unsigned lanes)
{
    enum { FIRST = (1 << SARI_LANES / 2) - 1 };
    char* numbers = (char*)s->numbers;
    if (lanes & FIRST && lanes & ~(unsigned)FIRST)
        program(numbers, SARI_HALF);
    else
        program(numbers + (lanes & FIRST ? 0 : SARI_HALF), 0);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Stores of wide numbers may be to any memory, as far as the compiler knows: what loops need of the
 * tables is in variables of their own. */

/// The polynomials of the rows.
typedef struct rows {
    const sari_lane_entry* entry;
    const int *first, *is_long;
    const sari_lane_place* term;
    const wide *c, *b, *c0, *c1, *term_c;
} rows;

SARI_INLINE rows rows_of(const sari_lanes* s)
{
    return (rows){s->at.entry,    s->at.first,       s->at.is_long,     s->at.term,   AT(s->row_c),
                  AT(s->entry_b), AT(s->entry_c[0]), AT(s->entry_c[1]), AT(s->term_c)};
}

/* Entry k of H x. Products with zero are left out, as is a sum with zero below. */
SARI_INLINE wide second_times(const rows* f, int k, const wide* restrict x, const int is_long)
{
    const sari_lane_entry* e = &f->entry[k];
    wide sum = times(f->c0[k], PLACE(x, e->x[0]));
    if (e->has & SARI_LANES_SECOND) sum = plus_product(sum, f->c1[k], PLACE(x, e->x[1]));
    for (int t = e->more; is_long && t < e->end; t++)
        sum = plus_product(sum, f->term_c[t], PLACE(x, f->term[t]));
    return sum;
}

/* The value, and the gradient in g unless that is NULL. */
SARI_INLINE wide row_at(const rows* f, int r, const wide* restrict x, const int is_long,
                        wide* restrict g)
{
    wide twice = all(0.0);
    const int end = f->first[r + 1];
    for (int k = f->first[r]; k < end; k++) {
        wide sum = second_times(f, k, x, is_long), both_sums = sum;
        if (f->entry[k].has & SARI_LANES_B) {
            sum = plus(f->b[k], sum);
            both_sums = plus(f->b[k], sum);
        }
        if (g) g[k] = sum;
        twice = plus_product(twice, PLACE(x, f->entry[k].i), both_sums);
    }
    return plus(f->c[r], times(all(0.5), twice));
}

/* Phi and Phi_q */
static void eval_rows(sari_lanes* s)
{
    if (s->programs.rows) {
        run_program(s->programs.rows, s);
        return;
    }
    const rows f = rows_of(s);
    const wide *q = AT(s->q), *offset = AT(s->offset);
    wide *J = AT(s->J), *Phi = AT(s->Phi);
    const int m = s->at.m;
    for (int r = 0; r < m; r++) {
        const wide phi = f.is_long[r] ? row_at(&f, r, q, 1, J) : row_at(&f, r, q, 0, J);
        Phi[r] = minus(phi, offset[r]);
    }
}

SARI_INLINE wide curvature_of_row(const rows* f, int r, const wide* restrict v, const int is_long)
{
    wide sum = all(0.0);
    const int end = f->first[r + 1];
    for (int k = f->first[r]; k < end; k++)
        sum = plus_product(sum, PLACE(v, f->entry[k].i), second_times(f, k, v, is_long));
    return sum;
}

static void eval_bias(sari_lanes* s)
{
    if (s->programs.bias) {
        run_program(s->programs.bias, s);
        return;
    }
    const rows f = rows_of(s);
    const wide* v = AT(s->v);
    wide* bias = AT(s->bias);
    const int m = s->at.m;
    for (int r = 0; r < m; r++)
        bias[r] = f.is_long[r] ? curvature_of_row(&f, r, v, 1) : curvature_of_row(&f, r, v, 0);
}

/* ---- the linear problem --------------------------------------------------------------------- */

/// Phi_q as it is factored.
typedef struct used_rows {
    const int* first;
    const sari_lane_place* i;
    const wide* x;
} used_rows;

SARI_INLINE used_rows used_of(const sari_lanes* s)
{
    return (used_rows){s->matrix.first, s->matrix.used_i, AT(s->matrix.used)};
}

/* It becomes the present one in the lanes of `which`. */
static void use_rows(const sari_lanes* s, const sari_lane_matrix* z, mask which)
{
    const int m = z->m, weighs = s->weighs && z == &s->matrix, *first = z->first;
    const sari_lane_place* taken = z->taken;
    const int everywhere = lanes_of(which) == ALL_LANES;
    const wide *J = AT(s->J), *root = AT(s->root);
    wide* restrict used = AT(z->used);
    for (int r = 0; r < m; r++)
        for (int k = first[r]; k < first[r + 1]; k++) {
            wide x = taken ? PLACE(J, taken[k]) : J[k];
            if (weighs) x = times(x, root[r]);
            used[k] = everywhere ? x : choose(which, x, used[k]);
        }
}

/* sum + J_r x, from entry k on */
SARI_INLINE wide used_times(const used_rows* J, int k, int r, wide sum, const wide* x)
{
    for (const int end = J->first[r + 1]; k < end; k++)
        sum = plus_product(sum, J->x[k], PLACE(x, J->i[k]));
    return sum;
}

/* y += f J_r, y -= f J_r */
SARI_INLINE void add_row(const used_rows* J, int r, wide f, wide* restrict y)
{
    const int end = J->first[r + 1];
    for (int k = J->first[r]; k < end; k++)
        TO_PLACE(y, J->i[k]) = plus_product(PLACE(y, J->i[k]), f, J->x[k]);
}

SARI_INLINE void subtract_row(const used_rows* J, int r, wide f, wide* restrict y)
{
    const int end = J->first[r + 1];
    for (int k = J->first[r]; k < end; k++)
        TO_PLACE(y, J->i[k]) = minus_product(PLACE(y, J->i[k]), f, J->x[k]);
}

/* The lanes whose pivots are numbers, after a program. */
static mask seen_good(const sari_lanes* s)
{
    const part_bits* good = (const part_bits*)&s->seen[SARI_SEEN_GOOD];
    mask m;
    EACH(m.p[k] = good[k])
    return m;
}

/* Phi and Phi_q, which is used in the lanes of `which` and factored. The lanes with a factor. */
static mask eval_and_factor(sari_lanes* s, mask which)
{
    const sari_lane_programs* p = &s->programs;
    const wide c = *AT(s->now_c);
    if (p->used_rows && p->factor && lanes_of(which) == ALL_LANES) {
        run_program(p->used_rows, s);
    } else {
        eval_rows(s);
        use_rows(s, &s->matrix, which);
        if (!p->factor) return factor(&s->matrix, c);
        scale_rows(&s->matrix, c);
    }
    run_program(p->factor, s);
    return seen_good(s);
}

static void solve_dq(sari_lanes* s)
{
    if (s->programs.solve)
        run_program(s->programs.solve, s);
    else
        solve(&s->matrix, AT(s->dq));
}

/* (3) and (4) for a small system: forces of rows are added up before f is. */
static void small_correct(sari_lanes* s, wide c)
{
    const used_rows J = used_of(s);
    const int n = s->at.n, m = s->at.m;
    wide *dq = AT(s->dq), *mu = AT(s->mu), *g = AT(s->g), *f = AT(s->f);
    for (int i = 0; i < n; i++) dq[i] = all(0.0);
    for (int r = 0; r < m; r++) subtract_row(&J, r, minus(mu[r], times(c, g[r])), dq);
    for (int i = 0; i < n; i++) dq[i] = plus(f[i], dq[i]);
    solve_dq(s);
    for (int r = 0; r < m; r++) {
        const int k = J.first[r];
        const wide Jx = used_times(&J, k + 1, r, times(J.x[k], PLACE(dq, J.i[k])), dq);
        mu[r] = plus_product(mu[r], c, minus(Jx, g[r]));
    }
}

static void large_correct(sari_lanes* s, wide c)
{
    const used_rows J = used_of(s);
    const int n = s->at.n, m = s->at.m;
    wide *dq = AT(s->dq), *mu = AT(s->mu), *g = AT(s->g), *f = AT(s->f), *force = AT(s->residual);
    for (int i = 0; i < n; i++) dq[i] = f[i];
    for (int r = 0; r < m; r++) {
        const wide x = minus(mu[r], times(c, g[r]));
        force[r] = x;
        add_row(&J, r, negative(x), dq);
    }
    solve_dq(s);
    for (int r = 0; r < m; r++)
        mu[r] = plus_product(force[r], c, used_times(&J, J.first[r], r, all(0.0), dq));
}

/* dq and mu from f, g and mu */
static void correct(sari_lanes* s, wide c)
{
    const int m = s->at.m, weighs = s->weighs;
    wide *mu = AT(s->mu), *g = AT(s->g), *root = AT(s->root);
    for (int r = 0; weighs && r < m; r++) {
        mu[r] = over(mu[r], root[r]);
        g[r] = times(root[r], g[r]);
    }
    if (s->matrix.solver == SARI_LANES_SMALL)
        small_correct(s, c);
    else
        large_correct(s, c);
    for (int r = 0; weighs && r < m; r++) mu[r] = times(mu[r], root[r]);
}

/* (5) or (6) of x by the program of its right-hand side */
static void project_by(sari_lanes* s, sari_program* program, wide* restrict x)
{
    const int n = s->at.n, passes = s->at.projections;
    const wide* dx = AT(s->dq);
    for (int pass = 0; pass < passes; pass++) {
        run_program(program, s);
        solve_dq(s);
        for (int i = 0; i < n; i++) x[i] = plus(x[i], dx[i]);
    }
}

/* (5) or (6) of x; e: NULL or the bias */
static void project(sari_lanes* s, wide c, const wide* e, wide* restrict x)
{
    const sari_lane_programs* p = &s->programs;
    if (p->velocities) {
        project_by(s, e ? p->accelerations : p->velocities, x);
        return;
    }
    const used_rows used = used_of(s);
    const sari_lane_entry* entry = s->at.entry;
    const int *first = s->at.first, n = s->at.n, m = s->at.m, weighs = s->weighs;
    const int small = s->matrix.solver == SARI_LANES_SMALL, passes = s->at.projections;
    const wide *J = AT(s->J), *root = AT(s->root), minus_c = negative(c);
    wide* dx = AT(s->dq);
    for (int pass = 0; pass < passes; pass++) {
        for (int i = 0; i < n; i++) dx[i] = all(0.0);
        for (int r = 0; r < m; r++) {
            wide d = all(0.0);
            for (int k = first[r]; k < first[r + 1]; k++)
                d = plus_product(d, J[k], PLACE(x, entry[k].i));
            d = plus(d, e ? e[r] : all(0.0));
            if (weighs) d = times(d, root[r]);
            if (small)
                subtract_row(&used, r, times(c, d), dx);
            else
                add_row(&used, r, times(minus_c, d), dx);
        }
        solve_dq(s);
        for (int i = 0; i < n; i++) x[i] = plus(x[i], dx[i]);
    }
}

/* y = M x. Small systems go through whole rows, others through the columns of the triangle. */
static void mass_times(const sari_lanes* s, const wide* x, wide* restrict y)
{
    const int *p = s->at.mass_first, n = s->at.n;
    const sari_lane_place* i = s->at.mass_i;
    const int small = s->matrix.solver == SARI_LANES_SMALL;
    const wide* M = AT(s->matrix.mass);
    for (int r = 0; r < n; r++) y[r] = all(0.0);
    for (int c = 0; c < n; c++) {
        const wide xc = x[c];
        wide sum = times(M[p[c]], xc);
        if (small) sum = plus(y[c], sum);
        for (int k = p[c] + 1; k < p[c + 1]; k++) {
            TO_PLACE(y, i[k]) = plus_product(PLACE(y, i[k]), M[k], xc);
            sum = plus_product(sum, M[k], PLACE(x, i[k]));
        }
        y[c] = small ? sum : plus(y[c], sum);
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

/* The norm of q, too. */
static wide predict(sari_lanes* s, wide h)
{
    const int n = s->at.n, m = s->at.m;
    wide *q = AT(s->q), *v = AT(s->v), *a = AT(s->a), *lambda = AT(s->lambda), *d = AT(s->d);
    wide *q0 = AT(s->q0), *v0 = AT(s->v0), *a0 = AT(s->a0), *lambda0 = AT(s->lambda0);
    const wide half = times(times(all(0.5), h), h), norm = square_root(square_of(q, n));
    for (int r = 0; r < m; r++) lambda0[r] = lambda[r];
    for (int i = 0; i < n; i++) {
        const wide place = q[i], speed = v[i], pull = a[i];
        const wide moved = plus(times(h, speed), times(half, pull));
        q0[i] = place;
        v0[i] = speed;
        a0[i] = pull;
        d[i] = moved;
        v[i] = plus(speed, times(h, pull));
        q[i] = plus(place, moved);
    }
    return norm;
}

/* f, g and mu of the present position */
static void residuals(sari_lanes* s, wide by)
{
    const int n = s->at.n, m = s->at.m;
    wide *f = AT(s->f), *force = AT(s->force), *g = AT(s->g), *mu = AT(s->mu), *Phi = AT(s->Phi);
    const wide* lambda = AT(s->lambda);
    mass_times(s, AT(s->a), f);
    for (int i = 0; i < n; i++) f[i] = times(by, minus(force[i], f[i]));
    for (int r = 0; r < m; r++) {
        g[r] = negative(Phi[r]);
        mu[r] = times(by, lambda[r]);
    }
}

/* (N1) with the correction dq, and (4), in the lanes that go on. Others are at their end. */
SARI_INLINE void apply_where(sari_lanes* s, const shifts* shift, mask going, const int everywhere)
{
    const shifts z = *shift;
    const int n = s->at.n, m = s->at.m;
    wide *q = AT(s->q), *v = AT(s->v), *a = AT(s->a), *lambda = AT(s->lambda), *d = AT(s->d);
    const wide *q0 = AT(s->q0), *v0 = AT(s->v0), *a0 = AT(s->a0), *dq = AT(s->dq), *mu = AT(s->mu);
    for (int i = 0; i < n; i++) {
        const wide moved = plus(d[i], dq[i]);
        const wide now = minus(times(z.ca, minus(moved, times(z.h, v0[i]))), times(z.keep, a0[i]));
        const wide speed = plus(plus(v0[i], times(z.h0, a0[i])), times(z.h1, now));
        const wide place = plus(q0[i], moved);
        d[i] = everywhere ? moved : choose(going, moved, d[i]);
        a[i] = everywhere ? now : choose(going, now, a[i]);
        v[i] = everywhere ? speed : choose(going, speed, v[i]);
        q[i] = everywhere ? place : choose(going, place, q[i]);
    }
    for (int r = 0; r < m; r++) {
        const wide x = times(z.ca, mu[r]);
        lambda[r] = everywhere ? x : choose(going, x, lambda[r]);
    }
}

static void apply(sari_lanes* s, const shifts* z, mask going, mask ended)
{
    if (lanes_of(ended))
        apply_where(s, z, going, 0);
    else
        apply_where(s, z, going, 1);
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
    for (int iteration = 1; lanes_of(going); iteration++) {
        going = both(going, eval_and_factor(s, without(mask_of(ALL_LANES), good)));
        if (s->programs.residuals) {
            run_program(s->programs.residuals, s);
            solve_dq(s);
            run_program(s->programs.multipliers, s);
        } else {
            residuals(s, z->b);
            correct(s, z->c);
        }
        apply(s, z, going, good);
        const int is_seen = s->programs.multipliers != NULL;
        const wide *dq = AT(s->dq), *seen = AT(s->seen);
        const wide size = square_root(is_seen ? seen[SARI_SEEN_SIZE] : square_of(dq, n));
        going = both(going, at_most(size, all(DBL_MAX)));
        k->size = choose(going, size, k->size);
        k->largest =
            choose(going, is_seen ? seen[SARI_SEEN_LARGEST] : largest_of(dq, n), k->largest);
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
    mask good = mask_of(ALL_LANES);
    const mask anew = less(all(REUSED), k->largest);
    if (lanes_of(anew))
        good = eval_and_factor(s, anew);
    else
        eval_rows(s);
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
    const int *p = s->at.mass_first, n = s->at.n;
    const sari_lane_place* i = s->at.mass_i;
    const wide *M = AT(s->matrix.mass), *v = AT(s->v);
    wide twice = all(0.0);
    for (int c = 0; c < n; c++) {
        wide off = all(0.0);
        for (int k = p[c] + 1; k < p[c + 1]; k++) off = plus_product(off, M[k], PLACE(v, i[k]));
        const wide sum = plus(times(M[p[c]], v[c]), times(all(2.0), off));
        twice = plus_product(twice, v[c], sum);
    }
    return times(all(0.5), twice);
}

/* Violations and kinetic energy. */
static void measure_by_loops(const sari_lanes* s, measured* x)
{
    const sari_lane_entry* entry = s->at.entry;
    const int *first = s->at.first, m = s->at.m;
    const wide *v = AT(s->v), *a = AT(s->a), *J = AT(s->J);
    const wide *Phi = AT(s->Phi), *bias = AT(s->bias);
    wide most[3] = {all(0.0), all(0.0), all(0.0)};
    for (int r = 0; r < m; r++) {
        wide rate = all(0.0), second = bias[r];
        for (int k = first[r]; k < first[r + 1]; k++) {
            rate = plus_product(rate, J[k], PLACE(v, entry[k].i));
            second = plus_product(second, J[k], PLACE(a, entry[k].i));
        }
        most[0] = larger(most[0], magnitude(Phi[r]));
        most[1] = larger(most[1], magnitude(rate));
        most[2] = larger(most[2], magnitude(second));
    }
    for (int k = 0; k < 3; k++) x->violation[k] = most[k];
    x->kinetic = kinetic_energy(s);
}

static void measure(sari_lanes* s, measured* x)
{
    if (s->programs.measure) {
        run_program(s->programs.measure, s);
        for (int k = 0; k < 3; k++) x->violation[k] = AT(s->seen)[SARI_SEEN_VIOLATION + k];
        x->kinetic = AT(s->seen)[SARI_SEEN_KINETIC];
    } else {
        measure_by_loops(s, x);
    }
    const int n = s->at.n;
    const wide *q = AT(s->q), *force = AT(s->force);
    wide potential = plus(all(0.0), ONE(s->weight_0));
    for (int i = 0; i < n; i++) potential = minus_product(potential, force[i], q[i]);
    x->potential = potential;
}

static mask finite_state(const sari_lanes* s)
{
    const wide *q = AT(s->q), *v = AT(s->v), *a = AT(s->a);
    const int n = s->at.n;
    wide sum = all(0.0);
    for (int i = 0; i < n; i++) sum = plus(sum, plus(q[i], plus(v[i], a[i])));
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
        keep(&s->q[i], without(mask_of(ALL_LANES), good), AT(s->q0)[i]);
        keep(&s->v[i], without(mask_of(ALL_LANES), good), AT(s->v0)[i]);
        keep(&s->a[i], without(mask_of(ALL_LANES), good), AT(s->a0)[i]);
    }
    for (int r = 0; r < s->at.m; r++)
        keep(&s->lambda[r], without(mask_of(ALL_LANES), good), AT(s->lambda0)[r]);
}

/* Lanes in which some angle has moved by some 20 degrees since it was counted, see
 * turns.h. */
static mask turned(const sari_lanes* s)
{
    const rows f = rows_of(s);
    mask any = mask_of(0);
    for (int k = 0; k < s->at.angles; k++) {
        const wide a = row_at(&f, s->at.m + 2 * k, AT(s->q), 1, NULL);
        const wide b = row_at(&f, s->at.m + 2 * k + 1, AT(s->q), 1, NULL);
        const wide a0 = AT(s->turn_a)[k], b0 = AT(s->turn_b)[k];
        const wide along = plus(times(a, a0), times(b, b0));
        const wide sizes = times(times(all(0.88), plus(times(a, a), times(b, b))),
                                 plus(times(a0, a0), times(b0, b0)));
        const mask near = both(less(all(0.0), along), less(sizes, times(along, along)));
        any = either(any, without(mask_of(ALL_LANES), near));
    }
    return any;
}

/* One step; the lanes that did it. */
static mask step(sari_lanes* s, mask active)
{
    const wide t = ONE(s->t), one = all(1.0);
    const wide next = plus(ONE(s->start), times(plus(ONE(s->index), one), ONE(s->step)));
    const shifts z = shifts_of(s, minus(next, t));
    measured x;
    *AT(s->now_b) = z.b;
    *AT(s->now_c) = z.c;
    course k = {.norm = predict(s, z.h), .last = all(INFINITY)};
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
