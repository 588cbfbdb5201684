/* A search of `tune`: the request and the result. */
#ifndef CLI_TUNE_H
#define CLI_TUNE_H

#include "common/progress.h"
#include "sweep/pool.h"
#include "sweep/setup.h"

#include "sarrus/tune.h"

enum { CLI_TUNE_NUMBER = 32 }; ///< room for a number or a name

typedef struct cli_tune_request {
    cli_words over;
    int jobs, json, quiet, points;
} cli_tune_request;

/// A setting one notch beside the answer.
typedef struct cli_tune_neighbour {
    int variable;
    double setting[SAR_TUNE_MOST];
    cli_outcome outcome;
} cli_tune_neighbour;

typedef struct cli_tune {
    cli_tune_request want;
    const char* model;
    cli_setup setup;
    cli_conditions thresholds;
    char names[SAR_TUNE_MOST][CLI_TUNE_NUMBER];
    sar_tune_variable variables[SAR_TUNE_MOST];
    sar_tune_def def;
    sar_tune_answer answer;
    cli_outcome best;
    cli_tune_neighbour neighbours[2 * SAR_TUNE_MOST];
    int neighbour_count;
    double nearest[SAR_TUNE_MOST]; ///< of what did not pass: the one nearest to the first threshold
    double nearest_value;
    cli_ranks ranks;
    cli_pool* pool;
    cli_progress progress;
    long tried;
    int stop; ///< why the search ended before its time: an exit code
    int64_t began;
} cli_tune;

/// The search over the first `count` of `names` and `variables`. 0, or CLI_USAGE after a message: the
/// method has no such option, or the thresholds cannot be measured.
int cli_tune_define(cli_tune* tune, int count);
uint64_t cli_tune_identity(const cli_tune* tune);
void cli_tune_open_pool(cli_tune* tune); ///< after the definition, which the workers share
/// CLI_DONE: `answer` holds the cheapest setting; CLI_FAILED: none is good enough, or a message was
/// printed; CLI_INTERRUPTED.
int cli_tune_search(cli_tune* tune);
/// Run the answer again by itself, for its time, and the neighbouring settings. 0 or an exit code.
int cli_tune_examine(cli_tune* tune);

/// Steps, rejected ones too, and iterations: the same on every machine.
double cli_tune_cost(const cli_outcome* outcome);
/// What the first threshold is about.
double cli_tune_value(const cli_tune* tune, const cli_outcome* outcome);
int cli_tune_passes(const cli_tune* tune, const cli_outcome* outcome);
/// Four digits as a rule; the ends of a range may have more.
void cli_tune_number(double value, char text[CLI_TUNE_NUMBER]);

/* ---- what it came to ------------------------------------------------------------------------ */

void cli_tune_print(const cli_tune* tune, FILE* out);
void cli_tune_json(const cli_tune* tune, int outcome, FILE* out);
/// That nothing was good enough, and what came nearest; on stderr.
void cli_tune_miss(const cli_tune* tune);

#endif
