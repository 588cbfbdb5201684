#include "linalg/pivots.h"
#include "math/functions.h"

#include <string.h>

void sari_pivot_watch_init(sari_pivot_watch* w, sari_arena* memory, int n)
{
    *w = (sari_pivot_watch){.n = n};
    w->at = SARI_TAKE(memory, int, n);
    w->replaced = SARI_TAKE(memory, unsigned char, n);
}

void sari_pivot_watch_start(sari_pivot_watch* w, const double* x)
{
    if (w->zeros) memset(w->replaced, 0, (size_t)w->n);
    w->zeros = 0;
    w->x = x;
}

void sari_pivot_watch_archive(sari_pivot_watch* w, sari_archive* a)
{
    SARI_ARCHIVE_INTS(a, &w->zeros);
    sari_archive_bytes(a, w->replaced, (size_t)w->n);
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

/* Pivots none of which was replaced, if their product stays within the range of numbers all the way:
 * without a branch. 0: it does not. */
static int report_plain(const sari_pivot_watch* w, const double* d, double* deepest,
                        sari_pivots* out)
{
    double product = 1, low = 1, high = 1;
    int positive = 0;
    for (int k = 0; k < w->n; k++) {
        positive += d[k] > 0;
        *deepest = d[k] < *deepest ? d[k] : *deepest;
        const double size = fabs(d[k]);
        product *= size;
        const double least = size < product ? size : product;
        const double most = size > product ? size : product;
        low = least < low ? least : low;
        high = most > high ? most : high;
    }
    if (!(low > 0x1p-400 && high < 0x1p400 && product > 0)) return 0;
    *out = (sari_pivots){.positive = positive, .negative = w->n - positive};
    out->log_abs_det = sari_log(product);
    return 1;
}

// log |d1 d2 ...|: the product, split into mantissa and exponent where it gets large or small.
static void report_split(const sari_pivot_watch* w, const double* d, double* deepest,
                         sari_pivots* out)
{
    *out = (sari_pivots){.zero = w->zeros};
    double product = 1;
    long exponent = 0;
    for (int k = 0; k < w->n; k++) {
        if (w->zeros && w->replaced[k]) continue;
        if (d[k] > 0)
            out->positive++;
        else
            out->negative++;
        if (d[k] < *deepest) *deepest = d[k];
        double size = fabs(d[k]);
        int e;
        if (!(size > 0x1p-400 && size < 0x1p400)) {
            size = frexp(size, &e);
            exponent += e;
        }
        product *= size;
        if (!(product > 0x1p-400 && product < 0x1p400)) {
            product = frexp(product, &e);
            exponent += e;
        }
    }
    out->log_abs_det = sari_log(product) + (double)exponent * 0.69314718055994530942; // ln 2
}

void sari_pivot_report(const sari_pivot_watch* w, const double* d, sari_pivots* out)
{
    double deepest = 0;
    if (w->zeros || !report_plain(w, d, &deepest, out)) {
        deepest = 0;
        report_split(w, d, &deepest, out);
    }
    for (int k = 0; deepest < 0 && k < w->n; k++)
        if (d[k] < 0 && d[k] > 1e-6 * deepest) out->weak++;
}
