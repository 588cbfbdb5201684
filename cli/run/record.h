/* What a run keeps: which times, which quantities, and where they go (a file, standard output, the
 * memory for a plot). */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "common/text.h"

#include "sarrus/result.h"
#include "sarrus/simulation.h"

/* ---- when ----------------------------------------------------------------------------------- */

/// Rows at start + k * interval; or at the steps themselves: every `stride`-th, or, when a method
/// chooses its step, those at least `spacing` apart.
typedef struct cli_sampling {
    double start, interval; ///< interval 0: at the steps
    double next;            ///< index of the next row wanted by interval
    double spacing, last;   ///< time of the last row
    long stride;
    int at_steps;  ///< rows that only a step has: the first at or after each time wanted
    double most;   ///< rows of a complete run, not less than there are
    long expected; ///< the same as far as arrays are sized for it
} cli_sampling;

/// `all`: whether rows hold more than the outputs, which only exists at the steps.
cli_sampling cli_sampling_of(const sar_options* options, int all);
/// The simulation is at t after `steps` steps. 1: a row is wanted at the time *at, now or within
/// the last step; ask again. 0: no more.
int cli_sampling_next(cli_sampling* sampling, long steps, double t, double* at);

/* ---- what and where ----------------------------------------------------------------------- */

enum { CLI_RECORD_HOLD = 1 << 30 }; ///< [bytes]

typedef struct cli_record {
    const sar_model* model;
    int outputs, all;
    int multipliers;    ///< that `all` includes
    int width;          ///< numbers in a row
    double* row;        ///< time, the outputs, and with `all` the rest
    sar_writer* writer; ///< NULL: no file
    FILE* stream;       ///< CSV on standard output, or NULL
    int keep;           ///< rows stay in memory too: time, outputs, energy drift
    double* kept;       ///< row after row
    int kept_width;
    long capacity, rows;
    double* held;   ///< rows that wait for cli_record_write, or NULL
    long doubtful;  ///< rows in which a quantity has no finite value
    double energy;  ///< at the start
    long filed;     ///< rows that are in the file; of standard output -1: nobody knows
    double filed_t; ///< time of the last of them
} cli_record;

/// `path` may be NULL (no file) or "-". If it `holds`, storing a row neither writes nor allocates:
/// rows wait in memory for cli_record_write. SAR_OK, SAR_E_ARG if they would take more than
/// CLI_RECORD_HOLD, or what sar_writer_open says.
sar_status cli_record_open(cli_record* record, const sar_model* model, const char* path, int all,
                           int multipliers, int keep, const cli_sampling* sampling, int holds,
                           sar_error* error);
/// Store the outputs at time t, now or within the last step. What has no value there is NaN and
/// makes the row a doubtful one.
sar_status cli_record_store(cli_record* record, sar_simulation* simulation, double t);
sar_status cli_record_write(cli_record* record); ///< what it holds
void cli_record_attribute(cli_record* record, const char* name, const char* text);
/// Everything so far, attributes too, is in the file.
sar_status cli_record_flush(cli_record* record, sar_error* error);
/// Closes the file and says in `filed` and `filed_t` what is in it; the rows in memory stay until
/// cli_record_clear.
sar_status cli_record_close(cli_record* record, sar_error* error);
void cli_record_clear(cli_record* record);

#endif
