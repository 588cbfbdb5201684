/* Rotors: a body that turns about one axis, its revolute joint, and the gear that it may drive.
 *
 * Without a carrier the joint is on the ground, so that nothing but the rotation is left of the body:
 * T = J w^2/2. With one the body is a thin disc on it, with the inertia J/2 (1 + u u') about its
 * centre on the axis u, and whatever the carrier does the disc does too: its angular momentum along
 * u is J (w_carrier . u + rate), which is what makes it a gyroscope. */
#include "elements/gear.h"

#include "model/parts.h"
#include "sarrus/compliant.h"

#include <stdio.h>

static const sar_rotor_def USUAL = {.axis = {0, 0, 1}, .drives = {-1}, .ratio = 1.0};

sar_rotor_def sar_rotor_def_default(void)
{
    return USUAL;
}

const sari_definition sari_rotor_definition = {
    .word = {{"rotor",
              "an inertia that turns about one axis",
              {{"inertia", SARI_READ_NUMBER, offsetof(sar_rotor_def, inertia), SARI_MUST,
                "about its axis [kg m^2]"},
               {"drives", SARI_READ_MOTION, 0, SARI_ELSEWHERE,
                "a joint that it turns or moves through a gear"},
               {"coordinate", SARI_READ_MOVES, 0, 0, "of that joint; default: its first"},
               {"ratio", SARI_READ_NUMBER, offsetof(sar_rotor_def, ratio), 0,
                "its angle by the coordinate of that joint; default 1"},
               {"carrier", SARI_READ_PLACE, 0, SARI_ELSEWHERE,
                "the body, or a point of it, on which it turns: with gyroscopic torque"},
               {"axis", SARI_READ_AROUND, 0, 0, "of the carrier, about which it turns"}}}},
    .size = sizeof(sar_rotor_def),
    .usual = &USUAL,
};

/* Its own, and those of its body and gear. */
static sar_status check_names(const sar_model* model, const sar_rotor_def* def, sar_error* error)
{
    static const char* const part[] = {"", "_rotor", "_gear"};
    enum { LONGEST = SARI_NAME_LENGTH - (int)sizeof "_rotor" };
    char name[SARI_NAME_LENGTH + 1];
    if (def->name && strlen(def->name) > LONGEST)
        return sari_fail(error, SAR_E_MODEL, "name", "the name of a rotor has at most %d letters",
                         (int)LONGEST);
    for (int k = 0; k < (def->drives.i >= 0 ? 3 : 2); k++) {
        if (def->name) snprintf(name, sizeof name, "%s%s", def->name, part[k]);
        SARI_TRY(sari_model_check_name(model, def->name ? name : NULL, error));
    }
    return SAR_OK;
}

static sar_status check(const sar_model* model, sar_rotor_def* def, sar_error* error)
{
    SARI_TRY(check_names(model, def, error));
    SARI_TRY(sari_check_positive(def->inertia, "inertia", error));
    SARI_TRY(sari_check_body(model, def->carrier, "carrier", error));
    SARI_TRY(sari_check_vector(model, def->point, "point", error));
    if (model->dimension == 2) memcpy(def->axis, (double[3]){0, 0, 1}, sizeof def->axis);
    SARI_TRY(sari_check_numbers(def->axis, 3, "axis", error));
    if (!sari_normalise(def->axis))
        return sari_fail(error, SAR_E_MODEL, "axis", "the axis of a rotor must not be zero");
    if (def->drives.i < 0) return SAR_OK;
    SARI_TRY(sari_check_coordinate(model, def->drives, def->coordinate, -1, error));
    SARI_TRY(sari_check_numbers(&def->ratio, 1, "ratio", error));
    return def->ratio != 0.0
               ? SAR_OK
               : sari_fail(error, SAR_E_MODEL, "ratio", "a ratio of 0 drives nothing");
}

/* On the ground: near the joint that it drives, or near the first body, with the joint's axis. It
 * turns there whatever these do; where it is drawn has no effect but on pictures. */
