/* Gradients of runs without events and singular configurations, backwards in time. */
#ifndef SARI_SENSITIVITY_ADJOINT_H
#define SARI_SENSITIVITY_ADJOINT_H

#include "sensitivity/sensitivity.h"

/// Is it for this run and its rows? After the run.
int sari_adjoint_serves(const sar_sensitivity* s);
/// Of weight' rows by all parameters; NaN: refused, or to be had on one side alone. SAR_E_INCOMPAT, SAR_R_...: not by this, take columns.
sar_status sari_adjoint_gradient(sar_sensitivity* s, const double* weight, double* gradient,
                                 sar_error* error);

#endif
