/* Index-1 formulations: accelerations as a function of the state, by a penalty on the stabilised
 * acceleration constraints. With s = dPhi_q/dt v + dPhi_t/dt + 2 xi omega dPhi/dt + omega^2 Phi:
 *
 *     al1      (M + alpha Phi_q' Phi_q) a = Q - Phi_q' (lambda + alpha s)      (1)
 *
 *              lambda += alpha (Phi_q a + s)                                   (2)
 *
 *     penalty  (1) with lambda = 0
 *
 * (1), (2) are [gonzalez2016, (5), (6)], (2) with the accelerations just found; the multipliers
 * are carried from evaluation to evaluation, and (1), (2) repeated `updates` times with one
 * factorisation. Instead of stabilisation (omega > 0), positions and velocities can be projected
 * to the constraints after every step, in the metric of the masses [bayo1996]:
 *
 *     (M + alpha Phi_q' Phi_q) dq = -M (q - q*) - Phi_q' (mu + alpha Phi)      (3)
 *
 *     (M + alpha Phi_q' Phi_q) v  =  M v* - Phi_q' (nu + alpha Phi_t)          (4)
 *
 * With `project` 2 accelerations too, by (4) with Phi_q a + bias for its rows; they are kept for the next
 * step, instead of those that (1) has for the projected state.
 *
 * `updates` 1: lambda is zero before every evaluation, so that (1), (2) are the penalty method.
 *
 * Rows on velocities that others imply contradict them by as much as positions and velocities are
 * off the constraints. That part of s no acceleration removes; it is taken off s, or alpha times it
 * would pile up in multipliers that make no force.
 *
 * Repetitions solve for corrections: the rounding that a large alpha brings goes out with them. */
#include "formulations/index1.h"

#include "base/memory.h"
#include "base/status.h"
#include "formulations/row_options.h"
#include "linalg/sym_tools.h"

#include <math.h>
#include <string.h>

enum {
    START_PASSES = 20,    ///< of (1), (2) at the start of a run
    POSITION_PASSES = 10, ///< of (3), at most
    VELOCITY_PASSES = 3,  ///< of (4)
    STRIPS = 2,           ///< that find contradictions
};

static const double POSITION_TOLERANCE = 1e-12; ///< of Phi, relative to max(1, |q|)
static const double PENALTY_RATIO = 1e7;        ///< default alpha in units of the inertia

typedef sari_index1 index1;

/* Factor M + alpha Phi_q' Phi_q; the system is evaluated. */
static sar_status factor(index1* self)
{
    const sari_equations* sys = self->sys;
    sari_sym_assign(&self->lin.P, &sys->M);
    return sari_constrained_factor(&self->lin);
}

void sari_index1_stabilise(index1* self, const sari_state* s)
{
    const sari_equations* sys = self->sys;
    const double *velocity = self->velocity, *position = self->position;
    if (self->stabilised) {
        sari_equations_phi_dot(sys, s->v, self->g);
        for (int r = 0; r < sys->nc; r++)
            self->g[r] = -(sys->bias[r] + velocity[r] * self->g[r] + position[r] * sys->Phi[r]);
    } else {
        for (int r = 0; r < sys->nc; r++) self->g[r] = -sys->bias[r];
    }
}

static sar_status solve(index1* self, sari_state* s, int passes)
{
    sari_equations* sys = self->sys;
    if (sari_equations_open(sys)) return sari_equations_accelerations(sys, s->t, s->q, s->v, s->a);
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_DYNAMICS, s->t, s->q, s->v));
    SARI_TRY(factor(self));
    sari_index1_stabilise(self, s);
    if (self->implied) sari_constrained_strip(&self->lin, STRIPS, self->dq, self->mu, self->g);
    if (!self->carries) memset(s->lambda, 0, (size_t)sys->nc * sizeof(double));
    sari_constrained_solve(&self->lin, sys->Q, self->g, 1, s->a, s->lambda); // (1), (2)
    for (int pass = 1; pass < passes; pass++)
        sari_constrained_improve(&self->lin, sys->Q, self->g, s->a, s->lambda);
    return SAR_OK;
}

sar_status sari_index1_rates(void* self_, sari_state* s)
{
    index1* self = self_;
    return solve(self, s, self->updates);
}

/* (1) and (2) along a change of the state, with the matrix of the last evaluation: at the multipliers that were found
 *     M da + Phi_q' dlambda = -F,   dlambda += alpha (Phi_q da + second + 2 xi omega rate + omega^2 Phi). */
