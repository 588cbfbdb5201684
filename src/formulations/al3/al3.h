/* What others may ask of al3 alone. */
#ifndef SARI_AL3_H
#define SARI_AL3_H

/// Was the last step ended by (7) of al3.c? Its state does not solve the equations of a step then.
int sari_al3_held(const void* self);
/// Multipliers of the last step's projections by mass: M (v - v*) + Phi_q' nu = 0, M (a - a*) + Phi_q' kappa = 0.
void sari_al3_impulses(const void* self, const double** nu, const double** kappa);

#endif
