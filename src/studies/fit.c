/* Numbers of a model that fit measurements:
 *
 *     min 1/2 sum w_j^2 (y_ij(p; t_i + offset) - measured_ij)^2                                    (1)
 *
 * by Levenberg-Marquardt; their deviations and correlations by the slopes at the minimum (optimisation/covariance.c). */
#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"
#include "studies/experiment.h"

#include <math.h>
#include <string.h>

static const double OFFSET_STEP = 1e-5; ///< of the time of the data, for slopes

typedef struct column {
    const char *name, *expression;
    double weight;
    int data;                              ///< column there
    int count;                             ///< of its numbers
    double *t, *measured, *before, *found; ///< of them
} column;

struct sar_fit {
    sari_arena memory;
    sar_study study;
    sar_fit_def def;
    sari_experiment experiment;
    int n, m, rows, columns; ///< numbers, residuals; rows of the data
    double *p, *first, *lower, *upper, *size;
    column* column;
    double *times, *y, *y_other, *dy; ///< dy: slopes of y
    double* last;                     ///< numbers of y
    int known;                        ///< y belongs to `last`
    double *r, *J, *deviations, *correlations, *combinations;
    sar_fit_summary summary;
};

/* ---- values --------------------------------------------------------------------------------- */

static double offset_of(const sar_fit* f, const double* p)
{
    return f->def.offset ? p[f->n - 1] : 0.0;
}

static sar_status run(sar_fit* f, const double* p, double shift, double* y)
{
    const double* t = sar_result_time(f->def.data);
    for (int i = 0; i < f->rows; i++) f->times[i] = t[i] + offset_of(f, p) + shift;
    f->times[0] = sari_max(f->times[0], f->study.options->start);
    return sari_experiment_values(&f->experiment, p, f->times, f->rows, y);
}

static sar_status find_values(sar_fit* f, const double* p)
{
    if (f->known && memcmp(p, f->last, (size_t)f->n * sizeof *p) == 0) return SAR_OK;
    f->known = 0;
    SARI_TRY(run(f, p, 0.0, f->y));
    memcpy(f->last, p, (size_t)f->n * sizeof *p);
    f->known = 1;
    return SAR_OK;
}

/* Walks over the measured values: column j, row i, residual. */
static int next_value(const sar_fit* f, int* j, int* i)
{
    for (;;) {
        if (++*i >= f->rows) *i = 0, ++*j;
        if (*j >= f->columns) return 0;
        if (isfinite(sar_result_column(f->def.data, f->column[*j].data)[*i])) return 1;
    }
}

static void put_residuals(const sar_fit* f, double* r)
{
    for (int j = 0, i = -1, k = 0; next_value(f, &j, &i); k++)
        r[k] = f->column[j].weight *
               (f->y[i * f->columns + j] - sar_result_column(f->def.data, f->column[j].data)[i]);
}

/* dr/d offset by values at other times. */
static sar_status put_offset_slopes(sar_fit* f, const double* p, double* J)
{
    const double* t = sar_result_time(f->def.data);
    const double h = OFFSET_STEP * (t[f->rows - 1] - t[0]), at = t[0] + offset_of(f, p);
    const double back = at - h >= f->study.options->start ? h : 0.0;
    double* before = f->dy;
    if (back > 0.0)
        SARI_TRY(run(f, p, -back, before));
    else
        memcpy(before, f->y, (size_t)(f->rows * f->columns) * sizeof *before);
    SARI_TRY(run(f, p, h, f->y_other));
    for (int j = 0, i = -1, k = 0; next_value(f, &j, &i); k++)
        J[k * f->n + f->n - 1] = f->column[j].weight *
                                 (f->y_other[i * f->columns + j] - before[i * f->columns + j]) /
                                 (h + back);
    return SAR_OK;
}

