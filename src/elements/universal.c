#include "elements/element.h"
#include "model/parts.h"

/* The two axes are across each other. Without normals each end's is the other's axis as drawn, so
 * that both angles are zero there. */
static sar_status frames(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    sar_end *a = &def->a, *b = &def->b;
    SARI_TRY(sari_complete_both(a, b, error));
    if (!sari_is_zero(a->normal)) return SAR_OK;
    sari_normal_as_drawn(model, a, b->body, b->axis);
    sari_normal_as_drawn(model, b, a->body, a->axis);
    return SAR_OK;
}

const sari_joint_type sari_joint_universal = {
    .word = "universal",
    .text = "points coincide, axes perpendicular",
    .instead = "revolute",
    .coordinates = 2,
    .coordinate = {SAR_COORD_ANGLE, SAR_COORD_ANGLE_2},
    .two_axes = "a universal joint has two axes, perpendicular to each other",
    .space = {.axis = SARI_OF_EACH,
              .normal = SARI_OF_BOTH,
              .frames = frames,
              .conditions = {SARI_COINCIDE, SARI_PERPENDICULAR},
              .motions = {{{SARI_STRAIGHT, SARI_TURN}, {SARI_ACROSS, SARI_TURN}}}},
};
