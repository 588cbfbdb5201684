/* Gaussian elimination of dense matrices with few rows, by rows and with partial pivoting. */
#ifndef SARI_ELIMINATION_H
#define SARI_ELIMINATION_H

#include "sarrus/base.h"

/// A (n x n) becomes L U of its rows in the order that `pivot` tells. SAR_R_SINGULAR: a pivot is zero or
/// not finite.
sar_status sari_eliminate(int n, double* A, int* pivot);
/// x = A^-1 x
void sari_substitute(int n, const double* A, const int* pivot, double* x);

/// matrix[k] = matrix[0]^-1 matrix[k] for k = 1 .. count - 1, all n x n; the first is used up. Rows whose
/// pivot is not above `least` are left as they are. Returns how many there are such.
int sari_divide(int n, int count, double* const* matrix, double least);

void sari_swap_rows(int n, double* a, double* b);

#endif
