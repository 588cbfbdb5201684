/* Joints: the parts that their types name (elements/element.h). */
#include "elements/element.h"
#include "math/functions.h"
#include "model/parts.h"
#include "pictures/marks.h"

typedef struct pair {
    sar_drawing* d;
    int joint;
    const sar_joint_def* def;
    const sari_curve* curve;
    const sar_end *a, *b; ///< a has the rail or plane; not the ends of the definition where those
                          ///< are alike and the second is on the ground
    double axis_b[3];     ///< of the joint, in b's frame
    double at[3];         ///< b's point, in its layer
} pair;

static void name(const pair* p, sar_mark* mark)
{
    if (!mark) return;
    mark->joint = p->joint;
    mark->name = p->d->model->joints[p->joint].name;
}

/* A block or wheel belongs to the body, but is found by the joint. */
static void name_solid(const pair* p, sar_mark* mark)
{
    if (!mark) return;
    mark->joint = p->joint;
    p->d->outlines[p->b->body.i].solid = true;
}

static bool is_planar(const pair* p)
{
    return p->d->model->dimension == 2;
}

/* ---- parts on b ----------------------------------------------------------------------------- */

static void draw_pin_along(const pair* p, const double axis[3])
{
    sar_drawing* d = p->d;
    if (!is_planar(p)) {
        name(p, sari_mark_cylinder(d, SAR_ROLE_JOINT, p->b->body.i, p->at, axis, 1.9 * d->r,
                                   0.75 * d->r));
        return;
    }
    const double z[3] = {0, 0, 1};
    const double ha = sari_layer_height(d, p->a->body.i), hb = sari_layer_height(d, p->b->body.i);
    const double at[3] = {p->b->point[0], p->b->point[1], 0.5 * (ha + hb)};
    name(p, sari_mark_cylinder(d, SAR_ROLE_JOINT, p->b->body.i, at, z,
                               0.5 * fabs(ha - hb) + 1.25 * d->r, 0.55 * d->r));
}

static void draw_ball(const pair* p, double radius, sar_mark_role role)
{
    const double at[1][3] = {{p->at[0], p->at[1], p->at[2]}};
    sar_mark* ball = sari_mark_add(p->d, SAR_MARK_BALL, role, p->b->body.i, at, 1, radius);
    (role == SAR_ROLE_BODY ? name_solid : name)(p, ball);
}

/* Over the rods that may end in the same place. */
static void draw_block(const pair* p)
{
    const double r = p->d->r, half[3] = {2.6 * r, 1.7 * r, is_planar(p) ? 0.95 * r : 1.7 * r};
    double across[3];
    if (is_planar(p))
        across[0] = -p->axis_b[1], across[1] = p->axis_b[0], across[2] = 0.0;
    else
        sari_mark_across(p->axis_b, across);
    name_solid(p, sari_mark_box(p->d, SAR_ROLE_BODY, p->b->body.i, p->at, p->axis_b, across, half));
}

static void draw_sleeve(const pair* p)
{
    name_solid(p, sari_mark_cylinder(p->d, SAR_ROLE_BODY, p->b->body.i, p->at, p->axis_b,
                                     2.2 * p->d->r, 1.5 * p->d->r));
}

static void draw_weld(const pair* p)
{
    const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, e = 1.3 * p->d->r, half[3] = {e, e, e};
    name(p, sari_mark_box(p->d, SAR_ROLE_JOINT, p->b->body.i, p->at, x, y, half));
}

static void draw_spokes(const pair* p, const double axis[3], double radius, double half)
{
    double x[3], y[3];
    sari_mark_across(axis, x);
    sari_cross(axis, x, y);
    for (int k = 0; k < 8; k++) {
        const double angle = 0.78539816339744831 * (k >> 1), side = k & 1 ? 1.0 : -1.0;
        double from[3], ends[2][3];
        sari_mark_along(p->at, 1.02 * side * half, axis, from);
        for (int e = 0; e < 2; e++) {
            const double f = (e ? -0.92 : 0.92) * radius;
            sari_mark_along(from, f * sari_cos(angle), x, ends[e]);
            sari_mark_along(ends[e], f * sari_sin(angle), y, ends[e]);
        }
        sari_mark_line(p->d, SAR_ROLE_STRIPE, p->b->body.i, ends[0], ends[1]);
    }
}

