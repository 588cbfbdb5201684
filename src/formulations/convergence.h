/* When an iteration is at its end, for steps whose tolerance nobody gave.
 *
 * A correction that is r times the one before leaves r/(1 - r) of itself. That is held against e,
 * what the iteration added to the prediction: it is of the size of the step's own error, so that
 * errors go on falling with the step. Where rounding keeps corrections from shrinking, small ones
 * have to do. */
#ifndef SARI_CONVERGENCE_H
#define SARI_CONVERGENCE_H

#include <math.h>

enum { SARI_LAST_CORRECTION = 6 }; ///< small ones after so many are rounding

/// Are corrections of this `size`, after one of size `last`, at the end of number `iteration`,
/// small beside `added`, e, or as small as rounding in coordinates of this `norm` lets them get?
static inline int sari_converged(int iteration, double size, double last, double added, double norm)
{
    const double part = 1e-3, rounding = 1e-12 * norm;
    const double left = size < last ? size * (size / (last - size)) : INFINITY;
    if (left <= part * added || size < 1e-3 * rounding) return 1;
    return iteration >= SARI_LAST_CORRECTION || (size < rounding && 2.0 * size > last);
}

#endif
