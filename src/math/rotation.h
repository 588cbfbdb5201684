/* Unit quaternions that move by rotation vectors, in axes that turn along:
 *
 *     e o exp(theta/2)                                                                       (1) */
#ifndef SARI_ROTATION_H
#define SARI_ROTATION_H

#include "math/vec3.h"

/* Cosine, and sine by the angle, of the root of x; the series where it is short. */
static inline void sari_cosine_and_sinc(double x, double* cosine, double* sinc)
{
    if (x > 0.25) {
        const double angle = sqrt(x);
        *cosine = cos(angle);
        *sinc = sin(angle) / angle;
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

/* Rotation vector of the quaternion conj(e) o p: the shorter way round. */
static inline void sari_turn_between(const double e[4], const double p[4], double theta[3])
{
    double w = e[0] * p[0] + e[1] * p[1] + e[2] * p[2] + e[3] * p[3];
    double v[3] = {e[0] * p[1] - e[1] * p[0] - e[2] * p[3] + e[3] * p[2],
                   e[0] * p[2] + e[1] * p[3] - e[2] * p[0] - e[3] * p[1],
                   e[0] * p[3] - e[1] * p[2] + e[2] * p[1] - e[3] * p[0]};
    double sine = sari_norm3(v), sign = w < 0.0 ? -1.0 : 1.0;
    double by_sine = sine > 1e-12 ? atan2(sine, sign * w) / sine : 1.0;
    for (int k = 0; k < 3; k++) theta[k] = 2.0 * sign * by_sine * v[k];
}

#endif
