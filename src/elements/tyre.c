/* A wheel of radius R whose centre is at the height z and the forward position x, on a road of the
 * height w under it:
 *
 *     w(x, t) = road(along(x, t), t)                                                          (1)
 *     d = R - (z - w),     d' = -z' + w_x x' + w_t                                            (2)
 *     N = max(0, k d + c d') where d > 0, else 0                                              (3)
 *
 * N acts upwards or, along the normal of the road, as N/sqrt(1 + w_x^2):
 *
 *     F_z = g N,   F_x = -w_x g N,   g = 1/(1 + w_x^2)                                         (4)
 *
 * The spring has the potential V = k d^2/2. V changes with the road too: the power of all that is
 * not its negative gradient is F_z z' + F_x x' + dV/dt, with dV/dt = k d d'. */
#include "elements/force.h"

#include "expression/time.h"
#include "model/parts.h"
#include "model/units.h"
#include "system/mechanism/mechanism.h"

#include <math.h>
#include <string.h>

enum { ROAD, ALONG };       ///< texts
enum { UP, FORWARD, AXES }; ///< scalars

static const sar_tyre_def USUAL = {.up = -1, .forward = -1};

/* ---- definition ----------------------------------------------------------------------------- */

/// Upwards the last axis, forward the first one that is left.
static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    sar_tyre_def* def = def_;
    if (def->up < 0) def->up = model->dimension - 1;
    if (def->forward < 0) def->forward = def->up == 0 ? 1 : 0;
    if (def->up >= model->dimension)
        return sari_fail(error, SAR_E_MODEL, "up", "a %s model has no such axis",
                         model->dimension == 2 ? "planar" : "spatial");
    if (def->forward >= model->dimension)
        return sari_fail(error, SAR_E_MODEL, "forward", "a %s model has no such axis",
                         model->dimension == 2 ? "planar" : "spatial");
    if (def->up == def->forward)
        return sari_fail(error, SAR_E_MODEL, "forward", "upwards and forward are the same axis");
    return SAR_OK;
}

/* Height of the road and place along it are world components. */
static void convert(sari_model_conversion* c, sari_force* tyre)
{
    const sar_tyre_def* def = tyre->def;
    const sari_units* u = c->u;
    const double up = u->origin[def->up], forward = u->origin[def->forward];
    const sari_conversion place = {u->length, forward}, none = {1.0, 0.0};
    sari_convert_text(c, tyre, ROAD, place, none, u->length, up);
    sari_convert_text(c, tyre, ALONG, place, none, u->length, forward);
}

/* ---- action --------------------------------------------------------------------------------- */

static int compile(sari_mechanism* m, const void* def_, int* scalar)
{
    const sar_tyre_def* def = def_;
    scalar[UP] = sari_scalar_component(m, def->body.i, def->point, def->up);
    if (scalar[UP] < 0) return 0;
    scalar[FORWARD] = sari_scalar_component(m, def->body.i, def->point, def->forward);
    return scalar[FORWARD] >= 0;
}

/// w and its derivatives.
typedef struct ground {
    double w, x, t, xx, xt;
} ground;

/// (1) along the direction (dx, dt): value, first and second derivative.
static void series(const sari_force* tyre, double x, double t, double dx, double dt, double out[3])
{
    double variables[SARI_VARIABLE_SIGNAL] = {0}, direction[SARI_VARIABLE_SIGNAL] = {0};
    double place[3] = {x, dx, 0.0}, by_place[3];
    variables[SARI_VARIABLE_T] = t, variables[SARI_VARIABLE_X] = x;
    direction[SARI_VARIABLE_T] = dt, direction[SARI_VARIABLE_X] = dx;
    if (tyre->expression[ALONG])
        sari_expression_series_along(tyre->expression[ALONG], variables, direction, place);
    variables[SARI_VARIABLE_X] = place[0], direction[SARI_VARIABLE_X] = place[1];
    sari_expression_series_along(tyre->expression[ROAD], variables, direction, out);
    if (place[2] == 0.0) return;
    direction[SARI_VARIABLE_X] = 1.0, direction[SARI_VARIABLE_T] = 0.0;
    sari_expression_series_along(tyre->expression[ROAD], variables, direction, by_place);
    out[2] += by_place[1] * place[2];
}

