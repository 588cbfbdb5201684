#include "integrators/integrator.h"

const sari_integrator_ops* const sari_integrators[] = {
    &sari_integrator_trapezoidal,
    &sari_integrator_newmark,
    &sari_integrator_variable_step,
    &sari_integrator_fixed_point,
    &sari_integrator_euler,
    &sari_integrator_semi_implicit_euler,
    &sari_integrator_rk4,
    &sari_integrator_own,
    &sari_integrator_own_variable,
#ifdef SARRUS_WITH_SUNDIALS
    &sari_integrator_dopri5,
    &sari_integrator_bdf,
    &sari_integrator_ida,
#endif
    NULL,
};
