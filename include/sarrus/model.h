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

#include "sarrus/base.h"
#include "sarrus/magic_formula.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sar_model sar_model;

/// Handles are values, valid in the model that returned them. Body 0 is the ground.
typedef struct sar_body_id {
    int32_t i;
} sar_body_id;
typedef struct sar_joint_id {
    int32_t i;
} sar_joint_id;
typedef struct sar_force_id {
    int32_t i;
} sar_force_id; ///< of all forces, see sar_model_forces

#define SAR_GROUND ((sar_body_id){0})

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

/* ---- bodies --------------------------------------------------------------------------------- */

/// A rigid body. The body frame is arbitrary; the centre of mass is given in it.
typedef struct sar_body_def {
    const char* name;           ///< unique among bodies, joints and forces
    double mass;                ///< [kg], >= 0
    double center[3];           ///< centre of mass in the body frame [m]
    double inertia[6];          ///< xx yy zz xy xz yz about the centre of mass, body axes [kg m^2];
                                ///< products with minus: xy = -(integral of x y dm)
    double position[3];         ///< guess of the body frame's origin at the start, world [m]
    double rotation[9];         ///< guess of its orientation: row-major, from body to world axes
    double winding[3];          ///< the rotation vector of that, world axes [rad], with all whole
                                ///< revolutions: 225 degrees are not -135; zeros: none are counted
    double velocity[3];         ///< guess of the origin's velocity at the start, world [m/s]
    double angular_velocity[3]; ///< guess, world axes [rad/s]
    int has_position;           ///< 0: the assembler places the body by its joints
    int has_rotation;           ///< 0: likewise for the orientation
    int as_measured;            ///< 1: moments that break the triangle inequality are accepted
    int particle;               ///< 1: a mass without extent at the origin, which does not rotate:
                                ///< an orientation joint called NAME_particle is added
} sar_body_def;

SAR_API sar_body_def sar_body_def_default(void); ///< massless, without a drawn pose, at rest
SAR_API sar_status sar_model_add_body(sar_model* model, const sar_body_def* def, sar_body_id* out,
                                      sar_error* error);

/// Draw all bodies elsewhere: poses and velocities (NULL: at rest) as of sar_simulation_set_state. That is the start then;
/// start conditions of the model are taken away. SAR_E_ARG: a number is not finite.
SAR_API sar_status sar_model_draw(sar_model* model, const double* poses, const double* velocities);

/// Name a point or a direction of a body (or of the ground), for forces, outputs and starts. Every
/// body already has the points `origin` and `center` and the axes `x`, `y`, `z`. Directions are
/// normalised; both are in the body frame.
SAR_API sar_status sar_model_add_point(sar_model* model, sar_body_id body, const char* name,
                                       const double point[3], sar_error* error);
SAR_API sar_status sar_model_add_axis(sar_model* model, sar_body_id body, const char* name,
                                      const double axis[3], sar_error* error);
/// Look up by name; SAR_E_ARG if there is none. `name` has `length` characters and need not end with
/// a zero.
SAR_API sar_status sar_model_find_body(const sar_model* model, const char* name, size_t length,
                                       sar_body_id* out);
SAR_API sar_status sar_model_find_joint(const sar_model* model, const char* name, size_t length,
                                        sar_joint_id* out);
SAR_API sar_status sar_model_find_point(const sar_model* model, sar_body_id body, const char* name,
                                        size_t length, double point[3]);
SAR_API sar_status sar_model_find_axis(const sar_model* model, sar_body_id body, const char* name,
                                       size_t length, double axis[3]);

/// A frame with a name of its own, fixed in a body or in the ground: `NAME.origin`, `NAME.x` ... in
/// files, `NAME.origin.x`, `NAME.yaw` and `SIGNAL@NAME` in expressions.
typedef struct sar_frame_def {
    const char* name;
    sar_body_id body;   ///< default: the ground
    double point[3];    ///< its origin, body frame
    double rotation[9]; ///< row-major: from its axes to those of the body; default: none
} sar_frame_def;

SAR_API sar_frame_def sar_frame_def_default(void);
SAR_API sar_status sar_model_add_frame(sar_model* model, const sar_frame_def* def,
                                       sar_error* error);

/* ---- joints --------------------------------------------------------------------------------- */

