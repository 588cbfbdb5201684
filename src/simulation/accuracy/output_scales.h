/* What errors of outputs are compared with where their range says nothing. */
#ifndef SARI_OUTPUT_SCALES_H
#define SARI_OUTPUT_SCALES_H

#include "sarrus/certificate.h"

/// Of every output: its group, outputs of one kind, and the least range. `values` are the samples of
/// the reference run.
void sari_output_scales(const sar_reference_run_def* def, const sar_reference_outcome* by,
                        const double* values, int* group, double* least);

/// Add what rounding makes of the outputs at the present state to `noise`, which has two numbers for
/// each output, as `room` has. The second ones are scales of expressions, the largest so far.
void sari_output_noise(sar_simulation* s, double* room, double* noise);

#endif
