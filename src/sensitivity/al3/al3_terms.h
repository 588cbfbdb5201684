/* The equations that one step of al3 with the trapezoidal rule solves, and what is left of them.
 *
 * From (q0, v0, a0) to (q, v, a), with d the change that leads from q0 to q, cv = 2/h, ca = 4/h^2:
 *
 *     v* = cv d - v0,   a* = ca (d - h v0) - a0                                                  (1)
 *     F = M a* + J'lambda - Q(t, q, v*) = 0,   Phi = 0, of rows on velocities psi = A v* + b = 0      (2)
 *     N = M (v - v*) + J'nu = 0,   rate = J v + Phi_t = 0                                       (3)
 *     A = M (a - a*) + J'ka = 0,   second = J a + bias(v) = 0                                   (4)
 *
 * M, J at q. (3) and (4) are the projections in their limit [bayo1996]. */
#ifndef SARI_SENSITIVITY_AL3_TERMS_H
#define SARI_SENSITIVITY_AL3_TERMS_H

#include "base/arena.h"
#include "system/system.h"

/// A step as it was taken.
typedef struct sari_step_record {
    double t, h;                       ///< at its end, and its length
    const double *q0, *v0, *a0;        ///< where it began
    const double *q, *v, *a;           ///< where it ended
    const double *v_star, *a_star;     ///< before projections
    const double *lambda, *nu, *kappa; ///< of (2), (3), (4)
} sari_step_record;

/// What is left of (2) to (4): one array of 3 nq + 3 nc numbers.
typedef struct sari_step_terms {
    int nq, nc;
    double *F, *N, *A;           ///< nq each
    double *Phi, *rate, *second; ///< nc each; psi in Phi's place for rows on velocities
    double *work, *product;      ///< nq
} sari_step_terms;

enum { SARI_TERMS_ALL, SARI_TERMS_SMOOTH };

/// What of a system enters (2) to (4).
enum { SARI_PART_ROWS = 1, SARI_PART_INERTIA = 2, SARI_PART_APPLIED = 4, SARI_PARTS = 7 };
/// These parts of the terms of the record; weight is inertia, and is also there where applied forces are asked for.
sar_status sari_terms_of(sari_step_terms* x, sari_system* sys, const sari_step_record* r,
                         unsigned parts);

void sari_terms_take(sari_step_terms* x, sari_arena* memory, const sari_system* sys);
static inline int sari_terms_size(const sari_step_terms* x)
{
    return 3 * (x->nq + x->nc);
}

/// At time t, position q, v* and v in the place of those of the record; smooth: without applied forces, and F of
/// states of forces is zero.
sar_status sari_terms_find(sari_step_terms* x, sari_system* sys, const sari_step_record* r,
                           double t, const double* q, const double* v_star, const double* v,
                           int smooth);

#endif
