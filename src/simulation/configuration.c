/* What a run works with: equations, method and memory, for every set of joints that is there at
 * some time. All are made when the simulation is created; one is present. */
#include "base/names.h"
#include "formulations/row_options.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "formulations/chart/singular.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* Near a singular configuration a variable step gets small, and with a penalty proportional to 1/h^2 the
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

/* Shall singular configurations be searched for, and is there a constraint that could have one? */
static int wants_crossings(const sar_simulation* s)
{
    const sari_system* sys = s->system;
    return s->options.monitor && s->options.drawing > 0.0 && sys->nc > sys->velocity_rows &&
           !(sys->coordinates.ops->separate && sari_mechanism_is_tree(sys->mechanism));
}

/* Does the method itself see singular configurations? */
static int sees_passages(const sar_simulation* s)
{
    return s->options.monitor && s->integrator->within && sari_is_chart(&s->form);
}

/* Does M do without entries? */
static sari_mass_form mass_form(const sar_simulation* s)
{
    const sar_options* o = &s->options;
    const sari_formulation_ops* form = sari_formulation_named(o->formulation);
    if (!sari_formulation_needs_no_mass(form, s->integrator->needs) || s->integrator->takes_mass ||
        o->equilibrium || o->differentiable)
        return SARI_MASS_ENTRIES;
    if (strcmp(o->solver, "tree") == 0) return SARI_MASS_GENERATED;
    return strcmp(o->solver, "auto") == 0 ? SARI_MASS_CHEAPER : SARI_MASS_ENTRIES;
}

/* Names that have numbers of their own for their constraints must have constraints: now, or when the
 * joint of that name is there. */
static sar_status check_rows(const sar_simulation* s, sar_error* error)
{
    char name[64], there[256] = "";
    const sari_equations* sys = &s->system->equations;
    for (const char* at = NULL;
         (at = sari_row_options_missing(sys, &s->options, at, name, sizeof name));) {
        int j = 0;
        while (j < s->model->joints_count && strcmp(s->model->joints[j].name, name) != 0) j++;
        if (j < s->model->joints_count && !s->system->mechanism->active[j]) continue;
        for (int r = 0; r < sys->nc; r++)
            sari_add_name(there, sizeof there, sari_equations_row_name(sys, r));
        return sari_fail(error, SAR_E_ARG, "alpha",
                         "\"%s\" has no constraints in %s coordinates; these have: %s", name,
                         s->options.coordinates, *there ? there : "none");
    }
    return SAR_OK;
}

/* The four axes, in the order of their dependence, with the joints that are there. */
static sar_status build(sar_simulation* s, const char* active, sar_error* error)
{
    const sar_options* o = &s->options;
    const sari_coordinates_ops* coordinates = sari_coordinates_find(o->coordinates);
    SARI_TRY(
        sari_system_create_with(s->model, active, coordinates, mass_form(s), &s->system, error));
    s->system->size = s->units.size;
    s->system->away = sari_norm3(s->units.origin) / s->units.length;
    share_work(s);
    if (s->present == 0) SARI_TRY(check_rows(s, error));
    SARI_TRY(sari_formulation_create(sari_formulation_named(o->formulation), &s->system->equations,
                                     o, &s->form, error));
    SARI_TRY(sari_integrator_create(s->integrator, &s->system->equations, &s->form, o,
                                    &s->integrator_self, error));
    const int momenta = sari_formulation_can(s->form.ops, SARI_FORM_MOMENTA);
    sari_state* const states[] = {&s->state, &s->begun, &s->previous, &s->between, &s->aside};
    for (int k = 0; k < (s->ledger ? 5 : 4); k++)
        sari_state_take(states[k], &s->memory, &s->system->equations, momenta);
    int ok = !s->memory.failed &&
             sari_monitor_create(s->system, &s->passes, &s->branches, &s->monitor) == SAR_OK &&
             (!wants_crossings(s) || sari_crossings_create(s->system, &s->crossings) == SAR_OK) &&
             (!sees_passages(s) || (s->passages = sari_passages_create(s->system))) &&
             sari_reactions_create(s->system, &s->form, &s->reactions) == SAR_OK &&
             sari_coupling_create(s->reactions, &s->coupling) == SAR_OK &&
             sari_coupling_couple(s->coupling) == SAR_OK &&
             (!(sari_events_are_watched(s) || s->drives_break) ||
              sari_projector_create(s->system, &s->projector) == SAR_OK);
    return ok ? SAR_OK : sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for the simulation");
}

