/* Differential-algebraic equations, for a BDF code as commercial programs have it. With u the rates
 * of the positions (dq/dt where these are vectors) and y = (q, v, lambda) or (q, v, lambda, mu):
 *
 *     index 3     u - v = 0                                                              (1)
 *                 M dv/dt - Q + Phi_q' lambda = 0                                        (2)
 *                 Phi = 0                                                                (3)
 *
 *     index 2     M (u - v) + Phi_q' mu = 0                                              (4)
 *                 (2),  Phi_q v + Phi_t = 0                                              (5)
 *                 Phi = 0                                                                (6)
 *
 * (4) to (6) are the stabilisation of [gear1985]: mu, zero in the exact solution, makes room for
 * both constraints. The source has 1 in place of M in (4); with M, mu moves positions back where
 * that takes least, as in the projections of [bayo1996], and one matrix serves (2) and (4). Rows on
 * velocities alone stand in (3) as A v + b = 0, and have no mu.
 *
 * Newton's method for y with dy/dt = cj y + ... solves J d = b. q' is eliminated, so that all
 * powers of cj go into the right-hand sides and the matrix stays as well-conditioned as at rest.
 * Index 3, with P = M + C/cj + K/cj^2:
 *
 *     P dq + Phi_q' (dlambda/cj^2) = (b2 + (cj M + C) b1)/cj^2,     Phi_q dq = b3        (7)
 *     dv = cj dq - b1
 *
 * index 2, with x = cj dq - dv:
 *
 *     M x + Phi_q' dmu = b4,                            Phi_q x = cj b6 - b5             (8)
 *     P dv + Phi_q' (dlambda/cj) = b2/cj - K x/cj^2,    Phi_q dv = b5 - z                (9)
 *     dq = (dv + x)/cj
 *
 * where z is the change of Phi_q v + Phi_t by the part x/cj of dq, which does not vanish with h: it
 * is evaluated. Left out are the second derivatives of the constraints with lambda, and with the
 * rest of dq in (5): as h^2 and h to what is kept.
 *
 * Rows that repeat others make the matrix singular. As such programs do, the start decides how many
 * rows count: as many as are independent. Which ones is the best-conditioned choice (QR with column
 * pivoting of Phi_q'), made again where the chosen ones begin to depend on each other. The others
 * are passed over, their multipliers zero; should they be violated later, that is reported.
 *
 * Positions that are no vectors, with unit length where N(q) = q: in place of (1) or (4) stand np
 * rows, E times these plus q - N(q). The matrix leaves out how E turns, which is as h to the rest.
 */
#include "base/arena.h"
#include "base/memory.h"
#include "base/status.h"
#include "formulations/constrained.h"
#include "formulations/formulation.h"
#include "formulations/step_matrix.h"
#include "linalg/qr.h"
#include "linalg/sym_tools.h"
#include "math/functions.h"
#include "math/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PASSES = 2, START_PASSES = 3, STRIPS = 1 };
enum {
    MOST_EXAMINED = 1000000, ///< entries of Phi_q, all of them: larger ones keep every row, as do
    MOST_IN_POINTS = 10000,  ///< these where M is constant: rows are quadratic there, those that
};                           ///< repeat others agree to rounding, and `delta` shares the load

static const double INDEPENDENT = 1e-8; ///< pivots above, relative to the first
static const double ROUNDING =
    1e-11; ///< length of a row, of the longest, that says nothing: across
           ///< the plane of a plane loop, in joint coordinates
static const double RELUCTANCE = 0.1; ///< to count rows that did not count before
static const double NEAR =
    1e-6; ///< determinant by its largest: as the square of the distance, at least
static const double BROKEN = 1e-2; ///< rows passed over, by the size of q

typedef struct dae {
    sari_arena memory;
    sari_equations* sys;
    int index;
    int np, n, m;
    int positions;         ///< rows of Phi that are conditions on positions: the first ones
    sari_step_matrix P;    ///< of (7) and (9)
    sari_csr J;            ///< Phi_q, zero in rows that are passed over
    sari_csr J_positions;  ///< its first rows
    sari_constrained step; ///< (7), (9)
    sari_constrained mass; ///< (8), if it differs from (9)
    int separate;          ///< it does
    sari_qr qr;
    int examined;            ///< there is a qr
    int counted;             ///< rows
    char* passed_over;       ///< per row
    double log_det, highest; ///< log |det| of the matrix last factored, and its largest
    double unit;             ///< of the penalty in `step`
    double* q;               ///< positions where the system was last evaluated, on their manifold
    double t, *v;            ///< likewise
    double* rate;            ///< Phi_q v + Phi_t there
    double* along;           ///< np numbers
    double *u, *w, *f, *x;   ///< n numbers each
    double *g, *nu;          ///< m
    double broken_at, broken_by;
    const char* broken; ///< whose row
} dae;

