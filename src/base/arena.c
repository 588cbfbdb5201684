#include "base/arena.h"

#include "base/list_memory.h"
#include "base/memory.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sari_arena_piece {
    alignas(
        max_align_t) struct sari_arena_piece* next; // so that what follows is aligned for anything
};

/* NULL: there is none. */
static void* add_piece(sari_arena* arena, struct sari_arena_piece* piece)
{
    if (!piece) {
        arena->failed = 1;
        return NULL;
    }
    piece->next = arena->pieces;
    arena->pieces = piece;
    return piece + 1;
}

static int fits(size_t count, size_t size)
{
    const size_t most = SIZE_MAX - sizeof(struct sari_arena_piece);
    return size == 0 || count <= most / size;
}

void* sari_arena_take(sari_arena* arena, size_t count, size_t size)
{
    const size_t head = sizeof(struct sari_arena_piece);
    return add_piece(arena, fits(count, size) ? sari_allocate(1, head + count * size) : NULL);
}

void* sari_arena_take_list(sari_arena* arena, size_t count, size_t size, const size_t* used)
{
    const size_t head = sizeof(struct sari_arena_piece);
    return add_piece(arena,
                     fits(count, size) ? sari_allocate_list(head, count * size, used) : NULL);
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
