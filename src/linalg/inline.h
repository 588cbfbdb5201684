/* Kernels that are compiled once per size: always inlined, loops of known length unrolled. */
#ifndef SARI_INLINE_H
#define SARI_INLINE_H

#if defined(__GNUC__)
#define SARI_INLINE static inline __attribute__((always_inline))
#else
#define SARI_INLINE static inline
#endif

// Four doubles; on targets without such registers the compiler splits them.
typedef double sari_vec4 __attribute__((vector_size(32), aligned(8), may_alias));
#define SARI_VEC(pointer) (*(sari_vec4*)(pointer))
#define SARI_CONST_VEC(pointer) (*(const sari_vec4*)(pointer))

// clang unrolls such loops unasked; asked to, it needs minutes for them under a sanitizer.
#if defined(__GNUC__) && !defined(__clang__)
#define SARI_UNROLL _Pragma("GCC unroll 16")
#else
#define SARI_UNROLL
#endif

#endif
