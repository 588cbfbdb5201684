/* Output of rows of numbers: to a result file, or as CSV to standard output. */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include "sarrus/result.h"

#include <stdio.h>

typedef struct cli_rows {
    sar_writer* writer; ///< NULL: no file
    FILE* stream;       ///< standard output, or NULL
    int columns;        ///< that it shows: time and the outputs
    long count;         ///< rows so far
    long filed;         ///< when closed: rows in the file; -1 for standard output: unknown
    double filed_t;     ///< time of the last of them
} cli_rows;

/// `path` may be NULL (nowhere) or "-". What sar_writer_open says.
sar_status cli_rows_open(cli_rows* rows, const char* path, const sar_dataset* sets, int count,
                         sar_error* error);
sar_status cli_rows_add(cli_rows* rows, const double* row);
void cli_rows_attribute(cli_rows* rows, const char* name, const char* text);
/// Everything so far, attributes too, is in the file.
sar_status cli_rows_flush(cli_rows* rows, sar_error* error);
/// Says in `filed` and `filed_t` what is in the file.
sar_status cli_rows_close(cli_rows* rows, sar_error* error);

#endif
