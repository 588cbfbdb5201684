/* Springs and dampers between two points or on a coordinate of a joint. With x the length or
 * coordinate less the free one and v its rate,
 *
 *     f = stiffness x + damping v + table(x) + expression(x, v, t, signals)                    (1)
 *
 * Where the free length L is a function of time, the elastic part f_e = stiffness x + table(x) has
 * the power -f_e dL/dt beyond that of its potential: the spring is an actuator too. */
#include "elements/by_expression.h"

#include "model/parts.h"

#include <math.h>

enum { FREE = 2 };                     ///< which of its texts
static const double NO_LENGTH = 1e-12; ///< in units of the model

static const sar_spring_def USUAL = {.joint = {-1}};

/* ---- definition ----------------------------------------------------------------------------- */

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    const sar_spring_def* def = def_;
    (void)model;
    if (def->table_length == 0) return SAR_OK;
    if (def->table_length < 2 || !def->table_x || !def->table_f)
        return sari_fail(error, SAR_E_MODEL, "table", "a table has at least 2 pairs, not %d",
                         def->table_length);
    for (int k = 0; k < def->table_length; k++) {
        if (!isfinite(def->table_x[k]) || !isfinite(def->table_f[k]))
            return sari_fail(error, SAR_E_MODEL, "table",
                             "pair %d of the table, (%g, %g), is not finite", k, def->table_x[k],
                             def->table_f[k]);
        if (k > 0 && !(def->table_x[k] > def->table_x[k - 1]))
            return sari_fail(error, SAR_E_MODEL, "table",
                             "the table must increase: x is %g in pair %d, after %g",
                             def->table_x[k], k, def->table_x[k - 1]);
    }
    return SAR_OK;
}

static void reverse(void* def_)
{
    sar_spring_def* def = def_;
    def->free = -def->free;
}

/* ---- action --------------------------------------------------------------------------------- */

/* Linear between the pairs and beyond the ends. */
static double table_value(const sar_spring_def* def, double x, double* slope)
{
    int k = 0;
    while (k < def->table_length - 2 && x >= def->table_x[k + 1]) k++;
    double dx = def->table_x[k + 1] - def->table_x[k];
    *slope = (def->table_f[k + 1] - def->table_f[k]) / dx;
    return def->table_f[k] + *slope * (x - def->table_x[k]);
}

static double table_integral_from_first(const sar_spring_def* def, double x)
{
    double sum = 0.0, slope;
    int k = 0, last = def->table_length - 2;
    while (k < last && x >= def->table_x[k + 1]) {
        sum +=
            0.5 * (def->table_f[k] + def->table_f[k + 1]) * (def->table_x[k + 1] - def->table_x[k]);
        k++;
    }
    double f = table_value(def, x, &slope);
    return sum + 0.5 * (def->table_f[k] + f) * (x - def->table_x[k]);
}

static double table_potential(const sar_spring_def* def, double x)
{
    return table_integral_from_first(def, x) - table_integral_from_first(def, 0.0);
}

/* The free length and its rate. */
static double free_length(const sari_force* spring, const double* variables, double* rate)
{
    const sar_spring_def* def = spring->def;
    double series[3];
    *rate = 0.0;
    if (!spring->expression[FREE]) return def->free;
    sari_expression_series(spring->expression[FREE], variables, SARI_VARIABLE_T, series);
    *rate = series[1];
    return def->free + series[0];
}

static void act(const sari_force* spring, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const sar_spring_def* def = spring->def;
    const sari_expression* expression = spring->expression[0];
    double grows;
    const double x = at->value[0] - free_length(spring, at->variables, &grows), v = at->rate[0];
    double slope = 0.0, value = 0.0;
    at->variables[SARI_VARIABLE_X] = at->value[0];
    at->variables[SARI_VARIABLE_V] = v;
    out->by_value[0][0] = out->by_rate[0][0] = 0.0;
    if (expression && what & SARI_ACT_SLOPES)
        value = sari_add_slopes(spring, at->variables, 1.0, out);
    else if (expression && what & (SARI_ACT_FORCE | SARI_ACT_POWER))
        value = sari_expression_value(expression, at->variables);
    if (what & SARI_ACT_FORCE) {
        out->force[0] = def->stiffness * x + def->damping * v;
        if (def->table_length) out->force[0] += table_value(def, x, &slope);
        if (expression) out->force[0] += value;
    }
    if (what & SARI_ACT_SLOPES) {
        out->by_value[0][0] += def->stiffness + slope;
        out->by_rate[0][0] += def->damping;
    }
    if (what & SARI_ACT_POTENTIAL) {
        out->potential += 0.5 * def->stiffness * x * x;
        if (def->table_length) out->potential += table_potential(def, x);
    }
    if (what & SARI_ACT_POWER) { // of the force beyond that of the potential
        double lost = def->damping * v;
        if (expression) lost += value;
        out->power -= lost * v;
        if (grows != 0.0) {
            const double table = def->table_length ? table_value(def, x, &slope) : 0.0;
            out->power -= (def->stiffness * x + table) * grows;
        }
    }
}

