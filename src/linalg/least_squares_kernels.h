/* The loops of least_squares.c, for those who know the number of rows and columns when compiled. A is
 * rows x cols, by rows. */
#ifndef SARI_LEAST_SQUARES_KERNELS_H
#define SARI_LEAST_SQUARES_KERNELS_H

#include "linalg/inline.h"

#include <math.h>
#include <stddef.h>

#define SARI_QR_ZERO 1e-18 ///< of the largest pivot: far below rounding
#define SARI_QR_MIXED 0.03 ///< of all directions, in the guess of a singular vector

/* The reflector that takes column k, from row k on, to a multiple of e_k: I - tau v v', v_k = 1. */
SARI_INLINE double sari_qr_reflect(double* a, const int rows, const int n)
{
    double below = 0.0;
    if (rows == 1) return 0.0; // it is one
    for (int i = 1; i < rows; i++) {
        const double x = a[(size_t)i * (size_t)n];
        below += x * x;
    }
    const double first = a[0], norm = sqrt(first * first + below);
    if (norm == 0.0) return 0.0;
    const double beta = first > 0.0 ? -norm : norm, scale = 1.0 / (first - beta);
    for (int i = 1; i < rows; i++) a[(size_t)i * (size_t)n] *= scale;
    a[0] = beta;
    return (beta - first) / beta;
}

SARI_INLINE double sari_qr_factor(double* restrict A, double* restrict tau_of, double* restrict sum,
                                  const int m, const int n)
{
    double largest = 0.0;
    for (int k = 0; k < n; k++) {
        double* restrict top = A + (size_t)k * (size_t)n;
        const double tau = tau_of[k] = sari_qr_reflect(top + k, m - k, n);
        largest = fabs(top[k]) > largest ? fabs(top[k]) : largest;
        if (tau == 0.0 || k + 1 == n) continue;
        for (int j = k + 1; j < n; j++) sum[j] = top[j];
        for (int i = k + 1; i < m; i++) {
            const double* restrict row = A + (size_t)i * (size_t)n, v = row[k];
            for (int j = k + 1; j < n; j++) sum[j] += v * row[j];
        }
        for (int j = k + 1; j < n; j++) top[j] -= sum[j] *= tau;
        for (int i = k + 1; i < m; i++) {
            double* restrict row = A + (size_t)i * (size_t)n;
            const double v = row[k];
            for (int j = k + 1; j < n; j++) row[j] -= v * sum[j];
        }
    }
    return largest;
}

/* x = R^-1 x */
SARI_INLINE void sari_qr_backward(const double* A, const int n, double* restrict x)
{
    for (int k = n - 1; k >= 0; k--) {
        const double* row = A + (size_t)k * (size_t)n;
        double s = x[k];
        for (int j = k + 1; j < n; j++) s -= row[j] * x[j];
        x[k] = s / row[k];
    }
}

/* x = R'^-1 x */
SARI_INLINE void sari_qr_forward(const double* A, const int n, double* restrict x)
{
    for (int k = 0; k < n; k++) {
        const double* row = A + (size_t)k * (size_t)n;
        x[k] /= row[k];
        for (int j = k + 1; j < n; j++) x[j] -= x[k] * row[j];
    }
}

/* One right-hand side, the usual case in small systems. */
SARI_INLINE void sari_qr_solve_one(const double* A, const double* tau, const int m, const int n,
                                   double* restrict b)
{
    for (int k = 0; k < n; k++) {
        const double* v = A + (size_t)k;
        double s = b[k];
        for (int i = k + 1; i < m; i++) s += v[(size_t)i * (size_t)n] * b[i];
        s *= tau[k];
        b[k] -= s;
        for (int i = k + 1; i < m; i++) b[i] -= s * v[(size_t)i * (size_t)n];
    }
    sari_qr_backward(A, n, b);
}

/* A guess of the singular vector from that of a matrix nearby, of length one: it may be one of one
 * loop, which would not show that another one is smaller now. 0: nothing was known. */
SARI_INLINE int sari_qr_guess(const int n, const double* known, double* restrict right)
{
    const double some = SARI_QR_MIXED / sqrt((double)n);
    double square = 0.0;
    for (int i = 0; i < n; i++) square += known[i] * known[i];
    for (int i = 0; i < n; i++)
        right[i] = (square > 0.0 ? known[i] : 1.0 + 0.1 * (i % 7)) + some * (1.0 - 0.3 * (i % 5));
    return square > 0.0;
}

/* The smallest singular value by inverse iteration. */
SARI_INLINE double sari_qr_smallest(const double* A, const int n, int iterations,
                                    double* restrict right, double* restrict left)
{
    double value = 0.0;
    for (int k = 0; k < iterations; k++) {
        double square = 0.0;
        for (int i = 0; i < n; i++) left[i] = right[i];
        sari_qr_forward(A, n, left);
        for (int i = 0; i < n; i++) square += left[i] * left[i];
        double factor_of = 1.0 / sqrt(square);
        square = 0.0;
        for (int i = 0; i < n; i++) right[i] = left[i] *= factor_of;
        sari_qr_backward(A, n, right);
        for (int i = 0; i < n; i++) square += right[i] * right[i];
        value = 1.0 / sqrt(square);
        for (int i = 0; i < n; i++) right[i] *= value;
    }
    return value;
}

#endif
