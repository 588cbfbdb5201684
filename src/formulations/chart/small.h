/* Factors of small dense matrices, by rows, for the numbers that constraints leave free. */
#ifndef SARI_CHART_SMALL_H
#define SARI_CHART_SMALL_H

#include "formulations/chart/chart.h"

#include <math.h>

/// K = C C', lower triangle, in place. 0: a pivot is below `least` of its diagonal.
static inline int sari_chart_cholesky(int d, double* K, double least)
{
    for (int k = 0; k < d; k++) {
        double* row = K + (size_t)k * (size_t)d;
        const double whole = row[k], pivot = whole - sari_vector_dot(k, row, row);
        if (!(pivot > least * whole)) return 0;
        row[k] = sqrt(pivot);
        for (int i = k + 1; i < d; i++) {
            double* other = K + (size_t)i * (size_t)d;
            other[k] = (other[k] - sari_vector_dot(k, other, row)) / row[k];
        }
    }
    return 1;
}

/// x = C^-1 x
static inline void sari_chart_forward(int d, const double* C, double* x)
{
    for (int k = 0; k < d; k++)
        x[k] = (x[k] - sari_vector_dot(k, C + (size_t)k * (size_t)d, x)) / C[k * d + k];
}

/// x = C'^-1 x
static inline void sari_chart_backward(int d, const double* C, double* x)
{
    for (int k = d - 1; k >= 0; k--) {
        x[k] /= C[k * d + k];
        for (int j = 0; j < k; j++) x[j] -= C[k * d + j] * x[k];
    }
}

#endif
