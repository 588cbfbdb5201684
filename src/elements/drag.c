/* Drag of a medium at rest on a point with the velocity v:
 *
 *     f = -(linear + quadratic |v|) v                                                         (1)
 *
 * In air quadratic is rho c_d A/2, on a small sphere in oil linear is 6 pi mu r. */
#include "elements/force.h"

#include "system/mechanism/mechanism.h"

#include <math.h>

static int compile(sari_mechanism* m, const void* def_, int* scalar)
{
    const sar_drag_def* def = def_;
    for (int k = 0; k < m->dimension; k++)
        if ((scalar[k] = sari_scalar_component(m, def->body.i, def->point, k)) < 0) return 0;
    return 1;
}

static void act(const sari_force* force, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const sar_drag_def* def = force->def;
    const double* v = at->rate;
    double square = 0.0;
    for (int k = 0; k < at->n; k++) square += v[k] * v[k];
    const double speed = sqrt(square), factor = def->linear + def->quadratic * speed;
    const double bend = speed > 0.0 ? def->quadratic / speed : 0.0;
    for (int i = 0; i < at->n; i++) {
        out->force[i] = factor * v[i]; // (1)
        if (!(what & SARI_ACT_SLOPES)) continue;
        for (int k = 0; k < at->n; k++) {
            out->by_value[i][k] = 0.0;
            out->by_rate[i][k] = bend * v[i] * v[k] + (i == k ? factor : 0.0);
        }
    }
    if (what & SARI_ACT_POWER) out->power -= factor * square;
}

const sari_force_type sari_drag_force = {
    .is.word = {{"drag",
                 "resistance of a medium at rest to the motion of a point",
                 {{"acts_on", SARI_READ_PLACE, 0, SARI_MUST, "where it acts"},
                  {"linear", SARI_READ_NUMBER, offsetof(sar_drag_def, linear),
                   SARI_MAY_ALONE | SARI_FROM_ZERO, "per speed [N s/m]"},
                  {"quadratic", SARI_READ_NUMBER, offsetof(sar_drag_def, quadratic),
                   SARI_MAY_ALONE | SARI_FROM_ZERO,
                   "per square of the speed, rho c_d A/2 [N s^2/m^2]"}},
                 "give it linear, quadratic or both"}},
    .is.size = sizeof(sar_drag_def),
    .is.body = offsetof(sar_drag_def, body),
    .is.point = offsetof(sar_drag_def, point),
    .grounded = "drag on the ground moves nothing; name a point of a body",
    .in_plane = 2,
    .in_space = 3,
    .compile = compile,
    .act = act,
    .by_rates = true,
};
