/* Numbers and vectors of any length. */
#ifndef SARI_VECTOR_H
#define SARI_VECTOR_H

#include "math/vec4.h"

#include <math.h>

/// The larger of two numbers, in line, where fmax is a call. A second one that is no number does not count.
static inline double sari_max(double a, double b)
{
    return b > a ? b : a;
}

static inline double sari_min(double a, double b)
{
    return b < a ? b : a;
}

static inline double sari_vector_dot(int n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/// The same with four vectors, each `stride` behind the last: four sums side by side, with the bits of one after the
/// other.
static inline void sari_vector_dot_four(int n, const double* a, long stride, const double* x,
                                        double out[4])
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    const double *a1 = a + stride, *a2 = a1 + stride, *a3 = a2 + stride;
    for (int i = 0; i < n; i++) {
        s0 += a[i] * x[i], s1 += a1[i] * x[i];
        s2 += a2[i] * x[i], s3 += a3[i] * x[i];
    }
    out[0] = s0, out[1] = s1, out[2] = s2, out[3] = s3;
}

static inline double sari_vector_norm(int n, const double* x)
{
    return sqrt(sari_vector_dot(n, x, x));
}

/// x += f a, with the bits of the plain loop.
static inline void sari_vector_add(int n, double f, const double* a, double* x)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) SARI_VEC(x + i) += f * SARI_CONST_VEC(a + i);
    for (; i < n; i++) x[i] += f * a[i];
}

/// x += f a + g b, likewise.
static inline void sari_vector_add_two(int n, double f, const double* a, double g, const double* b,
                                       double* x)
{
    int i = 0;
    for (; i + 4 <= n; i += 4)
        SARI_VEC(x + i) += f * SARI_CONST_VEC(a + i) + g * SARI_CONST_VEC(b + i);
    for (; i < n; i++) x[i] += f * a[i] + g * b[i];
}

/// x without its parts along `count` orthonormal vectors, however much of it they are: twice.
static inline void sari_vector_deflate(int n, int count, const double* known, double* x)
{
    for (int k = 0; k < 2 * count; k++) {
        const double* one = known + (k % count) * (long)n;
        sari_vector_add(n, -sari_vector_dot(n, one, x), one, x);
    }
}

/// x / |x|, as far as it has a length, which is returned.
static inline double sari_vector_normalise(int n, double* x)
{
    const double length = sari_vector_norm(n, x);
    for (int i = 0; i < n && length > 0.0; i++) x[i] /= length;
    return length;
}

/// Are all of them finite, and their sum?
static inline int sari_vector_finite(int n, const double* x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i];
    return isfinite(sum);
}

/// max |x_i|; NaN if one of them is no number.
static inline double sari_vector_max(int n, const double* x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        const double size = fabs(x[i]);
        if (size <= most) continue;
        if (isnan(size)) return size;
        most = size;
    }
    return most;
}

#endif
