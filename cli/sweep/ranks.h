/* The processes of an MPI job. The program itself does not link MPI: it has to run where there is
 * none, and starts a little faster. Only when mpirun, mpiexec or srun started it does it load the
 * module that does (cli/mpi/module.c). */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <stdint.h>

enum { CLI_MESSAGE = 2048 }; ///< longest message, with its end

/// What the module offers, under the name CLI_RANKS_SYMBOL.
typedef struct cli_ranks_link {
    int (*begin)(int* rank, int* size); ///< 0, or -1
    void (*send)(int to, const char* text);
    int (*receive)(char* text, int size, int* from); ///< 1 if there was a message; does not wait
    void (*end)(void);
} cli_ranks_link;

#define CLI_RANKS_SYMBOL "cli_ranks_module"

typedef struct cli_ranks {
    const cli_ranks_link* link; ///< NULL: no MPI
    int rank, size;             ///< 0 and 1 without MPI
    int error_file;             ///< where rank > 0 keeps its messages until they are asked for
    int error_output;           ///< what stderr was
} cli_ranks;

/// Join the job, if there is one. Ranks other than 0 are silent from here on. 0, or the exit code
/// after a message.
int cli_ranks_begin(cli_ranks* ranks, const char* command);

/// All ranks meet when they are ready: `outcome` is CLI_GO_ON or an exit code, `identity` has to be
/// the same everywhere. @return CLI_GO_ON if all agree; else the exit code, after a message of rank
/// 0 that says which rank could not go on and why.
int cli_ranks_agree(cli_ranks* ranks, const char* command, int outcome, uint64_t identity);

void cli_ranks_end(cli_ranks* ranks);

#endif
