/* The symmetric matrix of an implicit step without its constraints:
 *
 *     P = M + b (cv C + K) + b G
 *
 * with the symmetric parts of K and C, and if wanted the geometric stiffness G = lambda . d2Phi/dq2
 * of the constraints. Of G the part within a body is taken, where every body has six coordinates of
 * its own, and only as far as the body's block of P stays positive definite. */
#ifndef SARI_STEP_MATRIX_H
#define SARI_STEP_MATRIX_H

#include "system/system.h"

typedef struct sari_step_matrix {
    const sari_system* sys;
    int entries;       ///< of P
    int has_tangent;   ///< K and C have entries
    int *M_at, *K_at;  ///< entries of M and K in P; off-diagonal entries of K count half
    double* stiffness; ///< G, six numbers per body; NULL: none
    double* turning;   ///< the same entries of M
    int* turning_at;   ///< and where they are in P
} sari_step_matrix;

/// Makes the pattern P; its values are M.
sar_status sari_step_matrix_create(sari_step_matrix* m, const sari_system* sys, int geometric,
                                   sari_sym* P);
void sari_step_matrix_clear(sari_step_matrix* m);

/// The values of P, which were those of M or set before; lambda NULL: without G.
void sari_step_matrix_set(sari_step_matrix* m, double b, double cv, const double* lambda,
                          double* P);

#endif
