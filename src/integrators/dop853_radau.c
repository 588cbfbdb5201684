/* dop853 where that is cheaper, radau where forces are stiff.
 *
 * An explicit step of h is stable up to h rho of about 5, where rho is the spectral radius of df/dy, and with
 * a tolerance that is tight it follows what is stiff even where that has died away, with h rho of less than
 * one. Implicit steps are as long as the motion that is left allows; how long that is can be guessed from
 * its pace Omega,
 *
 *     h_implicit ~ 2.5 tolerance^(1/6) / Omega                                               (1)
 *
 * but is not known before it is tried. So both are held to what they cost:
 *
 * - rho is looked at every so often. Where h rho of explicit steps is near its limit, or not small while by
 *   (1) implicit steps would take half the evaluations, radau goes on. It does so as long as it takes fewer
 *   evaluations for the same time than explicit steps, whose h rho is known by then, would.
 *
 * - else dop853 goes on, and the next trial has to wait twice as long.
 *
 * Both keep to the tolerance wherever they are used, and hand over between steps, where the state is
 * all there is to know. So it costs time to be wrong here, not accuracy. A step that one of them gives up
 * is tried by the other. */
#include "integrators/dop853_radau.h"

#include "base/memory.h"
#include "base/status.h"
#include "integrators/dop853.h"
#include "integrators/radau.h"
#include "math/functions.h"

#include <math.h>

static const double LIMITED = 2.5;   ///< h rho of explicit steps from which stability may count
static const double AT_START = 10.0; ///< likewise of a first step, which is a guess
static const double FAST = 0.25;     ///< h rho below which accuracy alone counts
static const double REACH = 2.5;     ///< of (1)
static const double IMPLICIT_EVALUATIONS = 25.0; ///< of a step, usually
enum {
    FIRST_LOOK = 5, ///< explicit steps after a start, and
    LOOK = 10,      ///< at least between looks; the Jacobian takes time that grows with its size
    LOOK_SIZE = 3,  ///< so there are so many more for each of its rows
    FEW = 24,       ///< of its rows: more take too many rates, where it is by differences
    RARER = 8,      ///< at most so many times that
    SETTLE = 4,     ///< implicit steps that are not judged: they are still growing
    JUDGE = 4,      ///< and those that are, together
    PATIENCE = 64,  ///< most looks that are let pass after trials that failed
};

typedef struct dop853_radau {
    sari_arena memory;
    sari_arena matrices;
    int room;             ///< rows of J that there is memory for
    sari_first_order ode; ///< for looks at the Jacobian
    void* dop853;
    sari_radau* radau;
    int implicit, decided, last_implicit;
    int wait;            ///< explicit steps until the next look
    double looked;       ///< step at the last one
    int rarer;           ///< looks are so many times rarer than usual
    int skip, skip_next; ///< looks to let pass, and after the next trial that fails
    int settle, judged;  ///< implicit steps: not yet judged; in this window
    double evaluations, time;
    double rho, tolerance;
    double limit; ///< h rho of explicit steps, where they are limited by what is stiff
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
    self->tolerance = options->tolerance;
    self->ode = sari_first_order_of(system, form, options, m);
    const int most = m->failed ? 0 : self->ode.ops->most(self->ode.self);
    self->y = SARI_TAKE(m, double, most);
    self->f = SARI_TAKE(m, double, most);
    self->work = SARI_TAKE(m, double, 3 * most);
    return SAR_OK;
}

/* Memory for looks at a Jacobian of so many rows, if there is none. */
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
    self->decided = self->implicit = self->skip = 0;
    self->rarer = self->skip_next = 1;
    self->limit = SARI_DOP853_STABLE;
    SARI_TRY(make_room(self, sari_first_order_size(&self->ode)));
    SARI_TRY(sari_integrator_dop853.start(self->dop853, s));
    return sari_integrator_radau.start(self->radau, s);
}

/* ---- explicit or implicit ------------------------------------------------------------------- */

/* rho at s, where no step is under way. Not finite: not to be had. */
static void look(dop853_radau* self, const sari_state* s, sari_step_report* report)
{
    const sari_first_order* ode = &self->ode;
    int size, evaluations = 0;
    self->rho = NAN;
    if (ode->ops->base(ode->self, s, self->y, self->f, &size) != SAR_OK) return;
    if (make_room(self, size) != SAR_OK) return;
    sar_status st = SAR_E_INCOMPAT;
    if (size <= FEW)
        st = sari_first_order_jacobian(ode, size, s->t, self->y, self->f, self->J, self->work,
                                       &evaluations);
    else if (ode->ops->jacobian)
        st = ode->ops->jacobian(ode->self, s->t, self->y, self->J);
    if (st == SAR_OK)
        self->rho = sari_spectral_radius(size, self->J, self->powers);
    else if (st == SAR_E_INCOMPAT)
        self->rho =
            sari_first_order_radius(ode, size, s->t, self->y, self->f, self->work, &evaluations);
    report->iterations += evaluations;
    self->wait = LOOK + LOOK_SIZE * size;
}

