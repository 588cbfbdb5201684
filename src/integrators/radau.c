/* Radau IIA with five stages: implicit, order 9, step chosen by a tolerance, for stiff forces
 * [hairer1996, IV.5 and IV.8]. The stages are those of radau_newton.c; they end where the step does.
 *
 * The error is that of an embedded formula of order 5, which the Jacobian keeps from seeing what is
 * stiff,
 *
 *     err = (g/h - J)^-1 (f_0 + sum_i e_i z_i / h),   g the real eigenvalue of A^-1          (1)
 *
 * and in a first step, or after one that was refused, once more with f(y + err) in the place of f_0
 * where that says more than is allowed. The next step is the smaller of
 *
 *     h err^(-1/6),   h (h / h_old) (err^2 / err_old)^(-1/6)                                 (2)
 *
 * the second of which sees the error coming [gustafsson1994]. Within a step there is the polynomial
 * through its stages.
 *
 * J is kept as long as Newton's method converges fast with it, but that of a start for one step, its
 * factors as long as the step would hardly change. */
#include "integrators/radau.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/functions.h"

#include <math.h>
#include <string.h>

enum { FAILURES = 60 };

static const double SHORTEST = 1e-13;     ///< of the time asked for: shorter steps would not end
static const double ORDER = 6.0;          ///< of the error estimate
static const double KEEP_JACOBIAN = 0.02; ///< rate of convergence
static const double KEEP_FACTORS = 1.2;   ///< growth of a step that is not worth new ones
static const double SLOW = 0.3; ///< rate of convergence that the next step should not exceed
static const double SAFETY = 0.9;
static const double GROW = 5.0, SHRINK = 0.125; ///< limits of (2)

static void clear(void* self)
{
    sari_arena_clear(&((sari_radau*)self)->matrices);
}

static void take_all(sari_radau* self, int most)
{
    sari_arena* m = &self->memory;
    double** const vectors[] = {&self->y,   &self->f,     &self->stage,
                                &self->end, &self->slope, &self->error};
    for (int i = 0; i < 6; i++) *vectors[i] = SARI_TAKE(m, double, most);
    self->work = SARI_TAKE(m, double, 2 * most);
    for (int i = 0; i < RADAU_STAGES; i++) {
        self->Z[i] = SARI_TAKE(m, double, most);
        self->W[i] = SARI_TAKE(m, double, most);
        self->F[i] = SARI_TAKE(m, double, most);
    }
    for (int i = 0; i <= RADAU_STAGES; i++) self->D[i] = SARI_TAKE(m, double, most);
}

sar_status sari_radau_make_room(sari_radau* self, int size)
{
    sari_arena* m = &self->matrices;
    if (size <= self->room) return SAR_OK;
    sari_arena_clear(m);
    self->room = 0;
    self->known = 0;
    self->factored = 0.0;
    self->J = SARI_TAKE(m, double, (size_t)size*(size_t)size);
    sari_shifted_take(&self->real, m, size, 0);
    for (int p = 0; p < RADAU_PAIRS; p++) sari_shifted_take(&self->pair[p], m, size, 1);
    if (m->failed) return SAR_E_NOMEM;
    self->room = size;
    return SAR_OK;
}

static sar_status create(void* self_, sari_equations* system, const sari_formulation* form,
                         const sar_options* options, sar_error* error)
{
    sari_radau* self = self_;
    (void)error;
    self->ode = sari_first_order_of(system, form, options, &self->memory);
    self->tolerance = options->tolerance;
    self->longest = options->step_max > 0.0 ? options->step_max : INFINITY;
    self->span = options->end - options->start;
    if (!self->memory.failed) take_all(self, self->ode.ops->most(self->ode.self));
    return SAR_OK;
}

void sari_radau_obey(void* self, sari_obedience how)
{
    ((sari_radau*)self)->obeys = how != SARI_OBEY_NOT;
}

static sar_status start(void* self_, const sari_state* s)
{
    sari_radau* self = self_;
    (void)s;
    self->h = self->h_old = self->err_old = 0.0;
    self->known = self->stages = 0;
    self->expect = 1.0;
    return sari_radau_make_room(self, sari_first_order_size(&self->ode));
}

/* ---- error and step ------------------------------------------------------------------------- */

/* (1), with f in the place of f_0; its size in units of what is allowed. */
static double filtered_error(sari_radau* self, const double* f, double h)
{
    for (int k = 0; k < self->size; k++) {
        double sum = 0.0;
        for (int i = 0; i < RADAU_STAGES; i++) sum += radau_error[i] * self->Z[i][k];
        self->error[k] = f[k] + sum / h;
    }
    sari_shifted_solve(&self->real, self->J, self->error, NULL);
    return self->ode.ops->norm(self->ode.self, self->error) / self->tolerance;
}

