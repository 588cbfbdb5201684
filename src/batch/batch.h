/* A batch, for tests of its parts. */
#ifndef SARI_BATCH_H
#define SARI_BATCH_H

#include "batch/lanes.h"
#include "sarrus/batch.h"

/// Take other loops than the best that this processor has.
void sari_batch_use(sar_batch* batch, const sari_lane_kernels* kernels);

#endif
