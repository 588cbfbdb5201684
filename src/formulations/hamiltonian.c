/* Augmented Lagrangian in canonical momenta p = M v + Phi_q' sigma, where sigma is the integral of
 * lambda over time [bayo1994; gonzalez2016, (8)-(10)]. With the violation
 *
 *     c = dPhi/dt + 2 xi omega Phi + omega^2 I,     I = integral of Phi over time
 *
 * the rates are
 *
 *     (M + alpha Phi_q' Phi_q) v = p - Phi_q' (sigma + alpha (c - Phi_q v))                 (1)
 *
 *     sigma += alpha c                                                                      (2)
 *
 *     pdot = Q + dM/dt v + (dPhi_q/dt)' sigma                                               (3)
 *
 * (1), (2) repeated `updates` times with one factorisation; (3) with the sigma of (2) is
 * [gonzalez2016, (9)], where M is constant. I takes the rectangle rule, I = I_k + (t - t_k) Phi,
 * from the start t_k of the step.
 *
 * In Newton form the trapezoidal rule for q and p is part of the equations, and p is eliminated
 * (the Schur complement of [gonzalez2016, (31)-(34)]): with mu = sigma + alpha c and pdot by (3)
 * with mu for sigma,
 *
 *     r = h/2 (M v + Phi_q' mu - p_k - h/2 (pdot_k + pdot))                                 (4)
 *
 *     S = M + h^2/4 K + h/2 C
 *         + alpha (Phi_q - h/2 dPhi_q/dt)' (k Phi_q + h/2 dPhi_q/dt),
 *
 *         k = 1 + xi omega h + omega^2 h^2/2                                                (5)
 *
 *     S dq = -r,   and (2) once a step, after convergence                                   (6)
 *
 * `as_printed`: (2) after every correction, and for the second bracket of (5) that of [gonzalez2016, (27)]
 * with the sum of (29),
 *
 *     (1 + xi omega h) Phi_q + omega^2 h/2 (h Phi_q0 + ... + h Phi_q)                       (5a)
 *
 * In (5) the derivatives of Phi_q' mu and of h/2 (dPhi_q/dt)' mu cancel, where the constraints are
 * of second degree in q: then nothing is left out. [gonzalez2016, (27)] lacks the second dPhi_q/dt,
 * the derivative of dPhi/dt by q, and prints df/dq without its factor h/2.
 *
 * All of this holds for velocities that are no derivatives of coordinates, with Phi_q by the
 * changes that go with them; in (5) the second dPhi_q/dt is then that derivative up to terms of
 * first order in the step, as in index1_newton.c.
 *
 * Rows on velocities, A v + b = 0, have no position in c and are rows of (1)-(3) as they are: their
 * sigma is the integral of a force along A, whose momentum A' sigma changes by (dA/dt)' sigma
 * besides. In (5) k = 1 for them, and the second dPhi_q/dt is d(A v + b)/dq.
 *
 * Accelerations and physical multipliers are for outputs only:
 *
 *     (M + alpha Phi_q' Phi_q) a = Q - alpha Phi_q' bias,   lambda = alpha (Phi_q a + bias)  (7)
 *
 * sigma grows where a joint pulls always to one side, and p with it, until v is the small
 * difference of large numbers. When an entry passes `reset`, p -= Phi_q' sigma and sigma = 0, which
 * is the same motion. */
#include "base/arena.h"
#include "base/memory.h"
#include "base/status.h"
#include "formulations/constrained.h"
#include "formulations/formulation.h"
#include "formulations/row_options.h"
#include "formulations/tangent.h"
#include "linalg/sym_tools.h"

#include <math.h>
#include <string.h>

enum { START_PASSES = 20 }; ///< of (7), with multipliers carried on, at the start of a run

static const double PENALTY_RATIO = 1e7; ///< default alpha in units of the inertia

/// Weights of Phi and I in c, of the rows.
typedef struct weights {
    double *position, *integral;
} weights;

