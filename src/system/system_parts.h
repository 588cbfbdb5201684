/* What building a system and evaluating it share. */
#ifndef SARI_SYSTEM_PARTS_H
#define SARI_SYSTEM_PARTS_H

#include "system/system.h"

/// Potential energy of the weight of bodies placed by X.
double sari_system_weight_potential(const sari_system* s, const double* X);

#endif
