/* Which reactions of joints are unique. */
#ifndef CLI_UNIQUENESS_H
#define CLI_UNIQUENESS_H

#include "common/files/json.h"

#include "sarrus/analysis.h"

/// A line for each joint that has others, up to some number of them.
void cli_uniqueness_print(const sar_model* model, const sar_self_stress* stress);
void cli_uniqueness_json(const sar_model* model, const sar_self_stress* stress, cli_json* j);

#endif
