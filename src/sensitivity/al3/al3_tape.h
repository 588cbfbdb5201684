/* What a run with al3 and the trapezoidal rule leaves behind: every step with what it was before its projections, and
 * every place where motion began.
 *
 * Where that would take too much memory, the numbers of one segment are there at a time, and the simulation as it was at
 * the begin of each: a segment is run again when it is asked for [griewank2000]. With segments of about the square root
 * of all steps that is one run more, and the memory of as many steps. */
#ifndef SARI_SENSITIVITY_AL3_TAPE_H
#define SARI_SENSITIVITY_AL3_TAPE_H

#include "sensitivity/al3/al3_terms.h"
#include "simulation/simulation.h"

typedef enum sari_entry_kind {
    SARI_ENTRY_START,  ///< accelerations follow from the equations
    SARI_ENTRY_STEP,   ///< from the entry before
    SARI_ENTRY_IMPACT, ///< velocities change, and accelerations follow
} sari_entry_kind;

typedef struct sari_al3_tape {
    int np, nq, nc;
    size_t stride; ///< numbers of an entry: q, v, a, v*, a*, lambda, nu, kappa
    double *t, *h; ///< of all entries
    char* kind;    ///< sari_entry_kind
    short* bound;  ///< a step that ends at a bound, and the impact there: its number + 1; else 0
    int count, capacity;
    int breaks;      ///< steps after which motion began anew, but for bounds
    double* numbers; ///< of the entries of a segment, and of the one before it
    int first, room; ///< the first entry that is there, and for how many there is room
    int whole;       ///< all are in one segment
    struct sari_checkpoint {
        int entry; ///< with which it begins
        void* block;
        size_t length;
    } * checkpoint; ///< one for each segment, and behind the last that at the end
    int segments, most;
    int segment;                 ///< whose numbers are there
    int length;                  ///< of a segment
    sari_projection_watch watch; ///< who sees the state before projections,
    sari_state star;             ///< and what it saw
} sari_al3_tape;

/// For a simulation that has been assembled; it is watched from now on. `limit`: bytes for all. Its arena is the owner's.
sar_status sari_al3_tape_begin(sari_al3_tape* tape, sar_simulation* x, double limit,
                               sari_arena* memory);
/// After a step of it: an entry, or two where motion began anew before it. SAR_E_INCOMPAT: it did so in a way that has no
/// entry, and `error` says which.
sar_status sari_al3_tape_add(sari_al3_tape* tape, sar_simulation* x, sar_error* error);
/// The run is over.
sar_status sari_al3_tape_end(sari_al3_tape* tape, sar_simulation* x);
void sari_al3_tape_clear(sari_al3_tape* tape);

int sari_al3_tape_moves(const sari_al3_tape* tape, int k); ///< is its time that of an event?
/// Did motion begin anew after the step k, because forces changed there at that time?
int sari_al3_tape_breaks(const sari_al3_tape* tape, int k);
int sari_al3_tape_segment(const sari_al3_tape* tape, int entry); ///< of an entry
/// The numbers of a segment are there afterwards, if they were not.
sar_status sari_al3_tape_load(sari_al3_tape* tape, sar_simulation* x, int segment);
/// The simulation is where a segment begins; behind the last: where the run ended.
sar_status sari_al3_tape_go(sari_al3_tape* tape, sar_simulation* x, int segment);
/// The last entry of a segment.
int sari_al3_tape_last(const sari_al3_tape* tape, int segment);

/// Entry k as a record, and as a state, whose numbers are those of the tape: of the present segment, or the last of the
/// one before.
sari_step_record sari_al3_tape_record(const sari_al3_tape* tape, int k);
sari_state sari_al3_tape_state(const sari_al3_tape* tape, int k);

#endif
