/* The links of a robot file: the tree of joint coordinates (coordinates/tree.h), which has one elementary motion after
 * the other, as it stands. Hinges, balls and welds are cut where there is a choice: these close loops in both formats. */
#include "export/robot_file.h"

#include "base/memory.h"
#include "base/status.h"
#include "coordinates/tree.h"
#include "math/rotation.h"
#include "model/parts.h"
#include "system/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ROUNDING = 1e-15; ///< of sizes, and of axes

/* ---- joints --------------------------------------------------------------------------------- */

static const sari_joint_form* form_of(const sar_model* model, const sari_joint* j)
{
    return sari_form_of(&j->pair, model->dimension);
}

/* Are its conditions, and the pitch of a screw, all that it demands? */
static bool is_plain(const sar_model* model, const sari_joint* j)
{
    const sari_joint_type* type = sari_joint_type_of(j);
    return type && !j->absent && !type->curved && !type->locks && !type->on_velocities &&
           (!form_of(model, j)->rows || j->pair.pitch != 0.0);
}

static sari_export_kind loop_kind(const sar_model* model, const sari_joint* j)
{
    const sari_joint_form* form = form_of(model, j);
    const sari_condition_kind *is = form->conditions, first = is[0];
    if (!is_plain(model, j) || form->rows) return SARI_EXPORT_FREE;
    if (first == SARI_SAME_ORIENTATION && is[1] == SARI_COINCIDE) return SARI_EXPORT_WELD;
    if (first == SARI_SAME_ORIENTATION && is[1] == SARI_ON_LINE) return SARI_EXPORT_SLIDE;
    if (first == SARI_COINCIDE && is[1] == SARI_PARALLEL) return SARI_EXPORT_HINGE;
    if (first != SARI_COINCIDE || is[1] != SARI_NO_CONDITION) return SARI_EXPORT_FREE;
    return model->dimension == 2 ? SARI_EXPORT_HINGE : SARI_EXPORT_BALL;
}

/* ---- the tree of joint coordinates ---------------------------------------------------------- */

/* As coordinates see it; released in reverse order. */
typedef struct tree {
    sar_model* model;
    sari_system* system;
    const sari_tree* it;
    double* q;
    sari_pose* place; ///< of nodes, in the model's units
} tree;

static void release(tree* t)
{
    sari_release(t->q);
    sari_release(t->place);
    sari_system_destroy(t->system);
    if (t->model) sari_model_in_units_destroy(t->model);
}

static sari_pose motion_of(const sari_tree_node* node, const double* q)
{
    sari_pose out = SARI_POSE_IDENTITY;
    const double z[3] = {0, 0, 1};
    if (node->motion == SARI_SLIDE) out.p[2] = q[node->p];
    if (node->motion == SARI_TURN) sari_pose_about(z, q[node->p], out.R);
    if (node->motion == SARI_BALL) sari_rotation_of_quaternion(q + node->p, out.R);
    return out;
}

static void place_nodes(tree* t)
{
    for (int k = 0; k < t->it->nodes; k++) {
        const sari_tree_node* node = &t->it->node[k];
        sari_pose step, motion = motion_of(node, t->q);
        memcpy(step.R, node->R, sizeof step.R);
        memcpy(step.p, node->r, sizeof step.p);
        t->place[k] = sari_pose_times(&step, &motion);
        if (node->parent >= 0) t->place[k] = sari_pose_times(&t->place[node->parent], &t->place[k]);
    }
}

static sar_status find_coordinates(sari_robot_file* f, tree* t)
{
    const sari_system* now = f->simulation->system;
    const sari_coordinates* c = &t->system->coordinates;
    const size_t X = (size_t)(now->mechanism->nx * now->mechanism->bodies);
    double* rest = SARI_NEW_ARRAY(double, X + (size_t)(3 * now->mechanism->bodies + c->nq + 1));
    t->q = SARI_NEW_ARRAY(double, c->np + 1);
    t->place = SARI_NEW_ARRAY(sari_pose, t->it->nodes + 1);
    if (rest && t->q && t->place) {
        sari_kinematics_update(now->kinematics, f->simulation->state.q, NULL, 1);
        c->ops->from_placement(c, now->kinematics->X, rest, rest + X, t->q,
                               rest + X + 3 * now->mechanism->bodies);
        place_nodes(t);
    }
    sari_release(rest);
    return rest && t->q && t->place ? SAR_OK : SAR_E_NOMEM;
}