static void go_implicit(dop853_radau* self, const sari_state* s, double h)
{
    sari_integrator_radau.start(self->radau, s);
    self->radau->h = h;
    self->implicit = 1;
    self->settle = SETTLE;
    self->judged = 0;
    self->evaluations = self->time = 0.0;
}

/* A trial that failed makes the next one wait longer; one that went well is forgotten. */
static void go_explicit(dop853_radau* self, int tried_in_vain, double h)
{
    sari_dop853_resume(self->dop853, h);
    self->implicit = 0;
    self->wait = FIRST_LOOK;
    self->rarer = 1;
    self->looked = h;
    self->skip = tried_in_vain ? self->skip_next : 0;
    self->skip_next = tried_in_vain && self->skip_next < PATIENCE ? 2 * self->skip_next : 1;
}

/* At a start: the first step that dop853 would try. */
static void decide(dop853_radau* self, const sari_state* s, sari_step_report* report)
{
    self->decided = 1;
    look(self, s, report);
    const double h = 0.3 * sari_pow(self->tolerance, 0.125) / self->ode.ops->pace(self->ode.self);
    self->wait = FIRST_LOOK;
    self->looked = 0.0;
    if (h * self->rho > AT_START) go_implicit(self, s, 0.0);
}

/* Would implicit steps be worth a trial, where explicit ones are of h? */
static int seems_stiff(const dop853_radau* self, double h)
{
    const double x = h * self->rho;
    if (x > LIMITED) return 1;
    const double guess =
        REACH * sari_pow(self->tolerance, 1.0 / 6.0) / self->ode.ops->pace(self->ode.self); // (1)
    return x > FAST && SARI_DOP853_EVALUATIONS / h > 2.0 * IMPLICIT_EVALUATIONS / guess;
}

/* Between explicit steps, every so often, or when they became much shorter. */
static void look_after(dop853_radau* self, const sari_state* s, sari_step_report* report)
{
    const double h = sari_dop853_next_step(self->dop853);
    if (self->wait-- > 0 && !(h < 0.5 * self->looked)) return;
    look(self, s, report);
    self->looked = h;
    if (!seems_stiff(self, h)) {
        self->rarer = h * self->rho < FAST && self->rarer < RARER ? 2 * self->rarer : 1;
        self->wait *= self->rarer;
        self->skip = 0;
        return;
    }
    self->rarer = 1;
    if (self->skip > 0) {
        self->skip--;
        return;
    }
    self->limit = fmin(SARI_DOP853_STABLE, h * self->rho);
    go_implicit(self, s, h);
}

/* After an implicit step: what it cost, and what explicit ones would have. */
static void judge(dop853_radau* self, double evaluations, double h)
{
    const sari_radau* radau = self->radau;
    if (self->settle > 0) {
        self->settle--;
        return;
    }
    self->evaluations += evaluations;
    self->time += h;
    if (++self->judged < JUDGE) return;
    if (make_room(self, radau->size) != SAR_OK) return;
    self->rho = sari_spectral_radius(radau->size, radau->J, self->powers);
    const double explicit_step = self->limit / self->rho;
    const double steps = self->time / explicit_step;
    const int first = self->settle == 0;
    if (self->evaluations > SARI_DOP853_EVALUATIONS * steps)
        go_explicit(self, first, fmin(radau->h, explicit_step));
    self->settle = -1; // a window was judged
    self->judged = 0;
    self->evaluations = self->time = 0.0;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static sar_status step_with(dop853_radau* self, sari_state* s, double left,
                            sari_step_report* report)
{
    self->last_implicit = self->implicit;
    if (!self->implicit) return sari_integrator_dop853.step(self->dop853, s, left, report);
    const double begin = s->t;
    const int before = report->iterations;
    SARI_TRY(sari_integrator_radau.step(self->radau, s, left, report));
    judge(self, report->iterations - before, s->t - begin);
    return SAR_OK;
}

static sar_status step(void* self_, sari_state* s, double left, sari_step_report* report)
{
    dop853_radau* self = self_;
    if (!self->decided)
        decide(self, s, report);
    else if (!self->implicit)
        look_after(self, s, report);
    const sar_status st = step_with(self, s, left, report);
    self->failed_implicit = self->last_implicit;
    if (st <= SAR_OK) return st;
    if (self->implicit) // the other one may know better
        go_explicit(self, 1, 0.0);
    else
        go_implicit(self, s, 0.0);
    return step_with(self, s, left, report) == SAR_OK ? SAR_OK : st;
}

int sari_dop853_radau_implicit(const void* self)
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
    .dense = dense,
    .dense_part = dense_part,
    .dense_beside = dense_beside,
    .within = within,
    .explain = explain,
    .clear = clear,
};
