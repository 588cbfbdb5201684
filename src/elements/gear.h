/* Gears, belts and couplers of model files: sums of joint coordinates that stay what they are. Each is one
 * constant in a file of its own, and a line of SARI_GEAR_LIST; to the model they are couplings. */
#ifndef SARI_GEAR_H
#define SARI_GEAR_H

#include "elements/definition.h"

#define SARI_GEAR_LIST(X) X(gear) X(coupler) X(rack) X(belt) X(bevel) X(planetary) X(differential)

enum {
#define SARI_GEAR_ENUM(name) SARI_GEAR_##name,
    SARI_GEAR_LIST(SARI_GEAR_ENUM)
#undef SARI_GEAR_ENUM
        SARI_GEARS
};

/// What a file says of one.
typedef struct sari_gear {
    sar_coupling_def sum; ///< coefficients are the senses in which joints count, 1 or -1
    double number;        ///< ratio or radius
    double pair[2];       ///< teeth or radii
} sari_gear;

typedef struct sari_gear_type {
    sari_definition is; ///< of a sari_gear
    /// The coefficients; a message may have a second line, what to do about it.
    sar_status (*complete)(const sar_model* model, sari_gear* gear, sar_error* error);
} sari_gear_type;

extern const sari_gear_type* const sari_gear_types[SARI_GEARS];

/// Multiply the coefficients.
static inline void sari_gear_set(sari_gear* gear, double a, double b, double c)
{
    const double factor[3] = {a, b, c};
    for (int k = 0; k < gear->sum.terms && k < 3; k++) gear->sum.coefficient[k] *= factor[k];
}

/// All its joints turn, from number `first` on.
sar_status sari_gear_turns(const sar_model* model, const sari_gear* gear, const char* word,
                           int first, sar_error* error);

extern const sari_definition sari_rotor_definition, sari_drive_definition,
    sari_constraint_definition;

/// What a file says of a drive: along an expression of positions it is a constraint.
typedef struct sari_driven {
    sar_drive_def drive;
    const char* along; ///< NULL: a coordinate or a distance is driven
} sari_driven;
sar_status sari_model_add_driven(sar_model* model, const sari_driven* def, sar_joint_id* out,
                                 sar_error* error);

#endif
