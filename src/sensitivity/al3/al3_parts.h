/* Which parts of the equations a parameter changes. */
#ifndef SARI_SENSITIVITY_AL3_PARTS_H
#define SARI_SENSITIVITY_AL3_PARTS_H

#include "sensitivity/al3/al3_terms.h"
#include "simulation/simulation.h"

/// Parts that are not the same at the record in the nominal system and in two whose parameter is larger and smaller. Where they do
/// not go along a straight line *straight becomes 0. x: workspace.
unsigned sari_parts_look(sari_system* const sys[3], const sari_step_record* r,
                         sari_step_terms* const x[3], int* straight);
/// Parts that count though they may be the same where that is looked at.
unsigned sari_parts_always(const sar_simulation* x);

#endif
