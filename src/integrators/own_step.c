/* The step that a formulation brings, on a fixed grid.
 *
 * Where its iteration fails the step is halved, and all that would be carried over from the steps
 * before is forgotten. After EASY steps in a row that needed at most half of the iterations
 * allowed, it is doubled, up to the grid's own. So a step of the grid is done by 2^k steps, and k
 * is kept from one to the next. Below `step_min` the run ends.
 *
 * A symmetric step of order 2 becomes one of order 4 by three of sizes
 *
 *     g h,  (1 - 2 g) h,  g h,      g = 1/(2 - 2^(1/3))           [yoshida1990]
 *
 * of which the second is negative. For conservative systems only: dampers would drive there. */
#include "base/memory.h"
#include "base/status.h"
#include "integrators/integrator.h"

#include <math.h>
#include <stdio.h>

enum { EASY = 5, DEEPEST = 40 };

static const double SHORTEST = 1e-4; ///< part of the step, unless it is given
static const double OUTER = 1.3512071919596576;

typedef struct own_step {
    sari_arena memory;
    const sari_equations* system;
    sari_formulation form;
    int iterations; ///< allowed
    int compose, best_effort;
    double step_min, step;               ///< options
    int halvings;                        ///< of the present step
    int easy;                            ///< steps since the last that was not
    sari_state from;                     ///< where the last one began
    double failed_at, failed_with, left; ///< for the explanation
} own_step;

/* One step, or three that make one. */
static sar_status attempt(own_step* self, sari_state* s, double h, sari_step_report* report,
                          int* most)
{
    const double parts[3] = {OUTER * h, (1.0 - 2.0 * OUTER) * h, OUTER * h};
    const int count = self->compose == 4 ? 3 : 1;
    const double end = s->t + h;
    sar_status st = SAR_OK;
    *most = 0;
    self->form.ops->begin(self->form.self, s);
    for (int k = 0; k < count && st == SAR_OK; k++) {
        sari_own_step own;
        st = self->form.ops->own_step->step(self->form.self, s, count == 1 ? h : parts[k], &own);
        *most = own.iterations > *most ? own.iterations : *most;
        report->iterations += own.iterations;
        report->correction = self->left = own.left;
        report->unconverged |= st == SAR_OK && own.best;
    }
    s->t = end;
    return st;
}

/* Why it ends, for explain. */
static sar_status give_up(own_step* self, sar_status st, double h)
{
    self->failed_at = self->from.t;
    self->failed_with = h;
    return st == SAR_R_NOT_FINITE ? st : SAR_R_NO_CONV;
}

static void take_back(own_step* self, sari_state* s)
{
    sari_state_copy(s, &self->from);
    self->form.ops->begin(self->form.self, NULL);
}

static double shortest(const own_step* self)
{
    return self->step_min > 0.0 ? self->step_min : SHORTEST * self->step;
}

static sar_status step(void* self_, sari_state* s, double h, sari_step_report* report)
{
    own_step* self = self_;
    const int easily = self->iterations / 2 > 2 ? self->iterations / 2 : 2;
    sar_status worst = SAR_OK;
    double size = ldexp(h, -self->halvings);
    int iterations;
    long to_do = 1L << self->halvings;
    report->shortest = size;
    while (to_do > 0) {
        sari_state_copy(&self->from, s);
        const int kept = report->unconverged;
        const double projected = sari_projections_so_far(self->system);
        sar_status st = attempt(self, s, size, report, &iterations);
        if (st < 0) return st;
        if (st != SAR_OK && (0.5 * size < shortest(self) || self->halvings == DEEPEST)) {
            worst = give_up(self, st, size);
            if (!self->best_effort || st == SAR_R_NOT_FINITE) return worst;
            st = SAR_OK; // the best iterate
        }
        if (st != SAR_OK) {
            report->unconverged = kept;
            take_back(self, s);
            sari_projections_forget(self->system, projected);
            report->rejected++;
            self->halvings++;
            self->easy = 0;
            to_do *= 2;
            size *= 0.5;
            report->shortest = fmin(report->shortest, size);
            continue;
        }
        to_do--;
        self->easy = iterations <= easily ? self->easy + 1 : 0;
        if (self->easy < EASY || self->halvings == 0 || to_do % 2 != 0) continue;
        self->easy = 0;
        self->halvings--;
        to_do /= 2;
        size *= 2.0;
    }
    report->evaluated = 1;
    return worst;
}

