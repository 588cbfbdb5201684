/* Runs beside a run, and what they say about it.
 *
 * Asked for: other equations come first, with a tolerance that leaves no doubt; where that takes many
 * times the work of the run, with one that is enough for the error that twice the step shows. Beside
 * joint coordinates they are in others, or, where these cannot go (the digits of a drawing contradict
 * each other more in one kind than in another), in the same. Where neither can, the run's own method
 * with half the step and with twice the step has to do. Where they contradict the run, its own method
 * with half the step is asked too: if that agrees with the run, the equations of one of the two are
 * wrong, not the step.
 *
 * Quick: the run's method with twice the step comes first. It takes half the work of the run, and says
 * about how large the error is. Other equations, no more accurate than it takes to see that error,
 * measure it, as long as they take no more than about the work of the run. Where they cost more,
 * twice the step has to do, and, where that has doubts, half the step. Beside the automatic method a
 * smaller tolerance is enough. */
#include "base/memory.h"
#include "base/status.h"
#include "math/functions.h"
#include "sarrus/certificate.h"
#include "simulation/accuracy/output_scales.h"
#include "simulation/simulation.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// A quick reference run may take this many times the work of the run, reading and assembly included.
static const double QUICK_WORK = 1.6;
/// One with a tolerance that leaves no doubt, and one with a tolerance that is enough.
static const double TIGHT_WORK = 10.0, ENOUGH_WORK = 100.0;
static const double FINE = 1e-3; ///< of an error: a tolerance that shows it
static const double START_WORK = 1.5e4;

/* ---- what they say --------------------------------------------------------------------------- */

static sar_status compare(const sar_reference_run_def* def, const sar_reference_outcome* with,
                          const double* reference, const double* coarser, sar_certificate* out,
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
                                             .reference = reference,
                                             .coarser = coarser,
                                             .ratio = with->ratio,
                                             .order = with->order,
                                             .accuracy = def->accuracy,
                                             .group = group,
                                             .least = least};
        sari_output_scales(def, with, reference, group, least);
        st = sar_certify(&samples, out, errors, ranges);
    }
    sari_release(least);
    sari_release(group);
    return st;
}

sar_status sar_reference_outcome_certify(const sar_reference_run_def* def,
                                         const sar_reference_outcome* by, sar_certificate* out,
                                         double* errors, double* ranges)
{
    if (!by->complete) return SAR_E_ARG;
    return compare(def, by, def->reference, by->has_coarser ? def->second : NULL, out, errors,
                   ranges);
}

/* ---- running beside ------------------------------------------------------------------------- */

static int has_row(const sar_reference_run_def* def, int row)
{
    return def->wait ? def->wait(def->context, row) : row < def->rows;
}

/* What a reference run may have done at a row, if it may take `times` the work of the run. */
static double budget(const sar_reference_run_def* def, double times, int row)
{
    return def->work && isfinite(times) ? times * (START_WORK + def->work[row]) : INFINITY;
}

/* Steps until the time t. 0: it cannot get there, or takes too long. */
static int go_to(sar_simulation* s, double t, double most_work)
{
    while (s->state.t < t && !sar_simulation_done(s))
        if (sar_simulation_advance(s) != SAR_OK || sar_simulation_work(s) > most_work) return 0;
    return 1;
}

/* Rows at which rounding is looked at: 0, 1, 2, 4, 8 ... */
static int looks_at_noise(int row)
{
    return (row & (row - 1)) == 0;
}

/* The samples of the run from another simulation. */
static void follow(const sar_reference_run_def* def, sar_simulation* s, double times, double* rows,
                   sar_reference_outcome* by)
{
    const int columns = sar_model_outputs(def->model);
    double* room = def->noise ? SARI_NEW_ARRAY(double, 2 * (size_t)columns) : NULL;
    int looks = 0;
    sar_assembly start = {0};
    by->complete = sar_simulation_assemble(s, &start) == SAR_OK;
    for (int j = 0; def->noise && j < 2 * columns; j++) def->noise[j] = 0.0;
    for (by->rows = 0; by->complete && has_row(def, by->rows); by->rows++) {
        const double t = def->time[by->rows];
        by->complete =
            go_to(s, t, budget(def, times, by->rows)) &&
            sar_simulation_outputs_at(s, t, rows + (size_t)by->rows * (size_t)columns) == SAR_OK;
        if (by->rows == 0 && start.singular) // reactions are not unique there: nothing to compare
            memcpy(rows, def->values, (size_t)columns * sizeof *rows);
        if (!room || !by->complete || !looks_at_noise(by->rows)) continue;
        sari_output_noise(s, room, def->noise);
        looks++;
    }
    for (int j = 0; room && looks > 0 && j < columns; j++) def->noise[j] /= looks;
    sari_release(room);
}