static sar_status check(sar_simulation* s, sar_error* error)
{
    sar_options* o = &s->options;
    SARI_TRY(sar_options_check(o, error));
    const sari_formulation_ops* form = sari_formulation_named(o->formulation);
    s->integrator = sari_integrator_named(o->integrator);
    if (isinf(o->alpha) && !sari_formulation_can(form, SARI_FORM_LIMIT))
        return sari_fail(error, SAR_E_ARG, "alpha",
                         "%s has no limit of an infinite penalty; give a finite alpha, or take al3",
                         form->name);
    choose_penalty(o, form, s->integrator);
    return SAR_OK;
}

/* The present configuration among the others. */
static void put_away(sar_simulation* s)
{
    if (!s->configurations) return;
    s->configuration[s->present] = (sari_configuration){s->scene, s->engine};
}

int sari_configuration_find(const sar_simulation* s, const char* set)
{
    const size_t size = (size_t)sari_model_set_size(s->model);
    for (int k = 0; k < s->configurations; k++) {
        const sari_system* sys = k == s->present ? s->system : s->configuration[k].scene.system;
        if (memcmp(sys->mechanism->active, set, size) == 0) return k;
    }
    return -1;
}

/* ---- sets of joints and forces that can be there together ----------------------------------- */

enum { SETS = 64 }; ///< at most, where they do not follow from each other in one order
enum {
    LATER = 4096
}; ///< sets of closed contacts that may be made during a run, where there are more

typedef struct sets {
    int size, count, capacity;
    char* at;
    int* done; ///< phases that have begun, of those that do not repeat
} sets;

static char* set_at(const sets* z, int k)
{
    return z->at + (size_t)z->size * (size_t)k;
}

/* 0: there is no room. */
static int add_set(sets* z, const char* set, int done)
{
    for (int k = 0; k < z->count; k++)
        if (z->done[k] == done && memcmp(set_at(z, k), set, (size_t)z->size) == 0) return 1;
    if (z->count == z->capacity) return 0;
    memcpy(set_at(z, z->count), set, (size_t)z->size);
    z->done[z->count++] = done;
    return 1;
}

/* All that phases lead to, from the start. */
static int follow_phases(const sar_model* model, sets* z, char* set)
{
    sari_model_set_after(model, 0, set);
    int room = add_set(z, set, 0);
    for (int k = 0; room && k < z->count; k++)
        for (int phase = 0; room && phase < model->phases_count; phase++) {
            const sar_phase_def* def = &model->phases[phase].def;
            int next = z->done[k];
            while (next < model->phases_count && model->phases[next].def.repeats) next++;
            if (!def->repeats && phase != next) continue;
            if (!sari_phase_applies(model, def, set_at(z, k))) continue;
            memcpy(set, set_at(z, k), (size_t)z->size);
            sari_phase_apply(model, def, set);
            room = add_set(z, set, def->repeats ? z->done[k] : phase + 1);
        }
    return room;
}

/* With every set, all combinations of closed contacts. */
static int close_contacts(const sar_model* model, sets* z, char* set)
{
    for (int j = 0; j < model->joints_count; j++) {
        if (!model->joints[j].bounded) continue;
        for (int k = 0, open = z->count; k < open; k++) {
            memcpy(set, set_at(z, k), (size_t)z->size);
            set[j] = 1;
            if (!add_set(z, set, z->done[k])) return 0;
        }
    }
    return 1;
}

