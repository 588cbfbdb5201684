/* Inputs: functions of time that are given from outside. An expression that uses the input u calls a
 * table with the time; who sets the input changes that table. */
#include "base/memory.h"
#include "base/status.h"
#include "model/model.h"
#include "model/parts.h"

#include <math.h>
#include <string.h>

sar_input_def sar_input_def_default(void)
{
    return (sar_input_def){0};
}

static sari_table* table_of(const sar_model* model, int input)
{
    return model->tables[model->inputs[input].table];
}

sar_status sar_model_add_input(sar_model* model, const sar_input_def* def, sar_error* error)
{
    const double x[2] = {0, 1}, y[2] = {def->start, def->start};
    sar_table_def points = sar_table_def_default();
    points.name = def->name, points.length = 2, points.x = x, points.y = y;
    SARI_TRY(sari_check_numbers(&def->start, 1, "start", error));
    void* inputs = model->inputs;
    const int grown =
        sari_grow(&inputs, model->inputs_count, &model->inputs_capacity, sizeof(sari_input));
    model->inputs = inputs;
    char* unit = grown ? sari_copy_string(def->unit ? def->unit : "") : NULL;
    if (!unit) return sari_out_of_memory(error);
    const sar_status status = sar_model_add_table(model, &points, error);
    if (status != SAR_OK) {
        sari_release(unit);
        return status;
    }
    model->inputs[model->inputs_count++] =
        (sari_input){.table = model->tables_count - 1, .unit = unit, .start = def->start};
    table_of(model, model->inputs_count - 1)->of_time = 1;
    return SAR_OK;
}

void sari_inputs_release(sar_model* model)
{
    for (int k = 0; k < model->inputs_count; k++) {
        sari_release(model->inputs[k].unit);
        sari_expression_destroy(model->inputs[k].by);
    }
    sari_release(model->inputs);
}

/* ---- getters -------------------------------------------------------------------------------- */

static int is_input(const sar_model* model, int input)
{
    return input >= 0 && input < model->inputs_count;
}

int sar_model_inputs(const sar_model* model)
{
    return model->inputs_count;
}

const char* sar_model_input_name(const sar_model* model, int input)
{
    return is_input(model, input) ? table_of(model, input)->name : NULL;
}

const char* sar_model_input_unit(const sar_model* model, int input)
{
    return is_input(model, input) ? model->inputs[input].unit : NULL;
}

double sar_model_input_start(const sar_model* model, int input)
{
    return is_input(model, input) ? model->inputs[input].start : NAN;
}

int sar_model_find_input(const sar_model* model, const char* name)
{
    for (int k = 0; k < model->inputs_count; k++)
        if (strcmp(table_of(model, k)->name, name) == 0) return k;
    return -1;
}

/* ---- as functions of time ------------------------------------------------------------------- */

static sar_status check_input(const sar_model* model, int input, sar_error* error)
{
    if (is_input(model, input)) return SAR_OK;
    return sari_fail(error, SAR_E_ARG, "input", "there is no input %d: the model has %d", input,
                     model->inputs_count);
}

sar_status sar_model_set_input_expression(sar_model* model, int input, const char* text,
                                          sar_error* error)
{
    sari_expression* by;
    SARI_TRY(check_input(model, input, error));
    SARI_TRY(sari_model_compile(model, text, 0, "input", &by, error));
    if (sari_expression_uses_inputs(by)) {
        sari_expression_destroy(by);
        return sari_fail(error, SAR_E_MODEL, "input",
                         "the function of an input may use t and parameters, but no inputs");
    }
    sari_expression_destroy(model->inputs[input].by);
    table_of(model, input)->by = model->inputs[input].by = by;
    return SAR_OK;
}

/* Where values jump, steps have to end. */
static sar_status add_jumps(sar_model* model, const sar_table_def* def, sar_error* error)
{
    for (int k = 1; def->interpolation == SAR_INTERPOLATION_CONSTANT && k < def->length; k++)
        if (def->y[k] != def->y[k - 1]) SARI_TRY(sar_model_add_breakpoint(model, def->x[k], error));
    return SAR_OK;
}

sar_status sar_model_set_input_table(sar_model* model, int input, const sar_table_def* def,
                                     sar_error* error)
{
    sari_table* points;
    SARI_TRY(check_input(model, input, error));
    SARI_TRY(sari_table_create(def, &points, error));
    sari_table* table = table_of(model, input);
    const sari_table before = *table;
    table->intervals = points->intervals, table->extend = points->extend;
    table->smooth = points->smooth;
    table->x = points->x, table->c = points->c, table->last = points->last;
    table->by = NULL;
    points->x = before.x, points->c = before.c;
    sari_table_destroy(points);
    sari_expression_destroy(model->inputs[input].by);
    model->inputs[input].by = NULL;
    return add_jumps(model, def, error);
}

void sari_held_input_set(sari_held_input* in, double t0, double value, double rate)
{
    in->x[0] = t0, in->x[1] = t0 + 1;
    in->c[0][0] = value, in->c[0][1] = rate, in->c[0][2] = in->c[0][3] = 0.0;
    in->table.intervals = 1, in->table.extend = 1, in->table.by = NULL;
    in->table.x = in->x, in->table.c = in->c, in->table.last = value + rate;
}
