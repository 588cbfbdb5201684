/* The numbers of one node, see articulated.c: its constants, where it is, and the inertia that it
 * passes on. Vectors of three and rows of matrices are in vectors of four, the last lane of no
 * meaning. Products of matrices are then sums of rows times numbers, without a sum across lanes.
 * Numbers that have time come from memory, which spares the moving of lanes. */
#ifndef SARI_ARTICULATED_KERNELS_H
#define SARI_ARTICULATED_KERNELS_H

#include "linalg/inline.h"
#include "math/vec3.h"

// Vectors are passed between functions of one file only: other files do not see how.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpsabi"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

/// Lanes of a (0 to 3) and b (4 to 7).
#if defined(__clang__)
#define SARI_PICK(a, b, i, j, k, l) __builtin_shufflevector((a), (b), i, j, k, l)
#else
typedef long long sari_lanes __attribute__((vector_size(32)));
#define SARI_PICK(a, b, i, j, k, l) __builtin_shuffle((a), (b), (sari_lanes){(i), (j), (k), (l)})
#endif

/// What never changes: three cache lines.
typedef struct sari_link {
    double R[9], r[3];       ///< from the parent's frame
    double J[6], h[3], mass; ///< about the node's origin, its axes; h = mass * centre
    short motion, massless;  ///< motion: a sari_joint_motion
    int parent;              ///< 0: the ground, else node + 1
    int p;                   ///< slide, ball: in q; turn: in the cosines and sines
    int q;
} sari_link;

/// Where a node is, and what the way inwards leaves for the way back. World axes.
typedef struct sari_link_state {
    double R[12];   ///< x, y, z of its frame
    double r[4];    ///< from the parent's origin to its own
    double w[4];    ///< angular velocity
    double zeta[6]; ///< (1)-(3)
    double A[6];    ///< accelerations
    double K[12];   ///< turn, slide: two vectors (6), ball: three rows (8); e in the last lanes
} sari_link_state;

/// (N, F) = [J H; H' M] (alpha, a) + (n, f)
typedef struct sari_articulated_inertia {
    sari_vec4 J[3], H[3], M[3]; ///< rows
    sari_vec4 n, f;
} sari_articulated_inertia;

/* ---- small products ------------------------------------------------------------------------- */

SARI_INLINE sari_vec4 sari_yzx(sari_vec4 a)
{
    return SARI_PICK(a, a, 1, 2, 0, 3);
}

SARI_INLINE sari_vec4 sari_cross4(sari_vec4 a, sari_vec4 b)
{
    return sari_yzx(a * sari_yzx(b) - sari_yzx(a) * b);
}

SARI_INLINE void sari_add_cross(const double a[3], const double b[3], double y[3])
{
    y[0] += a[1] * b[2] - a[2] * b[1];
    y[1] += a[2] * b[0] - a[0] * b[2];
    y[2] += a[0] * b[1] - a[1] * b[0];
}

