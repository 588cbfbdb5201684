/* All options of a command in one table: its own, --help, and those of methods and parameters. The
 * parser, the help, the man page and the completion of shells are made from it. */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include "common/command.h"
#include "common/text.h"

typedef struct cli_option_entry {
    char* name;
    char letter;
    char* argument; ///< "": a switch
    int optional;   ///< the argument may be left out
    char* group;    ///< heading in the help
    int hidden;     ///< commands take it, but help and completion do not show it
    char* text;
} cli_option_entry;

typedef struct cli_option_table {
    cli_option_entry* entries;
    int count, capacity;
    int explained; ///< 0: entries have neither group nor text
} cli_option_table;

/// To be given to cli_option_table_clear.
cli_option_table cli_option_table_of(const cli_command* command);
/// The same without groups and texts, for a parser: every command begins with it.
cli_option_table cli_option_names_of(const cli_command* command);
void cli_option_table_clear(cli_option_table* table);

/// The words that an option takes: presets, members of an axis. None for others.
void cli_option_choices(const char* name, cli_words* words);
/// Does the option take the name of a file?
int cli_option_takes_file(const cli_option_entry* entry);

#endif
