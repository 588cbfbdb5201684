#include "solvers/pivots.h"

#include "base/memory.h"

#include <string.h>

sar_status sari_pivot_watch_init(sari_pivot_watch* w, int n)
{
    *w = (sari_pivot_watch){.n = n};
    w->at = SARI_NEW_ARRAY(int, n);
    w->replaced = SARI_NEW_ARRAY(unsigned char, n);
    return w->at && w->replaced ? SAR_OK : SAR_E_NOMEM;
}

void sari_pivot_watch_clear(sari_pivot_watch* w)
{
    sari_release(w->at);
    sari_release(w->replaced);
    *w = (sari_pivot_watch){0};
}

void sari_pivot_watch_start(sari_pivot_watch* w, const double* x)
{
    if (w->zeros) memset(w->replaced, 0, (size_t)w->n);
    w->zeros = 0;
    w->x = x;
}

static double largest_finite_diagonal(const sari_pivot_watch* w)
{
    double largest = 0;
    for (int k = 0; k < w->n; k++) {
        double size = fabs(w->x[w->at[k]]);
        if (size > largest && size <= DBL_MAX) largest = size;
    }
    return largest;
}

double sari_pivot_replace(sari_pivot_watch* w, int k)
{
    w->replaced[k] = 1;
    w->zeros++;
    const double tiny = sqrt(DBL_EPSILON);
    double diagonal = w->x[w->at[k]];
    if (fabs(diagonal) > 1e-290 && fabs(diagonal) <= DBL_MAX) return tiny * diagonal;
    double largest = largest_finite_diagonal(w);
    return tiny * (largest > 1e-290 ? largest : 1);
}

// log |d1 d2 ...| from the product of the mantissas and the sum of the exponents: one logarithm in
// all.
void sari_pivot_report(const sari_pivot_watch* w, const double* d, sari_pivots* out)
{
    *out = (sari_pivots){.zero = w->zeros};
    double mantissa = 1;
    long exponent = 0;
    for (int k = 0; k < w->n; k++) {
        if (w->replaced[k]) continue;
        if (d[k] > 0)
            out->positive++;
        else
            out->negative++;
        int e;
        mantissa *= frexp(fabs(d[k]),
                          &e); // in [1/2, 1): may shrink by 2^-1000 before it must be normalised
        exponent += e;
        if (mantissa < 0x1p-900) {
            mantissa = frexp(mantissa, &e);
            exponent += e;
        }
    }
    out->log_abs_det = log(mantissa) + (double)exponent * 0.69314718055994530942; // ln 2
}
