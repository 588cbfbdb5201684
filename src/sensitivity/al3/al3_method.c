/* The member of the table for al3 with the trapezoidal rule. */
#include "sensitivity/al3/al3.h"

#include "base/memory.h"
#include "base/status.h"
#include "formulations/al3/al3.h"
#include "sensitivity/al3/al3_parts.h"
#include "sensitivity/twins.h"
#include "simulation/events/events.h"
#include "system/forces/forces.h"
#include "system/turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ITERATIONS = 100 };
static const double MEMORY = 500e6; ///< bytes, unless the definition says so
/// Of a parameter: four points bear stiff springs too, two are good to 1e-8. Much smaller ones are rounding to assemblies.
static const double CHANGE = 1e-4;
/// Sizes and radians, and of values: assemblies end at the same place.
static const double SAME = 1e-13;
/// Of first differences: second ones of straight lines.
static const double STRAIGHT = 1e-9;
enum { SAMPLES = 8 }; ///< of a run, where forces are looked at

static const char* refuses(const sar_simulation* x)
{
    if (strcmp(x->options.formulation, "al3") != 0 ||
        strcmp(x->options.integrator, "trapezoidal") != 0)
        return "fixed steps are differentiated for al3 with the trapezoidal rule";
    if (sari_forces_ask(x->system))
        return "forces ask for reactions of joints, whose slopes are not known";
    return NULL;
}

static int prepare(sar_options* o)
{
    const int changed = !o->differentiable || o->energy_ledger;
    o->differentiable = 1;
    o->energy_ledger = 0;
    if (o->iterations < MOST_ITERATIONS)
        o->iterations = MOST_ITERATIONS; // some shrink slowly to rounding
    if (strcmp(o->solver, "tree") == 0) snprintf(o->solver, sizeof o->solver, "auto");
    return changed;
}

static void clear(sar_sensitivity* s)
{
    sari_al3_gradient* m = s->tape_of_method;
    if (!m) return;
    if (s->nominal.simulation) s->nominal.simulation->system->watch = NULL;
    sari_twin_clear(&m->own);
    for (int k = 0; m->twin && k < SARI_AL3_TWINS * s->parameters; k++)
        sari_twin_clear(&m->twin[k]);
    sari_al3_tape_clear(&m->tape);
    sari_step_map_clear(&m->map);
    sari_arena_clear(&m->memory);
    sari_release(m);
    s->tape_of_method = NULL;
}

static sar_status make(sar_sensitivity* s, sari_al3_gradient** out)
{
    sar_simulation* x = s->nominal.simulation;
    const size_t n3 = 3 * (size_t)x->system->nq;
    sari_al3_gradient* m = s->tape_of_method = SARI_NEW(sari_al3_gradient);
    if (!m) return SAR_E_NOMEM;
    sari_arena* a = &m->memory;
    m->row = SARI_TAKE(a, sari_al3_row, s->rows + 1);
    m->twin = SARI_TAKE(a, sari_twin, SARI_AL3_TWINS * s->parameters + 1);
    m->effect = SARI_TAKE(a, sari_al3_effect, s->parameters + 1);
    m->change = SARI_TAKE(a, double, s->parameters + 1);
    m->way = SARI_TAKE(a, char, s->parameters + 1);
    m->parts = SARI_TAKE(a, char, s->parameters + 1);
    m->kink = SARI_TAKE(a, double, 2 * SARI_FORCE_KINKS * sari_kinks_there(x) + 1);
    for (int k = 0; m->kink && k < SARI_FORCE_KINKS * sari_kinks_there(x); k++) m->kink[k] = NAN;
    m->outputs = SARI_TAKE(a, double, sar_model_outputs(s->nominal.model) + 1);
    m->first = SARI_TAKE(a, double, sar_model_outputs(s->nominal.model) + 1);
    double** vectors[] = {&m->x,   &m->l,   &m->dx, &m->xp, &m->psi_h, &m->psi_t,
                          &m->h_v, &m->h_a, &m->n,  &m->w,  &m->v};
    for (int k = 0; k < 11; k++) *vectors[k] = SARI_TAKE(a, double, n3);
    if (x->bounds.count > 0) {
        m->R_q = SARI_TAKE(a, double, n3* n3 / 9);
        m->R_v = SARI_TAKE(a, double, n3* n3 / 9);
    }
    sari_terms_take(&m->time, a, x->system);
    sari_terms_take(&m->more, a, x->system);
    sari_terms_take(&m->less, a, x->system);
    sari_terms_take(&m->far, a, x->system);
    sari_state_take(&m->beside, a, &x->system->equations, 0);
    m->counts = sari_turns_count(x->system->kinematics);
    if (a->failed) return SAR_E_NOMEM;
    *out = m;
    const double limit = s->def.memory > 0.0 ? s->def.memory : MEMORY;
    return sari_al3_tape_begin(&m->tape, x, limit, a);
}

