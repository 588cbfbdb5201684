#include "run/companion.h"

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
    FEW_ROWS = 100,       ///< with fewer the certificate has samples of its own
    LOOK_EVERY = 16,      ///< steps
    WAIT_NS = 200 * 1000, ///< for the run's next sample
};
/// Iterations times coordinates of about a second: a count, so that the same command always says the
/// same. A companion may take some times as long.
static const double SHORT_WORK = 2e6, COMPANION_WORK = 6e6;

/// What both processes see. Arrays follow it: time, then the outputs of the run and of its companions.
typedef struct shared {
    atomic_long rows;     ///< of the run so far
    atomic_int completed; ///< there will be no more
    int said;             ///< the companion has something to say
    sar_companion kind;   ///< of the one that it is compared with
    double ratio, order;
    int contested; ///< the same method with a finer step agrees with the run, other equations do not
    int has_coarser;
    long passes, branches; ///< of the companion
    char method[160];      ///< of the companion, in words
} shared;

enum { TIME, RUN, COMPANION, SECOND };

struct cli_companion {
    cli_companion_def def;
    sar_sampling plan; ///< of its own samples, if rows are few
    int takes_rows;
    long capacity;
    int outputs;
    shared* both;
    size_t bytes;
    pid_t pid; ///< 0: it has ended
    int told;  ///< the certificate means something
    sar_certificate certificate;
    double *errors, *ranges, *least;
    int* group;
    long passes, branches; ///< of the run
};

/* One of the arrays. */
static double* array(const cli_companion* c, int which)
{
    double* first = (double*)((char*)c->both + (sizeof(shared) + 63) / 64 * 64);
    const long columns = which == TIME ? 0 : 1 + (long)(which - RUN) * c->outputs;
    return first + columns * c->capacity;
}

/* ---- what errors are compared with ---------------------------------------------------------- */

/// What outputs of a unit are compared with at least, where they stand still.
typedef struct unit_kind {
    const char* unit;
    double least;
    int from_zero; ///< its zero means something: constant forces are compared with themselves
} unit_kind;

/* Largest distance of two values of a companion's output, or of a value from zero. */
static double extent(const cli_companion* c, const double* companion, int j, int from_zero)
{
    const long rows = atomic_load(&c->both->rows);
    double low = from_zero ? 0.0 : INFINITY, high = from_zero ? 0.0 : -INFINITY;
    for (long i = 0; i < rows; i++) {
        low = fmin(low, companion[i * c->outputs + j]);
        high = fmax(high, companion[i * c->outputs + j]);
    }
    return high - low;
}

/* Outputs of one unit are of one kind. One that stands still has no range: there a part of what the
 * model's size, the time and the energies of the run suggest for its unit is the least. Expressions
 * have no unit that the program knows. Those that stand still but for rounding, gaps for example, are
 * compared with what moves. */
static void find_kinds(cli_companion* c, const double* companion, double energy)
{
    const double part = 1e-3, still = 1e-5;
    const double size = c->def.size, time = c->plan.end - c->plan.start;
    const unit_kind kinds[] = {{"m", part * size, 0},
                               {"m/s", part * size / time, 0},
                               {"m/s^2", part * size / (time * time), 0},
                               {"rad", part, 0},
                               {"rad/s", part / time, 0},
                               {"rad/s^2", part / (time * time), 0},
                               {"N", part * energy / size, 1},
                               {"N m", part * energy, 1},
                               {"J", 0.1 * energy, 0}};
    const int count = (int)(sizeof kinds / sizeof *kinds);
    double most = 0.0;
    for (int j = 0; j < c->outputs; j++) most = fmax(most, extent(c, companion, j, 0));
    for (int j = 0; j < c->outputs; j++) {
        const char* unit = sar_model_output_unit(c->def.model, j);
        int k = 0;
        while (k < count && strcmp(kinds[k].unit, unit) != 0) k++;
        c->group[j] = k;
        c->least[j] = k < count ? kinds[k].least : still * most;
        if (k < count && kinds[k].from_zero)
            c->least[j] = fmax(c->least[j], extent(c, companion, j, 1));
    }
}

