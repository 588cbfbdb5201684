/* The outcome of a run: one word, numbers, one sentence; the same as a line of text; and
 * conditions on the numbers. */
#ifndef CLI_OUTCOME_H
#define CLI_OUTCOME_H

#include "common/text.h"

#include "sarrus/quantities.h"

typedef enum cli_end {
    CLI_END_COMPLETED,
    CLI_END_FAILED,   ///< a step did, or the measure
    CLI_END_ASSEMBLY, ///< the mechanism cannot be put together
    CLI_END_INVALID,  ///< the model with these parameters
    CLI_END_REFUSED,  ///< there is no such method
    CLI_END_CRASHED,  ///< the program did: a defect, or out of memory
    CLI_ENDS
} cli_end;

typedef struct cli_outcome {
    cli_end end;
    double measure[SAR_MEASURES]; ///< NaN: unknown
    char verdict[256];            ///< "ok", or what is to be said about it
} cli_outcome;

enum { CLI_OUTCOME_LINE = 1024 }; ///< room for one as text

const char* cli_end_word(cli_end end);

/// `trial` in these terms.
cli_outcome cli_outcome_of(const sar_trial* trial);
/// Without a run.
cli_outcome cli_outcome_failed(cli_end end, const char* why);

/// One line without its end, and back: every bit survives. cli_outcome_read: 0, or -1.
void cli_outcome_write(const cli_outcome* outcome, char* line, size_t size);
int cli_outcome_read(const char* line, cli_outcome* outcome);

/// "drift<0.125,eps_T<=2e-3": all have to hold, and the run has to be complete. None at all means
/// what `sarrus run` does not warn about: drift at most 5 % of the energy in the motion, no
/// branch changes.
typedef struct cli_conditions {
    struct {
        int measure;
        char relation; ///< '<', '>', '=', 'l' for <=, 'g' for >=
        double bound;
    } items[8];
    int count;
} cli_conditions;

/// 0, or -1 with the reason in words (free it).
int cli_conditions_read(const char* text, cli_conditions* conditions, char** why);
int cli_conditions_hold(const cli_conditions* conditions, const cli_outcome* outcome);

#endif
