/* Linear equations of motion at a state: how small changes of it go on. See linear.c. */
#ifndef SARI_LINEAR_H
#define SARI_LINEAR_H

#include "system/linear/residual.h"
#include "system/linear/row_space.h"

typedef struct sari_linear {
    sari_arena memory;
    sari_system* sys;
    sari_residual residual;
    sari_row_space on_positions, on_velocities; ///< T of (2) and of (3)
    double unit;                                ///< size of the bodies
    double t, *q, *v, *a, *lambda;              ///< the state
    double pace;                                ///< [1/s] of its motion and of what is small
    int at_rest;                                ///< v = 0
    double
        unbalanced; ///< largest acceleration of the motions that are admissible, in sizes and radians
    int positions, velocities, states;  ///< d_q, d_v and their sum
    double *dq, *dv;                    ///< per state: its change, nq numbers each
    double *rate, *da;                  ///< and how fast that changes
    double* A;                          ///< states x states, by rows: in the basis of dq and dv
    double *Jb, *work, *more, *bracket; ///< workspace
} sari_linear;

/// `unit`: size of the bodies. SAR_E_ARG: more coordinates than full matrices are for.
sar_status sari_linear_create(sari_system* sys, double unit, sari_linear** out);
void sari_linear_destroy(sari_linear* l);

/// At a state whose positions and velocities satisfy the constraints: everything but A. SAR_R_SINGULAR: some
/// admissible motion has no mass, and is the last of on_velocities.T; SAR_R_NOT_FINITE: something has no value.
sar_status sari_linear_find(sari_linear* l, double t, const double* q, const double* v);
/// One change more, at index `states`, which something outside makes: Phi_u of rows on positions, and slopes of F, rate
/// and second (residual.h) along it, nq + 2 nc numbers, which are overwritten. After sari_residual_tangent.
/// SAR_E_INCOMPAT: constraints do not admit it.
sar_status sari_linear_add_change(sari_linear* l, const double* Phi_u, double* slope);
/// A as if the basis were constant: exact at rest.
void sari_linear_reduce(sari_linear* l);
/// Accelerations and multipliers at the state, into `a` and `lambda`.
sar_status sari_linear_accelerate(sari_linear* l, double t, const double* q, const double* v);
/// w x d where positions are no vectors: how a change d is carried by velocities w. Else zero.
void sari_linear_bracket(sari_linear* l, const double* w, const double* d, double* out);

enum { SARI_LINEAR_MOST = 1500 }; ///< coordinates

#endif
