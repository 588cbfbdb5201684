/* Vectors on their way to the place of an S that was factored some steps ago, and back.
 *
 * Where axes turn along with a body that spins, its rows have other numbers after every step, though
 * hardly anything has changed in space. With R the rotation of each body since then, S of there serves
 * here too:
 *
 *     dq = R' S^-1 R f                                                                       (1)
 *
 * It is a good one as long as constraints, stiffness and inertia have changed little in space: the
 * spin of a wheel about its axis of symmetry changes none of them. But two rows of its bearing that
 * hold one axis against two directions of the wheel turn into each other,
 *
 *     Phi_q R' = B Phi_q,S                                                                   (2)
 *
 * with B a turn in their plane, found in the sense of least squares. So their violations g and their
 * multipliers mu are
 *
 *     g_S = B^-1 g,   mu = B'^-1 mu_S                                                        (3) */
#ifndef SARI_TRANSPORTED_TANGENT_H
#define SARI_TRANSPORTED_TANGENT_H

#include "base/archive.h"
#include "base/arena.h"
#include "system/equations.h"

/// Two rows, one after the other, of the same coordinates.
typedef struct sari_row_pair {
    int row;
    double by_gap[2][2];   ///< B^-1
    double by_force[2][2]; ///< B'^-1
} sari_row_pair;

typedef struct sari_transport {
    const sari_equations* sys;
    double* q;            ///< where S was factored
    double* J;            ///< and Phi_q
    double *ahead, *back; ///< the change that leads from there to here, and back
    double* turned;       ///< two rows of Phi_q in the axes of there
    sari_row_pair* pair;
    int pairs;
} sari_transport;

/// Takes its room from `memory`, and is out of it if that fails.
void sari_transport_create(sari_transport* c, sari_arena* memory, const sari_equations* sys);
/// S was factored at q, with Phi_q as evaluated last.
void sari_transport_archive(sari_transport* c, sari_archive* a);
void sari_transport_begin(sari_transport* c, const double* q);
/// The present position is q, with Phi_q as evaluated last.
void sari_transport_prepare(sari_transport* c, const double* q);

/// Forces f and violations g as they are there.
void sari_transport_there(const sari_transport* c, double* f, double* g);
/// A change x and multipliers mu, or NULL, as they are here.
void sari_transport_here(const sari_transport* c, double* x, double* mu);

#endif