/* A drive or coupling needs its joints. */
static sar_status check_set(const sar_model* model, const char* set, sar_error* error)
{
    for (int k = 0; k < model->joints_count; k++) {
        const sari_joint* j = &model->joints[k];
        for (int t = 0, needs; set[k] && (needs = sari_joint_uses(j, t)) >= 0; t++) {
            if (set[needs]) continue;
            return sari_fail(
                error, SAR_E_MODEL, "phases",
                "phases that repeat can remove \"%s\" while \"%s\", which needs it, is "
                "there; remove both",
                model->joints[needs].name, j->name);
        }
    }
    return SAR_OK;
}

/* Do sets not follow from each other in one order? */
static int is_free(const sar_model* model)
{
    for (int k = 0; k < model->phases_count; k++)
        if (model->phases[k].def.repeats) return 1;
    for (int j = 0; j < model->joints_count; j++)
        if (model->joints[j].bounded) return 1;
    return 0;
}

static sar_status list_sets(sar_simulation* s, sets* z, sar_error* error)
{
    const sar_model* model = s->model;
    z->size = sari_model_set_size(model);
    z->capacity = model->phases_count + 1;
    if (is_free(model)) z->capacity *= SETS;
    z->at = SARI_TAKE(&s->memory, char, z->size * z->capacity);
    z->done = SARI_TAKE(&s->memory, int, z->capacity);
    char* set = SARI_TAKE(&s->memory, char, z->size);
    if (s->memory.failed) return SAR_E_NOMEM;
    if (!follow_phases(model, z, set))
        return sari_fail(
            error, SAR_E_MODEL, "phases",
            "phases that repeat lead to more than %d sets of joints: use fewer of them",
            z->capacity);
    const int open = z->count;
    if (!close_contacts(model, z, set)) { // then those that are needed, when they are
        z->count = open;
        s->configurations_capacity = LATER;
    }
    for (int k = 0; k < z->count; k++) SARI_TRY(check_set(model, set_at(z, k), error));
    return SAR_OK;
}

/* A new configuration, which becomes the present one, if there is none with this set. */
static sar_status add_configuration(sar_simulation* s, const char* set, sar_error* error)
{
    if (sari_configuration_find(s, set) >= 0) return SAR_OK;
    put_away(s);
    s->present = s->configurations++;
    memset(&s->scene, 0, sizeof s->scene);
    memset(&s->engine, 0, sizeof s->engine);
    return build(s, set, error);
}

int sari_configuration_make(sar_simulation* s, const char* set)
{
    const int found = sari_configuration_find(s, set), old = s->present;
    if (found >= 0 || s->configurations >= s->configurations_capacity) return found;
    const sar_status st = add_configuration(s, set, NULL);
    const int made = s->present;
    sari_configuration_enter(s, old);
    return st == SAR_OK && s->configuration[made].scene.system->nq <= s->bounds.coordinates ? made
                                                                                            : -1;
}

