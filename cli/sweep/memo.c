#include "sweep/memo.h"

#include "common/command.h"
#include "sweep/setup.h"

#include <stdlib.h>

static int keep(void* context, long key, const cli_outcome* outcome)
{
    cli_memo* m = context;
    if (m->count == m->capacity) {
        m->capacity = m->capacity ? 2 * m->capacity : 64;
        m->entries = cli_resize(m->entries, (size_t)m->capacity * sizeof *m->entries);
    }
    m->entries[m->count++] = (struct cli_memo_entry){key, *outcome};
    return 0;
}

int cli_memo_open(cli_memo* m, const char* command, const char* output, int restart)
{
    const cli_journal_piece program = {"program", "the program or its plug-ins",
                                       cli_hash_program()};
    m->command = command;
    return cli_journal_open(&m->journal, command, output, &program, 1, restart,
                            &(cli_journal_keeper){keep, m});
}

const cli_outcome* cli_memo_find(const cli_memo* m, long key)
{
    for (int k = 0; k < m->count; k++)
        if (m->entries[k].key == key) return &m->entries[k].outcome;
    return NULL;
}

int cli_memo_add(cli_memo* m, long key, const cli_outcome* outcome)
{
    char line[CLI_OUTCOME_LINE];
    keep(m, key, outcome);
    cli_outcome_write(outcome, line, sizeof line);
    return cli_journal_add(&m->journal, m->command, key, line);
}

int cli_memo_finish(cli_memo* m)
{
    return cli_journal_finish(&m->journal, m->command);
}

void cli_memo_close(cli_memo* m)
{
    cli_journal_close(&m->journal);
    free(m->entries);
    *m = (cli_memo){.journal.file = -1};
}
