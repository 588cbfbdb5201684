/// @file model.h
/// A mechanism as its user describes it: bodies, joints, drives, forces, outputs and a start.
///
/// A model says nothing of coordinates or methods: the same model runs with all of them. SI units
/// throughout, angles in radians. In a planar model (dimension 2) only x and y of every vector
/// count, orientations are angles about z, and the inertia is its zz component.
///
/// Every `add` function copies its definition. Definitions come from a `_default` function, so that
/// fields added later keep their meaning. On failure the function changes nothing, returns a status
/// and fills `error` (which may be NULL) with the field and the reason.
#ifndef SARRUS_MODEL_H
#define SARRUS_MODEL_H

#include "sarrus/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sar_model sar_model;

/// Handles are values, valid in the model that gave them. Body 0 is the ground.
typedef struct sar_body_id {
    int32_t i;
} sar_body_id;
typedef struct sar_joint_id {
    int32_t i;
} sar_joint_id;

#define SAR_GROUND ((sar_body_id){0})

/// `dimension` is 2 or 3. Returns NULL when out of memory or given another dimension.
SAR_API sar_model* sar_model_create(const char* name, int dimension);
SAR_API void sar_model_destroy(sar_model* model);

SAR_API const char* sar_model_name(const sar_model* model);
SAR_API int sar_model_dimension(const sar_model* model);
SAR_API int sar_model_bodies(const sar_model* model); ///< the ground included
SAR_API int sar_model_joints(const sar_model* model); ///< couplings, drives, constraints too
SAR_API int sar_model_phases(const sar_model* model);
/// Files that were read with the model file, such as those of its tables: how many, and their
/// paths.
SAR_API int sar_model_files(const sar_model* model);
SAR_API const char* sar_model_file(const sar_model* model, int k);
SAR_API int sar_model_outputs(const sar_model* model);
SAR_API const char* sar_model_body_name(const sar_model* model, int body);
SAR_API const char* sar_model_joint_name(const sar_model* model, int joint);
SAR_API const char* sar_model_output_name(const sar_model* model, int output);
SAR_API int sar_model_parameters(const sar_model* model);
SAR_API const char* sar_model_parameter_name(const sar_model* model, int parameter);

/// Gravity in world axes [m/s^2]; zero unless set.
SAR_API void sar_model_set_gravity(sar_model* model, const double g[3]);

/// A named constant for the expressions of forces, drives and outputs. Setting it again replaces it
/// for expressions added later.
SAR_API sar_status sar_model_set_parameter(sar_model* model, const char* name, double value,
                                           sar_error* error);

/// How a table goes on from one point to the next.
typedef enum sar_interpolation {
    SAR_INTERPOLATION_LINEAR,
    SAR_INTERPOLATION_CUBIC,   ///< spline with two continuous derivatives, not-a-knot at its ends
    SAR_INTERPOLATION_CONSTANT ///< the value of the last point, up to the next one
} sar_interpolation;

/// A function given by points, which all expressions added later can call by its name: `road(x)`.
typedef struct sar_table_def {
    const char* name;
    int length;          ///< >= 2 points
    const double *x, *y; ///< x increases
    sar_interpolation interpolation;
    int extend; ///< beyond the ends: 0 the last value, 1 along the last slope
} sar_table_def;

SAR_API sar_table_def sar_table_def_default(void); ///< linear, the last value beyond the ends
SAR_API sar_status sar_model_add_table(sar_model* model, const sar_table_def* def,
                                       sar_error* error);

/* ---- bodies --------------------------------------------------------------------------------- */

/// A rigid body. Its frame is where its user likes; the centre of mass is given in it.
typedef struct sar_body_def {
    const char* name;           ///< unique among bodies, joints and forces
    double mass;                ///< [kg], >= 0
    double center[3];           ///< centre of mass in the body frame [m]
    double inertia[6];          ///< xx yy zz xy xz yz about the centre of mass, body axes [kg m^2]
    double position[3];         ///< guess of the body frame's origin at the start, world [m]
    double rotation[9];         ///< guess of its orientation: row-major, turns body into world axes
    double velocity[3];         ///< guess of the origin's velocity at the start, world [m/s]
    double angular_velocity[3]; ///< guess, world axes [rad/s]
    int has_position;           ///< 0: the assembler places the body where its joints want it
    int has_rotation;           ///< 0: likewise for the orientation
} sar_body_def;

