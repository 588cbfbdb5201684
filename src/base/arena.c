#include "base/arena.h"

#include "base/list_memory.h"
#include "base/memory.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* An allocation: room for many small pieces, or one large piece. Rooms come first, the one that is
 * being filled before all others. */
struct sari_arena_piece {
    alignas(max_align_t) struct sari_arena_piece* next; // what follows is aligned for anything
    uint32_t used, size;                                ///< of a room [bytes]; 0: one large piece
};

enum {
    HEAD = sizeof(struct sari_arena_piece),
    ALIGNMENT = alignof(max_align_t),
    FIRST_ROOM = 1024,
    LARGEST_ROOM = 16 * 1024,
    LARGE = LARGEST_ROOM / 8, ///< pieces from here on are alone
};

/* Where addresses are checked every piece is an allocation of its own, so that its bounds are known. */
#if defined(__SANITIZE_ADDRESS__)
static const size_t large = 0;
#else
static const size_t large = LARGE;
#endif

/* NULL: there is none. */
static void* add_alone(sari_arena* arena, struct sari_arena_piece* piece)
{
    if (!piece) {
        arena->failed = 1;
        return NULL;
    }
    struct sari_arena_piece** place = &arena->pieces;
    if (*place && (*place)->size) place = &(*place)->next;
    piece->next = *place;
    *place = piece;
    return piece + 1;
}

/* A room for what does not fit into the last one. */
static struct sari_arena_piece* add_room(sari_arena* arena)
{
    const struct sari_arena_piece* last = arena->pieces;
    uint32_t size = last && last->size ? 2 * last->size : FIRST_ROOM;
    if (size > LARGEST_ROOM) size = LARGEST_ROOM;
    struct sari_arena_piece* room = sari_allocate(1, HEAD + size);
    if (!room) {
        arena->failed = 1;
        return NULL;
    }
    room->size = size;
    room->next = arena->pieces;
    return arena->pieces = room;
}

static void* take_small(sari_arena* arena, size_t bytes)
{
    struct sari_arena_piece* room = arena->pieces;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    while (!room || room->size - room->used < bytes)
        if (!(room = add_room(arena))) return NULL;
    char* piece = (char*)(room + 1) + room->used;
    room->used += (uint32_t)bytes;
    return piece;
}

static int fits(size_t count, size_t size)
{
    return size == 0 || count <= (SIZE_MAX - HEAD) / size;
}

void* sari_arena_take(sari_arena* arena, size_t count, size_t size)
{
    if (fits(count, size) && count * size < large) return take_small(arena, count * size);
    return add_alone(arena, fits(count, size) ? sari_allocate(1, HEAD + count * size) : NULL);
}

void* sari_arena_take_list(sari_arena* arena, size_t count, size_t size)
{
    return add_alone(arena, fits(count, size) ? sari_allocate_list(HEAD, count * size) : NULL);
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
