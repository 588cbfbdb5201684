/* An edge that glides along u, fixed in the body, as seen in the frame of a plane:
 *
 *     u_1 dc_2/dt - u_2 dc_1/dt = 0
 */
#include "elements/element.h"
#include "system/mechanism/mechanism.h"

static void glide(const sari_velocity_row* row, const double* s, const double* ds,
                  sari_velocity_value* out)
{
    enum { C1, C2, U1, U2 };
    (void)row;
    out->a[C2] = s[U1];
    out->a[C1] = -s[U2];
    if (!ds) return;
    out->by_s[U1] = ds[C2];
    out->by_s[U2] = -ds[C1];
    out->a_rate[C2] = ds[U1];
    out->a_rate[C1] = -ds[U2];
}

static int add_row(sari_mechanism* m, int joint)
{
    const sar_end *a = &m->pair[joint].a, *b = &m->pair[joint].b;
    double plane[3][3];
    sari_velocity_row* row = sari_mechanism_velocity_row(m, joint, glide, 4);
    int ok = row != NULL;
    sari_frame_along_axis(m, a, plane);
    for (int k = 0; ok && k < 2; k++)
        ok = sari_velocity_row_add(row, sari_scalar_offset(m, a, b, plane[k]));
    for (int k = 0; ok && k < 2; k++)
        ok = sari_velocity_row_add(row, sari_scalar_dot(m, a, plane[k], b, b->axis));
    return ok;
}

const sari_joint_type sari_joint_knife_edge = {
    .word = "knife-edge",
    .text = "point b moves along b's axis, not across it, as seen along a's axis",
    .shows = SARI_SHOWS_BLADE,
    .on_velocities = true,
    .two_axes = "a knife edge has two axes: the normal of the plane and the direction in which it "
                "glides",
    .one_axis = "as drawn the direction in which the edge glides, on the second side, is along the "
                "normal of the plane, on the first",
    .plane = {.axis = SARI_OF_B,
              .axis_hint =
                  "the direction in which it glides: write axis: BODY.AXIS or axis: [x, y]",
              .rows = add_row},
    .space = {.axis = SARI_OF_B_OR_EACH,
              .axis_hint = "the direction in which it glides: write axis: BODY.AXIS, or with the "
                           "normal of the plane before it axis: [BODY.AXIS, BODY.AXIS]",
              .rows = add_row},
};