/// The types of joints: SAR_JOINT_REVOLUTE and so on, each described by a file in src/elements/.
#define SAR_JOINT_LIST(X)                                                                          \
    X(REVOLUTE, revolute)                                                                          \
    X(PRISMATIC, prismatic)                                                                        \
    X(SPHERICAL, spherical)                                                                        \
    X(UNIVERSAL, universal)                                                                        \
    X(CYLINDRICAL, cylindrical)                                                                    \
    X(PLANAR, planar)                                                                              \
    X(SCREW, screw)                                                                                \
    X(FIXED, fixed)                                                                                \
    X(POINT_ON_LINE, point_on_line)                                                                \
    X(POINT_ON_PLANE, point_on_plane)                                                              \
    X(DISTANCE, distance)                                                                          \
    X(ROLLING_SPHERE, rolling_sphere)                                                              \
    X(ROLLING_DISC, rolling_disc)                                                                  \
    X(KNIFE_EDGE, knife_edge)                                                                      \
    X(CONSTANT_VELOCITY, constant_velocity)                                                        \
    X(POINT_ON_CURVE, point_on_curve)                                                              \
    X(ORIENTATION, orientation)                                                                    \
    X(PARALLEL_AXES, parallel_axes)                                                                \
    X(PERPENDICULAR_AXES, perpendicular_axes)                                                      \
    X(GENERAL, general)

typedef enum sar_joint_type {
#define SAR_JOINT_ENUM(name, constant) SAR_JOINT_##name,
    SAR_JOINT_LIST(SAR_JOINT_ENUM)
#undef SAR_JOINT_ENUM
        SAR_JOINT_TYPES
} sar_joint_type;

/// A smooth planar curve, by expressions of the parameter s or through points (a cubic spline).
/// Open curves continue beyond their ends: as the expressions say, or straight.
typedef struct sar_curve {
    const char *x, *y;               ///< expressions of s and parameters [m]; NULL: by points
    double from, to;                 ///< range of s; once around a closed curve
    int points;                      ///< 0: by expressions
    const double *point_x, *point_y; ///< [m]
    int closed;                      ///< 1: the last point is joined to the first
} sar_curve;

/// What a general joint locks.
enum {
    SAR_LOCK_X = 1,
    SAR_LOCK_Y = 2,
    SAR_LOCK_Z = 4,
    SAR_LOCK_RX = 8,
    SAR_LOCK_RY = 16,
    SAR_LOCK_RZ = 32,
    SAR_LOCK_ALL = 63
};

/// One end of a joint, spring or bushing: a frame fixed in a body, in body coordinates.
typedef struct sar_end {
    sar_body_id body;
    double point[3];
    double axis[3]; ///< need not be a unit vector; planar revolute joints ignore it
    double
        normal[3]; ///< a second direction: defines the zero of the joint's angle. Zero: see below
} sar_end;

/// A joint between `a` and `b`. Its coordinates describe the motion of b relative to a:
///   angle          rotation from a's normal to b's normal about a's axis
///   displacement   of b's point from a's point along a's axis
///   distance       between the points
/// Universal joints rotate twice, first about a's axis, then about b's:
///   angle          rotation about a's axis, from a's normal to b's axis
///   angle2         rotation about b's axis; zero where a's axis is along b's normal
/// In the plane of a planar or point-on-plane joint, whose axis is the normal of that plane:
///   displacement   of b's point from a's point along a's normal
///   displacement2  the same along axis x normal of a
/// Without normals the zero of the angle, and the relative orientation that prismatic and fixed
/// joints keep, are those of the drawn poses. In planar models the normal
/// defaults to the body's x axis, so that `angle` is the difference of the two bodies' angles. A
/// universal joint without normals takes each end's normal from the other's axis as drawn: both
/// angles are zero there. For a plane, a's normal defaults to the body axis farthest from its axis
/// (x for z).
/// A constant-velocity joint connects shafts along the two axes. They may bend by less than half a
/// revolution, and their normals do not twist relative to each other; without normals the drawn
/// position has no twist. It has no coordinates.
/// A point on a curve is b's point. The `curve` starts from a's point, in the plane perpendicular
/// to a's axis: its x along a's normal (default: the body axis farthest from the axis; planar: x),
/// its y along axis x normal.
/// Rolling joints: a is the plane. Its axis is the normal, on the side of the ball or disc of
/// `radius` around b's point; a disc rotates about b's axis. They constrain the contact and two
/// components of the velocity there, along a's normal and across it; planar ones one component (a's
/// axis is then the normal of a line). A knife edge constrains velocity alone: the velocity of b's
/// point relative to a has no component along a's axis x b's axis (planar: a's axis is z). These
/// joints have no coordinates. Directions that are not used (b's axis of a ball or of a planar
/// wheel, a's of a planar knife edge) may be zero.
///
/// A general joint locks what `locked` says, in frames whose x is the axis, y the normal and z across
/// both: translations of b's point from a's, rotations of b's frame from a's. It has no coordinates.
typedef struct sar_joint_def {
    const char* name;
    sar_joint_type type;
    sar_end a, b;
    double pitch;    ///< screw: advance per full revolution [m]
    double distance; ///< distance joint: [m], > 0
    double radius;   ///< rolling joints: [m], > 0
    sar_curve curve; ///< point on a curve
    unsigned locked; ///< general joint: some SAR_LOCK_...; planar: X, Y and RZ. Default: all
    /// How it yields along its own axes (sar_uniqueness): [m/N], then [rad/(N m)]. By these, reactions that are not
    /// unique are split; all zero: rigid; all infinite: it carries only what others cannot.
    double compliance[6];
    int cut;    ///< 1: relative coordinates open the loops here; without a loop it has no effect
    int absent; ///< 1: absent at the start, until a phase adds it
    int attach_here; ///< 1, with `absent`: when a phase adds the joint, end a is placed at end b; not
                     ///< for rolling joints and knife edges
} sar_joint_def;

