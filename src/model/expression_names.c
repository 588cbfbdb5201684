/* Names in expressions: parameters, t, x and v, and signals. */
#include "base/memory.h"
#include "model/parts.h"
#include "model/signal_names.h"

#include <math.h>
#include <stdio.h>

typedef struct lookup {
    sar_model* model;
    unsigned use;
    bool out_of_memory;
} lookup;

static const char* limit_of(unsigned use)
{
    if (use & SARI_USE_CURVE) return "curves can use s and parameters only";
    if (use & SARI_USE_PLACE) return "roads can use x, t and parameters only";
    if (use & SARI_USE_GROUND) return "roads can use x, y, t and parameters only";
    if (use & SARI_USE_FREE) return "free lengths can use t and parameters only";
    if (use & SARI_USE_SURFACE) return "surfaces can use x, y and parameters only";
    if (use & SARI_USE_ALONG) return "a force can act along positions only";
    if (use & SARI_USE_SPINS) return "constraints can use positions and rates only";
    if (use == SARI_USE_SPRING)
        return "laws between joints or axes can use x, v, t and parameters only";
    if (use & SARI_USE_REACTIONS) return "forces can use positions, rates and reactions only";
    return use ? "phases and sums over time can use positions and rates only"
               : "drives can use t and parameters only";
}

static int refuse_plain(const sari_query* q, sari_word name)
{
    const sar_model* m = q->model;
    const char* kind = sari_model_kind_of(m, name.text, name.length);
    char hint[96];
    if (sari_word_is(name, "x") || sari_word_is(name, "v"))
        sari_refuse_name(
            q, "x and v, the length and its rate, exist in the expressions of springs only");
    else if (kind || sari_word_is(name, "energy"))
        sari_refuse_name(
            q, "\"%.*s\" is %s%s, not a number: name one of its signals, such as %.*s.%s",
            SARI_SHOW(name), kind ? "a " : "", kind ? kind : "all energies", SARI_SHOW(name),
            !kind                       ? "total"
            : strcmp(kind, "body") == 0 ? "origin.x"
                                        : "angle");
    else {
        const char** words = SARI_NEW_ARRAY(const char*, m->parameters_count + 1);
        for (int k = 0; words && k < m->parameters_count; k++) words[k] = m->parameters[k].name;
        sari_suggest_name(name, words, m->parameters_count, hint);
        sari_release((void*)words);
        sari_refuse_name(q, "no parameter is called \"%.*s\"%s", SARI_SHOW(name), hint);
    }
    return SARI_NAME_UNKNOWN;
}

/// A name without a dot.
static int find_plain(const sari_query* q, sari_word name, double* constant)
{
    if ((q->use & SARI_USE_CURVE) && sari_word_is(name, "s")) return SARI_VARIABLE_X;
    if ((q->use & SARI_USE_CURVE) && sari_word_is(name, "t")) {
        sari_refuse_name(q, "a curve does not depend on t: %s", q->limit);
        return SARI_NAME_UNKNOWN;
    }
    if ((q->use & SARI_USE_ALONG) && sari_word_is(name, "t")) {
        sari_refuse_name(q, "what a force acts along does not depend on t: %s", q->limit);
        return SARI_NAME_UNKNOWN;
    }
    if ((q->use & SARI_USE_SURFACE) && sari_word_is(name, "t")) {
        sari_refuse_name(q, "a surface does not depend on t: %s", q->limit);
        return SARI_NAME_UNKNOWN;
    }
    if (sari_word_is(name, "t")) return SARI_VARIABLE_T;
    const unsigned on_ground = SARI_USE_GROUND | SARI_USE_SURFACE;
    if ((q->use & (SARI_USE_SPRING | SARI_USE_PLACE | on_ground)) && sari_word_is(name, "x"))
        return SARI_VARIABLE_X;
    if ((q->use & on_ground) && sari_word_is(name, "y")) return SARI_VARIABLE_V;
    if ((q->use & SARI_USE_SPRING) && sari_word_is(name, "v")) return SARI_VARIABLE_V;
    int parameter = sari_model_find_parameter(q->model, name.text, name.length);
    if (parameter < 0) return refuse_plain(q, name);
    *constant = q->model->parameters[parameter].value;
    return SARI_NAME_CONSTANT;
}

