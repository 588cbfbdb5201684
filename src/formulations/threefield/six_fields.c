/* A step with six fields, see six_fields.h. */
#include "formulations/threefield/six_fields.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

typedef sari_threefield threefield;
typedef sari_six_fields six_fields;

enum { NODE_PASSES = 2 }; ///< for accelerations after a step

/* ---- coefficients and violations ------------------------------------------------------------ */

/* (1), in the middle as last evaluated */
static void find_coefficients(threefield* self)
{
    const sari_equations* sys = self->sys;
    six_fields* six = self->six;
    if (!six->plain) sari_row_masses_set(&self->masses, self->mass);
    for (int r = 0; r < sys->nc; r++) {
        six->damping[r] = six->stiffness[r] = six->force[r] = 0.0;
        if (six->plain)
            self->mass[r] = sari_row_plain_direction(sys, r, self->f, self->d);
        else if (self->mass[r] > 0.0)
            sari_row_direction(&self->masses, r, self->d);
        six->mass[r] = self->factor * self->mass[r];
        if (self->mass[r] > 0.0)
            sari_row_project(sys, self->d, &six->damping[r], &six->stiffness[r], &six->force[r]);
    }
}

/* m + h/2 c + h^2/4 k: what a rate of phi takes in (6) */
static double inertia(const six_fields* six, int r, double h)
{
    return six->mass[r] + 0.5 * h * (six->damping[r] + 0.5 * h * six->stiffness[r]);
}

static int on_velocities(const sari_equations* sys, int r)
{
    return r >= sys->nc - sys->velocity_rows;
}

/* phi' of (6) */
static double free_rate(const threefield* self, int r, double h)
{
    const six_fields* six = self->six;
    const double m = inertia(six, r, h);
    const double k = on_velocities(self->sys, r) ? 0.0 : six->stiffness[r];
    return m > 0.0 ? (six->pi[r] - 0.5 * h * k * six->phi[r]) / m : 0.0;
}

/* A and Phi at the end, then all of the middle, (1), and g = phi' - phi'_19 */
static sar_status evaluate(threefield* self, double t, double h, int tangent)
{
    sari_equations* sys = self->sys;
    six_fields* six = self->six;
    const int all = sys->Phi_q.p[sys->nc], positions = sys->nc - sys->velocity_rows;
    SARI_TRY(sari_equations_eval(sys, self->curved ? SARI_EVAL_JACOBIAN : SARI_EVAL_PHI, t + h,
                                 self->q1, NULL));
    for (int r = 0; r < positions; r++) self->g[r] = (sys->Phi[r] - six->phi[r]) / h;
    for (int k = 0; self->curved && k < all; k++) six->mean[k] = six->A0[k] + sys->Phi_q.x[k];
    SARI_TRY(sari_threefield_evaluate_middle(self, t, h, tangent));
    for (int k = 0; self->curved && k < all; k++) // Simpson's rule
        six->mean[k] = k < sys->Phi_q.p[positions] ? (six->mean[k] + 4.0 * sys->Phi_q.x[k]) / 6.0
                                                   : sys->Phi_q.x[k];
    if (sys->velocity_rows) sari_equations_phi_dot(sys, self->u, self->row);
    for (int r = positions; r < sys->nc; r++) self->g[r] = self->row[r];
    find_coefficients(self);
    for (int r = 0; r < sys->nc; r++) self->g[r] -= free_rate(self, r, h);
    return SAR_OK;
}

/* ---- the block iteration -------------------------------------------------------------------- */

/* mu in the middle */
static double middle_rate(const six_fields* six, int r)
{
    if (six->expansion == 1) return six->mu[r];
    const double before = six->mass[r] > 0.0 ? six->momentum[r] / six->mass[r] : 0.0;
    return 0.5 * (before + six->mu[r]);
}

/* f += factor A' row, without rows that are left open */
static void add_rows(threefield* self, double* A)
{
    sari_csr rows = self->sys->Phi_q;
    rows.x = A;
    sari_slack_drop(&self->sys->slack, self->row);
    sari_csr_multiply_add_transposed(&rows, 1.0, self->row, self->f);
}

