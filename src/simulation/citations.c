#include "simulation/citations.h"

#include "sarrus/methods.h"

#include <string.h>

const char* sar_bibtex(const char* key)
{
    if (!key) return NULL;
    for (const sari_citation* c = sari_citations; c->key; c++)
        if (strcmp(c->key, key) == 0) return c->entry;
    return NULL;
}
