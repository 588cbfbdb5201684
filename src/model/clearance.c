/* Shapes as convex cores with a radius: a box is the hull of its corners, a sphere a point, a capsule a line, a polygon a
 * plate. What is not convex, a mesh or a polygon, counts as its hull. */
#include "model/clearance.h"

#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* The normal of a polygon, times half its thickness. */
static void find_thickness(const sar_shape_def* def, double out[3])
{
    double best[3] = {0}, gap[3], side[3], across[3];
    for (int i = 1; i + 1 < def->points; i++) {
        for (int k = 0; k < 3; k++) {
            gap[k] = def->point[i][k] - def->point[0][k];
            side[k] = def->point[i + 1][k] - def->point[0][k];
        }
        sari_cross(gap, side, across);
        if (sari_norm3(across) > sari_norm3(best)) memcpy(best, across, sizeof best);
    }
    const double length = sari_norm3(best);
    for (int k = 0; k < 3; k++) out[k] = length > 0.0 ? def->radius * best[k] / length : 0.0;
}

static void make_box(const sar_shape_def* def, double corner[8][3])
{
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) {
            corner[i][k] = def->point[0][k];
            for (int e = 0; e < 3; e++)
                corner[i][k] +=
                    (i >> e & 1 ? 1.0 : -1.0) * (def->point[e + 1][k] - def->point[0][k]);
        }
}

/* `corner`: room for those of a box. In a plane a cylinder that stands on it is a disc: a point with a radius. */
static sari_convex core_of(const sar_shape_def* def, int planar, double corner[8][3])
{
    sari_convex c = {.point = def->point, .points = def->points, .planar = planar};
    const int stands = planar && def->points == 2 && def->point[0][0] == def->point[1][0] &&
                       def->point[0][1] == def->point[1][1];
    if (def->kind == SAR_SHAPE_BOX) {
        make_box(def, corner);
        c.point = (const double(*)[3])corner;
        c.points = 8;
    } else if (def->kind == SAR_SHAPE_POLYGON) {
        find_thickness(def, c.thick);
    } else if (def->kind != SAR_SHAPE_MESH) {
        c.radius = def->radius;
        c.cylinder = def->kind == SAR_SHAPE_CYLINDER && !stands;
    }
    return c;
}

bool sari_model_gap(const sar_model* model, const int body[2], const double* const p[2],
                    const double* const R[2], sari_gap* out, int shape[2])
{
    const sari_body *a = &model->bodies[body[0]], *b = &model->bodies[body[1]];
    const int planar = model->dimension == 2;
    double corner[2][8][3];
    out->distance = INFINITY;
    for (int i = 0; i < a->shapes_count; i++) {
        sari_convex first = core_of(&a->shapes[i], planar, corner[0]);
        first.p = p[0], first.R = R[0];
        for (int k = 0; k < b->shapes_count; k++) {
            sari_gap gap;
            sari_convex second = core_of(&b->shapes[k], planar, corner[1]);
            second.p = p[1], second.R = R[1];
            sari_convex_gap(&first, &second, &gap);
            if (!(gap.distance < out->distance)) continue;
            *out = gap;
            shape[0] = i, shape[1] = k;
        }
    }
    return a->shapes_count > 0 && b->shapes_count > 0;
}

sar_status sar_model_clearance(const sar_model* model, sar_body_id a, const double pose_a[7],
                               sar_body_id b, const double pose_b[7], sar_clearance* out)
{
    const int body[2] = {a.i, b.i};
    double R[2][9];
    sari_gap gap;
    int shape[2];
    for (int k = 0; k < 2; k++)
        if (body[k] < 0 || body[k] >= model->bodies_count) return SAR_E_ARG;
    sari_rotation_of_quaternion(pose_a + 3, R[0]);
    sari_rotation_of_quaternion(pose_b + 3, R[1]);
    const double *const p[2] = {pose_a, pose_b}, *const turned[2] = {R[0], R[1]};
    if (!sari_model_gap(model, body, p, turned, &gap, shape)) return SAR_E_ARG;
    *out = (sar_clearance){.distance = gap.distance, .shape_a = shape[0], .shape_b = shape[1]};
    memcpy(out->point_a, gap.a, sizeof gap.a);
    memcpy(out->point_b, gap.b, sizeof gap.b);
    return SAR_OK;
}