/* f += factor h/2 D' E, and with expansion 2 its part of the momenta */
static void add_forces(threefield* self, double h, double factor)
{
    const six_fields* six = self->six;
    for (int r = 0; r < self->sys->nc; r++) {
        const double mu = middle_rate(six, r), lambda = six->lambda[r] + 0.5 * h * mu;
        const double E = six->damping[r] * mu + six->stiffness[r] * lambda - six->force[r];
        self->row[r] = factor * 0.5 * h * E;
    }
    add_rows(self, self->curved ? six->mean : self->sys->Phi_q.x);
}

/* f -= D' (nu - nu_n - w g), or half of it with expansion 2, where D is along that */
static void take_momenta(threefield* self)
{
    const six_fields* six = self->six;
    const double part = six->expansion == 1 ? 1.0 : 0.5;
    for (int r = 0; r < self->sys->nc; r++)
        self->row[r] =
            self->w[r] * self->g[r] - part * (six->mass[r] * six->mu[r] - six->momentum[r]);
    add_rows(self, self->D.x);
}

/* f: what is left of (4) or half of (8), augmented */
static void find_residual(threefield* self, double h)
{
    const sari_equations* sys = self->sys;
    for (int i = 0; i < sys->nq; i++) self->d[i] = self->u[i] - self->v0[i];
    sari_equations_mass_times(sys, self->d, self->f);
    for (int i = 0; i < sys->nq; i++) self->f[i] -= 0.5 * h * sys->Q[i];
    add_forces(self, h, -1.0);
    take_momenta(self);
}

static sar_status factor(threefield* self, double h)
{
    const six_fields* six = self->six;
    for (int r = 0; r < self->sys->nc; r++) {
        self->w[r] = self->rho[r] * fmax(six->mass[r], inertia(six, r, h));
        self->root[r] = sqrt(self->w[r]);
    }
    return sari_threefield_factor_middle(self, h);
}

/* v from (4) or (8), mu from (9), q from (2) */
static sar_status improve(threefield* self, double t, double h)
{
    const sari_equations* sys = self->sys;
    const double part = self->six->expansion; // of mu at the end in that of the middle
    find_residual(self, h);
    sari_step_matrix_reduce(&self->P, self->f);
    sari_constrained_solve(&self->lin, self->f, NULL, 1, self->du, NULL);
    sari_step_matrix_expand(&self->P, self->f, self->du);
    for (int i = 0; i < sys->nq; i++) self->u[i] -= self->du[i];
    sari_threefield_place(self, h);
    SARI_TRY(evaluate(self, t, h, self->P.has_tangent));
    for (int r = 0; r < sys->nc; r++) self->six->mu[r] -= part * self->rho[r] * self->g[r];
    return SAR_OK;
}

static void keep_best(threefield* self)
{
    memcpy(self->best_iterate.u, self->u, (size_t)self->sys->nq * sizeof(double));
    memcpy(self->six->best_mu, self->six->mu, (size_t)self->sys->nc * sizeof(double));
}

static sar_status restore_best(threefield* self, double t, double h)
{
    memcpy(self->u, self->best_iterate.u, (size_t)self->sys->nq * sizeof(double));
    memcpy(self->six->mu, self->six->best_mu, (size_t)self->sys->nc * sizeof(double));
    sari_threefield_place(self, h);
    return evaluate(self, t, h, self->P.has_tangent);
}

static sar_status iterate(threefield* self, double t, double h, sari_own_step* report)
{
    const double GROWTH = 4.0; // beyond the best: the iteration goes nowhere
    double best = INFINITY, enough;
    int refactor = 1;
    while (report->iterations < self->most) {
        if (refactor) SARI_TRY(factor(self, h));
        SARI_TRY(improve(self, t, h));
        report->iterations++;
        report->left = sari_threefield_left_over(self, h);
        if (!isfinite(report->left)) return SAR_R_NOT_FINITE;
        if (report->iterations > 1 && report->left < self->usual) return SAR_OK;
        enough = sari_threefield_acceptable(self, h);
        if (report->left > GROWTH * best && best < enough) break;
        refactor = sari_threefield_raise_penalties(self, h);
        if (report->left >= best) continue;
        best = report->left;
        keep_best(self);
    }
    if (!isfinite(best)) return SAR_R_NO_CONV;
    SARI_TRY(restore_best(self, t, h));
    report->left = best;
    report->best = best < sari_threefield_acceptable(self, h);
    return report->best ? SAR_OK : SAR_R_NO_CONV;
}

