/* One line on stderr that shows how far a run, or a list of runs, is; nothing unless stderr is a
 * terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdint.h>

typedef struct cli_progress {
    int shown;           ///< this run shows a line at all
    int drawn;           ///< there is one to wipe
    double start, end;   ///< simulated time [s], or runs
    int64_t began, next; ///< wall clock [ns]
} cli_progress;

cli_progress cli_progress_begin(double start, double end, int wanted);
/// Cheap unless a tenth of a second has gone by. `now` is cli_clock().
void cli_progress_update(cli_progress* progress, int64_t now, double t, long steps);
/// The same for a list of runs: begun with 0 and the number of runs. `done` counts those of now.
void cli_progress_points(cli_progress* progress, int64_t now, long done, const char* note);
/// The number so far, if the total is unknown.
void cli_progress_count(cli_progress* progress, int64_t now, long done, const char* note);
void cli_progress_end(cli_progress* progress); ///< wipes the line

#endif