/* For a step that is chosen by someone else. */
static sar_status single_step(void* self_, sari_state* s, double h, sari_step_report* report)
{
    own_step* self = self_;
    sari_state_copy(&self->from, s);
    int most;
    sar_status st = attempt(self, s, h, report, &most);
    report->evaluated = 1;
    return st;
}

static sar_status start(void* self_, const sari_state* s)
{
    own_step* self = self_;
    (void)s;
    self->halvings = self->easy = 0;
    return SAR_OK;
}

static void archive(void* self_, sari_archive* a)
{
    own_step* self = self_;
    SARI_ARCHIVE_INTS(a, &self->halvings, &self->easy);
}

static void explain(const void* self_, char* text, size_t size)
{
    const own_step* self = self_;
    snprintf(
        text, size,
        "the step from t = %.9g did not converge: halved to %.3g s, the residual is still "
        "%.2e after %d iterations, with penalties up to %.3g times the constraints' masses. "
        "Try more `iterations`, another `rho` (a larger one if constraints converge slowly, "
        "100 to 1000 for singular configurations), or `best_effort` to go on and count such steps.",
        self->failed_at, self->failed_with, self->left, self->iterations,
        self->form.ops->alpha(self->form.self));
}

/* What a step back in time asks for. */
static sar_status check_composition(const sari_equations* system, const sar_options* options,
                                    sar_error* error)
{
    if (options->compose == 2) return SAR_OK;
    if (options->compose != 4)
        return sari_fail(error, SAR_E_ARG, "compose", "compose is 2 or 4, not %d",
                         options->compose);
    if (!sari_equations_conservative(system))
        return sari_fail(
            error, SAR_E_ARG, "compose",
            "compose=4 goes back in time in a part of every step, which reverses dampers, tyres "
            "and forces given by expressions: use it with weight and springs alone");
    if (options->sweeps > 0 && !options->rattle)
        return sari_fail(error, SAR_E_ARG, "sweeps",
                         "compose=4 needs symmetric steps: without sweeps, or with rattle");
    return SAR_OK;
}

static sar_status create(void* self_, sari_equations* system, const sari_formulation* form,
                         const sar_options* options, sar_error* error)
{
    own_step* self = self_;
    SARI_TRY(check_composition(system, options, error));
    sari_state_take(&self->from, &self->memory, system, 0);
    self->system = system;
    self->form = *form;
    self->iterations = options->iterations;
    self->compose = options->compose;
    self->best_effort = options->best_effort;
    self->step_min = options->step_min;
    self->step = options->step;
    form->ops->own_step->expect(form->self, options);
    return SAR_OK;
}

const sari_integrator_ops sari_integrator_own = {
    .name = "own",
    .sibling = "own-variable",
    .cite = "potosakis yoshida1990",
    .text = "the formulation's own step, halved if it fails; order 2, or 4 by composition",
    .needs = SARI_CONTRACT_OWN_STEP,
    .order = 2,
    .size = SARI_OBJECT(own_step, memory),
    .create = create,
    .start = start,
    .step = step,
    .explain = explain,
    .archive = archive,
};

const sari_integrator_ops sari_integrator_own_attempt = {
    .name = "own-attempt",
    .needs = SARI_CONTRACT_OWN_STEP,
    .order = 2,
    .size = SARI_OBJECT(own_step, memory),
    .create = create,
    .step = single_step,
};
