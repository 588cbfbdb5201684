/* The motion between the ends of a run's steps, for the adjoint (adjoint.c).
 *
 * A polynomial goes through q, dq/dt and d2q/dt2 at the four ends of steps nearest to a time, of degree 11. In the middle
 * of them it is off by 4e-10 h^12 q^(12), much less than the polynomials that the steps themselves have, which are off by
 * more than their ends; and nothing has to be kept of a run but these ends. */
#ifndef SARI_SENSITIVITY_ADJOINT_PATH_H
#define SARI_SENSITIVITY_ADJOINT_PATH_H

#include "sensitivity/sensitivity.h"

enum { SARI_PATH_ENDS = 4, SARI_PATH_CONDITIONS = 3 * SARI_PATH_ENDS };

/// A step, or what a row's time within it makes of it.
typedef struct sari_path_part {
    double begin, end;
    int step;
} sari_path_part;

typedef struct sari_path {
    const sar_sensitivity* s;
    const sari_coordinates* space;
    const sari_state* start;
    int np, nq;
    sari_path_part* part;
    int parts;
    int ends, first; ///< of the polynomial; -1: none is there
    double origin, unit, node[SARI_PATH_CONDITIONS];
    double *c, *rates; ///< its coefficients, np each; workspace
} sari_path;

/// Of the nominal run of s, whose start is this.
sar_status sari_path_take(sari_path* p, sari_arena* memory, const sar_sensitivity* s,
                          const sari_system* sys, const sari_state* start);
/// q and v at a time of a part.
void sari_path_at(sari_path* p, int part, double t, double* q, double* v);

#endif
