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

#ifdef __cplusplus
}
#endif
#endif
