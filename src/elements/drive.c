/* A drive: a coordinate of a joint, or the distance of two points, is a function of time. */
#include "elements/relation.h"

#include "base/memory.h"
#include "model/parts.h"
#include "system/mechanism/mechanism.h"

static const sari_relation_type DRIVE;

sar_drive_def sar_drive_def_default(void)
{
    return (sar_drive_def){.joint = {-1}};
}

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
