/* The projections (5) and (6) of al3.c: velocities and accelerations back to their constraints, at the end of a
 * step. */
#include "base/status.h"
#include "formulations/al3/al3_self.h"
#include "linalg/sym_tools.h"
#include "math/functions.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-6;    ///< of shifts: lengths of steps differ by rounding
static const double BESIDE = 1e-5;  ///< where the step led further, S is from another place
static const double STRIPPED = 9.0; ///< digits of multipliers that stay when others are stripped
static const double DIGITS = 17.0;  ///< of projections down to rounding

/* (5) or (6) as published, all of it with Phi_q as last factored; e = Phi_t or the bias */
static void project_unrefreshed(al3* self, const double* e, double* x)
{
    const sari_equations* sys = self->sys;
    sari_constrained_multiply(self->lin, x, self->f);
    for (int r = 0; r < sys->nc; r++) self->g[r] = e ? -e[r] : 0.0, self->mu[r] = 0.0;
    sari_constrained_solve(self->lin, self->f, self->g, self->passes, x, self->mu);
}

/* (5) or (6) for the change of x alone, whose multipliers are mu: P (x - x*) + Phi_q' mu = 0; with NULL
 * in one pass. e = Phi_t, or NULL, or the bias */
static void project_change(al3* self, const double* e, int passes, double* x, double* mu)
{
    const sari_equations* sys = self->sys;
    double* change = self->force; // not needed any more in this step
    memset(self->f, 0, (size_t)sys->nq * sizeof(double));
    if (mu) memset(mu, 0, (size_t)sys->nc * sizeof(double));
    sari_csr_multiply(&sys->Phi_q, x, self->g);
    for (int r = 0; r < sys->nc; r++) self->g[r] = -(self->g[r] + (e ? e[r] : 0.0));
    if (self->by_mass && self->lin->slack) sari_slack_drop(self->lin->slack, self->g);
    if (self->tangent.lasts) sari_transport_there(&self->transport, NULL, self->g);
    sari_constrained_solve(self->lin, self->f, self->g, passes, change, mu);
    if (self->tangent.lasts) sari_transport_here(&self->transport, change, mu);
    for (int i = 0; i < sys->nq; i++) x[i] += change[i];
}

/* (6) with its multipliers, P (a - a*) + Phi_q' mu = 0: those that belong to the projected
 * accelerations are lambda + mu. Without them the power of drives is off by an order in h. */
static void project_driven(al3* self, sari_state* s, int passes)
{
    const sari_equations* sys = self->sys;
    project_change(self, sys->bias, passes, s->a, self->mu);
    for (int r = 0; r < sys->nc; r++) s->lambda[r] += self->mu[r];
}

/* Rows on velocities that others imply contradict them by O(h^2) in every step, as its velocities
 * are not yet projected; and what rounding leaves in redundant rows is magnified by the limit.
 * Either would pile up in multipliers that make no force, and make one where q is not yet found. */
void sari_al3_strip(al3* self, sari_state* s)
{
    if (!self->implied && !(self->repeated && self->lin->kkt && !self->kkt)) return;
    const double c = self->lin->kkt ? 1.0 / self->lin->soft_delta : self->lin->c;
    const double passes = ceil(STRIPPED / sari_log10(1.0 + c * self->softest));
    sari_constrained_strip(self->lin, (int)fmin(fmax(passes, 2.0), 10.0), self->f, self->mu,
                           s->lambda);
}

static void end_step(al3* self, const sari_state* s, double ca)
{
    self->updated = 0;
    self->reached = s->t;
    self->moment = SAME / sqrt(ca);
}

/* (5) and (6) in their limit and with P = M: a map of the state whose derivatives need none of K and C, and
 * that never adds energy. */
