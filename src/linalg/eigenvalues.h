/* Eigenvalues of a dense real matrix without symmetry, outside the time step. */
#ifndef SARI_EIGENVALUES_H
#define SARI_EIGENVALUES_H

#include "sarrus/base.h"

/// re[k] + i im[k], k = 0 .. n - 1, of the row-major n x n matrix A, which is destroyed. Conjugate pairs
/// stand together, the one with im > 0 first. `work`: n doubles. Allocates nothing. SAR_R_NOT_FINITE: A is
/// not finite; SAR_R_NO_CONV: some were not found, which no matrix is known for.
sar_status sari_eigenvalues(int n, double* A, double* re, double* im, double* work);

#endif
