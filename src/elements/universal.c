#include "elements/element.h"

const sari_joint_type sari_joint_universal = {
    .word = "universal",
    .text = "points coincide, axes perpendicular",
    .shows = SARI_SHOWS_CROSS,
    .instead = "revolute",
    .coordinates = 2,
    .coordinate = {SAR_COORD_ANGLE, SAR_COORD_ANGLE_2},
    .two_axes = "a universal joint has two axes, perpendicular to each other",
    .space = {.axis = SARI_OF_EACH,
              .normal = SARI_OF_BOTH,
              .conditions = {SARI_COINCIDE, SARI_PERPENDICULAR},
              .motions = {{{SARI_STRAIGHT, SARI_TURN}, {SARI_ACROSS, SARI_TURN}}}},
};
