/* sar_robot_write: the mechanism as a tree of bodies with their poses of now, and what remains. The two formats are in
 * urdf.c and mjcf.c.
 *
 * Slides come into the tree first, then hinges, balls and welds: what is left over closes loops, and loops close at
 * balls, hinges and welds in both formats. */
#include "export/robot_file.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- joints --------------------------------------------------------------------------------- */

static sari_export_kind kind_of(const sari_joint* joint)
{
    static const struct {
        const char* word;
        sari_export_kind kind;
    } words[] = {{"revolute", SARI_EXPORT_HINGE},
                 {"prismatic", SARI_EXPORT_SLIDE},
                 {"spherical", SARI_EXPORT_BALL},
                 {"fixed", SARI_EXPORT_WELD}};
    const sari_joint_type* type = sari_joint_type_of(joint);
    for (size_t k = 0; type && !joint->absent && k < sizeof words / sizeof *words; k++)
        if (strcmp(type->word, words[k].word) == 0) return words[k].kind;
    return SARI_EXPORT_NOTHING;
}

/* Axes of a body in the world that is written; those of the ground are turned, and its link is the world. */
static const double* axes_of(const sari_robot_file* f, int body)
{
    return body == 0 ? f->turn : f->body[body].R;
}

static void outside(const sari_robot_file* f, int body, const double point[3], double out[3])
{
    const sari_export_body* b = &f->body[body];
    double in[3]; // from the frame, which is not at the origin of the body
    for (int k = 0; k < 3; k++) in[k] = point[k] - b->shift[k];
    sari_rotate(axes_of(f, body), in, out);
    for (int k = 0; k < 3; k++) out[k] += b->p[k];
}

void sari_export_inside(const sari_export_body* b, const double point[3], double out[3])
{
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = point[k] - b->p[k];
    sari_rotate_back(b->R, d, out);
}

sari_export_kind sari_export_joint(const sari_robot_file* f, int joint, double point[3],
                                   double axis[3])
{
    const sari_joint* j = &f->model->joints[joint];
    const sari_export_kind kind = kind_of(j);
    const double z[3] = {0, 0, 1};
    if (kind == SARI_EXPORT_NOTHING) return kind;
    outside(f, j->pair.b.body.i, j->pair.b.point, point);
    const int flat = f->model->dimension == 2 && kind == SARI_EXPORT_HINGE;
    sari_rotate(axes_of(f, j->pair.a.body.i), flat ? z : j->pair.a.axis, axis);
    const double length = sari_norm3(axis);
    for (int k = 0; k < 3 && length > 0; k++) axis[k] /= length;
    return kind;
}

/* ---- the tree ------------------------------------------------------------------------------- */

static int root_of(const int* group, int body)
{
    while (group[body] != body) body = group[body];
    return body;
}

/// Joints of this kind that connect what is not connected yet.
static void choose(sari_robot_file* f, sari_export_kind kind, int* group)
{
    for (int j = 0; j < f->model->joints_count; j++) {
        const sari_joint* joint = &f->model->joints[j];
        if (kind_of(joint) != kind) continue;
        const int a = root_of(group, joint->pair.a.body.i),
                  b = root_of(group, joint->pair.b.body.i);
        if (a == b) continue;
        group[a] = b;
        f->in_tree[j] = 1;
    }
}

/// Body b hangs on `above` by a joint: its frame moves there.
static void hang(sari_robot_file* f, int b, int above, int joint)
{
    sari_export_body* x = &f->body[b];
    double point[3], axis[3], in[3];
    x->above = above;
    x->joint = joint;
    x->kind = sari_export_joint(f, joint, point, axis);
    if (f->model->joints[joint].pair.b.body.i !=
        b) // the other way round: a coordinate keeps its sign
        for (int k = 0; k < 3; k++) axis[k] = -axis[k];
    sari_export_inside(x, point, in);
    sari_rotate_back(x->R, axis, x->axis);
    for (int k = 0; k < 3; k++) x->shift[k] += in[k], x->p[k] = point[k];
}

