/* A problem for a library of benchmarks: what its files are made of. */
#ifndef CLI_EXPORT_H
#define CLI_EXPORT_H

#include "sweep/setup.h"

typedef struct cli_export {
    const char *model, *folder, *author;
    cli_setup setup;
    cli_words columns; ///< variables of interest
    sar_options options;
    sar_trial trial;
    sar_result* history;
    double mean, spread; ///< CPU time of the runs [s]
    double index;        ///< of the machine
} cli_export;

/* sheet.c */

/// The description: data, start, error, conditions, columns. 0, or -1 with errno.
void cli_export_sheet(const cli_export* x, FILE* out);
/// Accuracy, efficiency, method and machine of our solution; likewise.
void cli_export_solution(const cli_export* x, FILE* out);
/// The reference over time; likewise.
void cli_export_curves(const cli_export* x, FILE* out);

/// Million multiply-adds a second of Gaussian elimination on a full matrix of order 100, in C: the faster
/// the machine the larger.
double cli_export_machine_index(void);

/* iftomm.c */
int cli_export_iftomm(int argc, char** argv); ///< the command with --iftomm: its exit code

#endif
