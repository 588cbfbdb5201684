/* A motion that drives prescribe, shared by motion.c and freedom.c. */
#ifndef SARI_MOTION_H
#define SARI_MOTION_H

#include "sarrus/motion.h"
#include "simulation/driven/determined.h"
#include "simulation/simulation.h"

struct sar_motion {
    sari_observation seen;
    sari_state previous; ///< before the last step
    sari_determined lin;
    double *q, *d, *rhs; ///< trial position, its change, right-hand side
    char* moves;         ///< marks of joints and bodies, see freedom.c
    double size;         ///< of the mechanism, in its coordinates
    double weight;       ///< of the constraints at the present position
    double initial;      ///< energy at the start
    long step, steps, iterations;
    sar_determinacy determinacy;
};

/// Below this weight a direction counts as free. Newton's method finds a singular configuration to
/// within the square root of the rounding, and no better is known of the rank there.
static const double SARI_MOTION_WEIGHT = 1e-6;

/* motion.c */
/// Newton's method for Phi(t, q) = 0 from m->q on with at most `most` independent columns; ends in
/// m->q with Phi_q evaluated.
sar_status sari_motion_positions(sar_motion* m, double t, int most);

/* freedom.c */
/// The constraints have less than full rank at the start: is there a motion that no drive
/// prescribes, or is only the position singular? Fills determinacy.
void sari_motion_freedom(sar_motion* m, int rank);
/// Names of what moves along the free directions at the position `q`, where the constraints have
/// this rank and were factored.
void sari_motion_name_free(sar_motion* m, const double* q, int rank);

#endif