static sar_status evaluate(void* context, const double* p, double* r, double* J)
{
    sar_fit* f = context;
    if (f->study.stop && f->study.stop(f->study.context)) return SAR_E_ARG;
    SARI_TRY(find_values(f, p));
    put_residuals(f, r);
    if (!J) return SAR_OK;
    const int own = f->study.free_count;
    const double* t = sar_result_time(f->def.data);
    if (f->def.offset) SARI_TRY(put_offset_slopes(f, p, J));
    for (int i = 0; i < f->rows; i++) f->times[i] = t[i] + offset_of(f, p);
    SARI_TRY(sari_experiment_slopes(&f->experiment, p, f->times, f->rows, f->y, f->dy));
    for (int j = 0, i = -1, k = 0; next_value(f, &j, &i); k++)
        for (int q = 0; q < own; q++)
            J[k * f->n + q] = f->column[j].weight * f->dy[(i * f->columns + j) * own + q];
    return SAR_OK;
}

/* ---- the search ----------------------------------------------------------------------------- */

/* The best numbers so far are kept, whatever ends the search. */
static int watch(void* context, int iteration, double objective, double violation, const double* p)
{
    sar_fit* f = context;
    memcpy(f->p, p, (size_t)f->n * sizeof *p);
    f->summary.search.objective = objective;
    f->summary.search.iterations = iteration;
    const sar_optimisation_options* search = &f->study.search;
    return !search->watch || search->watch(search->context, iteration, objective, violation, p);
}

static void keep_curves(sar_fit* f, int found)
{
    for (int j = 0; j < f->columns; j++) {
        column* c = &f->column[j];
        c->count = 0;
        for (int i = 0; i < f->rows; i++) {
            const double measured = sar_result_column(f->def.data, c->data)[i];
            if (!isfinite(measured)) continue;
            c->t[c->count] = sar_result_time(f->def.data)[i];
            c->measured[c->count] = measured;
            (found ? c->found : c->before)[c->count++] = f->y[i * f->columns + j];
        }
    }
}

static sar_status explain(const sar_fit* f, sar_status status, sar_error* error)
{
    if (status == SAR_E_NOMEM) return sari_fail(error, status, NULL, "out of memory");
    return sari_fail(error, status, NULL, "the run with the numbers of the start fails: %s",
                     f->experiment.failure);
}

/* Deviations, where the search ended. */
static sar_status judge(sar_fit* f)
{
    int* fixed = SARI_TAKE(&f->memory, int, f->n);
    double* scale = SARI_TAKE(&f->memory, double, f->n);
    if (!fixed || !scale) return SAR_E_NOMEM;
    for (int k = 0; k < f->n; k++) {
        fixed[k] = f->p[k] <= f->lower[k] || f->p[k] >= f->upper[k];
        scale[k] = f->p[k] != 0.0 ? fabs(f->p[k]) : f->size[k]; // combinations are told in percent
    }
    sar_status status = evaluate(f, f->p, f->r, f->J);
    if (status == SAR_OK) {
        keep_curves(f, 1);
        status = sar_covariance_find(f->m, f->n, f->J, f->r, scale, fixed, &f->summary.covariance,
                                     f->deviations, f->correlations, f->combinations);
    }
    return status;
}

sar_status sar_fit_run(sar_fit* f, sar_error* error)
{
    memcpy(f->p, f->first, (size_t)f->n * sizeof *f->p);
    sar_status status = find_values(f, f->p);
    if (status != SAR_OK) return explain(f, status, error);
    keep_curves(f, 0);
    keep_curves(f, 1);
    sar_optimisation problem = {.variables = f->n,
                                .lower = f->lower,
                                .upper = f->upper,
                                .scale = f->size,
                                .residuals = f->m,
                                .evaluate = evaluate,
                                .context = f};
    sar_optimisation_options search = f->study.search;
    search.watch = watch;
    search.context = f;
    double* p = SARI_TAKE(&f->memory, double, f->n);
    if (!p) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    memcpy(p, f->first, (size_t)f->n * sizeof *p);
    sar_optimum found;
    status = sar_optimise(&problem, &search, p, &found, NULL);
    if (status == SAR_OK) {
        memcpy(f->p, p, (size_t)f->n * sizeof *p);
        sari_experiment_judge(&f->experiment, p, &found);
        f->summary.search = found;
        status = judge(f);
    }
    f->summary.runs = f->experiment.runs;
    f->summary.refused = f->experiment.refused[0] ? f->experiment.refused : NULL;
    f->summary.residuals = f->m;
    if (f->study.stop && f->study.stop(f->study.context)) { // the best so far, without deviations
        f->summary.search.verdict = SAR_OPTIMUM_STOPPED;
        f->summary.search.solver = "levenberg-marquardt";
        return SAR_OK;
    }
    return status == SAR_OK ? SAR_OK : explain(f, status, error);
}