static ground ground_under(const sari_force* tyre, double x, double t, int mixed)
{
    double along_x[3], along_t[3], along_both[3];
    series(tyre, x, t, 1.0, 0.0, along_x);
    series(tyre, x, t, 0.0, 1.0, along_t);
    ground g = {along_x[0], along_x[1], along_t[1], along_x[2], 0.0};
    if (!mixed) return g;
    series(tyre, x, t, 1.0, 1.0, along_both); // w_xx + 2 w_xt + w_tt
    g.xt = 0.5 * (along_both[2] - along_x[2] - along_t[2]);
    return g;
}

/// (4) and its derivatives from those of N by z, x, z', x'. Forces pull back: they are the negative
/// of those on the wheel.
static void direct(const ground* w, int normal, double N, const double by_value[AXES],
                   const double by_rate[AXES], sari_force_action* out)
{
    double g = normal ? 1.0 / (1.0 + w->x * w->x) : 1.0, h = normal ? -w->x * g : 0.0;
    double g_x = normal ? -2.0 * w->x * w->xx * g * g : 0.0;
    double h_x = normal ? -w->xx * g - w->x * g_x : 0.0;
    out->force[UP] = -(g * N);
    out->force[FORWARD] = -(h * N);
    for (int k = 0; k < AXES; k++) {
        out->by_value[UP][k] = -(g * by_value[k]);
        out->by_value[FORWARD][k] = -(h * by_value[k]);
        out->by_rate[UP][k] = -(g * by_rate[k]);
        out->by_rate[FORWARD][k] = -(h * by_rate[k]);
    }
    out->by_value[UP][FORWARD] -= g_x * N;
    out->by_value[FORWARD][FORWARD] -= h_x * N;
}

static void act(const sari_force* tyre, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const sar_tyre_def* def = tyre->def;
    const double k = def->stiffness, c = def->damping;
    const double z = at->value[UP], x = at->value[FORWARD];
    const double vz = at->rate[UP], vx = at->rate[FORWARD];
    const double none[AXES] = {0.0};
    ground w =
        ground_under(tyre, x, at->variables[SARI_VARIABLE_T], what & SARI_ACT_SLOPES && c != 0.0);
    double d = def->radius - (z - w.w), closing = -vz + w.x * vx + w.t; // (2)
    double N = k * d + c * closing;                                     // (3)
    if (d > 0.0 && N > 0.0) {
        const double by_value[AXES] = {-k, k * w.x + c * (w.xx * vx + w.xt)};
        const double by_rate[AXES] = {-c, c * w.x};
        direct(&w, def->normal, N, by_value, by_rate, out);
    } else {
        direct(&w, 0, 0.0, none, none, out);
    }
    if (d <= 0.0) return;
    if (what & SARI_ACT_POTENTIAL) out->potential += 0.5 * k * d * d;
    if (what & SARI_ACT_POWER)
        out->power += -out->force[UP] * vz + -out->force[FORWARD] * vx + k * d * closing;
}

/* Where it touches the road and, with a damper, where N of (3) ends. */
static void kinks(const sari_force* tyre, const sari_force_state* at, double* g)
{
    const sar_tyre_def* def = tyre->def;
    const ground w = ground_under(tyre, at->value[FORWARD], at->variables[SARI_VARIABLE_T], 0);
    const double d = def->radius - (at->value[UP] - w.w);
    const double closing = -at->rate[UP] + w.x * at->rate[FORWARD] + w.t;
    g[0] = d;
    g[1] = d > 0.0 && def->damping > 0.0 ? d + def->damping / def->stiffness * closing : NAN;
    g[2] = NAN;
}

static int outside(const sari_mechanism* m, const sari_force* tyre, const sari_force_state* at,
                   const double* X, double* number)
{
    (void)m, (void)X;
    const sar_tyre_def* def = tyre->def;
    const ground w = ground_under(tyre, at->value[FORWARD], at->variables[SARI_VARIABLE_T], 0);
    *number = (def->radius - (at->value[UP] - w.w)) / def->radius;
    return *number > 1.0;
}

