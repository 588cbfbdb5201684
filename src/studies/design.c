/* Numbers of a model that make something of its motion least, within limits:
 *
 *     rms(E) ...:  min 1/2 sum w_i E_ij^2, least squares                                          (1)
 *     max(E):      min s,  E_i - s <= 0 at all samples                                            (2)
 *     other:       min F(R_1, ...; p), see functional.h                                           (3)
 *
 * with limits of the kinds E_i <= 0 at all samples, and F <= 0. Slopes of F by a difference along dR/dp and p, which costs
 * no run. */
#include "base/memory.h"
#include "base/status.h"
#include "math/random.h"
#include "math/vector.h"
#include "studies/experiment.h"
#include "studies/functional.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double OUTER_STEP = 1e-6; ///< of a number's size, for slopes of F
static const double ACTIVE = 1e-6;     ///< of the change of a limit: it holds with nothing to spare

typedef enum goal_kind { SQUARES, LARGEST, VALUE } goal_kind;

/* A limit, or what is minimised. */
typedef struct row {
    const char* text;
    sari_functional f;
    int column;  ///< of the expression that counts at all samples; -1: f is one number
    double sign; ///< of f: -1 for ">="
    int equality;
    int first, count;     ///< of its values
    double before, after; ///< largest value
} row;

struct sar_design {
    sari_arena memory;
    sar_study study;
    sar_design_def def;
    sari_functionals functionals;
    sari_experiment experiment;
    goal_kind kind;
    int n, samples, columns, values, goals; ///< n: numbers; samples: values of each expression
    row *goal, *limit;
    int limits, inequalities, equalities;
    double *times, *y, *dy, *R, *dR, *slope;
    double *p, *first, *best, *lower, *upper, *size, *last, *trial;
    double *before, *after, *objective;
    double* result; ///< values at p
    int known;
    sar_design_summary summary;
};

/* ---- numbers of the run --------------------------------------------------------------------- */

static double duration(const sar_design* d)
{
    return d->times[d->samples - 1] - d->times[0];
}

/* F with the model's parameters at p and the reducers' values R. */
static sar_status outer_values(sar_design* d, const double* p, const double* R, double* out)
{
    sar_model* model = NULL;
    sar_error error = {0};
    int* column = SARI_NEW_ARRAY(int, d->columns);
    if (!column) return SAR_E_NOMEM;
    sar_status status = sari_experiment_model(&d->experiment, p, &model, column, &error);
    for (int k = 0; k < d->functionals.reducers && status == SAR_OK; k++) {
        char name[32];
        sari_reducer_name(k, name);
        status = sar_model_set_parameter(model, name, R[k], &error);
    }
    for (int k = 0; k < d->goals + d->limits && status == SAR_OK; k++) {
        const row* r = k < d->goals ? &d->goal[k] : &d->limit[k - d->goals];
        if (r->column < 0) status = sar_model_number(model, r->f.outer, &out[k], &error);
    }
    if (status != SAR_OK)
        snprintf(d->experiment.failure, sizeof d->experiment.failure, "%s", error.message);
    sar_model_destroy(model);
    sari_release(column);
    return status == SAR_OK || status == SAR_E_NOMEM ? status : SAR_R_NOT_FINITE;
}

static sar_status find_values(sar_design* d, const double* p)
{
    if (d->known && memcmp(d->last, p, (size_t)d->n * sizeof *p) == 0) return SAR_OK;
    d->known = 0;
    SARI_TRY(sari_experiment_values(&d->experiment, p, d->times, d->samples, d->y));
    for (int k = 0; k < d->functionals.reducers; k++)
        d->R[k] = sari_reducer_value(&d->functionals.reducer[k], d->y, d->samples, d->columns,
                                     duration(d), NULL);
    memcpy(d->last, p, (size_t)d->n * sizeof *p);
    d->known = 1;
    return SAR_OK;
}

/* dR/dp from dy/dp. */
static void reduce_slopes(sar_design* d)
{
    const int n = d->n;
    for (int k = 0; k < d->functionals.reducers; k++) {
        const sari_reducer* r = &d->functionals.reducer[k];
        double* to = d->dR + k * n;
        sari_reducer_value(r, d->y, d->samples, d->columns, duration(d), d->slope);
        memset(to, 0, (size_t)n * sizeof *to);
        for (int i = 0; i < d->samples; i++)
            if (d->slope[i] != 0.0)
                sari_vector_add(n, d->slope[i], d->dy + ((long)i * d->columns + r->column) * n, to);
    }
}

