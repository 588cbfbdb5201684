/* Named texts that travel with a result: model, method, citations, verdict. */
#ifndef SARI_RESULTS_ATTRIBUTES_H
#define SARI_RESULTS_ATTRIBUTES_H

#include "sarrus/base.h"

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
void sari_attributes_clear(sari_attributes* a);

#endif