/* ---- evaluation ----------------------------------------------------------------------------- */

static sar_status evaluate(dae* self, unsigned what, double t, const double* y)
{
    sari_equations* sys = self->sys;
    memcpy(self->q, y, (size_t)self->np * sizeof(double));
    memcpy(self->v, y + self->np, (size_t)self->n * sizeof(double));
    sari_coordinates_normalise(sys->space, self->q);
    self->t = t;
    return sari_equations_eval(sys, what, t, self->q, self->v);
}

/* The np rows of the positions for n numbers x. */
static void embed(const dae* self, const double* y, const double* x, double* out)
{
    sari_coordinates_position_rates(self->sys->space, self->q, x, out);
    if (self->np == self->n) return;
    for (int i = 0; i < self->np; i++) out[i] += y[i] - self->q[i];
}

static int size(const void* self_)
{
    const dae* self = self_;
    return self->np + self->n + self->m + (self->index == 2 ? self->positions : 0);
}

/* (1), or (4) */
static void residual_of_positions(dae* self, const double* y, const double* ydot, double* r)
{
    const sari_equations* sys = self->sys;
    const double *v = y + self->np, *mu = y + self->np + self->n + self->m;
    sari_coordinates_velocities(sys->space, self->q, ydot, self->u);
    for (int i = 0; i < self->n; i++) self->u[i] -= v[i];
    if (self->index == 2) {
        sari_equations_mass_times(sys, self->u, self->w);
        sari_csr positions = sys->Phi_q;
        positions.rows = self->positions;
        sari_csr_multiply_add_transposed(&positions, 1.0, mu, self->w);
    }
    embed(self, y, self->index == 2 ? self->w : self->u, r);
}

/* (3), or (5) and (6); a multiplier that is passed over is its own residual */
static void residual_of_rows(dae* self, const double* y, double* r)
{
    const sari_equations* sys = self->sys;
    const double* v = y + self->np;
    const double *lambda = v + self->n, *mu = lambda + self->m;
    sari_equations_phi_dot(sys, v, self->rate);
    for (int i = 0; i < self->m; i++) {
        double row = self->index == 3 && i < self->positions ? sys->Phi[i] : self->rate[i];
        r[i] = self->passed_over[i] ? lambda[i] : row;
    }
    for (int i = 0; self->index == 2 && i < self->positions; i++)
        r[self->m + i] = self->passed_over[i] ? mu[i] : sys->Phi[i];
}

static sar_status residual(void* self_, double t, const double* y, const double* ydot, double* r)
{
    dae* self = self_;
    const sari_equations* sys = self->sys;
    const int np = self->np, n = self->n;
    SARI_TRY(evaluate(self, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T | SARI_EVAL_MASS | SARI_EVAL_FORCE,
                      t, y));
    residual_of_positions(self, y, ydot, r);
    sari_equations_mass_times(sys, ydot + np, r + np); // (2)
    for (int i = 0; i < n; i++) r[np + i] -= sys->Q[i];
    sari_equations_add_reaction(sys, 1.0, y + np + n, r + np);
    residual_of_rows(self, y, r + np + n);
    return sari_vector_finite(size(self), r) ? SAR_OK : SAR_R_NOT_FINITE;
}

/* ---- rows that count ------------------------------------------------------------------------ */

static double row_length(const sari_csr* J, int r)
{
    double square = 0.0;
    for (int k = J->p[r]; k < J->p[r + 1]; k++) square += J->x[k] * J->x[k];
    return sqrt(square);
}

/* Where all of them are rounding, none counts. */
static double longest_row(const sari_csr* J)
{
    double longest = 0.0;
    if (sari_rows_are_rounding(J, J->rows)) return INFINITY;
    for (int r = 0; r < J->rows; r++) longest = fmax(longest, row_length(J, r));
    return longest;
}

/* The system is evaluated: its rows, scaled to length 1, each time the one that is farthest from
 * depending on those before. Those passed over so far have to be better by far. */
