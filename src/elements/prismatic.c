#include "elements/element.h"
#include "model/parts.h"

static sar_status frames_in_plane(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    (void)model;
    return sari_frames_planar(&def->a, &def->b, error);
}

const sari_joint_type sari_joint_prismatic = {
    .word = "prismatic",
    .text = "slides along the axis, no relative turn",
    .coordinates = 1,
    .coordinate = {SAR_COORD_DISPLACEMENT},
    .plane = {.axis = SARI_OF_BOTH,
              .normal = SARI_OF_BOTH,
              .frames = frames_in_plane,
              .conditions = {SARI_SAME_ORIENTATION, SARI_ON_LINE},
              .motions = {{{SARI_STRAIGHT, SARI_SLIDE}}}},
    .space = {.axis = SARI_OF_BOTH,
              .normal = SARI_OF_BOTH,
              .frames = sari_joint_frames,
              .conditions = {SARI_SAME_ORIENTATION, SARI_ON_LINE},
              .motions = {{{SARI_STRAIGHT, SARI_SLIDE}}}},
};
