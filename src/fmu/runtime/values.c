/* Values of variables, by their references. */
#include "base/memory.h"
#include "base/status.h"
#include "fmu/runtime/instance.h"
#include "simulation/events/events.h"

#include <math.h>
#include <string.h>

enum {
    RUNS = SARI_FMU_EVENT | SARI_FMU_CONTINUOUS | SARI_FMU_STEP | SARI_FMU_FAILED,
    SETTABLE = SARI_FMU_NEW | SARI_FMU_INITIALIZATION | SARI_FMU_CONFIGURED
};

static int is_calculated(const sari_fmu* f, int parameter)
{
    const char* name = sar_model_parameter_name(f->model, parameter);
    for (int k = 0; k < f->settings.calculated_count; k++)
        if (strcmp(f->settings.calculated[k], name) == 0) return 1;
    return 0;
}

/* ---- getting -------------------------------------------------------------------------------- */

static sari_fmu_status find_outputs(sari_fmu* f)
{
    if (f->known) return SARI_FMU_OK;
    if (sari_fmu_begin(f) != SARI_FMU_OK) return SARI_FMU_ERROR;
    if (f->exchange && f->mode != SARI_FMU_INITIALIZATION) {
        double* rates = NULL;
        if (sari_fmu_evaluate(f->simulation, f->t, f->q, f->p, f->lambda, rates, f->output) < 0)
            return sari_fmu_refuse(f, SARI_FMU_DISCARD, "the outputs have no values at t = %g s",
                                   f->t);
    } else if (sar_simulation_outputs(f->simulation, f->output) < 0) {
        return sari_fmu_refuse(f, SARI_FMU_DISCARD, "the outputs have no values at t = %g s: %s",
                               f->t, sar_simulation_failure(f->simulation));
    }
    f->known = 1;
    return SARI_FMU_OK;
}

/// A state or its rate of a simulation that takes its own steps.
static double state_of(const sari_fmu* f, sari_fmu_kind kind, int k)
{
    const sari_state* x = &f->simulation->state;
    if (kind == SARI_FMU_STATE) return k < x->np ? x->q[k] : x->p[k - x->np];
    if (k >= x->np) return x->pdot[k - x->np];
    sari_coordinates_position_rates(f->simulation->system->equations.space, x->q, x->v,
                                    f->simulation->between.q);
    return f->simulation->between.q[k];
}

static sari_fmu_status get_state(sari_fmu* f, sari_fmu_kind kind, int k, double* value)
{
    if (sari_fmu_begin(f) != SARI_FMU_OK) return SARI_FMU_ERROR;
    if (f->exchange && kind == SARI_FMU_STATE) {
        *value = f->q[k];
        return SARI_FMU_OK;
    }
    if (f->exchange && !f->evaluated) {
        const sar_status st =
            sari_fmu_evaluate(f->simulation, f->t, f->q, f->p, f->lambda, NULL, NULL);
        if (st != SAR_OK)
            return sari_fmu_refuse(f, SARI_FMU_DISCARD, "no rates at t = %g s: %s", f->t,
                                   sar_status_text(st));
        f->evaluated = 1;
    }
    *value = state_of(f, kind, k);
    return SARI_FMU_OK;
}

static sari_fmu_status get_indicator(sari_fmu* f, int k, double* value)
{
    if (!f->exchange) {
        if (sari_fmu_begin(f) != SARI_FMU_OK) return SARI_FMU_ERROR;
        *value = sari_events_last_indicator(f->simulation, k);
        return SARI_FMU_OK;
    }
    double* z = SARI_NEW_ARRAY(double, f->layout.indicators + 1);
    if (!z) return sari_fmu_refuse(f, SARI_FMU_ERROR, "out of memory");
    const sari_fmu_status status = sari_fmu_indicators(f, z, (size_t)f->layout.indicators);
    *value = z[k];
    sari_release(z);
    return status;
}

static sari_fmu_status get_one(sari_fmu* f, unsigned reference, double* value)
{
    int k;
    switch (sari_fmu_find(&f->layout, reference, &k)) {
    case SARI_FMU_TIME:
        *value = f->t;
        return SARI_FMU_OK;
    case SARI_FMU_PARAMETER:
        if (f->stale && sari_fmu_read_model(f) != SARI_FMU_OK) return SARI_FMU_ERROR;
        *value = f->parameter[k];
        return SARI_FMU_OK;
    case SARI_FMU_INPUT:
        *value = f->input[k];
        return SARI_FMU_OK;
    case SARI_FMU_OUTPUT:
        *value = f->output[k];
        return SARI_FMU_OK;
    case SARI_FMU_STATE:
        return get_state(f, SARI_FMU_STATE, k, value);
    case SARI_FMU_DERIVATIVE:
        return get_state(f, SARI_FMU_DERIVATIVE, k, value);
    case SARI_FMU_INDICATOR:
        return get_indicator(f, k, value);
    case SARI_FMU_NOTHING:
        break;
    }
    return sari_fmu_refuse(f, SARI_FMU_ERROR, "there is no variable with the reference %u",
                           reference);
}

