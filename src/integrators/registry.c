#include "integrators/integrator.h"

#define ROW(name) &sari_integrator_##name,
const sari_integrator_ops* const sari_integrators[] = {SARI_INTEGRATOR_LIST(ROW) NULL};
