/* Joints of two bodies: checks and storage. What a joint type is, and what couplings, drives and
 * constraints are, stands in elements/. */
#include "base/memory.h"
#include "elements/element.h"
#include "model/parts.h"

#include <math.h>

/* ---- types ---------------------------------------------------------------------------------- */

static sar_status check_type(const sar_model* model, const sar_joint_def* def, sar_error* error)
{
    if ((int)def->type < 0 || (int)def->type >= SARI_JOINT_TYPES)
        return sari_fail(error, SAR_E_ARG, "type", "there is no joint type %d", (int)def->type);
    if (sari_form_exists(sari_form_of(def, model->dimension))) return SAR_OK;
    const sari_joint_type* type = sari_type_of(def);
    return sari_fail(error, SAR_E_MODEL, "type", "%s joints exist in spatial models only%s%s",
                     type->word, type->instead ? "; in a planar model use " : "",
                     type->instead ? type->instead : "");
}

static sar_status check_size(const sar_joint_def* def, const sari_joint_size* size, double value,
                             sar_error* error)
{
    const char *link = size->otherwise ? "; " : "",
               *otherwise = size->otherwise ? size->otherwise : "";
    SARI_TRY(sari_check_numbers(&value, 1, size->word, error));
    if (size->rule == SARI_POSITIVE && !(value > 0))
        return sari_fail(error, SAR_E_MODEL, size->word, "the %s must be positive, not %g%s%s",
                         size->word, value, link, otherwise);
    if (size->rule == SARI_NONZERO && value == 0)
        return sari_fail(error, SAR_E_MODEL, size->word,
                         "the %s of a %s joint must not be zero%s%s", size->word,
                         sari_type_of(def)->word, link, otherwise);
    return SAR_OK;
}

static sar_status check_compliance(const sar_joint_def* def, sar_error* error)
{
    int infinite = 0;
    for (int i = 0; i < 6; i++) {
        if (!(def->compliance[i] >= 0.0))
            return sari_fail(error, SAR_E_MODEL, "compliance",
                             "compliances must not be negative; 0 is rigid");
        infinite += isinf(def->compliance[i]);
    }
    if (infinite == 0 || infinite == 6) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "compliance",
                     "a joint is infinitely compliant in all directions or in none");
}

/// Sizes that the type does not have are zero.
static sar_status check_sizes(sar_joint_def* def, sar_error* error)
{
    const sar_joint_def given = *def;
    const sari_joint_size* size;
    for (int k = 0; (size = sari_joint_size_at(k)); k++) *sari_size_in(def, size) = 0;
    for (size = sari_type_of(def)->size; size->word; size++) {
        const double value = sari_size_of(&given, size);
        SARI_TRY(check_size(def, size, value, error));
        *sari_size_in(def, size) = value;
    }
    return SAR_OK;
}

/* ---- storing -------------------------------------------------------------------------------- */

void sari_joint_release(sari_joint* joint)
{
    sari_release(joint->name);
    sari_release((void*)joint->drive.value);
    sari_expression_destroy(joint->value);
    sari_curve_release(&joint->curve);
    sari_release(joint->over);
    *joint = (sari_joint){0};
}

sar_status sari_joint_store(sar_model* model, sari_joint joint, const char* name, sar_joint_id* out,
                            sar_error* error)
{
    void* joints = model->joints;
    bool grown =
        sari_grow(&joints, model->joints_count, &model->joints_capacity, sizeof(sari_joint));
    model->joints = joints;
    joint.name = grown ? sari_copy_string(name) : NULL;
    const int number = model->joints_count;
    sar_status status =
        joint.name ? sari_model_enter_part(model, SARI_PART_JOINT, joint.name, number, error)
                   : sari_out_of_memory(error);
    if (status != SAR_OK) {
        sari_joint_release(&joint);
        return status;
    }
    joint.pair.name = joint.coupling.name = joint.drive.name = joint.name;
    if (out) *out = (sar_joint_id){number};
    model->joints[model->joints_count++] = joint;
    return SAR_OK;
}

sar_status sar_model_add_joint(sar_model* model, const sar_joint_def* def, sar_joint_id* out,
                               sar_error* error)
{
    sari_joint joint = {.pair = *def};
    SARI_TRY(sari_model_check_name(model, def->name, error));
    SARI_TRY(check_type(model, def, error));
    SARI_TRY(sari_check_ends(model, &def->a, &def->b, error));
    SARI_TRY(check_sizes(&joint.pair, error));
    SARI_TRY(check_compliance(&joint.pair, error));
    joint.zero_as_drawn = model->dimension == 3 && sari_is_zero(def->a.normal);
    SARI_TRY(sari_joint_frames(model, &joint.pair, error));
    if (sari_type_of(def)->locks && !(def->locked & SAR_LOCK_ALL))
        return sari_fail(error, SAR_E_MODEL, "locked",
                         "a general joint that locks nothing: list some of x, y, z, rx, ry, rz");
    if (def->attach_here && sari_type_of(def)->locks)
        return sari_fail(error, SAR_E_MODEL, "attach",
                         "a general joint stays where it is on the first body: use another joint "
                         "to attach where it is");
    if (def->attach_here && sari_type_of(def)->on_velocities)
        return sari_fail(error, SAR_E_MODEL, "attach",
                         "a %s joint has nothing to attach: its plane stays where it is on the "
                         "first body",
                         sari_type_of(def)->word);
    if (def->attach_here && !def->absent)
        return sari_fail(error, SAR_E_MODEL, "attach",
                         "a joint that is there from the start has its place from the drawing; "
                         "only one that a phase adds (active: no) can attach where it is");
    joint.absent = def->absent != 0;
    joint.attaches = def->attach_here != 0;
    joint.pair.curve = (sar_curve){0};
    if (sari_type_of(def)->curved)
        SARI_TRY(sari_curve_create(model, &def->curve, &joint.curve, error));
    return sari_joint_store(model, joint, def->name, out, error);
}

sar_status sar_model_find_joint(const sar_model* model, const char* name, size_t length,
                                sar_joint_id* out)
{
    int found = sari_model_find_kind(model, SARI_PART_JOINT, name, length);
    if (found < 0) return SAR_E_ARG;
    *out = (sar_joint_id){found};
    return SAR_OK;
}
