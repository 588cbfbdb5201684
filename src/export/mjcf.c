/* MJCF: bodies within bodies, loops as <equality>: a ball is a connect, a weld a weld, and a hinge two connects on its
 * axis, one equation more than needed. */
#include "export/robot_file.h"
#include "math/vec3.h"

#include <math.h>

static const char* name_of(const sari_robot_file* f, int body)
{
    return body == 0 ? "world" : f->model->bodies[body].name;
}

static void put_attribute(sari_model_text* t, const char* name, const double* x, int count)
{
    sari_text_put(t, " %s=\"", name);
    sari_export_numbers(t, x, count);
    sari_text_put(t, "\"");
}

static void put_inertial(sari_robot_file* f, int body, int depth)
{
    double center[3], inertia[6];
    sari_export_inertia(f, body, center, inertia);
    sari_text_put(&f->text, "%*s<inertial", 2 * depth, "");
    put_attribute(&f->text, "pos", center, 3);
    put_attribute(&f->text, "mass", &f->model->bodies[body].def.mass, 1);
    put_attribute(&f->text, "fullinertia", inertia, 6);
    sari_text_put(&f->text, "/>\n");
}

static void put_joint(sari_robot_file* f, int body, int depth)
{
    static const char* const types[] = {"hinge", "slide", "ball"};
    const sari_export_body* x = &f->body[body];
    sari_model_text* t = &f->text;
    if (x->kind == SARI_EXPORT_WELD) return;
    if (x->kind == SARI_EXPORT_FREE) {
        sari_text_put(t, "%*s<freejoint name=\"%s_free\"/>\n", 2 * depth, "", name_of(f, body));
        return;
    }
    sari_text_put(t, "%*s<joint name=\"%s\" type=\"%s\"", 2 * depth, "",
                  f->model->joints[x->joint].name, types[x->kind]);
    if (x->kind != SARI_EXPORT_BALL) put_attribute(t, "axis", x->axis, 3);
    sari_text_put(t, "/>\n");
}

static void put_bodies(sari_robot_file* f, int above, int depth)
{
    for (int b = 1; b < f->model->bodies_count; b++) {
        double way[3], R[9], e[4];
        if (f->body[b].above != above) continue;
        sari_export_pose(f, b, way, R);
        sari_quaternion_of_rotation(R, e);
        sari_text_put(&f->text, "%*s<body name=\"%s\"", 2 * depth, "", name_of(f, b));
        put_attribute(&f->text, "pos", way, 3);
        put_attribute(&f->text, "quat", e, 4);
        sari_text_put(&f->text, ">\n");
        put_inertial(f, b, depth + 1);
        put_joint(f, b, depth + 1);
        put_bodies(f, b, depth + 1);
        sari_text_put(&f->text, "%*s</body>\n", 2 * depth, "");
    }
}

static void put_connect(sari_robot_file* f, int joint, const char* mark, const double point[3])
{
    const sari_joint* j = &f->model->joints[joint];
    int a = j->pair.a.body.i, b = j->pair.b.body.i;
    if (a == 0) a = b, b = 0; // the anchor is a place of the first
    double in[3];
    sari_export_inside(&f->body[a], point, in);
    sari_text_put(&f->text, "    <connect name=\"%s%s\" body1=\"%s\"", j->name, mark,
                  name_of(f, a));
    if (b) sari_text_put(&f->text, " body2=\"%s\"", name_of(f, b));
    put_attribute(&f->text, "anchor", in, 3);
    sari_text_put(&f->text, "/>\n");
}

static void put_loop(sari_robot_file* f, int joint)
{
    const sari_joint* j = &f->model->joints[joint];
    double point[3], axis[3], second[3];
    const sari_export_kind kind = sari_export_joint(f, joint, point, axis);
    for (int k = 0; k < 3; k++) second[k] = point[k] + axis[k] * (f->size > 0 ? f->size : 1.0);
    if (kind == SARI_EXPORT_HINGE || kind == SARI_EXPORT_BALL) put_connect(f, joint, "", point);
    if (kind == SARI_EXPORT_HINGE) put_connect(f, joint, "_axis", second);
    if (kind != SARI_EXPORT_WELD) return;
    int a = j->pair.a.body.i, b = j->pair.b.body.i;
    if (a == 0) a = b, b = 0;
    sari_text_put(&f->text, "    <weld name=\"%s\" body1=\"%s\"", j->name, name_of(f, a));
    if (b) sari_text_put(&f->text, " body2=\"%s\"", name_of(f, b));
    sari_text_put(&f->text, "/>\n");
}

void sari_export_mjcf(sari_robot_file* f)
{
    sari_text_put(&f->text, "<mujoco model=\"%s\">\n  <compiler angle=\"radian\"/>\n  <option",
                  sari_export_title(f));
    put_attribute(&f->text, "gravity", f->model->gravity, 3);
    sari_text_put(&f->text, "/>\n  <worldbody>\n");
    put_bodies(f, 0, 2);
    sari_text_put(&f->text, "  </worldbody>\n  <equality>\n");
    for (int j = 0; j < f->model->joints_count; j++)
        if (!f->in_tree[j]) put_loop(f, j);
    sari_text_put(&f->text, "  </equality>\n</mujoco>\n");
}
