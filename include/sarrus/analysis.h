/// @file analysis.h
/// Small motions about a state of a simulation: modes and stability.
#ifndef SARRUS_ANALYSIS_H
#define SARRUS_ANALYSIS_H

#include "sarrus/load.h"
#include "sarrus/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// About what small motions are.
typedef enum sar_modes_about {
    SAR_MODES_EQUILIBRIUM, ///< nothing moves, and nothing would
    SAR_MODES_STEADY, ///< rates of joint coordinates are constant, and so are the linear equations
    SAR_MODES_FROZEN  ///< neither: eigenvalues are of equations that change with time
} sar_modes_about;

/// An eigenvalue, or a conjugate pair of them: motions grow as exp((re + i im) t).
typedef struct sar_mode {
    double re, im;    ///< [1/s] and [rad/s]; im >= 0, and > 0 of a pair
    double frequency; ///< [Hz] im / 2 pi
    double damping; ///< ratio -re / |re + i im|: 1 of a real one that decays, -1 of one that grows
    int stability;  ///< -1: it decays, 0: it does neither, but for rounding, 1: it grows
    int branch;     ///< of the motions that meet in a singular configuration, from 0
} sar_mode;

typedef struct sar_modes_summary {
    sar_modes_about about;
    double t;         ///< [s]
    int freedoms;     ///< velocities that the constraints leave free
    int positions;    ///< and positions: more of them with non-holonomic constraints
    int force_states; ///< states of forces
    int modes;        ///< nonzero eigenvalues, a conjugate pair once
    int zeros;        ///< eigenvalues that are zero: positions and rates that nothing holds
    int unstable;     ///< modes that grow
    int marginal;     ///< that neither grow nor decay
    int conservative; ///< forces have a potential and nothing depends on velocities: an exact symmetric problem
    int singular; ///< number of motions that meet here; modes are listed by them. 0: a regular configuration
    double
        unbalanced; ///< accelerations that are not those of the state above, in parts of those of modes
    char zero_bodies[192]; ///< that move along the zero ones
} sar_modes_summary;

/// Modes at the present state of an assembled simulation, which stays as it is and must outlive them.
typedef struct sar_modes sar_modes;

/// SAR_E_ARG: not assembled, or more than 1500 coordinates; SAR_R_SINGULAR: bodies without mass move freely;
/// SAR_R_NOT_FINITE: a force has no value or slope there. `error` says more.
SAR_API sar_status sar_modes_create(sar_simulation* s, sar_modes** out, sar_error* error);
SAR_API void sar_modes_destroy(sar_modes* modes);

SAR_API sar_modes_summary sar_modes_summarise(const sar_modes* modes);
/// The slowest first; by branches in a singular configuration. The list belongs to `modes`.
SAR_API int sar_modes_list(const sar_modes* modes, const sar_mode** list);

/// Move an assembled simulation to the steady motion near its present state: rates of its joint coordinates, in axes that go
/// along with vehicles on a curve, stay as they are, as far as the loops admit it, and positions are those for which they do not change.
/// SAR_R_NO_CONV: none was found; the simulation is where it was.
SAR_API sar_status sar_simulation_to_steady(sar_simulation* s, sar_error* error);

/// What a body does in a mode: its part of the kinetic energy, and velocity and angular velocity of its origin as
/// complex numbers (three real parts, then three imaginary ones) in world axes. The fastest body has the speed of
/// one size of the model a second at its centre, or turns by 1 rad/s.
typedef struct sar_mode_motion {
    double energy; ///< 0 ... 1; the sum over all bodies is 1
    double velocity[6], angular[6];
} sar_mode_motion;
/// SAR_E_ARG: no such mode or body.
SAR_API sar_status sar_mode_body(const sar_modes* modes, int mode, sar_body_id body,
                                 sar_mode_motion* out);
/// How much a joint moves in a mode in the same measure: rotation [rad], and displacement of its points [m].
/// SAR_E_ARG: no such mode or joint, or one that is not between two bodies.
SAR_API sar_status sar_mode_joint(const sar_modes* modes, int mode, sar_joint_id joint,
                                  double* rotation, double* displacement);

/* ---- state space ---------------------------------------------------------------------------- */

/// Linear equations of motion about the present state of a simulation,
///
///     dx/dt = A x + B u,   y = y_0 + C x + D u
///
/// x: changes of as many joint coordinates as are independent [rad], [m], of their rates, and of states of forces (in
/// units of the run); u: changes of the model's inputs; y: its outputs, without those that are integrals over time.
/// An input that moves a drive or a constraint is a state itself, with its rate ("NAME", "NAME.rate"), and what goes in is
/// its second derivative ("NAME.acceleration").
typedef struct sar_state_space sar_state_space;

