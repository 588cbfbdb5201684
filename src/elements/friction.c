/* Friction along a coordinate of a joint, Coulomb's and viscous, with v the coordinate's rate:
 *
 *     f = F tanh(v/v_s) + viscous v                                                           (1)
 *
 * back. F is given, or follows from a normal force N: coefficient N along displacements,
 * coefficient radius N about angles. N is given too, or is the size of the joint's own force: that of a joint
 * without friction has no part along what moves freely. The law is smooth, so that steps across v = 0 are like
 * others; instead of sticking under a force f < F a joint creeps at v = v_s atanh(f/F). */
#include "elements/force.h"

#include "math/functions.h"
#include "model/parts.h"

#include <math.h>

static const sar_friction_def USUAL = {
    .joint = {-1}, .level = NAN, .coefficient = NAN, .preload = NAN, .radius = NAN, .speed = NAN};

/* ---- definition ----------------------------------------------------------------------------- */

static bool is_angle(const sar_friction_def* def)
{
    return def->coordinate == SAR_COORD_ANGLE || def->coordinate == SAR_COORD_ANGLE_2;
}

static double arm_of(const sar_friction_def* def)
{
    return is_angle(def) ? def->radius : 1.0;
}

static sar_status check_level(const sar_friction_def* def, sar_error* error)
{
    SARI_TRY(sari_check_not_negative(def->level, "level", error));
    if (!isnan(def->coefficient) || !isnan(def->preload) || !isnan(def->radius) || def->by_reaction)
        return sari_fail(error, SAR_E_MODEL, "level",
                         "level is all of Coulomb's friction; remove it, or coefficient, preload "
                         "and radius");
    return SAR_OK;
}

static sar_status check_radius(const sar_friction_def* def, sar_error* error)
{
    if (!is_angle(def) && !isnan(def->radius))
        return sari_fail(error, SAR_E_MODEL, "radius",
                         "friction along a displacement has no radius; remove it");
    if (!is_angle(def)) return SAR_OK;
    if (isnan(def->radius))
        return sari_fail(error, SAR_E_MODEL, "radius",
                         "friction about an angle has an arm; give the radius of the bearing, or "
                         "the torque as level");
    return sari_check_positive(def->radius, "radius", error);
}

static sar_status check_coefficient(const sar_friction_def* def, sar_error* error)
{
    if (isnan(def->coefficient))
        return sari_fail(error, SAR_E_MODEL, "coefficient",
                         "preload and radius do nothing without a coefficient; give it");
    SARI_TRY(sari_check_not_negative(def->coefficient, "coefficient", error));
    if (def->by_reaction && !isnan(def->preload))
        return sari_fail(error, SAR_E_MODEL, "preload",
                         "the normal force is given or that of the joint, not both");
    if (def->by_reaction) return check_radius(def, error);
    if (isnan(def->preload))
        return sari_fail(
            error, SAR_E_MODEL, "preload",
            "a coefficient needs the normal force; give it as preload, or let it be the "
            "joint's own: preload: reaction");
    SARI_TRY(sari_check_not_negative(def->preload, "preload", error));
    return check_radius(def, error);
}

/// Coulomb's part becomes a level, with a speed.
static sar_status complete(sar_friction_def* def, sar_error* error)
{
    const bool level = !isnan(def->level);
    const bool coulomb = level || def->by_reaction || !isnan(def->coefficient) ||
                         !isnan(def->preload) || !isnan(def->radius);
    if (!coulomb) {
        if (!(def->viscous > 0.0))
            return sari_fail(error, SAR_E_MODEL, "level",
                             "it does nothing; give it a level, a coefficient or viscous friction");
        def->level = 0.0, def->speed = 1.0;
        return SAR_OK;
    }
    SARI_TRY(level ? check_level(def, error) : check_coefficient(def, error));
    if (isnan(def->speed))
        return sari_fail(error, SAR_E_MODEL, "speed",
                         "give the speed below which Coulomb's friction goes to zero, well below "
                         "the speeds of the motion");
    if (def->by_reaction)
        def->level = 0.0;
    else if (!level)
        def->level = def->coefficient * def->preload * arm_of(def);
    return sari_check_positive(def->speed, "speed", error);
}

