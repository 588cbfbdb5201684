/* Who has which name: found by hash, so that a large model is read in a time that grows with its
 * size. */
#include "base/memory.h"
#include "model/parts.h"

unsigned sari_name_code(const char* name, size_t length)
{
    return sari_hash_code(name, length);
}

const sari_part* sari_model_find_part(const sar_model* model, const char* name, size_t length)
{
    const sari_hash* hash = &model->parts_by_name;
    for (int k = sari_hash_first(hash, sari_name_code(name, length)); k >= 0;
         k = sari_hash_next(hash, k))
        if (sari_same_name(model->parts[k].name, name, length)) return &model->parts[k];
    return NULL;
}

int sari_model_find_kind(const sar_model* model, int kind, const char* name, size_t length)
{
    const sari_part* part = sari_model_find_part(model, name, length);
    return part && part->kind == kind ? part->index : -1;
}

sar_status sari_model_enter_part(sar_model* model, int kind, const char* name, int index,
                                 sar_error* error)
{
    void* parts = model->parts;
    bool grown =
        sari_grow(&parts, model->parts_count, &model->parts_capacity, sizeof model->parts[0]);
    model->parts = parts;
    if (!grown || !sari_hash_add(&model->parts_by_name, sari_name_code(name, strlen(name))))
        return sari_out_of_memory(error);
    model->parts[model->parts_count++] = (sari_part){name, kind, index};
    return SAR_OK;
}

int sari_model_find_parameter(const sar_model* model, const char* name, size_t length)
{
    const sari_hash* hash = &model->parameters_by_name;
    for (int k = sari_hash_first(hash, sari_name_code(name, length)); k >= 0;
         k = sari_hash_next(hash, k))
        if (sari_same_name(model->parameters[k].name, name, length)) return k;
    return -1;
}

const char* sari_model_kind_of(const sar_model* model, const char* name, size_t length)
{
    static const char* const joints[] = {"joint", "coupling", "drive", "constraint"};
    const sari_part* part = sari_model_find_part(model, name, length);
    if (!part) return NULL;
    switch (part->kind) {
    case SARI_PART_BODY:
        return "body";
    case SARI_PART_JOINT:
        return joints[model->joints[part->index].kind];
    case SARI_PART_TABLE:
        return "table";
    default:
        return "force";
    }
}