static void describe(const sar_simulation* s, sar_reference_kind kind, char* text, size_t size)
{
    const sar_options* o = &s->options;
    if (kind == SAR_REFERENCE_INDEPENDENT || kind == SAR_REFERENCE_QUICK)
        snprintf(text, size, "auto: %s, %s, %s; tolerance %g", o->coordinates, o->formulation,
                 o->integrator, o->tolerance);
    else if (s->integrator->variable)
        snprintf(text, size, "the same method, tolerance %g", o->tolerance);
    else
        snprintf(text, size, "the same method, step %g s", o->step);
}

/* Where drives prescribe motions, errors of these do not limit the steps of the automatic method. */
static sar_status create(const sar_reference_run_def* def, sar_reference_kind kind, sar_options* o,
                         sar_simulation** out)
{
    SARI_TRY(sar_options_choose(o, def->model, NULL, 0, NULL));
    SARI_TRY(sar_simulation_create(def->model, o, out, NULL));
    const double longest = (o->end - o->start) / SARI_REFERENCE_STEPS;
    if (kind != SAR_REFERENCE_QUICK || (o->step_max > 0.0 && o->step_max <= longest) ||
        !(*out)->system->rheonomic)
        return SAR_OK;
    sar_simulation_destroy(*out);
    o->step_max = longest;
    return sar_simulation_create(def->model, o, out, NULL);
}

/// How a reference run is made, and what happened in it.
typedef struct attempt {
    double tolerance, times; ///< the least that it needs; how much work it may be
    const char* coordinates; ///< NULL: those that are chosen
    int corrected;           ///< the drawing was, in the coordinates of the run
} attempt;

static sar_reference_outcome run_to(const sar_reference_run_def* def, sar_reference_kind kind,
                                    attempt* how, double* rows)
{
    sar_reference_outcome by = {.kind = kind};
    sar_options o;
    sar_simulation* s = NULL;
    if (sar_reference_options(def->options, kind, def->coordinates, &o, &by.ratio, &by.order) !=
        SAR_OK)
        return by;
    if (how->coordinates && sar_options_set(&o, "coordinates", how->coordinates, NULL) != SAR_OK)
        return by;
    o.threads = 1;
    o.tolerance = fmax(o.tolerance, how->tolerance);
    if (create(def, kind, &o, &s) == SAR_OK) {
        follow(def, s, how->times, rows, &by);
        const sar_statistics z = sar_simulation_statistics(s);
        by.energy = z.energy_scale;
        by.steps = z.steps;
        by.passes = z.singular_passes;
        by.branches = z.branch_changes;
        how->corrected = z.crossings > 0 && strcmp(o.coordinates, def->options->coordinates) == 0;
        describe(s, kind, by.method, sizeof by.method);
    }
    sar_simulation_destroy(s);
    return by;
}

static sar_reference_outcome run_reference(const sar_reference_run_def* def,
                                           sar_reference_kind kind, double* rows)
{
    attempt how = {.times = kind == SAR_REFERENCE_QUICK ? QUICK_WORK : INFINITY};
    return run_to(def, kind, &how, rows);
}

/* Is the run within its accuracy, as this reference run sees it? */
static int trusts(const sar_reference_run_def* def, const sar_reference_outcome* by,
                  const double* rows)
{
    sar_certificate c;
    return by->complete && compare(def, by, rows, NULL, &c, NULL, NULL) == SAR_OK && c.column < 0;
}

/* Twice the step. The order is not measured, so the first has to do for a verdict. */
typedef struct coarse_look {
    sar_reference_outcome by;
    int trusts;
    double largest; ///< error, about
} coarse_look;

static coarse_look look_coarsely(const sar_reference_run_def* def)
{
    coarse_look look = {run_reference(def, SAR_REFERENCE_COARSER, def->second), 0, INFINITY};
    look.by.ratio = 1.0 / look.by.ratio; // it is what the run is compared with
    sar_reference_outcome cautious = look.by;
    cautious.order = fmin(look.by.order, 1.0);
    sar_certificate c;
    if (!look.by.complete || compare(def, &cautious, def->second, NULL, &c, NULL, NULL) != SAR_OK)
        return look;
    look.trusts = c.column < 0;
    look.largest = c.largest;
    return look;
}

