/* A step, see threefield.h. */
#include "base/status.h"
#include "formulations/convergence.h"
#include "formulations/threefield/six_fields.h"
#include "formulations/threefield/threefield.h"
#include "linalg/sym_tools.h"
#include "math/functions.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

typedef sari_threefield threefield;

enum {
    NODE_PASSES = 2,    ///< and after a step
    RATTLE_PASSES = 30, ///< of (9), at most
    STRIPS = 3,         ///< that find contradictions
    PATIENCE = 3,       ///< iterations with the penalty before its limit is taken
    SLOW = 2,           ///< iterations in a row that shrink too little: more penalty
};

/// Default. What is left over adds up in rows on velocities and in the energy; near singular configurations
/// it is divided by a small singular value, and by h in velocities.
static const double TOLERANCE = 1e-10;
static const double ROUNDING =
    1e-12; ///< of positions: no tolerance is less than this part of their norm
static const double NO_TROUBLE = 1e-10; ///< left over: no sign of trouble, whatever the tolerance
static const double LEAST_RHO = 100.0, MOST_RHO = 1e4;
static const double SHRINK = 4.0; ///< what an iteration should divide a violation by, at least
static const double RAISE = 10.0; ///< penalties that are raised
static const double FEW = 2.0;    ///< iterations that are worth waiting for
static const double GROWTH = 4.0; ///< beyond the best: the iteration goes nowhere

/* ---- penalties ------------------------------------------------------------------------------ */

void sari_threefield_set_weights(threefield* self, double factor)
{
    for (int r = 0; r < self->sys->nc; r++) {
        self->w[r] = self->rho[r] * self->mass[r] * factor;
        self->root[r] = sqrt(self->w[r]);
    }
}

/* J from the last evaluated A, or from values of its entries. */
void sari_threefield_scale_rows(threefield* self, const double* A)
{
    const sari_csr* J = &self->J;
    for (int r = 0; r < J->rows; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) J->x[k] = self->root[r] * A[k];
}

/* rho = 100/s, within bounds, s the smallest eigenvalue at the start */
void sari_threefield_choose_penalty(threefield* self)
{
    double rho = self->rho_given;
    self->softest = sari_row_softest(&self->masses, self->mass, self->softest_work);
    if (!(rho > 0.0)) rho = fmin(MOST_RHO, fmax(LEAST_RHO, LEAST_RHO / self->softest));
    self->cap = self->cap_given > 0.0 ? self->cap_given : RAISE * rho;
    for (int r = 0; r < self->sys->nc; r++) self->rho[r] = rho;
}

/* More penalty for rows that converge slowly. Were there any? */
int sari_threefield_raise_penalties(threefield* self, double h)
{
    const double enough = fmax(10.0 * self->usual, self->accept);
    int raised = 0;
    for (int r = 0; r < self->sys->nc && self->adapt; r++) {
        const double size = fabs(self->g[r]), last = fabs(self->g_last[r]);
        self->slow[r] = SHRINK * size > last ? self->slow[r] + 1 : 0;
        if (self->slow[r] < SLOW || fabs(h) * size <= enough || self->rho[r] >= self->cap) continue;
        self->rho[r] = fmin(RAISE * self->rho[r], self->cap);
        self->slow[r] = 0;
        raised = 1;
    }
    memcpy(self->g_last, self->g, (size_t)self->sys->nc * sizeof(double));
    if (raised) sari_threefield_set_weights(self, self->factor);
    return raised;
}

/* ---- the block iteration -------------------------------------------------------------------- */

/* (2) */
void sari_threefield_place(threefield* self, double h)
{
    const sari_coordinates* c = self->sys->space;
    for (int i = 0; i < self->sys->nq; i++) self->d[i] = 0.5 * h * self->u[i];
    sari_coordinates_move(c, self->q0, self->d, self->qm);
    for (int i = 0; i < self->sys->nq; i++) self->d[i] = h * self->u[i];
    sari_coordinates_move(c, self->q0, self->d, self->q1);
}

