/// @file model.h
/// A mechanism as the user describes it: bodies, joints, drives, forces, outputs and start
/// conditions.
///
/// A model contains neither coordinates nor methods: the same model runs with all of them. SI units
/// throughout, angles in radians. In a planar model (dimension 2) only x and y of every vector
/// count, orientations are angles about z, and the inertia is its zz component.
///
/// Every `add` function copies its definition. Definitions come from a `_default` function, so that
/// fields added later keep their meaning. On failure the function changes nothing, returns a status
/// and fills `error` (which may be NULL) with the field and the reason.
#ifndef SARRUS_MODEL_H
#define SARRUS_MODEL_H

#include "sarrus/forces.h"
#include "sarrus/mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

/// `dimension` is 2 or 3. Returns NULL if out of memory or for another dimension.
SAR_API sar_model* sar_model_create(const char* name, int dimension);
SAR_API void sar_model_destroy(sar_model* model);

SAR_API const char* sar_model_name(const sar_model* model);
SAR_API int sar_model_dimension(const sar_model* model);
SAR_API int sar_model_bodies(const sar_model* model); ///< including the ground
SAR_API int sar_model_joints(const sar_model* model); ///< including couplings, drives, constraints
SAR_API int sar_model_phases(const sar_model* model);
/// Files that were read with the model file, such as those of its tables: their number and paths.
SAR_API int sar_model_files(const sar_model* model);
SAR_API const char* sar_model_file(const sar_model* model, int k);
SAR_API int sar_model_outputs(const sar_model* model);
SAR_API const char* sar_model_body_name(const sar_model* model, int body);
SAR_API const char* sar_model_joint_name(const sar_model* model, int joint);
SAR_API const char* sar_model_output_name(const sar_model* model, int output);
/// "m", "rad/s", ... of an output that is a signal and nothing else; "": not known.
SAR_API const char* sar_model_output_unit(const sar_model* model, int output);
SAR_API int sar_model_parameters(const sar_model* model);
SAR_API const char* sar_model_parameter_name(const sar_model* model, int parameter);
SAR_API double sar_model_parameter_value(const sar_model* model, int parameter);

/// Gravity in world axes [m/s^2]; zero unless set.
SAR_API void sar_model_set_gravity(sar_model* model, const double g[3]);
SAR_API void sar_model_gravity(const sar_model* model, double g[3]);
SAR_API double sar_model_body_mass(const sar_model* model, int body); ///< [kg]; the ground's is 0

/// A named constant for the expressions of forces, drives and outputs. Setting it again replaces it
/// for expressions added later.
SAR_API sar_status sar_model_set_parameter(sar_model* model, const char* name, double value,
                                           sar_error* error);

/// A number as model files have them: an expression of parameters, with units ("20 deg", "2*r"). SAR_E_MODEL: it is none.
SAR_API sar_status sar_model_number(sar_model* model, const char* text, double* out,
                                    sar_error* error);

/// Interpolation between the points of a table.
typedef enum sar_interpolation {
    SAR_INTERPOLATION_LINEAR,
    SAR_INTERPOLATION_CUBIC,   ///< spline with two continuous derivatives, not-a-knot at its ends
    SAR_INTERPOLATION_CONSTANT ///< the value of the last point, up to the next one
} sar_interpolation;

/// A function given by points. All expressions added later can call it by its name: `road(x)`.
typedef struct sar_table_def {
    const char* name;
    int length;          ///< >= 2 points
    const double *x, *y; ///< x increases
    sar_interpolation interpolation;
    int extend; ///< beyond the ends: 0: the last value, 1: linear with the last slope
} sar_table_def;

SAR_API sar_table_def sar_table_def_default(void); ///< linear, the last value beyond the ends
SAR_API sar_status sar_model_add_table(sar_model* model, const sar_table_def* def,
                                       sar_error* error);

/// An input: a number that expressions of forces, drives, constraints and outputs use like a
/// parameter, and that is set while the model runs (sar_simulation_set_input). Until then it has its
/// start value, or is a function of time that was given to it.
typedef struct sar_input_def {
    const char* name;
    const char* unit; ///< for users; values are in SI units whatever it says. NULL: none
    double start;
} sar_input_def;

SAR_API sar_input_def sar_input_def_default(void);
SAR_API sar_status sar_model_add_input(sar_model* model, const sar_input_def* def,
                                       sar_error* error);
SAR_API int sar_model_inputs(const sar_model* model);
SAR_API const char* sar_model_input_name(const sar_model* model, int input);
SAR_API const char* sar_model_input_unit(const sar_model* model, int input);
SAR_API double sar_model_input_start(const sar_model* model, int input);
SAR_API int sar_model_find_input(const sar_model* model, const char* name); ///< -1: none
/// An input as an expression of t and parameters, or by points over time: with
/// SAR_INTERPOLATION_CONSTANT a step ends at each of its jumps. For simulations created later.
SAR_API sar_status sar_model_set_input_expression(sar_model* model, int input, const char* text,
                                                  sar_error* error);
SAR_API sar_status sar_model_set_input_table(sar_model* model, int input, const sar_table_def* def,
                                             sar_error* error);

