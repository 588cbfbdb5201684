#include "bench/sketch.h"

#include "common/text.h"

#include <math.h>
#include <stdlib.h>

enum { PER_JOINT = 4 }; ///< centre, joint, centre, gap

/// Where a point of a body is now: p + R(quaternion) point, in the plane of x and y.
static void locate(const sar_simulation* s, sar_body_id body, const double point[3], double out[2])
{
    double p[3], q[4];
    sar_simulation_pose(s, body, p, q);
    double w = q[0], u = q[1], v = q[2], z = q[3];
    out[0] = p[0] + (1 - 2 * (v * v + z * z)) * point[0] + 2 * (u * v - w * z) * point[1] +
             2 * (u * z + w * v) * point[2];
    out[1] = p[1] + 2 * (u * v + w * z) * point[0] + (1 - 2 * (u * u + z * z)) * point[1] +
             2 * (v * z - w * u) * point[2];
}

static void put(cli_sketch* k, int at, const double place[2])
{
    k->x[at] = place[0];
    k->y[at] = place[1];
}

/// The centre of a body; of the ground, the joint itself.
static void locate_centre(const sar_model* model, const sar_simulation* s, const sar_end* end,
                          double out[2])
{
    double centre[3] = {end->point[0], end->point[1], end->point[2]};
    if (end->body.i != SAR_GROUND.i)
        sar_model_find_point(model, end->body, "center", sizeof "center" - 1, centre);
    locate(s, end->body, centre, out);
}

static void draw_joint(cli_sketch* k, const sar_model* model, const sar_simulation* s, int joint,
                       int at)
{
    const double gap[2] = {NAN, NAN};
    double centre_a[2], centre_b[2], place[2];
    sar_end a, b;
    for (int i = 0; i < PER_JOINT; i++) put(k, at + i, gap);
    if (!sar_model_joint_ends(model, joint, &a, &b)) return;
    locate_centre(model, s, &a, centre_a);
    locate_centre(model, s, &b, centre_b);
    locate(s, a.body, a.point, place);
    put(k, at, centre_a);
    put(k, at + 1, place);
    put(k, at + 2, centre_b);
}

void cli_sketch_take(cli_sketch* k, const sar_model* model, const sar_simulation* s)
{
    double t = sar_simulation_time(s);
    if (k->count && t < k->t[0] + k->interval * (k->count - 1e-6)) return;
    k->each = PER_JOINT * sar_model_joints(model);
    size_t drawings = (size_t)k->count + 1, points = drawings * (size_t)k->each;
    k->t = cli_resize(k->t, drawings * sizeof *k->t);
    k->x = cli_resize(k->x, points * sizeof *k->x);
    k->y = cli_resize(k->y, points * sizeof *k->y);
    k->t[k->count] = t;
    for (int j = 0; j < sar_model_joints(model); j++)
        draw_joint(k, model, s, j, k->each * k->count + PER_JOINT * j);
    k->count++;
}

void cli_sketch_clear(cli_sketch* k)
{
    free(k->t);
    free(k->x);
    free(k->y);
    *k = (cli_sketch){0};
}
