/* The global error of a run, from its samples y and those of a reference run z at the same times.
 *
 * Errors of a method of order p are e(t) h^p + higher terms. With the step h of the run and h/r of
 * the reference run [hairer1993, II.4]:
 *
 *     y - z = e h^p (1 - r^-p),        |error of y| = |y - z| / (1 - r^-p)                 (1)
 *
 * If the reference run's error is negligible, r is infinite; beside one with longer steps r is below 1,
 * and the absolute value of the denominator counts. The order is measured with a third run x of
 * step r h, over the samples before errors are as large as the motion:
 *
 *     r^p = |x - y| / |y - z|          (norms: root mean square, in units of the ranges)    (2)
 *
 * The range of an output is what the reference run says, but at least a thousandth of the largest of
 * its kind and a millionth of its values: what stands still has no range to measure errors by. (3)
 *
 * Where an output jumps (an angle from pi to -pi, an acceleration when a force sets in), a tiny
 * difference in time is a large one in value. At the samples next to a jump of both runs the
 * reference run's values before and after it count too, extrapolated along a line.              (4)
 *
 * An output without a finite value ends trust at that time; there are no errors there, and the other
 * outputs and times are judged without it.                                                  (6)
 *
 * With E(t), the largest error of all outputs so far in units of their ranges, two lines are fitted:
 *
 *     log E = a + t/tau log 10,        log E = b + k log(t - t0)                            (5)
 *
 * The better one says how errors grow: tenfold every tau, as two neighbouring motions do that part
 * exponentially, or with a power of time, as errors of steps add up. */
#include "sarrus/certificate.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/functions.h"

#include <math.h>

static const double ACCURACY = 1e-2;
static const double OF_KIND = 1e-3, OF_VALUE = 1e-6; // (3)
static const double NOTICED = 1e-6;    ///< of the range: less is not worth a look at jumps
static const double STEEP = 4.0;       ///< times the changes around it: a jump
static const double LARGE = 0.3;       ///< of the range: from here on errors cannot grow much
static const double LEAST_ORDER = 0.5; ///< below it smaller steps do not help
static const double SURPRISE = 0.5;    ///< of the order: the measured one is taken beyond
static const double GROWTH = 30.0;     ///< less is no growth to speak of
static const double EXPONENTIAL = 1e3; ///< less may as well be a power of time
enum { FEWEST = 8 };                   ///< samples of a fit

typedef struct estimate {
    const sar_certificate_def* def;
    int covered;    ///< rows that the reference run has reached
    double* range;  ///< of each column
    double* worst;  ///< E, of each row
    double* errors; ///< rows times columns
} estimate;

static double at(const estimate* e, const double* y, int i, int j)
{
    return y[(size_t)i * (size_t)e->def->columns + (size_t)j];
}

static int has_values(const estimate* e, const double* y, int i)
{
    for (int j = 0; j < e->def->columns; j++)
        if (isfinite(at(e, y, i, j))) return 1;
    return 0;
}

/* Rows until the first without values, where the run has some. */
static int rows_reached(const estimate* e, const double* y)
{
    int i = 0;
    while (i < e->def->rows && (has_values(e, y, i) || !has_values(e, e->def->values, i))) i++;
    return i;
}

/* ---- ranges --------------------------------------------------------------------------------- */

static void find_ranges(estimate* e) // (3)
{
    const sar_certificate_def* def = e->def;
    const int n = def->columns;
    for (int j = 0; j < n; j++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < e->covered; i++) {
            const double value = at(e, def->reference, i, j);
            if (!isfinite(value)) continue;
            low = fmin(low, value);
            high = fmax(high, value);
        }
        e->range[j] = low <= high ? fmax(high - low, OF_VALUE * fmax(fabs(low), fabs(high))) : 0.0;
        if (def->least) e->range[j] = fmax(e->range[j], def->least[j]);
    }
    for (int j = 0; def->group && j < n; j++)
        for (int k = 0; k < n; k++)
            if (def->group[k] == def->group[j])
                e->range[j] = fmax(e->range[j], OF_KIND * e->range[k]);
}

/* In units of its range. */
static double relative(const estimate* e, double difference, int j)
{
    if (difference == 0.0) return 0.0;
    return e->range[j] > 0.0 ? difference / e->range[j] : INFINITY;
}

/* ---- differences ---------------------------------------------------------------------------- */

/* The change of y from the sample before i. */
static double change(const estimate* e, const double* y, int i, int j)
{
    return i >= 1 && i < e->covered ? fabs(at(e, y, i, j) - at(e, y, i - 1, j)) : 0.0;
}

/* Does y jump from the sample before i to the one after, by more than half of d? */
static int jumps(const estimate* e, const double* y, int i, int j, double d)
{
    const double here = fmax(change(e, y, i, j), change(e, y, i + 1, j));
    const double around = fmax(change(e, y, i - 1, j), change(e, y, i + 2, j));
    return here > 0.5 * d && here > STEEP * around;
}