static sar_status compare(cli_companion* c, int with, double ratio, double order, int coarser,
                          double energy)
{
    const long rows = atomic_load(&c->both->rows);
    const sar_certificate_def def = {.rows = (int)rows,
                                     .columns = c->outputs,
                                     .time = array(c, TIME),
                                     .values = array(c, RUN),
                                     .companion = array(c, with),
                                     .coarser = coarser ? array(c, SECOND) : NULL,
                                     .ratio = ratio,
                                     .order = order,
                                     .accuracy = c->def.accuracy,
                                     .group = c->group,
                                     .least = c->least};
    find_kinds(c, def.companion, energy);
    return sar_certify(&def, &c->certificate, c->errors, c->ranges);
}

static double work_of(const sar_simulation* s)
{
    return (double)sar_simulation_statistics(s).iterations * sar_simulation_rank(s).coordinates;
}

/* ---- in the other process ------------------------------------------------------------------- */

/* The time of the run's sample i. 0: the run has ended before it. */
static int wait_for(const cli_companion* c, long i, double* t)
{
    shared* both = c->both;
    const struct timespec pause = {.tv_nsec = WAIT_NS};
    while (atomic_load(&both->rows) <= i) {
        if (atomic_load(&both->completed) && atomic_load(&both->rows) <= i) return 0;
        nanosleep(&pause, NULL);
    }
    *t = array(c, TIME)[i];
    return 1;
}

/* Steps until the time t. 0: it cannot get there, or takes too long. */
static int go_to(const cli_companion* c, sar_simulation* s, double t, long* steps)
{
    while (sar_simulation_time(s) < t && !sar_simulation_done(s)) {
        if (sar_simulation_advance(s) != SAR_OK) return 0;
        if (++*steps % LOOK_EVERY == 0 && c->def.wanted == CLI_CERTIFY_SHORT &&
            work_of(s) > COMPANION_WORK)
            return 0;
    }
    return 1;
}

static void describe(const sar_options* o, sar_companion kind, char* text, size_t size)
{
    if (kind == SAR_COMPANION_INDEPENDENT)
        snprintf(text, size, "auto: %s, %s, %s; tolerance %g", o->coordinates, o->formulation,
                 o->integrator, o->tolerance);
    else if (cli_method_chooses_step(o))
        snprintf(text, size, "the same method, tolerance %g", o->tolerance);
    else
        snprintf(text, size, "the same method, step %g s", o->step);
}

/// How a companion fared.
typedef struct outcome {
    int complete; ///< it has all samples of the run
    double ratio, order;
    double energy; ///< its scale
} outcome;

/* The samples of the run from a simulation. 1: all of them. */
static int follow(const cli_companion* c, sar_simulation* s, int into)
{
    int complete = sar_simulation_assemble(s, NULL) == SAR_OK;
    double t, *rows = array(c, into);
    long i = 0, steps = 0;
    for (; complete && wait_for(c, i, &t); i++)
        complete = go_to(c, s, t, &steps) &&
                   sar_simulation_outputs_at(s, t, rows + i * c->outputs) == SAR_OK;
    return complete;
}

static void introduce(shared* both, const sar_simulation* s, const sar_options* o,
                      sar_companion kind, const outcome* done)
{
    const sar_statistics statistics = sar_simulation_statistics(s);
    both->said = 1;
    both->kind = kind;
    both->ratio = done->ratio;
    both->order = done->order;
    both->passes = statistics.singular_passes;
    both->branches = statistics.branch_changes;
    describe(o, kind, both->method, sizeof both->method);
}

static outcome accompany(const cli_companion* c, sar_companion kind, int into)
{
    outcome done = {0};
    sar_options o;
    const int n = sar_simulation_rank(c->def.simulation).coordinates;
    sar_simulation* s = NULL;
    if (sar_companion_options(c->def.options, kind, n, &o, &done.ratio, &done.order) != SAR_OK)
        return done;
    o.threads = 1; // a forked process has no others
    if (sar_options_choose(&o, c->def.model, NULL, 0, NULL) == SAR_OK &&
        sar_simulation_create(c->def.model, &o, &s, NULL) == SAR_OK) {
        done.complete = follow(c, s, into);
        done.energy = sar_simulation_statistics(s).energy_scale;
        if (done.complete && into == COMPANION) introduce(c->both, s, &o, kind, &done);
    }
    sar_simulation_destroy(s);
    return done;
}

