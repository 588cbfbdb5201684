/* The numbers of a whole run in JSON. */
#ifndef CLI_MEASURES_H
#define CLI_MEASURES_H

#include "common/files/json.h"

#include "sarrus/quantities.h"

/// `values` has one number for each measure; those with a dot are in groups: "energy": {"initial":
/// ...}. Without a `reference` there are no errors; `groups`: nothing but groups.
void cli_json_measures(cli_json* j, const double* values, int reference, int groups);
/// All that a trial has of them.
void cli_measures_of(const sar_trial* trial, double values[SAR_MEASURES]);

#endif
