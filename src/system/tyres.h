/* Tyres on a road, as forces on the height and the forward position of the wheel's centre. Used by
 * forces.c alone. */
#ifndef SARI_TYRES_H
#define SARI_TYRES_H

#include "model/model.h"

enum { SARI_TYRE_UP, SARI_TYRE_FORWARD, SARI_TYRE_AXES };

typedef struct sari_tyre_action {
    double force[SARI_TYRE_AXES];                    ///< on the wheel
    double by_value[SARI_TYRE_AXES][SARI_TYRE_AXES]; ///< d force / d position
    double by_rate[SARI_TYRE_AXES][SARI_TYRE_AXES];  ///< d force / d velocity
    double potential;
    double power; ///< of the force and, beyond it, what the potential gains: by a road that moves,
                  ///< slopes without a force along them, and damping
} sari_tyre_action;

/// At a position (up, forward) of the wheel's centre with these rates; `slopes` asks for the
/// derivatives too.
void sari_tyre_evaluate(const sari_tyre* tyre, double t, const double at[SARI_TYRE_AXES],
                        const double rate[SARI_TYRE_AXES], int slopes, sari_tyre_action* out);

#endif