SAR_API sar_body_def sar_body_def_default(void); ///< massless, drawn nowhere, at rest
SAR_API sar_status sar_model_add_body(sar_model* model, const sar_body_def* def, sar_body_id* out,
                                      sar_error* error);

/// Name a point or a direction of a body (the ground too), so that forces, outputs and starts can
/// speak of it. Every body has the points `origin` and `center` and the axes `x`, `y`, `z` from the
/// beginning. Directions are normalised; both are in the body frame.
SAR_API sar_status sar_model_add_point(sar_model* model, sar_body_id body, const char* name,
                                       const double point[3], sar_error* error);
SAR_API sar_status sar_model_add_axis(sar_model* model, sar_body_id body, const char* name,
                                      const double axis[3], sar_error* error);
/// Look up; -1 status SAR_E_ARG when there is none. `name` need not end with a zero: `length`
/// counts.
SAR_API sar_status sar_model_find_body(const sar_model* model, const char* name, size_t length,
                                       sar_body_id* out);
SAR_API sar_status sar_model_find_joint(const sar_model* model, const char* name, size_t length,
                                        sar_joint_id* out);
SAR_API sar_status sar_model_find_point(const sar_model* model, sar_body_id body, const char* name,
                                        size_t length, double point[3]);
SAR_API sar_status sar_model_find_axis(const sar_model* model, sar_body_id body, const char* name,
                                       size_t length, double axis[3]);

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
    X(POINT_ON_CURVE, point_on_curve)

typedef enum sar_joint_type {
#define SAR_JOINT_ENUM(name, constant) SAR_JOINT_##name,
    SAR_JOINT_LIST(SAR_JOINT_ENUM)
#undef SAR_JOINT_ENUM
        SAR_JOINT_TYPES
} sar_joint_type;

/// A smooth planar curve, by expressions of the parameter s or through points (a cubic spline).
/// Open curves go on beyond their ends: as the expressions say, or straight.
typedef struct sar_curve {
    const char *x, *y;               ///< expressions of s and parameters [m]; NULL: by points
    double from, to;                 ///< s; one turn of a closed curve
    int points;                      ///< 0: by expressions
    const double *point_x, *point_y; ///< [m]
    int closed;                      ///< 1: the last point is joined to the first
} sar_curve;

/// One end of a joint, spring or bushing: a frame fixed in a body, in body coordinates.
typedef struct sar_end {
    sar_body_id body;
    double point[3];
    double axis[3];   ///< need not be a unit vector; planar revolute joints ignore it
    double normal[3]; ///< a second direction: marks the zero of the joint's angle. None: see below
} sar_end;

