/* dop853 where that is cheaper, radau where forces are stiff: stiff_watch.c decides. Both keep to the
 * tolerance wherever they are used, and hand over between steps, where the state is all there is to
 * know. So it costs time to be wrong here, not accuracy. A step that one of them gives up is tried by
 * the other. */
#include "base/memory.h"
#include "base/status.h"
#include "integrators/dop853.h"
#include "integrators/radau.h"
#include "integrators/stiff_watch.h"
#include "math/functions.h"

#include <math.h>

static const double AT_START = 10.0; ///< h rho of a first step, a guess, beyond which it is stiff
static const double REACH = 2.5;     ///< of implicit steps, see stiff_watch.c,
static const double LIMITED = 2.5;   ///< and h rho of explicit ones from which they may pay
static const double IMPLICIT_EVALUATIONS = 25.0; ///< of a step, usually
enum {
    SAMPLE_EVERY =
        10, ///< explicit steps between samples, at least; the Jacobian takes time with its size,
    LOOK_SIZE = 3, ///< so there are so many more for each of its rows
    FEW = 24,      ///< of its rows: more take too many rates, where it is by differences
    GRACE = 4,     ///< implicit steps that are not judged
    JUDGE = 4,     ///< and those that are, together
};

typedef struct dop853_radau {
    sari_arena memory;
    sari_arena matrices;
    int room;             ///< rows of J that there is memory for
    sari_first_order ode; ///< for samples of the Jacobian
    void* dop853;
    sari_radau* radau;
    sari_stiff_watch watch;
    sari_obedience obeys;
    int decided, last_implicit;
    sari_state before; ///< the step
    double *y, *f, *J, *work, *powers;
    int failed_implicit;
} dop853_radau;

static void clear(void* self_)
{
    dop853_radau* self = self_;
    sari_integrator_destroy(&sari_integrator_dop853, self->dop853);
    sari_integrator_destroy(&sari_integrator_radau, self->radau);
    sari_arena_clear(&self->matrices);
}

static sar_status create(void* self_, sari_equations* system, const sari_formulation* form,
                         const sar_options* options, sar_error* error)
{
    dop853_radau* self = self_;
    sari_arena* m = &self->memory;
    void* radau = NULL;
    SARI_TRY(sari_integrator_create(&sari_integrator_dop853, system, form, options, &self->dop853,
                                    error));
    SARI_TRY(sari_integrator_create(&sari_integrator_radau, system, form, options, &radau, error));
    self->radau = radau;
    self->watch = (sari_stiff_watch){.tolerance = options->tolerance,
                                     .reach = REACH,
                                     .limited = LIMITED,
                                     .implicit_evaluations = IMPLICIT_EVALUATIONS,
                                     .grace_steps = GRACE,
                                     .judge_steps = JUDGE};
    self->ode = sari_first_order_of(system, form, options, m);
    const int most = m->failed ? 0 : self->ode.ops->most(self->ode.self);
    self->y = SARI_TAKE(m, double, most);
    self->f = SARI_TAKE(m, double, most);
    self->work = SARI_TAKE(m, double, 3 * most);
    sari_state_take(&self->before, m, system, sari_formulation_can(form->ops, SARI_FORM_MOMENTA));
    return SAR_OK;
}

/* Memory for samples of a Jacobian of `size` rows, if there is none. */
static sar_status make_room(dop853_radau* self, int size)
{
    sari_arena* m = &self->matrices;
    const size_t entries = (size_t)size * (size_t)size;
    if (size <= self->room) return SAR_OK;
    sari_arena_clear(m);
    self->room = 0;
    self->J = SARI_TAKE(m, double, entries);
    self->powers = SARI_TAKE(m, double, 2 * entries);
    if (m->failed) return SAR_E_NOMEM;
    self->room = size;
    return SAR_OK;
}

static sar_status start(void* self_, const sari_state* s)
{
    dop853_radau* self = self_;
    self->decided = 0;
    sari_stiff_watch_start(&self->watch);
    SARI_TRY(make_room(self, sari_first_order_size(&self->ode)));
    SARI_TRY(sari_integrator_dop853.start(self->dop853, s));
    return sari_integrator_radau.start(self->radau, s);
}

