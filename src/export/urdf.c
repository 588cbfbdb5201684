/* URDF: links and joints of the tree, loops as <loop_joint>, what connects two points in Drake's tags. The ground is the link
 * "world". A ball of the tree is a body that floats and a loop that holds it. */
#include "export/robot_file.h"

#include "math/vec3.h"
#include "model/parts.h"

#include <math.h>
#include <string.h>

static const double NO_LIMIT = 1e9; ///< where the format wants a number

static void put_frame(sari_model_text* t, const sari_pose* at)
{
    double angles[3];
    sari_pose_angles(at->R, angles);
    sari_export_attribute(t, "xyz", at->p, 3);
    sari_export_attribute(t, "rpy", angles, 3);
    sari_text_put(t, "/>\n");
}

static void put_axis(sari_model_text* t, const double axis[3])
{
    sari_text_put(t, "    <axis");
    sari_export_attribute(t, "xyz", axis, 3);
    sari_text_put(t, "/>\n");
}

/* ---- links ---------------------------------------------------------------------------------- */

static void put_inertial(sari_robot_file* f, int link)
{
    static const char* const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    sari_model_text* t = &f->text;
    sari_pose at = SARI_POSE_IDENTITY;
    double inertia[6];
    sari_export_inertia(f, link, at.p, inertia);
    sari_text_put(t, "    <inertial>\n      <origin");
    put_frame(t, &at);
    sari_text_put(t, "      <mass");
    sari_export_attribute(t, "value", &f->model->bodies[f->link[link].body].def.mass, 1);
    sari_text_put(t, "/>\n      <inertia");
    for (int k = 0; k < 6; k++) sari_export_attribute(t, names[k], &inertia[k], 1);
    sari_text_put(t, "/>\n    </inertial>\n");
}

static void put_colour(sari_model_text* t, const sar_shape_def* shape)
{
    if (shape->colour < 0) return;
    const double rgba[4] = {(double)(shape->colour >> 16 & 255) / 255.0,
                            (double)(shape->colour >> 8 & 255) / 255.0,
                            (double)(shape->colour & 255) / 255.0, 1.0};
    sari_text_put(t, "      <material name=\"#%06lx\"><color", (unsigned long)shape->colour);
    sari_export_attribute(t, "rgba", rgba, 4);
    sari_text_put(t, "/></material>\n");
}

static void put_visual(sari_robot_file* f, const char* word, const sari_export_solid* solid,
                       const sar_shape_def* shape)
{
    sari_model_text* t = &f->text;
    sari_text_put(t, "    <visual>\n      <origin");
    put_frame(t, &solid->at);
    sari_text_put(t, "      <geometry><%s", word);
    if (strcmp(word, "box") == 0) {
        sari_export_attribute(t, "size", solid->size, 3);
    } else {
        sari_export_attribute(t, "radius", &solid->size[0], 1);
        if (strcmp(word, "cylinder") == 0) sari_export_attribute(t, "length", &solid->size[1], 1);
    }
    sari_text_put(t, "/></geometry>\n");
    put_colour(t, shape);
    sari_text_put(t, "    </visual>\n");
}

/* A capsule is a cylinder and two balls. */
static void put_shape(sari_robot_file* f, int link, const sar_shape_def* shape)
{
    static const char* const words[] = {[SAR_SHAPE_BOX] = "box",
                                        [SAR_SHAPE_CYLINDER] = "cylinder",
                                        [SAR_SHAPE_SPHERE] = "sphere",
                                        [SAR_SHAPE_CAPSULE] = "cylinder"};
    sari_export_solid solid, end;
    if (!sari_export_shape(f, link, shape, &solid)) {
        sari_text_put(&f->left_out, "a shape of %s: meshes are files of their own\n",
                      f->link[link].name);
        return;
    }
    put_visual(f, words[shape->kind], &solid, shape);
    for (int k = 0; shape->kind == SAR_SHAPE_CAPSULE && k < 2; k++) {
        const double up[3] = {0, 0, (k - 0.5) * solid.size[1]};
        end = solid;
        sari_pose_point(&solid.at, up, end.at.p);
        put_visual(f, "sphere", &end, shape);
    }
}

