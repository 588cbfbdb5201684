/* A stop on a coordinate s of a joint: nothing while lower < s < upper, beyond a limit a spring and
 * damper that only pushes back [hunt1975]. With the depth x = lower - s or s - upper,
 *
 *     f = k x^n max(0, 1 + c x')   where x > 0                                                (1)
 *     V = k x^(n+1)/(n+1)                                                                     (2)
 *
 * The damping acts through the depth, so that the force is continuous where contact begins and
 * ends. Power beyond that of V: -(f - k x^n) x'. */
#include "elements/force.h"

#include "math/functions.h"
#include "model/parts.h"

#include <math.h>

static const sar_stop_def USUAL = {
    .joint = {-1}, .lower = -INFINITY, .upper = INFINITY, .exponent = 1.0};

/* ---- definition ----------------------------------------------------------------------------- */

static sar_status check_limits(const sar_stop_def* def, sar_error* error)
{
    if (isnan(def->lower) || def->lower == INFINITY)
        return sari_fail(error, SAR_E_MODEL, "lower", "lower is %g, no limit", def->lower);
    if (isnan(def->upper) || def->upper == -INFINITY)
        return sari_fail(error, SAR_E_MODEL, "upper", "upper is %g, no limit", def->upper);
    if (isinf(def->lower) && isinf(def->upper))
        return sari_fail(error, SAR_E_MODEL, "lower",
                         "it stops nothing; give it a limit: lower, upper or both");
    if (def->lower > def->upper)
        return sari_fail(error, SAR_E_MODEL, "lower",
                         "lower is %g, above upper, which is %g; exchange them", def->lower,
                         def->upper);
    return SAR_OK;
}

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    sar_stop_def* def = def_;
    (void)model;
    SARI_TRY(check_limits(def, error));
    if (def->exponent >= 1.0) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "exponent",
                     "exponent is %g; it must be at least 1, else the stiffness is infinite at the "
                     "limit",
                     def->exponent);
}

static void reverse(void* def_)
{
    sar_stop_def* def = def_;
    const double upper = -def->lower;
    def->lower = -def->upper;
    def->upper = upper;
}

/* ---- action --------------------------------------------------------------------------------- */

static void act(const sari_force* stop, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const sar_stop_def* def = stop->def;
    const double n = def->exponent, s = at->value[0];
    const double side = s > def->upper ? 1.0 : -1.0;
    const double x = side > 0.0 ? s - def->upper : def->lower - s, rate = side * at->rate[0];
    out->force[0] = out->by_value[0][0] = out->by_rate[0][0] = 0.0;
    if (!(x > 0.0)) return;
    const double secant = def->stiffness * sari_pow(x, n - 1.0), elastic = secant * x;
    const double damped = fmax(0.0, 1.0 + def->damping * rate);
    out->force[0] = side * elastic * damped; // (1)
    if (what & SARI_ACT_SLOPES && damped > 0.0) {
        out->by_value[0][0] = n * secant * damped;
        out->by_rate[0][0] = elastic * def->damping;
    }
    if (what & SARI_ACT_POTENTIAL) out->potential += elastic * x / (n + 1.0); // (2)
    if (what & SARI_ACT_POWER) out->power -= elastic * (damped - 1.0) * rate;
}

static void kinks(const sari_force* stop, const sari_force_state* at, double* g)
{
    const sar_stop_def* def = stop->def;
    const double s = at->value[0], rate = s > def->upper ? at->rate[0] : -at->rate[0];
    g[0] = isfinite(def->lower) ? s - def->lower : NAN;
    g[1] = isfinite(def->upper) ? def->upper - s : NAN;
    g[2] = s > def->upper || s < def->lower ? 1.0 + def->damping * rate : NAN;
}

static void interval(const void* def_, double* lower, double* upper)
{
    const sar_stop_def* def = def_;
    *lower = def->lower;
    *upper = def->upper;
}

static bool summarise(const void* def_, sari_force_summary* out)
{
    interval(def_, &out->lower, &out->upper);
    out->beyond = "stiffness and damping";
    return true;
}

static bool loses(const sari_force* stop)
{
    return ((const sar_stop_def*)stop->def)->damping != 0.0;
}

const sari_force_type sari_stop_force = {
    .is.word = {{"stop",
                 "limits of a joint's coordinate, or of an expression",
                 {{"joint", SARI_READ_MOTION, offsetof(sar_stop_def, coordinate), 0,
                   "whose coordinate is limited"},
                  {"along", SARI_READ_ALONG, offsetof(sar_stop_def, along), 0,
                   "in place of joint: a smooth expression of positions that is limited"},
                  {"coordinate", SARI_READ_MOVES, 0, 0, "of the joint; default: its first"},
                  {"lower", SARI_READ_NUMBER, offsetof(sar_stop_def, lower), SARI_MAY_ALONE,
                   "limit [m] or [rad]"},
                  {"upper", SARI_READ_NUMBER, offsetof(sar_stop_def, upper), SARI_MAY_ALONE,
                   "limit [m] or [rad]"},
                  {"stiffness", SARI_READ_NUMBER, offsetof(sar_stop_def, stiffness),
                   SARI_MUST | SARI_ABOVE_ZERO, "[N/m^exponent] or [N m/rad^exponent]"},
                  {"exponent", SARI_READ_NUMBER, offsetof(sar_stop_def, exponent), SARI_FINITE,
                   "of the depth; default 1, Hertz' contact 1.5"},
                  {"damping", SARI_READ_NUMBER, offsetof(sar_stop_def, damping), SARI_FROM_ZERO,
                   "of Hunt and Crossley [s/m] or [s/rad]"}},
                 "give it a limit: lower, upper or both"}},
    .is.size = sizeof(sar_stop_def),
    .is.usual = &USUAL,
    .is.text = {{"along", offsetof(sar_stop_def, along), SARI_USE_ALONG, NULL}},
    .is.along = offsetof(sar_stop_def, along),
    .is.joint = offsetof(sar_stop_def, joint),
    .is.coordinate = offsetof(sar_stop_def, coordinate),
    .exponent = offsetof(sar_stop_def, exponent),
    .check = check,
    .reverse = reverse,
    .in_plane = 1,
    .in_space = 1,
    .act = act,
    .loses = loses,
    .kinks = kinks,
    .interval = interval,
    .summarise = summarise,
};
