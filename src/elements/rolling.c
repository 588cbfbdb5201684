/* A ball or a disc on a plane, without slipping; in the plane, a wheel on a line.
 *
 * With a body's point c and its orientation R in the frame of the plane (directions t1, t2 in it,
 * normal n), W its spin there and r from the point to the contact:
 *
 *     dc/dt + W x r = 0     along t1 and t2                                               (1)
 *
 *     ball  r = -rho n
 *     disc  r = -rho (n - (n.e) e)/sigma,  sigma = sqrt(1 - (n.e)^2),  e its axis         (2)
 *
 * that is, with c = (c_1, c_2, c_3) and e = (R_13, R_23, R_33)
 *
 *     dc_1/dt - rho sigma W_2 - rho (e_3 e_2/sigma) W_3 = 0
 *     dc_2/dt + rho sigma W_1 + rho (e_3 e_1/sigma) W_3 = 0          ball: sigma = 1, e = 0
 *
 * All measured in the frame of the plane, so that it may move. */
#include "elements/element.h"
#include "math/vec3.h"
#include "system/mechanism/mechanism.h"

/* ---- laws: scalars c_1 or c_2, then R by rows ----------------------------------------------- */

enum { R = 1 };

/* (1): sign = -1 along t1, with W_2 and e_2; +1 along t2, with W_1 and e_1 */
static double signed_radius(const sari_velocity_row* row)
{
    return row->along ? row->radius : -row->radius;
}

static void roll_ball(const sari_velocity_row* row, const double* s, const double* ds,
                      sari_velocity_value* out)
{
    out->a[0] = 1.0;
    sari_velocity_add_spin(R, row->along ? 0 : 1, signed_radius(row), 0.0, s, ds, out);
}

