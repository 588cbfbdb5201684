#include "elements/element.h"

const sari_joint_type sari_joint_point_on_line = {
    .word = "point-on-line",
    .text = "point b on the line of a",
    .shows = SARI_SHOWS_RAIL | SARI_SHOWS_BALL,
    .coordinates = 1,
    .coordinate = {SAR_COORD_DISPLACEMENT},
    .plane = {.axis = SARI_OF_BOTH,
              .conditions = {SARI_ON_LINE},
              .motions = {{{SARI_STRAIGHT, SARI_SLIDE}, {SARI_ROUND_TWICE, SARI_TURN}}},
              .back = {{{SARI_STRAIGHT, SARI_TURN}, {SARI_ROUND, SARI_SLIDE}}}},
    .space = {.axis = SARI_OF_BOTH,
              .conditions = {SARI_ON_LINE},
              .motions = {{{SARI_STRAIGHT, SARI_SLIDE}, {SARI_STRAIGHT, SARI_BALL}}},
              .back = {{{SARI_STRAIGHT, SARI_BALL}, {SARI_STRAIGHT, SARI_SLIDE}}}},
};