/// A joint between `a` and `b`. Its coordinates describe the motion of b relative to a:
///   angle          turn of b's normal from a's normal about a's axis
///   displacement   of b's point from a's point along a's axis
///   distance       between the points
/// Universal joints turn twice, first about a's axis, then about b's:
///   angle          turn about a's axis, of b's axis from a's normal
///   angle2         turn about b's axis; zero where a's axis is along b's normal
/// In the plane of a planar or point-on-plane joint, whose axis is the normal of that plane:
///   displacement   of b's point from a's point along a's normal
///   displacement2  the same along axis x normal of a
/// Without normals the zero of the angle, and the relative orientation that prismatic and fixed
/// joints keep, are as drawn: those of the bodies' start poses. In planar models the normal
/// defaults to the body's x axis, so that `angle` is the difference of the two bodies' angles. A
/// universal joint without normals takes each end's from the other's axis as drawn: both angles are
/// zero there. Of a plane, a's normal defaults to the body axis farthest from its axis (x for z).
/// A constant-velocity joint connects shafts along the two axes, which may bend but not by half a
/// turn: the normals stay without twist against each other. Without normals they are so as drawn.
/// It has no coordinates. A point on a curve is that of b, the `curve` is drawn from a's point in
/// the plane across a's axis: its x along a's normal (default: the body axis farthest from the
/// axis; planar: x), its y along axis x normal. Rolling joints: a is the plane, its axis the normal
/// on whose side the ball or disc of `radius` around b's point is; a disc turns about b's axis.
/// They hold the contact and two components of the velocity there, along a's normal and across it;
/// planar ones one (a's axis is then the normal of a line). A knife edge is velocity alone: of the
/// motion of b's point relative to a, the component along a's axis x b's axis is zero (planar: a's
/// axis is z). These joints have no coordinates, and ends that are not used (b's axis of a ball or
/// of a planar wheel, a's of a planar knife edge) need no directions.
typedef struct sar_joint_def {
    const char* name;
    sar_joint_type type;
    sar_end a, b;
    double pitch;    ///< screw: advance per turn [m]
    double distance; ///< distance joint: [m], > 0
    double radius;   ///< rolling joints: [m], > 0
    sar_curve curve; ///< point on a curve
    int cut;    ///< 1: relative coordinates open the loops here; without a loop it has no effect
    int absent; ///< 1: not there at first, until a phase adds it
    int attach_here; ///< 1, with `absent`: end a is put where end b is when a phase adds the joint;
                     ///< not for rolling joints and knife edges
} sar_joint_def;

SAR_API sar_joint_def sar_joint_def_default(void); ///< revolute about z, both ends on the ground
SAR_API sar_status sar_model_add_joint(sar_model* model, const sar_joint_def* def,
                                       sar_joint_id* out, sar_error* error);
/// Where a joint holds its two bodies, body frames. 1, or 0 for a coupling, a drive or a
/// constraint.
SAR_API int sar_model_joint_ends(const sar_model* model, int joint, sar_end* a, sar_end* b);

/// Which coordinate of a joint a coupling, a drive or a spring means.
typedef enum sar_coordinate {
    SAR_COORD_ANGLE,
    SAR_COORD_DISPLACEMENT,
    SAR_COORD_DISTANCE,
    SAR_COORD_ANGLE_2,       ///< universal joints
    SAR_COORD_DISPLACEMENT_2 ///< planar and point-on-plane joints
} sar_coordinate;

/// Sum of coefficient * coordinate stays what it is at the assembled start (gears, racks,
/// couplers); with `has_offset` it equals `offset`.
typedef struct sar_coupling_def {
    const char* name;
    int terms; ///< 2 ... 8
    sar_joint_id joint[8];
    sar_coordinate coordinate[8];
    double coefficient[8];
    double offset;
    int has_offset;
    int absent; ///< 1: not there at first; without an offset it keeps the sum of when it is added
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
    int absent;        ///< 1: not there at first
} sar_drive_def;

SAR_API sar_drive_def sar_drive_def_default(void);
SAR_API sar_status sar_model_add_drive(sar_model* model, const sar_drive_def* def,
                                       sar_joint_id* out, sar_error* error);

/// A condition on velocities that need not come from one on positions (non-holonomic): an
/// expression of t, parameters, positions and rates, BODY.wx ... included, that is linear in the
/// rates and is held at zero: A(q, t) v + b(q, t) = 0. For rolling and gliding there are joints.
typedef struct sar_constraint_def {
    const char* name;
    const char* velocity; ///< the expression; uses at most 64 signals
    int absent;           ///< 1: not there at first
} sar_constraint_def;

SAR_API sar_constraint_def sar_constraint_def_default(void);
SAR_API sar_status sar_model_add_constraint(sar_model* model, const sar_constraint_def* def,
                                            sar_joint_id* out, sar_error* error);

/// 1 if `joint` is a drive; then `coordinate` (may be NULL) is what it prescribes.
SAR_API int sar_model_joint_is_drive(const sar_model* model, int joint, sar_coordinate* coordinate);
/* ---- phases --------------------------------------------------------------------------------- */

typedef enum sar_crossing {
    SAR_CROSSING_EITHER,
    SAR_CROSSING_RISING, ///< from negative to positive
    SAR_CROSSING_FALLING
} sar_crossing;