static int find_name(void* context, const char* name, size_t length, double* constant, char* why,
                     size_t size)
{
    lookup* l = context;
    const sari_word w = {name, length};
    const sari_query q = {l->model, l->use, limit_of(l->use), why, size};
    sari_signal signal;
    const int parameter = sari_model_find_parameter(l->model, name, length); // of an assembly
    const bool state = sari_model_is_state(l->model, name, length);
    if (!memchr(name, '.', length) && !state) return find_plain(&q, w, constant);
    if (parameter >= 0) {
        *constant = l->model->parameters[parameter].value;
        return SARI_NAME_CONSTANT;
    }
    if (!(l->use & (SARI_USE_RATES | SARI_USE_ALL | SARI_USE_ALONG))) {
        sari_refuse_name(&q, "\"%.*s\" is a %s: %s", SARI_SHOW(w), state ? "state" : "signal",
                         q.limit);
        return SARI_NAME_UNKNOWN;
    }
    if (!sari_resolve_signal(&q, w, &signal)) return SARI_NAME_UNKNOWN;
    int index = sari_add_signal(l->model, &signal);
    if (index < 0) l->out_of_memory = true;
    return index < 0 ? SARI_NAME_UNKNOWN : SARI_VARIABLE_SIGNAL + index;
}

/* A copy in which distances are spelt as signals; NULL: there are none. */
static char* spell_distances(const sar_model* model, const char* text)
{
    const sari_table_list tables = sari_model_tables(model);
    if (!text || !strstr(text, "distance(") || sari_table_find(&tables, "distance", 8)) return NULL;
    char* copy = sari_copy_string(text);
    if (copy) sari_spell_distances(copy);
    return copy;
}

sar_status sari_model_compile(sar_model* model, const char* text, unsigned use, const char* field,
                              sari_expression** out, sar_error* error)
{
    return sari_model_compile_less(model, text, NULL, use, field, out, error);
}

sar_status sari_model_compile_less(sar_model* model, const char* text, const char* less,
                                   unsigned use, const char* field, sari_expression** out,
                                   sar_error* error)
{
    lookup context = {.model = model, .use = use};
    int signals = model->signals_count;
    *out = NULL;
    if (!text || !text[0]) return sari_fail(error, SAR_E_MODEL, field, "the expression is missing");
    const sari_table_list tables = sari_model_tables(model);
    char* spelt = spell_distances(model, text);
    const char* whole = spelt ? spelt : text;
    sar_status status =
        less ? sari_expression_compile_difference(whole, less, find_name, &context, &tables, out,
                                                  error)
             : sari_expression_compile_with(whole, find_name, &context, &tables, out, error);
    sari_release(spelt);
    const int* used;
    if (status == SAR_OK && !(use & SARI_USE_ALL) &&
        sari_expression_variables(*out, &used) > SARI_FORCE_VARIABLES) {
        sari_expression_destroy(*out);
        *out = NULL;
        status = sari_fail(
            error, SAR_E_MODEL, field, "the expression uses more than %d positions and rates%s",
            SARI_FORCE_VARIABLES, use & SARI_USE_SPINS ? "" : "; split the force into several");
    }
    if (status == SAR_OK) return SAR_OK;
    sari_model_forget_signals(model, signals);
    if (context.out_of_memory) return sari_out_of_memory(error);
    if (error && status != SAR_E_NOMEM) snprintf(error->field, sizeof error->field, "%s", field);
    return status;
}

sar_status sar_model_number(sar_model* model, const char* text, double* out, sar_error* error)
{
    sari_expression* e;
    const double at[SARI_VARIABLE_SIGNAL] = {0};
    SARI_TRY(sari_model_compile(model, text, 0, "value", &e, error));
    const bool constant = sari_expression_is_constant(e);
    *out = constant ? sari_expression_value(e, at) : NAN;
    sari_expression_destroy(e);
    if (constant && !isnan(*out)) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "value", "%.120s is no number", text);
}