/* ---- create --------------------------------------------------------------------------------- */

static double deviation_of(const double* values, int rows)
{
    double sum = 0.0, square = 0.0;
    int n = 0;
    for (int i = 0; i < rows; i++)
        if (isfinite(values[i])) sum += values[i], n++;
    for (int i = 0; i < rows; i++)
        if (isfinite(values[i])) square += (values[i] - sum / n) * (values[i] - sum / n);
    return n > 1 ? sqrt(square / (n - 1)) : 0.0;
}

static sar_status take_column(sar_fit* f, int j, sar_error* error)
{
    const sar_result* data = f->def.data;
    const sar_fit_column* want = f->def.columns_count ? &f->def.columns[j] : NULL;
    column* c = &f->column[j];
    c->data = want ? sar_result_find(data, want->name) : j;
    if (c->data < 0)
        return sari_fail(error, SAR_E_ARG, want->name, "the data have no column '%s'", want->name);
    c->name = sar_result_name(data, c->data);
    c->expression = want && want->expression ? want->expression : c->name;
    c->weight = want ? want->weight : NAN;
    const double spread = deviation_of(sar_result_column(data, c->data), f->rows);
    if (isnan(c->weight)) c->weight = f->columns == 1 || spread == 0.0 ? 1.0 : 1.0 / spread;
    double** vectors[] = {&c->t, &c->measured, &c->before, &c->found};
    for (int k = 0; k < 4; k++) *vectors[k] = SARI_TAKE(&f->memory, double, f->rows);
    for (int i = 0; i < f->rows; i++) f->m += isfinite(sar_result_column(data, c->data)[i]) != 0;
    return SAR_OK;
}

