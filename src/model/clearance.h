/* The distance of the shapes of two bodies. */
#ifndef SARI_CLEARANCE_H
#define SARI_CLEARANCE_H

#include "math/convex.h"
#include "model/model.h"

/// Bodies with their frames at p, R (row-major, to the world), in the units of their shapes: the least of all pairs. Which
/// shapes: shape[2]. False: one of them has none.
bool sari_model_gap(const sar_model* model, const int body[2], const double* const p[2],
                    const double* const R[2], sari_gap* out, int shape[2]);

#endif
