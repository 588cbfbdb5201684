/* Elementary functions that have the same bits on every machine. Those of C libraries have other last
 * digits on processors with fused multiply-adds than on those without, and in other versions.
 *
 * Only sums, products, quotients and roots are used, which IEEE 754 defines to the last bit. Errors are
 * below 1 unit in the last place (tests/unit/math/test_functions.c; most below 0.55), also for subnormal
 * numbers and angles of any size. Special values are those of C17, annex F; flags and errno mean
 * nothing. fabs, floor, round, fmod, frexp, ldexp and sqrt of the C library are exact, and used. */
#ifndef SARI_FUNCTIONS_H
#define SARI_FUNCTIONS_H

#include "math/sine_coefficients.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// The result depends on the arguments alone: compilers may call once where it is written twice.
#if defined(__GNUC__)
#define SARI_CONSTANT __attribute__((const))
#else
#define SARI_CONSTANT
#endif

SARI_CONSTANT double sari_sin(double x);
SARI_CONSTANT double sari_cos(double x);
SARI_CONSTANT double sari_tan(double x);
SARI_CONSTANT double sari_asin(double x);
SARI_CONSTANT double sari_acos(double x);
SARI_CONSTANT double sari_atan(double x);
SARI_CONSTANT double sari_atan2(double y, double x);
SARI_CONSTANT double sari_hypot(double x, double y);
SARI_CONSTANT double sari_exp(double x);
SARI_CONSTANT double sari_log(double x);
SARI_CONSTANT double sari_log2(double x);
SARI_CONSTANT double sari_log10(double x);
SARI_CONSTANT double sari_pow(double x, double y);
SARI_CONSTANT double sari_cbrt(double x);
SARI_CONSTANT double sari_sinh(double x);
SARI_CONSTANT double sari_cosh(double x);
SARI_CONSTANT double sari_tanh(double x);

static inline double sari_square(double x)
{
    return x * x;
}

/// An angle without its quarter turns: x = quarters pi/2 + y + rest, |y| <= pi/4 but for rounding
typedef struct sari_reduced {
    double y, rest;
    uint64_t quarters; ///< of which the last two bits matter
} sari_reduced;

/// As sari_reduce, for angles of any size [payne1983]; what is no finite number has y = NaN.
SARI_CONSTANT sari_reduced sari_reduce_slowly(double x);

static inline uint64_t sari_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double sari_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x without its quarter turns, x >= 0: pi/2 in three parts, of which the products of the first two
 * with the number of turns are exact [cody1980]. What is lost of the third is below |y| 2^-60. */
static inline sari_reduced sari_reduce(double x)
{
    const double shifter = 0x1.8p52; // rounds to an integer, which is then in the last bits
    const double shifted = x * SARI_TWO_BY_PI + shifter, k = shifted - shifter;
    const double r = x - k * SARI_HALF_PI_1, w = k * SARI_HALF_PI_2;
    const double y = r - w, of_w = y - r;
    if (!(x <= 0x1p17) || fabs(y) < k * 0x1p-62) return sari_reduce_slowly(x);
    return (sari_reduced){y, ((r - (y - of_w)) - (w + of_w)) - k * SARI_HALF_PI_3,
                          sari_bits(shifted)};
}

/// sin(y + rest) - y, |y| <= pi/4
static inline double sari_sine_rest(double y, double z, double rest)
{
    const double* s = SARI_SINE;
    const double z2 = z * z, z4 = z2 * z2;
    const double p =
        (s[0] + z * s[1]) + z2 * (s[2] + z * s[3]) + z4 * ((s[4] + z * s[5]) + z2 * s[6]);
    return rest * (1.0 - 0.5 * z) + (y * z) * p;
}

/// cos(y + rest), |y| <= pi/4
static inline double sari_cosine_of(double y, double z, double rest)
{
    const double* c = SARI_COSINE;
    const double z2 = z * z, half = 0.5 * z, w = 1.0 - half;
    const double p = (c[0] + z * c[1]) + z2 * ((c[2] + z * c[3]) + z2 * (c[4] + z * c[5]));
    return w + (((1.0 - w) - half) + (z2 * p - y * rest));
}

/// Sine and cosine, with the bits of sari_sin and sari_cos.
static inline void sari_sine_cosine(double x, double* sine, double* cosine)
{
    const sari_reduced a = sari_reduce(fabs(x));
    const double z = a.y * a.y;
    const double s = a.y + sari_sine_rest(a.y, z, a.rest), c = sari_cosine_of(a.y, z, a.rest);
    const uint64_t odd = -(a.quarters & 1), exchanged = (sari_bits(s) ^ sari_bits(c)) & odd;
    const uint64_t negative = sari_bits(x) & 0x8000000000000000u;
    *sine = sari_of_bits(sari_bits(s) ^ exchanged ^ ((a.quarters & 2) << 62) ^ negative);
    *cosine = sari_of_bits(sari_bits(c) ^ exchanged ^ (((a.quarters + 1) & 2) << 62));
}

#endif