/* Everything of (4), and (6), in the middle of the step from t. */
sar_status sari_threefield_evaluate_middle(threefield* self, double t, double h, int tangent)
{
    unsigned what = SARI_EVAL_JACOBIAN | SARI_EVAL_MASS | SARI_EVAL_FORCE;
    if (self->sys->velocity_rows) what |= SARI_EVAL_PHI_T;
    if (tangent && self->P.has_tangent) what |= SARI_EVAL_TANGENT;
    return sari_equations_eval(self->sys, what, t + 0.5 * h, self->qm, self->u);
}

static size_t entry_bytes(const sari_equations* sys)
{
    return (size_t)sys->Phi_q.p[sys->nc] * sizeof(double);
}

/* D, with A of the middle just evaluated */
void sari_threefield_set_direction(threefield* self)
{
    const sari_equations* sys = self->sys;
    const int entries = sys->Phi_q.p[sys->nc - sys->velocity_rows], all = sys->Phi_q.p[sys->nc];
    const double *A = sys->Phi_q.x, *A0 = self->A0, *A1 = self->A1;
    for (int k = 0; self->curved && k < entries; k++)
        self->mixed[k] = (A0[k] + 4.0 * A[k] + A1[k]) / 6.0;
    for (int k = entries; self->curved && k < all; k++) self->mixed[k] = A[k];
    for (int k = entries; self->at_end && k < all; k++) self->A1[k] = A[k];
}

/* (3). Rows on velocities need the middle: it is evaluated after the end. */
sar_status sari_threefield_find_violations(threefield* self, double t, double h)
{
    sari_equations* sys = self->sys;
    const int positions = sys->nc - sys->velocity_rows, gradients = self->curved || self->at_end;
    SARI_TRY(sari_equations_eval(sys, gradients ? SARI_EVAL_JACOBIAN : SARI_EVAL_PHI, t + h,
                                 self->q1, NULL));
    for (int r = 0; r < positions; r++) self->g[r] = sys->Phi[r] / h;
    if (gradients) memcpy(self->A1, sys->Phi_q.x, entry_bytes(sys));
    if (!sys->velocity_rows) return SAR_OK;
    SARI_TRY(sari_threefield_evaluate_middle(self, t, h, 1));
    sari_equations_phi_dot(sys, self->u, self->row);
    for (int r = positions; r < sys->nc; r++) self->g[r] = self->row[r] - self->conflict[r];
    return SAR_OK;
}

/* f = R of (4) */
static void find_residual(threefield* self, double h)
{
    const sari_equations* sys = self->sys;
    for (int i = 0; i < sys->nq; i++) self->d[i] = self->u[i] - self->v0[i];
    sari_equations_mass_times(sys, self->d, self->f);
    for (int i = 0; i < sys->nq; i++) self->f[i] -= 0.5 * h * sys->Q[i];
    for (int r = 0; r < sys->nc; r++)
        self->row[r] = 0.5 * h * self->lambda[r] + self->w[r] * self->g[r];
    sari_slack_drop(&sys->slack, self->row);
    sari_csr_multiply_add_transposed(&self->D, 1.0, self->row, self->f);
}

/* (6) at the present middle */
sar_status sari_threefield_factor_middle(threefield* self, double h)
{
    const sari_equations* sys = self->sys;
    const int varies = self->P.has_tangent || !sys->constant_mass || self->P.stiffness;
    sari_threefield_scale_rows(
        self, self->D.x); // those that reactions follow, also for rows on velocities
    self->lin.same_P = self->lin.same_P && !varies;
    if (!self->lin.same_P)
        sari_step_matrix_set(&self->P, 0.25 * h * h, 2.0 / h, self->lambda, &self->lin.P);
    sar_status st = sari_constrained_factor(&self->lin);
    self->lin.same_P = !varies;
    return st;
}

void sari_threefield_strip(threefield* self, double* scaled)
{
    sari_constrained_strip(&self->lin, STRIPS, self->f, self->row, scaled);
}

/* (3a) */
void sari_threefield_find_conflict(threefield* self)
{
    const sari_equations* sys = self->sys;
    double* scaled = self->scaled;
    for (int r = 0; r < sys->nc; r++) scaled[r] = self->root[r] * self->g[r];
    sari_threefield_strip(self, scaled);
    for (int r = sys->nc - sys->velocity_rows; r < sys->nc; r++) {
        const double part = self->root[r] > 0.0 ? self->row[r] / self->root[r] : 0.0;
        self->conflict[r] += part;
        self->g[r] -= part;
    }
}

