/* The record of a run: which times, which quantities, and where they go (a file, standard output,
 * memory for a plot). */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "common/files/rows.h"
#include "common/text.h"
#include "run/reference_run.h"

#include "sarrus/drawing.h"
#include "sarrus/energy.h"
#include "sarrus/quantities.h"
#include "sarrus/result.h"
#include "sarrus/run.h"

enum {
    CLI_RECORD_ROWS = 10000,   ///< maximum number of rows at the steps, about
    CLI_RECORD_HOLD = 1 << 30, ///< [bytes]
    CLI_RECORD_POSES = 64,     ///< rows of poses, at most
    CLI_RECORD_BODIES = 500,   ///< a plot shows no more of them
};

/// When rows are stored. `all`: they hold more than the outputs, which only exists at the steps.
sar_sampling cli_record_sampling(const sar_options* options, int all);

/// A quantity of a body, of a joint or of the run.
typedef struct cli_record_part {
    const sar_quantity* quantity;
    int k, width;
} cli_record_part;

typedef struct cli_record {
    const sar_model* model;
    int outputs, all;
    int rates;             ///< columns of rates behind these
    int* rate;             ///< their outputs
    double* rate_values;   ///< of all outputs
    int errors;            ///< columns of estimated errors behind the outputs: as many, or 0
    cli_record_part* more; ///< what `all` adds
    int more_count;
    int width;   ///< numbers in a row
    double* row; ///< time, the outputs, and with `all` the rest
    cli_rows to;
    sar_account* account; ///< of the energy ledger, if that was asked for
    int accounts;
    sar_signal drift; ///< of the energy
    int keep;         ///< rows stay in memory too: time, outputs, energy drift, accounts
    double* kept;     ///< row after row
    int kept_width;
    double* poses; ///< of all bodies in some of those rows, for a drawing; NULL: none
    int pose_rows, pose_stride;
    long capacity, rows;
    double* held;         ///< rows that wait for cli_record_write, or NULL
    long doubtful;        ///< rows in which a quantity has no finite value
    long undefined;       ///< rows in which an output has none, ...
    int undefined_output; ///< ... the first of them: which,
    double undefined_at;  ///< and when
} cli_record;

typedef struct cli_record_def {
    const sar_model* model;
    sar_simulation* simulation; ///< assembled
    const char* path;           ///< NULL: no file; "-": standard output
    int all, errors, keep;
    int rates; ///< in CSV too
    int holds;
    int ledger; ///< with the accounts of energy
} cli_record_def;

/// If it `holds`, storing a row neither writes nor allocates:
/// rows wait in memory for cli_record_write. SAR_OK, SAR_E_ARG if they would take more than
/// CLI_RECORD_HOLD, or what sar_writer_open says. With `errors` rows have a column NAME.error for
/// every output; these are known at the end (cli_record_fill), so it has to hold. HDF5 files have the
/// rates of outputs as far as they are known.
sar_status cli_record_open(cli_record* record, const cli_record_def* def,
                           const sar_sampling* sampling, sar_error* error);
int cli_record_stores(const cli_record* record); ///< does it have a use for rows?
/// Store the outputs at time t, now or within the last step. What has no value there is NaN and
/// makes the row a doubtful one.
sar_status cli_record_store(cli_record* record, sar_simulation* simulation, double t);
/// The errors of the rows that it holds.
void cli_record_fill(cli_record* record, const cli_reference_run* reference);
sar_status cli_record_write(cli_record* record); ///< what it holds
void cli_record_clear(cli_record* record);

#endif