static sar_status project_by_mass(al3* self, sari_state* s, double ca)
{
    const sari_equations* sys = self->sys;
    SARI_TRY(sari_al3_evaluate_constraints(self, s, 0));
    if (sys->nc == 0) return SAR_OK;
    sari_al3_choose_form(self, ca);
    sari_constrained* lin = self->lin;
    lin->same_P = 0;
    self->stiffened = NULL;
    sari_step_matrix_set(&self->P, 0.0, 0.0, NULL, &lin->P);
    SARI_TRY(sari_constrained_factor(lin));
    lin->same_P = 0;
    const double passes = lin->kkt ? 3.0 : ceil(DIGITS / sari_log10(1.0 + lin->c * self->softest));
    const int count = (int)fmin(fmax(passes, 3.0), 2.0 * DIGITS);
    project_change(self, sys->rheonomic ? sys->Phi_t : NULL, count, s->v, self->nu); // (5)
    SARI_TRY(sari_equations_eval(self->sys, SARI_EVAL_BIAS, s->t, s->q, s->v));
    project_change(self, sys->bias, count, s->a, self->kappa); // (6)
    for (int r = 0; sys->rheonomic && r < sys->nc; r++) s->lambda[r] += self->kappa[r];
    sari_al3_strip(self, s);
    sari_tangent_forget(&self->tangent);
    return SAR_OK;
}

sar_status sari_al3_project(void* self_, sari_state* s, double cv, double ca)
{
    al3* self = self_;
    if (self->by_mass) {
        SARI_TRY(project_by_mass(self, s, ca));
        end_step(self, s, ca);
        return SAR_OK;
    }
    sari_equations* sys = self->sys;
    int published = !self->rescue && !self->kkt;
    const double* Phi_t = sys->rheonomic ? sys->Phi_t : NULL;
    // geometric stiffness has no place in the projections: their changes shall cost least energy
    const int near =
        self->tangent.expensive || (self->tangent.whole && self->tangent.first <= BESIDE);
    const int reused = near && self->tangent.age > 0 && !self->lin->kkt;
    const int last =
        self->tangent.age == 1 && self->tangent.correction <= SARI_AL3_REUSED && !self->P.stiffness;
    const int reusable = reused || last;
    const int anew = !self->updated || !(published || reusable), rows = sys->nc > 0;
    // expensive K and C of the step are reused: they weigh the change and do not affect the limit
    SARI_TRY(sari_al3_evaluate_constraints(
        self, s, rows && anew && !(self->tangent.expensive && self->tangent.age)));
    if (!rows) return SAR_OK;
    if (anew) {
        sari_al3_choose_form(self, ca);
        if (sys->nc) SARI_TRY(sari_al3_factor(self, s, cv, ca, NULL));
    }
    int passes = self->lin->kkt ? 2 : self->passes;
    if (self->psi && passes < 3) passes = 3; // velocities are all that holds these rows
    // what an S from further away leaves
    const int away = self->iteration > PATIENCE || self->tangent.first > BESIDE;
    const int again = reused && !anew && away ? 2 : 0;
    if (again > 1) passes += again;
    if (self->independent) SARI_TRY(sari_equations_eval(sys, SARI_EVAL_BIAS, s->t, s->q, s->v));
    if (published)
        project_unrefreshed(self, Phi_t, s->v); // (5)
    else if (self->tangent.lasts)
        for (int pass = 0; pass < passes; pass++) project_change(self, Phi_t, 1, s->v, NULL); // (5)
    else
        sari_constrained_project(self->lin, Phi_t, passes, s->v); // (5)
    if (!self->independent) SARI_TRY(sari_equations_eval(sys, SARI_EVAL_BIAS, s->t, s->q, s->v));
    if (published)
        project_unrefreshed(self, sys->bias, s->a); // (6)
    else if (sys->rheonomic)
        for (int pass = 0; pass <= again; pass++) project_driven(self, s, again ? 1 : passes);
    else if (self->tangent.lasts)
        for (int pass = 0; pass < passes; pass++)
            project_change(self, sys->bias, 1, s->a, NULL); // (6)
    else
        sari_constrained_project(self->lin, sys->bias, passes, s->a); // (6)
    sari_al3_strip(self, s);
    end_step(self, s, ca);
    return SAR_OK;
}
