#include "studies/experiment.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"
#include "model/model.h"
#include "sarrus/motion.h"
#include "sarrus/sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double STEP = 1e-4, DRIVEN_STEP = 1e-5; ///< h of (1), of a number's size
static const double LEAST_STEP = 1e-8;               ///< of the number itself
static const double ENDLESS = 1e10;                  ///< sizes: no number that a search should find
static const double LEAST = 1e-3; ///< of a number at the start that must be above zero
static const double GRID = 1e-12; ///< of the time of a run: times that differ by less are the same

/* ---- the model ------------------------------------------------------------------------------ */

/* Settings of the study but those of free numbers. */
static void list_settings(sari_experiment* x)
{
    const sar_study* study = x->study;
    x->settings_count = 0;
    for (int k = 0; k < study->settings_count; k++) {
        int own = 0;
        for (int i = 0; i < x->count && !own; i++)
            own = strcmp(study->settings[k].name, study->free[i].name) == 0;
        if (!own) x->settings[x->settings_count++] = study->settings[k];
    }
}

static void change_numbers(sari_experiment* x, const double* p)
{
    for (int i = 0; i < x->count; i++)
        sar_source_change_number(x->study->source, x->number[i], p ? p[i] - x->in_file[i] : 0.0);
}

static int find_output(const sar_model* model, const char* name)
{
    for (int k = 0; k < sar_model_outputs(model); k++)
        if (strcmp(sar_model_output_name(model, k), name) == 0) return k;
    return -1;
}

static sar_status read_model(sari_experiment* x, const sar_setting* settings, int count,
                             sar_model** model, sar_error* error)
{
    char* messages = NULL;
    sar_options ignored = sar_options_default();
    const sar_status status =
        sar_source_model(x->study->source, settings, count, model, &ignored, &messages);
    if (status != SAR_OK)
        sari_fail(error, status, NULL, "%s", messages ? messages : sar_status_text(status));
    sar_text_free(messages);
    return status;
}

