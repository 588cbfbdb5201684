/// @file trial.h
/// One run of a model with a method, measured: did it complete, how accurate was it, what did it
/// cost?
#ifndef SARRUS_TRIAL_H
#define SARRUS_TRIAL_H

#include "sarrus/certificate.h"
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
    double certify;     ///< run reference runs for a certificate of this accuracy, of the
                        ///< outputs' ranges; 0: none
    double max_seconds; ///< maximum CPU time of the steps [s]; 0: no limit
    /// More columns of the history after the model's outputs, see sar_signal_find: "energy.drift" or
    /// "JOINT.fx". Their values are those at the end of the step that contains the sample.
    const char* const* extra;
    int extra_count;
    /// Called from time to time (NULL: never) with the time and the number of steps; 0 stops the run.
    int (*watch)(void* context, double t, long steps);
    /// Called with every sample of the history (NULL: never); the state is that at the end of the
    /// step that contains the sample. Not included in the times.
    void (*sampled)(void* context, const sar_simulation* s);
    void* context;
} sar_trial_def;

typedef struct sar_trial {
    sar_status status; ///< SAR_OK: completed
    int stopped;       ///< by `watch`
    char failure[512]; ///< why it did not complete
    double reached;    ///< [s]
    sar_statistics statistics;
    sar_rank rank;
    int singular_passes, branch_changes;
    double branch_changed; ///< time of the first branch change [s]; NaN without one
    double error;     ///< eps_T [ruggiu2023, (2)]; NaN without a reference or when not completed
    double max_error; ///< largest difference
    double seconds;   ///< CPU time of the steps in the calling thread
    double wall;      ///< wall time of the steps [s]
    double step_us;   ///< seconds per accepted step, in microseconds
    sar_certificate certificate; ///< NaN: there is none
    double value;                ///< a measure that the caller sets; NaN: none
} sar_trial;

/// Run a model with a method and measure it. A run that fails is a result too: SAR_OK is returned
/// and `out` says how it failed. Other statuses are errors of the definition. `history` (may be NULL)
/// receives the outputs over time as far as they were computed, on the grid of options.sample (0: every
/// step); destroy it with sar_result_destroy.
SAR_API sar_status sar_trial_run(const sar_trial_def* def, sar_trial* out, sar_result** history,
                                 sar_error* error);

#ifdef __cplusplus
}
#endif
#endif
