/* Lemke's method [cottle1992, algorithm 4.4.5]: with an artificial variable z0,
 *
 *     w - A z - e z0 = b                                                                      (1)
 *
 * is solved with z0 just large enough for w >= 0. Then what has left the basis is followed by its
 * complement, until z0 leaves. Ties in the ratio test are broken by comparing whole rows of the
 * inverse of the basis (the columns of w), so that no basis comes twice. Rows and columns are scaled
 * by the roots of the diagonal. */
#include "linalg/lcp.h"

#include <math.h>
#include <string.h>

static const double ZERO = 1e-12; ///< of a pivot, in a scaled matrix

typedef struct tableau {
    int n, columns; ///< w, z, z0, right-hand side
    double* T;
    int* basis; ///< per row: which variable
} tableau;

static double* row_of(const tableau* t, int r)
{
    return t->T + t->columns * r;
}

static void fill(tableau* t, const double* A, const double* b, const double* scale)
{
    const int n = t->n;
    for (int i = 0; i < n; i++) {
        double* row = row_of(t, i);
        for (int j = 0; j < n; j++) {
            row[j] = i == j;
            row[n + j] = -scale[i] * A[n * i + j] * scale[j];
        }
        row[2 * n] = -1.0;
        row[2 * n + 1] = scale[i] * b[i];
        t->basis[i] = i;
    }
}

static void pivot(tableau* t, int r, int column)
{
    double* row = row_of(t, r);
    const double p = row[column];
    for (int j = 0; j < t->columns; j++) row[j] /= p;
    for (int i = 0; i < t->n; i++) {
        double* other = row_of(t, i);
        const double f = other[column];
        if (i == r || f == 0.0) continue;
        for (int j = 0; j < t->columns; j++) other[j] -= f * row[j];
        other[column] = 0.0;
    }
    t->basis[r] = column;
}

/* Is row a, divided by its entry in the column, before row b in the order of words? */
static int is_before(const tableau* t, int a, int b, int column)
{
    const double *x = row_of(t, a), *y = row_of(t, b);
    const int rhs = t->columns - 1;
    for (int j = -1; j < t->n; j++) {
        const int k = j < 0 ? rhs : j;
        const double p = x[k] / x[column], q = y[k] / y[column];
        if (fabs(p - q) > ZERO * (fabs(p) + fabs(q))) return p < q;
    }
    return 0;
}

/* Which row leaves; -1: none, the column is a ray. */
static int leaving_row(const tableau* t, int column)
{
    int found = -1;
    for (int i = 0; i < t->n; i++) {
        if (!(row_of(t, i)[column] > ZERO)) continue;
        if (found < 0 || is_before(t, i, found, column)) found = i;
    }
    for (int i = 0; found >= 0 && i < t->n; i++) // z0 first, where it may
        if (t->basis[i] == 2 * t->n && row_of(t, i)[column] > ZERO &&
            !is_before(t, found, i, column))
            found = i;
    return found;
}

static sar_status follow(tableau* t)
{
    const int n = t->n, artificial = 2 * n;
    int least = 0;
    for (int i = 1; i < n; i++)
        if (row_of(t, i)[2 * n + 1] < row_of(t, least)[2 * n + 1]) least = i;
    if (row_of(t, least)[2 * n + 1] >= 0.0) return SAR_OK;
    int entering = n + least; // the complement of what leaves
    pivot(t, least, artificial);
    for (int step = 0; step < 50 * (n + 1); step++) {
        const int r = leaving_row(t, entering);
        if (r < 0) return SAR_R_NO_CONV;
        const int leaves = t->basis[r];
        pivot(t, r, entering);
        if (leaves == artificial) return SAR_OK;
        entering = leaves < n ? leaves + n : leaves - n;
    }
    return SAR_R_NO_CONV;
}

sar_status sari_lcp_solve(int n, const double* A, const double* b, double* z, double* room,
                          int* basis)
{
    double* scale = room + n * (2 * n + 2);
    tableau t = {n, 2 * n + 2, room, basis};
    memset(z, 0, (size_t)n * sizeof *z);
    for (int i = 0; i < n; i++) scale[i] = A[(n + 1) * i] > 0.0 ? 1.0 / sqrt(A[(n + 1) * i]) : 1.0;
    if (n == 0) return SAR_OK;
    fill(&t, A, b, scale);
    const sar_status status = follow(&t);
    if (status != SAR_OK) return status;
    for (int i = 0; i < n; i++)
        if (basis[i] >= n && basis[i] < 2 * n)
            z[basis[i] - n] = scale[basis[i] - n] * fmax(row_of(&t, i)[2 * n + 1], 0.0);
    return SAR_OK;
}
