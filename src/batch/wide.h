/* Arithmetic of wide numbers, for the processor that a file is compiled for. GCC makes poor code of
 * vectors that are longer than its registers: a wide number is several of these. */
#ifndef SARI_WIDE_H
#define SARI_WIDE_H

#include "batch/lanes.h"
#include "solvers/inline.h"

#include <float.h>
#include <math.h>

#if defined(__AVX512F__) || defined(__AVX__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { PART = 8 };
#elif defined(__AVX__)
enum { PART = 4 };
#else
enum { PART = 2 };
#endif
enum { PARTS = SARI_LANES / PART };

typedef double part __attribute__((vector_size(8 * PART), may_alias));
typedef long long part_bits __attribute__((vector_size(8 * PART), may_alias));
typedef struct wide {
    part p[PARTS];
} __attribute__((may_alias)) wide;
typedef struct mask {
    part_bits p[PARTS];
} mask;

#define EACH_PART SARI_UNROLL for (int k = 0; k < PARTS; k++)

/* The numbers of arrays of sari_wide. */
#define AT(array) ((wide*)(array))
#define ONE(number) (*(wide*)&(number))

SARI_INLINE wide all(double x)
{
    wide r;
    EACH_PART r.p[k] = x - (part){0};
    return r;
}

SARI_INLINE wide plus(wide a, wide b)
{
    EACH_PART a.p[k] += b.p[k];
    return a;
}

SARI_INLINE wide minus(wide a, wide b)
{
    EACH_PART a.p[k] -= b.p[k];
    return a;
}

SARI_INLINE wide times(wide a, wide b)
{
    EACH_PART a.p[k] *= b.p[k];
    return a;
}

SARI_INLINE wide over(wide a, wide b)
{
    EACH_PART a.p[k] /= b.p[k];
    return a;
}

SARI_INLINE wide negative(wide a)
{
    EACH_PART a.p[k] = -a.p[k];
    return a;
}

/* sum + a b, sum - a b: two roundings each */
SARI_INLINE wide plus_product(wide sum, wide a, wide b)
{
    EACH_PART sum.p[k] += a.p[k] * b.p[k];
    return sum;
}

SARI_INLINE wide minus_product(wide sum, wide a, wide b)
{
    EACH_PART sum.p[k] -= a.p[k] * b.p[k];
    return sum;
}

SARI_INLINE wide choose(mask m, wide yes, wide no)
{
    wide r;
    EACH_PART r.p[k] = (part)((m.p[k] & (part_bits)yes.p[k]) | (~m.p[k] & (part_bits)no.p[k]));
    return r;
}

SARI_INLINE wide magnitude(wide a)
{
    EACH_PART a.p[k] = (part)((part_bits)a.p[k] & 0x7fffffffffffffff);
    return a;
}

SARI_INLINE mask less(wide a, wide b)
{
    mask m;
    EACH_PART m.p[k] = (part_bits)(a.p[k] < b.p[k]);
    return m;
}

SARI_INLINE mask at_most(wide a, wide b)
{
    mask m;
    EACH_PART m.p[k] = (part_bits)(a.p[k] <= b.p[k]);
    return m;
}

SARI_INLINE mask both(mask a, mask b)
{
    EACH_PART a.p[k] &= b.p[k];
    return a;
}

SARI_INLINE mask either(mask a, mask b)
{
    EACH_PART a.p[k] |= b.p[k];
    return a;
}

/* a but not b */
SARI_INLINE mask without(mask a, mask b)
{
    EACH_PART a.p[k] &= ~b.p[k];
    return a;
}

/* Of numbers, no NaN among them. */
SARI_INLINE wide larger(wide a, wide b)
{
    return choose(less(a, b), b, a);
}

SARI_INLINE wide smaller(wide a, wide b)
{
    return choose(less(b, a), b, a);
}

SARI_INLINE part root_of_part(part x)
{
#if defined(__AVX512F__)
    return (part)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX__)
    return (part)_mm256_sqrt_pd((__m256d)x);
#elif defined(__SSE2__)
    return (part)_mm_sqrt_pd((__m128d)x);
#else
    for (int i = 0; i < PART; i++) x[i] = sqrt(x[i]);
    return x;
#endif
}

SARI_INLINE wide square_root(wide a)
{
    EACH_PART a.p[k] = root_of_part(a.p[k]);
    return a;
}

SARI_INLINE unsigned lanes_of_part(part_bits m)
{
#if defined(__AVX512F__)
    return (unsigned)_mm512_cmplt_epi64_mask((__m512i)m, _mm512_setzero_si512());
#elif defined(__AVX__)
    return (unsigned)_mm256_movemask_pd((__m256d)m);
#elif defined(__SSE2__)
    return (unsigned)_mm_movemask_pd((__m128d)m);
#else
    unsigned lanes = 0;
    for (int i = 0; i < PART; i++) lanes |= (unsigned)(m[i] != 0) << i;
    return lanes;
#endif
}

/* A bit for each lane. */
SARI_INLINE unsigned lanes_of(mask m)
{
    unsigned lanes = 0;
    EACH_PART lanes |= lanes_of_part(m.p[k]) << (PART * k);
    return lanes;
}

SARI_INLINE mask mask_of(unsigned lanes)
{
    mask m;
    EACH_PART
    {
        for (int i = 0; i < PART; i++) m.p[k][i] = -(long long)(lanes >> (PART * k + i) & 1);
    }
    return m;
}

#endif
