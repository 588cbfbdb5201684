#include "base/memory.h"
#include "integrators/integrator.h"

#include <string.h>

#define ROW(name) &sari_integrator_##name,
static const sari_integrator_ops* list[SARI_INTEGRATORS_MAX + 1] = {SARI_INTEGRATOR_LIST(ROW)};
const sari_integrator_ops* const* const sari_integrators = list;

bool sari_integrator_add(const sari_integrator_ops* ops)
{
    int k = 0;
    while (list[k]) k++;
    if (k < SARI_INTEGRATORS_MAX) list[k] = ops;
    return k < SARI_INTEGRATORS_MAX;
}

const sari_integrator_ops* sari_integrator_named(const char* name)
{
    int k = 0;
    while (sari_integrators[k] && strcmp(sari_integrators[k]->name, name) != 0) k++;
    return sari_integrators[k];
}

sar_status sari_integrator_create(const sari_integrator_ops* ops, sari_equations* system,
                                  const sari_formulation* form, const sar_options* options,
                                  void** out, sar_error* error)
{
    sar_error said = {0};
    void* self = sari_allocate(1, ops->size);
    sar_status st = self ? ops->create(self, system, form, options, &said) : SAR_E_NOMEM;
    st = sari_object_outcome(self, st, ops->name, &said, error);
    if (st != SAR_OK) {
        sari_integrator_destroy(ops, self);
        self = NULL;
    }
    *out = self;
    return st;
}

void sari_integrator_destroy(const sari_integrator_ops* ops, void* self)
{
    if (self && ops->clear) ops->clear(self);
    sari_object_destroy(self);
}
