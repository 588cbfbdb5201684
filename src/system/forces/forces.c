/* Forces act through scalars s_k of the configuration, with laws f_k (elements/force.h):
 *
 *     Q = -sum_k f_k grad s_k                                                                 (1)
 *     K = sum_k grad s_k (df_k/dq)' + f_k d2 s_k/dq2,   C = sum_k grad s_k (df_k/dv)'         (2)
 *
 * Loads act on the placement X of their bodies (loads.c):
 *
 *     Q = T' G,   K = -T' dG/dq - G . D2,   C = -T' dG/dv                                     (3)
 *
 * Laws may use any position or rate in the model (signals), whose gradients enter df/dq and df/dv.
 * States of forces are numbers of v; see force_states.c. */
#include "system/forces/forces.h"

#include "math/rotation.h"
#include "system/forces/forces_parts.h"

#include <math.h>
#include <string.h>

/* ---- laws ----------------------------------------------------------------------------------- */

/* Where the force of law l, the first of its laws, is, and what it does there. */
static sari_force_state state_of(const sari_force_set* f, const sari_law* l)
{
    sari_force_state at; // of its many numbers those that the force has
    at.n = l->count;
    at.variables = f->variables;
    at.reaction = l->reaction;
    at.at_rest = f->at_rest;
    for (int k = 0; k < l->count; k++) {
        at.value[k] = f->value[l->first + k].value;
        at.rate[k] = f->value[l->first + k].rate;
    }
    for (int k = 0; l->states && k < l->states->list.n; k++)
        at.state[k] = f->state[l->states->first + k];
    return at;
}

static void act(const sari_force_set* f, const sari_law* l, unsigned what, sari_force_action* out)
{
    const sari_force_state at = state_of(f, l);
    l->type->act(l->force, &at, what, out);
}

/* ---- evaluation ----------------------------------------------------------------------------- */

enum { VALUES, RATES, GRADIENTS }; ///< of scalars: each with those before

/* Where polynomials are in X, forces without tangents are gathered there, and `at` is what they need
 * of a scalar; otherwise, and for states of the model and flows, it is the gradient by q. */
static int is_on_X(const sari_system* s, int scalar, int what)
{
    const sari_kinematics* k = s->kinematics;
    return what != GRADIENTS && !k->constant && sari_scalar_is_polynomial(&k->scalar[scalar]);
}

static void evaluate_scalar(sari_system* s, int scalar, int what, sari_scalar_value* value,
                            sari_scalar_parts* parts, sari_scalar_on_X* at)
{
    const sari_kinematics* k = s->kinematics;
    if (!is_on_X(s, scalar, what)) {
        sari_scalar_eval_parts(k, scalar, what >= RATES, value, parts);
        return;
    }
    sari_scalar_eval_on_X(k, scalar, what >= RATES, at);
    value->value = at->value, value->rate = at->rate;
}

/* Time, states and the signals that laws use. */
static void evaluate_signals(sari_system* s, double t, int what)
{
    sari_force_set* f = s->forces;
    sari_scalar_on_X at;
    f->variables[SARI_VARIABLE_T] = t;
    if (what >= RATES) f->state = s->kinematics->v + s->nq - s->states;
    for (int i = 0; i < s->model->signals_count; i++) {
        if (!f->signal_used[i]) continue;
        int level = s->model->signals[i].level;
        evaluate_scalar(s, s->mechanism->signal_scalar[i], what, &f->signal[i], &f->signal_part[i],
                        &at);
        f->variables[SARI_VARIABLE_SIGNAL + i] = level ? f->signal[i].rate : f->signal[i].value;
    }
}

/* The scalars of a force at X: one by one, or what it has seen of all. */
typedef struct scalars_on_X {
    sari_scalar_on_X scalar[SARI_FORCE_SCALARS];
    double seen[SARI_FORCE_SEEN];
} scalars_on_X;

static int measures_itself(const sari_system* s, const sari_law* first, int what)
{
    return first->type->measure && s->mechanism->dimension == 3 && is_on_X(s, first->scalar, what);
}

