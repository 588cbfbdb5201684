/* Any of three translations and three rotations of b relative to a are locked, in the frames of the
 * two ends: x along the axis, y along the normal, z across both (planar: x along the axis).
 *
 *     x, y, z          (p_b - p_a) . u_i = 0, u_i of a
 *     three rotations  u_1 . w_2 = u_2 . w_0 = u_0 . w_1 = 0, w_i of b
 *     two, about all but k        u_k . w_i = u_k . w_j = 0: u_k and w_k are parallel
 *     one, about k     u_i . w_j = 0, (i, j, k) cyclic, as in a universal joint                  */
#include "elements/element.h"

#include "math/vec3.h"
#include "system/mechanism/mechanism.h"

#include <string.h>

static void frame_of(int dimension, const sar_end* end, double u[3][3])
{
    memcpy(u[0], end->axis, sizeof u[0]);
    memcpy(u[1], end->normal, sizeof u[1]);
    if (dimension == 2) memcpy(u[1], (double[3]){-u[0][1], u[0][0], 0.0}, sizeof u[1]);
    sari_cross(u[0], u[1], u[2]);
}

static int add(sari_mechanism* m, int joint, int scalar)
{
    sari_relation* r = scalar >= 0 ? sari_mechanism_relation(m, joint) : NULL;
    return r && sari_relation_add(r, scalar, 1.0);
}

static int perpendicular(sari_mechanism* m, int joint, const double u[3], const double w[3])
{
    const sar_joint_def* def = &m->pair[joint];
    return add(m, joint, sari_scalar_dot(m, &def->a, u, &def->b, w));
}

static int lock_rotations(sari_mechanism* m, int joint, unsigned about, double u[3][3],
                          double w[3][3])
{
    int count = 0, free = 0;
    for (int k = 0; k < 3; k++) {
        count += about >> k & 1;
        if (!(about >> k & 1)) free = k;
    }
    if (count == 2)
        return perpendicular(m, joint, u[free], w[(free + 1) % 3]) &&
               perpendicular(m, joint, u[free], w[(free + 2) % 3]);
    for (int k = 0; k < 3; k++)
        if (about >> k & 1 && !perpendicular(m, joint, u[(k + 1) % 3], w[(k + 2) % 3])) return 0;
    return 1;
}

static int lock(sari_mechanism* m, int joint)
{
    const sar_joint_def* def = &m->pair[joint];
    const unsigned locked = def->locked;
    double u[3][3], w[3][3];
    frame_of(m->dimension, &def->a, u);
    frame_of(m->dimension, &def->b, w);
    for (int k = 0; k < m->dimension; k++)
        if (locked >> k & 1 && !add(m, joint, sari_scalar_offset(m, &def->a, &def->b, u[k])))
            return 0;
    if (m->dimension == 3) return lock_rotations(m, joint, locked >> 3, u, w);
    return !(locked & SAR_LOCK_RZ) || perpendicular(m, joint, u[0], w[1]);
}

const sari_joint_type sari_joint_general = {
    .word = "general",
    .text = "some translations and rotations locked",
    .shows = SARI_SHOWS_BLOCK,
    .locks = true,
    .plane = {.axis = SARI_OF_BOTH, .normal = SARI_OF_NONE, .rows = lock},
    .space = {.axis = SARI_OF_BOTH, .normal = SARI_OF_BOTH, .rows = lock},
};
