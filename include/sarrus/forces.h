/// @file forces.h
/// The forces of a model, one definition for each type. For units and definitions see model.h, which
/// includes this header.
#ifndef SARRUS_FORCES_H
#define SARRUS_FORCES_H

#include "sarrus/magic_formula.h"
#include "sarrus/mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    int by_reaction;    ///< 1: the normal force is the norm of the joint's reaction force
    double radius;      ///< of the bearing [m], > 0: angles only
    double viscous;     ///< [N s/m] or [N m s/rad], >= 0
    double speed;       ///< [m/s] or [rad/s], > 0: below it Coulomb's friction goes to zero
} sar_friction_def;

SAR_API sar_friction_def sar_friction_def_default(void);
SAR_API sar_status sar_model_add_friction(sar_model* model, const sar_friction_def* def,
                                          sar_error* error);

#ifdef __cplusplus
}
#endif

#endif
