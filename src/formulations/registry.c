#include "base/memory.h"
#include "formulations/formulation.h"

#include <string.h>

#define ROW(name) &sari_formulation_##name,
static const sari_formulation_ops* list[SARI_FORMULATIONS_MAX + 1] = {SARI_FORMULATION_LIST(ROW)};
const sari_formulation_ops* const* const sari_formulations = list;

bool sari_formulation_add(const sari_formulation_ops* ops)
{
    int k = 0;
    while (list[k]) k++;
    if (k < SARI_FORMULATIONS_MAX) list[k] = ops;
    return k < SARI_FORMULATIONS_MAX;
}

const sari_formulation_ops* sari_formulation_named(const char* name)
{
    int k = 0;
    while (list[k] && strcmp(list[k]->name, name) != 0) k++;
    return list[k];
}

sar_status sari_formulation_create(const sari_formulation_ops* ops, sari_equations* system,
                                   const sar_options* options, sari_formulation* out,
                                   sar_error* error)
{
    sar_error said = {0};
    *out = (sari_formulation){ops, sari_allocate(1, ops->size)};
    sar_status st = out->self ? ops->create(out->self, system, options, &said) : SAR_E_NOMEM;
    st = sari_object_outcome(out->self, st, ops->name, &said, error);
    if (st != SAR_OK) sari_formulation_clear(out);
    return st;
}

void sari_formulation_clear(sari_formulation* form)
{
    if (form->self && form->ops->clear) form->ops->clear(form->self);
    sari_object_destroy(form->self);
    *form = (sari_formulation){0};
}

int sari_formulation_needs_no_mass(const sari_formulation_ops* ops, sari_contract contract)
{
    const int rates = contract == SARI_CONTRACT_RATES || contract == SARI_CONTRACT_FIRST_ORDER;
    return sari_formulation_can(ops, SARI_FORM_TREE) ||
           (rates && sari_formulation_can(ops, SARI_FORM_TREE_RATES));
}
