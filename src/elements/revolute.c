#include "elements/element.h"

const sari_joint_type sari_joint_revolute = {
    .word = "revolute",
    .text = "points coincide, axes parallel",
    .shows = SARI_SHOWS_PIN,
    .coordinates = 1,
    .coordinate = {SAR_COORD_ANGLE},
    .plane = {.normal = SARI_OF_BOTH,
              .conditions = {SARI_COINCIDE},
              .motions = {{{SARI_STRAIGHT, SARI_TURN}}}},
    .space = {.axis = SARI_OF_BOTH,
              .normal = SARI_OF_BOTH,
              .conditions = {SARI_COINCIDE, SARI_PARALLEL},
              .motions = {{{SARI_STRAIGHT, SARI_TURN}}}},
};