static void change(void* self_, const double* F, const double* Phi, const double* rate,
                   const double* second, double* da, double* dlambda)
{
    index1* self = self_;
    const sari_equations* sys = self->sys;
    for (int i = 0; i < sys->nq; i++) self->f[i] = -F[i];
    for (int r = 0; r < sys->nc; r++)
        self->g[r] = -(second[r] + self->velocity[r] * rate[r] + self->position[r] * Phi[r]);
    if (self->implied) sari_constrained_strip(&self->lin, STRIPS, self->dq, self->mu, self->g);
    memset(dlambda, 0, (size_t)sys->nc * sizeof(double));
    sari_constrained_solve(&self->lin, self->f, self->g, 1, da, dlambda);
    for (int pass = 1; pass < self->updates; pass++)
        sari_constrained_improve(&self->lin, self->f, self->g, da, dlambda);
}

static void choose_alpha(index1* self)
{
    self->lin.c = self->alpha_given > 0.0 ? self->alpha_given
                                          : PENALTY_RATIO / sari_constrained_unit(&self->lin);
    if (self->alpha) sari_constrained_weigh_rows(&self->lin, self->alpha);
}

static sar_status start(void* self_, sari_state* s)
{
    index1* self = self_;
    sari_equations* sys = self->sys;
    if (!sari_equations_open(sys)) {
        SARI_TRY(sari_equations_eval(sys, SARI_EVAL_DYNAMICS, s->t, s->q, s->v));
        sari_sym_assign(&self->lin.P, &sys->M);
        choose_alpha(self);
        SARI_TRY(sari_constrained_factor(&self->lin));
        self->implied =
            sys->velocity_rows &&
            sari_constrained_implied(&self->lin, sys->velocity_rows, self->dq, self->mu, self->g);
    }
    memset(s->lambda, 0, (size_t)sys->nc * sizeof(double));
    SARI_TRY(solve(self, s, self->carries ? START_PASSES : 1));
    for (int i = 0; i < sys->nq; i++)
        if (!isfinite(s->a[i])) return SAR_R_NOT_FINITE;
    return SAR_OK;
}

/* ---- projections ---------------------------------------------------------------------------- */

static int positions_hold(const index1* self, const double* q)
{
    const sari_equations* sys = self->sys;
    double square = 0.0, most = 0.0;
    for (int i = 0; i < sys->np; i++) square += q[i] * q[i];
    for (int r = 0; r < sys->nc; r++) most = fmax(most, fabs(sys->Phi[r]));
    return most < POSITION_TOLERANCE * fmax(1.0, sqrt(square));
}

/* (3) */
static sar_status project_position(index1* self, sari_state* s)
{
    sari_equations* sys = self->sys;
    const sari_coordinates* c = sys->space;
    int m = sys->nc;
    unsigned what = SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T | SARI_EVAL_MASS;
    memcpy(self->q_star, s->q, (size_t)sys->np * sizeof(double));
    memset(self->mu, 0, (size_t)m * sizeof(double));
    for (int pass = 0; pass < POSITION_PASSES; pass++) {
        SARI_TRY(sari_equations_eval(sys, what, s->t, s->q, s->v));
        SARI_TRY(factor(self));
        if (positions_hold(self, s->q)) break;
        sari_coordinates_difference(c, s->q, self->q_star, self->dq);
        sari_sym_multiply(&sys->M, sys->M.x, self->dq, self->f);
        for (int r = 0; r < m; r++) self->g[r] = -sys->Phi[r];
        sari_constrained_solve(&self->lin, self->f, self->g, 1, self->dq, self->mu);
        sari_coordinates_move(c, s->q, self->dq, s->q);
    }
    return SAR_OK;
}

/* As (4), with the multipliers of the motion and Phi_q a + bias [bayo1996]. */
sar_status sari_index1_project_acceleration(index1* self, sari_state* s)
{
    sari_equations* sys = self->sys;
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_BIAS, s->t, s->q, s->v));
    sari_sym_multiply(&sys->M, sys->M.x, s->a, self->f);
    memset(self->mu, 0, (size_t)sys->nc * sizeof(double));
    for (int r = 0; r < sys->nc; r++) self->g[r] = -sys->bias[r];
    sari_constrained_solve(&self->lin, self->f, self->g, 1, s->a, self->mu);
    for (int pass = 1; pass < VELOCITY_PASSES; pass++)
        sari_constrained_improve(&self->lin, self->f, self->g, s->a, self->mu);
    return SAR_OK;
}

/* (4), with the factor of the last position */
static void project_velocity(index1* self, sari_state* s)
{
    const sari_equations* sys = self->sys;
    sari_sym_multiply(&sys->M, sys->M.x, s->v, self->f);
    memset(self->mu, 0, (size_t)sys->nc * sizeof(double));
    for (int r = 0; r < sys->nc; r++) self->g[r] = -sys->Phi_t[r];
    sari_constrained_solve(&self->lin, self->f, self->g, 1, s->v, self->mu);
    for (int pass = 1; pass < VELOCITY_PASSES; pass++)
        sari_constrained_improve(&self->lin, self->f, self->g, s->v, self->mu);
}