/// x' (rows of A)
SARI_INLINE sari_vec4 sari_rows(const sari_vec4 A[3], const double x[3])
{
    return A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
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

/// Rows become columns.
SARI_INLINE void sari_transpose(const sari_vec4 A[3], sari_vec4 out[3])
{
    const sari_vec4 low = SARI_PICK(A[0], A[1], 0, 4, 2, 6),
                    high = SARI_PICK(A[0], A[1], 1, 5, 3, 7);
    out[0] = SARI_PICK(low, A[2], 0, 1, 4, 5);
    out[1] = SARI_PICK(high, SARI_PICK(A[2], A[2], 1, 1, 3, 3), 0, 1, 4, 5);
    out[2] = SARI_PICK(low, A[2], 2, 3, 6, 7);
}

/// out = [r]x A
SARI_INLINE void sari_arm_times(const double r[3], const sari_vec4 A[3], sari_vec4 out[3])
{
    out[0] = A[2] * r[1] - A[1] * r[2];
    out[1] = A[0] * r[2] - A[2] * r[0];
    out[2] = A[1] * r[0] - A[0] * r[1];
}

/* ---- a rigid body --------------------------------------------------------------------------- */

/// In world axes, with the forces that turning with w asks for: n = w x J w, f = w x (w x h).
typedef struct sari_rigid {
    sari_vec4 J[3], h, n, f;
} sari_rigid;

SARI_INLINE void sari_link_rigid(const sari_link* l, const sari_link_state* s, sari_rigid* out)
{
    const double *R = s->R, *J = l->J;
    const sari_vec4 x = sari_along(R, J[0], J[3], J[4]), y = sari_along(R, J[3], J[1], J[5]),
                    z = sari_along(R, J[4], J[5], J[2]), w = SARI_CONST_VEC(s->w);
    for (int k = 0; k < 3; k++) out->J[k] = x * R[k] + y * R[4 + k] + z * R[8 + k];
    out->h = sari_along(R, l->h[0], l->h[1], l->h[2]);
    out->n = sari_cross4(w, sari_rows(out->J, s->w));
    out->f = sari_cross4(w, sari_cross4(w, out->h));
}

/// I += a rigid body, H += [h]x
SARI_INLINE void sari_add_rigid(const sari_rigid* b, double mass, sari_articulated_inertia* I)
{
    const sari_vec4 zero = {0, 0, 0, 0}, h = SARI_PICK(b->h, zero, 0, 1, 2, 4), minus = -h;
    for (int k = 0; k < 3; k++) I->J[k] += b->J[k];
    I->H[0] += SARI_PICK(h, minus, 3, 6, 1, 3);
    I->H[1] += SARI_PICK(h, minus, 2, 3, 4, 3);
    I->H[2] += SARI_PICK(h, minus, 5, 0, 3, 3);
    I->M[0] += (sari_vec4){mass, 0, 0, 0};
    I->M[1] += (sari_vec4){0, mass, 0, 0};
    I->M[2] += (sari_vec4){0, 0, mass, 0};
    I->n += b->n, I->f += b->f;
}

/* ---- articulated inertia -------------------------------------------------------------------- */

SARI_INLINE void sari_add_inertia(sari_articulated_inertia* to,
                                  const sari_articulated_inertia* from)
{
    for (int k = 0; k < 3; k++) {
        to->J[k] += from->J[k];
        to->H[k] += from->H[k];
        to->M[k] += from->M[k];
    }
    to->n += from->n, to->f += from->f;
}

/// I -= K U', (n, f) += K u (7), K of two vectors.
SARI_INLINE void sari_release_line(sari_articulated_inertia* I, const sari_vec4 K[2],
                                   const double U[8], double u)
{
    for (int k = 0; k < 3; k++) {
        I->J[k] -= K[0] * U[k];
        I->H[k] -= K[1] * U[k];
        I->M[k] -= K[1] * U[4 + k];
    }
    I->n += K[0] * u, I->f += K[1] * u;
}

/// About a point from which r leads to the present one (10), then p += I zeta (11). After a ball J
/// and H are zero, `only_mass`, and need not be so in memory.
SARI_INLINE void sari_shift(sari_articulated_inertia* I, const double r[4], const double zeta[6],
                            int only_mass)
{
    const sari_vec4 arm = SARI_CONST_VEC(r), yzx = sari_yzx(arm), zxy = sari_yzx(yzx);
    sari_vec4 H[3], T[3], Y[3];
    sari_arm_times(r, I->M, T);
    for (int k = 0; k < 3; k++) {
        H[k] = T[k];
        if (!only_mass) H[k] += I->H[k];
    }
    sari_transpose(H, T);
    sari_arm_times(r, T, Y);
    for (int k = 0; k < 3; k++) {
        if (!only_mass) {
            const sari_vec4 shifted = sari_yzx(I->H[k]);
            Y[k] += I->J[k] + (yzx * sari_yzx(shifted) - zxy * shifted); // J + r x (rows of H)
        }
        I->J[k] = Y[k], I->H[k] = H[k];
    }
    I->n += sari_cross4(arm, I->f) + (sari_rows(I->J, zeta) + sari_rows(T, zeta + 3));
    I->f += sari_rows(I->H, zeta) + sari_rows(I->M, zeta + 3);
}

/// J = L D L': L 10, 20, 21 and 1/D; J by rows of four. 0: a pivot is not above `tiny`. Rows are
/// eliminated times the pivot, not divided by it, so that no division waits for another.
SARI_INLINE int sari_factor3(const double J[12], double tiny, double L[3], double inverse[3])
{
    const double d0 = J[0], d1 = d0 * J[5] - J[4] * J[4], left = d0 * J[9] - J[4] * J[8],
                 d01 = d0 * d1, d2 = (d0 * J[10] - J[8] * J[8]) * d1 - left * left;
    const double by0 = 1 / d0, by1 = 1 / d1, by2 = 1 / d2;
    L[0] = J[4] * by0, L[1] = J[8] * by0, L[2] = left * by1;
    inverse[0] = by0, inverse[1] = d0 * by1, inverse[2] = d01 * by2;
    return d0 > tiny && d1 > tiny * d0 && d2 > tiny * d01;
}

/// b = J^-1 b, four right-hand sides.
SARI_INLINE void sari_solve3(const double L[3], const double inverse[3], sari_vec4 b[3])
{
    const sari_vec4 y1 = b[1] - b[0] * L[0], y2 = (b[2] - b[0] * L[1]) - y1 * L[2];
    b[2] = y2 * inverse[2];
    b[1] = y1 * inverse[1] - b[2] * L[2];
    b[0] = (b[0] * inverse[0] - b[1] * L[0]) - b[2] * L[1];
}

#endif
