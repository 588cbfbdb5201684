#include "common/files/result_file.h"

#include "common/files/inputs.h"
#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A result is read in seconds. Larger ones get more time: this many bytes a second are slow. */
enum { SECONDS = 20, BYTES_PER_SECOND = 1 << 22 };
enum { GOOD = 0, TOO_LARGE = 3 };

static int is_hdf5(const char* path)
{
    const char* ending = strrchr(path, '.');
    return ending && (strcasecmp(ending, ".h5") == 0 || strcasecmp(ending, ".hdf5") == 0);
}

/* A damaged file may claim any size. Sanitizers reserve terabytes, so that they cannot be limited.
 */
static void limit_memory(off_t size)
{
#ifndef __SANITIZE_ADDRESS__
    rlim_t most = ((rlim_t)2 << 30) + 16 * (rlim_t)size;
    setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
#else
    (void)size;
#endif
}

typedef sar_status (*reader)(const char* path, sar_result** out, sar_error* error);

/* The child: reads as the parent will. What libraries print before they give up is not shown. */
static _Noreturn void try_to_read(const char* path, off_t size, reader read)
{
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    limit_memory(size);
    signal(SIGALRM, SIG_DFL);
    alarm(SECONDS + (unsigned)(size / BYTES_PER_SECOND));
    sar_result* result = NULL;
    sar_status status = read(path, &result, NULL);
    sar_result_destroy(result);
    _exit(status == SAR_E_NOMEM ? TOO_LARGE : GOOD);
}

/* NULL, or what went wrong. A child is a copy of its parent: what it survives, the parent does. */
static const char* trial(const char* path, reader read)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return NULL; // the reader says more
    pid_t child = fork();
    if (child == 0) try_to_read(path, about.st_size, read);
    int how = 0;
    while (child > 0 && waitpid(child, &how, 0) < 0 && errno == EINTR) {
    }
    if (child < 0) return NULL; // no process to spare
    if (WIFEXITED(how) && WEXITSTATUS(how) == GOOD) return NULL;
    if (WIFEXITED(how) && WEXITSTATUS(how) == TOO_LARGE) return "it claims to be larger than it is";
    if (WIFSIGNALED(how) && WTERMSIG(how) == SIGALRM) return "reading it does not come to an end";
    return "the HDF5 library breaks down over it";
}

static void warn_unfinished(const char* path, const sar_result* result)
{
    const char* verdict = sar_result_attribute(result, "verdict");
    if (verdict && strcmp(verdict, "unfinished") == 0)
        cli_warning(NULL, "%s is unfinished: its run is still going on, or was stopped", path);
}

static sar_status read_by(reader read, const char* path, sar_result** result, sar_error* error)
{
    *result = NULL;
    cli_inputs_add(path);
    const char* why = NULL;
    if (is_hdf5(path)) {
        const sar_status ready = sar_result_prepare(path, error); // once, not in every child
        if (ready != SAR_OK) return ready;
        why = trial(path, read);
    }
    if (!why) {
        sar_status status = read(path, result, error);
        if (status == SAR_OK) warn_unfinished(path, *result);
        return status;
    }
    snprintf(error->message, sizeof error->message, "%s is damaged: %s", path, why);
    return error->status = SAR_E_IO;
}

sar_status cli_result_read(const char* path, sar_result** result, sar_error* error)
{
    return read_by(sar_result_read, path, result, error);
}

sar_status cli_result_read_all(const char* path, sar_result** result, sar_error* error)
{
    return read_by(sar_result_read_all, path, result, error);
}
