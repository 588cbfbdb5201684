/// @file motion.h
/// Motions that drives prescribe: positions, velocities and accelerations at any time without
/// integrating anything (kinematics), and the forces that they need (inverse dynamics).
///
///     sar_motion* m;
///     sar_motion_create(model, &options, &m, NULL);
///     sar_motion_assemble(m, NULL);
///     for (double t = 0; sar_motion_go(m, t) == SAR_OK && t < 2; t += 0.01) {
///         double torque;
///         sar_motion_drive_force(m, motor, &torque);
///     }
///     sar_motion_destroy(m);
///
/// Joints and drives together have to leave no degree of freedom; redundant conditions are welcome.
#ifndef SARRUS_MOTION_H
#define SARRUS_MOTION_H

#include "sarrus/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sar_motion sar_motion;

/// Of `options` count `coordinates`, `solver`, and `start`, `end` and `step` for
/// sar_motion_advance. `model` must outlive the motion and not change.
SAR_API sar_status sar_motion_create(const sar_model* model, const sar_options* options,
                                     sar_motion** out, sar_error* error);
SAR_API void sar_motion_destroy(sar_motion* m);

/// Find the start, as sar_simulation_assemble does, with its velocities, accelerations and forces.
/// SAR_OK. SAR_E_ASSEMBLY, with the verdict in `report` (may be NULL). SAR_E_MODEL: the drives do
/// not determine the motion, see sar_motion_determinacy. SAR_R_SINGULAR: they do elsewhere, but the
/// start is a singular configuration.
SAR_API sar_status sar_motion_assemble(sar_motion* m, sar_assembly* report);

/// Go to the time t, forwards or backwards, by as many steps as it takes to follow the motion. On
/// failure the motion is at the last time that was reached: SAR_R_SINGULAR: at t velocities and
/// forces have no (finite) values; a later time may. SAR_R_NO_CONV: the mechanism cannot follow its
/// drives. SAR_R_NOT_FINITE: an expression has no value.
SAR_API sar_status sar_motion_go(sar_motion* m, double t);
/// The next of the times start + k step; the last one lands on the end.
SAR_API sar_status sar_motion_advance(sar_motion* m);
SAR_API int sar_motion_done(const sar_motion* m); ///< has it advanced to the end?
SAR_API double sar_motion_time(const sar_motion* m);

/// What happened when one of the above failed, in words.
SAR_API const char* sar_motion_failure(const sar_motion* m);

/// Do the drives say where everything is? At the present position, or where the last call failed.
typedef struct sar_determinacy {
    sar_rank rank;
    int undriven;     ///< degrees of freedom that no drive prescribes; 0: none. In large systems
                      ///< not counted beyond 64
    int singular;     ///< the motion is determined, but not in this position
    char joints[256]; ///< that move in these degrees of freedom, separated by ", "
    char bodies[256]; ///< likewise
    double weight;    ///< of the weakest direction of the constraints, relative to the strongest:
                      ///< 0 in singular configurations
} sar_determinacy;
SAR_API sar_determinacy sar_motion_determinacy(const sar_motion* m);

/* ---- observation ---------------------------------------------------------------------------- */

/// As the functions of the same names of a simulation.
SAR_API sar_status sar_motion_outputs(sar_motion* m, double* values);
SAR_API void sar_motion_pose(const sar_motion* m, sar_body_id body, double position[3],
                             double quaternion[4]);
SAR_API void sar_motion_velocity(const sar_motion* m, sar_body_id body, double velocity[3],
                                 double angular[3]);
SAR_API sar_status sar_motion_reaction(sar_motion* m, sar_joint_id joint, double force[3],
                                       double torque[3]);
/// Force or torque that a drive needs: positive where it pushes its coordinate up, so that force
/// times rate is its power. Where drives share a load and its division is not unique: the smallest
/// forces. SAR_E_ARG: `joint` is not a drive.
SAR_API sar_status sar_motion_drive_force(sar_motion* m, sar_joint_id joint, double* force);
/// Force times rate of a drive [W].
SAR_API sar_status sar_motion_drive_power(sar_motion* m, sar_joint_id joint, double* power);
/// `work` is what drives and all else without a potential did since the start.
SAR_API sar_energy sar_motion_energy(const sar_motion* m);
SAR_API sar_violation sar_motion_violation(const sar_motion* m);
SAR_API long sar_motion_iterations(const sar_motion* m); ///< Newton corrections since the start

/* ---- coordinates ---------------------------------------------------------------------------- */

/// The motion in the chosen coordinates. The arrays belong to the motion.
typedef struct sar_motion_state {
    int positions;   ///< numbers in q
    int coordinates; ///< and in v and a: the same unless positions are no vectors
    int constraints; ///< numbers in lambda
    const double *q, *v, *a;
    const double* lambda; ///< M a + Phi_q' lambda = Q; where it is not unique, the smallest,
                          ///< weighted by the accelerations that they cause
} sar_motion_state;
SAR_API sar_motion_state sar_motion_coordinates(const sar_motion* m);

/// Generalised forces tau = M(q) a - Q(t, q, v) of any motion of the coordinates: what has to act
/// besides gravity, springs and loads, joints and drives included. All three need not satisfy any
/// constraint. The motion itself stays where it is. SAR_R_NOT_FINITE: some force has no finite
/// value there, and so has tau.
SAR_API sar_status sar_motion_forces(sar_motion* m, double t, const double* q, const double* v,
                                     const double* a, double* tau);

#ifdef __cplusplus
}
#endif
#endif
