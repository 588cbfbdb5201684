/* Outputs and integrals, their units, and demands on the start. */
#include "base/memory.h"
#include "model/parts.h"
#include "model/signal_names.h"

#include <math.h>
#include <stdio.h>

/* ---- outputs -------------------------------------------------------------------------------- */

static sar_status check_output_name(const sar_model* model, const char* name, sar_error* error)
{
    SARI_TRY(sari_check_spelling(model, name, error));
    if (strcmp(name, "time") == 0)
        return sari_fail(error, SAR_E_MODEL, "name",
                         "results have a column \"time\" already; choose another name");
    // Forces cannot use outputs: one that means another number there would be used in silence.
    static const char* const reserved[] = {"t", "pi", "e", "inf"};
    SARI_TRY(sari_check_reserved(name, "output", reserved, 4, error));
    const sari_hash* hash = &model->outputs_by_name;
    for (int k = sari_hash_first(hash, sari_name_code(name, strlen(name))); k >= 0;
         k = sari_hash_next(hash, k))
        if (strcmp(model->outputs[k].name, name) == 0)
            return sari_fail(error, SAR_E_MODEL, "name", "there is an output \"%s\" already", name);
    return SAR_OK;
}

static sar_status add_output(sar_model* model, const char* name, const char* expression,
                             unsigned use, sari_output output, sar_error* error)
{
    int signals = model->signals_count;
    sar_status st = check_output_name(model, name, error);
    if (st == SAR_OK)
        st = sari_model_compile(model, expression, use, "expression", &output.value, error);
    if (st != SAR_OK) {
        sari_expression_destroy(output.over);
        return st;
    }
    void* outputs = model->outputs;
    bool grown =
        sari_grow(&outputs, model->outputs_count, &model->outputs_capacity, sizeof(sari_output));
    model->outputs = outputs;
    output.name = grown ? sari_copy_string(name) : NULL;
    output.text = output.name ? sari_copy_string(expression) : NULL;
    const unsigned code = sari_name_code(name, strlen(name));
    if (!output.text || !sari_hash_add(&model->outputs_by_name, code)) {
        sari_release(output.name);
        sari_release(output.text);
        sari_expression_destroy(output.value);
        sari_expression_destroy(output.over);
        sari_model_forget_signals(model, signals);
        return sari_out_of_memory(error);
    }
    model->outputs[model->outputs_count++] = output;
    return SAR_OK;
}

sar_status sar_model_add_output(sar_model* model, const char* name, const char* expression,
                                sar_error* error)
{
    return add_output(model, name, expression, SARI_USE_RATES | SARI_USE_ALL, (sari_output){0},
                      error);
}

sar_status sar_model_add_integral(sar_model* model, const char* name, const char* expression,
                                  const char* over, sar_error* error)
{
    sari_output output = {.integral = SARI_OUTPUT_INTEGRAL};
    int signals = model->signals_count;
    if (over)
        SARI_TRY(sari_model_compile(model, over, SARI_USE_RATES, "over", &output.over, error));
    sar_status st = add_output(model, name, expression, SARI_USE_RATES, output, error);
    if (st != SAR_OK) sari_model_forget_signals(model, signals);
    return st;
}

sar_status sar_model_add_statistic(sar_model* model, const char* name, sar_statistic statistic,
                                   const char* expression, sar_error* error)
{
    const sari_output output = {.integral = SARI_OUTPUT_MEAN + (sari_output_kind)statistic};
    if ((unsigned)statistic > SAR_MAX)
        return sari_fail(error, SAR_E_ARG, "statistic", "there is no such statistic");
    return add_output(model, name, expression, SARI_USE_RATES, output, error);
}

sar_status sar_model_add_filter(sar_model* model, const char* name, const char* expression,
                                double time_constant, sar_error* error)
{
    const sari_output output = {.integral = SARI_OUTPUT_FILTER, .time_constant = time_constant};
    SARI_TRY(sari_check_positive(time_constant, "time_constant", error));
    return add_output(model, name, expression, SARI_USE_RATES, output, error);
}

/* ---- what is asked of a model --------------------------------------------------------------- */

/* An output by its name, whose value is its expression at every time. */
static const sari_output* find_plain(const sar_model* model, sari_word name)
{
    const sari_hash* hash = &model->outputs_by_name;
    for (int k = sari_hash_first(hash, sari_name_code(name.text, name.length)); k >= 0;
         k = sari_hash_next(hash, k)) {
        const sari_output* o = &model->outputs[k];
        if (sari_word_is(name, o->name)) return o->integral ? NULL : o;
    }
    return NULL;
}

/* `text` into `to` (NULL: its length is counted) with outputs as their expressions. Returns how long it is. */
static size_t spell_outputs(const sar_model* model, const char* text, char* to)
{
    size_t length = 0;
    for (const char* at = text; *at;) {
        const size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456"
                                       "789_.@");
        const int named = word > 0 && at[word] != '('; // a function is none
        const sari_output* o = named ? find_plain(model, (sari_word){at, word}) : NULL;
        const size_t n = word ? word : 1;
        if (to)
            sprintf(to + length, o ? "(%.*s)" : "%.*s", (int)(o ? strlen(o->text) : n),
                    o ? o->text : at);
        length += o ? strlen(o->text) + 2 : n;
        at += n;
    }
    return length;
}

