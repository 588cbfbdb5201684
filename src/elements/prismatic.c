#include "elements/element.h"

const sari_joint_type sari_joint_prismatic = {
    .word = "prismatic",
    .text = "slides along the axis, no relative rotation",
    .shows = SARI_SHOWS_RAIL | SARI_SHOWS_BLOCK,
    .coordinates = 1,
    .coordinate = {SAR_COORD_DISPLACEMENT},
    .plane = {.axis = SARI_OF_BOTH,
              .normal = SARI_OF_BOTH,
              .conditions = {SARI_SAME_ORIENTATION, SARI_ON_LINE},
              .motions = {{{SARI_STRAIGHT, SARI_SLIDE}}}},
    .space = {.axis = SARI_OF_BOTH,
              .normal = SARI_OF_BOTH,
              .conditions = {SARI_SAME_ORIENTATION, SARI_ON_LINE},
              .motions = {{{SARI_STRAIGHT, SARI_SLIDE}}}},
};
