/* The matrix of a Newton iteration that is not symmetric:
 *
 *     S = M + b (cv C + K) + U' W
 *
 * where U and W are matrices on the pattern of Phi_q, that is, sums of Phi_q and dPhi_q/dt. */
#ifndef SARI_TANGENT_H
#define SARI_TANGENT_H

#include "base/arena.h"
#include "linalg/lu.h"
#include "system/equations.h"

typedef struct sari_tangent {
    sari_arena memory;
    const sari_equations* sys;
    sari_sym S; ///< its lower triangle; the whole pattern
    double* upper;
    int *M_at, *K_at; ///< entries of M and of K in S
    int* product_at;  ///< products of the entries of a row of Phi_q, row after row
    double *U, *W;    ///< values of U and W, to be set before factoring
    sari_lu lu;
} sari_tangent;

sar_status sari_tangent_create(sari_tangent* t, const sari_equations* sys, const char* solver);
void sari_tangent_clear(sari_tangent* t);

/// Factor S with the system's present M, K and C.
sar_status sari_tangent_factor(sari_tangent* t, double b, double cv);
void sari_tangent_solve(const sari_tangent* t, double* x); ///< in place

#endif
