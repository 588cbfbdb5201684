/* The journal of many runs: what is finished survives Ctrl-C, kill -9 and a power cut. */
#ifndef CLI_JOURNAL_H
#define CLI_JOURNAL_H

#include "sweep/outcome.h"

#include <stdint.h>

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

/// Who keeps the outcomes that are found: 0, or -1 for a point that cannot be.
typedef struct cli_journal_keeper {
    int (*keep)(void* context, long point, const cli_outcome* outcome);
    void* context;
} cli_journal_keeper;

/// Open or begin the journal of `output` and take over the points in it. One that is unfinished and
/// of other runs is refused, unless `restart`. 0, or the exit code after a message.
int cli_journal_open(cli_journal* journal, const char* command, const char* output,
                     const cli_journal_piece* pieces, int count, int restart,
                     const cli_journal_keeper* keeper);
/// 0, or CLI_FAILED after a message.
int cli_journal_add(cli_journal* journal, const char* command, long point, const char* line);
int cli_journal_finish(cli_journal* journal, const char* command); ///< all points are in; likewise
void cli_journal_close(cli_journal* journal);

#endif
