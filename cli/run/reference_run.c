#include "run/reference_run.h"

#include "common/interrupt.h"
#include "common/method.h"
#include "common/summary.h"
#include "common/text.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SAMPLES = 1000,       ///< of a run, about
    SHORT_SAMPLES = 250,  ///< of one that was not asked for
    LONG_SAMPLES = 64,    ///< of it, if steps are long and samples are within them
    FEW_ROWS = 100,       ///< with fewer the certificate has samples of its own
    LOOK_EVERY = 16,      ///< steps
    WAIT_NS = 200 * 1000, ///< for the run's next sample
};
/// sar_simulation_work of about a second: a count, so that the same command always says the same.
static const double SHORT_WORK = 2e6;
static const double LEAST_SHOWN = 1e-12; ///< of a range: smaller differences are rounding

/// What both processes see. Arrays follow it: time and work, then the outputs of the run and of its
/// reference runs, and two rows of noise.
typedef struct shared {
    atomic_long rows;         ///< of the run so far
    atomic_int completed;     ///< there will be no more
    sar_reference_outcome by; ///< what the reference run found
} shared;

enum { TIME, WORK, RUN, COMPANION, SECOND, NOISE };

/// Why there is no certificate.
enum { SILENT_INTERRUPTED, SILENT_LONG, SILENT_FAILED };

struct cli_reference_run {
    cli_reference_run_def def;
    sar_sampling plan; ///< of its own samples, if rows are few
    int takes_rows;
    int most;   ///< samples, about
    int silent; ///< SILENT_..., if nothing is reported
    long capacity;
    int outputs;
    shared* both;
    size_t bytes;
    pid_t pid;    ///< 0: it has ended
    int reported; ///< the certificate means something
    sar_certificate certificate;
    double *errors, *ranges;
    long passes, branches; ///< of the run
};

/* One of the arrays. */
static double* array(const cli_reference_run* c, int which)
{
    double* first = (double*)((char*)c->both + (sizeof(shared) + 63) / 64 * 64);
    const long columns = which < RUN ? which : RUN + (long)(which - RUN) * c->outputs;
    return first + columns * c->capacity;
}

/* 0: the run has ended before this row. */
static int wait_for(void* context, int row)
{
    shared* both = context;
    const struct timespec pause = {.tv_nsec = WAIT_NS};
    while (atomic_load(&both->rows) <= row) {
        if (atomic_load(&both->completed) && atomic_load(&both->rows) <= row) return 0;
        nanosleep(&pause, NULL);
    }
    return 1;
}

/* As the library wants it. */
static sar_reference_run_def definition_of(const cli_reference_run* c)
{
    return (sar_reference_run_def){.model = c->def.model,
                                   .options = c->def.options,
                                   .coordinates =
                                       sar_simulation_rank(c->def.simulation).coordinates,
                                   .size = c->def.size,
                                   .accuracy = c->def.accuracy,
                                   .time = array(c, TIME),
                                   .values = array(c, RUN),
                                   .wait = wait_for,
                                   .context = c->both,
                                   .quick = c->def.wanted == CLI_CERTIFY_SHORT,
                                   .work = array(c, WORK),
                                   .reference = array(c, COMPANION),
                                   .second = array(c, SECOND),
                                   .noise = array(c, NOISE)};
}

/* ---- in the process of the run -------------------------------------------------------------- */

static void start(cli_reference_run* c)
{
    fflush(NULL); // or the other process would print it again
    const pid_t parent = getpid();
    c->pid = fork();
    if (c->pid != 0) return;
    signal(SIGINT, SIG_IGN); // Ctrl-C reaches it too: it is for the run to decide
    signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0); // it died meanwhile
    const sar_reference_run_def def = definition_of(c);
    sar_reference_run(&def, &c->both->by);
    _exit(0);
}

/* Samples at steps where the result has none, or few. */
static sar_sampling own_samples(const cli_reference_run* c)
{
    sar_options at_steps = *c->def.options;
    at_steps.sample = 0.0;
    const sar_sampling plan = sar_sampling_of(&at_steps, c->most);
    if (plan.interval == 0.0 || c->def.wanted != CLI_CERTIFY_SHORT) return plan;
    return sar_sampling_of(&at_steps, LONG_SAMPLES);
}

