#include "sweep/ranks.h"

#include "common/options.h"
#include "common/text.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef SARRUS_MPI_FOLDER
#define SARRUS_MPI_FOLDER "../lib/sarrus" // from the program's folder, when installed
#endif

/* ---- are we in a job? ----------------------------------------------------------------------- */

static int number_in_environment(const char* name, int otherwise)
{
    const char* text = getenv(name);
    return text && *text ? atoi(text) : otherwise;
}

/// Open MPI's mpirun; Hydra, and srun with pmi2; srun with pmix.
static int in_a_job(void)
{
    return number_in_environment("OMPI_COMM_WORLD_SIZE", 1) > 1 ||
           number_in_environment("PMI_SIZE", 1) > 1 ||
           (getenv("PMIX_RANK") && number_in_environment("SLURM_STEP_NUM_TASKS", 1) > 1);
}

static int probably_first(void)
{
    return number_in_environment("OMPI_COMM_WORLD_RANK", 0) <= 0 &&
           number_in_environment("PMI_RANK", 0) <= 0 && number_in_environment("PMIX_RANK", 0) <= 0;
}

/* ---- the module ----------------------------------------------------------------------------- */

/// Beside the program in a build, in the library folder when installed.
static void* load_module(void)
{
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    char* slash = strrchr(program, '/');
    if (slash) *slash = 0;
#ifdef SARRUS_MPI_SONAME // which the module does not ask for itself
    if (!dlopen(SARRUS_MPI_SONAME, RTLD_NOW | RTLD_GLOBAL)) {
        if (probably_first()) cli_warning(NULL, "%s", dlerror());
        return NULL;
    }
#endif
    const char* const folders[] = {".", SARRUS_MPI_FOLDER};
    void* module = NULL;
    for (int k = 0; k < 2 && !module; k++) {
        char* path = cli_format("%s/%s/sarrus-mpi.so", program, folders[k]);
        // the plug-ins of MPI search for its symbols in the program
        if (access(path, R_OK) == 0) module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (access(path, R_OK) == 0 && !module && probably_first())
            cli_warning(NULL, "%s", dlerror());
        free(path);
    }
    return module;
}

static int refuse(const char* command)
{
    if (!probably_first()) return CLI_USAGE;
    cli_error(command, "started as several processes by MPI, but this build of Sarrus has no MPI");
    cli_hint("Build it with -DSARRUS_WITH_MPI=ON, or start it once: --jobs uses the cores of a "
             "machine.");
    return CLI_USAGE;
}

/* ---- silence of the others ------------------------------------------------------------------ */

static void keep_silent(cli_ranks* r)
{
    FILE* file = tmpfile();
    r->error_output = dup(STDERR_FILENO);
    r->error_file = file ? fileno(file) : open("/dev/null", O_RDWR);
    dup2(r->error_file, STDERR_FILENO);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
}

/// What was kept, in one line.
static void read_errors(const cli_ranks* r, char* text, size_t size)
{
    fflush(stderr);
    ssize_t got = pread(r->error_file, text, size - 1, 0);
    text[got > 0 ? got : 0] = 0;
    for (char* c = text; *c; c++)
        if (*c == '\n') *c = ' ';
}

int cli_ranks_begin(cli_ranks* r, const char* command)
{
    *r = (cli_ranks){.size = 1, .error_file = -1, .error_output = -1};
    if (!in_a_job()) return 0;
    void* module = load_module();
    r->link = module ? dlsym(module, CLI_RANKS_SYMBOL) : NULL;
    if (!r->link) return refuse(command);
    if (r->link->begin(&r->rank, &r->size) != 0) {
        r->link = NULL;
        if (probably_first()) cli_error(command, "MPI cannot start");
        return CLI_FAILED;
    }
    if (r->rank > 0) keep_silent(r);
    return 0;
}

/* ---- agreement ------------------------------------------------------------------------------ */

static void wait_for_message(const cli_ranks* r, char* text, int* from)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    while (!r->link->receive(text, CLI_MESSAGE, from)) nanosleep(&pause, NULL);
}

/// Of rank > 0.
static int report_and_wait(cli_ranks* r, int outcome, uint64_t identity)
{
    char text[CLI_MESSAGE] = "", host[256] = "", errors[1024];
    int from;
    gethostname(host, sizeof host - 1);
    read_errors(r, errors, sizeof errors);
    if (outcome == CLI_GO_ON)
        snprintf(text, sizeof text, "ready %016" PRIx64 " %s", identity, host);
    else
        snprintf(text, sizeof text, "rank %d on %s: %s", r->rank, host, errors);
    dup2(r->error_output, STDERR_FILENO);
    r->link->send(0, text);
    wait_for_message(r, text, &from);
    return strcmp(text, "go") == 0 ? CLI_GO_ON : outcome == CLI_GO_ON ? CLI_DONE : outcome;
}

/// Of rank 0: one message about the first rank that cannot go on.
static int hear_all(const cli_ranks* r, const char* command, int outcome, uint64_t identity)
{
    char text[CLI_MESSAGE], wanted[32];
    snprintf(wanted, sizeof wanted, "ready %016" PRIx64 " ", identity);
    for (int k = 1; k < r->size; k++) {
        int from;
        wait_for_message(r, text, &from);
        if (outcome != CLI_GO_ON) continue; // said already
        if (strncmp(text, wanted, strlen(wanted)) == 0) continue;
        outcome = CLI_FAILED;
        if (strncmp(text, "ready ", 6) == 0)
            cli_error(command,
                      "rank %d on %s has another model, reference or program: all ranks have to "
                      "see the same files",
                      from, text + strlen(wanted));
        else
            cli_error(command, "%s", text);
    }
    for (int k = 1; k < r->size; k++) r->link->send(k, outcome == CLI_GO_ON ? "go" : "stop");
    return outcome;
}

int cli_ranks_agree(cli_ranks* r, const char* command, int outcome, uint64_t identity)
{
    if (!r->link) return outcome;
    return r->rank > 0 ? report_and_wait(r, outcome, identity)
                       : hear_all(r, command, outcome, identity);
}

void cli_ranks_end(cli_ranks* r)
{
    if (r->link) r->link->end();
    r->link = NULL;
}