static sar_status add_asked(sar_model* model, sari_asked kind, const char* name, const char* text,
                            sar_error* error)
{
    return kind == SARI_ASKED_INTEGRAL ? sar_model_add_integral(model, name, text, NULL, error)
           : kind == SARI_ASKED_MEAN   ? sar_model_add_statistic(model, name, SAR_MEAN, text, error)
                                       : sar_model_add_output(model, name, text, error);
}

static sar_status refuse_asked(const sar_model* model, const char* text, sar_error* error)
{
    char list[160] = "";
    size_t length = 0;
    if (!error) return SAR_E_MODEL;
    for (int k = 0; k < model->outputs_count && length < sizeof list - 64; k++) {
        const char* one = length < sizeof list - 112 ? model->outputs[k].name : "...";
        length +=
            (size_t)snprintf(list + length, sizeof list - length, "%s%.40s", k ? ", " : "", one);
    }
    const sar_error cause = *error;
    return sari_fail(error, SAR_E_MODEL, cause.field,
                     "\"%.60s\" is neither an output of the model (%s) nor an expression: %.180s",
                     text, length ? list : "it has none", cause.message);
}

sar_status sari_model_ask(sar_model* model, sari_asked kind, const char* name, const char* text,
                          sar_error* error)
{
    const sar_status status = add_asked(model, kind, name, text, error);
    if (status != SAR_E_MODEL) return status;
    char* spelt = SARI_NEW_ARRAY(char, spell_outputs(model, text, NULL) + 1);
    if (!spelt) return sari_out_of_memory(error);
    spell_outputs(model, text, spelt);
    const int changed = strcmp(spelt, text) != 0;
    sar_status again = changed ? add_asked(model, kind, name, spelt, error) : SAR_E_MODEL;
    sari_release(spelt);
    return again == SAR_E_MODEL ? refuse_asked(model, text, error) : again;
}

/* ---- units ---------------------------------------------------------------------------------- */

const char* sar_model_output_unit(const sar_model* model, int output)
{
    const int* used;
    const sari_output* o = &model->outputs[output];
    static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    if (output < 0 || output >= model->outputs_count || o->integral == SARI_OUTPUT_INTEGRAL)
        return "";
    if (sari_expression_variables(o->value, &used) != 1 || used[0] < SARI_VARIABLE_SIGNAL ||
        o->text[strspn(o->text, name)])
        return "";
    return sari_unit_of_signal(&model->signals[used[0] - SARI_VARIABLE_SIGNAL]).text;
}

/* ---- starts --------------------------------------------------------------------------------- */

static sar_status check_start(const sar_model* model, int signal, const char* name,
                              sar_error* error)
{
    if (model->signals[signal].body == SAR_GROUND.i)
        return sari_fail(error, SAR_E_MODEL, "signal",
                         "\"%s\" is on the ground, which does not move", name);
    for (int k = 0; model->signals[signal].starts && k < model->starts_count; k++)
        if (model->starts[k].signal == signal)
            return sari_fail(error, SAR_E_MODEL, "signal",
                             "\"%s\" has a start value already, given for \"%s\"", name,
                             model->starts[k].name);
    return SAR_OK;
}

static sar_status store_start(sar_model* model, int signal, const char* name, double value,
                              sar_error* error)
{
    SARI_TRY(check_start(model, signal, name, error));
    void* starts = model->starts;
    bool grown =
        sari_grow(&starts, model->starts_count, &model->starts_capacity, sizeof(sari_start));
    model->starts = starts;
    char* copy = grown ? sari_copy_string(name) : NULL;
    if (!copy) return sari_out_of_memory(error);
    model->starts[model->starts_count++] =
        (sari_start){.name = copy, .signal = signal, .value = value};
    model->signals[signal].starts = 1;
    return SAR_OK;
}

sar_status sar_model_add_start(sar_model* model, const char* signal, double value, sar_error* error)
{
    sar_error local = {0};
    int signals = model->signals_count;
    if (!signal || !signal[0])
        return sari_fail(error, SAR_E_MODEL, "signal", "the name of the signal is missing");
    SARI_TRY(sari_check_numbers(&value, 1, "value", error));
    int index = sari_model_signal(model, signal, SARI_USE_RATES,
                                  "a start can demand positions and rates only", &local);
    if (index < 0)
        return sari_fail(error, local.status, local.status == SAR_E_NOMEM ? NULL : "signal", "%s",
                         local.message);
    sar_status status = store_start(model, index, signal, value, error);
    if (status != SAR_OK) sari_model_forget_signals(model, signals);
    return status;
}

int sar_model_starts(const sar_model* model)
{
    return model->starts_count;
}

const char* sar_model_start_name(const sar_model* model, int start)
{
    return model->starts[start].name;
}

const char* sar_model_start_unit(const sar_model* model, int start)
{
    return sari_unit_of_signal(&model->signals[model->starts[start].signal]).text;
}

double sar_model_start_value(const sar_model* model, int start)
{
    return model->starts[start].value;
}

void sar_model_set_start(sar_model* model, int start, double value)
{
    model->starts[start].value = value;
}
