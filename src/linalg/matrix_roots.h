/* Where a matrix that depends smoothly on one number x is singular: real zeros of det F(x) in
 * [-1, 1]. F is the polynomial through its values at Chebyshev's nodes.
 *
 * The zeros are found by Laguerre's method with those that are known divided out. All it asks for
 * is
 *
 *     G = (log det F)' = tr(F^-1 F'),   H = -G' = tr((F^-1 F')^2) - tr(F^-1 F'')
 *
 * so that no determinant is formed: a zero that k singular values share, F ~ x times a regular
 * matrix, is as accurate as a simple one. */
#ifndef SARI_MATRIX_ROOTS_H
#define SARI_MATRIX_ROOTS_H

#include "base/arena.h"

enum { SARI_ROOT_NODES = 10 };

typedef struct sari_matrix_roots {
    int most, size;                 ///< room for matrices, and that of the present ones
    double* value[SARI_ROOT_NODES]; ///< F at the nodes, by rows; then divided differences
    double *F, *F1, *F2;            ///< at some x
    double* root;                   ///< room for most + SARI_ROOTS_MORE
} sari_matrix_roots;

/// So many more than the size may be found: a singular value may be zero more than once.
enum { SARI_ROOTS_MORE = 2 };

void sari_matrix_roots_take(sari_matrix_roots* m, sari_arena* memory, int most);
/// Where `value[node]` is to be taken.
double sari_root_node(int node);
/// From the values: zeros in [-1 - slack, 1 + slack], ascending, into `root`; each as often as it
/// counts, and twice where F lacks rank but for `touch` (below) without one. The values are lost.
int sari_matrix_roots_find(sari_matrix_roots* m, double slack, double touch);
/// How many ranks F lacks at one of them, or so near that it is the same but for `apart`.
int sari_matrix_roots_lost(sari_matrix_roots* m, double x, double apart);
/// The largest singular value of an n x n matrix, to a few percent; x and y: n numbers each, scratch.
double sari_matrix_size(int n, const double* A, double* x, double* y);

#endif