/* ---- the problem ---------------------------------------------------------------------------- */

/* Variables: the numbers, and s of (2). */
static int variables(const sar_design* d)
{
    return d->n + (d->kind == LARGEST);
}

/* Value of row r at sample i, and its slopes. */
static double sampled(const sar_design* d, const row* r, int i)
{
    return r->sign * d->y[(long)i * d->columns + r->column];
}

static void put_slopes(const sar_design* d, const row* r, int i, double factor, double* J)
{
    const double* from = d->dy + ((long)i * d->columns + r->column) * d->n;
    memset(J, 0, (size_t)variables(d) * sizeof *J);
    for (int k = 0; k < d->n; k++) J[k] = factor * r->sign * from[k];
}

static void put_goal(const sar_design* d, const double* p, const double* outer, double* values,
                     double* J)
{
    const int v = variables(d);
    if (d->kind == VALUE) values[0] = outer[0];
    if (d->kind == LARGEST) {
        values[0] = p[d->n];
        if (J) memset(J, 0, (size_t)v * sizeof *J), J[d->n] = 1.0;
    }
    for (int j = 0; j < d->goals && d->kind == SQUARES; j++)
        for (int i = 0; i < d->samples; i++) {
            const double root = sqrt(sari_sample_weight(i, d->samples));
            values[j * d->samples + i] = root * sampled(d, &d->goal[j], i);
            if (J) put_slopes(d, &d->goal[j], i, root, J + (long)(j * d->samples + i) * v);
        }
    for (int i = 0; i < d->samples && d->kind == LARGEST; i++) {
        const row* r = &d->goal[0];
        double* to = J ? J + (long)(r->first + i) * v : NULL;
        values[r->first + i] = sampled(d, r, i) - p[d->n];
        if (to) put_slopes(d, r, i, 1.0, to), to[d->n] = -1.0;
    }
}

static void put_limits(const sar_design* d, const double* outer, double* values, double* J)
{
    const int v = variables(d);
    for (int k = 0; k < d->limits; k++) {
        const row* r = &d->limit[k];
        if (r->column < 0) values[r->first] = r->sign * outer[d->goals + k];
        for (int i = 0; i < r->count && r->column >= 0; i++) {
            values[r->first + i] = sampled(d, r, i);
            if (J) put_slopes(d, r, i, 1.0, J + (long)(r->first + i) * v);
        }
    }
}

/* Slopes of all F: number k changes, and all R with it. */
static sar_status put_outer_slopes(sar_design* d, const double* p, double* J)
{
    const int v = variables(d), rows = d->goals + d->limits, reducers = d->functionals.reducers;
    int any = d->kind == VALUE;
    for (int k = 0; k < d->limits; k++) any |= d->limit[k].column < 0;
    double* outer = SARI_NEW_ARRAY(double, 2 * rows);
    double* R = SARI_NEW_ARRAY(double, reducers + 1);
    sar_status status = outer && R ? SAR_OK : SAR_E_NOMEM;
    for (int q = 0; any && q < d->n && status == SAR_OK; q++) {
        const double h = sari_experiment_step(&d->experiment, OUTER_STEP, q, p[q]);
        const double less = p[q] - h < d->lower[q] ? 0.0 : h,
                     more = p[q] + h > d->upper[q] ? 0.0 : h;
        const double width = less + more > 0.0 ? less + more : 1.0; // 0: it cannot change
        for (int side = 0; side < 2 && status == SAR_OK; side++) {
            const double move = side ? more : -less;
            memcpy(d->trial, p, (size_t)d->n * sizeof *p);
            d->trial[q] += move;
            for (int k = 0; k < reducers; k++) R[k] = d->R[k] + move * d->dR[k * d->n + q];
            status = outer_values(d, d->trial, R, outer + side * rows);
        }
        if (status != SAR_OK) break;
        if (d->kind == VALUE) J[q] = (outer[rows] - outer[0]) / width;
        for (int k = 0; k < d->limits; k++)
            if (d->limit[k].column < 0)
                J[(long)d->limit[k].first * v + q] =
                    d->limit[k].sign * (outer[rows + d->goals + k] - outer[d->goals + k]) / width;
    }
    sari_release(outer);
    sari_release(R);
    return status;
}

