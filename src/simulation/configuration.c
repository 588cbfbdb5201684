/* What a run works with: equations, method and memory, for every set of joints that is there at
 * some time. All are made when the simulation is created; one is present. */
#include "simulation/simulation.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

static const sari_formulation_ops* find_formulation(const char* name)
{
    for (int k = 0; sari_formulations[k]; k++)
        if (strcmp(sari_formulations[k]->name, name) == 0) return sari_formulations[k];
    return NULL;
}

/* Near a singular position a variable step gets small, and with a penalty proportional to 1/h^2 the
 * multipliers cannot follow: unless a penalty is asked for, such steps do without one. */
static void choose_penalty(sar_options* o, const sari_formulation_ops* form,
                           const sari_integrator_ops* integrator)
{
    if (integrator->variable && o->alpha == 0.0 && o->penalty_ratio == 0.0 &&
        sari_formulation_can(form, SARI_FORM_LIMIT))
        o->alpha = INFINITY;
}

/* The most threads to share a step; sharing.c decides whether they do. */
static void share_work(sar_simulation* s)
{
    int threads = s->options.threads > 0 ? s->options.threads : sari_parallel_cores();
    if (!s->system->coordinates.evaluator->share && strcmp(s->options.solver, "dca") != 0)
        threads = 1;
    if (s->options.share < 0)
        threads = sari_sharing_threads(s->system->mechanism->bodies - 1, threads);
    if (s->options.share == 0) threads = 1;
    sari_system_share(s->system, threads);
}

/* Is anybody to look for singular positions, and is there a row that could have one? */
static int wants_crossings(const sar_simulation* s)
{
    const sari_system* sys = s->system;
    return s->options.monitor && s->options.drawing > 0.0 && sys->nc > sys->velocity_rows &&
           !s->form.ops->first_order; // a chart is evaluated on both sides of them
}

/* Does the method itself see singular positions? */
static int sees_passages(const sar_simulation* s)
{
    return s->options.monitor && s->integrator->within && s->form.ops->first_order &&
           s->form.ops->first_order->watched;
}

/* The four axes, in the order of their dependence, with the joints that are there. */
static sar_status build(sar_simulation* s, const char* active, sar_error* error)
{
    const sar_options* o = &s->options;
    const sari_coordinates_ops* coordinates = sari_coordinates_find(o->coordinates);
    SARI_TRY(sari_system_create_with(s->model, active, coordinates, &s->system, error));
    s->system->size = s->units.size;
    share_work(s);
    SARI_TRY(sari_formulation_create(find_formulation(o->formulation), &s->system->equations, o,
                                     &s->form, error));
    SARI_TRY(sari_integrator_create(s->integrator, &s->system->equations, &s->form, o,
                                    &s->integrator_self, error));
    const int momenta = sari_formulation_can(s->form.ops, SARI_FORM_MOMENTA);
    sari_state* const states[] = {&s->state, &s->previous, &s->between};
    for (int k = 0; k < 3; k++)
        sari_state_take(states[k], &s->memory, &s->system->equations, momenta);
    int ok = !s->memory.failed &&
             sari_monitor_create(s->system, &s->passes, &s->branches, &s->monitor) == SAR_OK &&
             (!wants_crossings(s) || sari_crossings_create(s->system, &s->crossings) == SAR_OK) &&
             (!sees_passages(s) || (s->passages = sari_passages_create(s->system))) &&
             sari_reactions_create(s->system, &s->form, &s->reactions) == SAR_OK &&
             (!s->model->phases_count || sari_projector_create(s->system, &s->projector) == SAR_OK);
    return ok ? SAR_OK : sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for the simulation");
}