/* Between two points it pulls along the line from one to the other; a table ends somewhere. */
static int outside(const struct sari_mechanism* m, const sari_force* spring,
                   const sari_force_state* at, const double* X, double* number)
{
    (void)m, (void)X;
    const sar_spring_def* def = spring->def;
    double grows;
    if (def->table_length > 0) {
        const double x = at->value[0] - free_length(spring, at->variables, &grows),
                     first = def->table_x[0], last = def->table_x[def->table_length - 1];
        *number = fmax(first - x, x - last) / (last - first);
        if (*number > 1e-9) return 1;
    }
    const bool between = def->joint.i < 0 && !def->along;
    if (!between || at->value[0] > NO_LENGTH) return 0;
    sari_force_action action = {0};
    act(spring, at, SARI_ACT_FORCE, &action);
    return action.force[0] != 0.0 ? 2 : 0;
}

static bool loses(const sari_force* spring)
{
    return ((const sar_spring_def*)spring->def)->damping != 0.0 || spring->expression[0] ||
           spring->expression[FREE];
}

static bool summarise(const void* def_, sari_force_summary* out)
{
    const sar_spring_def* def = def_;
    out->stiffness = def->stiffness, out->damping = def->damping, out->rest = def->free;
    return !def->table_length && !def->force && !def->free_by;
}

static sari_force_picture picture(const void* def_)
{
    const sar_spring_def* def = def_;
    const bool pulls = def->stiffness != 0.0 || def->table_length > 0 || def->force;
    const bool turns = def->coordinate == SAR_COORD_ANGLE || def->coordinate == SAR_COORD_ANGLE_2;
    unsigned shows = def->damping != 0.0 ? SARI_SHOWS_POT : 0;
    if (pulls) shows |= SARI_SHOWS_COIL;
    return (sari_force_picture){.shows = turns ? SARI_SHOWS_SPIRAL : shows};
}

#define ALONG(key)                                                                                 \
    {                                                                                              \
        "along", SARI_READ_ALONG, offsetof(sar_spring_def, along), 0,                              \
            "in place of " key ": a smooth expression of positions on which it acts"               \
    }

/* Units in brackets are those that the reader accepts. */
#define LAW(length, force_key, unit, per, free_text)                                               \
    {"stiffness", SARI_READ_NUMBER, offsetof(sar_spring_def, stiffness),                           \
     SARI_MAY_ALONE | SARI_FINITE, "[" unit "/" per "]"},                                          \
        {"damping", SARI_READ_NUMBER, offsetof(sar_spring_def, damping),                           \
         SARI_MAY_ALONE | SARI_FINITE, "[" unit " s/" per "]"},                                    \
        {length, SARI_READ_FREE, offsetof(sar_spring_def, free), SARI_FINITE, free_text},          \
        {force_key, SARI_READ_TEXT, offsetof(sar_spring_def, force), SARI_MAY_ALONE,               \
         "an expression of x (length or angle), v (its rate), t and signals, added to the law "    \
         "[" unit "]"},                                                                            \
    {                                                                                              \
        "table", SARI_READ_TABLE, 0, SARI_MAY_ALONE,                                               \
            "pairs [x, f] with increasing x, measured from the free length or angle; linear "      \
            "between them and beyond"                                                              \
    }

const sari_force_type sari_spring_force = {
    .is.word = {{"spring",
                 "spring and damper between two points or along a displacement of a joint",
                 {{"between", SARI_READ_LINE, offsetof(sar_spring_def, coordinate), 0,
                   "its two points"},
                  {"joint", SARI_READ_JOINT, 0, 0,
                   "in place of between: along whose displacement it acts"},
                  ALONG("between"),
                  {"coordinate", SARI_READ_SLIDES, 0, 0, "of the joint; default displacement"},
                  LAW("length", "force", "N", "m",
                      "free length or displacement, a number or an expression of t [m]")},
                 "give it at least one of stiffness, damping, force, table"},
                {"rotational-spring",
                 "spring and damper about an angle of a joint",
                 {{"joint", SARI_READ_ANGLE, offsetof(sar_spring_def, coordinate), 0,
                   "about whose angle it acts"},
                  ALONG("joint"),
                  {"coordinate", SARI_READ_TURNS, 0, 0, "of the joint; default angle"},
                  LAW("angle", "torque", "N m", "rad",
                      "free angle, a number or an expression of t [rad]")},
                 "give it at least one of stiffness, damping, torque, table"}},
    .is.size = sizeof(sar_spring_def),
    .is.usual = &USUAL,
    .is.text = {{"force", offsetof(sar_spring_def, force),
                 SARI_USE_RATES | SARI_USE_SPRING | SARI_USE_REACTIONS, NULL},
                {"along", offsetof(sar_spring_def, along), SARI_USE_ALONG, NULL},
                [FREE] = {"free", offsetof(sar_spring_def, free_by), SARI_USE_FREE, NULL}},
    .is.along = offsetof(sar_spring_def, along),
    .is.array = {offsetof(sar_spring_def, table_x), offsetof(sar_spring_def, table_f)},
    .is.length = offsetof(sar_spring_def, table_length),
    .is.ends = offsetof(sar_spring_def, a),
    .is.joint = offsetof(sar_spring_def, joint),
    .is.coordinate = offsetof(sar_spring_def, coordinate),
    .shows_length = true,
    .check = check,
    .reverse = reverse,
    .in_plane = 1,
    .in_space = 1,
    .act = act,
    .loses = loses,
    .outside = outside,
    .range =
        {"is beyond its table, by %.3g of the table's range: the line through the last two points "
         "continues there",
         "has no length: it pulls in no direction where its ends meet"},
    .picture = picture,
    .linear = true,
    .summarise = summarise,
};