/* ---- the ends of a step --------------------------------------------------------------------- */

/* Forces and accelerations of the node go on. */
static void guess(threefield* self, const sari_state* s, double h)
{
    six_fields* six = self->six;
    const double way = six->expansion == 1 ? 0.5 * h : h;
    const int cold = self->cold || !self->warm;
    for (int i = 0; i < self->sys->nq; i++) self->u[i] = s->v[i] + (cold ? 0.0 : 0.5 * h * s->a[i]);
    for (int r = 0; r < self->sys->nc; r++) {
        self->slow[r] = 0;
        self->g_last[r] = INFINITY;
        self->lambda[r] = cold ? 0.0 : s->lambda[r];
    }
    sari_threefield_place(self, h);
    for (int r = 0; r < self->sys->nc; r++) {
        const double m = six->mass[r], mu = m > 0.0 ? six->momentum[r] / m : 0.0;
        const double E = six->damping[r] * mu + six->stiffness[r] * six->lambda[r] - six->force[r];
        six->mu[r] = mu - (cold || !(m > 0.0) ? 0.0 : way / m * (s->lambda[r] + E));
    }
    sari_slack_drop(&self->sys->slack, six->mu);
}

static sar_status predict(threefield* self, const sari_state* s, double h)
{
    sari_equations* sys = self->sys;
    memcpy(self->q0, s->q, (size_t)sys->np * sizeof(double));
    memcpy(self->v0, s->v, (size_t)sys->nq * sizeof(double));
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_JACOBIAN | SARI_EVAL_MASS, s->t, s->q, NULL));
    memcpy(self->six->A0, sys->Phi_q.x, (size_t)sys->Phi_q.p[sys->nc] * sizeof(double));
    self->D = sys->Phi_q;
    if (self->six->expansion == 1)
        self->D.x = self->six->A0;
    else if (self->curved)
        self->D.x = self->six->mean;
    self->at_end = 0;
    sari_threefield_set_tolerance(self);
    guess(self, s, h);
    return evaluate(self, s->t, h, self->P.has_tangent);
}

/* lambda, phi and pi at the end */
static void carry_on(threefield* self, double h)
{
    six_fields* six = self->six;
    for (int r = 0; r < self->sys->nc; r++) {
        const double mu = middle_rate(six, r), rate = free_rate(self, r, h);
        const double k = on_velocities(self->sys, r) ? 0.0 : six->stiffness[r];
        const double middle = six->phi[r] + 0.5 * h * rate;
        six->lambda[r] += h * mu;
        six->rate[r] = mu;
        six->pi[r] = six->mass[r] * rate - 0.5 * h * (six->damping[r] * rate + k * middle);
        if (!on_velocities(self->sys, r)) six->phi[r] += h * rate;
    }
}

/* v_1 and nu_1 from (5) and A_1 v_1 + b_1 = 0; the middle is evaluated */
static sar_status end_with_constraints(threefield* self, sari_state* s, double h)
{
    sari_equations* sys = self->sys;
    six_fields* six = self->six;
    sari_equations_mass_times(sys, self->u, self->f);
    for (int i = 0; i < sys->nq; i++) self->f[i] += 0.5 * h * sys->Q[i];
    add_forces(self, h, 1.0);
    carry_on(self, h);
    // f - A_1' nu: with nu_1 - nu as the unknown, which begins with what the first half had
    for (int r = 0; r < sys->nc; r++) {
        const double nu = six->mass[r] * six->mu[r];
        self->scaled[r] = six->momentum[r] - nu;
        six->momentum[r] = nu;
    }
    SARI_TRY(sari_threefield_meet_rates(self, s, h, self->scaled));
    for (int r = 0; r < sys->nc; r++) six->momentum[r] -= self->scaled[r];
    return SAR_OK;
}

