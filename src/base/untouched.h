/* Memory that is not zeroed, for long lists that are written before they are read: what is never written
 * is never touched. */
#ifndef SARI_UNTOUCHED_H
#define SARI_UNTOUCHED_H

#include "base/arena.h"

/// As sari_allocate of memory.h, but for the zeros.
void* sari_allocate_untouched(size_t count, size_t size);
/// As sari_arena_take, likewise.
void* sari_arena_take_untouched(sari_arena* arena, size_t count, size_t size);

#endif
