#include "base/memory.h"

#include "base/list_memory.h"
#include "sarrus/base.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void* default_allocate(void* context, size_t bytes)
{
    (void)context;
    return calloc(1, bytes);
}

static void default_release(void* context, void* memory)
{
    (void)context;
    free(memory);
}

static sar_allocator the_allocator = {default_allocate, default_release, NULL};

void sar_set_allocator(const sar_allocator* allocator)
{
    the_allocator =
        allocator ? *allocator : (sar_allocator){default_allocate, default_release, NULL};
}

void* sari_allocate(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) return NULL;
    size_t bytes = count * size;
    return the_allocator.allocate(the_allocator.context, bytes ? bytes : 1);
}

/* A head that is cleared, and room behind it that is not, unless the allocator does so. */
void* sari_allocate_list(size_t head, size_t bytes)
{
    const int plain = the_allocator.allocate == default_allocate;
    void* memory =
        plain ? malloc(head + bytes) : the_allocator.allocate(the_allocator.context, head + bytes);
    if (memory && plain) memset(memory, 0, head);
    return memory;
}

void sari_release(void* memory)
{
    the_allocator.release(the_allocator.context, memory);
}

void* sari_copy(const void* source, size_t count, size_t size)
{
    if (count == 0) return NULL;
    void* copy = sari_allocate(count, size);
    if (copy) memcpy(copy, source, count * size);
    return copy;
}

char* sari_copy_string(const char* text)
{
    return text ? sari_copy(text, strlen(text) + 1, 1) : NULL;
}

int sari_grow(void** array, int count, int* capacity, size_t size)
{
    if (count < *capacity) return 1;
    int wanted = *capacity ? 2 * *capacity : 8;
    void* bigger = sari_allocate((size_t)wanted, size);
    if (!bigger) return 0;
    if (count > 0) memcpy(bigger, *array, (size_t)count * size);
    sari_release(*array);
    *array = bigger;
    *capacity = wanted;
    return 1;
}
