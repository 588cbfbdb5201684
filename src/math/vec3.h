/* Vectors and rotations in three dimensions. Matrices are row-major; R_WB turns body into world
 * axes. */
#ifndef SARI_VEC3_H
#define SARI_VEC3_H

#include <math.h>
#include <string.h>

static inline double sari_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void sari_cross(const double a[3], const double b[3], double out[3])
{
    double x = a[1] * b[2] - a[2] * b[1];
    double y = a[2] * b[0] - a[0] * b[2];
    double z = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y, out[2] = z;
}

static inline double sari_norm3(const double a[3])
{
    return sqrt(sari_dot(a, a));
}

/// out = R a
static inline void sari_rotate(const double R[9], const double a[3], double out[3])
{
    double v[3];
    for (int k = 0; k < 3; k++) v[k] = sari_dot(R + 3 * k, a);
    memcpy(out, v, sizeof v);
}

/// out = R' a
static inline void sari_rotate_back(const double R[9], const double a[3], double out[3])
{
    double v[3];
    for (int k = 0; k < 3; k++) v[k] = R[k] * a[0] + R[3 + k] * a[1] + R[6 + k] * a[2];
    memcpy(out, v, sizeof v);
}

/// out = A B
static inline void sari_multiply3(const double A[9], const double B[9], double out[9])
{
    double m[9];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            m[3 * r + c] = A[3 * r] * B[c] + A[3 * r + 1] * B[3 + c] + A[3 * r + 2] * B[6 + c];
    memcpy(out, m, sizeof m);
}

/// out = A', which may be A itself
static inline void sari_transpose3(const double A[9], double out[9])
{
    const double m[9] = {A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]};
    memcpy(out, m, sizeof m);
}

static inline double sari_determinant3(const double A[9])
{
    return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
           A[2] * (A[3] * A[7] - A[4] * A[6]);
}

/// out = A^-1
static inline void sari_invert3(const double A[9], double out[9])
{
    const double det = sari_determinant3(A);
    const double adjugate[9] = {
        A[4] * A[8] - A[5] * A[7], A[2] * A[7] - A[1] * A[8], A[1] * A[5] - A[2] * A[4],
        A[5] * A[6] - A[3] * A[8], A[0] * A[8] - A[2] * A[6], A[2] * A[3] - A[0] * A[5],
        A[3] * A[7] - A[4] * A[6], A[1] * A[6] - A[0] * A[7], A[0] * A[4] - A[1] * A[3]};
    for (int k = 0; k < 9; k++) out[k] = adjugate[k] / det;
}

/// Rotation of the unit quaternion (w, x, y, z).
static inline void sari_rotation_of_quaternion(const double p[4], double R[9])
{
    double w = p[0], x = p[1], y = p[2], z = p[3];
    R[0] = w * w + x * x - y * y - z * z, R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
    R[3] = 2 * (x * y + w * z), R[4] = w * w - x * x + y * y - z * z, R[5] = 2 * (y * z - w * x);
    R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = w * w - x * x - y * y + z * z;
}

/// Unit quaternion of a rotation: the largest component is found first, so no division by a small
/// number. [Shepperd]
static inline void sari_quaternion_of_rotation(const double R[9], double p[4])
{
    double trace = R[0] + R[4] + R[8];
    double square[4] = {1 + trace, 1 + 2 * R[0] - trace, 1 + 2 * R[4] - trace,
                        1 + 2 * R[8] - trace};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[k]) k = i;
    double big = sqrt(square[k] > 0 ? square[k] : 1.0), f = 0.5 / big;
    double d[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]}; // w times x, y, z
    double s[3] = {R[7] + R[5], R[2] + R[6], R[3] + R[1]}; // yz, xz, xy
    if (k == 0)
        p[0] = 0.5 * big, p[1] = f * d[0], p[2] = f * d[1], p[3] = f * d[2];
    else if (k == 1)
        p[1] = 0.5 * big, p[0] = f * d[0], p[2] = f * s[2], p[3] = f * s[1];
    else if (k == 2)
        p[2] = 0.5 * big, p[0] = f * d[1], p[1] = f * s[2], p[3] = f * s[0];
    else
        p[3] = 0.5 * big, p[0] = f * d[2], p[1] = f * s[1], p[2] = f * s[0];
    if (p[0] < 0)
        for (int i = 0; i < 4; i++) p[i] = -p[i];
}

/* The least turn that takes the unit vector u to w. */
static inline void sari_turn_onto(const double u[3], const double w[3], double R[9])
{
    double c = sari_dot(u, w), p[4];
    sari_cross(u, w, p + 1);
    p[0] = 1.0 + c;
    double length = sqrt(p[0] * p[0] + sari_dot(p + 1, p + 1));
    if (length < 1e-9) { // opposite: half a turn about any perpendicular
        double other[3] = {fabs(u[0]) < 0.5, fabs(u[0]) >= 0.5, 0};
        sari_cross(u, other, p + 1);
        p[0] = 0.0;
        length = sari_norm3(p + 1);
    }
    for (int k = 0; k < 4; k++) p[k] /= length;
    sari_rotation_of_quaternion(p, R);
}

#endif
