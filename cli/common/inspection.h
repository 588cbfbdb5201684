/* The frame of commands that examine one model where it starts: parse, examine, print. */
#ifndef CLI_INSPECTION_H
#define CLI_INSPECTION_H

#include "common/command.h"
#include "common/files/json.h"
#include "common/files/model_file.h"
#include "common/method.h"

/// What is asked for and what is found, of every such command: the first member of its own struct.
typedef struct cli_inspection {
    const cli_command* command;
    cli_method method;
    cli_settings settings;
    int json;
    const char* name; ///< of the model; before it is open, as it was asked for
    cli_model_file file;
    sar_options options;
    sar_simulation* simulation;
    sar_assembly assembly;
    int known;             ///< there is something to report
    int observed, outputs; ///< how many values there are: 0 unless observed
    double* values;
    char* failure;
    cli_words warnings;
} cli_inspection;

/// What a command does with it; the exit code of `examine` is that of the command.
typedef struct cli_inspector {
    int (*take)(void* self, const char* name, const char* value); ///< options of its own
    int (*examine)(void* self);
    void (*print_report)(const void* self);
    /// What --json has beside schema, model, path, warnings and failure. NULL: there is none.
    void (*print_json)(const void* self, cli_json* j);
} cli_inspector;

/// All of the command but what `self` has beside its inspection.
int cli_inspect(const cli_inspector* how, cli_inspection* self, int argc, char** argv);

/// Read the model and what it says about methods. 0, or the exit code.
int cli_inspection_open(cli_inspection* x);
/// Relative coordinates, which have the fewest numbers, unless the command line says otherwise. 0, or the exit code.
int cli_inspection_prefer_relative(cli_inspection* x);
/// Choose the method and create the simulation. 0, or the exit code after a message.
int cli_inspection_choose(cli_inspection* x);
int cli_inspection_create(cli_inspection* x, const sar_options* options);
/// Values of the outputs where the simulation is now. 0: they have none.
int cli_inspection_observe(cli_inspection* x);

/// NAME: VERDICT
void cli_inspection_print_verdict(const cli_inspection* x, const char* verdict, int fine);
void cli_inspection_print_outputs(const cli_inspection* x, int most);
void cli_inspection_print_warnings(const cli_inspection* x);
void cli_inspection_json_outputs(const cli_inspection* x, cli_json* j);

/// Does a joint hold these two bodies together?
int cli_are_joined(const sar_model* model, int a, int b);

#endif
