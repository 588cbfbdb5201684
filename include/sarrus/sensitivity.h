/// @file sensitivity.h
/// What numbers of a model file do to results of a run: exact derivatives of the discretised motion, with the steps of the
/// run itself, through phases, impacts and singular configurations. A number without a derivative is refused by name.
///
///     sar_sensitivity_def def = sar_sensitivity_def_default();
///     def.source = source;                               // sar_source_open
///     def.parameter = (const char*[]){"bodies.rod.mass", "L"}, def.parameters = 2;
///     def.objective = (sar_objective[]){{"rod.x", SAR_OBJECTIVE_END}}, def.objectives = 1;
///     sar_sensitivity_create(&def, &s, &error);
///     sar_sensitivity_run(s, &error);                    // values
///     sar_sensitivity_jacobian(s, J, &error);            // rows x parameters
///     sar_sensitivity_gradient(s, weights, g, &error);   // weights' J
///
/// A row is a value of an objective: one for each objective, or one for each sample of it.
#ifndef SARRUS_SENSITIVITY_H
#define SARRUS_SENSITIVITY_H

#include "sarrus/load.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sar_objective_kind {
    SAR_OBJECTIVE_END,      ///< value at the end of the run
    SAR_OBJECTIVE_SAMPLES,  ///< values at the times of the samples
    SAR_OBJECTIVE_INTEGRAL, ///< over the time of the run
    SAR_OBJECTIVE_MEAN,
    SAR_OBJECTIVE_MAX,
    SAR_OBJECTIVE_MIN,
    SAR_OBJECTIVE_TIME, ///< [s] when the expression is zero for the first time after the start
} sar_objective_kind;

typedef struct sar_objective {
    const char* expression; ///< as that of an output; or the name of an output of the model
    sar_objective_kind kind;
} sar_objective;

typedef struct sar_sensitivity_def {
    sar_source* source; ///< must outlive the object; its numbers are changed and set back
    const sar_setting* settings;
    int settings_count;
    const sar_options* options; ///< of the run; NULL: those of the file
    const char* const*
        parameter;       ///< names of numbers, see sar_source_numbers; `L` is `parameters.L`
    const double* value; ///< of each; NULL, or NaN: as in the file
    int parameters;
    const sar_objective* objective;
    int objectives;
    const double* sample; ///< [s] times, ascending, for SAR_OBJECTIVE_SAMPLES
    int samples;
    int points; ///< 4: differences of four runs with the same steps (1e-9 and better); 2: of two (1e-7)
    double memory; ///< [bytes] for the steps of a run, with fixed steps; 0: 500 MB. Longer runs are repeated in parts
} sar_sensitivity_def;

typedef struct sar_sensitivity sar_sensitivity;

SAR_API sar_sensitivity_def sar_sensitivity_def_default(void);
/// Models and the simulation; nothing runs. SAR_E_ARG: no such parameter or expression, a method that is not
/// differentiated.
SAR_API sar_status sar_sensitivity_create(const sar_sensitivity_def* def, sar_sensitivity** out,
                                          sar_error* error);
SAR_API void sar_sensitivity_destroy(sar_sensitivity* s);

SAR_API int sar_sensitivity_rows(const sar_sensitivity* s);
SAR_API int sar_sensitivity_parameters(const sar_sensitivity* s);

typedef struct sar_sensitivity_row {
    int objective;
    double t; ///< [s] where its value is from: of a sample, an extreme, the end; NaN: none
    double value;
} sar_sensitivity_row;
typedef struct sar_sensitivity_parameter {
    const char* name; ///< whole: `parameters.L`
    double value;
    const char* refused; ///< why it has no derivative; NULL: it has one, or was not asked for yet
    /// Of one that separates motions that meet at a singular configuration: changes dp of all parameters with
    /// sum gap dp = 0 keep it. 0: it does not.
    double gap;
    double gap_time; ///< [s] of that configuration
} sar_sensitivity_parameter;

/// The run itself, with its steps; then rows have values. A failure of the run: its status, and why.
SAR_API sar_status sar_sensitivity_run(sar_sensitivity* s, sar_error* error);
SAR_API sar_status sar_sensitivity_get_row(const sar_sensitivity* s, int row,
                                           sar_sensitivity_row* out);
SAR_API sar_status sar_sensitivity_get_parameter(const sar_sensitivity* s, int parameter,
                                                 sar_sensitivity_parameter* out);

/// All derivatives, J[row * parameters + parameter]; NaN in columns of parameters that are refused. Runs first if that
/// was not done.
SAR_API sar_status sar_sensitivity_jacobian(sar_sensitivity* s, double* J, sar_error* error);
/// One column of it. SAR_E_MODEL: refused, and why.
SAR_API sar_status sar_sensitivity_column(sar_sensitivity* s, int parameter, double* column,
                                          sar_error* error);
/// Estimated errors of the derivatives of a column: of differences and rounding, not of the integrator. Known after the
/// column is.
SAR_API sar_status sar_sensitivity_column_error(const sar_sensitivity* s, int parameter,
                                                double* error_of);
/// J x for a direction x of all parameters, and weights' J: backwards in time where that can be done. The first refused parameter with x != 0 is an error; in the
/// second it is NaN.
SAR_API sar_status sar_sensitivity_along(sar_sensitivity* s, const double* direction, double* out,
                                         sar_error* error);
SAR_API sar_status sar_sensitivity_gradient(sar_sensitivity* s, const double* weight,
                                            double* gradient, sar_error* error);

#ifdef __cplusplus
}
#endif
#endif
