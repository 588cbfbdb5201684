/* Numbers with derivatives: forward differentiation by hand, without differences. Define SARI_DUAL,
 * by how many variables, before this is included; a file has one kind of them. */
#ifndef SARI_DUAL_H
#define SARI_DUAL_H

#include "math/functions.h"

#include <math.h>

/* They are large: as functions they would be copied more than computed with. */
#if defined(__GNUC__)
#define DUAL_INLINE static inline __attribute__((always_inline))
#else
#define DUAL_INLINE static inline
#endif

typedef struct dual {
    double v, d[SARI_DUAL];
} dual;

DUAL_INLINE dual dual_constant(double x)
{
    return (dual){.v = x};
}

DUAL_INLINE dual dual_variable(double x, int i)
{
    dual out = {.v = x};
    out.d[i] = 1.0;
    return out;
}

/// f(a), given f and its derivative there
DUAL_INLINE dual dual_of(dual a, double f, double slope)
{
    for (int i = 0; i < SARI_DUAL; i++) a.d[i] *= slope;
    a.v = f;
    return a;
}

DUAL_INLINE dual dual_scale(double k, dual a)
{
    return dual_of(a, k * a.v, k);
}

/// a + k
DUAL_INLINE dual dual_shift(dual a, double k)
{
    a.v += k;
    return a;
}

DUAL_INLINE dual dual_add(dual a, dual b)
{
    for (int i = 0; i < SARI_DUAL; i++) a.d[i] += b.d[i];
    a.v += b.v;
    return a;
}

DUAL_INLINE dual dual_subtract(dual a, dual b)
{
    for (int i = 0; i < SARI_DUAL; i++) a.d[i] -= b.d[i];
    a.v -= b.v;
    return a;
}

DUAL_INLINE dual dual_times(dual a, dual b)
{
    dual out;
    out.v = a.v * b.v;
    for (int i = 0; i < SARI_DUAL; i++) out.d[i] = a.v * b.d[i] + a.d[i] * b.v;
    return out;
}

DUAL_INLINE dual dual_over(dual a, dual b)
{
    const double inverse = 1.0 / b.v;
    dual out;
    out.v = a.v * inverse;
    for (int i = 0; i < SARI_DUAL; i++) out.d[i] = (a.d[i] - out.v * b.d[i]) * inverse;
    return out;
}

DUAL_INLINE dual dual_sin(dual a)
{
    double s, c;
    sari_sine_cosine(a.v, &s, &c);
    return dual_of(a, s, c);
}

DUAL_INLINE dual dual_cos(dual a)
{
    double s, c;
    sari_sine_cosine(a.v, &s, &c);
    return dual_of(a, c, -s);
}

DUAL_INLINE dual dual_tan(dual a)
{
    const double t = sari_tan(a.v);
    return dual_of(a, t, 1.0 + t * t);
}

DUAL_INLINE dual dual_atan(dual a)
{
    return dual_of(a, sari_atan(a.v), 1.0 / (1.0 + a.v * a.v));
}

DUAL_INLINE dual dual_exp(dual a)
{
    const double e = sari_exp(a.v);
    return dual_of(a, e, e);
}

/// Slope 0 at 0: for even functions of the root.
DUAL_INLINE dual dual_sqrt(dual a)
{
    const double r = sqrt(a.v);
    return dual_of(a, r, r > 0.0 ? 0.5 / r : 0.0);
}

DUAL_INLINE double dual_sign(dual a)
{
    return (a.v > 0.0) - (a.v < 0.0);
}

DUAL_INLINE dual dual_abs(dual a)
{
    return dual_scale(dual_sign(a), a);
}

/// The smaller one of a and k
DUAL_INLINE dual dual_at_most(dual a, double k)
{
    return a.v > k ? dual_constant(k) : a;
}

#endif
