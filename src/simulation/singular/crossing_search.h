/* The singular configuration nearest to a place, and by how much a drawing misses it: crossings.c has
 * the equations. Nothing here changes the system, but where it is evaluated. */
#ifndef SARI_CROSSING_SEARCH_H
#define SARI_CROSSING_SEARCH_H

#include "base/arena.h"
#include "simulation/singular/normal.h"

typedef struct sari_crossing_search {
    sari_arena memory;
    sari_system* sys;
    sari_normal normal; ///< of the rows on positions
    int n;              ///< coordinates, and time if constraints depend on it
    int rows;           ///< on positions
    int most, widest;   ///< directions and combinations of rows that there is room for
    double t, *q;       ///< where it is
    double *side, *d;
    double* strong;    ///< [rows]: residuals of the strong ones
    int p, w;          ///< directions W and combinations Z that only weak rows have
    double *W, *Z;     ///< [p][n] orthonormal in D, [w][rows] orthonormal
    double *G, *H;     ///< [w][p] Z' Phi_q W, and [p][w][p] its change along each direction
    double *N, *S;     ///< [p][p] and [w][w]: squares of H by direction and by combination
    double *x, *b;     ///< [p]: the step, and the right-hand side
    double *sigma, *U; ///< singular values and vectors of N or S
    double *V, *work;
    double tau; ///< rows below this, of the largest, are weak

    /* what was found */
    int crossing;              ///< combinations whose curvature makes branches cross
    double* cross;             ///< [crossing][rows], orthonormal
    double* amount;            ///< [crossing]: of Phi along them
    double* gap_rows;          ///< [rows]: the same as residuals
    double* gap_other;         ///< the same from elsewhere
    double *drawn_rows, drawn; ///< residuals and gap without the present offset
    double gap, error;         ///< the same as a length, and how well it is known
    double curvature;          ///< of the least curved of the combinations
} sari_crossing_search;

sar_status sari_crossing_search_create(sari_crossing_search* c, sari_system* sys);
void sari_crossing_search_clear(sari_crossing_search* c);

/// Rows, Phi_q and Phi_t at (t, q), all rows as they are: none is left open.
void sari_crossing_evaluate(sari_crossing_search* c, double t, const double* q);

/// What counts as zero where all ranks are there.
double sari_crossing_zero(const sari_crossing_search* c);

/// From c->q and c->t, where `regular` directions are free anywhere and `least` is the smallest singular
/// value away from the configuration. 0: there is none. `away`: where the motion is now; the gap is
/// found again from the other side, and *known says whether it is the same and larger than its error.
int sari_crossing_find(sari_crossing_search* c, int regular, double least, const double* away,
                       int* known);

#endif
