/* Between coordinates s_0 and s_1 of two joints: shafts, belts, clutches. With
 *
 *     x = c_0 s_0 + c_1 s_1 - free,   c = (factor_0, -factor_1),   v = dx/dt                    (1)
 *
 * it acts with -c_k f on s_k, where f is one of
 *
 *     k x* + d v + law(x, v, t) + capacity(x, v, t) tanh(v/speed)     x*: beyond the play       (2)
 *     T_+ - T_-,   T_+- = max(0, tension +- (k x + d v))              two strands of a belt     (3)
 *
 * A belt has the potential (E_+^2 + E_-^2 - 2 tension^2)/(2 k), E_+- = max(0, tension +- k x).
 *
 * x and v are in the units of the user, whatever those of the model: coordinates may be angles or
 * lengths, and factors radii. */
#include "elements/force.h"

#include "math/functions.h"
#include "model/parts.h"
#include "model/units.h"
#include "sarrus/compliant.h"
#include "system/mechanism/mechanism.h"

#include <math.h>

enum { LAW, CAPACITY };

static const sar_shaft_def USUAL = {.joint = {{-1}, {-1}}, .factor = {1.0, 1.0}};

/* ---- definition ----------------------------------------------------------------------------- */

static sar_status check_joints(const sar_model* model, const sar_shaft_def* def, sar_error* error)
{
    for (int k = 0; k < 2; k++) {
        SARI_TRY(sari_check_coordinate(model, def->joint[k], def->coordinate[k], k, error));
        SARI_TRY(sari_check_numbers(&def->factor[k], 1, "factor", error));
        if (def->factor[k] == 0.0)
            return sari_fail(error, SAR_E_MODEL, "factor", "a factor of 0 joins nothing");
    }
    if (def->joint[0].i == def->joint[1].i && def->coordinate[0] == def->coordinate[1])
        return sari_fail(error, SAR_E_MODEL, "joint",
                         "both sides are the same joint: name two, or use a spring on the joint");
    return SAR_OK;
}

/* What excludes each other. */
static sar_status check_kind(const sar_shaft_def* def, sar_error* error)
{
    const bool belt = def->tension > 0.0;
    if (belt && !(def->stiffness > 0.0))
        return sari_fail(error, SAR_E_MODEL, "stiffness", "a belt needs a stiffness > 0");
    if (belt && (def->play != 0.0 || def->law || def->capacity))
        return sari_fail(error, SAR_E_MODEL, "tension",
                         "a belt has stiffness and damping alone, no play, law or capacity");
    if (def->play > 0.0 && def->damping > 0.0)
        return sari_fail(error, SAR_E_MODEL, "play",
                         "with damping the torque would jump where the play ends: remove one of "
                         "them, or give the damping to a second shaft beside this one");
    if (def->play > 0.0 && !(def->stiffness > 0.0))
        return sari_fail(error, SAR_E_MODEL, "play", "a play needs a stiffness beyond it");
    if (def->capacity && !(def->speed > 0.0))
        return sari_fail(error, SAR_E_MODEL, "speed",
                         "a clutch needs a speed > 0 of slip, below which it transmits less");
    return SAR_OK;
}

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    sar_shaft_def* def = def_;
    SARI_TRY(check_joints(model, def, error));
    return check_kind(def, error);
}

static void convert(sari_model_conversion* c, sari_force* shaft)
{
    sar_shaft_def* def = shaft->def;
    const double energy = sari_unit_of_energy(c->u);
    const sari_conversion own = {1.0, 0.0};
    for (int k = 0; k < 2; k++) {
        def->factor[k] *= sari_unit_of_coordinate(c->u, def->coordinate[k]);
        if (shaft->expression[k]) sari_convert_text(c, shaft, k, own, own, energy, 0.0);
    }
    def->stiffness /= energy;
    def->damping /= energy;
    def->tension /= energy;
}

/* ---- action --------------------------------------------------------------------------------- */

static int compile(sari_mechanism* m, const void* def_, int* scalar)
{
    const sar_shaft_def* def = def_;
    for (int k = 0; k < 2; k++)
        if ((scalar[k] = sari_scalar_of_joint(m, def->joint[k].i, def->coordinate[k])) < 0)
            return 0;
    return 1;
}

/// What is transmitted, its slopes, and what of it has the potential.
typedef struct torque {
    double f, by_x, by_v, elastic, potential;
} torque;

