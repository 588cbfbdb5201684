/* Rank of a dense matrix, outside the time step or on its rare events: one-sided Jacobi SVD. */
#ifndef SARI_RANK_H
#define SARI_RANK_H

#include "sarrus/base.h"

/// Number of doubles of workspace for an m x n matrix.
size_t sari_svd_workspace(int m, int n);

/// Singular values of the row-major m x n matrix A, descending, into sigma[min(m,n)]. U (m x min,
/// row-major) and V (n x min, row-major) may be NULL. A is kept. Allocates nothing. Accurate to
/// high relative precision.
void sari_svd(int m, int n, const double* A, double* sigma, double* U, double* V, double* work);

/// The same for U alone and to six digits, in a fraction of the time: by the columns of R' in
/// A' P = Q R, which are nearly orthogonal already. A is destroyed; its numbers are neither huge nor tiny. Singular values below
/// `relative` of the largest row are zero, with their vectors. Returns how many are not. `work` as
/// above, and m more.
int sari_left_vectors(int m, int n, double* A, double relative, double* sigma, double* U,
                      double* work);

/// Column-pivoted QR of row-major m x n A (destroyed): picks an independent set of columns.
/// order[0..rank) are the chosen columns, order[rank..n) the dependent ones. relative: tolerance
/// against the largest column norm. Earlier columns are preferred: a column is only passed over
/// when it depends on those already chosen.
int sari_independent_columns(int m, int n, double* A, double relative, int* order);

#endif
