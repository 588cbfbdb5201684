/* Outputs that are integrals over time: y' = g(t, q, v). A step adds what the trapezoidal rule
 * gives, or Lobatto's rule of order six where the integrator has an interpolation to match (as for
 * work, see simulation.c). Within a step y is the cubic with these values and the slopes g at both
 * ends.
 *
 * Integrals over another quantity x(t, q, v) get the mean of g times the change of x in a step: the
 * work that the trapezoidal rule itself does. Within a step they are linear. */
#include "base/memory.h"
#include "simulation/simulation.h"

#include <string.h>

sar_status sari_integrals_create(const sar_model* model, sari_integrals* out)
{
    int n = model->outputs_count;
    for (int i = 0; i < n; i++) out->count += model->outputs[i].integral;
    if (out->count == 0) return SAR_OK;
    out->now = SARI_NEW_ARRAY(double, n);
    out->before = SARI_NEW_ARRAY(double, n);
    out->slope = SARI_NEW_ARRAY(double, n);
    out->slope_before = SARI_NEW_ARRAY(double, n);
    out->within = SARI_NEW_ARRAY(double, n);
    out->over = SARI_NEW_ARRAY(double, n);
    out->over_before = SARI_NEW_ARRAY(double, n);
    int ok = out->now && out->before && out->slope && out->slope_before && out->within;
    return ok && out->over && out->over_before ? SAR_OK : SAR_E_NOMEM;
}

void sari_integrals_clear(sari_integrals* y)
{
    sari_release(y->now);
    sari_release(y->before);
    sari_release(y->slope);
    sari_release(y->slope_before);
    sari_release(y->within);
    sari_release(y->over);
    sari_release(y->over_before);
}

/* g, and x, at a state; `over` may be NULL. */
static void integrands(sar_simulation* s, const sari_state* x, double* out, double* over)
{
    sari_system_signals(s->system, x->t, x->q, x->v, x->a, s->variables);
    for (int i = 0; i < s->model->outputs_count; i++) {
        const sari_output* output = &s->model->outputs[i];
        if (!output->integral) continue;
        out[i] = sari_expression_value(output->value, s->variables);
        if (over && output->over) over[i] = sari_expression_value(output->over, s->variables);
    }
}

void sari_integrals_start(sar_simulation* s)
{
    sari_integrals* y = &s->integrals;
    if (y->count == 0) return;
    memset(y->now, 0, (size_t)s->model->outputs_count * sizeof(double));
    integrands(s, &s->state, y->slope, y->over);
}

void sari_integrals_resume(sar_simulation* s)
{
    if (s->integrals.count) integrands(s, &s->state, s->integrals.slope, s->integrals.over);
}

/* y += weight g, a part x into the last step */
static void add_within(sar_simulation* s, double x, double weight)
{
    sari_integrals* y = &s->integrals;
    sari_state* at = &s->between;
    sari_state_copy(at, &s->state);
    at->t = s->previous.t + x * (s->state.t - s->previous.t);
    s->integrator->dense(s->integrator_self, at->t, at);
    integrands(s, at, y->within, NULL);
    for (int i = 0; i < s->model->outputs_count; i++)
        if (!s->model->outputs[i].over) y->now[i] += weight * y->within[i];
}

void sari_integrals_step(sar_simulation* s, double h)
{
    const double inner = 0.27639320225002103; // (1 - 1/sqrt(5))/2
    sari_integrals* y = &s->integrals;
    if (y->count == 0) return;
    int n = s->model->outputs_count;
    memcpy(y->before, y->now, (size_t)n * sizeof(double));
    memcpy(y->slope_before, y->slope, (size_t)n * sizeof(double));
    memcpy(y->over_before, y->over, (size_t)n * sizeof(double));
    integrands(s, &s->state, y->slope, y->over);
    double ends = s->integrator->dense ? h / 12.0 : 0.5 * h;
    for (int i = 0; i < n; i++) {
        double change = 0.5 * (y->over[i] - y->over_before[i]);
        y->now[i] +=
            (s->model->outputs[i].over ? change : ends) * (y->slope_before[i] + y->slope[i]);
    }
    if (!s->integrator->dense) return;
    add_within(s, inner, 5.0 * ends);
    add_within(s, 1.0 - inner, 5.0 * ends);
}

void sari_integrals_at(const sar_simulation* s, double t, double* values)
{
    const sari_integrals* y = &s->integrals;
    if (y->count == 0) return;
    double h = s->state.t - s->previous.t, x = h > 0.0 ? (t - s->previous.t) / h : 1.0;
    for (int i = 0; i < s->model->outputs_count; i++) {
        if (!s->model->outputs[i].integral) continue;
        double rise = y->now[i] - y->before[i], a = h * y->slope_before[i] - rise,
               b = rise - h * y->slope[i];
        if (s->model->outputs[i].over) a = b = 0.0;
        values[i] = y->before[i] + x * rise + x * (1.0 - x) * ((1.0 - x) * a + x * b);
    }
}