static sar_status evaluate(void* context, const double* p, double* values, double* J)
{
    sar_design* d = context;
    if (d->study.stop && d->study.stop(d->study.context)) return SAR_E_ARG;
    SARI_TRY(find_values(d, p));
    double* outer = SARI_NEW_ARRAY(double, d->goals + d->limits);
    sar_status status = outer ? outer_values(d, p, d->R, outer) : SAR_E_NOMEM;
    if (status == SAR_OK && J) {
        memset(J, 0, (size_t)d->values * (size_t)variables(d) * sizeof *J);
        status = sari_experiment_slopes(&d->experiment, p, d->times, d->samples, d->y, d->dy);
        if (status == SAR_OK) reduce_slopes(d);
        if (status == SAR_OK) status = put_outer_slopes(d, p, J);
    }
    if (status == SAR_OK) {
        put_goal(d, p, outer, values, J);
        put_limits(d, outer, values, J);
    }
    sari_release(outer);
    return status;
}

/* ---- the search ----------------------------------------------------------------------------- */

/* What the user sees of it: rms, the largest value, or F. */
static double objective_of(const sar_design* d, const double* values)
{
    if (d->kind == VALUE) return values[0];
    if (d->kind == SQUARES) return sari_vector_norm(d->goals * d->samples, values);
    double most = sampled(d, &d->goal[0], 0);
    for (int i = 1; i < d->samples; i++) most = sari_max(most, sampled(d, &d->goal[0], i));
    return most;
}

static int watch(void* context, int iteration, double objective, double violation, const double* p)
{
    sar_design* d = context;
    memcpy(d->p, p, (size_t)d->n * sizeof *p);
    const sar_optimisation_options* search = &d->study.search;
    if (d->kind == SQUARES) objective = sqrt(2.0 * objective);
    return !search->watch || search->watch(search->context, iteration, objective, violation, p);
}

static void keep(sar_design* d, double* curves, int after)
{
    for (int i = 0; i < d->samples; i++)
        for (int j = 0; j < d->columns; j++) curves[j * d->samples + i] = d->y[i * d->columns + j];
    for (int k = 0; k < d->limits; k++) {
        row* r = &d->limit[k];
        double most = -INFINITY;
        for (int i = 0; i < r->count; i++)
            most = sari_max(most,
                            r->equality ? fabs(d->result[r->first + i]) : d->result[r->first + i]);
        *(after ? &r->after : &r->before) = most;
    }
}

/* Numbers of search k: those of the model, or some within the bounds, the same every time. */
static void choose_start(const sar_design* d, int k, double* p)
{
    uint64_t state = (uint64_t)k * 977u + 12345u;
    memcpy(p, d->first, (size_t)d->n * sizeof *p);
    for (int i = 0; i < 8; i++) sari_random(&state);
    for (int i = 0; i < d->n && k > 0; i++) {
        const double low = isfinite(d->lower[i]) ? d->lower[i] : d->first[i] - 0.5 * d->size[i];
        const double high = isfinite(d->upper[i]) ? d->upper[i] : d->first[i] + 0.5 * d->size[i];
        p[i] = low + (high - low) * 0.5 * (1.0 + sari_random(&state));
    }
}

/* Search k. > 0: its start has no run. */
static sar_status search_from(sar_design* d, int k, sar_optimum* found)
{
    const int v = variables(d);
    double* p = d->best + (long)(k + 1) * v; // each keeps its own
    choose_start(d, k, p);
    memcpy(d->p, p, (size_t)d->n * sizeof *p);
    SARI_TRY(evaluate(d, p, d->result, NULL));
    if (d->kind == LARGEST) p[d->n] = objective_of(d, d->result);
    const sar_optimisation problem = {.variables = v,
                                      .lower = d->lower,
                                      .upper = d->upper,
                                      .scale = d->size,
                                      .residuals = d->kind == SQUARES ? d->goals * d->samples : 0,
                                      .limits = d->inequalities,
                                      .equalities = d->equalities,
                                      .evaluate = evaluate,
                                      .context = d};
    if (d->kind == LARGEST) d->size[d->n] = sari_max(fabs(p[d->n]), 1e-300);
    sar_optimisation_options search = d->study.search;
    search.watch = watch, search.context = d;
    const sar_status status = sar_optimise(&problem, &search, p, found, NULL);
    if (status != SAR_OK)
        memcpy(p, d->p, (size_t)d->n * sizeof *p); // stopped: the last that counts
    return status;
}