/* Does a force or a relation use its coordinate? Then formats want it in the tree. */
static bool is_used(const sar_model* model, int joint)
{
    bool used = false;
    for (int k = 0; k < sar_model_forces(model) && !used; k++) {
        int type;
        const sari_force* force = sari_model_force(model, k, &type);
        used = sari_force_joint(sari_force_types[type], force->def) == joint;
    }
    for (int j = 0; j < model->joints_count; j++)
        for (int k = 0; sari_joint_uses(&model->joints[j], k) >= 0 && !used; k++)
            used = sari_joint_uses(&model->joints[j], k) == joint;
    return used;
}

static sar_status grow(sari_robot_file* f, tree* t)
{
    t->model = sari_model_in_units(f->model, &f->simulation->units);
    if (!t->model) return SAR_E_NOMEM;
    for (int j = 0; j < t->model->joints_count; j++) {
        sari_joint* joint = &t->model->joints[j];
        if (joint->relation) continue;
        const sari_export_kind kind = loop_kind(f->model, joint);
        joint->absent |= !is_plain(f->model, joint);
        const bool can_close =
            kind == SARI_EXPORT_HINGE || kind == SARI_EXPORT_BALL || kind == SARI_EXPORT_WELD;
        joint->pair.cut = can_close && !is_used(f->model, j);
    }
    SARI_TRY(sari_system_create(t->model, &sari_coordinates_relative, &t->system, NULL));
    t->it = t->system->coordinates.tree;
    return find_coordinates(f, t);
}

/* ---- links ---------------------------------------------------------------------------------- */

/* URDF has no gravity, and programs take 9.81 m/s^2 along -z: the world is turned there. */
static void turn_world(sari_robot_file* f)
{
    const double down[3] = {0, 0, -1}, *g = f->model->gravity;
    const double weight = sari_norm3(g);
    for (int k = 0; k < 9; k++) f->turn[k] = k % 4 == 0;
    if (f->format != SAR_ROBOT_URDF || !(weight > 0)) return;
    const double along[3] = {g[0] / weight, g[1] / weight, g[2] / weight};
    sari_turn_onto(along, down, f->turn);
}

static sari_pose in_world(const sari_robot_file* f, int body)
{
    double e[4] = {1, 0, 0, 0};
    sari_pose own = SARI_POSE_IDENTITY, out;
    if (body) sar_simulation_pose(f->simulation, (sar_body_id){body}, own.p, e);
    sari_rotation_of_quaternion(e, own.R);
    sari_multiply3(f->turn, own.R, out.R);
    sari_rotate(f->turn, own.p, out.p);
    return out;
}

/* Along or about which direction of the world a joint counts a coordinate, as that of b relative to a. False: none. */
static bool direction_of(const sari_robot_file* f, int joint, sar_coordinate coordinate,
                         double u[3])
{
    const sar_joint_def* def = &f->simulation->system->mechanism->pair[joint];
    const bool second = coordinate == SAR_COORD_ANGLE_2, flat = f->model->dimension == 2;
    const bool plane = sari_form_has(sari_form_of(def, f->model->dimension), SARI_ON_PLANE);
    const sar_end* end = second ? &def->b : &def->a;
    const sari_pose body = in_world(f, end->body.i);
    const double z[3] = {0, 0, 1};
    if (flat && sari_is_angle(coordinate))
        memcpy(u, z, sizeof z);
    else if (coordinate == SAR_COORD_DISPLACEMENT && plane)
        memcpy(u, end->normal, sizeof end->normal);
    else if (coordinate == SAR_COORD_DISPLACEMENT_2)
        sari_cross(end->axis, end->normal, u);
    else
        memcpy(u, end->axis, sizeof end->axis);
    sari_rotate(body.R, u, u);
    return sari_pose_normalise(u);
}

