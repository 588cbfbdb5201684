/* Numbers and vectors of any length. */
#ifndef SARI_VECTOR_H
#define SARI_VECTOR_H

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

static inline double sari_vector_norm(int n, const double* x)
{
    return sqrt(sari_vector_dot(n, x, x));
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
