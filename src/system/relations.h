/* Rows that relate scalars of the configuration: linear ones, of screws, couplings and drives, and
 * those that an expression of the model gives. */
#ifndef SARI_RELATIONS_H
#define SARI_RELATIONS_H

#include "system/system.h"

/// Phi, Phi_q, Phi_t and the bias of relation k, as `what` asks.
void sari_relation_eval(sari_system* s, int k, unsigned what, double t);
/// d/dt of its gradient, into Phi_q_rate.
void sari_relation_rate(sari_system* s, int k, double t);
/// G += lambda d2 Phi/dq2, dense, at time t.
void sari_relation_stiffness(sari_system* s, int k, double t, double lambda, double* G);
/// d Phi/dt with q held, at the present configuration.
double sari_relation_by_time(sari_system* s, int k, double t);
/// d Phi/d scalar, per term, with bodies placed by X.
void sari_relation_slopes_on_X(sari_system* s, const sari_relation* r, double t, const double* X,
                               double* slope);
/// The value of its only scalar that satisfies a law, which is linear in it; NaN: it is not.
double sari_relation_root(sari_system* s, const sari_relation* r, double t, double near);
/// A row by the expression of a constraint on positions. 0: out of memory.
int sari_mechanism_add_law(sari_mechanism* m, int joint);

#endif
