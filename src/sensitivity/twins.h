/* Residuals of twins at the nominal state, and their starts: derivatives by a parameter of all that a step's equations
 * consist of. Differences of two points: 1e-10 of the largest with a change of 1e-5 of the parameter. */
#ifndef SARI_SENSITIVITY_TWINS_H
#define SARI_SENSITIVITY_TWINS_H

#include "sensitivity/sensitivity.h"

/// With parameter k larger and smaller by `change`.
/// Two twins that start near one another: a number may be large because it is far from the origin, and a small part of it a long
/// way. *change becomes smaller then.
sar_status sari_twins_make_near(sar_sensitivity* s, int k, double* change, sari_twin twin[2],
                                sar_error* error);
sar_status sari_twins_make(sar_sensitivity* s, int k, double change, sari_twin twin[2],
                           sar_error* error);
/// F = M a + Phi_q' lambda - Q, Phi, Phi_q v + Phi_t, Phi_q a + bias of a twin at x.
sar_status sari_twin_residual(sari_twin* twin, const sari_state* x, double* F, double* Phi,
                              double* rate, double* second);
/// Their derivatives by the parameter. `work`: nq + 3 nc numbers.
sar_status sari_twins_slopes(sari_twin twin[2], double change, const sari_state* x, double* F,
                             double* Phi, double* rate, double* second, double* work);
/// Are forces but gravity the same functions in both, as far as is seen here?
int sari_twin_same_forces(sari_system* own, sari_system* twin, double t, const double* q,
                          const double* v);
/// Derivatives of the start; before a twin has done a step. 0: angles count revolutions otherwise, so that coordinates of the
/// twins do not mean the same.
int sari_twins_start(sari_twin twin[2], double change, double* dq, double* dv, double* da);

#endif
