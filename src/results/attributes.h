/* Named texts that travel with a result: model, method, citations, verdict. */
#ifndef SARI_RESULTS_ATTRIBUTES_H
#define SARI_RESULTS_ATTRIBUTES_H

#include "sarrus/base.h"

/// How the run ended; a writer that is open says "unfinished".
#define SARI_VERDICT "verdict"
#define SARI_UNFINISHED "unfinished"

typedef struct sari_attribute {
    char* name;
    char* text;
} sari_attribute;

/// Zero-initialised is empty.
typedef struct sari_attributes {
    sari_attribute* item;
    int count, capacity;
} sari_attributes;

/// Copies both; a name that is there already gets the new text. SAR_OK or SAR_E_NOMEM.
sar_status sari_attributes_set(sari_attributes* a, const char* name, const char* text);
const char* sari_attributes_find(const sari_attributes* a, const char* name); ///< or NULL
/// The writer is being closed: what is still "unfinished" by default loses its verdict. 1 if so.
int sari_attributes_finish(sari_attributes* a);
void sari_attributes_clear(sari_attributes* a);

#endif
