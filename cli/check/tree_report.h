/* The spanning tree of relative coordinates, for people and as JSON: `sarrus check`. */
#ifndef CLI_TREE_REPORT_H
#define CLI_TREE_REPORT_H

#include "common/files/json.h"

#include "sarrus/simulation.h"

/// Nothing in other coordinates.
void cli_tree_print(const sar_model* model, const sar_simulation* simulation, FILE* out);
void cli_tree_json(const sar_model* model, const sar_simulation* simulation, cli_json* j);

#endif