/// Matrices by rows. All belongs to the object.
typedef struct sar_linear_system {
    int states, inputs, outputs;
    const double *A, *B, *C, *D;
    const double *u_0, *y_0;  ///< inputs and outputs of the state itself
    const char* const* state; ///< names; a rate is "joint.angle.rate"
    const char* const* input;
    const char* const* output;
    sar_modes_about about;
    double t; ///< [s]
} sar_linear_system;

/// As sar_modes_create. SAR_E_INCOMPAT: an input moves redundant constraints apart; SAR_R_SINGULAR also in a singular
/// configuration.
SAR_API sar_status sar_state_space_create(sar_simulation* s, sar_state_space** out,
                                          sar_error* error);
SAR_API void sar_state_space_destroy(sar_state_space* space);
SAR_API sar_linear_system sar_state_space_system(const sar_state_space* space);
/// Frequency response C (i omega - A)^-1 B + D, outputs x inputs. SAR_R_SINGULAR: i omega is an eigenvalue.
SAR_API sar_status sar_state_space_response(const sar_state_space* space, double omega, double* re,
                                            double* im);
/// Write it: path ends with .mat (level 5, for Octave, MATLAB and SciPy), .h5, .csv or .json.
SAR_API sar_status sar_state_space_write(const sar_state_space* space, const char* path,
                                         sar_error* error);

/* ---- self-stress ---------------------------------------------------------------------------- */

/// States of self-stress at the present position of a simulation: reactions that balance each other without any load.
/// Redundant joints have them, and what they change is not determined by the motion.
typedef struct sar_self_stress sar_self_stress;

/// SAR_E_ARG: not assembled, or more than 1500 conditions of joints. The simulation stays as it is.
SAR_API sar_status sar_self_stress_create(sar_simulation* s, sar_self_stress** out,
                                          sar_error* error);
SAR_API void sar_self_stress_destroy(sar_self_stress* stress);
/// How many independent states there are.
SAR_API int sar_self_stress_count(const sar_self_stress* stress);
/// Reaction of a joint in one of them, on its end b at b's point, in world axes. The largest force of the state, or torque
/// over the size of the model, is 1 N. SAR_E_ARG: no such state or joint.
SAR_API sar_status sar_self_stress_joint(const sar_self_stress* stress, int state,
                                         sar_joint_id joint, double force[3], double torque[3]);

/// Which components of a joint's reaction are unique.
typedef struct sar_uniqueness {
    /// The joint's own, by rows, in world axes: normal, across, axis of end a; the world's where it has none.
    double axes[9];
    int force[3];   ///< along these: 1: unique, 0: a self-stress changes it
    int torque[3];  ///< likewise
    int directions; ///< independent combinations of the six that are not unique
} sar_uniqueness;
SAR_API sar_status sar_self_stress_uniqueness(const sar_self_stress* stress, sar_joint_id joint,
                                              sar_uniqueness* out);

/// Is an output of the model unique? Sums of reactions may be where their parts are not. 1: yes, 0: a self-stress
/// changes it; -1: no such output.
SAR_API int sar_self_stress_output(const sar_self_stress* stress, int output);

/// Are reactions of the simulation that are not unique split by compliances of the model? 0: the smallest are taken.
SAR_API int sar_self_stress_by_compliances(const sar_self_stress* stress);

/// How a joint yields. INFINITY in both: it shall carry nothing that others can carry.
typedef struct sar_compliance {
    double displacement[3]; ///< [m/N] along the axes of its sar_uniqueness
    double rotation[3];     ///< [rad/(N m)]
} sar_compliance;
/// Split reactions by compliances, one for each joint of the model: of all reactions that belong to the motion those with
/// the least elastic energy, which rigid bodies on such joints have. `force` and `torque`: three numbers for each joint, as
/// of sar_simulation_reaction. `left` (may be NULL): the largest reaction [N] that joints with an infinite compliance carry
/// all the same, as they are needed. SAR_R_SINGULAR: a self-stress meets no compliance.
SAR_API sar_status sar_self_stress_split(const sar_self_stress* stress,
                                         const sar_compliance* compliance, double* force,
                                         double* torque, double* left);

/* ---- tolerances ----------------------------------------------------------------------------- */

/// What tolerances of dimensions do to a mechanism with redundant joints: its loops do not close, and with compliances
/// (sar_joint_def) joints are forced together. Linear in the dimensions.
typedef struct sar_tolerances sar_tolerances;

