/* Which reactions are unique all along a run. See unique.c. */
#ifndef CLI_UNIQUE_H
#define CLI_UNIQUE_H

#include "sarrus/simulation.h"

typedef struct cli_unique {
    const sar_model* model;
    char *joint, *output; ///< per joint, per output of the model: 1: it is not unique somewhere
    const char* split;    ///< how those are chosen; NULL: all are unique so far
    long next;            ///< steps after which to sample again
    int switches;         ///< of joints, at the last sample
} cli_unique;

void cli_unique_begin(cli_unique* u, const sar_model* model);
/// Judge the present position.
void cli_unique_sample(cli_unique* u, sar_simulation* s);
/// After a step: judge it if it is time to.
void cli_unique_step(cli_unique* u, sar_simulation* s, long steps);
void cli_unique_end(cli_unique* u);

#endif
