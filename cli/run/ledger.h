/* Where the energy of a run went: in the report, as datasets, as areas of a plot. */
#ifndef CLI_LEDGER_H
#define CLI_LEDGER_H

#include "pictures/plot.h"
#include "run/record.h"
#include "run/report.h"

enum { CLI_LEDGER_PANELS = 2 };

void cli_ledger_print(const cli_report* r, FILE* out);
void cli_ledger_json(const cli_report* r, cli_json* j);
/// "ledger/potential/spring"; to be freed.
char* cli_ledger_path(const sar_account* account);

/// Areas of what is stored and of what came in, over time, one above the other.
typedef struct cli_ledger_areas {
    cli_panel panel[CLI_LEDGER_PANELS];
    cli_series* series;
    cli_words names;
    double* numbers;
} cli_ledger_areas;
/// Of a record that keeps accounts.
void cli_ledger_areas_of(const cli_record* record, const double* time, cli_ledger_areas* out);
void cli_ledger_areas_clear(cli_ledger_areas* areas);

#endif