/* The larger of h |du| and h |g| */
double sari_threefield_left_over(const threefield* self, double h)
{
    const sari_equations* sys = self->sys;
    const double change = sari_vector_norm(sys->nq, self->du),
                 off = sari_vector_max(sys->nc, self->g);
    return fabs(h) * (isnan(off) || off > change ? off : change);
}

/* (4)-(6) */
static sar_status improve(threefield* self, double t, double h)
{
    const sari_equations* sys = self->sys;
    find_residual(self, h);
    sari_step_matrix_reduce(&self->P, self->f);
    sari_constrained_solve(&self->lin, self->f, NULL, 1, self->du, NULL);
    sari_step_matrix_expand(&self->P, self->f, self->du);
    for (int i = 0; i < sys->nq; i++) self->u[i] -= self->du[i];
    sari_threefield_place(self, h);
    SARI_TRY(sari_threefield_find_violations(self, t, h));
    if (self->implied) sari_threefield_find_conflict(self);
    for (int r = 0; r < sys->nc; r++) self->lambda[r] += 2.0 / h * self->w[r] * self->g[r];
    sari_slack_drop(&sys->slack, self->lambda);
    return SAR_OK;
}

/* ---- the iteration -------------------------------------------------------------------------- */

static void keep_best(threefield* self)
{
    memcpy(self->best_iterate.u, self->u, (size_t)self->sys->nq * sizeof(double));
    memcpy(self->best_iterate.lambda, self->lambda, (size_t)self->sys->nc * sizeof(double));
}

static void restore_best(threefield* self, double h)
{
    memcpy(self->u, self->best_iterate.u, (size_t)self->sys->nq * sizeof(double));
    memcpy(self->lambda, self->best_iterate.lambda, (size_t)self->sys->nc * sizeof(double));
    sari_threefield_place(self, h);
}

/* The iteration of one step, as far as it has come. */
typedef struct course {
    int k;        ///< iterations done
    double left;  ///< h |du| or h |g| of the last one, whichever is larger
    double last;  ///< and of the one before
    double added; ///< sum of h |du|
    double best;  ///< least that was left
    int limited;  ///< (6a) in the place of (6)
    int singular; ///< near a singular configuration, where (6a) is of no use
    int seen;     ///< it was slow, and examined
    int refactor; ///< (6) before the next one
} course;

static int is_converged(const threefield* self, const course* c)
{
    if (c->k < 2 || !(c->left < self->usual)) return 0;
    return self->tolerance > 0.0 || !self->rescue ||
           sari_converged(c->k, c->left, c->last, c->added, self->norm);
}

/* Will the penalty need more than a few iterations still? */
static int is_slow(const threefield* self, const course* c)
{
    if (c->k < PATIENCE || c->seen) return 0;
    const double enough = fmin(self->usual, 1e-3 * c->added);
    return !(c->left < c->last) || sari_log(c->left / enough) > FEW * sari_log(c->last / c->left);
}

static sar_status iterate_once(threefield* self, double t, double h, course* c)
{
    if (c->k == 0 || !self->sys->velocity_rows)
        SARI_TRY(sari_threefield_evaluate_middle(self, t, h, c->refactor || c->limited));
    sari_threefield_set_direction(self);
    if (c->k == 0) {
        sari_row_masses_set(&self->masses, self->mass);
        sari_threefield_set_weights(self, self->factor);
    }
    const int slow = is_slow(self, c);
    if (slow && self->P.has_tangent) SARI_TRY(sari_threefield_evaluate_middle(self, t, h, 1));
    if (slow || c->limited) SARI_TRY(sari_threefield_factor_limit(self, h));
    if (slow) {
        SARI_TRY(sari_threefield_find_singular(self, t, h, &c->singular));
        c->limited = self->rescue && !c->singular;
        c->seen = 1;
        c->refactor |= !c->limited;
    }
    if (!c->limited && c->refactor) SARI_TRY(sari_threefield_factor_middle(self, h));
    c->last = c->left;
    SARI_TRY(c->limited ? sari_threefield_improve_in_limit(self, t, h) : improve(self, t, h));
    c->left = sari_threefield_left_over(self, h);
    c->added += fabs(h) * sari_vector_norm(self->sys->nq, self->du);
    c->k++;
    return SAR_OK;
}