/* The scalars of a force. */
static void evaluate_laws(sari_system* s, const sari_law* first, int what, scalars_on_X* at)
{
    sari_scalar_value* value = &s->forces->value[first->first];
    sari_scalar_parts* part = &s->forces->part[first->first];
    if (!measures_itself(s, first, what)) {
        for (int k = 0; k < first->count; k++)
            evaluate_scalar(s, first[k].scalar, what, &value[k], &part[k], &at->scalar[k]);
        return;
    }
    const sari_kinematics* kinematics = s->kinematics;
    double values[SARI_FORCE_SCALARS], rates[SARI_FORCE_SCALARS] = {0};
    first->type->measure(s->mechanism, first->force, kinematics->X,
                         what >= RATES ? kinematics->Xd : NULL, values, rates, at->seen);
    for (int k = 0; k < first->count; k++) value[k].value = values[k], value[k].rate = rates[k];
}

/* ---- what has no value ---------------------------------------------------------------------- */

static int are_finite(const sari_force_set* f, const sari_expression* e)
{
    const int* used;
    const int n = e ? sari_expression_variables(e, &used) : 0;
    for (int i = 0; i < n; i++)
        if (!isfinite(f->variables[used[i]])) return 0;
    return 1;
}

void sari_note_undefined(sari_system* s, const char* element, const char* text,
                         const sari_expression* e, double value, int slope)
{
    const double t = s->forces->variables[SARI_VARIABLE_T];
    if (isfinite(value)) return;
    s->not_finite = 1;
    if (s->undefined.what || !are_finite(s->forces, e)) return;
    s->undefined = (sari_undefined){"force", element, text, t, value, slope};
}

static void note_law(sari_system* s, const sari_law* l, double value, int slope)
{
    const sari_scalar_value* own = &s->forces->value[l - s->forces->laws];
    if (isfinite(value)) return;
    s->not_finite = 1;
    if (!isfinite(own->value) || !isfinite(own->rate)) return;
    sari_note_undefined(s, l->force->name, sari_force_text_of(l->type, l->force->def, 0),
                        l->force->expression[0], value, slope);
}

void sari_force_block_add(double* matrix, const sari_force_block* b, double w, const double* g,
                          const double* h)
{
    const int* at = b->at;
    for (int i = 0; i < b->rows->n; i++)
        for (int j = 0; j < b->cols->n; j++) matrix[*at++] += w * g[i] * h[j];
}

/* K and C of a law through one scalar or signal: slope by its value and by its rate. */
static void add_dependence(sari_system* s, const sari_force_block* b, const double* g,
                           double by_value, double by_rate, const double* h, const double* slope)
{
    if (by_value != 0.0) sari_force_block_add(s->K.x, b, by_value, g, h);
    if (by_rate == 0.0) return;
    sari_force_block_add(s->K.x, b, by_rate, g, slope);
    sari_force_block_add(s->C.x, b, by_rate, g, h);
}

void sari_add_signal_dependence(sari_system* s, const sari_force_block* b, int signal, double by,
                                const double* g)
{
    const sari_force_set* f = s->forces;
    int rate = s->model->signals[signal].level == 1;
    add_dependence(s, b, g, rate ? 0.0 : by, rate ? by : 0.0, f->signal[signal].g,
                   f->signal_slope + f->longest * signal);
}

static void add_law_tangent(sari_system* s, const sari_law* l, const sari_force_action* action)
{
    sari_force_set* f = s->forces;
    const sari_scalar_value* own = &f->value[l - f->laws];
    const sari_expression* expression = sari_law_expression(l);
    const int* used;
    for (int k = 0; k < l->count; k++) {
        const sari_scalar_value* e = &f->value[l->first + k];
        const double by_x = action->by_value[l->component][k],
                     by_v = action->by_rate[l->component][k];
        note_law(s, l, by_x + by_v, 1);
        if (l->together) continue; // they were added
        add_dependence(s, &l->blocks[k], own->g, by_x, by_v, e->g,
                       f->slope + f->longest * (l->first + k));
    }
    if (l->by_state.at)
        sari_force_block_add(s->C.x, &l->by_state, 1.0, own->g, action->by_state[l->component]);
    const int variables = expression ? sari_expression_variables(expression, &used) : 0;
    for (int i = 0, signal = 0; i < variables; i++) {
        if (used[i] < SARI_VARIABLE_SIGNAL) continue;
        if (l->blocks[l->count + signal].at) // none of a reaction, which is constant in a step
            sari_add_signal_dependence(s, &l->blocks[l->count + signal],
                                       used[i] - SARI_VARIABLE_SIGNAL, action->by_signal[signal],
                                       own->g);
        signal++;
    }
    if (l->plain) return; // likewise
    sari_scalar_hessian(s->kinematics, l->scalar, &f->part[l - f->laws], f->H, f->work);
    const sari_force_block* b = &l->blocks[l->component];
    int n = b->rows->n;
    for (int i = 0; i < n * n; i++)
        s->K.x[b->at[i]] += action->force[l->component] * f->H[i]; // (2), second part
}

