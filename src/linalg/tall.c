#include "linalg/tall.h"
#include "math/vec4.h"

#include <string.h>

void sari_tall_product(int n, int d, int lower, const double* X, const double* Y, double* K)
{
    for (int k = 0; k < d * d; k++) K[k] = 0.0;
    int i = 0;
    for (; i + 4 <= n; i += 4) { // K is passed through once for four rows
        const double* x = X + (size_t)i * (size_t)d;
        const double* restrict y0 = Y + (size_t)i * (size_t)d, * restrict y1 = y0 + d, * restrict y2 = y1 + d, * restrict y3 = y2 + d;
        for (int j = 0; j < d; j++) {
            double* restrict row = K + (size_t)j * (size_t)d;
            const double x0 = x[j], x1 = x[d + j], x2 = x[2 * d + j], x3 = x[3 * d + j];
            const int end = lower ? j + 1 : d;
            for (int k = 0; k < end; k++)
                row[k] += (x0 * y0[k] + x1 * y1[k]) + (x2 * y2[k] + x3 * y3[k]);
        }
    }
    for (; i < n; i++) {
        const double *x = X + (size_t)i * (size_t)d, *restrict y = Y + (size_t)i * (size_t)d;
        for (int j = 0; j < d; j++) {
            double* restrict row = K + (size_t)j * (size_t)d;
            for (int k = 0; k < (lower ? j + 1 : d); k++) row[k] += x[j] * y[k];
        }
    }
}

void sari_tall_add_product(int n, int d, int k, double factor, const double* X, const double* A,
                           int stride, double* Y)
{
    int l = 0;
    for (; l + 8 <= k; l += 8)
        for (int i = 0; i < n; i++) {
            const double *x = X + (size_t)i * (size_t)d, *a = A + l;
            double* y = Y + (size_t)i * (size_t)k + l;
            sari_vec4 left = SARI_CONST_VEC(y), right = SARI_CONST_VEC(y + 4);
            for (int j = 0; j < d; j++, a += stride) {
                const double f = factor * x[j];
                left += f * SARI_CONST_VEC(a), right += f * SARI_CONST_VEC(a + 4);
            }
            SARI_VEC(y) = left, SARI_VEC(y + 4) = right;
        }
    for (; l + 4 <= k; l += 4)
        for (int i = 0; i < n; i++) {
            const double *x = X + (size_t)i * (size_t)d, *a = A + l;
            double* y = Y + (size_t)i * (size_t)k + l;
            sari_vec4 sum = SARI_CONST_VEC(y);
            for (int j = 0; j < d; j++, a += stride) sum += factor * x[j] * SARI_CONST_VEC(a);
            SARI_VEC(y) = sum;
        }
    for (; l < k; l++)
        for (int i = 0; i < n; i++) {
            const double *x = X + (size_t)i * (size_t)d, *a = A + l;
            double* y = Y + (size_t)i * (size_t)k + l;
            double sum = *y;
            for (int j = 0; j < d; j++, a += stride) sum += factor * x[j] * *a;
            *y = sum;
        }
}

void sari_tall_times(const sari_csr* J, int rows, const double* scale, int k, const double* X,
                     double* Y)
{
    const int *p = J->p, *column = J->i;
    const double* value = J->x;
    int l = 0;
    for (; l + 4 <= k; l += 4)
        for (int i = 0; i < rows; i++) {
            sari_vec4 sum = {0.0, 0.0, 0.0, 0.0};
            for (int e = p[i]; e < p[i + 1]; e++)
                sum += value[e] * SARI_CONST_VEC(X + (size_t)column[e] * (size_t)k + l);
            SARI_VEC(Y + (size_t)i * (size_t)k + l) = sum * (scale ? scale[i] : 1.0);
        }
    for (; l < k; l++)
        for (int i = 0; i < rows; i++) {
            double sum = 0.0;
            for (int e = p[i]; e < p[i + 1]; e++)
                sum += value[e] * X[(size_t)column[e] * (size_t)k + (size_t)l];
            Y[(size_t)i * (size_t)k + (size_t)l] = sum * (scale ? scale[i] : 1.0);
        }
}

void sari_tall_sym_times(const sari_sym* A, int k, const double* X, double* restrict Y)
{
    memset(Y, 0, (size_t)A->n * (size_t)k * sizeof *Y);
    for (int c = 0; c < A->n; c++)
        for (int p = A->p[c]; p < A->p[c + 1]; p++) {
            const int i = A->i[p];
            const double value = A->x[p];
            const double* restrict from = X + (size_t)c * (size_t)k, * restrict other =
                                                                         X + (size_t)i * (size_t)k;
            double* restrict to = Y + (size_t)i * (size_t)k, * restrict back =
                                                                 Y + (size_t)c * (size_t)k;
            for (int j = 0; j < k; j++) to[j] += value * from[j];
            if (i != c)
                for (int j = 0; j < k; j++) back[j] += value * other[j];
        }
}

void sari_tall_residual(const sari_csr* J, int k, const double* B, const double* X, double* R,
                        double* Y)
{
    memset(Y, 0, (size_t)J->cols * (size_t)k * sizeof *Y);
    for (int i = 0; i < J->rows; i++) {
        double* restrict r = R + (size_t)i * (size_t)k;
        for (int j = 0; j < k; j++) r[j] = B ? B[(size_t)i * (size_t)k + (size_t)j] : 0.0;
        for (int e = J->p[i]; X && e < J->p[i + 1]; e++) {
            const double* restrict x = X + (size_t)J->i[e] * (size_t)k, value = J->x[e];
            for (int j = 0; j < k; j++) r[j] -= value * x[j];
        }
        for (int e = J->p[i]; e < J->p[i + 1]; e++) {
            double* restrict y = Y + (size_t)J->i[e] * (size_t)k;
            const double value = J->x[e];
            for (int j = 0; j < k; j++) y[j] += value * r[j];
        }
    }
}
