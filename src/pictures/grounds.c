/* The ground: hatched triangles and lines in the plane, brackets in space. */
#include "pictures/marks.h"

enum { STROKES = 5 };

static void label(sar_drawing* d, sar_mark* mark, int joint)
{
    if (!mark) return;
    mark->joint = joint;
    if (joint >= 0) mark->name = d->model->joints[joint].name;
}

static void hatch(sar_drawing* d, int joint, const double p[3], const double q[3],
                  const double into[3], int strokes)
{
    double along[3];
    sari_mark_along(q, -1.0, p, along);
    const double length = sari_norm3(along), step = length / strokes;
    if (length == 0.0) return;
    for (int k = 0; k < strokes; k++) {
        double from[3], to[3];
        sari_mark_along(p, (k + 0.9) / strokes, along, from);
        sari_mark_along(from, -fmin(step, d->r) / length, along, to);
        sari_mark_along(to, 1.1 * d->r, into, to);
        label(d, sari_mark_line(d, SAR_ROLE_HATCH, 0, from, to), joint);
    }
}

void sari_draw_ground_line(sar_drawing* d, int joint, const double p[3], const double q[3],
                           const double into[3])
{
    double along[3];
    sari_mark_along(q, -1.0, p, along);
    const double strokes = sari_norm3(along) / (1.2 * d->r);
    label(d, sari_mark_line(d, SAR_ROLE_GUIDE, 0, p, q), joint);
    hatch(d, joint, p, q, into, strokes < 4.0 ? 4 : strokes > 80.0 ? 80 : (int)strokes);
}

static void draw_triangle(sar_drawing* d, int joint, const double point[3])
{
    const double down[3] = {-d->up[0], -d->up[1], 0}, side[3] = {-down[1], down[0], 0};
    double foot[3], corners[3][3], p[3], q[3];
    const double r = d->r;
    sari_mark_along(point, 3.4 * r, down, foot);
    memcpy(corners[0], point, sizeof corners[0]);
    sari_mark_along(foot, 1.7 * r, side, corners[1]);
    sari_mark_along(foot, -1.7 * r, side, corners[2]);
    label(d,
          sari_mark_add(d, SAR_MARK_PLATE, SAR_ROLE_GROUND, 0, (const double(*)[3])corners, 3,
                        0.35 * r),
          joint);
    sari_mark_along(foot, 0.35 * r, down, foot);
    sari_mark_along(foot, 2.9 * r, side, p);
    sari_mark_along(foot, -2.9 * r, side, q);
    label(d, sari_mark_line(d, SAR_ROLE_GROUND, 0, p, q), joint);
    hatch(d, joint, p, q, down, STROKES);
}

/* Half a sleeve below the point, on a foot. */
static void draw_bracket(sar_drawing* d, int joint, const double point[3], const double axis[3])
{
    const double down[3] = {-d->up[0], -d->up[1], -d->up[2]};
    const double half[3] = {1.5 * d->r, 1.5 * d->r, 0.9 * d->r};
    double side[3], at[3], across[3];
    sari_cross(axis, down, side);
    if (sari_norm3(side) < 0.1) sari_mark_across(down, side);
    const double length = sari_norm3(side);
    for (int k = 0; k < 3; k++) side[k] /= length;
    sari_cross(down, side, across);
    sari_mark_along(point, 2.2 * d->r, down, at);
    label(d, sari_mark_box(d, SAR_ROLE_GROUND, 0, at, side, across, half), joint);
    sari_mark_along(point, 1.1 * d->r, down, at);
    label(d, sari_mark_cylinder(d, SAR_ROLE_GROUND, 0, at, down, 1.1 * d->r, 0.6 * d->r), joint);
}

void sari_draw_support(sar_drawing* d, int joint, const double point[3], const double axis[3])
{
    if (d->model->dimension == 2)
        draw_triangle(d, joint, point);
    else
        draw_bracket(d, joint, point, axis);
}
