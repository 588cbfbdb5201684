/* Linear complementarity: z >= 0 and w = A z + b >= 0 with w'z = 0. */
#ifndef SARI_LCP_H
#define SARI_LCP_H

#include "sarrus/base.h"

/// Numbers of room that a problem of n unknowns needs.
static inline int sari_lcp_room(int n)
{
    return n * (2 * n + 3);
}

/// By Lemke's method, for A (row-major) that is symmetric and positive semidefinite: where there is a
/// solution it finds one, in finitely many steps and always the same. `basis` has room for n.
/// SAR_R_NO_CONV: there is none.
sar_status sari_lcp_solve(int n, const double* A, const double* b, double* z, double* room,
                          int* basis);

#endif
