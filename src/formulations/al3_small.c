#include "formulations/al3_small.h"

#include "formulations/convergence.h"
#include "solvers/dense_fixed.h"
#include "system/quadratics.h"

#include <math.h>
#include <string.h>

enum { FEW = 4 };   ///< coordinates: vectors do not pay
enum { ROWS = 24 }; ///< at most; more than these have redundant ones anyway

/// An entry of Phi_q, b + c[0] q[x[0]] + c[1] q[x[1]].
typedef struct entry {
    double b, c[2];
    int x[2], i; ///< i: its coordinate
    int at;      ///< its place in the dense rows
} entry;

typedef struct row {
    double c; ///< constant part of Phi
    int end;  ///< of its entries
} row;

typedef int step_function(const sari_al3_small* t, double c, sari_state* s,
                          sari_newmark_step* step);

struct sari_al3_small {
    sari_equations* sys;
    sari_al3_limits limits;
    int m;
    row row[ROWS];
    entry* entry;
    double* M; ///< all of it, columns as long as a dense row
    double* J; ///< dense rows as factored; one number more, for entries that are always zero
    step_function* step;
};

/* ---- rows ----------------------------------------------------------------------------------- */

SARI_INLINE double slope_of(const entry* e, const double* q)
{
    return e->b + (e->c[0] * q[e->x[0]] + e->c[1] * q[e->x[1]]);
}

/* Less what a drawing lacks where it should be singular. */
SARI_INLINE double phi_of(const sari_al3_small* t, int r, double twice)
{
    const double *offset = t->sys->slack.offset, phi = t->row[r].c + 0.5 * twice;
    return offset ? phi - offset[r] : phi;
}

/* Phi and dense rows J at q, and the force of a penalty c and multipliers mu on these. */
SARI_INLINE void eval_rows(const sari_al3_small* t, const double* q, double c, const double* mu,
                           double* Phi, double* force)
{
    const entry* e = t->entry;
    for (int r = 0; r < t->m; r++) {
        const entry* end = t->entry + t->row[r].end;
        double twice = 0.0;
        for (; e < end; e++) {
            const double g = slope_of(e, q);
            t->J[e->at] = g;
            twice += q[e->i] * (e->b + g);
        }
        Phi[r] = phi_of(t, r, twice);
        force[r] = mu[r] + c * Phi[r];
    }
}

/* Phi and Phi_q of the system at q, and force = c Phi_q v. */
SARI_INLINE void eval_constraints(const sari_al3_small* t, const double* q, const double* v,
                                  double c, double* force)
{
    const sari_equations* sys = t->sys;
    const entry* e = t->entry;
    double* x = sys->Phi_q.x;
    for (int r = 0; r < t->m; r++) {
        const entry* end = t->entry + t->row[r].end;
        double twice = 0.0, rate = 0.0;
        for (; e < end; e++) {
            const double g = slope_of(e, q);
            *x++ = g;
            twice += q[e->i] * (e->b + g);
            rate += g * v[e->i];
        }
        sys->Phi[r] = phi_of(t, r, twice);
        force[r] = c * rate;
    }
}

/* Its bias, v'H v, and force = c (Phi_q a + bias). */
SARI_INLINE void eval_bias(const sari_al3_small* t, const double* v, const double* a, double c,
                           double* force)
{
    const entry* e = t->entry;
    const double* x = t->sys->Phi_q.x;
    for (int r = 0; r < t->m; r++) {
        const entry* end = t->entry + t->row[r].end;
        double curvature = 0.0, second = 0.0;
        for (; e < end; e++) {
            curvature += v[e->i] * (e->c[0] * v[e->x[0]] + e->c[1] * v[e->x[1]]);
            second += *x++ * a[e->i];
        }
        t->sys->bias[r] = curvature;
        force[r] = c * (second + curvature);
    }
}

/* force = c (Phi_q x + e); e may be NULL. */
SARI_INLINE void violation(const sari_al3_small* t, const double* x, const double* e, double c,
                           double* force)
{
    const sari_csr* J = &t->sys->Phi_q;
    for (int r = 0, k = 0; r < t->m; r++) {
        double sum = 0.0;
        for (; k < J->p[r + 1]; k++) sum += J->x[k] * x[J->i[k]];
        force[r] = c * (sum + (e ? e[r] : 0.0));
    }
}