typedef struct hamiltonian {
    sari_arena memory;
    sari_equations* sys;
    sari_constrained lin; ///< P = M, J = Phi_q
    sari_tangent tangent; ///< if corrections are expected
    double alpha_given, reset;
    double* alpha; ///< of rows that have their own, 0: that of all; NULL: none has
    int updates;
    weights by_rates, by_newton;
    double t0;                      ///< start of the step ...
    double *p0, *pdot0, *integral0; ///< ... and what it began with
    double *g, *mu, *rate;
    int mu_ready; ///< mu is sigma at the end of the last correction
    int printed;  ///< options
    double sigma_start;
    double* swept; ///< as printed: sum of h Phi_q over the steps, (5a); NULL
    int sweeps;    ///< how many are in it
} hamiltonian;

/* ---- rates ---------------------------------------------------------------------------------- */

static sar_status factor(hamiltonian* self)
{
    const sari_equations* sys = self->sys;
    sari_sym_assign(&self->lin.P, &sys->M);
    return sari_constrained_factor(&self->lin);
}

/* (3) with `sigma`; the system is evaluated at s */
static void momentum_rate(hamiltonian* self, const double* sigma, double* pdot)
{
    sari_equations* sys = self->sys;
    sari_equations_mass_rate(sys, pdot);
    for (int i = 0; i < sys->nq; i++) pdot[i] += sys->Q[i];
    sari_csr_multiply_add_transposed(&sys->Phi_q_rate, 1.0, sigma, pdot);
}

/* (7), with the present factor */
static void accelerations(hamiltonian* self, sari_state* s, int passes)
{
    const sari_equations* sys = self->sys;
    for (int r = 0; r < sys->nc; r++) self->g[r] = -sys->bias[r], s->lambda[r] = 0.0;
    sari_constrained_solve(&self->lin, sys->Q, self->g, passes, s->a, s->lambda);
}

static sar_status rates(void* self_, sari_state* s)
{
    hamiltonian* self = self_;
    sari_equations* sys = self->sys;
    const weights* w = &self->by_rates;
    double dt = s->t - self->t0;
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T | SARI_EVAL_MASS, s->t,
                                 s->q, s->v));
    SARI_TRY(factor(self));
    for (int r = 0; r < sys->nc; r++) {
        s->integral[r] = self->integral0[r] + dt * sys->Phi[r];
        self->g[r] =
            -(sys->Phi_t[r] + w->position[r] * sys->Phi[r] + w->integral[r] * s->integral[r]);
    }
    if (self->updates == 1) memset(s->sigma, 0, (size_t)sys->nc * sizeof(double)); // a penalty
    sari_constrained_solve(&self->lin, s->p, self->g, 1, s->v, s->sigma);          // (1), (2)
    for (int pass = 1; pass < self->updates; pass++)
        sari_constrained_improve(&self->lin, s->p, self->g, s->v, s->sigma);
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_BIAS | SARI_EVAL_FORCE | SARI_EVAL_JACOBIAN_RATE,
                                 s->t, s->q, s->v));
    momentum_rate(self, s->sigma, s->pdot);
    accelerations(self, s, 1);
    return SAR_OK;
}

static void begin(void* self_, const sari_state* s)
{
    hamiltonian* self = self_;
    self->mu_ready = 0;
    if (!s) return; // within a step: its start stays what it was
    size_t bytes = (size_t)self->sys->nq * sizeof(double);
    self->t0 = s->t;
    memcpy(self->p0, s->p, bytes);
    memcpy(self->pdot0, s->pdot, bytes);
    memcpy(self->integral0, s->integral, (size_t)self->sys->nc * sizeof(double));
}

static sar_status start(void* self_, sari_state* s)
{
    hamiltonian* self = self_;
    sari_equations* sys = self->sys;
    SARI_TRY(
        sari_equations_eval(sys, SARI_EVAL_DYNAMICS | SARI_EVAL_JACOBIAN_RATE, s->t, s->q, s->v));
    sari_sym_assign(&self->lin.P, &sys->M);
    self->lin.c = self->alpha_given > 0.0 ? self->alpha_given
                                          : PENALTY_RATIO / sari_constrained_unit(&self->lin);
    if (self->alpha) sari_constrained_weigh_rows(&self->lin, self->alpha);
    SARI_TRY(factor(self));
    for (int r = 0; r < sys->nc; r++) s->sigma[r] = self->sigma_start;
    memset(s->integral, 0, (size_t)sys->nc * sizeof(double));
    self->sweeps = 0;
    sari_sym_multiply(&sys->M, sys->M.x, s->v, s->p);
    sari_csr_multiply_add_transposed(&sys->Phi_q, 1.0, s->sigma, s->p);
    momentum_rate(self, s->sigma, s->pdot);
    accelerations(self, s, START_PASSES);
    begin(self, s);
    for (int i = 0; i < sys->nq; i++)
        if (!isfinite(s->a[i])) return SAR_R_NOT_FINITE;
    return SAR_OK;
}