static void draw_wheel(const pair* p)
{
    const double z[3] = {0, 0, 1}, *axis = is_planar(p) ? z : p->axis_b;
    const double half = fmin(0.8 * p->d->r, 0.2 * p->def->radius);
    name_solid(p, sari_mark_cylinder(p->d, SAR_ROLE_BODY, p->b->body.i, p->at, axis, half,
                                     p->def->radius));
    draw_spokes(p, axis, p->def->radius, half);
}

/* Three great circles show how it turns. */
static void draw_globe(const pair* p)
{
    enum { N = 48 };
    draw_ball(p, p->def->radius, SAR_ROLE_BODY);
    for (int axis = 0; axis < 3; axis++) {
        double circle[N + 1][3];
        for (int k = 0; k <= N; k++) {
            const double angle = 6.283185307179586 * k / N, R = 1.005 * p->def->radius;
            memcpy(circle[k], p->at, sizeof circle[k]);
            circle[k][axis] += R * sari_cos(angle);
            circle[k][(axis + 1) % 3] += R * sari_sin(angle);
        }
        sari_mark_add(p->d, SAR_MARK_LINE, SAR_ROLE_STRIPE, p->b->body.i,
                      (const double(*)[3])circle, N + 1, 0.0);
    }
}

static void draw_blade(const pair* p)
{
    const double r = p->d->r, *u = p->axis_b;
    double tip[3], heel[3];
    sari_mark_along(p->at, 3.0 * r, u, tip);
    sari_mark_along(p->at, -3.0 * r, u, heel);
    const double ends[2][3] = {{heel[0], heel[1], heel[2]}, {tip[0], tip[1], tip[2]}};
    name(p, sari_mark_add(p->d, SAR_MARK_CAPSULE, SAR_ROLE_JOINT, p->b->body.i, ends, 2, 0.35 * r));
}

/* ---- parts on a ----------------------------------------------------------------------------- */

/* How far b's point goes along a direction of a. */
static void travel(const pair* p, const double direction[3], double* least, double* most)
{
    *least = 0.0, *most = 0.0;
    for (int row = 0; row < p->d->rows; row++) {
        double place[3], from[3], along[3];
        sari_place_point(p->d, row, p->b->body.i, p->b->point, place);
        sari_place_point(p->d, row, p->a->body.i, p->a->point, from);
        sari_place_direction(p->d, row, p->a->body.i, direction, along);
        sari_mark_along(place, -1.0, from, place);
        const double s = sari_dot(place, along);
        if (row == 0 || s < *least) *least = s;
        if (row == 0 || s > *most) *most = s;
    }
}

/* On its side of the rail the ground is hatched: below it, or behind it. */
static void draw_rail(const pair* p)
{
    sar_drawing* d = p->d;
    double least, most, from[3], to[3], into[3];
    travel(p, p->a->axis, &least, &most);
    sari_mark_along(p->a->point, least - 5.0 * d->r, p->a->axis, from);
    sari_mark_along(p->a->point, most + 5.0 * d->r, p->a->axis, to);
    if (is_planar(p) && p->a->body.i == 0) {
        into[0] = p->a->axis[1], into[1] = -p->a->axis[0], into[2] = 0.0;
        const double side = sari_dot(into, d->up) > 1e-9 ? -1.0 : 1.0;
        for (int k = 0; k < 3; k++) into[k] *= side;
        sari_mark_along(from, 1.7 * d->r, into, from);
        sari_mark_along(to, 1.7 * d->r, into, to);
        sari_draw_ground_line(d, p->joint, from, to, into);
        return;
    }
    from[2] += sari_layer_height(d, p->a->body.i), to[2] += sari_layer_height(d, p->a->body.i);
    const double ends[2][3] = {{from[0], from[1], from[2]}, {to[0], to[1], to[2]}};
    name(p,
         sari_mark_add(d, SAR_MARK_CYLINDER, SAR_ROLE_GUIDE, p->a->body.i, ends, 2, 0.45 * d->r));
}

