#include "base/arena.h"

#include "base/memory.h"
#include "base/untouched.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sari_arena_piece {
    alignas(
        max_align_t) struct sari_arena_piece* next; // so that what follows is aligned for anything
};

static void* take(sari_arena* arena, size_t count, size_t size,
                  void* (*allocate)(size_t count, size_t size))
{
    const size_t most = SIZE_MAX - sizeof(struct sari_arena_piece);
    struct sari_arena_piece* piece = NULL;
    if (size == 0 || count <= most / size) piece = allocate(1, sizeof *piece + count * size);
    if (!piece) {
        arena->failed = 1;
        return NULL;
    }
    piece->next = arena->pieces;
    arena->pieces = piece;
    return piece + 1;
}

void* sari_arena_take(sari_arena* arena, size_t count, size_t size)
{
    return take(arena, count, size, sari_allocate);
}

void* sari_arena_take_untouched(sari_arena* arena, size_t count, size_t size)
{
    return take(arena, count, size, sari_allocate_untouched);
}

void* sari_arena_copy(sari_arena* arena, const void* source, size_t count, size_t size)
{
    void* copy = sari_arena_take(arena, count, size);
    if (copy && count) memcpy(copy, source, count * size);
    return copy;
}

void sari_arena_clear(sari_arena* arena)
{
    while (arena->pieces) {
        struct sari_arena_piece* next = arena->pieces->next;
        sari_release(arena->pieces);
        arena->pieces = next;
    }
}
