/* Forward and inverse dynamics of an open tree, in a time that grows with the number of nodes: the
 * articulated-body algorithm and Newton-Euler recursions. */
#ifndef SARI_ARTICULATED_H
#define SARI_ARTICULATED_H

#include "coordinates/tree.h"

typedef struct sari_articulated sari_articulated;

/// Copies what it needs of the tree, gravity included. NULL: out of memory.
sari_articulated* sari_articulated_create(const sari_tree* tree);
void sari_articulated_destroy(sari_articulated* self);

/// a such that M a = tau + weight + inertial forces; tau NULL: none.
/// SAR_R_SINGULAR: the motion of `*node` (may be NULL) moves no mass. SAR_R_NOT_FINITE: q is no
/// number there. `a` is then as it was.
sar_status sari_articulated_accelerations(sari_articulated* self, const double* q, const double* v,
                                          const double* tau, double* a, int* node);

/// tau = M a - weight - inertial forces
void sari_articulated_inverse(sari_articulated* self, const double* q, const double* v,
                              const double* a, double* tau);

#endif