static void draw_plane(const pair* p)
{
    sar_drawing* d = p->d;
    const double gap = fmax(2.0 * d->r, 0.0);
    double x[3], y[3], least[2], most[2], corners[4][3];
    if (is_planar(p)) {
        double from[3], to[3], into[3];
        x[0] = p->a->axis[1], x[1] = -p->a->axis[0], x[2] = 0.0;
        travel(p, x, &least[0], &most[0]);
        sari_mark_along(p->a->point, least[0] - p->def->radius - gap, x, from);
        sari_mark_along(p->a->point, most[0] + p->def->radius + gap, x, to);
        for (int k = 0; k < 3; k++) into[k] = -p->a->axis[k];
        sari_draw_ground_line(d, p->joint, from, to, into);
        return;
    }
    sari_mark_across(p->a->axis, x);
    sari_cross(p->a->axis, x, y);
    travel(p, x, &least[0], &most[0]);
    travel(p, y, &least[1], &most[1]);
    const double margin = p->def->radius + 4.0 * d->r;
    for (int k = 0; k < 4; k++) {
        const double s = k == 1 || k == 2 ? most[0] + margin : least[0] - margin;
        sari_mark_along(p->a->point, s, x, corners[k]);
        sari_mark_along(corners[k], k >= 2 ? most[1] + margin : least[1] - margin, y, corners[k]);
    }
    const bool moves = p->a->body.i > 0; // a table: it is the body
    sar_mark* plate = sari_mark_add(d, SAR_MARK_PLATE, moves ? SAR_ROLE_BODY : SAR_ROLE_GUIDE,
                                    p->a->body.i, (const double(*)[3])corners, 4, 0.04 * d->r);
    if (plate) plate->joint = p->joint;
    if (plate && !moves) plate->name = d->model->joints[p->joint].name;
    d->outlines[p->a->body.i].solid |= moves;
}

static void draw_curve(const pair* p)
{
    enum { N = 160 };
    double x[3] = {1, 0, 0}, y[3], z[3] = {0, 0, 1}, points[N + 1][3];
    if (!is_planar(p)) memcpy(z, p->a->axis, sizeof z);
    if (sari_norm3(p->a->normal) > 0.5) memcpy(x, p->a->normal, sizeof x);
    sari_cross(z, x, y);
    for (int k = 0; k <= N; k++) {
        double c[3][2];
        sari_curve_at(p->curve, p->curve->from + (p->curve->to - p->curve->from) * k / N, c);
        sari_mark_along(p->a->point, c[0][0], x, points[k]);
        sari_mark_along(points[k], c[0][1], y, points[k]);
        points[k][2] += sari_layer_height(p->d, p->a->body.i);
    }
    name(p, sari_mark_add(p->d, SAR_MARK_LINE, SAR_ROLE_GUIDE, p->a->body.i,
                          (const double(*)[3])points, N + 1, 0.0));
}

/* ---- parts between -------------------------------------------------------------------------- */

static void draw_bar(const pair* p)
{
    const double *a = p->a->point, *b = p->b->point, ha = sari_layer_height(p->d, p->a->body.i),
                 hb = sari_layer_height(p->d, p->b->body.i);
    const double ends[2][3] = {{a[0], a[1], a[2] + ha}, {b[0], b[1], b[2] + hb}};
    sar_mark* bar =
        sari_mark_add(p->d, SAR_MARK_BAR, SAR_ROLE_JOINT, p->a->body.i, ends, 2, 0.5 * p->d->r);
    if (bar) bar->other = p->b->body.i;
    name(p, bar);
    draw_ball(p, 0.9 * p->d->r, SAR_ROLE_JOINT);
}

static void draw_cross(const pair* p)
{
    sar_drawing* d = p->d;
    const double r = d->r;
    name(p, sari_mark_cylinder(d, SAR_ROLE_JOINT, p->a->body.i, p->a->point, p->a->axis, 2.2 * r,
                               0.6 * r));
    name(p,
         sari_mark_cylinder(d, SAR_ROLE_JOINT, p->b->body.i, p->at, p->axis_b, 2.2 * r, 0.6 * r));
}

