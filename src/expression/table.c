/* Piecewise polynomials through given points (x_k, y_k), with h_k = x_k+1 - x_k and the slopes of
 * the chords m_k = (y_k+1 - y_k)/h_k. On each interval, with s = x - x_k and the slopes d_k at the
 * points:
 *
 *     y = y_k + d_k s + (3 m_k - 2 d_k - d_k+1)/h_k s^2 + (d_k + d_k+1 - 2 m_k)/h_k^2 s^3 (1)
 *
 * The cubic spline has two continuous derivatives where, at every inner point,
 *
 *     h_k d_k-1 + 2 (h_k-1 + h_k) d_k + h_k-1 d_k+1 = 3 (h_k m_k-1 + h_k-1 m_k) (2)
 *
 * and its third derivative is continuous at the second and at the last but one point too
 * (not-a-knot), which with (2) reduces to
 *
 *     h_1 d_0 + (h_0 + h_1) d_1 = ((3 h_0 + 2 h_1) h_1 m_0 + h_0^2 m_1)/(h_0 + h_1) (3)
 *
 * and the mirror image at the other end. Elimination from the top needs no pivots: after its first
 * step the matrix is dominated by its diagonal. Three points give their parabola, two their line.
 * The error of the spline of a smooth function is O(h^4), up to the ends. */
#include "expression/table.h"

#include "base/memory.h"
#include "base/status.h"
#include "expression/expression.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- evaluation ----------------------------------------------------------------------------- */

