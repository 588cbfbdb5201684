/* Eigenvalues of a dense real matrix without symmetry, outside the time step. */
#ifndef SARI_EIGENVALUES_H
#define SARI_EIGENVALUES_H

#include "sarrus/base.h"

/// re[k] + i im[k], k = 0 .. n - 1, of the row-major n x n matrix A, which is destroyed. Conjugate pairs
/// stand together, the one with im > 0 first. `work`: n doubles. Allocates nothing. SAR_R_NOT_FINITE: A is
/// not finite; SAR_R_NO_CONV: some were not found, which no matrix is known for.
sar_status sari_eigenvalues(int n, double* A, double* re, double* im, double* work);

/// The same with right eigenvectors of length 1: column k of the row-major n x n matrix V where im[k] = 0; of
/// a pair column k is the real part and column k + 1 the imaginary part of that with im > 0. `work`:
/// sari_eigenvectors_workspace(n) doubles.
sar_status sari_eigenvectors(int n, double* A, double* re, double* im, double* V, double* work);
static inline size_t sari_eigenvectors_workspace(int n)
{
    return (size_t)n * (size_t)n + 4 * (size_t)n + 4;
}

#endif
