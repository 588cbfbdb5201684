/* What the files of the adjoint share: its equations at the places of a part, and a part backwards. See adjoint.c. */
#ifndef SARI_SENSITIVITY_ADJOINT_PARTS_H
#define SARI_SENSITIVITY_ADJOINT_PARTS_H

#include "analysis/linear.h"
#include "sensitivity/adjoint_path.h"
#include "sensitivity/al3/al3_slopes.h"

enum { SARI_GAUSS = 5 }; ///< places of a part
extern const double sari_gauss_place[SARI_GAUSS], sari_gauss_weight[SARI_GAUSS];

/// A place of a part, with x and y; or the end of one, where l was freed of forces of rows, with the y of (7).
typedef struct sari_adjoint_node {
    double t, weight; ///< of the integral (4)
    double *q, *v, *a, *lambda, *x, *y;
    double *y_q, *y_v;
    int freed; ///< it is such an end
} sari_adjoint_node;

/// (3) there: dl_q/dt = B_q l_v - turn'l_q, dl_v/dt = B_v l_v - l_q; and x = T T'l_v, y = Y l_v.
typedef struct sari_adjoint_slopes {
    double *B_q, *B_v, *turn; ///< n x n by rows; turn: NULL where positions are vectors
    double *T, *Y;            ///< freedoms x n, nc x n
} sari_adjoint_slopes;

typedef struct sari_adjoint_equations {
    sari_linear* linear;
    sari_slopes at; ///< of (1), where (5) is not to be had
    double* none;   ///< zeros: nc
    int nq, nc;
    int freedoms; ///< of velocities, everywhere; -1: not known yet
    sari_adjoint_slopes slopes[SARI_GAUSS];
    double *unit, *column, *g, *stage; ///< workspace: nq, nc, 2 nq, 2 nq
    double *k, *image;                 ///< dl/dt at the places, and workspace: 2 nq each
    double* basis;                     ///< of Krylov's space
} sari_adjoint_equations;

sar_status sari_adjoint_equations_take(sari_adjoint_equations* e, sari_arena* memory,
                                       sari_system* sys, double unit);
void sari_adjoint_equations_clear(sari_adjoint_equations* e);
/// l from the end of a part to its begin, h before, whose places are these, the last first: they get a, lambda, x and y. SAR_R_...: ranks
/// change, or the part is too long.
sar_status sari_adjoint_go_back(sari_adjoint_equations* e, sari_adjoint_node node[SARI_GAUSS],
                                double h, double* l);
/// (7): l is freed of forces of rows at the state of a node, which gets y_q and y_v; its x and y are zero.
sar_status sari_adjoint_free(sari_adjoint_equations* e, sari_adjoint_node* node, double* l);

#endif
