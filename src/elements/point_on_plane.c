#include "elements/element.h"

const sari_joint_type sari_joint_point_on_plane = {
    .word = "point-on-plane",
    .text = "point b in the plane of a",
    .shows = SARI_SHOWS_PLANE | SARI_SHOWS_BALL,
    .instead = "point-on-line",
    .coordinates = 2,
    .coordinate = {SAR_COORD_DISPLACEMENT, SAR_COORD_DISPLACEMENT_2},
    .space =
        {.axis = SARI_OF_BOTH,
         .normal = SARI_OF_BOTH,
         .conditions = {SARI_ON_PLANE},
         .motions = {{{SARI_ROUND, SARI_SLIDE}, {SARI_ROUND, SARI_SLIDE}, {SARI_ROUND, SARI_BALL}}},
         .back = {{{SARI_STRAIGHT, SARI_BALL}, {SARI_ROUND, SARI_SLIDE}, {SARI_ROUND, SARI_SLIDE}},
                  SARI_ROUND}},
};
