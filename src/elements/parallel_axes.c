/* Axes that stay parallel; points move freely. */
#include "elements/element.h"

const sari_joint_type sari_joint_parallel_axes = {
    .word = "parallel-axes",
    .text = "axes parallel, points move freely",
    .shows = SARI_SHOWS_BAR,
    .coordinates = 1,
    .coordinate = {SAR_COORD_ANGLE},
    .space = {.axis = SARI_OF_BOTH,
              .normal = SARI_OF_BOTH,
              .conditions = {SARI_PARALLEL},
              .motions = {{{SARI_ROUND, SARI_SLIDE},
                           {SARI_ROUND, SARI_SLIDE},
                           {SARI_ROUND, SARI_SLIDE},
                           {SARI_STRAIGHT, SARI_TURN}}}},
};
