/* The values of one axis of a sweep, from text. */
#ifndef SARI_SWEEP_RANGE_H
#define SARI_SWEEP_RANGE_H

#include "studies/sweeps.h"

typedef struct sari_range {
    sar_scale scale;
    int count, capacity;
    char** texts;
    double* values; ///< NaN for words
} sari_range;

/// SAR_OK, SAR_E_ARG or SAR_E_NOMEM; `range` is to be cleared in any case.
sar_status sari_range_read(const char* text, sari_range* range, sar_error* error);
void sari_range_clear(sari_range* range);

#endif