static void put_link(sari_robot_file* f, int link)
{
    const int body = f->link[link].body;
    const int shapes = body >= 0 ? f->model->bodies[body].shapes_count : 0;
    sari_text_put(&f->text, "  <link name=\"%s\"", f->link[link].name);
    if (body < 0 || (body == 0 && !shapes)) {
        sari_text_put(&f->text, "/>\n");
        return;
    }
    sari_text_put(&f->text, ">\n");
    if (body > 0) put_inertial(f, link);
    for (int k = 0; k < shapes; k++) put_shape(f, link, &f->model->bodies[body].shapes[k]);
    sari_text_put(&f->text, "  </link>\n");
}

/* ---- joints --------------------------------------------------------------------------------- */

static bool is_limited(const sari_export_travel* t)
{
    return isfinite(t->lower) || isfinite(t->upper);
}

static void put_travel(sari_robot_file* f, const sari_export_link* link)
{
    const sari_export_travel* travel = &link->travel;
    sari_model_text* t = &f->text;
    if (is_limited(travel) || link->kind == SARI_EXPORT_SLIDE || travel->effort > 0.0) {
        const double lower = fmax(travel->lower, -NO_LIMIT), upper = fmin(travel->upper, NO_LIMIT),
                     effort = travel->effort > 0.0 ? travel->effort : NO_LIMIT;
        sari_text_put(t, "    <limit");
        sari_export_attribute(t, "lower", &lower, 1);
        sari_export_attribute(t, "upper", &upper, 1);
        sari_export_attribute(t, "effort", &effort, 1);
        sari_export_attribute(t, "velocity", &NO_LIMIT, 1);
        sari_text_put(t, "/>\n");
    }
    if (travel->damping != 0.0 || travel->friction != 0.0) {
        sari_text_put(t, "    <dynamics");
        sari_export_attribute(t, "damping", &travel->damping, 1);
        sari_export_attribute(t, "friction", &travel->friction, 1);
        sari_text_put(t, "/>\n");
    }
    if (travel->leader) {
        sari_text_put(t, "    <mimic joint=\"%s\"", f->link[travel->leader].joint_name);
        sari_export_attribute(t, "multiplier", &travel->ratio, 1);
        sari_text_put(t, "/>\n");
    }
}

static const char* type_of(const sari_export_link* link)
{
    static const char* const types[] = {"fixed", "continuous", "prismatic", "floating", "floating"};
    const bool stops = link->kind == SARI_EXPORT_HINGE && is_limited(&link->travel);
    return stops ? "revolute" : types[link->kind];
}

static void put_joint(sari_robot_file* f, int k)
{
    const sari_export_link* link = &f->link[k];
    const bool ball = link->kind == SARI_EXPORT_BALL;
    const sari_pose at = sari_export_pose(f, link->above, k);
    sari_model_text* t = &f->text;
    sari_text_put(t, "  <joint name=\"%s%s\" type=\"%s\">\n", link->joint_name, ball ? "_free" : "",
                  type_of(link));
    sari_text_put(t, "    <parent link=\"%s\"/>\n    <child link=\"%s\"/>\n    <origin",
                  f->link[link->above].name, link->name);
    put_frame(t, &at);
    if (link->kind == SARI_EXPORT_HINGE || link->kind == SARI_EXPORT_SLIDE) {
        put_axis(t, link->axis);
        put_travel(f, link);
    }
    sari_text_put(t, "  </joint>\n");
}

/* Both frames have the axes of the world, as it stands. */
static void put_loop_at(sari_robot_file* f, const char* name, sari_export_kind kind,
                        const int link[2], const sari_pose* at, const double axis[3])
{
    static const char* const types[] = {"fixed", "revolute", "prismatic", "spherical"};
    sari_model_text* t = &f->text;
    const sari_pose upright = sari_pose_shift(at->p);
    sari_text_put(t, "  <loop_joint name=\"%s\" type=\"%s\">\n", name, types[kind]);
    for (int end = 0; end < 2; end++) {
        const sari_pose in = sari_pose_between(&f->link[link[end]].at, &upright);
        sari_text_put(t, "    <link%d link=\"%s\"", end + 1, f->link[link[end]].name);
        put_frame(t, &in);
    }
    if (kind == SARI_EXPORT_HINGE || kind == SARI_EXPORT_SLIDE) put_axis(t, axis);
    sari_text_put(t, "  </loop_joint>\n");
}

