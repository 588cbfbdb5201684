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

/* EACH(statement): the statement for all parts k. A loop would keep GCC from holding them in
 * registers. */
#define OF_PART(number, ...)                                                                       \
    {                                                                                              \
        enum { k = number };                                                                       \
        __VA_ARGS__;                                                                               \
    }
#if defined(__AVX512F__)
enum { PART = 8 };
#define EACH(...) OF_PART(0, __VA_ARGS__)
#elif defined(__AVX__)
enum { PART = 4 };
#define EACH(...) OF_PART(0, __VA_ARGS__) OF_PART(1, __VA_ARGS__)
#else
enum { PART = 2 };
#define EACH(...)                                                                                  \
    OF_PART(0, __VA_ARGS__)                                                                        \
    OF_PART(1, __VA_ARGS__) OF_PART(2, __VA_ARGS__) OF_PART(3, __VA_ARGS__)
#endif
enum { PARTS = SARI_LANES / PART, ALL_LANES = (1 << SARI_LANES) - 1 };

typedef double part __attribute__((vector_size(8 * PART), may_alias));
typedef long long part_bits __attribute__((vector_size(8 * PART), may_alias));
typedef struct wide {
    part p[PARTS];
} __attribute__((may_alias)) wide;
typedef struct mask {
    part_bits p[PARTS];
} mask;

/* The numbers of arrays of sari_wide. */
#define AT(array) ((wide*)(array))
#define ONE(number) (*(wide*)&(number))
#define PLACE(base, place) (*(const wide*)((const char*)(base) + (place)))
#define TO_PLACE(base, place) (*(wide*)((char*)(base) + (place)))

SARI_INLINE wide all(double x)
{
    wide r;
    EACH(r.p[k] = x - (part){0})
    return r;
}

SARI_INLINE wide plus(wide a, wide b)
{
    EACH(a.p[k] += b.p[k])
    return a;
}

SARI_INLINE wide minus(wide a, wide b)
{
    EACH(a.p[k] -= b.p[k])
    return a;
}

SARI_INLINE wide times(wide a, wide b)
{
    EACH(a.p[k] *= b.p[k])
    return a;
}

SARI_INLINE wide over(wide a, wide b)
{
    EACH(a.p[k] /= b.p[k])
    return a;
}

SARI_INLINE wide negative(wide a)
{
    EACH(a.p[k] = -a.p[k])
    return a;
}

/* sum + a b, sum - a b: two roundings each */
SARI_INLINE wide plus_product(wide sum, wide a, wide b)
{
    EACH(sum.p[k] += a.p[k] * b.p[k])
    return sum;
}

SARI_INLINE wide minus_product(wide sum, wide a, wide b)
{
    EACH(sum.p[k] -= a.p[k] * b.p[k])
    return sum;
}

SARI_INLINE part choose_part(part_bits m, part yes, part no)
{
#if defined(__AVX__) && !defined(__AVX512F__)
    return (part)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)m);
#else
    return (part)((m & (part_bits)yes) | (~m & (part_bits)no));
#endif
}

SARI_INLINE wide choose(mask m, wide yes, wide no)
{
    wide r;
    EACH(r.p[k] = choose_part(m.p[k], yes.p[k], no.p[k]))
    return r;
}

SARI_INLINE wide magnitude(wide a)
{
    EACH(a.p[k] = (part)((part_bits)a.p[k] & 0x7fffffffffffffff))
    return a;
}

SARI_INLINE mask less(wide a, wide b)
{
    mask m;
    EACH(m.p[k] = (part_bits)(a.p[k] < b.p[k]))
    return m;
}

SARI_INLINE mask at_most(wide a, wide b)
{
    mask m;
    EACH(m.p[k] = (part_bits)(a.p[k] <= b.p[k]))
    return m;
}

SARI_INLINE mask both(mask a, mask b)
{
    EACH(a.p[k] &= b.p[k])
    return a;
}

SARI_INLINE mask either(mask a, mask b)
{
    EACH(a.p[k] |= b.p[k])
    return a;
}

/* a but not b */
SARI_INLINE mask without(mask a, mask b)
{
    EACH(a.p[k] &= ~b.p[k])
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
    EACH(a.p[k] = root_of_part(a.p[k]))
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
    EACH(lanes |= lanes_of_part(m.p[k]) << (PART * k))
    return lanes;
}

SARI_INLINE mask mask_of(unsigned lanes)
{
    mask m;
    EACH(for (int i = 0; i < PART; i++) m.p[k][i] = -(long long)(lanes >> (PART * k + i) & 1);)
    return m;
}

#endif