SAR_API sar_joint_def sar_joint_def_default(void); ///< revolute about z, both ends on the ground
SAR_API sar_status sar_model_add_joint(sar_model* model, const sar_joint_def* def,
                                       sar_joint_id* out, sar_error* error);
/// The ends of a joint, in body frames. Returns 1, or 0 for a coupling, a drive or a constraint.
SAR_API int sar_model_joint_ends(const sar_model* model, int joint, sar_end* a, sar_end* b);

/// The coordinate of a joint that a coupling, a drive or a spring uses.
typedef enum sar_coordinate {
    SAR_COORD_ANGLE,
    SAR_COORD_DISPLACEMENT,
    SAR_COORD_DISTANCE,
    SAR_COORD_ANGLE_2,       ///< universal joints
    SAR_COORD_DISPLACEMENT_2 ///< planar and point-on-plane joints
} sar_coordinate;

/// The sum of coefficient * coordinate keeps its value at the assembled start (gears, racks,
/// couplers); with `has_offset` it equals `offset`.
typedef struct sar_coupling_def {
    const char* name;
    int terms; ///< 2 ... 8
    sar_joint_id joint[8];
    sar_coordinate coordinate[8];
    double coefficient[8];
    double offset;
    int has_offset;
    int absent; ///< 1: absent at the start; without an offset it keeps the sum when it is added
    int belt; ///< 1: coefficients are radii of pulleys on the joints of two wheels: pictures show it
} sar_coupling_def;

SAR_API sar_coupling_def sar_coupling_def_default(void);
SAR_API sar_status sar_model_add_coupling(sar_model* model, const sar_coupling_def* def,
                                          sar_joint_id* out, sar_error* error);

/// Prescribes a joint's coordinate (`joint`), or, with `joint.i < 0`, the distance between `a` and
/// `b`, as a function of t.
typedef struct sar_drive_def {
    const char* name;
    sar_joint_id joint;
    sar_coordinate coordinate;
    sar_end a, b;
    const char* value; ///< expression of t and parameters; twice differentiable
    int absent;        ///< 1: absent at the start
} sar_drive_def;

SAR_API sar_drive_def sar_drive_def_default(void);
SAR_API sar_status sar_model_add_drive(sar_model* model, const sar_drive_def* def,
                                       sar_joint_id* out, sar_error* error);

/// A condition by an expression that is kept at zero. On positions: a smooth function of t,
/// parameters and positions, f(q, t) = 0. Or on velocities, one that need not come from positions
/// (non-holonomic): an expression of t, parameters, positions and rates, BODY.wx ... included, that
/// is linear in the rates, A(q, t) v + b(q, t) = 0. Rolling and gliding are joints.
///
/// With a bound, one on positions is one-sided: lower <= f(q, t) <= upper. It is free in between.
/// Where f reaches a bound with the rate f', it leaves it with the rate -restitution f', by an
/// impulse along its gradient; if that is (nearly) zero it stays at the bound, until the force that
/// holds it there would have to pull.
typedef struct sar_constraint_def {
    const char* name;
    const char* velocity; ///< the expression; uses at most 64 signals. NULL: on positions
    const char* position; ///< likewise, at most 16 signals
    double lower, upper;  ///< of `position`; -INFINITY and INFINITY (default): kept at zero
    double restitution;   ///< 0 ... 1
    int absent;           ///< 1: absent at the start; not with a bound
} sar_constraint_def;

