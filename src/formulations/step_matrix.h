/* The symmetric matrix of an implicit step without its constraints:
 *
 *     P = M + b (cv C + K) + b G
 *
 * with the symmetric parts of K and C, and if wanted the geometric stiffness G = lambda . d2Phi/dq2
 * of the constraints. Of G the parts that the neck has are taken (sari_equations_stiffness), and
 * only as far as the blocks of P stay positive definite. */
#ifndef SARI_STEP_MATRIX_H
#define SARI_STEP_MATRIX_H

#include "base/arena.h"
#include "system/equations.h"

typedef struct sari_step_matrix {
    sari_arena memory;
    const sari_equations* sys;
    int entries;       ///< of P
    int has_tangent;   ///< K and C have entries
    int *M_at, *K_at;  ///< entries of M and K in P; off-diagonal entries of K count half
    double* stiffness; ///< G, six numbers per block; NULL: none
    double* turning;   ///< the same entries of M
    int* turning_at;   ///< and where they are in P
} sari_step_matrix;

/// Makes the pattern P; its values are M.
sar_status sari_step_matrix_create(sari_step_matrix* m, const sari_equations* sys, int geometric,
                                   sari_sym* P);
void sari_step_matrix_clear(sari_step_matrix* m);

/// The values of P, which were those of M or set before; lambda NULL: without G.
void sari_step_matrix_set(sari_step_matrix* m, double b, double cv, const double* lambda,
                          double* P);

#endif