static sar_status estimate(sari_radau* self, double h, int twice, double* err,
                           sari_step_report* report)
{
    *err = filtered_error(self, self->f, h);
    if (!isfinite(*err)) return SAR_R_NOT_FINITE;
    if (*err <= 1.0 || !twice) return SAR_OK;
    const sari_first_order* ode = &self->ode;
    for (int k = 0; k < self->size; k++) self->stage[k] = self->y[k] + self->error[k];
    report->iterations++;
    if (ode->ops->rates(ode->self, self->t, self->stage, self->slope) != SAR_OK) return SAR_OK;
    const double again = filtered_error(self, self->slope, h);
    if (isfinite(again)) *err = again;
    return SAR_OK;
}

/* (2); iterations that were many make for a shorter step. */
static double next_step(const sari_radau* self, double h, double err, int iterations)
{
    const double most = SARI_RADAU_ITERATIONS;
    const double safety = fmin(SAFETY, SAFETY * (1.0 + 2.0 * most) / (iterations + 2.0 * most));
    double factor = safety * sari_pow(fmax(err, 1e-10), -1.0 / ORDER);
    if (err <= 1.0 && self->err_old > 0.0) {
        const double ahead = SAFETY * h / self->h_old *
                             sari_pow(fmax(err * err, 1e-20) / self->err_old, -1.0 / ORDER);
        factor = fmin(factor, ahead);
    }
    return h * fmin(GROW, fmax(SHRINK, factor));
}

/// What an attempt came to.
typedef struct attempt {
    double err;
    sari_radau_outcome newton;
} attempt;

/* One attempt: the error, in units of what is allowed, and the state at its end where that is at
 * most one. */
static sar_status try_step(sari_radau* self, double h, int twice, sari_state* s, attempt* a,
                           sari_step_report* report)
{
    const int last = RADAU_STAGES - 1;
    a->newton.factor = 0.5;
    SARI_TRY(sari_radau_prepare(self, h, report));
    SARI_TRY(sari_radau_iterate(self, h, &a->newton, report));
    SARI_TRY(estimate(self, h, twice && !self->obeys, &a->err, report));
    if (self->obeys) a->err = fmin(a->err, 1.0);
    if (a->err > 1.0) return SAR_OK;
    for (int k = 0; k < self->size; k++) self->end[k] = self->y[k] + self->Z[last][k];
    report->iterations++;
    return self->ode.ops->store(self->ode.self, self->t + h, self->end, self->slope, s);
}

static sar_status give_up(sari_radau* self, sar_status st, double h, double err)
{
    self->why = (sari_given_up){st, self->t, h, err, self->tolerance};
    return st == SAR_OK ? SAR_R_NO_CONV : st;
}

/* The step after an attempt that failed; a Jacobian that was kept may be all that was wrong. */
static double retry(sari_radau* self, sar_status st, double h, const attempt* a)
{
    if (st == SAR_OK) return 0.95 * next_step(self, h, a->err, a->newton.iterations);
    if (!self->fresh) {
        self->known = 0;
        return h;
    }
    return (st == SAR_R_SINGULAR ? 0.87 : st == SAR_R_NO_CONV ? a->newton.factor : 0.6) * h;
}

static void finish(sari_radau* self, double h, double wanted, const attempt* a, int failures)
{
    double next = next_step(self, h, a->err, a->newton.iterations);
    // the rate grows with the cube of the step: with what the Jacobian misses of a step's motion
    if (a->newton.iterations > 1 && self->theta > 0.0)
        next = fmin(next, h * fmax(0.5, sari_cbrt(SLOW / self->theta)));
    if (failures) next = fmin(next, h);
    if (h < wanted && !failures) next = fmax(next, fmin(wanted, GROW * h)); // it was cut short
    // where a motion starts forces may have a kink, and J be that of the other side: corrections by one that
    // is too stiff are small, and look like convergence
    const int first = self->h_old == 0.0;
    self->known = !first && (a->newton.iterations == 1 || self->theta <= KEEP_JACOBIAN);
    if (self->known && next >= h && next <= KEEP_FACTORS * h) next = h;
    self->h = next;
    self->h_old = self->done = h;
    self->err_old = fmax(a->err, 1e-2);
    self->stages = 1;
}