/// A time at which some expression of t jumps or has a kink: a step of every integrator ends there,
/// and the next one restarts with the values to the right of the jump. Order and repetition do not
/// matter.
SAR_API sar_status sar_model_add_breakpoint(sar_model* model, double t, sar_error* error);

/* ---- phases --------------------------------------------------------------------------------- */

typedef enum sar_crossing {
    SAR_CROSSING_EITHER,
    SAR_CROSSING_RISING, ///< from negative to positive
    SAR_CROSSING_FALLING
} sar_crossing;

/// A change of the mechanism during a run: joints, couplings, drives and constraints are added or
/// removed. Phases start in the order in which they were added to the model, each when its
/// condition is met after the one before: at a time, or when an expression changes its sign. Those
/// that repeat have no place in this order: they start whenever their expression changes its sign,
/// all that they add is absent, all that they remove is present, and `provided` is not 0.
typedef struct sar_phase_def {
    double
        at; ///< start time [s]; a past time starts the phase at once. Used only if `when` is NULL
    const char* when; ///< expression of t, parameters, positions and rates
    sar_crossing crossing;
    int repeats;          ///< 1: again and again; needs `when`
    const char* provided; ///< with `repeats`: an expression as `when`; NULL: always
    int move;             ///< 1: bodies may be moved to where the new joints want them
    int adds, removes;
    const sar_joint_id *add, *remove;
    int force_adds, force_removes;
    const sar_force_id *force_add, *force_remove;
} sar_phase_def;

SAR_API sar_phase_def sar_phase_def_default(void);
/// Call this after all joints and forces are added. A phase adds only absent joints and forces and
/// removes only present ones. The joint of a drive or coupling must be present whenever these are.
SAR_API sar_status sar_model_add_phase(sar_model* model, const sar_phase_def* def,
                                       sar_error* error);
/// The definition of a phase; its arrays and text belong to the model.
SAR_API sar_phase_def sar_model_phase(const sar_model* model, int phase);

/* ---- outputs and start ---------------------------------------------------------------------- */

/// A named output: an expression of t, parameters and signals. Signals are
///   BODY.angle BODY.rate                planar: angle of the body, not wrapped
///   BODY.wx .. BODY.wz                  spatial: angular velocity, world axes (outputs and
///                                       constraints only)
///   BODY.POINT.x .y .z .vx .vy .vz .ax .ay .az       a named point, world axes
///   JOINT.angle .rate .displacement .speed .distance  coordinates of a joint and their rates
///   JOINT.angle2 .rate2 .displacement2 .speed2        the second ones of joints that have two
///   SPRING.length .speed                of a spring between points that was added before
///   JOINT.fx .fy .fz .tx .ty .tz        reaction on b at b's point, world axes (outputs only)
///   DRIVE.force (or .torque of an angle)  force of the drive along its coordinate
///                                       (outputs only)
///   CONSTRAINT.force                    force along the constrained velocity (outputs only)
///   energy.kinetic energy.potential energy.total      (outputs only)
/// Forces may use positions and velocities, not accelerations, reactions or energies.
SAR_API sar_status sar_model_add_output(sar_model* model, const char* name, const char* expression,
                                        sar_error* error);

/// A named output that sums up an expression from the start on: its mean and root mean square over
/// time, the least and the largest value so far, also within steps where the integrator interpolates.
/// The expression uses what integrals can.
typedef enum sar_statistic { SAR_MEAN, SAR_RMS, SAR_MIN, SAR_MAX } sar_statistic;
SAR_API sar_status sar_model_add_statistic(sar_model* model, const char* name,
                                           sar_statistic statistic, const char* expression,
                                           sar_error* error);

/// A named output that follows an expression u behind a first-order low-pass: T dy/dt = u - y with the
/// time constant T > 0 [s], from y = u at the start. The expression uses what integrals can.
SAR_API sar_status sar_model_add_filter(sar_model* model, const char* name, const char* expression,
                                        double time_constant, sar_error* error);

/// A named output that is the integral of an expression from the start, over time (`over` NULL) or
/// over another expression, as work is the integral of a force over a length. Both expressions use
/// what forces may use.
SAR_API sar_status sar_model_add_integral(sar_model* model, const char* name,
                                          const char* expression, const char* over,
                                          sar_error* error);

/// Prescribe a signal at the start: a position-like signal (x, angle, displacement, ...) or
/// a rate (vx, rate, speed, ...). The assembler meets all of them together with the constraints.
SAR_API sar_status sar_model_add_start(sar_model* model, const char* signal, double value,
                                       sar_error* error);
SAR_API int sar_model_starts(const sar_model* model);
SAR_API const char* sar_model_start_name(const sar_model* model, int start);
SAR_API const char* sar_model_start_unit(const sar_model* model, int start);
SAR_API double sar_model_start_value(const sar_model* model, int start);
SAR_API void sar_model_set_start(sar_model* model, int start, double value);

/// Rotate the whole model by R (row-major) and then translate it by d: the same mechanism, drawn
/// elsewhere. Outputs stay in world axes. Only for models whose expressions do not
/// use world components.
SAR_API void sar_model_transform(sar_model* model, const double R[9], const double d[3]);

#ifdef __cplusplus
}
#endif

#endif