/* One step, and its entry. */
static sar_status step(sar_sensitivity* s, sari_al3_gradient* m, sar_error* error)
{
    sar_simulation* x = s->nominal.simulation;
    const sar_status st = sar_simulation_advance(x);
    if (st != SAR_OK)
        return sari_fail(error, st, NULL, "the run fails at t = %.6g: %.250s", x->state.t,
                         sar_simulation_failure(x));
    if (sari_al3_held(x->form.self))
        return sari_fail(error, SAR_E_INCOMPAT, NULL,
                         "al3 ended the step to t = %.6g on a singular configuration without "
                         "convergence: it has no derivative. Take a smaller step, or the automatic "
                         "method",
                         x->state.t);
    if (sari_al3_jumps(m, x))
        return sari_fail(
            error, SAR_E_INCOMPAT, NULL,
            "a force jumps at t = %.6g, where something touches, comes apart or becomes "
            "slack: within a step of fixed length that has no right derivative; take the "
            "automatic method, whose steps end there",
            x->state.t);
    return sari_al3_tape_add(&m->tape, x, error);
}

/* The moment at which a force jumps depends on all numbers, and a step across it knows nothing of that: not even short
 * steps would lead to the right derivatives. */
static sar_status refuse_jumps(sar_simulation* x, sar_error* error)
{
    sar_jump first;
    if (!sar_simulation_jumps(x, &first)) return SAR_OK;
    return sari_fail(error, SAR_E_INCOMPAT, NULL,
                     "the force \"%.80s\" jumps at t = %.6g, within a step of fixed length, which "
                     "has no right derivative; "
                     "take the automatic method, whose steps end there",
                     first.force, first.t);
}

static sar_status forward(sar_sensitivity* s, sar_error* error)
{
    sar_simulation* x = s->nominal.simulation;
    sari_al3_gradient* m;
    double* value = SARI_NEW_ARRAY(double, s->rows + 1);
    sar_status st = value ? make(s, &m) : SAR_E_NOMEM;
    if (st == SAR_OK) st = sari_passages_take(s);
    if (st == SAR_OK) sari_rows_begin(s, 1, value);
    if (st == SAR_OK) st = sari_rows_look(s, x, 1, value);
    while (st == SAR_OK && !sar_simulation_done(x)) {
        const int passes = x->passes.count;
        st = step(s, m, error);
        if (st == SAR_OK && x->passes.count > passes) sari_passages_note(s, passes);
        if (st == SAR_OK) st = sari_rows_look(s, x, 1, value);
    }
    if (st == SAR_OK) st = refuse_jumps(x, error);
    const int missing = st == SAR_OK ? sari_rows_missing(s, value) : -1;
    if (missing >= 0)
        st = sari_fail(error, SAR_E_MODEL, "objective", "\"%.100s\" has no value in this run",
                       s->objective[s->row[missing].objective].expression);
    for (int r = 0; st == SAR_OK && r < s->rows; r++) s->row[r].value = value[r];
    sari_release(value);
    if (s->tape_of_method) x->system->watch = NULL;
    return st == SAR_OK ? sari_al3_tape_end(&m->tape, x) : st;
}

/* Before the first pass. */
static sar_status make_ready(sar_sensitivity* s, sari_al3_gradient* m, sar_error* error)
{
    if (m->own.simulation) return SAR_OK;
    SARI_TRY(sari_twin_make(s, 0, 0.0, &m->own, error));
    sar_simulation* x = m->own.simulation;
    sar_status st = sari_step_map_create(&m->map, x->system, x->units.size);
    if (st == SAR_OK) st = sari_al3_constants_take(&m->constants, x->system, &m->memory);
    if (st == SAR_OK) st = sari_al3_rows_place(s, m);
    if (st == SAR_OK) st = sari_outputs_of(x, &x->state, m->first);
    return st == SAR_OK ? st : sari_fail(error, st, NULL, "%s", sar_status_text(st));
}

