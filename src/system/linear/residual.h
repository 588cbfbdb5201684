/* The equations of motion as a residual, and how it changes:
 *
 *     F(t, q, v, a, lambda) = M a + Phi_q' lambda - Q
 *     rate = Phi_q v + Phi_t,   second = Phi_q a + bias                                        (1)
 *
 * The part of Q that is applied by forces of the model has exact slopes, K and C. All the rest, inertia, weight
 * and the rows, is smooth over the size of the bodies: differences of high order over a few hundredths of it
 * are exact to about 1e-14. Forces may be stiff or have kinks: they are never differenced. */
#ifndef SARI_RESIDUAL_H
#define SARI_RESIDUAL_H

#include "system/system.h"

typedef struct sari_residual {
    sari_system* sys;
    double t;
    const double *q, *v, *a, *lambda; ///< where it is
    double *F, *rate, *second;        ///< nq, nc, nc: slopes along the direction last asked for
    double *at, *velocity, *value;    ///< workspace: np, nq, nq + 2 nc
} sari_residual;

/// Room for it; the rest of its members is the caller's to set.
void sari_residual_take(sari_residual* r, sari_arena* memory, sari_system* sys);

/// K and C of applied forces alone, without weight, into the system, and Q of all.
sar_status sari_residual_tangent(sari_residual* r);

/// Weight and inertial forces at the evaluated state, of which forces were asked for too.
const double* sari_residual_own_forces(sari_system* s);

/// Weight and inertial forces at (q, v), and M if it is wanted: no rows, and no applied forces.
const double* sari_residual_inertia(sari_system* s, const double* q, const double* v, int mass);

/// (1) without applied forces at q moved by e dq, v + e dv; dq and dv may be NULL.
sar_status sari_residual_smooth(sari_residual* r, double e, const double* dq, const double* dv);

/// Slopes of (1) along a change of q. K and C are those of sari_residual_tangent; `unit`: size of the bodies.
sar_status sari_residual_along_position(sari_residual* r, const double* dq, double unit);
/// The same along a change of v, of which it is a quadratic function; `pace`: of motions.
sar_status sari_residual_along_velocity(sari_residual* r, const double* dv, double pace);

#endif
