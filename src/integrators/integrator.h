/* Axis 3, integrators: they drive a formulation through one of its contracts and never see a mass
 * matrix. */
#ifndef SARI_INTEGRATOR_H
#define SARI_INTEGRATOR_H

#include "formulations/formulation.h"

/// What a step needed.
typedef struct sari_step_report {
    int iterations;
    double correction; ///< 2-norm of the last (or best) correction
    int diverged;      ///< the iteration was stopped because the corrections grew
} sari_step_report;

typedef struct sari_integrator_ops {
    const char* name;
    const char* cite;
    const char* text;
    unsigned needs; ///< sari_capability bits of the formulation
    int order;
    sar_status (*create)(sari_system* system, const sari_formulation* form,
                         const sar_options* options, void** self, sar_error* error);
    /// From s->t to s->t + h. SAR_R_NO_CONV leaves the best iterate in s, projected.
    sar_status (*step)(void* self, sari_state* s, double h, sari_step_report* report);
    void (*destroy)(void* self);
} sari_integrator_ops;

extern const sari_integrator_ops sari_integrator_trapezoidal;
extern const sari_integrator_ops sari_integrator_newmark;
extern const sari_integrator_ops* const sari_integrators[]; ///< all, NULL-terminated

#endif
