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

/* ---- what each is --------------------------------------------------------------------------- */

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

QUANTITY(wall_us, per_step(r, r->trial.wall))
QUANTITY(newton_us, profiled(r, per_step(r, r->trial.statistics.correction_time)))
QUANTITY(projection_us, profiled(r, per_step(r, r->trial.statistics.projection_time)))
QUANTITY(newton_share, newton_us(s, r) / r->trial.step_us)
QUANTITY(projection_share, projection_us(s, r) / r->trial.step_us)
QUANTITY(step_iterations,
         (double)r->trial.statistics.iterations / (double)r->trial.statistics.steps)
QUANTITY(body_us, newton_us(s, r) / (r->bodies * step_iterations(s, r)))
QUANTITY(real_time, done(r) ? r->trial.wall / (r->options.end - r->options.start) : NAN)
QUANTITY(published_drift, r->row->published.energy_drift)
QUANTITY(value, r->trial.value)
QUANTITY(published_value, r->row->published.value)
QUANTITY(off, r->trial.value - r->row->measure.right)
QUANTITY(published_seconds, r->row->published.seconds)
QUANTITY(faster, cli_bench_ratio(r))
QUANTITY(spread, r->row->outside.spread)

/// What is more than a number of one run (SAR_MEASURE_LIST): shares, ratios, what was published.
static const struct {
    const char *name, *title, *head;
    double (*of)(const cli_bench_study* s, const cli_bench_row* r);
} quantities[] = {
    {"wall_us", "time per step [us]", "us/step", wall_us},
    {"newton_us", "time per step [us]", "Newton", newton_us},
    {"projection_us", "time per step [us]", "proj.", projection_us},
    {"newton_share", "share of the iterations in a step", "Newton/1", newton_share},
    {"projection_share", "share of the projections in a step", "proj./1", projection_share},
    {"step_iterations", "iterations per step", "its/step", step_iterations},
    {"body_us", "time per body and iteration [us]", "us/b-it", body_us},
    {"real_time", "computing time per simulated time", "s/s", real_time},
    {"speedup", "speed-up against one thread", "speed-up", speedup},
    {"efficiency", "speed-up per thread", "effic.", efficiency},
    {"published_drift", "published energy drift [J]", "publ.", published_drift},
    {"value", "what the source measures", "ours", value},
    {"published_value", "what the source measured", "publ.", published_value},
    {"off", "difference to the exact motion", "off by", off},
    {"published_seconds", "published time of a run [s]", "publ.", published_seconds},
    {"faster", "times faster than published", "faster", faster},
    {"spread", "largest less least time of a run [s]", "spread", spread}};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

/// What studies called them.
static const char* const older[][2] = {{"drift", "signed_drift"},
                                       {"largest_drift", "energy.max_drift"},
                                       {"iterations", "step_iterations"}};

/* ---- by name -------------------------------------------------------------------------------- */

/// A number of a run, or QUANTITIES behind them one of the above; -1: there is none.
static int find(const char* name)
{
    for (size_t k = 0; k < sizeof older / sizeof *older; k++)
        if (strcmp(older[k][0], name) == 0) name = older[k][1];
    for (int k = 0; k < QUANTITIES; k++)
        if (strcmp(quantities[k].name, name) == 0) return SAR_MEASURES + k;
    return sar_measure_find(name, 0);
}

/// Names that histories have too are theirs.
int cli_bench_is_quantity(const char* name)
{
    for (int q = 0; q < sar_quantities(); q++)
        if (strcmp(sar_quantity_at(q)->name, name) == 0) return 0;
    return find(name) >= 0;
}

char* cli_bench_quantity_title(const char* name)
{
    int k = find(name);
    if (k < 0) return cli_format("%s", name);
    if (k >= SAR_MEASURES) return cli_format("%s", quantities[k - SAR_MEASURES].title);
    const sar_measure m = sar_measure_at(k);
    return *m.unit ? cli_format("%s [%s]", m.text, m.unit) : cli_format("%s", m.text);
}

static int is_value(int k)
{
    return k >= SAR_MEASURES && quantities[k - SAR_MEASURES].of == value;
}

const char* cli_bench_quantity_head(const cli_bench_study* study, const char* name)
{
    int k = find(name);
    const char* title = study->count ? study->rows[0].row->measure.title : "";
    if (is_value(k) && *title) return title;
    return k < 0               ? name
           : k >= SAR_MEASURES ? quantities[k - SAR_MEASURES].head
                               : sar_measure_at(k).head;
}

int cli_bench_quantity_digits(const char* name)
{
    return is_value(find(name)) || strcmp(name, "published_value") == 0 ? 4 : 3;
}

double cli_bench_quantity(const cli_bench_study* study, const cli_bench_row* row, const char* name)
{
    int k = find(name);
    if (k < 0) return cli_bench_setting(row, name);
    if (k < SAR_MEASURES) {
        int counts = row->measured && sar_measure_at(k).kind == SAR_KIND_COUNT;
        return counts || done(row) ? sar_measure_get(k, &row->trial) : NAN;
    }
    int published = strncmp(name, "published_", 10) == 0;
    return row->measured || published ? quantities[k - SAR_MEASURES].of(study, row) : NAN;
}