sar_status sari_index1_accept(void* self_, sari_state* s, int* changed)
{
    index1* self = self_;
    *changed = self->projects && self->sys->nc > 0;
    if (!*changed) return SAR_OK;
    sari_projection_begins(self->sys, s);
    SARI_TRY(project_position(self, s));
    project_velocity(self, s);
    sari_projection_ended(self->sys, s);
    return SAR_OK;
}

/* ---- the rest ------------------------------------------------------------------------------- */

static void begin(void* self_, const sari_state* s)
{
    (void)self_;
    (void)s;
}

static double alpha(const void* self_)
{
    return ((const index1*)self_)->lin.c;
}

static const char* solver(const void* self_)
{
    return ((const index1*)self_)->lin.solver.ops->name;
}

static void clear(void* self_)
{
    index1* self = self_;
    sari_constrained_clear(&self->lin);
    sari_tangent_clear(&self->tangent);
}

static void archive(void* self_, sari_archive* a)
{
    index1* self = self_;
    SARI_ARCHIVE_INTS(a, &self->implied);
    SARI_ARCHIVE_NUMBERS(a, &self->lin.c);
}

/* omega and xi, one for all, or of single rows */
static void take_gains(index1* self, const sar_options* o)
{
    const sari_equations* sys = self->sys;
    const double omega = o->omega_step > 0.0 ? o->omega_step / o->step : fmax(o->omega, 0.0);
    const double xi = o->xi >= 0.0 ? o->xi : 1.0;
    self->velocity = SARI_TAKE(&self->memory, double, sys->nc);
    self->position = SARI_TAKE(&self->memory, double, sys->nc);
    self->stabilised = omega > 0.0;
    for (int r = 0; !self->memory.failed && r < sys->nc; r++) {
        const double own = sari_row_option(sys, o, "omega", r, omega);
        self->velocity[r] = 2.0 * sari_row_option(sys, o, "xi", r, xi) * own;
        self->position[r] = own * own;
        if (own > 0.0) self->stabilised = 1;
    }
}

static sar_status create_with(index1* self, sari_equations* sys, const sar_options* options,
                              int carries)
{
    self->sys = sys;
    self->alpha_given = options->alpha;
    self->alpha = sari_row_penalties(sys, options, &self->memory);
    take_gains(self, options);
    self->updates = carries ? options->updates : 1;
    self->carries = carries && options->updates > 1; // else (1), (2) are a penalty
    self->printed = options->as_printed;
    self->projects = options->project >= 0 ? options->project : !self->stabilised;
    self->f = SARI_TAKE(&self->memory, double, sys->nq);
    self->g = SARI_TAKE(&self->memory, double, sys->nc);
    self->mu = SARI_TAKE(&self->memory, double, sys->nc);
    self->dq = SARI_TAKE(&self->memory, double, sys->nq);
    self->q_star = SARI_TAKE(&self->memory, double, sys->np);
    // accelerations of open trees come by recursion: there is nothing to factor
    int none[] = {0};
    const sari_sym nothing = {.p = none}, *P = sari_equations_open(sys) ? &nothing : &sys->M;
    return sari_constrained_create(&self->lin, P, &sys->Phi_q, 0, options->solver, NULL);
}

static sar_status create_al1(void* self, sari_equations* sys, const sar_options* options,
                             sar_error* error)
{
    (void)error;
    return create_with(self, sys, options, 1);
}

static sar_status create_penalty(void* self, sari_equations* sys, const sar_options* options,
                                 sar_error* error)
{
    (void)error;
    return create_with(self, sys, options, 0);
}

static const sari_rates_ops by_rates = {
    .evaluate = sari_index1_rates, .accept = sari_index1_accept, .change = change};
static const sari_correction_ops corrections = {
    .expect = sari_index1_expect_corrections,
    .correct = sari_index1_correct,
    .update = sari_index1_update,
    .project = sari_index1_project,
};

const sari_formulation_ops sari_formulation_al1 = {
    .name = "al1",
    .cite = "bayo1988 gonzalez2016",
    .text = "index-1 augmented Lagrangian, stabilised or with position and velocity projections",
    .capabilities = SARI_FORM_RANK_DROP | SARI_FORM_TREE_RATES,
    .rates = &by_rates,
    .corrections = &corrections,
    .size = SARI_OBJECT(index1, memory),
    .create = create_al1,
    .start = start,
    .begin = begin,
    .alpha = alpha,
    .solver = solver,
    .archive = archive,
    .clear = clear,
};

const sari_formulation_ops sari_formulation_penalty = {
    .name = "penalty",
    .cite = "bayo1988 gonzalez2016",
    .text = "penalty on the stabilised acceleration constraints, no multipliers",
    .capabilities = SARI_FORM_RANK_DROP | SARI_FORM_TREE_RATES,
    .rates = &by_rates,
    .corrections = &corrections,
    .size = SARI_OBJECT(index1, memory),
    .create = create_penalty,
    .start = start,
    .begin = begin,
    .alpha = alpha,
    .solver = solver,
    .archive = archive,
    .clear = clear,
};