/* Other equations say something else: would a smaller step, too? */
static void look_again(cli_companion* c)
{
    const outcome finer = accompany(c, SAR_COMPANION_FINER, SECOND);
    if (finer.complete && compare(c, SECOND, finer.ratio, finer.order, 0, finer.energy) == SAR_OK)
        c->both->contested = c->certificate.column < 0;
}

/* Never returns. Where the automatic method cannot go, the run's own has to do. */
static void be_companion(cli_companion* c)
{
    const outcome other = accompany(c, SAR_COMPANION_INDEPENDENT, COMPANION);
    if (other.complete) {
        if (compare(c, COMPANION, other.ratio, other.order, 0, other.energy) == SAR_OK &&
            c->certificate.column >= 0)
            look_again(c);
    } else if (accompany(c, SAR_COMPANION_FINER, COMPANION).complete) {
        c->both->has_coarser = accompany(c, SAR_COMPANION_COARSER, SECOND).complete;
    }
    _exit(0);
}

/* ---- in the process of the run -------------------------------------------------------------- */

static void start(cli_companion* c)
{
    fflush(NULL); // or the other process would print it again
    const pid_t parent = getpid();
    c->pid = fork();
    if (c->pid != 0) return;
    signal(SIGINT, SIG_IGN); // Ctrl-C reaches it too: it is for the run to decide
    signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0); // it died meanwhile
    be_companion(c);
}

cli_companion* cli_companion_begin(const cli_companion_def* def)
{
    const int outputs = sar_model_outputs(def->model);
    if (def->wanted == CLI_CERTIFY_NO || outputs == 0) return NULL;
    cli_companion* c = cli_allocate(1, sizeof *c);
    sar_options at_steps = *def->options;
    at_steps.sample = 0.0;
    c->def = *def;
    c->outputs = outputs;
    c->plan = sar_sampling_of(&at_steps, SAMPLES);
    c->takes_rows = def->rows->max_samples >= FEW_ROWS;
    c->capacity = (long)c->plan.max_samples + 2 * SAMPLES;
    c->bytes = sizeof(shared) + 64 + sizeof(double) * (size_t)(c->capacity * (1 + 3 * outputs));
    c->both = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->both == MAP_FAILED) {
        free(c);
        return NULL;
    }
    c->errors = cli_allocate((size_t)(c->capacity * outputs), sizeof(double));
    c->ranges = cli_allocate((size_t)outputs, sizeof(double));
    c->least = cli_allocate((size_t)outputs, sizeof(double));
    c->group = cli_allocate((size_t)outputs, sizeof(int));
    start(c);
    if (c->pid > 0) return c;
    cli_companion_end(c);
    return NULL;
}

static void stop(cli_companion* c)
{
    if (c->pid <= 0) return;
    kill(c->pid, SIGKILL);
    waitpid(c->pid, NULL, 0);
    c->pid = 0;
}

/* A sample of the run. */
static void note(cli_companion* c, double t, const double* values)
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
    atomic_store(&c->both->rows, i + 1);
}

void cli_companion_row(cli_companion* c, double t, const double* values)
{
    const long rows = atomic_load(&c->both->rows);
    const double spacing = (c->plan.end - c->plan.start) / SAMPLES * (1.0 - 1e-9);
    if (!c->takes_rows) return;
    if (rows > 0 && t < array(c, TIME)[rows - 1] + spacing && t < c->plan.end) return;
    if (rows == 0 || t > array(c, TIME)[rows - 1]) note(c, t, values);
}

void cli_companion_step(cli_companion* c, long steps, double t)
{
    double at;
    while (!c->takes_rows && sar_sampling_next(&c->plan, steps, t, &at)) note(c, at, NULL);
    if (c->def.wanted == CLI_CERTIFY_SHORT && steps % LOOK_EVERY == 0 &&
        work_of(c->def.simulation) > SHORT_WORK)
        stop(c);
}

/* 1: it came to its end. Ctrl-C ends the wait. */
static int wait_for_end(cli_companion* c)
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

int cli_companion_finish(cli_companion* c)
{
    const sar_statistics statistics = sar_simulation_statistics(c->def.simulation);
    if (c->pid <= 0) return 0;
    atomic_store(&c->both->completed, 1);
    if (!wait_for_end(c) || !c->both->said) return 0;
    c->passes = statistics.singular_passes;
    c->branches = statistics.branch_changes;
    c->told = compare(c, COMPANION, c->both->ratio, c->both->order, c->both->has_coarser,
                      statistics.energy_scale) == SAR_OK;
    return c->told;
}

