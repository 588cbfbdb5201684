/* Symmetric matrices that a tree generates: full along its branches, and known by a few numbers per
 * node. Variables x_i belong to node i; a node's motion U_i has w numbers, of which the first
 * `turning` are carried along unchanged:
 *
 *     U_i = T_i U_p + S_i x_i          p the parent; of a node without parent: U_p = 0         (1)
 *
 *     x'A x = sum_i U_i'A_i U_i + slopes sum_i x_i'(2 c_i U_p + o_i x_i)                       (2)
 *
 * T_i shifts by an arm d: with U = (turn, move), move_i = move_p + turn_p x d. In a plane turn is one
 * number, and w = 3; else w = 6. Entry (i, j) of A differs from zero where j is on the way from i to
 * the root: for a chain everywhere, so that A as such grows with the square of its length. Products
 * and factors by (1) and (2) grow with the length. */
#ifndef SARI_GENERATED_H
#define SARI_GENERATED_H

#include "base/archive.h"
#include "base/arena.h"
#include "linalg/sparse/sparse_matrix.h"

enum { SARI_GENERATED_WIDTH = 6 };

/// What is fixed of a node. Parents come first.
typedef struct sari_generated_node {
    int parent; ///< or -1
    int first;  ///< of its variables
    int count;  ///< of them: 1 or 3
} sari_generated_node;

/// Its numbers.
typedef struct sari_generator {
    double arm[3];      ///< d: from the parent's point to the node's; 2 in a plane
    double S[3][6];     ///< per variable
    double A[21];       ///< lower triangle by rows
    double slope[3][3]; ///< c: per variable, by the turning numbers of the parent
    double own[6];      ///< o: lower triangle by rows
} sari_generator;

typedef struct sari_generated {
    sari_arena memory;
    int nodes, width, turning, variables;
    int sloped; ///< slopes may be other than zero
    sari_generated_node* node;
    sari_generator* at;
    double* diagonal; ///< per variable: of the first sum of (2), to rounding
    double*
        regularisation; ///< per variable: added to the diagonal for factors, which are refined then. NULL:
                        ///< A has them as it is
    double *motion, *force; ///< work space
} sari_generated;

/// With room for so many nodes, the caller's to fill; NULL: out of memory.
sari_generated* sari_generated_create(int nodes, int variables, int planar);
sari_generated* sari_generated_copy(const sari_generated* from); ///< NULL: out of memory
void sari_generated_destroy(sari_generated* g);

/// The numbers of `from`, which has the same tree.
void sari_generated_assign(sari_generated* to, const sari_generated* from);
/// Entry (k, k) of (2), k the c-th variable of node i.
void sari_generated_archive(sari_generated* g, sari_archive* a); ///< its values
double sari_generated_entry(const sari_generated* g, double slopes, int i, int c);
/// y += A b
void sari_generated_multiply_add(const sari_generated* g, double slopes, const double* b,
                                 double* y);

#endif