/* The same for expansion 2 */
static sar_status end_linearly(threefield* self, sari_state* s, double h)
{
    sari_equations* sys = self->sys;
    six_fields* six = self->six;
    carry_on(self, h);
    for (int r = 0; r < sys->nc; r++) six->momentum[r] = six->mass[r] * six->mu[r];
    for (int i = 0; i < sys->nq; i++) s->v[i] = 2.0 * self->u[i] - self->v0[i];
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T | SARI_EVAL_MASS, s->t,
                                 s->q, s->v));
    sari_threefield_scale_rows(self, sys->Phi_q.x);
    self->lin.same_P = 0;
    sari_threefield_use_mass(self);
    SARI_TRY(sari_constrained_factor(&self->lin));
    sari_projection_begins(sys, s);
    if (self->sweeps > 0)
        sari_constrained_project(&self->lin, sari_threefield_scaled_rates(self), self->sweeps,
                                 s->v);
    return SAR_OK;
}

sar_status sari_six_fields_step(threefield* self, sari_state* s, double h, sari_own_step* report)
{
    const double t = s->t;
    SARI_TRY(predict(self, s, h));
    const sar_status st = iterate(self, t, h, report);
    if (st != SAR_OK && st != SAR_R_NO_CONV) return st;
    self->struggled = st != SAR_OK || report->best;
    self->cold = self->struggled;
    s->t = t + h;
    memcpy(s->q, self->q1, (size_t)self->sys->np * sizeof(double));
    self->lin.same_P = 0;
    SARI_TRY(self->six->expansion == 1 ? end_with_constraints(self, s, h)
                                       : end_linearly(self, s, h));
    SARI_TRY(sari_threefield_accelerate(self, s, NODE_PASSES));
    if (self->six->expansion != 1) sari_projection_ended(self->sys, s);
    return st;
}

/* ---- life ----------------------------------------------------------------------------------- */

int sari_six_fields_create(threefield* self, int expansion, int plain)
{
    const sari_equations* sys = self->sys;
    six_fields* six = self->six = SARI_TAKE(&self->memory, six_fields, 1);
    if (!six) return 0;
    double** const of_rows[] = {&six->momentum,  &six->lambda,  &six->phi,    &six->pi,
                                &six->momentum0, &six->lambda0, &six->phi0,   &six->pi0,
                                &six->mu,        &six->rate,    &six->mass,   &six->damping,
                                &six->stiffness, &six->force,   &six->best_mu};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        *of_rows[k] = SARI_TAKE(&self->memory, double, sys->nc);
    six->A0 = SARI_TAKE(&self->memory, double, sys->Phi_q.p[sys->nc]);
    six->mean = SARI_TAKE(&self->memory, double, self->curved ? sys->Phi_q.p[sys->nc] : 0);
    six->expansion = expansion;
    six->plain = plain;
    return !self->memory.failed;
}

/* A start that was assembled meets the constraints: what that leaves over is none. */
void sari_six_fields_start(threefield* self, const sari_state* s)
{
    const double ASSEMBLED = 1e-8; // of the size of the model, and in a second
    const sari_equations* sys = self->sys;
    six_fields* six = self->six;
    find_coefficients(self);
    sari_equations_phi_dot(sys, s->v, self->row);
    double most = 0.0;
    for (int r = 0; r < sys->nc; r++)
        most = fmax(most, fmax(fabs(sys->Phi[r]), fabs(self->row[r])));
    const int violated = most > ASSEMBLED * (sys->size + sys->away);
    for (int r = 0; r < sys->nc; r++) {
        six->momentum[r] = six->lambda[r] = six->rate[r] = 0.0;
        six->phi[r] = violated && !on_velocities(sys, r) ? sys->Phi[r] : 0.0;
        six->pi[r] = violated ? six->mass[r] * self->row[r] : 0.0;
    }
}

void sari_six_fields_keep(six_fields* six, int rows, int begins)
{
    double* const now[] = {six->momentum, six->lambda, six->phi, six->pi};
    double* const then[] = {six->momentum0, six->lambda0, six->phi0, six->pi0};
    for (int k = 0; k < 4; k++)
        memcpy(begins ? then[k] : now[k], begins ? now[k] : then[k], (size_t)rows * sizeof(double));
}

void sari_six_fields_archive(sari_six_fields* six, int rows, sari_archive* a)
{
    double* const carried[] = {six->momentum,  six->lambda,  six->phi,  six->pi,
                               six->momentum0, six->lambda0, six->phi0, six->pi0,
                               six->mu,        six->rate,    six->mass, six->damping,
                               six->stiffness, six->force};
    for (size_t k = 0; k < sizeof carried / sizeof *carried; k++)
        sari_archive_numbers(a, carried[k], (size_t)rows);
}