/// A change of the mechanism while it runs: joints, couplings, drives and constraints come and go.
/// Phases happen in the order in which they were added, each when its condition is met after the
/// one before: at a time, or when an expression of t, parameters and signals changes its sign.
typedef struct sar_phase_def {
    double at;        ///< [s], or, if it is passed already, at once; `when` NULL
    const char* when; ///< expression of t, parameters, positions and rates
    sar_crossing crossing;
    int adds, removes;
    const sar_joint_id *add, *remove;
} sar_phase_def;

SAR_API sar_phase_def sar_phase_def_default(void);
/// After all joints. A joint that is added must not be there by then, one that is removed must be,
/// and the joint of a drive or coupling goes no earlier and comes no later than these.
SAR_API sar_status sar_model_add_phase(sar_model* model, const sar_phase_def* def,
                                       sar_error* error);
/// What phase k was defined as; its arrays and text belong to the model.
SAR_API sar_phase_def sar_model_phase(const sar_model* model, int phase);

/* ---- forces --------------------------------------------------------------------------------- */

/// A force at a point and/or a torque on a body, as expressions of t, parameters and signals (see
/// sar_model_add_output). NULL expressions are zero. Planar: force[0], force[1], torque[2].
typedef struct sar_load_def {
    const char* name;
    sar_body_id body;
    double point[3];       ///< where the force acts, body frame
    const char* force[3];  ///< [N]
    const char* torque[3]; ///< [N m]
    int in_body_axes;      ///< 0: components in world axes; 1: in axes that turn with the body
    sar_body_id reaction;  ///< the opposite force (at the same place) and torque act on this body;
                           ///< ground: nowhere
} sar_load_def;

SAR_API sar_load_def sar_load_def_default(void);
SAR_API sar_status sar_model_add_load(sar_model* model, const sar_load_def* def, sar_error* error);

/// A spring-damper between the points of `a` and `b` (`joint.i < 0`), or about a joint's angle or
/// along its displacement. x is the length or joint coordinate, v its rate; the force pulls the
/// ends together (turns back) when positive: f = stiffness (x - free) + damping v + table(x - free)
/// + expression(x, v, t, ...).
typedef struct sar_spring_def {
    const char* name;
    sar_end a, b;
    sar_joint_id joint;
    sar_coordinate coordinate;
    double stiffness, damping, free;
    const char* force;     ///< expression of x, v, t, parameters and signals; NULL: none
    int table_length;      ///< 0: none, else >= 2 pairs
    const double* table_x; ///< increasing
    const double* table_f; ///< linear between the pairs and beyond the ends
} sar_spring_def;

SAR_API sar_spring_def sar_spring_def_default(void);
SAR_API sar_status sar_model_add_spring(sar_model* model, const sar_spring_def* def,
                                        sar_error* error);

/// A bushing: f = -K e - C de/dt on b, with e = (displacement of b's point from a's point, rotation
/// of b relative to a) in the frame of a (x: axis, y: normal, z: their product), zero where the two
/// frames agree. The rotation is the angle (planar) or the turn's axis times the sine of its angle
/// (spatial). Planar: rows and columns x, y of the displacement and z of the rotation (0, 1, 5).
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
/// road under it, that only pushes. With z the height of the point (its world component `up`), x
/// its component `forward` and h = road(along(x, t), t) the height of the road there,
///   f = max(0, stiffness (radius - (z - h)) - damping d(z - h)/dt)   while z - h < radius, else 0.
/// It acts upwards or, with `normal`, as f/sqrt(1 + s^2) along the normal of the road of slope s.
/// A model with tyres is not to be turned by sar_model_transform.
typedef struct sar_tyre_def {
    const char* name;
    sar_body_id body;
    double point[3];           ///< the wheel's centre, body frame
    double radius;             ///< unloaded [m], > 0
    double stiffness, damping; ///< [N/m] > 0, [N s/m] >= 0
    const char* road;          ///< height: expression of x (place along the road), t, parameters
    const char* along; ///< place along the road: expression of x, t, parameters; NULL: x itself
    int up, forward;   ///< world axes, 0 ... 2. -1: z and x, in planar models y and x
    int normal;        ///< 0: vertical force; 1: along the normal of the road
} sar_tyre_def;

