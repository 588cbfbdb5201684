/* Sums and products of doubles almost without a rounding error: the nearest double and what it lacks
 * [dekker1971]. They need no fused multiply-add, and must not be given one. */
#ifndef SARI_PAIRS_H
#define SARI_PAIRS_H

#include "math/functions.h"

typedef struct sari_pair {
    double near, rest;
} sari_pair;

/// a + b, where |a| >= |b| or a is 0
static inline sari_pair sari_sum_ordered(double a, double b)
{
    const double near = a + b;
    return (sari_pair){near, (a - near) + b};
}

/// a + b
static inline sari_pair sari_sum(double a, double b)
{
    const double near = a + b, of_b = near - a;
    return (sari_pair){near, (a - (near - of_b)) + (b - of_b)};
}

/// a without the second half of its bits
static inline double sari_upper_half(double a)
{
    return sari_of_bits(sari_bits(a) & 0xfffffffff8000000u);
}

/// a b - near, where `near` is not far from the product, nothing overflows and the rest is no subnormal number
static inline double sari_product_rest(double a, double b, double near)
{
    const double a1 = sari_upper_half(a), b1 = sari_upper_half(b), a2 = a - a1, b2 = b - b1;
    return ((a1 * b1 - near) + (a1 * b2 + a2 * b1)) + a2 * b2;
}

/// a b, to about 2^-78
static inline sari_pair sari_product(double a, double b)
{
    return (sari_pair){a * b, sari_product_rest(a, b, a * b)};
}

/// (a + b) of pairs, to about 2^-78 where nothing cancels
static inline sari_pair sari_pair_sum(sari_pair a, sari_pair b)
{
    const sari_pair sum = sari_sum(a.near, b.near);
    return sari_sum_ordered(sum.near, sum.rest + (a.rest + b.rest));
}

/// a/b of pairs, to about 2^-78
static inline sari_pair sari_pair_quotient(sari_pair a, sari_pair b)
{
    const double q = a.near / b.near, inverse = 1.0 / b.near;
    const double lacks = (a.rest - q * b.rest) - sari_product_rest(q, b.near, a.near);
    return sari_sum_ordered(q, lacks * inverse);
}

#endif