/* ---- reset ---------------------------------------------------------------------------------- */

static int too_large(const hamiltonian* self, const sari_state* s)
{
    double most = 0.0;
    for (int r = 0; r < self->sys->nc; r++) most = fmax(most, fabs(s->sigma[r]));
    return self->reset > 0.0 && most > self->reset;
}

/* The system is evaluated at s. */
static void reset_multipliers(hamiltonian* self, sari_state* s)
{
    const sari_equations* sys = self->sys;
    sari_csr_multiply_add_transposed(&sys->Phi_q, -1.0, s->sigma, s->p);
    sari_csr_multiply_add_transposed(&sys->Phi_q_rate, -1.0, s->sigma, s->pdot);
    memset(s->sigma, 0, (size_t)sys->nc * sizeof(double));
}

static sar_status accept(void* self_, sari_state* s, int* changed)
{
    hamiltonian* self = self_;
    *changed = 0;
    if (!too_large(self, s)) return SAR_OK;
    SARI_TRY(sari_equations_eval(self->sys, SARI_EVAL_JACOBIAN | SARI_EVAL_JACOBIAN_RATE, s->t,
                                 s->q, s->v));
    reset_multipliers(self, s);
    return SAR_OK;
}

/* ---- Newton form ---------------------------------------------------------------------------- */

/* mu = sigma + alpha c, with I at the end of a step h; the system is evaluated at s */
static void set_mu(hamiltonian* self, const sari_state* s, double h)
{
    const sari_equations* sys = self->sys;
    const weights* w = &self->by_newton;
    sari_equations_phi_dot(sys, s->v, self->mu);
    for (int r = 0; r < sys->nc; r++) {
        double integral = self->integral0[r] + h * sys->Phi[r];
        double c = self->mu[r] + w->position[r] * sys->Phi[r] + w->integral[r] * integral;
        self->mu[r] = s->sigma[r] + sari_constrained_penalty(&self->lin, r) * c;
    }
}

/* What mu becomes by the correction dq, less terms of second order in dq: they are no sign of a
 * missing force, but alpha times them can be as large as one. */
static void move_mu(hamiltonian* self, const double* dq, double h)
{
    sari_csr W = self->sys->Phi_q;
    W.x = self->tangent.W;
    sari_csr_multiply(&W, dq, self->g);
    for (int r = 0; r < W.rows; r++)
        self->mu[r] += sari_constrained_penalty(&self->lin, r) * 2.0 / h * self->g[r];
    self->mu_ready = 1;
}

static sar_status expect_corrections(void* self_, const sar_options* options)
{
    hamiltonian* self = self_;
    if (self->printed) {
        self->swept = SARI_TAKE(&self->memory, double, self->sys->Phi_q.p[self->sys->nc]);
        if (!self->swept) return SAR_E_NOMEM;
    }
    return sari_tangent_create(&self->tangent, self->sys, options->solver);
}

/* h Phi_q, as last evaluated, joins the sum of (5a) */
static void sweep_jacobian(hamiltonian* self, double h)
{
    const sari_csr* J = &self->sys->Phi_q;
    for (int k = 0; k < J->p[J->rows]; k++)
        self->swept[k] = (self->sweeps ? self->swept[k] : 0.0) + h * J->x[k];
    self->sweeps++;
}

/* (5a) in the place of what (5) has */
static void set_printed_rows(hamiltonian* self, double h)
{
    const sari_equations* sys = self->sys;
    for (int r = 0; r < sys->nc - sys->velocity_rows; r++) {
        const double position = self->by_newton.position[r], integral = self->by_newton.integral[r];
        for (int k = sys->Phi_q.p[r]; k < sys->Phi_q.p[r + 1]; k++)
            self->tangent.W[k] =
                (1.0 + 0.5 * h * position + 0.5 * h * h * integral) * sys->Phi_q.x[k] +
                0.5 * h * integral * self->swept[k];
    }
}

