/* What the unpivoted factorisations share: the test of a pivot, its replacement, and the report. */
#ifndef SARI_PIVOTS_H
#define SARI_PIVOTS_H

#include "base/archive.h"
#include "linalg/solver.h"

#include <float.h>
#include <math.h>

/// Watches the pivots d[0..n) of one factorisation. The original diagonal of pivot k is x[at[k]].
typedef struct sari_pivot_watch {
    int n;
    int zeros; ///< replaced so far
    int* at;
    unsigned char* replaced; ///< 1 where the pivot was replaced
    const double* x;         ///< the caller's values, during factor only
} sari_pivot_watch;

void sari_pivot_watch_init(sari_pivot_watch* w, sari_arena* memory, int n);

/// Forget the last factorisation and look at the values `x` from now on.
void sari_pivot_watch_start(sari_pivot_watch* w, const double* x);

/// Is d a number, and more than the round-off of `diagonal`, the entry that elimination reduced to
/// it? An ill-conditioned matrix must pass: a penalty of 1e12 times the mass leaves pivots of 1e-12
/// times their diagonal. Only where the last four units of round-off remain has d no correct digit.
static inline int sari_pivot_usable(double d, double diagonal)
{
    double size = fabs(d);
    return size > 4 * DBL_EPSILON * fabs(diagonal) + 1e-300 && size <= DBL_MAX;
}

/// Count pivot k as zero and return what stands in for it: sqrt(epsilon) of its original diagonal
/// (of the largest one, or 1, where that is zero). Large enough that a consistent right-hand side
/// gets a bounded solution, small enough that an inconsistent one shows.
double sari_pivot_replace(sari_pivot_watch* w, int k);

void sari_pivot_watch_archive(sari_pivot_watch* w, sari_archive* a);

/// Signs and determinant of the pivots d[0..n). Replaced ones count as zero only.
void sari_pivot_report(const sari_pivot_watch* w, const double* d, sari_pivots* out);

#endif
