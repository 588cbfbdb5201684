#include "sweep/journal.h"

#include "common/command.h"
#include "common/timing.h"
#include "sweep/setup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char title[] = "sarrus sweep journal 1\n";
static const int64_t sync_interval = 1000000000; // [ns]

/* ---- the head ------------------------------------------------------------------------------- */

static char* write_head(const cli_journal_piece* pieces, int count)
{
    char* head = cli_format("%s", title);
    for (int k = 0; k < count; k++) {
        cli_append(&head, "%s %016" PRIx64 "\n", pieces[k].name, pieces[k].hash);
    }
    return head;
}

/// Which pieces are not those of `text`: "the model and the method".
static char* differences(const char* text, const cli_journal_piece* pieces, int count)
{
    char* list = cli_format("%s", "");
    for (int k = 0; k < count; k++) {
        char* line = cli_format("\n%s %016" PRIx64 "\n", pieces[k].name, pieces[k].hash);
        if (!strstr(text, line)) {
            cli_append(&list, "%s%s", *list ? ", " : "", pieces[k].text);
        }
        free(line);
    }
    return list;
}

/* ---- the points ----------------------------------------------------------------------------- */

/// "CHECKSUM POINT OUTCOME\n"
static char* write_line(long point, const char* outcome)
{
    char* body = cli_format("%ld %s", point, outcome);
    char* line = cli_format("%016" PRIx64 " %s\n", cli_hash_text(CLI_HASH_START, body), body);
    free(body);
    return line;
}

/// Take over one line, which has been cut off at its end. 0, or -1 if it is damaged.
static int read_line(char* line, const cli_journal_keeper* keeper)
{
    char* body;
    uint64_t checksum = strtoull(line, &body, 16);
    if (body != line + 16 || *body++ != ' ') return -1;
    if (checksum != cli_hash_text(CLI_HASH_START, body)) return -1;
    char* rest;
    long point = strtol(body, &rest, 10);
    cli_outcome outcome;
    if (*rest != ' ' || point < 0 || cli_outcome_read(rest + 1, &outcome) != 0) return -1;
    return keeper->keep(keeper->context, point, &outcome);
}

/// All good lines from `text` on. @return how many bytes they are
static size_t read_lines(char* text, const cli_journal_keeper* keeper)
{
    char* at = text;
    for (char* end; (end = strchr(at, '\n')); at = end + 1) {
        *end = 0;
        if (read_line(at, keeper) != 0) break;
    }
    return (size_t)(at - text);
}

/// Is a journal of another sweep, whose size we do not know, finished? Its last line says so.
static int is_finished(const char* text)
{
    const char* last = strstr(text, "\nfinished\n");
    return last && !last[strlen("\nfinished\n")];
}

/* ---- the file ------------------------------------------------------------------------------- */

static char* read_file(int file, size_t* length)
{
    off_t size = lseek(file, 0, SEEK_END);
    char* text = cli_allocate((size_t)(size > 0 ? size : 0) + 1, 1);
    *length = 0;
    for (ssize_t got; *length < (size_t)size; *length += (size_t)got) {
        got = pread(file, text + *length, (size_t)size - *length, (off_t)*length);
        if (got <= 0) break;
    }
    return text;
}

static int write_all(int file, const char* text)
{
    for (size_t left = strlen(text); left > 0;) {
        ssize_t put = write(file, text, left);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return -1;
        text += put;
        left -= (size_t)put;
    }
    return 0;
}

static int complain(const cli_journal* j, const char* command)
{
    cli_error(command, "cannot write the journal %s: %s", j->path, strerror(errno));
    return CLI_FAILED;
}

/// One program at a time. The lock goes with the process, however it ends.
static int lock(const cli_journal* j, const char* command)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(j->file, F_SETLK, &all) == 0) return 0;
    if (errno != EACCES && errno != EAGAIN) return 0; // a file system without locks
    cli_error(command, "another sarrus is writing %s; wait for it, or choose another file",
              j->path);
    return CLI_FAILED;
}

static int begin_anew(const cli_journal* j, const char* command, const char* head)
{
    if (ftruncate(j->file, 0) != 0 || write_all(j->file, head) != 0) return complain(j, command);
    return 0;
}

static int go_on(const cli_journal* j, const char* command, char* text, size_t head,
                 const cli_journal_keeper* keeper)
{
    size_t good = head + read_lines(text + head, keeper);
    return ftruncate(j->file, (off_t)good) == 0 ? 0 : complain(j, command);
}

static int refuse(const cli_journal* j, const char* command, const char* text,
                  const cli_journal_piece* pieces, int count)
{
    if (strncmp(text, title, strlen(title)) != 0) {
        cli_error(command, "%s is not a journal of this version of Sarrus", j->path);
    } else {
        char* list = differences(text, pieces, count);
        cli_error(command, "%s holds unfinished runs that differ in %s", j->path, list);
        free(list);
    }
    cli_hint("--restart discards it and starts again; another file keeps it.");
    return CLI_USAGE;
}

int cli_journal_open(cli_journal* j, const char* command, const char* output,
                     const cli_journal_piece* pieces, int count, int restart,
                     const cli_journal_keeper* keeper)
{
    j->path = cli_format("%s.journal", output);
    j->file = open(j->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (j->file < 0) return complain(j, command);
    if (lock(j, command) != 0) return CLI_FAILED;
    size_t length;
    char *text = read_file(j->file, &length), *head = write_head(pieces, count);
    size_t ours = strlen(head);
    int outcome;
    if (!restart && length >= ours && memcmp(text, head, ours) == 0)
        outcome = go_on(j, command, text, ours, keeper);
    else if (restart || (length < ours && memcmp(text, head, length) == 0) || is_finished(text))
        outcome = begin_anew(j, command, head); // also one that was killed in its head
    else
        outcome = refuse(j, command, text, pieces, count);
    free(text);
    free(head);
    return outcome;
}

int cli_journal_add(cli_journal* j, const char* command, long point, const char* outcome)
{
    if (j->file < 0) return 0;
    char* line = write_line(point, outcome);
    int failed = write_all(j->file, line);
    free(line);
    if (failed) return complain(j, command);
    int64_t now = cli_clock();
    if (now - j->synced < sync_interval) return 0;
    j->synced = now;
    return fdatasync(j->file) == 0 || errno == EINVAL ? 0 : complain(j, command);
}

int cli_journal_finish(cli_journal* j, const char* command)
{
    if (j->file < 0) return 0;
    if (write_all(j->file, "finished\n") != 0) return complain(j, command);
    return fdatasync(j->file) == 0 || errno == EINVAL ? 0 : complain(j, command);
}

void cli_journal_close(cli_journal* j)
{
    if (j->file >= 0) {
        fdatasync(j->file);
        close(j->file);
    }
    free(j->path);
    *j = (cli_journal){.file = -1};
}
