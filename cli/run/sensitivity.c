#include "run/sensitivity.h"

#include "common/interrupt.h"
#include "common/summary.h"
#include "common/text.h"

#include "sarrus/certificate.h"
#include "sarrus/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 40,     ///< parameters and start conditions
    SAMPLES = 200, ///< for the ranges of outputs
    SHOWN = 10,    ///< rows of the table
};
static const double PERCENT = 1e-2, STEP = 1e-4; ///< STEP: of a percent, to both sides
static const double ABRUPT = 1e-2; ///< of a range: what so small a change does not do to a motion

typedef struct search {
    const cli_sensitivity_def* def;
    sar_options options; ///< of the runs
    int outputs;
    double *range, *end; ///< of the motion itself
} search;

/* Outputs at the end. 0: it does not get there. `range` may be NULL. */
static int run(const search* s, const sar_model* model, double* end, double* range)
{
    sar_trial_def def = {.model = model, .options = s->options};
    const double span = s->options.end - s->options.start;
    def.options.sample = range ? span / SAMPLES : span;
    sar_trial trial;
    sar_result* history = NULL;
    int complete = sar_trial_run(&def, &trial, &history, NULL) == SAR_OK &&
                   trial.status == SAR_OK && history && sar_result_rows(history) > 0;
    for (int k = 0; complete && k < s->outputs; k++) {
        const double* y = sar_result_column(history, k);
        const int rows = sar_result_rows(history);
        double low = y[0], high = y[0];
        for (int i = 1; i < rows; i++) low = fmin(low, y[i]), high = fmax(high, y[i]);
        if (range) range[k] = high - low;
        end[k] = y[rows - 1];
    }
    sar_result_destroy(history);
    return complete;
}

/* The model with one number changed. NULL: there is no such model. */
static sar_model* changed(const search* s, const cli_sensitivity* x, int which, double value)
{
    const cli_settings* given = s->def->settings;
    const cli_model_file* file = s->def->file;
    const int fixed = given->names.count;
    char *text = cli_format("%.17g", value), *messages = NULL;
    sar_model* model = NULL;
    sar_options ignored = sar_options_default();
    sar_setting* list = cli_allocate((size_t)fixed + 1, sizeof *list);
    int n = 0;
    for (int k = 0; k < fixed; k++)
        if (x->is_start || strcmp(given->names.items[k], x->name) != 0)
            list[n++] = (sar_setting){given->names.items[k], given->values.items[k]};
    if (!x->is_start) list[n++] = (sar_setting){x->name, text};
    sar_model_parse(file->text, file->length, file->path, list, n, &model, &ignored, &messages);
    if (model && x->is_start) sar_model_set_start(model, which, value);
    sar_text_free(messages);
    free(list);
    free(text);
    return model;
}

static int run_changed(const search* s, const cli_sensitivity* x, int which, double value,
                       double* end)
{
    sar_model* model = changed(s, x, which, value);
    const int complete = model && run(s, model, end, NULL);
    sar_model_destroy(model);
    return complete;
}

/* Outputs on both sides, and how far these are apart. 0: on neither. */
static double both_sides(const search* s, const cli_sensitivity* x, int which, double* more,
                         double* less)
{
    const double d = STEP * x->percent;
    const int above = run_changed(s, x, which, x->value + d, more);
    const int below = run_changed(s, x, which, x->value - d, less);
    for (int k = 0; k < s->outputs; k++) {
        if (!above) more[k] = s->end[k];
        if (!below) less[k] = s->end[k];
    }
    return d * (above + below);
}

static void differentiate(const search* s, cli_sensitivity* x, int which)
{
    double *more = cli_allocate((size_t)s->outputs, sizeof *more),
           *less = cli_allocate((size_t)s->outputs, sizeof *less);
    const double apart = both_sides(s, x, which, more, less);
    x->output = -1;
    x->effect = apart > 0.0 ? 0.0 : NAN;
    for (int k = 0; k < s->outputs; k++) {
        x->rates[k] = apart > 0.0 ? (more[k] - less[k]) / apart : NAN;
        const double effect = fabs(x->rates[k]) * x->percent / s->range[k];
        if (!(s->range[k] > 0.0) || !(effect >= x->effect)) continue;
        x->effect = effect;
        x->output = k;
    }
    x->abrupt = x->effect * apart / x->percent > ABRUPT;
    free(more);
    free(less);
}

/* What a start condition of zero is measured by. */
static double scale_of(const search* s, const char* unit)
{
    const double length = strncmp(unit, "m", 1) == 0 ? s->def->size : 1.0;
    return strstr(unit, "/s") ? length / (s->options.end - s->options.start) : length;
}

static cli_sensitivity item(const search* s, const char* name, int is_start, double value,
                            const char* unit)
{
    cli_sensitivity x = {.name = cli_format("%s", name), .is_start = is_start, .value = value};
    snprintf(x.unit, sizeof x.unit, "%s", unit);
    x.percent = PERCENT * (value != 0.0 ? fabs(value) : is_start ? scale_of(s, unit) : 1.0);
    x.rates = cli_allocate((size_t)s->outputs, sizeof *x.rates);
    return x;
}

static int by_effect(const void* a, const void* b)
{
    const cli_sensitivity *x = a, *y = b;
    if (isnan(x->effect) || isnan(y->effect)) return isnan(x->effect) - isnan(y->effect);
    return (x->effect < y->effect) - (x->effect > y->effect);
}

