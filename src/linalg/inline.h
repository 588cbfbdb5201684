/* Kernels that are compiled once per size: always inlined, loops of known length unrolled. */
#ifndef SARI_INLINE_H
#define SARI_INLINE_H

#include "math/vec4.h"

#if defined(__GNUC__)
#define SARI_INLINE static inline __attribute__((always_inline))
#else
#define SARI_INLINE static inline
#endif

// clang unrolls such loops unasked; asked to, it needs minutes for them under a sanitizer.
#if defined(__GNUC__) && !defined(__clang__)
#define SARI_UNROLL _Pragma("GCC unroll 16")
#else
#define SARI_UNROLL
#endif

#endif
