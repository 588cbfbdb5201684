#include "elements/element.h"
#include "model/parts.h"

/* Keeps the drawn difference of the bodies' angles, unless normals say another. */
static sar_status frames_in_plane(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    sar_end *a = &def->a, *b = &def->b;
    if (a->axis[0] != 0 || a->axis[1] != 0 || b->axis[0] != 0 || b->axis[1] != 0)
        return sari_fail(error, SAR_E_MODEL, "axis",
                         "fixed joints of planar models have no axis; to say how the bodies are "
                         "turned give normals");
    SARI_TRY(sari_frames_about_z(a, b, error));
    if (!sari_is_zero(a->normal)) return SAR_OK;
    a->normal[0] = 1;
    sari_frame_copy(model, a, b);
    return SAR_OK;
}

static sar_status frames_in_space(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    sar_end *a = &def->a, *b = &def->b;
    SARI_TRY(sari_check_both(a->axis, b->axis, "axis", error));
    if (sari_is_zero(a->axis)) {
        a->axis[2] = 1;
        sari_as_drawn(model, a->body, b->body, a->axis, b->axis);
    }
    return sari_frames_spatial(model, a, b, error);
}

const sari_joint_type sari_joint_fixed = {
    .word = "fixed",
    .text = "no relative motion",
    .plane = {.normal = SARI_OF_BOTH,
              .frames = frames_in_plane,
              .conditions = {SARI_SAME_ORIENTATION, SARI_COINCIDE}},
    .space = {.axis = SARI_OF_BOTH_OR_NONE,
              .normal = SARI_OF_BOTH,
              .frames = frames_in_space,
              .conditions = {SARI_SAME_ORIENTATION, SARI_COINCIDE}},
};
