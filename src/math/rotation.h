/* Unit quaternions that move by rotation vectors, in axes that turn along:
 *
 *     e o exp(theta/2)                                                                       (1)
 *
 * and by rates, in which the length of e means nothing:
 *
 *     de/dt = 1/2 e o (0, w),     w = 2 conj(e) o de/dt / e'e                                (2) */
#ifndef SARI_ROTATION_H
#define SARI_ROTATION_H

#include "math/functions.h"
#include "math/vec3.h"

#include <float.h>

/* The angle that differs from this one by revolutions and is nearest to another. */
static inline double sari_angle_near(double angle, double near)
{
    static const double REVOLUTION = 6.283185307179586476925287;
    return angle + REVOLUTION * floor((near - angle) / REVOLUTION + 0.5);
}

/* Cosine, and sine by the angle, of the root of x; the series where it is short. */
static inline void sari_cosine_and_sinc(double x, double* cosine, double* sinc)
{
    if (x > 0.25) {
        const double angle = sqrt(x);
        double sine;
        sari_sine_cosine(angle, &sine, cosine);
        *sinc = sine / angle;
        return;
    }
    // 1 - x/2! + x^2/4! - ..., 1 - x/3! + x^2/5! - ...
    static const double C[] = {1.0 / 2,         -1.0 / 24,        1.0 / 720,          -1.0 / 40320,
                               1.0 / 3628800.0, -1.0 / 479001600, 1.0 / 87178291200.0};
    static const double S[] = {
        1.0 / 6,          -1.0 / 120,          1.0 / 5040,           -1.0 / 362880,
        1.0 / 39916800.0, -1.0 / 6227020800.0, 1.0 / 1307674368000.0};
    const int terms = x > 0.01 ? 6 : 3; // beyond the first
    double even = C[terms], odd = S[terms];
    for (int k = terms - 1; k >= 0; k--) even = C[k] + x * even, odd = S[k] + x * odd;
    *cosine = 1.0 - x * even;
    *sinc = 1.0 - x * odd;
}

/* h = angle/sin(angle) as a function of the cosine c, and its first two derivatives: with them a
 * rotation vector is h(c) times the sine times the axis, at small angles too. From the derivative of
 * h sqrt(1 - c^2) = acos(c), (1 - c^2) h' = c h - 1 and (1 - c^2) h'' = h + 3 c h'; near c = 1 the
 * series h = sum a_n x^n, x = (1 - c)/2, a_n = a_(n-1) 2n/(2n + 1). Infinite at half a turn. */
static inline void sari_angle_by_sine(double c, double h[3])
{
    const double x = 0.5 * (1.0 - c);
    if (x > 0.25) {
        const double sine2 = (1.0 - c) * (1.0 + c), sine = sqrt(fmax(sine2, 0.0));
        h[0] = sari_atan2(sine, c) / sine;
        h[1] = (c * h[0] - 1.0) / sine2;
        h[2] = (h[0] + 3.0 * c * h[1]) / sine2;
        return;
    }
    double a = 1.0, power[3] = {1.0, 0.0, 0.0}; // x^n, and its derivatives by x
    h[0] = h[1] = h[2] = 0.0;
    for (int n = 0; n < 32; n++) {
        for (int k = 0; k < 3; k++) h[k] += a * power[k];
        a *= (2.0 * n + 2.0) / (2.0 * n + 3.0);
        power[2] = x * power[2] + 2.0 * power[1];
        power[1] = x * power[1] + power[0];
        power[0] *= x;
    }
    h[1] *= -0.5, h[2] *= 0.25; // dx/dc
}

/* (1). Rounding of the norm is taken out each time. */
static inline void sari_turn(const double e[4], const double theta[3], double* out)
{
    double w, sinc;
    sari_cosine_and_sinc(0.25 * sari_dot(theta, theta), &w, &sinc);
    const double x = 0.5 * sinc * theta[0], y = 0.5 * sinc * theta[1], z = 0.5 * sinc * theta[2];
    const double p[4] = {
        e[0] * w - e[1] * x - e[2] * y - e[3] * z, e[0] * x + e[1] * w + e[2] * z - e[3] * y,
        e[0] * y - e[1] * z + e[2] * w + e[3] * x, e[0] * z + e[1] * y - e[2] * x + e[3] * w};
    const double unit =
        0.5 * (3.0 - (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])); // of 1/norm
    for (int k = 0; k < 4; k++) out[k] = unit * p[k];
}

