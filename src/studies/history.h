/* The history of a run: outputs and other quantities, row by row during the run. */
#ifndef SARI_STUDIES_HISTORY_H
#define SARI_STUDIES_HISTORY_H

#include "sarrus/quantities.h"

typedef struct sari_history {
    const sar_model* model;
    int outputs, columns, rows, capacity;
    sar_signal* extra;        ///< columns - outputs of them
    const char* const* names; ///< of the extra ones, the caller's
    double* values;           ///< time, then the columns
} sari_history;

sar_status sari_history_init(sari_history* h, const sar_trial_def* def, sar_error* error);
void sari_history_clear(sari_history* h);

/// A row at the time t, now or within the last step.
sar_status sari_history_add(sari_history* h, sar_simulation* s, double t);
/// What was taken, as a result of its own.
sar_status sari_history_result(const sari_history* h, sar_result** out);

#endif
