/* Two shafts that meet at a point and bend there, and turn equally: a homokinetic joint.
 *
 * With frames (n, m = u x n, u) of the two ends, u along the shafts, and the rotation from a's
 * frame to b's about the unit vector w by an angle,
 *
 *     n_a . m_b - m_a . n_b = -2 w_u sin(angle)                                              (1)
 *
 * w_u is the component of w along u_a, which is also that along u_b. Where (1) is zero the one
 * shaft is bent from the other about an axis across both and not twisted against it: in fixed
 * bearings both turn by the same angle. With the bend beta and a twist tau (1) is (1 + cos beta)
 * sin tau, so that the row is good for all shafts but those folded back. */
#include "elements/element.h"
#include "math/vec3.h"
#include "system/mechanism/mechanism.h"

/* Turned with the axis as little as need be: nothing is twisted. Not for shafts folded back. */
static bool follow(const double u[3], const double n[3], sar_end* end)
{
    const double sum[3] = {u[0] + end->axis[0], u[1] + end->axis[1], u[2] + end->axis[2]};
    double R[9];
    sari_turn_onto(u, end->axis, R);
    sari_rotate(R, n, end->normal);
    return sari_norm3(sum) >= 1e-6;
}

static int equal_turns(sari_mechanism* m, int joint)
{
    const sar_end *a = &m->pair[joint].a, *b = &m->pair[joint].b;
    sari_relation* r = sari_mechanism_relation(m, joint);
    double m_a[3], m_b[3];
    if (!r) return 0;
    sari_cross(a->axis, a->normal, m_a);
    sari_cross(b->axis, b->normal, m_b);
    return sari_relation_add(r, sari_scalar_dot(m, a, a->normal, b, m_b), 1.0) &&
           sari_relation_add(r, sari_scalar_dot(m, a, m_a, b, b->normal), -1.0);
}

const sari_joint_type sari_joint_constant_velocity = {
    .word = "constant-velocity",
    .text = "points coincide, shafts along the axes may bend and rotate at the same rate",
    .shows = SARI_SHOWS_BALL | SARI_SHOWS_SLEEVE,
    .instead = "revolute",
    .one_axis = "as drawn the second shaft is folded back onto the first: let both axes point in "
                "the same direction along the shafts",
    .space = {.axis = SARI_OF_BOTH,
              .normal = SARI_OF_BOTH,
              .follow = follow,
              .conditions = {SARI_COINCIDE},
              .rows = equal_turns,
              .motions = {{{SARI_STRAIGHT, SARI_BALL}}}},
};