/// From the ground outwards; trees that do not reach it hang on it by a body that is free.
static void grow(sari_robot_file* f)
{
    const int n = f->model->bodies_count;
    for (int reached = 1; reached < n;) {
        int grown = 0;
        for (int j = 0; j < f->model->joints_count; j++) {
            const sari_joint* joint = &f->model->joints[j];
            if (!f->in_tree[j]) continue;
            const int a = joint->pair.a.body.i, b = joint->pair.b.body.i;
            const int has_a = f->body[a].above >= 0, has_b = f->body[b].above >= 0;
            if (has_a == has_b) continue;
            hang(f, has_a ? b : a, has_a ? a : b, j);
            reached++, grown++;
        }
        for (int b = 1; b < n && !grown; b++) {
            if (f->body[b].above >= 0) continue;
            f->body[b].above = 0;
            f->body[b].kind = SARI_EXPORT_FREE;
            reached++, grown++;
        }
    }
}

static sar_status make_tree(sari_robot_file* f)
{
    static const sari_export_kind order[] = {SARI_EXPORT_SLIDE, SARI_EXPORT_HINGE, SARI_EXPORT_BALL,
                                             SARI_EXPORT_WELD};
    const int n = f->model->bodies_count;
    int* group = SARI_NEW_ARRAY(int, n);
    if (!group) return SAR_E_NOMEM;
    for (int b = 0; b < n; b++) group[b] = b;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        if (order[k] != SARI_EXPORT_BALL || f->format == SAR_ROBOT_MJCF) choose(f, order[k], group);
    sari_release(group);
    grow(f);
    return SAR_OK;
}

/* ---- poses and masses ----------------------------------------------------------------------- */

/* URDF has no gravity, and programs take 9.81 m/s^2 along -z: the world is turned there. */
static void take_poses(sari_robot_file* f, const sar_simulation* s)
{
    const double down[3] = {0, 0, -1}, *g = f->model->gravity;
    const double weight = sari_norm3(g);
    for (int k = 0; k < 9; k++) f->turn[k] = k % 4 == 0;
    if (f->format == SAR_ROBOT_URDF && weight > 0) {
        const double along[3] = {g[0] / weight, g[1] / weight, g[2] / weight};
        sari_turn_onto(along, down, f->turn);
    }
    for (int b = 0; b < f->model->bodies_count; b++) {
        double p[3] = {0}, e[4] = {1, 0, 0, 0}, R[9];
        sari_export_body* x = &f->body[b];
        if (b > 0) sar_simulation_pose(s, (sar_body_id){b}, p, e);
        sari_rotation_of_quaternion(e, R);
        if (b == 0)
            memcpy(x->R, R, sizeof R);
        else
            sari_multiply3(f->turn, R, x->R);
        sari_rotate(f->turn, p, x->p);
        x->above = b == 0 ? 0 : -1;
        x->joint = -1;
        for (int k = 0; k < 3; k++) f->size = fmax(f->size, fabs(p[k]));
    }
}

void sari_export_pose(const sari_robot_file* f, int body, double way[3], double R[9])
{
    const sari_export_body *x = &f->body[body], *above = &f->body[x->above];
    double back[9];
    sari_export_inside(above, x->p, way);
    sari_transpose3(above->R, back);
    sari_multiply3(back, x->R, R);
}

/* In the plane one moment counts; the others are those of a flat body. */
void sari_export_inertia(const sari_robot_file* f, int body, double center[3], double inertia[6])
{
    const sar_body_def* def = &f->model->bodies[body].def;
    for (int k = 0; k < 3; k++) center[k] = def->center[k] - f->body[body].shift[k];
    memcpy(inertia, def->inertia, sizeof def->inertia);
    if (f->model->dimension == 2) inertia[0] = inertia[1] = 0.5 * inertia[2];
}

/* ---- what is left out ----------------------------------------------------------------------- */

static void list_joints(sari_robot_file* f)
{
    for (int j = 0; j < f->model->joints_count; j++) {
        const sari_joint* joint = &f->model->joints[j];
        const sari_joint_type* type = sari_joint_type_of(joint);
        const sari_export_kind kind = kind_of(joint);
        const int closes_slide =
            kind == SARI_EXPORT_SLIDE && !f->in_tree[j] && f->format == SAR_ROBOT_MJCF;
        const char* how = joint->bounded  ? ", with bounds"
                          : joint->absent ? ", which a phase adds"
                          : closes_slide  ? ", which closes a loop"
                                          : "";
        if (joint->relation)
            sari_text_put(&f->left_out, "%s %s%s\n", joint->relation->word, joint->name, how);
        else if (kind == SARI_EXPORT_NOTHING || closes_slide)
            sari_text_put(&f->left_out, "joint %s: %s%s\n", joint->name, type->word, how);
    }
}

