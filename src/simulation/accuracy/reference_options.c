/* Which other runs tell something about a run.
 *
 * The best is one whose equations share little with it: the automatic method integrates charts with
 * order 8, so that its error is far below that of a run with short steps, for less work. It is right
 * where the run's method is not what the step makes wrong: a penalty that is too small, a branch that
 * was lost. The same method with half the step shows only what the step does.
 *
 * A reference run that takes the steps of the run would step over what the run steps over. So the
 * longest step of the run is the longest of any reference run, and one beside long steps has a limit of
 * its own that is no simple part of the time. */
#include "sarrus/certificate.h"

#include "base/status.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TIGHT = 1e-10;       ///< tolerance beside methods that are not automatic
static const double TIGHTER = 100.0;     ///< times as tight beside those that hold a tolerance
static const double QUICK = 1e-8;        ///< tolerance of a quick one beside methods with a step
static const double QUICKER = 4.0;       ///< times as tight as that of the run, if it holds one
static const double TIGHTEST = 1e-12;    ///< beyond it rounding decides
static const double LOOSEST = 1e-8;      ///< so that its error can be neglected
static const double FEWEST_STEPS = 23.7; ///< of a quick one; runs of few steps have others
static const int LONG_STEPS = 7; ///< order of integrators whose tolerance is that of the motion
/// Of an evaluation, beside a correction of al3, for each coordinate: medians of instructions that
/// were counted for the problems, from which single ones are away by a factor of two.
static const double CHART_WORK = 7.0, OPEN_WORK = 0.35;
enum { FEW = 20 }; ///< coordinates up to which others cost little

/* Is its tolerance that of the motion? */
static int holds_tolerance(const sari_integrator_ops* integrator)
{
    return integrator->variable && integrator->order >= LONG_STEPS;
}

static double tight_tolerance(const sar_options* o, const sari_integrator_ops* integrator)
{
    if (!holds_tolerance(integrator)) return TIGHT;
    return fmax(TIGHTEST, fmin(LOOSEST, o->tolerance / TIGHTER));
}

/* The longest step: that of the run, or this part of the time. */
static double limited(const sar_options* o, double steps)
{
    const double own = (o->end - o->start) / steps;
    return o->step_max > 0.0 ? fmin(o->step_max, own) : own;
}

/* The automatic method: joint coordinates, or natural ones beside those. */
static sar_status independent(const sar_options* o, const sari_integrator_ops* integrator, int n,
                              sar_options* out)
{
    if (!o->assemble) return SAR_E_INCOMPAT; // it has no motion beside the constraints
    *out = sar_options_default();
    SARI_TRY(sar_options_set(out, "preset", "auto", NULL));
    if (strcmp(o->coordinates, "relative") == 0 && n <= FEW)
        SARI_TRY(sar_options_set(out, "coordinates", "natural", NULL));
    out->start = o->start;
    out->end = o->end;
    out->equilibrium = o->equilibrium;
    out->drawing = o->drawing;
    out->threads = o->threads;
    out->tolerance = tight_tolerance(o, integrator);
    out->step_max = limited(o, SARI_REFERENCE_STEPS);
    return SAR_OK;
}

/* Errors of the automatic method are about proportional to its tolerance. */
static sar_status quick(const sar_options* o, const sari_integrator_ops* integrator,
                        sar_options* out, double* ratio, double* order)
{
    const int more_than_few = FEW + 1; // coordinates: no others
    SARI_TRY(independent(o, integrator, more_than_few, out));
    out->tolerance = QUICK;
    if (!holds_tolerance(integrator)) return SAR_OK;
    out->tolerance = fmax(TIGHTEST, o->tolerance / QUICKER);
    out->step_max = limited(o, FEWEST_STEPS);
    *ratio = fmax(1.5, o->tolerance / out->tolerance);
    *order = 1.0;
    return SAR_OK;
}

/* The same method, with steps or tolerances times `factor`. */
static sar_status scaled(const sar_options* o, const sari_integrator_ops* integrator, int finer,
                         sar_options* out, double* ratio, double* order)
{
    *out = *o;
    *ratio = integrator->variable ? 10.0 : 2.0;
    *order = integrator->variable ? 1.0 : integrator->order;
    if (strcmp(integrator->name, "own") == 0) *order = o->compose;
    if (strcmp(integrator->name, "newmark") == 0 && o->gamma != 0.5) *order = 1.0;
    const double factor = finer ? 1.0 / *ratio : *ratio;
    if (integrator->variable) {
        out->tolerance *= factor;
        out->absolute_tolerance *= factor;
        if (finer) out->step_max *= 0.5; // it may be what limits the steps
        if (out->tolerance < 1e-14 || out->tolerance > 1.0) return SAR_E_INCOMPAT;
    } else {
        out->step *= factor;
        if (out->step > o->end - o->start) return SAR_E_INCOMPAT;
    }
    return SAR_OK;
}

sar_status sar_reference_options(const sar_options* options, sar_reference_kind which,
                                 int coordinates, sar_options* out, double* ratio, double* order)
{
    const sari_integrator_ops* integrator = sari_integrator_named(options->integrator);
    *ratio = INFINITY;
    *order = integrator ? integrator->order : 1.0;
    if (!integrator) return SAR_E_ARG;
    if (which == SAR_REFERENCE_INDEPENDENT)
        return independent(options, integrator, coordinates, out);
    if (which == SAR_REFERENCE_QUICK) return quick(options, integrator, out, ratio, order);
    return scaled(options, integrator, which == SAR_REFERENCE_FINER, out, ratio, order);
}

double sar_simulation_work(const sar_simulation* s)
{
    const double weight = s->form.ops->first_order                     ? CHART_WORK
                          : sari_equations_open(&s->system->equations) ? OPEN_WORK
                                                                       : 1.0;
    return weight * (double)s->statistics.iterations * s->system->nq;
}
