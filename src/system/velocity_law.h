/* Conditions on velocities: a(s, t) . ds/dt + b(s, t) = 0 with scalars s of the configuration.
 *
 * Rolling, with a body's point c and its orientation R in the frame of the plane (directions t1, t2
 * in it, normal n), W its spin there and r from the point to the contact:
 *
 *     dc/dt + W x r = 0     along t1 and t2                                               (1)
 *
 *     ball  r = -rho n
 *     disc  r = -rho (n - (n.e) e)/sigma,  sigma = sqrt(1 - (n.e)^2),  e its axis         (2)
 *
 *     W_i = sum_c R_jc dR_kc/dt     (i, j, k) cyclic                                      (3)
 *
 * that is, with c = (c_1, c_2, c_3) and e = (R_13, R_23, R_33)
 *
 *     dc_1/dt - rho sigma W_2 - rho (e_3 e_2/sigma) W_3 = 0
 *     dc_2/dt + rho sigma W_1 + rho (e_3 e_1/sigma) W_3 = 0          ball: sigma = 1, e = 0
 *
 * Gliding along u, fixed in the body: u_1 dc_2/dt - u_2 dc_1/dt = 0. All measured in the frame of
 * the plane, so that it may move. */
#ifndef SARI_VELOCITY_LAW_H
#define SARI_VELOCITY_LAW_H

#include "model/expression.h"

typedef enum sari_velocity_kind {
    SARI_VELOCITY_LINEAR,     ///< constant coefficients
    SARI_VELOCITY_ROLL,       ///< scalars: c_1 or c_2, then R by rows
    SARI_VELOCITY_GLIDE,      ///< scalars: c_1, c_2, u_1, u_2
    SARI_VELOCITY_EXPRESSION, ///< an expression of the model
} sari_velocity_kind;

/// What a variable of an expression is: a position, a rate or a spin, of which scalars.
typedef struct sari_velocity_variable {
    int variable; ///< of the model's expressions
    int level;    ///< 0, 1; SARI_VELOCITY_SPIN
    int at;       ///< scalar; the first of nine, R by rows, of a spin
    int component;
} sari_velocity_variable;

enum { SARI_VELOCITY_SPIN = 2 };

typedef struct sari_velocity_row {
    sari_velocity_kind kind;
    int joint;
    int scalars;
    int* scalar; ///< of the mechanism
    int along;   ///< ROLL: 0 or 1, the direction
    int disc;    ///< ROLL: (2), else a ball
    double radius;
    double coefficient[2];            ///< LINEAR
    const sari_expression* value;     ///< EXPRESSION
    sari_velocity_variable* variable; ///< EXPRESSION: those used, t left out
    int variables;
} sari_velocity_row;

/// Values of a row at s, and with ds = ds/dt those along the motion.
typedef struct sari_velocity_value {
    double b;
    double* a;      ///< per scalar
    double by_t;    ///< d(a . ds + b)/dt with s and ds held
    double* by_s;   ///< d(a . ds + b)/ds, per scalar
    double* a_rate; ///< da/dt
} sari_velocity_value;

/// `variables` and `direction` are room for the variables of the model's expressions. ds may be
/// NULL: then b and a alone.
void sari_velocity_law(const sari_velocity_row* row, double t, const double* s, const double* ds,
                       double* variables, double* direction, sari_velocity_value* out);

#endif