/* (5) */
static sar_status factor_tangent(hamiltonian* self, double h)
{
    const sari_equations* sys = self->sys;
    const double *J = sys->Phi_q.x, *J_rate = sys->Phi_q_rate.x;
    for (int r = 0; r < sys->nc; r++) {
        const weights* w = &self->by_newton;
        const double alpha = sari_constrained_penalty(&self->lin, r);
        const double level = 1.0 + 0.5 * h * (w->position[r] + h * w->integral[r]);
        for (int k = sys->Phi_q.p[r]; k < sys->Phi_q.p[r + 1]; k++) {
            self->tangent.U[k] = alpha * (J[k] - 0.5 * h * J_rate[k]);
            self->tangent.W[k] = level * J[k] + 0.5 * h * J_rate[k];
        }
    }
    for (int k = sys->Phi_q.p[sys->nc - sys->velocity_rows]; k < sys->Phi_q.p[sys->nc]; k++)
        self->tangent.W[k] = J[k] + 0.5 * h * sys->velocity_slope.x[k];
    if (self->printed) set_printed_rows(self, h);
    return sari_tangent_factor(&self->tangent, 0.25 * h * h, 2.0 / h);
}

static sar_status correct(void* self_, const sari_state* s, double cv, double ca, double* dq)
{
    hamiltonian* self = self_;
    sari_equations* sys = self->sys;
    double h = 2.0 / cv;
    (void)ca;
    SARI_TRY(sari_equations_eval(sys,
                                 SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T | SARI_EVAL_MASS |
                                     SARI_EVAL_FORCE | SARI_EVAL_TANGENT | SARI_EVAL_JACOBIAN_RATE |
                                     SARI_EVAL_VELOCITY_SLOPE,
                                 s->t, s->q, s->v));
    if (self->printed && self->sweeps == 0) sweep_jacobian(self, h); // that of the start, nearly
    set_mu(self, s, h);
    momentum_rate(self, self->mu, self->rate);
    sari_sym_multiply(&sys->M, sys->M.x, s->v, dq); // (4), with its sign changed
    sari_csr_multiply_add_transposed(&sys->Phi_q, 1.0, self->mu, dq);
    for (int i = 0; i < sys->nq; i++) {
        double p = self->p0[i] + 0.5 * h * (self->pdot0[i] + self->rate[i]);
        dq[i] = 0.5 * h * (p - dq[i]);
    }
    SARI_TRY(factor_tangent(self, h));
    sari_tangent_solve(&self->tangent, dq); // (6)
    move_mu(self, dq, h);
    return SAR_OK;
}

/* The multipliers wait for the end of the step, unless (2) follows every correction as printed. */
static void update(void* self_, sari_state* s, double ca)
{
    hamiltonian* self = self_;
    if (!self->printed) return;
    const unsigned what = SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T;
    if (sari_equations_eval(self->sys, what, s->t, s->q, s->v) != SAR_OK)
        return; // the next finds it
    set_mu(self, s, sqrt(4.0 / ca));
    memcpy(s->sigma, self->mu, (size_t)self->sys->nc * sizeof(double));
    self->mu_ready = 1;
}

static sar_status project(void* self_, sari_state* s, double cv, double ca)
{
    hamiltonian* self = self_;
    sari_equations* sys = self->sys;
    double h = 2.0 / cv;
    (void)ca;
    SARI_TRY(
        sari_equations_eval(sys, SARI_EVAL_DYNAMICS | SARI_EVAL_JACOBIAN_RATE, s->t, s->q, s->v));
    SARI_TRY(factor(self));
    if (!self->mu_ready) set_mu(self, s, h);
    if (self->printed) sweep_jacobian(self, h);
    for (int r = 0; r < sys->nc; r++) {
        s->sigma[r] = self->mu[r]; // (2)
        s->integral[r] = self->integral0[r] + h * sys->Phi[r];
    }
    momentum_rate(self, s->sigma, s->pdot);
    for (int i = 0; i < sys->nq; i++)
        s->p[i] = self->p0[i] + 0.5 * h * (self->pdot0[i] + s->pdot[i]);
    accelerations(self, s, 1);
    if (too_large(self, s)) reset_multipliers(self, s);
    return SAR_OK;
}

