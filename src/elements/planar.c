#include "elements/element.h"

const sari_joint_type sari_joint_planar = {
    .word = "planar",
    .text = "axes (normals) parallel, point b in the plane of a",
    .shows = SARI_SHOWS_PLANE | SARI_SHOWS_BLOCK,
    .coordinates = 3,
    .coordinate = {SAR_COORD_ANGLE, SAR_COORD_DISPLACEMENT, SAR_COORD_DISPLACEMENT_2},
    .space = {.axis = SARI_OF_BOTH,
              .normal = SARI_OF_BOTH,
              .conditions = {SARI_PARALLEL, SARI_ON_PLANE},
              .motions = {{{SARI_ROUND, SARI_SLIDE},
                           {SARI_ROUND, SARI_SLIDE},
                           {SARI_ROUND, SARI_TURN}}}},
};