/* Distance of `value` from z at the sample `from`, and from the line through it and the sample
 * `next` at i. */
static double distance(const estimate* e, double value, const double* z, int i, int j, int from,
                       int next)
{
    const double* t = e->def->time;
    if (from < 0 || from >= e->covered) return INFINITY;
    const double near = fabs(value - at(e, z, from, j));
    if (next < 0 || next >= e->covered) return near;
    const double slope = (at(e, z, from, j) - at(e, z, next, j)) / (t[from] - t[next]);
    return fmin(near, fabs(value - at(e, z, from, j) - slope * (t[i] - t[from])));
}

/* 0 where there is none. */
static double difference(const estimate* e, const double* y, const double* z, int i, int j)
{
    const double value = at(e, y, i, j), here = fabs(value - at(e, z, i, j));
    if (!isfinite(here)) return 0.0;
    if (here <= NOTICED * e->range[j] || !jumps(e, y, i, j, here) || !jumps(e, z, i, j, here))
        return here;
    const double before = distance(e, value, z, i, j, i - 1, i - 2);
    const double after = distance(e, value, z, i, j, i + 1, i + 2);
    return fmin(here, fmin(before, after)); // (4)
}

/* Root mean square of two runs' differences over the first rows. */
static double apart(const estimate* e, const double* y, const double* z, int rows)
{
    double sum = 0.0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < e->def->columns; j++)
            sum += sari_square(relative(e, difference(e, y, z, i, j), j));
    return sqrt(sum / ((double)rows * e->def->columns));
}

/* Rows before two runs differ by as much as errors can grow. */
static int rows_alike(const estimate* e, const double* y, const double* z, int rows)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < e->def->columns; j++)
            if (!(relative(e, difference(e, y, z, i, j), j) < LARGE)) return i;
    return rows;
}

/* (2). NaN: nothing can be said. */
static double measured_order(const estimate* e)
{
    const sar_certificate_def* def = e->def;
    if (!def->coarser || !isfinite(def->ratio)) return NAN;
    const int reached = rows_reached(e, def->coarser);
    const int both = reached < e->covered ? reached : e->covered;
    const int rows = rows_alike(e, def->coarser, def->values, both);
    if (rows < FEWEST) return NAN;
    const double coarse = apart(e, def->coarser, def->values, rows);
    const double fine = apart(e, def->values, def->reference, rows);
    return coarse > 0.0 && fine > 0.0 ? sari_log(coarse / fine) / sari_log(def->ratio) : NAN;
}

static void choose_order(const estimate* e, sar_certificate* out)
{
    const double measured = measured_order(e);
    out->order = e->def->order;
    if (isnan(measured)) return;
    out->measured = 1;
    out->diverges = measured < LEAST_ORDER;
    if (fabs(measured - out->order) > SURPRISE)
        out->order = fmax(LEAST_ORDER, fmin(measured, out->order + SURPRISE));
}

/* ---- errors --------------------------------------------------------------------------------- */

static int defined(const estimate* e, int i, int j)
{
    return isfinite(at(e, e->def->values, i, j)) && isfinite(at(e, e->def->reference, i, j));
}

static void find_errors(estimate* e, sar_certificate* out)
{
    const sar_certificate_def* def = e->def;
    const double factor = fabs(1.0 / (1.0 - sari_pow(def->ratio, -out->order))); // (1)
    double worst = 0.0;
    for (int i = 0; i < def->rows; i++) {
        for (int j = 0; j < def->columns; j++) {
            double* error = &e->errors[(size_t)i * (size_t)def->columns + (size_t)j];
            *error = NAN;
            if (i >= e->covered || !defined(e, i, j)) continue;
            *error = factor * difference(e, def->values, def->reference, i, j);
            const double part = relative(e, *error, j);
            worst = fmax(worst, part);
            if (out->largest_column >= 0 && part <= out->largest) continue;
            out->largest = part;
            out->largest_column = j;
            out->largest_time = def->time[i];
        }
        e->worst[i] = worst;
    }
}

/* The first time at which an error is above the accuracy, between two samples by its logarithm. */
static void find_trust(const estimate* e, sar_certificate* out)
{
    const sar_certificate_def* def = e->def;
    int i = 0;
    while (i < e->covered && e->worst[i] <= out->accuracy) i++;
    out->trusted = out->covered;
    out->column = -1;
    if (i == e->covered) return;
    double most = 0.0;
    for (int j = 0; j < def->columns; j++) {
        const double part = relative(e, at(e, e->errors, i, j), j);
        if (part <= most) continue;
        most = part;
        out->column = j;
    }
    out->trusted = def->time[i];
    if (i == 0) return;
    const double before = fmax(e->worst[i - 1], 1e-3 * out->accuracy);
    const double share = sari_log(out->accuracy / before) / sari_log(e->worst[i] / before);
    out->trusted = def->time[i - 1] + share * (def->time[i] - def->time[i - 1]);
}

