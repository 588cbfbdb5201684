/* The numbers of one node, see articulated.c: its constants, where it is, and the inertia that it
 * passes on. Frames and their products are vectors of three with a fourth lane that is of no
 * meaning; what follows one another along the chain is in plain numbers, where a cross product is
 * ready after two operations instead of five. */
#ifndef SARI_ARTICULATED_KERNELS_H
#define SARI_ARTICULATED_KERNELS_H

#include "math/vec3.h"
#include "solvers/inline.h"

// Vectors are passed between functions of one file only: how does not matter to anybody else.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

/// What never changes: three cache lines.
typedef struct sari_link {
    double R[9], r[3];       ///< from the parent's frame
    double J[6], h[3], mass; ///< about the node's origin, its axes; h = mass * centre
    short motion, massless;  ///< a sari_motion
    int parent;              ///< 0: the ground, else node + 1
    int p;                   ///< ball, slide: in q; turn: in the cosines and sines
    int q;
} sari_link;

/// Where a node is, and what the way inwards leaves for the way back. World axes.
typedef struct sari_link_state {
    double R[12];      ///< x, y, z of its frame, four numbers each
    double r[4];       ///< from the parent's origin to its own
    double w[4];       ///< angular velocity
    double zeta[6];    ///< angular and linear acceleration by velocities, from the parent's
    double A[6];       ///< accelerations
    double K[9], e[3]; ///< (5); (8)
} sari_link_state;

/// (N, F) = [J H; H' M] (alpha, a) + (n, f)
typedef struct sari_articulated_inertia {
    double J[6], H[9], M[6]; ///< xx yy zz xy xz yz; by rows
    double n[3], f[3];
    double unused; ///< whole vectors
} sari_articulated_inertia;

/* ---- small products ---------------------------------------------------------------------------
 */

SARI_INLINE void sari_times_sym(const double A[6], const double x[3], double y[3])
{
    y[0] = A[0] * x[0] + A[3] * x[1] + A[4] * x[2];
    y[1] = A[3] * x[0] + A[1] * x[1] + A[5] * x[2];
    y[2] = A[4] * x[0] + A[5] * x[1] + A[2] * x[2];
}

SARI_INLINE void sari_add_cross(const double a[3], const double b[3], double y[3])
{
    y[0] += a[1] * b[2] - a[2] * b[1];
    y[1] += a[2] * b[0] - a[0] * b[2];
    y[2] += a[0] * b[1] - a[1] * b[0];
}

/// y = H' x
SARI_INLINE void sari_times_transposed(const double H[9], const double x[3], double y[3])
{
    for (int k = 0; k < 3; k++) y[k] = H[k] * x[0] + H[3 + k] * x[1] + H[6 + k] * x[2];
}

/// R (a, b, c), R by columns of four.
SARI_INLINE sari_vec4 sari_along(const double R[12], double a, double b, double c)
{
    return SARI_CONST_VEC(R) * a + SARI_CONST_VEC(R + 4) * b + SARI_CONST_VEC(R + 8) * c;
}

/// R' x
SARI_INLINE void sari_components(const double R[12], const double x[3], double y[3])
{
    for (int k = 0; k < 3; k++) y[k] = sari_dot(R + 4 * k, x);
}

SARI_INLINE void sari_add_inertia(sari_articulated_inertia* to,
                                  const sari_articulated_inertia* from)
{
    double* a = to->J;
    const double* b = from->J;
    SARI_UNROLL for (int k = 0; k < 28; k += 4) SARI_VEC(a + k) += SARI_CONST_VEC(b + k);
}

/* ---- a rigid body -----------------------------------------------------------------------------
 */

/// J, h in world axes, and the forces that turning with w asks for: n = w x J w, f = w x (w x h)
typedef struct sari_rigid {
    double J[12]; ///< three columns of four
    double h[4], n[3], f[3];
} sari_rigid;

SARI_INLINE void sari_link_rigid(const sari_link* l, const sari_link_state* s, sari_rigid* out)
{
    const double *R = s->R, *J = l->J, *w = s->w;
    const sari_vec4 x = sari_along(R, J[0], J[3], J[4]), y = sari_along(R, J[3], J[1], J[5]),
                    z = sari_along(R, J[4], J[5], J[2]);
    SARI_UNROLL for (int k = 0; k < 3; k++) SARI_VEC(out->J + 4 * k) =
        x * R[k] + y * R[4 + k] + z * R[8 + k];
    SARI_VEC(out->h) = sari_along(R, l->h[0], l->h[1], l->h[2]);
    double spin[4], turn[3];
    SARI_VEC(spin) = sari_along(out->J, w[0], w[1], w[2]);
    sari_cross(w, spin, out->n);
    sari_cross(w, out->h, turn);
    sari_cross(w, turn, out->f);
}

/// I += a rigid body
SARI_INLINE void sari_add_rigid(const sari_rigid* b, double mass, sari_articulated_inertia* I)
{
    const double *J = b->J, *h = b->h;
    I->J[0] += J[0], I->J[1] += J[5], I->J[2] += J[10];
    I->J[3] += J[1], I->J[4] += J[2], I->J[5] += J[6];
    I->H[1] -= h[2], I->H[2] += h[1], I->H[3] += h[2];
    I->H[5] -= h[0], I->H[6] -= h[1], I->H[7] += h[0];
    for (int k = 0; k < 3; k++) I->M[k] += mass, I->n[k] += b->n[k], I->f[k] += b->f[k];
}

