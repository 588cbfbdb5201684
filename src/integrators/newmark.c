/* Newmark's family with Newton-Raphson iteration; the trapezoidal rule is beta = 1/4, gamma = 1/2, and the
 * generalised alpha method has auxiliary accelerations.
 *
 *     v = v_k + h ((1 - gamma) a_k + gamma a),   q = q_k + h v_k + h^2 ((1/2 - beta) a_k + beta a)
 * [newmark1959]
 *
 * solved for the position [gonzalez2016, (13)]: with d = q - q_k,
 *
 *     a = ca (d - h v_k) - (1/(2 beta) - 1) a_k,     ca = 1/(beta h^2),   cv = gamma/(beta h) (1)
 *
 * The generalised alpha method [chung1993] in the form for constrained systems [arnold2007] has w in the
 * place of a in these rules, and the equations of motion hold at the end of the step:
 *
 *     (1 - alpha_m) w + alpha_m w_k = (1 - alpha_f) a + alpha_f a_k                              (3)
 *     alpha_m = (2 rho - 1)/(rho + 1),   alpha_f = rho/(rho + 1),
 *     gamma = 1/2 + alpha_f - alpha_m,   beta = (gamma + 1/2)^2/4
 *
 * with rho the spectral radius for infinite frequencies. w = a is Newmark's rule. A motion that begins
 * has w_0 = a_0.
 *
 * Where positions are no vectors, q - q_k is the change that leads there (a rotation vector, say,
 * with v and a in the same axes), and (1) is the rule on that manifold [bruls2012]. Keeping d, not
 * q, avoids the cancellation in (1). Predictor: a = a_k, and where corrections cost much also what
 * they are going to add (predictor.h):
 *
 *     d = h v_k + h^2/2 a_k + e                                                                  (2)
 *
 * with e of before the projections, which return a to the constraints, and, where axes turn along
 * with a body, carried into those of the coming step: in the axes of a flywheel that turns by 0.2 rad
 * in a step what a bearing asks of it turns as fast, in space it hardly changes. The iteration ends
 * when the 2-norm of the correction is below the tolerance. By default it does at least two, until one is
 * below 1e-9 and what is left over is small beside the step's own error. A correction that shrinks
 * by the factor r from the one before leaves r/(1 - r) of itself: a small one is no sign of a near
 * solution where r is near 1, as with a penalty that holds some motion softly. (A penalty that was
 * given is used as published, without this.) The step's own error is of the size of what the
 * iteration adds to the predictor, e = O(h^3): so errors keep falling with the step. Where (2) is
 * used, one correction may be enough. If corrections grow three times in a row, the iteration
 * diverges; not before the eighth, as the first ones may be of a penalty whose limit is yet to come,
 * or rounding of large forces. Then, or when it takes too long, the best iterate is restored,
 * multipliers included [gonzalez2016, sect. 5], and the step reports that it did not converge. With a
 * fixed number of iterations, for steps that take the same time, what is left over is reported but
 * accepted, unless the corrections grew. */
#include "base/arena.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "formulations/convergence.h"
#include "integrators/integrator.h"
#include "integrators/predictor.h"

#include <math.h>
#include <string.h>

enum { GROWTH = 3 };  ///< corrections in a row that grow: divergence ...
enum { CHANCES = 8 }; ///< ... after so many

typedef struct newmark {
    sari_arena memory;
    const sari_equations* system;
    int np, n, m;
    sari_formulation form;
    double beta, gamma;
    double alpha_m, alpha_f, shift; ///< of (3), and da/dw; 0, 0, 1: w is a
    double *w, *w_end;     ///< at the begin and at the end of the last step; a0 where it is a
    double t_begin, t_end; ///< times of these; NaN: there are none
    sari_newton_rule rule;
    int profile;
    double norm;  ///< of the coordinates at the start of the step
    double added; ///< e: the corrections of this step, up to now
    double *v0, *a0, *q0, *d, *dq;
    sari_cost predicts; ///< corrections cost so much that e is predicted too:
    sari_predictor ahead;
    double *best_d, *best_lambda;
    double* lambda; ///< before a correction, where the change of the multipliers counts; or NULL
} newmark;

static void set_position(const newmark* self, sari_state* s)
{
    if (!self->system->vectors)
        sari_coordinates_move(self->system->space, self->q0, self->d, s->q);
    else // in line, for small systems
        for (int i = 0; i < self->n; i++) s->q[i] = self->q0[i] + self->d[i];
}

typedef struct change {
    const newmark* self;
    const sari_state* s;
    double h;
    const double* dq; ///< NULL: none
} change;

