/* Steps of al3 that are plain: those of small systems come in one piece (al3_small.c), and instances of
 * one model side by side in the lanes of vectors (batch/). Both leave what is not plain to al3.c. */
#include "formulations/al3.h"
#include "formulations/al3_self.h"

/* Where nothing but a penalty with one tangent per correction is asked for. */
sar_status sari_al3_make_small(al3* self)
{
    const sari_al3_limits limits = {PATIENCE, SARI_AL3_REUSED, self->passes};
    const int plain = self->rescue && !self->kkt && self->kept.life == 1 && !self->lazy;
    if (!plain || self->P.has_tangent || self->P.stiffness || self->P.states) return SAR_OK;
    self->small = sari_al3_small_create(&self->memory, self->sys, &self->form[PENALTY], &limits);
    return self->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

/* A usual step, with a penalty from its beginning to its end. */
int sari_al3_whole(void* self_, sari_state* s, sari_newmark_step* step)
{
    al3* self = self_;
    sari_constrained* lin = &self->form[PENALTY];
    if (!self->small || self->sys->slack.count || lin->weighs) return 0;
    if (step->rule.fixed && step->rule.iterations > PATIENCE) return 0;
    const double ca = 1.0 / (step->beta * step->h * step->h), alpha = sari_al3_penalty(self, ca);
    if (!sari_al3_small_step(self->small, alpha / ca, s, step)) return 0;
    sari_al3_begin(self, s);
    self->lin = lin;
    self->alpha = alpha;
    lin->c = alpha / ca;
    self->iteration = step->iterations;
    self->has_jacobian = 1;
    return 1;
}

/* Where neither K and C nor a geometric stiffness, rows on velocities, kept tangents or another
 * course than that of choose_form come in, a step is (1)-(6) with P = M. */
const char* sari_al3_plain(const void* self_, sari_al3_facts* out)
{
    const al3* self = self_;
    const sari_equations* sys = self->sys;
    const sari_constrained* lin = &self->form[PENALTY];
    *out = (sari_al3_facts){lin, sari_al3_own_penalty(self), self->alpha_given, self->passes,
                            PATIENCE};
    if (self->kkt) return "an infinite penalty";
    if (!self->rescue) return "rescue is off";
    if (self->kept.life != 1 || self->lazy) return "tangents are kept";
    if (self->P.has_tangent) return "forces depend on the motion";
    if (self->P.stiffness) return "geometric stiffness";
    if (self->psi || self->implied) return "conditions on velocities";
    if (!sys->constant_mass) return "the mass matrix changes";
    if (sys->slack.count) return "the drawing contradicts itself";
    if (lin->augmented) return "the penalty matrix is augmented";
    return NULL;
}

void sari_al3_follow(void* self_, double ca)
{
    al3* self = self_;
    self->iteration = 0;
    self->phase = WITH_PENALTY;
    sari_al3_choose_form(self, ca);
}
