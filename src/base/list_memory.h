/* Memory of lists that may become long and seldom do, taken in `create` like all other: a step does
 * not make them grow. It is not cleared, and what is not used of it never touched. */
#ifndef SARI_LIST_MEMORY_H
#define SARI_LIST_MEMORY_H

#include "base/arena.h"

/// Room for `count` items.
void* sari_arena_take_list(sari_arena* arena, size_t count, size_t size);

/* for arena.c */
void* sari_allocate_list(size_t head, size_t bytes);

#endif
