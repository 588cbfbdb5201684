/* What a run with al3 and the trapezoidal rule leaves behind: every step with what it was before its projections, and
 * every place where motion began. */
#ifndef SARI_SENSITIVITY_AL3_TAPE_H
#define SARI_SENSITIVITY_AL3_TAPE_H

#include "sensitivity/al3_terms.h"
#include "simulation/simulation.h"

typedef enum sari_entry_kind {
    SARI_ENTRY_START, ///< accelerations follow from the equations
    SARI_ENTRY_STEP,  ///< from the entry before
} sari_entry_kind;

typedef struct sari_al3_tape {
    int np, nq, nc;
    size_t stride; ///< numbers of an entry: q, v, a, v*, a*, lambda
    double *t, *h, *numbers;
    char* kind; ///< sari_entry_kind
    int count, capacity;
    sari_projection_watch watch; ///< who sees the state before projections,
    sari_state star;             ///< and what it saw
} sari_al3_tape;

/// For a simulation that has been assembled; it is watched from now on. Its arena is the owner's.
sar_status sari_al3_tape_begin(sari_al3_tape* tape, sar_simulation* x, sari_arena* memory);
/// After a step of it: an entry, or two where motion began anew before it.
sar_status sari_al3_tape_add(sari_al3_tape* tape, sar_simulation* x);
void sari_al3_tape_clear(sari_al3_tape* tape);

/// Entry k as a record, and as a state, whose numbers are those of the tape.
sari_step_record sari_al3_tape_record(const sari_al3_tape* tape, int k);
sari_state sari_al3_tape_state(const sari_al3_tape* tape, int k);

#endif
