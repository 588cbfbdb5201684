/* What an FMU of Sarrus runs: a text in its resources, written by the export and read by the runtime. Each
 * line is a word and a value:
 *
 *     token TOKEN           of the description, which the host repeats
 *     model PATH            of the model file, from the folder of the resources
 *     set NAME=VALUE        a parameter of the model that the export changed
 *     calculated NAME       a parameter that follows from others
 *     option NAME VALUE     of the method, see sar_options_set
 *     range VALUE           of each output in turn: what differences of the stored motion are compared with
 */
#ifndef SARI_FMU_SETTINGS_H
#define SARI_FMU_SETTINGS_H

#include "sarrus/load.h"

#include <stdio.h>

#define SARI_FMU_SETTINGS_FILE "sarrus.txt"

typedef struct sari_fmu_settings {
    char* text; ///< in which the others are
    const char *token, *model;
    sar_setting* set;
    int sets;
    const char** calculated;
    int calculated_count;
    sar_options options;
} sari_fmu_settings;

/// From the folder of the resources. Release it in any case.
sar_status sari_fmu_settings_read(const char* folder, sari_fmu_settings* out, sar_error* error);
void sari_fmu_settings_release(sari_fmu_settings* s);

/// The lines of the options: all that were given or are not as usual.
void sari_fmu_write_options(FILE* to, const sar_options* options);

/// A number with all its digits, whatever the locale.
void sari_fmu_number(double value, char text[32]);

/// Kinds of messages: names of the description, and what they tell.
#define SARI_FMU_LOG_LIST(X)                                                                       \
    X("logEvents", "phases, impacts and contacts")                                                 \
    X("logSingularLinearSystems", "singular configurations and branches of motion")                \
    X("logStatusWarning", "what makes results less certain")                                       \
    X("logStatusDiscard", "why a step was not done")                                               \
    X("logStatusError", "what the host did wrong, or what failed")                                 \
    X("logAll", "everything")

/// Numbers of the variables: time, then parameters, inputs, outputs, states, their derivatives and event indicators.
typedef struct sari_fmu_layout {
    int parameters, inputs, outputs, states, indicators;
} sari_fmu_layout;

typedef enum sari_fmu_kind {
    SARI_FMU_TIME,
    SARI_FMU_PARAMETER,
    SARI_FMU_INPUT,
    SARI_FMU_OUTPUT,
    SARI_FMU_STATE,
    SARI_FMU_DERIVATIVE,
    SARI_FMU_INDICATOR,
    SARI_FMU_NOTHING
} sari_fmu_kind;

/// What a value reference is, and which of that kind.
sari_fmu_kind sari_fmu_find(const sari_fmu_layout* layout, unsigned reference, int* index);
/// Why the model has no states that a host could integrate in Model Exchange; NULL: it has.
const char* sari_fmu_no_exchange(const sar_simulation* s);
/// Numbers of states and event indicators; 0 where there is no Model Exchange.
void sari_fmu_count_states(const sar_simulation* s, sari_fmu_layout* layout);
unsigned sari_fmu_reference(const sari_fmu_layout* layout, sari_fmu_kind kind, int index);

#endif
