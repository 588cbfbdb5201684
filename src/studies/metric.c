/* How far a result is from a reference. With n variables y_j, weights w_j and m samples t_i:
 *
 *     eps_j(t_i) = y_j(t_i) - y_j_ref(t_i)                                  (1)
 *     eps_T      = sqrt( 1/n sum_j w_j/m sum_i eps_j(t_i)^2 )               (2)
 *
 * Source: [ruggiu2023, Eqs. (1), (2)]. Its section 2.1.2 interpolates linearly between rows (`linear`);
 * else a value between rows is as good as the rows and their rates allow (interpolate.c). Relative errors
 * [gonzalez2006] are (1) divided by |y_j_ref(t_i)|, or by a fraction of its largest value.
 */
#include "sarrus/result.h"

#include "base/memory.h"
#include "base/status.h"
#include "studies/interpolate.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LIMITED = 0.1; ///< of an error: interpolation that limits the comparison

/// Where the samples are: the rows of the reference, or a grid.
typedef struct sampling {
    double start, end; ///< the time both results cover
    double interval;   ///< of the grid; 0: rows of the reference
    int first;         ///< row of the reference at which they begin
    int count;
} sampling;

/// A place between two rows of a result, kept between calls: samples only go forward.
typedef struct place {
    int row;         ///< the row at or before the sample
    double fraction; ///< of the way to the next row
} place;

/* Rounding of a time: rows that should meet may differ by this. */
static double time_tolerance(double start, double end)
{
    return 1e-10 * fmax(end - start, fmax(fabs(start), fabs(end)));
}

static void find_place(const sar_result* r, double t, place* p)
{
    const double* time = sar_result_time(r);
    int last = sar_result_rows(r) - 1;
    while (p->row < last && time[p->row + 1] <= t) p->row++;
    p->fraction = 0.0;
    if (p->row < last && t > time[p->row])
        p->fraction = (t - time[p->row]) / (time[p->row + 1] - time[p->row]);
}

/* `most`: largest uncertainty so far. A time that misses a row by rounding is that row's. */
static double value_at(const sar_result* r, int column, const double* rate, int linear,
                       const place* p, double t, double* most)
{
    const double* y = sar_result_column(r, column) + p->row;
    const double rounding = 1e-9;
    double unsure;
    if (p->fraction < rounding) return y[0];
    if (p->fraction > 1.0 - rounding) return y[1];
    if (linear) return y[0] + p->fraction * (y[1] - y[0]);
    const double value = sari_interpolate(r, column, rate, p->row, t, &unsure);
    *most = fmax(*most, unsure);
    return value;
}

static sar_status choose_samples(const sar_result* a, const sar_result* b, double interval,
                                 sampling* s, sar_error* error)
{
    int rows_a = sar_result_rows(a), rows_b = sar_result_rows(b);
    if (rows_a == 0 || rows_b == 0)
        return sari_fail(error, SAR_E_ARG, NULL, "%s has no rows",
                         rows_a == 0 ? "the result" : "the reference");
    if (!(interval >= 0.0) || isinf(interval))
        return sari_fail(error, SAR_E_ARG, "interval",
                         "the sampling interval is %g, expected 0 or more seconds", interval);
    const double *ta = sar_result_time(a), *tb = sar_result_time(b);
    s->start = fmax(ta[0], tb[0]);
    s->end = fmin(ta[rows_a - 1], tb[rows_b - 1]);
    s->interval = interval;
    double tolerance = time_tolerance(s->start, s->end);
    if (s->end < s->start - tolerance)
        return sari_fail(
            error, SAR_E_ARG, NULL,
            "the result covers %g ... %g s and the reference %g ... %g s: no time in common", ta[0],
            ta[rows_a - 1], tb[0], tb[rows_b - 1]);
    if (interval > 0.0) {
        double count = floor((s->end - s->start + tolerance) / interval) + 1.0;
        if (!(count <= INT_MAX))
            return sari_fail(error, SAR_E_ARG, "interval",
                             "an interval of %g s gives too many samples", interval);
        s->count = (int)count;
        return SAR_OK;
    }
    s->first = 0;
    while (s->first < rows_b && tb[s->first] < s->start - tolerance) s->first++;
    s->count = 0;
    while (s->first + s->count < rows_b && tb[s->first + s->count] <= s->end + tolerance)
        s->count++;
    if (s->count == 0)
        return sari_fail(error, SAR_E_ARG, NULL,
                         "no row of the reference lies in the common time %g ... %g s", s->start,
                         s->end);
    return SAR_OK;
}

