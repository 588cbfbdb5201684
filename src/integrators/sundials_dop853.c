/* dop853 where that is cheaper, ida where forces are stiff: for mechanisms so large that the Jacobian of
 * their rates costs too much. Implicit steps are those of the differential-algebraic equations, whose
 * matrices are as sparse as the mechanism; what leads to them, and back, is stiff_watch.c.
 *
 * Explicit steps take the rates of the formulation that the simulation has, implicit ones a formulation
 * of their own in the same coordinates. Errors of the formulas of variable order add up to more than
 * those of steps of order 8, so they are given a hundredth of the tolerance. A step that one of them
 * gives up, as ida does in singular configurations, is tried by the other.
 *
 * rho comes from few rates, by the power method. */
#include "base/status.h"
#include "integrators/dop853.h"
#include "integrators/first_order.h"
#include "integrators/stiff_watch.h"
#include "integrators/sundials.h"

#include <math.h>

enum { SAMPLE_EVERY = 8 }; ///< explicit steps between samples, at least

typedef struct dop853_ida {
    sari_arena memory;
    sari_first_order ode;  ///< for samples of rho
    sari_formulation form; ///< of explicit steps
    sari_formulation dae;  ///< of implicit ones
    void *dop853, *ida;
    sari_stiff_watch watch;
    int last_implicit, failed_implicit;
    sari_state before; ///< the step
    double *y, *f, *work;
} dop853_ida;

static void clear(void* self_)
{
    dop853_ida* self = self_;
    sari_integrator_destroy(&sari_integrator_dop853, self->dop853);
    sari_integrator_destroy(&sari_integrator_ida, self->ida);
    sari_formulation_clear(&self->dae);
}

static sar_status create(void* self_, sari_equations* system, const sari_formulation* form,
                         const sar_options* options, sar_error* error)
{
    dop853_ida* self = self_;
    sari_arena* m = &self->memory;
    sar_options sharper = *options;
    sharper.tolerance *= SARI_IDA_SHARPER;
    sharper.absolute_tolerance *= SARI_IDA_SHARPER;
    self->form = *form;
    SARI_TRY(sari_integrator_create(&sari_integrator_dop853, system, form, options, &self->dop853,
                                    error));
    SARI_TRY(sari_formulation_create(&sari_formulation_dae, system, &sharper, &self->dae, error));
    SARI_TRY(sari_integrator_create(&sari_integrator_ida, system, &self->dae, &sharper, &self->ida,
                                    error));
    self->watch = sari_stiff_watch_of_ida(sharper.tolerance);
    self->ode = sari_first_order_of(system, form, options, m);
    const int most = m->failed ? 0 : self->ode.ops->most(self->ode.self);
    self->y = SARI_TAKE(m, double, most);
    self->f = SARI_TAKE(m, double, most);
    self->work = SARI_TAKE(m, double, 3 * most);
    sari_state_take(&self->before, m, system, 0);
    return SAR_OK;
}

static sar_status start(void* self_, const sari_state* s)
{
    dop853_ida* self = self_;
    sari_stiff_watch_start(&self->watch);
    return sari_integrator_dop853.start(self->dop853, s);
}

/* ---- from one to the other ------------------------------------------------------------------ */

/* rho at s. Not finite: it cannot be evaluated. */
static void sample_stiffness(dop853_ida* self, const sari_state* s, sari_step_report* report)
{
    const sari_first_order* ode = &self->ode;
    int size, evaluations = 0;
    self->watch.rho = NAN;
    self->watch.wait = SAMPLE_EVERY;
    report->evaluated = 0;
    if (ode->ops->base(ode->self, s, self->y, self->f, &size) != SAR_OK) return;
    self->watch.rho =
        sari_first_order_radius(ode, size, s->t, self->y, self->f, self->work, &evaluations);
    report->iterations += evaluations;
}

/* Multipliers and accelerations are those of the rows that count in s from now on. */
static sar_status go_implicit(dop853_ida* self, sari_state* s)
{
    sari_stiff_watch_go_implicit(&self->watch);
    SARI_TRY(self->dae.ops->start(self->dae.self, s));
    return sari_integrator_ida.start(self->ida, s);
}

/* s is put on the constraints, with the accelerations that belong to it. */
static sar_status go_explicit(dop853_ida* self, int tried_in_vain, double h, sari_state* s)
{
    int changed;
    sari_dop853_resume(self->dop853, h);
    sari_stiff_watch_go_explicit(&self->watch, tried_in_vain, h);
    SARI_TRY(self->form.ops->rates->accept(self->form.self, s, &changed));
    return self->form.ops->start(self->form.self, s);
}

