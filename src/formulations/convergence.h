/* When an iteration is at its end, for steps without a tolerance of the user.
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

/// Is all that they leave rounding?
static inline int sari_converged_exactly(double size, double last, double norm)
{
    const double unit = norm > 1.0 ? norm : 1.0, most = 1e-11 * unit;
    if (!(size < most) || isinf(last)) return size == 0.0;
    return 2.0 * size > last || size * (size / (last - size)) < 1e-16 * unit;
}

/// When Newton's method for a step is at its end.
typedef struct sari_newton_rule {
    int iterations;   ///< at most, or all
    int fixed;        ///< all of them, whatever is left over then
    double tolerance; ///< of the 2-norm of a correction; 0: of our choice, by the following
    double usual;     ///< corrections below this are small
    int published;    ///< they are all it asks for
    int exact;        ///< what is left over is rounding
} sari_newton_rule;

/// By default two corrections at least: the first one alone leaves an error that a small step would
/// not be worth. In large models rounding keeps corrections from getting as small as 1e-9; there
/// 1e-12 of the coordinates' norm has to do.
static inline int sari_newton_done(const sari_newton_rule* rule, int iteration, double size,
                                   double last, double added, double norm)
{
    if (rule->fixed) return iteration == rule->iterations;
    if (rule->exact) return sari_converged_exactly(size, last, norm);
    if (rule->tolerance > 0.0) return size < rule->tolerance;
    if (iteration == 1) return size < 1e-14;
    return size < rule->usual * (norm > 1.0 ? norm : 1.0) &&
           (rule->published || sari_converged(iteration, size, last, added, norm));
}

#endif