sari_fmu_status sari_fmu_get(sari_fmu* f, const unsigned* reference, size_t count, double* value)
{
    for (size_t i = 0; i < count; i++) {
        int k;
        const sari_fmu_kind kind = sari_fmu_find(&f->layout, reference[i], &k);
        const int of_motion = kind == SARI_FMU_OUTPUT || kind >= SARI_FMU_STATE;
        if (of_motion && f->mode == SARI_FMU_NEW)
            return sari_fmu_refuse(f, SARI_FMU_ERROR,
                                   "variable %u has no value before initialization mode",
                                   reference[i]);
        const sari_fmu_status found = kind == SARI_FMU_OUTPUT ? find_outputs(f) : SARI_FMU_OK;
        if (found != SARI_FMU_OK) return found;
        const sari_fmu_status status = get_one(f, reference[i], &value[i]);
        if (status != SARI_FMU_OK) return status;
    }
    return SARI_FMU_OK;
}

/* ---- setting -------------------------------------------------------------------------------- */

static sari_fmu_status set_parameter(sari_fmu* f, int k, double value)
{
    const char* name = sar_model_parameter_name(f->model, k);
    if (!(f->mode & SETTABLE))
        return sari_fmu_refuse(f, SARI_FMU_ERROR,
                               "parameter %s can be set before the motion begins, not now", name);
    if (is_calculated(f, k))
        return sari_fmu_refuse(f, SARI_FMU_ERROR, "parameter %s follows from others", name);
    if (f->parameter[k] == value) return SARI_FMU_OK;
    f->parameter[k] = value;
    f->parameter_set[k] = 1;
    f->stale = 1;
    sari_fmu_forget(f); // a state that is saved now is of the new parameters
    return SARI_FMU_OK;
}

static void set_input(sari_fmu* f, int k, double value)
{
    f->input[k] = value;
    f->rate[k] = 0.0;
    f->input_set[k] = 2;
    if (!(f->mode & RUNS)) { // the start depends on it
        sari_fmu_forget(f);
    } else if (f->exchange) {
        (void)sar_simulation_set_input(f->simulation, k, value, 0.0);
        f->known = f->evaluated = 0;
    }
}

static sari_fmu_status set_one(sari_fmu* f, unsigned reference, double value)
{
    int k;
    if (!isfinite(value))
        return sari_fmu_refuse(f, SARI_FMU_ERROR, "variable %u: the value is not finite",
                               reference);
    switch (sari_fmu_find(&f->layout, reference, &k)) {
    case SARI_FMU_PARAMETER:
        return set_parameter(f, k, value);
    case SARI_FMU_INPUT:
        set_input(f, k, value);
        return SARI_FMU_OK;
    case SARI_FMU_STATE:
        if (f->exchange && (f->mode & (SARI_FMU_CONTINUOUS | SARI_FMU_EVENT))) {
            f->q[k] = value;
            f->known = f->evaluated = 0;
            return SARI_FMU_OK;
        }
        break;
    default:
        break;
    }
    return sari_fmu_refuse(f, SARI_FMU_ERROR, "variable %u cannot be set", reference);
}

sari_fmu_status sari_fmu_set(sari_fmu* f, const unsigned* reference, size_t count,
                             const double* value)
{
    for (size_t i = 0; i < count; i++) {
        const sari_fmu_status status = set_one(f, reference[i], value[i]);
        if (status != SARI_FMU_OK) return status;
    }
    return SARI_FMU_OK;
}

/* ---- over time ------------------------------------------------------------------------------ */

sari_fmu_status sari_fmu_set_rates(sari_fmu* f, const unsigned* reference, size_t count,
                                   const int* order, const double* value)
{
    for (size_t i = 0; i < count; i++) {
        int k;
        if (sari_fmu_find(&f->layout, reference[i], &k) != SARI_FMU_INPUT || order[i] != 1 ||
            !isfinite(value[i]))
            return sari_fmu_refuse(
                f, SARI_FMU_ERROR,
                "variable %u: inputs alone have derivatives that can be set, and "
                "of first order",
                reference[i]);
        f->rate[k] = value[i];
        f->input_set[k] = 2;
    }
    return SARI_FMU_OK;
}

sari_fmu_status sari_fmu_output_rates(sari_fmu* f, const unsigned* reference, size_t count,
                                      const int* order, double* value)
{
    double* rates = f->output; // which are found anew afterwards
    if (sari_fmu_begin(f) != SARI_FMU_OK) return SARI_FMU_ERROR;
    f->known = 0;
    if (sar_simulation_rates_at(f->simulation, f->t, rates) < 0)
        return sari_fmu_refuse(f, SARI_FMU_DISCARD, "the outputs have no rates at t = %g s", f->t);
    for (size_t i = 0; i < count; i++) {
        int k;
        if (sari_fmu_find(&f->layout, reference[i], &k) != SARI_FMU_OUTPUT || order[i] != 1)
            return sari_fmu_refuse(f, SARI_FMU_ERROR,
                                   "variable %u: outputs alone have derivatives, of first order",
                                   reference[i]);
        if (isnan(rates[k]))
            return sari_fmu_refuse(f, SARI_FMU_DISCARD, "output %s: its rate is not known",
                                   sar_model_output_name(f->model, k));
        value[i] = rates[k];
    }
    return SARI_FMU_OK;
}
