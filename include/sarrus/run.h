/// @file run.h
/// A run from its start to its end, step by step and sample by sample.
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

/// When samples are taken: at the start, at start + k interval, and at the end. Without an interval
/// at the steps: every `stride`-th of them, and no two closer than `spacing`.
typedef struct sar_sampling {
    double start, end; ///< [s]
    double interval;   ///< [s]; 0: at the steps
    double spacing;    ///< [s], for methods that choose their steps
    long stride;       ///< 0 and 1: every step
    int at_steps;      ///< 1: no samples within steps; the end of the step stands for them
    double most;       ///< samples of a complete run, not fewer than there are; infinite: unknown
    double next, last; ///< where it is: index of the next sample by interval, time of the last one
} sar_sampling;

/// As the options say: `sample` is the interval. Without one, steps are left out so that about
/// `most` samples remain (0: none is left out).
SAR_API sar_sampling sar_sampling_of(const sar_options* options, int most);
/// The run is at t after `steps` steps. 1: a sample is due at the time *at, now or within the last
/// step; ask again. 0: no more. Times that differ by rounding are those of the step.
SAR_API int sar_sampling_next(sar_sampling* sampling, long steps, double t, double* at);

typedef struct sar_run {
    sar_simulation* simulation;
    sar_sampling sampling;
    long steps;
    double t; ///< after the last good step [s]
    sar_status
        status; ///< why it ended, see sar_simulation_failure; SAR_OK: at the end, or it can go on
} sar_run;

/// From where an assembled simulation is.
SAR_API sar_run sar_run_begin(sar_simulation* simulation, const sar_sampling* sampling);
/// 1: a sample is due at *t, see sar_simulation_outputs_at; ask again. 0: do a step.
SAR_API int sar_run_sample(sar_run* run, double* t);
/// 1: one step more. 0: it is over, or the step failed. With the option best_effort a step that is
/// not good, but moves on, is one. A step that does not change the time fails.
SAR_API int sar_run_step(sar_run* run);

#ifdef __cplusplus
}
#endif
#endif
