/* Does a velocity go on smoothly through a singular configuration? On one branch of motion it does;
 * branches cross at an angle. */
#ifndef SARI_CONTINUITY_H
#define SARI_CONTINUITY_H

#include "formulations/formulation.h"
#include "simulation/singular/normal.h"

/// A state before the singular configuration.
typedef struct sari_moving {
    double t, square; ///< square: of the speed, norm of D
    double *v, *a;
} sari_moving;

/// Is the angle between the velocities before and after, both carried to the time between them by
/// their accelerations, as small as on one branch? Not where the motion turns round there, and this
/// says nothing; but where bodies turn so far meanwhile (spin [rad/s]) that nothing can be said.
int sari_velocities_agree(const sari_normal* n, const sari_moving* before, const sari_state* now,
                          double spin);

/// Is the velocity, carried on from `before` to the time t, in the null space of the constraints at the
/// position evaluated last? `fastest`: square of the speed in the run. Scratch: carried, rhs (nq each).
int sari_velocity_goes_on(sari_normal* n, const sari_moving* before, double t, double fastest,
                          double* carried, double* rhs);

#endif
