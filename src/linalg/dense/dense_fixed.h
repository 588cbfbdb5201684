/* L D L' of S = B + c J'J, and what is solved with it, for sizes that are known when compiled: the
 * matrix then lives in registers and no loop over columns remains. A row of J is SARI_FIXED_BLOCKS(n)
 * vectors of four, padded by zeros. */
#ifndef SARI_DENSE_FIXED_H
#define SARI_DENSE_FIXED_H

#include "linalg/inline.h"
#include "linalg/pivots.h"

#define SARI_FIXED_MOST 9 ///< size; from 11 on the tiles of dense_tiles.c are faster
#define SARI_FIXED_SIZES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define SARI_FIXED_BLOCKS(n) (((n) + 3) / 4)

/// A, by columns, becomes L D L', right-looking: the strict lower triangle of `a` becomes that of L.
/// a_ij -= (u_ik u_jk) / d_k in this order, since the reciprocal arrives last. Pivots without a
/// correct digit are replaced and counted by `watch`; where that is NULL, one ends it with 0.
SARI_INLINE int sari_fixed_factor(const int n, const double* A, sari_pivot_watch* watch,
                                  double* restrict a, double* restrict pivot,
                                  double* restrict inverses)
{
    SARI_UNROLL for (int k = 0; k < n; k++)
    {
        SARI_UNROLL for (int i = k; i < n; i++) a[k * n + i] = A[k * n + i];
    }
    SARI_UNROLL for (int k = 0; k < n; k++)
    {
        double d = a[k * n + k];
        if (!sari_pivot_usable(d, A[k * n + k])) {
            if (!watch) return 0;
            d = sari_pivot_replace(watch, k);
        }
        double inverse = 1 / d;
        if (pivot) pivot[k] = d;
        inverses[k] = inverse;
        SARI_UNROLL for (int j = k + 1; j < n; j++)
        {
            SARI_UNROLL for (int i = j; i < n; i++) a[j * n + i] -=
                a[k * n + i] * a[k * n + j] * inverse;
        }
        SARI_UNROLL for (int i = k + 1; i < n; i++) a[k * n + i] *= inverse;
    }
    return 1;
}

/// y = (L D L')^-1 y
SARI_INLINE void sari_fixed_solve(const int n, const double* restrict L,
                                  const double* restrict inverse, double* restrict y)
{
    SARI_UNROLL for (int k = 0; k < n; k++)
    {
        SARI_UNROLL for (int i = k + 1; i < n; i++) y[i] -= L[k * n + i] * y[k];
    }
    SARI_UNROLL for (int k = 0; k < n; k++) y[k] *= inverse[k];
    SARI_UNROLL for (int k = n - 1; k > 0; k--)
    {
        SARI_UNROLL for (int i = k - 1; i >= 0; i--) y[i] -= L[i * n + k] * y[k];
    }
}

/// A = B + c J'J, columns of B `stride` apart; they are read past their end, never used there.
SARI_INLINE void sari_fixed_assemble(const int n, double* restrict A, const double* restrict B,
                                     const int stride, const double* restrict J, int m, double c)
{
    sari_vec4 a[SARI_FIXED_MOST][SARI_FIXED_BLOCKS(SARI_FIXED_MOST)];
    SARI_UNROLL for (int k = 0; k < n; k++)
    {
        SARI_UNROLL for (int b = k / 4; b < SARI_FIXED_BLOCKS(n); b++) a[k][b] =
            SARI_CONST_VEC(B + k * stride + 4 * b);
    }
    for (int r = 0; r < m; r++, J += 4 * SARI_FIXED_BLOCKS(n)) {
        SARI_UNROLL for (int k = 0; k < n; k++)
        {
            const double cJ = c * J[k];
            SARI_UNROLL for (int b = k / 4; b < SARI_FIXED_BLOCKS(n); b++) a[k][b] +=
                cJ * SARI_CONST_VEC(J + 4 * b);
        }
    }
    SARI_UNROLL for (int k = 0; k < n; k++)
    {
        SARI_UNROLL for (int i = k; i < n; i++) A[k * n + i] = a[k][i / 4][i % 4];
    }
}

SARI_INLINE double sari_fixed_dot(const int n, const double* restrict J, const double* restrict x)
{
    double sum = J[0] * x[0];
    SARI_UNROLL for (int i = 1; i < n; i++) sum += J[i] * x[i];
    return sum;
}

/// y -= force J_r
SARI_INLINE void sari_fixed_subtract(const int n, double force, const double* restrict J,
                                     sari_vec4* y)
{
    SARI_UNROLL for (int b = 0; b < SARI_FIXED_BLOCKS(n); b++) y[b] -=
        force * SARI_CONST_VEC(J + 4 * b);
}

#endif
