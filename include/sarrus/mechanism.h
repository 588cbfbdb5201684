/// @file mechanism.h
/// The bodies of a model and what holds them together: joints, couplings, drives, constraints. For
/// units and definitions see model.h, which includes this header.
#ifndef SARRUS_MECHANISM_H
#define SARRUS_MECHANISM_H

#include "sarrus/base.h"

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

#ifdef __cplusplus
}
#endif

#endif
