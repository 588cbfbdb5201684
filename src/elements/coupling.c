/* A coupling: the sum of c_k s_k over coordinates s_k of joints keeps its value, or has a given one. Gears,
 * racks, belts and couplers of model files are couplings (gear.h). */
#include "elements/relation.h"

#include "model/parts.h"
#include "model/units.h"
#include "system/mechanism/mechanism.h"

#include <stdio.h>

static const sari_relation_type COUPLING;

sar_coupling_def sar_coupling_def_default(void)
{
    return (sar_coupling_def){0};
}

static sar_status check_terms(const sar_model* model, const sar_coupling_def* def, sar_error* error)
{
    char field[32];
    bool zero = true;
    if (def->terms < 2 || def->terms > 8)
        return sari_fail(error, SAR_E_MODEL, "terms", "a coupling has 2 to 8 terms, not %d",
                         def->terms);
    for (int k = 0; k < def->terms; k++) {
        snprintf(field, sizeof field, "coefficient[%d]", k);
        SARI_TRY(sari_check_coordinate(model, def->joint[k], def->coordinate[k], k, error));
        SARI_TRY(sari_check_numbers(&def->coefficient[k], 1, field, error));
        if (def->coefficient[k] != 0) zero = false;
    }
    if (zero)
        return sari_fail(error, SAR_E_MODEL, "coefficient[0]",
                         "all coefficients are zero: nothing is coupled");
    return SAR_OK;
}

sar_status sar_model_add_coupling(sar_model* model, const sar_coupling_def* def, sar_joint_id* out,
                                  sar_error* error)
{
    sari_joint joint = {.relation = &COUPLING, .coupling = *def, .absent = def->absent != 0};
    SARI_TRY(sari_model_check_name(model, def->name, error));
    SARI_TRY(check_terms(model, def, error));
    if (!def->has_offset) joint.coupling.offset = 0;
    SARI_TRY(sari_check_numbers(&joint.coupling.offset, 1, "offset", error));
    return sari_joint_store(model, joint, def->name, out, error);
}

static int uses(const sari_joint* joint, int k)
{
    return k < joint->coupling.terms ? joint->coupling.joint[k].i : -1;
}

static bool is_length(const sar_model* model, const sari_joint* joint)
{
    (void)model;
    for (int k = 0; k < joint->coupling.terms; k++)
        if (!sari_is_angle(joint->coupling.coordinate[k])) return true;
    return false;
}

static void convert(const sari_units* u, sari_joint* joint, double unit)
{
    sar_coupling_def* def = &joint->coupling;
    for (int k = 0; k < def->terms; k++)
        def->coefficient[k] *= sari_unit_of_coordinate(u, def->coordinate[k]) / unit;
    def->offset /= unit;
}

static int rows(sari_mechanism* m, int joint)
{
    const sar_coupling_def* def = &m->model->joints[joint].coupling;
    sari_relation* r = sari_mechanism_relation(m, joint);
    if (!r) return 0;
    r->as_drawn = !def->has_offset;
    r->offset = def->offset;
    for (int k = 0; k < def->terms; k++) {
        const int scalar = sari_scalar_of_joint(m, def->joint[k].i, def->coordinate[k]);
        if (!sari_relation_add(r, scalar, def->coefficient[k])) return 0;
    }
    return 1;
}

static const sari_relation_type COUPLING = {
    .word = "coupling", .uses = uses, .is_length = is_length, .convert = convert, .rows = rows};
