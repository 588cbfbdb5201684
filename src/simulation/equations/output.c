/* An output at the state that was evaluated last, with its slopes. It is a function f of time and of
 * scalars s(q) of the mechanism, their rates and states of forces, so that along a change d of positions
 *
 *     dy = sum f_s (ds/dq) d + f_r (d(ds/dt)/dq) d + f_r (ds/dq) dv + f_t dt
 *
 * with exact derivatives of expressions and scalars. */
#include "base/status.h"
#include "simulation/equations/equations.h"

#include <string.h>

sar_status sari_equations_make_output_room(sar_equations* e)
{
    const sari_kinematics* k = e->sys->kinematics;
    const int signals = e->model->signals_count;
    e->output.variables = SARI_TAKE(&e->memory, double, SARI_VARIABLE_SIGNAL + signals + 1);
    e->output.gradient = SARI_TAKE(&e->memory, double, SARI_VARIABLE_SIGNAL + signals + 1);
    e->output.g = SARI_TAKE(&e->memory, double, k->longest + 1);
    e->output.slope = SARI_TAKE(&e->memory, double, k->longest + 1);
    return e->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

/* The variable's signal, with a scalar behind it; NULL: it is time, or none of positions and
 * velocities. */
static const sari_signal* signal_of(const sar_equations* e, int variable)
{
    const int k = variable - SARI_VARIABLE_SIGNAL;
    if (k < 0 || e->sys->mechanism->signal_scalar[k] < 0 || e->model->signals[k].level > 1)
        return NULL;
    return &e->model->signals[k];
}

static sar_status check(const sar_equations* e, int output, sar_error* error)
{
    if (output < 0 || output >= e->model->outputs_count)
        return sari_fail(error, SAR_E_ARG, "output", "there is no output %d", output);
    const char* name = sar_model_output_name(e->user_model, output);
    if (e->model->outputs[output].integral)
        return sari_fail(error, SAR_E_ARG, "output",
                         "the output '%s' is an integral over time: no function of a state", name);
    const int* used;
    const int count = sari_expression_variables(e->model->outputs[output].value, &used);
    for (int i = 0; i < count; i++)
        if (used[i] != SARI_VARIABLE_T && !signal_of(e, used[i]))
            return sari_fail(error, SAR_E_ARG, "output",
                             "the output '%s' depends on accelerations, forces, energies or "
                             "quaternions, and not on positions and velocities alone",
                             name);
    return SAR_OK;
}

/* out += weight x over the coordinates that the scalar depends on. */
static void scatter(const sari_term_list* list, double weight, const double* x, double* out)
{
    for (int j = 0; out && j < list->n; j++) out[list->i[j]] += weight * x[j];
}

static void add_slopes(sar_equations* e, int variable, double weight, double* by_q, double* by_v)
{
    const sari_kinematics* k = e->sys->kinematics;
    const int scalar = e->sys->mechanism->signal_scalar[variable - SARI_VARIABLE_SIGNAL];
    const sari_term_list* list = &k->scalar_depends[scalar];
    sari_scalar_value value = {.g = e->output.g};
    sari_scalar_eval(k, scalar, 1, &value);
    if (signal_of(e, variable)->level == 0) {
        scatter(list, weight, value.g, by_q);
        return;
    }
    scatter(list, weight, value.g, by_v);
    sari_scalar_rate_slope(k, scalar, value.g, NULL, e->output.slope);
    scatter(list, weight, e->output.slope, by_q);
}

sar_status sar_equations_output(sar_equations* e, int output, double* value, double* by_q,
                                double* by_v, double* by_t, sar_error* error)
{
    SARI_TRY(check(e, output, error));
    const size_t n = (size_t)e->sys->nq;
    const sari_kinematics* k = e->sys->kinematics;
    const sari_expression* f = e->model->outputs[output].value;
    const int* used;
    const int count = sari_expression_variables(f, &used);
    double* x = e->output.variables;
    sari_kinematics_update(e->sys->kinematics, e->q, e->v, 1);
    e->sys->kinematics->time = x[SARI_VARIABLE_T] = e->t;
    for (int i = 0; i < count; i++) {
        const sari_signal* signal = signal_of(e, used[i]);
        if (!signal) continue;
        sari_scalar_value s = {.g = e->output.g};
        sari_scalar_eval(k, e->sys->mechanism->signal_scalar[used[i] - SARI_VARIABLE_SIGNAL], 1,
                         &s);
        x[used[i]] = signal->level == 0 ? s.value : s.rate;
    }
    const double y = sari_expression_gradient(f, x, e->output.gradient);
    if (value) *value = y;
    if (by_q) memset(by_q, 0, n * sizeof *by_q);
    if (by_v) memset(by_v, 0, n * sizeof *by_v);
    if (by_t) *by_t = 0.0;
    for (int i = 0; i < count; i++) {
        if (used[i] != SARI_VARIABLE_T)
            add_slopes(e, used[i], e->output.gradient[i], by_q, by_v);
        else if (by_t)
            *by_t = e->output.gradient[i];
    }
    return SAR_OK;
}
