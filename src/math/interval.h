/* Intervals [low, high] and functions of them: every value of the function on the interval is in the result.
 *
 * Bounds are computed without directed rounding: they are right up to a few units in the last place, which is
 * all that a search for features of functions needs. What has no bound, or is not defined on all of the
 * interval, is the whole line. */
#ifndef SARI_INTERVAL_H
#define SARI_INTERVAL_H

#include "math/functions.h"

#include <math.h>
#include <stdbool.h>

typedef struct sari_interval {
    double low, high;
} sari_interval;

static const sari_interval SARI_REAL_LINE = {-INFINITY, INFINITY};

static inline sari_interval sari_interval_of(double a, double b)
{
    if (isnan(a) || isnan(b)) return SARI_REAL_LINE;
    return a <= b ? (sari_interval){a, b} : (sari_interval){b, a};
}

static inline bool sari_interval_contains(sari_interval a, double x)
{
    return a.low <= x && x <= a.high;
}

/// The largest absolute value.
static inline double sari_interval_magnitude(sari_interval a)
{
    return fmax(fabs(a.low), fabs(a.high));
}

static inline sari_interval sari_interval_add(sari_interval a, sari_interval b)
{
    return sari_interval_of(a.low + b.low, a.high + b.high);
}

static inline sari_interval sari_interval_negate(sari_interval a)
{
    return (sari_interval){-a.high, -a.low};
}

static inline sari_interval sari_interval_subtract(sari_interval a, sari_interval b)
{
    return sari_interval_add(a, sari_interval_negate(b));
}

static inline sari_interval sari_interval_scale(sari_interval a, double factor)
{
    if (factor == 0.0) return (sari_interval){0.0, 0.0};
    return sari_interval_of(factor * a.low, factor * a.high);
}

static inline bool sari_interval_is_zero(sari_interval a)
{
    return a.low == 0.0 && a.high == 0.0;
}

static inline sari_interval sari_interval_multiply(sari_interval a, sari_interval b)
{
    if (sari_interval_is_zero(a) || sari_interval_is_zero(b)) return (sari_interval){0.0, 0.0};
    const double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
    if (isnan(p + q + r + s) && (isnan(p) || isnan(q) || isnan(r) || isnan(s)))
        return SARI_REAL_LINE;
    return (sari_interval){fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s))};
}

static inline sari_interval sari_interval_square(sari_interval a)
{
    const double p = a.low * a.low, q = a.high * a.high;
    const double least = sari_interval_contains(a, 0.0) ? 0.0 : fmin(p, q);
    return (sari_interval){least, fmax(p, q)};
}

static inline sari_interval sari_interval_divide(sari_interval a, sari_interval b)
{
    if (sari_interval_contains(b, 0.0)) return SARI_REAL_LINE;
    return sari_interval_multiply(a, (sari_interval){1.0 / b.high, 1.0 / b.low});
}

static inline sari_interval sari_interval_hull(sari_interval a, sari_interval b)
{
    return (sari_interval){fmin(a.low, b.low), fmax(a.high, b.high)};
}

/// Of a function that only grows, or only falls.
static inline sari_interval sari_interval_monotone(double (*f)(double), sari_interval a)
{
    return sari_interval_of(f(a.low), f(a.high));
}

/// sin(a + quarters pi/2)
static inline sari_interval sari_interval_sine(sari_interval a, int quarters)
{
    const double QUARTER = 1.57079632679489661923;
    if (!(a.high - a.low < 4.0 * QUARTER)) return (sari_interval){-1.0, 1.0};
    double (*f)(double) = quarters ? sari_cos : sari_sin;
    sari_interval s = sari_interval_of(f(a.low), f(a.high));
    // extremes are at odd multiples of pi/2: those with 1 more than a multiple of four are maxima
    const double from = a.low / QUARTER + quarters, to = a.high / QUARTER + quarters;
    for (double k = ceil(from); k <= to; k++) {
        const double phase = k - 4.0 * floor(k / 4.0);
        if (phase == 1.0) s.high = 1.0;
        if (phase == 3.0) s.low = -1.0;
    }
    return s;
}

#endif
