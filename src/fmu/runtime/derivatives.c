/* Derivatives of outputs and rates by inputs and states, along a direction d. Those by states are the exact ones of slopes.c,
 * where the formulation has them; all others are central differences of fourth order,
 *
 *     f'(x) d = (8 (f(x + h d) - f(x - h d)) - (f(x + 2 h d) - f(x - 2 h d))) / (12 h)
 *
 * with h = 1e-4 of the size of x, which leaves some 1e-11 of rounding and less of the rule. They are taken in a twin
 * of the simulation at the same state, so that the motion does not notice. Positions and velocities are held: in
 * Co-Simulation what depends on inputs is what accelerations enter. */
#include "base/memory.h"
#include "base/status.h"
#include "fmu/runtime/instance.h"

#include <math.h>
#include <string.h>

/// What is varied, and what is looked at.
typedef struct task {
    const unsigned *unknown, *known;
    size_t unknowns, knowns;
    const double* seed; ///< per known
    double *x, *rates, *outputs;
    int exact; ///< along states; 0: by differences, too
} task;

/* ---- the twin ------------------------------------------------------------------------------- */

static sari_fmu_status wake_twin(sari_fmu* f)
{
    sar_error error = {0};
    size_t length = 0;
    sar_simulation* s = f->simulation;
    const int before = s->at_breakpoint; // the motion does not go on from this state
    const sar_options options = sari_fmu_options(f);
    sar_status st = SAR_OK;
    if (!f->twin) st = sar_simulation_create(f->model, &options, &f->twin, &error);
    if (st == SAR_OK) st = sar_simulation_save(s, NULL, 0, &length, &error);
    if (st == SAR_OK && length > f->room) {
        sari_release(f->block);
        f->block = sari_allocate(length, 1);
        f->room = f->block ? length : 0;
        if (!f->block) st = SAR_E_NOMEM;
    }
    if (st == SAR_OK) st = sar_simulation_save(s, f->block, f->room, &length, &error);
    s->at_breakpoint = before;
    if (st == SAR_OK) st = sar_simulation_restore(f->twin, f->block, length, &error);
    if (st == SAR_OK) return SARI_FMU_OK;
    return sari_fmu_refuse(f, SARI_FMU_ERROR, "no derivatives: %s", error.message);
}

/* ---- values beside the state ---------------------------------------------------------------- */

/// Outputs and rates where every known is moved by h times its seed.
static sar_status look(sari_fmu* f, const task* w, double h)
{
    sar_simulation* s = f->twin;
    const int n = f->layout.states;
    if (f->exchange) memcpy(w->x, f->q, (size_t)n * sizeof(double));
    for (size_t i = 0; i < w->knowns; i++) {
        int k;
        const sari_fmu_kind kind = sari_fmu_find(&f->layout, w->known[i], &k);
        if (kind == SARI_FMU_STATE && !w->exact) w->x[k] += h * w->seed[i];
        if (kind == SARI_FMU_INPUT)
            SARI_TRY(sar_simulation_set_input(s, k, f->input[k] + h * w->seed[i], f->rate[k]));
    }
    if (f->exchange)
        return sari_fmu_evaluate(s, f->t, w->x, w->x + s->system->np, f->lambda, w->rates,
                                 w->outputs);
    SARI_TRY(sari_start_motion(s));
    return sari_outputs_of(s, &s->state, w->outputs);
}

static double value_of(const sari_fmu* f, const task* w, size_t i)
{
    int k;
    const sari_fmu_kind kind = sari_fmu_find(&f->layout, w->unknown[i], &k);
    return kind == SARI_FMU_OUTPUT ? w->outputs[k] : w->rates[k];
}

/// How large x may be moved: one, in units of the largest seed.
static double size_of(const sari_fmu* f, const task* w)
{
    double size = 0.0;
    for (size_t i = 0; i < w->knowns; i++) {
        int k;
        const sari_fmu_kind kind = sari_fmu_find(&f->layout, w->known[i], &k);
        if (kind == SARI_FMU_STATE && w->exact) continue;
        const double x = kind == SARI_FMU_STATE ? f->q[k] : f->input[k];
        size = fmax(size, fabs(w->seed[i]) / fmax(1.0, fabs(x)));
    }
    return size > 0.0 ? 1e-4 / size : 0.0;
}

static sari_fmu_status fail(const sari_fmu* f, sar_status st)
{
    return sari_fmu_refuse(f, SARI_FMU_DISCARD, "no derivatives at t = %g s: %s", f->t,
                           sar_status_text(st));
}

