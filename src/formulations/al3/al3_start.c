/* How al3 is made for a system, and what it finds where a run starts; its equations are at the head of
 * al3.c. */
#include "base/memory.h"
#include "base/status.h"
#include "formulations/al3/al3_self.h"
#include "formulations/row_options.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { MOST_PASSES = 5 }; ///< of (3)-(4) with one S
enum { START_PASSES = 20, PASSES_AGAIN = 5, LIMIT_PASSES = 3 };

static const double START_LEFT = 1e-9; ///< of accelerations: rows at the start hold
static const double FILTER = 10.0;     ///< least filter number of a penalty of our choice
static const double STRONG = 1e7;      ///< penalty ratio where a correction saved pays for all

/* ---- life ----------------------------------------------------------------------------------- */

static sar_status make_P(al3* self, const sar_options* options)
{
    const sari_equations* sys = self->sys;
    const sari_structure structure = {sys->nq, self->block, sys->threads};
    sari_sym P = {0};
    sar_status st = sari_step_matrix_create(&self->P, sys, options->geometric != 0, &P);
    for (int k = PENALTY; k <= LIMIT && st == SAR_OK; k++) {
        st = sari_constrained_create(&self->form[k], &P, &sys->Phi_q, k == LIMIT, options->solver,
                                     &structure);
        if (st == SAR_OK)
            st = sari_constrained_vary(&self->form[k], sys->varying, sys->varying_count);
        self->form[k].soft_rows = sys->velocity_rows;
        if (st == SAR_OK) sari_sym_assign(&self->form[k].P, &P);
        self->form[k].slack = &sys->slack;
    }
    sari_sym_clear(&P);
    return st;
}

/* Bodies of the coordinates, where every coordinate belongs to one. 0: out of memory. */
static int find_blocks(al3* self)
{
    self->block = SARI_TAKE(&self->memory, int, self->sys->nq);
    if (self->block && !sari_equations_blocks(self->sys, self->block)) self->block = NULL;
    return !self->memory.failed;
}

static void choose_life(al3* self, const sar_options* options)
{
    const int slopes = self->P.has_tangent && !self->kkt && self->rescue;
    const int life =
        self->by_mass ? 1 : options->tangent_life; // S of a step is not kept by projections
    sari_tangent_choose(&self->tangent, self->sys, life, slopes, self->alpha_given > 0.0);
    if (self->tangent.expensive && !self->ratio_given) self->ratio = STRONG;
    // what rows on velocities leave adds up, as there is no position that they return to; and a penalty
    // that was given may be so soft that one correction says nothing
    const int measured =
        self->tangent.whole && !self->tangent.expensive && !self->psi && !self->ratio_given;
    // a fixed number of corrections asks for steps of one price
    const int passes = measured && self->sys->nc > 0 && !options->iterations_fixed;
    self->most_passes = passes ? MOST_PASSES : 1;
    if (measured) sari_tangent_measure(&self->tangent, &self->memory);
}

sar_status sari_al3_create(void* self_, sari_equations* sys, const sar_options* options,
                           sar_error* error)
{
    al3* self = self_;
    self->sys = sys;
    self->ratio = options->penalty_ratio > 0.0 ? options->penalty_ratio : 1e6;
    self->alpha_given = isinf(options->alpha) ? 0.0 : options->alpha;
    self->kkt = isinf(options->alpha) != 0;
    self->alpha_rows = sari_row_penalties(sys, options, &self->memory);
    if (self->alpha_rows && !(self->alpha_given > 0.0))
        return sari_fail(error, SAR_E_ARG, "alpha",
                         "al3 needs an alpha for all other constraints too, as 1e9,NAME=1e8");
    self->printed = options->as_printed;
    if (self->printed && !(self->alpha_given > 0.0))
        return sari_fail(error, SAR_E_ARG, "alpha", "al3 as printed needs an alpha");
    self->passes = options->projections;
    self->rescue = options->rescue;
    self->by_mass = options->differentiable;
    self->independent = options->independent_projections && !options->rescue;
    self->lazy = !self->by_mass && options->tangent_life >= 0 && options->tangent_life != 1 &&
                 sari_equations_reaction_without_jacobian(sys);
    self->ratio_given = options->penalty_ratio > 0.0;
    self->softest = sari_equations_softest(sys);
    self->unit = 1.0;
    self->reached = NAN;
    self->lin = &self->form[self->kkt ? LIMIT : PENALTY];
    self->f = SARI_TAKE(&self->memory, double, sys->nq);
    self->g = SARI_TAKE(&self->memory, double, sys->nc);
    self->mu = SARI_TAKE(&self->memory, double, sys->nc);
    self->nu = SARI_TAKE(&self->memory, double, self->by_mass ? sys->nc : 0);
    self->kappa = SARI_TAKE(&self->memory, double, self->by_mass ? sys->nc : 0);
    self->force = SARI_TAKE(&self->memory, double, sys->nq);
    self->lambda = SARI_TAKE(&self->memory, double, sys->nc);
    self->dmu = SARI_TAKE(&self->memory, double, sys->nc);
    self->before = SARI_TAKE(&self->memory, double, sys->nq);
    sari_predicted_create(&self->predicted, &self->memory, sys->nc);
    sari_transport_create(&self->transport, &self->memory, sys);
    if (sys->velocity_rows) self->psi = SARI_TAKE(&self->memory, double, sys->nc);
    SARI_TRY(find_blocks(self) ? make_P(self, options) : SAR_E_NOMEM);
    choose_life(self, options);
    return SAR_OK;
}

