/* What can be seen of a mechanism: shared by simulations and by motions that drives prescribe. All
 * numbers in it are in the units of `model`; functions called `report` give the user's. */
#ifndef SARI_OBSERVATION_H
#define SARI_OBSERVATION_H

#include "model/units.h"
#include "sarrus/simulation.h"
#include "system/system.h"

typedef struct sari_reactions sari_reactions;
typedef struct sari_coupling sari_coupling;
typedef struct sari_ledger sari_ledger;

/// A mechanism with the joints that are there, where it is, and what it takes.
#define SARI_SCENE                                                                                 \
    sari_system* system;                                                                           \
    sari_state state;                                                                              \
    sari_reactions* reactions;                                                                     \
    sari_coupling* coupling; /* of forces to them; NULL: there is none */

typedef struct sari_scene {
    SARI_SCENE
} sari_scene;

#define SARI_OBSERVATION                                                                           \
    union {                                                                                        \
        sari_scene scene;                                                                          \
        struct {                                                                                   \
            SARI_SCENE                                                                             \
        };                                                                                         \
    };                                                                                             \
    sari_arena memory;                                                                             \
    sar_model* model; /* the user's in units of its own */                                         \
    sari_units units;                                                                              \
    sar_options options;                                                                           \
    int assembled;   /* there is something to be seen */                                           \
    int places_only; /* all outputs depend on positions alone */                                   \
    sar_energy energy;                                                                             \
    sar_violation violation;                                                                       \
    double reactions_time;  /* when they were last computed, NaN: never */                         \
    double* variables;      /* of output expressions */                                            \
    double* on_X;           /* a force of the model on the placement of all bodies */              \
    const double* integral; /* of outputs that are integrals; NULL: there are none */              \
    sari_ledger* ledger;    /* of energy; NULL: there is none */                                   \
    char failure[960];

typedef struct sari_observation {
    SARI_OBSERVATION
} sari_observation;

/// Take a model and options into units; lengths and forces among the options are converted. (units.c)
sar_status sari_observation_take(sari_observation* o, const sar_model* model,
                                 const sar_options* options, const sari_units* units,
                                 sar_error* error);
void sari_observation_clear(sari_observation* o); ///< all but the scene

/// A force, drive or constraint without a value: all that follows from it is not finite, or looks
/// singular. Returns 0, and writes nothing, where none was seen. (explain.c)
int sari_explain_undefined(const sari_undefined* undefined, char* text, size_t size);

/// Does an expression depend on positions and time alone?
int sari_signals_positional(const sari_observation* o, const sari_expression* e);
/// An output from its integral over `time` since the start; `integrand`: what it is at first.
/// (integrals.c)
double sari_output_shown(const sari_output* output, double integral, double time, double integrand);
/// Set `places_only`, when the system is there.
void sari_observation_evaluate_outputs(sari_observation* o);

/// Energies and violations at the present state, at which the system is evaluated. With `power`, not
/// NULL, also the power of what has no potential.
void sari_observation_measure(sari_observation* o, double* power);

void sari_observation_pose(const sari_observation* o, int body, double position[3],
                           double quaternion[4]);
/// If the coordinates changed by v.
void sari_observation_velocity(const sari_observation* o, const double* v, int body,
                               double velocity[3], double angular[3]);
/// SAR_E_ARG: `joint` is not a drive.
sar_status sari_observation_drive_force(sari_observation* o, int joint, double* force);

/* energy_ledger.c: what it shows, in the units of the model */
double sari_ledger_force(const sari_ledger* l, int force); ///< all that a force did
double sari_ledger_joint(const sari_ledger* l, int joint); ///< work of a drive
double sari_ledger_other(const sari_ledger* l, int kind);  ///< a sar_account_kind

/* in the user's units */
sar_status sari_report_outputs(sari_observation* o, double* values);
void sari_report_pose(const sari_observation* o, sar_body_id body, double position[3],
                      double quaternion[4]);
void sari_report_velocity(const sari_observation* o, const double* v, sar_body_id body,
                          double velocity[3], double angular[3]);
sar_status sari_report_reaction(sari_observation* o, sar_joint_id joint, double force[3],
                                double torque[3]);
sar_status sari_report_drive_force(sari_observation* o, sar_joint_id joint, double* force);
void sari_report_applied(sari_observation* o, sar_force_id which, double force[3],
                         double torque[3]);
sar_energy sari_report_energy(const sari_observation* o);
sar_violation sari_report_violation(const sari_observation* o, sar_violation v);

#endif