static void find_all(const search* s, cli_sensitivities* out)
{
    const sar_model* model = s->def->file->model;
    const int parameters = sar_model_parameters(model), starts = sar_model_starts(model);
    out->items = cli_allocate(MOST, sizeof *out->items);
    out->left_out = parameters + starts > MOST ? parameters + starts - MOST : 0;
    for (int k = 0; k < starts && out->count < MOST && !cli_interrupted; k++) {
        cli_sensitivity* x = &out->items[out->count++];
        *x = item(s, sar_model_start_name(model, k), 1, sar_model_start_value(model, k),
                  sar_model_start_unit(model, k));
        differentiate(s, x, k);
    }
    for (int k = 0; k < parameters && out->count < MOST && !cli_interrupted; k++) {
        cli_sensitivity* x = &out->items[out->count++];
        *x =
            item(s, sar_model_parameter_name(model, k), 0, sar_model_parameter_value(model, k), "");
        differentiate(s, x, k);
    }
    qsort(out->items, (size_t)out->count, sizeof *out->items, by_effect);
}

cli_sensitivities* cli_sensitivities_find(const cli_sensitivity_def* def)
{
    double ratio, order;
    search s = {.def = def, .outputs = sar_model_outputs(def->file->model)};
    if (sar_reference_options(def->options, SAR_REFERENCE_INDEPENDENT, def->coordinates, &s.options,
                              &ratio, &order) != SAR_OK ||
        sar_options_choose(&s.options, def->file->model, NULL, 0, NULL) != SAR_OK)
        return NULL;
    cli_sensitivities* out = cli_allocate(1, sizeof *out);
    out->model = def->file->model;
    s.range = cli_allocate((size_t)s.outputs, sizeof *s.range);
    s.end = cli_allocate((size_t)s.outputs, sizeof *s.end);
    // small changes are meant as they are, unless joints contradict each other then
    const double drawing = s.options.drawing;
    s.options.drawing = 0.0;
    int known = run(&s, def->file->model, s.end, s.range);
    if (!known) s.options.drawing = drawing;
    known = known || run(&s, def->file->model, s.end, s.range);
    if (known) find_all(&s, out);
    free(s.range);
    free(s.end);
    if (known && !cli_interrupted) return out;
    cli_sensitivities_free(out);
    return NULL;
}

void cli_sensitivities_free(cli_sensitivities* s)
{
    if (!s) return;
    for (int k = 0; k < s->count; k++) {
        free(s->items[k].name);
        free(s->items[k].rates);
    }
    free(s->items);
    free(s);
}

/* ---- telling -------------------------------------------------------------------------------- */

static void print_head(const cli_sensitivities* s, FILE* out)
{
    cli_print_label(out, "start");
    if (s->count == 0) {
        fputs("the model has neither parameters nor start conditions to change\n", out);
        return;
    }
    const cli_sensitivity* most = &s->items[0];
    if (most->abrupt)
        fprintf(out, "the end depends most on %s: the least change of it gives another motion\n",
                most->name);
    else if (most->output < 0)
        fputs("nothing can be said: no changed model comes to the end\n", out);
    else
        fprintf(out, "the end depends most on %s: 1 %% of it changes %s by %.2g %% of its range\n",
                most->name, sar_model_output_name(s->model, most->output), 100.0 * most->effect);
}

/* "rad/m"; "" unless both are known. */
static char* unit_of_rate(const cli_sensitivities* s, const cli_sensitivity* x)
{
    const char* unit = x->output >= 0 ? sar_model_output_unit(s->model, x->output) : "";
    if (!*unit || !*x->unit) return cli_format("%s", "");
    return strcmp(unit, x->unit) == 0 ? cli_format("%s", "")
                                      : cli_format(" %s / (%s)", unit, x->unit);
}

void cli_sensitivities_print(const cli_sensitivities* s, FILE* out)
{
    print_head(s, out);
    if (s->count == 0) return;
    fprintf(out, "%*s%-24s %12s  %-8s %14s  %s\n", CLI_LABEL + 4, "", "", "value", "",
            "1 % changes", "rate");
    for (int k = 0; k < s->count && k < SHOWN; k++) {
        const cli_sensitivity* x = &s->items[k];
        if (x->output < 0) continue; // counts, and what else cannot be changed a little
        fprintf(out, "%*s%-24s %12.6g  %-8s ", CLI_LABEL + 4, "", x->name, x->value, x->unit);
        if (x->abrupt) {
            fputs("another motion\n", out);
            continue;
        }
        char* unit = unit_of_rate(s, x);
        fprintf(out, "%12.2g %%  d %s = %.4g%s\n", 100.0 * x->effect,
                sar_model_output_name(s->model, x->output), x->rates[x->output], unit);
        free(unit);
    }
    const int more = s->count > SHOWN ? s->count - SHOWN : 0;
    if (more || s->left_out)
        fprintf(out, "%*sand %d more%s\n", CLI_LABEL + 4, "", more + s->left_out,
                more ? "; --json lists them" : "");
}

void cli_sensitivities_json(const cli_sensitivities* s, cli_json* j)
{
    cli_json_open(j, "start_sensitivity", '[');
    for (int k = 0; k < s->count; k++) {
        const cli_sensitivity* x = &s->items[k];
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", x->name);
        cli_json_text(j, "kind", x->is_start ? "start" : "parameter");
        cli_json_number(j, "value", x->value);
        cli_json_text(j, "unit", x->unit);
        cli_json_number(j, "percent", x->percent);
        cli_json_number(j, "effect", x->effect);
        cli_json_boolean(j, "abrupt", x->abrupt);
        cli_json_text(j, "output",
                      x->output >= 0 ? sar_model_output_name(s->model, x->output) : NULL);
        cli_json_open(j, "rates", '{');
        for (int i = 0; i < sar_model_outputs(s->model); i++)
            cli_json_number(j, sar_model_output_name(s->model, i), x->rates[i]);
        cli_json_close(j);
        cli_json_close(j);
    }
    cli_json_close(j);
}