/* What may be left over near a singular configuration: no more than the error of a step. */
double sari_threefield_acceptable(const threefield* self, double h)
{
    const double PART = 0.1, way = fabs(h) * sari_vector_norm(self->sys->nq, self->u);
    return self->at_end ? self->accept : fmin(self->accept, PART * way * way * way);
}

static sar_status converge(threefield* self, double t, double h, course* c, sari_own_step* report)
{
    while (c->k < self->most) {
        SARI_TRY(iterate_once(self, t, h, c));
        report->iterations++;
        report->left = c->left;
        if (!isfinite(c->left)) return SAR_R_NOT_FINITE;
        if (is_converged(self, c)) return SAR_OK;
        if (c->singular && c->left > GROWTH * c->best && c->best < self->accept) break;
        c->refactor = !c->limited && sari_threefield_raise_penalties(self, h);
        if (c->left >= c->best) continue;
        c->best = c->left;
        keep_best(self);
    }
    restore_best(self, h);
    report->left = c->best;
    report->best = c->singular && c->best < sari_threefield_acceptable(self, h);
    return report->best ? SAR_OK : SAR_R_NO_CONV;
}

/* What is added to the reactions from here on follows A of the end. */
static sar_status turn_to_end(threefield* self, double t, double h)
{
    memcpy(self->end_lambda, self->lambda, (size_t)self->sys->nc * sizeof(double));
    self->at_end = 1;
    self->D.x = self->A1;
    return sari_threefield_find_violations(self, t, h);
}

/* Where a singular configuration is between the middle and the end, rows that vanish there have opposite
 * gradients in both, and reactions along those of the middle drive the end away: along those of the end
 * they do not. Its error is of first order in single steps, and so of second order in all. A step that
 * leaves much over is refused first, as long as a shorter one may do. */
static sar_status iterate(threefield* self, double t, double h, sari_own_step* report)
{
    course c = {.left = INFINITY, .best = INFINITY, .refactor = 1};
    const sar_status st = converge(self, t, h, &c, report);
    const double way = fabs(h) * sari_vector_norm(self->sys->nq, self->u);
    const int shorter_helps = c.best >= self->accept && c.best < way * way;
    if (st != SAR_R_NO_CONV || !c.singular || shorter_helps || !self->rescue || self->rattle)
        return st;
    SARI_TRY(turn_to_end(self, t, h));
    c = (course){.left = INFINITY, .best = INFINITY, .limited = 1, .singular = 1, .seen = 1};
    return converge(self, t, h, &c, report);
}

/* ---- the ends of a step --------------------------------------------------------------------- */

void sari_threefield_set_tolerance(threefield* self)
{
    self->norm = sari_vector_norm(self->sys->np, self->q0);
    self->usual = self->tolerance > 0.0 ? self->tolerance : fmax(TOLERANCE, ROUNDING * self->norm);
}

/* Forces and accelerations go on as they did in the last step, from its middle to its end. */
static sar_status predict(threefield* self, const sari_state* s, double h)
{
    const sari_equations* sys = self->sys;
    const double on = self->past.h != 0.0 ? h / self->past.h : 0.0;
    const int cold = self->cold || !self->warm;
    memcpy(self->q0, s->q, (size_t)sys->np * sizeof(double));
    memcpy(self->v0, s->v, (size_t)sys->nq * sizeof(double));
    for (int i = 0; i < sys->nq; i++)
        self->u[i] =
            s->v[i] + (cold ? 0.0 : 0.5 * h * (s->a[i] + on * (s->a[i] - self->past.a[i])));
    for (int r = 0; r < sys->nc; r++) {
        self->lambda[r] = cold ? 0.0 : s->lambda[r] + on * (s->lambda[r] - self->past.lambda[r]);
        self->slow[r] = 0;
        self->g_last[r] = INFINITY;
    }
    sari_slack_drop(&sys->slack, self->lambda); // which has turned
    sari_threefield_set_tolerance(self);
    self->at_end = 0;
    self->D = self->middle;
    if (self->rattle || self->curved) {
        SARI_TRY(sari_equations_eval(self->sys, SARI_EVAL_JACOBIAN, s->t, s->q, NULL));
        memcpy(self->A0, sys->Phi_q.x, entry_bytes(sys));
    }
    sari_threefield_place(self, h);
    return sari_threefield_find_violations(self, s->t, h);
}

