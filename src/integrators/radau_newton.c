/* The stages of a step, by Newton's method with one Jacobian J for all of them [hairer1996, IV.8].
 *
 *     z_i = h sum_j a_ij f(t + c_j h, y + z_j),   z = T w,   A^-1 = T Lambda T^-1            (1)
 *
 *     (Lambda/h - J) dw = T^-1 f(y + T w) - Lambda w / h                                     (2)
 *
 * falls apart into a real system and two complex ones of the size of y. It begins with the polynomial
 * through the last stages, the base and dy/dt there. */
#include "integrators/radau.h"

#include "base/status.h"
#include "math/functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_EXACT = 40 };          ///< iterations, where a run follows another one
static const double ENOUGH = 1e-2; ///< of the error that is allowed: what the iteration may leave
static const double EXACT = 1e-15; ///< of the motion: likewise, where a run follows another one
static const double STALLED = 0.1; ///< likewise, where rounding lets it fall no more
static const double FAR = 2.5;     ///< of the last step: a polynomial does not reach farther

/* ---- prediction ----------------------------------------------------------------------------- */

void sari_radau_extrapolate(sari_radau* self)
{
    const sari_first_order* ode = &self->ode;
    if (!self->stages) return;
    self->stages = 0;
    for (int i = 0; i < RADAU_STAGES - 1; i++) {
        double* place = self->D[2 + i];
        if (!ode->ops->recall) // y is what it was; the base is the end of the last step
            for (int k = 0; k < self->size; k++)
                place[k] = self->y[k] + self->Z[i][k] - self->Z[RADAU_STAGES - 1][k];
        else if (!ode->ops->recall(ode->self, i, place))
            return;
    }
    // divided differences, by times in units of the last step: 0, 0, c_1 - 1 ... c_4 - 1
    double time[RADAU_STAGES + 1] = {0.0, 0.0};
    for (int i = 0; i < RADAU_STAGES - 1; i++) time[2 + i] = radau_time[i] - 1.0;
    for (int k = 0; k < self->size; k++) {
        self->D[0][k] = self->y[k];
        self->D[1][k] = self->h_old * self->f[k];
        for (int i = 2; i <= RADAU_STAGES; i++) {
            double slope = (self->D[i][k] - self->y[k]) / time[i];
            for (int j = 1; j < i; j++) slope = (slope - self->D[j][k]) / (time[i] - time[j]);
            self->D[i][k] = slope;
        }
    }
    self->stages = 1;
}

static void predict(sari_radau* self, double h)
{
    const int n = self->size;
    const double ratio = self->h_old > 0.0 ? h / self->h_old : INFINITY;
    for (int i = 0; i < RADAU_STAGES; i++) {
        const double x = radau_time[i] * ratio, way = radau_time[i] * h;
        double* Z = self->Z[i];
        if (!self->stages || ratio > FAR) {
            for (int k = 0; k < n; k++) Z[k] = way * self->f[k];
            continue;
        }
        for (int k = 0; k < n; k++) Z[k] = self->D[RADAU_STAGES][k];
        for (int j = RADAU_STAGES - 1; j >= 1; j--) {
            const double node = j >= 2 ? radau_time[j - 2] - 1.0 : 0.0;
            for (int k = 0; k < n; k++) Z[k] = Z[k] * (x - node) + self->D[j][k];
        }
        for (int k = 0; k < n; k++) Z[k] *= x;
    }
}

/* to = M from, stage by stage */
static void transform(int n, const double M[RADAU_STAGES][RADAU_STAGES], double* const* from,
                      double* const* to)
{
    for (int k = 0; k < n; k++) {
        double in[RADAU_STAGES];
        for (int j = 0; j < RADAU_STAGES; j++) in[j] = from[j][k];
        for (int i = 0; i < RADAU_STAGES; i++) {
            double sum = 0.0;
            for (int j = 0; j < RADAU_STAGES; j++) sum += M[i][j] * in[j];
            to[i][k] = sum;
        }
    }
}

/* ---- linear systems ------------------------------------------------------------------------- */

