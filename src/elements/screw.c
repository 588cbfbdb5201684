#include "elements/element.h"
#include "system/mechanism/mechanism.h"

/* displacement - pitch angle / 2 pi is what it is at the start */
static int advance(sari_mechanism* m, int joint)
{
    sari_relation* r = sari_mechanism_relation(m, joint);
    if (!r) return 0;
    r->as_drawn = 1;
    const double per_radian = m->pair[joint].pitch / (2.0 * 3.14159265358979323846);
    return sari_relation_add(r, sari_scalar_of_joint(m, joint, SAR_COORD_DISPLACEMENT), 1.0) &&
           sari_relation_add(r, sari_scalar_of_joint(m, joint, SAR_COORD_ANGLE), -per_radian);
}

const sari_joint_type sari_joint_screw = {
    .word = "screw",
    .text = "cylindrical, advances by pitch per revolution",
    .shows = SARI_SHOWS_RAIL | SARI_SHOWS_SLEEVE,
    .instead = "prismatic",
    .size = {{"pitch", offsetof(sar_joint_def, pitch), SARI_NONZERO,
              "the advance per revolution in m", "use revolute for that"}},
    .coordinates = 2,
    .coordinate = {SAR_COORD_ANGLE, SAR_COORD_DISPLACEMENT},
    .space = {.axis = SARI_OF_BOTH,
              .normal = SARI_OF_BOTH,
              .conditions = {SARI_PARALLEL, SARI_ON_LINE},
              .rows = advance,
              .motions = {{{SARI_STRAIGHT, SARI_SLIDE}, {SARI_STRAIGHT, SARI_TURN}}}},
};
