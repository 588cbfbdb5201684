/* The null-space formulation, shared by its two forms: nullspace.c and nullspace_newton.c. */
#ifndef SARI_NULLSPACE_H
#define SARI_NULLSPACE_H

#include "base/arena.h"
#include "formulations/formulation.h"
#include "linalg/qr.h"

typedef enum sari_nullspace_trouble {
    NO_TROUBLE,
    LOST_RANK,
    GAINED_RANK,
    NO_MASS
} sari_nullspace_trouble;

typedef struct sari_nullspace {
    sari_arena memory;
    sari_equations* sys;
    int n, m;
    int rank; ///< of Phi_q at the start: r
    int project;
    int selects;     ///< independent coordinates are some of the coordinates
    sari_qr qr;      ///< of Phi_q'
    double* basis;   ///< Q2, column after column
    double* H;       ///< Cholesky factor of Q2' M Q2, lower, row after row
    double* fixed;   ///< Newton form: B, column after column; of `selects`: unit vectors
    double* product; ///< S Q2, column after column
    double* A;       ///< a square of dof, row after row
    int* pivot;      ///< of its rows
    double *v, *a;   ///< on the constraints
    double *f, *g, *w, *z, *dq, *q_star;
    sari_nullspace_trouble trouble; ///< why the last evaluation failed ...
    double t, ratio;                ///< ... where, and the pivot that decided
} sari_nullspace;

/* nullspace.c, for the system as it is evaluated */

/// Q and R of Phi_q'; SAR_R_SINGULAR where the rank is not what it was at the start.
sar_status sari_nullspace_factor_jacobian(sari_nullspace* self, double t);
/// Q2, column after column
void sari_nullspace_basis(const sari_nullspace* self, double* basis);
/// The smallest x with Phi_q x = g.
void sari_nullspace_smallest(const sari_nullspace* self, const double* g, double* x);
/// mu with M x + Phi_q' mu = f
void sari_nullspace_multipliers(sari_nullspace* self, const double* f, const double* x, double* mu);

/* nullspace_newton.c */
void sari_nullspace_begin(void* self, const sari_state* s);
sar_status sari_nullspace_correct(void* self, const sari_state* s, double cv, double ca,
                                  double* dq);
void sari_nullspace_update(void* self, sari_state* s, double ca);
sar_status sari_nullspace_project(void* self, sari_state* s, double cv, double ca);

#endif
