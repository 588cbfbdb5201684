/* The companion of a run: another process simulates the same motion by other equations, or with
 * half the step, while the run goes on, and the two are compared (docs/trust.md). The run is the same
 * with and without it, to the last bit: it only notes its outputs in memory that both processes see.
 */
#ifndef CLI_COMPANION_H
#define CLI_COMPANION_H

#include "common/json.h"

#include "sarrus/certificate.h"
#include "sarrus/run.h"

#include <stdio.h>

typedef struct cli_companion cli_companion;

/// Short: if it is little work. Unasked: as SARRUS_CERTIFY says, else short.
enum { CLI_CERTIFY_UNASKED, CLI_CERTIFY_SHORT, CLI_CERTIFY_YES, CLI_CERTIFY_NO };

typedef struct cli_companion_def {
    const sar_model* model;
    sar_simulation* simulation; ///< the run, assembled
    const sar_options* options;
    const sar_sampling* rows; ///< of the result: they are what is certified, unless they are few;
                              ///< NULL: there are none
    int wanted;               ///< CLI_CERTIFY_...
    double accuracy;          ///< 0: the usual
    double size;              ///< of the model [m]
} cli_companion_def;

/// Starts the process. NULL: there is nothing to compare, or no process.
cli_companion* cli_companion_begin(const cli_companion_def* def);
/// A row of the result; `values` NULL: nobody has evaluated the outputs.
void cli_companion_row(cli_companion* c, double t, const double* values);
/// After every step, and at the start. A run that is so much work that nobody asked for a
/// certificate goes on without a companion.
void cli_companion_step(cli_companion* c, long steps, double t);
/// The run is complete: wait for the companion and compare. 0: it has nothing to say, or the user
/// did not want to wait.
int cli_companion_finish(cli_companion* c);
void cli_companion_end(cli_companion* c); ///< whatever it does

/// NULL: there is none, or it says nothing.
const sar_certificate* cli_companion_certificate(const cli_companion* c);
/// Why it has no certificate, in words; NULL: it has one, or was interrupted.
const char* cli_companion_silence(const cli_companion* c);
int cli_companion_failed(const cli_companion* c); ///< none came to the end
/// Does trust end before the run does?
int cli_companion_doubts(const cli_companion* c);
/// Estimate of the error of an output at a time; NaN without one.
double cli_companion_error(const cli_companion* c, double t, int output);
/// The largest of all outputs, as a part of its range.
double cli_companion_part(const cli_companion* c, double t);
/// When an output first has no finite value, in the run or in its companion; NaN: it always has one.
double cli_companion_undefined(const cli_companion* c, int output);
/// On stderr, if it doubts: for those who see no summary.
void cli_companion_warn(const cli_companion* c, const char* model);
/// `doubtful`: something else says that the motion is not to be trusted.
void cli_companion_print(const cli_companion* c, int doubtful, FILE* out);
void cli_companion_json(const cli_companion* c, int doubtful, cli_json* j);

#endif
