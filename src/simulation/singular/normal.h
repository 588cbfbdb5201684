/* J'J + x D, with J the constraints' Jacobian and D a diagonal: its inertia counts the singular
 * values of J D^-1/2 above and below a limit, and solves with it tell weak directions from strong
 * ones. All is for the position evaluated last. */
#ifndef SARI_NORMAL_H
#define SARI_NORMAL_H

#include "formulations/constrained.h"
#include "system/system.h"

typedef struct sari_normal {
    sari_csr J;           ///< the first rows of Phi_q, whose memory it shares
    sari_constrained lin; ///< J'J + x D
    double* D;            ///< one per coordinate; 1 unless set
    double scale;   ///< square of the largest singular value of J D^-1/2, estimated; 1 unless set
    double* column; ///< scratch
} sari_normal;

sar_status sari_normal_create(sari_normal* n, sari_system* sys, int rows);
void sari_normal_clear(sari_normal* n);

/// D becomes the diagonal of M, and scale what belongs to it. A coordinate without mass weighs as
/// much as the heaviest. Where some rows have slack all do: then weak rows are told from others by
/// what they hold of the places, as the slack is.
void sari_normal_weigh(sari_normal* n, const sari_system* sys);

void sari_normal_archive(sari_normal* n, sari_archive* a); ///< D and the scale

/// v'D v.
double sari_normal_square(const sari_normal* n, const double* v);

/// Factor J'J + shift D. `pivots` may be NULL. A zero pivot is no error where pivots are counted.
sar_status sari_normal_factor(sari_normal* n, double shift, sari_pivots* pivots);

/// How many singular values of J D^-1/2 are above `relative` of the largest (Sylvester).
int sari_normal_rank(sari_normal* n, double relative);

/// The smallest of the `rank` largest singular values, relative to the largest, to a factor of 1.3;
/// not below `zero`.
double sari_normal_least(sari_normal* n, int rank, double zero);

/// x = (J'J + shift D)^-1 x, as factored.
void sari_normal_solve(sari_normal* n, double* x);

/// u = (1 - J (J'J + shift D)^-1 J') u, as factored: rows stronger than sqrt(shift) go.
void sari_normal_filter(sari_normal* n, double* u);

#endif
