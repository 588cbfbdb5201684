/* Trapezoidal rule by fixed-point iteration, for the first-order form (q, p):
 *
 *     q = q_k + h/2 (v_k + v),     p = p_k + h/2 (pdot_k + pdot)
 *
 * where q_k + d means the position that the change d leads to. Predictor q_k + h v_k + h^2/2 a_k
 * (momenta: q_k + h v_k, or the first change of q would say nothing of that of p), p_k + h pdot_k;
 * then, until the 2-norm of the change of q is below the tolerance: rates at the iterate, and the
 * two formulas. If the change does not get smaller the iteration diverges: the best iterate is
 * restored, multipliers included [gonzalez2016, sect. 5], and the step reports that it did not
 * converge. With a fixed number of iterations the last one counts, whatever it is: through singular
 * configurations that loses the motion with large penalties, as 'AL pen.' of [ruggiu2023, fig. 7] shows.
 * The rates of the last iterate are those that the next step begins with. */
#include "base/arena.h"
#include "base/memory.h"
#include "base/status.h"
#include "integrators/integrator.h"

#include <math.h>
#include <string.h>

typedef struct fixed_point {
    sari_arena memory;
    int np, n;
    const sari_coordinates* coordinates;
    sari_formulation form;
    double second; ///< of h^2 a_k in the predictor
    double tolerance;
    int iterations, fixed; ///< fixed: all of them, and the last iterate counts
    sari_state from;       ///< start of the step
    sari_state best;
    double *d, *q; ///< a change of q, and where it leads
} fixed_point;

/* The first correction may be small by chance, where a curve crosses its prediction. A second one
 * that is larger, but this small against the step, is no divergence. */
static const double CHANCE = 1e-3;

static void predict(const fixed_point* self, sari_state* s, double h)
{
    for (int i = 0; i < self->n; i++) {
        self->d[i] = h * s->v[i] + self->second * h * h * s->a[i];
        s->p[i] += h * s->pdot[i];
    }
    sari_coordinates_move(self->coordinates, s->q, self->d, s->q);
    s->t += h;
}

/* Both formulas, p first: it may be v itself. Returns the square of the change of q. */
static double apply_rule(const fixed_point* self, sari_state* s, double h)
{
    const sari_state* k = &self->from;
    double square = 0.0;
    for (int i = 0; i < self->n; i++) {
        s->p[i] = k->p[i] + 0.5 * h * (k->pdot[i] + s->pdot[i]);
        self->d[i] = 0.5 * h * (k->v[i] + s->v[i]);
    }
    sari_coordinates_move(self->coordinates, k->q, self->d, self->q);
    sari_coordinates_difference(self->coordinates, s->q, self->q, self->d);
    memcpy(s->q, self->q, (size_t)self->np * sizeof(double));
    for (int i = 0; i < self->n; i++) square += self->d[i] * self->d[i];
    return square;
}

/* How far the step goes, about. */
static double moved(const fixed_point* self, const sari_state* s, double h)
{
    double square = 0.0;
    for (int i = 0; i < self->n; i++) {
        const double d = 0.5 * h * (self->from.v[i] + s->v[i]);
        square += d * d;
    }
    return sqrt(square);
}

static sar_status iterate(fixed_point* self, sari_state* s, double h, sari_step_report* report)
{
    double last = INFINITY;
    for (int it = 1; it <= self->iterations; it++) {
        SARI_TRY(self->form.ops->rates->evaluate(self->form.self, s));
        double size = sqrt(apply_rule(self, s, h));
        report->iterations = it;
        report->correction = size;
        if (!isfinite(size)) return SAR_R_NOT_FINITE;
        if (self->fixed ? it == self->iterations : size < self->tolerance) return SAR_OK;
        if (self->fixed) continue;
        if (size >= last && !(it == 2 && size < CHANCE * moved(self, s, h))) {
            report->diverged = 1;
            report->correction = last;
            break;
        }
        last = size;
        sari_state_copy(&self->best, s);
    }
    sari_state_copy(s, &self->best);
    self->form.ops->begin(self->form.self, NULL);
    return SAR_R_NO_CONV;
}

static sar_status step(void* self_, sari_state* s, double h, sari_step_report* report)
{
    fixed_point* self = self_;
    sari_state_copy(&self->from, s);
    self->form.ops->begin(self->form.self, s);
    predict(self, s, h);
    sar_status st = iterate(self, s, h, report);
    report->tolerance = self->tolerance;
    if (st != SAR_OK && st != SAR_R_NO_CONV) return st;
    int changed;
    SARI_TRY(self->form.ops->rates->accept(self->form.self, s, &changed));
    if (changed) {
        report->evaluated = 1;
        SARI_TRY(self->form.ops->rates->evaluate(self->form.self, s));
    }
    return st;
}

static sar_status create(void* self_, sari_equations* system, const sari_formulation* form,
                         const sar_options* options, sar_error* error)
{
    fixed_point* self = self_;
    (void)error;
    int momenta = sari_formulation_can(form->ops, SARI_FORM_MOMENTA);
    self->np = system->np;
    self->n = system->nq;
    self->coordinates = system->space;
    self->form = *form;
    self->second = momenta ? 0.0 : 0.5;
    self->tolerance = options->newton_tolerance > 0.0 ? options->newton_tolerance : 1e-9;
    self->iterations = options->iterations;
    self->fixed = options->iterations_fixed;
    self->d = SARI_TAKE(&self->memory, double, self->n);
    self->q = SARI_TAKE(&self->memory, double, self->np);
    sari_state_take(&self->from, &self->memory, system, momenta);
    sari_state_take(&self->best, &self->memory, system, momenta);
    return SAR_OK;
}

const sari_integrator_ops sari_integrator_fixed_point = {
    .name = "trapezoidal-fixed-point",
    .cite = "gonzalez2016",
    .text = "trapezoidal rule by fixed-point iteration, fixed step; order 2",
    .needs = SARI_CONTRACT_RATES,
    .order = 2,
    .bears = 2.0, // changes shrink by h |lambda|/2
    .size = SARI_OBJECT(fixed_point, memory),
    .create = create,
    .step = step,
};
