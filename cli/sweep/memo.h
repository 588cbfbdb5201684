/* Outcomes of runs by a key, kept in a journal: a search that was interrupted finds them again. */
#ifndef CLI_MEMO_H
#define CLI_MEMO_H

#include "sweep/journal.h"

typedef struct cli_memo {
    cli_journal journal;
    const char* command;
    struct cli_memo_entry {
        long key;
        cli_outcome outcome;
    } * entries;
    int count, capacity;
} cli_memo;

/// The results so far of `output`, in a journal in its folder. 0, or the exit code after a message.
int cli_memo_open(cli_memo* memo, const char* command, const char* output, int restart);
const cli_outcome* cli_memo_find(const cli_memo* memo, long key); ///< NULL: not known
int cli_memo_add(cli_memo* memo, long key, const cli_outcome* outcome);
int cli_memo_finish(cli_memo* memo); ///< all is done: another task may begin the journal anew
void cli_memo_close(cli_memo* memo);

#endif
