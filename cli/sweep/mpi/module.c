/* The only file that knows MPI: short texts between the ranks of a job. Loaded by cli/ranks.c. */
#include "sweep/ranks.h"

#include <mpi.h>
#include <string.h>

static int begin(int* rank, int* size)
{
    int level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &level) != MPI_SUCCESS) return -1;
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    return 0;
}

static void send(int to, const char* text)
{
    MPI_Send(text, (int)strlen(text) + 1, MPI_CHAR, to, 0, MPI_COMM_WORLD);
}

static int receive(char* text, int size, int* from)
{
    MPI_Status status;
    int there, length;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    if (!there) return 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    if (length > size) MPI_Abort(MPI_COMM_WORLD, 1); // a defect: no message is that long
    MPI_Recv(text, length, MPI_CHAR, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *from = status.MPI_SOURCE;
    return 1;
}

static void end(void)
{
    MPI_Finalize();
}

__attribute__((visibility("default"))) extern const cli_ranks_link cli_ranks_module;
const cli_ranks_link cli_ranks_module = {begin, send, receive, end};
