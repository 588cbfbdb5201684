/* With U_i the velocity of node i and of its origin, world axes, (1) of generated.h is how velocities
 * go along the tree, and (2) twice the kinetic energy, with A_i the inertia of what is fixed to the
 * node. So M needs no entries: articulated bodies are its factors [featherstone1987].
 *
 * Weight turns a coordinate k by w_k . (L_k x g), see (3) of tree_inertia.c: of node i and what is
 * above it, w = the turning numbers of U_p and of its own,
 *
 *     c_i = -(L x g),   o_i = -w . (L x g)                                                      */
#include "coordinates/tree_generated.h"

#include "coordinates/tree_planar.h"

#include <math.h>
#include <string.h>

sari_generated* sari_tree_generated(const sari_tree* t)
{
    const double* gravity = t->mechanism->model->gravity;
    sari_generated* g = sari_generated_create(t->nodes, t->nq, t->planar != NULL);
    for (int i = 0; g && i < t->nodes; i++)
        g->node[i] = (sari_generated_node){t->node[i].parent, t->node[i].q, t->node[i].n};
    if (g) g->sloped = gravity[0] != 0.0 || gravity[1] != 0.0 || gravity[2] != 0.0;
    return g;
}

/* ---- in space ------------------------------------------------------------------------------- */

/* Inertia about a point from which the centre of mass is at c. */
static void set_inertia(double m, const double J[6], const double c[3], double A[21])
{
    const double ww[6] = {J[0] + m * (c[1] * c[1] + c[2] * c[2]),
                          J[3] - m * c[0] * c[1],
                          J[1] + m * (c[0] * c[0] + c[2] * c[2]),
                          J[4] - m * c[0] * c[2],
                          J[5] - m * c[1] * c[2],
                          J[2] + m * (c[0] * c[0] + c[1] * c[1])};
    const double x = m * c[0], y = m * c[1], z = m * c[2];
    const double moving[15] = {0, z, -y, m, -z, 0, x, 0, m, y, -x, 0, 0, 0, m};
    memcpy(A, ww, sizeof ww);
    memcpy(A + 6, moving, sizeof moving);
}

static void set_slopes(const sari_tree* t, int i, sari_generator* at)
{
    const sari_tree_node* node = &t->node[i];
    const double* g = t->mechanism->model->gravity;
    double* own = at->own;
    for (int k = 0; k < node->n; k++) {
        double turned[3];
        sari_cross(t->P[node->q + k] + 3, g, turned);
        for (int c = 0; c < 3; c++) at->slope[k][c] = -turned[c];
    }
    for (int k = 0; k < node->n; k++)
        for (int j = 0; j <= k; j++)
            *own++ = 0.5 * (sari_dot(at->S[j], at->slope[k]) + sari_dot(at->S[k], at->slope[j]));
}

static void generate_node(const sari_tree* t, int i, sari_generator* at)
{
    const sari_tree_node* node = &t->node[i];
    const sari_node_place* place = &t->place[i];
    const int turns = node->motion != SARI_SLIDE;
    double c[3];
    for (int k = 0; k < 3; k++) {
        at->arm[k] = node->parent < 0 ? 0.0 : place->r[k] - t->place[node->parent].r[k];
        c[k] = place->c[k] - (place->r[k] - t->o[k]);
    }
    for (int v = 0; v < node->n; v++)
        for (int k = 0; k < 3; k++) {
            at->S[v][k] = turns ? t->S[node->q + v][k] : 0.0;
            at->S[v][3 + k] = turns ? 0.0 : t->S[node->q + v][3 + k];
        }
    set_inertia(node->mass, place->J, c, at->A);
}

/* ---- in a plane ----------------------------------------------------------------------------- */

static void generate_planar_node(const sari_tree* t, int i, sari_generator* at)
{
    enum { TURN = 2, X, Y }; // in motions of trees
    const sari_planar_node* node = &t->planar->node[i];
    const double m = node->mass, *S = t->S[i], *g = t->mechanism->model->gravity;
    double c[2];
    for (int k = 0; k < 2; k++) {
        at->arm[k] = node->parent < 0 ? 0.0 : node->r[k] - t->planar->node[node->parent].r[k];
        c[k] = node->c[k] - (node->r[k] - t->o[k]);
    }
    at->S[0][0] = S[TURN];
    for (int k = 0; k < 2; k++) at->S[0][1 + k] = S[TURN] != 0.0 ? 0.0 : S[X + k];
    const double A[6] = {node->J + m * (c[0] * c[0] + c[1] * c[1]), -m * c[1], m, m * c[0], 0, m};
    memcpy(at->A, A, sizeof A);
    at->slope[0][0] = g[0] * t->P[i][Y] - g[1] * t->P[i][X];
    at->own[0] = S[TURN] * at->slope[0][0];
}

void sari_tree_generate(sari_tree* t, sari_generated* g)
{
    sari_tree_set_momenta(t);
    for (int i = 0; i < t->nodes; i++) {
        if (t->planar) {
            generate_planar_node(t, i, &g->at[i]);
            continue;
        }
        generate_node(t, i, &g->at[i]);
        if (g->sloped) set_slopes(t, i, &g->at[i]);
    }
    for (int k = 0; k < t->nq; k++) g->diagonal[k] = sari_tree_work(t, t->S[k], t->P[k]);
}

enum { ENTRY = 6 }; ///< operations for an entry of M

double sari_tree_formed_work(const sari_tree* t, int closed)
{
    const double n = t->nq, full = n * n * n / 6.0;
    double factor = 0.0, entries = 0.0;
    for (int i = 0; i < t->nodes; i++) {
        const sari_tree_node* node = &t->node[i];
        double* above = t->W[i]; // not in use yet: variables from here to the ground
        *above = node->n + (node->parent < 0 ? 0.0 : *t->W[node->parent]);
        factor += 0.5 * node->n * *above * *above;
        entries += node->n * *above;
    }
    if (closed) factor = fmin(4.0 * factor, full);
    return factor + ENTRY * entries;
}