static int yields(const sar_joint_def* def)
{
    int some = 0;
    for (int k = 0; k < 6; k++) some |= def->compliance[k] != 0.0;
    return some;
}

/* All that has a name: what drives the mechanism, what is seen of it, and where joints yield. */
static void list_names(sari_robot_file* f)
{
    const sar_model* m = f->model;
    for (int k = 0; k < sar_model_forces(m); k++)
        sari_text_put(&f->left_out, "force %s\n", sar_model_force_name(m, k));
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        for (int k = 0; sari_force_is_state(sari_force_types[t]) && k < m->forces[t].count; k++)
            sari_text_put(&f->left_out, "state %s\n", m->forces[t].at[k].name);
    for (int k = 0; k < sar_model_inputs(m); k++)
        sari_text_put(&f->left_out, "input %s\n", sar_model_input_name(m, k));
    for (int j = 0; j < m->joints_count; j++)
        if (!m->joints[j].relation && yields(&m->joints[j].pair))
            sari_text_put(&f->left_out, "compliance of joint %s\n", m->joints[j].name);
}

static void list_rest(sari_robot_file* f, const sar_simulation* s)
{
    const sar_model* m = f->model;
    double moves = 0.0;
    list_names(f);
    for (int b = 1; b < m->bodies_count; b++) {
        double v[3], w[3];
        sar_simulation_velocity(s, (sar_body_id){b}, v, w);
        moves = fmax(moves, fmax(sari_norm3(v), sari_norm3(w)));
        if (m->bodies[b].def.mass == 0.0)
            sari_text_put(&f->left_out, "body %s: no mass, which other programs may want\n",
                          m->bodies[b].name);
    }
    if (moves > 0) sari_text_put(&f->left_out, "velocities at the start\n");
    if (m->phases_count) sari_text_put(&f->left_out, "%d phases\n", m->phases_count);
    const double g = sari_norm3(m->gravity);
    if (f->format == SAR_ROBOT_URDF && fabs(g - 9.81) > 1e-9)
        sari_text_put(&f->left_out, "gravity of %g m/s^2: programs take 9.81\n", g);
}

/* ---- all of it ------------------------------------------------------------------------------ */

void sari_export_numbers(sari_model_text* t, const double* x, int count)
{
    for (int k = 0; k < count; k++) {
        sari_text_put(t, "%s", k ? " " : "");
        sari_text_number(t, x[k]);
    }
}

const char* sari_export_title(sari_robot_file* f)
{
    snprintf(f->title, sizeof f->title, "%s", f->model->name);
    for (char* c = f->title; *c; c++)
        if (strchr("<>&\"'", *c) || (unsigned char)*c < ' ') *c = '_';
    return f->title;
}

static sar_status write(sari_robot_file* f, const sar_simulation* s)
{
    f->body = SARI_NEW_ARRAY(sari_export_body, f->model->bodies_count);
    f->in_tree = SARI_NEW_ARRAY(char, f->model->joints_count + 1);
    if (!f->body || !f->in_tree) return SAR_E_NOMEM;
    take_poses(f, s);
    SARI_TRY(make_tree(f));
    f->format == SAR_ROBOT_URDF ? sari_export_urdf(f) : sari_export_mjcf(f);
    list_joints(f);
    list_rest(f, s);
    return f->text.failed || f->left_out.failed ? SAR_E_NOMEM : SAR_OK;
}

sar_status sar_robot_write(sar_simulation* s, sar_robot_format format, char** text, char** left_out)
{
    sari_robot_file f = {.model = s->user_model, .format = format};
    *text = *left_out = NULL;
    if (!s->assembled) return SAR_E_ARG;
    const sar_status status = write(&f, s);
    sari_release(f.body);
    sari_release(f.in_tree);
    if (status != SAR_OK) {
        sari_release(f.text.text);
        sari_release(f.left_out.text);
        return status;
    }
    *text = f.text.text;
    *left_out = f.left_out.text;
    return SAR_OK;
}
