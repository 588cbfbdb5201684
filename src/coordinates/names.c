/* Names of coordinates for people. They are made of the names of the model file: points and axes of bodies
 * in natural coordinates, joints along a tree, else the bodies themselves. */
#include "coordinates/tree.h"
#include "math/vec3.h"
#include "system/coordinates.h"

#include <math.h>
#include <stdio.h>

/* ---- states of forces ------------------------------------------------------------------------ */

static void name_state(const sari_mechanism* m, int state, int velocity, char* name, size_t room)
{
    int type;
    bool free;
    const sari_force* force = sari_mechanism_state(m, state, &type, &free);
    if (!force) return;
    snprintf(name, room, velocity ? "%s%s" : "integral(%s%s)", force->name, free ? "" : ".state");
}

/* ---- natural coordinates: what is read of the placement X of a body --------------------------- */

/// The point or axis that an affine function of X_b is a component of.
typedef struct reading {
    int body, component; ///< component -1: a combination of several, along a line or a plane
    bool point;
    double local[3]; ///< axes: in the body; points: from the centre of mass
} reading;

static reading read_affine(const sari_mechanism* m, const sari_affine* f)
{
    const int d = m->dimension, nx = m->nx;
    reading r = {.component = -1};
    for (int k = 0; k < f->n; k++) {
        const int at = f->index[k] % nx;
        r.body = f->index[k] / nx;
        if (at < d) r.point = true;
        const int row = at < d ? at : (at - d) % d; // of the world
        if (r.component >= 0 && r.component != row && d == 3)
            return (reading){.body = r.body, .component = -1, .point = r.point};
        if (d == 3 || at < d) r.component = row;
        if (at >= d && d == 3) r.local[(at - d) / d] = f->coefficient[k];
    }
    // planar: X_b = (x, y, cos, sin), so that x = x_c + l_0 cos - l_1 sin, y = y_c + l_0 sin + l_1 cos
    for (int k = 0; d == 2 && r.component >= 0 && k < f->n; k++) {
        const int at = f->index[k] % nx - d;
        if (at < 0) continue;
        if (r.component == 0)
            r.local[at] = at == 0 ? f->coefficient[k] : -f->coefficient[k];
        else
            r.local[1 - at] = f->coefficient[k];
    }
    return r;
}

static const char* named_vector(const sari_named_vector* list, int count, const double v[3],
                                double size)
{
    for (int i = 0; i < count; i++) {
        const double apart[3] = {list[i].v[0] - v[0], list[i].v[1] - v[1], list[i].v[2] - v[2]};
        if (sari_norm3(apart) <= 1e-9 * size) return list[i].name;
    }
    return NULL;
}

static void name_natural(const sari_coordinates* c, int k, int velocity, char* name, size_t room)
{
    static const char* const words[2][3] = {{"x", "y", "z"}, {"vx", "vy", "vz"}};
    const sari_mechanism* m = c->mechanism;
    const reading r = read_affine(m, &c->reading[k]);
    const sari_body* body = &m->model->bodies[r.body];
    if (r.component < 0) {
        snprintf(name, room, "%s.%s%d", body->name, velocity ? "slide_rate" : "slide", k);
        return;
    }
    const char* word = words[velocity][r.component];
    double at[3];
    for (int i = 0; i < 3; i++) at[i] = r.local[i] + (r.point ? body->def.center[i] : 0.0);
    const double size = sari_norm3(at) + sari_norm3(body->def.center);
    const char* known = r.point
                            ? named_vector(body->points, body->points_count, at, fmax(size, 1e-300))
                            : named_vector(body->axes, body->axes_count, at, 1.0);
    if (known)
        snprintf(name, room, "%s.%s.%s", body->name, known, word);
    else if (m->dimension == 2)
        snprintf(name, room, "%s.(%.6g, %.6g).%s", body->name, at[0], at[1], word);
    else
        snprintf(name, room, "%s.%s(%.6g, %.6g, %.6g).%s", body->name, r.point ? "" : "axis", at[0],
                 at[1], at[2], word);
}

