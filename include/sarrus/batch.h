/// @file batch.h
/// Many simulations at once: the instances of a sweep, a fit, a certificate.
///
///     sar_batch* batch;
///     sar_batch_create(simulations, count, 0, &batch);  // assembled before, and the caller's
///     sar_batch_run(batch, 2.5);                        // all of them, to t = 2.5 s
///     for (int k = 0; k < count; k++)
///         if (sar_batch_at(batch, k)->status == SAR_OK)
///             sar_simulation_outputs(simulations[k], values);
///     sar_batch_destroy(batch);
///
/// Instances may differ in their parameters, starts, steps, and even be different models: each has the
/// same bits as if it ran alone. They are shared between threads.
#ifndef SARRUS_BATCH_H
#define SARRUS_BATCH_H

#include "sarrus/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sar_batch sar_batch;

/// Of simulations that are assembled, and stay the caller's; they must outlive the batch.
/// `threads`: how many share them (0: one).
SAR_API sar_status sar_batch_create(sar_simulation* const* simulations, int count, int threads,
                                    sar_batch** out, sar_error* error);
SAR_API void sar_batch_destroy(sar_batch* batch);

/// All instances step until they are at t [s] or beyond it, at the end of their run, or have failed.
/// Infinite: to the end. SAR_OK, also where instances fail: see sar_batch_at.
SAR_API sar_status sar_batch_run(sar_batch* batch, double t);

/// Instance k: its simulation, time, steps, and why it ended, if it did (status).
SAR_API sar_run* sar_batch_at(sar_batch* batch, int k);
/// Steps of all instances.
SAR_API long sar_batch_steps(const sar_batch* batch);

#ifdef __cplusplus
}
#endif
#endif