SAR_API sar_tyre_def sar_tyre_def_default(void);
SAR_API sar_status sar_model_add_tyre(sar_model* model, const sar_tyre_def* def, sar_error* error);

/// A stop on a coordinate s of a joint: free between the limits, beyond one of them a spring and
/// damper that only pushes back. With the depth x = lower - s or s - upper > 0 and its rate x',
///   f = stiffness x^exponent max(0, 1 + damping x')              [hunt1975]
/// Its potential energy is stiffness x^(exponent + 1)/(exponent + 1).
typedef struct sar_stop_def {
    const char* name;
    sar_joint_id joint;
    sar_coordinate coordinate;
    double lower, upper; ///< [m] or [rad]; -INFINITY, INFINITY: none on this side
    double stiffness;    ///< [N/m^exponent] or [N m/rad^exponent], > 0
    double exponent;     ///< 1 (default): linear; 1.5: Hertz' contact of round bodies
    double damping;      ///< [s/m] or [s/rad], >= 0
} sar_stop_def;

SAR_API sar_stop_def sar_stop_def_default(void);
SAR_API sar_status sar_model_add_stop(sar_model* model, const sar_stop_def* def, sar_error* error);

/// Friction along a coordinate of a joint, back against its rate v:
///   f = F tanh(v/speed) + viscous v
/// F is `level`, or coefficient * preload along displacements and coefficient * radius * preload
/// about angles. Under a force f < F a joint does not stick but creeps, at speed * atanh(f/F).
typedef struct sar_friction_def {
    const char* name;
    sar_joint_id joint;
    sar_coordinate coordinate;
    double level;       ///< [N] or [N m], >= 0; NAN: by the coefficient
    double coefficient; ///< >= 0; NAN: none
    double preload;     ///< the normal force [N], >= 0; NAN: none
    int by_reaction;    ///< 1: the normal force is the size of the joint's own force, as it was in
                        ///< the last completed step
    double radius;      ///< of the bearing [m], > 0: angles only
    double viscous;     ///< [N s/m] or [N m s/rad], >= 0
    double speed;       ///< [m/s] or [rad/s], > 0: below it Coulomb's friction fades
} sar_friction_def;

SAR_API sar_friction_def sar_friction_def_default(void);
SAR_API sar_status sar_model_add_friction(sar_model* model, const sar_friction_def* def,
                                          sar_error* error);

/// A time at which some expression of t jumps or has a kink: a step of every integrator ends there,
/// and the next one starts afresh with the values to the right of the jump. The order does not
/// matter; giving a time again changes nothing.
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
///   DRIVE.force (or .torque of an angle)  what the drive exerts along its coordinate (outputs
///                                       only)
///   CONSTRAINT.force                    what it exerts along the velocity it holds (outputs only)
///   energy.kinetic energy.potential energy.total      (outputs only)
/// Forces may use the first derivatives and below, not accelerations, reactions or energies.
SAR_API sar_status sar_model_add_output(sar_model* model, const char* name, const char* expression,
                                        sar_error* error);

/// A named output that is the integral, from the start on, of an expression of what forces may use:
/// over time, or over another such expression, as work is that of a force over a length. NULL:
/// time.
SAR_API sar_status sar_model_add_integral(sar_model* model, const char* name,
                                          const char* expression, const char* over,
                                          sar_error* error);

/// Demand a value of a signal at the start: a position-like signal (x, angle, displacement, ...) or
/// a rate (vx, rate, speed, ...). The assembler meets all of them together with the constraints.
SAR_API sar_status sar_model_add_start(sar_model* model, const char* signal, double value,
                                       sar_error* error);

/// Turn the whole model in space by the rotation R (row-major) and then shift it by d: the same
/// mechanism, drawn elsewhere. Outputs stay in world axes. Only for models whose expressions do not
/// use world components.
SAR_API void sar_model_transform(sar_model* model, const double R[9], const double d[3]);

#ifdef __cplusplus
}
#endif
#endif