/* ---- joint coordinates ------------------------------------------------------------------------ */

static const sari_tree_joint* joint_of(const sari_tree* t, int node)
{
    int k = 0;
    while (node >= t->joint[k].first + t->joint[k].count) k++;
    return &t->joint[k];
}

/* How many nodes of the joint before this one move alike. */
static int alike_before(const sari_tree* t, const sari_tree_joint* joint, int node)
{
    int count = 0;
    for (int i = joint->first; i < node; i++) count += t->node[i].motion == t->node[node].motion;
    return count;
}

static void name_of_node(const sari_coordinates* c, int node, int part, int velocity, char* name,
                         size_t room)
{
    static const char* const turn[2] = {"angle", "rate"};
    static const char* const slide[2] = {"displacement", "speed"};
    static const char* const free_slide[2][3] = {{"x", "y", "z"}, {"vx", "vy", "vz"}};
    static const char* const ball[2][4] = {{"e0", "e1", "e2", "e3"}, {"wx", "wy", "wz", ""}};
    const sari_tree* t = c->tree;
    const sari_tree_node* at = &t->node[node];
    const sari_tree_joint* joint = joint_of(t, node);
    const sar_model* model = c->mechanism->model;
    const char* owner =
        at->joint >= 0 ? model->joints[at->joint].name : model->bodies[joint->child].name;
    const int before = alike_before(t, joint, node);
    char number[16] = "";
    if (before > 0) snprintf(number, sizeof number, "%d", before + 1);
    if (at->motion == SARI_BALL)
        snprintf(name, room, "%s.%s", owner, ball[velocity][part]);
    else if (at->motion == SARI_SLIDE && at->joint < 0)
        snprintf(name, room, "%s.%s", owner, free_slide[velocity][before % 3]);
    else
        snprintf(name, room, "%s.%s%s", owner,
                 at->motion == SARI_TURN ? turn[velocity] : slide[velocity], number);
}

static void name_joint(const sari_coordinates* c, int k, int velocity, char* name, size_t room)
{
    const sari_tree* t = c->tree;
    int node = 0;
    while (node + 1 < t->nodes && (velocity ? t->node[node + 1].q : t->node[node + 1].p) <= k)
        node++;
    name_of_node(c, node, k - (velocity ? t->node[node].q : t->node[node].p), velocity, name, room);
}

/* ---- bodies on their own ---------------------------------------------------------------------- */

static void name_of_body(const sari_coordinates* c, int k, int velocity, char* name, size_t room)
{
    static const char* const plane[2][3] = {{"x", "y", "angle"}, {"vx", "vy", "rate"}};
    static const char* const space[2][7] = {{"x", "y", "z", "e0", "e1", "e2", "e3"},
                                            {"vx", "vy", "vz", "de0", "de1", "de2", "de3"}};
    static const char* const turned[6] = {"vx", "vy", "vz", "wx", "wy", "wz"};
    const int bodies = c->mechanism->bodies - 1;
    const int per_body = ((velocity ? c->nq : c->np) - c->states) / bodies;
    const char* owner = c->mechanism->model->bodies[1 + k / per_body].name;
    const char* word = per_body == 3   ? plane[velocity][k % 3]
                       : per_body == 6 ? turned[k % 6]
                                       : space[velocity][k % 7];
    snprintf(name, room, "%s.%s", owner, word);
}

void sari_coordinates_name(const sari_coordinates* c, int k, int velocity, char* name, size_t room)
{
    const int own = (velocity ? c->nq : c->np) - c->states;
    if (k >= own)
        name_state(c->mechanism, k - own, velocity, name, room);
    else if (c->tree)
        name_joint(c, k, velocity, name, room);
    else if (c->reading)
        name_natural(c, k, velocity, name, room);
    else
        name_of_body(c, k, velocity, name, room);
}