cli_reference_run* cli_reference_run_begin(const cli_reference_run_def* def)
{
    const int outputs = sar_model_outputs(def->model);
    if (def->wanted == CLI_CERTIFY_NO || outputs == 0) return NULL;
    cli_reference_run* c = cli_allocate(1, sizeof *c);
    c->def = *def;
    c->outputs = outputs;
    c->most = def->wanted == CLI_CERTIFY_SHORT ? SHORT_SAMPLES : SAMPLES;
    c->plan = own_samples(c);
    c->takes_rows = def->rows && def->rows->max_samples >= FEW_ROWS;
    c->capacity = (long)c->plan.max_samples + 2 * SAMPLES;
    c->bytes = sizeof(shared) + 64 +
               sizeof(double) * (size_t)(c->capacity * (RUN + 3 * outputs) + 2 * outputs);
    c->both = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->both == MAP_FAILED) {
        free(c);
        return NULL;
    }
    c->errors = cli_allocate((size_t)(c->capacity * outputs), sizeof(double));
    c->ranges = cli_allocate((size_t)outputs, sizeof(double));
    start(c);
    if (c->pid > 0) return c;
    cli_reference_run_end(c);
    return NULL;
}

static void stop(cli_reference_run* c)
{
    if (c->pid <= 0) return;
    kill(c->pid, SIGKILL);
    waitpid(c->pid, NULL, 0);
    c->pid = 0;
}

/* A sample of the run. */
static void note(cli_reference_run* c, double t, const double* values)
{
    const long i = atomic_load(&c->both->rows);
    double* row = array(c, RUN) + i * c->outputs;
    if (c->pid <= 0) return;
    if (i == c->capacity) {
        stop(c);
    } else if (values) {
        memcpy(row, values, (size_t)c->outputs * sizeof *row);
    } else if (sar_simulation_outputs_at(c->def.simulation, t, row) != SAR_OK) {
        stop(c);
    }
    if (c->pid <= 0) return;
    array(c, TIME)[i] = t;
    array(c, WORK)[i] = sar_simulation_work(c->def.simulation);
    atomic_store(&c->both->rows, i + 1);
}

void cli_reference_run_row(cli_reference_run* c, double t, const double* values)
{
    const long rows = atomic_load(&c->both->rows);
    const double spacing = (c->plan.end - c->plan.start) / c->most * (1.0 - 1e-9);
    if (!c->takes_rows) return;
    if (rows > 0 && t < array(c, TIME)[rows - 1] + spacing && t < c->plan.end) return;
    if (rows == 0 || t > array(c, TIME)[rows - 1]) note(c, t, values);
}

void cli_reference_run_step(cli_reference_run* c, long steps, double t)
{
    double at;
    while (!c->takes_rows && sar_sampling_next(&c->plan, steps, t, &at)) note(c, at, NULL);
    if (c->def.wanted != CLI_CERTIFY_SHORT || steps % LOOK_EVERY != 0 || c->pid <= 0) return;
    if (sar_simulation_work(c->def.simulation) <= SHORT_WORK) return;
    stop(c);
    c->silent = SILENT_LONG;
}

