/* Four doubles at once, for loops that are written with vectors by hand. On targets without such
 * registers the compiler splits them. */
#ifndef SARI_VEC4_H
#define SARI_VEC4_H

typedef double sari_vec4 __attribute__((vector_size(32), aligned(8), may_alias));
#define SARI_VEC(pointer) (*(sari_vec4*)(pointer))
#define SARI_CONST_VEC(pointer) (*(const sari_vec4*)(pointer))

#endif
