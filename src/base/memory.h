/* Memory: every allocation of the library goes through here, in `create` functions only. */
#ifndef SARI_MEMORY_H
#define SARI_MEMORY_H

#include <stddef.h>

/// Zeroed memory from the hook of base.h; NULL when there is none. count * size is checked.
void* sari_allocate(size_t count, size_t size);
void sari_release(void* memory);
char* sari_copy_string(const char* text);                       ///< NULL in, NULL out
void* sari_copy(const void* source, size_t count, size_t size); ///< NULL when count is 0

#define SARI_NEW(type) ((type*)sari_allocate(1, sizeof(type)))
#define SARI_NEW_ARRAY(type, count) ((type*)sari_allocate((size_t)(count), sizeof(type)))

/// Grow an array owned by the library so that it holds one more: *capacity doubles. 0 when out of
/// memory.
int sari_grow(void** array, int count, int* capacity, size_t size);

#endif
