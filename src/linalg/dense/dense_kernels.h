/* Dense L D L' of small matrices: the loops. dense.c owns the arrays. */
#ifndef SARI_DENSE_KERNELS_H
#define SARI_DENSE_KERNELS_H

#include "linalg/dense/dense_fixed.h"

/// A by columns: entry (r, c), r >= c, is A[c * stride + r]. Factor turns the strict lower triangle
/// into that of L. The diagonal of A is left as it was. Entries above it are never part of a
/// result.
typedef struct sari_dense {
    sari_arena memory;
    int n, stride;
    double* A;
    double* d;       ///< [stride] pivots
    double* inverse; ///< [stride] 1 / d
    double* w;       ///< [4 * stride] workspace of factor
    double* y;       ///< [stride] workspace of solve
    sari_pivot_watch watch;
} sari_dense;

/// Sizes up to this have code of their own, with all loops unrolled; their stride is n.
#define SARI_DENSE_SMALL SARI_FIXED_MOST

/// The code for size n = 1 .. SARI_DENSE_SMALL. The kernels' `self` is a sari_dense.
const sari_normal_kernels* sari_dense_normal(int n);
void (*sari_dense_factor_small(int n))(sari_dense* s);
void (*sari_dense_solve_small(int n))(const sari_dense* s, double* b);

/// Any size. The stride is n rounded up to a multiple of 4, rows n and above are zero.
void sari_dense_factor_tiles(sari_dense* s);
void sari_dense_solve_tiles(const sari_dense* s, double* b);

#endif
