/* What fit and optimise share: the model, the numbers that are free, progress, and a file from which a search goes on. */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "common/command.h"
#include "common/files/json.h"
#include "common/files/model_file.h"
#include "common/method.h"
#include "common/progress.h"

#include "sarrus/fit.h"

typedef struct cli_study {
    const cli_command* command;
    cli_method method;
    cli_settings settings;
    const char *name, *state; ///< state: a file that is kept while it searches; NULL: none
    cli_words outputs;        ///< files to write
    int json, quiet;
    int offset; ///< the last number is that of a clock, not of the model
    cli_words free_names;
    sar_free* free; ///< their names are those above
    cli_model_file file;
    cli_words warnings;
    sar_options options;
    sar_source* source;
    sar_setting* given;
    sar_study study;
    cli_progress progress;
    int iteration, keeps,
        kept_any; ///< of the last step; does this start write the state; was it written
    double kept, kept_violation; ///< objective and limits of what is in the state
    char* failure;
} cli_study;

/// Options that both commands have. 1: taken; 0: not one of them; else -exit code after a message.
int cli_study_take(cli_study* x, const char* name, const char* value);
/// Remove a free name that is none of the model; NULL: it was not there.
int cli_study_remove_free(cli_study* x, const char* name, sar_free* out);
/// Read the model, choose the method, and go on from `state` if that is there. 0, or the exit code after a message.
int cli_study_open(cli_study* x, const char* name);
void cli_study_close(cli_study* x);
/// Write the state, if there is one.
void cli_study_keep(const cli_study* x, const double* p);

void cli_study_print_number(const char* label, const char* name, double value, double deviation,
                            double start, int at_bound);
/// "sarrus run MODEL --set k=... --set c=...", or `kinematics`. free() it.
char* cli_study_command(const cli_study* x, const double* p);
void cli_study_json_search(const cli_study* x, const sar_optimum* o, long runs, const char* refused,
                           cli_json* j);
void cli_study_print_search(const cli_study* x, const sar_optimum* o, long runs,
                            const char* refused);

#define CLI_STUDY_OPTIONS                                                                          \
    {"free", 'f', "NAME[=LOW:HIGH[:START]]",                                                       \
     "a number that may change: a parameter of the model, or a start condition (J1.angle), "       \
     "within "                                                                                     \
     "these bounds, either of which may be left out; may be repeated"},                            \
        {"kinematics", 0, NULL,                                                                    \
         "drives prescribe the motion: positions alone, nothing is integrated"},                   \
        {"differences", 0, NULL, "slopes by differences of whole runs"},                           \
        {"iterations", 0, "N", "maximum number of steps of the search (default 2000)"},            \
        {"state", 0, "FILE",                                                                       \
         "keep the best numbers there while it searches, and go on from them if the file exists"}, \
    {                                                                                              \
        "quiet", 'q', NULL, "no progress"                                                          \
    }

#endif