/* The axis is across the plane of up and forward. */
static sari_force_picture picture(const void* def_)
{
    const sar_tyre_def* def = def_;
    sari_force_picture out = {.shows = SARI_SHOWS_TYRE};
    out.axis[3 - def->up - def->forward] = 1.0;
    return out;
}

/* (1): the road is a function of the place along it. */
static void place(const sari_force* tyre, int dimension, int text, sari_time_series* moving,
                  const sari_time_series* scalar)
{
    (void)dimension;
    moving[SARI_VARIABLE_X] = moving[SARI_VARIABLE_V] = scalar[FORWARD];
    sari_time_series along;
    if (text != ROAD || !tyre->expression[ALONG]) return;
    (void)sari_expression_along(tyre->expression[ALONG], moving, &along);
    moving[SARI_VARIABLE_X] = along;
}

static bool road_of(const void* def_, sari_force_ground* out)
{
    const sar_tyre_def* def = def_;
    *out = (sari_force_ground){.other = def->body.i, .radius = def->radius};
    out->uneven = def->road && strcmp(def->road, "0") != 0;
    out->normal[def->up] = 1.0, out->x[def->forward] = 1.0;
    memcpy(out->other_point, def->point, sizeof out->other_point);
    return true;
}

static double height_of_road(const sari_force* tyre, double x, double y)
{
    double at[3];
    (void)y;
    series(tyre, x, 0.0, 0.0, 0.0, at);
    return at[0];
}

const sari_force_type sari_tyre_force = {
    .is.word =
        {{"tyre",
          "a wheel on a road",
          {{"acts_on", SARI_READ_PLACE, 0, SARI_MUST, "the wheel's centre"},
           {"radius", SARI_READ_NUMBER, offsetof(sar_tyre_def, radius), SARI_MUST | SARI_ABOVE_ZERO,
            "unloaded [m]"},
           {"stiffness", SARI_READ_NUMBER, offsetof(sar_tyre_def, stiffness),
            SARI_MUST | SARI_ABOVE_ZERO, "[N/m]"},
           {"damping", SARI_READ_NUMBER, offsetof(sar_tyre_def, damping), SARI_FROM_ZERO,
            "[N s/m]"},
           {"road", SARI_READ_TEXT, offsetof(sar_tyre_def, road), 0,
            "height of the road, an expression of x (position along the road) and t; default 0"},
           {"along", SARI_READ_TEXT, offsetof(sar_tyre_def, along), 0,
            "position along the road, an expression of x (forward position of the wheel's centre) "
            "and t; default x"},
           {"up", SARI_READ_AXIS, offsetof(sar_tyre_def, up), 0,
            "world axis upwards; default z, planar y"},
           {"forward", SARI_READ_AXIS, offsetof(sar_tyre_def, forward), 0,
            "world axis along the road; default x, or y where x is up"},
           {"normal", SARI_READ_ANSWER, offsetof(sar_tyre_def, normal), 0,
            "yes: the force acts along the normal of the road; default no, upwards"}}}},
    .is.size = sizeof(sar_tyre_def),
    .is.usual = &USUAL,
    .is.text = {[ROAD] = {"road", offsetof(sar_tyre_def, road), SARI_USE_PLACE, "0"},
                [ALONG] = {"along", offsetof(sar_tyre_def, along), SARI_USE_PLACE, NULL}},
    .is.body = offsetof(sar_tyre_def, body),
    .is.point = offsetof(sar_tyre_def, point),
    .radius = offsetof(sar_tyre_def, radius),
    .grounded = "a tyre on the ground moves nothing; name a point of a body",
    .check = check,
    .convert = convert,
    .in_plane = AXES,
    .in_space = AXES,
    .compile = compile,
    .act = act,
    .kinks = kinks,
    .place = place,
    .outside = outside,
    .range = {"is pressed in by %.3g times its radius: the wheel's centre is below the road"},
    .picture = picture,
    .ground = road_of,
    .height = height_of_road,
};
