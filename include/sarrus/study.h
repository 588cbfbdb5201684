/// @file study.h
/// Many runs: a trial is one run and what it is judged by.
#ifndef SARRUS_STUDY_H
#define SARRUS_STUDY_H

#include "sarrus/result.h"
#include "sarrus/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sar_trial_def {
    const sar_model* model;
    sar_options options;              ///< `sample` is the interval of the history
    const sar_result* reference;      ///< NULL: no error is measured
    const sar_comparison_def* metric; ///< NULL: all columns that both have, at the reference's rows
    double most_seconds;              ///< stop when the steps took longer (CPU time); 0: never
} sar_trial_def;

typedef struct sar_trial {
    sar_status status; ///< SAR_OK: completed
    char failure[512]; ///< why not, in words
    double reached;    ///< [s]
    sar_statistics statistics;
    sar_rank rank;
    int singular_passes, branch_changes;
    double error;     ///< eps_T [ruggiu2023, (2)]; NaN without a reference or when not completed
    double max_error; ///< largest difference
    double seconds;   ///< CPU time of the steps
    double step_us;   ///< seconds per accepted step, in microseconds
} sar_trial;

/// Run a model with a method and measure it. A run that fails is a result: SAR_OK is returned, the
/// trial says how it failed. Others are errors of the definition. `history` (may be NULL) receives
/// the outputs over time as far as they were computed, on the grid of options.sample (0: every
/// step); destroy it with sar_result_destroy.
SAR_API sar_status sar_trial_run(const sar_trial_def* def, sar_trial* out, sar_result** history,
                                 sar_error* error);

/* ---- grids: the points of a sweep --------------------------------------------------------- */

/// A number as people write it on a command line: also "1e8.5", which is 10^8.5. 1, or 0 when the
/// text is not a finite number and nothing else.
SAR_API int sar_number_read(const char* text, double* value);

typedef enum sar_scale { SAR_SCALE_WORDS, SAR_SCALE_LINEAR, SAR_SCALE_LOG } sar_scale;

/// The product of the values of named axes. The last axis turns fastest.
typedef struct sar_grid sar_grid;

SAR_API sar_status sar_grid_create(sar_grid** out);
SAR_API void sar_grid_destroy(sar_grid* grid);

/// Add an axis, "name=values", where the values are one of
///
///     lin:FROM:TO:COUNT      evenly spaced, both ends included
///     log:FROM:TO:COUNT      evenly spaced in the logarithm
///     list:A,B,C or A,B,C    these numbers or words
///
/// Computed values are rounded to 15 digits, so that their text says exactly what was used.
/// @return SAR_OK, SAR_E_ARG with a message that says what was wanted, SAR_E_NOMEM
SAR_API sar_status sar_grid_vary(sar_grid* grid, const char* text, sar_error* error);

SAR_API int sar_grid_axes(const sar_grid* grid);
SAR_API const char* sar_grid_name(const sar_grid* grid, int axis);
/// Words, or a line on which the values are drawn well. Numbers of a list are on a logarithmic one
/// when they are positive and span a factor of 20 or more.
SAR_API sar_scale sar_grid_scale(const sar_grid* grid, int axis);
SAR_API int sar_grid_count(const sar_grid* grid, int axis);
SAR_API const char* sar_grid_text(const sar_grid* grid, int axis, int k);
SAR_API double sar_grid_value(const sar_grid* grid, int axis, int k); ///< NaN for a word

SAR_API long sar_grid_points(const sar_grid* grid); ///< 1 without axes
/// Which value each axis has at a point, into index[sar_grid_axes].
SAR_API void sar_grid_point(const sar_grid* grid, long point, int* index);

/* ---- metrics of problems ------------------------------------------------------------------ */

/// How a problem's error is measured: the `metric` of its published.json.
typedef struct sar_metric {
    char names[8][32];
    double weights[8];
    int count;
    double interval; ///< [s]
} sar_metric;

/// SAR_OK; SAR_E_IO: no such file; SAR_E_ARG: it has no metric, or one that makes no sense.
SAR_API sar_status sar_metric_read(const char* path, sar_metric* out, sar_error* error);

/* ---- tuning: the cheapest setting that is good enough ------------------------------------- */

typedef struct sar_tune_variable {
    double least, most;
    int logarithmic; ///< least > 0
    int integer;
} sar_tune_variable;

typedef struct sar_tune_outcome {
    int passes;   ///< is the setting good enough?
    double cost;  ///< what is to be least; read only if it passes
    double value; ///< what was compared with the threshold; not read here
} sar_tune_outcome;

typedef struct sar_tune_def {
    const sar_tune_variable* variables;
    int count;        ///< at most SAR_TUNE_MOST
    int driver;       ///< the variable that makes a run cheaper as it grows (the step); -1: none
    int points;       ///< of each variable in the coarse grid, 2 or more
    double tightness; ///< how near the driver comes to its limit, as a ratio: 1.02
    /// Try `count` settings, setting[k * variables], in any order or at once.
    /// Anything but SAR_OK ends the search.
    sar_status (*evaluate)(void* context, int count, const double* settings,
                           sar_tune_outcome* outcomes);
    /// No run with this setting costs less. May be NULL.
    double (*least_cost)(void* context, const double* setting);
    void* context;
} sar_tune_def;

enum { SAR_TUNE_MOST = 6 };

typedef struct sar_tune_answer {
    int found; ///< 0: no setting that was tried is good enough
    double setting[SAR_TUNE_MOST];
    sar_tune_outcome outcome;
    int tried; ///< settings
} sar_tune_answer;

/// Search. The same definition gives the same answer, whatever the order inside `evaluate`.
SAR_API sar_status sar_tune(const sar_tune_def* def, sar_tune_answer* out, sar_error* error);

/// The setting one notch beside: a tenth of the size for a driver, half a decade for other
/// logarithmic variables, a tenth of the range for linear ones, 1 for integers at least.
/// 1, or 0 when that is outside the range.
SAR_API int sar_tune_neighbour(const sar_tune_def* def, const double* setting, int variable,
                               int direction, double* neighbour);

#ifdef __cplusplus
}
#endif
#endif
