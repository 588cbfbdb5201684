#include "integrators/integrator.h"

const sari_integrator_ops* const sari_integrators[] = {&sari_integrator_trapezoidal,
                                                       &sari_integrator_newmark, NULL};
