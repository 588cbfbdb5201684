/* Springs, dampers, bushings and tyres: the parts that their types name (elements/force.h). */
#include "math/functions.h"
#include "pictures/marks.h"
#include "sarrus/compliant.h"

static void between(sar_drawing* d, const char* name, sar_mark_kind kind, const sar_end* a,
                    const sar_end* b, double radius)
{
    const double ha = sari_layer_height(d, a->body.i), hb = sari_layer_height(d, b->body.i);
    const double points[2][3] = {{a->point[0], a->point[1], a->point[2] + ha},
                                 {b->point[0], b->point[1], b->point[2] + hb}};
    sar_mark* mark = sari_mark_add(d, kind, SAR_ROLE_FORCE, a->body.i, points, 2, radius);
    if (!mark) return;
    mark->other = b->body.i;
    mark->name = name;
}

static void anchor(sar_drawing* d, const sar_end* end)
{
    const double z[3] = {0, 0, 1};
    if (end->body.i == 0) sari_draw_support(d, -1, end->point, z);
}

/* Archimedes' spiral around the point of b, across the axis. */
static void draw_spiral(sar_drawing* d, const char* name, const sar_end* b)
{
    enum { N = 90 };
    double axis[3] = {0, 0, 1}, x[3], y[3], points[N + 1][3], at[3];
    if (d->model->dimension == 3) memcpy(axis, b->axis, sizeof axis);
    if (sari_norm3(axis) < 0.5) return;
    sari_mark_across(axis, x);
    sari_cross(axis, x, y);
    sari_mark_along(b->point, sari_layer_height(d, b->body.i) + 1.3 * d->r, axis, at);
    for (int k = 0; k <= N; k++) {
        const double part = (double)k / N, R = (0.9 + 2.1 * part) * d->r,
                     angle = 5.0 * 3.14159265358979 * part;
        sari_mark_along(at, R * sari_cos(angle), x, points[k]);
        sari_mark_along(points[k], R * sari_sin(angle), y, points[k]);
    }
    sar_mark* mark = sari_mark_add(d, SAR_MARK_LINE, SAR_ROLE_FORCE, b->body.i,
                                   (const double(*)[3])points, N + 1, 0.0);
    if (mark) mark->name = name;
}

static void draw_rubber(sar_drawing* d, const char* name, const sar_end* b)
{
    const double at[1][3] = {
        {b->point[0], b->point[1], b->point[2] + sari_layer_height(d, b->body.i)}};
    sar_mark* mark = sari_mark_add(d, SAR_MARK_BALL, SAR_ROLE_FORCE, b->body.i, at, 1, 1.8 * d->r);
    if (mark) mark->name = name;
}

static void draw_tyre(sar_drawing* d, const char* name, int body, const double point[3],
                      const sari_force_picture* picture, double radius)
{
    const double half = 0.3 * radius;
    double axis[3], at[3], x[3], ends[2][3];
    if (picture->in_body)
        memcpy(axis, picture->axis, sizeof axis);
    else
        sari_direction_in(d, body, picture->axis, axis);
    memcpy(at, point, sizeof at);
    at[2] += sari_layer_height(d, body);
    sar_mark* mark = sari_mark_cylinder(d, SAR_ROLE_FORCE, body, at, axis,
                                        d->model->dimension == 2 ? d->r : half, radius);
    if (mark) mark->name = name, mark->style = SAR_STYLE_GLASS; // the suspension is behind it
    d->outlines[body].solid = true;
    sari_mark_across(axis, x);
    sari_mark_along(at, 1.02 * (d->model->dimension == 2 ? d->r : half), axis, ends[0]);
    sari_mark_along(ends[0], radius, x, ends[1]);
    sari_mark_line(d, SAR_ROLE_STRIPE, body, ends[0], ends[1]);
}

/* Around the pulleys of its two joints. */
static void draw_belt(sar_drawing* d, const sari_force* force)
{
    const sar_shaft_def* def = force->def;
    sari_belt belt = {.name = force->name,
                      .joint = -1,
                      .role = SAR_ROLE_FORCE,
                      .radius = {fabs(def->factor[0]), fabs(def->factor[1])},
                      .crossed = def->factor[0] * def->factor[1] < 0.0};
    for (int k = 0; k < 2; k++) belt.pulley[k] = &d->model->joints[def->joint[k].i].pair;
    sari_draw_belt(d, &belt);
}

static void draw_cable(sar_drawing* d, const sari_force* force, const sar_end* ends, int count)
{
    const sari_belt belt = {.name = force->name, .joint = -1, .role = SAR_ROLE_FORCE};
    sari_draw_cable(d, &belt, ends, count);
    anchor(d, &ends[0]), anchor(d, &ends[count - 1]);
}

static void draw_force(sar_drawing* d, const sari_force_type* type, const sari_force* force)
{
    if (sari_force_along(type, force->def)) return; // it is nowhere
    const sari_force_picture picture = sari_force_shows(type, force->def);
    if (!picture.shows) return;
    const int joint = sari_force_joint(type, force->def);
    const sar_end* ends = sari_force_ends(type, force->def);
    sar_end pair[2];
    if (joint >= 0 && sari_is_rotor_alone(d, &d->model->joints[joint].pair)) return;
    if (joint >= 0) {
        pair[0] = d->model->joints[joint].pair.a, pair[1] = d->model->joints[joint].pair.b;
        ends = pair;
    }
    if (picture.shows & SARI_SHOWS_COIL)
        between(d, force->name, SAR_MARK_COIL, &ends[0], &ends[1], 1.5 * d->r);
    if (picture.shows & SARI_SHOWS_POT)
        between(d, force->name, SAR_MARK_POT, &ends[0], &ends[1], 0.8 * d->r);
    if (picture.shows & (SARI_SHOWS_COIL | SARI_SHOWS_POT) && joint < 0)
        anchor(d, &ends[0]), anchor(d, &ends[1]);
    if (picture.shows & SARI_SHOWS_SPIRAL) draw_spiral(d, force->name, &ends[1]);
    if (picture.shows & SARI_SHOWS_RUBBER) draw_rubber(d, force->name, &ends[1]);
    if (picture.shows & SARI_SHOWS_BELT) draw_belt(d, force);
    if (picture.shows & SARI_SHOWS_LINE)
        draw_cable(d, force, ends, sari_force_ends_count(type, force->def));
    if (picture.shows & SARI_SHOWS_TYRE)
        draw_tyre(d, force->name, sari_force_body(type, force->def),
                  sari_force_point(type, force->def), &picture,
                  *(const double*)sari_member(force->def, type->radius));
}

void sari_draw_forces(sar_drawing* d)
{
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        for (int k = 0; k < d->model->forces[t].count; k++)
            draw_force(d, sari_force_types[t], &d->model->forces[t].at[k]);
}