static void add_text(const sari_expression* e, const double* variables, double factor, torque* t)
{
    double gradient[SARI_FORCE_VARIABLES];
    const int *used, n = sari_expression_variables(e, &used);
    t->f += factor * sari_expression_value(e, variables);
    sari_expression_gradient(e, variables, gradient);
    for (int i = 0; i < n; i++) {
        if (used[i] == SARI_VARIABLE_X) t->by_x += factor * gradient[i];
        if (used[i] == SARI_VARIABLE_V) t->by_v += factor * gradient[i];
    }
}

/* (3) */
static torque of_belt(const sar_shaft_def* def, double x, double v)
{
    const double k = def->stiffness, d = def->damping;
    torque t = {.potential = -def->tension * def->tension / k};
    for (int side = -1; side <= 1; side += 2) {
        const double T = def->tension + side * (k * x + d * v),
                     E = fmax(0.0, def->tension + side * k * x);
        t.elastic += side * E;
        t.potential += 0.5 * E * E / k;
        if (T > 0.0) t.f += side * T, t.by_x += k, t.by_v += d;
    }
    return t;
}

/* (2) */
static torque of_shaft(const sari_force* shaft, const sari_force_state* at, double x, double v)
{
    const sar_shaft_def* def = shaft->def;
    const double half = 0.5 * def->play,
                 beyond = x > half    ? x - half
                          : x < -half ? x + half
                                      : 0.0,
                 k = fabs(x) > half || half == 0.0 ? def->stiffness : 0.0;
    torque t = {.f = k * beyond + def->damping * v,
                .by_x = k,
                .by_v = def->damping,
                .elastic = k * beyond,
                .potential = 0.5 * k * beyond * beyond};
    at->variables[SARI_VARIABLE_X] = x;
    at->variables[SARI_VARIABLE_V] = v;
    if (shaft->expression[LAW]) add_text(shaft->expression[LAW], at->variables, 1.0, &t);
    if (shaft->expression[CAPACITY]) {
        const double share = sari_tanh(v / def->speed);
        add_text(shaft->expression[CAPACITY], at->variables, share, &t);
        t.by_v += sari_expression_value(shaft->expression[CAPACITY], at->variables) *
                  (1.0 - share * share) / def->speed;
    }
    return t;
}

/* (1) */
static double sum_of(const sar_shaft_def* def, const double* s)
{
    return def->factor[0] * s[0] - def->factor[1] * s[1];
}

static torque transmitted(const sari_force* shaft, const sari_force_state* at)
{
    const sar_shaft_def* def = shaft->def;
    const double x = sum_of(def, at->value) - def->free, v = sum_of(def, at->rate);
    return def->tension > 0.0 ? of_belt(def, x, v) : of_shaft(shaft, at, x, v);
}

/* Ends of the play; strands that become slack. */
static void kinks(const sari_force* shaft, const sari_force_state* at, double* g)
{
    const sar_shaft_def* def = shaft->def;
    const double x = sum_of(def, at->value) - def->free, v = sum_of(def, at->rate);
    const double half = 0.5 * def->play, pull = def->stiffness * x + def->damping * v;
    g[0] = g[1] = g[2] = NAN;
    if (half > 0.0) g[0] = x - half, g[1] = x + half;
    if (def->tension > 0.0) g[0] = def->tension + pull, g[1] = def->tension - pull;
}

static void act(const sari_force* shaft, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const sar_shaft_def* def = shaft->def;
    const torque t = transmitted(shaft, at);
    const double c[2] = {def->factor[0], -def->factor[1]};
    for (int i = 0; i < 2; i++) {
        out->force[i] = c[i] * t.f;
        for (int k = 0; k < 2 && what & SARI_ACT_SLOPES; k++) {
            out->by_value[i][k] = c[i] * c[k] * t.by_x;
            out->by_rate[i][k] = c[i] * c[k] * t.by_v;
        }
    }
    if (what & SARI_ACT_POTENTIAL) out->potential += t.potential;
    if (what & SARI_ACT_POWER) out->power -= (t.f - t.elastic) * sum_of(def, at->rate);
}

static void show(const sari_force* shaft, const sari_force_state* at, double* out)
{
    const sar_shaft_def* def = shaft->def;
    out[0] = transmitted(shaft, at).f;
    out[1] = sum_of(def, at->value) - def->free;
    out[2] = sum_of(def, at->rate);
}

