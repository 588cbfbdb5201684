/* A force along the line of two points or on a coordinate of a joint, by an expression. It counts
 * as the coordinate s does: positive forces lengthen, positive torques turn forward,
 *
 *     f = f(s, ds/dt, t, signals),   power f ds/dt                                            (1)
 *
 * Springs pull back; here nothing does. */
#include "elements/by_expression.h"

#include "model/parts.h"

static const sar_actuator_def USUAL = {.joint = {-1}, .coordinate = SAR_COORD_DISTANCE};

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    (void)model;
    if (((const sar_actuator_def*)def_)->force) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "force", "it does nothing; give its force");
}

static void act(const sari_force* force, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    if (!(what & (SARI_ACT_FORCE | SARI_ACT_SLOPES | SARI_ACT_POWER))) return;
    at->variables[SARI_VARIABLE_X] = at->value[0];
    at->variables[SARI_VARIABLE_V] = at->rate[0];
    out->by_value[0][0] = out->by_rate[0][0] = 0.0;
    const double f = what & SARI_ACT_SLOPES
                         ? sari_add_slopes(force, at->variables, -1.0, out)
                         : sari_expression_value(force->expression[0], at->variables);
    out->force[0] = -f;
    if (what & SARI_ACT_POWER) out->power += f * at->rate[0]; // (1)
}

static bool summarise(const void* def, sari_force_summary* out)
{
    (void)def;
    out->pushes = true;
    return true;
}

static sari_force_picture picture(const void* def_)
{
    const sar_actuator_def* def = def_;
    const bool turns = def->coordinate == SAR_COORD_ANGLE || def->coordinate == SAR_COORD_ANGLE_2;
    return (sari_force_picture){.shows = turns ? SARI_SHOWS_SPIRAL : SARI_SHOWS_POT};
}

const sari_force_type sari_actuator_force = {
    .is.word = {{"actuator",
                 "a force between two points or along a displacement of a joint",
                 {{"between", SARI_READ_LINE, offsetof(sar_actuator_def, coordinate), 0,
                   "its two points"},
                  {"joint", SARI_READ_JOINT, 0, 0,
                   "in place of between: along whose displacement it acts"},
                  {"along", SARI_READ_ALONG, offsetof(sar_actuator_def, along), 0,
                   "in place of between: a smooth expression of positions on which it acts"},
                  {"coordinate", SARI_READ_SLIDES, 0, 0, "of the joint; default displacement"},
                  {"force", SARI_READ_TEXT, offsetof(sar_actuator_def, force), SARI_MUST,
                   "an expression of x (length or displacement), v (its rate), t and signals; "
                   "positive: x grows [N]"}}},
                {"motor",
                 "a torque about an angle of a joint",
                 {{"joint", SARI_READ_ANGLE, offsetof(sar_actuator_def, coordinate), 0,
                   "about whose angle it acts"},
                  {"along", SARI_READ_ALONG, offsetof(sar_actuator_def, along), 0,
                   "in place of joint: a smooth expression of angles on which it acts"},
                  {"coordinate", SARI_READ_TURNS, 0, 0, "of the joint; default angle"},
                  {"torque", SARI_READ_TEXT, offsetof(sar_actuator_def, force), SARI_MUST,
                   "an expression of x (the angle), v (its rate), t and signals; positive: x grows "
                   "[N m]"}}}},
    .is.size = sizeof(sar_actuator_def),
    .is.usual = &USUAL,
    .is.text = {{"force", offsetof(sar_actuator_def, force),
                 SARI_USE_RATES | SARI_USE_SPRING | SARI_USE_REACTIONS, NULL},
                {"along", offsetof(sar_actuator_def, along), SARI_USE_ALONG, NULL}},
    .is.along = offsetof(sar_actuator_def, along),
    .is.ends = offsetof(sar_actuator_def, a),
    .is.joint = offsetof(sar_actuator_def, joint),
    .is.coordinate = offsetof(sar_actuator_def, coordinate),
    .pushes = true,
    .shows_length = true,
    .check = check,
    .in_plane = 1,
    .in_space = 1,
    .act = act,
    .picture = picture,
    .summarise = summarise,
    .linear = true,
};
