/* A point of b on a planar curve of a: cams, slots, tracks. The curve (x(s), y(s)) is drawn along
 * a's normal and axis x normal, from a's point. With the foot point s* of b's point on the curve,
 * as it is followed in time, the point's distance from the curve is zero (model/curve.c); in space
 * the point is also in the plane of the curve. */
#include "elements/element.h"
#include "math/vec3.h"
#include "system/mechanism/mechanism.h"

static int on_curve(sari_mechanism* m, int joint)
{
    sari_relation* r = sari_mechanism_relation(m, joint);
    return r && sari_relation_add(r, sari_scalar_from_curve(m, joint), 1.0);
}

/* At the beginning of the curve. */
static void put_on_curve(const sari_mechanism* m, int joint, const double axis[3],
                         double rotation[9], double point[3])
{
    const sari_joint* j = &m->model->joints[joint];
    double R[9], normal[3], other[3], c[3][2];
    (void)rotation;
    sari_rotation_of(m, m->X0 + m->nx * j->pair.a.body.i, R);
    sari_rotate(R, j->pair.a.normal, normal);
    sari_cross(axis, normal, other);
    sari_curve_at(&j->curve, j->curve.from, c);
    for (int k = 0; k < 3; k++) point[k] += c[0][0] * normal[k] + c[0][1] * other[k];
}

const sari_joint_type sari_joint_point_on_curve = {
    .word = "point-on-curve",
    .text = "point b on a planar curve of a",
    .shows = SARI_SHOWS_CURVE | SARI_SHOWS_BALL,
    .curved = true,
    .plane = {.normal = SARI_OF_A, .rows = on_curve},
    .space =
        {.axis = SARI_OF_A,
         .normal = SARI_OF_A,
         .axis_hint = "the normal of the curve's plane: write axis: BODY.AXIS or axis: [x, y, z]",
         .conditions = {SARI_ON_PLANE},
         .rows = on_curve,
         .motions = {{{SARI_ROUND, SARI_SLIDE}, {SARI_ROUND, SARI_SLIDE}, {SARI_ROUND, SARI_BALL}}},
         .back = {{{SARI_STRAIGHT, SARI_BALL}, {SARI_ROUND, SARI_SLIDE}, {SARI_ROUND, SARI_SLIDE}},
                  SARI_ROUND}},
    .place = put_on_curve,
};