/* d/dq of the rates that the force of law l, the first of its laws, depends on. */
static void find_slopes(sari_system* s, const sari_law* l, const sari_force_action* action)
{
    sari_force_set* f = s->forces;
    const int states = l->states ? l->states->list.n : 0;
    for (int k = 0; k < l->count; k++) {
        const int i = l->first + k;
        bool wanted = false;
        for (int c = 0; c < l->count; c++) wanted |= action->by_rate[c][k] != 0.0;
        for (int c = 0; c < states; c++) wanted |= action->g_by_rate[c][k] != 0.0;
        if (wanted)
            sari_scalar_rate_slope(s->kinematics, f->laws[i].scalar, f->value[i].g, &f->part[i],
                                   f->slope + f->longest * i);
    }
}

/* (1), or at X: then every body is brought to the coordinates once. */
static void add_laws(sari_system* s, const sari_law* first, int what, const double* force,
                     const scalars_on_X* at)
{
    const sari_force_set* f = s->forces;
    if (measures_itself(s, first, what)) {
        first->type->pull(s->mechanism, first->force, at->seen, force, f->on_X);
        return;
    }
    for (int k = 0; k < first->count; k++) {
        if (is_on_X(s, first[k].scalar, what)) {
            sari_scalar_add_on_X(s->kinematics, first[k].scalar, &at->scalar[k], -force[k],
                                 f->on_X);
            continue;
        }
        const sari_term_list* list = &s->kinematics->scalar_depends[first[k].scalar];
        const double* g = f->value[first->first + k].g;
        for (int j = 0; j < list->n; j++) s->Q[list->i[j]] -= force[k] * g[j];
    }
}

/* Q += T' G, G of the laws; it is zero again after that. */
static void pull_laws(sari_system* s)
{
    sari_force_set* f = s->forces;
    const int nx = s->mechanism->nx;
    for (int i = 0; i < f->bodies; i++) {
        const sari_body_map* map = &s->coordinates.body[f->body[i]];
        double* G = f->on_X + nx * f->body[i];
        sari_body_pull(s->kinematics, f->body[i], G, f->row);
        for (int j = 0; j < map->nq; j++) s->Q[map->q[j]] += f->row[j];
        memset(G, 0, (size_t)nx * sizeof *G);
    }
}

static void add_force(sari_system* s, const sari_law* first, int tangent)
{
    const sari_force_set* f = s->forces;
    scalars_on_X at;
    sari_force_action action;
    const int what = tangent ? GRADIENTS : RATES;
    evaluate_laws(s, first, what, &at);
    act(f, first, SARI_ACT_FORCE | (tangent ? SARI_ACT_SLOPES : 0u), &action);
    if (tangent) find_slopes(s, first, &action);
    if (tangent && first->together) sari_laws_add_together(s, first, &action);
    if (first->states) sari_law_states_add(s, first, &action, tangent);
    for (int k = 0; k < first->count; k++) {
        note_law(s, &first[k], action.force[k], 0);
        if (tangent) add_law_tangent(s, &first[k], &action);
    }
    add_laws(s, first, what, action.force, &at);
}