SAR_API sar_constraint_def sar_constraint_def_default(void);
SAR_API sar_status sar_model_add_constraint(sar_model* model, const sar_constraint_def* def,
                                            sar_joint_id* out, sar_error* error);

/// 1 if `joint` is a drive; `coordinate` (may be NULL) then receives what it prescribes.
SAR_API int sar_model_joint_is_drive(const sar_model* model, int joint, sar_coordinate* coordinate);
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

/* ---- forces --------------------------------------------------------------------------------- */

/// The types of forces, each described by a file in src/elements/.
#define SAR_FORCE_LIST(X)                                                                          \
    X(LOAD, load)                                                                                  \
    X(SPRING, spring)                                                                              \
    X(BUSHING, bushing)                                                                            \
    X(TYRE, tyre)                                                                                  \
    X(STOP, stop)                                                                                  \
    X(FRICTION, friction)                                                                          \
    X(MAXWELL, maxwell)                                                                            \
    X(MAGIC_TYRE, magic_tyre)                                                                      \
    X(ACTUATOR, actuator)                                                                          \
    X(ATTRACTION, attraction)                                                                      \
    X(DRAG, drag)                                                                                  \
    X(STATE, state)                                                                                \
    X(CONTACT, contact)                                                                            \
    X(BUOYANCY, buoyancy)                                                                          \
    X(LARGE_BUSHING, large_bushing)                                                                \
    X(SHAFT, shaft)                                                                                \
    X(CABLE, cable)                                                                                \
    X(POTENTIAL, potential)

/// All forces of a model: by their types in the order of the list, those of a type as they were
/// added.
SAR_API int sar_model_forces(const sar_model* model);
SAR_API const char* sar_model_force_name(const sar_model* model, int force);
/// The force is absent at the start, until a phase adds it. SAR_E_ARG: none has this name.
SAR_API sar_status sar_model_set_force_absent(sar_model* model, const char* name);
/// Jumps and kinks of its expressions are no events: steps go across them. SAR_E_ARG as above.
SAR_API sar_status sar_model_set_force_smooth(sar_model* model, const char* name);
/// Look up by name among all forces; SAR_E_ARG if there is none.
SAR_API sar_status sar_model_find_force(const sar_model* model, const char* name, size_t length,
                                        sar_force_id* out);

/// Where the action of a force is reported.
typedef struct sar_force_place {
    sar_body_id body; ///< on which it acts; the second of two, or the first if that is the ground
    double point[3];  ///< in the frame of the body
    double radius;    ///< of a wheel around the point; 0: it is none [m]
} sar_force_place;

SAR_API sar_force_place sar_model_force_place(const sar_model* model, sar_force_id force);

/// A force at a point and/or a torque on a body, as expressions of t, parameters and signals (see
/// sar_model_add_output). NULL expressions are zero. Planar: force[0], force[1], torque[2].
typedef struct sar_load_def {
    const char* name;
    sar_body_id body;
    double point[3];       ///< where the force acts, body frame
    const char* force[3];  ///< [N]
    const char* torque[3]; ///< [N m]
    int in_body_axes;      ///< 0: components in world axes; 1: in body axes
    const char* axes;      ///< or in those of this body or frame, by name; NULL: none
    sar_body_id reaction;  ///< the opposite force (at the same point) and torque act on this body;
                           ///< ground: on none
} sar_load_def;

SAR_API sar_load_def sar_load_def_default(void);
SAR_API sar_status sar_model_add_load(sar_model* model, const sar_load_def* def, sar_error* error);

/// Whatever has a potential: V is an expression of positions, and Q = -dV/dq. Fields of gravity,
/// charges, magnets.
typedef struct sar_potential_def {
    const char* name;
    const char* energy;        ///< V [J], smooth
    sar_coordinate coordinate; ///< for the library
    double factor;             ///< V is multiplied by it; default 1
} sar_potential_def;

SAR_API sar_potential_def sar_potential_def_default(void);
SAR_API sar_status sar_model_add_potential(sar_model* model, const sar_potential_def* def,
                                           sar_error* error);

