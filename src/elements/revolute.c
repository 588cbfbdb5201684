#include "elements/element.h"
#include "model/parts.h"

/* In the plane, without normals, the angle is the difference of the bodies' angles. */
static sar_status frames_in_plane(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    (void)model;
    SARI_TRY(sari_frames_about_z(&def->a, &def->b, error));
    if (sari_is_zero(def->a.normal)) def->a.normal[0] = def->b.normal[0] = 1;
    return SAR_OK;
}

const sari_joint_type sari_joint_revolute = {
    .word = "revolute",
    .text = "points coincide, axes parallel",
    .coordinates = 1,
    .coordinate = {SAR_COORD_ANGLE},
    .plane = {.normal = SARI_OF_BOTH,
              .frames = frames_in_plane,
              .conditions = {SARI_COINCIDE},
              .motions = {{{SARI_STRAIGHT, SARI_TURN}}}},
    .space = {.axis = SARI_OF_BOTH,
              .normal = SARI_OF_BOTH,
              .frames = sari_joint_frames,
              .conditions = {SARI_COINCIDE, SARI_PARALLEL},
              .motions = {{{SARI_STRAIGHT, SARI_TURN}}}},
};
