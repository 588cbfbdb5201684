/* Trees of joints as they come, made without a model's joints: random ones with branches, roots,
 * massless nodes and several bodies on a node, in space and in the plane, and chains. The numbers
 * are the same everywhere. For tests and benchmarks of what works along a tree. */
#ifndef TREE_FIXTURE_H
#define TREE_FIXTURE_H

#include "coordinates/tree.h"
#include "math/vec3.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/// One body on a tree that is being planned.
typedef struct planned_body {
    int node;
    double mass, inertia[6], R[9], r[3]; ///< as in sari_tree: axes and centre in the node's frame
} planned_body;

/// Nodes with motion, parent and step, and the bodies on them.
typedef struct tree_plan {
    int dimension, nodes, bodies;
    double gravity[3];
    sari_tree_node* node;
    planned_body* body;
} tree_plan;

typedef struct tree_case {
    sar_model* model;
    sari_mechanism* mechanism;
    sari_tree* tree;
    int nx_all; ///< numbers of X, the ground's included
} tree_case;

/* ---- random numbers ------------------------------------------------------------------------- */

static uint64_t tree_random_state = 88172645463325252u;

/// Uniform in [-1, 1].
static inline double tree_any(void)
{
    tree_random_state ^= tree_random_state << 13;
    tree_random_state ^= tree_random_state >> 7;
    tree_random_state ^= tree_random_state << 17;
    return (double)(tree_random_state >> 11) / 4503599627370496.0 - 1.0;
}

static inline int tree_any_below(int n)
{
    const int k = (int)(0.5 * (tree_any() + 1.0) * n);
    return k < n ? k : n - 1;
}

static inline void tree_any_quaternion(double p[4])
{
    double square = 0.0;
    while (square < 0.1 || square > 1.0) {
        for (int k = 0; k < 4; k++) p[k] = tree_any();
        square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
    }
    for (int k = 0; k < 4; k++) p[k] /= sqrt(square);
}

static inline void tree_any_rotation(double R[9])
{
    double p[4];
    tree_any_quaternion(p);
    sari_rotation_of_quaternion(p, R);
}

/* ---- plans ---------------------------------------------------------------------------------- */

