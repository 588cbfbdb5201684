/* Products of tall matrices: many rows, few columns, stored by rows. Loops run along the columns. */
#ifndef SARI_TALL_H
#define SARI_TALL_H

#include "linalg/sparse/sparse_matrix.h"

/// K = X'Y (d x d) for X and Y of n x d; of it the lower triangle alone where `lower`.
void sari_tall_product(int n, int d, int lower, const double* X, const double* Y, double* K);

/// Y += factor X A for X (n x d) and A (d x k, rows `stride` apart); Y is n x k.
void sari_tall_add_product(int n, int d, int k, double factor, const double* X, const double* A,
                           int stride, double* Y);

/// Y = scale J X, rows x k, for the first rows of J; scale, of each row, NULL: 1.
void sari_tall_times(const sari_csr* J, int rows, const double* scale, int k, const double* X,
                     double* Y);

/// Y = A X, n x k.
void sari_tall_sym_times(const sari_sym* A, int k, const double* X, double* Y);

/// R = B - J X and Y = J'R, k columns; B or X NULL: zero.
void sari_tall_residual(const sari_csr* J, int k, const double* B, const double* X, double* R,
                        double* Y);

#endif
