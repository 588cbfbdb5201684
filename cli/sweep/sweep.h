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

/* ---- the journal ---------------------------------------------------------------------------- */

/// Finished points, one line each, appended as they come. A line counts when it is complete and its
/// checksum is right. Before them: what they are the points of.
typedef struct cli_journal {
    char* path;
    int file; ///< -1: none is kept
    int64_t synced;
} cli_journal;

/// What a journal belongs to, piece by piece, so that a message can say which one differs.
typedef struct cli_journal_piece {
    const char* name; ///< one word in the file
    const char* text; ///< in a message
    uint64_t hash;
} cli_journal_piece;

/// Open or begin the journal of `output` and take over the points in it. One that is unfinished and
/// of another sweep is refused, unless `restart`. 0, or the exit code after a message.
int cli_journal_open(cli_journal* journal, const char* command, const char* output,
                     const cli_journal_piece* pieces, int count, int restart, cli_sweep* sweep);
/// 0, or CLI_FAILED after a message.
int cli_journal_add(cli_journal* journal, const char* command, long point, const char* line);
int cli_journal_finish(cli_journal* journal, const char* command); ///< all points are in; likewise
void cli_journal_close(cli_journal* journal);

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