sar_status sari_experiment_model(sari_experiment* x, const double* p, sar_model** model,
                                 int* column, sar_error* error)
{
    *model = NULL;
    change_numbers(x, p);
    sar_status status = read_model(x, x->settings, x->settings_count, model, error);
    change_numbers(x, NULL);
    for (int j = 0; j < x->expressions && status == SAR_OK; j++) {
        char name[32];
        column[j] = find_output(*model, x->expression[j]);
        if (column[j] >= 0) continue;
        snprintf(name, sizeof name, "expression_%d", j + 1);
        status = sari_model_ask(*model, SARI_ASKED_VALUE, name, x->expression[j], error);
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

double sari_experiment_step(const sari_experiment* x, double part, int k, double p)
{
    return sari_max(part * x->size[k], LEAST_STEP * fabs(p));
}

void sari_experiment_judge(const sari_experiment* x, const double* p, sar_optimum* found)
{
    if (found->verdict != SAR_OPTIMUM_FOUND && found->verdict != SAR_OPTIMUM_NO_PROGRESS) return;
    for (int k = 0; k < x->count; k++)
        if (fabs(p[k]) > ENDLESS * x->size[k] && p[k] > x->lower[k] &&
            p[k] < x->study->free[k].upper)
            found->verdict = SAR_OPTIMUM_UNBOUNDED;
}

/* (1) for number k; where one side has no values, with y in its place. */
static sar_status difference(sari_experiment* x, const double* p, int k, const double* times,
                             int count, const double* y, double* J)
{
    const int m = count * x->expressions;
    const double h = sari_experiment_step(x, x->study->driven ? DRIVEN_STEP : STEP, k, p[k]);
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

/* dy/dp by runs with the same steps (sensitivity.h), columns without one NaN. */
static sar_status differentiate(sari_experiment* x, const double* p, const double* times, int count,
                                double* J, sar_error* error)
{
    const int n = x->count, m = x->expressions;
    sar_options options = *x->study->options;
    sar_objective* objective = SARI_NEW_ARRAY(sar_objective, m);
    double* rows = SARI_NEW_ARRAY(double, (long)count* m* n);
    sar_sensitivity_def def = sar_sensitivity_def_default();
    sar_sensitivity* s = NULL;
    sar_status status = objective && rows ? SAR_OK : SAR_E_NOMEM;
    for (int j = 0; j < m && status == SAR_OK; j++)
        objective[j] = (sar_objective){x->expression[j], SAR_OBJECTIVE_SAMPLES};
    options.end = times[count - 1];
    def.source = x->study->source, def.options = &options;
    def.settings = x->settings, def.settings_count = x->settings_count;
    def.parameter = x->name, def.parameters = n, def.value = p;
    def.objective = objective, def.objectives = m;
    def.sample = times, def.samples = count;
    def.points = 2;
    if (status == SAR_OK) status = sar_sensitivity_create(&def, &s, error);
    if (status == SAR_OK) status = sar_sensitivity_jacobian(s, rows, error);
    for (int i = 0; i < count && status == SAR_OK; i++)
        for (int j = 0; j < m; j++)
            memcpy(J + (i * m + j) * n, rows + ((long)j * count + i) * n, (size_t)n * sizeof *J);
    for (int k = 0; k < n && status == SAR_OK && !x->refused[0]; k++) {
        sar_sensitivity_parameter about;
        sar_sensitivity_get_parameter(s, k, &about);
        if (about.refused)
            snprintf(x->refused, sizeof x->refused, "%.60s: %.300s", about.name, about.refused);
    }
    sar_sensitivity_destroy(s);
    sari_release(objective);
    sari_release(rows);
    return status;
}

sar_status sari_experiment_slopes(sari_experiment* x, const double* p, const double* times,
                                  int count, const double* y, double* J)
{
    sar_error error = {0};
    sar_status status = SAR_E_INCOMPAT;
    if (x->expressions == 0) return SAR_OK;
    if (!x->study->driven && !x->study->differences && !x->refuses) {
        status = differentiate(x, p, times, count, J, &error);
        x->runs += 1 + 2 * x->count;
        if (status == SAR_E_NOMEM) return status;
        x->refuses = status == SAR_E_INCOMPAT; // a method that has no derivatives
        if (status != SAR_OK && !x->refused[0])
            snprintf(x->refused, sizeof x->refused, "%s", error.message);
    }
    for (int k = 0; k < x->count; k++)
        if (status != SAR_OK || isnan(J[k])) SARI_TRY(difference(x, p, k, times, count, y, J));
    return SAR_OK;
}

/* ---- create --------------------------------------------------------------------------------- */

static int find_parameter(const sar_model* model, const char* name)
{
    for (int k = 0; k < sar_model_parameters(model); k++)
        if (strcmp(sar_model_parameter_name(model, k), name) == 0) return k;
    return -1;
}

/* `name` as the source calls the number: itself, `parameters.NAME` or `start.NAME`. */
static sar_status find_number(sari_experiment* x, int i, const sar_number* list, sar_error* error)
{
    const char* name = x->study->free[i].name;
    char start[256];
    snprintf(start, sizeof start, "start.%.200s", name);
    x->number[i] = sar_source_find_number(x->study->source, name);
    if (x->number[i] < 0) x->number[i] = sar_source_find_number(x->study->source, start);
    if (x->number[i] < 0)
        return sari_fail(
            error, SAR_E_ARG, name,
            "'%s' is no number of the model: neither a parameter, nor a start condition, "
            "nor a place as bodies.rod.mass",
            name);
    x->in_file[i] = list[x->number[i]].value;
    const char* whole = list[x->number[i]].name;
    x->name[i] = sari_arena_copy(&x->memory, whole, strlen(whole) + 1, 1);
    return x->name[i] ? SAR_OK : SAR_E_NOMEM;
}

/* Where the search begins: as the study says, its settings, or the file. */
static sar_status find_start(sari_experiment* x, int i, const sar_model* model, sar_error* error)
{
    const sar_free* one = &x->study->free[i];
    const int parameter = find_parameter(model, one->name);
    double p = parameter >= 0 ? sar_model_parameter_value(model, parameter) : x->in_file[i];
    if (!isnan(one->start)) p = one->start;
    if (!(one->lower <= one->upper))
        return sari_fail(error, SAR_E_ARG, one->name, "%s: no number is above %g and below %g",
                         one->name, one->lower, one->upper);
    if (one->start < one->lower || one->start > one->upper)
        return sari_fail(error, SAR_E_ARG, one->name,
                         "%s: the search begins at %g, outside of the bounds %g and %g", one->name,
                         one->start, one->lower, one->upper);
    const double range = one->upper - one->lower;
    x->lower[i] = one->lower;
    x->first[i] = p = sari_min(sari_max(p, one->lower), one->upper);
    x->size[i] = p != 0.0 ? fabs(p) : 1.0;
    if (isfinite(range) && range > 0.0) x->size[i] = sari_min(x->size[i], range);
    return SAR_OK;
}

/* Does the model with number i at this value begin to move? */
static int moves_with(sari_experiment* x, int i, double value)
{
    const double before = x->first[i];
    int* column = SARI_NEW_ARRAY(int, x->expressions + 1);
    sar_model* model = NULL;
    sar_simulation* s = NULL;
    x->first[i] = value;
    sar_status status =
        column ? sari_experiment_model(x, x->first, &model, column, NULL) : SAR_E_NOMEM;
    x->first[i] = before;
    if (status == SAR_OK && !x->study->driven) {
        status = sar_simulation_create(model, x->study->options, &s, NULL);
        if (status == SAR_OK) status = sar_simulation_assemble(s, NULL);
        if (status == SAR_OK) status = sar_simulation_advance(s);
    }
    sar_simulation_destroy(s);
    sar_model_destroy(model);
    sari_release(column);
    return status == SAR_OK;
}

/* Masses, lengths: numbers that cannot be negative stay positive, where no bound is given. Steps would creep towards zero
 * otherwise, where the run becomes stiff or stops. */
static void keep_positive(sari_experiment* x)
{
    for (int i = 0; i < x->count; i++) {
        const double p = x->first[i];
        int* column = SARI_NEW_ARRAY(int, x->expressions + 1);
        sar_model* model = NULL;
        if (!(p > 0.0) || x->lower[i] > -INFINITY || !column) {
            sari_release(column);
            continue;
        }
        x->first[i] = -LEAST * p;
        if (sari_experiment_model(x, x->first, &model, column, NULL) == SAR_E_MODEL)
            x->lower[i] = 0.0;
        x->first[i] = p;
        sar_model_destroy(model);
        sari_release(column);
        if (x->lower[i] == 0.0 && !moves_with(x, i, 0.0)) x->lower[i] = LEAST * p;
    }
}

static sar_status find_numbers(sari_experiment* x, sar_error* error)
{
    const sar_study* study = x->study;
    const sar_number* list;
    sar_model* model = NULL;
    int numbers;
    list_settings(x);
    SARI_TRY(read_model(x, study->settings, study->settings_count, &model, error));
    sar_status status =
        sar_source_numbers(study->source, x->settings, x->settings_count, &list, &numbers);
    if (status != SAR_OK) sari_fail(error, status, NULL, "the model cannot be read");
    for (int i = 0; i < x->count && status == SAR_OK; i++) {
        status = find_number(x, i, list, error);
        for (int k = 0; k < i && status == SAR_OK; k++)
            if (x->number[k] == x->number[i])
                status =
                    sari_fail(error, SAR_E_ARG, study->free[i].name,
                              "'%s' is free already: name each number once", study->free[i].name);
        if (status == SAR_OK) status = find_start(x, i, model, error);
    }
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
    x->in_file = SARI_TAKE(&x->memory, double, n);
    x->first = SARI_TAKE(&x->memory, double, n);
    x->lower = SARI_TAKE(&x->memory, double, n);
    x->number = SARI_TAKE(&x->memory, int, n);
    x->name = sari_arena_take(&x->memory, (size_t)n, sizeof *x->name);
    x->settings = SARI_TAKE(&x->memory, sar_setting, study->settings_count + 1);
    int* column = SARI_TAKE(&x->memory, int, count);
    if (x->memory.failed) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    if (n < 1) return sari_fail(error, SAR_E_ARG, NULL, "no number of the model is free");
    SARI_TRY(find_numbers(x, error));
    sar_model* model = NULL;
    const sar_status status = sari_experiment_model(x, x->first, &model, column, error);
    sar_model_destroy(model);
    if (status == SAR_OK) keep_positive(x);
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
