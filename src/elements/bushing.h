/* What bushings share: frames and matrices of their definitions. */
#ifndef SARI_BUSHING_H
#define SARI_BUSHING_H

#include "elements/force.h"

/// Stiffness (symmetric) and damping; frames are completed.
sar_status sari_bushing_check(const sar_model* model, sar_end* a, sar_end* b, const double K[36],
                              const double C[36], sar_error* error);
/// Directions x, y, z of an end in body axes.
void sari_bushing_frame(const sar_end* end, double frame[3][3]);

#endif
