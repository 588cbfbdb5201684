/* --input NAME=FUNCTION: inputs of a model as functions of time. */
#ifndef CLI_FUNCTIONS_H
#define CLI_FUNCTIONS_H

#include "common/text.h"

#include "sarrus/model.h"

/// "u=sin(t)", "u=file.csv", "u=file.csv:column" or either with ",hold" or ",cubic" behind it.
/// 0, or CLI_USAGE after a message.
int cli_functions_apply(const cli_words* functions, sar_model* model);

#endif
