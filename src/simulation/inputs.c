/* Inputs of a running simulation: set between steps, and steps in blocks with a table of them. */
#include "base/status.h"
#include "simulation/simulation.h"

#include <math.h>

double sar_simulation_input(const sar_simulation* s, int input)
{
    const sar_model* model = s->model;
    if (input < 0 || input >= model->inputs_count) return NAN;
    return sari_table_value(&model->held[input].table, s->state.t);
}

sar_status sar_simulation_set_input(sar_simulation* s, int input, double value, double rate)
{
    const sar_model* model = s->model;
    if (input < 0 || input >= model->inputs_count || !isfinite(value) || !isfinite(rate))
        return SAR_E_ARG;
    if (s->looks_back) SARI_TRY(sar_simulation_look(s, INFINITY));
    sari_held_input* in = &model->held[input];
    const double t = s->assembled ? s->state.t : s->options.start;
    double now[3];
    sari_table_series(&in->table, t, now);
    sari_held_input_set(in, t, value, rate);
    // as at a breakpoint: accelerations and the memory of the integrator are those of before
    if (s->assembled && (now[0] != value || now[1] != rate)) s->at_breakpoint = 1;
    return SAR_OK;
}

sar_status sar_exchange_step(const sar_exchange* e)
{
    sar_simulation* s = e->simulation;
    for (int i = 0; e->inputs && i < s->model->inputs_count; i++)
        SARI_TRY(sar_simulation_set_input(s, i, e->inputs[i], 0.0));
    const sar_status st = sar_simulation_advance(s);
    if (st != SAR_OK && !(st > 0 && s->options.best_effort)) return st;
    *e->t = s->state.t;
    const sar_status seen = e->outputs ? sar_simulation_outputs(s, e->outputs) : SAR_OK;
    return seen < 0 ? seen : SAR_OK;
}

sar_status sar_simulation_steps(sar_simulation* s, int count, const double* inputs, double* t,
                                double* outputs, int* done)
{
    double last;
    sar_exchange e = {s, inputs, t ? t : &last, outputs};
    sar_status st = SAR_OK;
    int k = 0;
    for (; k < count && !sar_simulation_done(s); k++) {
        st = sar_exchange_step(&e);
        if (st != SAR_OK) break;
        if (inputs) e.inputs += s->model->inputs_count;
        if (t) e.t++;
        if (outputs) e.outputs += s->model->outputs_count;
    }
    if (done) *done = k;
    return st;
}
