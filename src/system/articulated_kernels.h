#ifndef SARI_ARTICULATED_KERNELS_H
#define SARI_ARTICULATED_KERNELS_H

#include "math/vec3.h"
#include "solvers/inline.h"

typedef struct sari_articulated_inertia {
    double J[6], H[9], M[6], n[3], f[3];
} sari_articulated_inertia;

SARI_INLINE void times_sym(const double A[6], const double x[3], double y[3])
{
    y[0] = A[0] * x[0] + A[3] * x[1] + A[4] * x[2];
    y[1] = A[3] * x[0] + A[1] * x[1] + A[5] * x[2];
    y[2] = A[4] * x[0] + A[5] * x[1] + A[2] * x[2];
}

SARI_INLINE void add_cross(const double a[3], const double b[3], double y[3])
{
    y[0] += a[1] * b[2] - a[2] * b[1];
    y[1] += a[2] * b[0] - a[0] * b[2];
    y[2] += a[0] * b[1] - a[1] * b[0];
}

SARI_INLINE void turn_sym(const double R[9], const double J[6], double out[6])
{
    double half[9];
    for (int r = 0; r < 3; r++) {
        times_sym(J, R + 3 * r, half + 3 * r);
    }
    out[0] = sari_dot(half, R), out[1] = sari_dot(half + 3, R + 3);
    out[2] = sari_dot(half + 6, R + 6), out[3] = sari_dot(half, R + 3);
    out[4] = sari_dot(half, R + 6), out[5] = sari_dot(half + 3, R + 6);
}

/* to another point: r is from the new one to the old */
SARI_INLINE void shift(sari_articulated_inertia* I, const double r[3])
{
    const double x = r[0], y = r[1], z = r[2];
    double *J = I->J, *H = I->H;
    const double M[9] = {I->M[0], I->M[3], I->M[4], I->M[3], I->M[1],
                         I->M[5], I->M[4], I->M[5], I->M[2]};
    double T[9], G[9];
    for (int c = 0; c < 3; c++) {
        T[c] = y * M[6 + c] - z * M[3 + c];
        T[3 + c] = z * M[c] - x * M[6 + c];
        T[6 + c] = x * M[3 + c] - y * M[c];
    }
    for (int k = 0; k < 9; k++) G[k] = H[k] + 0.5 * T[k], H[k] += T[k];
    J[0] += 2 * (y * G[2] - z * G[1]);
    J[1] += 2 * (z * G[3] - x * G[5]);
    J[2] += 2 * (x * G[7] - y * G[6]);
    J[3] += (y * G[5] - z * G[4]) + (z * G[0] - x * G[2]);
    J[4] += (y * G[8] - z * G[7]) + (x * G[1] - y * G[0]);
    J[5] += (z * G[6] - x * G[8]) + (x * G[4] - y * G[3]);
    add_cross(r, I->f, I->n);
}

#endif
