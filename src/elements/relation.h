/* What is no joint of two bodies, but has a name, rows and a force as one has: a coupling, a drive, a
 * constraint. Each kind is one constant in a file of its own, and others ask it. */
#ifndef SARI_RELATION_H
#define SARI_RELATION_H

#include "sarrus/model.h"

#include <stdbool.h>

struct sari_joint;
struct sari_mechanism;
struct sari_units;

typedef struct sari_relation_type {
    const char* word;
    const char* force;     ///< NAME.force is this: "the force of a drive"; NULL: there is none
    const char* no_torque; ///< why NAME.torque is not, where what it holds is no angle
    bool nowhere;          ///< acts at no one point: there is no NAME.fx
    bool prescribes;       ///< a coordinate, by an expression of time alone
    /// The joint whose coordinate it uses as its k-th; -1: there are no more. It comes and goes with them.
    /// NULL: none.
    int (*uses)(const struct sari_joint* joint, int k);
    /// Two points between which it acts; NULL: none.
    const sar_end* (*ends)(const struct sari_joint* joint);
    /// Is what it holds a length? Else it is an angle.
    bool (*is_length)(const sar_model* model, const struct sari_joint* joint);
    /// Numbers to the units of a model, what it holds to `unit`; bounds, values and ends are done. NULL: none.
    void (*convert)(const struct sari_units* u, struct sari_joint* joint, double unit);
    /// Its rows; or those that need the scalars of signals. 0: out of memory. One of them is NULL.
    int (*rows)(struct sari_mechanism* m, int joint);
    int (*rows_of_signals)(struct sari_mechanism* m, int joint);
} sari_relation_type;

/// A constraint whose expression is held not at zero but at `value`, an expression of time; NULL: zero.
sar_status sari_model_add_difference(sar_model* model, const sar_constraint_def* def,
                                     const char* value, sar_joint_id* out, sar_error* error);

#endif
