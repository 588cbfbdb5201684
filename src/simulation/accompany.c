/* Runs beside a run, and what they say about it.
 *
 * Other equations come first; a quick look is enough where it finds nothing to doubt. Where they cannot go, the run's own method with half the step and with
 * twice the step has to do. Where they contradict the run, its own method with half the step is
 * asked too: if that agrees with the run, the equations of one of the two are wrong, not the step. */
#include "base/memory.h"
#include "base/status.h"
#include "sarrus/certificate.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOOK_EVERY = 16 }; ///< steps between looks at the work

/* ---- what errors are compared with ---------------------------------------------------------- */

/// What outputs of a unit are compared with at least, where they stand still.
typedef struct unit_kind {
    const char* unit;
    double least;
    int from_zero; ///< its zero means something: constant forces are compared with themselves
} unit_kind;

/* Largest distance of two values of an output, or of a value from zero. */
static double extent(const double* values, int rows, int columns, int j, int from_zero)
{
    double low = from_zero ? 0.0 : INFINITY, high = from_zero ? 0.0 : -INFINITY;
    for (int i = 0; i < rows; i++) {
        const double value = values[(size_t)i * (size_t)columns + (size_t)j];
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return high - low;
}

/* Outputs of one unit are of one kind. One that stands still has no range: there a part of what the
 * model's size, the time and the energies of the run suggest for its unit is the least. Expressions
 * have no unit that the library knows. Those that stand still but for rounding, gaps for example, are
 * compared with what moves. */
static void find_kinds(const sar_accompany_def* def, int rows, double energy, const double* values,
                       int* group, double* least)
{
    const double part = 1e-3, still = 1e-5;
    const double size = def->size, time = def->options->end - def->options->start;
    const unit_kind kinds[] = {{"m", part * size, 0},
                               {"m/s", part * size / time, 0},
                               {"m/s^2", part * size / (time * time), 0},
                               {"rad", part, 0},
                               {"rad/s", part / time, 0},
                               {"rad/s^2", part / (time * time), 0},
                               {"N", part * energy / size, 1},
                               {"N m", part * energy, 1},
                               {"J", 0.1 * energy, 0}};
    const int count = (int)(sizeof kinds / sizeof *kinds), columns = sar_model_outputs(def->model);
    double most = 0.0;
    for (int j = 0; j < columns; j++) most = fmax(most, extent(values, rows, columns, j, 0));
    for (int j = 0; j < columns; j++) {
        const char* unit = sar_model_output_unit(def->model, j);
        int k = 0;
        while (k < count && strcmp(kinds[k].unit, unit) != 0) k++;
        group[j] = k;
        least[j] = k < count ? kinds[k].least : still * most;
        if (k < count && kinds[k].from_zero)
            least[j] = fmax(least[j], extent(values, rows, columns, j, 1));
    }
}

static sar_status compare(const sar_accompany_def* def, const sar_accompanied* with,
                          const double* companion, const double* coarser, sar_certificate* out,
                          double* errors, double* ranges)
{
    const size_t columns = (size_t)sar_model_outputs(def->model);
    double* least = SARI_NEW_ARRAY(double, columns);
    int* group = SARI_NEW_ARRAY(int, columns);
    sar_status st = SAR_E_NOMEM;
    if (least && group) {
        const sar_certificate_def samples = {.rows = with->rows,
                                             .columns = (int)columns,
                                             .time = def->time,
                                             .values = def->values,
                                             .companion = companion,
                                             .coarser = coarser,
                                             .ratio = with->ratio,
                                             .order = with->order,
                                             .accuracy = def->accuracy,
                                             .group = group,
                                             .least = least};
        find_kinds(def, with->rows, with->energy, companion, group, least);
        st = sar_certify(&samples, out, errors, ranges);
    }
    sari_release(least);
    sari_release(group);
    return st;
}

sar_status sar_accompanied_certify(const sar_accompany_def* def, const sar_accompanied* by,
                                   sar_certificate* out, double* errors, double* ranges)
{
    if (!by->complete) return SAR_E_ARG;
    return compare(def, by, def->companion, by->has_coarser ? def->second : NULL, out, errors,
                   ranges);
}

/* ---- running beside ------------------------------------------------------------------------- */

static int has_row(const sar_accompany_def* def, int row)
{
    return def->wait ? def->wait(def->context, row) : row < def->rows;
}

static double work_of(const sar_simulation* s)
{
    return (double)s->statistics.iterations * s->system->nq;
}

/* Steps until the time t. 0: it cannot get there, or takes too long. */
static int go_to(const sar_accompany_def* def, sar_simulation* s, double t)
{
    while (s->state.t < t && !sar_simulation_done(s)) {
        if (sar_simulation_advance(s) != SAR_OK) return 0;
        if (s->statistics.steps % LOOK_EVERY == 0 && def->max_work > 0.0 &&
            work_of(s) > def->max_work)
            return 0;
    }
    return 1;
}

/* The samples of the run from another simulation. */
static void follow(const sar_accompany_def* def, sar_simulation* s, double* rows,
                   sar_accompanied* by)
{
    const int columns = sar_model_outputs(def->model);
    by->complete = sar_simulation_assemble(s, NULL) == SAR_OK;
    for (by->rows = 0; by->complete && has_row(def, by->rows); by->rows++) {
        const double t = def->time[by->rows];
        by->complete =
            go_to(def, s, t) &&
            sar_simulation_outputs_at(s, t, rows + (size_t)by->rows * (size_t)columns) == SAR_OK;
    }
}

static void describe(const sar_simulation* s, sar_companion kind, char* text, size_t size)
{
    const sar_options* o = &s->options;
    if (kind == SAR_COMPANION_INDEPENDENT || kind == SAR_COMPANION_QUICK)
        snprintf(text, size, "auto: %s, %s, %s; tolerance %g", o->coordinates, o->formulation,
                 o->integrator, o->tolerance);
    else if (s->integrator->variable)
        snprintf(text, size, "the same method, tolerance %g", o->tolerance);
    else
        snprintf(text, size, "the same method, step %g s", o->step);
}

static sar_accompanied accompany(const sar_accompany_def* def, sar_companion kind, double* rows)
{
    sar_accompanied by = {.kind = kind};
    sar_options o;
    sar_simulation* s = NULL;
    if (sar_companion_options(def->options, kind, def->coordinates, &o, &by.ratio, &by.order) !=
        SAR_OK)
        return by;
    o.threads = 1;
    if (sar_options_choose(&o, def->model, NULL, 0, NULL) == SAR_OK &&
        sar_simulation_create(def->model, &o, &s, NULL) == SAR_OK) {
        follow(def, s, rows, &by);
        const sar_statistics z = sar_simulation_statistics(s);
        by.energy = z.energy_scale;
        by.passes = z.singular_passes;
        by.branches = z.branch_changes;
        describe(s, kind, by.method, sizeof by.method);
    }
    sar_simulation_destroy(s);
    return by;
}

/* Other equations say something else: would a smaller step, too? */
static int agrees_when_finer(const sar_accompany_def* def)
{
    sar_certificate c;
    const sar_accompanied finer = accompany(def, SAR_COMPANION_FINER, def->second);
    return finer.complete && compare(def, &finer, def->second, NULL, &c, NULL, NULL) == SAR_OK &&
           c.column < 0;
}

void sar_accompany(const sar_accompany_def* def, sar_accompanied* out)
{
    sar_certificate c;
    if (def->quick) {
        *out = accompany(def, SAR_COMPANION_QUICK, def->companion);
        if (out->complete && compare(def, out, def->companion, NULL, &c, NULL, NULL) == SAR_OK &&
            c.column < 0)
            return;
    }
    *out = accompany(def, SAR_COMPANION_INDEPENDENT, def->companion);
    if (out->complete) {
        if (compare(def, out, def->companion, NULL, &c, NULL, NULL) == SAR_OK && c.column >= 0)
            out->contested = agrees_when_finer(def);
        return;
    }
    *out = accompany(def, SAR_COMPANION_FINER, def->companion);
    if (out->complete)
        out->has_coarser = accompany(def, SAR_COMPANION_COARSER, def->second).complete;
}