/// What states add.
static sari_fmu_status add_exact(sari_fmu* f, const task* w, double* result)
{
    int k, any = 0;
    memset(w->x, 0, (size_t)f->layout.states * sizeof(double));
    for (size_t i = 0; i < w->knowns; i++)
        if (sari_fmu_find(&f->layout, w->known[i], &k) == SARI_FMU_STATE && w->seed[i] != 0.0)
            w->x[k] += w->seed[i], any = 1;
    if (!any) return SARI_FMU_OK;
    const sar_status st = sari_fmu_change(f, w->x, w->rates, w->outputs);
    if (st != SAR_OK) return fail(f, st);
    for (size_t i = 0; i < w->unknowns; i++) result[i] += value_of(f, w, i);
    return SARI_FMU_OK;
}

static sari_fmu_status differentiate(sari_fmu* f, const task* w, double* result)
{
    static const double at[] = {1.0, -1.0, 2.0, -2.0}, weight[] = {8.0, -8.0, -1.0, 1.0};
    const double h = size_of(f, w);
    for (size_t i = 0; i < w->unknowns; i++) result[i] = 0.0;
    for (int k = 0; k < 4 && h > 0.0; k++) {
        const sar_status st = look(f, w, at[k] * h);
        if (st != SAR_OK) return fail(f, st);
        for (size_t i = 0; i < w->unknowns; i++)
            result[i] += weight[k] / (12.0 * h) * value_of(f, w, i);
    }
    return w->exact ? add_exact(f, w, result) : SARI_FMU_OK;
}

/* ---- what may be asked ---------------------------------------------------------------------- */

static sari_fmu_status check(const sari_fmu* f, const task* w)
{
    int k;
    for (size_t i = 0; i < w->unknowns; i++) {
        const sari_fmu_kind kind = sari_fmu_find(&f->layout, w->unknown[i], &k);
        if (kind != SARI_FMU_OUTPUT && !(f->exchange && kind == SARI_FMU_DERIVATIVE))
            return sari_fmu_refuse(f, SARI_FMU_ERROR,
                                   "variable %u is no unknown: outputs are, and in Model Exchange "
                                   "rates of states",
                                   w->unknown[i]);
    }
    for (size_t i = 0; i < w->knowns; i++) {
        const sari_fmu_kind kind = sari_fmu_find(&f->layout, w->known[i], &k);
        if (kind != SARI_FMU_INPUT && !(f->exchange && kind == SARI_FMU_STATE))
            return sari_fmu_refuse(f, SARI_FMU_ERROR,
                                   "variable %u is no known: inputs are, and in Model Exchange "
                                   "states",
                                   w->known[i]);
    }
    return SARI_FMU_OK;
}

/// Check, wake the twin and take room; release w->x afterwards in any case.
static sari_fmu_status prepare(sari_fmu* f, task* w)
{
    if (sari_fmu_begin(f) != SARI_FMU_OK || check(f, w) != SARI_FMU_OK) return SARI_FMU_ERROR;
    const int n = f->layout.states;
    w->x = SARI_NEW_ARRAY(double, 2 * n + f->layout.outputs + 1);
    if (!w->x) return sari_fmu_refuse(f, SARI_FMU_ERROR, "out of memory");
    w->rates = w->x + n;
    w->outputs = w->rates + n;
    const sari_fmu_status status = wake_twin(f);
    w->exact = status == SARI_FMU_OK && sari_fmu_has_slopes(f);
    return status;
}

sari_fmu_status sari_fmu_directional(sari_fmu* f, const unsigned* unknown, size_t unknowns,
                                     const unsigned* known, size_t knowns, const double* seed,
                                     double* result)
{
    task w = {
        .unknown = unknown, .known = known, .unknowns = unknowns, .knowns = knowns, .seed = seed};
    sari_fmu_status status = prepare(f, &w);
    if (status == SARI_FMU_OK) status = differentiate(f, &w, result);
    sari_release(w.x);
    return status;
}

sari_fmu_status sari_fmu_adjoint(sari_fmu* f, const unsigned* unknown, size_t unknowns,
                                 const unsigned* known, size_t knowns, const double* seed,
                                 double* result)
{
    task w = {.unknown = unknown, .known = known, .unknowns = unknowns, .knowns = knowns};
    double* column = SARI_NEW_ARRAY(double, unknowns + knowns + 1);
    sari_fmu_status status = prepare(f, &w);
    if (!column) status = SARI_FMU_ERROR;
    double* unit = column + unknowns;
    w.seed = unit;
    for (size_t i = 0; status == SARI_FMU_OK && i < knowns; i++) {
        unit[i] = 1.0;
        status = differentiate(f, &w, column);
        unit[i] = result[i] = 0.0;
        for (size_t k = 0; k < unknowns; k++) result[i] += seed[k] * column[k];
    }
    sari_release(column);
    sari_release(w.x);
    return status;
}
