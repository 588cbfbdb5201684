/* The limit of an infinite penalty, (6a) of threefield.h: where a step converges too slowly, and how near a
 * singular configuration it is. */
#include "base/status.h"
#include "formulations/threefield/threefield.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

typedef sari_threefield threefield;

enum {
    LIMIT_PASSES = 2,   ///< of a correction
    INVERSE_PASSES = 3, ///< that find the softest direction
};
static const double DELTA = 1e-11, SOFT_DELTA = 1e-6; ///< of (6a), of rows on velocities
static const double SLACK_DELTA = 1e-8;               ///< of (6a) where some rows have slack
static const double NEAR = 1e-2;      ///< of the softest eigenvalue at the start: near singular
static const double NEAR_BEGIN = 0.1; ///< likewise where the step begins

/* (6a) with the present J and the P of `limit`. The diagonal of J M^-1 J' is rho: its unit. */
static sar_status factor_limit(threefield* self)
{
    double unit = 0.0;
    for (int r = 0; r < self->sys->nc; r++) unit = fmax(unit, self->rho[r] * self->factor);
    self->limit.c = 1.0 / unit;
    self->limit.delta = (self->sys->slack.count ? SLACK_DELTA : DELTA) * unit;
    self->limit.soft_delta = SOFT_DELTA * unit;
    self->limit.same_P = 0;
    return sari_constrained_factor(&self->limit);
}

/* y = c z, rows in the units of J, without what no motion answers to: the part in the null space of J'.
 * Redundant rows, which contradict each other by rounding at least, would pile it up. */
static void project_on_range(threefield* self, double c, const double* z, double* y)
{
    memset(self->f, 0, (size_t)self->sys->nq * sizeof(double));
    sari_csr_multiply_add_transposed(&self->J, c, z, self->f);
    memset(y, 0, (size_t)self->sys->nc * sizeof(double));
    sari_constrained_solve(&self->limit, self->f, NULL, 1, self->d, y);
}

/* Estimate of the smallest eigenvalue of Phi_q M^-1 Phi_q' that is not zero, with rows scaled by
 * their masses at the start (they may vanish meanwhile): Rayleigh's quotient after inverse
 * iteration z = (J P^-1 J')^-1 y from the z in self->row. */
static double softest_direction(threefield* self, int passes)
{
    const int n = self->sys->nq, m = self->sys->nc;
    double *y = self->scaled, *z = self->row, square = 0.0;
    for (int pass = 0; pass < passes; pass++) {
        project_on_range(self, 1.0 / sari_vector_max(m, z), z, y);
        memset(self->f, 0, (size_t)n * sizeof(double));
        memset(z, 0, (size_t)m * sizeof(double));
        sari_constrained_solve(&self->limit, self->f, y, 1, self->d, z);
    }
    for (int r = 0; r < m; r++)
        if (self->mass0[r] > 0.0) square += self->w[r] * z[r] * z[r] / self->mass0[r];
    return fabs(sari_vector_dot(m, y, z)) / square;
}

/* Is the direction that converges slowest much softer than any at the start? */
static int is_soft(threefield* self, double near)
{
    for (int r = 0; r < self->sys->nc; r++) self->row[r] = self->root[r] * self->g[r];
    return softest_direction(self, INVERSE_PASSES) < near * self->softest;
}

sar_status sari_threefield_find_softest(threefield* self)
{
    const sari_equations* sys = self->sys;
    if (!sari_row_softest_estimated(sys)) return SAR_OK;
    sari_threefield_set_weights(self, self->factor);
    sari_threefield_scale_rows(self, sys->Phi_q.x);
    sari_step_matrix_set(&self->P, 0.0, 0.0, NULL, &self->limit.P);
    SARI_TRY(factor_limit(self));
    for (int r = 0; r < sys->nc; r++) self->row[r] = 1.0 + r % 3; // in no direction of its own
    self->softest = softest_direction(self, 2 * INVERSE_PASSES);
    return SAR_OK;
}

sar_status sari_threefield_factor_limit(threefield* self, double h)
{
    sari_threefield_scale_rows(self, self->D.x);
    sari_step_matrix_set(&self->P, 0.25 * h * h, 2.0 / h, self->lambda, &self->limit.P);
    return factor_limit(self);
}

/* In the middle of a step, where the constraints are not met, directions that are redundant on them are
 * soft without being singular: so the begin of the step has to be near a singular configuration too. */
sar_status sari_threefield_find_singular(threefield* self, double t, double h, int* singular)
{
    *singular = is_soft(self, NEAR);
    if (!*singular) return SAR_OK;
    SARI_TRY(sari_equations_eval(self->sys, SARI_EVAL_JACOBIAN, t, self->q0, NULL));
    sari_threefield_scale_rows(self, self->sys->Phi_q.x);
    SARI_TRY(factor_limit(self));
    *singular = is_soft(self, NEAR_BEGIN);
    SARI_TRY(sari_threefield_evaluate_middle(self, t, h, 1));
    sari_threefield_set_direction(self);
    return sari_threefield_factor_limit(self, h);
}

/* (4)-(5) with (6a) */
sar_status sari_threefield_improve_in_limit(threefield* self, double t, double h)
{
    const sari_equations* sys = self->sys;
    double* mu = self->scaled;
    for (int i = 0; i < sys->nq; i++) self->d[i] = self->v0[i] - self->u[i];
    sari_equations_mass_times(sys, self->d, self->f);
    for (int i = 0; i < sys->nq; i++) self->f[i] += 0.5 * h * sys->Q[i];
    if (self->at_end)
        sari_csr_multiply_add_transposed(&self->middle, -0.5 * h, self->end_lambda, self->f);
    for (int r = 0; r < sys->nc; r++) {
        const double lambda = self->lambda[r] - (self->at_end ? self->end_lambda[r] : 0.0);
        mu[r] = self->root[r] > 0.0 ? 0.5 * h * lambda / self->root[r] : 0.0;
        self->row[r] = -self->root[r] * self->g[r];
    }
    sari_step_matrix_reduce(&self->P, self->f);
    sari_constrained_solve(&self->limit, self->f, self->row, LIMIT_PASSES, self->du, mu);
    sari_step_matrix_expand(&self->P, self->f, self->du);
    for (int i = 0; i < sys->nq; i++) self->u[i] += self->du[i];
    project_on_range(self, 1.0, mu, self->row);
    for (int r = 0; r < sys->nc; r++)
        self->lambda[r] =
            2.0 / h * self->root[r] * self->row[r] + (self->at_end ? self->end_lambda[r] : 0.0);
    sari_slack_drop(&sys->slack, self->lambda);
    sari_threefield_place(self, h);
    SARI_TRY(sari_threefield_find_violations(self, t, h));
    if (self->implied) sari_threefield_find_conflict(self);
    return SAR_OK;
}