/* The coordinate of the joint that counts this motion, whose axis then points the way it is counted. */
static void observe(const sari_robot_file* f, const sari_tree_joint* j, sari_joint_motion motion,
                    double z[3], sari_export_link* link)
{
    const sari_joint* joint = j->joint >= 0 ? &f->model->joints[j->joint] : NULL;
    const sari_joint_type* type = joint ? sari_joint_type_of(joint) : NULL;
    double u[3];
    for (int k = 0; type && motion != SARI_BALL && k < type->coordinates; k++) {
        const sar_coordinate c = type->coordinate[k];
        if (sari_is_angle(c) != (motion == SARI_TURN) || !direction_of(f, j->joint, c, u)) continue;
        if (fabs(sari_dot(u, z)) < 0.9) continue;
        const double sense = joint->pair.b.body.i == j->child ? 1.0 : -1.0;
        for (int i = 0; i < 3; i++) z[i] = sense * u[i];
        link->observed = true;
        link->coordinate = c;
        return;
    }
}

static void name(const sari_robot_file* f, const sari_tree_joint* j, sari_export_link* link)
{
    static const char* const planar[] = {"x", "y", "angle"};
    const char* body = f->model->bodies[j->child].name;
    const char* joint = j->joint >= 0 ? f->model->joints[j->joint].name : body;
    char mark[32];
    snprintf(mark, sizeof mark, "%d", link->last + 1);
    const char* which = link->kind == SARI_EXPORT_FREE ? "free"
                        : j->joint < 0                 ? planar[link->last % 3]
                        : link->observed               ? sari_coordinate_word(link->coordinate)
                                                       : mark;
    if (j->joint >= 0 && j->count <= 1)
        snprintf(link->joint_name, sizeof link->joint_name, "%s", joint);
    else
        snprintf(link->joint_name, sizeof link->joint_name, "%s_%s", joint, which);
    if (link->body >= 0)
        snprintf(link->name, sizeof link->name, "%s", body);
    else
        snprintf(link->name, sizeof link->name, "%s_link%d", joint, link->last + 1);
}

/* Without what rounding leaves. */
static void tidy(double x[3], double size)
{
    for (int i = 0; i < 3; i++)
        if (fabs(x[i]) <= ROUNDING * size) x[i] = 0.0;
}

/* Its frame goes to the motion that leads to it. */
static void put_link(sari_robot_file* f, const tree* t, const sari_tree_joint* j, int k,
                     const sari_pose* body)
{
    static const sari_export_kind kinds[] = {[SARI_TURN] = SARI_EXPORT_HINGE,
                                             [SARI_SLIDE] = SARI_EXPORT_SLIDE,
                                             [SARI_BALL] = SARI_EXPORT_BALL};
    const sari_units* u = &f->simulation->units;
    const int node = j->first + k;
    const bool ends = k >= j->count - 1;
    sari_export_link* link = &f->link[f->links];
    *link = (sari_export_link){.body = ends ? j->child : -1,
                               .above = k > 0 ? f->links - 1 : f->link_of_body[j->parent],
                               .joint = j->joint,
                               .last = k,
                               .at = *body,
                               .travel = {.lower = -INFINITY, .upper = INFINITY}};
    if (ends) f->link_of_body[j->child] = f->links;
    f->links++;
    if (j->count > 0) {
        double z[3] = {t->place[node].R[2], t->place[node].R[5], t->place[node].R[8]}, p[3], d[3];
        link->kind = kinds[t->it->node[node].motion];
        for (int i = 0; i < 3; i++) p[i] = u->origin[i] + u->length * t->place[node].p[i];
        sari_rotate(f->turn, p, link->at.p);
        sari_rotate(f->turn, z, z);
        observe(f, j, t->it->node[node].motion, z, link);
        sari_rotate_back(link->at.R, z, link->axis);
        tidy(link->axis, 1.0);
        for (int i = 0; i < 3; i++) d[i] = link->at.p[i] - body->p[i];
        sari_rotate_back(body->R, d, link->shift);
        tidy(link->shift, f->size);
    }
    name(f, j, link);
}

