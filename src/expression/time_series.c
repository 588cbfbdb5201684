/* Series over an interval of time: cubics, and whether a step sees all of one. */
#include "expression/time.h"

#include <math.h>

enum { K = SARI_TIME_ORDER };

static sari_interval hull_of(const double* x, int n, double factor)
{
    sari_interval a = {factor * x[0], factor * x[0]};
    for (int i = 1; i < n; i++)
        a = sari_interval_hull(a, (sari_interval){factor * x[i], factor * x[i]});
    return a;
}

/* In Bernstein's form a polynomial, and each of its derivatives, is between its coefficients. */
sari_time_series sari_time_cubic(double h, double x0, double rate0, double x1, double rate1)
{
    sari_time_series f = {.at = {x0, x1}};
    double b[4] = {x0, x0 + rate0 * h / 3.0, x1 - rate1 * h / 3.0, x1}, factorial = 1.0;
    for (int k = 0; k < 4; k++) {
        f.c[k] = hull_of(b, 4 - k, 1.0 / factorial);
        for (int i = 0; i < 3 - k; i++) b[i] = (3 - k) * (b[i + 1] - b[i]) / h;
        factorial *= k + 1;
    }
    return f;
}

void sari_time_series_negate(sari_time_series* f)
{
    for (int i = 0; i < 2; i++) f->at[i] = -f->at[i];
    for (int k = 0; k <= K; k++) f->c[k] = sari_interval_negate(f->c[k]);
}

bool sari_time_series_seen(const sari_time_series* f, double h, int order, int derivative,
                           double size)
{
    const double PART = 0.1; // of the size, for the second order; its power for higher ones
    const int last = order > 2 + derivative ? order : 2 + derivative;
    double power = 2.0, allowed = size;
    for (int k = 1; k <= last; k++) {
        power *= 0.25 * h;
        if (k % 2 == 0) allowed *= PART;
        if (k < 2 + derivative) continue;
        const double by_rates = derivative ? 16.0 * k * (k - 1) / (h * h) : 1.0;
        if (sari_interval_magnitude(f->c[k]) * power * by_rates <= allowed) return true;
    }
    return false;
}
