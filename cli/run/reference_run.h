/* The reference run of a run: another process simulates the same motion by other equations, or with
 * half the step, while the run goes on, and the two are compared (docs/trust.md). The run is the same
 * with and without it, to the last bit: it only notes its outputs in memory that both processes see.
 */
#ifndef CLI_REFERENCE_RUN_H
#define CLI_REFERENCE_RUN_H

#include "common/files/json.h"

#include "sarrus/certificate.h"
#include "sarrus/run.h"

#include <stdio.h>

typedef struct cli_reference_run cli_reference_run;

/// Short: if it is little work. Unasked: as SARRUS_CERTIFY says, else short.
enum { CLI_CERTIFY_UNASKED, CLI_CERTIFY_SHORT, CLI_CERTIFY_YES, CLI_CERTIFY_NO };

typedef struct cli_reference_run_def {
    const sar_model* model;
    sar_simulation* simulation; ///< the run, assembled
    const sar_options* options;
    const sar_sampling* rows; ///< of the result: they are what is certified, unless they are few;
                              ///< NULL: there are none
    int wanted;               ///< CLI_CERTIFY_...
    double accuracy;          ///< 0: the usual
    double size;              ///< of the model [m]
} cli_reference_run_def;

/// Starts the process. NULL: there is nothing to compare, or no process.
cli_reference_run* cli_reference_run_begin(const cli_reference_run_def* def);
/// A row of the result; `values` NULL: the outputs are not evaluated.
void cli_reference_run_row(cli_reference_run* c, double t, const double* values);
/// After every step, and at the start. A certificate that was not asked for is given up
/// when the run is too much work for it.
void cli_reference_run_step(cli_reference_run* c, long steps, double t);
/// The run is complete: wait for the reference run and compare. 0: it has nothing to say, or the user
/// did not want to wait.
int cli_reference_run_finish(cli_reference_run* c);
void cli_reference_run_end(cli_reference_run* c); ///< whatever it does

/// NULL: there is none, or it says nothing.
const sar_certificate* cli_reference_run_certificate(const cli_reference_run* c);
/// Why it has no certificate, in words; NULL: it has one, or was interrupted.
const char* cli_reference_run_silence(const cli_reference_run* c);
int cli_reference_run_failed(const cli_reference_run* c); ///< none came to the end
/// Does trust end before the run does?
int cli_reference_run_doubts(const cli_reference_run* c);
/// Estimate of the error of an output at a time; NaN without one.
double cli_reference_run_error(const cli_reference_run* c, double t, int output);
/// The largest of all outputs, as a part of its range.
double cli_reference_run_part(const cli_reference_run* c, double t);
/// When an output first has no finite value, in the run or in its reference run; NaN: it always has one.
double cli_reference_run_undefined(const cli_reference_run* c, int output);
/// On stderr, if it doubts: where no summary is shown.
void cli_reference_run_warn(const cli_reference_run* c, const char* model);
/// `doubtful`: something else says that the motion is not to be trusted.
void cli_reference_run_print(const cli_reference_run* c, int doubtful, FILE* out);
void cli_reference_run_json(const cli_reference_run* c, int doubtful, cli_json* j);

#endif
