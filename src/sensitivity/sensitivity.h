/* What numbers of a model do to a run: the object behind sarrus/sensitivity.h.
 *
 * A twin is a simulation of the model with one number changed, assembled, with the options and in the units of the nominal
 * one: its coordinates mean the same. */
#ifndef SARI_SENSITIVITY_H
#define SARI_SENSITIVITY_H

#include "base/arena.h"
#include "sarrus/sensitivity.h"
#include "simulation/simulation.h"

enum { SARI_SENSITIVITY_TERMS = 16, SARI_SENSITIVITY_WORDS = 320 };

typedef struct sari_free_number {
    const char* name;
    int number[SARI_SENSITIVITY_TERMS]; ///< of the source: a sum of several changes all of them
    int numbers;
    double in_file, value;
    double size; ///< what a change is small beside
    double
        reach; ///< the same, but for places far from the origin, of which that is the bodies' size
    double change; ///< with which differences are taken; 0: not known yet
    int tested;    ///< it has a derivative, whatever the method
    int side;      ///< 1, -1: there are models with larger, or smaller, values alone
    double curved; ///< largest difference of two points and four, of the derivative
    double moved;  ///< what that does to the motion, in sizes and radians
    char refused[SARI_SENSITIVITY_WORDS]; ///< "": it is not
    double gap, gap_time;
} sari_free_number;

/// Where q, v and a of a step's end are in the pool.
typedef struct sari_tape_place {
    size_t at;
    int np, nq;
} sari_tape_place;

/// The last event, and the longest step so far; and a state to go back to, NULL where forces have no kinks.
typedef struct sari_echo {
    unsigned event;
    double t, step;
    char* block;
    size_t room, length;
} sari_echo;

/// The ends of the nominal run's steps.
typedef struct sari_tape {
    double* t;
    unsigned* event; ///< 0: nothing happened there; else what did, and to which joints
    char* implicit;  ///< the step was
    sari_tape_place* place;
    double* pool; ///< q, v and a of all of them: phases change how many coordinates there are
    size_t pooled, room;
    int count, capacity;
    sari_echo last;
} sari_tape;

static inline const double* sari_tape_q(const sari_tape* tape, int step)
{
    return tape->pool + tape->place[step].at;
}

static inline const double* sari_tape_v(const sari_tape* tape, int step)
{
    return tape->pool + tape->place[step].at + tape->place[step].np;
}

static inline const double* sari_tape_a(const sari_tape* tape, int step)
{
    return sari_tape_v(tape, step) + tape->place[step].nq;
}

/// A passage through a singular configuration.
typedef struct sari_passage_place {
    double t, *q, *away; ///< `away`: where the motion was before
    int room;            ///< numbers of q and of `away`
    int configuration;   ///< which joints were there
    int event;           ///< number in the list of the run
} sari_passage_place;

/// A value at the end of which row; see sar_objective.
typedef struct sari_row {
    int objective, output;
    double t, value;
} sari_row;

typedef struct sari_twin {
    sar_model* model;
    sar_simulation* simulation;
} sari_twin;

/// Do combinations of rows have no gradient somewhere in the run?
typedef enum sari_redundancy {
    SARI_REDUNDANCY_UNKNOWN,
    SARI_REDUNDANCY_NONE,
    SARI_REDUNDANCY_THERE,
} sari_redundancy;

typedef struct sari_sensitivity_method sari_sensitivity_method;

struct sar_sensitivity {
    sari_arena memory;
    sar_sensitivity_def def;
    sar_options options;
    sar_setting* setting;
    sar_objective* objective;
    int* output; ///< per objective: of the model
    double* sample;
    double* largest; ///< per objective: of its values in the run
    const sari_sensitivity_method* method;
    void* tape_of_method; ///< what the method keeps of the run
    sari_twin nominal;
    double nominal_gap; ///< [m] that its assembly leaves
    sari_redundancy redundancy;
    sari_free_number* parameter; ///< behind the last one all together, each as much as `along` says
    int parameters;
    double* along;
    sari_row* row;
    int rows;
    double *J, *error_of; ///< rows x parameters; columns that are known
    char* known;          ///< per parameter
    int ran;
    sari_tape tape;
    sari_passage_place* passage;
    int passages;
    double* outputs; ///< scratch: of all outputs
};

/* parameters.c */
sar_status sari_parameters_find(sar_sensitivity* s, sar_error* error);
/// The source is changed: parameter k by this, all others have their values. k = -1: none is.
void sari_parameters_change(sar_sensitivity* s, int k, double change);
void sari_parameters_restore(sar_sensitivity* s, int k); ///< what that changed
/// Why a parameter has no derivative; the first reason stays.
void sari_parameter_refuse(sari_free_number* p, const char* why);

/* twins.c */
/// The model with parameter k larger by `change` (k = -1: the nominal one), its simulation, and its start. SAR_E_MODEL: no
/// derivative, and `error` says why.
sar_status sari_twin_make(sar_sensitivity* s, int k, double change, sari_twin* out,
                          sar_error* error);
void sari_twin_clear(sari_twin* t);

/* rows.c */
sar_status sari_rows_make(sar_sensitivity* s, sar_error* error);
sar_status sari_rows_add_outputs(sar_sensitivity* s, sar_model* model, sar_error* error);
/// After a step of the nominal run or of one that follows it: values of the rows that are within it. `nominal`: extremes
/// are looked for.
sar_status sari_rows_look(sar_sensitivity* s, sar_simulation* x, int nominal, double* value);
void sari_rows_begin(sar_sensitivity* s, int nominal, double* value);
/// At the end: a row without a value, for words; -1: all have one.
int sari_rows_missing(const sar_sensitivity* s, const double* value);

/* replay.c */
sar_status sari_replay_record(sar_sensitivity* s, sar_error* error);
/// A twin runs with the steps of the nominal run; *effect: how far it went from it, in sizes and radians.
sar_status sari_replay_follow(sar_sensitivity* s, sari_twin* twin, double* value, double* effect,
                              sar_error* error);

/// Has parameter k a derivative at all, whatever the method? SAR_E_MODEL: it has none, and `error` says why. After the run.
sar_status sari_parameter_test(sar_sensitivity* s, int k, sar_error* error);

/* redundancy.c */
/// Do redundant joints contradict each other with another value of parameter k? SAR_E_MODEL: they do.
sar_status sari_redundancy_test(sar_sensitivity* s, int k, sar_error* error);
/// It has been found that no rows are redundant.
int sari_redundancy_is_excluded(const sar_sensitivity* s);

/* gaps.c */
/// Room for singular configurations that the run goes through, before it; those of its last step, which are in the list of
/// the run from number `from` on.
sar_status sari_passages_take(sar_sensitivity* s);
sar_status sari_passages_note(sar_sensitivity* s, int from);
/// Does parameter k separate motions that meet at a singular configuration of the run? Then it is refused.
sar_status sari_gaps_test(sar_sensitivity* s, int k, sar_error* error);

#endif