static void put_links(sari_robot_file* f, const tree* t)
{
    f->link[0] = (sari_export_link){.name = "world", .at = SARI_POSE_IDENTITY};
    f->links = 1;
    for (int b = 1; b < f->model->bodies_count; b++) {
        const sari_pose body = in_world(f, b);
        for (int i = 0; i < 3; i++) f->size = fmax(f->size, fabs(body.p[i]));
    }
    for (int k = 0; k < t->it->joints; k++) {
        const sari_tree_joint* j = &t->it->joint[k];
        const sari_pose body = in_world(f, j->child);
        if (j->joint >= 0) f->in_tree[j->joint] = 1;
        if (j->joint < 0 && f->model->dimension == 3) {
            const sari_tree_joint free = {.joint = -1, .parent = 0, .child = j->child};
            put_link(f, t, &free, 0, &body);
            f->link[f->links - 1].kind = SARI_EXPORT_FREE;
            name(f, &free, &f->link[f->links - 1]);
            continue;
        }
        for (int i = 0; i < (j->count > 0 ? j->count : 1); i++) put_link(f, t, j, i, &body);
    }
}

sar_status sari_export_tree(sari_robot_file* f)
{
    tree t = {0};
    turn_world(f);
    sar_status st = grow(f, &t);
    const int most = st == SAR_OK ? t.it->nodes + t.it->joints + 1 : 1;
    f->link = SARI_TAKE(&f->memory, sari_export_link, most);
    f->link_of_body = SARI_TAKE(&f->memory, int, f->model->bodies_count);
    f->in_tree = SARI_TAKE(&f->memory, char, f->model->joints_count + 1);
    if (f->memory.failed) st = SAR_E_NOMEM;
    if (st == SAR_OK) put_links(f, &t);
    release(&t);
    return st;
}

/* The ground is turned with what stands on it, and its link is not. */
sari_pose sari_export_place(const sari_robot_file* f, int body, const sari_pose* in)
{
    sari_pose out = *in, turn = SARI_POSE_IDENTITY;
    for (int k = 0; k < 3; k++) out.p[k] -= f->link[f->link_of_body[body]].shift[k];
    if (body) return out;
    memcpy(turn.R, f->turn, sizeof f->turn);
    return sari_pose_times(&turn, &out);
}

sari_export_kind sari_export_loop(const sari_robot_file* f, int joint, sari_pose* at,
                                  double axis[3])
{
    const sari_joint* j = &f->model->joints[joint];
    const sari_export_kind kind = loop_kind(f->model, j);
    const int b = j->pair.b.body.i;
    const sari_pose in = sari_pose_shift(j->pair.b.point), on = sari_export_place(f, b, &in);
    *at = sari_pose_times(&f->link[f->link_of_body[b]].at, &on);
    if (kind == SARI_EXPORT_HINGE)
        (void)direction_of(f, joint, SAR_COORD_ANGLE, axis);
    else if (kind == SARI_EXPORT_SLIDE)
        (void)direction_of(f, joint, SAR_COORD_DISPLACEMENT, axis);
    else
        axis[0] = 1, axis[1] = axis[2] = 0;
    return kind;
}

int sari_export_find_motion(const sari_robot_file* f, int joint, sar_coordinate coordinate)
{
    for (int k = 1; k < f->links; k++) {
        const sari_export_link* link = &f->link[k];
        if (joint >= 0 && link->joint == joint && link->observed && link->coordinate == coordinate)
            return k;
    }
    return 0;
}