/* 1: it came to its end. Ctrl-C ends the wait. */
static int wait_for_end(cli_reference_run* c)
{
    int status = 0;
    while (waitpid(c->pid, &status, 0) < 0) {
        if (errno == EINTR && !cli_interrupted) continue;
        stop(c);
        return 0;
    }
    c->pid = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int cli_reference_run_finish(cli_reference_run* c)
{
    const sar_statistics statistics = sar_simulation_statistics(c->def.simulation);
    if (c->pid <= 0) return 0;
    atomic_store(&c->both->completed, 1);
    if (!wait_for_end(c)) return 0;
    c->silent = SILENT_FAILED;
    c->passes = statistics.singular_passes;
    c->branches = statistics.branch_changes;
    const sar_reference_run_def def = definition_of(c);
    c->reported = sar_reference_outcome_certify(&def, &c->both->by, &c->certificate, c->errors,
                                                c->ranges) == SAR_OK;
    return c->reported;
}

void cli_reference_run_end(cli_reference_run* c)
{
    if (!c) return;
    stop(c);
    munmap(c->both, c->bytes);
    free(c->errors);
    free(c->ranges);
    free(c);
}

/* ---- what it says --------------------------------------------------------------------------- */

const sar_certificate* cli_reference_run_certificate(const cli_reference_run* c)
{
    return c && c->reported ? &c->certificate : NULL;
}

int cli_reference_run_failed(const cli_reference_run* c)
{
    return !c->reported && c->silent == SILENT_FAILED;
}

const char* cli_reference_run_silence(const cli_reference_run* c)
{
    if (c->reported) return NULL;
    if (c->silent == SILENT_LONG)
        return "not estimated: the run is too long for that unless asked; add --certify";
    return c->silent == SILENT_FAILED ? "not estimated: no reference run came to the end" : NULL;
}

int cli_reference_run_doubts(const cli_reference_run* c)
{
    return c->reported && c->certificate.column >= 0;
}

double cli_reference_run_error(const cli_reference_run* c, double t, int output)
{
    const double* time = array(c, TIME);
    long low = 0, high = c->reported ? atomic_load(&c->both->rows) - 1 : -1;
    if (high < 0) return NAN;
    while (high - low > 1) {
        const long middle = (low + high) / 2;
        if (time[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    const double a = c->errors[low * c->outputs + output],
                 b = c->errors[high * c->outputs + output];
    if (t <= time[low] || high == low) return a;
    return t >= time[high] ? b : a + (t - time[low]) / (time[high] - time[low]) * (b - a);
}

double cli_reference_run_part(const cli_reference_run* c, double t)
{
    double most = 0.0;
    for (int k = 0; k < c->outputs; k++) {
        const double error = cli_reference_run_error(c, t, k);
        if (!(error <= 0.0)) most = fmax(most, error / c->ranges[k]);
    }
    return most;
}

double cli_reference_run_undefined(const cli_reference_run* c, int output)
{
    const double *run = array(c, RUN), *other = array(c, COMPANION), *time = array(c, TIME);
    for (int i = 0; i < c->both->by.rows; i++) {
        const long k = (long)i * c->outputs + output;
        if (!isfinite(run[k]) || !isfinite(other[k])) return time[i];
    }
    return NAN;
}

static const char* name_of(const cli_reference_run* c, int output)
{
    return output >= 0 ? sar_model_output_name(c->def.model, output) : NULL;
}

static char* growth_text(const sar_certificate* z)
{
    if (isfinite(z->tenfold)) return cli_format("; errors grow tenfold every %.2g s", z->tenfold);
    return cli_format("%s", "");
}

/* "worst output y3, 0.0007 % of its range". Equal to rounding is no proof of more digits than a comparison
 * has. */
static char* largest_text(const cli_reference_run* c)
{
    const sar_certificate* z = &c->certificate;
    const char* name = name_of(c, z->largest_column);
    if (!name) return cli_format("%s", "not known, no output has finite values");
    if (z->largest < LEAST_SHOWN)
        return cli_format("below %.0e %% of the outputs' ranges", 100.0 * LEAST_SHOWN);
    return cli_format("worst output %s, %.2g %% of its range", name, 100.0 * z->largest);
}

static char* trust_text(const cli_reference_run* c, int doubtful)
{
    const sar_certificate* z = &c->certificate;
    const double limit = 100.0 * z->accuracy;
    char *growth = growth_text(z), *largest = largest_text(c), *text;
    if (z->column >= 0)
        text = cli_format(
            "estimated error: %s (limit %g %%); trust it until t = %.4g s, when %s %s%s", largest,
            limit, z->trusted, name_of(c, z->column),
            z->column == z->undefined ? "has no finite value" : "exceeds the limit", growth);
    else if (doubtful)
        text = cli_format("a second run differs little (%s), but neither is to be trusted: see the "
                          "warnings%s",
                          largest, growth);
    else
        text = cli_format("estimated error: %s (limit %g %%)%s", largest, limit, growth);
    free(growth);
    free(largest);
    return text;
}

/* "checked against a second run (automatic method: ...; tolerance 2.5e-07) of 23 steps, at 64 times" */
static char* basis_text(const cli_reference_run* c)
{
    const sar_reference_outcome* by = &c->both->by;
    const int automatic = strncmp(by->method, "auto: ", 6) == 0;
    return cli_format("checked against a second run (%s%s) of %ld step%s, at %d times",
                      automatic ? "automatic method: " : "", by->method + (automatic ? 6 : 0),
                      by->steps, cli_plural(by->steps), by->rows);
}

/* What is different, not only how much. Empty: nothing that is known. */
static char* difference_text(const cli_reference_run* c)
{
    const sar_reference_outcome* by = &c->both->by;
    if (!cli_reference_run_doubts(c)) return cli_format("%s", "");
    if (by->passes != c->passes || by->branches != c->branches)
        return cli_format("another course of the motion: %ld singular passage%s here, %ld there",
                          c->passes, cli_plural(c->passes), by->passes);
    if (by->contested)
        return cli_format("%s", "a smaller step does not change this run, but other equations give "
                                "another motion");
    if (c->certificate.diverges)
        return cli_format("%s", "smaller steps do not bring the motion nearer");
    return cli_format("%s", "");
}

void cli_reference_run_warn(const cli_reference_run* c, const char* model)
{
    if (!cli_reference_run_doubts(c)) return;
    char* trust = trust_text(c, 1);
    cli_warning("run", "%s: %s", model, trust);
    free(trust);
}

void cli_reference_run_print(const cli_reference_run* c, int doubtful, FILE* out)
{
    char *trust = trust_text(c, doubtful), *difference = difference_text(c), *basis = basis_text(c);
    cli_print_label(out, "error");
    cli_wrap(out, trust, CLI_LABEL + 2, CLI_LABEL + 2, 100);
    cli_print_label(out, "");
    cli_wrap(out, basis, CLI_LABEL + 2, CLI_LABEL + 2, 100);
    if (*difference) {
        cli_print_label(out, "");
        cli_wrap(out, difference, CLI_LABEL + 2, CLI_LABEL + 2, 100);
    }
    free(trust);
    free(basis);
    free(difference);
}

static void json_outputs(const cli_reference_run* c, cli_json* j)
{
    const long rows = atomic_load(&c->both->rows);
    cli_json_open(j, "outputs", '{');
    for (int k = 0; k < c->outputs; k++) {
        double most = 0.0;
        for (long i = 0; i < rows; i++) most = fmax(most, c->errors[i * c->outputs + k]); // or NaN
        cli_json_open(j, name_of(c, k), '{');
        cli_json_number(j, "error", most);
        cli_json_number(j, "range", c->ranges[k]);
        cli_json_close(j);
    }
    cli_json_close(j);
}

void cli_reference_run_json(const cli_reference_run* c, int doubtful, cli_json* j)
{
    const sar_certificate* z = &c->certificate;
    char* difference = difference_text(c);
    cli_json_open(j, "certificate", '{');
    cli_json_text(j, "companion", c->both->by.method);
    cli_json_boolean(j, "independent", isinf(c->both->by.ratio));
    cli_json_number(j, "accuracy", z->accuracy);
    cli_json_number(j, "samples", c->both->by.rows);
    cli_json_number(j, "steps", (double)c->both->by.steps);
    cli_json_boolean(j, "trusted", z->column < 0 && !doubtful);
    cli_json_number(j, "trusted_until", z->trusted);
    cli_json_text(j, "ended_by", name_of(c, z->column));
    cli_json_text(j, "undefined", name_of(c, z->undefined));
    cli_json_number(j, "undefined_time", z->undefined_time);
    cli_json_number(j, "largest", z->largest);
    cli_json_text(j, "largest_output", name_of(c, z->largest_column));
    cli_json_number(j, "largest_time", z->largest_time);
    cli_json_number(j, "order", z->order);
    cli_json_boolean(j, "order_measured", z->measured);
    cli_json_number(j, "tenfold_s", z->tenfold);
    cli_json_number(j, "power", z->power);
    cli_json_text(j, "difference", *difference ? difference : NULL);
    json_outputs(c, j);
    cli_json_close(j);
    free(difference);
}