static sar_status conclude(sar_design* d, int best, sar_error* error)
{
    const int v = variables(d);
    if (best < 0)
        return sari_fail(error, SAR_R_NO_CONV, NULL, "the run fails at every start: %s",
                         d->experiment.failure);
    memcpy(d->p, d->best + (long)(best + 1) * v, (size_t)d->n * sizeof *d->p);
    sari_experiment_judge(&d->experiment, d->p, &d->summary.search);
    memcpy(d->best, d->best + (long)(best + 1) * v, (size_t)v * sizeof *d->p);
    const sar_study study = d->study;
    d->study.stop = NULL; // the last run is wanted in any case
    const sar_status status = evaluate(d, d->best, d->result, NULL);
    d->study = study;
    if (status != SAR_OK) return sari_fail(error, status, NULL, "%s", d->experiment.failure);
    keep(d, d->after, 1);
    d->summary.after = objective_of(d, d->result);
    d->summary.best = best;
    d->summary.runs = d->experiment.runs;
    d->summary.refused = d->experiment.refused[0] ? d->experiment.refused : NULL;
    return SAR_OK;
}

static int stopped(const sar_design* d)
{
    return d->study.stop && d->study.stop(d->study.context);
}

sar_status sar_design_run(sar_design* d, sar_error* error)
{
    int best = -1;
    d->summary = (sar_design_summary){.before = NAN, .starts = 0};
    for (int k = 0; k < d->def.starts && !stopped(d); k++) {
        sar_optimum found = {.verdict = SAR_OPTIMUM_STOPPED, .solver = ""};
        if (k == 0 && evaluate(d, d->first, d->result, NULL) == SAR_OK) {
            keep(d, d->before, 0);
            d->summary.before = objective_of(d, d->result);
        }
        const sar_status status = search_from(d, k, &found);
        if (status == SAR_E_NOMEM || status == SAR_E_BUILD)
            return sari_fail(error, status, NULL, "%s", sar_status_text(status));
        d->summary.starts++;
        d->objective[k] = NAN;
        if (status != SAR_OK && !stopped(d)) {
            d->summary.failed++;
            continue;
        }
        const double objective = d->kind == SQUARES ? sqrt(2.0 * found.objective) : found.objective;
        const int holds = found.verdict != SAR_OPTIMUM_INFEASIBLE;
        if (holds && status == SAR_OK) d->objective[k] = objective;
        const int better = best < 0 || (holds && !(objective >= d->objective[best]));
        if (!better) continue;
        best = k;
        d->summary.search = found;
    }
    if (stopped(d)) d->summary.search.verdict = SAR_OPTIMUM_STOPPED;
    return conclude(d, best, error);
}

/* ---- create --------------------------------------------------------------------------------- */

/* A number of the parameters alone? */
static int is_number(sar_model* model, const char* text)
{
    double value;
    return sar_model_number(model, text, &value, NULL) == SAR_OK;
}

static sar_status take_row(sar_design* d, sar_model* model, const char* text, row* r,
                           sar_error* error)
{
    r->column = -1;
    r->sign = 1.0;
    r->count = 1;
    SARI_TRY(sari_functional_read(&d->functionals, text, &r->f, error));
    if (r->f.count > 0 || is_number(model, text)) return SAR_OK;
    r->column = sari_functionals_expression(&d->functionals, text, strlen(text));
    r->count = d->samples;
    return SAR_OK;
}

