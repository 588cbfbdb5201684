/* Memory that is given back all at once: the nodes of a document, the texts of one element. */
#ifndef SARI_SCRATCH_H
#define SARI_SCRATCH_H

#include <stddef.h>

typedef struct sari_scratch_block sari_scratch_block;

/// Zero-initialised: empty.
typedef struct sari_scratch {
    sari_scratch_block* blocks; ///< newest first
} sari_scratch;

/// Zeroed memory, valid until reset or clear; NULL when there is none.
void* sari_scratch_allocate(sari_scratch* s, size_t bytes);
char* sari_scratch_text(sari_scratch* s, const char* text, size_t length); ///< zero-terminated copy

/// Forget everything but keep a block for reuse.
void sari_scratch_reset(sari_scratch* s);
void sari_scratch_clear(sari_scratch* s);

#endif