/// A spring-damper between the points of `a` and `b` (`joint.i < 0`), or about a joint's angle or
/// along its displacement. x is the length or joint coordinate, v its rate. A positive force
/// pulls the ends together; along or about a joint's coordinate it acts against the coordinate:
///   f = stiffness (x - free) + damping v + table(x - free) + expression(x, v, t, ...)
typedef struct sar_spring_def {
    const char* name;
    sar_end a, b;
    sar_joint_id joint;
    sar_coordinate coordinate;
    const char* along; ///< or on this expression of positions, as in sar_actuator_def; NULL: none
    double stiffness, damping, free;
    const char* free_by; ///< what comes to `free`, an expression of t and parameters; NULL: nothing
    const char* force;   ///< expression of x, v, t, parameters and signals; NULL: none
    int table_length;    ///< 0: none, else >= 2 pairs
    const double* table_x; ///< increasing
    const double* table_f; ///< linear between the pairs and beyond the ends
} sar_spring_def;

SAR_API sar_spring_def sar_spring_def_default(void);
SAR_API sar_status sar_model_add_spring(sar_model* model, const sar_spring_def* def,
                                        sar_error* error);

/// A bushing: f = -K e - C de/dt on b, with e = (displacement of b's point from a's point, rotation
/// of b relative to a) in the frame of a (x: axis, y: normal, z: their product), zero where the two
/// frames agree. The rotation is the angle (planar) or the axis of rotation times the sine of the
/// angle (spatial). Planar: rows and columns x, y of the displacement and z of the rotation (0, 1, 5).
typedef struct sar_bushing_def {
    const char* name;
    sar_end a, b;
    double K[36]; ///< row-major, symmetric
    double C[36]; ///< row-major
} sar_bushing_def;

SAR_API sar_bushing_def sar_bushing_def_default(void);
SAR_API sar_status sar_model_add_bushing(sar_model* model, const sar_bushing_def* def,
                                         sar_error* error);

/// A wheel on a road: a spring and damper between a point of a body, the wheel's centre, and the
/// road below. It only pushes. With z the height of the point (its world component `up`), x
/// its component `forward` and h = road(along(x, t), t) the height of the road there,
///   f = max(0, stiffness (radius - (z - h)) - damping d(z - h)/dt)   while z - h < radius, else 0.
/// It acts upwards or, with `normal`, as f/sqrt(1 + s^2) along the normal of the road of slope s.
/// Do not rotate a model with tyres by sar_model_transform.
typedef struct sar_tyre_def {
    const char* name;
    sar_body_id body;
    double point[3];           ///< the wheel's centre, body frame
    double radius;             ///< unloaded [m], > 0
    double stiffness, damping; ///< [N/m] > 0, [N s/m] >= 0
    const char* road;          ///< height: expression of x (position along the road), t, parameters
    const char* along; ///< position along the road: expression of x, t, parameters; NULL: x itself
    int up, forward;   ///< world axes, 0 ... 2. -1: z and x, in planar models y and x
    int normal;        ///< 0: vertical force; 1: along the normal of the road
} sar_tyre_def;

SAR_API sar_tyre_def sar_tyre_def_default(void);
SAR_API sar_status sar_model_add_tyre(sar_model* model, const sar_tyre_def* def, sar_error* error);

/// A wheel with slip on a road, by the Magic Formula: forces along and across the wheel and moments
/// as functions of load, slip, slip angle and camber (docs/model-format.md). Spatial models alone.
typedef struct sar_magic_tyre_def {
    const char* name;
    sar_body_id body; ///< the wheel
    double point[3];  ///< its centre, body frame
    double axis[3];   ///< its axis, body frame, which points to the left; default (0, 1, 0)
    const char* road; ///< height: expression of x, y, t, parameters; NULL: 0
    int up;           ///< world axis upwards, 0 ... 2; x and y are the two after it. -1: z
    int mounted;      ///< sar_tyre_side; -1: as measured. On the other side all is mirrored
    int measured;     ///< sar_tyre_side of the coefficients
    int relaxation;   ///< 1: slip builds up over the relaxation lengths
    double coefficient[SAR_MAGIC_COUNT]; ///< [SAR_MAGIC_PCX1] ...; see sar_magic_read
} sar_magic_tyre_def;

