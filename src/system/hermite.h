/* A motion between two states: the polynomial of degree five through positions, velocities and
 * accelerations at both ends, for every number of the position. Errors are O(h^6). */
#ifndef SARI_HERMITE_H
#define SARI_HERMITE_H

#include "system/system.h"

/// A state as this needs it: np numbers each.
typedef struct sari_knot {
    double t;
    double *q, *rate, *second; ///< q, dq/dt = E(q) v, d2q/dt2
} sari_knot;

void sari_knot_create(sari_knot* k, const sari_system* system, sari_arena* memory);
void sari_knot_archive(sari_knot* k, const sari_system* system, sari_archive* a);
void sari_knot_set(sari_knot* k, const sari_coordinates* c, const sari_state* s);

/// The position at a time between a and b; by the cubic through positions and velocities where the
/// accelerations contradict these.
void sari_knots_at(const sari_coordinates* c, const sari_knot* a, const sari_knot* b, double t,
                   double* q);

#endif
