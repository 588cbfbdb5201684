/* Conditions on velocities: a(s, t) . ds/dt + b(s, t) = 0 with scalars s of the configuration.
 * Joint types bring their own laws (elements/rolling.c); here are those of expressions. */
#ifndef SARI_VELOCITY_LAW_H
#define SARI_VELOCITY_LAW_H

#include "expression/expression.h"

/// What a variable of an expression is: a position, a rate or a spin, of which scalars.
typedef struct sari_velocity_variable {
    int variable; ///< of the model's expressions
    int level;    ///< 0, 1; SARI_VELOCITY_SPIN
    int at;       ///< scalar; the first of nine, R by rows, of a spin
    int component;
} sari_velocity_variable;

enum { SARI_VELOCITY_SPIN = 2 };

typedef struct sari_velocity_row sari_velocity_row;

/// Values of a row at s, and with ds = ds/dt those along the motion.
typedef struct sari_velocity_value {
    double b;
    double* a;      ///< per scalar
    double by_t;    ///< d(a . ds + b)/dt with s and ds held
    double* by_s;   ///< d(a . ds + b)/ds, per scalar
    double* a_rate; ///< da/dt
} sari_velocity_value;

/// Fills `out`, which is zero, for a row that does not depend on time. ds may be NULL: then a
/// alone.
typedef void (*sari_velocity_function)(const sari_velocity_row* row, const double* s,
                                       const double* ds, sari_velocity_value* out);

struct sari_velocity_row {
    sari_velocity_function law; ///< NULL: an expression of the model
    int joint;
    int scalars;
    int* scalar; ///< of the mechanism
    int along;   ///< for laws: the direction, 0 or 1
    double radius;
    double coefficient[2];            ///< for laws
    const sari_expression* value;     ///< the expression
    sari_velocity_variable* variable; ///< of it: those used, t left out
    int variables;
};

/// Constant coefficients.
void sari_velocity_linear(const sari_velocity_row* row, const double* s, const double* ds,
                          sari_velocity_value* out);

/// Spin of a body from its orientation R, by rows from scalar `first` on:
///     W_i = sum_c R_jc dR_kc/dt     (i, j, k) cyclic
double sari_velocity_spin(int first, int i, const double* s, const double* ds);
/// The row gets `factor` times W_i; `rate` is how fast the factor changes.
void sari_velocity_add_spin(int first, int i, double factor, double rate, const double* s,
                            const double* ds, sari_velocity_value* out);

/// `variables` and `direction` are room for the variables of the model's expressions. ds may be
/// NULL: then b and a alone.
void sari_velocity_law(const sari_velocity_row* row, double t, const double* s, const double* ds,
                       double* variables, double* direction, sari_velocity_value* out);

#endif