/* a of (3) */
static inline double acceleration_of(const newmark* self, int i, double w)
{
    return ((1.0 - self->alpha_m) * w + self->alpha_m * self->w[i] - self->alpha_f * self->a0[i]) /
           (1.0 - self->alpha_f);
}

/* d += dq, (1) */
static void change_range(void* task, int first, int end)
{
    const change* t = task;
    const newmark* self = t->self;
    const double h = t->h, ca = 1.0 / (self->beta * h * h), keep = 0.5 / self->beta - 1.0;
    const double h0 = h * (1.0 - self->gamma), h1 = h * self->gamma;
    for (int i = first; i < end; i++) {
        if (t->dq) self->d[i] += t->dq[i];
        const double w = ca * (self->d[i] - h * self->v0[i]) - keep * self->w[i];
        t->s->v[i] = self->v0[i] + h0 * self->w[i] + h1 * w;
        t->s->a[i] = w;
        if (!self->w_end) continue;
        self->w_end[i] = w;
        t->s->a[i] = acceleration_of(self, i, w);
    }
}

/* (1) with d, to which the correction dq is added; it may be NULL. */
static void set_state(const newmark* self, sari_state* s, double h, const double* dq)
{
    change t = {self, s, h, dq};
    sari_parallel(self->system->threads, self->n, change_range, &t);
    set_position(self, s);
}

