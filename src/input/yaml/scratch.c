#include "input/yaml/scratch.h"

#include "base/memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

struct sari_scratch_block {
    sari_scratch_block* next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

enum { BLOCK = 16 * 1024, ALIGNMENT = alignof(max_align_t) };

static sari_scratch_block* add_block(sari_scratch* s, size_t bytes)
{
    size_t size = bytes > BLOCK ? bytes : BLOCK;
    sari_scratch_block* block = sari_allocate(1, sizeof *block + size);
    if (!block) return NULL;
    block->size = size;
    block->next = s->blocks;
    s->blocks = block;
    return block;
}

void* sari_scratch_allocate(sari_scratch* s, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) return NULL;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    sari_scratch_block* block = s->blocks;
    if (!block || block->size - block->used < bytes) block = add_block(s, bytes);
    if (!block) return NULL;
    void* memory = block->bytes + block->used;
    block->used += bytes;
    memset(memory, 0, bytes); // a block that was reset is not clean
    return memory;
}

char* sari_scratch_text(sari_scratch* s, const char* text, size_t length)
{
    char* copy = sari_scratch_allocate(s, length + 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

void sari_scratch_reset(sari_scratch* s)
{
    while (s->blocks && (s->blocks->next || s->blocks->size > BLOCK)) {
        sari_scratch_block* next = s->blocks->next;
        sari_release(s->blocks);
        s->blocks = next;
    }
    if (s->blocks) s->blocks->used = 0;
}

void sari_scratch_clear(sari_scratch* s)
{
    while (s->blocks) {
        sari_scratch_block* next = s->blocks->next;
        sari_release(s->blocks);
        s->blocks = next;
    }
}