SAR_API sar_magic_tyre_def sar_magic_tyre_def_default(void);
SAR_API sar_status sar_model_add_magic_tyre(sar_model* model, const sar_magic_tyre_def* def,
                                            sar_error* error);

/// A spring and a damper in series between two points; the stretch x of the spring is a state that
/// begins at zero: f = stiffness x,  dx/dt = d distance/dt - f/damping.
typedef struct sar_maxwell_def {
    const char* name;
    sar_end a, b;
    double stiffness, damping; ///< [N/m], [N s/m], > 0
} sar_maxwell_def;

SAR_API sar_maxwell_def sar_maxwell_def_default(void);
SAR_API sar_status sar_model_add_maxwell(sar_model* model, const sar_maxwell_def* def,
                                         sar_error* error);

/// A state of the model: a number x with dx/dt = rate(t, signals, states), integrated with the
/// motion by every method. Forces, loads, conditions of phases and outputs use it by its name; in
/// outputs NAME.rate is dx/dt. A controller's integral, a pressure, a temperature.
typedef struct sar_state_def {
    const char* name;
    const char* rate; ///< NULL: 0, until sar_model_set_state_rate says more
    double start;     ///< where it begins
    double scale;     ///< how large it gets, within a factor of 1e6: values below a millionth of
                      ///< that are not followed to all their digits. 0: |start|, or 1
} sar_state_def;

SAR_API sar_state_def sar_state_def_default(void);
SAR_API sar_status sar_model_add_state(sar_model* model, const sar_state_def* def,
                                       sar_error* error);
/// For rates that use what is added after the state: other states, springs.
SAR_API sar_status sar_model_set_state_rate(sar_model* model, const char* state, const char* rate,
                                            sar_error* error);
SAR_API int sar_model_states(const sar_model* model);
SAR_API const char* sar_model_state_name(const sar_model* model, int state);

/// A stop on a coordinate s of a joint: free between the limits; beyond a limit a spring and damper
/// that only push back. With the depth x = lower - s or s - upper > 0 and its rate x',
///   f = stiffness x^exponent max(0, 1 + damping x')              [hunt1975]
/// Its potential energy is stiffness x^(exponent + 1)/(exponent + 1).
typedef struct sar_stop_def {
    const char* name;
    sar_joint_id joint;
    sar_coordinate coordinate;
    const char* along;   ///< or of this expression of positions, as in sar_actuator_def; NULL: none
    double lower, upper; ///< [m] or [rad]; -INFINITY, INFINITY: none on this side
    double stiffness;    ///< [N/m^exponent] or [N m/rad^exponent], > 0
    double exponent;     ///< 1 (default): linear; 1.5: Hertz' contact of round bodies
    double damping;      ///< [s/m] or [s/rad], >= 0
} sar_stop_def;

SAR_API sar_stop_def sar_stop_def_default(void);
SAR_API sar_status sar_model_add_stop(sar_model* model, const sar_stop_def* def, sar_error* error);

/// A force along the line of two points or on a coordinate of a joint, by an expression of x (the
/// length or coordinate), v (its rate), t, parameters and signals. It counts as the coordinate
/// does: a positive force lengthens, a positive torque turns forward.
typedef struct sar_actuator_def {
    const char* name;
    sar_end a, b;              ///< between these points,
    sar_joint_id joint;        ///< or on this joint's `coordinate`; i = -1 (default): none
    sar_coordinate coordinate; ///< DISTANCE between points
    const char* along; ///< or on this smooth expression of positions, as "ball.yaw"; NULL: none. It
                       ///< is a length if it uses any, else an angle; at most 16 signals
    const char* force; ///< [N] or [N m]
} sar_actuator_def;

SAR_API sar_actuator_def sar_actuator_def_default(void);
SAR_API sar_status sar_model_add_actuator(sar_model* model, const sar_actuator_def* def,
                                          sar_error* error);

/// Two points that attract each other with strength/distance^2; potential energy
/// -strength/distance.
typedef struct sar_attraction_def {
    const char* name;
    sar_end a, b;
    double strength; ///< [N m^2]; negative: they repel
} sar_attraction_def;

SAR_API sar_attraction_def sar_attraction_def_default(void);
SAR_API sar_status sar_model_add_attraction(sar_model* model, const sar_attraction_def* def,
                                            sar_error* error);

