/* Bodies that do not turn against each other, and move along freely. */
#include "elements/element.h"

const sar_joint_type sari_against_turning = SAR_JOINT_ORIENTATION;

const sari_joint_type sari_joint_orientation = {
    .word = "orientation",
    .text = "no relative rotation, points move freely",
    .shows = SARI_SHOWS_BAR,
    .plane = {.normal = SARI_OF_BOTH,
              .conditions = {SARI_SAME_ORIENTATION},
              .motions = {{{SARI_ROUND, SARI_SLIDE}, {SARI_ROUND, SARI_SLIDE}}, SARI_ROUND}},
    .space = {.axis = SARI_OF_BOTH_OR_NONE,
              .normal = SARI_OF_BOTH,
              .conditions = {SARI_SAME_ORIENTATION},
              .motions = {{{SARI_ROUND, SARI_SLIDE},
                           {SARI_ROUND, SARI_SLIDE},
                           {SARI_ROUND, SARI_SLIDE}}}},
};