static sar_status check(sar_simulation* s, sar_error* error)
{
    sar_options* o = &s->options;
    SARI_TRY(sar_options_check(o, error));
    const sari_formulation_ops* form = find_formulation(o->formulation);
    s->integrator = sari_integrator_named(o->integrator);
    if (isinf(o->alpha) && !sari_formulation_can(form, SARI_FORM_LIMIT))
        return sari_fail(error, SAR_E_ARG, "alpha",
                         "%s has no limit of an infinite penalty; give a finite alpha, or take al3",
                         form->name);
    choose_penalty(o, form, s->integrator);
    return SAR_OK;
}

/* Joints that are there after so many phases. */
static void list_active(const sar_model* model, int phases, char* active)
{
    for (int j = 0; j < model->joints_count; j++)
        active[j] = sari_model_joint_present(model, j, phases);
}

/* The present configuration among the others. */
static void put_away(sar_simulation* s)
{
    if (!s->configurations) return;
    s->configuration[s->present] = (sari_configuration){s->scene, s->engine};
}

/* The configuration after so many phases: one that is there already, or a new one, which becomes
 * the present one. So the last to be asked for, that of the start, is present in the end. */
static sar_status add_configuration(sar_simulation* s, int phases, char* active, sar_error* error)
{
    const size_t joints = (size_t)s->model->joints_count;
    int found = -1;
    list_active(s->model, phases, active);
    put_away(s);
    for (int k = 0; k < s->configurations && found < 0; k++)
        if (memcmp(s->configuration[k].scene.system->mechanism->active, active, joints) == 0)
            found = k;
    if (phases > 0) s->phases.configuration[phases - 1] = found < 0 ? s->configurations : found;
    if (found >= 0) {
        sari_configuration_enter(s, found);
        return SAR_OK;
    }
    s->present = s->configurations++;
    memset(&s->scene, 0, sizeof s->scene);
    memset(&s->engine, 0, sizeof s->engine);
    return build(s, active, error);
}

sar_status sari_configurations_create(sar_simulation* s, sar_error* error)
{
    SARI_TRY(check(s, error));
    const int placements = s->model->bodies_count * (s->model->dimension == 3 ? 12 : 4);
    sari_events_take(&s->passes, &s->memory, 4096, placements);
    sari_events_take(&s->branches, &s->memory, 256, placements);
    const int phases = s->model->phases_count;
    s->configuration = SARI_TAKE(&s->memory, sari_configuration, phases + 1);
    s->phases.configuration = SARI_TAKE(&s->memory, int, phases);
    char* active = SARI_TAKE(&s->memory, char, s->model->joints_count);
    sar_status st = s->memory.failed ? SAR_E_NOMEM : SAR_OK;
    for (int phase = phases; phase >= 0 && st == SAR_OK; phase--)
        st = add_configuration(s, phase, active, error);
    s->first = s->present;
    if (st == SAR_OK && phases) st = sari_switch_create(s);
    if (st == SAR_E_NOMEM) sari_fail(error, st, NULL, "out of memory for the simulation");
    return st;
}

static void clear(const sari_integrator_ops* integrator, sari_configuration* c)
{
    sari_engine* engine = &c->engine;
    sari_integrator_destroy(integrator, engine->integrator_self);
    sari_formulation_clear(&engine->form);
    sari_monitor_destroy(engine->monitor);
    sari_projector_destroy(engine->projector);
    sari_subspaces_destroy(engine->subspaces);
    sari_contradictions_destroy(engine->contradictions);
    sari_crossings_destroy(engine->crossings);
    sari_passages_destroy(engine->passages);
    sari_reactions_destroy(c->scene.reactions);
    sari_system_destroy(c->scene.system);
}

void sari_configurations_destroy(sar_simulation* s)
{
    put_away(s);
    for (int k = 0; s->configuration && k < s->configurations; k++)
        clear(s->integrator, &s->configuration[k]);
}

void sari_configuration_enter(sar_simulation* s, int configuration)
{
    put_away(s);
    s->scene = s->configuration[configuration].scene;
    s->engine = s->configuration[configuration].engine;
    s->present = configuration;
}
