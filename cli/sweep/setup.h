/* What sweep and tune share: a model, a method, a reference, and a run with some of the settings
 * replaced. */
#ifndef CLI_SETUP_H
#define CLI_SETUP_H

#include "common/files/model_file.h"
#include "common/method.h"
#include "sweep/outcome.h"

#include "studies/sweeps.h"

typedef struct cli_setup {
    const char* command;
    cli_method method;
    cli_settings settings;
    double certify;             ///< accuracy of certificates; 0: none
    const char* reference_path; ///< as given, or NULL
    cli_model_file file;
    sar_source* source;    ///< of its models with other parameters
    sar_result* reference; ///< NULL: errors are not measured
    char* reference_found; ///< its path
    sar_metric metric;
    int has_metric;
    const char* no_reference; ///< why there is none, in words
} cli_setup;

/// A setting of one point: an option of the method, or a parameter of the model.
typedef struct cli_choice {
    const char* name; ///< "model.NAME" is a parameter in any case
    const char* value;
} cli_choice;

/// Options that both commands have: the method's, --set, --reference. -1 if it is none of them, else 0
/// or the exit code after a message.
int cli_setup_option(cli_setup* setup, const char* name, const char* value);

/// Read the model and the reference; `varied` are the names that will be replaced. 0, or the exit
/// code after a message.
int cli_setup_open(cli_setup* setup, const char* model, const char* const* varied, int count);
void cli_setup_close(cli_setup* setup);

/// Is `name`, given with --`option`, something that can be replaced? 0, or CLI_USAGE after a
/// message.
int cli_setup_check_name(const cli_setup* setup, const char* option, const char* name);

/// The method at a point. SAR_OK, or the reason why there is none.
sar_status cli_setup_options(const cli_setup* setup, const cli_choice* choices, int count,
                             sar_options* options, sar_error* error);

/// Run a point. Whatever goes wrong is its outcome.
cli_outcome cli_setup_try(const cli_setup* setup, const cli_choice* choices, int count);

/// What decides about the result, for telling studies apart.
uint64_t cli_hash(uint64_t hash, const void* bytes, size_t length);
uint64_t cli_hash_text(uint64_t hash, const char* text); ///< with its end
uint64_t cli_hash_file(uint64_t hash, const char* path);
uint64_t cli_hash_program(void); ///< and its plug-ins
uint64_t cli_setup_hash_model(const cli_setup* setup);
uint64_t cli_setup_hash_method(const cli_setup* setup);
uint64_t cli_setup_hash_reference(const cli_setup* setup);
#define CLI_HASH_START 14695981039346656037u

#endif
