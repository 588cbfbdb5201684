/* Explicit methods with a fixed step for the first-order form (q, p):
 *
 *     euler                 q += h v_k,   p += h pdot_k                        [gonzalez2016, (11)]
 *
 *     semi-implicit-euler   v += h a_k,   then q += h v_(k+1)                  [gonzalez2016, (12)]
 *
 *     rk4                   the classical method of Runge and Kutta
 *
 * Where positions are no vectors, Euler's methods move them by h v, and rk4 integrates their np
 * numbers, dq/dt = E(q) v; rates are evaluated at stages returned to the manifold, which is where
 * the step ends too.
 *
 * A step ends with the rates at its end, which the next one begins with. */
#include "base/status.h"
#include "integrators/integrator.h"

#include <string.h>

typedef struct explicit_method {
    sari_arena memory;
    int np, n;
    const sari_coordinates* coordinates;
    sari_formulation form;
    double* d;             ///< euler: change of q
    double *q0, *p0;       ///< rk4: start of the step
    double *stage, *qdot;  ///< rk4: position of the stage, and its rates
    double *sum_q, *sum_p; ///< rk4: weighted rates of the stages so far
} explicit_method;

/* Back to the constraints, and the rates there. */
static sar_status finish(explicit_method* self, sari_state* s, sari_step_report* report)
{
    int changed;
    SARI_TRY(self->form.ops->rates->accept(self->form.self, s, &changed));
    report->evaluated = 1;
    report->iterations++;
    return self->form.ops->rates->evaluate(self->form.self, s);
}

static sar_status step_euler(void* self_, sari_state* s, double h, sari_step_report* report)
{
    explicit_method* self = self_;
    self->form.ops->begin(self->form.self, s);
    for (int i = 0; i < self->n; i++) {
        self->d[i] = h * s->v[i];
        s->p[i] += h * s->pdot[i];
    }
    sari_coordinates_move(self->coordinates, s->q, self->d, s->q);
    s->t += h;
    return finish(self, s, report);
}

static sar_status step_semi_implicit(void* self_, sari_state* s, double h, sari_step_report* report)
{
    explicit_method* self = self_;
    self->form.ops->begin(self->form.self, s);
    for (int i = 0; i < self->n; i++) {
        s->v[i] += h * s->a[i];
        self->d[i] = h * s->v[i];
    }
    sari_coordinates_move(self->coordinates, s->q, self->d, s->q);
    s->t += h;
    return finish(self, s, report);
}

/* Add this stage's rates to the sum, and go from the start of the step along them by `reach`. */
static void advance_stage(explicit_method* self, sari_state* s, double weight, double reach)
{
    sari_coordinates_position_rates(self->coordinates, self->stage, s->v, self->qdot);
    for (int i = 0; i < self->np; i++) {
        double qdot = self->qdot[i];
        self->sum_q[i] += weight * qdot;
        s->q[i] = self->stage[i] = self->q0[i] + reach * qdot;
    }
    for (int i = 0; i < self->n; i++) {
        double pdot = s->pdot[i];
        self->sum_p[i] += weight * pdot;
        s->p[i] = self->p0[i] + reach * pdot;
    }
    sari_coordinates_normalise(self->coordinates, s->q);
}

static sar_status step_rk4(void* self_, sari_state* s, double h, sari_step_report* report)
{
    explicit_method* self = self_;
    size_t positions = (size_t)self->np * sizeof(double), bytes = (size_t)self->n * sizeof(double);
    double t0 = s->t;
    self->form.ops->begin(self->form.self, s);
    memcpy(self->q0, s->q, positions);
    memcpy(self->stage, s->q, positions);
    memcpy(self->p0, s->p, bytes);
    memset(self->sum_q, 0, positions);
    memset(self->sum_p, 0, bytes);
    static const double weight[] = {1.0, 2.0, 2.0, 1.0}, reach[] = {0.5, 0.5, 1.0};
    for (int stage = 0; stage < 3; stage++) {
        advance_stage(self, s, weight[stage], reach[stage] * h);
        s->t = t0 + reach[stage] * h;
        report->iterations++;
        SARI_TRY(self->form.ops->rates->evaluate(self->form.self, s));
    }
    advance_stage(self, s, weight[3], 0.0);
    for (int i = 0; i < self->np; i++) s->q[i] = self->q0[i] + h / 6.0 * self->sum_q[i];
    for (int i = 0; i < self->n; i++) s->p[i] = self->p0[i] + h / 6.0 * self->sum_p[i];
    sari_coordinates_normalise(self->coordinates, s->q);
    return finish(self, s, report);
}

static sar_status create(void* self_, sari_equations* system, const sari_formulation* form,
                         const sar_options* options, sar_error* error)
{
    explicit_method* self = self_;
    (void)options;
    (void)error;
    self->np = system->np;
    self->n = system->nq;
    self->coordinates = system->space;
    self->form = *form;
    self->d = SARI_TAKE(&self->memory, double, self->n);
    self->q0 = SARI_TAKE(&self->memory, double, self->np);
    self->p0 = SARI_TAKE(&self->memory, double, self->n);
    self->stage = SARI_TAKE(&self->memory, double, self->np);
    self->qdot = SARI_TAKE(&self->memory, double, self->np);
    self->sum_q = SARI_TAKE(&self->memory, double, self->np);
    self->sum_p = SARI_TAKE(&self->memory, double, self->n);
    return SAR_OK;
}

const sari_integrator_ops sari_integrator_euler = {
    .name = "euler",
    .cite = "gonzalez2016",
    .text = "explicit Euler, fixed step; order 1",
    .needs = SARI_CONTRACT_RATES,
    .order = 1,
    .bears = 2.0,
    .size = SARI_OBJECT(explicit_method, memory),
    .create = create,
    .step = step_euler,
};

const sari_integrator_ops sari_integrator_semi_implicit_euler = {
    .name = "semi-implicit-euler",
    .cite = "gonzalez2016",
    .text = "velocities first, then positions with the new velocities, fixed step; order 1",
    .needs = SARI_CONTRACT_RATES,
    .refuses = SARI_FORM_MOMENTA,
    .order = 1,
    .bears = 2.0,
    .size = SARI_OBJECT(explicit_method, memory),
    .create = create,
    .step = step_semi_implicit,
};

const sari_integrator_ops sari_integrator_rk4 = {
    .name = "rk4",
    .cite = "hairer1993",
    .text = "classical Runge-Kutta, fixed step; order 4",
    .needs = SARI_CONTRACT_RATES,
    .order = 4,
    .bears = 2.78, // along the real axis
    .size = SARI_OBJECT(explicit_method, memory),
    .create = create,
    .step = step_rk4,
};