SARI_INLINE void take_dense_rows(const sari_al3_small* t)
{
    const double* x = t->sys->Phi_q.x;
    for (const entry* e = t->entry; e < t->entry + t->row[t->m - 1].end; e++) t->J[e->at] = *x++;
}

/* ---- vectors of n numbers ------------------------------------------------------------------- */

/* x . x as newmark.c sums it. */
SARI_INLINE double square_of(const int n, const double* x)
{
    double sum[4] = {0};
    int i = 0;
    SARI_UNROLL for (; i + 4 <= n; i += 4)
    {
        SARI_UNROLL for (int k = 0; k < 4; k++) sum[k] += x[i + k] * x[i + k];
    }
    SARI_UNROLL for (; i < n; i++) sum[0] += x[i] * x[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

SARI_INLINE double largest_of(const int n, const double* x)
{
    double most = 0.0;
    SARI_UNROLL for (int i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

/* out = M x */
SARI_INLINE void mass_times(const int n, const double* restrict M, const double* x,
                            double* restrict out)
{
    sari_vec4 y[SARI_FIXED_BLOCKS(SARI_FIXED_MOST)];
    SARI_UNROLL for (int b = 0; b < SARI_FIXED_BLOCKS(n); b++) y[b] =
        x[0] * SARI_CONST_VEC(M + 4 * b);
    SARI_UNROLL for (int k = 1; k < n; k++)
    {
        const double* column = M + 4 * SARI_FIXED_BLOCKS(n) * k;
        SARI_UNROLL for (int b = 0; b < SARI_FIXED_BLOCKS(n); b++) y[b] +=
            x[k] * SARI_CONST_VEC(column + 4 * b);
    }
    SARI_UNROLL for (int i = 0; i < n; i++) out[i] = y[i / 4][i % 4];
}

/* A = M + c J'J, and y -= force J_r, number by number where vectors hold few: rows were written so just
 * before, and a vector that is read from several stores has to wait for all of them. */
SARI_INLINE void assemble(const int n, const sari_al3_small* t, double c, double* restrict A)
{
    const int stride = 4 * SARI_FIXED_BLOCKS(n);
    if (n > FEW) {
        sari_fixed_assemble(n, A, t->M, stride, t->J, t->m, c);
        return;
    }
    SARI_UNROLL for (int k = 0; k < n; k++)
    {
        SARI_UNROLL for (int i = k; i < n; i++) A[k * n + i] = t->M[k * stride + i];
    }
    for (int r = 0; r < t->m; r++) {
        const double* J = t->J + r * stride;
        SARI_UNROLL for (int k = 0; k < n; k++)
        {
            const double cJ = c * J[k];
            SARI_UNROLL for (int i = k; i < n; i++) A[k * n + i] += cJ * J[i];
        }
    }
}

/* y = f - J' force; f may be NULL: 0. */
SARI_INLINE void add_rows(const int n, const sari_al3_small* t, const double* f,
                          const double* force, double* y)
{
    const int stride = 4 * SARI_FIXED_BLOCKS(n);
    sari_vec4 sum[SARI_FIXED_BLOCKS(SARI_FIXED_MOST)] = {0};
    double one[SARI_FIXED_MOST] = {0};
    for (int r = 0; r < t->m; r++) {
        const double* J = t->J + r * stride;
        if (n > FEW)
            sari_fixed_subtract(n, force[r], J, sum);
        else
            SARI_UNROLL for (int i = 0; i < n; i++) one[i] -= force[r] * J[i];
    }
    SARI_UNROLL for (int i = 0; i < n; i++)
    {
        const double by_rows = n > FEW ? sum[i / 4][i % 4] : one[i];
        y[i] = f ? f[i] + by_rows : by_rows;
    }
}

/* ---- the step ------------------------------------------------------------------------------- */

/// S = L D L'
typedef struct factor {
    double L[SARI_FIXED_MOST * SARI_FIXED_MOST], inverse[SARI_FIXED_MOST];
} factor;

SARI_INLINE int factor_rows(const int n, const sari_al3_small* t, double c, factor* S)
{
    double A[SARI_FIXED_MOST * SARI_FIXED_MOST];
    assemble(n, t, c, A);
    return sari_fixed_factor(n, A, NULL, S->L, NULL, S->inverse);
}

/* y = S^-1 (f - J' force) */
SARI_INLINE void solve(const int n, const sari_al3_small* t, const factor* S, const double* f,
                       const double* force, double* y)
{
    add_rows(n, t, f, force, y);
    sari_fixed_solve(n, S->L, S->inverse, y);
}

/* (5), (6): x is led back to J x + e = 0, where `force` is c times what is left of it. */
SARI_INLINE void project(const int n, const sari_al3_small* t, const factor* S, double c,
                         const double* e, double* force, double* x)
{
    for (int pass = 0; pass < t->limits.passes; pass++) {
        double y[SARI_FIXED_MOST];
        if (pass > 0) violation(t, x, e, c, force);
        solve(n, t, S, NULL, force, y);
        SARI_UNROLL for (int i = 0; i < n; i++) x[i] += y[i];
    }
}

/* (1)-(4) at q, with b = 1/ca: the correction y, and lambda. */
SARI_INLINE int correct(const int n, const sari_al3_small* t, double c, double ca, const double* q,
                        const double* a, factor* S, double* y, double* lambda)
{
    const double b = 1.0 / ca, *Q = t->sys->Q;
    double Phi[ROWS], mu[ROWS], force[ROWS], f[SARI_FIXED_MOST];
    for (int r = 0; r < t->m; r++) mu[r] = b * lambda[r];
    eval_rows(t, q, c, mu, Phi, force);
    if (!factor_rows(n, t, c, S)) return 0;
    mass_times(n, t->M, a, f);
    SARI_UNROLL for (int i = 0; i < n; i++) f[i] = b * (Q[i] - f[i]);
    solve(n, t, S, f, force, y);
    for (int r = 0; r < t->m; r++) {
        const double along = sari_fixed_dot(n, t->J + r * 4 * SARI_FIXED_BLOCKS(n), y);
        lambda[r] = ca * (mu[r] + c * (along + Phi[r]));
    }
    return 1;
}

/* With newmark.c's (1), whose v and a at the start of the step are those of s. */
SARI_INLINE int take_step(const int n, const sari_al3_small* t, double c, sari_state* s,
                          sari_newmark_step* step)
{
    const double h = step->h, beta = step->beta, ca = 1.0 / (beta * h * h);
    const double keep = 0.5 / beta - 1.0, h0 = h * (1.0 - step->gamma), h1 = h * step->gamma;
    double q[SARI_FIXED_MOST], v[SARI_FIXED_MOST], a[SARI_FIXED_MOST], d[SARI_FIXED_MOST];
    double y[SARI_FIXED_MOST], lambda[ROWS], force[ROWS];
    double last = INFINITY, first = 0.0, added = 0.0;
    factor S;
    SARI_UNROLL for (int i = 0; i < n; i++)
    {
        d[i] = h * s->v[i] + 0.5 * h * h * s->a[i];
        q[i] = s->q[i] + d[i];
        a[i] = s->a[i];
    }
    for (int r = 0; r < t->m; r++) lambda[r] = s->lambda[r];
    step->norm = sqrt(square_of(n, s->q));
    for (step->iterations = 1;; step->iterations++) {
        if (step->iterations > t->limits.patience) return 0;
        if (!correct(n, t, c, ca, q, a, &S, y, lambda)) return 0;
        SARI_UNROLL for (int i = 0; i < n; i++)
        {
            d[i] += y[i];
            a[i] = ca * (d[i] - h * s->v[i]) - keep * s->a[i];
            q[i] = s->q[i] + d[i];
        }
        const double size = sqrt(square_of(n, y));
        step->correction = size;
        if (!isfinite(size)) return 0;
        if (step->iterations == 1) first = size;
        if (step->rule.fixed && size > first) return 0;
        added += size;
        if (sari_newton_done(&step->rule, step->iterations, size, last, added, step->norm)) break;
        if (step->iterations >= step->rule.iterations) return 0;
        last = size;
    }
    SARI_UNROLL for (int i = 0; i < n; i++) v[i] = s->v[i] + h0 * s->a[i] + h1 * a[i];
    eval_constraints(t, q, v, c, force);
    if (largest_of(n, y) > t->limits.reused) {
        take_dense_rows(t);
        if (!factor_rows(n, t, c, &S)) return 0;
    }
    project(n, t, &S, c, NULL, force, v);
    eval_bias(t, v, a, c, force);
    project(n, t, &S, c, t->sys->bias, force, a);
    SARI_UNROLL for (int i = 0; i < n; i++) s->q[i] = q[i], s->v[i] = v[i], s->a[i] = a[i];
    for (int r = 0; r < t->m; r++) s->lambda[r] = lambda[r];
    s->t += h;
    return 1;
}

#define STEP(n)                                                                                    \
    static int step_##n(const sari_al3_small* t, double c, sari_state* s, sari_newmark_step* step) \
    {                                                                                              \
        return take_step(n, t, c, s, step);                                                        \
    }
SARI_FIXED_SIZES(STEP)

int sari_al3_small_step(const sari_al3_small* t, double c, sari_state* s, sari_newmark_step* step)
{
    if (!t->step(t, c, s, step)) return 0;
    sari_equations_evaluated(t->sys, s->q, s->v);
    return 1;
}

/* ---- tables --------------------------------------------------------------------------------- */

static int fits(const sari_equations* sys, const sari_constrained* lin)
{
    const sari_quadratics* rows = sys->quadratic;
    const int n = sys->nq, constant = sys->constant_mass && sys->constant_force;
    if (!rows || !constant || !sys->vectors || sys->rheonomic || sys->velocity_rows) return 0;
    if (n < 1 || n > SARI_FIXED_MOST || sys->nc < 1 || sys->nc > ROWS || !lin->small) return 0;
    for (int r = 0; r < rows->rows; r++)
        if (rows->row[r].is_long) return 0;
    return 1;
}

static void copy_rows(sari_al3_small* t, int stride)
{
    const sari_quadratics* rows = t->sys->quadratic;
    for (int r = 0; r < t->m; r++) {
        t->row[r] = (row){rows->row[r].c, rows->p[r + 1]};
        for (int k = rows->p[r]; k < rows->p[r + 1]; k++) {
            const sari_quadratic_entry* e = &rows->entry[k];
            const int always_zero = t->sys->Phi_q.zero && t->sys->Phi_q.zero[k];
            t->entry[k] = (entry){.b = e->b,
                                  .c = {e->c[0], e->c[1]},
                                  .x = {e->x[0], e->x[1]},
                                  .i = e->i,
                                  .at = always_zero ? t->m * stride : r * stride + e->i};
        }
    }
}

static void copy_mass(sari_al3_small* t, int stride)
{
    const sari_sym* M = &t->sys->M;
    for (int c = 0; c < M->n; c++)
        for (int k = M->p[c]; k < M->p[c + 1]; k++)
            t->M[stride * c + M->i[k]] = t->M[stride * M->i[k] + c] = M->x[k];
}

sari_al3_small* sari_al3_small_create(sari_arena* memory, sari_equations* sys,
                                      const sari_constrained* lin, const sari_al3_limits* limits)
{
#define ENTRY(n) [n] = step_##n,
    static step_function* const steps[] = {SARI_FIXED_SIZES(ENTRY)};
#undef ENTRY
    if (!fits(sys, lin)) return NULL;
    const int stride = lin->small->stride;
    sari_al3_small* t = SARI_TAKE(memory, sari_al3_small, 1);
    entry* entries = SARI_TAKE(memory, entry, sys->Phi_q.p[sys->nc]);
    double* M = SARI_TAKE(memory, double, sys->nq* stride);
    double* J = SARI_TAKE(memory, double, sys->nc* stride + 1);
    if (memory->failed) return NULL;
    *t = (sari_al3_small){.sys = sys,
                          .limits = *limits,
                          .m = sys->nc,
                          .entry = entries,
                          .M = M,
                          .J = J,
                          .step = steps[sys->nq]};
    copy_rows(t, stride);
    copy_mass(t, stride);
    return t;
}