static const double TREE_UNIT[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static inline tree_plan plan_of(int dimension, int nodes, int most_bodies)
{
    tree_plan p = {.dimension = dimension, .nodes = nodes, .gravity = {0.7, -9.81, 1.3}};
    if (dimension == 2) p.gravity[2] = 0.0;
    p.node = calloc((size_t)nodes, sizeof *p.node);
    p.body = calloc((size_t)most_bodies, sizeof *p.body);
    for (int i = 0; i < nodes; i++) {
        p.node[i].parent = i - 1;
        memcpy(p.node[i].R, TREE_UNIT, sizeof TREE_UNIT);
    }
    return p;
}

static inline void plan_free(tree_plan* p)
{
    free(p->node);
    free(p->body);
}

static inline void out_of_plane(const double v[3], int slides, double out[3])
{
    // axes of a slide in the plane: x, and z along y
    const double turned[3] = {v[0], -v[2], v[1]};
    memcpy(out, slides ? turned : v, sizeof turned);
}

/// A rotation about z, from the axes of a node that slides (or turns) to those of another.
static inline void planar_step(int from_slides, int to_slides, double R[9])
{
    const double angle = 3 * tree_any(), c = cos(angle), s = sin(angle);
    const double turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1}, tilt[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0},
                 back[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
    memcpy(R, turn, sizeof turn);
    if (from_slides) sari_multiply3(back, R, R);
    if (to_slides) sari_multiply3(R, tilt, R);
}

static inline void any_step(const tree_plan* p, int from_slides, int to_slides, double R[9],
                            double r[3])
{
    const double step[3] = {tree_any(), tree_any(), p->dimension == 3 ? tree_any() : 0.0};
    memcpy(r, step, sizeof step);
    if (p->dimension == 3) {
        tree_any_rotation(R);
        if (tree_any() < -0.5) memcpy(R, TREE_UNIT, sizeof TREE_UNIT); // many are like that
        return;
    }
    out_of_plane(step, from_slides, r);
    planar_step(from_slides, to_slides, R);
}

static inline void plan_any_body(tree_plan* p, int node)
{
    planned_body* b = &p->body[p->bodies++];
    const int slides = p->dimension == 2 && p->node[node].motion == SARI_SLIDE;
    b->node = node;
    b->mass = 1.5 + tree_any();
    any_step(p, slides, 0, b->R, b->r);
    for (int k = 0; k < 3; k++) b->inertia[k] = 0.5 + 0.15 * tree_any();
    for (int k = 3; k < 6; k++) b->inertia[k] = 0.05 * tree_any();
    if (p->dimension == 2)
        for (int k = 0; k < 6; k++) b->inertia[k] = k == 2 ? b->inertia[k] : 0.0;
}

/// Motions in a row without a mass between them: no more than a body can tell apart.
typedef struct massless_run {
    int balls, slides, changes;
} massless_run;

static inline sari_joint_motion any_motion(const tree_plan* p, const massless_run* run)
{
    const int kind = tree_any_below(p->dimension == 3 ? 4 : 3);
    if (kind == 3 && run->balls == 0 && run->changes < 2) return SARI_BALL;
    return kind == 2 && run->slides < 1 ? SARI_SLIDE : SARI_TURN;
}

/// Any tree: where `chain`, the parent is mostly the node before.
static inline tree_plan plan_any_tree(int dimension, int nodes, int chain)
{
    tree_plan p = plan_of(dimension, nodes, 2 * nodes);
    massless_run* run = calloc((size_t)nodes, sizeof *run);
    const int most = dimension == 3 ? 4 : 2;
    for (int i = 0; i < nodes; i++) {
        sari_tree_node* node = &p.node[i];
        // a massless node has one child only: the next; another would see the same motion
        const int bare = i > 0 && run[i - 1].changes > 0;
        node->parent = bare || (chain && i > 0) ? i - 1 : tree_any_below(i + 1) - 1;
        while (!bare && node->parent >= 0 && run[node->parent].changes) node->parent--;
        if (bare) run[i] = run[i - 1];
        node->motion = any_motion(&p, &run[i]);
        const int n = node->motion == SARI_BALL ? 3 : 1;
        any_step(&p, node->parent >= 0 && p.node[node->parent].motion == SARI_SLIDE,
                 node->motion == SARI_SLIDE, node->R, node->r);
        run[i].changes += n;
        run[i].balls += n == 3, run[i].slides += node->motion == SARI_SLIDE;
        if (i + 1 < nodes && run[i].changes < most - 1 && tree_any() > 0.3) continue;
        plan_any_body(&p, i);
        if (tree_any() > 0.5) plan_any_body(&p, i);
        run[i] = (massless_run){0, 0, 0};
    }
    free(run);
    return p;
}

/// n equal links, each on the end of the one before, by hinges of alternating axes or by balls.
static inline tree_plan plan_chain(int n, sari_joint_motion motion)
{
    static const double quarter[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
    tree_plan p = plan_of(3, n, n);
    for (int i = 0; i < n; i++) {
        p.node[i].motion = motion;
        if (motion == SARI_TURN) memcpy(p.node[i].R, quarter, sizeof quarter);
        p.node[i].r[0] = i > 0 ? 1.0 : 0.0;
        p.body[i] =
            (planned_body){.node = i, .mass = 1, .inertia = {0.1, 1, 1.05}, .r = {0.5, 0, 0}};
        memcpy(p.body[i].R, TREE_UNIT, sizeof TREE_UNIT);
    }
    p.bodies = n;
    return p;
}

/// Published moments of link 3 that no body has: Izz is this much less than the model accepts.
static const double PUMA_IZZ_3 = -0.008;

/// PUMA 560: standard Denavit-Hartenberg parameters d, a, alpha (quarter turns); mass, centre,
/// moments.
static inline tree_plan plan_puma(void)
{
    static const double link[6][10] = {
        {0, 0, 1, 0, 0, 0, 0, 0, 0.35, 0},
        {0, 0.4318, 0, 17.4, -0.3638, 0.006, 0.2275, 0.13, 0.524, 0.539},
        {0.15005, 0.0203, -1, 4.8, -0.0203, -0.0141, 0.070, 0.066, 0.086, 0.0205},
        {0.4318, 0, 1, 0.82, 0, 0.019, 0, 1.8e-3, 1.3e-3, 1.8e-3},
        {0, 0, -1, 0.34, 0, 0, 0, 0.3e-3, 0.4e-3, 0.3e-3},
        {0, 0, 0, 0.09, 0, 0, 0.032, 0.15e-3, 0.15e-3, 0.04e-3}};
    tree_plan p = plan_of(3, 6, 6);
    p.gravity[0] = p.gravity[1] = 0, p.gravity[2] = -9.81;
    for (int i = 0; i < 6; i++) {
        // the frame of a link is beyond its joint: what follows the turn is in the next step
        const double *l = link[i], c = l[2] == 0 ? 1 : 0, s = l[2];
        const double R[9] = {1, 0, 0, 0, c, -s, 0, s, c}, r[3] = {l[1], 0, l[0]};
        p.node[i].motion = SARI_TURN;
        if (i < 5) memcpy(p.node[i + 1].R, R, sizeof R), memcpy(p.node[i + 1].r, r, sizeof r);
        planned_body* b = &p.body[p.bodies++];
        *b = (planned_body){.node = i, .mass = l[3]};
        memcpy(b->R, R, sizeof R);
        sari_rotate(R, l + 4, b->r);
        for (int k = 0; k < 3; k++) b->r[k] += r[k], b->inertia[k] = l[7 + k];
    }
    // link 1 turns about the first axis only: any body with this moment is the same
    p.body[0].mass = 13, p.body[0].inertia[0] = p.body[0].inertia[2] = 0.35;
    return p;
}

/* ---- trees ---------------------------------------------------------------------------------- */

static inline void tree_case_clear(tree_case* c)
{
    sari_tree_destroy(c->tree);
    sari_mechanism_destroy(c->mechanism);
    sar_model_destroy(c->model);
}

static inline void fill_tree(sari_tree* t, const tree_plan* p)
{
    int np = 0, nq = 0;
    for (int i = 0; i < p->nodes; i++) {
        sari_tree_node* node = &t->node[i];
        *node = p->node[i];
        node->joint = -1;
        node->n = node->motion == SARI_BALL ? 3 : 1;
        node->p = np, node->q = nq;
        np += node->motion == SARI_BALL ? 4 : 1, nq += node->n;
    }
    t->body_node[0] = -1;
    for (int b = 0; b < p->bodies; b++) {
        t->body_node[b + 1] = p->body[b].node;
        memcpy(t->body_R + 9 * (b + 1), p->body[b].R, sizeof p->body[b].R);
        memcpy(t->body_r + 3 * (b + 1), p->body[b].r, sizeof p->body[b].r);
    }
    sari_tree_complete(t);
}

/// NULL tree: something is wrong with the plan.
static inline tree_case tree_case_of(const tree_plan* p)
{
    tree_case c = {.model = sar_model_create("tree", p->dimension)};
    int np = 0, nq = 0;
    if (!c.model) return c;
    sar_model_set_gravity(c.model, p->gravity);
    for (int b = 0; b < p->bodies; b++) {
        char name[24];
        sar_body_def def = sar_body_def_default();
        sar_body_id id;
        snprintf(name, sizeof name, "b%d", b);
        def.name = name, def.mass = p->body[b].mass;
        def.has_position = def.has_rotation = 1; // anywhere: the tree places it
        memcpy(def.inertia, p->body[b].inertia, sizeof def.inertia);
        if (sar_model_add_body(c.model, &def, &id, NULL) != SAR_OK) return c;
    }
    for (int i = 0; i < p->nodes; i++) {
        np += p->node[i].motion == SARI_BALL ? 4 : 1;
        nq += p->node[i].motion == SARI_BALL ? 3 : 1;
    }
    if (sari_mechanism_create(c.model, NULL, &c.mechanism, NULL) != SAR_OK) return c;
    c.nx_all = c.mechanism->nx * c.mechanism->bodies;
    c.tree = sari_tree_create(c.mechanism, p->nodes, np, nq);
    if (c.tree) fill_tree(c.tree, p);
    return c;
}

static inline void tree_any_place(const sari_tree* t, double* q)
{
    for (int i = 0; i < t->nodes; i++) {
        const sari_tree_node* node = &t->node[i];
        if (node->motion == SARI_BALL)
            tree_any_quaternion(q + node->p);
        else
            q[node->p] = (node->motion == SARI_TURN ? 3.0 : 1.0) * tree_any();
    }
}

/// to = where the change h v leads from q; with velocities v all the way, for any h.
static inline void tree_move(const sari_tree* t, const double* q, double h, const double* v,
                             double* to)
{
    for (int i = 0; i < t->nodes; i++) {
        const sari_tree_node* node = &t->node[i];
        if (node->motion != SARI_BALL) {
            to[node->p] = q[node->p] + h * v[node->q];
            continue;
        }
        const double *p = q + node->p, *w = v + node->q, speed = sari_norm3(w);
        const double f = speed > 0 ? sin(0.5 * h * speed) / speed : 0.5 * h,
                     e[4] = {cos(0.5 * h * speed), f * w[0], f * w[1], f * w[2]};
        const double turned[4] = {p[0] * e[0] - p[1] * e[1] - p[2] * e[2] - p[3] * e[3],
                                  p[0] * e[1] + p[1] * e[0] + p[2] * e[3] - p[3] * e[2],
                                  p[0] * e[2] - p[1] * e[3] + p[2] * e[0] + p[3] * e[1],
                                  p[0] * e[3] + p[1] * e[2] - p[2] * e[1] + p[3] * e[0]};
        memcpy(to + node->p, turned, sizeof turned);
    }
}

#endif