static void put_loops(sari_robot_file* f)
{
    sari_pose at;
    double axis[3] = {1, 0, 0};
    for (int k = 1; k < f->links; k++)
        if (f->link[k].kind == SARI_EXPORT_BALL)
            put_loop_at(f, f->link[k].joint_name, SARI_EXPORT_BALL, (int[2]){f->link[k].above, k},
                        &f->link[k].at, axis);
    for (int j = 0; j < f->model->joints_count; j++) {
        const sari_joint* joint = &f->model->joints[j];
        if (f->in_tree[j] || joint->relation) continue;
        const sari_export_kind kind = sari_export_loop(f, j, &at, axis);
        const int link[2] = {f->link_of_body[joint->pair.a.body.i],
                             f->link_of_body[joint->pair.b.body.i]};
        if (kind != SARI_EXPORT_FREE) put_loop_at(f, joint->name, kind, link, &at, axis);
    }
}

/* ---- what else there is --------------------------------------------------------------------- */

/* A frame is a link without mass. */
static void put_site(sari_robot_file* f, const sari_export_site* site)
{
    sari_text_put(&f->text,
                  "  <link name=\"%s\"/>\n  <joint name=\"%s_frame\" type=\"fixed\">\n"
                  "    <parent link=\"%s\"/>\n    <child link=\"%s\"/>\n    <origin",
                  site->name, site->name, f->link[site->link].name, site->name);
    put_frame(&f->text, &site->at);
    sari_text_put(&f->text, "  </joint>\n");
}

static void put_value(sari_model_text* t, const char* tag, const char* ending, const double* x,
                      int count)
{
    sari_text_put(t, "    <%s_%s", tag, ending);
    sari_export_attribute(t, "value", x, count);
    sari_text_put(t, "/>\n");
}

static void put_line(sari_robot_file* f, const sari_export_line* line)
{
    const char* tag = line->rod ? "drake:distance_constraint" : "drake:linear_spring_damper";
    sari_model_text* t = &f->text;
    sari_text_put(t, "  <%s>\n", tag);
    for (int k = 0; k < 2; k++)
        sari_text_put(t, "    <%s_body_%c name=\"%s\"/>\n", tag, "AB"[k],
                      f -> link[line->link[k]].name);
    put_value(t, tag, "p_AP", line->point[0], 3);
    put_value(t, tag, "p_BQ", line->point[1], 3);
    if (line->rod) {
        put_value(t, tag, "distance", &line->length, 1);
    } else {
        put_value(t, tag, "free_length", &line->length, 1);
        put_value(t, tag, "stiffness", &line->stiffness, 1);
        put_value(t, tag, "damping", &line->damping, 1);
    }
    sari_text_put(t, "  </%s>\n", tag);
}

static void put_motor(sari_robot_file* f, const sari_export_motor* motor)
{
    sari_model_text* t = &f->text;
    sari_text_put(
        t,
        "  <transmission name=\"%s\">\n"
        "    <type>transmission_interface/SimpleTransmission</type>\n"
        "    <joint name=\"%s\"><hardwareInterface>hardware_interface/EffortJointInterface"
        "</hardwareInterface></joint>\n    <actuator name=\"%s\">"
        "<mechanicalReduction>1</mechanicalReduction></actuator>\n  </transmission>\n",
        motor->name, f->link[motor->link].joint_name, sar_model_input_name(f->model, motor->input));
    if (motor->gain != 1.0)
        sari_text_put(&f->left_out, "factor %g of %s: its input is the force itself there\n",
                      motor->gain, motor->name);
}

void sari_export_urdf(sari_robot_file* f)
{
    sari_text_put(&f->text, "<?xml version=\"1.0\"?>\n<robot name=\"%s\">\n", sari_export_title(f));
    for (int k = 0; k < f->links; k++) put_link(f, k);
    for (int k = 1; k < f->links; k++) put_joint(f, k);
    for (int k = 0; k < f->sites; k++) put_site(f, &f->site[k]);
    put_loops(f);
    for (int k = 0; k < f->lines; k++) put_line(f, &f->line[k]);
    for (int k = 0; k < f->motors; k++) put_motor(f, &f->motor[k]);
    sari_text_put(&f->text, "</robot>\n");
}
