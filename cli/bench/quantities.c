/* Numbers of runs by their names: for the columns of tables, the axes of plots and statements. */
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int done(const cli_bench_row* r)
{
    return r->measured && r->trial.status == SAR_OK;
}

static double per_step(const cli_bench_row* r, double seconds)
{
    return done(r) && r->trial.statistics.steps > 0
               ? 1e6 * seconds / (double)r->trial.statistics.steps
               : NAN;
}

static double profiled(const cli_bench_row* r, double value)
{
    return r->options.profile ? value : NAN;
}

static const char* setting_text(const cli_bench_row* r, const char* name)
{
    for (int k = 0; k < r->row->option_count; k++)
        if (strcmp(r->row->options[k].name, name) == 0) return r->row->options[k].value;
    for (int k = 0; k < r->row->parameter_count; k++)
        if (strcmp(r->row->parameters[k].name, name) == 0) return r->row->parameters[k].value;
    return NULL;
}

double cli_bench_setting(const cli_bench_row* r, const char* name)
{
    const char* text = setting_text(r, name);
    char* end = NULL;
    double value = text ? strtod(text, &end) : NAN;
    return text && end != text && !*end ? value : NAN;
}

/* ---- what each is ------------------------------------------------------------------------- */

static int alike(const sar_setting* a, int count, const sar_setting* b, int others)
{
    if (count != others) return 0;
    for (int k = 0; k < count; k++) {
        if (strcmp(a[k].name, b[k].name) != 0) return 0;
        if (strcmp(a[k].name, "threads") != 0 && strcmp(a[k].value, b[k].value) != 0) return 0;
    }
    return 1;
}

/// The same run with one thread; NULL: there is none.
static const cli_bench_row* alone(const cli_bench_study* s, const cli_bench_row* r)
{
    for (int k = 0; k < s->count; k++) {
        const cli_bench_row* other = &s->rows[k];
        if (cli_bench_setting(other, "threads") == 1.0 && done(other) &&
            strcmp(other->row->label, r->row->label) == 0 &&
            alike(r->row->options, r->row->option_count, other->row->options,
                  other->row->option_count) &&
            alike(r->row->parameters, r->row->parameter_count, other->row->parameters,
                  other->row->parameter_count))
            return other;
    }
    return NULL;
}

static double speedup(const cli_bench_study* s, const cli_bench_row* r)
{
    const cli_bench_row* one = alone(s, r);
    return one && done(r) ? one->trial.wall / r->trial.wall : NAN;
}

static double efficiency(const cli_bench_study* s, const cli_bench_row* r)
{
    return speedup(s, r) / cli_bench_setting(r, "threads");
}

#define QUANTITY(name, value)                                                                      \
    static double name(const cli_bench_study* s, const cli_bench_row* r)                           \
    {                                                                                              \
        (void)s;                                                                                   \
        return value;                                                                              \
    }

QUANTITY(seconds, done(r) ? r->trial.seconds : NAN)
QUANTITY(step_us, done(r) ? r->trial.step_us : NAN)
QUANTITY(wall_us, per_step(r, r->trial.wall))
QUANTITY(newton_us, profiled(r, per_step(r, r->trial.statistics.correction_time)))
QUANTITY(projection_us, profiled(r, per_step(r, r->trial.statistics.projection_time)))
QUANTITY(newton_share, newton_us(s, r) / step_us(s, r))
QUANTITY(projection_share, projection_us(s, r) / step_us(s, r))
QUANTITY(iterations, (double)r->trial.statistics.iterations / (double)r->trial.statistics.steps)
QUANTITY(body_us, newton_us(s, r) / (r->bodies * iterations(s, r)))
QUANTITY(real_time, done(r) ? r->trial.wall / (r->options.end - r->options.start) : NAN)
QUANTITY(total_error, done(r) ? r->trial.error : NAN)
QUANTITY(largest_drift, done(r) ? r->trial.statistics.energy_max_drift : NAN)
QUANTITY(correction, r->trial.statistics.correction)
QUANTITY(drift, done(r) ? r->trial.statistics.energy_worst_drift : NAN)
QUANTITY(published_drift, r->row->published.energy_drift)
QUANTITY(value, r->trial.value)
QUANTITY(published_value, r->row->published.value)
QUANTITY(off, r->trial.value - r->row->measure.right)
QUANTITY(published_seconds, r->row->published.seconds)
QUANTITY(faster, cli_bench_ratio(r))

static const struct {
    const char *name, *title, *head;
    double (*of)(const cli_bench_study* s, const cli_bench_row* r);
} quantities[] = {
    {"seconds", "time of a run [s]", "time [s]", seconds},
    {"step_us", "CPU time per step [us]", "us/step", step_us},
    {"wall_us", "time per step [us]", "us/step", wall_us},
    {"newton_us", "time per step [us]", "Newton", newton_us},
    {"projection_us", "time per step [us]", "proj.", projection_us},
    {"newton_share", "share of the iterations in a step", "Newton/1", newton_share},
    {"projection_share", "share of the projections in a step", "proj./1", projection_share},
    {"iterations", "iterations per step", "its/step", iterations},
    {"body_us", "time per body and iteration [us]", "us/b-it", body_us},
    {"real_time", "computing time per simulated time", "s/s", real_time},
    {"speedup", "speed-up against one thread", "speed-up", speedup},
    {"efficiency", "speed-up per thread", "effic.", efficiency},
    {"total_error", "total error eps_T", "eps_T", total_error},
    {"largest_drift", "energy drift [J]", "drift [J]", largest_drift},
    {"correction", "largest last correction of a step", "last dq", correction},
    {"drift", "largest energy drift, with its sign [J]", "drift [J]", drift},
    {"published_drift", "published energy drift [J]", "publ.", published_drift},
    {"value", "what the source measures", "ours", value},
    {"published_value", "what the source measured", "publ.", published_value},
    {"off", "difference to the exact motion", "off by", off},
    {"published_seconds", "published time of a run [s]", "publ.", published_seconds},
    {"faster", "times faster than published", "faster", faster}};

/* ---- by name ------------------------------------------------------------------------------ */

static int find(const char* name)
{
    int count = (int)(sizeof quantities / sizeof *quantities);
    for (int k = 0; k < count; k++)
        if (strcmp(quantities[k].name, name) == 0) return k;
    return -1;
}

int cli_bench_is_quantity(const char* name)
{
    return find(name) >= 0;
}

const char* cli_bench_quantity_title(const char* name)
{
    int k = find(name);
    return k < 0 ? name : quantities[k].title;
}

const char* cli_bench_quantity_head(const cli_bench_study* study, const char* name)
{
    int k = find(name);
    const char* title = study->count ? study->rows[0].row->measure.title : "";
    if (k >= 0 && quantities[k].of == value && *title) return title;
    return k < 0 ? name : quantities[k].head;
}

int cli_bench_quantity_digits(const char* name)
{
    int k = find(name);
    return k >= 0 && (quantities[k].of == value || quantities[k].of == published_value) ? 4 : 3;
}

double cli_bench_quantity(const cli_bench_study* study, const cli_bench_row* row, const char* name)
{
    int k = find(name);
    if (k < 0) return cli_bench_setting(row, name);
    int published = strncmp(name, "published_", 10) == 0;
    return row->measured || published ? quantities[k].of(study, row) : NAN;
}
