/* Forces that touch, come apart or become slack within a step of fixed length. Where they jump there, as with damping, the
 * moment at which they do depends on every number, and the step knows nothing of that: its derivative is another one than
 * that of the motion, however short it is. */
#include "sensitivity/al3/al3.h"

#include "base/status.h"
#include "math/vector.h"
#include "simulation/events/events.h"

#include <math.h>
#include <string.h>

static const double NARROW = 1e-10; ///< of a step: both sides of a kink
static const double JUMPS = 1e-4;   ///< of the forces there: they change by more

/* The state at a part y of the last step, on a line, and kinematics. */
static void go_within(sar_simulation* x, double y, sari_state* at)
{
    const sari_state *a = &x->previous, *b = &x->state;
    const sari_coordinates* c = &x->system->coordinates;
    at->t = a->t + y * (b->t - a->t);
    sari_coordinates_difference(c, a->q, b->q, at->a);
    for (int i = 0; i < a->n; i++) {
        at->a[i] *= y;
        at->v[i] = a->v[i] + y * (b->v[i] - a->v[i]);
    }
    sari_coordinates_move(c, a->q, at->a, at->q);
    x->variables[SARI_VARIABLE_T] = at->t;
    sari_kinematics_update(x->system->kinematics, at->q, at->v, 1);
}

static double kink_within(sar_simulation* x, int k, double y, sari_state* at)
{
    go_within(x, y, at);
    return sari_kinks_value(x, k / SARI_FORCE_KINKS, k % SARI_FORCE_KINKS);
}

static sar_status forces_within(sar_simulation* x, double y, sari_state* at, double* Q)
{
    go_within(x, y, at);
    SARI_TRY(sari_equations_eval(&x->system->equations, SARI_EVAL_FORCE, at->t, at->q, at->v));
    memcpy(Q, x->system->Q, (size_t)x->system->nq * sizeof(double));
    return SAR_OK;
}

/* Is force k other on both sides of its kink? before, after: nq numbers each. */
static int jumps_at(sar_simulation* x, int k, sari_state* at, double* before, double* after)
{
    const int n = x->system->nq;
    double from = 0.0, to = 1.0;
    const double sign = kink_within(x, k, from, at);
    if (!(sign * kink_within(x, k, to, at) < 0.0)) return 0; // or there is no such kink
    while (to - from > NARROW) {
        const double middle = 0.5 * (from + to);
        if (sign * kink_within(x, k, middle, at) > 0.0)
            from = middle;
        else
            to = middle;
    }
    if (forces_within(x, from, at, before) != SAR_OK || forces_within(x, to, at, after) != SAR_OK)
        return 0;
    const double size = fmax(sari_vector_max(n, before), sari_vector_max(n, after));
    for (int i = 0; i < n; i++) before[i] -= after[i];
    return sari_vector_max(n, before) > JUMPS * size;
}

int sari_al3_jumps(sari_al3_gradient* m, sar_simulation* x)
{
    const int n = m->tape.nq, kinks = SARI_FORCE_KINKS * sari_kinks_there(x);
    if (kinks == 0) return 0;
    x->variables[SARI_VARIABLE_T] = x->state.t;
    sari_kinematics_update(x->system->kinematics, x->state.q, x->state.v, 1);
    for (int k = 0; k < kinks; k++)
        m->kink[k + kinks] = sari_kinks_value(x, k / SARI_FORCE_KINKS, k % SARI_FORCE_KINKS);
    for (int k = 0; k < kinks; k++) { // NaN: there is no such kink, or it is not known yet
        const double before = m->kink[k], now = m->kink[k + kinks];
        const int same = before * now >= 0.0 || isnan(now);
        m->kink[k] = now;
        if (!same && jumps_at(x, k, &m->beside, m->l, m->l + n)) return 1;
    }
    return 0;
}
