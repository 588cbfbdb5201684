/* What assembly and elimination of a batch share. */
#ifndef SARI_DCA_TASK_H
#define SARI_DCA_TASK_H

#include "linalg/dca/kernels.h"

/// One batch to be factored, looked up.
typedef struct sari_dca_task {
    const sari_dca_data* data;
    const sari_dca_batch* batch;
    const sari_dca_plan* plan;
    const int* diagonal; ///< lists of the plan
    const int* position;
    const sari_vec4* value;
    const sari_vec4* panel;    ///< before elimination, in place or in `front`
    const sari_vec4* child[2]; ///< of serial nodes: what they leave
    sari_vec4* L;
    sari_vec4* rest;
    sari_vec4* front;
    sari_vec4* work; ///< behind the front: u of the handles
    sari_pivot_watch* watch;
} sari_dca_task;

/// Fills `front` and sets `panel`.
void sari_dca_assemble(sari_dca_task* t);

#endif
