/* From what the host has set to an assembled mechanism. */
#include "base/memory.h"
#include "base/status.h"
#include "fmu/runtime/instance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

sari_fmu_status sari_fmu_setup(sari_fmu* f, double start, double stop, double tolerance)
{
    if (!isfinite(start)) return sari_fmu_refuse(f, SARI_FMU_ERROR, "the start time is not finite");
    if (stop <= start)
        return sari_fmu_refuse(f, SARI_FMU_ERROR, "the stop time %g s is not after the start, %g s",
                               stop, start);
    f->start = f->t = start;
    f->stop = stop;
    f->tolerance = tolerance;
    return SARI_FMU_OK;
}

void sari_fmu_forget(sari_fmu* f)
{
    sar_simulation_destroy(f->simulation);
    sari_fmu_forget_twin(f);
    f->simulation = NULL;
    f->known = f->evaluated = 0;
}

/* ---- the model ------------------------------------------------------------------------------ */

static int is_as_described(const sari_fmu* f, const sar_model* model)
{
    if (!f->parameter) return 1; // the first one is what all others are compared with
    return sar_model_parameters(model) == f->layout.parameters &&
           sar_model_inputs(model) == f->layout.inputs &&
           sar_model_outputs(model) == f->layout.outputs;
}

static void take_parameters(sari_fmu* f)
{
    for (int k = 0; f->parameter && k < f->layout.parameters; k++)
        f->parameter[k] = sar_model_parameter_value(f->model, k);
}

static sari_fmu_status read_model(sari_fmu* f, const sar_setting* settings, int count)
{
    sar_model* model = NULL;
    char* messages = NULL;
    const sar_status status = sar_source_model(f->source, settings, count, &model, NULL, &messages);
    if (status != SAR_OK || !is_as_described(f, model)) {
        (void)sari_fmu_refuse(f, SARI_FMU_ERROR, "%s%s",
                              status != SAR_OK ? "with these parameters there is no model: "
                                               : "these parameters change which variables there "
                                                 "are, which an FMU cannot: export another one",
                              status == SAR_OK ? ""
                              : messages       ? messages
                                               : sar_status_text(status));
        sar_model_destroy(model);
        sar_text_free(messages);
        return SARI_FMU_ERROR;
    }
    sar_text_free(messages);
    sari_fmu_forget(f);
    sar_model_destroy(f->model);
    f->model = model;
    f->stale = 0;
    take_parameters(f);
    return SARI_FMU_OK;
}

sari_fmu_status sari_fmu_read_model(sari_fmu* f)
{
    if (!f->stale) return SARI_FMU_OK;
    const int most = f->settings.sets + f->layout.parameters, given = f->settings.sets;
    sar_setting* all = SARI_NEW_ARRAY(sar_setting, most + 1);
    char(*text)[32] = sari_allocate((size_t)f->layout.parameters + 1, sizeof *text);
    int count = 0;
    if (all && text) {
        for (; count < given; count++) all[count] = f->settings.set[count];
        for (int k = 0; f->parameter && k < f->layout.parameters; k++) {
            if (!f->parameter_set[k]) continue;
            sari_fmu_number(f->parameter[k], text[k]);
            all[count++] = (sar_setting){sar_model_parameter_name(f->model, k), text[k]};
        }
    }
    const sari_fmu_status status = all && text
                                       ? read_model(f, all, count)
                                       : sari_fmu_refuse(f, SARI_FMU_ERROR, "out of memory");
    sari_release(all);
    sari_release(text);
    return status;
}

/* ---- the simulation ------------------------------------------------------------------------- */

sar_options sari_fmu_options(const sari_fmu* f)
{
    sar_options o = f->settings.options;
    const double span = o.end - o.start;
    o.start = f->start;
    o.end = isnan(f->stop) ? f->start + span : f->stop;
    if (f->tolerance >= 1e-15 && f->tolerance <= 1.0) o.tolerance = f->tolerance;
    return o;
}

static void set_inputs(sari_fmu* f)
{
    for (int k = 0; k < f->layout.inputs; k++) {
        if (!f->input_set[k]) continue;
        (void)sar_simulation_set_input(f->simulation, k, f->input[k], f->rate[k]);
        f->input_set[k] = 1;
    }
}

static sari_fmu_status fail(sari_fmu* f, const char* why)
{
    const sari_fmu_status status = sari_fmu_refuse(f, SARI_FMU_ERROR, "%s", why);
    sari_fmu_forget(f);
    return status;
}

static sari_fmu_status assemble(sari_fmu* f)
{
    sar_assembly report = {0};
    const sar_status status = sar_simulation_assemble(f->simulation, &report);
    if (status != SAR_OK) {
        const char* why = sar_simulation_failure(f->simulation);
        return fail(f, why[0] ? why : sar_status_text(status));
    }
    if (report.singular)
        sari_fmu_tell(f, SARI_FMU_WARNING, "logStatusWarning",
                      "the start is a singular configuration: reactions there are not unique");
    if (report.gap > 0.0)
        sari_fmu_tell(f, SARI_FMU_WARNING, "logStatusWarning",
                      "joints contradict each other by %g m, which the precision of the drawing "
                      "allows: left open",
                      report.gap);
    sari_fmu_note_told(f);
    return SARI_FMU_OK;
}

sari_fmu_status sari_fmu_begin(sari_fmu* f)
{
    sar_error error = {0};
    if (f->stale && sari_fmu_read_model(f) != SARI_FMU_OK) return SARI_FMU_ERROR;
    if (f->simulation) return SARI_FMU_OK;
    const sar_options options = sari_fmu_options(f);
    if (sar_simulation_create(f->model, &options, &f->simulation, &error) != SAR_OK)
        return fail(f, error.message);
    set_inputs(f);
    if (assemble(f) != SARI_FMU_OK) return SARI_FMU_ERROR;
    sari_fmu_count_states(f->simulation, &f->layout);
    f->t = sar_simulation_time(f->simulation);
    f->known = 0;
    return f->exchange ? sari_fmu_exchange_begin(f) : SARI_FMU_OK;
}

sari_fmu_status sari_fmu_reset(sari_fmu* f)
{
    const sar_options* o = &f->settings.options;
    int changed = 0;
    for (int k = 0; k < f->layout.parameters; k++) changed |= f->parameter_set[k];
    memset(f->parameter_set, 0, (size_t)f->layout.parameters);
    memset(f->input_set, 0, (size_t)f->layout.inputs);
    sari_fmu_forget(f);
    f->stale |= changed;
    f->mode = SARI_FMU_NEW;
    f->start = f->t = o->start;
    f->stop = f->tolerance = NAN;
    if (sari_fmu_read_model(f) != SARI_FMU_OK) return SARI_FMU_ERROR;
    take_parameters(f);
    for (int k = 0; k < f->layout.inputs; k++) {
        f->input[k] = sar_model_input_start(f->model, k);
        f->rate[k] = 0.0;
    }
    return SARI_FMU_OK;
}
