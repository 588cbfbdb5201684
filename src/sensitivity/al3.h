/* Derivatives of runs with al3 and the trapezoidal rule in fixed steps: of every step as a map (al3_step.h), along the run
 * for a parameter (direct), or back from the rows for all of them (the discrete adjoint). What parameters do to a step's
 * equations is told by twins, whose equations are asked at the states of the nominal run. */
#ifndef SARI_SENSITIVITY_AL3_METHOD_H
#define SARI_SENSITIVITY_AL3_METHOD_H

#include "sensitivity/al3_step.h"
#include "sensitivity/al3_tape.h"
#include "sensitivity/method.h"

/// A row is a sum of values g of its output at entries of the tape: two, or an integral over all.
typedef struct sari_al3_row {
    int output;
    int over;      ///< an integral, by the trapezoidal rule
    double factor; ///< of it
    int entry[2];  ///< else
    double weight[2];
    int places; ///< g depends on positions alone
} sari_al3_row;

typedef struct sari_al3_gradient {
    sari_arena memory;
    sari_al3_tape tape;
    sari_step_map map;
    sari_al3_row* row;
    sari_twin
        own; ///< of the nominal model: whose equations and outputs are asked, as the run has its own
    sari_twin* twin;            ///< two for each parameter; no simulation: not made yet
    double* change;             ///< per parameter
    int counts;                 ///< some angle counts revolutions
    sari_step_terms more, less; ///< of twins
    sari_state beside;          ///< where outputs are asked
    double *x, *l, *g, *dx;     ///< 3 nq each
    double* outputs;
} sari_al3_gradient;

/* al3_rows.c */
/// After the run: at which entries rows have their values.
sar_status sari_al3_rows_place(sar_sensitivity* s, sari_al3_gradient* m);
/// Weight of the output of row r at an entry; 0: none.
double sari_al3_row_weight(const sari_al3_gradient* m, int r, int entry);
/// Derivative of g of row r at the entry along dx = (dq, dv, da), with parameter k too; -1: with none.
sar_status sari_al3_row_along(sari_al3_gradient* m, int r, int entry, const double* dx, int k,
                              double* slope);
/// l += weight times the gradient of g by (q, v, a).
sar_status sari_al3_row_back(sari_al3_gradient* m, int r, int entry, double weight, double* l);

/* al3_passes.c */
/// Derivatives of all rows by parameter k, whose twins are there.
sar_status sari_al3_along(sar_sensitivity* s, sari_al3_gradient* m, int k, double* column,
                          sar_error* error);
/// Gradient of weight' rows by all parameters; NaN: of those without twins, and of those that are refused here.
sar_status sari_al3_back(sar_sensitivity* s, sari_al3_gradient* m, const double* weight,
                         double* gradient, sar_error* error);

#endif