static sar_status step(void* self_, sari_state* s, double left, sari_step_report* report)
{
    sari_radau* self = self_;
    const sari_first_order* ode = &self->ode;
    const int size = self->size;
    self->why.h = 0.0;
    SARI_TRY(ode->ops->base(ode->self, s, self->y, self->f, &self->size));
    self->t = s->t;
    self->fresh = 0;
    if (size != self->size) self->known = self->stages = 0;
    SARI_TRY(sari_radau_make_room(self, self->size));
    if (self->h == 0.0)
        self->h = 0.3 * sari_pow(self->tolerance, 1.0 / ORDER) / ode->ops->pace(ode->self);
    sari_radau_extrapolate(self);
    const double wanted = self->h;
    const int first = self->h_old == 0.0;
    double h = self->obeys ? left : sari_first_order_fit(ode, s, wanted, self->longest, left);
    attempt a = {0};
    int failures = 0;
    for (;; failures++) {
        const sar_status st = try_step(self, h, first || failures, s, &a, report);
        if (st == SAR_OK && a.err <= 1.0) break;
        if (st < 0) return st;
        if (ode->ops->reject) ode->ops->reject(ode->self);
        const double tried = h;
        h = retry(self, st, h, &a);
        if (failures > FAILURES || h < SHORTEST * self->span)
            return give_up(self, st, tried, a.err);
    }
    report->rejected += failures;
    SARI_TRY(ode->ops->accept(ode->self, s));
    finish(self, h, wanted, &a, failures);
    report->evaluated = 0;
    return SAR_OK;
}

/* ---- within the step ------------------------------------------------------------------------ */

/* y at t, into `stage`. */
static void interpolate(sari_radau* self, double t)
{
    const double x = (t - self->t) / self->done;
    memcpy(self->stage, self->y, (size_t)self->size * sizeof(double));
    for (int i = 0; i < RADAU_STAGES; i++) {
        double weight = x / radau_time[i];
        for (int j = 0; j < RADAU_STAGES; j++)
            if (j != i) weight *= (x - radau_time[j]) / (radau_time[i] - radau_time[j]);
        for (int k = 0; k < self->size; k++) self->stage[k] += weight * self->Z[i][k];
    }
}

static sar_status dense(void* self_, double t, sari_state* s)
{
    sari_radau* self = self_;
    interpolate(self, t);
    return self->ode.ops->store(self->ode.self, t, self->stage, NULL, s);
}

static sar_status dense_part(void* self_, double t, int level, sari_state* s)
{
    sari_radau* self = self_;
    if (!self->ode.ops->store_part) return dense(self, t, s);
    interpolate(self, t);
    return self->ode.ops->store_part(self->ode.self, t, self->stage, level, s);
}

static const double* within(void* self_, double t)
{
    sari_radau* self = self_;
    interpolate(self, t);
    return self->stage;
}

/* Factors of J are made anew by the next step, with the same bits. */
static void archive(void* self_, sari_archive* a)
{
    sari_radau* self = self_;
    const int size = sari_archive_range(a, self->size, 0, self->ode.ops->most(self->ode.self));
    if (sari_archive_reads(a) && sari_radau_make_room(self, size) != SAR_OK) a->failed = 1;
    self->size = size;
    self->known = sari_archive_flag(a, self->known);
    self->stages = sari_archive_flag(a, self->stages);
    const size_t n = (size_t)size;
    SARI_ARCHIVE_NUMBERS(a, &self->h, &self->h_old, &self->err_old, &self->t, &self->done,
                         &self->theta, &self->expect);
    sari_archive_numbers(a, self->y, n);
    for (int i = 0; i < RADAU_STAGES; i++) sari_archive_numbers(a, self->Z[i], n);
    if (self->known) sari_archive_numbers(a, self->J, n * n);
    if (sari_archive_reads(a)) self->factored = 0.0;
    sari_first_order_archive(&self->ode, a);
}

static void explain(const void* self, char* text, size_t size)
{
    sari_first_order_explain(&((const sari_radau*)self)->why, text, size);
}

const sari_integrator_ops sari_integrator_radau = {
    .name = "radau",
    .cite = "hairer1996 gustafsson1994",
    .text = "Radau IIA with five stages, implicit, step chosen by a tolerance; order 9, for stiff "
            "forces",
    .needs = SARI_CONTRACT_FIRST_ORDER,
    .order = 9,
    .variable = 1,
    .size = SARI_OBJECT(sari_radau, memory),
    .create = create,
    .start = start,
    .step = step,
    .dense = dense,
    .dense_part = dense_part,
    .within = within,
    .obey = sari_radau_obey,
    .explain = explain,
    .archive = archive,
    .clear = clear,
};
