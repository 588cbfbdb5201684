/* The walker over tables of keys. */
#ifndef SARI_KEYS_H
#define SARI_KEYS_H

#include "elements/definition.h"
#include "input/reader.h"

/// What is being read.
typedef struct sari_key_reader {
    sari_reader* r;
    sari_element e;
    const sari_definition* is;
    const sari_file_word* word;
    void* def; ///< until the next element
} sari_key_reader;

/// Report unknown keys and missing ones: those of the word, and `more`, NULL after the last.
void sari_check_words(sari_key_reader* f, const char* const* more);
/// A definition with its name and the usual values, read key by key. False: no memory.
bool sari_read_keys(sari_key_reader* f);

#endif