/* Between explicit steps, every so often, or when they became much shorter. */
static sar_status sample_after(dop853_ida* self, sari_state* s, sari_step_report* report)
{
    const double h = sari_dop853_next_step(self->dop853);
    if (!sari_stiff_watch_is_due(&self->watch, h)) return SAR_OK;
    sample_stiffness(self, s, report);
    if (!sari_stiff_watch_sampled(&self->watch, h, self->ode.ops->pace(self->ode.self)))
        return SAR_OK;
    if (go_implicit(self, s) == SAR_OK) return SAR_OK;
    sari_state_copy(s, &self->before);
    return go_explicit(self, 1, h, s);
}

/* After an implicit step: what it cost, and what explicit ones would have. */
static sar_status judge(dop853_ida* self, double evaluations, sari_state* s,
                        sari_step_report* report)
{
    sari_stiff_watch* w = &self->watch;
    double explicit_step;
    int first;
    if (!sari_stiff_watch_count(w, evaluations, s->t - self->before.t)) return SAR_OK;
    sample_stiffness(self, s, report);
    if (!sari_stiff_watch_judge(w, &explicit_step, &first)) return SAR_OK;
    return go_explicit(self, first, fmin(sari_ida_next_step(self->ida), explicit_step), s);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static sar_status step_with(dop853_ida* self, sari_state* s, double left, sari_step_report* report)
{
    sari_step_report own = {0};
    self->last_implicit = self->watch.implicit;
    const sar_status st = self->watch.implicit
                              ? sari_integrator_ida.step(self->ida, s, left, &own)
                              : sari_integrator_dop853.step(self->dop853, s, left, &own);
    report->iterations += own.iterations;
    report->rejected += own.rejected;
    report->evaluated = own.evaluated;
    if (st != SAR_OK || !self->last_implicit) return st;
    return judge(self, own.iterations + 1, s, report);
}

static sar_status step(void* self_, sari_state* s, double left, sari_step_report* report)
{
    dop853_ida* self = self_;
    sari_state_copy(&self->before, s);
    if (!self->watch.implicit) SARI_TRY(sample_after(self, s, report));
    const sar_status st = step_with(self, s, left, report);
    self->failed_implicit = self->last_implicit;
    if (st <= SAR_OK) return st;
    sari_state_copy(s, &self->before); // the other one may know better
    if (self->last_implicit)
        SARI_TRY(go_explicit(self, 1, 0.0, s));
    else if (go_implicit(self, s) != SAR_OK)
        return st;
    return step_with(self, s, left, report) == SAR_OK ? SAR_OK : st;
}

static int implicit(const void* self)
{
    return ((const dop853_ida*)self)->last_implicit;
}

static sar_status dense(void* self_, double t, sari_state* s)
{
    dop853_ida* self = self_;
    return self->last_implicit ? sari_integrator_ida.dense(self->ida, t, s)
                               : sari_integrator_dop853.dense(self->dop853, t, s);
}

static void archive(void* self_, sari_archive* a)
{
    dop853_ida* self = self_;
    SARI_ARCHIVE_INTS(a, &self->last_implicit, &self->failed_implicit);
    sari_stiff_watch_archive(&self->watch, a);
    sari_first_order_archive(&self->ode, a);
    self->dae.ops->archive(self->dae.self, a);
    sari_integrator_dop853.archive(self->dop853, a);
    sari_integrator_ida.archive(self->ida, a);
}

static void explain(const void* self_, char* text, size_t size)
{
    const dop853_ida* self = self_;
    if (self->failed_implicit)
        sari_integrator_ida.explain(self->ida, text, size);
    else
        sari_integrator_dop853.explain(self->dop853, text, size);
}

const sari_integrator_ops sari_integrator_dop853_ida = {
    .name = "dop853-ida",
    .cite = "hairer1993 hindmarsh2005 brenan1989",
    .text = "dop853, or ida where forces of large mechanisms are stiff: whichever takes fewer "
            "evaluations",
    .needs = SARI_CONTRACT_RATES,
    .refuses = SARI_FORM_MOMENTA,
    .takes_mass = 1,
    .order = 8,
    .variable = 1,
    .elsewhere = 1,
    .size = SARI_OBJECT(dop853_ida, memory),
    .create = create,
    .start = start,
    .step = step,
    .implicit = implicit,
    .dense = dense,
    .explain = explain,
    .archive = archive,
    .clear = clear,
};
