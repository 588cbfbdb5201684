/* A step chosen by its error, for rules of order 2: the trapezoidal rule by Newton-Raphson
 * iteration, and the step that a formulation brings, if that is of second order. The predictor is
 * q_k + h v_k + h^2/2 a_k, exact to second order, so that e, what the iteration adds to it, is a
 * measure of the local error, O(h^3). (Its first correction alone would not do: near a singular
 * configuration that one is enlarged.) A step is accepted when r, the largest
 * |e_i| / tolerance, is at most 1: the model's units are its size, and a radian. The next is
 *
 *     h <- h min(2, max(0.3, 0.9 r^(-1/3)))
 *
 * An iteration that fails is tried again with 0.3 h. Bounds on the step [ruggiu2023, sect. 2.2] can
 * be given: at the lower one steps are accepted whatever the error. Between steps: cubic Hermite
 * interpolation of positions and velocities.
 *
 * `by_iterations`: after [ruggiu2023, section 3] the largest number of iterations, gamma, and the increment at
 * which they stop, phi_max, govern the step. One that does not converge is tried again with h/2, after
 * one that does the next is 1.2 h, within the bounds; at the lower one it is accepted. By how much steps
 * change is not printed there. */
#include "base/arena.h"
#include "base/memory.h"
#include "base/status.h"
#include "integrators/integrator.h"
#include "math/functions.h"

#include <math.h>

enum { RESCUES = 2 }; ///< from rounding in one step: one that fails again and again has to end

/// A local error falls like the third power of the step. Near a singular configuration one that falls
/// like less than this power is rounding: the smaller the step the more of it.
static const double TRUNCATION = 2.5;

typedef struct variable_step {
    sari_arena memory;
    int n, m;
    sari_formulation form;
    const sari_equations* system;
    const sari_coordinates* coordinates;
    const sari_integrator_ops* ops; ///< the rule for a step
    void* rule;
    double tolerance; ///< of positions
    int by_iterations;
    double step_min, step_max;
    double floor;    ///< a smaller step means that there is no motion to follow
    double next;     ///< step to try
    sari_state from; ///< start of the last step
    sari_state to;   ///< its end
    double* d;       ///< the way from one position to another
    double *a1, *a2; ///< accelerations one and two steps before `from`
    double h1, h2;   ///< those steps; 0: none
} variable_step;

/* |e| in units of what is allowed, the largest over all coordinates. How far from the origin the
 * mechanism is does not count. */
static double error_ratio(const variable_step* self, const sari_state* s, double h)
{
    const sari_state* k = &self->from;
    double most = 0.0;
    sari_coordinates_difference(self->coordinates, k->q, s->q, self->d);
    for (int i = 0; i < self->n; i++) {
        double e = self->d[i] - h * (k->v[i] + 0.5 * h * k->a[i]);
        most = fmax(most, fabs(e) / self->tolerance);
    }
    return isfinite(most) ? most : INFINITY;
}

/* By what the step should change for an error `ratio` times the tolerance. */
static double change(double ratio)
{
    if (!(ratio > 0.0)) return 2.0;
    return fmin(2.0, fmax(0.3, 0.9 * sari_cbrt(1.0 / ratio)));
}

/* The error of the attempt from `from` to s, in units of the tolerance; infinite when it failed. */
static double attempt(variable_step* self, sari_state* s, double h, sari_step_report* report,
                      sar_status* st)
{
    sari_step_report one = {0};
    *st = self->ops->step(self->rule, s, h, &one);
    report->iterations += one.iterations;
    report->correction = one.correction;
    report->diverged = one.diverged;
    report->tolerance = one.tolerance;
    report->unconverged = one.unconverged;
    report->evaluated = one.evaluated;
    // near a singular configuration rounding may keep corrections above the iteration's own tolerance
    if (*st == SAR_R_NO_CONV && one.correction <= 0.1 * self->tolerance) *st = SAR_OK;
    return *st == SAR_OK ? error_ratio(self, s, h) : INFINITY;
}

/* Is the error of two attempts rounding? */
static int is_rounding(const variable_step* self, double h, double ratio, double last_h,
                       double last_ratio)
{
    const sari_formulation_ops* form = self->form.ops;
    if (!form->near_singular || !isfinite(last_ratio) || !(h < last_h)) return 0;
    if (sari_log(last_ratio / ratio) > TRUNCATION * sari_log(last_h / h)) return 0;
    return form->near_singular(self->form.self);
}

