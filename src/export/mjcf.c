/* MJCF: bodies within bodies, all motions of a joint in one of them. Loops are <equality>: a ball is a connect, a weld a weld,
 * and a hinge two connects on its axis, one equation more than needed. What connects two points is a tendon between sites. */
#include "export/robot_file.h"

#include "math/vec3.h"
#include "model/parts.h"

#include <math.h>
#include <string.h>

static void put_place(sari_model_text* t, const sari_pose* at)
{
    double e[4];
    sari_quaternion_of_rotation(at->R, e);
    sari_export_attribute(t, "pos", at->p, 3);
    sari_export_attribute(t, "quat", e, 4);
}

static void put_number(sari_model_text* t, const char* name, double x)
{
    if (x != 0.0) sari_export_attribute(t, name, &x, 1);
}

static void put_range(sari_model_text* t, const char* name, double lower, double upper)
{
    const double beyond = 1e9, range[2] = {fmax(lower, -beyond), fmin(upper, beyond)};
    if (isfinite(lower) || isfinite(upper)) sari_export_attribute(t, name, range, 2);
}

/* ---- bodies --------------------------------------------------------------------------------- */

static void put_inertial(sari_robot_file* f, int link, int depth)
{
    double center[3], inertia[6];
    sari_export_inertia(f, link, center, inertia);
    sari_text_put(&f->text, "%*s<inertial", 2 * depth, "");
    sari_export_attribute(&f->text, "pos", center, 3);
    sari_export_attribute(&f->text, "mass", &f->model->bodies[f->link[link].body].def.mass, 1);
    sari_export_attribute(&f->text, "fullinertia", inertia, 6);
    sari_text_put(&f->text, "/>\n");
}

/* In the frame of the body that it leads to. */
static void put_joint(sari_robot_file* f, int number, int body, int depth)
{
    static const char* const types[] = {
        [SARI_EXPORT_HINGE] = "hinge", [SARI_EXPORT_SLIDE] = "slide", [SARI_EXPORT_BALL] = "ball"};
    const sari_export_link* link = &f->link[number];
    const sari_export_travel* travel = &link->travel;
    const sari_pose in = sari_export_pose(f, body, number);
    sari_model_text* t = &f->text;
    if (link->kind == SARI_EXPORT_WELD) return;
    if (link->kind == SARI_EXPORT_FREE) {
        sari_text_put(t, "%*s<freejoint name=\"%s\"/>\n", 2 * depth, "", link->joint_name);
        return;
    }
    sari_text_put(t, "%*s<joint name=\"%s\" type=\"%s\"", 2 * depth, "", link->joint_name,
                  types[link->kind]);
    if (sari_norm3(in.p) > 0.0) sari_export_attribute(t, "pos", in.p, 3);
    if (link->kind != SARI_EXPORT_BALL) sari_export_attribute(t, "axis", link->axis, 3);
    put_range(t, "range", travel->lower, travel->upper);
    put_number(t, "stiffness", travel->stiffness);
    if (travel->stiffness != 0.0) put_number(t, "springref", travel->rest);
    put_number(t, "damping", travel->damping);
    put_number(t, "frictionloss", travel->friction);
    put_number(t, "armature", travel->armature);
    sari_text_put(t, "/>\n");
}

static void put_joints(sari_robot_file* f, int link, int body, int depth)
{
    const int above = f->link[link].above;
    if (f->link[above].body < 0) put_joints(f, above, body, depth);
    put_joint(f, link, body, depth);
}

/* Shapes are seen, and touch nothing. */
static void put_geom(sari_robot_file* f, int link, int number, int depth)
{
    static const char* const words[] = {[SAR_SHAPE_BOX] = "box",
                                        [SAR_SHAPE_CYLINDER] = "cylinder",
                                        [SAR_SHAPE_SPHERE] = "sphere",
                                        [SAR_SHAPE_CAPSULE] = "capsule",
                                        [SAR_SHAPE_MESH] = "mesh"};
    const sar_shape_def* shape = &f->model->bodies[f->link[link].body].shapes[number];
    sari_export_solid solid;
    sari_model_text* t = &f->text;
    const bool is_solid = sari_export_shape(f, link, shape, &solid);
    if (shape->kind == SAR_SHAPE_POLYGON) {
        sari_text_put(&f->left_out, "a polygon of %s\n", f->link[link].name);
        return;
    }
    sari_text_put(t, "%*s<geom type=\"%s\"", 2 * depth, "", words[shape->kind]);
    put_place(t, &solid.at);
    for (int k = 0; k < 3; k++) // half lengths
        if (shape->kind == SAR_SHAPE_BOX || k == 1) solid.size[k] *= 0.5;
    if (is_solid)
        sari_export_attribute(t, "size", solid.size,
                              shape->kind == SAR_SHAPE_BOX      ? 3
                              : shape->kind == SAR_SHAPE_SPHERE ? 1
                                                                : 2);
    else
        sari_text_put(t, " mesh=\"%s_%d\"", f->link[link].name, number + 1);
    if (shape->colour >= 0)
        sari_text_put(t, " rgba=\"%.4g %.4g %.4g 1\"", (double)(shape->colour >> 16 & 255) / 255.0,
                      (double)(shape->colour >> 8 & 255) / 255.0,
                      (double)(shape->colour & 255) / 255.0);
    sari_text_put(t, " contype=\"0\" conaffinity=\"0\" group=\"1\" mass=\"0\"/>\n");
}