void sari_forces_add(sari_system* s, double t, int tangent)
{
    sari_force_set* f = s->forces;
    evaluate_signals(s, t, tangent ? GRADIENTS : RATES);
    for (int i = 0; tangent && i < s->model->signals_count; i++)
        if (f->signal_used[i] && s->model->signals[i].level == 1)
            sari_scalar_rate_slope(s->kinematics, s->mechanism->signal_scalar[i], f->signal[i].g,
                                   &f->signal_part[i], f->signal_slope + f->longest * i);
    for (int i = 0; i < f->laws_count; i += f->laws[i].count) add_force(s, &f->laws[i], tangent);
    if (f->on_X && !tangent) pull_laws(s);
    for (int i = 0; i < f->loads_count; i++) sari_load_add(s, i, tangent);
}

int sari_forces_conservative(const sari_system* s)
{
    const sari_force_set* f = s->forces;
    for (int i = 0; i < f->laws_count; i++)
        if (sari_force_loses(f->laws[i].type, f->laws[i].force)) return 0;
    return f->loads_count == 0;
}

double sari_forces_potential(sari_system* s, double t, const double* states)
{
    sari_force_set* f = s->forces;
    sari_force_action action;
    action.potential = 0.0;
    if (f->laws_count == 0) return 0.0;
    evaluate_signals(s, t, VALUES);
    f->state = states;
    for (int i = 0; i < f->laws_count; i += f->laws[i].count) {
        scalars_on_X at;
        evaluate_laws(s, &f->laws[i], VALUES, &at);
        act(f, &f->laws[i], SARI_ACT_POTENTIAL, &action);
    }
    return action.potential;
}

double sari_forces_power(sari_system* s, double t, double* potential)
{
    sari_force_set* f = s->forces;
    sari_force_action action;
    action.power = action.potential = 0.0;
    evaluate_signals(s, t, RATES);
    for (int i = 0; i < f->laws_count; i += f->laws[i].count) {
        scalars_on_X at;
        evaluate_laws(s, &f->laws[i], RATES, &at);
        act(f, &f->laws[i], SARI_ACT_POWER | (potential ? SARI_ACT_POTENTIAL : 0u), &action);
    }
    if (potential) *potential = action.potential;
    double power = action.power;
    for (int i = 0; i < f->loads_count; i++) power = sari_load_add_power(s, i, power);
    return power;
}

/* Its number among all of the model; -1: it is a state. */
static int number_of(const sar_model* model, const sari_force* force)
{
    for (int t = 0, before = 0; t < SARI_FORCE_TYPES; t++) {
        if (sari_force_is_state(sari_force_types[t])) continue;
        const sari_force* first = model->forces[t].at;
        if (first && force >= first && force < first + model->forces[t].count)
            return before + (int)(force - first);
        before += model->forces[t].count;
    }
    return -1;
}

void sari_forces_each(sari_system* s, double t, double* power, double* potential)
{
    sari_force_set* f = s->forces;
    evaluate_signals(s, t, RATES);
    for (int i = 0; i < f->laws_count; i += f->laws[i].count) {
        scalars_on_X at;
        sari_force_action action;
        const int k = number_of(s->model, f->laws[i].force);
        if (k < 0) continue;
        action.power = action.potential = 0.0;
        evaluate_laws(s, &f->laws[i], RATES, &at);
        act(f, &f->laws[i], SARI_ACT_POWER | SARI_ACT_POTENTIAL, &action);
        power[k] += action.power;
        potential[k] += action.potential;
    }
    for (int i = 0; i < f->loads_count; i++)
        power[number_of(s->model, f->loads[i].load)] += sari_load_add_power(s, i, 0.0);
}

void sari_forces_see(sari_system* s, double t)
{
    evaluate_signals(s, t, RATES);
}

/* The first law of a force, with what it depends on; NULL: its joint is not there, or it is a load. */
static const sari_law* set_state(sari_system* s, int type, int force)
{
    sari_force_set* f = s->forces;
    for (int i = 0; i < f->laws_count; i += f->laws[i].count) {
        const sari_law* l = &f->laws[i];
        if (l->force != &s->model->forces[type].at[force]) continue;
        for (int k = i; k < i + l->count; k++)
            sari_scalar_eval(s->kinematics, f->laws[k].scalar, 1, &f->value[k]);
        return l;
    }
    return NULL;
}