static sar_status take_goals(sar_design* d, sar_model* model, sar_error* error)
{
    d->goals = d->def.minimise_count;
    d->goal = SARI_TAKE(&d->memory, row, d->goals + 1);
    if (!d->goal) return SAR_E_NOMEM;
    int squares = 0;
    for (int k = 0; k < d->goals; k++) {
        row* r = &d->goal[k];
        const char* text = r->text = d->def.minimise[k];
        SARI_TRY(take_row(d, model, text, r, error));
        const int whole = r->f.whole;
        const sari_reducer* one = whole >= 0 ? &d->functionals.reducer[whole] : NULL;
        if (one && (one->kind == SARI_RMS || one->kind == SARI_MAX)) r->column = one->column;
        squares += one && one->kind == SARI_RMS;
        d->kind = one && one->kind == SARI_RMS   ? SQUARES
                  : one && one->kind == SARI_MAX ? LARGEST
                                                 : VALUE;
        if (d->kind != VALUE || r->f.count > 0 || r->column < 0) continue;
        char* end = SARI_TAKE(&d->memory, char, strlen(text) + 8); // E alone: its value at the end
        if (!end) return SAR_E_NOMEM;
        sprintf(end, "end(%s)", text);
        SARI_TRY(sari_functional_read(&d->functionals, end, &r->f, error));
        r->column = -1;
    }
    if (d->goals < 1) return sari_fail(error, SAR_E_ARG, NULL, "nothing is to be minimised");
    if (d->goals > 1 && squares < d->goals)
        return sari_fail(error, SAR_E_ARG, NULL,
                         "several things can be minimised together if each of them is rms(...); "
                         "write others as one expression");
    return SAR_OK;
}

/* "A <= B" as A - (B) <= 0. */
static sar_status take_limit(sar_design* d, sar_model* model, const char* text, row* r,
                             sar_error* error)
{
    const char* at = strpbrk(text, "<>=");
    r->text = text;
    if (!at || at == text || !at[1 + (at[1] == '=')])
        return sari_fail(error, SAR_E_ARG, NULL,
                         "'%s': a limit is EXPRESSION <= EXPRESSION, >= or =", text);
    const char kind = *at, *right = at + 1 + (at[1] == '=');
    char* difference = SARI_TAKE(&d->memory, char, strlen(text) + 16);
    if (!difference) return SAR_E_NOMEM;
    sprintf(difference, "%.*s - (%s)", (int)(at - text), text, right);
    SARI_TRY(take_row(d, model, difference, r, error));
    r->equality = kind == '=';
    r->sign = kind == '>' ? -1.0 : 1.0;
    return SAR_OK;
}

/* Where values of each row stand: the objective, inequalities, equalities. */
static void number_rows(sar_design* d)
{
    int at = d->kind == SQUARES ? d->goals * d->samples : 1;
    const int objectives = at;
    if (d->kind == LARGEST) d->goal[0].first = at, at += d->samples;
    for (int equality = 0; equality < 2; equality++) {
        for (int k = 0; k < d->limits; k++)
            if (d->limit[k].equality == equality) d->limit[k].first = at, at += d->limit[k].count;
        if (!equality) d->inequalities = at - objectives;
    }
    d->equalities = at - objectives - d->inequalities;
    d->values = at;
}

static size_t characters(const sar_design_def* def)
{
    size_t sum = 64;
    for (int k = 0; k < def->minimise_count; k++) sum += strlen(def->minimise[k]) + 16;
    for (int k = 0; k < def->limits_count; k++) sum += strlen(def->limits[k]) + 16;
    return sum;
}

static sar_status take_texts(sar_design* d, sar_error* error)
{
    sar_model* model = NULL;
    char* messages = NULL;
    SARI_TRY(sari_functionals_create(&d->functionals, characters(&d->def)));
    sar_status status = sar_source_model(d->study.source, d->study.settings,
                                         d->study.settings_count, &model, NULL, &messages);
    if (status != SAR_OK) sari_fail(error, status, NULL, "%s", messages ? messages : "no model");
    sar_text_free(messages);
    if (status == SAR_OK) status = take_goals(d, model, error);
    d->limits = d->def.limits_count;
    d->limit = SARI_TAKE(&d->memory, row, d->limits + 1);
    for (int k = 0; k < d->limits && status == SAR_OK && d->limit; k++)
        status = take_limit(d, model, d->def.limits[k], &d->limit[k], error);
    sar_model_destroy(model);
    if (status == SAR_OK) number_rows(d);
    return status;
}