/// A dimension, and the models in which it is larger and smaller by `change`.
typedef struct sar_dimension_twins {
    const char* name; ///< must outlive the object
    double tolerance; ///< +-
    double change;
    const sar_model *more, *less;
} sar_dimension_twins;

/// How the loops open at the worst position so far, along one state of self-stress, whose largest force (or torque over
/// the size of the model) is 1: so far would a joint with that reaction come apart.
typedef struct sar_opening {
    int states;         ///< of self-stress, there
    int extra;          ///< of these only in this configuration, which is singular
    double worst;       ///< [m] if all dimensions are at their limits
    double statistical; ///< [m] standard deviation, if all are spread evenly within their limits
    double t;           ///< [s] of that position
    int forces;         ///< 1: forces are known, as compliances meet every state of self-stress
    /// Where two motions meet, in a singular configuration of a mechanism without other redundancy: so far apart are
    /// their nearest points at worst, as the largest displacement of a body's origin [m]. NaN: not such a place, or coordinates
    /// with constraints of their own.
    double miss;
} sar_opening;

/// Of one dimension, at the same position.
typedef struct sar_dimension_effect {
    const char* name;
    double tolerance;
    double opening; ///< by how much the loops open per unit of it, with its sign
    double share;   ///< of the statistical opening, squared: the sum over all dimensions is 1
    int keeps; ///< 1: the loops close with any value of it, at all positions so far, so that motions have a
        ///< derivative by it
} sar_dimension_effect;

/// Forces of assembly in a joint, the largest over all positions so far.
typedef struct sar_assembly_force {
    double worst, statistical;               ///< [N]
    double torque_worst, torque_statistical; ///< [N m]
} sar_assembly_force;

/// SAR_E_ARG: not assembled, or more than 1500 conditions. SAR_E_MODEL: a dimension changes what joints and bodies there
/// are. The simulation must outlive it; the twins need not.
SAR_API sar_status sar_tolerances_create(sar_simulation* s, const sar_dimension_twins* twins,
                                         int count, sar_tolerances** out, sar_error* error);
SAR_API void sar_tolerances_destroy(sar_tolerances* t);
/// Look at the present position of the simulation; to be called all along a motion.
SAR_API sar_status sar_tolerances_look(sar_tolerances* t);
SAR_API sar_opening sar_tolerances_opening(const sar_tolerances* t);
/// SAR_E_ARG: no such dimension.
SAR_API sar_status sar_tolerances_dimension(const sar_tolerances* t, int dimension,
                                            sar_dimension_effect* out);
/// SAR_E_ARG: no such joint.
SAR_API sar_status sar_tolerances_joint(const sar_tolerances* t, sar_joint_id joint,
                                        sar_assembly_force* out);

/* ---- over a parameter ----------------------------------------------------------------------- */

/// Modes for many values of one parameter, and the values at which stability changes.
typedef struct sar_modes_scan sar_modes_scan;

typedef struct sar_modes_scan_task {
    const char* parameter; ///< of the model file
    double from, to;
    int points;                  ///< two at least, at equal distances
    const sar_setting* settings; ///< others of the model
    int settings_count;
    int equilibrium; ///< 1: where each model rests near its start; 0: at its start
    int steady; ///< 1: in the steady motion near its start, where that is none (sar_simulation_to_steady)
    const char* coordinates; ///< NULL: relative
} sar_modes_scan_task;

/// What was found for one value. Lists belong to the scan.
typedef struct sar_modes_point {
    double value;
    sar_status status; ///< SAR_OK; else there are no modes, and `failure` says why
    const char* failure;
    sar_modes_summary summary;
    const sar_mode* mode; ///< summary.modes of them
} sar_modes_point;

/// A value at which the number of modes that grow changes, found by bisection to rounding.
typedef struct sar_modes_change {
    double value;
    double error;      ///< half of the interval that is left
    int before, after; ///< modes that grow below and above it
    double re, im;     ///< the eigenvalue there
} sar_modes_change;

/// SAR_E_ARG: no such parameter, or fewer than two points.
SAR_API sar_status sar_modes_scan_create(sar_source* source, const sar_modes_scan_task* task,
                                         sar_modes_scan** out, sar_error* error);
SAR_API void sar_modes_scan_destroy(sar_modes_scan* scan);
SAR_API int sar_modes_scan_points(const sar_modes_scan* scan, const sar_modes_point** list);
SAR_API int sar_modes_scan_changes(const sar_modes_scan* scan, const sar_modes_change** list);

#ifdef __cplusplus
}
#endif
#endif