static void order_rows(dae* self)
{
    const sari_csr* J = &self->sys->Phi_q;
    const double longest = longest_row(J);
    sari_qr* qr = &self->qr;
    const size_t n = (size_t)self->n;
    memset(qr->A, 0, n * (size_t)self->m * sizeof(double));
    for (int r = 0; r < self->m; r++) {
        double length = row_length(J, r), scale = self->passed_over[r] ? RELUCTANCE : 1.0;
        if (length <= ROUNDING * longest) continue;
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            qr->A[n * (size_t)r + (size_t)J->i[k]] = scale * J->x[k] / length;
    }
    sari_qr_factor(qr, self->m < self->n ? self->m : self->n);
}

/* Without an order: all but those that are rounding. */
static void pass_over_rounding(dae* self)
{
    const sari_csr* J = &self->sys->Phi_q;
    const double longest = longest_row(J);
    for (int r = 0; r < self->m; r++) self->passed_over[r] = row_length(J, r) <= ROUNDING * longest;
}

/* The first `counted` of them. */
static void choose_rows(dae* self)
{
    memset(self->passed_over, 1, (size_t)self->m);
    for (int k = 0; k < self->counted; k++) self->passed_over[self->qr.order[k]] = 0;
}

/* ---- Newton's method ------------------------------------------------------------------------ */

static void set_J(dae* self)
{
    const sari_csr* J = &self->sys->Phi_q;
    for (int r = 0; r < self->m; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            self->J.x[k] = self->passed_over[r] ? 0.0 : J->x[k];
}

static sar_status factor_one(sari_constrained* lin, double unit)
{
    lin->c = 1.0 / unit;
    lin->delta = 1e-11 * unit;
    return sari_constrained_factor(lin);
}

/* b = 1/cj^2; 0: P = M */
static sar_status factor_all(dae* self, double b, double cj)
{
    const sari_equations* sys = self->sys;
    sari_pivots pivots = {0};
    set_J(self);
    sari_step_matrix_set(&self->P, b, cj, NULL, &self->step.P);
    SARI_TRY(factor_one(&self->step, self->unit));
    self->step.solver.ops->pivots(self->step.solver.self, &pivots);
    self->log_det = pivots.log_abs_det;
    self->highest = fmax(self->highest, self->log_det);
    if (!self->separate) return SAR_OK;
    sari_sym_assign(&self->mass.P, &sys->M);
    return factor_one(&self->mass, self->unit);
}

/* Rows that were the best choice at the start may depend on each other elsewhere. */
static sar_status factor(void* self_, double t, const double* y, double cj)
{
    dae* self = self_;
    unsigned what = SARI_EVAL_JACOBIAN | SARI_EVAL_MASS;
    SARI_TRY(evaluate(self, self->P.has_tangent ? what | SARI_EVAL_TANGENT : what, t, y));
    if (!self->examined) {
        pass_over_rounding(self);
    } else if (self->counted < self->m) {
        order_rows(self);
        choose_rows(self);
    }
    return factor_all(self, 1.0 / (cj * cj), cj);
}

/* Where all rows count, those that repeat others disagree by what is left of Newton's method. No x
 * removes that part of g; divided by `delta` it would pile up in multipliers that make no force here,
 * and one as soon as Phi_q turns. */
static void solve_one(dae* self, sari_constrained* lin, double* x)
{
    if (!self->examined && lin->m) sari_constrained_strip(lin, STRIPS, x, self->nu, self->g);
    memset(self->nu, 0, (size_t)lin->m * sizeof(double));
    sari_constrained_solve(lin, self->f, self->g, PASSES, x, self->nu);
}

/* (7): x becomes dq; b1 in u */
static void solve_index_3(dae* self, double cj, const double* b, double* d)
{
    const sari_equations* sys = self->sys;
    const int n = self->n;
    const double *b1 = self->u, *b2 = b + self->np, *b3 = b2 + n;
    double *dv = d + self->np, *dlambda = dv + n;
    sari_equations_mass_times(sys, b1, self->w);
    for (int i = 0; i < n; i++) self->f[i] = b2[i] + cj * self->w[i];
    if (self->P.has_tangent) {
        sari_csr_multiply(&sys->C, b1, self->w);
        for (int i = 0; i < n; i++) self->f[i] += self->w[i];
    }
    for (int i = 0; i < n; i++) self->f[i] /= cj * cj;
    sari_csr_multiply(&self->J, b1, self->g);
    for (int r = 0; r < self->m; r++) {
        double row = r < self->positions ? b3[r] : (b3[r] + self->g[r]) / cj;
        self->g[r] = self->passed_over[r] ? 0.0 : row;
    }
    sari_step_matrix_reduce(&self->P, self->f);
    solve_one(self, &self->step, self->x);
    sari_step_matrix_expand(&self->P, self->f, self->x);
    for (int i = 0; i < n; i++) dv[i] = cj * self->x[i] - b1[i];
    for (int r = 0; r < self->m; r++)
        dlambda[r] = self->passed_over[r] ? b3[r] : cj * cj * self->nu[r];
}

/* g = b5 - z */
static sar_status rates_ahead(dae* self, double cj, const double* b5)
{
    sari_equations* sys = self->sys;
    for (int i = 0; i < self->n; i++) self->w[i] = self->x[i] / cj;
    sari_coordinates_move(sys->space, self->q, self->w, self->along);
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T, self->t, self->along,
                                 self->v));
    sari_equations_phi_dot(sys, self->v, self->g);
    for (int r = 0; r < self->m; r++)
        self->g[r] = self->passed_over[r] ? 0.0 : b5[r] - (self->g[r] - self->rate[r]);
    return SAR_OK;
}