/* Along an expression there is no joint whose force presses, and no bearing. */
static sar_status check_free(const sar_friction_def* def, sar_error* error)
{
    if (isnan(def->coefficient) && isnan(def->preload) && isnan(def->radius) && !def->by_reaction)
        return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "along",
                     "friction along an expression has a level or is viscous; coefficient, preload "
                     "and radius are for joints");
}

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    sar_friction_def* def = def_;
    (void)model;
    if (def->along) SARI_TRY(check_free(def, error));
    return complete(def, error);
}

/* ---- action --------------------------------------------------------------------------------- */

static void act(const sari_force* friction, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const sar_friction_def* def = friction->def;
    const double v = at->rate[0], part = sari_tanh(v / def->speed);
    const double level =
        def->by_reaction ? def->coefficient * arm_of(def) * at->reaction : def->level;
    out->force[0] = level * part + def->viscous * v; // (1)
    if (what & SARI_ACT_SLOPES) {
        out->by_value[0][0] = 0.0;
        out->by_rate[0][0] = level / def->speed * (1.0 - part * part) + def->viscous;
    }
    if (what & SARI_ACT_POWER) out->power -= out->force[0] * v;
}

static bool summarise(const void* def_, sari_force_summary* out)
{
    const sar_friction_def* def = def_;
    out->damping = def->viscous;
    out->friction = def->level;
    if (def->level > 0.0) out->beyond = "speed below which it goes to zero";
    return !def->by_reaction;
}

const sari_force_type sari_friction_force = {
    .is.word =
        {{"friction",
          "Coulomb's and viscous friction in a joint, or along an expression",
          {{"joint", SARI_READ_MOTION, offsetof(sar_friction_def, coordinate), 0, "that rubs"},
           {"along", SARI_READ_ALONG, offsetof(sar_friction_def, along), 0,
            "in place of joint: a smooth expression of positions whose rate it opposes"},
           {"coordinate", SARI_READ_MOVES, 0, 0, "of the joint; default: its first"},
           {"level", SARI_READ_NUMBER, offsetof(sar_friction_def, level), SARI_MAY_ALONE,
            "Coulomb's friction as a whole [N] or [N m]"},
           {"coefficient", SARI_READ_NUMBER, offsetof(sar_friction_def, coefficient),
            SARI_MAY_ALONE, "of Coulomb's friction; with preload, about an angle also radius"},
           {"preload", SARI_READ_PRELOAD, offsetof(sar_friction_def, preload), 0,
            "the normal force [N], or reaction: the joint's own"},
           {"radius", SARI_READ_NUMBER, offsetof(sar_friction_def, radius), 0,
            "of the bearing [m], about an angle"},
           {"viscous", SARI_READ_NUMBER, offsetof(sar_friction_def, viscous),
            SARI_MAY_ALONE | SARI_FROM_ZERO, "[N s/m] or [N m s/rad]"},
           {"speed", SARI_READ_NUMBER, offsetof(sar_friction_def, speed), 0,
            "below which Coulomb's friction fades [m/s] or [rad/s]"}},
          "give it a level, a coefficient or viscous friction"}},
    .is.size = sizeof(sar_friction_def),
    .is.usual = &USUAL,
    .is.text = {{"along", offsetof(sar_friction_def, along), SARI_USE_ALONG, NULL}},
    .is.along = offsetof(sar_friction_def, along),
    .is.joint = offsetof(sar_friction_def, joint),
    .is.coordinate = offsetof(sar_friction_def, coordinate),
    .is.by_reaction = offsetof(sar_friction_def, by_reaction),
    .check = check,
    .in_plane = 1,
    .in_space = 1,
    .act = act,
    .by_rates = true,
    .summarise = summarise,
};
