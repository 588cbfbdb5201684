/* The interface of sarrus/sensitivity.h. */
#include "sensitivity/method.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Largest tolerance of a run that is differentiated: what its rates may leave out, a part of that, is rounding then.
static const double TOLERANCE = 1e-9;

sar_sensitivity_def sar_sensitivity_def_default(void)
{
    return (sar_sensitivity_def){.points = 4};
}

/* ---- life ----------------------------------------------------------------------------------- */

/* The caller's lists are copied, the texts too. */
static char* copy_text(sar_sensitivity* s, const char* text)
{
    char* copy = SARI_TAKE(&s->memory, char, strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

static sar_status copy_definition(sar_sensitivity* s, const sar_sensitivity_def* def)
{
    const char** names = SARI_TAKE(&s->memory, const char*, def->parameters + 1);
    s->setting = SARI_TAKE(&s->memory, sar_setting, def->settings_count + 1);
    s->objective = SARI_TAKE(&s->memory, sar_objective, def->objectives + 1);
    s->output = SARI_TAKE(&s->memory, int, def->objectives + 1);
    s->sample = SARI_TAKE(&s->memory, double, def->samples + 1);
    s->largest = SARI_TAKE(&s->memory, double, def->objectives + 1);
    double* value = SARI_TAKE(&s->memory, double, def->parameters + 1);
    if (s->memory.failed) return SAR_E_NOMEM;
    s->def = *def;
    for (int k = 0; k < def->settings_count; k++)
        s->setting[k] = (sar_setting){copy_text(s, def->settings[k].name),
                                      copy_text(s, def->settings[k].value)};
    for (int k = 0; k < def->objectives; k++)
        s->objective[k] =
            (sar_objective){copy_text(s, def->objective[k].expression), def->objective[k].kind};
    for (int k = 0; k < def->parameters; k++) names[k] = copy_text(s, def->parameter[k]);
    for (int k = 0; k < def->parameters; k++) value[k] = def->value ? def->value[k] : NAN;
    if (def->samples) memcpy(s->sample, def->sample, (size_t)def->samples * sizeof(double));
    s->def.settings = s->setting;
    s->def.objective = s->objective;
    s->def.parameter = names;
    s->def.value = value;
    s->def.sample = s->sample;
    if (s->def.points != 2) s->def.points = 4;
    return s->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

/* Options of the file where the caller has none. */
static sar_status find_options(sar_sensitivity* s, sar_error* error)
{
    sar_model* model = NULL;
    char* messages = NULL;
    s->options = sar_options_default();
    const sar_status st = sar_source_model(s->def.source, s->def.settings, s->def.settings_count,
                                           &model, &s->options, &messages);
    if (st != SAR_OK) sari_fail(error, st, NULL, "%.300s", messages ? messages : "out of memory");
    if (s->def.options) s->options = *s->def.options;
    sar_model_destroy(model);
    sar_text_free(messages);
    return st;
}

static sar_status choose_method(sar_sensitivity* s, sar_error* error)
{
    const char* why = NULL;
    for (int k = 0; sari_sensitivity_methods[k]; k++) {
        const char* refuses = sari_sensitivity_methods[k]->refuses(s->nominal.simulation);
        if (!refuses) {
            s->method = sari_sensitivity_methods[k];
            return SAR_OK;
        }
        if (!why) why = refuses;
    }
    const sar_options* o = &s->nominal.simulation->options;
    return sari_fail(error, SAR_E_INCOMPAT, "method", "%s with %s is not differentiated: %s",
                     o->formulation, o->integrator, why);
}

/* A component of a place: how large it is depends on where the origin is. */
static int is_place(const char* name)
{
    return strstr(name, "points.") || strstr(name, ".position[") || strstr(name, ".center[");
}

/* One that is zero may be a length. */
static void set_sizes(sar_sensitivity* s)
{
    const sari_units* u = &s->nominal.simulation->units;
    const double bodies = u->length * u->size;
    for (int k = 0; k < s->parameters; k++) {
        sari_free_number* p = &s->parameter[k];
        if (p->size == 0.0) p->size = fmin(1.0, bodies);
        p->reach = is_place(p->name) ? fmin(p->size, bodies) : p->size;
    }
}

static sar_status fill(sar_sensitivity* s, sar_error* error)
{
    SARI_TRY(find_options(s, error));
    SARI_TRY(sari_parameters_find(s, error));
    if (!(s->options.tolerance <= TOLERANCE)) s->options.tolerance = TOLERANCE;
    SARI_TRY(sari_twin_make(s, -1, 0.0, &s->nominal, error));
    SARI_TRY(choose_method(s, error));
    if (s->method->prepare && s->method->prepare(&s->options)) {
        sari_twin_clear(&s->nominal);
        SARI_TRY(sari_twin_make(s, -1, 0.0, &s->nominal, error));
    }
    set_sizes(s);
    SARI_TRY(sari_rows_make(s, error));
    const size_t all = (size_t)(s->rows + 1) * (size_t)(s->parameters + 1);
    s->J = SARI_TAKE(&s->memory, double, all);
    s->error_of = SARI_TAKE(&s->memory, double, all);
    s->known = SARI_TAKE(&s->memory, char, s->parameters + 1);
    return s->memory.failed ? sari_fail(error, SAR_E_NOMEM, NULL, "out of memory") : SAR_OK;
}

sar_status sar_sensitivity_create(const sar_sensitivity_def* def, sar_sensitivity** out,
                                  sar_error* error)
{
    *out = NULL;
    if (!def || !def->source || def->parameters < 0 || def->objectives < 1 || def->samples < 0)
        return sari_fail(error, SAR_E_ARG, NULL, "a sensitivity has a source and an objective");
    sar_sensitivity* s = SARI_NEW(sar_sensitivity);
    if (!s) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    sar_status st = copy_definition(s, def);
    if (st == SAR_OK)
        st = fill(s, error);
    else
        sari_fail(error, st, NULL, "out of memory");
    if (st == SAR_OK)
        *out = s;
    else
        sar_sensitivity_destroy(s);
    return st;
}

void sar_sensitivity_destroy(sar_sensitivity* s)
{
    if (!s) return;
    if (s->method && s->method->clear) s->method->clear(s);
    sari_twin_clear(&s->nominal);
    sari_arena_clear(&s->memory);
    sari_release(s);
}

/* ---- what is known -------------------------------------------------------------------------- */

int sar_sensitivity_rows(const sar_sensitivity* s)
{
    return s->rows;
}

int sar_sensitivity_parameters(const sar_sensitivity* s)
{
    return s->parameters;
}

sar_status sar_sensitivity_get_row(const sar_sensitivity* s, int row, sar_sensitivity_row* out)
{
    if (row < 0 || row >= s->rows || !s->ran) return SAR_E_ARG;
    const sari_row* r = &s->row[row];
    const int timed = s->objective[r->objective].kind != SAR_OBJECTIVE_TIME;
    *out = (sar_sensitivity_row){r->objective, timed ? r->t : NAN, r->value};
    return SAR_OK;
}

sar_status sar_sensitivity_get_parameter(const sar_sensitivity* s, int parameter,
                                         sar_sensitivity_parameter* out)
{
    if (parameter < 0 || parameter >= s->parameters) return SAR_E_ARG;
    const sari_free_number* p = &s->parameter[parameter];
    *out = (sar_sensitivity_parameter){p->name, p->value, p->refused[0] ? p->refused : NULL, p->gap,
                                       p->gap_time};
    return SAR_OK;
}

/* ---- runs ----------------------------------------------------------------------------------- */

sar_status sar_sensitivity_run(sar_sensitivity* s, sar_error* error)
{
    if (s->ran) return SAR_OK;
    SARI_TRY(s->method->forward(s, error));
    s->ran = 1;
    return SAR_OK;
}

/* Gradient of weight' rows backwards, for parameters that have one. */
static sar_status go_back(sar_sensitivity* s, const double* weight, double* gradient,
                          sar_error* error)
{
    for (int k = 0; k < s->parameters; k++) {
        sar_error why = {0};
        if (s->parameter[k].refused[0]) continue;
        const sar_status st = sari_parameter_test(s, k, &why);
        if (st == SAR_E_MODEL)
            sari_parameter_refuse(&s->parameter[k], why.message);
        else if (st != SAR_OK)
            return sari_fail(error, st, NULL, "%s", why.message);
    }
    return s->method->backward(s, weight, gradient, error);
}

/* Column k, if it is not known. SAR_E_MODEL: it is refused. */
static sar_status find_column(sar_sensitivity* s, int k, sar_error* error)
{
    sari_free_number* p = &s->parameter[k];
    sar_error why = {0};
    SARI_TRY(sar_sensitivity_run(s, error));
    if (s->known[k]) return SAR_OK;
    if (!p->refused[0]) {
        const size_t at = (size_t)k * (size_t)s->rows;
        sar_status st = sari_parameter_test(s, k, &why);
        if (st == SAR_OK) st = s->method->direct(s, k, s->J + at, s->error_of + at, &why);
        s->known[k] = st == SAR_OK;
        if (st == SAR_OK) return SAR_OK;
        if (st != SAR_E_MODEL) return sari_fail(error, st, NULL, "%s", why.message);
        sari_parameter_refuse(p, why.message);
    }
    return sari_fail(error, SAR_E_MODEL, "parameter", "%.60s: %.300s", p->name, p->refused);
}

sar_status sar_sensitivity_column(sar_sensitivity* s, int parameter, double* column,
                                  sar_error* error)
{
    if (parameter < 0 || parameter >= s->parameters)
        return sari_fail(error, SAR_E_ARG, "parameter", "there is no such parameter");
    SARI_TRY(find_column(s, parameter, error));
    memcpy(column, s->J + (size_t)parameter * (size_t)s->rows, (size_t)s->rows * sizeof(double));
    return SAR_OK;
}

sar_status sar_sensitivity_column_error(const sar_sensitivity* s, int parameter, double* error_of)
{
    if (parameter < 0 || parameter >= s->parameters || !s->known[parameter]) return SAR_E_ARG;
    memcpy(error_of, s->error_of + (size_t)parameter * (size_t)s->rows,
           (size_t)s->rows * sizeof(double));
    return SAR_OK;
}

/* All columns by gradients of the rows, where these are fewer. */
static sar_status find_by_rows(sar_sensitivity* s, sar_error* error)
{
    double *weight = SARI_NEW_ARRAY(double, s->rows + 1),
           *gradient = SARI_NEW_ARRAY(double, s->parameters + 1);
    sar_status st =
        weight && gradient ? SAR_OK : sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    for (int r = 0; r < s->rows && st == SAR_OK; r++) {
        weight[r] = 1.0;
        st = go_back(s, weight, gradient, error);
        weight[r] = 0.0;
        for (int k = 0; k < s->parameters && st == SAR_OK; k++) {
            const size_t at = (size_t)k * (size_t)s->rows + (size_t)r;
            s->J[at] = gradient[k];
            s->error_of[at] = s->method->accuracy * fabs(gradient[k]);
        }
    }
    for (int k = 0; k < s->parameters && st == SAR_OK; k++)
        s->known[k] = !s->parameter[k].refused[0];
    sari_release(weight);
    sari_release(gradient);
    return st;
}

sar_status sar_sensitivity_jacobian(sar_sensitivity* s, double* J, sar_error* error)
{
    SARI_TRY(sar_sensitivity_run(s, error));
    int unknown = 0;
    for (int k = 0; k < s->parameters; k++) unknown += !s->known[k];
    if (s->method->accuracy > 0.0 && s->rows < unknown) SARI_TRY(find_by_rows(s, error));
    for (int k = 0; k < s->parameters; k++) {
        const sar_status st = find_column(s, k, error);
        if (st != SAR_OK && st != SAR_E_MODEL) return st;
        for (int r = 0; r < s->rows; r++)
            J[(size_t)r * (size_t)s->parameters + (size_t)k] =
                st == SAR_OK ? s->J[(size_t)k * (size_t)s->rows + (size_t)r] : NAN;
    }
    return SAR_OK;
}

sar_status sar_sensitivity_along(sar_sensitivity* s, const double* direction, double* out,
                                 sar_error* error)
{
    SARI_TRY(sar_sensitivity_run(s, error));
    memset(out, 0, (size_t)s->rows * sizeof *out);
    for (int k = 0; k < s->parameters; k++) {
        if (direction[k] == 0.0) continue;
        SARI_TRY(find_column(s, k, error));
        for (int r = 0; r < s->rows; r++)
            out[r] += direction[k] * s->J[(size_t)k * (size_t)s->rows + (size_t)r];
    }
    return SAR_OK;
}

sar_status sar_sensitivity_gradient(sar_sensitivity* s, const double* weight, double* gradient,
                                    sar_error* error)
{
    SARI_TRY(sar_sensitivity_run(s, error));
    for (int k = 0; k < s->parameters; k++) gradient[k] = NAN;
    if (s->method->backward) {
        const sar_status st = go_back(s, weight, gradient, error);
        if (st < 0 && st != SAR_E_INCOMPAT) return st;
        for (int k = 0; k < s->parameters && st != SAR_OK; k++) gradient[k] = NAN;
    }
    for (int k = 0; k < s->parameters; k++) { // what is left by columns
        if (!isnan(gradient[k])) continue;
        const sar_status st = find_column(s, k, error);
        if (st != SAR_OK && st != SAR_E_MODEL) return st;
        gradient[k] = st == SAR_OK ? 0.0 : NAN;
        for (int r = 0; r < s->rows && st == SAR_OK; r++)
            gradient[k] += weight[r] * s->J[(size_t)k * (size_t)s->rows + (size_t)r];
    }
    return SAR_OK;
}
