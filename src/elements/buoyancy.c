/* Buoyancy of a ball of radius r in a fluid at rest, whose surface is at a height of the world. With
 * the depth h of its lowest point, 0 <= h <= 2 r, it displaces the cap
 *
 *     V = pi h^2 (r - h/3),    dV/dh = pi h (2 r - h)                                         (1)
 *     f = weight V upwards,    potential weight pi h^3 (r/3 - h/12), and on from there below  (2)
 *
 * `weight` is that of the fluid by volume, density times the size of gravity. */
#include "elements/force.h"

#include "math/vec3.h"
#include "model/parts.h"
#include "model/units.h"
#include "system/mechanism/mechanism.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const sar_buoyancy_def USUAL = {.up = -1};

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    sar_buoyancy_def* def = def_;
    if (def->up < 0) def->up = model->dimension - 1;
    if (def->up < model->dimension) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "up", "this model is planar: up is x or y");
}

static void convert(sari_model_conversion* c, sari_force* force)
{
    sar_buoyancy_def* def = force->def; // the height of the surface is a world component
    def->level -= c->u->origin[def->up] / c->u->length;
}

static int compile(sari_mechanism* m, const void* def_, int* scalar)
{
    const sar_buoyancy_def* def = def_;
    return (*scalar = sari_scalar_component(m, def->body.i, def->point, def->up)) >= 0;
}

static void act(const sari_force* force, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const sar_buoyancy_def* def = force->def;
    const double r = def->radius, lowest = def->level - (at->value[0] - r);
    const double h = fmin(2.0 * r, fmax(0.0, lowest));
    const double f = def->weight * PI * h * h * (r - h / 3.0);
    out->force[0] = -f; // (1)
    if (what & SARI_ACT_SLOPES) {
        out->by_value[0][0] = def->weight * PI * h * (2.0 * r - h);
        out->by_rate[0][0] = 0.0;
    }
    if (what & SARI_ACT_POTENTIAL) // (2)
        out->potential +=
            def->weight * PI * h * h * h * (r / 3.0 - h / 12.0) + f * fmax(0.0, lowest - 2.0 * r);
}

const sari_force_type sari_buoyancy_force = {
    .is.word = {{"buoyancy",
                 "a ball in a fluid at rest",
                 {{"acts_on", SARI_READ_PLACE, 0, SARI_MUST, "middle of the ball"},
                  {"radius", SARI_READ_NUMBER, offsetof(sar_buoyancy_def, radius),
                   SARI_MUST | SARI_ABOVE_ZERO, "of the ball [m]"},
                  {"weight", SARI_READ_NUMBER, offsetof(sar_buoyancy_def, weight),
                   SARI_MUST | SARI_ABOVE_ZERO,
                   "of the fluid by volume, density times gravity [N/m^3]"},
                  {"level", SARI_READ_NUMBER, offsetof(sar_buoyancy_def, level), SARI_FINITE,
                   "height of the surface, a world component [m]; default 0"},
                  {"up", SARI_READ_AXIS, offsetof(sar_buoyancy_def, up), 0,
                   "world axis upwards; default z, planar y"}}}},
    .is.size = sizeof(sar_buoyancy_def),
    .is.usual = &USUAL,
    .is.body = offsetof(sar_buoyancy_def, body),
    .is.point = offsetof(sar_buoyancy_def, point),
    .grounded = "the ground does not float: name a body",
    .check = check,
    .convert = convert,
    .in_plane = 1,
    .in_space = 1,
    .compile = compile,
    .act = act,
    .conservative = true,
};