/* ---- start ---------------------------------------------------------------------------------- */

/* Rows that are redundant at the start: weak pivots in the limit, which P is that of self->lin. */
static sar_status count_redundant(al3* self)
{
    sari_constrained* limit = &self->form[LIMIT];
    if (self->lin != limit) sari_sym_assign(&limit->P, &self->lin->P);
    limit->same_P = 0;
    sari_constrained_weigh(limit);
    limit->c = 1.0 / self->unit;
    sari_al3_set_delta(self);
    SARI_TRY(sari_constrained_factor(limit));
    self->redundant = sari_al3_weak_pivots(self);
    return SAR_OK;
}

/* Accelerations and multipliers at the start with `form`, from what s has; self->g = -bias. Returns
 * the largest violation of the rows that is left. */
static double solve_start(al3* self, sari_constrained* form, int passes, sari_state* s)
{
    const sari_equations* sys = self->sys;
    sari_constrained_solve(form, sys->Q, self->g, passes, s->a, s->lambda);
    sari_csr_multiply(&sys->Phi_q, s->a, self->mu);
    for (int r = 0; r < sys->nc; r++) self->mu[r] -= self->g[r];
    return sari_vector_max(sys->nc, self->mu);
}

static void find_implied(al3* self)
{
    const sari_equations* sys = self->sys;
    self->implied =
        sari_constrained_implied(self->lin, sys->velocity_rows, self->f, self->mu, self->g);
    self->repeated = sari_constrained_implied(self->lin, sys->nc, self->f, self->mu, self->g);
}

/* M a + Phi_q' lambda = Q, Phi_q a = -bias: passes of the penalty form until nothing changes. Under
 * preload, or where masses differ much, they converge too slowly: then the limit goes on from there,
 * if it gets further. (On a singular configuration it does not.) */
sar_status sari_al3_start(void* self_, sari_state* s)
{
    al3* self = self_;
    sari_equations* sys = self->sys;
    // after a jump: the same rows
    const int now = fabs(s->t - self->reached) <= self->moment;
    const int jumped = self->tangent.expensive || (!self->kkt && now);
    const int again = self->started && jumped;
    const unsigned tangent = self->P.has_tangent && !again ? SARI_EVAL_TANGENT : 0;
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_DYNAMICS | tangent, s->t, s->q, s->v));
    self->lin->same_P = 0;
    sari_tangent_forget(&self->tangent);
    sari_predicted_forget(&self->predicted);
    sari_step_matrix_set(&self->P, 0.0, 0.0, NULL, &self->lin->P);
    self->unit = sari_constrained_unit(self->lin);
    self->floor = self->ratio_given ? 0.0 : FILTER / self->softest;
    if (!again) SARI_TRY(count_redundant(self));
    if (!self->kkt) {
        if (!(self->alpha_given > 0.0)) sari_constrained_weigh(self->lin);
        if (self->alpha_rows) { // ratios, which stay when c becomes alpha b
            self->lin->c = self->alpha_given;
            sari_constrained_weigh_rows(self->lin, self->alpha_rows);
        }
        self->lin->c = self->printed ? self->alpha_given : 1e6 / self->unit;
        SARI_TRY(sari_constrained_factor(self->lin));
    }
    for (int r = 0; r < sys->nc; r++) self->g[r] = -sys->bias[r], s->lambda[r] = 0.0;
    const int passes = self->printed                      ? 1 // (9)
                       : again && self->tangent.expensive ? PASSES_AGAIN
                                                          : START_PASSES;
    const double left = solve_start(self, self->lin, passes, s);
    if (!self->kkt && !self->printed &&
        left > START_LEFT * (sari_vector_max(sys->nq, s->a) + sari_vector_max(sys->nc, self->g))) {
        memcpy(self->f, s->a, (size_t)sys->nq * sizeof(double));
        memcpy(self->lambda, s->lambda, (size_t)sys->nc * sizeof(double));
        if (again) SARI_TRY(count_redundant(self)); // with the limit factored here
        if (!(solve_start(self, &self->form[LIMIT], LIMIT_PASSES, s) < 0.1 * left)) {
            memcpy(s->a, self->f, (size_t)sys->nq * sizeof(double));
            memcpy(s->lambda, self->lambda, (size_t)sys->nc * sizeof(double));
        }
    }
    sari_slack_drop(&sys->slack, s->lambda);
    if (!again) find_implied(self);
    self->started = 1;
    sari_al3_strip(self, s);
    self->updated = 0;
    for (int i = 0; i < sys->nq; i++)
        if (!isfinite(s->a[i])) return SAR_R_NOT_FINITE;
    return SAR_OK;
}
