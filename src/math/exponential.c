/* Exponentials, logarithms, powers.
 *
 *     e^x = 2^(k/128) e^r,   |r| <= ln 2/256                                                  (1)
 *     log(2^k z) = k ln 2 + log c + log(1 + r),   1 + r = z/c,   |r| < 1/128                  (2)
 *     x^y = e^(y log x)                                                                       (3)
 *
 * with tables of 2^(i/128) and log c and polynomials in r [tang1989, tang1990]. Logarithms have two
 * parts, with about 68 bits together: as many as (3) needs for all bits of the power. */
#include "math/function_tables.h"
#include "math/functions.h"
#include "math/pairs.h"

/// 2^exponent (base + rest); base and rest together have about 60 bits
typedef struct exponential {
    double base, rest;
    int64_t exponent;
} exponential;

/* (1) of x + rest, |x| < 2000, where the rest is below 2^-16 */
static inline exponential exponential_of(double x, double rest)
{
    const double shifter = 0x1.8p52;
    const double shifted = x * EXP_PARTS_BY_LN2 + shifter, k = shifted - shifter;
    const double r = ((x - k * LN2_PART_1) - k * LN2_PART_2) + rest, r2 = r * r;
    const double* p = EXP_POLYNOMIAL;
    const int64_t whole = (int64_t)(sari_bits(shifted) << 13) >> 13, part = whole & (EXP_PARTS - 1);
    const double base = sari_of_bits(EXP_TABLE[part].bits);
    const double q = r2 * ((p[0] + r * p[1]) + r2 * (p[2] + r * p[3]));
    return (exponential){base, base * (EXP_TABLE[part].rest + (r + q)), (whole - part) / EXP_PARTS};
}

/// Where the result is no normal number. A sum with 1 rounds subnormal numbers, once.
static double scaled_with_care(exponential e)
{
    if (e.exponent > 1100) return INFINITY;
    if (e.exponent < -1200) return 0.0;
    const sari_pair sum = sari_sum_ordered(e.base, e.rest);
    if (e.exponent >= 0) return ldexp(sum.near, (int)e.exponent);
    const sari_pair small = {ldexp(sum.near, (int)e.exponent + 1022),
                             ldexp(sum.rest, (int)e.exponent + 1022)};
    if (small.near >= 1.0) return small.near * 0x1p-1022;
    const sari_pair with_1 = sari_sum_ordered(1.0, small.near);
    return ((with_1.near + (with_1.rest + small.rest)) - 1.0) * 0x1p-1022;
}

static inline double scaled(exponential e)
{
    if (e.exponent < -1021 || e.exponent > 1022) return scaled_with_care(e);
    return (e.base + e.rest) * sari_of_bits((uint64_t)(e.exponent + 1023) << 52);
}

double sari_exp(double x)
{
    if (!(fabs(x) < 800.0)) return x < 0.0 ? 0.0 : x > 0.0 ? INFINITY : x + x;
    return scaled(exponential_of(x, 0.0));
}

/* (2), x > 0 and finite. z is taken apart so that its products with 1/c, 11 bits, are exact, and the
 * square of the first part of r too. */
static inline sari_pair logarithm(double x)
{
    uint64_t bits = sari_bits(x);
    int64_t k = 0;
    if (bits < 0x0010000000000000u) bits = sari_bits(x * 0x1p54), k = -54; // subnormal
    const uint64_t from = bits - LOG_START;
    const int part = (int)(from >> 45 & (LOG_PARTS - 1));
    const int64_t binade = (int64_t)(from & 0xfff0000000000000u) >> 52;
    k += binade;
    const uint64_t mantissa = bits - (from & 0xfff0000000000000u);
    const double z = sari_of_bits(mantissa);
    const double z1 = sari_of_bits((mantissa + 0x80000000u) & 0xffffffff00000000u); // nearest
    const double inverse = LOG_TABLE[part].inverse;
    const double r1 = z1 * inverse - 1.0, r2 = (z - z1) * inverse;
    const sari_pair r = sari_sum_ordered(r1, r2);
    const double square1 = 0.5 * r1 * r1, square2 = 0.5 * r2 * (r.near + r1);
    const double* p = LOG_POLYNOMIAL;
    const double a = r.near, a2 = a * a;
    const double q = (p[0] + a * p[1]) + a2 * (p[2] + a * p[3]) +
                     a2 * a2 * ((p[4] + a * p[5]) + a2 * (p[6] + a * p[7]));
    const sari_pair first = sari_sum_ordered((double)k * LN2_1 + LOG_TABLE[part].log_1, a);
    const sari_pair second = sari_sum_ordered(first.near, -square1);
    const double small = (double)k * LN2_2 + LOG_TABLE[part].log_2 + r.rest * (1.0 - a);
    return sari_sum_ordered(second.near,
                            first.rest + (second.rest + (small + (a2 * a * q - square2))));
}

/// Of a number without a finite logarithm
static double no_logarithm(double x)
{
    return x == 0.0 ? -INFINITY : x < 0.0 ? NAN : x;
}

static inline int has_logarithm(double x)
{
    return x > 0.0 && x < INFINITY;
}

double sari_log(double x)
{
    return has_logarithm(x) ? logarithm(x).near : no_logarithm(x);
}

/// Products of pairs
static inline sari_pair times(sari_pair a, const double b[2])
{
    const sari_pair product = sari_product(a.near, b[0]);
    return sari_sum_ordered(product.near, product.rest + (a.near * b[1] + a.rest * b[0]));
}

double sari_log2(double x)
{
    return has_logarithm(x) ? times(logarithm(x), LOG2_E).near : no_logarithm(x);
}

