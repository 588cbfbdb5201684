#include "run/checkpoint.h"

#include "common/command.h"
#include "common/timing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION = 1 };
static const char MAGIC[8] = "SARCHECK";

/// What precedes the state in the file.
typedef struct header {
    char magic[8];
    int64_t version, size; ///< size: of this structure
    int64_t rows, width;   ///< in FILE.rows
    int64_t state;         ///< bytes
    sar_run run;
    int64_t doubtful, undefined, undefined_output;
    double undefined_at;
} header;

static int complain(const cli_checkpoint* c, const char* what)
{
    cli_error("run", "--checkpoint %s: %s", c->path, what);
    return CLI_FAILED;
}

int cli_checkpoint_every(cli_checkpoint* c, const char* text)
{
    static const struct {
        const char* word;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}};
    char* end;
    c->every = strtod(text, &end);
    for (size_t k = 0; k < sizeof units / sizeof *units && end != text && c->every > 0; k++)
        if (strcmp(end, units[k].word) == 0) {
            c->every *= units[k].seconds;
            return 0;
        }
    cli_error("run", "--every %s: expected a time, as in 60s or 5min", text);
    return CLI_USAGE;
}

int cli_checkpoint_check(const cli_checkpoint* c)
{
    struct stat about;
    if (!c->path && (c->resume || c->every > 0)) {
        cli_error("run", "--resume and --every belong to --checkpoint FILE");
        return CLI_USAGE;
    }
    if (!c->path || stat(c->path, &about) != 0 || c->resume) return 0;
    cli_error("run",
              "--checkpoint %s: there is such a file. Go on from it with --resume, or remove it",
              c->path);
    return CLI_USAGE;
}

/* ---- writing -------------------------------------------------------------------------------- */

/// Everything is on the disk.
static int flush_to_disk(FILE* file)
{
    return fflush(file) == 0 && fsync(fileno(file)) == 0;
}

static int write_file(const char* path, const header* h, const void* state)
{
    FILE* file = fopen(path, "wb");
    if (!file) return 0;
    int ok = fwrite(h, sizeof *h, 1, file) == 1 && fwrite(state, (size_t)h->state, 1, file) == 1 &&
             flush_to_disk(file);
    return fclose(file) == 0 && ok;
}

/// First the rows, then, at once, the state that counts them.
static int write_all(cli_checkpoint* c, header* h, void* state)
{
    char* part = cli_format("%s.part", c->path);
    const int ok =
        flush_to_disk(c->rows) && write_file(part, h, state) && rename(part, c->path) == 0;
    const int why = errno;
    if (!ok) unlink(part);
    free(part);
    return ok ? 0 : complain(c, strerror(why));
}

static void plan_next(cli_checkpoint* c)
{
    c->next = cli_clock() + (int64_t)(1e9 * (c->every > 0 ? c->every : 60.0));
}

int cli_checkpoint_step(cli_checkpoint* c, const sar_run* run, const cli_record* record, int now)
{
    if (!c->path || (!now && cli_clock() < c->next)) return 0;
    header h = {.version = VERSION,
                .size = sizeof h,
                .rows = record->rows,
                .width = record->width,
                .run = *run,
                .doubtful = record->doubtful,
                .undefined = record->undefined,
                .undefined_output = record->undefined_output,
                .undefined_at = record->undefined_at};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    size_t length = 0;
    sar_error error = {0};
    if (sar_simulation_save(run->simulation, NULL, 0, &length, &error) != SAR_OK)
        return complain(c, error.message);
    void* state = cli_allocate(length, 1);
    sar_status status = sar_simulation_save(run->simulation, state, length, &length, &error);
    h.state = (int64_t)length;
    int outcome = status == SAR_OK ? write_all(c, &h, state) : complain(c, error.message);
    free(state);
    plan_next(c);
    return outcome;
}

void cli_checkpoint_row(cli_checkpoint* c, const cli_record* record)
{
    if (c->rows) fwrite(record->row, sizeof(double), (size_t)record->width, c->rows);
}