static void draw_parts(const pair* p, unsigned shows)
{
    if (shows & SARI_SHOWS_PIN) draw_pin_along(p, p->axis_b);
    if (shows & SARI_SHOWS_BALL) draw_ball(p, 1.45 * p->d->r, SAR_ROLE_JOINT);
    if (shows & SARI_SHOWS_RAIL) draw_rail(p);
    if (shows & SARI_SHOWS_BLOCK) draw_block(p);
    if (shows & SARI_SHOWS_SLEEVE) draw_sleeve(p);
    if (shows & SARI_SHOWS_PLANE) draw_plane(p);
    if (shows & SARI_SHOWS_CROSS) draw_cross(p);
    if (shows & SARI_SHOWS_WELD) draw_weld(p);
    if (shows & SARI_SHOWS_BAR) draw_bar(p);
    if (shows & SARI_SHOWS_WHEEL) draw_wheel(p);
    if (shows & SARI_SHOWS_GLOBE) draw_globe(p);
    if (shows & SARI_SHOWS_CURVE) draw_curve(p);
    if (shows & SARI_SHOWS_BLADE) draw_blade(p);
    const unsigned guided = SARI_SHOWS_RAIL | SARI_SHOWS_PLANE | SARI_SHOWS_CURVE;
    if (!(shows & (guided | SARI_SHOWS_BLADE)) && p->a->body.i == 0)
        sari_draw_support(p->d, p->joint, p->a->point, p->a->axis);
}

/* Along the axis of b if it has one, else along that of a as drawn. */
static void find_axis(pair* p)
{
    double world[3];
    memcpy(p->axis_b, p->b->axis, sizeof p->axis_b);
    if (sari_norm3(p->axis_b) > 0.5) return;
    sari_place_direction(p->d, 0, p->a->body.i, p->a->axis, world);
    sari_direction_in(p->d, p->b->body.i, world, p->axis_b);
    if (sari_norm3(p->axis_b) < 0.5) p->axis_b[2] = 1.0;
}

static void draw_coupling(sar_drawing* d, int k)
{
    const sari_joint *joint = &d->model->joints[k], *all = d->model->joints;
    const sar_coupling_def* def = &joint->coupling;
    if (!def->belt || def->terms != 2) return;
    sari_belt belt = {.name = joint->name,
                      .joint = k,
                      .role = SAR_ROLE_JOINT,
                      .radius = {fabs(def->coefficient[0]), fabs(def->coefficient[1])},
                      .crossed = def->coefficient[0] * def->coefficient[1] > 0.0};
    for (int i = 0; i < 2; i++) belt.pulley[i] = &all[def->joint[i].i].pair;
    sari_draw_belt(d, &belt);
}

void sari_draw_joints(sar_drawing* d)
{
    for (int k = 0; k < d->model->joints_count; k++) {
        const sari_joint* joint = &d->model->joints[k];
        draw_coupling(d, k);
        if (joint->over) {
            const sari_belt cable = {.name = joint->name, .joint = k, .role = SAR_ROLE_JOINT};
            sari_draw_cable(d, &cable, joint->over, joint->over_count);
        }
        if (joint->relation) continue;
        if (sari_is_rotor_alone(d, &joint->pair)) {
            d->outlines[joint->pair.b.body.i].unseen = true;
            continue;
        }
        const sar_joint_def* def = &joint->pair;
        pair p = {
            .d = d, .joint = k, .def = def, .curve = &joint->curve, .a = &def->a, .b = &def->b};
        const sari_joint_form* form = sari_form_of(def, d->model->dimension);
        if (p.b->body.i == 0 && sari_form_symmetric(form)) p.a = &def->b, p.b = &def->a;
        memcpy(p.at, p.b->point, sizeof p.at);
        p.at[2] += sari_layer_height(d, p.b->body.i);
        find_axis(&p);
        if (sari_holds_particle(d->model, k)) {
            draw_ball(&p, 1.45 * d->r, SAR_ROLE_JOINT);
            continue;
        }
        draw_parts(&p, sari_type_of(def)->shows);
    }
}