/* x . x. Four sums, none of which has to wait for the one before. */
static double square_of(const double* x, int n)
{
    double sum[4] = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += x[i + k] * x[i + k];
    for (; i < n; i++) sum[0] += x[i] * x[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The correction dq in d, and (1). Its square. */
static double apply(newmark* self, sari_state* s, double h)
{
    set_state(self, s, h, self->dq);
    return square_of(self->dq, self->n);
}

/* (2) and (1), where e goes on smoothly. */
static void predict_added(newmark* self, sari_state* s, double h)
{
    const double* e = sari_predictor_begin(&self->ahead, h, self->dq);
    for (int i = 0; e && i < self->n; i++) {
        self->d[i] += e[i];
        s->v[i] += self->gamma / (self->beta * h) * e[i];
        s->a[i] += self->shift * (e[i] / (self->beta * h * h));
    }
    self->added = self->ahead.predicted;
    self->form.ops->corrections->predicted(self->form.self, e != NULL);
}

/* e of the step that ends. */
static void keep_added(newmark* self, double h)
{
    for (int i = 0; i < self->n; i++)
        self->dq[i] = self->d[i] - h * (self->v0[i] + 0.5 * h * self->w[i]);
    sari_predictor_end(&self->ahead, h, self->dq);
    sari_coordinates_carry(self->system->space, self->d, self->ahead.e);
    sari_coordinates_carry(self->system->space, self->d, self->ahead.e_1);
}

/* w at s: where the last step ended, or began if it is repeated; else motion begins. */
static void begin_auxiliary(newmark* self, const sari_state* s)
{
    if (s->t == self->t_end) {
        double* w = self->w;
        self->w = self->w_end, self->w_end = w;
    } else if (s->t != self->t_begin) {
        memcpy(self->w, s->a, (size_t)self->n * sizeof(double));
    }
    self->t_begin = s->t;
    self->t_end = NAN;
}

static void predict(newmark* self, sari_state* s, double h)
{
    size_t bytes = (size_t)self->n * sizeof(double);
    memcpy(self->q0, s->q, (size_t)self->np * sizeof(double));
    memcpy(self->v0, s->v, bytes);
    memcpy(self->a0, s->a, bytes);
    for (int i = 0; i < self->n; i++) {
        self->d[i] = h * self->v0[i] + 0.5 * h * h * self->w[i];
        s->v[i] = self->v0[i] + h * self->w[i];
        if (self->w_end) s->a[i] = acceleration_of(self, i, self->w[i]);
    }
    self->added = 0.0;
    if (self->predicts) predict_added(self, s, h);
    set_position(self, s);
    self->norm = sqrt(square_of(self->q0, self->np));
}

static void keep_best(newmark* self, const sari_state* s)
{
    memcpy(self->best_d, self->d, (size_t)self->n * sizeof(double));
    memcpy(self->best_lambda, s->lambda, (size_t)self->m * sizeof(double));
}

static void restore_best(newmark* self, sari_state* s, double h)
{
    memcpy(self->d, self->best_d, (size_t)self->n * sizeof(double));
    memcpy(s->lambda, self->best_lambda, (size_t)self->m * sizeof(double));
    set_state(self, s, h, NULL);
    self->form.ops->begin(self->form.self, NULL);
}

static int converged(const newmark* self, int iteration, double size, double last)
{
    const sari_newton_rule* rule = &self->rule;
    const int own_choice =
        !rule->fixed && !(rule->tolerance > 0.0) && !rule->published && !rule->exact;
    if (self->predicts && own_choice)
        return sari_predictor_converged(&self->ahead, rule, iteration, size, last, self->added,
                                        self->norm);
    return sari_newton_done(rule, iteration, size, last, self->added, self->norm);
}

/* The norm of (dq, dlambda) */
static double with_multipliers(const newmark* self, const sari_state* s, double size)
{
    for (int r = 0; r < self->m; r++) self->lambda[r] -= s->lambda[r];
    return sqrt(size * size + square_of(self->lambda, self->m));
}

static sar_status iterate(newmark* self, sari_state* s, double h, sari_step_report* report)
{
    const sari_correction_ops* form = self->form.ops->corrections;
    double ca = self->shift / (self->beta * h * h), cv = self->gamma / (self->beta * h);
    double best = INFINITY, last = INFINITY, first = 0.0;
    int growing = 0;
    for (int it = 1; it <= self->rule.iterations; it++) {
        sar_status st = form->correct(self->form.self, s, cv, ca, self->dq);
        if (st != SAR_OK) return st;
        double size = sqrt(apply(self, s, h));
        if (self->lambda) memcpy(self->lambda, s->lambda, (size_t)self->m * sizeof(double));
        form->update(self->form.self, s, ca);
        if (self->lambda) size = with_multipliers(self, s, size);
        report->iterations = it;
        report->correction = size;
        if (!isfinite(size)) return SAR_R_NOT_FINITE;
        if (it == 1) first = size;
        if (self->rule.fixed && it == self->rule.iterations && size > first &&
            size > 1e-6 * self->norm)
            break;
        self->added += size;
        if (self->predicts) sari_predictor_see(&self->ahead, it, size, last, self->norm);
        if (converged(self, it, size, last)) return SAR_OK;
        growing = size >= last && !self->rule.fixed ? growing + 1 : 0;
        last = size;
        if (growing >= GROWTH && it >= CHANCES) break;
        if (size >= best) continue;
        best = size;
        keep_best(self, s);
    }
    restore_best(self, s, h);
    report->diverged = growing >= GROWTH || self->rule.fixed;
    report->correction = best;
    return SAR_R_NO_CONV;
}

/* Motion begins anew: nothing is predicted. */
static sar_status start(void* self_, const sari_state* s)
{
    newmark* self = self_;
    (void)s;
    self->t_begin = self->t_end = NAN;
    sari_predictor_forget(&self->ahead);
    return SAR_OK;
}

/* What corrections were held against. */
static double tolerance_of(const newmark* self, double norm)
{
    return self->rule.tolerance > 0.0 ? self->rule.tolerance : self->rule.usual * fmax(1.0, norm);
}

static sar_status step(void* self_, sari_state* s, double h, sari_step_report* report)
{
    newmark* self = self_;
    double ca = self->shift / (self->beta * h * h), cv = self->gamma / (self->beta * h);
    double begun = self->profile ? sari_clock_thread() : 0.0;
    self->form.ops->begin(self->form.self, s);
    if (self->w_end) begin_auxiliary(self, s);
    predict(self, s, h);
    s->t += h;
    sar_status st = iterate(self, s, h, report);
    report->tolerance = tolerance_of(self, self->norm);
    if (st != SAR_OK && st != SAR_R_NO_CONV) return st;
    self->t_end = s->t;
    if (self->predicts) keep_added(self, h);
    double corrected = self->profile ? sari_clock_thread() : 0.0;
    sari_projection_begins(self->system, s);
    sar_status projected = self->form.ops->corrections->project(self->form.self, s, cv, ca);
    sari_projection_ended(self->system, s);
    report->evaluated = 1;
    report->correction_time = corrected - begun;
    report->projection_time = self->profile ? sari_clock_thread() - corrected : 0.0;
    return projected == SAR_OK ? st : projected;
}

static sar_status create(void* self_, sari_equations* system, const sari_formulation* form,
                         const sar_options* options, sar_error* error)
{
    newmark* self = self_;
    self->system = system;
    self->np = system->np;
    self->n = system->nq;
    self->m = system->nc;
    self->form = *form;
    self->beta = 0.25;
    self->gamma = 0.5;
    self->shift = 1.0;
    self->rule.tolerance = options->newton_tolerance;
    self->rule.iterations = options->iterations;
    self->rule.fixed = options->iterations_fixed;
    self->rule.exact = options->differentiable;
    self->profile = options->profile;
    // with a penalty that was given, small corrections are all that is asked for
    self->rule.published = options->alpha > 0.0 && !isinf(options->alpha);
    self->rule.usual = sari_usual_correction(system);
    self->q0 = SARI_TAKE(&self->memory, double, self->np);
    self->v0 = SARI_TAKE(&self->memory, double, self->n);
    self->a0 = self->w = SARI_TAKE(&self->memory, double, self->n);
    self->d = SARI_TAKE(&self->memory, double, self->n);
    self->dq = SARI_TAKE(&self->memory, double, self->n);
    self->best_d = SARI_TAKE(&self->memory, double, self->n);
    self->best_lambda = SARI_TAKE(&self->memory, double, self->m);
    if (options->converge_multipliers) self->lambda = SARI_TAKE(&self->memory, double, self->m);
    const sari_correction_ops* corrections = form->ops->corrections;
    sar_status st = corrections->expect ? corrections->expect(form->self, options) : SAR_OK;
    self->predicts = corrections->price ? corrections->price(form->self) : SARI_CHEAP;
    if (self->predicts) {
        sari_predictor_create(&self->ahead, &self->memory, self->n,
                              self->predicts == SARI_VERY_EXPENSIVE);
        if (self->memory.failed) return SAR_E_NOMEM;
    }
    if (st == SAR_OK) return st;
    return sari_fail(error, st, NULL, "%s: %s", form->ops->name, sar_status_text(st));
}

static void archive(void* self_, sari_archive* a)
{
    newmark* self = self_;
    SARI_ARCHIVE_NUMBERS(a, &self->t_begin, &self->t_end);
    if (self->predicts) sari_predictor_archive(&self->ahead, a);
    if (!self->w_end) return;
    sari_archive_numbers(a, self->w, (size_t)self->n);
    sari_archive_numbers(a, self->w_end, (size_t)self->n);
}

static sar_status create_newmark(void* self_, sari_equations* system, const sari_formulation* form,
                                 const sar_options* options, sar_error* error)
{
    newmark* self = self_;
    sar_status st = create(self, system, form, options, error);
    self->beta = options->beta;
    self->gamma = options->gamma;
    return st;
}

static sar_status create_generalised_alpha(void* self_, sari_equations* system,
                                           const sari_formulation* form, const sar_options* options,
                                           sar_error* error)
{
    newmark* self = self_;
    const sar_status st = create(self, system, form, options, error);
    const double rho = options->rho_inf;
    self->alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
    self->alpha_f = rho / (rho + 1.0);
    self->shift = (1.0 - self->alpha_m) / (1.0 - self->alpha_f);
    self->gamma = 0.5 + self->alpha_f - self->alpha_m;
    self->beta = 0.25 * (self->gamma + 0.5) * (self->gamma + 0.5);
    self->w = SARI_TAKE(&self->memory, double, self->n);
    self->w_end = SARI_TAKE(&self->memory, double, self->n);
    return st == SAR_OK && self->memory.failed ? SAR_E_NOMEM : st;
}

const sari_integrator_ops sari_integrator_generalised_alpha = {
    .name = "generalised-alpha",
    .cite = "chung1993 arnold2007",
    .text =
        "generalised alpha method by Newton-Raphson iteration, fixed step; damps high frequencies",
    .needs = SARI_CONTRACT_CORRECTIONS,
    .refuses = SARI_FORM_MOMENTA,
    .order = 2,
    .size = SARI_OBJECT(newmark, memory),
    .create = create_generalised_alpha,
    .start = start,
    .step = step,
    .archive = archive,
};

const sari_integrator_ops sari_integrator_newmark = {
    .name = "newmark",
    .cite = "newmark1959",
    .text = "Newmark's family by Newton-Raphson iteration, fixed step",
    .needs = SARI_CONTRACT_CORRECTIONS,
    .refuses = SARI_FORM_MOMENTA,
    .order = 1, // 2 for gamma = 1/2
    .size = SARI_OBJECT(newmark, memory),
    .create = create_newmark,
    .start = start,
    .step = step,
    .archive = archive,
};

const sari_integrator_ops sari_integrator_trapezoidal = {
    .name = "trapezoidal",
    .cite = "newmark1959 gonzalez2016",
    .text = "trapezoidal rule by Newton-Raphson iteration, fixed step",
    .sibling = "trapezoidal-variable",
    .needs = SARI_CONTRACT_CORRECTIONS,
    .order = 2,
    .size = SARI_OBJECT(newmark, memory),
    .create = create,
    .start = start,
    .step = step,
    .archive = archive,
};
