/* Small motions about a position at rest: y'' + C y' + H y = 0, where neither C nor H need be symmetric. */
#ifndef SARI_SMALL_MOTIONS_H
#define SARI_SMALL_MOTIONS_H

#include "base/arena.h"
#include "linalg/shifted.h"

typedef struct sari_small_motions {
    int d;
    double *re, *im;     ///< [2d] y grows as exp((re + i im) t)
    double *x, *x_im;    ///< [2d] y of the last one that was asked for, and its rate
    double *w, *w_im;    ///< the same of the transposed matrices
    double *J, *J_t;     ///< (0 1; -H -C), and with both transposed
    double H_off, C_off; ///< by how much the matrices may be wrong
    sari_shifted factors;
} sari_small_motions;

/// Matrices by rows. `off`: how wrong they may be, as a part of their largest entries.
sar_status sari_small_motions_find(sari_small_motions* m, sari_arena* memory, int d,
                                   const double* H, const double* C, double off);
/// The vector of number k; how wrong its rate may be.
double sari_small_motion(sari_small_motions* m, int k);

#endif
