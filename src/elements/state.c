/* A state of the model, a number x with
 *
 *     dx/dt = g(t, signals, states)                                                           (1)
 *
 * It is a velocity with a mass of one on which g acts (system/equations.h), so its law is that of a
 * force along a scalar of its own, the integral of x, whose rate is x. No body feels it: forces that
 * use x do that. */
#include "elements/by_expression.h"

#include "model/parts.h"
#include "system/mechanism/mechanism.h"

#include <math.h>

static sar_status add(sar_model* model, const void* def_, sar_error* error)
{
    const sar_state_def* def = def_;
    SARI_TRY(sari_model_store_force(model, SARI_FORCE_STATE, def, error));
    return def->start != 0.0 ? sar_model_add_start(model, def->name, def->start, error) : SAR_OK;
}

sar_status sar_model_set_state_rate(sar_model* model, const char* state, const char* rate,
                                    sar_error* error)
{
    const int i =
        sari_model_find_kind(model, SARI_PART_FORCE + SARI_FORCE_STATE, state, strlen(state));
    if (i < 0) return sari_fail(error, SAR_E_MODEL, "state", "there is no state \"%s\"", state);
    return sari_model_set_text(model, SARI_FORCE_STATE, i, 0, rate, error);
}

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    sar_state_def* def = def_;
    static const char* const reserved[] = {"t", "x", "v", "pi", "e", "inf"};
    SARI_TRY(sari_check_reserved(sari_last_piece(def->name), "state", reserved, 6, error));
    if (sari_model_find_parameter(model, def->name, strlen(def->name)) >= 0)
        return sari_fail(error, SAR_E_MODEL, "name", "there is a parameter \"%s\" already",
                         def->name);
    if (def->scale == 0.0) def->scale = def->start != 0.0 ? fabs(def->start) : 1.0;
    return SAR_OK;
}

static int compile(sari_mechanism* m, const void* def, int* scalar)
{
    (void)def;
    return (*scalar = sari_scalar_state(m)) >= 0;
}

static void act(const sari_force* force, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    if (!(what & (SARI_ACT_FORCE | SARI_ACT_SLOPES))) return;
    out->by_value[0][0] = out->by_rate[0][0] = 0.0;
    out->force[0] = what & SARI_ACT_SLOPES
                        ? -sari_add_slopes(force, at->variables, -1.0, out)
                        : -sari_expression_value(force->expression[0], at->variables); // (1)
}

int sar_model_states(const sar_model* model)
{
    return model->forces[SARI_FORCE_STATE].count;
}

const char* sar_model_state_name(const sar_model* model, int state)
{
    const sari_force_list* list = &model->forces[SARI_FORCE_STATE];
    return state >= 0 && state < list->count ? list->at[state].name : NULL;
}

const sari_force_type sari_state_force = {
    .is.word = {{"state",
                 "a number that follows from its rate",
                 {{"rate", SARI_READ_TEXT, 0, SARI_MUST | SARI_ELSEWHERE,
                   "an expression of t, parameters, signals and states"},
                  {"start", SARI_READ_NUMBER, offsetof(sar_state_def, start), SARI_FINITE,
                   "where it begins; default 0"},
                  {"scale", SARI_READ_NUMBER, offsetof(sar_state_def, scale), SARI_FROM_ZERO,
                   "how large it gets, within a factor of 1e6; default: its start, or 1"}}}},
    .is.size = sizeof(sar_state_def),
    .is.text = {{"rate", offsetof(sar_state_def, rate), SARI_USE_RATES | SARI_USE_REACTIONS, "0"}},
    .scale = offsetof(sar_state_def, scale),
    .check = check,
    .add = add,
    .in_plane = 1,
    .in_space = 1,
    .compile = compile,
    .act = act,
    .conservative = true,
};