/* (6) */
static void find_undefined(const estimate* e, sar_certificate* out)
{
    const sar_certificate_def* def = e->def;
    for (int i = 0; i < e->covered && out->undefined < 0; i++)
        for (int j = def->columns - 1; j >= 0; j--)
            if (!defined(e, i, j)) {
                out->undefined = j;
                out->undefined_time = def->time[i];
            }
    if (out->undefined < 0 || (out->column >= 0 && out->trusted <= out->undefined_time)) return;
    out->column = out->undefined;
    out->trusted = out->undefined_time;
}

/* ---- growth --------------------------------------------------------------------------------- */

/* Least squares y = a + slope x. Returns the sum of squares that is left. */
static double fit(const double* x, const double* y, int n, double* slope)
{
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, left = 0.0;
    for (int i = 0; i < n; i++) sx += x[i] / n, sy += y[i] / n;
    for (int i = 0; i < n; i++) sxx += (x[i] - sx) * (x[i] - sx), sxy += (x[i] - sx) * (y[i] - sy);
    *slope = sxy / sxx;
    for (int i = 0; i < n; i++) left += sari_square(y[i] - sy - *slope * (x[i] - sx));
    return left;
}

/* (5), after the first twentieth of the time, in which errors begin from nothing. `room` has three
 * numbers for each row. */
static void find_growth(const estimate* e, double* room, sar_certificate* out)
{
    const sar_certificate_def* def = e->def;
    const double start = def->time[0], span = def->time[def->rows - 1] - start;
    double *t = room, *log_t = room + def->rows, *log_E = room + 2 * def->rows;
    int n = 0;
    for (int i = 0; i < e->covered && e->worst[i] < LARGE; i++) {
        if (def->time[i] < start + 0.05 * span || !(e->worst[i] > 0.0)) continue;
        t[n] = def->time[i] - start;
        log_t[n] = sari_log10(t[n]);
        log_E[n++] = sari_log10(e->worst[i]);
    }
    if (n < FEWEST || log_E[n - 1] - log_E[0] < sari_log10(GROWTH)) return;
    double rate, power;
    const double exponential = fit(t, log_E, n, &rate), algebraic = fit(log_t, log_E, n, &power);
    if (exponential < algebraic && log_E[n - 1] - log_E[0] > sari_log10(EXPONENTIAL))
        out->tenfold = 1.0 / rate;
    else if (algebraic <= exponential)
        out->power = power;
}

/* ---- the certificate ------------------------------------------------------------------------ */

static sar_status check(const sar_certificate_def* def)
{
    if (def->rows < 1 || def->columns < 1 || !def->time || !def->values || !def->reference)
        return SAR_E_ARG;
    if (!(def->ratio > 0.0) || def->ratio == 1.0 || !(def->order > 0.0) || !(def->accuracy >= 0.0))
        return SAR_E_ARG;
    for (int i = 1; i < def->rows; i++)
        if (!(def->time[i] > def->time[i - 1])) return SAR_E_ARG;
    return SAR_OK;
}

static void certify(estimate* e, double* room, sar_certificate* out)
{
    const sar_certificate_def* def = e->def;
    e->covered = rows_reached(e, def->reference);
    for (int j = 0; j < def->columns; j++) e->range[j] = NAN;
    for (size_t k = 0; k < (size_t)def->rows * (size_t)def->columns; k++) e->errors[k] = NAN;
    if (e->covered == 0) return;
    out->covered = def->time[e->covered - 1];
    find_ranges(e);
    choose_order(e, out);
    find_errors(e, out);
    find_trust(e, out);
    find_undefined(e, out);
    find_growth(e, room, out);
}

sar_status sar_certify(const sar_certificate_def* def, sar_certificate* out, double* errors,
                       double* ranges)
{
    *out = (sar_certificate){.accuracy = def->accuracy > 0.0 ? def->accuracy : ACCURACY,
                             .covered = NAN,
                             .trusted = NAN,
                             .column = -1,
                             .largest_column = -1,
                             .largest_time = NAN,
                             .undefined = -1,
                             .undefined_time = NAN,
                             .order = def->order,
                             .tenfold = INFINITY,
                             .power = NAN};
    SARI_TRY(check(def));
    const size_t rows = (size_t)def->rows, columns = (size_t)def->columns;
    double* memory = SARI_NEW_ARRAY(double, rows*(columns + 4) + columns);
    if (!memory) return SAR_E_NOMEM;
    estimate e = {.def = def,
                  .worst = memory,
                  .range = ranges ? ranges : memory + 4 * rows,
                  .errors = errors ? errors : memory + 4 * rows + columns};
    certify(&e, memory + rows, out);
    sari_release(memory);
    return SAR_OK;
}
