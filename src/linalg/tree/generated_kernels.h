/* Steps along the tree of a generated matrix, for a width w that is known when they are compiled. */
#ifndef SARI_GENERATED_KERNELS_H
#define SARI_GENERATED_KERNELS_H

#include "linalg/inline.h"
#include "linalg/tree/generated.h"

/// U_i = T U_p + S x; U_p NULL: zero.
SARI_INLINE void sari_generated_carry(const int w, const sari_generator* at, int count,
                                      const double* x, const double* from, double* U)
{
    for (int k = 0; k < w; k++) U[k] = from ? from[k] : 0.0;
    if (from && w == 3) {
        U[1] -= from[0] * at->arm[1];
        U[2] += from[0] * at->arm[0];
    } else if (from) {
        U[3] += from[1] * at->arm[2] - from[2] * at->arm[1];
        U[4] += from[2] * at->arm[0] - from[0] * at->arm[2];
        U[5] += from[0] * at->arm[1] - from[1] * at->arm[0];
    }
    for (int c = 0; c < count; c++)
        for (int k = 0; k < w; k++) U[k] += at->S[c][k] * x[c];
}

/// F = T'F in place, its numbers `step` apart.
SARI_INLINE void sari_generated_shift(const int w, const double* arm, int step, double* F)
{
    if (w == 3) {
        F[0] += arm[0] * F[2 * step] - arm[1] * F[step];
        return;
    }
    const double x = F[3 * step], y = F[4 * step], z = F[5 * step];
    F[0] += arm[1] * z - arm[2] * y;
    F[step] += arm[2] * x - arm[0] * z;
    F[2 * step] += arm[0] * y - arm[1] * x;
}

/// The symmetric matrix of which a node has the lower triangle, n a row.
SARI_INLINE void sari_generated_unpack(const int w, const double* lower, int n, double* A)
{
    for (int r = 0; r < w; r++)
        for (int c = 0; c <= r; c++, lower++)
            A[r * n + c] += *lower, A[c * n + r] += r == c ? 0.0 : *lower;
}

#endif