/* M at the last evaluated position in the place of P. */
void sari_threefield_use_mass(threefield* self)
{
    if (!self->lin.same_P) sari_step_matrix_set(&self->P, 0.0, 0.0, NULL, &self->lin.P);
}

sar_status sari_threefield_factor_mass(threefield* self, double factor)
{
    sari_threefield_set_weights(self, factor);
    sari_threefield_scale_rows(self, self->sys->Phi_q.x);
    self->lin.same_P = 0;
    sari_threefield_use_mass(self);
    return sari_constrained_factor(&self->lin);
}

/* b of the constraints' rates, scaled like the rows; NULL: zero */
const double* sari_threefield_scaled_rates(threefield* self)
{
    const sari_equations* sys = self->sys;
    if (!sys->rheonomic && !sys->velocity_rows) return NULL;
    for (int r = 0; r < sys->nc; r++) self->row[r] = self->root[r] * sys->Phi_t[r];
    return self->row;
}

/* The same without what v does along rows that are left open. */
static const double* held_rates(threefield* self, const double* v)
{
    const sari_equations* sys = self->sys;
    if (!sys->slack.count) return sari_threefield_scaled_rates(self);
    sari_equations_phi_dot(sys, v, self->row);
    sari_csr_multiply(&self->J, v, self->scaled);
    for (int r = 0; r < sys->nc; r++) self->row[r] = self->root[r] * self->row[r] - self->scaled[r];
    return self->row;
}

/* (7), (8) */
static sar_status end_velocity(threefield* self, sari_state* s)
{
    sari_equations* sys = self->sys;
    for (int i = 0; i < sys->nq; i++) s->v[i] = 2.0 * self->u[i] - self->v0[i];
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T | SARI_EVAL_MASS, s->t,
                                 s->q, s->v));
    sari_threefield_scale_rows(self, sys->Phi_q.x);
    sari_threefield_use_mass(self);
    SARI_TRY(sari_constrained_factor(&self->lin));
    sari_projection_begins(sys, s);
    sari_constrained_project(&self->lin, held_rates(self, s->v), self->sweeps, s->v);
    return SAR_OK;
}

sar_status sari_threefield_meet_rates(threefield* self, sari_state* s, double h, double* force)
{
    sari_equations* sys = self->sys;
    double* off = self->g;
    sari_threefield_use_mass(self);
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T, s->t, s->q, self->u));
    sari_threefield_scale_rows(self, sys->Phi_q.x);
    SARI_TRY(sari_constrained_factor(&self->lin));
    const double* b = sari_threefield_scaled_rates(self);
    for (int r = 0; r < sys->nc; r++) {
        force[r] = self->root[r] > 0.0 ? force[r] / self->root[r] : 0.0;
        off[r] = b ? -b[r] : 0.0;
    }
    for (int pass = 0; pass < RATTLE_PASSES; pass++) {
        sari_constrained_solve(&self->lin, self->f, off, 1, s->v, force);
        sari_equations_phi_dot(sys, s->v, self->row);
        if (fabs(h) * sari_vector_max(sys->nc, self->row) < 1e-3 * self->usual) break;
    }
    for (int r = 0; r < sys->nc; r++) force[r] *= self->root[r];
    if (sys->constant_mass) return SAR_OK;
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_MASS, s->t, s->q, s->v));
    sari_threefield_use_mass(self);
    return sari_constrained_factor(&self->lin);
}

/* (9); t: of the middle */
static sar_status end_rattle(threefield* self, sari_state* s, double t, double h)
{
    sari_equations* sys = self->sys;
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_MASS | SARI_EVAL_FORCE, t, self->qm, self->u));
    sari_equations_mass_times(sys, self->u, self->f);
    for (int i = 0; i < sys->nq; i++) self->f[i] += 0.5 * h * sys->Q[i];
    for (int r = 0; r < sys->nc; r++) self->lambda[r] *= 0.5 * h;
    SARI_TRY(sari_threefield_meet_rates(self, s, h, self->lambda));
    for (int r = 0; r < sys->nc; r++) self->lambda[r] *= 2.0 / h;
    return SAR_OK;
}

