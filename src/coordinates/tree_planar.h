/* Trees in a plane: the recursions of tree.c and tree_inertia.c with one turn and two directions.
 *
 * All nodes turn about z, or against it, or slide within the plane. So the frame of a node may be
 * taken turned by the sum of the turns up to it: with all coordinates zero the axes of all frames
 * are those of the world, and no fixed rotation is left between them. Of vectors of six there are
 * the numbers 2 to 4, (w, vx, vy) or (moment, fx, fy); the others are zero and stay so. Every node
 * has one coordinate, whose number is that of the node. */
#ifndef SARI_TREE_PLANAR_H
#define SARI_TREE_PLANAR_H

#include "coordinates/tree.h"

/// What never changes, as it is with all coordinates zero, and where the node is.
typedef struct sari_planar_node {
    int parent;      ///< or -1: the ground
    double sense;    ///< turn: 1 about z, -1 against it; slide: 0
    double along[2]; ///< slide: its direction; turn: zero
    double step[2];  ///< from the parent's origin
    double mass, J;  ///< J: about the centre of mass
    double center[2];
    double r[2]; ///< its origin, world
    double c[2]; ///< centre of mass from o, world
} sari_planar_node;

typedef struct sari_planar {
    sari_planar_node* node;
    double* body;                  ///< 4 per body: X as seen from its node, all coordinates zero
    double *angle, *cosine, *sine; ///< per node, of its frame; rounded up to four
} sari_planar;

/// NULL: out of memory.
sari_planar* sari_planar_create(int nodes, int bodies, sari_arena* memory);
/// From the nodes of t, complete but for this.
void sari_planar_fill(const sari_tree* t);

/// As sari_tree_...
void sari_planar_place(sari_tree* t, const double* q, double* X);
void sari_planar_set_momenta(sari_tree* t);
void sari_planar_mass(sari_tree* t, double* M);
void sari_planar_weight_stiffness(sari_tree* t, double* K);
void sari_planar_force(sari_tree* t, int with_velocity, double* Q);
void sari_planar_mass_rate(sari_tree* t, double* out);
double sari_planar_kinetic_energy(const sari_tree* t, const double* v);

/// V, A and dS/dt of all nodes.
void sari_planar_node_rates(sari_tree* t, const double* v);
/// Rates of X of a body that moves by V and A.
void sari_planar_body_rates(const sari_tree* t, const double* X, const sari_six V, const sari_six A,
                            double* Xd, double* Xdd);

#endif
