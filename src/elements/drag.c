/* Drag of a medium at rest on a point with the velocity v:
 *
 *     f = -(linear + quadratic |v|) v                                                         (1)
 *
 * In air quadratic is rho c_d A/2, on a small sphere in oil linear is 6 pi mu r. */
#include "elements/force.h"

#include "model/parts.h"
#include "model/units.h"
#include "system/mechanism/mechanism.h"

#include <math.h>

static const sar_drag_def USUAL = {0};

sar_drag_def sar_drag_def_default(void)
{
    return USUAL;
}

sar_status sar_model_add_drag(sar_model* model, const sar_drag_def* def, sar_error* error)
{
    return sari_model_add_force(model, SARI_FORCE_DRAG, def, error);
}

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    const sar_drag_def* def = def_;
    SARI_TRY(sari_check_body(model, def->body, "body", error));
    SARI_TRY(sari_check_vector(model, def->point, "point", error));
    if (def->body.i == SAR_GROUND.i)
        return sari_fail(error, SAR_E_MODEL, "body",
                         "drag on the ground moves nothing; name a point of a body");
    SARI_TRY(sari_check_not_negative(def->linear, "linear", error));
    return sari_check_not_negative(def->quadratic, "quadratic", error);
}

static void convert(sari_model_conversion* c, sari_force* force)
{
    sar_drag_def* def = force->def;
    def->linear /= c->u->mass;
    def->quadratic /= c->u->mass / c->u->length;
}

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

static bool loses(const sari_force* force)
{
    (void)force;
    return true;
}

const sari_force_type sari_force_drag = {
    .word = {{"drag",
              "resistance of a medium at rest to the motion of a point",
              {{"acts_on", SARI_READ_PLACE, 0, SARI_MUST, "where it acts"},
               {"linear", SARI_READ_NUMBER, offsetof(sar_drag_def, linear), SARI_MAY_ALONE,
                "per speed [N s/m]"},
               {"quadratic", SARI_READ_NUMBER, offsetof(sar_drag_def, quadratic), SARI_MAY_ALONE,
                "per square of the speed, rho c_d A/2 [N s^2/m^2]"}},
              "give it linear, quadratic or both"}},
    .size = sizeof(sar_drag_def),
    .usual = &USUAL,
    .body = offsetof(sar_drag_def, body),
    .point = offsetof(sar_drag_def, point),
    .check = check,
    .convert = convert,
    .in_plane = 2,
    .in_space = 3,
    .compile = compile,
    .act = act,
    .loses = loses,
    .by_rates = true,
};
