/* Always cut: five motions are more than a chain of the tree has parts for. */
#include "elements/element.h"

const sari_joint_type sari_joint_perpendicular_axes = {
    .word = "perpendicular-axes",
    .text = "axes perpendicular, points move freely",
    .shows = SARI_SHOWS_BAR,
    .two_axes = "this joint has two axes, perpendicular to each other",
    .space = {.axis = SARI_OF_EACH, .conditions = {SARI_PERPENDICULAR}},
};
