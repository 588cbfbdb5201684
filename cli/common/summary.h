/* The summary of a model and its start that commands share: as text and as JSON. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "common/files/json.h"
#include "common/text.h"

#include "sarrus/simulation.h"

enum { CLI_LABEL = 12 }; ///< width of the labels in front of the lines of a summary

void cli_print_rank(FILE* out, sar_rank rank);
void cli_print_phase(FILE* out, const sar_model* model, int phase);
void cli_json_phase(cli_json* j, const sar_model* model, int phase);
void cli_print_assembly(FILE* out, const sar_model* model, const sar_assembly* assembly);
void cli_json_rank(cli_json* j, sar_rank rank);
void cli_json_assembly(cli_json* j, const sar_assembly* assembly);
void cli_json_words(cli_json* j, const char* key, const cli_words* words);
/// A duration in the unit that suits it.
void cli_print_seconds(FILE* out, double seconds);
/// The label in front of a line of a summary.
void cli_print_label(FILE* out, const char* label);

#endif
