/// @file fit.h
/// Numbers of a model that fit measurements, and numbers that make a design best: least squares and minima (optimisation.h)
/// over runs of a model, or over motions that its drives prescribe.
///
///     sar_free free[] = {{"k", 1e3, 1e5, NAN}, {"c", 0.0, INFINITY, NAN}};
///     sar_study study = sar_study_default();
///     study.source = source, study.options = &options, study.free = free, study.free_count = 2;
///     sar_fit_create(&study, &(sar_fit_def){.data = measured}, &fit, &error);
///     sar_fit_run(fit, &error);
#ifndef SARRUS_FIT_H
#define SARRUS_FIT_H

#include "sarrus/load.h"
#include "sarrus/optimisation.h"
#include "sarrus/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A number of the model file that may change: a parameter, a start condition by its signal ("J1.angle"), or any other by its
/// place ("bodies.rod.mass"), see sar_source_numbers.
typedef struct sar_free {
    const char* name;
    double lower, upper; ///< infinite: no bound
    double start;        ///< NaN: as in the model
} sar_free;

/// What is run, and what may change. All of it must outlive fits and designs.
typedef struct sar_study {
    sar_source* source;
    const sar_setting* settings;
    int settings_count;
    const sar_options* options; ///< of the runs; complete
    int driven;                 ///< drives prescribe the motion: kinematics, nothing is integrated
    int differences;            ///< slopes by differences of whole runs
    const sar_free* free;
    int free_count;
    sar_optimisation_options search; ///< its `watch` sees the numbers and the objective
    /// Asked during runs (NULL: never): 1 ends the search, which keeps the best numbers.
    int (*stop)(void* context);
    void* context;
} sar_study;

SAR_API sar_study sar_study_default(void);

/* ---- fit ------------------------------------------------------------------------------------ */

/// A measured column: what it is, and its weight, 1/(standard deviation of its noise). NaN: 1 of a single column, else
/// 1/(standard deviation of its values).
typedef struct sar_fit_column {
    const char* name; ///< of the column of the data
    const char*
        expression; ///< of the model, as of an output; NULL: the name is one, or that of an output
    double weight;
} sar_fit_column;

typedef struct sar_fit_def {
    const sar_result* data; ///< values that are no numbers are left out
    const sar_fit_column* columns;
    int columns_count; ///< 0: all columns
    /// 1: the clock of the data has an offset, t of the model = t of the data + offset, that is found too; the last
    /// number, called "offset".
    int offset;
    double offset_lower, offset_upper, offset_start;
} sar_fit_def;

typedef struct sar_fit sar_fit;

SAR_API sar_status sar_fit_create(const sar_study* study, const sar_fit_def* def, sar_fit** out,
                                  sar_error* error);
SAR_API void sar_fit_destroy(sar_fit* fit);
/// Search from the start. SAR_OK, whatever the verdict; > 0: the run at the start fails, and why.
SAR_API sar_status sar_fit_run(sar_fit* fit, sar_error* error);

typedef struct sar_fit_summary {
    sar_optimum search;
    sar_covariance covariance;
    int residuals;
    long runs;
    const char* refused; ///< why slopes of a number are differences of runs; NULL: of none they are
} sar_fit_summary;
SAR_API sar_fit_summary sar_fit_summarise(const sar_fit* fit);

/// A number that was found.
typedef struct sar_fit_number {
    const char* name;
    double start, value, lower, upper;
    double deviation; ///< standard deviation; NaN: at a bound, or the data do not tell it
    int at_bound;
} sar_fit_number;
SAR_API int sar_fit_numbers(const sar_fit* fit);
SAR_API sar_fit_number sar_fit_number_at(const sar_fit* fit, int k);
SAR_API double sar_fit_correlation(const sar_fit* fit, int i, int k);
/// Combination `which` (of sar_fit_summarise().covariance.unidentified) of all numbers, in units of their values, along
/// which no residual changes.
SAR_API const double* sar_fit_combination(const sar_fit* fit, int which);

/// A column: its times, what was measured, and what the model has there at the start and at the end.
typedef struct sar_fit_curve {
    const char *name, *expression;
    double weight, rms; ///< rms: of measured - found, in the unit of the column
    int count;
    const double *t, *measured, *before, *found; ///< t: of the data
} sar_fit_curve;
SAR_API int sar_fit_curves(const sar_fit* fit);
SAR_API sar_fit_curve sar_fit_curve_at(const sar_fit* fit, int k);

/* ---- design --------------------------------------------------------------------------------- */

/// What is wanted of a design. Texts are expressions of the model in which these stand for numbers of the whole run:
/// start(E), end(E), integral(E), mean(E), rms(E), max(E), min(E), the last two with one argument; E is the expression of
/// an output. They are taken from `samples` + 1 values at equal distances; integrals by Simpson's rule.
typedef struct sar_design_def {
    /// "rms(E)", which may be several: the root of the sum of their squares; "max(E)": over the run; or any other expression
    /// of the above, E alone being its value at the end.
    const char* const* minimise;
    int minimise_count;
    const char* const*
        limits; ///< "A <= B", "A >= B", "A = B": at all samples, unless it is of the above or of parameters
    int limits_count;
    int samples; ///< intervals; 0: 100. An odd number is one more
    int starts;  ///< searches, from the model and from numbers within the bounds; 0: 1
} sar_design_def;

typedef struct sar_design sar_design;

SAR_API sar_status sar_design_create(const sar_study* study, const sar_design_def* def,
                                     sar_design** out, sar_error* error);
SAR_API void sar_design_destroy(sar_design* design);
/// Search from all starts and keep the best. SAR_OK, whatever the verdict; > 0: the run fails at every start, and why.
SAR_API sar_status sar_design_run(sar_design* design, sar_error* error);

typedef struct sar_design_summary {
    sar_optimum search; ///< the best one
    double before,
        after; ///< objective at the start of the model (NaN: it has none there) and of the best
    int starts, best, failed; ///< searches, number of the best, those whose start has no run
    long runs;
    const char* refused; ///< as in sar_fit_summary
} sar_design_summary;
SAR_API sar_design_summary sar_design_summarise(const sar_design* design);
/// Objective where search k ended; NaN: it has none, or limits do not hold there.
SAR_API double sar_design_objective(const sar_design* design, int k);

SAR_API int sar_design_numbers(const sar_design* design);
SAR_API sar_fit_number sar_design_number_at(const sar_design* design,
                                            int k); ///< without a deviation

typedef struct sar_design_limit {
    const char* text;
    double before, after; ///< largest A - B (of "<="), negative: it holds
    int active;
} sar_design_limit;
SAR_API int sar_design_limits(const sar_design* design);
SAR_API sar_design_limit sar_design_limit_at(const sar_design* design, int k);

/// Values of an expression that is minimised or limited over the run, before and after.
typedef struct sar_design_curve {
    const char* expression;
    int count;
    const double *t, *before, *after;
} sar_design_curve;
SAR_API int sar_design_curves(const sar_design* design);
SAR_API sar_design_curve sar_design_curve_at(const sar_design* design, int k);

#ifdef __cplusplus
}
#endif
#endif