sar_status sari_configurations_create(sar_simulation* s, sar_error* error)
{
    sets z = {0};
    SARI_TRY(check(s, error));
    s->phases.watched = sari_events_expected(s->model);
    s->drives_break = sari_drives_break(s->model);
    const int placements = s->model->bodies_count * (s->model->dimension == 3 ? 12 : 4);
    sari_events_take(&s->passes, &s->memory, 4096, placements);
    sari_events_take(&s->branches, &s->memory, 256, placements);
    sar_status st = list_sets(s, &z, error);
    s->configuration =
        SARI_TAKE(&s->memory, sari_configuration, z.count + s->configurations_capacity);
    s->configurations_capacity += z.count;
    if (s->memory.failed) st = SAR_E_NOMEM;
    for (int k = 0; k < z.count && st == SAR_OK; k++)
        st = add_configuration(s, set_at(&z, k), error);
    s->prepared = s->configurations;
    if (st == SAR_OK) sari_configuration_enter(s, s->first = 0);
    if (st == SAR_OK && sari_events_are_watched(s)) st = sari_switch_create(s);
    if (st == SAR_OK) st = sari_bounds_create(s);
    if (st == SAR_OK) st = sari_held_create(s);
    if (st == SAR_OK) st = sari_kinks_create(s);
    if (st == SAR_OK) st = sari_time_functions_create(s);
    if (st == SAR_OK) st = sari_validity_create(s);
    if (st == SAR_OK) st = sari_events_create(s);
    if (st == SAR_OK) st = sari_resolution_create(s);
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
    sari_coupling_destroy(c->scene.coupling);
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

/* ---- states --------------------------------------------------------------------------------- */

/* From number k on those that were made during a run, of which another one has others. */
static void forget_from(sar_simulation* s, int k)
{
    if (s->present >= k) sari_configuration_enter(s, s->first);
    for (int i = k; i < s->configurations; i++) clear(s->integrator, &s->configuration[i]);
    if (k < s->configurations) s->configurations = k;
}

/* The same configurations, in the same order. */
static void archive_sets(sar_simulation* s, sari_archive* a)
{
    const size_t size = (size_t)sari_model_set_size(s->model);
    const int count =
        sari_archive_range(a, s->configurations, s->prepared, s->configurations_capacity);
    char* set = count > s->prepared ? SARI_NEW_ARRAY(char, size) : NULL;
    if (count > s->prepared && !set) a->failed = 1;
    for (int k = s->prepared; k < count && !a->failed; k++) {
        const sari_configuration* c = k < s->configurations ? &s->configuration[k] : NULL;
        const char* own = c ? c->scene.system->mechanism->active : NULL;
        if (!sari_archive_reads(a)) memcpy(set, own, size);
        sari_archive_bytes(a, set, size);
        if (!sari_archive_reads(a) || (own && memcmp(own, set, size) == 0)) continue;
        forget_from(s, k);
        if (sari_configuration_make(s, set) != k) a->failed = 1;
        put_away(s);
    }
    sari_release(set);
    if (sari_archive_reads(a)) forget_from(s, count);
}

static void archive_one(sar_simulation* s, sari_configuration* c, sari_archive* a)
{
    sari_engine* e = &c->engine;
    sari_state* const states[] = {&c->scene.state, &e->begun, &e->previous, &e->between};
    for (int k = 0; k < 4; k++) sari_state_archive(states[k], a);
    sari_system_archive(c->scene.system, a);
    sari_contradictions_archive(&e->contradictions, c->scene.system, a);
    if (e->crossings) sari_crossings_archive(e->crossings, a);
    if (e->form.ops->archive) e->form.ops->archive(e->form.self, a);
    if (s->integrator->archive) s->integrator->archive(e->integrator_self, a);
    sari_monitor_archive(e->monitor, c->scene.reactions, a);
    if (e->passages) sari_passages_archive(e->passages, &s->passes, a);
    if (e->projector) sari_projector_archive(e->projector, a);
}

static sari_reactions* reactions_of(const void* s, int k)
{
    return ((const sar_simulation*)s)->configuration[k].scene.reactions;
}

void sari_configurations_archive(sar_simulation* s, sari_archive* a)
{
    put_away(s);
    archive_sets(s, a);
    const int present = sari_archive_range(a, s->present, 0, s->configurations - 1);
    sari_events_archive(&s->passes, s, reactions_of, s->configurations, a);
    sari_events_archive(&s->branches, s, reactions_of, s->configurations, a);
    for (int k = 0; k < s->configurations; k++) archive_one(s, &s->configuration[k], a);
    s->scene = s->configuration[present].scene;
    s->engine = s->configuration[present].engine;
    s->present = present;
}