/// The interval that x is in, by halving; the first or last one beyond the ends.
static int interval_of(const sari_table* t, double x)
{
    int low = 0, high = t->intervals;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (x >= t->x[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

int sari_table_piece(const sari_table* t, double x)
{
    if (x < t->x[0]) return 0;
    return x >= t->x[t->intervals] ? t->intervals + 1 : 1 + interval_of(t, x);
}

void sari_table_piece_series(const sari_table* t, int piece, double x, double out[3])
{
    if (t->by) {
        sari_expression_series(t->by, &x, 0, out);
        return;
    }
    const double *c = t->c[0], first = t->x[0], last = t->x[t->intervals];
    out[1] = out[2] = 0.0;
    if (piece == 0) {
        if (t->extend) out[1] = c[1];
        out[0] = t->extend ? c[0] + c[1] * (x - first) : c[0];
    } else if (piece > t->intervals) {
        c = t->c[t->intervals - 1];
        double h = last - t->x[t->intervals - 1];
        if (t->extend) out[1] = c[1] + h * (2 * c[2] + h * 3 * c[3]);
        out[0] = t->extend ? t->last + out[1] * (x - last) : t->last;
    } else {
        int k = piece - 1;
        double s = x - t->x[k];
        c = t->c[k];
        out[0] = c[0] + s * (c[1] + s * (c[2] + s * c[3]));
        out[1] = c[1] + s * (2 * c[2] + s * 3 * c[3]);
        out[2] = 2 * c[2] + s * 6 * c[3];
    }
}

void sari_table_series(const sari_table* t, double x, double out[3])
{
    sari_table_piece_series(t, sari_table_piece(t, x), x, out);
}

const sari_table* sari_table_find(const sari_table_list* list, const char* name, size_t length)
{
    if (list->count == 0) return NULL;
    for (int k = sari_hash_first(list->by_name, sari_hash_code(name, length)); k >= 0;
         k = sari_hash_next(list->by_name, k)) {
        const char* known = list->at[k]->name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) return list->at[k];
    }
    return NULL;
}

const sari_table* sari_table_part(const sari_table_list* list, const char* name, size_t length,
                                  char axis, int j)
{
    char part[96];
    const int used = snprintf(part, sizeof part, "%.*s_%c%d", (int)length, name, axis, j);
    return used < (int)sizeof part ? sari_table_find(list, part, (size_t)used) : NULL;
}

double sari_table_value(const sari_table* t, double x)
{
    double out[3];
    sari_table_series(t, x, out);
    return out[0];
}

/* ---- construction --------------------------------------------------------------------------- */

/// Slopes of the spline at the n >= 4 points, by (2) and (3); `upper` is room for n numbers.
static void spline_slopes(int n, const double* x, const double* y, double* d, double* upper)
{
    for (int k = 0; k < n; k++) {
        int i = k == 0 ? 0 : k == n - 1 ? n - 3 : k - 1; // the two intervals of the equation
        double h0 = x[i + 1] - x[i], h1 = x[i + 2] - x[i + 1], both = h0 + h1;
        double m0 = (y[i + 1] - y[i]) / h0, m1 = (y[i + 2] - y[i + 1]) / h1;
        double before, own, after, right;
        if (k == 0) {
            before = 0.0, own = h1, after = both;
            right = ((3 * h0 + 2 * h1) * h1 * m0 + h0 * h0 * m1) / both;
        } else if (k == n - 1) {
            before = both, own = h0, after = 0.0;
            right = ((3 * h1 + 2 * h0) * h0 * m1 + h1 * h1 * m0) / both;
        } else {
            before = h1, own = 2 * both, after = h0;
            right = 3 * (h1 * m0 + h0 * m1);
        }
        double pivot = k == 0 ? own : own - before * upper[k - 1];
        d[k] = (k == 0 ? right : right - before * d[k - 1]) / pivot;
        upper[k] = after / pivot;
    }
    for (int k = n - 2; k >= 0; k--) d[k] -= upper[k] * d[k + 1];
}

/// Slopes of the parabola through three points, or of the line through two.
static void short_slopes(int n, const double* x, const double* y, double* d)
{
    double h0 = x[1] - x[0], m0 = (y[1] - y[0]) / h0;
    d[0] = d[1] = m0;
    if (n == 2) return;
    double h1 = x[2] - x[1], m1 = (y[2] - y[1]) / h1, bend = (m1 - m0) / (h0 + h1);
    d[0] = m0 - h0 * bend;
    d[1] = m0 + h0 * bend;
    d[2] = m1 + h1 * bend;
}

static sar_status fill_cubic(sari_table* t, const sar_table_def* def, sar_error* error)
{
    int n = def->length;
    double* d = SARI_NEW_ARRAY(double, 2 * n);
    if (!d) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    if (n < 4)
        short_slopes(n, def->x, def->y, d);
    else
        spline_slopes(n, def->x, def->y, d, d + n);
    for (int k = 0; k < n - 1; k++) { // (1)
        double h = def->x[k + 1] - def->x[k], m = (def->y[k + 1] - def->y[k]) / h;
        t->c[k][0] = def->y[k];
        t->c[k][1] = d[k];
        t->c[k][2] = (3 * m - 2 * d[k] - d[k + 1]) / h;
        t->c[k][3] = (d[k] + d[k + 1] - 2 * m) / h / h;
    }
    sari_release(d);
    return SAR_OK;
}

static void fill_lines(sari_table* t, const sar_table_def* def)
{
    bool sloping = def->interpolation == SAR_INTERPOLATION_LINEAR;
    for (int k = 0; k < t->intervals; k++) {
        t->c[k][0] = def->y[k];
        if (sloping) t->c[k][1] = (def->y[k + 1] - def->y[k]) / (def->x[k + 1] - def->x[k]);
    }
}

static sar_status check_points(const sar_table_def* def, sar_error* error)
{
    if (def->length < 2 || !def->x || !def->y)
        return sari_fail(error, SAR_E_MODEL, "x", "a table has at least 2 points, not %d",
                         def->length > 0 ? def->length : 0);
    for (int k = 0; k < def->length; k++) {
        char field[32];
        bool bad_x = !isfinite(def->x[k]);
        snprintf(field, sizeof field, "%s[%d]", bad_x || isfinite(def->y[k]) ? "x" : "y", k);
        if (bad_x || !isfinite(def->y[k]))
            return sari_fail(error, SAR_E_MODEL, field,
                             "point %d of the table, (%g, %g), is not finite", k + 1, def->x[k],
                             def->y[k]);
        if (k > 0 && !(def->x[k] > def->x[k - 1]))
            return sari_fail(error, SAR_E_MODEL, field,
                             "x must increase from point to point: %.9g comes after %.9g (point "
                             "%d)",
                             def->x[k], def->x[k - 1], k + 1);
    }
    return SAR_OK;
}

/// Points so close, or so far apart, that slopes are no numbers.
static sar_status check_coefficients(const sari_table* t, sar_error* error)
{
    for (int k = 0; k < t->intervals; k++)
        for (int i = 0; i < 4; i++)
            if (!isfinite(t->c[k][i]))
                return sari_fail(error, SAR_E_MODEL, "x",
                                 "between points %d and %d of the table, x = %.9g and %.9g, the "
                                 "slope is too large for a number",
                                 k + 1, k + 2, t->x[k], t->x[k + 1]);
    return SAR_OK;
}

static sar_status fill(sari_table* t, const sar_table_def* def, sar_error* error)
{
    t->name = sari_copy_string(def->name ? def->name : "");
    t->x = sari_copy(def->x, (size_t)def->length, sizeof(double));
    t->c = sari_allocate((size_t)t->intervals, sizeof *t->c);
    if (!t->name || !t->x || !t->c) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    if (def->interpolation == SAR_INTERPOLATION_CUBIC)
        SARI_TRY(fill_cubic(t, def, error));
    else
        fill_lines(t, def);
    return check_coefficients(t, error);
}

sar_status sari_table_create(const sar_table_def* def, sari_table** out, sar_error* error)
{
    *out = NULL;
    SARI_TRY(check_points(def, error));
    sari_table* t = SARI_NEW(sari_table);
    if (!t) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    t->intervals = def->length - 1;
    t->extend = def->extend;
    t->smooth = def->interpolation == SAR_INTERPOLATION_CUBIC;
    t->last = def->y[def->length - 1];
    sar_status status = fill(t, def, error);
    if (status != SAR_OK) {
        sari_table_destroy(t);
        return status;
    }
    *out = t;
    return SAR_OK;
}

void sari_table_destroy(sari_table* t)
{
    if (!t) return;
    sari_release(t->name);
    sari_release(t->x);
    sari_release(t->c);
    sari_release(t);
}