/* ---- explicit or implicit ------------------------------------------------------------------- */

/* rho at s, where no step is under way. Not finite: it cannot be evaluated. */
static void sample_stiffness(dop853_radau* self, const sari_state* s, sari_step_report* report)
{
    const sari_first_order* ode = &self->ode;
    sari_stiff_watch* w = &self->watch;
    int size, evaluations = 0;
    w->rho = NAN;
    if (ode->ops->base(ode->self, s, self->y, self->f, &size) != SAR_OK) return;
    if (make_room(self, size) != SAR_OK) return;
    sar_status st = SAR_E_INCOMPAT;
    if (size <= FEW)
        st = sari_first_order_jacobian(ode, size, s->t, self->y, self->f, self->J, self->work,
                                       &evaluations);
    else if (ode->ops->jacobian)
        st = ode->ops->jacobian(ode->self, s->t, self->y, self->J);
    if (st == SAR_OK)
        w->rho = sari_spectral_radius(size, self->J, self->powers);
    else if (st == SAR_E_INCOMPAT)
        w->rho =
            sari_first_order_radius(ode, size, s->t, self->y, self->f, self->work, &evaluations);
    report->iterations += evaluations;
    w->wait = SAMPLE_EVERY + LOOK_SIZE * size;
}

static void go_implicit(dop853_radau* self, const sari_state* s, double h)
{
    sari_integrator_radau.start(self->radau, s);
    self->radau->h = h;
    sari_stiff_watch_go_implicit(&self->watch);
}

static void go_explicit(dop853_radau* self, int tried_in_vain, double h)
{
    sari_dop853_resume(self->dop853, h);
    sari_stiff_watch_go_explicit(&self->watch, tried_in_vain, h);
}

/* At a start: the first step that dop853 would try. */
static void decide(dop853_radau* self, const sari_state* s, sari_step_report* report)
{
    sari_stiff_watch* w = &self->watch;
    const int wait = w->wait;
    self->decided = 1;
    sample_stiffness(self, s, report);
    const double h = 0.3 * sari_pow(w->tolerance, 0.125) / self->ode.ops->pace(self->ode.self);
    w->wait = wait;
    if (h * w->rho > AT_START) go_implicit(self, s, 0.0);
}

/* Between explicit steps, every so often, or when they became much shorter. */
static void sample_after(dop853_radau* self, const sari_state* s, sari_step_report* report)
{
    const double h = sari_dop853_next_step(self->dop853);
    if (!sari_stiff_watch_is_due(&self->watch, h)) return;
    sample_stiffness(self, s, report);
    if (sari_stiff_watch_sampled(&self->watch, h, self->ode.ops->pace(self->ode.self)))
        go_implicit(self, s, h);
}

/* After an implicit step: what it cost, and what explicit ones would have. */
static void judge(dop853_radau* self, double evaluations, double h)
{
    const sari_radau* radau = self->radau;
    sari_stiff_watch* w = &self->watch;
    double explicit_step;
    int first;
    if (!sari_stiff_watch_count(w, evaluations, h)) return;
    if (make_room(self, radau->size) != SAR_OK) return;
    w->rho = sari_spectral_radius(radau->size, radau->J, self->powers);
    if (sari_stiff_watch_judge(w, &explicit_step, &first))
        go_explicit(self, first, fmin(radau->h, explicit_step));
}

/* ---- steps ---------------------------------------------------------------------------------- */

static sar_status step_with(dop853_radau* self, sari_state* s, double left,
                            sari_step_report* report)
{
    self->last_implicit = self->watch.implicit;
    if (!self->watch.implicit) return sari_integrator_dop853.step(self->dop853, s, left, report);
    const double begin = s->t;
    const int before = report->iterations;
    SARI_TRY(sari_integrator_radau.step(self->radau, s, left, report));
    judge(self, report->iterations - before, s->t - begin);
    return SAR_OK;
}

