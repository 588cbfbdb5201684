/* Always cut: the sphere that it allows has no coordinates without a pole. */
#include "elements/element.h"

const sari_joint_type sari_joint_distance = {
    .word = "distance",
    .text = "constant distance between the points",
    .shows = SARI_SHOWS_BAR,
    .size = {{"distance", offsetof(sar_joint_def, distance), SARI_POSITIVE,
              "the distance of the two points in m",
              "to let the points coincide use a revolute or spherical joint"}},
    .coordinates = 1,
    .coordinate = {SAR_COORD_DISTANCE},
    .plane = {.conditions = {SARI_DISTANCE}},
    .space = {.conditions = {SARI_DISTANCE}},
};
