/* The rows on velocities of a mechanism, and their evaluation in the neck. */
#ifndef SARI_NONHOLONOMIC_H
#define SARI_NONHOLONOMIC_H

#include "system/system.h"

/// The value of a scalar with the bodies placed by X.
double sari_scalar_value_on_X(const sari_system* s, int scalar, const double* X);

/// The row of a constraint by expression, which needs the scalars of all signals. That of a
/// constraint that is not there is left out, its scalars are made. 0: out of memory.
int sari_mechanism_add_expression(sari_mechanism* m, int joint);

/// Fills m->ball. What rolls turns fast, in axes that matter to the contact and not to the body: a
/// ball's turns are best counted in axes that stay. In its own, which may go round by a radian and
/// more in a step, one torque averaged over the step would be another one.
void sari_mechanism_find_balls(sari_mechanism* m);

typedef struct sari_velocity_set sari_velocity_set;

/// For the rows of s->mechanism, the last ones of s; `pattern` gets their coordinates.
void sari_velocity_rows_pattern(const sari_system* s, int first, sari_pattern* pattern);
sar_status sari_velocity_rows_create(sari_system* s, sari_velocity_set** out);

/// Phi, Phi_q and Phi_t, and the bias if `what` asks for it, at the kinematics' present state.
void sari_velocity_rows_eval(sari_system* s, unsigned what, double t);
void sari_velocity_rows_rate(sari_system* s, double t);  ///< dPhi_q/dt
void sari_velocity_rows_slope(sari_system* s, double t); ///< d(A v + b)/dq
/// lambda . b, the power of these rows: -lambda . A v; each also added to joint[j], unless that is NULL
double sari_velocity_rows_power(sari_system* s, double t, const double* lambda, double* joint);

/// Forces of row k with the multiplier 1 on the placement X, added to G.
void sari_velocity_row_on_X(const sari_system* s, int k, double t, const double* X, double* G);

#endif