sar_status sari_threefield_accelerate(threefield* self, sari_state* s, int passes)
{
    sari_equations* sys = self->sys;
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_BIAS | SARI_EVAL_FORCE, s->t, s->q, s->v));
    for (int r = 0; r < sys->nc; r++) {
        self->g[r] = -self->root[r] * sys->bias[r];
        self->row[r] = self->root[r] > 0.0 ? s->lambda[r] / self->root[r] : 0.0;
    }
    sari_constrained_solve(&self->lin, sys->Q, self->g, passes, s->a, self->row);
    for (int r = 0; r < sys->nc; r++) self->scaled[r] = self->row[r];
    if (self->implied) sari_threefield_strip(self, self->scaled);
    for (int r = 0; r < sys->nc; r++) s->lambda[r] = self->scaled[r] * self->root[r];
    sari_slack_drop(&sys->slack, s->lambda);
    return SAR_OK;
}

/* What the next step will go on from: nothing, where the iteration did not get to its limit. What
 * it left over there would grow from step to step, the more of them the more. */
static void remember(threefield* self, sari_state* s, double h)
{
    const int known = self->warm && !self->cold && !self->struggled;
    for (int i = 0; i < self->sys->nq; i++) self->past.a[i] = 2.0 / h * (self->u[i] - self->v0[i]);
    for (int r = 0; r < self->sys->nc; r++) {
        const double middle = self->lambda[r];
        self->past.lambda[r] = middle;
        s->lambda[r] = known ? 2.0 * middle - s->lambda[r] : middle;
    }
    self->past.h = h;
    self->cold = self->struggled;
}

/* (1) in the step from t, with c_r = c' C c, k_r = c' K c and f_r = c' Q [potosakis, (16)] */
static sar_status follow_multipliers(threefield* self, double t, double h)
{
    const sari_equations* sys = self->sys;
    SARI_TRY(sari_threefield_evaluate_middle(self, t, h, 1));
    for (int r = 0; r < sys->nc; r++) {
        const double m = self->mass[r] * self->factor;
        if (!(m > 0.0)) continue;
        double damping = 0.0, stiffness = 0.0, force = -self->lambda[r];
        sari_row_direction(&self->masses, r, self->d);
        sari_row_project(sys, self->d, &damping, &stiffness, &force);
        const double middle =
            (self->beside.momentum[r] + 0.5 * h * (force - stiffness * self->beside.lambda[r])) /
            (1.0 + 0.5 * h * damping / m + 0.25 * h * h * stiffness / m);
        self->beside.lambda[r] += h * middle / m;
        self->beside.momentum[r] = 2.0 * middle - self->beside.momentum[r];
        self->beside.rate[r] = self->beside.momentum[r] / m;
    }
    return SAR_OK;
}

sar_status sari_threefield_step(void* self_, sari_state* s, double h, sari_own_step* report)
{
    threefield* self = self_;
    const double t = s->t;
    *report = (sari_own_step){0};
    if (self->six) return sari_six_fields_step(self, s, h, report);
    SARI_TRY(predict(self, s, h));
    sar_status st = iterate(self, t, h, report);
    self->struggled = st != SAR_OK || self->at_end || report->left > fmax(self->usual, NO_TROUBLE);
    if (st != SAR_OK && st != SAR_R_NO_CONV) return st;
    if (self->beside.lambda && st == SAR_OK) SARI_TRY(follow_multipliers(self, t, h));
    s->t = t + h;
    memcpy(s->q, self->q1, (size_t)self->sys->np * sizeof(double));
    remember(self, s, h);
    SARI_TRY(self->rattle ? end_rattle(self, s, t + 0.5 * h, h) : end_velocity(self, s));
    SARI_TRY(sari_threefield_accelerate(self, s, NODE_PASSES));
    if (!self->rattle) sari_projection_ended(self->sys, s);
    return st;
}
