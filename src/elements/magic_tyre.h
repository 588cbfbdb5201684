/* What the files of the Magic-Formula tyre share. */
#ifndef SARI_MAGIC_TYRE_H
#define SARI_MAGIC_TYRE_H

#include "elements/force.h"
#include "elements/magic_formula.h"

enum { ROAD };                                         ///< texts
enum { CENTRE = 0, AXIS = 3, SPOKE = 6, SCALARS = 9 }; ///< scalars, three each
enum { KAPPA, ALPHA };                                 ///< states

/// What it does, without slopes.
void sari_magic_tyre_act(const sari_force* tyre, const sari_force_state* at, unsigned what,
                         sari_force_action* out);
void sari_magic_tyre_show(const sari_force* tyre, const sari_force_state* at, double* out);

#endif
