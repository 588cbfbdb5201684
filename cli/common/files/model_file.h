/* Find, read and parse the model that a command names. */
#ifndef CLI_MODEL_FILE_H
#define CLI_MODEL_FILE_H

#include "common/text.h"

#include "sarrus/load.h"

/// `--set name=value` of a command line. Zero-initialised is empty.
typedef struct cli_settings {
    cli_words names, values;
} cli_settings;

/// Keep "name=value". 0, or CLI_USAGE after a message.
int cli_settings_add(cli_settings* settings, const char* command, const char* text);
/// A line for each; free() it. cli_settings_take reads it back.
char* cli_settings_text(const cli_settings* settings);
void cli_settings_take(cli_settings* settings, const char* text);
void cli_settings_clear(cli_settings* settings);
/// As the library takes them, with room for `more` behind; free() it.
sar_setting* cli_settings_list(const cli_settings* settings, int more);

typedef struct cli_model_file {
    char* path; ///< where it was found; "standard input" for "-"
    char* text; ///< the file as it was parsed
    size_t length;
    sar_model* model;   ///< NULL unless it is valid
    sar_options method; ///< the defaults, with the model's `method:` section over them
    char* complaints;   ///< errors or warnings of the reader, ready to print; NULL if none
} cli_model_file;

/// `name` is a path, with or without .yaml, .yml or .json, "-", a folder with a model.yaml, or the
/// name of a problem or of an example.
/// 0, or CLI_MODEL after a message; then `file->complaints` still says what is wrong.
int cli_model_open(const char* name, const char* command, const cli_settings* settings,
                   cli_model_file* file);
/// The same from a text that a result kept; `path` is where the file was.
int cli_model_take(const char* text, const char* path, const char* command,
                   const cli_settings* settings, cli_model_file* file);
/// The first lines of the reader's warnings: `file:line:column: warning: what`.
void cli_model_warnings(const cli_model_file* file, cli_words* warnings);
void cli_model_close(cli_model_file* file);
int cli_model_has_parameter(const sar_model* model, const char* name);

/// The file of the program: this one, or the one that Python says it runs (python/sarrus/__main__.py).
const char* cli_program(void);
extern cli_words cli_plugins; ///< files of plug-ins, which decide about results as the program does

/// The folders that may hold `kind` of data ("problems", "studies"), the nearest first.
void cli_data_folders(const char* kind, cli_words* folders);
void cli_problem_names(cli_words* names);
void cli_example_names(cli_words* names);
/// Both: what a command takes as the name of a model that comes with Sarrus.
void cli_model_names(cli_words* names);
/// Path of a file in a problem's folder, or NULL. To be freed.
char* cli_problem_file(const char* problem, const char* file);

#endif
