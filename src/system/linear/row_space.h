/* Motions that rows of Phi_q admit, and what holds the others, where rows may be redundant.
 *
 * With D = diag(M), L lengths of rows in that norm, and pivoted Householder reflections [golub2013]
 *
 *     D^-1/2 Phi_q' L^-1 Pi = Q R,   rank: pivots above 1e-9 of the first                      (1)
 *     T = D^-1/2 (columns of Q beyond the rank), made T'M T = 1:   Phi_q T = 0                  (2)
 *     Phi_q x = b:       x = D^-1/2 Q R'^-1 Pi' L^-1 b                                         (3)
 *     Phi_q' lambda = f: lambda = L^-1 Pi R^-1 Q' D^-1/2 f                                     (4)
 *
 * (3) is one solution, (4) one least-squares solution: what redundant rows leave open does not matter. */
#ifndef SARI_ROW_SPACE_H
#define SARI_ROW_SPACE_H

#include "linalg/qr.h"
#include "system/system.h"

typedef struct sari_row_space {
    sari_system* sys;
    int rows;       ///< of Phi_q, the first ones
    int n;          ///< coordinates, the first ones: positions of states of forces do not count
    int rank, d;    ///< d = n - rank
    double weakest; ///< the last pivot of the rank, of the first
    double* T;      ///< d vectors of nq numbers
    double *D, *L;  ///< square roots of D, lengths
    double *MT, *work;
    sari_qr qr;
} sari_row_space;

/// With the memory of its owner; sari_row_space_clear after all.
sar_status sari_row_space_create(sari_row_space* s, sari_arena* memory, sari_system* sys, int rows,
                                 int n);
void sari_row_space_clear(sari_row_space* s);

/// (1) and (2) with the last evaluated Phi_q and M. SAR_R_SINGULAR: motion d - 1 has no mass.
sar_status sari_row_space_find(sari_row_space* s);
/// (3): b has `rows` numbers, x nq.
void sari_row_space_solve(sari_row_space* s, const double* b, double* x);
/// (4): f has nq numbers, lambda `rows`.
void sari_row_space_multipliers(sari_row_space* s, const double* f, double* lambda);

#endif
