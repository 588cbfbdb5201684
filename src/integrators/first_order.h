/* What integrators of dy/dt = f(t, y) drive: a formulation's own first-order form, or y = (q, p)
 * where it has rates. */
#ifndef SARI_FIRST_ORDER_H
#define SARI_FIRST_ORDER_H

#include "base/arena.h"
#include "integrators/integrator.h"

typedef struct sari_first_order {
    const sari_first_order_ops* ops;
    void* self;
} sari_first_order;

/// The memory is the arena's.
sari_first_order sari_first_order_of(sari_equations* system, const sari_formulation* form,
                                     const sar_options* options, sari_arena* memory);

/// Of (q, p); a form of its own is the formulation's.
void sari_first_order_archive(const sari_first_order* ode, sari_archive* a);

/// Numbers in y at a base like that where the formulation started.
static inline int sari_first_order_size(const sari_first_order* ode)
{
    return ode->ops->size ? ode->ops->size(ode->self) : ode->ops->most(ode->self);
}

/// df/dy at the base y, where dy/dt is f: J, size x size, by rows. Returns SAR_OK and how many rates
/// were evaluated for it, or the status of one that failed. `work`: 2 size numbers.
sar_status sari_first_order_jacobian(const sari_first_order* ode, int size, double t,
                                     const double* y, const double* f, double* J, double* work,
                                     int* evaluations);

/// The largest |eigenvalue| of df/dy at the base from few rates, where J would take many: to some per
/// cent mostly, too small where several are alike. `work`: 3 size numbers. NaN: not to be had.
double sari_first_order_radius(const sari_first_order* ode, int size, double t, const double* y,
                               const double* f, double* work, int* evaluations);

/// The largest |eigenvalue| of J, from its powers: at most some per cent too much. `work`: 2 size^2
/// numbers. Not finite: neither is J.
double sari_spectral_radius(int size, const double* J, double* work);

/// A step of h, but no longer than `longest` and than the motion can be followed, and not so that
/// little is left for the next one.
double sari_first_order_fit(const sari_first_order* ode, const sari_state* s, double h,
                            double longest, double left);

/// Why a step was given up: SAR_OK: for its error, in units of what is allowed.
typedef struct sari_given_up {
    sar_status status;
    double t, h, error, tolerance;
} sari_given_up;

void sari_first_order_explain(const sari_given_up* why, char* text, size_t size);

#endif
