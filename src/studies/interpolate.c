/* With rates: the polynomial through values and rates of three rows, two of which enclose the time,
 * of degree 5. Without: through the values of four rows, of degree 3. There is one to the left and one
 * to the right; the one nearer to what the two enclosing rows say alone counts, so that a kink or a
 * jump in a neighbouring interval does no harm [shu1998].
 *
 * In smooth places left and right differ by about the error, behind a kink what counts differs from
 * the two rows by no less: the smaller of both says how sure the value is. */
#include "studies/interpolate.h"

#include <math.h>

enum { NODES = 8 };

/* Newton's divided differences over rows first to first + count - 1; with rates every row counts
 * twice. NaN: there are no such rows, or two have the same time. */
static double polynomial(const sar_result* r, const double* y, const double* rate, int first,
                         int count, double t)
{
    const double* time = sar_result_time(r);
    double z[NODES], f[NODES];
    int n = 0;
    if (first < 0 || first + count > sar_result_rows(r)) return NAN;
    for (int i = first; i < first + count; i++) {
        if (i > first && !(time[i] > time[i - 1])) return NAN;
        for (int twice = 0; twice < (rate ? 2 : 1); twice++, n++) z[n] = time[i], f[n] = y[i];
    }
    for (int level = 1; level < n; level++)
        for (int k = n - 1; k >= level; k--) {
            const double apart = z[k] - z[k - level];
            f[k] = apart > 0.0 ? (f[k] - f[k - 1]) / apart : rate[first + k / 2];
        }
    double value = f[n - 1];
    for (int k = n - 2; k >= 0; k--) value = f[k] + (t - z[k]) * value;
    return value;
}

/* Of two polynomials, the one nearer to what the enclosing rows say. */
static double nearer(double left, double right, double between, double* unsure)
{
    const double by_left = fabs(left - between), by_right = fabs(right - between);
    *unsure = fmin(fmin(by_left, by_right), fabs(left - right));
    return by_left <= by_right ? left : right;
}

double sari_interpolate(const sar_result* r, int column, const double* rate, int row, double t,
                        double* unsure)
{
    const double* y = sar_result_column(r, column);
    const int count = rate ? 3 : 4;
    const double between = polynomial(r, y, rate, row, 2, t);
    if (rate && !isfinite(between)) return sari_interpolate(r, column, NULL, row, t, unsure);
    double left = polynomial(r, y, rate, row + 2 - count, count, t);
    double right = polynomial(r, y, rate, row, count, t);
    // at the ends, and beside jumps: one row more on the side that has them
    if (!isfinite(left)) left = polynomial(r, y, rate, row, count + 1, t);
    if (!isfinite(right)) right = polynomial(r, y, rate, row + 1 - count, count + 1, t);
    if (isfinite(left) && isfinite(right)) return nearer(left, right, between, unsure);
    *unsure = fabs(y[row + 1] - y[row]); // few rows: nothing to compare with
    return between;
}