static int has_other_equations(const sar_reference_run_def* def)
{
    sar_options o;
    double ratio, order;
    return sar_reference_options(def->options, SAR_REFERENCE_QUICK, def->coordinates, &o, &ratio,
                                 &order) == SAR_OK &&
           isinf(ratio);
}

/* The tolerance that shows an error of that size, or tells it from the accuracy. */
static double enough_for(const sar_reference_run_def* def, double error)
{
    const double accuracy = def->accuracy > 0.0 ? def->accuracy : 1e-2;
    return sari_pow(10.0, floor(sari_log10(FINE * fmin(accuracy, error))));
}

/* Other equations: in other coordinates, with the tolerance that is enough, in the same coordinates. */
static sar_reference_outcome run_other_equations(const sar_reference_run_def* def)
{
    const sar_reference_kind other = SAR_REFERENCE_INDEPENDENT;
    sar_reference_run_def same = *def;
    attempt tight = {.times = TIGHT_WORK}, enough = {.times = ENOUGH_WORK},
            quick = {.times = ENOUGH_WORK};
    sar_reference_outcome out = run_to(def, other, &tight, def->reference);
    if (out.complete) return out;
    same.coordinates = INT_MAX; // too many for others
    if (strcmp(def->options->coordinates, "relative") == 0)
        out = run_to(&same, other, &tight, def->reference);
    if (out.complete) return out;
    enough.tolerance = enough_for(def, look_coarsely(def).largest);
    out = run_to(&same, other, &enough, def->reference);
    if (out.complete || has_other_equations(def)) return out;
    return run_to(&same, SAR_REFERENCE_QUICK, &quick, def->reference);
}

static void run_well(const sar_reference_run_def* def, sar_reference_outcome* out)
{
    *out = run_other_equations(def);
    if (!out->complete) {
        *out = run_reference(def, SAR_REFERENCE_FINER, def->reference);
        if (out->complete)
            out->has_coarser = run_reference(def, SAR_REFERENCE_COARSER, def->second).complete;
    } else if (!trusts(def, out, def->reference)) {
        const sar_reference_outcome finer = run_reference(def, SAR_REFERENCE_FINER, def->second);
        out->contested = trusts(def, &finer, def->second);
    }
}

/* Largest error, as this reference run sees it. */
static double error_by(const sar_reference_run_def* def, const sar_reference_outcome* by,
                       const double* rows)
{
    sar_certificate c;
    return compare(def, by, rows, NULL, &c, NULL, NULL) == SAR_OK ? c.largest : 0.0;
}

/* Where a drawing is corrected on the way into a singular configuration the state is moved, by what depends on the
 * coordinates: in others the same method shows what that does to the motion, and the worse of both counts. */
static void look_from_elsewhere(const sar_reference_run_def* def, attempt* how,
                                sar_reference_outcome* out)
{
    const int relative = strcmp(def->options->coordinates, "relative") == 0;
    if (!out->complete || !how->corrected) return;
    how->coordinates = relative ? "natural" : "relative";
    const sar_reference_outcome by = run_to(def, out->kind, how, def->second);
    if (!by.complete || error_by(def, &by, def->second) <= error_by(def, out, def->reference))
        return;
    const size_t columns = (size_t)sar_model_outputs(def->model);
    memcpy(def->reference, def->second, (size_t)by.rows * columns * sizeof(double));
    *out = by;
}

static void run_quickly(const sar_reference_run_def* def, sar_reference_outcome* out)
{
    const int other_equations = has_other_equations(def);
    attempt quick = {.times = QUICK_WORK};
    *out = (sar_reference_outcome){0};
    if (!other_equations) *out = run_to(def, SAR_REFERENCE_QUICK, &quick, def->reference);
    if (!other_equations) look_from_elsewhere(def, &quick, out);
    if (out->complete) return;
    const coarse_look twice = look_coarsely(def);
    quick.tolerance = enough_for(def, twice.largest);
    if (other_equations) *out = run_to(def, SAR_REFERENCE_QUICK, &quick, def->reference);
    if (out->complete) {
        out->contested = twice.trusts && !trusts(def, out, def->reference);
    } else if (twice.trusts) {
        const size_t columns = (size_t)sar_model_outputs(def->model);
        *out = twice.by;
        memcpy(def->reference, def->second, (size_t)twice.by.rows * columns * sizeof(double));
    } else {
        *out = run_reference(def, SAR_REFERENCE_FINER, def->reference);
        out->has_coarser = twice.by.complete;
    }
}

void sar_reference_run(const sar_reference_run_def* def, sar_reference_outcome* out)
{
    if (def->quick)
        run_quickly(def, out);
    else
        run_well(def, out);
}