/* Where the rank drops the constraints do not determine the accelerations of the motion that goes
 * on. It is smooth, so they are extrapolated from the two steps before. */
static void extrapolate(const variable_step* self, sari_state* s)
{
    if (!(self->h2 > 0.0)) return;
    for (int i = 0; i < self->n; i++)
        s->a[i] = self->a1[i] + self->h1 / self->h2 * (self->a1[i] - self->a2[i]);
}

static sar_status accept(variable_step* self, const sari_state* s, double next)
{
    double* oldest = self->a2;
    self->a2 = self->a1;
    self->a1 = oldest;
    for (int i = 0; i < self->n; i++) self->a1[i] = self->from.a[i];
    self->h2 = self->h1;
    self->h1 = s->t - self->from.t;
    self->next = fmax(next, self->step_min);
    sari_state_copy(&self->to, s);
    return SAR_OK;
}

/* A step that is chosen by the iteration alone, of the size h at first. */
static sar_status step_by_iterations(variable_step* self, sari_state* s, double h,
                                     sari_step_report* report)
{
    const double SHORTER = 0.5, LONGER = 1.2;
    sari_state_copy(&self->from, s);
    for (;; report->rejected++) {
        sari_step_report one = {0};
        const sar_status st = self->ops->step(self->rule, s, h, &one);
        const int shortest = h <= self->step_min || h < self->floor;
        one.iterations += report->iterations;
        one.rejected = report->rejected;
        *report = one;
        report->tried = h;
        if (st == SAR_OK || (st == SAR_R_NO_CONV && h <= self->step_min))
            return accept(self, s, st == SAR_OK ? LONGER * h : h);
        if (st < 0 || shortest) return st;
        h = fmax(SHORTER * h, self->step_min);
        sari_state_copy(s, &self->from);
        self->form.ops->begin(self->form.self, NULL);
    }
}

static sar_status step(void* self_, sari_state* s, double most, sari_step_report* report)
{
    variable_step* self = self_;
    double h = fmin(fmin(self->next, self->step_max), most), least = self->step_min;
    if (most < 1.5 * h) h = most < 1.01 * h ? most : 0.5 * most; // no sliver is left before the end
    if (self->by_iterations) return step_by_iterations(self, s, h, report);
    double first = h, last_h = INFINITY, last_ratio = INFINITY;
    int rounding = 0, rescues = 0;
    sari_state_copy(&self->from, s);
    for (;;) {
        sar_status st;
        double ratio = attempt(self, s, h, report, &st);
        report->tried = h;
        report->error = st == SAR_OK ? ratio : 0.0;
        int at_least = least > 0.0 && h <= least;
        if (st == SAR_OK && rounding) return accept(self, s, h);
        if (st == SAR_OK && (ratio <= 1.0 || at_least)) return accept(self, s, h * change(ratio));
        if (at_least || h < self->floor) return st ? st : SAR_R_NO_CONV;
        report->rejected++;
        sari_projections_forget(self->system, 0.0);
        rounding =
            !rounding && rescues < RESCUES && is_rounding(self, h, ratio, last_h, last_ratio);
        last_h = h;
        last_ratio = ratio;
        rescues += rounding;
        h = rounding ? first : fmax(h * (st == SAR_OK ? change(ratio) : 0.3), least);
        sari_state_copy(s, &self->from);
        if (rounding) extrapolate(self, s);
        if (rounding) sari_state_copy(&self->from, s);
        self->form.ops->begin(self->form.self, NULL);
    }
}

static sar_status start(void* self_, const sari_state* s)
{
    variable_step* self = self_;
    sari_state_copy(&self->from, s);
    sari_state_copy(&self->to, s);
    self->h1 = self->h2 = 0.0;
    return SAR_OK;
}

