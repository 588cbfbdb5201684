/* Forces on one scalar by an expression of x, its value, v, its rate, and signals. */
#ifndef SARI_BY_EXPRESSION_H
#define SARI_BY_EXPRESSION_H

#include "elements/force.h"
#include "model/model.h"

/// The value of the force's expression; `sense` (1 or -1) times its derivatives is added to those of the
/// action. x and v have been set. Nobody asks for the derivative by the time.
static inline double sari_add_slopes(const sari_force* force, const double* variables, double sense,
                                     sari_force_action* out)
{
    double gradient[SARI_FORCE_VARIABLES], *by_signal = out->by_signal;
    const int* used;
    const int n = sari_expression_variables(force->expression[0], &used);
    if (n == 0 || (n == 1 && used[0] == SARI_VARIABLE_T))
        return sari_expression_value(force->expression[0], variables);
    const double value = sari_expression_gradient(force->expression[0], variables, gradient);
    for (int i = 0; i < n; i++) {
        if (used[i] == SARI_VARIABLE_X) out->by_value[0][0] += sense * gradient[i];
        if (used[i] == SARI_VARIABLE_V) out->by_rate[0][0] += sense * gradient[i];
        if (used[i] >= SARI_VARIABLE_SIGNAL) *by_signal++ = sense * gradient[i];
    }
    return value;
}

#endif
