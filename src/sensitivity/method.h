/* How a run is differentiated: a table of functions for each kind of method. */
#ifndef SARI_SENSITIVITY_METHOD_H
#define SARI_SENSITIVITY_METHOD_H

#include "sensitivity/sensitivity.h"

struct sari_sensitivity_method {
    const char* name;
    /// Why it is not for this simulation; NULL: it is.
    const char* (*refuses)(const sar_simulation* nominal);
    /// Options of the run that it needs to be others: were they? Then the simulation is made anew. May be NULL.
    int (*prepare)(sar_options* options);
    /// The nominal run, from its start: values of the rows, and what the method keeps of it.
    sar_status (*forward)(sar_sensitivity* s, sar_error* error);
    /// Derivatives of all rows by parameter k, and their errors. SAR_E_MODEL: it has none, and `error` says why.
    sar_status (*direct)(sar_sensitivity* s, int k, double* column, double* error_of,
                         sar_error* error);
    /// Gradient of weight' rows by all parameters; NaN: refused. NULL: by the columns, as where it returns SAR_E_INCOMPAT or
    /// SAR_R_..., or has no accuracy.
    sar_status (*backward)(sar_sensitivity* s, const double* weight, double* gradient,
                           sar_error* error);
    /// After the run: has it twins with larger and with smaller values of parameter k? It keeps them. May be NULL.
    int (*has_both)(sar_sensitivity* s, int k);
    int twins_run;                     ///< or are they assembled, and asked?
    double accuracy;                   ///< of gradients, relatively
    void (*clear)(sar_sensitivity* s); ///< may be NULL
};

/// Runs that follow the steps of the nominal one: for integrators that obey (`auto`).
extern const sari_sensitivity_method sari_sensitivity_replay;
/// Steps as maps: for al3 with the trapezoidal rule.
extern const sari_sensitivity_method sari_sensitivity_al3;
/// All of them, NULL-terminated, in the order in which they are asked.
extern const sari_sensitivity_method* const sari_sensitivity_methods[];

#endif