/* A step of the kind that is prescribed. */
static sar_status follow(dop853_radau* self, sari_state* s, double left, sari_step_report* report)
{
    const int implicit = self->obeys == SARI_OBEY_IMPLICIT;
    if (implicit && !self->last_implicit) sari_integrator_radau.start(self->radau, s);
    if (!implicit && self->last_implicit) sari_dop853_resume(self->dop853, 0.0);
    self->last_implicit = self->failed_implicit = implicit;
    return implicit ? sari_integrator_radau.step(self->radau, s, left, report)
                    : sari_integrator_dop853.step(self->dop853, s, left, report);
}

static sar_status step(void* self_, sari_state* s, double left, sari_step_report* report)
{
    dop853_radau* self = self_;
    if (self->obeys) return follow(self, s, left, report);
    if (!self->decided)
        decide(self, s, report);
    else if (!self->watch.implicit)
        sample_after(self, s, report);
    sari_state_copy(&self->before, s);
    const sar_status st = step_with(self, s, left, report);
    self->failed_implicit = self->last_implicit;
    if (st <= SAR_OK) return st;
    sari_state_copy(s, &self->before);
    if (self->watch.implicit) // the other one may know better
        go_explicit(self, 1, 0.0);
    else
        go_implicit(self, s, 0.0);
    return step_with(self, s, left, report) == SAR_OK ? SAR_OK : st;
}

static void obey(void* self_, sari_obedience how)
{
    dop853_radau* self = self_;
    self->obeys = how;
    sari_dop853_obey(self->dop853, how);
    sari_radau_obey(self->radau, how);
}

static int implicit(const void* self)
{
    return ((const dop853_radau*)self)->last_implicit;
}

static sar_status dense(void* self_, double t, sari_state* s)
{
    dop853_radau* self = self_;
    return self->last_implicit ? sari_integrator_radau.dense(self->radau, t, s)
                               : sari_integrator_dop853.dense(self->dop853, t, s);
}

static sar_status dense_part(void* self_, double t, int level, sari_state* s)
{
    dop853_radau* self = self_;
    return self->last_implicit ? sari_integrator_radau.dense_part(self->radau, t, level, s)
                               : sari_integrator_dop853.dense_part(self->dop853, t, level, s);
}

static int dense_beside(void* self_, double t, sari_state* s)
{
    dop853_radau* self = self_;
    return !self->last_implicit && sari_integrator_dop853.dense_beside(self->dop853, t, s);
}

static const double* within(void* self_, double t)
{
    dop853_radau* self = self_;
    return self->last_implicit ? sari_integrator_radau.within(self->radau, t)
                               : sari_integrator_dop853.within(self->dop853, t);
}

static void archive(void* self_, sari_archive* a)
{
    dop853_radau* self = self_;
    SARI_ARCHIVE_INTS(a, &self->decided, &self->last_implicit, &self->failed_implicit);
    sari_stiff_watch_archive(&self->watch, a);
    sari_first_order_archive(&self->ode, a);
    sari_integrator_dop853.archive(self->dop853, a);
    sari_integrator_radau.archive(self->radau, a);
}

static void explain(const void* self_, char* text, size_t size)
{
    const dop853_radau* self = self_;
    if (self->failed_implicit)
        sari_integrator_radau.explain(self->radau, text, size);
    else
        sari_integrator_dop853.explain(self->dop853, text, size);
}

const sari_integrator_ops sari_integrator_dop853_radau = {
    .name = "dop853-radau",
    .cite = "hairer1993 hairer1996 gustafsson1994",
    .text = "dop853, or radau where forces are stiff: whichever takes fewer evaluations",
    .needs = SARI_CONTRACT_FIRST_ORDER,
    .order = 8,
    .variable = 1,
    .size = SARI_OBJECT(dop853_radau, memory),
    .create = create,
    .start = start,
    .step = step,
    .implicit = implicit,
    .dense = dense,
    .dense_part = dense_part,
    .dense_beside = dense_beside,
    .within = within,
    .obey = obey,
    .explain = explain,
    .archive = archive,
    .clear = clear,
};
