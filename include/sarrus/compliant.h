/// @file compliant.h
/// Elastic parts between bodies and shafts: bushings for large rotations, cables, shafts, belts and
/// clutches; rotors that turn and nothing else.
#ifndef SARRUS_COMPLIANT_H
#define SARRUS_COMPLIANT_H

#include "sarrus/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The frame in which a bushing sees the displacement of its ends.
typedef enum sar_bushing_frame {
    SAR_FRAME_A,     ///< that of end a
    SAR_FRAME_B,     ///< that of end b
    SAR_FRAME_MIDDLE ///< halfway between the two: the bushing is the same from both sides
} sar_bushing_frame;

/// A bushing for large rotations. With the displacement u of b's point from a's point, seen in
/// `frame`, and the rotation vector r of b's frame from a's (the axis of the rotation times its
/// angle, below half a revolution; in the plane the angle, of any size), e = (u, r):
///   V = e' K e/2,   f = K e + C de/dt + laws(e_k, de_k/dt, t)
/// and f does the work -f . de. So the elastic part has the potential V however far the ends turn.
typedef struct sar_large_bushing_def {
    const char* name;
    sar_end a, b; ///< frames: x is the axis, y the normal, z their product
    double K[36]; ///< row-major, symmetric
    double C[36]; ///< row-major
    int frame;    ///< sar_bushing_frame; default MIDDLE
    const char*
        force[3]; ///< laws: expressions of x (displacement along the axis), v (its rate), t,
                  ///< parameters and tables; positive: pulls back [N]. NULL: none
    const char* torque[3]; ///< the same of the rotation vector [N m]; planar: torque[2]
} sar_large_bushing_def;

SAR_API sar_large_bushing_def sar_large_bushing_def_default(void);
SAR_API sar_status sar_model_add_large_bushing(sar_model* model, const sar_large_bushing_def* def,
                                               sar_error* error);

/// Between coordinates s_0 and s_1 of two joints, as by a shaft, a coupling, a belt or a clutch. With
///   x = factor[0] s_0 - factor[1] s_1 - free,   v = dx/dt
/// it transmits f: -factor[0] f acts on s_0, and factor[1] f on s_1.
///   f = stiffness x* + damping v* + law(x, v, t) + capacity(t) tanh(v/speed)
/// Within the play x* and v* are zero; beyond it x* is what x exceeds it by.
/// With a tension it is a belt of two strands that only pull: each carries
///   T = max(0, tension +- (stiffness x + damping v)),   f = T_+ - T_-
typedef struct sar_shaft_def {
    const char* name;
    sar_joint_id joint[2];
    sar_coordinate coordinate[2];
    double factor[2];          ///< not 0
    double stiffness, damping; ///< of a belt: of one strand; >= 0
    double free;               ///< x is counted from here
    double play;               ///< x* = 0 for |x| < play/2; >= 0
    double tension;            ///< of each strand of a belt that stands [N]; 0: no belt
    const char* law;           ///< expression of x, v, t, parameters, tables; NULL: none
    const char* capacity;      ///< of a clutch: likewise; NULL: none
    double speed; ///< of the slip below which a clutch transmits less; > 0 with capacity
} sar_shaft_def;

SAR_API sar_shaft_def sar_shaft_def_default(void); ///< factors 1
SAR_API sar_status sar_model_add_shaft(sar_model* model, const sar_shaft_def* def,
                                       sar_error* error);

enum { SAR_CABLE_POINTS = 8 };

/// An elastic cable that slides over points of bodies without friction. It only pulls. With the sum l
/// of the distances from point to point,
///   f = stiffness (l - free) max(0, 1 + damping dl/dt) where l > free, else 0        [hunt1975]
typedef struct sar_cable_def {
    const char* name;
    sar_end over[SAR_CABLE_POINTS]; ///< directions do not count
    int points;                     ///< 2 ... SAR_CABLE_POINTS
    double free;                    ///< its length where it is slack [m], > 0
    double stiffness;               ///< of the whole cable, E A/free [N/m], > 0
    double damping;                 ///< [s/m], >= 0
} sar_cable_def;

SAR_API sar_cable_def sar_cable_def_default(void);
SAR_API sar_status sar_model_add_cable(sar_model* model, const sar_cable_def* def,
                                       sar_error* error);

/// A rotor: an inertia that turns about one axis. It is the second body of a revolute joint of its
/// name, so that motors, shafts, springs, friction, gears, drives and outputs use its `angle`; the
/// body is called NAME_rotor.
///   - Without a carrier it turns relative to the ground, wherever the joint that it drives is: its
///     energy is inertia rate^2/2, and there is no gyroscopic torque.
///   - With a carrier it turns about an axis of this body. Then its whole motion counts, that of the
///     carrier included: there is a gyroscopic torque, and the torque that speeds it up acts back on
///     the carrier. It is a thin disc without mass: give its mass to the carrier.
/// With `drives` a gear holds its angle to `ratio` times that joint's coordinate, both counted from
/// the start: the inertia counts at the joint as ratio^2 inertia. The gear is called NAME_gear.
typedef struct sar_rotor_def {
    const char* name;
    double inertia;            ///< about its axis [kg m^2], > 0
    sar_body_id carrier;       ///< ground (default): none
    double point[3], axis[3];  ///< of the carrier; axis default z. Planar: the axis is z
    sar_joint_id drives;       ///< i = -1 (default): none
    sar_coordinate coordinate; ///< of that joint
    double ratio;              ///< not 0; [rad/m] of a displacement
} sar_rotor_def;

SAR_API sar_rotor_def sar_rotor_def_default(void);
/// `out` receives the joint.
SAR_API sar_status sar_model_add_rotor(sar_model* model, const sar_rotor_def* def,
                                       sar_joint_id* out, sar_error* error);

#ifdef __cplusplus
}
#endif
#endif
