/* The motion that an FMU carries with it: the run by communication steps, with a certificate of it by reference
 * runs (docs/trust.md). */
#include "base/memory.h"
#include "base/status.h"
#include "fmu/export.h"
#include "integrators/integrator.h"
#include "sarrus/run.h"

#include <math.h>
#include <string.h>

enum { ROWS = 500 };

double sari_fmu_communication_step(const sar_options* o)
{
    const sari_integrator_ops* by = sari_integrator_named(o->integrator);
    const double span = o->end - o->start;
    if (!by || by->variable) return span / ROWS;
    return o->step * fmax(1.0, ceil(span / o->step / ROWS - 1e-9));
}

static sar_status take_row(sari_fmu_export* e, double t)
{
    const sar_status st = sar_simulation_outputs(
        e->simulation, e->values + (size_t)e->rows * (size_t)e->layout.outputs);
    if (st < 0) return st;
    e->work[e->rows] = sar_simulation_work(e->simulation);
    e->time[e->rows++] = t;
    return SAR_OK;
}

static sar_status run(sari_fmu_export* e, int most)
{
    const sar_options* o = e->def->options;
    SARI_TRY(take_row(e, o->start));
    while (e->rows < most) { // times add up as those of a host do
        const double t = e->time[e->rows - 1] + e->step;
        if (t > o->end + 1e-6 * e->step) break;
        SARI_TRY(sar_simulation_advance_to(e->simulation, t));
        SARI_TRY(take_row(e, t));
    }
    return SAR_OK;
}

/// Estimates, where reference runs give some.
static void certify(sari_fmu_export* e, double size)
{
    const size_t numbers = (size_t)e->rows * (size_t)e->layout.outputs;
    const size_t rows = (size_t)e->rows, outputs = (size_t)e->layout.outputs;
    double* room = SARI_NEW_ARRAY(double, 2 * numbers + 2 * outputs + rows);
    if (!room) return;
    double* time = room + 2 * numbers + 2 * outputs; // which do not pass the end by rounding
    for (size_t k = 0; k < rows; k++) time[k] = fmin(e->time[k], e->def->options->end);
    const sar_reference_run_def def = {.model = e->model,
                                       .options = e->def->options,
                                       .coordinates =
                                           sar_simulation_rank(e->simulation).coordinates,
                                       .size = size,
                                       .rows = e->rows,
                                       .time = time,
                                       .values = e->values,
                                       .quick = 1,
                                       .work = e->work,
                                       .reference = room,
                                       .second = room + numbers,
                                       .noise = room + 2 * numbers};
    sar_reference_outcome by = {0};
    e->errors = SARI_NEW_ARRAY(double, numbers + 1);
    e->ranges = SARI_NEW_ARRAY(double, outputs + 1);
    if (e->errors && e->ranges) sar_reference_run(&def, &by);
    if (!e->errors || !e->ranges ||
        sar_reference_outcome_certify(&def, &by, &e->report->certificate, e->errors, e->ranges) !=
            SAR_OK) {
        sari_release(e->errors);
        e->errors = NULL;
        e->report->certificate.largest = NAN;
    }
    sari_release(room);
}

sar_status sari_fmu_run(sari_fmu_export* e, sar_error* error)
{
    sar_assembly report = {0};
    const int outputs = e->layout.outputs, most = ROWS + 2;
    e->report->certificate.largest = NAN;
    if (sar_simulation_assemble(e->simulation, &report) != SAR_OK)
        return sari_fail(error, SAR_E_ASSEMBLY, NULL, "%s", sar_simulation_failure(e->simulation));
    if (!e->def->reference || outputs == 0) return SAR_OK;
    e->time = SARI_NEW_ARRAY(double, most);
    e->work = SARI_NEW_ARRAY(double, most);
    e->values = SARI_NEW_ARRAY(double, most* outputs);
    if (!e->time || !e->work || !e->values)
        return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    const sar_status st = run(e, most);
    if (st != SAR_OK)
        return sari_fail(error, st, NULL,
                         "%s; an FMU carries its motion with it: shorten it (--end), or leave the "
                         "motion out (--no-reference)",
                         sar_simulation_failure(e->simulation));
    certify(e, report.size);
    return SAR_OK;
}

void sari_fmu_write_motion(const sari_fmu_export* e, FILE* to)
{
    const int n = e->layout.outputs;
    char text[32];
    fputs("time", to);
    for (int k = 0; k < n; k++) fprintf(to, ",%s", sar_model_output_name(e->model, k));
    for (int k = 0; e->errors && k < n; k++)
        fprintf(to, ",%s.error", sar_model_output_name(e->model, k));
    fputc('\n', to);
    for (int i = 0; i < e->rows; i++) {
        sari_fmu_number(e->time[i], text);
        fputs(text, to);
        for (int k = 0; k < (e->errors ? 2 * n : n); k++) {
            const double* of = k < n ? e->values : e->errors;
            sari_fmu_number(of[i * n + k % n], text);
            fprintf(to, ",%s", text);
        }
        fputc('\n', to);
    }
}
