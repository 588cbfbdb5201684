#include "elements/element.h"

const sari_joint_type sari_joint_spherical = {
    .word = "spherical",
    .text = "points coincide",
    .shows = SARI_SHOWS_BALL,
    .instead = "revolute",
    .space = {.conditions = {SARI_COINCIDE}, .motions = {{{SARI_STRAIGHT, SARI_BALL}}}},
};