sari_force_state sari_forces_state(sari_system* s, int type, int force)
{
    const sari_law* l = set_state(s, type, force);
    return l ? state_of(s->forces, l) : (sari_force_state){0};
}

void sari_forces_kinks(sari_system* s, double t, int type, int force, double g[SARI_FORCE_KINKS])
{
    const sari_law* l = set_state(s, type, force);
    for (int k = 0; k < SARI_FORCE_KINKS; k++) g[k] = NAN;
    if (!l) return;
    s->forces->variables[SARI_VARIABLE_T] = t;
    const sari_force_state at = state_of(s->forces, l);
    l->type->kinks(l->force, &at, g);
}

static const sari_law* find_law(const sari_system* s, const sari_force* force, int* law)
{
    const sari_force_set* f = s->forces;
    if (*law >= 0 && *law < f->laws_count && f->laws[*law].force == force) return &f->laws[*law];
    for (int i = 0; i < f->laws_count; i += f->laws[i].count)
        if (f->laws[i].force == force) {
            *law = i;
            return &f->laws[i];
        }
    return NULL;
}

int sari_forces_outside(sari_system* s, double t, int type, int force, int* law, double* number)
{
    const sari_law* l = find_law(s, &s->model->forces[type].at[force], law);
    if (!l) return 0;
    sari_force_state at = {.n = l->count, .variables = s->forces->variables};
    at.variables[SARI_VARIABLE_T] = t;
    const int by_X = l->type->measure && s->mechanism->dimension == 3;
    for (int k = 0; k < l->count && !by_X; k++)
        at.value[k] = sari_scalar_value_of(s->kinematics, l[k].scalar);
    return l->type->outside(s->mechanism, l->force, &at, s->kinematics->X, number);
}

double sari_forces_show(sari_system* s, int type, int force, int which)
{
    double shown[SARI_FORCE_SHOWN];
    const sari_law* l = set_state(s, type, force);
    if (!l) return 0.0;
    const sari_force_state at = state_of(s->forces, l);
    l->type->show(l->force, &at, shown);
    return shown[which];
}

double sari_forces_along(sari_system* s, int type, int force)
{
    sari_force_action action;
    const sari_law* l = set_state(s, type, force);
    if (!l) return 0.0;
    act(s->forces, l, SARI_ACT_FORCE, &action);
    return l->type->pushes ? -action.force[0] : action.force[0];
}

double sari_forces_power_of(sari_system* s, int type, int force)
{
    sari_force_set* f = s->forces;
    sari_force_action action;
    double power = 0.0;
    const sari_law* l = set_state(s, type, force);
    if (l) act(f, l, SARI_ACT_FORCE, &action);
    for (int k = 0; l && k < l->count; k++) power -= action.force[k] * f->value[l->first + k].rate;
    for (int i = 0; i < f->loads_count; i++)
        if (f->loads[i].load == &s->model->forces[type].at[force])
            power = sari_load_add_power(s, i, power);
    return power;
}

/* ---- states of the model -------------------------------------------------------------------- */

int sari_forces_have_states_of_model(const sari_system* s)
{
    for (int i = 0; i < s->forces->laws_count; i++)
        if (sari_force_is_state(s->forces->laws[i].type)) return 1;
    return 0;
}

/* |g| + sum |dg/ds s| over the signals s of a rate g, which cancel in g where they do. */
static double size_of_terms(const sari_force_set* f, const sari_expression* g)
{
    double gradient[SARI_FORCE_VARIABLES], sum = fabs(sari_expression_value(g, f->variables));
    const int* used;
    const int n = sari_expression_variables(g, &used);
    sari_expression_gradient(g, f->variables, gradient);
    for (int k = 0; k < n; k++)
        if (used[k] >= SARI_VARIABLE_SIGNAL) sum += fabs(gradient[k] * f->variables[used[k]]);
    return sum;
}