/* Cubic through q and v at both ends; its derivatives. */
static sar_status dense(void* self_, double t, sari_state* s)
{
    const variable_step* self = self_;
    const sari_state *a = &self->from, *b = &self->to;
    double h = b->t - a->t, x = (t - a->t) / h;
    sari_coordinates_difference(self->coordinates, a->q, b->q, self->d);
    for (int i = 0; i < self->n; i++) {
        double slope = self->d[i] / h, va = a->v[i], vb = b->v[i];
        double bend = 3.0 * slope - 2.0 * va - vb, twist = va + vb - 2.0 * slope;
        self->d[i] = h * x * (va + x * (bend + x * twist));
        s->v[i] = va + x * (2.0 * bend + 3.0 * x * twist);
        s->a[i] = a->a[i] + x * (b->a[i] - a->a[i]);
    }
    sari_coordinates_move(self->coordinates, a->q, self->d, s->q);
    for (int r = 0; r < self->m; r++)
        s->lambda[r] = a->lambda[r] + x * (b->lambda[r] - a->lambda[r]);
    return SAR_OK;
}

static void archive(void* self_, sari_archive* a)
{
    variable_step* self = self_;
    SARI_ARCHIVE_NUMBERS(a, &self->next, &self->h1, &self->h2);
    sari_archive_numbers(a, self->a1, (size_t)self->n);
    sari_archive_numbers(a, self->a2, (size_t)self->n);
    sari_state_archive(&self->from, a);
    sari_state_archive(&self->to, a);
    if (self->ops->archive) self->ops->archive(self->rule, a);
}

static void clear(void* self_)
{
    variable_step* self = self_;
    sari_integrator_destroy(self->ops, self->rule);
}

static sar_status create_with(variable_step* self, const sari_integrator_ops* ops,
                              sari_equations* system, const sari_formulation* form,
                              const sar_options* options, sar_error* error)
{
    self->ops = ops;
    int momenta = sari_formulation_can(form->ops, SARI_FORM_MOMENTA);
    self->system = system;
    self->coordinates = system->space;
    self->n = system->nq;
    self->m = system->nc;
    self->form = *form;
    self->tolerance =
        options->absolute_tolerance > 0.0 ? options->absolute_tolerance : options->tolerance;
    self->by_iterations = options->by_iterations;
    self->step_min = options->step_min;
    self->step_max = options->step_max > 0.0 ? options->step_max : INFINITY;
    self->floor = 1e-9 * (options->end - options->start);
    self->next = options->step;
    sar_options rule = *options;
    // the iteration's error must not be seen in the step's
    if (!(rule.newton_tolerance > 0.0))
        rule.newton_tolerance = fmin(1e-9, fmax(1e-12, 1e-2 * self->tolerance));
    self->d = SARI_TAKE(&self->memory, double, self->n);
    self->a1 = SARI_TAKE(&self->memory, double, self->n);
    self->a2 = SARI_TAKE(&self->memory, double, self->n);
    sari_state_take(&self->from, &self->memory, system, momenta);
    sari_state_take(&self->to, &self->memory, system, momenta);
    return sari_integrator_create(ops, system, form, &rule, &self->rule, error);
}

static sar_status create(void* self, sari_equations* system, const sari_formulation* form,
                         const sar_options* options, sar_error* error)
{
    return create_with(self, &sari_integrator_trapezoidal, system, form, options, error);
}

static sar_status create_own(void* self, sari_equations* system, const sari_formulation* form,
                             const sar_options* options, sar_error* error)
{
    return create_with(self, &sari_integrator_own_attempt, system, form, options, error);
}

const sari_integrator_ops sari_integrator_own_variable = {
    .name = "own-variable",
    .cite = "potosakis ruggiu2023",
    .text = "the formulation's own step, chosen by its error; order 2",
    .needs = SARI_CONTRACT_OWN_STEP,
    .order = 2,
    .variable = 1,
    .size = SARI_OBJECT(variable_step, memory),
    .create = create_own,
    .start = start,
    .step = step,
    .dense = dense,
    .archive = archive,
    .clear = clear,
};

const sari_integrator_ops sari_integrator_variable_step = {
    .name = "trapezoidal-variable",
    .cite = "newmark1959 ruggiu2023",
    .text = "trapezoidal rule by Newton-Raphson iteration, variable step; order 2",
    .needs = SARI_CONTRACT_CORRECTIONS,
    .order = 2,
    .variable = 1,
    .size = SARI_OBJECT(variable_step, memory),
    .create = create,
    .start = start,
    .step = step,
    .dense = dense,
    .archive = archive,
    .clear = clear,
};