static void choose_place(const sar_model* model, sar_rotor_def* def)
{
    const sari_joint* joint = def->drives.i >= 0 ? &model->joints[def->drives.i] : NULL;
    const sar_end* a = joint && !joint->relation ? &joint->pair.a : NULL;
    const int body = a ? a->body.i : model->bodies_count > 1 ? 1 : 0;
    const sar_body_def* near = &model->bodies[body].def;
    const double origin[3] = {0, 0, 0}, *point = a ? a->point : origin;
    sari_as_drawn(model, (sar_body_id){body}, SAR_GROUND, point, def->point);
    for (int k = 0; k < 3; k++) def->point[k] += near->position[k];
    if (model->dimension == 3 && a && !sari_is_zero(a->axis))
        sari_as_drawn(model, a->body, SAR_GROUND, a->axis, def->axis);
}

static sar_body_def body_of(const sar_model* model, const sar_rotor_def* def, const char* name)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const sar_body_def* carrier = &model->bodies[def->carrier.i].def;
    sar_body_def body = *carrier; // placed and moving as that is
    const double* u = def->axis;
    body.name = name;
    body.mass = 0.0;
    body.as_measured = 0;
    memset(body.inertia, 0, sizeof body.inertia);
    if (def->carrier.i)
        memcpy(body.center, def->point, sizeof body.center);
    else
        memcpy(body.position, def->point, sizeof body.position);
    for (int k = 0; k < 6; k++) {
        const double round = row[k] == column[k];
        body.inertia[k] = def->carrier.i ? 0.5 * def->inertia * (round + u[row[k]] * u[column[k]])
                                         : def->inertia * round;
    }
    if (model->dimension == 2) {
        memset(body.inertia, 0, sizeof body.inertia);
        body.inertia[2] = def->inertia;
    }
    if (def->carrier.i == 0) body.has_position = body.has_rotation = 1;
    return body;
}

static sar_status add_gear(sar_model* model, const sar_rotor_def* def, sar_joint_id rotor,
                           sar_error* error)
{
    char name[SARI_NAME_LENGTH + 1];
    sar_coupling_def gear = sar_coupling_def_default();
    snprintf(name, sizeof name, "%s_gear", def->name);
    gear.name = name;
    gear.terms = 2;
    gear.joint[0] = rotor, gear.coordinate[0] = SAR_COORD_ANGLE, gear.coefficient[0] = 1.0;
    gear.joint[1] = def->drives, gear.coordinate[1] = def->coordinate;
    gear.coefficient[1] = -def->ratio;
    return sar_model_add_coupling(model, &gear, NULL, error);
}

sar_status sar_model_add_rotor(sar_model* model, const sar_rotor_def* given, sar_joint_id* out,
                               sar_error* error)
{
    char name[SARI_NAME_LENGTH + 1];
    sar_rotor_def checked = *given, *def = &checked;
    sar_joint_def joint = sar_joint_def_default();
    sar_joint_id id;
    SARI_TRY(check(model, def, error));
    if (def->carrier.i == 0) choose_place(model, def);
    snprintf(name, sizeof name, "%s_rotor", def->name);
    const sar_body_def body = body_of(model, def, name);
    SARI_TRY(sar_model_add_body(model, &body, &joint.b.body, error));
    joint.name = def->name;
    joint.type = SAR_JOINT_REVOLUTE;
    joint.a.body = def->carrier;
    memcpy(joint.a.point, def->point, sizeof def->point);
    if (def->carrier.i) memcpy(joint.b.point, def->point, sizeof def->point);
    memcpy(joint.a.axis, def->axis, sizeof def->axis);
    memcpy(joint.b.axis, def->axis, sizeof def->axis);
    SARI_TRY(sar_model_add_joint(model, &joint, &id, error));
    if (out) *out = id;
    return def->drives.i >= 0 ? add_gear(model, def, id, error) : SAR_OK;
}
