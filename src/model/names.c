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

size_t sari_model_head(const sar_model* model, const char* name, size_t length)
{
    for (size_t k = 0; k <= length; k++) {
        if (k < length && name[k] != '.') continue;
        const sari_part* part = sari_model_find_part(model, name, k);
        if (!part) return 0;
        if (part->kind != SARI_PART_ASSEMBLY) return k;
    }
    return 0;
}

sar_status sari_model_add_assembly(sar_model* model, const char* name, sar_error* error)
{
    SARI_TRY(sari_model_check_name(model, name, error));
    void* list = (void*)model->assemblies;
    const bool grown = sari_grow(&list, model->assemblies_count, &model->assemblies_capacity,
                                 sizeof model->assemblies[0]);
    model->assemblies = list;
    char* copy = grown ? sari_copy_string(name) : NULL;
    sar_status status = copy ? sari_model_enter_part(model, SARI_PART_ASSEMBLY, copy,
                                                     model->assemblies_count, error)
                             : sari_out_of_memory(error);
    if (status == SAR_OK)
        model->assemblies[model->assemblies_count++] = copy;
    else
        sari_release(copy);
    return status;
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
    const sari_part* part = sari_model_find_part(model, name, length);
    if (!part) return NULL;
    const sari_relation_type* relation =
        part->kind == SARI_PART_JOINT ? model->joints[part->index].relation : NULL;
    switch (part->kind) {
    case SARI_PART_BODY:
        return "body";
    case SARI_PART_JOINT:
        return relation ? relation->word : "joint";
    case SARI_PART_TABLE:
        return "table";
    case SARI_PART_ASSEMBLY:
        return "assembly";
    case SARI_PART_FRAME:
        return "frame";
    default:
        return sari_model_is_state(model, name, length) ? "state" : "force";
    }
}
