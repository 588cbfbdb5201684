/* The index-1 formulations in Newton form: equilibrium at the end of an implicit step with the
 * shifts dv = cv dq, da = ca dq; b = 1/ca [gonzalez2016, (14)-(17)]. With the violation
 *
 *     c = d2Phi/dt2 + 2 xi omega dPhi/dt + omega^2 Phi
 *
 *     r  = b (M a - Q + Phi_q' (lambda + alpha c))                                          (1)
 *
 *     S  = M + b (cv C + K) + alpha Phi_q' ((1 + 2 xi omega b cv + omega^2 b) Phi_q
 *                                           + (2 b cv + 2 xi omega b) dPhi_q/dt)            (2)
 *
 *     S dq = -r                                                                             (3)
 *
 *     lambda += alpha c,   once a step, after convergence                                   (4)
 *
 * (2) is not symmetric. It neglects the change of Phi_q' under lambda + alpha c and that of Phi_q
 * under a, which are of second order in the step. [gonzalez2016, (16)] has b cv dPhi_q/dt only,
 * (here: `as_printed`), leaving out the derivatives of dPhi_q/dt by v and of dPhi/dt by q; they cost nothing and save
 * iterations. Where positions are no vectors dPhi_q/dt also stands for the derivative of Phi_q v by
 * q, from which it differs by Phi_q times the bracket of dq and v: of first order in the step, and
 * a matter of the path of the iteration alone. Rows on velocities, psi = A v + b, have no
 * position in c, and the derivative of psi by q is not dA/dt; for them (2) has
 *
 *     alpha A' ((1 + 2 xi omega b cv) A + b cv (dA/dt + psi_q) + 2 xi omega b psi_q)        (5)
 *
 The penalty formulation has no lambda in (1), and
 * reports alpha c as such. With projections the step's end returns to the constraints and is
 * evaluated again, as after a step by rates. */
#include "base/status.h"
#include "formulations/index1.h"
#include "linalg/sym_tools.h"

#include <string.h>

sar_status sari_index1_expect_corrections(void* self_, const sar_options* options)
{
    sari_index1* self = self_;
    return sari_tangent_create(&self->tangent, self->sys, options->solver);
}

/* mu = alpha c; the system is evaluated at s */
static void penalty_force(sari_index1* self, const sari_state* s)
{
    const sari_equations* sys = self->sys;
    sari_index1_stabilise(self, s);
    sari_csr_multiply(&sys->Phi_q, s->a, self->mu);
    for (int r = 0; r < sys->nc; r++)
        self->mu[r] = sari_constrained_penalty(&self->lin, r) * (self->mu[r] - self->g[r]);
}

/* (2) */
static sar_status factor_tangent(sari_index1* self, double cv, double b)
{
    const sari_equations* sys = self->sys;
    const double *J = sys->Phi_q.x, *J_rate = sys->Phi_q_rate.x;
    for (int r = 0; r < sys->nc; r++) {
        const int on_velocity = r >= sys->nc - sys->velocity_rows;
        const double alpha = sari_constrained_penalty(&self->lin, r), damping = self->velocity[r];
        const double level = 1.0 + damping * b * cv + self->position[r] * b;
        const double rate = self->printed ? b * cv : 2.0 * b * cv + damping * b;
        for (int k = sys->Phi_q.p[r]; k < sys->Phi_q.p[r + 1]; k++) {
            const double slope = on_velocity ? sys->velocity_slope.x[k] : 0.0;
            self->tangent.U[k] = alpha * J[k];
            self->tangent.W[k] = on_velocity
                                     ? (1.0 + damping * b * cv) * J[k] +
                                           b * cv * (J_rate[k] + slope) + damping * b * slope // (5)
                                     : level * J[k] + rate * J_rate[k];
        }
    }
    return sari_tangent_factor(&self->tangent, b, cv);
}

sar_status sari_index1_correct(void* self_, const sari_state* s, double cv, double ca, double* dq)
{
    sari_index1* self = self_;
    sari_equations* sys = self->sys;
    double b = 1.0 / ca;
    SARI_TRY(sari_equations_eval(sys,
                                 SARI_EVAL_DYNAMICS | SARI_EVAL_JACOBIAN_RATE | SARI_EVAL_TANGENT |
                                     SARI_EVAL_VELOCITY_SLOPE,
                                 s->t, s->q, s->v));
    penalty_force(self, s);
    if (self->carries)
        for (int r = 0; r < sys->nc; r++) self->mu[r] += s->lambda[r];
    sari_sym_multiply(&sys->M, sys->M.x, s->a, dq); // (1), with its sign changed
    for (int i = 0; i < sys->nq; i++) dq[i] = b * (sys->Q[i] - dq[i]);
    sari_csr_multiply_add_transposed(&sys->Phi_q, -b, self->mu, dq);
    SARI_TRY(factor_tangent(self, cv, b));
    sari_tangent_solve(&self->tangent, dq); // (3)
    return SAR_OK;
}

/* The multipliers wait for the end of the step, unless they change in every iteration as printed: then
 * with the violation that the correction leaves. */
void sari_index1_update(void* self_, sari_state* s, double ca)
{
    sari_index1* self = self_;
    (void)ca;
    if (!self->printed || !self->carries) return;
    const unsigned what = SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T | SARI_EVAL_BIAS;
    if (sari_equations_eval(self->sys, what, s->t, s->q, s->v) != SAR_OK)
        return; // the next finds it
    penalty_force(self, s);
    for (int r = 0; r < self->sys->nc; r++) s->lambda[r] += self->mu[r];
}

sar_status sari_index1_project(void* self_, sari_state* s, double cv, double ca)
{
    sari_index1* self = self_;
    sari_equations* sys = self->sys;
    (void)cv;
    (void)ca;
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_DYNAMICS, s->t, s->q, s->v));
    penalty_force(self, s);
    for (int r = 0; r < sys->nc && !(self->printed && self->carries); r++)
        s->lambda[r] = (self->carries ? s->lambda[r] : 0.0) + self->mu[r]; // (4)
    if (!self->projects) return SAR_OK;
    int changed;
    SARI_TRY(sari_index1_accept(self, s, &changed));
    return self->projects == 2 ? sari_index1_project_acceleration(self, s)
                               : sari_index1_rates(self, s);
}
