#include "linalg/elimination.h"

#include <math.h>

void sari_swap_rows(int n, double* a, double* b)
{
    for (int j = 0; j < n && a != b; j++) {
        const double keep = a[j];
        a[j] = b[j];
        b[j] = keep;
    }
}

/* The row from k on with the largest entry in column k. */
static int largest_in_column(int n, const double* A, int k)
{
    int best = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    return best;
}

sar_status sari_eliminate(int n, double* A, int* pivot)
{
    for (int k = 0; k < n; k++) {
        double* top = A + k * n;
        pivot[k] = largest_in_column(n, A, k);
        sari_swap_rows(n, top, A + pivot[k] * n);
        if (!(fabs(top[k]) > 0.0) || !isfinite(top[k])) return SAR_R_SINGULAR;
        for (int i = k + 1; i < n; i++) {
            double* row = A + i * n;
            const double m = row[k] /= top[k];
            for (int j = k + 1; j < n; j++) row[j] -= m * top[j];
        }
    }
    return SAR_OK;
}

void sari_substitute(int n, const double* A, const int* pivot, double* x)
{
    for (int k = 0; k < n; k++) sari_swap_rows(1, x + k, x + pivot[k]);
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) x[i] -= A[i * n + j] * x[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
}

int sari_divide(int n, int count, double* const* matrix, double least)
{
    const double* A = matrix[0];
    int left = 0;
    for (int k = 0; k < n; k++) {
        const int best = largest_in_column(n, A, k);
        const double pivot = A[best * n + k];
        if (!(fabs(pivot) > least)) {
            left++;
            continue;
        }
        for (int m = 0; m < count; m++) {
            double* top = matrix[m] + k * n;
            sari_swap_rows(n, top, matrix[m] + best * n);
            for (int j = 0; j < n; j++) top[j] /= pivot;
        }
        for (int i = 0; i < n; i++) {
            const double factor = A[i * n + k];
            if (i == k || factor == 0.0) continue;
            for (int m = 0; m < count; m++)
                for (int j = 0; j < n; j++) matrix[m][i * n + j] -= factor * matrix[m][k * n + j];
        }
    }
    return left;
}
