#include "elements/element.h"
#include "model/parts.h"

const sari_joint_type sari_joint_spherical = {
    .word = "spherical",
    .text = "points coincide",
    .instead = "revolute",
    .space = {.frames = sari_joint_without_frames,
              .conditions = {SARI_COINCIDE},
              .motions = {{{SARI_STRAIGHT, SARI_BALL}}}},
};
