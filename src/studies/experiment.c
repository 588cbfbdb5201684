#include "studies/experiment.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"
#include "sarrus/motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double STEP = 1e-4, DRIVEN_STEP = 1e-5; ///< h of (1), of a number's size
static const double GRID = 1e-12; ///< of the time of a run: times that differ by less are the same

/* ---- the model ------------------------------------------------------------------------------ */

/* Settings of the study but those that are free, then the free parameters. */
static int list_settings(sari_experiment* x, const double* p)
{
    const sar_study* study = x->study;
    int n = 0;
    for (int k = 0; k < study->settings_count; k++) {
        int own = 0;
        for (int i = 0; i < x->count && !own; i++)
            own = x->start[i] < 0 && strcmp(study->settings[k].name, study->free[i].name) == 0;
        if (!own || !p) x->settings[n++] = study->settings[k];
    }
    for (int i = 0; i < x->count && p; i++) {
        if (x->start[i] >= 0) continue;
        snprintf(x->texts[i], sizeof x->texts[i], "%.17g", p[i]);
        x->settings[n++] = (sar_setting){study->free[i].name, x->texts[i]};
    }
    return n;
}

static int find_output(const sar_model* model, const char* name)
{
    for (int k = 0; k < sar_model_outputs(model); k++)
        if (strcmp(sar_model_output_name(model, k), name) == 0) return k;
    return -1;
}

/* p NULL: as the file has it. */
static sar_status read_model(sari_experiment* x, const double* p, sar_model** model,
                             sar_error* error)
{
    char* messages = NULL;
    sar_options ignored = sar_options_default();
    const int settings = list_settings(x, p);
    const sar_status status =
        sar_source_model(x->study->source, x->settings, settings, model, &ignored, &messages);
    if (status != SAR_OK)
        sari_fail(error, status, NULL, "%s", messages ? messages : sar_status_text(status));
    sar_text_free(messages);
    return status;
}

sar_status sari_experiment_model(sari_experiment* x, const double* p, sar_model** model,
                                 int* column, sar_error* error)
{
    *model = NULL;
    sar_status status = read_model(x, p, model, error);
    for (int i = 0; i < x->count && p && status == SAR_OK; i++)
        if (x->start[i] >= 0) sar_model_set_start(*model, x->start[i], p[i]);
    for (int j = 0; j < x->expressions && status == SAR_OK; j++) {
        char name[32];
        column[j] = find_output(*model, x->expression[j]);
        if (column[j] >= 0) continue;
        snprintf(name, sizeof name, "expression_%d", j + 1);
        status = sar_model_add_output(*model, name, x->expression[j], error);
        column[j] = sar_model_outputs(*model) - 1;
    }
    if (status == SAR_OK) return SAR_OK;
    sar_model_destroy(*model);
    *model = NULL;
    return status;
}

/* ---- a run ---------------------------------------------------------------------------------- */

typedef struct recording {
    sari_experiment* x;
    const double* times;
    int count, outputs;
    const int* column;
    double *row, *y;
} recording;

static void keep(const recording* r, int i)
{
    for (int j = 0; j < r->x->expressions; j++)
        r->y[i * r->x->expressions + j] = r->row[r->column[j]];
}

static int stopped(const sari_experiment* x)
{
    return x->study->stop && x->study->stop(x->study->context);
}

/* Why there are no values. Everything but a lack of memory is a matter of the numbers. */
static sar_status give_up(sari_experiment* x, sar_status status, const char* why)
{
    snprintf(x->failure, sizeof x->failure, "%s", why && *why ? why : sar_status_text(status));
    return status == SAR_E_NOMEM ? status : status > 0 ? status : SAR_R_NO_CONV;
}

