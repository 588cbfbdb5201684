/* Static equilibrium of a mechanism, for assembly.c. */
#ifndef SARI_EQUILIBRIUM_H
#define SARI_EQUILIBRIUM_H

#include "simulation/simulation.h"

/// From q, which satisfies the constraints at t, to a position where weight, springs and reactions
/// are balanced. `unit`: size of the bodies. SAR_E_ASSEMBLY: none was found, and `report` says why;
/// q is where the search ended. All numbers are in the system's units.
sar_status sari_equilibrium_find(sari_system* system, double t, double unit, double* q,
                                 sar_equilibrium* report);

/// A sentence about an equilibrium that was not found, for people.
void sari_equilibrium_explain(const sar_equilibrium* report, char* text, size_t size);

#endif