static void put_parts(sari_robot_file* f, int link, int depth)
{
    const int body = f->link[link].body;
    for (int k = 0; k < f->model->bodies[body].shapes_count; k++) put_geom(f, link, k, depth);
    for (int k = 0; k < f->sites; k++) {
        if (f->site[k].link != link) continue;
        sari_text_put(&f->text, "%*s<site name=\"%s\"", 2 * depth, "", f->site[k].name);
        put_place(&f->text, &f->site[k].at);
        sari_text_put(&f->text, "/>\n");
    }
}

/* The body above, across the motions between. */
static int body_above(const sari_robot_file* f, int link)
{
    int above = f->link[link].above;
    while (f->link[above].body < 0) above = f->link[above].above;
    return above;
}

static void put_bodies(sari_robot_file* f, int above, int depth)
{
    put_parts(f, above, depth);
    for (int k = 1; k < f->links; k++) {
        const sari_export_link* link = &f->link[k];
        if (link->body < 0 || link->folded || body_above(f, k) != above) continue;
        const sari_pose at = sari_export_pose(f, above, k);
        sari_text_put(&f->text, "%*s<body name=\"%s\"", 2 * depth, "", link->name);
        put_place(&f->text, &at);
        sari_text_put(&f->text, ">\n");
        put_inertial(f, k, depth + 1);
        put_joints(f, k, k, depth + 1);
        put_bodies(f, k, depth + 1);
        sari_text_put(&f->text, "%*s</body>\n", 2 * depth, "");
    }
}

static void put_mesh(sari_robot_file* f, int link, int number)
{
    const sar_shape_def* shape = &f->model->bodies[f->link[link].body].shapes[number];
    sari_model_text* t = &f->text;
    sari_text_put(t, "    <mesh name=\"%s_%d\" vertex=\"", f->link[link].name, number + 1);
    for (int k = 0; k < shape->points; k++) {
        sari_text_put(t, "%s", k ? "  " : "");
        sari_export_numbers(t, shape->point[k], 3);
    }
    sari_text_put(t, "\" face=\"");
    for (int k = 0; k < shape->triangles; k++)
        sari_text_put(t, "%s%d %d %d", k ? "  " : "", shape->triangle[k][0], shape->triangle[k][1],
                      shape->triangle[k][2]);
    sari_text_put(t, "\"/>\n");
}

static void put_meshes(sari_robot_file* f)
{
    const size_t before = f->text.used;
    for (int k = 0; k < f->links; k++) {
        const int body = f->link[k].body;
        for (int i = 0; body >= 0 && i < f->model->bodies[body].shapes_count; i++) {
            if (f->model->bodies[body].shapes[i].kind != SAR_SHAPE_MESH) continue;
            if (f->text.used == before) sari_text_put(&f->text, "  <asset>\n");
            put_mesh(f, k, i);
        }
    }
    if (f->text.used != before) sari_text_put(&f->text, "  </asset>\n");
}

/* ---- loops and sums ------------------------------------------------------------------------- */

static void put_pair(sari_robot_file* f, const char* tag, const char* name, const char* mark,
                     const int link[2])
{
    sari_text_put(&f->text, "    <%s name=\"%s%s\" body1=\"%s\"", tag, name, mark,
                  f->link[link[0]].name);
    if (link[1]) sari_text_put(&f->text, " body2=\"%s\"", f->link[link[1]].name);
}

static void put_connect(sari_robot_file* f, const char* name, const char* mark, const int link[2],
                        const double point[3])
{
    const sari_pose there = sari_pose_shift(point),
                    in = sari_pose_between(&f->link[link[0]].at, &there);
    put_pair(f, "connect", name, mark, link);
    sari_export_attribute(&f->text, "anchor", in.p, 3);
    sari_text_put(&f->text, "/>\n");
}

static void put_loop(sari_robot_file* f, int joint)
{
    const sari_joint* j = &f->model->joints[joint];
    int link[2] = {f->link_of_body[j->pair.a.body.i], f->link_of_body[j->pair.b.body.i]};
    sari_pose at;
    double axis[3], second[3];
    const sari_export_kind kind = sari_export_loop(f, joint, &at, axis);
    if (!link[0]) link[0] = link[1], link[1] = 0; // the anchor is a place of the first
    for (int k = 0; k < 3; k++) second[k] = at.p[k] + axis[k] * (f->size > 0 ? f->size : 1.0);
    if (kind == SARI_EXPORT_HINGE || kind == SARI_EXPORT_BALL)
        put_connect(f, j->name, "", link, at.p);
    if (kind == SARI_EXPORT_HINGE) put_connect(f, j->name, "_axis", link, second);
    if (kind != SARI_EXPORT_WELD) return;
    put_pair(f, "weld", j->name, "", link);
    sari_text_put(&f->text, "/>\n");
}