static sar_status follow_drives(recording* r, const sar_model* model, const sar_options* options)
{
    sar_motion* motion = NULL;
    sar_error error = {0};
    sar_status status = sar_motion_create(model, options, &motion, &error);
    const char* why = error.message;
    if (status == SAR_OK) status = sar_motion_assemble(motion, NULL);
    for (int i = 0; i < r->count && status == SAR_OK; i++) {
        status = sar_motion_go(motion, r->times[i]);
        if (status == SAR_OK) status = sar_motion_outputs(motion, r->row);
        if (status == SAR_OK) keep(r, i);
    }
    if (motion) why = sar_motion_failure(motion);
    if (status != SAR_OK) status = give_up(r->x, status, why);
    sar_motion_destroy(motion);
    return status;
}

/* Values at all times up to now; the next one is returned. */
static sar_status observe(recording* r, sar_simulation* s, double grid, int* next)
{
    const double now = sar_simulation_time(s);
    for (; *next < r->count && r->times[*next] <= now + grid; ++*next) {
        const double t = r->times[*next];
        SARI_TRY(fabs(t - now) <= grid ? sar_simulation_outputs(s, r->row)
                                       : sar_simulation_outputs_at(s, t, r->row));
        keep(r, *next);
    }
    return SAR_OK;
}

static sar_status integrate(recording* r, const sar_model* model, const sar_options* options)
{
    sar_simulation* s = NULL;
    sar_error error = {0};
    const double grid = GRID * sari_max(1.0, fabs(options->end));
    int next = 0;
    sar_status status = sar_simulation_create(model, options, &s, &error);
    const char* why = error.message;
    if (status == SAR_OK) status = sar_simulation_assemble(s, NULL);
    if (status == SAR_OK) status = observe(r, s, grid, &next);
    while (status == SAR_OK && next < r->count) {
        status = sar_simulation_advance(s);
        if (status == SAR_OK) status = observe(r, s, grid, &next);
        if (status == SAR_OK && stopped(r->x)) status = SAR_R_NO_CONV;
    }
    if (s) why = sar_simulation_failure(s);
    if (status != SAR_OK) status = give_up(r->x, status, why);
    sar_simulation_destroy(s);
    return status;
}

sar_status sari_experiment_values(sari_experiment* x, const double* p, const double* times,
                                  int count, double* y)
{
    sar_model* model = NULL;
    sar_error error = {0};
    sar_options options = *x->study->options;
    int* column = SARI_NEW_ARRAY(int, x->expressions);
    if (!column) return SAR_E_NOMEM;
    sar_status status = sari_experiment_model(x, p, &model, column, &error);
    if (status != SAR_OK) status = give_up(x, status, error.message);
    if (status == SAR_OK) {
        recording r = {.x = x, .times = times, .count = count, .column = column, .y = y};
        r.outputs = sar_model_outputs(model);
        r.row = SARI_NEW_ARRAY(double, r.outputs);
        options.end = sari_max(times[count - 1], options.start + GRID);
        x->runs++;
        status = !r.row ? SAR_E_NOMEM
                        : (x->study->driven ? follow_drives : integrate)(&r, model, &options);
        sari_release(r.row);
    }
    sar_model_destroy(model);
    sari_release(column);
    return status;
}

/* (1) for number k; where one side has no values, with y in its place. */
static sar_status difference(sari_experiment* x, const double* p, int k, const double* times,
                             int count, const double* y, double* J)
{
    const int m = count * x->expressions;
    const double h = (x->study->driven ? DRIVEN_STEP : STEP) * x->size[k];
    double* at = sari_copy(p, (size_t)x->count, sizeof *p);
    double* sides = SARI_NEW_ARRAY(double, 2 * m);
    sar_status status = at && sides ? SAR_OK : SAR_E_NOMEM;
    int there[2] = {0, 0};
    for (int side = 0; side < 2 && status >= 0; side++) {
        at[k] = p[k] + (side ? h : -h);
        status = sari_experiment_values(x, at, times, count, sides + side * m);
        there[side] = status == SAR_OK;
        if (!there[side]) memcpy(sides + side * m, y, (size_t)m * sizeof *y);
    }
    if (status >= 0) status = there[0] || there[1] ? SAR_OK : SAR_R_NO_CONV;
    for (int i = 0; i < m && status == SAR_OK; i++)
        J[i * x->count + k] = (sides[m + i] - sides[i]) / (h * (there[0] + there[1]));
    sari_release(at);
    sari_release(sides);
    return status;
}