/* Do rows depend on a parameter itself, at the start? */
static int moves_rows(const sar_sensitivity* s, sari_al3_gradient* m, sari_twin* twin)
{
    if (sari_outputs_of(twin->simulation, &m->own.simulation->state, m->outputs) != SAR_OK)
        return 1;
    for (int r = 0; r < s->rows; r++) {
        const double value = m->first[m->row[r].output];
        if (!(fabs(m->outputs[m->row[r].output] - value) <= SAME * fabs(value))) return 1;
    }
    return 0;
}

/* Do forces lie on straight lines at one entry of the tape? */
static int bends_forces_at(sari_al3_gradient* m, int k, int entry)
{
    const sari_state x = sari_al3_tape_state(&m->tape, entry);
    sari_system* const sys[] = {m->own.simulation->system, sari_al3_twin_system(m, k, 0),
                                sari_al3_twin_system(m, k, 1)};
    double size = 0.0, first = 0.0, second = 0.0;
    for (int i = 0; i < 3; i++)
        if (sari_equations_eval(&sys[i]->equations, SARI_EVAL_FORCE, x.t, x.q, x.v) != SAR_OK)
            return 1;
    for (int i = 0; i < x.n; i++) {
        const double own = sys[0]->Q[i], more = sys[1]->Q[i], less = sys[2]->Q[i];
        size = fmax(size, fabs(own));
        first = fmax(first, fabs(more - less));
        second = fmax(second, fabs(more + less - 2.0 * own));
    }
    return !(second <= fmax(SAME * size, STRAIGHT * first));
}

/* At some entries, of the segment that is there? */
static int bends_forces(sari_al3_gradient* m, int k)
{
    const sari_al3_tape* tape = &m->tape;
    const int begin = tape->checkpoint[tape->segment].entry,
              last = sari_al3_tape_last(tape, tape->segment);
    if (m->way[k] != SARI_AL3_FORCES) return 0;
    for (int i = 0; i <= SAMPLES; i++)
        if (bends_forces_at(m, k, begin + (int)((long)(last - begin) * i / SAMPLES))) return 1;
    return 0;
}

/* Does a parameter move neither the start nor rows, and numbers of the equations along straight lines, by its two near
 * twins? And forces, where it does something to these? Two points are enough then. */
static int is_straight(const sar_sensitivity* s, sari_al3_gradient* m, int k, int straight)
{
    sari_twin* twin = &m->twin[SARI_AL3_TWINS * k];
    const sar_simulation *own = m->own.simulation, *more = twin[0].simulation;
    const double unit = fmin(1.0, own->units.size);
    if (own->bounds.count > 0) return 0;
    for (int i = 0; i < own->system->np; i++)
        if (fabs(more->state.q[i] - own->state.q[i]) > SAME * unit) return 0;
    for (int i = 0; i < own->system->nq; i++)
        if (fabs(more->state.v[i] - own->state.v[i]) > SAME * unit) return 0;
    if (moves_rows(s, m, twin)) return 0;
    if (m->way[k] == SARI_AL3_RESIDUALS) return straight;
    return !bends_forces(m, k) &&
           sari_al3_constants_straight(&m->constants, own->system, more->system,
                                       twin[1].simulation->system);
}

/* Which parts of the equations parameter k changes, by its near twins at some entries; *straight: along straight lines. */
static unsigned parts_of(sari_al3_gradient* m, int k, int* straight)
{
    const sari_al3_tape* tape = &m->tape;
    const int begin = tape->checkpoint[tape->segment].entry,
              last = sari_al3_tape_last(tape, tape->segment);
    sari_step_terms* const x[] = {&m->more, &m->far, &m->less};
    unsigned parts = sari_parts_always(m->own.simulation);
    *straight = 1;
    for (int i = 0; i <= SAMPLES; i++) {
        const sari_step_record r =
            sari_al3_tape_record(tape, begin + (int)((long)(last - begin) * i / SAMPLES));
        sari_system* const sys[] = {m->own.simulation->system, sari_al3_twin_system(m, k, 0),
                                    sari_al3_twin_system(m, k, 1)};
        parts |= sari_parts_look(sys, &r, x, straight);
    }
    return parts;
}