/// Resistance of a medium at rest to the velocity v of a point: -(linear + quadratic |v|) v.
typedef struct sar_drag_def {
    const char* name;
    sar_body_id body;
    double point[3];  ///< body frame
    double linear;    ///< [N s/m], >= 0
    double quadratic; ///< [N s^2/m^2], >= 0; in air density * drag coefficient * area / 2
} sar_drag_def;

SAR_API sar_drag_def sar_drag_def_default(void);
SAR_API sar_status sar_model_add_drag(sar_model* model, const sar_drag_def* def, sar_error* error);

/// Contact of a ball or a cylinder around b's point with a half-space through a's point, out of
/// which a's axis points, or with a ball around it. With the depth d and the velocity u of b on a at
/// the contact, whose normal is n,
///   N = stiffness d^exponent max(0, 1 - damping u . n),                                [hunt1975]
///   T = -friction N u_t/sqrt(u_t^2 + speed^2)
/// A cylinder touches with its two edges. With a `surface` a is the height field
/// z = surface(x, y) over the plane of a half-space, z along its normal, x along a's normal and y
/// across both (planar: z along a's axis, x along the axis turned by -90 degrees); the ball touches
/// it where it is nearest to the middle of the ball. It is smooth, with curvatures below 1/radius.
typedef struct sar_contact_def {
    const char* name;
    sar_end a, b;        ///< a's axis: normal of the half-space; b's: axis of the cylinder
    double radius;       ///< of b [m], > 0
    double other_radius; ///< of a [m]; 0: a half-space
    double length;       ///< of the cylinder b [m]; 0: a ball. Spatial models
    double stiffness;    ///< [N/m^exponent], > 0
    double exponent;     ///< 1.5 (default): Hertz
    double damping;      ///< [s/m], >= 0
    double friction;     ///< coefficient, >= 0
    double speed;        ///< [m/s], > 0 with friction: below it friction goes to zero
    const char* surface; ///< expression of x, y and parameters [m]; NULL: a plane, or a ball
} sar_contact_def;

SAR_API sar_contact_def sar_contact_def_default(void);
SAR_API sar_status sar_model_add_contact(sar_model* model, const sar_contact_def* def,
                                         sar_error* error);

/// Buoyancy of a ball in a fluid at rest: the weight of the fluid that it displaces, which is less
/// than that of the ball where it is not all below the surface.
typedef struct sar_buoyancy_def {
    const char* name;
    sar_body_id body;
    double point[3]; ///< middle of the ball, body frame
    double radius;   ///< [m], > 0
    double weight;   ///< of the fluid by volume, density times gravity [N/m^3], > 0
    double level;    ///< height of the surface, world [m]
    int up;          ///< world axis, 0 ... 2. -1: z, in planar models y
} sar_buoyancy_def;

SAR_API sar_buoyancy_def sar_buoyancy_def_default(void);
SAR_API sar_status sar_model_add_buoyancy(sar_model* model, const sar_buoyancy_def* def,
                                          sar_error* error);

/// Friction along a coordinate of a joint, against its rate v:
///   f = F tanh(v/speed) + viscous v
/// F is `level`, or coefficient * preload along displacements and coefficient * radius * preload
/// about angles. Under a force f < F a joint does not stick but creeps, at speed * atanh(f/F).
typedef struct sar_friction_def {
    const char* name;
    sar_joint_id joint;
    sar_coordinate coordinate;
    const char*
        along;    ///< or along this expression of positions, as in sar_actuator_def; NULL: none
    double level; ///< [N] or [N m], >= 0; NAN: by the coefficient
    double coefficient; ///< >= 0; NAN: none
    double preload;     ///< the normal force [N], >= 0; NAN: none
    int by_reaction;    ///< 1: the normal force is the norm of the joint's reaction force in the
                        ///< last completed step
    double radius;      ///< of the bearing [m], > 0: angles only
    double viscous;     ///< [N s/m] or [N m s/rad], >= 0
    double speed;       ///< [m/s] or [rad/s], > 0: below it Coulomb's friction goes to zero
} sar_friction_def;

SAR_API sar_friction_def sar_friction_def_default(void);
SAR_API sar_status sar_model_add_friction(sar_model* model, const sar_friction_def* def,
                                          sar_error* error);

/// A time at which some expression of t jumps or has a kink: a step of every integrator ends there,
/// and the next one restarts with the values to the right of the jump. Order and repetition do not
/// matter.
SAR_API sar_status sar_model_add_breakpoint(sar_model* model, double t, sar_error* error);

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
