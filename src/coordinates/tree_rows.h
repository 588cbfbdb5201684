/* Polynomials of X as functions of a tree's coordinates, for kinematics.c.
 *
 * The gradient of a polynomial by the placement of a body is a force on it; its wrench W on the
 * body (tree.h) gives the derivative by every coordinate between the body and the ground:
 *
 *     d phi/dq_i = S_i . W                                                                   (1)
 *
 *     d2 phi/dq_i dq_j = S_i . (dW/dq_j + Z_j)                                               (2)
 *
 * with S_i . Z_j = (S_j x S_i) . W, which is there when j is not beyond i: S_i is carried along.
 * What two bodies have in common on their ways drops out of everything that depends on their
 * position to each other alone. */
#ifndef SARI_TREE_ROWS_H
#define SARI_TREE_ROWS_H

#include "coordinates/tree.h"
#include "system/kinematics.h"

/// depends and paths of a polynomial.
sar_status sari_tree_list(sari_kinematics* k, int poly);

/// Is a scalar the angle or the displacement of a joint of the tree that has no other coordinate?
int sari_tree_is_coordinate(const sari_kinematics* k, int scalar);

/// As sari_poly_gradient, sari_poly_gradient_rate, sari_poly_hessian.
double sari_tree_gradient(const sari_kinematics* k, int poly, double* g);
void sari_tree_gradient_rate(const sari_kinematics* k, int poly, double* g);
void sari_tree_hessian(const sari_kinematics* k, int count, const int* polys, const double* s,
                       double* H);

/// As sari_body_pull, sari_body_add_second.
void sari_tree_pull(const sari_kinematics* k, int b, const double* G, double* out);
void sari_tree_add_second(const sari_kinematics* k, int b, const double* G, int j, double* out);

#endif
