#include "elements/element.h"
#include "model/parts.h"

const sari_joint_type sari_joint_point_on_plane = {
    .word = "point-on-plane",
    .text = "point b in the plane of a",
    .instead = "point-on-line",
    .coordinates = 2,
    .coordinate = {SAR_COORD_DISPLACEMENT, SAR_COORD_DISPLACEMENT_2},
    .space =
        {.axis = SARI_OF_BOTH,
         .normal = SARI_OF_BOTH,
         .frames = sari_joint_frame_of_a,
         .conditions = {SARI_ON_PLANE},
         .motions = {{{SARI_ROUND, SARI_SLIDE}, {SARI_ROUND, SARI_SLIDE}, {SARI_ROUND, SARI_BALL}}},
         .back = {{{SARI_STRAIGHT, SARI_BALL}, {SARI_ROUND, SARI_SLIDE}, {SARI_ROUND, SARI_SLIDE}},
                  SARI_ROUND}},
};