/* (8), (9): x becomes dq; b4 in u */
static sar_status solve_index_2(dae* self, double cj, const double* b, double* d)
{
    const sari_equations* sys = self->sys;
    const int n = self->n;
    const double *b2 = b + self->np, *b5 = b2 + n, *b6 = b5 + self->m;
    double *dv = d + self->np, *dlambda = dv + n, *dmu = dlambda + self->m;
    const char* over = self->passed_over;
    memcpy(self->f, self->u, (size_t)n * sizeof(double));
    for (int r = 0; r < self->positions; r++) self->g[r] = over[r] ? 0.0 : cj * b6[r] - b5[r];
    solve_one(self, self->separate ? &self->mass : &self->step, self->x);
    for (int r = 0; r < self->positions; r++) dmu[r] = over[r] ? b6[r] : self->nu[r];
    for (int i = 0; i < n; i++) self->f[i] = b2[i] / cj;
    if (self->P.has_tangent) {
        sari_csr_multiply(&sys->K, self->x, self->w);
        for (int i = 0; i < n; i++) self->f[i] -= self->w[i] / (cj * cj);
    }
    SARI_TRY(rates_ahead(self, cj, b5));
    sari_step_matrix_reduce(&self->P, self->f);
    solve_one(self, &self->step, dv);
    sari_step_matrix_expand(&self->P, self->f, dv);
    for (int r = 0; r < self->m; r++) dlambda[r] = over[r] ? b5[r] : cj * self->nu[r];
    for (int i = 0; i < n; i++) self->x[i] = (dv[i] + self->x[i]) / cj;
    return SAR_OK;
}

static sar_status solve(void* self_, double cj, const double* b, double* d)
{
    dae* self = self_;
    const sari_coordinates* c = self->sys->space;
    sari_coordinates_velocities(c, self->q, b, self->u);
    if (self->index == 3)
        solve_index_3(self, cj, b, d);
    else
        SARI_TRY(solve_index_2(self, cj, b, d));
    sari_coordinates_position_rates(c, self->q, self->x, d);
    if (self->np > self->n) { // what b has across the manifold
        sari_coordinates_position_rates(c, self->q, self->u, self->along);
        for (int i = 0; i < self->np; i++) d[i] += b[i] - self->along[i];
    }
    return sari_vector_finite(size(self), d) ? SAR_OK : SAR_R_SINGULAR;
}

/* ---- between the state and y ---------------------------------------------------------------- */

static void load(void* self_, const sari_state* s, double* y, double* ydot)
{
    const dae* self = self_;
    const int np = self->np, n = self->n, all = size(self);
    memset(y, 0, (size_t)all * sizeof(double));
    memset(ydot, 0, (size_t)all * sizeof(double));
    memcpy(y, s->q, (size_t)np * sizeof(double));
    memcpy(y + np, s->v, (size_t)n * sizeof(double));
    for (int r = 0; r < self->m; r++) y[np + n + r] = self->passed_over[r] ? 0.0 : s->lambda[r];
    sari_coordinates_position_rates(self->sys->space, s->q, s->v, ydot);
    memcpy(ydot + np, s->a, (size_t)n * sizeof(double));
}

