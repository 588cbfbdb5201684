/* The method of a run as the command line gives it, and the table of the methods' parameters. */
#ifndef CLI_METHOD_H
#define CLI_METHOD_H

#include "common/files/json.h"
#include "common/text.h"

#include "sarrus/simulation.h"

/// The preset where no method is named.
#define CLI_AUTOMATIC "auto"

/// One row of SAR_OPTION_LIST.
typedef struct cli_parameter {
    char name[32]; ///< as an option: '-' for '_'
    const char* field;
    int is_integer;
    int for_studies; ///< of methods: not in the help of commands
    double preset;
    const char* word; ///< for the default; "": it has none
    double min, max;
    const char *who, *unit, *text;
} cli_parameter;

int cli_parameters(void);
cli_parameter cli_parameter_at(int k);
/// The text with options that the library names, `best_effort`, as they are typed: --best-effort.
/// free() it.
char* cli_options_as_typed(const char* text);
/// Index of the parameter that a field or an option's name means, or -1.
int cli_parameter_find(const char* name);
double cli_parameter_value(int k, const sar_options* options);
/// Is anyone that has the parameter k built in?
int cli_parameter_exists(int k);
/// Does the method that `options` names have the parameter k?
int cli_parameter_applies(int k, const sar_options* options);

/// The settings of a command line, in the order they came. Zero-initialised is empty.
typedef struct cli_method {
    cli_words names, values;
    char* preset;   ///< NULL if none was given
    int fixed_step; ///< the command needs one: the method is not left open
} cli_method;

/// Can the method run a fixed number of iterations per step (iterations=fixed:N)?
int cli_method_fixes_iterations(const sar_options* options);

/// Is it the name of a preset, an axis or a parameter?
int cli_method_knows(const char* name);
/// Keep a setting. CLI_USAGE after a message if it is not a valid one, else 0. `value` NULL
/// means 1.
int cli_method_set(cli_method* method, const char* command, const char* name, const char* value);
/// Put the settings over `options`, which holds the model's own: the preset first, then the rest.
/// Parameters that the model gave for a method that the command line replaced are dropped with a
/// warning. 0, or CLI_USAGE after a message.
int cli_method_apply(const cli_method* method, const char* command, sar_options* options,
                     cli_words* warnings);
/// The same without a word on the terminal.
sar_status cli_method_try(const cli_method* method, sar_options* options, cli_words* warnings,
                          sar_error* error);
/// Replace what was left to the model by what suits it; `reason` says why, or is empty. 0, or an
/// exit code after a message.
int cli_method_choose(const char* command, const char* path, const sar_model* model,
                      sar_options* options, char* reason, size_t length);
void cli_method_clear(cli_method* method);

/// The keys of what `options` runs with, each once.
void cli_method_cite(const cli_method* method, const sar_options* options, const char* solver,
                     cli_words* keys);

/// Does its integrator choose the steps, by a tolerance?
int cli_method_chooses_step(const sar_options* options);

#endif