double sari_log10(double x)
{
    return has_logarithm(x) ? times(logarithm(x), LOG10_E).near : no_logarithm(x);
}

double sari_cbrt(double x)
{
    const double size = fabs(x);
    if (!has_logarithm(size)) return x;
    const sari_pair third = times(logarithm(size), THIRD);
    return copysign(scaled(exponential_of(third.near, third.rest)), x);
}

/// 0: no integer, 1: odd, 2: even
static int kind_of_integer(double y)
{
    if (y != floor(y)) return 0;
    return fabs(y) < 0x1p53 && fmod(y, 2.0) != 0.0 ? 1 : 2;
}

/* x^y where x or y is 0, infinite or no number, or x is 1 */
static double special_power(double x, double y)
{
    if (x == 1.0 || y == 0.0) return 1.0;
    if (isnan(x) || isnan(y)) return x + y;
    if (isinf(y)) {
        if (fabs(x) == 1.0) return 1.0;
        return (fabs(x) > 1.0) == (y > 0.0) ? INFINITY : 0.0;
    }
    const double size = (x == 0.0) == (y < 0.0) ? INFINITY : 0.0; // x is 0 or infinite
    return kind_of_integer(y) == 1 ? copysign(size, x) : size;
}

/// Beyond 2^66 every power but that of 1 overflows or vanishes; below 2^-66 all are 1.
static const double LARGE = 0x1p66;

double sari_pow(double x, double y)
{
    const double size = fabs(x);
    if (y == 2.0) return x * x;
    if (!has_logarithm(size) || !(fabs(y) < INFINITY) || x == 1.0 || y == 0.0)
        return special_power(x, y);
    double sign = 1.0;
    if (x < 0.0) {
        const int kind = kind_of_integer(y);
        if (kind == 0) return NAN;
        if (kind == 1) sign = -1.0;
        if (size == 1.0) return sign;
    }
    if (fabs(y) < 1.0 / LARGE) return sign;
    if (fabs(y) > LARGE) return (size > 1.0) == (y > 0.0) ? sign * INFINITY : sign * 0.0;
    const sari_pair log = logarithm(size);
    const double log1 = sari_upper_half(log.near), y1 = sari_upper_half(y), first = log1 * y1;
    const double rest = (log1 * (y - y1) + (log.near - log1) * y) + log.rest * y;
    if (first > 800.0) return sign * INFINITY;
    if (first < -800.0) return sign * 0.0;
    return sign * scaled(exponential_of(first, rest));
}

/* ---- hyperbolic functions -------------------------------------------------------------------- */

/// Below the root of 1/8 series, which lose no digits.
static inline int is_small(double x)
{
    return x * x < 0.125;
}

static inline sari_pair small_sinh(double x)
{
    const double* p = SINH_POLYNOMIAL;
    const double z = x * x;
    const double s = p[0] + z * (p[1] + z * (p[2] + z * (p[3] + z * (p[4] + z * p[5]))));
    return sari_sum_ordered(x, x * z * s);
}

static inline sari_pair small_cosh(double x)
{
    const double* p = COSH_POLYNOMIAL;
    const sari_pair square = sari_product(x, x);
    const double z = square.near;
    const double c = z * z * (p[0] + z * (p[1] + z * (p[2] + z * (p[3] + z * p[4]))));
    const sari_pair first = sari_sum_ordered(1.0, 0.5 * z);
    return sari_sum_ordered(first.near, first.rest + (0.5 * square.rest + c));
}

/// e^x, |x| < 700, times 2^-1
static inline sari_pair half_exponential(double x)
{
    const exponential e = exponential_of(x, 0.0);
    const double scale = sari_of_bits((uint64_t)(e.exponent + 1022) << 52);
    const sari_pair sum = sari_sum_ordered(e.base, e.rest);
    return (sari_pair){sum.near * scale, sum.rest * scale};
}

/// (e^x + sign e^-x)/2, x > 0
static double half_sum(double x, double sign)
{
    if (x >= 700.0) { // the other exponential is nothing here, but e^x itself may overflow
        if (x > 800.0) return x + x == x ? x : INFINITY;
        exponential e = exponential_of(x, 0.0);
        e.exponent--;
        return scaled(e);
    }
    const sari_pair up = half_exponential(x), down = half_exponential(-x);
    return sari_pair_sum(up, (sari_pair){sign * down.near, sign * down.rest}).near;
}

/// Sines, hyperbolic or not, of numbers below this are these numbers.
static const double TINY = 0x1p-28;

double sari_sinh(double x)
{
    const double size = fabs(x);
    if (!(size >= TINY)) return x;
    return copysign(is_small(x) ? small_sinh(size).near : half_sum(size, -1.0), x);
}

double sari_cosh(double x)
{
    const double size = fabs(x);
    if (isnan(x)) return x;
    if (size < TINY) return 1.0;
    return is_small(x) ? small_cosh(x).near : half_sum(size, 1.0);
}

/* 1 - 2/(e^2x + 1), and sinh x/cosh x where that would cancel */
double sari_tanh(double x)
{
    const double size = fabs(x);
    if (!(size >= TINY)) return x;
    if (size > 20.0) return copysign(1.0, x);
    if (is_small(x))
        return copysign(sari_pair_quotient(small_sinh(size), small_cosh(size)).near, x);
    const sari_pair half = half_exponential(2.0 * size), below = sari_sum(half.near, 0.5);
    const double q = 1.0 / below.near;
    const double rest = -q * (sari_product_rest(q, below.near, 1.0) + q * (below.rest + half.rest));
    const sari_pair first = sari_sum_ordered(1.0, -q);
    return copysign(first.near + (first.rest - rest), x);
}