static void put_equalities(sari_robot_file* f)
{
    sari_text_put(&f->text, "  <equality>\n");
    for (int j = 0; j < f->model->joints_count; j++)
        if (!f->in_tree[j] && !f->model->joints[j].relation) put_loop(f, j);
    for (int k = 1; k < f->links; k++) {
        const sari_export_travel* travel = &f->link[k].travel;
        const double p[5] = {0.0, travel->ratio, 0.0, 0.0, 0.0};
        if (!travel->leader) continue;
        sari_text_put(&f->text, "    <joint name=\"%s_follows\" joint1=\"%s\" joint2=\"%s\"",
                      f->link[k].joint_name, f->link[k].joint_name,
                      f->link[travel->leader].joint_name);
        sari_export_attribute(&f->text, "polycoef", p, 5);
        sari_text_put(&f->text, "/>\n");
    }
    for (int k = 0; k < f->sums; k++)
        sari_text_put(
            &f->text, "    <tendon name=\"%s\" tendon1=\"%s_sum\" polycoef=\"0 1 0 0 0\"/>\n",
            f->model->joints[f->sum[k].joint].name, f->model->joints[f->sum[k].joint].name);
    for (int k = 0; k < f->lines; k++)
        if (f->line[k].rod)
            sari_text_put(&f->text,
                          "    <tendon name=\"%s\" tendon1=\"%s_line\" polycoef=\"0 1 0 0 0\"/>\n",
                          f->line[k].name, f->line[k].name);
    sari_text_put(&f->text, "  </equality>\n");
}

/* ---- tendons and motors --------------------------------------------------------------------- */

static void put_tendons(sari_robot_file* f)
{
    sari_model_text* t = &f->text;
    if (f->lines || f->sums) sari_text_put(t, "  <tendon>\n");
    for (int k = 0; k < f->lines; k++) {
        const sari_export_line* line = &f->line[k];
        sari_text_put(t, "    <spatial name=\"%s_line\"", line->name);
        if (line->stiffness != 0.0) sari_export_attribute(t, "springlength", &line->length, 1);
        put_number(t, "stiffness", line->stiffness);
        put_number(t, "damping", line->damping);
        sari_text_put(t, "><site site=\"%s_a\"/><site site=\"%s_b\"/></spatial>\n", line->name,
                      line->name);
    }
    for (int k = 0; k < f->sums; k++) {
        const sari_export_sum* sum = &f->sum[k];
        sari_text_put(t, "    <fixed name=\"%s_sum\">", f->model->joints[sum->joint].name);
        for (int i = 0; i < sum->terms; i++) {
            sari_text_put(t, "<joint joint=\"%s\"", f->link[sum->link[i]].joint_name);
            sari_export_attribute(t, "coef", &sum->coefficient[i], 1);
            sari_text_put(t, "/>");
        }
        sari_text_put(t, "</fixed>\n");
    }
    if (f->lines || f->sums) sari_text_put(t, "  </tendon>\n");
}

static void put_motor(sari_robot_file* f, const sari_export_motor* motor)
{
    static const double none[3] = {0, 0, 0};
    sari_model_text* t = &f->text;
    sari_text_put(t, "    <general name=\"%s\"", motor->name);
    if (motor->link)
        sari_text_put(t, " joint=\"%s\"", f->link[motor->link].joint_name);
    else
        sari_text_put(t, " tendon=\"%s_line\"", motor->name);
    sari_export_attribute(t, "gainprm", &motor->gain, 1);
    if (memcmp(motor->bias, none, sizeof none) != 0) {
        sari_text_put(t, " biastype=\"affine\"");
        sari_export_attribute(t, "biasprm", motor->bias, 3);
    }
    put_range(t, "ctrlrange", motor->control[0], motor->control[1]);
    put_range(t, "forcerange", motor->force[0], motor->force[1]);
    sari_text_put(t, "/>\n");
}

void sari_export_mjcf(sari_robot_file* f)
{
    sari_text_put(&f->text, "<mujoco model=\"%s\">\n  <compiler angle=\"radian\"/>\n  <option",
                  sari_export_title(f));
    sari_export_attribute(&f->text, "gravity", f->model->gravity, 3);
    sari_text_put(&f->text, "/>\n");
    put_meshes(f);
    sari_text_put(&f->text, "  <worldbody>\n");
    put_bodies(f, 0, 2);
    sari_text_put(&f->text, "  </worldbody>\n");
    put_tendons(f);
    put_equalities(f);
    if (f->motors) sari_text_put(&f->text, "  <actuator>\n");
    for (int k = 0; k < f->motors; k++) put_motor(f, &f->motor[k]);
    if (f->motors) sari_text_put(&f->text, "  </actuator>\n");
    sari_text_put(&f->text, "</mujoco>\n");
}
