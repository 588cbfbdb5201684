/* What the two contracts of the index-1 formulations share: index1.c (rates) and index1_newton.c
 * (residual with shifts). */
#ifndef SARI_INDEX1_H
#define SARI_INDEX1_H

#include "base/arena.h"
#include "formulations/constrained.h"
#include "formulations/formulation.h"
#include "formulations/tangent.h"

typedef struct sari_index1 {
    sari_arena memory;
    sari_equations* sys;
    sari_constrained lin; ///< P = M, J = Phi_q
    sari_tangent tangent; ///< of the Newton iteration, if corrections are expected
    double alpha_given;
    double* alpha;               ///< of rows that have their own, 0: that of all; NULL: none has
    double *velocity, *position; ///< 2 xi omega and omega^2 of the rows
    int stabilised;              ///< some omega is not zero
    int updates;
    int carries;  ///< multipliers are carried on: al1
    int projects; ///< 1: positions and velocities; 2: accelerations too
    int printed;  ///< the tangent, and multipliers in every iteration, as published
    int implied;  ///< rows on velocities are implied by others
    double *f, *g, *mu, *dq, *q_star;
} sari_index1;

/// g = -s = -(bias + 2 xi omega dPhi/dt + omega^2 Phi), where the system is evaluated.
void sari_index1_stabilise(sari_index1* self, const sari_state* s);

sar_status sari_index1_rates(void* self, sari_state* s);
/// With the matrix of the last position that was accepted.
sar_status sari_index1_project_acceleration(sari_index1* self, sari_state* s);
sar_status sari_index1_accept(void* self, sari_state* s, int* changed);

sar_status sari_index1_expect_corrections(void* self, const sar_options* options);
sar_status sari_index1_correct(void* self, const sari_state* s, double cv, double ca, double* dq);
void sari_index1_update(void* self, sari_state* s, double ca);
sar_status sari_index1_project(void* self, sari_state* s, double cv, double ca);

#endif
