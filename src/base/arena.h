/* Memory that belongs to one object: pieces are taken in `create`, a failure is remembered, and one
 * call releases all of them. */
#ifndef SARI_ARENA_H
#define SARI_ARENA_H

#include <stddef.h>

/// Zero-initialised is empty.
typedef struct sari_arena {
    struct sari_arena_piece* pieces;
    int failed; ///< some piece could not be had
} sari_arena;

/// Zeroed memory, aligned for anything, or NULL.
void* sari_arena_take(sari_arena* arena, size_t count, size_t size);
/// A copy of what is at `source`, or NULL.
void* sari_arena_copy(sari_arena* arena, const void* source, size_t count, size_t size);
void sari_arena_clear(sari_arena* arena);

#define SARI_TAKE(arena, type, count) ((type*)sari_arena_take(arena, (size_t)(count), sizeof(type)))

#endif