static sar_status find_column(const sar_result* r, const char* whose, const char* name, int* out,
                              sar_error* error)
{
    *out = sar_result_find(r, name);
    if (*out >= 0) return SAR_OK;
    const char* near = NULL;
    int columns = sar_result_columns(r);
    const char** words = SARI_NEW_ARRAY(const char*, columns);
    if (words) {
        for (int k = 0; k < columns; k++) words[k] = sar_result_name(r, k);
        near = sari_nearest_word(name, words, columns);
        sari_release(words);
    }
    return sari_fail(error, SAR_E_ARG, name, "%s has no column \"%s\"%s%s%s", whose, name,
                     near ? ": did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

int sar_result_is_estimate(const sar_result* r, int column)
{
    const char *name = sar_result_name(r, column), *ending = strrchr(name, '.');
    if (!ending || (strcmp(ending, ".error") != 0 && strcmp(ending, ".rate") != 0)) return 0;
    const size_t length = strlen(name), end = strlen(ending);
    for (int k = 0; k < sar_result_columns(r); k++) {
        const char* other = sar_result_name(r, k);
        if (strlen(other) == length - end && strncmp(other, name, length - end) == 0) return 1;
    }
    return 0;
}

/* Pairs of columns to compare, into pair[2 k] (of a) and pair[2 k + 1] (of b). */
static sar_status choose_columns(const sar_result* a, const sar_result* b,
                                 const sar_comparison_def* def, int* pair, int* count,
                                 sar_error* error)
{
    *count = 0;
    if (def->names) {
        for (int k = 0; k < def->count; k++) {
            SARI_TRY(find_column(a, "the result", def->names[k], &pair[2 * k], error));
            SARI_TRY(find_column(b, "the reference", def->names[k], &pair[2 * k + 1], error));
            ++*count;
        }
    } else {
        for (int k = 0; k < sar_result_columns(a); k++) {
            int other = sar_result_find(b, sar_result_name(a, k));
            if (other < 0 || sar_result_is_estimate(a, k)) continue;
            pair[2 * *count] = k;
            pair[2 * *count + 1] = other;
            ++*count;
        }
    }
    if (*count > 0) return SAR_OK;
    return sari_fail(error, SAR_E_ARG, NULL, "the two results have no column in common");
}

static sar_status check_def(const sar_comparison_def* def, sar_error* error)
{
    if (!(def->relative >= 0.0) || isinf(def->relative))
        return sari_fail(error, SAR_E_ARG, "relative",
                         "relative errors need a fraction of the largest value, here is %g",
                         def->relative);
    if (!def->names && def->weights)
        return sari_fail(error, SAR_E_ARG, "weights", "weights need the names they belong to");
    if (def->names && def->count < 1)
        return sari_fail(error, SAR_E_ARG, "names", "no column to compare was named");
    for (int k = 0; def->weights && k < def->count; k++)
        if (!(def->weights[k] >= 0.0) || isinf(def->weights[k]))
            return sari_fail(error, SAR_E_ARG, "weights",
                             "the weight of \"%s\" is %g, expected 0 or more", def->names[k],
                             def->weights[k]);
    return SAR_OK;
}

/// What one pair of columns comes to.
typedef struct pair_errors {
    double squares; ///< the inner sum of (2)
    double largest, when;
    double unsure; ///< of interpolated values
} pair_errors;

/* The least number that an error is divided by, if errors are relative. */
static double least_divisor(const sar_result* b, int column, double relative)
{
    double largest = 0.0;
    for (int i = 0; i < sar_result_rows(b); i++)
        largest = fmax(largest, fabs(sar_result_column(b, column)[i]));
    return relative * largest;
}

static sar_status compare_columns(const sar_result* a, const sar_result* b, const int pair[2],
                                  const sampling* s, const sar_comparison_def* def,
                                  pair_errors* out, sar_error* error)
{
    place in_a = {0}, in_b = {.row = s->interval > 0.0 ? 0 : s->first};
    const double* reference_time = sar_result_time(b) + s->first;
    const double *rate_a = sar_result_rate(a, pair[0]), *rate_b = sar_result_rate(b, pair[1]);
    const double least = least_divisor(b, pair[1], def->relative);
    *out = (pair_errors){.when = s->start};
    for (int i = 0; i < s->count; i++) {
        double t = s->interval > 0.0 ? fmin(s->start + i * s->interval, s->end) : reference_time[i];
        double y_ref;
        if (s->interval > 0.0) {
            find_place(b, t, &in_b);
            y_ref = value_at(b, pair[1], rate_b, def->linear, &in_b, t, &out->unsure);
        } else {
            y_ref = sar_result_column(b, pair[1])[s->first + i];
        }
        find_place(a, t, &in_a);
        double eps =
            value_at(a, pair[0], rate_a, def->linear, &in_a, t, &out->unsure) - y_ref; // (1)
        if (least > 0.0) eps /= fmax(fabs(y_ref), least);
        if (!isfinite(eps))
            return sari_fail(error, SAR_R_NOT_FINITE, sar_result_name(a, pair[0]),
                             "\"%s\" is not finite at t = %.9g s", sar_result_name(a, pair[0]), t);
        out->squares += eps * eps;
        if (fabs(eps) > out->largest) {
            out->largest = fabs(eps);
            out->when = t;
        }
    }
    return SAR_OK;
}

static sar_status compare_all(const sar_result* a, const sar_result* b,
                              const sar_comparison_def* def, int* pair, sar_comparison* out,
                              double* errors, sar_error* error)
{
    sampling s = {0};
    SARI_TRY(choose_columns(a, b, def, pair, &out->variables, error));
    SARI_TRY(choose_samples(a, b, def->interval, &s, error));
    out->samples = s.count;
    out->max_name = sar_result_name(a, pair[0]);
    out->max_time = s.start;
    double sum = 0.0;
    for (int k = 0; k < out->variables; k++) {
        pair_errors e;
        SARI_TRY(compare_columns(a, b, &pair[2 * k], &s, def, &e, error));
        sum += (def->weights ? def->weights[k] : 1.0) / s.count * e.squares;
        if (errors) errors[k] = e.largest;
        if (e.unsure > LIMITED * e.largest && e.unsure > out->interpolation)
            out->limited = sar_result_name(a, pair[2 * k]);
        out->interpolation = fmax(out->interpolation, e.unsure);
        if (e.largest > out->max_error) {
            out->max_error = e.largest;
            out->max_name = sar_result_name(a, pair[2 * k]);
            out->max_time = e.when;
        }
    }
    out->total = sqrt(sum / out->variables); // (2)
    return SAR_OK;
}

sar_status sar_result_compare(const sar_result* a, const sar_result* b,
                              const sar_comparison_def* def, sar_comparison* out, double* errors,
                              sar_error* error)
{
    static const sar_comparison_def everything = {0};
    if (!def) def = &everything;
    *out = (sar_comparison){0};
    SARI_TRY(check_def(def, error));
    int most = def->names ? def->count : sar_result_columns(a);
    int* pair = SARI_NEW_ARRAY(int, 2 * (size_t)most);
    if (!pair) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    sar_status status = compare_all(a, b, def, pair, out, errors, error);
    sari_release(pair);
    return status;
}