/* ---- reading -------------------------------------------------------------------------------- */

/// The state, to be freed; NULL after a message.
static void* read_state(const cli_checkpoint* c, const cli_record* record, header* h)
{
    FILE* file = fopen(c->path, "rb");
    void* state = NULL;
    struct stat about;
    const char* wrong = NULL;
    if (!file) {
        wrong = strerror(errno);
    } else if (fread(h, sizeof *h, 1, file) != 1 || memcmp(h->magic, MAGIC, sizeof MAGIC) != 0 ||
               h->version != VERSION || h->size != (int64_t)sizeof *h) {
        wrong = "this is not a checkpoint of this version";
    } else if (fstat(fileno(file), &about) != 0 ||
               h->state != (int64_t)about.st_size - (int64_t)sizeof *h || h->state <= 0) {
        wrong = "the checkpoint is incomplete";
    } else if (h->width != record->width) {
        wrong = "it was written with other outputs, or another output file (-o, --all)";
    } else {
        state = cli_allocate((size_t)h->state, 1);
        if (fread(state, (size_t)h->state, 1, file) != 1) wrong = "it cannot be read";
    }
    if (file) fclose(file);
    if (wrong) {
        complain(c, wrong);
        free(state);
        return NULL;
    }
    return state;
}

/// The rows so far to the new file, and to nothing else: 0, or CLI_FAILED after a message.
static int repeat_rows(cli_checkpoint* c, const header* h, cli_record* record)
{
    for (int64_t k = 0; k < h->rows; k++) {
        if (fread(record->row, sizeof(double), (size_t)record->width, c->rows) !=
            (size_t)record->width)
            return complain(c, "rows are missing in the file beside it (.rows)");
        if (cli_rows_add(&record->to, record->row) != SAR_OK)
            return complain(c, "the rows so far cannot be written");
    }
    const long end = (long)(h->rows * h->width * (int64_t)sizeof(double));
    if (fseek(c->rows, end, SEEK_SET) != 0 || ftruncate(fileno(c->rows), end) != 0)
        return complain(c, strerror(errno));
    record->rows = (long)h->rows;
    record->doubtful = (long)h->doubtful;
    record->undefined = (long)h->undefined;
    record->undefined_output = (int)h->undefined_output;
    record->undefined_at = h->undefined_at;
    return 0;
}

static int go_on(cli_checkpoint* c, const sar_model* model, const sar_options* options,
                 sar_simulation** simulation, sar_run* run, cli_record* record)
{
    header h;
    void* state = read_state(c, record, &h);
    if (!state) return CLI_FAILED;
    sar_simulation* loaded = NULL;
    sar_error error = {0};
    const sar_status status =
        sar_simulation_load(model, options, state, (size_t)h.state, &loaded, &error);
    free(state);
    if (status != SAR_OK) return complain(c, error.message);
    sar_simulation_destroy(*simulation);
    *simulation = loaded;
    *run = h.run;
    run->simulation = loaded;
    c->resumed = 1;
    return repeat_rows(c, &h, record);
}

int cli_checkpoint_begin(cli_checkpoint* c, const sar_model* model, const sar_options* options,
                         sar_simulation** simulation, sar_run* run, cli_record* record)
{
    if (!c->path) return 0;
    struct stat about;
    const int goes_on = c->resume && stat(c->path, &about) == 0;
    char* beside = cli_format("%s.rows", c->path);
    c->rows = fopen(beside, goes_on ? "r+b" : "w+b");
    free(beside);
    if (!c->rows) return complain(c, strerror(errno));
    plan_next(c);
    return goes_on ? go_on(c, model, options, simulation, run, record) : 0;
}

void cli_checkpoint_end(cli_checkpoint* c, int done)
{
    if (c->rows) fclose(c->rows);
    c->rows = NULL;
    if (!c->path || !done) return;
    char* beside = cli_format("%s.rows", c->path);
    unlink(c->path); // first: without its rows it would be of no use
    unlink(beside);
    free(beside);
}
