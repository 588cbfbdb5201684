/* An integrator of a plug-in behind the contract of rates: y = (q, p), where q are positions and p velocities
 * or momenta. A step ends with the rates at its end. */
#include "base/status.h"
#include "plugins/plugins.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct stepper {
    sari_arena memory;
    const sar_plugin_integrator* plugin;
    sari_formulation form;
    const sari_coordinates* space;
    sari_state* state; ///< of the step that is taken
    sar_status failed; ///< of its rates
    int np, n;
    long evaluations;
    double *y, *ydot;
    void* own;
    char why[256];
} stepper;

static const sar_plugin_integrator* registered[SARI_PLUGGED];
static sari_integrator_ops tables[SARI_PLUGGED];
static int count;

static void load(stepper* self, const sari_state* s)
{
    memcpy(self->y, s->q, (size_t)self->np * sizeof(double));
    memcpy(self->y + self->np, s->p, (size_t)self->n * sizeof(double));
}

static void store(stepper* self, const double* y, sari_state* s)
{
    memcpy(s->q, y, (size_t)self->np * sizeof(double));
    memcpy(s->p, y + self->np, (size_t)self->n * sizeof(double));
    sari_coordinates_normalise(self->space, s->q);
}

static void take_rates(stepper* self, const double* q, const sari_state* s, double* ydot)
{
    sari_coordinates_position_rates(self->space, q, s->v, ydot);
    memcpy(ydot + self->np, s->pdot, (size_t)self->n * sizeof(double));
}

static sar_status find_rates(const sar_rates* of, double t, const double* y, double* ydot)
{
    stepper* self = of->run;
    sari_state* s = self->state;
    for (int k = 0; k < self->np + self->n; k++)
        if (!isfinite(y[k])) return self->failed = SAR_R_NOT_FINITE;
    store(self, y, s);
    s->t = t;
    self->evaluations++;
    self->failed = self->form.ops->rates->evaluate(self->form.self, s);
    if (self->failed == SAR_OK) take_rates(self, y, s, ydot);
    return self->failed;
}

static sar_status step(void* self_, sari_state* s, double h, sari_step_report* report)
{
    stepper* self = self_;
    const double t = s->t;
    const sar_rates rates = {find_rates, self};
    int changed;
    self->form.ops->begin(self->form.self, s);
    load(self, s);
    take_rates(self, s->q, s, self->ydot);
    self->state = s;
    self->evaluations = 0;
    self->failed = SAR_OK;
    const sar_status st =
        self->plugin->step(self->own, t, h, self->np + self->n, self->y, self->ydot, &rates);
    report->iterations += (int)self->evaluations;
    if (self->failed != SAR_OK) return self->failed;
    if (st != SAR_OK) return st > SAR_R_VIOLATED || st < SAR_E_BUILD ? SAR_E_ARG : st;
    for (int k = 0; k < self->np + self->n; k++)
        if (!isfinite(self->y[k])) return SAR_R_NOT_FINITE;
    store(self, self->y, s);
    s->t = t + h;
    SARI_TRY(self->form.ops->rates->accept(self->form.self, s, &changed));
    report->evaluated = 1;
    report->iterations++;
    return self->form.ops->rates->evaluate(self->form.self, s);
}

static sar_status create(void* self_, sari_equations* system, const sari_formulation* form,
                         const sar_options* options, sar_error* error)
{
    stepper* self = self_;
    int k = 0;
    while (strcmp(registered[k]->name, options->integrator) != 0) k++;
    self->plugin = registered[k];
    self->form = *form;
    self->space = system->space;
    self->np = system->np, self->n = system->nq;
    self->y = SARI_TAKE(&self->memory, double, self->np + self->n);
    self->ydot = SARI_TAKE(&self->memory, double, self->np + self->n);
    if (self->memory.failed || !self->plugin->create) return SAR_OK;
    const sar_status st = self->plugin->create(self->plugin->context, self->np + self->n, options,
                                               &self->own, self->why, sizeof self->why);
    if (st == SAR_OK) return st;
    return sari_fail(error, st < 0 && st >= SAR_E_BUILD ? st : SAR_E_ARG, "integrator", "%s: %s",
                     self->plugin->name,
                     self->why[0] ? self->why : "the plug-in refused the model");
}

static void clear(void* self_)
{
    stepper* self = self_;
    if (self->plugin && self->plugin->destroy && self->own) self->plugin->destroy(self->own);
}

const sari_integrator_ops* sari_plug_integrator(const sar_plugin_integrator* plugin)
{
    if (count == SARI_PLUGGED) return NULL;
    registered[count] = plugin;
    tables[count] = (sari_integrator_ops){
        .name = plugin->name,
        .cite = plugin->cite ? plugin->cite : "",
        .text = plugin->text ? plugin->text : "",
        .needs = SARI_CONTRACT_RATES,
        .order = plugin->order,
        .elsewhere = 1,
        .size = SARI_OBJECT(stepper, memory),
        .create = create,
        .step = step,
        .clear = clear,
    };
    return &tables[count++];
}