/* Twins of a parameter, once. */
static sar_status make_twins(sar_sensitivity* s, sari_al3_gradient* m, int k, sar_error* error)
{
    const sari_free_number* p = &s->parameter[k];
    sari_twin* twin = &m->twin[SARI_AL3_TWINS * k];
    const double size = p->reach > 0.0 ? p->reach : 1.0;
    const int n = s->nominal.simulation->system->nq;
    int twins = s->def.points == 2 ? 2 : SARI_AL3_TWINS;
    if (twin->simulation || m->effect[k].known) return SAR_OK;
    m->change[k] = CHANGE * size;
    sar_status st = sari_twins_make_near(s, k, &m->change[k], twin, error);
    if (st == SAR_OK)
        m->way[k] = (char)sari_al3_way_of(&m->constants, m->own.simulation->system,
                                          twin[0].simulation->system);
    int straight = 0;
    m->parts[k] = SARI_PARTS;
    if (st == SAR_OK && m->way[k] == SARI_AL3_RESIDUALS)
        m->parts[k] = (char)parts_of(m, k, &straight);
    if (st == SAR_OK && is_straight(s, m, k, straight)) twins = 2;
    if (st == SAR_OK && twins > 2) st = sari_twins_make(s, k, 2.0 * m->change[k], twin + 2, error);
    for (int i = 1; i < twins && st == SAR_OK; i++)
        if (sari_al3_way_of(&m->constants, m->own.simulation->system, twin[i].simulation->system) !=
            (sari_al3_way)m->way[k])
            m->way[k] = SARI_AL3_RESIDUALS, m->parts[k] = SARI_PARTS;
    for (int i = 0; i < twins && st == SAR_OK; i += 2)
        if (!sari_twins_start(twin + i, m->change[k], m->dx, m->dx + n, m->dx + 2 * n))
            st = sari_fail(error, SAR_E_MODEL, p->name,
                           "angles of the start count other revolutions with another value; take "
                           "the automatic method");
    if (st == SAR_OK) st = sari_al3_effect_take(s, m, k);
    for (int i = 0; st != SAR_OK && i < twins; i++) sari_twin_clear(&twin[i]);
    return st;
}

static int has_both(sar_sensitivity* s, int k)
{
    sari_al3_gradient* m = s->tape_of_method;
    return make_ready(s, m, NULL) == SAR_OK && make_twins(s, m, k, NULL) == SAR_OK;
}

static sar_status direct(sar_sensitivity* s, int k, double* column, double* error_of,
                         sar_error* error)
{
    sari_al3_gradient* m = s->tape_of_method;
    SARI_TRY(make_ready(s, m, error));
    SARI_TRY(make_twins(s, m, k, error));
    SARI_TRY(sari_al3_along(s, m, k, column, error));
    for (int r = 0; r < s->rows; r++) error_of[r] = sari_sensitivity_al3.accuracy * fabs(column[r]);
    return SAR_OK;
}

static sar_status backward(sar_sensitivity* s, const double* weight, double* gradient,
                           sar_error* error)
{
    sari_al3_gradient* m = s->tape_of_method;
    if (s->parameters == 0) return SAR_OK;
    SARI_TRY(make_ready(s, m, error));
    for (int k = 0; k < s->parameters; k++) {
        sar_error why = {0};
        sari_free_number* p = &s->parameter[k];
        if (p->refused[0]) continue;
        const sar_status st = make_twins(s, m, k, &why);
        if (st == SAR_E_MODEL)
            sari_parameter_refuse(p, why.message);
        else if (st != SAR_OK)
            return sari_fail(error, st, NULL, "%s", why.message);
    }
    return sari_al3_back(s, m, weight, gradient, error);
}

const sari_sensitivity_method sari_sensitivity_al3 = {.name = "al3",
                                                      .refuses = refuses,
                                                      .prepare = prepare,
                                                      .forward = forward,
                                                      .direct = direct,
                                                      .backward = backward,
                                                      .has_both = has_both,
                                                      .accuracy = 1e-8,
                                                      .clear = clear};