static sar_status take_memory(sar_design* d)
{
    const int v = variables(d), columns = d->columns, K = d->samples;
    const long table = (long)K * columns;
    double** of_numbers[] = {&d->p, &d->first, &d->lower, &d->upper, &d->size, &d->last, &d->trial};
    for (unsigned k = 0; k < sizeof of_numbers / sizeof *of_numbers; k++)
        *of_numbers[k] = SARI_TAKE(&d->memory, double, v);
    d->best = SARI_TAKE(&d->memory, double, (long)v*(d->def.starts + 1));
    d->objective = SARI_TAKE(&d->memory, double, d->def.starts);
    d->times = SARI_TAKE(&d->memory, double, K);
    d->slope = SARI_TAKE(&d->memory, double, K);
    d->y = SARI_TAKE(&d->memory, double, table);
    d->before = SARI_TAKE(&d->memory, double, table);
    d->after = SARI_TAKE(&d->memory, double, table);
    d->dy = SARI_TAKE(&d->memory, double, table * d->n);
    d->R = SARI_TAKE(&d->memory, double, d->functionals.reducers + 1);
    d->dR = SARI_TAKE(&d->memory, double, (d->functionals.reducers + 1) * d->n);
    d->result = SARI_TAKE(&d->memory, double, d->values);
    return d->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

static sar_status set_up(sar_design* d, sar_error* error)
{
    const sar_options* o = d->study.options;
    if (d->def.samples <= 0) d->def.samples = 100;
    if (d->def.starts <= 0) d->def.starts = 1;
    d->samples = d->def.samples + d->def.samples % 2 + 1;
    d->n = d->study.free_count;
    if (!(o->end > o->start))
        return sari_fail(error, SAR_E_ARG, NULL, "the run ends before it begins: set --end");
    SARI_TRY(take_texts(d, error));
    d->columns = d->functionals.expressions;
    SARI_TRY(sari_experiment_create(&d->study, d->functionals.expression, d->columns,
                                    &d->experiment, error));
    SARI_TRY(take_memory(d));
    for (int i = 0; i < d->samples; i++)
        d->times[i] = o->start + (o->end - o->start) * i / (d->samples - 1);
    for (int k = 0; k < d->n; k++) {
        d->lower[k] = d->experiment.lower[k], d->upper[k] = d->study.free[k].upper;
        d->size[k] = d->experiment.size[k];
        d->first[k] = d->experiment.first[k];
    }
    if (d->kind == LARGEST) d->lower[d->n] = -INFINITY, d->upper[d->n] = INFINITY;
    return SAR_OK;
}

sar_status sar_design_create(const sar_study* study, const sar_design_def* def, sar_design** out,
                             sar_error* error)
{
    *out = NULL;
    sar_design* d = SARI_NEW(sar_design);
    if (!d) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    d->study = *study;
    d->def = *def;
    const sar_status status = set_up(d, error);
    if (status == SAR_OK)
        *out = d;
    else
        sar_design_destroy(d);
    return status;
}

void sar_design_destroy(sar_design* d)
{
    if (!d) return;
    sari_experiment_clear(&d->experiment);
    sari_functionals_clear(&d->functionals);
    sari_arena_clear(&d->memory);
    sari_release(d);
}

/* ---- what was found ------------------------------------------------------------------------- */

sar_design_summary sar_design_summarise(const sar_design* d)
{
    return d->summary;
}

double sar_design_objective(const sar_design* d, int k)
{
    return d->objective[k];
}

int sar_design_numbers(const sar_design* d)
{
    return d->n;
}

sar_fit_number sar_design_number_at(const sar_design* d, int k)
{
    return (sar_fit_number){.name = d->study.free[k].name,
                            .start = d->first[k],
                            .value = d->p[k],
                            .lower = d->lower[k],
                            .upper = d->upper[k],
                            .deviation = NAN,
                            .at_bound = d->p[k] <= d->lower[k] || d->p[k] >= d->upper[k]};
}

int sar_design_limits(const sar_design* d)
{
    return d->limits;
}

sar_design_limit sar_design_limit_at(const sar_design* d, int k)
{
    const row* r = &d->limit[k];
    const double change = sari_max(fabs(r->after - r->before), fabs(r->after));
    return (sar_design_limit){.text = r->text,
                              .before = r->before,
                              .after = r->after,
                              .active =
                                  r->equality || fabs(r->after) <= ACTIVE * sari_max(change, 1.0)};
}

int sar_design_curves(const sar_design* d)
{
    return d->columns;
}

sar_design_curve sar_design_curve_at(const sar_design* d, int k)
{
    return (sar_design_curve){.expression = d->functionals.expression[k],
                              .count = d->samples,
                              .t = d->times,
                              .before = d->before + (long)k * d->samples,
                              .after = d->after + (long)k * d->samples};
}
