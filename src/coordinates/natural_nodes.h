/* Points and axes that joints of bodies share, for natural.c: found by where they are, joined in classes. */
#ifndef SARI_NATURAL_NODES_H
#define SARI_NATURAL_NODES_H

#include "base/hash.h"
#include "sarrus/model.h"
#include "system/mechanism/polynomial.h"

/* A point or an axis of a body that some joint uses; those that joints identify form a class. */
typedef struct sari_natural_node {
    int body;
    double local[3]; ///< body frame
    int next;        ///< of the same body, -1: the last
    int parent;      ///< class: the root's members below count
    int known;       ///< `value` is set
    int unit;        ///< axes: |u| = 1 is constrained already (or constant)
    int guide; ///< points: condition that keeps the point on a line or plane of the ground, -1
    sari_affine value[3];
} sari_natural_node;

typedef struct sari_node_list {
    sari_natural_node* at;
    int count, capacity;
    int *first, *last; ///< per body: its nodes, in the order in which they came; -1: none
    double cell;       ///< edge of the cells by which nodes are found
    sari_hash by_cell;
} sari_node_list;

/// Groups of bodies whose orientations differ by constant rotations.
typedef struct sari_orientations {
    int* group; ///< per body: root of its orientation group
    int* mate;  ///< per body: another of its group, all of them in a ring
    double* R;  ///< per body: A_b = A_group R_b
} sari_orientations;

/// A_a F_a = A_b F_b, with the directions of two ends. Joins the groups of the two bodies; 1 if they now (or
/// already) agree.
int sari_orientations_join(sari_orientations* o, int dimension, const sar_end* e, const sar_end* f);

/// 0: out of memory. `extent`: the largest distance of a node from the origin of its body.
int sari_nodes_init(sari_node_list* list, int bodies, double extent);
void sari_nodes_release(sari_node_list* list);

/// The node of the body there, a new one if there was none; -1: out of memory. Those of the ground are constants.
int sari_nodes_add(sari_node_list* list, int body, const double local[3]);
/// Both belong to one class from now on.
void sari_nodes_join(sari_node_list* list, int i, int j);
/// Which stands for the class of node i.
int sari_node_root(sari_node_list* list, int i);

#endif