static void store(const void* self_, const double* y, const double* ydot, sari_state* s)
{
    const dae* self = self_;
    const int np = self->np, n = self->n;
    memcpy(s->q, y, (size_t)np * sizeof(double));
    sari_coordinates_normalise(self->sys->space, s->q);
    memcpy(s->v, y + np, (size_t)n * sizeof(double));
    memcpy(s->a, ydot + np, (size_t)n * sizeof(double));
    memcpy(s->lambda, y + np + n, (size_t)self->m * sizeof(double));
}

static void roles(const void* self_, sari_dae_role* role)
{
    const dae* self = self_;
    const sari_dae_role velocity = self->index == 2 ? SARI_DAE_TESTED : SARI_DAE_SOLVED;
    for (int i = 0; i < size(self); i++)
        role[i] = i < self->np             ? SARI_DAE_TESTED
                  : i < self->np + self->n ? velocity
                                           : SARI_DAE_FREE;
}

/* Rows that are passed over hold as well as the others, or the start was an exception. */
static sar_status finish(void* self_, const sari_state* s)
{
    dae* self = self_;
    sari_equations* sys = self->sys;
    double counted = 0.0, over = 0.0, largest = 0.0;
    int worst = 0;
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_DYNAMICS, s->t, s->q, s->v));
    const double longest = longest_row(&sys->Phi_q);
    for (int i = 0; i < self->np; i++) largest = fmax(largest, fabs(s->q[i]));
    for (int r = 0; r < self->positions; r++) {
        double length = row_length(&sys->Phi_q, r);
        if (length <= ROUNDING * longest) length = longest;
        double off = length > 0.0 ? fabs(sys->Phi[r]) / length : 0.0;
        if (!self->passed_over[r]) counted = fmax(counted, off);
        if (self->passed_over[r] && off > over) over = off, worst = r;
    }
    if (!(over > BROKEN * largest + 10.0 * counted)) return SAR_OK;
    self->broken = sari_equations_row_name(sys, worst);
    self->broken_at = s->t;
    self->broken_by = over;
    return SAR_R_SINGULAR;
}

static void explain(const void* self_, char* text, size_t length)
{
    const dae* self = self_;
    if (self->broken)
        snprintf(text, length,
                 "the mechanism comes apart at t = %.9g: %s is violated by %.2e, a condition that "
                 "was redundant at the start and was skipped. The run began in a singular "
                 "configuration, or went through one; al3 keeps all conditions and goes through",
                 self->broken_at, self->broken, self->broken_by);
    else
        snprintf(text, length,
                 "the matrix of the corrector is singular: some motion that the joints allow has "
                 "no mass, or forces with a negative stiffness are as large as the inertia at this "
                 "step. `sarrus check` lists the masses; a shorter step, or the automatic method, "
                 "does without the second");
}

/* ---- start ---------------------------------------------------------------------------------- */

/* As many rows count as are independent. */
static void count_rows(dae* self)
{
    const sari_qr* qr = &self->qr;
    if (!self->examined) {
        pass_over_rounding(self);
        return;
    }
    memset(self->passed_over, 0, (size_t)self->m);
    order_rows(self);
    self->counted = sari_qr_rank(qr, INDEPENDENT);
    choose_rows(self);
}

/* M a + Phi_q' lambda = Q, Phi_q a = -bias */
static sar_status start(void* self_, sari_state* s)
{
    dae* self = self_;
    sari_equations* sys = self->sys;
    self->broken = NULL;
    SARI_TRY(sari_equations_eval(
        sys, SARI_EVAL_DYNAMICS | (self->P.has_tangent ? SARI_EVAL_TANGENT : 0), s->t, s->q, s->v));
    memcpy(self->q, s->q, (size_t)self->np * sizeof(double));
    count_rows(self);
    set_J(self);
    sari_step_matrix_set(&self->P, 0.0, 0.0, NULL, &self->step.P);
    self->unit = sari_constrained_unit(&self->step);
    self->highest = -INFINITY;
    SARI_TRY(factor_all(self, 0.0, 0.0));
    for (int r = 0; r < self->m; r++) {
        self->g[r] = self->passed_over[r] ? 0.0 : -sys->bias[r];
        s->lambda[r] = 0.0;
    }
    sari_constrained_solve(&self->step, sys->Q, self->g, START_PASSES, s->a, s->lambda);
    return sari_vector_finite(self->n, s->a) ? SAR_OK : SAR_R_NOT_FINITE;
}

