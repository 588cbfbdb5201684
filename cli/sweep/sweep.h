/* A sweep as its parts share it: points, their outcomes, the journal that keeps them. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "sweep/setup.h"

typedef struct cli_sweep {
    const cli_setup* setup;
    const sar_grid* grid;
    const cli_conditions* conditions;
    const char* validity; ///< the conditions in words
    long points;
    cli_outcome* outcomes; ///< of each point
    char* known;           ///< of each point: is there an outcome?
} cli_sweep;

int cli_sweep_valid(const cli_sweep* sweep, long point);

/* ---- the table ------------------------------------------------------------------------------ */

/// CSV: a row per point, in order. Same points, same bytes, unless `times`. 0, or CLI_FAILED after
/// a message; an old file is replaced only by a complete one.
int cli_sweep_write(const cli_sweep* sweep, const char* command, const char* path, int times);
/// One JSON array under `key`.
void cli_sweep_json(const cli_sweep* sweep, cli_json* j, const char* key);

/* ---- pictures ------------------------------------------------------------------------------- */

/// Valid, invalid and failed points as letters: two axes. Prints nothing if they do not fit.
void cli_heatmap_print(const cli_sweep* sweep, FILE* out);
/// Can that be drawn to `path`? 0, or CLI_USAGE, CLI_FAILED after a message.
int cli_heatmap_check(const cli_sweep* sweep, const char* path);
/// Drift over one axis as a curve, over two as a map. 0, or -1 after a message.
int cli_heatmap_draw(const cli_sweep* sweep, const char* path);

#endif
