#include "run/functions.h"

#include "common/command.h"
#include "common/files/inputs.h"

#include "sarrus/result.h"

#include <stdlib.h>
#include <string.h>

static const char WANTED[] = "expected NAME=EXPRESSION or NAME=FILE.csv, as in --input u='sin(t)'";

static int refuse(const char* text, const char* why)
{
    cli_error("run", "--input %s: %s", text, why);
    return CLI_USAGE;
}

/// The interpolation that the text ends with, which is cut off.
static sar_interpolation cut_interpolation(char* file)
{
    char* comma = strrchr(file, ',');
    if (comma && strcmp(comma, ",hold") == 0) return *comma = 0, SAR_INTERPOLATION_CONSTANT;
    if (comma && strcmp(comma, ",cubic") == 0) return *comma = 0, SAR_INTERPOLATION_CUBIC;
    return SAR_INTERPOLATION_LINEAR;
}

/// FILE.csv:COLUMN; without one that of the input's name, or the only one.
static int column_of(const sar_result* r, const char* asked, const char* input)
{
    if (asked) return sar_result_find(r, asked);
    const int own = sar_result_find(r, input);
    return own >= 0 || sar_result_columns(r) != 1 ? own : 0;
}

static int apply_file(const char* text, sar_model* model, int input, char* file)
{
    sar_table_def points = sar_table_def_default();
    points.interpolation = cut_interpolation(file);
    char* colon = strrchr(file, ':');
    const char* asked = NULL;
    if (colon && !cli_ends_with(file, ".csv")) *colon = 0, asked = colon + 1;
    sar_result* r = NULL;
    sar_error error = {0};
    if (sar_result_read(file, &r, &error) != SAR_OK) return refuse(text, error.message);
    const int column = column_of(r, asked, sar_model_input_name(model, input));
    int refused = 0;
    if (column < 0) {
        refused = refuse(text, "there is no such column: name it, as in FILE.csv:COLUMN");
    } else {
        points.length = sar_result_rows(r);
        points.x = sar_result_time(r), points.y = sar_result_column(r, column);
        if (sar_model_set_input_table(model, input, &points, &error) != SAR_OK)
            refused = refuse(text, error.message);
    }
    sar_result_destroy(r);
    cli_inputs_add(file);
    return refused;
}

static int apply(const char* text, sar_model* model)
{
    const size_t length = strcspn(text, "=");
    if (length == 0 || !text[length] || !text[length + 1]) return refuse(text, WANTED);
    char* name = cli_format("%.*s", (int)length, text);
    char* function = cli_format("%s", text + length + 1);
    const int input = sar_model_find_input(model, name);
    int refused = 0;
    sar_error error = {0};
    if (input < 0) {
        refused = refuse(text, "the model has no such input");
        for (int k = 0; k < sar_model_inputs(model); k++)
            cli_hint("there is %s", sar_model_input_name(model, k));
    } else if (strstr(function, ".csv")) {
        refused = apply_file(text, model, input, function);
    } else if (sar_model_set_input_expression(model, input, function, &error) != SAR_OK) {
        refused = refuse(text, error.message);
    }
    free(name);
    free(function);
    return refused;
}

int cli_functions_apply(const cli_words* functions, sar_model* model)
{
    int refused = 0;
    for (int k = 0; k < functions->count && !refused; k++)
        refused = apply(functions->items[k], model);
    return refused;
}