/* ---- the rest ------------------------------------------------------------------------------- */

static double alpha(const void* self_)
{
    return ((const hamiltonian*)self_)->lin.c;
}

static const char* solver(const void* self_)
{
    return ((const hamiltonian*)self_)->lin.solver.ops->name;
}

static void clear(void* self_)
{
    hamiltonian* self = self_;
    sari_constrained_clear(&self->lin);
    sari_tangent_clear(&self->tangent);
}

static void archive(void* self_, sari_archive* a)
{
    hamiltonian* self = self_;
    const size_t n = (size_t)self->sys->nq, m = (size_t)self->sys->nc;
    SARI_ARCHIVE_NUMBERS(a, &self->lin.c, &self->t0);
    sari_archive_numbers(a, self->p0, n);
    sari_archive_numbers(a, self->pdot0, n);
    sari_archive_numbers(a, self->integral0, m);
    sari_archive_ints(a, &self->sweeps, 1);
    if (self->swept) sari_archive_numbers(a, self->swept, (size_t)self->sys->Phi_q.p[m]);
}

/* By default weak enough for an explicit step in the rates, strong in Newton form, which does not
 * mind [gonzalez2016, tables 1 to 3]. */
static weights choose_weights(hamiltonian* self, const sar_options* o, double omega, double xi)
{
    const sari_equations* sys = self->sys;
    weights w = {SARI_TAKE(&self->memory, double, sys->nc),
                 SARI_TAKE(&self->memory, double, sys->nc)};
    if (o->omega >= 0.0) omega = o->omega;
    if (o->omega_step > 0.0) omega = o->omega_step / o->step;
    if (o->xi >= 0.0) xi = o->xi;
    for (int r = 0; !self->memory.failed && r < sys->nc; r++) {
        const double own = sari_row_option(sys, o, "omega", r, omega);
        w.position[r] = 2.0 * sari_row_option(sys, o, "xi", r, xi) * own;
        w.integral[r] = own * own;
    }
    return w;
}

static sar_status create(void* self_, sari_equations* sys, const sar_options* options,
                         sar_error* error)
{
    hamiltonian* self = self_;
    (void)error;
    self->sys = sys;
    self->alpha_given = options->alpha;
    self->reset = options->reset;
    self->updates = options->updates;
    self->printed = options->as_printed;
    self->sigma_start = options->sigma_start;
    self->alpha = sari_row_penalties(sys, options, &self->memory);
    self->by_rates = choose_weights(self, options, 0.1, 1000.0);
    self->by_newton = choose_weights(self, options, 1.0, 1e4);
    self->p0 = SARI_TAKE(&self->memory, double, sys->nq);
    self->pdot0 = SARI_TAKE(&self->memory, double, sys->nq);
    self->rate = SARI_TAKE(&self->memory, double, sys->nq);
    self->integral0 = SARI_TAKE(&self->memory, double, sys->nc);
    self->g = SARI_TAKE(&self->memory, double, sys->nc);
    self->mu = SARI_TAKE(&self->memory, double, sys->nc);
    return sari_constrained_create(&self->lin, &sys->M, &sys->Phi_q, 0, options->solver, NULL);
}

static const sari_rates_ops by_rates = {.evaluate = rates, .accept = accept};
static const sari_correction_ops corrections = {
    .expect = expect_corrections,
    .correct = correct,
    .update = update,
    .project = project,
};

const sari_formulation_ops sari_formulation_hamiltonian = {
    .name = "hamiltonian",
    .cite = "bayo1994 gonzalez2016",
    .text = "augmented Lagrangian in canonical momenta, stabilised",
    .capabilities = SARI_FORM_RANK_DROP | SARI_FORM_MOMENTA,
    .rates = &by_rates,
    .corrections = &corrections,
    .size = SARI_OBJECT(hamiltonian, memory),
    .create = create,
    .start = start,
    .begin = begin,
    .alpha = alpha,
    .solver = solver,
    .archive = archive,
    .clear = clear,
};