void cli_companion_end(cli_companion* c)
{
    if (!c) return;
    stop(c);
    munmap(c->both, c->bytes);
    free(c->errors);
    free(c->ranges);
    free(c->least);
    free(c->group);
    free(c);
}

/* ---- what it says --------------------------------------------------------------------------- */

int cli_companion_doubts(const cli_companion* c)
{
    return c->told && c->certificate.column >= 0;
}

double cli_companion_error(const cli_companion* c, double t, int output)
{
    const double* time = array(c, TIME);
    long low = 0, high = c->told ? atomic_load(&c->both->rows) - 1 : -1;
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

double cli_companion_part(const cli_companion* c, double t)
{
    double most = 0.0;
    for (int k = 0; k < c->outputs; k++) {
        const double error = cli_companion_error(c, t, k);
        if (!(error <= 0.0)) most = fmax(most, error / c->ranges[k]);
    }
    return most;
}

static const char* name_of(const cli_companion* c, int output)
{
    return output >= 0 ? sar_model_output_name(c->def.model, output) : NULL;
}

static char* growth_text(const sar_certificate* z)
{
    if (isfinite(z->tenfold)) return cli_format("; errors grow tenfold every %.2g s", z->tenfold);
    return cli_format("%s", "");
}

static char* trust_text(const cli_companion* c)
{
    const sar_certificate* z = &c->certificate;
    char *growth = growth_text(z), *text;
    if (z->column < 0)
        text = cli_format("at most %.1e of an output's range (%s): trusted to %g%s", z->largest,
                          name_of(c, z->largest_column), z->accuracy, growth);
    else
        text = cli_format("trusted to %g until %.4g s (%s); %.1e of its range later (%s)%s",
                          z->accuracy, z->trusted, name_of(c, z->column), z->largest,
                          name_of(c, z->largest_column), growth);
    free(growth);
    return text;
}

/* What is different, not only how much. Empty: nothing that is known. */
static char* difference_text(const cli_companion* c)
{
    const shared* both = c->both;
    if (!cli_companion_doubts(c)) return cli_format("%s", "");
    if (both->passes != c->passes || both->branches != c->branches)
        return cli_format("another course of the motion: %ld singular passage%s here, %ld there",
                          c->passes, cli_plural(c->passes), both->passes);
    if (both->contested)
        return cli_format("%s", "a smaller step does not change this run, but other equations give "
                                "another motion");
    if (c->certificate.diverges)
        return cli_format("%s", "smaller steps do not bring the motion nearer");
    return cli_format("%s", "");
}

void cli_companion_print(const cli_companion* c, FILE* out)
{
    char *trust = trust_text(c), *difference = difference_text(c);
    cli_print_label(out, "error");
    cli_wrap(out, trust, CLI_LABEL + 2, CLI_LABEL + 2, 100);
    cli_print_label(out, "");
    fprintf(out, "beside %s\n", c->both->method);
    if (*difference) {
        cli_print_label(out, "");
        cli_wrap(out, difference, CLI_LABEL + 2, CLI_LABEL + 2, 100);
    }
    free(trust);
    free(difference);
}

static void json_outputs(const cli_companion* c, cli_json* j)
{
    const long rows = atomic_load(&c->both->rows);
    cli_json_open(j, "outputs", '{');
    for (int k = 0; k < c->outputs; k++) {
        double most = 0.0;
        for (long i = 0; i < rows; i++) most = fmax(most, c->errors[i * c->outputs + k]);
        cli_json_open(j, name_of(c, k), '{');
        cli_json_number(j, "error", most);
        cli_json_number(j, "range", c->ranges[k]);
        cli_json_close(j);
    }
    cli_json_close(j);
}

void cli_companion_json(const cli_companion* c, cli_json* j)
{
    const sar_certificate* z = &c->certificate;
    char* difference = difference_text(c);
    cli_json_open(j, "certificate", '{');
    cli_json_text(j, "companion", c->both->method);
    cli_json_boolean(j, "independent", c->both->kind == SAR_COMPANION_INDEPENDENT);
    cli_json_number(j, "accuracy", z->accuracy);
    cli_json_boolean(j, "trusted", z->column < 0);
    cli_json_number(j, "trusted_until", z->trusted);
    cli_json_text(j, "ended_by", name_of(c, z->column));
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