/* ---- articulated inertia ----------------------------------------------------------------------
 */

/// T = [r]x M
SARI_INLINE void sari_arm_times(const double r[3], const double M[6], double T[9])
{
    const double x = r[0], y = r[1], z = r[2];
    T[0] = y * M[4] - z * M[3], T[1] = y * M[5] - z * M[1], T[2] = y * M[2] - z * M[5];
    T[3] = z * M[0] - x * M[4], T[4] = z * M[3] - x * M[5], T[5] = z * M[4] - x * M[2];
    T[6] = x * M[3] - y * M[0], T[7] = x * M[1] - y * M[3], T[8] = x * M[5] - y * M[4];
}

/// About a point from which r leads to the present one (9).
SARI_INLINE void sari_shift(sari_articulated_inertia* I, const double r[3])
{
    const double x = r[0], y = r[1], z = r[2];
    double *J = I->J, *H = I->H, T[9], G[9];
    sari_arm_times(r, I->M, T);
    for (int k = 0; k < 9; k++) G[k] = H[k] + 0.5 * T[k], H[k] += T[k];
    J[0] += 2 * (y * G[2] - z * G[1]);
    J[1] += 2 * (z * G[3] - x * G[5]);
    J[2] += 2 * (x * G[7] - y * G[6]);
    J[3] += (y * G[5] - z * G[4]) + (z * G[0] - x * G[2]);
    J[4] += (y * G[8] - z * G[7]) + (x * G[1] - y * G[0]);
    J[5] += (z * G[6] - x * G[8]) + (x * G[4] - y * G[3]);
    sari_add_cross(r, I->f, I->n);
}

/// The same where J and H are zero and need not be so in memory.
SARI_INLINE void sari_shift_mass(sari_articulated_inertia* I, const double r[3])
{
    const double x = r[0], y = r[1], z = r[2];
    double *J = I->J, *T = I->H;
    sari_arm_times(r, I->M, T);
    J[0] = y * T[2] - z * T[1];
    J[1] = z * T[3] - x * T[5];
    J[2] = x * T[7] - y * T[6];
    J[3] = y * T[5] - z * T[4];
    J[4] = y * T[8] - z * T[7];
    J[5] = z * T[6] - x * T[8];
    sari_add_cross(r, I->f, I->n);
}

/// I -= K U', (n, f) += K u: the motion is free.
SARI_INLINE void sari_release_line(sari_articulated_inertia* I, const double K[6],
                                   const double U[6], double u)
{
    double *J = I->J, *H = I->H, *M = I->M;
    J[0] -= K[0] * U[0], J[1] -= K[1] * U[1], J[2] -= K[2] * U[2];
    J[3] -= K[0] * U[1], J[4] -= K[0] * U[2], J[5] -= K[1] * U[2];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) H[3 * r + c] -= K[r] * U[3 + c];
    M[0] -= K[3] * U[3], M[1] -= K[4] * U[4], M[2] -= K[5] * U[5];
    M[3] -= K[3] * U[4], M[4] -= K[3] * U[5], M[5] -= K[4] * U[5];
    for (int k = 0; k < 3; k++) I->n[k] += K[k] * u, I->f[k] += K[3 + k] * u;
}

/// J = L D L': L 10, 20, 21 and 1/D. 0: a pivot is not above `tiny`.
SARI_INLINE int sari_factor3(const double J[6], double tiny, double L[3], double inverse[3])
{
    const double d0 = J[0];
    inverse[0] = 1 / d0;
    L[0] = J[3] * inverse[0], L[1] = J[4] * inverse[0];
    const double d1 = J[1] - L[0] * J[3], left = J[5] - L[0] * J[4];
    inverse[1] = 1 / d1;
    L[2] = left * inverse[1];
    const double d2 = (J[2] - L[1] * J[4]) - L[2] * left;
    inverse[2] = 1 / d2;
    return d0 > tiny && d1 > tiny && d2 > tiny;
}

SARI_INLINE void sari_solve3(const double L[3], const double inverse[3], const double b[3],
                             int stride_b, double x[3], int stride_x)
{
    const double y0 = b[0], y1 = b[stride_b] - L[0] * y0,
                 y2 = (b[2 * stride_b] - L[1] * y0) - L[2] * y1;
    const double x2 = y2 * inverse[2], x1 = y1 * inverse[1] - L[2] * x2;
    x[0] = (y0 * inverse[0] - L[0] * x1) - L[1] * x2;
    x[stride_x] = x1, x[2 * stride_x] = x2;
}

/// M -= H'K, symmetric
SARI_INLINE void sari_release_ball(const double H[9], const double K[9], double M[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    SARI_UNROLL for (int k = 0; k < 6; k++)
    {
        const int r = row[k], c = column[k];
        M[k] -= H[r] * K[c] + H[3 + r] * K[3 + c] + H[6 + r] * K[6 + c];
    }
}

#endif
