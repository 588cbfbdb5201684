/* The symmetric matrix of an implicit step without its constraints:
 *
 *     P = M + b (cv C + K) + b G
 *
 * with the symmetric parts of K and C, and if wanted the geometric stiffness G = lambda . d2Phi/dq2
 * of the constraints. Of G the parts that the neck has are taken (sari_equations_stiffness), and
 * only as far as the blocks of P stay positive definite.
 *
 * States of forces, y, are eliminated before, for what couples them to the motion, q, is far from
 * symmetric. With A = M + b (cv C + K) of them and no constraints on y,
 *
 *     A_yy y + A_yq q = f_y:   (A_qq - A_qy A_yy^-1 A_yq) q = f_q - A_qy A_yy^-1 f_y             (1)
 *
 * P has the matrix on the left, and ones for y. Who solves with P calls `reduce` before and `expand`
 * after; without states these do nothing. */
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
    struct sari_condensation* states; ///< step_states.c; NULL: there are none
    double* kept;           ///< M + b (cv C + K) as last set, where M is constant; or NULL
    double kept_b, kept_cv; ///< with these,
    unsigned long kept_of;  ///< and with K and C of this evaluation
} sari_step_matrix;

/// Makes the pattern P; its values are M.
sar_status sari_step_matrix_create(sari_step_matrix* m, const sari_equations* sys, int geometric,
                                   sari_sym* P);
void sari_step_matrix_clear(sari_step_matrix* m);

/// The values of P, which were those of M or set before; lambda NULL: without G.
void sari_step_matrix_set(sari_step_matrix* m, double b, double cv, const double* lambda,
                          sari_sym* P);

/// What `reduce`, `expand` and the next `set` go on with.
void sari_step_matrix_archive(sari_step_matrix* m, sari_archive* a);

/// The right-hand side of (1), with the matrix last set; f of the states stays.
void sari_step_matrix_reduce(const sari_step_matrix* m, double* f);
/// x of the states, where that of the motion solves (1); f as reduced.
void sari_step_matrix_expand(const sari_step_matrix* m, const double* f, double* x);

#endif
