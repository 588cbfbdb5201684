/* A balanced binary tree over the blocks of a matrix: what divide and conquer divides. */
#ifndef SARI_DCA_TREE_H
#define SARI_DCA_TREE_H

#include "linalg/solver.h"

/// Nodes 0 .. leaves-1 are the blocks. Inner nodes follow, a parent before its children.
typedef struct sari_dca_tree {
    int leaves, nodes;
    int* parent; ///< [nodes] -1 at the root
    int* depth;  ///< [nodes] 0 at the root
    int* lowest; ///< [nodes] smallest block below
} sari_dca_tree;

/// The blocks of `structure` are joined by entries between them and by rows that meet them.
sar_status sari_dca_tree_init(sari_dca_tree* t, sari_arena* memory, const sari_sym* A,
                              const sari_structure* structure);

/// The lowest node that has both below it (or is one of them).
int sari_dca_tree_meet(const sari_dca_tree* t, int a, int b);

#endif
