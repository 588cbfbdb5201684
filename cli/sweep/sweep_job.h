/* The command sweep: what was asked for, and what there is of it. */
#ifndef CLI_SWEEP_JOB_H
#define CLI_SWEEP_JOB_H

#include "common/progress.h"
#include "sweep/journal.h"
#include "sweep/pool.h"
#include "sweep/sweep.h"

enum { CLI_MOST_AXES = 16 };

typedef struct cli_sweep_request {
    cli_words vary;
    const char *output, *plot, *valid;
    int jobs, json, quiet, restart, times;
} cli_sweep_request;

typedef struct cli_sweep_job {
    cli_sweep_request want;
    cli_setup setup;
    sar_grid* grid;
    cli_conditions conditions;
    cli_sweep sweep;
    cli_ranks ranks;
    cli_journal journal;
    cli_pool* pool;
    cli_progress progress;
    long* open; ///< points to compute
    long open_count, computed, valid_now;
    int written;       ///< the table is
    const char* drawn; ///< the picture, if there is one
    int64_t began;
} cli_sweep_job;

/// The settings of a point of the grid.
void cli_sweep_choices(const sar_grid* grid, long point, cli_choice* choices);

void cli_sweep_print(const cli_sweep_job* j, FILE* out);
void cli_sweep_print_json(const cli_sweep_job* j, int outcome);
void cli_sweep_say_interrupted(const cli_sweep_job* j);

#endif