static void roll_disc(const sari_velocity_row* row, const double* s, const double* ds,
                      sari_velocity_value* out)
{
    const double f = signed_radius(row);
    const int w = row->along ? 0 : 1, across = R + 3 * w + 2, normal = R + 8;
    const double e = s[across], e3 = s[normal], sigma = sqrt(1.0 - e3 * e3);
    const double by_e = f * e3 / sigma, by_e3 = f * e / (sigma * sigma * sigma);
    double turn_rate = 0.0, twist_rate = 0.0; // of the factors of W_w and W_3
    out->a[0] = 1.0;
    if (ds) {
        turn_rate = -f * e3 / sigma * ds[normal];
        twist_rate = by_e * ds[across] + by_e3 * ds[normal];
        const double W = sari_velocity_spin(R, w, s, ds), W3 = sari_velocity_spin(R, 2, s, ds);
        out->by_s[across] += by_e * W3;
        out->by_s[normal] += by_e3 * W3 - f * e3 / sigma * W;
    }
    sari_velocity_add_spin(R, w, f * sigma, turn_rate, s, ds, out);
    sari_velocity_add_spin(R, 2, f * e3 * e / sigma, twist_rate, s, ds, out);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* The orientation is that of the first row, whose index is `first`. */
static int add_row(sari_mechanism* m, int joint, sari_velocity_function law, int along, int first)
{
    const sar_joint_def* def = &m->pair[joint];
    const sar_end *a = &def->a, *b = &def->b;
    double plane[3][3], body[3][3];
    sari_velocity_row* row = sari_mechanism_velocity_row(m, joint, law, 10);
    if (!row) return 0;
    row->along = along;
    row->radius = def->radius;
    sari_frame_along_axis(m, a, plane);
    sari_frame_along_axis(m, b, body);
    int ok = sari_velocity_row_add(row, sari_scalar_offset(m, a, b, plane[along]));
    for (int k = 0; ok && k < 9; k++)
        ok =
            sari_velocity_row_add(row, along ? m->velocity_rows[first].scalar[1 + k]
                                             : sari_scalar_dot(m, a, plane[k / 3], b, body[k % 3]));
    return ok;
}

static int add_rows(sari_mechanism* m, int joint, sari_velocity_function law)
{
    const int first = m->velocity_rows_count;
    return add_row(m, joint, law, 0, first) && add_row(m, joint, law, 1, first);
}

static int ball_rows(sari_mechanism* m, int joint)
{
    return add_rows(m, joint, roll_ball);
}

/* The centre of a disc with the axis e is at the height rho sqrt(1 - (n.e)^2) over the plane. */
static int disc_rows(sari_mechanism* m, int joint)
{
    const sar_joint_def* def = &m->pair[joint];
    const sar_end *a = &def->a, *b = &def->b;
    sari_relation* r = sari_mechanism_relation(m, joint);
    return r && sari_relation_add(r, sari_scalar_offset(m, a, b, a->axis), 1.0) &&
           sari_relation_add(r, sari_scalar_sine(m, a, a->axis, b, b->axis), -def->radius) &&
           add_rows(m, joint, roll_disc);
}

/* The wheel in a plane: dc_t/dt + rho dangle/dt = 0, t along the line with the normal to its left
 * hand. */
static int wheel_rows(sari_mechanism* m, int joint)
{
    const sar_joint_def* def = &m->pair[joint];
    sar_end a = def->a, b = def->b;
    const double x[3] = {1, 0, 0}, along[3] = {def->a.axis[1], -def->a.axis[0], 0};
    memcpy(a.normal, x, sizeof x);
    memcpy(b.normal, x, sizeof x);
    sari_velocity_row* row = sari_mechanism_velocity_row(m, joint, sari_velocity_linear, 2);
    if (!row) return 0;
    row->coefficient[0] = 1.0;
    row->coefficient[1] = def->radius;
    return sari_velocity_row_add(row, sari_scalar_offset(m, &a, &b, along)) &&
           sari_velocity_row_add(row, sari_scalar_angle(m, &a, &b));
}

/* ---- the drawing ---------------------------------------------------------------------------- */

static void put_ball(const sari_mechanism* m, int joint, const double axis[3], double rotation[9],
                     double point[3])
{
    (void)rotation;
    for (int k = 0; k < 3; k++) point[k] += m->pair[joint].radius * axis[k];
}

/* A disc stands upright on its plane. */
static void put_disc(const sari_mechanism* m, int joint, const double axis[3], double rotation[9],
                     double point[3])
{
    sar_end plane = {.body = SAR_GROUND, .axis = {axis[0], axis[1], axis[2]}};
    double along[3], across[3];
    put_ball(m, joint, axis, rotation, point);
    if (m->dimension == 2) return;
    sari_perpendiculars(m, &plane, along, across);
    sari_turn_onto(m->pair[joint].b.axis, along, rotation);
}

#define RADIUS                                                                                     \
    {                                                                                              \
        "radius", offsetof(sar_joint_def, radius), SARI_POSITIVE, "of the ball or disc in m", NULL \
    }

const sari_joint_type sari_joint_rolling_sphere = {
    .word = "rolling-sphere",
    .text = "a ball around point b rolls on the plane of a, without slipping",
    .shows = SARI_SHOWS_PLANE | SARI_SHOWS_GLOBE,
    .instead = "rolling-disc",
    .size = {RADIUS},
    .on_velocities = true,
    .space = {.axis = SARI_OF_A,
              .normal = SARI_OF_A,
              .axis_hint = "the normal of the plane: write axis: BODY.AXIS or axis: [x, y, z]",
              .conditions = {SARI_AT_HEIGHT},
              .rows = ball_rows},
    .place = put_ball,
};

const sari_joint_type sari_joint_rolling_disc = {
    .word = "rolling-disc",
    .text = "a thin disc or wheel around point b, about b's axis, rolls on the plane of a",
    .shows = SARI_SHOWS_PLANE | SARI_SHOWS_WHEEL,
    .size = {RADIUS},
    .on_velocities = true,
    .two_axes = "a rolling disc has two axes: the normal of the plane and its own",
    .one_axis =
        "as drawn the disc lies flat in the plane: its axis, on the second side, must not be "
        "along the normal of the plane, on the first",
    .plane = {.axis = SARI_OF_A,
              .axis_hint = "the normal of the line: write axis: BODY.AXIS or axis: [x, y]",
              .conditions = {SARI_AT_HEIGHT},
              .rows = wheel_rows},
    .space = {.axis = SARI_OF_EACH,
              .normal = SARI_OF_A,
              .axis_hint = "the normal of the plane and the axis of the disc: write axis: "
                           "[BODY.AXIS, BODY.AXIS]",
              .rows = disc_rows},
    .place = put_disc,
};
