/// @file optimisation.h
/// Least squares and minima within bounds and limits, of functions that the caller evaluates. No mechanics: fits and
/// designs of models (fit.h) use it, and any other function may.
///
///     minimise f(p), or 1/2 |r(p)|^2,   lower <= p <= upper,   c(p) <= 0,   e(p) = 0
///
///     sar_optimisation problem = {.variables = 2, .residuals = 10, .evaluate = curve, .context = &data};
///     double p[2] = {1.0, 0.0};
///     sar_optimum found;
///     sar_optimise(&problem, NULL, p, &found, NULL);
#ifndef SARRUS_OPTIMISATION_H
#define SARRUS_OPTIMISATION_H

#include "sarrus/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sar_optimisation {
    int variables;
    const double *lower, *upper; ///< NULL, or infinite: none
    const double* scale;         ///< sizes of the variables, > 0; NULL: |p| at the start, or 1
    int residuals; ///< > 0: the objective is half the sum of the squares of that number of values; 0: one value
    int limits;     ///< number of values c <= 0
    int equalities; ///< number of values e = 0
    /// Values in this order: residuals (or the objective), limits, equalities. `jacobian` (by rows, values x variables)
    /// may be NULL: it is not wanted. SAR_OK; > 0: there are none at p, a shorter step is tried; < 0: stop.
    sar_status (*evaluate)(void* context, const double* p, double* values, double* jacobian);
    void* context;
} sar_optimisation;

typedef struct sar_optimisation_options {
    int iterations;   ///< at most; 0: 2000
    double tolerance; ///< of slopes and limits, in units of the problem; 0: 1e-8
    /// "auto" (NULL): Levenberg-Marquardt for squares; else SLSQP of NLopt where that is installed, for problems with
    /// limits. "own": never another library. "nlopt": SLSQP, or SAR_E_BUILD.
    const char* solver;
    /// Called after every accepted step (NULL: never); 0 stops the search, which keeps p.
    int (*watch)(void* context, int iteration, double objective, double violation, const double* p);
    void* context; ///< of `watch`
} sar_optimisation_options;

typedef enum sar_optimum_verdict {
    SAR_OPTIMUM_FOUND,       ///< slopes are zero within the tolerance
    SAR_OPTIMUM_NO_PROGRESS, ///< no step decreases the objective any more: rounding, or values with noise
    SAR_OPTIMUM_ITERATIONS, ///< the number of iterations ended it
    SAR_OPTIMUM_STOPPED,    ///< by `watch`
    SAR_OPTIMUM_INFEASIBLE, ///< no place was found where limits and equalities hold
    SAR_OPTIMUM_CONSTANT,   ///< the objective does not change with any variable
    SAR_OPTIMUM_UNBOUNDED   ///< of fits and designs: a number grew beyond all measure
} sar_optimum_verdict;

typedef struct sar_optimum {
    sar_optimum_verdict verdict;
    double objective; ///< half the sum of squares, or f
    double violation; ///< largest max(0, c), |e|
    double slope;     ///< largest component of the projected gradient, in units of `scale`
    int iterations, evaluations, jacobians;
    const char* solver; ///< "levenberg-marquardt", "bfgs", "augmented-lagrangian", "slsqp (nlopt)"
} sar_optimum;

SAR_API const char* sar_optimum_text(sar_optimum_verdict verdict);

/// From p to the nearest minimum. `multipliers` (limits, then equalities; may be NULL) are those of the Lagrangian: how
/// much the objective falls when a limit is relaxed by one. SAR_OK, whatever the verdict; > 0: no value at the start;
/// SAR_E_ARG, SAR_E_NOMEM, SAR_E_BUILD, or what `evaluate` stopped with.
SAR_API sar_status sar_optimise(const sar_optimisation* problem,
                                const sar_optimisation_options* options, double* p,
                                sar_optimum* out, double* multipliers);

/// Is the solver SLSQP of NLopt there?
SAR_API int sar_optimisation_has_nlopt(void);

/// What residuals say about variables: J = dr/dp at the minimum.
typedef struct sar_covariance {
    double variance;  ///< of a residual: |r|^2/(residuals - free variables)
    int unidentified; ///< combinations of variables that residuals do not depend on
    double condition; ///< largest by smallest singular value, of columns of length 1
} sar_covariance;

/// Standard deviations of `variables` numbers, and their correlations (variables x variables; may be NULL). `fixed[k]` (may
/// be NULL): variable k is at a bound, and has none (NaN), as have those in `combinations` (variables x variables, may be
/// NULL): each row is a combination of variables, in units of `scale`, that residuals cannot tell.
SAR_API sar_status sar_covariance_find(int residuals, int variables, const double* jacobian,
                                       const double* r, const double* scale, const int* fixed,
                                       sar_covariance* out, double* deviations,
                                       double* correlations, double* combinations);

#ifdef __cplusplus
}
#endif
#endif
