/* A run: create, destroy, and where it is. start/start.c begins it, advance.c does its steps. */
#include "simulation/simulation.h"
#include "formulations/row_options.h"
#include "simulation/events/events.h"
#include "simulation/start/equilibrium.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/parallel.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/vec3.h"
#include "model/fingerprint.h"
#include "system/turns.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static sar_status make_room(sar_simulation* s, sar_error* error)
{
    const int variables = SARI_VARIABLE_SIGNAL + s->model->signals_count;
    s->values = SARI_TAKE(&s->memory, double, s->model->outputs_count);
    s->variables = SARI_TAKE(&s->memory, double, variables);
    s->gradient = SARI_TAKE(&s->memory, double, variables);
    s->on_X =
        SARI_TAKE(&s->memory, double, s->system->mechanism->nx * s->system->mechanism->bodies);
    int ok = !s->memory.failed &&
             sari_integrals_create(s->model, &s->memory, &s->integrals) == SAR_OK &&
             sari_jumps_create(s) == SAR_OK;
    s->integral = s->integrals.now;
    sari_observation_evaluate_outputs(&s->seen);
    return ok ? SAR_OK : sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for the simulation");
}

/* (end - start)/h steps; what is left over, beyond rounding, is one shorter step. */
void sari_count_steps(sar_simulation* s)
{
    const sar_options* o = &s->options;
    const double ratio = (o->end - o->start) / o->step;
    const double most = fmin(1e15, 0.5 * (double)LONG_MAX); // 32 bits in browsers and in Windows
    s->steps = (long)(ratio < most ? ceil(ratio - 1e-9 * fmax(1.0, ratio)) : most);
    if (s->steps < 1) s->steps = 1;
}

/* `alike`: units of another one; NULL: its own. */
static sar_status create(const sar_model* model, const sar_options* options,
                         const sari_units* alike, sar_simulation** out, sar_error* error)
{
    sar_simulation* s = SARI_NEW(sar_simulation);
    if (!s) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    sari_units units = {0};
    sar_status st = sari_units_of(model, &units)
                        ? SAR_OK
                        : sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for the model");
    if ((options->alpha > 0.0 && isfinite(options->alpha)) ||
        sari_row_options_have(options, "alpha")) // a number for the user's units
        sari_units_keep(&units);
    if (alike) units = *alike;
    if (st == SAR_OK) st = sari_observation_take(&s->seen, model, options, &units, error);
    if (st == SAR_OK && sari_ledger_create(s) != SAR_OK)
        st = sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for the simulation");
    if (st == SAR_OK) st = sari_configurations_create(s, error);
    if (st == SAR_OK) st = make_room(s, error);
    if (st != SAR_OK) {
        sar_simulation_destroy(s);
        return st;
    }
    s->horizon = INFINITY;
    sari_count_steps(s);
    *out = s;
    return SAR_OK;
}

sar_status sar_simulation_create(const sar_model* model, const sar_options* given,
                                 sar_simulation** out, sar_error* error)
{
    sar_options chosen;
    sari_options_copy(given, &chosen);
    *out = NULL;
    if (sari_options_open(given)) SARI_TRY(sar_options_choose(&chosen, model, NULL, 0, error));
    SARI_TRY(create(model, &chosen, NULL, out, error));
    (*out)->user_model = model;
    (*out)->model_print = sari_model_fingerprint(model);
    (*out)->options_print = sari_options_fingerprint(&chosen);
    return SAR_OK;
}

/* A body that is turned by 180 degrees may have any of two angles. */
static void resemble(sari_coordinates* c, const sari_coordinates* other)
{
    if (c->ops->resemble && c->ops == other->ops && c->np == other->np)
        c->ops->resemble(c, other->q0, c->q0, c->v0);
}

sar_status sari_simulation_create_alike(const sar_model* model, const sar_simulation* other,
                                        int runs, sar_simulation** out, sar_error* error)
{
    sari_units units = other->units;
    sar_options options = other->options;
    options.monitor = options.monitor && runs;
    *out = NULL;
    units.level = 0.0; // of its own masses
    for (int b = 1; b < model->bodies_count; b++)
        units.level -= model->bodies[b].def.mass * sari_dot(model->gravity, units.origin);
    SARI_TRY(create(model, &options, &units, out, error));
    (*out)->user_model = model;
    const sari_system* first = other->present == other->first
                                   ? other->system
                                   : other->configuration[other->first].scene.system;
    resemble(&(*out)->system->coordinates, &first->coordinates);
    return SAR_OK;
}

void sar_simulation_destroy(sar_simulation* s)
{
    if (!s) return;
    sari_configurations_destroy(s);
    sari_observation_clear(&s->seen);
    sari_release(s);
}

double sari_simulation_filter(const sar_simulation* s)
{
    return s->form.ops->filter ? s->form.ops->filter(s->form.self) : NAN;
}

int sar_simulation_done(const sar_simulation* s)
{
    const double t = s->looks_back ? s->between.t : s->state.t;
    return s->integrator->variable || sari_events_are_watched(s) ? t >= s->options.end
                                                                 : s->step >= s->steps;
}

double sar_simulation_time(const sar_simulation* s)
{
    return s->state.t;
}

const char* sar_simulation_failure(const sar_simulation* s)
{
    return s->failure;
}
