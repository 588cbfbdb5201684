/* Loads: forces at points and torques on bodies, as forces on X. Used by forces.c alone. */
#ifndef SARI_LOADS_H
#define SARI_LOADS_H

#include "system/mechanism/mechanism.h"

/// Force and torque of a load (world or body components as its definition says), or their change.
typedef struct sari_load_action {
    double F[3], T[3];
} sari_load_action;

/// out[0..nx) on the loaded body, out[nx..2nx) on the reaction body, for bodies placed by X (all
/// bodies).
void sari_load_on_X(const sari_mechanism* m, const sar_load_def* def, const double* X,
                    const sari_load_action* action, double* out);

/// Change of the above when X changes by dX (2 nx, same order as out). Returns which of the two change:
/// bit 0, the loaded body's, bit 1, the other's; the rest of out is not set.
unsigned sari_load_turn(const sari_mechanism* m, const sar_load_def* def, const double* X,
                        const sari_load_action* action, const double* dX, double* out);

/// Does the part on the loaded body ever change with X?
int sari_load_turns(const sar_load_def* def, const sari_load_action* action);

/// Force and torque about the centre of mass, world axes, of a force on X_b.
void sari_wrench_of(const sari_mechanism* m, const double* X_b, const double* force_on_X,
                    double wrench[6]);

#endif
