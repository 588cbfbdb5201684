/* What a run keeps: which steps, which quantities, and where they go (a file, standard output, the
 * memory for a plot). */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "text.h"

#include "sarrus/result.h"
#include "sarrus/simulation.h"

/* ---- which steps -------------------------------------------------------------------------- */

/// Rows at start + k * interval, each at the nearest step; or every `stride`-th step.
typedef struct cli_sampling {
    double start, step, interval; ///< interval 0: by stride
    double direction;             ///< -1 for a run backwards in time
    double next;                  ///< index of the next row wanted by interval
    long stride;
    long expected; ///< rows of a complete run, a guess to size arrays
} cli_sampling;

cli_sampling cli_sampling_of(const sar_options* options);
/// Is the state after `steps` steps, at time t, to be stored? Ask once per step, in order.
int cli_sampling_wants(cli_sampling* sampling, long steps, double t);

/* ---- what and where ----------------------------------------------------------------------- */

typedef struct cli_record {
    const sar_model* model;
    int outputs, all;
    int width;          ///< numbers in a row
    double* row;        ///< time, the outputs, and with `all` the rest
    sar_writer* writer; ///< NULL: no file
    FILE* stream;       ///< CSV on standard output, or NULL
    int keep;           ///< rows stay in memory too: time, outputs, energy drift
    double* kept;       ///< row after row
    int kept_width;
    long capacity, rows;
    long doubtful; ///< rows in which a quantity has no finite value
    double energy; ///< at the start
} cli_record;

/// `path` may be NULL (no file) or "-". SAR_OK, or what sar_writer_open says.
sar_status cli_record_open(cli_record* record, const sar_model* model, const char* path, int all,
                           int keep, long expected, sar_error* error);
/// Store the present state. What has no value there is NaN and makes the row a doubtful one.
sar_status cli_record_store(cli_record* record, sar_simulation* simulation);
void cli_record_attribute(cli_record* record, const char* name, const char* text);
/// Closes the file; the kept rows stay until cli_record_clear.
sar_status cli_record_close(cli_record* record, sar_error* error);
void cli_record_clear(cli_record* record);

#endif