/* The last three of conj(e) o p. */
static inline void sari_between(const double e[4], const double p[4], double v[3])
{
    v[0] = e[0] * p[1] - e[1] * p[0] - e[2] * p[3] + e[3] * p[2];
    v[1] = e[0] * p[2] + e[1] * p[3] - e[2] * p[0] - e[3] * p[1];
    v[2] = e[0] * p[3] - e[1] * p[2] + e[2] * p[1] - e[3] * p[0];
}

static inline double sari_dot4(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* Rotation vector of the quaternion conj(e) o p: the shorter way round. */
static inline void sari_turn_between(const double e[4], const double p[4], double theta[3])
{
    double w = sari_dot4(e, p), v[3];
    sari_between(e, p, v);
    double sine = sari_norm3(v), sign = w < 0.0 ? -1.0 : 1.0;
    double by_sine = sine > 1e-12 ? sari_atan2(sine, sign * w) / sine : 1.0;
    for (int k = 0; k < 3; k++) theta[k] = 2.0 * sign * by_sine * v[k];
}

/* (2) */
static inline void sari_quaternion_rate(const double e[4], const double w[3], double rate[4])
{
    rate[0] = 0.5 * (-e[1] * w[0] - e[2] * w[1] - e[3] * w[2]);
    rate[1] = 0.5 * (e[0] * w[0] + e[2] * w[2] - e[3] * w[1]);
    rate[2] = 0.5 * (e[0] * w[1] - e[1] * w[2] + e[3] * w[0]);
    rate[3] = 0.5 * (e[0] * w[2] + e[1] * w[1] - e[2] * w[0]);
}

static inline void sari_quaternion_spin(const double e[4], const double rate[4], double w[3])
{
    const double f = 2.0 / sari_dot4(e, e);
    sari_between(e, rate, w);
    for (int k = 0; k < 3; k++) w[k] *= f;
}

/* The same in axes that do not turn along: exp(theta/2) o e, de/dt = 1/2 (0, w) o e. Conjugates
 * take one to the other. */
static inline void sari_conjugate(const double e[4], double* out)
{
    out[0] = e[0];
    for (int k = 1; k < 4; k++) out[k] = -e[k];
}

static inline void sari_turn_outer(const double e[4], const double theta[3], double* out)
{
    const double back[3] = {-theta[0], -theta[1], -theta[2]};
    double c[4];
    sari_conjugate(e, c);
    sari_turn(c, back, c);
    sari_conjugate(c, out);
}

static inline void sari_turn_between_outer(const double e[4], const double p[4], double theta[3])
{
    double c[4], d[4];
    sari_conjugate(e, c);
    sari_conjugate(p, d);
    sari_turn_between(c, d, theta);
    for (int k = 0; k < 3; k++) theta[k] = -theta[k];
}

static inline void sari_quaternion_rate_outer(const double e[4], const double w[3], double rate[4])
{
    const double back[3] = {-w[0], -w[1], -w[2]};
    double c[4];
    sari_conjugate(e, c);
    sari_quaternion_rate(c, back, rate);
    sari_conjugate(rate, rate);
}

static inline void sari_quaternion_spin_outer(const double e[4], const double rate[4], double w[3])
{
    double c[4], d[4];
    sari_conjugate(e, c);
    sari_conjugate(rate, d);
    sari_quaternion_spin(c, d, w);
    for (int k = 0; k < 3; k++) w[k] = -w[k];
}

/// Turns about the fixed axes x, y, z in this order: R = Rz Ry Rx.
static inline void sari_rotation_rpy(const double a[3], double R[9])
{
    const double cx = sari_cos(a[0]), sx = sari_sin(a[0]), cy = sari_cos(a[1]), sy = sari_sin(a[1]),
                 cz = sari_cos(a[2]), sz = sari_sin(a[2]);
    R[0] = cz * cy, R[1] = cz * sy * sx - sz * cx, R[2] = cz * sy * cx + sz * sx;
    R[3] = sz * cy, R[4] = sz * sy * sx + cz * cx, R[5] = sz * sy * cx - cz * sx;
    R[6] = -sy, R[7] = cy * sx, R[8] = cy * cx;
}

/* Left alone if the length is 1 to rounding. */
static inline void sari_quaternion_normalise(double e[4])
{
    const double square = sari_dot4(e, e);
    if (fabs(square - 1.0) <= 4.0 * DBL_EPSILON) return;
    for (int k = 0; k < 4; k++) e[k] /= sqrt(square);
}

#endif