sar_status sari_radau_prepare(sari_radau* self, double h, sari_step_report* report)
{
    if (!self->known) {
        int evaluations;
        SARI_TRY(sari_first_order_jacobian(&self->ode, self->size, self->t, self->y, self->f,
                                           self->J, self->work, &evaluations));
        report->iterations += evaluations;
        self->known = self->fresh = 1;
        self->factored = 0.0;
    }
    if (self->factored == h) return SAR_OK;
    self->factored = 0.0;
    SARI_TRY(sari_shifted_factor(&self->real, self->size, self->J, radau_real / h, 0.0));
    for (int p = 0; p < RADAU_PAIRS; p++)
        SARI_TRY(sari_shifted_factor(&self->pair[p], self->size, self->J, radau_alpha[p] / h,
                                     radau_beta[p] / h));
    self->factored = h;
    return SAR_OK;
}

/* (2): F becomes dw */
static void solve(sari_radau* self, double h)
{
    const int n = self->size;
    double *const *F = self->F, *const *W = self->W;
    transform(n, radau_T_inverse, F, F);
    for (int k = 0; k < n; k++) F[0][k] -= radau_real / h * W[0][k];
    sari_shifted_solve(&self->real, self->J, F[0], NULL);
    for (int p = 0; p < RADAU_PAIRS; p++) {
        double *re = F[1 + 2 * p], *im = F[2 + 2 * p];
        const double *w = W[1 + 2 * p], *w_im = W[2 + 2 * p];
        const double alpha = radau_alpha[p] / h, beta = radau_beta[p] / h;
        for (int k = 0; k < n; k++) {
            re[k] -= alpha * w[k] - beta * w_im[k];
            im[k] -= alpha * w_im[k] + beta * w[k];
        }
        sari_shifted_solve(&self->pair[p], self->J, re, im);
    }
}

/* ---- iteration ------------------------------------------------------------------------------ */

static sar_status evaluate(sari_radau* self, double h, sari_step_report* report)
{
    const sari_first_order* ode = &self->ode;
    for (int i = 0; i < RADAU_STAGES; i++) {
        for (int k = 0; k < self->size; k++) self->stage[k] = self->y[k] + self->Z[i][k];
        report->iterations++;
        SARI_TRY(ode->ops->rates(ode->self, self->t + radau_time[i] * h, self->stage, self->F[i]));
        if (ode->ops->note && i < SARI_FIRST_ORDER_NOTES) ode->ops->note(ode->self, i);
    }
    return SAR_OK;
}

/* One correction; its size in units of the error that is allowed. */
static double correct(sari_radau* self, double h)
{
    const int n = self->size;
    double largest = 0.0;
    solve(self, h);
    for (int i = 0; i < RADAU_STAGES; i++)
        for (int k = 0; k < n; k++) self->W[i][k] += self->F[i][k];
    transform(n, radau_T, self->F, self->F);
    for (int i = 0; i < RADAU_STAGES; i++) {
        const double size = self->ode.ops->norm(self->ode.self, self->F[i]);
        if (!(size <= largest)) largest = size;
        for (int k = 0; k < n; k++) self->Z[i][k] += self->F[i][k];
    }
    return largest / self->tolerance;
}

sar_status sari_radau_iterate(sari_radau* self, double h, sari_radau_outcome* outcome,
                              sari_step_report* report)
{
    const int most = self->obeys ? MOST_EXACT : SARI_RADAU_ITERATIONS;
    const double enough = self->obeys ? fmin(ENOUGH, EXACT / self->tolerance) : ENOUGH;
    double last = 0.0, last_rate = 0.0;
    double expect = sari_pow(fmax(self->expect, DBL_EPSILON), 0.8);
    predict(self, h);
    transform(self->size, radau_T_inverse, self->Z, self->W);
    outcome->factor = 0.5;
    for (int k = 1;; k++) {
        outcome->iterations = k;
        SARI_TRY(evaluate(self, h, report));
        const double size = correct(self, h);
        if (!isfinite(size)) return SAR_R_NOT_FINITE;
        if (k > 1) {
            const double rate = size / fmax(last, DBL_MIN);
            const double theta = k == 2 ? rate : sqrt(rate * last_rate);
            last_rate = rate;
            if (theta >= 0.99 || k == most) {
                if (size <= STALLED) break;
                return SAR_R_NO_CONV;
            }
            self->theta = theta;
            expect = theta / (1.0 - theta);
            const double ahead = expect * size * sari_pow(theta, most - 1 - k) / enough;
            if (ahead >= 1.0 && size > STALLED) { // too slow
                outcome->factor = 0.8 * sari_pow(fmin(20.0, ahead), -1.0 / (4.0 + most - 1 - k));
                return SAR_R_NO_CONV;
            }
        }
        if (expect * size <= enough) break;
        last = size;
    }
    self->expect = expect;
    return SAR_OK;
}
