/* The report of a run: as text, and as the JSON object that other programs rely on. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "common/summary.h"
#include "common/timing.h"
#include "run/accuracy.h"
#include "run/realtime.h"
#include "run/reference_run.h"

#include "sarrus/energy.h"
#include "sarrus/simulation.h"

enum { CLI_NOTES = 64 }; ///< forces outside of their range, as far as they are listed

typedef struct cli_report {
    const char* status; ///< "completed", "failed", "interrupted", "cannot assemble", "invalid"
    const char* model;  ///< its name, or what was asked for if it could not be read
    const char* preset; ///< NULL if none was given
    char reason[200];   ///< why the automatic method is what it is; empty: it is not
    sar_options options;
    int has_run; ///< the fields from here on mean something
    sar_statistics statistics;
    sar_rank rank;
    cli_words not_unique;         ///< joints whose reactions are not
    cli_words not_unique_outputs; ///< and outputs
    const char* split;            ///< how they are split
    sar_account* accounts;        ///< of the energy ledger
    int account_count;
    const sar_event *passes, *branches;
    int pass_count, branch_count;
    cli_words pass_nodes;    ///< their nodes of the map, "" where not known; empty: no map was made
    const sar_model* phased; ///< the model if it has phases, else NULL
    const sar_switch* switches;
    sar_note note[CLI_NOTES];          ///< forces outside of their range
    int note_count;                    ///< all of them
    const sar_model* model_of_impacts; ///< NULL: there were none
    const sar_impact* impacts;
    int impact_count;
    long impact_total;
    int switch_count;
    double reached; ///< time of the last good step [s]
    cli_timing timing;
    const cli_realtime* realtime;       ///< NULL: not paced by the clock
    const cli_reference_run* reference; ///< NULL: it has nothing to say
    const char* uncertified;            ///< why that is, or NULL
    cli_accuracy accuracy;              ///< that was to be reached; wanted 0: none
    double total;        ///< wall time of everything: reading, assembly, steps, output [s]
    const char* failure; ///< cause and remedy, or NULL
    const sar_assembly* assembly;
    cli_words warnings;
    int doubtful;       ///< some warning says that the motion is not to be trusted
    const char* output; ///< the file written, or NULL
    int incomplete;     ///< it could not be written to the end
    long rows;          ///< in the file
    const char* plot;   ///< likewise
} cli_report;

void cli_report_json(const cli_report* report, FILE* out);
void cli_report_print(const cli_report* report, FILE* out);

#endif