static sar_status take_data(sar_fit* f, sar_error* error)
{
    const double* t = sar_result_time(f->def.data);
    f->rows = sar_result_rows(f->def.data);
    f->columns = f->def.columns_count ? f->def.columns_count : sar_result_columns(f->def.data);
    if (f->rows < 1 || f->columns < 1)
        return sari_fail(error, SAR_E_ARG, NULL, "the data have no values");
    for (int i = 0; i < f->rows; i++)
        if (!isfinite(t[i]) || (i > 0 && t[i] <= t[i - 1]))
            return sari_fail(error, SAR_E_ARG, NULL, "row %d of the data: time must increase",
                             i + 1);
    if (!f->def.offset && t[0] < f->study.options->start)
        return sari_fail(error, SAR_E_ARG, NULL,
                         "the data begin at t = %g s, before the run (t = %g s); shift the start "
                         "(--start), or let the offset of the clock be found (--free offset)",
                         t[0], f->study.options->start);
    f->column = SARI_TAKE(&f->memory, column, f->columns);
    if (!f->column) return SAR_E_NOMEM;
    for (int j = 0; j < f->columns; j++) SARI_TRY(take_column(f, j, error));
    if (f->m < 1) return sari_fail(error, SAR_E_ARG, NULL, "the data have no values");
    return f->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

static sar_status take_memory(sar_fit* f)
{
    const int n = f->n, m = f->m, values = f->rows * f->columns;
    double** of_numbers[] = {&f->p,    &f->first, &f->lower,     &f->upper,
                             &f->size, &f->last,  &f->deviations};
    for (unsigned k = 0; k < sizeof of_numbers / sizeof *of_numbers; k++)
        *of_numbers[k] = SARI_TAKE(&f->memory, double, n);
    f->correlations = SARI_TAKE(&f->memory, double, n* n);
    f->combinations = SARI_TAKE(&f->memory, double, n* n);
    f->times = SARI_TAKE(&f->memory, double, f->rows);
    f->y = SARI_TAKE(&f->memory, double, values);
    f->y_other = SARI_TAKE(&f->memory, double, values);
    f->dy = SARI_TAKE(&f->memory, double, values* n);
    f->r = SARI_TAKE(&f->memory, double, m);
    f->J = SARI_TAKE(&f->memory, double, m* n);
    return f->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

static void take_numbers(sar_fit* f)
{
    for (int k = 0; k < f->study.free_count; k++) {
        f->lower[k] = f->experiment.lower[k];
        f->upper[k] = f->study.free[k].upper;
        f->size[k] = f->experiment.size[k];
    }
    if (!f->def.offset) return;
    const double *t = sar_result_time(f->def.data), least = f->study.options->start - t[0];
    const int k = f->n - 1;
    f->lower[k] =
        sari_max(f->def.offset_lower, least); // the run begins with the data at the earliest
    f->upper[k] = sari_max(f->def.offset_upper, f->lower[k]);
    f->first[k] = sari_min(sari_max(f->def.offset_start, f->lower[k]), f->upper[k]);
    f->size[k] = sari_max(t[f->rows - 1] - t[0], 1e-300);
}

static sar_status set_up(sar_fit* f, sar_error* error)
{
    f->n = f->study.free_count + (f->def.offset != 0);
    SARI_TRY(take_data(f, error));
    SARI_TRY(take_memory(f));
    const char** expressions = sari_arena_take(&f->memory, (size_t)f->columns, sizeof *expressions);
    if (!expressions) return SAR_E_NOMEM;
    for (int j = 0; j < f->columns; j++) expressions[j] = f->column[j].expression;
    SARI_TRY(sari_experiment_create(&f->study, expressions, f->columns, &f->experiment, error));
    memcpy(f->first, f->experiment.first, (size_t)f->study.free_count * sizeof *f->first);
    take_numbers(f);
    memcpy(f->p, f->first, (size_t)f->n * sizeof *f->p);
    for (int k = 0; k < f->n; k++) f->deviations[k] = NAN;
    return SAR_OK;
}

sar_status sar_fit_create(const sar_study* study, const sar_fit_def* def, sar_fit** out,
                          sar_error* error)
{
    *out = NULL;
    sar_fit* f = SARI_NEW(sar_fit);
    if (!f) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    f->study = *study;
    f->def = *def;
    const sar_status status = set_up(f, error);
    if (status == SAR_OK)
        *out = f;
    else
        sar_fit_destroy(f);
    return status;
}

void sar_fit_destroy(sar_fit* f)
{
    if (!f) return;
    sari_experiment_clear(&f->experiment);
    sari_arena_clear(&f->memory);
    sari_release(f);
}

/* ---- what was found ------------------------------------------------------------------------- */

sar_fit_summary sar_fit_summarise(const sar_fit* f)
{
    return f->summary;
}

int sar_fit_numbers(const sar_fit* f)
{
    return f->n;
}

sar_fit_number sar_fit_number_at(const sar_fit* f, int k)
{
    return (sar_fit_number){.name = k < f->study.free_count ? f->study.free[k].name : "offset",
                            .start = f->first[k],
                            .value = f->p[k],
                            .lower = f->lower[k],
                            .upper = f->upper[k],
                            .deviation = f->deviations[k],
                            .at_bound = f->p[k] <= f->lower[k] || f->p[k] >= f->upper[k]};
}

double sar_fit_correlation(const sar_fit* f, int i, int k)
{
    return f->correlations[i * f->n + k];
}

const double* sar_fit_combination(const sar_fit* f, int which)
{
    return f->combinations + (long)which * f->n;
}

int sar_fit_curves(const sar_fit* f)
{
    return f->columns;
}

sar_fit_curve sar_fit_curve_at(const sar_fit* f, int k)
{
    const column* c = &f->column[k];
    double square = 0.0;
    for (int i = 0; i < c->count; i++)
        square += (c->found[i] - c->measured[i]) * (c->found[i] - c->measured[i]);
    return (sar_fit_curve){.name = c->name,
                           .expression = c->expression,
                           .weight = c->weight,
                           .rms = sqrt(square / c->count),
                           .count = c->count,
                           .t = c->t,
                           .measured = c->measured,
                           .before = c->before,
                           .found = c->found};
}
