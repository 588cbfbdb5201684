/* What building a system and evaluating it share. */
#ifndef SARI_SYSTEM_PARTS_H
#define SARI_SYSTEM_PARTS_H

#include "system/system.h"

/// Potential energy of the weight of bodies placed by X.
double sari_system_weight_potential(const sari_system* s, const double* X);

/// M, and Q = weight and inertial forces, at the kinematics' present state.
void sari_system_set_mass(sari_system* s);
void sari_system_set_force(sari_system* s, int with_velocity);

/// Which forces sari_equations_nearest asks (step_limits.c).
sar_status sari_system_list_distances(sari_system* s);

#endif
