#include "elements/element.h"

const sari_joint_type sari_joint_fixed = {
    .word = "fixed",
    .text = "no relative motion",
    .shows = SARI_SHOWS_WELD,
    .plane = {.normal = SARI_OF_BOTH, .conditions = {SARI_SAME_ORIENTATION, SARI_COINCIDE}},
    .space = {.axis = SARI_OF_BOTH_OR_NONE,
              .normal = SARI_OF_BOTH,
              .conditions = {SARI_SAME_ORIENTATION, SARI_COINCIDE}},
};