static void begin(void* self_, const sari_state* s)
{
    (void)self_;
    (void)s;
}

static int near_singular(const void* self_)
{
    const dae* self = self_;
    return self->log_det < self->highest + sari_log(NEAR);
}

static double alpha(const void* self_)
{
    (void)self_;
    return 0.0;
}

static const char* solver(const void* self_)
{
    return ((const dae*)self_)->step.solver.ops->name;
}

/* ---- create --------------------------------------------------------------------------------- */

static void clear(void* self_)
{
    dae* self = self_;
    sari_constrained_clear(&self->step);
    sari_constrained_clear(&self->mass);
    sari_step_matrix_clear(&self->P);
    sari_qr_clear(&self->qr);
}

/* Its integrators start afresh after a state was saved, and so does it (integrator.h: elsewhere). */
static void archive(void* self, sari_archive* a)
{
    sari_step_matrix_archive(&((dae*)self)->P, a);
}

static int make_room(dae* self)
{
    const sari_csr* J = &self->sys->Phi_q;
    const size_t n = (size_t)self->n, m = (size_t)self->m;
    self->J = *J;
    self->J.x = SARI_TAKE(&self->memory, double, J->p[J->rows]);
    self->J_positions = self->J;
    self->J_positions.rows = self->positions;
    self->passed_over = SARI_TAKE(&self->memory, char, m);
    self->q = SARI_TAKE(&self->memory, double, self->np);
    self->along = SARI_TAKE(&self->memory, double, self->np);
    self->v = SARI_TAKE(&self->memory, double, n);
    self->rate = SARI_TAKE(&self->memory, double, m);
    self->u = SARI_TAKE(&self->memory, double, n);
    self->w = SARI_TAKE(&self->memory, double, n);
    self->f = SARI_TAKE(&self->memory, double, n);
    self->x = SARI_TAKE(&self->memory, double, n);
    self->g = SARI_TAKE(&self->memory, double, m);
    self->nu = SARI_TAKE(&self->memory, double, m);
    self->examined = m > 0 && n * m <= (self->sys->constant_mass ? MOST_IN_POINTS : MOST_EXAMINED);
    if (self->examined && sari_qr_create(self->n, self->m, &self->qr) != SAR_OK) return 0;
    return !self->memory.failed;
}

static sar_status make_matrices(dae* self, const char* name)
{
    const sari_equations* sys = self->sys;
    sari_sym P = {0};
    sar_status st = sari_step_matrix_create(&self->P, sys, 0, &P);
    if (st == SAR_OK) st = sari_constrained_create(&self->step, &P, &self->J, 1, name, NULL);
    sari_sym_clear(&P);
    self->separate = self->index == 2 && (self->P.has_tangent || sys->velocity_rows > 0);
    if (st != SAR_OK || !self->separate) return st;
    return sari_constrained_create(&self->mass, &sys->M, &self->J_positions, 1, name, NULL);
}

static sar_status create(void* self_, sari_equations* sys, const sar_options* options,
                         sar_error* error)
{
    dae* self = self_;
    (void)error;
    self->sys = sys;
    self->index = options->index;
    self->np = sys->np;
    self->n = sys->nq;
    self->m = sys->nc;
    self->positions = sys->nc - sys->velocity_rows;
    self->unit = 1.0;
    self->counted = self->m;
    return make_room(self) ? make_matrices(self, options->solver) : SAR_E_NOMEM;
}

static const sari_dae_ops contract = {
    .size = size,
    .roles = roles,
    .load = load,
    .store = store,
    .residual = residual,
    .factor = factor,
    .solve = solve,
    .finish = finish,
};

const sari_formulation_ops sari_formulation_dae = {
    .name = "dae",
    .cite = "gear1985 brenan1989",
    .text = "equations of motion with constraints, index 3 or stabilised index 2; fails in "
            "singular configurations",
    .dae = &contract,
    .size = SARI_OBJECT(dae, memory),
    .create = create,
    .start = start,
    .explain = explain,
    .begin = begin,
    .near_singular = near_singular,
    .alpha = alpha,
    .solver = solver,
    .archive = archive,
    .clear = clear,
};
