/* Numbers g whose changes of sign are events: their values at a state, and their zeros within a step. */
#ifndef SARI_GUARDS_H
#define SARI_GUARDS_H

#include "simulation/simulation.h"

/// g has left zero when it has become so many times larger.
#define SARI_GUARD_LEFT 1e-6

/// Part of a step, from and to, at whose ends g is g0 and g1.
typedef struct sari_guarded_time {
    double from, to, g0, g1;
} sari_guarded_time;

static inline int sari_side(double g)
{
    return (g > 0.0) - (g < 0.0);
}

/// All that guards need, at a state.
sar_status sari_guards_evaluate(sar_simulation* s, const sari_state* x);
/// The same where the last step is after h; without interpolation s->state is left somewhere.
sar_status sari_guards_within(sar_simulation* s, double h);
/// g, as evaluated last.
double sari_guard_value(sar_simulation* s, const sari_guard* g);

/// Does a change of sign from this side count?
int sari_guard_counts(const sar_simulation* s, const sari_guard* g, int from);
/// Does g cross zero in this part of the step? Then where, from s->previous; else NaN. What it is at
/// its end is stored. `dips`: it goes towards zero at the begin of the part, and away from it at its end.
sar_status sari_guard_cross(sar_simulation* s, sari_guard* g, sari_guarded_time p, int dips,
                            double* zero);
/// A branch that was turned where its guard had not quite reached zero, by the error of the time of its
/// event, and that is no further from it now: it has not left yet, and does not come back.
int sari_guard_has_not_left(const sari_guard* g, double value);

#endif