sar_status sari_experiment_slopes(sari_experiment* x, const double* p, const double* times,
                                  int count, const double* y, double* J)
{
    for (int k = 0; k < x->count; k++) SARI_TRY(difference(x, p, k, times, count, y, J));
    return SAR_OK;
}

/* ---- create --------------------------------------------------------------------------------- */

static int find_parameter(const sar_model* model, const char* name)
{
    for (int k = 0; k < sar_model_parameters(model); k++)
        if (strcmp(sar_model_parameter_name(model, k), name) == 0) return k;
    return -1;
}

static sar_status find_numbers(sari_experiment* x, const sar_model* model, double* p,
                               sar_error* error)
{
    for (int i = 0; i < x->count; i++) {
        const sar_free* one = &x->study->free[i];
        const int parameter = find_parameter(model, one->name);
        x->start[i] = -1;
        for (int k = 0; k < sar_model_starts(model) && parameter < 0; k++)
            if (strcmp(sar_model_start_name(model, k), one->name) == 0) x->start[i] = k;
        if (parameter < 0 && x->start[i] < 0)
            return sari_fail(error, SAR_E_ARG, one->name,
                             "'%s' is neither a parameter of the model nor one of its start "
                             "conditions",
                             one->name);
        p[i] = parameter >= 0 ? sar_model_parameter_value(model, parameter)
                              : sar_model_start_value(model, x->start[i]);
        if (!isnan(one->start)) p[i] = one->start;
        if (!(one->lower <= one->upper))
            return sari_fail(error, SAR_E_ARG, one->name, "%s: no number is above %g and below %g",
                             one->name, one->lower, one->upper);
        p[i] = sari_min(sari_max(p[i], one->lower), one->upper);
        const double range = one->upper - one->lower;
        x->size[i] = p[i] != 0.0 ? fabs(p[i]) : 1.0;
        if (isfinite(range) && range > 0.0) x->size[i] = sari_min(x->size[i], range);
    }
    return SAR_OK;
}

sar_status sari_experiment_start(sari_experiment* x, double* p, sar_error* error)
{
    sar_model* model = NULL;
    sar_status status = read_model(x, NULL, &model, error);
    if (status == SAR_OK) status = find_numbers(x, model, p, error);
    sar_model_destroy(model);
    return status;
}

sar_status sari_experiment_create(const sar_study* study, const char* const* expressions, int count,
                                  sari_experiment* x, sar_error* error)
{
    const int n = study->free_count;
    *x = (sari_experiment){.study = study, .count = n, .expressions = count};
    x->expression = sari_arena_take(&x->memory, (size_t)count, sizeof *x->expression);
    for (int j = 0; j < count && x->expression; j++)
        x->expression[j] =
            sari_arena_copy(&x->memory, expressions[j], strlen(expressions[j]) + 1, 1);
    x->size = SARI_TAKE(&x->memory, double, n);
    x->start = SARI_TAKE(&x->memory, int, n);
    x->settings = SARI_TAKE(&x->memory, sar_setting, study->settings_count + n);
    x->texts = sari_arena_take(&x->memory, (size_t)n, sizeof *x->texts);
    double* p = SARI_TAKE(&x->memory, double, n);
    int* column = SARI_TAKE(&x->memory, int, count);
    if (x->memory.failed) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    if (n < 1) return sari_fail(error, SAR_E_ARG, NULL, "no number of the model is free");
    SARI_TRY(sari_experiment_start(x, p, error));
    sar_model* model = NULL;
    const sar_status status = sari_experiment_model(x, p, &model, column, error);
    sar_model_destroy(model);
    return status;
}

void sari_experiment_clear(sari_experiment* x)
{
    sari_arena_clear(&x->memory);
}

sar_study sar_study_default(void)
{
    return (sar_study){0};
}
