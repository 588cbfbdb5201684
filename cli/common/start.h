/* The start of a simulation, with its exit code and the reason if there is none. */
#ifndef CLI_START_H
#define CLI_START_H

#include "sarrus/simulation.h"

/// 0; or an exit code with the reason in *failure (to be freed): CLI_MODEL, CLI_USAGE: these
/// options and this model do not go together, or CLI_FAILED.
int cli_start_create(const sar_model* model, const sar_options* options, sar_simulation** out,
                     char** failure);
/// 0; or CLI_ASSEMBLY or CLI_FAILED with the reason. `assembly` is filled in either case.
int cli_start_assemble(sar_simulation* simulation, sar_assembly* assembly, char** failure);
/// The exit code of a status, with the simulation's reason for it.
int cli_start_failure(const sar_simulation* simulation, sar_status status, char** failure);

#endif
