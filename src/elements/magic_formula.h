/* Forces and moments of a rolling tyre as functions of its slip: the Magic Formula in the form of
 * PAC2002 [pacejka2012]. */
#ifndef SARI_MAGIC_FORMULA_H
#define SARI_MAGIC_FORMULA_H

#include "sarrus/magic_formula.h"

/// Where it is evaluated: normal force, longitudinal slip, slip angle, camber, forward speed.
enum {
    SARI_MAGIC_LOAD,
    SARI_MAGIC_KAPPA,
    SARI_MAGIC_ALPHA,
    SARI_MAGIC_GAMMA,
    SARI_MAGIC_SPEED,
    SARI_MAGIC_VARIABLES
};

/// What it says: forces along and across the wheel, moments about these axes and the normal, slip
/// stiffnesses dF/dkappa and dF/dalpha, and relaxation lengths.
enum {
    SARI_MAGIC_FX,
    SARI_MAGIC_FY,
    SARI_MAGIC_MX,
    SARI_MAGIC_MY,
    SARI_MAGIC_MZ,
    SARI_MAGIC_KX,
    SARI_MAGIC_KY,
    SARI_MAGIC_SIGMA_KAPPA,
    SARI_MAGIC_SIGMA_ALPHA,
    SARI_MAGIC_VALUES
};

typedef struct sari_magic_action {
    double value[SARI_MAGIC_VALUES];
    double by[SARI_MAGIC_VALUES][SARI_MAGIC_VARIABLES]; ///< derivatives, exact
} sari_magic_action;

/// `at` in the order above, the load positive. All coefficients are given.
void sari_magic_formula(const double coefficient[SAR_MAGIC_COUNT],
                        const double at[SARI_MAGIC_VARIABLES], sari_magic_action* out);

#endif
