/* Worker processes that answer requests, one line of text each: on this machine by fork, on others
 * as ranks of an MPI job. Processes and not threads: a point at which the program crashes or runs
 * out of memory costs that point only. The answers come in any order; each depends on its request
 * alone.
 */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include "sweep/ranks.h"

#include <stddef.h>

enum { CLI_REQUEST = 256, CLI_ANSWER = 1200 }; ///< longest, with their ends

typedef struct cli_pool_def {
    int jobs; ///< worker processes of each rank; 0: one per core, in an MPI job one
    const cli_ranks* ranks;
    /// In a worker: answer a request in one line.
    void (*work)(void* context, char* request, char answer[CLI_ANSWER]);
    void* context;
} cli_pool_def;

typedef struct cli_pool cli_pool;

enum { CLI_MOST_JOBS = 1024 }; ///< that --jobs may ask for

cli_pool* cli_pool_create(const cli_pool_def* def);
void cli_pool_destroy(cli_pool* pool);   ///< ends the workers, whatever they do, and other ranks
int cli_pool_jobs(const cli_pool* pool); ///< workers of all ranks

typedef struct cli_pool_batch {
    long count;
    /// The text of request k.
    void (*request)(void* context, long k, char* text, size_t size);
    /// Called in this process, in any order. `answer` NULL: the worker crashed, `reason` says how.
    /// Anything but 0 ends the batch.
    int (*take)(void* context, long k, const char* answer, const char* reason);
    void (*tick)(void* context); ///< called from time to time; may be NULL
    void* context;
} cli_pool_batch;

/// In rank 0. 0; CLI_INTERRUPTED; or what `take` said. After that only destroy the pool.
int cli_pool_run(cli_pool* pool, const cli_pool_batch* batch);

/// In the other ranks: work until rank 0 destroys its pool. 0 or CLI_INTERRUPTED.
int cli_pool_serve(cli_pool* pool);

#endif
