/* In which order the variables of [P J'; J -D] are eliminated where P has a tree (generated.h), and
 * which of them meet. Every node of the tree has a front: a dense matrix of the variables that are
 * eliminated there, of the motion of its parent, and of the variables that wait for a node nearer to
 * the root: rows of J that are also about other branches, variables that P couples beside the tree.
 * After the last node comes the root, which has no motion. */
#ifndef SARI_TREE_FRONTS_H
#define SARI_TREE_FRONTS_H

#include "base/arena.h"
#include "linalg/tree/generated.h"
#include "sarrus/base.h"

/// A front holds its pivots, the motion, then the waiting variables.
typedef struct sari_front {
    int node;     ///< of the tree; -1: the root
    int parent;   ///< node; -1: the ground, or none
    int width;    ///< of the motion: that of the tree, 0 for the root
    int pivots;   ///< variables that are eliminated here, those of P first
    int waiting;  ///< and that are not
    int variable; ///< where both are, one after the other, in `variable`
    int children; ///< fronts whose rest is added to it: the last ones that were made
    int child;    ///< where they are in `child`
    int entry;    ///< where its entries of the matrix begin; they end where the next front's do
    int own[3];   ///< where the variables of its node are
    long factor;  ///< where its pivots' rows are
} sari_front;

/// An entry of the matrix and its place in a front.
typedef struct sari_front_entry {
    int at, row, col;
} sari_front_entry;

typedef struct sari_fronts {
    int fronts; ///< in the order of elimination, the root last
    sari_front* front;
    int* variable;
    int* child; ///< numbers of fronts
    int** into; ///< per front: where its waiting variables are in the front that takes them
    sari_front_entry* entry;
    int largest;  ///< front
    long factor;  ///< numbers of all rows of pivots
    long stacked; ///< numbers of what waits for its turn, at most
    double work;  ///< operations of a factorisation
} sari_fronts;

/// Of a matrix whose first `primal` variables are those of P. Its memory is that of the arena.
sar_status sari_fronts_create(sari_fronts* f, sari_arena* memory, const sari_generated* tree,
                              const sari_sym* pattern, int primal);

/// Pivot of a variable of the solver `tree`; 0: it was replaced.
double sari_tree_solver_pivot(const void* self, int variable);

/// Operations for a front.
static inline double sari_front_work(int pivots, int width, int waiting)
{
    const double size = pivots + width + waiting;
    double work = size * size + 4.0 * width * size; // to collect it, and to go to another motion
    for (int k = 1; k <= pivots; k++) work += 0.5 * (size - k) * (size - k);
    return work;
}

static inline int sari_front_size(const sari_front* f)
{
    return f->pivots + f->width + f->waiting;
}

#endif
