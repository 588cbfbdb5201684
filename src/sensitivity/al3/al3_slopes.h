/* How the equations of a step (al3_terms.h) change with q, v* and v: sparse matrices.
 *
 * The part of applied forces is exact, K and C. Where places are linear in q and rows quadratic, all the rest is known in
 * closed form, elsewhere rows are (al3_closed.c). What is not is smooth over the size of the bodies and is differenced: with
 * four points at 1e-3 sizes or radians, to about 1e-13; rows and inertial forces are quadratic in v, and two points are
 * exact. Columns that no row has in common are moved together [curtis1974]. */
#ifndef SARI_SENSITIVITY_AL3_SLOPES_H
#define SARI_SENSITIVITY_AL3_SLOPES_H

#include "linalg/sparse/sparse_matrix.h"
#include "sensitivity/al3/al3_terms.h"
#include "system/linear/residual.h"

typedef struct sari_slopes {
    sari_arena memory;
    sari_system* sys;
    double unit;             ///< size of the bodies
    sari_sym S;              ///< pattern of square matrices: lower values, then as many upper ones
    int entries;             ///< in it
    int *p, *row, *at;       ///< both triangles by columns: rows, and where the values are
    int *J_p, *J_row, *J_at; ///< Phi_q by columns
    int *colour, colours;    ///< of columns
    double *M, *F_q, *F_v, *N_q, *A_q; ///< [2 entries]
    sari_csr J;                        ///< Phi_q, whose pattern is shared
    double* Phi_q_star; ///< [entries of J] slope of psi, in rows on velocities; else 0
    double *rate_q, *second_q, *second_v; ///< likewise
    double *D, *D_0; ///< of the change d that leads from q0 to q, by q and by q0; NULL: 1 and -1
    int* where;      ///< workspace, -1: of a column, by rows
    int* M_at;       ///< where entries of M are in the pattern
    int* K_at;       ///< and those of K and C
    int*
        H_at; ///< and second derivatives of rows, in the lower triangle, else -1, where they are constant and M is too;
              ///< else NULL
    int closed;                  ///< what follows is there, see al3_closed.c
    int* pair;                   ///< per row: where products of two of its columns are in S
    int *inertia_p, *inertia_at; ///< entries of columns that inertia couples
    int *colour_of_inertia, colours_of_inertia; ///< columns with no row in common, of these
    double *R, *still, *H,
        *dense; ///< dJ/dt, no velocity, second derivatives of a row, and of a relation
    sari_step_terms value;
    double* slope;                          ///< of a colour, like those
    double *dq, *there, *velocity, *change; ///< workspace: nq, np, nq, nq
} sari_slopes;

sar_status sari_slopes_create(sari_slopes* s, sari_system* sys, double unit);
void sari_slopes_clear(sari_slopes* s);

/* al3_closed.c */
sar_status sari_slopes_closed_create(sari_slopes* s);
/// All but K and C, without differences along every coordinate; of F_q, N_q, A_q, F_v and the rows. SAR_E_INCOMPAT: not to be had.
sar_status sari_slopes_closed(sari_slopes* s, const sari_step_record* r);

/// M and J alone, of a system like its own.
sar_status sari_slopes_place(sari_slopes* s, sari_system* sys, double t, const double* q);
/// All of them; the record has nu and kappa.
sar_status sari_slopes_find(sari_slopes* s, const sari_step_record* r);

/// y = A x and A'x for the values A of a square matrix.
void sari_slopes_times(const sari_slopes* s, const double* A, const double* x, double* y);
void sari_slopes_times_transposed(const sari_slopes* s, const double* A, const double* x,
                                  double* y);
/// y += f B x and f B'x for the values B of rows.
void sari_slopes_add_rows(const sari_slopes* s, const double* B, double f, const double* x,
                          double* y);
void sari_slopes_add_rows_transposed(const sari_slopes* s, const double* B, double f,
                                     const double* x, double* y);

#endif
