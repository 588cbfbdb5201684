/* Linear systems (s I - J) x = b with a real or complex shift s and a small dense J: those of implicit
 * Runge-Kutta methods. Where J is that of motion,
 *
 *     J = ( 0  I ; J21  J22 ),   (s^2 I - s J22 - J21) x1 = b2 + s b1 - J22 b1,   x2 = s x1 - b1   (1)
 *
 * is of half the size. Matrices are stored by rows. Nothing allocates after `take`. */
#ifndef SARI_SHIFTED_H
#define SARI_SHIFTED_H

#include "base/arena.h"
#include "sarrus/base.h"

typedef struct sari_shifted {
    int size;      ///< of J
    int n;         ///< of the factors: size, or half of it by (1)
    double re, im; ///< the shift; im = 0: all is real
    double *A, *A_im;
    double *x, *x_im; ///< workspace
    int* pivot;
} sari_shifted;

/// Room for J of a size of at most `most`. `complex_too`: else shifts are real.
void sari_shifted_take(sari_shifted* f, sari_arena* memory, int most, int complex_too);
/// SAR_R_SINGULAR: s is an eigenvalue of J, but for rounding, or J is not finite.
sar_status sari_shifted_factor(sari_shifted* f, int size, const double* J, double re, double im);
/// In place; b_im only where the shift is complex.
void sari_shifted_solve(const sari_shifted* f, const double* J, double* b, double* b_im);

#endif
