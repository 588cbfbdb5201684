#include "results/attributes.h"

#include "base/memory.h"

#include <string.h>

static sari_attribute* find(const sari_attributes* a, const char* name)
{
    for (int k = 0; k < a->count; k++)
        if (strcmp(a->item[k].name, name) == 0) return &a->item[k];
    return NULL;
}

sar_status sari_attributes_set(sari_attributes* a, const char* name, const char* text)
{
    char* copy = sari_copy_string(text);
    if (!copy) return SAR_E_NOMEM;
    sari_attribute* there = find(a, name);
    if (there) {
        sari_release(there->text);
        there->text = copy;
        return SAR_OK;
    }
    char* key = sari_copy_string(name);
    if (!key || !sari_grow((void**)&a->item, a->count, &a->capacity, sizeof *a->item)) {
        sari_release(key);
        sari_release(copy);
        return SAR_E_NOMEM;
    }
    a->item[a->count++] = (sari_attribute){key, copy};
    return SAR_OK;
}

const char* sari_attributes_find(const sari_attributes* a, const char* name)
{
    const sari_attribute* there = find(a, name);
    return there ? there->text : NULL;
}

int sari_attributes_finish(sari_attributes* a)
{
    sari_attribute* verdict = find(a, SARI_VERDICT);
    if (!verdict || strcmp(verdict->text, SARI_UNFINISHED) != 0) return 0;
    sari_release(verdict->name);
    sari_release(verdict->text);
    for (const sari_attribute* end = a->item + --a->count; verdict < end; verdict++)
        *verdict = verdict[1];
    return 1;
}

void sari_attributes_clear(sari_attributes* a)
{
    for (int k = 0; k < a->count; k++) {
        sari_release(a->item[k].name);
        sari_release(a->item[k].text);
    }
    sari_release(a->item);
    *a = (sari_attributes){0};
}
