/// @file run.h
/// A run from start to end, step by step and sample by sample.
///
///     sar_sampling plan = sar_sampling_of(&options, 0);
///     sar_run run = sar_run_begin(simulation, &plan); // assembled before
///     do {
///         double t;
///         while (sar_run_sample(&run, &t)) sar_simulation_outputs_at(simulation, t, values);
///     } while (sar_run_step(&run));
///     if (run.status != SAR_OK) puts(sar_simulation_failure(simulation));
///
/// The caller owns the loop: it may measure, wait or stop between any two calls.
#ifndef SARRUS_RUN_H
#define SARRUS_RUN_H

#include "sarrus/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Times of the samples: the start, start + k interval, and the end. Without an interval: the ends
/// of every `stride`-th step, no two closer than `spacing`.
typedef struct sar_sampling {
    double start, end;  ///< [s]
    double interval;    ///< [s]; 0: at the steps
    double spacing;     ///< [s], for variable steps
    long stride;        ///< 0 and 1: every step
    int at_steps;       ///< 1: no samples within steps, but at the end of the step
    double max_samples; ///< upper bound of the samples of a complete run; infinite: unknown
    double next, last;  ///< state: index of the next sample by interval, time of the last one
} sar_sampling;

/// From the options: `sample` is the interval. Without one, steps are skipped so that about `max`
/// samples remain (0: no step is skipped).
SAR_API sar_sampling sar_sampling_of(const sar_options* options, int max);
/// The run is at t after `steps` steps. 1: a sample is due at the time *at, at the end of the last
/// step or within it; call again. 0: no more. Times that differ from the step's end by rounding
/// are set to it.
SAR_API int sar_sampling_next(sar_sampling* sampling, long steps, double t, double* at);

typedef struct sar_run {
    sar_simulation* simulation;
    sar_sampling sampling;
    long steps;
    double t; ///< after the last good step [s]
    sar_status
        status; ///< why it ended, see sar_simulation_failure; SAR_OK: at the end, or it can go on
} sar_run;

/// Begin at the present state of an assembled simulation.
SAR_API sar_run sar_run_begin(sar_simulation* simulation, const sar_sampling* sampling);
/// 1: a sample is due at *t, see sar_simulation_outputs_at; call again. 0: take a step.
SAR_API int sar_run_sample(sar_run* run, double* t);
/// Take a step. 1: done. 0: the run has ended, or the step failed. With the option best_effort steps
/// that do not converge count as done. A step that does not change the time fails.
SAR_API int sar_run_step(sar_run* run);

/// Take as many steps as lead to the time t, for controllers and couplings that meet the motion at times of
/// their own. The last one ends there; with a fixed step the grid of start + k step stays, and what differs from it
/// by rounding is on it. The end of the options does not hold it back. SAR_E_ARG: not assembled, or t is in the past.
/// Otherwise as sar_simulation_advance: a failure leaves the last good step.
SAR_API sar_status sar_simulation_advance_to(sar_simulation* s, double t);

#ifdef __cplusplus
}
#endif
#endif
