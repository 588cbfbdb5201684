/* The command line of a command: parsing and help, both from its table. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "common/command.h"

#include <stdio.h>

enum { CLI_GO_ON = -1 };

/// What to do with an option: `value` is NULL for a switch. 0, or the exit code after a message.
typedef int (*cli_option_handler)(void* context, const char* name, const char* value);

/// Take the options out of argv and hand them to `handler`. The operands are left in argv[1] ...
/// argv[*operands].
/// @return CLI_GO_ON, or the exit code: 0 after --help and --help-all, CLI_USAGE after a message.
int cli_parse(const cli_command* command, int argc, char** argv, cli_option_handler handler,
              void* context, int* operands);

/// Read the value of an option: a whole number from `least` to `most`, at most a billion. 0, or CLI_USAGE after a message.
int cli_read_count(const char* command, const char* option, const char* text, int least, int most,
                   int* out);
/// The same for a number. With DBL_MIN as `least` it is above 0; INFINITY is no limit.
int cli_read_number(const char* command, const char* option, const char* text, double least,
                    double most, double* out);

/// On one screen; with `all` every option and every paragraph.
void cli_print_help(const cli_command* command, int all, FILE* out);
/// The names of problems and examples, under headings.
void cli_print_models(FILE* out);

/// "Try 'sarrus COMMAND --help'" on stderr. @return CLI_USAGE
int cli_usage(const cli_command* command);

#endif