void sari_forces_state_scales(sari_system* s, double t, double pace, double* scale)
{
    static const double PART = 1e-3, LEAST = 1e-6; // of its unit: the model's `scale`
    const sari_force_set* f = s->forces;
    const int states = s->nq - s->states;
    evaluate_signals(s, t, RATES);
    for (int i = 0; i < f->laws_count; i++) {
        const sari_law* l = &f->laws[i];
        if (!sari_force_is_state(l->type)) continue;
        const int k = s->kinematics->scalar_depends[l->scalar].i[0] - states;
        const double terms = size_of_terms(f, l->force->expression[0]);
        scale[k] = fmax(scale[k], fmax(fmax(fabs(f->state[k]), LEAST), PART * terms / pace));
    }
}

/* ---- on X: the same as (1), with the mechanism's polynomials in X ------------------------------ */

/* A function of scalars pulls on each of them. */
static void scalar_force(sari_system* s, int scalar, double w, double* G)
{
    const sari_mechanism* m = s->mechanism;
    double by[SARI_POSITION_SIGNALS];
    const int* of = &scalar;
    int n = 1;
    by[0] = 1.0;
    if (m->scalars[scalar].kind == SARI_SCALAR_COMPOSITE)
        n = sari_composite_slopes(s->kinematics, scalar, &of, by);
    for (int i = 0; i < n; i++)
        sari_scalar_gradient_on_X(m, &m->scalars[of[i]], s->kinematics->X, w * by[i], G);
}

/* Of all laws of a force, of which l is the first. */
static void laws_on_X(sari_system* s, const sari_law* l, double* G)
{
    scalars_on_X at;
    sari_force_action action;
    evaluate_laws(s, l, RATES, &at);
    act(s->forces, l, SARI_ACT_FORCE, &action);
    for (int k = 0; k < l->count; k++) scalar_force(s, l[k].scalar, -action.force[k], G);
}

void sari_forces_on_X(sari_system* s, double t, double* G)
{
    const sari_force_set* f = s->forces;
    const sari_mechanism* m = s->mechanism;
    evaluate_signals(s, t, RATES);
    for (int i = 0; i < f->laws_count; i += f->laws[i].count) laws_on_X(s, &f->laws[i], G);
    for (int i = 0; i < f->loads_count; i++) sari_load_add_on_X(s, f->loads[i].load, G);
    for (int b = 1; b < m->bodies; b++)
        for (int k = 0; k < m->dimension; k++)
            G[m->nx * b + k] += m->model->bodies[b].def.mass * m->model->gravity[k];
}

void sari_force_on_X(sari_system* s, const sari_force* force, double* G)
{
    sari_force_set* f = s->forces;
    for (int i = 0; i < f->laws_count; i += f->laws[i].count)
        if (f->laws[i].force == force) laws_on_X(s, &f->laws[i], G);
    for (int i = 0; i < f->loads_count; i++)
        if (f->loads[i].load == force) sari_load_add_on_X(s, force, G);
}

int sari_forces_depend_on_motion(const sari_force_set* f)
{
    return f->laws_count > 0 || f->loads != NULL;
}

void sari_forces_blocks(const sari_system* s, int* block)
{
    const sari_force_set* f = s->forces;
    for (int i = s->nq - s->states; i < s->nq; i++) block[i] = 0; // of joints that are not there
    for (int i = 0; i < f->laws_count; i++) {
        const sari_law* l = &f->laws[i];
        const sari_term_list* acts_on = &s->kinematics->scalar_depends[l->scalar];
        for (int k = 0; l->states && acts_on->n && k < l->states->list.n; k++)
            block[l->states->list.i[k]] = block[acts_on->i[0]];
    }
}

int sari_forces_on_bodies(const sari_force_set* f)
{
    return f->on_X != NULL;
}

/* A force that keeps its direction, at a point, is the same on X wherever the body is. */
static int acts_alike(const sari_load_blocks* l)
{
    const sar_load_def* def = l->load->def;
    const int torque = l->load->expression[1] || l->load->expression[3] || l->load->expression[5];
    return !def->in_body_axes && def->reaction.i == 0 && !torque && l->used_count == 0;
}

int sari_forces_need_placement(const sari_force_set* f)
{
    if (f->laws_count) return f->loads != NULL;
    for (int i = 0; i < f->loads_count; i++)
        if (!acts_alike(&f->loads[i])) return 1;
    return 0;
}
