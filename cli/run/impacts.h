/* What happened at the bounds of constraints. */
#ifndef CLI_IMPACTS_H
#define CLI_IMPACTS_H

#include "run/report.h"

void cli_impacts_print(const cli_report* r, FILE* out);
void cli_impacts_json(const cli_report* r, cli_json* j);

#endif