static bool loses(const sari_force* shaft)
{
    const sar_shaft_def* def = shaft->def;
    return def->damping != 0.0 || shaft->expression[LAW] || shaft->expression[CAPACITY];
}

static sari_force_picture picture(const void* def_)
{
    const sar_shaft_def* def = def_;
    return (sari_force_picture){.shows = def->tension > 0.0 ? SARI_SHOWS_BELT : 0};
}

#define JOINTS                                                                                     \
    {                                                                                              \
        "joints", SARI_READ_JOINTS, 0, SARI_MUST, "two that turn: A and B"                         \
    }
#define RATIO                                                                                      \
    {                                                                                              \
        "ratio", SARI_READ_NUMBER, offsetof(sar_shaft_def, factor), 0,                             \
            "of the gear between them: x = ratio A - B; default 1"                                 \
    }

const sari_force_type sari_shaft_force = {
    .is.word =
        {{"shaft",
          "an elastic shaft or coupling between two joints that turn",
          {RATIO,
           JOINTS,
           {"stiffness", SARI_READ_NUMBER, offsetof(sar_shaft_def, stiffness),
            SARI_MAY_ALONE | SARI_FROM_ZERO, "[N m/rad]"},
           {"damping", SARI_READ_NUMBER, offsetof(sar_shaft_def, damping),
            SARI_MAY_ALONE | SARI_FROM_ZERO, "[N m s/rad]"},
           {"twist", SARI_READ_NUMBER, offsetof(sar_shaft_def, free), SARI_FINITE,
            "x = ratio A - B where it is free [rad]"},
           {"play", SARI_READ_NUMBER, offsetof(sar_shaft_def, play), SARI_FROM_ZERO,
            "range of x without torque [rad]"},
           {"torque", SARI_READ_TEXT, offsetof(sar_shaft_def, law), SARI_MAY_ALONE,
            "an expression of x (the twist), v (its rate), t and tables; positive: drives B "
            "forward [N m]"}},
          "give it at least one of stiffness, damping, torque"},
         {"clutch",
          "friction between two joints that turn",
          {RATIO,
           JOINTS,
           {"capacity", SARI_READ_TEXT, offsetof(sar_shaft_def, capacity), SARI_MUST,
            "torque that it transmits while it slips: a number or an expression of t, v (the "
            "slip), tables and inputs [N m]"},
           {"speed", SARI_READ_NUMBER, offsetof(sar_shaft_def, speed), SARI_MUST | SARI_FROM_ZERO,
            "of the slip, below which it transmits less [rad/s]"}}},
         {"elastic-belt",
          "a belt of two strands that only pull, around pulleys of two joints",
          {{"radii", SARI_READ_PAIR, offsetof(sar_shaft_def, factor), SARI_MUST,
            "of the pulleys [m]"},
           {"crossed", SARI_READ_CROSSED, offsetof(sar_shaft_def, factor), 0,
            "yes or no (default)"},
           JOINTS,
           {"stiffness", SARI_READ_NUMBER, offsetof(sar_shaft_def, stiffness),
            SARI_MUST | SARI_FROM_ZERO, "of one strand [N/m]"},
           {"damping", SARI_READ_NUMBER, offsetof(sar_shaft_def, damping), SARI_FROM_ZERO,
            "of one strand [N s/m]"},
           {"tension", SARI_READ_NUMBER, offsetof(sar_shaft_def, tension),
            SARI_MUST | SARI_FROM_ZERO, "of the strands where it stands [N]"}}}},
    .is.size = sizeof(sar_shaft_def),
    .is.usual = &USUAL,
    .is.text = {{"law", offsetof(sar_shaft_def, law), SARI_USE_SPRING, NULL},
                {"capacity", offsetof(sar_shaft_def, capacity), SARI_USE_SPRING, NULL}},
    .is.joint = offsetof(sar_shaft_def, joint),
    .other_joint = offsetof(sar_shaft_def, joint) + sizeof(sar_joint_id),
    .check = check,
    .convert = convert,
    .own_units = true,
    .in_plane = 2,
    .in_space = 2,
    .compile = compile,
    .act = act,
    .kinks = kinks,
    .loses = loses,
    .shown = {{"transmitted", 2, 1, "N m", "from A to B; of a belt the force [N]"},
              {"twist", 0, 0, "rad", "x; of a belt [m]"},
              {"slip", 0, 0, "rad/s", "its rate; of a belt [m/s]"}},
    .show = show,
    .picture = picture,
};
