/* A drive: a coordinate of a joint, or the distance of two points, is a function of time. */
#include "elements/gear.h"
#include "elements/relation.h"

#include "base/memory.h"
#include "model/parts.h"
#include "system/mechanism/mechanism.h"

#include <math.h>
#include <stdio.h>

static const sari_relation_type DRIVE;

static const sari_driven USUAL = {.drive.joint = {-1}};

sar_drive_def sar_drive_def_default(void)
{
    return USUAL.drive;
}

const sari_definition sari_drive_definition = {
    .word = {{"drive",
              "prescribes a joint's coordinate, or the distance of two points, as a function of t",
              {{"joint", SARI_READ_JOINT, 0, 0, "the joint that is driven"},
               {"between", SARI_READ_DRIVEN, offsetof(sari_driven, drive.coordinate), 0,
                "in place of joint: two points whose distance is driven"},
               {"coordinate", SARI_READ_MOVES, 0, 0,
                "which of its coordinates; default: its first"},
               {"along", SARI_READ_ALONG, offsetof(sari_driven, along), 0,
                "in place of joint: a smooth expression of positions that is driven"},
               {"value", SARI_READ_VALUE, offsetof(sari_driven, drive.value), SARI_MUST,
                "expression of t and parameters [rad] or [m], twice differentiable"}}}},
    .size = sizeof(sari_driven),
    .usual = &USUAL,
    .ends = offsetof(sari_driven, drive.a),
    .joint = offsetof(sari_driven, drive.joint),
    .coordinate = offsetof(sari_driven, drive.coordinate),
    .along = offsetof(sari_driven, along),
};

static sar_status check(const sar_model* model, sar_drive_def* def, sar_error* error)
{
    SARI_TRY(sari_model_check_name(model, def->name, error));
    if (def->joint.i >= 0) {
        def->a = def->b = (sar_end){0};
        return sari_check_coordinate(model, def->joint, def->coordinate, -1, error);
    }
    def->coordinate = SAR_COORD_DISTANCE;
    sari_clear_frame(&def->a), sari_clear_frame(&def->b);
    return sari_check_ends(model, &def->a, &def->b, error);
}

sar_status sar_model_add_drive(sar_model* model, const sar_drive_def* def, sar_joint_id* out,
                               sar_error* error)
{
    sari_joint joint = {.relation = &DRIVE, .drive = *def, .absent = def->absent != 0};
    SARI_TRY(check(model, &joint.drive, error));
    joint.drive.value = NULL;
    SARI_TRY(sari_model_compile(model, def->value, 0, "value", &joint.value, error));
    joint.drive.value = sari_copy_string(def->value);
    if (!joint.drive.value) {
        sari_joint_release(&joint);
        return sari_out_of_memory(error);
    }
    return sari_joint_store(model, joint, def->name, out, error);
}

sar_status sari_model_add_driven(sar_model* model, const sari_driven* def, sar_joint_id* out,
                                 sar_error* error)
{
    if (!def->along) return sar_model_add_drive(model, &def->drive, out, error);
    const sar_constraint_def constraint = {.name = def->drive.name,
                                           .position = def->along,
                                           .lower = -INFINITY,
                                           .upper = INFINITY,
                                           .absent = def->drive.absent};
    const sar_status status =
        sari_model_add_difference(model, &constraint, def->drive.value, out, error);
    if (status != SAR_OK && strcmp(error->field, "position") == 0)
        snprintf(error->field, sizeof error->field, "along");
    return status;
}

int sar_model_joint_is_drive(const sar_model* model, int joint, sar_coordinate* coordinate)
{
    if (joint < 0 || joint >= model->joints_count) return 0;
    if (model->joints[joint].relation != &DRIVE) return 0;
    if (coordinate) *coordinate = model->joints[joint].drive.coordinate;
    return 1;
}

static int uses(const sari_joint* joint, int k)
{
    return k == 0 ? joint->drive.joint.i : -1;
}

static const sar_end* ends(const sari_joint* joint)
{
    return joint->drive.joint.i < 0 ? &joint->drive.a : NULL;
}

static bool is_length(const sar_model* model, const sari_joint* joint)
{
    (void)model;
    return !sari_is_angle(joint->drive.coordinate);
}

static int rows(sari_mechanism* m, int j)
{
    const sari_joint* joint = &m->model->joints[j];
    sari_relation* r = sari_mechanism_relation(m, j);
    if (!r) return 0;
    r->value = joint->value;
    const int of = joint->drive.joint.i < 0 ? j : joint->drive.joint.i;
    return sari_relation_add(r, sari_scalar_of_joint(m, of, joint->drive.coordinate), 1.0);
}

static const sari_relation_type DRIVE = {.word = "drive",
                                         .force = "the force of a drive",
                                         .no_torque = "drives a length",
                                         .prescribes = true,
                                         .uses = uses,
                                         .ends = ends,
                                         .is_length = is_length,
                                         .rows = rows};
