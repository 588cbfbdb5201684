/* --checkpoint FILE: the state of a run in a file from time to time, and --resume: go on from it. Rows
 * that were stored until then lie beside it, in FILE.rows, so that results of any format begin again
 * with the same rows. */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "run/record.h"

#include <stdint.h>
#include <stdio.h>

typedef struct cli_checkpoint {
    const char* path; ///< NULL: none
    double every;     ///< [s] of wall time; 0: 60
    int resume;
    int resumed; ///< the run goes on from a file
    FILE* rows;
    int64_t next; ///< when the next one is due
} cli_checkpoint;

/// "90", "90s", "5min", "1h". 0, or CLI_USAGE after a message.
int cli_checkpoint_every(cli_checkpoint* c, const char* text);
/// Before anything is computed: is there a file already, or none to go on from? 0 or an exit code.
int cli_checkpoint_check(const cli_checkpoint* c);
/// Open the file of rows; if the run is to go on, its simulation, `run` and `record` become what they
/// were. 0, or an exit code after a message.
int cli_checkpoint_begin(cli_checkpoint* c, sar_run* run, cli_record* record);
void cli_checkpoint_row(cli_checkpoint* c, const cli_record* record); ///< was stored
/// After a step: write the state if it is time, or with `now` anyway. 0, or CLI_FAILED after a
/// message.
int cli_checkpoint_step(cli_checkpoint* c, const sar_run* run, const cli_record* record, int now);
/// The run is over. `done`: it is complete, and the files are removed.
void cli_checkpoint_end(cli_checkpoint* c, int done);

#endif
