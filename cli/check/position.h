/* What moves at a position, for people and as JSON: `sarrus check --at`. */
#ifndef CLI_POSITION_H
#define CLI_POSITION_H

#include "common/files/json.h"

#include "sarrus/simulation.h"

typedef struct cli_position {
    const sar_model* model;
    sar_simulation* simulation; ///< at the position
    const sar_options* options; ///< it came there with
    sar_subspaces sub;
    sar_status status; ///< of sub
    int rank_elsewhere;
    double tolerance;
} cli_position;

/// Decompose the velocities where the simulation is now.
void cli_position_find(cli_position* p, const sar_model* model, sar_simulation* simulation,
                       const sar_options* options, double tolerance);
void cli_position_print(const cli_position* p, FILE* out);
void cli_position_json(const cli_position* p, cli_json* j);

#endif
