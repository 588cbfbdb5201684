#include "pictures/marks.h"

static const double* pose_of(const sar_drawing* d, int row, int body)
{
    return d->poses + ((size_t)row * (size_t)d->model->bodies_count + (size_t)body) * SAR_POSE;
}

void sari_place_direction(const sar_drawing* d, int row, int body, const double direction[3],
                          double out[3])
{
    double R[9];
    sari_rotation_of_quaternion(pose_of(d, row, body) + 3, R);
    sari_rotate(R, direction, out);
}

void sari_place_point(const sar_drawing* d, int row, int body, const double point[3], double out[3])
{
    const double* pose = pose_of(d, row, body);
    sari_place_direction(d, row, body, point, out);
    for (int k = 0; k < 3; k++) out[k] += pose[k];
}

void sari_direction_in(const sar_drawing* d, int body, const double world[3], double out[3])
{
    double R[9];
    sari_rotation_of_quaternion(pose_of(d, 0, body) + 3, R);
    sari_rotate_back(R, world, out);
}

sar_mark* sari_mark_add(sar_drawing* d, sar_mark_kind kind, sar_mark_role role, int body,
                        const double (*points)[3], int count, double radius)
{
    double(*copy)[3] = sari_arena_take(&d->arena, (size_t)count, sizeof *points);
    if (!copy || !sari_grow((void**)&d->marks, d->count, &d->capacity, sizeof *d->marks)) {
        d->arena.failed = 1;
        return NULL;
    }
    memcpy(copy, points, (size_t)count * sizeof *points);
    sar_mark* mark = &d->marks[d->count++];
    *mark = (sar_mark){.kind = kind,
                       .role = role,
                       .body = body,
                       .other = -1,
                       .joint = -1,
                       .name = d->model->bodies[body].name,
                       .count = count,
                       .points = (const double(*)[3])copy,
                       .radius = radius,
                       .colour = -1};
    return mark;
}

sar_mark* sari_mark_line(sar_drawing* d, sar_mark_role role, int body, const double a[3],
                         const double b[3])
{
    const double points[2][3] = {{a[0], a[1], a[2]}, {b[0], b[1], b[2]}};
    return sari_mark_add(d, SAR_MARK_LINE, role, body, points, 2, 0.0);
}

sar_mark* sari_mark_cylinder(sar_drawing* d, sar_mark_role role, int body, const double at[3],
                             const double axis[3], double half, double radius)
{
    double points[2][3];
    sari_mark_along(at, -half, axis, points[0]);
    sari_mark_along(at, half, axis, points[1]);
    return sari_mark_add(d, SAR_MARK_CYLINDER, role, body, (const double(*)[3])points, 2, radius);
}

sar_mark* sari_mark_box(sar_drawing* d, sar_mark_role role, int body, const double at[3],
                        const double x[3], const double y[3], const double half[3])
{
    double points[4][3], z[3];
    sari_cross(x, y, z);
    memcpy(points[0], at, sizeof points[0]);
    sari_mark_along(at, half[0], x, points[1]);
    sari_mark_along(at, half[1], y, points[2]);
    sari_mark_along(at, half[2], z, points[3]);
    return sari_mark_add(d, SAR_MARK_BOX, role, body, (const double(*)[3])points, 4, 0.0);
}

double sari_layer_height(const sar_drawing* d, int body)
{
    return d->model->dimension == 2 && body > 0 ? 2.1 * d->r * (d->outlines[body].layer + 1) : 0.0;
}

void sari_mark_across(const double axis[3], double out[3])
{
    const double other[3] = {fabs(axis[0]) < 0.5, fabs(axis[0]) >= 0.5, 0};
    sari_cross(axis, other, out);
    const double length = sari_norm3(out);
    for (int k = 0; k < 3; k++) out[k] /= length > 0 ? length : 1.0;
}
