/* Cholesky factors of dense symmetric matrices with few rows: K = C C', stored by rows. */
#ifndef SARI_CHOLESKY_H
#define SARI_CHOLESKY_H

#include "math/vector.h"

/// K becomes C, in its lower triangle. A pivot that is not above `least` of its diagonal is none: its
/// row counts for nothing (1/0 is taken for 0). Returns how many there are such.
static inline int sari_cholesky(const int d, double* K, double least)
{
    int dropped = 0;
    for (int k = 0; k < d; k++) {
        double* row = K + k * d;
        const double whole = row[k], pivot = whole - sari_vector_dot(k, row, row);
        const int fine = pivot > least * whole;
        dropped += !fine;
        row[k] = fine ? sqrt(pivot) : 0.0;
        for (int i = k + 1; i < d; i++) {
            double* other = K + i * d;
            other[k] = fine ? (other[k] - sari_vector_dot(k, other, row)) / row[k] : 0.0;
        }
    }
    return dropped;
}

/// x = C^-1 x
static inline void sari_cholesky_forward(const int d, const double* C, double* x)
{
    for (int k = 0; k < d; k++) {
        const double pivot = C[k * d + k], left = x[k] - sari_vector_dot(k, C + k * d, x);
        x[k] = pivot > 0.0 ? left / pivot : 0.0;
    }
}

/// X = C^-1 X, d x k, with the bits of one column after the other; `sum` has room for k.
static inline void sari_cholesky_forward_rows(const int d, const double* C, const int k, double* X,
                                              double* sum)
{
    for (int i = 0; i < d; i++) {
        const double pivot = C[i * d + i];
        double* x = X + i * k;
        for (int j = 0; j < k; j++) sum[j] = 0.0;
        for (int l = 0; l < i; l++) sari_vector_add(k, C[i * d + l], X + l * k, sum);
        for (int j = 0; j < k; j++) x[j] = pivot > 0.0 ? (x[j] - sum[j]) / pivot : 0.0;
    }
}

/// x = C'^-1 x
static inline void sari_cholesky_backward(const int d, const double* C, double* x)
{
    for (int k = d - 1; k >= 0; k--) {
        const double pivot = C[k * d + k];
        x[k] = pivot > 0.0 ? x[k] / pivot : 0.0;
        for (int j = 0; j < k; j++) x[j] -= C[k * d + j] * x[k];
    }
}

/// x = K^-1 x
static inline void sari_cholesky_solve(const int d, const double* C, double* x)
{
    sari_cholesky_forward(d, C, x);
    sari_cholesky_backward(d, C, x);
}

#endif
