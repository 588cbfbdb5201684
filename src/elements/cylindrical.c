#include "elements/element.h"

const sari_joint_type sari_joint_cylindrical = {
    .word = "cylindrical",
    .text = "slides along and rotates about the axis",
    .shows = SARI_SHOWS_RAIL | SARI_SHOWS_SLEEVE,
    .instead = "prismatic",
    .coordinates = 2,
    .coordinate = {SAR_COORD_ANGLE, SAR_COORD_DISPLACEMENT},
    .space = {.axis = SARI_OF_BOTH,
              .normal = SARI_OF_BOTH,
              .conditions = {SARI_PARALLEL, SARI_ON_LINE},
              .motions = {{{SARI_STRAIGHT, SARI_SLIDE}, {SARI_STRAIGHT, SARI_TURN}}}},
};
