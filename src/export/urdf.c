/* URDF: links and joints of the tree, loops as <loop_joint>. The ground is the link "world". */
#include "export/robot_file.h"
#include "math/vec3.h"

static const char* name_of(const sari_robot_file* f, int body)
{
    return body == 0 ? "world" : f->model->bodies[body].name;
}

static void put_frame(sari_model_text* t, const double p[3], const double R[9])
{
    double angles[3];
    sari_pose_angles(R, angles);
    sari_text_put(t, " xyz=\"");
    sari_export_numbers(t, p, 3);
    sari_text_put(t, "\" rpy=\"");
    sari_export_numbers(t, angles, 3);
    sari_text_put(t, "\"/>\n");
}

static void put_axis(sari_model_text* t, const double axis[3])
{
    sari_text_put(t, "    <axis xyz=\"");
    sari_export_numbers(t, axis, 3);
    sari_text_put(t, "\"/>\n");
}

static void put_link(sari_robot_file* f, int body)
{
    static const char* const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    sari_model_text* t = &f->text;
    double center[3], inertia[6];
    sari_export_inertia(f, body, center, inertia);
    sari_text_put(t, "  <link name=\"%s\">\n    <inertial>\n      <origin", name_of(f, body));
    put_frame(t, center, identity);
    sari_text_put(t, "      <mass value=\"");
    sari_text_number(t, f->model->bodies[body].def.mass);
    sari_text_put(t, "\"/>\n      <inertia");
    for (int k = 0; k < 6; k++) {
        sari_text_put(t, " %s=\"", names[k]);
        sari_text_number(t, inertia[k]);
        sari_text_put(t, "\"");
    }
    sari_text_put(t, "/>\n    </inertial>\n  </link>\n");
}

static void put_joint(sari_robot_file* f, int body)
{
    static const char* const types[] = {"continuous", "prismatic", "ball", "fixed", "floating"};
    const sari_export_body* x = &f->body[body];
    sari_model_text* t = &f->text;
    double way[3], R[9];
    sari_export_pose(f, body, way, R);
    sari_text_put(t, "  <joint name=\"%s%s\" type=\"%s\">\n",
                  x->joint < 0 ? name_of(f, body) : f->model->joints[x->joint].name,
                  x->joint < 0 ? "_free" : "", types[x->kind]);
    sari_text_put(t, "    <parent link=\"%s\"/>\n    <child link=\"%s\"/>\n    <origin",
                  name_of(f, x->above), name_of(f, body));
    put_frame(t, way, R);
    if (x->kind == SARI_EXPORT_HINGE || x->kind == SARI_EXPORT_SLIDE) put_axis(t, x->axis);
    if (x->kind == SARI_EXPORT_SLIDE)
        sari_text_put(t, "    <limit lower=\"-1e9\" upper=\"1e9\" effort=\"0\" velocity=\"0\"/>\n");
    sari_text_put(t, "  </joint>\n");
}

/* Both frames have the axes of the world, as it stands. */
static void put_loop(sari_robot_file* f, int joint)
{
    static const char* const types[] = {"revolute", "prismatic", "spherical", "fixed"};
    const sari_joint* j = &f->model->joints[joint];
    const int link[2] = {j->pair.a.body.i, j->pair.b.body.i};
    sari_model_text* t = &f->text;
    double point[3], axis[3];
    const sari_export_kind kind = sari_export_joint(f, joint, point, axis);
    sari_text_put(t, "  <loop_joint name=\"%s\" type=\"%s\">\n", j->name, types[kind]);
    for (int end = 0; end < 2; end++) {
        const sari_export_body* b = &f->body[link[end]];
        double in[3], R[9];
        sari_export_inside(b, point, in);
        sari_transpose3(b->R, R);
        sari_text_put(t, "    <link%d link=\"%s\"", end + 1, name_of(f, link[end]));
        put_frame(t, in, R);
    }
    if (kind == SARI_EXPORT_HINGE || kind == SARI_EXPORT_SLIDE) put_axis(t, axis);
    sari_text_put(t, "  </loop_joint>\n");
}

void sari_export_urdf(sari_robot_file* f)
{
    double point[3], axis[3];
    sari_text_put(&f->text,
                  "<?xml version=\"1.0\"?>\n<robot name=\"%s\">\n  <link name=\"world\"/>\n",
                  sari_export_title(f));
    for (int b = 1; b < f->model->bodies_count; b++) put_link(f, b);
    for (int b = 1; b < f->model->bodies_count; b++) put_joint(f, b);
    for (int j = 0; j < f->model->joints_count; j++)
        if (!f->in_tree[j] && sari_export_joint(f, j, point, axis) != SARI_EXPORT_NOTHING)
            put_loop(f, j);
    sari_text_put(&f->text, "</robot>\n");
}
