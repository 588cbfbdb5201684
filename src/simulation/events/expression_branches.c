/* Forces whose expressions have branches, abs, sign, comparisons, min, max, tables ..., and methods
 * that see smooth functions: during a step every expression stays on the branch on which it began,
 * and the step ends where it would leave it (events.c).
 *
 * That is for methods of high order that choose their step and interpolate. Others go across. */
#include "base/status.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"

#include <stdio.h>

typedef struct held_expression {
    sari_expression* e;
    const sari_force* of;
    int force;      ///< of all forces of the model; -1: the rate of a state
    int type, each; ///< whose x and v it may use; -1: none
    int guards;
} held_expression;

struct sari_held {
    held_expression* at;
    int count;
};

static int is_held(const sari_expression* e)
{
    return e && sari_expression_guards(e) > 0;
}

static void list(const sar_model* model, sari_held* h)
{
    int number = 0;
    h->count = 0;
    for (int t = 0; t < SARI_FORCE_TYPES; t++) {
        const sari_force_type* type = sari_force_types[t];
        for (int i = 0; i < model->forces[t].count; i++) {
            const sari_force* force = &model->forces[t].at[i];
            const int one = sari_force_is_state(type) ? -1 : number++;
            for (int k = 0; type->is.text[k].field; k++) {
                if (!(type->is.text[k].use & SARI_USE_RATES) || force->smooth ||
                    !is_held(force->expression[k]))
                    continue;
                const int own = type->is.text[k].use & SARI_USE_SPRING;
                if (h->at)
                    h->at[h->count] = (held_expression){
                        force->expression[k], force, one,
                        own ? t : -1,         i,     sari_expression_guards(force->expression[k])};
                h->count++;
            }
        }
    }
}

sar_status sari_held_create(sar_simulation* s)
{
    const int interpolates = s->integrator->variable && s->integrator->dense_part;
    s->held = SARI_TAKE(&s->memory, sari_held, 1);
    if (!s->held) return SAR_E_NOMEM;
    if (!interpolates) return SAR_OK;
    list(s->model, s->held);
    if (s->held->count == 0) return SAR_OK;
    s->held->at = SARI_TAKE(&s->memory, held_expression, s->held->count);
    if (s->memory.failed) return SAR_E_NOMEM;
    list(s->model, s->held);
    return SAR_OK;
}

int sari_held_guards(const sar_simulation* s, int k)
{
    return k < s->held->count ? s->held->at[k].guards : -1;
}

const sari_expression* sari_held_expression(const sar_simulation* s, int k)
{
    return s->held->at[k].e;
}

int sari_held_present(const sar_simulation* s, int k)
{
    const held_expression* h = &s->held->at[k];
    const sari_mechanism* m = s->system->mechanism;
    int type;
    if (h->force < 0) return 1;
    const sari_force* force = sari_model_force(s->model, h->force, &type);
    const int joint = sari_force_joint(sari_force_types[type], force->def);
    const int other = sari_force_other_joint(sari_force_types[type], force->def);
    return m->active[s->model->joints_count + h->force] && (joint < 0 || m->active[joint]) &&
           (other < 0 || m->active[other]);
}

int sari_held_of_time(const sar_simulation* s, int k, int guard)
{
    return sari_expression_guard_of_time(s->held->at[k].e, guard);
}

/* x and v of a force. */
static void set_own(sar_simulation* s, const held_expression* h)
{
    const sari_mechanism* m = s->system->mechanism;
    sari_scalar_value value = {0};
    if (h->type < 0) return;
    const int n = sari_force_scalars(sari_force_types[h->type], m->dimension);
    sari_scalar_eval(s->system->kinematics, m->force_scalar[h->type][n * h->each], 1, &value);
    s->variables[SARI_VARIABLE_X] = value.value;
    s->variables[SARI_VARIABLE_V] = value.rate;
}

double sari_held_guard(sar_simulation* s, int k, int guard)
{
    set_own(s, &s->held->at[k]);
    return sari_expression_guard(s->held->at[k].e, guard, s->variables);
}

void sari_held_freeze(sar_simulation* s)
{
    for (int k = 0; k < s->held->count; k++) {
        set_own(s, &s->held->at[k]);
        sari_expression_freeze(s->held->at[k].e, s->variables);
    }
}

void sari_held_turn(sar_simulation* s, int k, int guard, int sign)
{
    set_own(s, &s->held->at[k]);
    sari_expression_turn(s->held->at[k].e, guard, sign, s->variables);
}

int sari_held_is_on_side(const sar_simulation* s, int k, int guard, int sign)
{
    return sari_expression_is_on_side(s->held->at[k].e, guard, sign);
}

void sari_held_explain(const sar_simulation* s, int k, char* text, size_t size)
{
    const held_expression* h = &s->held->at[k];
    snprintf(
        text, size,
        "the %s \"%s\" jumps to and fro at t = %.9g: each of its branches leads back to the "
        "other, as where friction by sign(v) comes to rest. Smooth it over a small range, with "
        "tanh or the force `friction`, or make two phases of it, in one of which it sticks",
        h->force < 0 ? "rate of the state" : "force", h->of->name, s->previous.t);
}

void sari_held_archive(sar_simulation* s, sari_archive* a)
{
    for (int k = 0; k < s->held->count; k++) sari_expression_archive(s->held->at[k].e, a);
}

void sari_held_thaw(sar_simulation* s)
{
    for (int k = 0; k < s->held->count; k++) sari_expression_release(s->held->at[k].e);
}
