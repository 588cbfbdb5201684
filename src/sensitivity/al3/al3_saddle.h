/* Linear equations of a step's derivatives, and their transposes:
 *
 *     [A J'; W 0] (x, mu) = (f, g)                                                              (1)
 *
 * with A without symmetry on the pattern of slopes, W on that of J, which may have redundant rows. Corrections of
 *
 *     (A + c J'W) dx = f - A x - J'mu + c J'(g - W x),   mu -= c (g - W (x + dx))                 (2)
 *
 * are repeated until they are rounding: with a large c a few are enough. Transposed, A' is in the place of A, and J and
 * W change theirs. A matrix that is symmetric but for rounding is factored as such.
 *
 * Near a singular configuration, where rows with the singular value sigma leave 1/(1 + c sigma^2) of a violation, and more of c
 * would be rounding, corrections are those of
 *
 *     [A J'; W -delta] (dx, dmu) = (f - A x - J'mu, g - W x)                                      (3)
 *
 * dense and with pivots, whose delta may be as small as is wanted. */
#ifndef SARI_SENSITIVITY_AL3_SADDLE_H
#define SARI_SENSITIVITY_AL3_SADDLE_H

#include "linalg/lu.h"
#include "linalg/solver.h"
#include "sensitivity/al3/al3_slopes.h"

typedef struct sari_saddle {
    sari_arena memory;
    const sari_slopes* slopes;
    double *A, *W;             ///< [2 entries] and [entries of J]: to be set before factoring
    double* S;                 ///< the matrix of (2)
    int* product_at;           ///< entries of J'W, row after row: for columns a and b of a row
    double heaviest;           ///< entry of A's diagonal
    double c;                  ///< chosen by factor
    double *dx, *left, *apart; ///< workspace
    int symmetric;             ///< A is, and W is J
    sari_solver ldl;           ///< of (2) then,
    sari_lu lu;                ///< and else; made when it is first needed
    sari_lu whole;             ///< of (3); made when it is first needed
    sari_sym full;             ///< its pattern, and its lower values
    double *upper, *y;         ///< the upper ones; a correction
    int whole_is_known;        ///< it is that of the present matrices
} sari_saddle;

sar_status sari_saddle_create(sari_saddle* s, const sari_slopes* slopes);
void sari_saddle_clear(sari_saddle* s);

sar_status sari_saddle_factor(sari_saddle* s);
/// g may be NULL: zero; mu is set. `apart` becomes g - W x: what redundant rows leave of a g that contradicts itself.
/// SAR_R_NO_CONV: corrections do not shrink, near a singular configuration.
sar_status sari_saddle_solve(sari_saddle* s, int transposed, const double* f, const double* g,
                             double* x, double* mu);

#endif
