/* Eigenvalues by the QR method [golub2013, sect. 7.5]:
 *
 *     balance     D^-1 A D with powers of 2, until rows and columns are of one size
 *     reduce      H = Q' A Q, zero below the first subdiagonal, by Householder's reflections
 *     iterate     Francis's steps with two shifts at once, real or conjugate: with s their sum and p
 *                 their product the first column of H^2 - s H + p begins a bulge, which reflections
 *                 of three rows chase down the active block lo .. hi
 *     deflate     where a subdiagonal entry is rounding beside its neighbours on the diagonal, until
 *                 the blocks have one or two rows
 *
 * With vectors, Z collects the reflections: A Z = Z T with T the triangle of blocks of one or two rows. With
 * (T - lambda) y = 0 from below, x = D Z y.
 *
 * Errors are those of a change of the balanced matrix by rounding: small for simple eigenvalues, the
 * k-th root of it for those of a Jordan block of k rows. */
#include "linalg/eigenvalues.h"

#include <complex.h>
#include <float.h>
#include <math.h>

enum { ITERATIONS = 60, UNUSUAL = 10 }; ///< for each eigenvalue; every so many with other shifts

#define AT(i, j) A[(size_t)(i) * (size_t)n + (size_t)(j)]

/* Sums of absolute values of row and column i beside the diagonal. */
static void sum_beside(int n, const double* A, int i, double* row, double* column)
{
    *row = *column = 0.0;
    for (int j = 0; j < n; j++) {
        if (j == i) continue;
        *row += fabs(AT(i, j));
        *column += fabs(AT(j, i));
    }
}

static int exponent(double x)
{
    int e;
    (void)frexp(x, &e);
    return e;
}

/* `scale`, D above, may be NULL. */
static void balance(int n, double* A, double* scale)
{
    const double LESS = 0.95; // of the sum of both: what is worth a change
    for (int changed = 1; changed;) {
        changed = 0;
        for (int i = 0; i < n; i++) {
            double row, column;
            sum_beside(n, A, i, &row, &column);
            if (row == 0.0 || column == 0.0) continue;
            const int power = (exponent(row) - exponent(column)) / 2;
            const double f = ldexp(1.0, power);
            if (!(column * f + row / f < LESS * (row + column))) continue;
            for (int j = 0; j < n; j++) AT(i, j) /= f;
            for (int j = 0; j < n; j++) AT(j, i) *= f;
            if (scale) scale[i] *= f;
            changed = 1;
        }
    }
}

/* u, of `count` numbers, becomes that of 1 - factor u u', which maps it to a multiple of the first unit
 * vector. Returns the factor; 0: it is one already. */
static double reflection(int count, double* u)
{
    double most = 0.0, square = 0.0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(u[i]));
    if (most == 0.0) return 0.0;
    for (int i = 0; i < count; i++) u[i] /= most;
    for (int i = 1; i < count; i++) square += u[i] * u[i];
    if (square == 0.0) return 0.0;
    const double length = sqrt(u[0] * u[0] + square);
    u[0] += u[0] < 0.0 ? -length : length;
    return 2.0 / (u[0] * u[0] + square);
}

/* Columns first .. first + count - 1 of rows 0 .. last. */
static void reflect_columns(int n, double* A, int first, int count, const double* u, double factor,
                            int last)
{
    for (int i = 0; i <= last; i++) {
        double sum = 0.0;
        for (int k = 0; k < count; k++) sum += u[k] * AT(i, first + k);
        for (int k = 0; k < count; k++) AT(i, first + k) -= factor * sum * u[k];
    }
}

/* Rows first .. first + count - 1 of columns from .. n - 1, then these columns of rows 0 .. last. */
static void reflect(int n, double* A, int first, int count, const double* u, double factor,
                    int from, int last)
{
    for (int j = from; j < n; j++) {
        double sum = 0.0;
        for (int k = 0; k < count; k++) sum += u[k] * AT(first + k, j);
        for (int k = 0; k < count; k++) AT(first + k, j) -= factor * sum * u[k];
    }
    reflect_columns(n, A, first, count, u, factor, last);
}

/* As `reflect`, along the rows of a large matrix; sum: n numbers, scratch. */
static void reflect_many(int n, double* A, int first, int count, const double* u, double factor,
                         int from, double* sum)
{
    for (int j = from; j < n; j++) sum[j] = 0.0;
    for (int k = 0; k < count; k++)
        for (int j = from; j < n; j++) sum[j] += u[k] * AT(first + k, j);
    for (int j = from; j < n; j++) sum[j] *= factor;
    for (int k = 0; k < count; k++)
        for (int j = from; j < n; j++) AT(first + k, j) -= sum[j] * u[k];
    reflect_columns(n, A, first, count, u, factor, n - 1);
}

/* Z, of all reflections, may be NULL here and below. u and sum: n numbers each, scratch. */
static void reduce(int n, double* A, double* Z, double* u, double* sum)
{
    for (int c = 0; c + 2 < n; c++) {
        const int count = n - c - 1;
        for (int k = 0; k < count; k++) u[k] = AT(c + 1 + k, c);
        const double factor = reflection(count, u);
        if (factor == 0.0) continue;
        reflect_many(n, A, c + 1, count, u, factor, c, sum);
        if (Z) reflect_columns(n, Z, c + 1, count, u, factor, n - 1);
        for (int i = c + 2; i < n; i++) AT(i, c) = 0.0;
    }
}

/* The first row of the block that ends with hi: entries before it are rounding, and become zero. */
static int block_above(int n, double* A, int hi, double norm)
{
    int lo = hi;
    for (; lo > 0; lo--) {
        double beside = fabs(AT(lo - 1, lo - 1)) + fabs(AT(lo, lo));
        if (beside == 0.0) beside = norm;
        if (fabs(AT(lo, lo - 1)) > DBL_EPSILON * beside) continue;
        AT(lo, lo - 1) = 0.0;
        break;
    }
    return lo;
}

/* Sum and product of the eigenvalues of the last two rows of the block, or others if that goes on for
 * long: it may go round in a circle. */
static void choose_shifts(int n, const double* A, int hi, int tries, double* sum, double* product)
{
    const double a = AT(hi - 1, hi - 1), b = AT(hi - 1, hi), c = AT(hi, hi - 1), d = AT(hi, hi);
    *sum = a + d;
    *product = a * d - b * c;
    if (tries == 0 || tries % UNUSUAL != 0) return;
    const double away = fabs(c) + (hi > 1 ? fabs(AT(hi - 1, hi - 2)) : 0.0);
    *sum = 1.5 * away + 2.0 * d;
    *product = away * away + 1.5 * away * d + d * d;
}

/* A step with two shifts on rows lo .. hi, three at least. */
static void sweep(int n, double* A, double* Z, int lo, int hi, double sum, double product)
{
    double u[3] = {AT(lo, lo) * (AT(lo, lo) - sum) + product + AT(lo, lo + 1) * AT(lo + 1, lo),
                   AT(lo + 1, lo) * (AT(lo, lo) + AT(lo + 1, lo + 1) - sum),
                   AT(lo + 1, lo) * AT(lo + 2, lo + 1)};
    for (int k = lo; k < hi; k++) {
        const int count = k + 2 <= hi ? 3 : 2;
        if (k > lo)
            for (int i = 0; i < count; i++) u[i] = AT(k + i, k - 1);
        const double factor = reflection(count, u);
        if (factor == 0.0) continue;
        reflect(n, A, k, count, u, factor, k > lo ? k - 1 : lo, k + 3 < hi ? k + 3 : hi);
        if (Z) reflect_columns(n, Z, k, count, u, factor, n - 1);
        if (k == lo) continue;
        for (int i = 1; i < count; i++) AT(k + i, k - 1) = 0.0;
    }
}

/* Both of the 2 x 2 matrix with rows a b and c d. */
static void solve_pair(double a, double b, double c, double d, double re[2], double im[2])
{
    const double half = 0.5 * (a - d), square = half * half + b * c, root = sqrt(fabs(square));
    im[0] = im[1] = 0.0;
    if (square < 0.0) {
        re[0] = re[1] = d + half;
        im[0] = root;
        im[1] = -root;
        return;
    }
    const double far = half + (half < 0.0 ? -root : root); // the product of both is -b c
    re[0] = d + far;
    re[1] = far != 0.0 ? d - b * c / far : d;
}

static double norm_of(int n, const double* A)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) sum += fabs(AT(i, j));
    return sum;
}

/* T in A, its eigenvalues, Z. */
static sar_status find_blocks(int n, double* A, double* Z, double* re, double* im)
{
    const double norm = norm_of(n, A);
    for (int hi = n - 1, tries = 0; hi >= 0;) {
        double sum, product;
        const int lo = block_above(n, A, hi, norm);
        if (lo == hi) {
            re[hi] = AT(hi, hi);
            im[hi] = 0.0;
        } else if (lo == hi - 1) {
            solve_pair(AT(lo, lo), AT(lo, hi), AT(hi, lo), AT(hi, hi), re + lo, im + lo);
        } else {
            if (tries == ITERATIONS) return SAR_R_NO_CONV;
            choose_shifts(n, A, hi, tries++, &sum, &product);
            sweep(n, A, Z, lo, hi, sum, product);
            continue;
        }
        hi = lo - 1;
        tries = 0;
    }
    return SAR_OK;
}

sar_status sari_eigenvalues(int n, double* A, double* re, double* im, double* work)
{
    if (!isfinite(norm_of(n, A))) return SAR_R_NOT_FINITE;
    balance(n, A, NULL);
    reduce(n, A, NULL, work, im);
    return find_blocks(n, A, NULL, re, im);
}

/* ---- vectors -------------------------------------------------------------------------------- */

/* Is row i the second of a block of two? */
static int is_second(int n, const double* T, int i)
{
    return i > 0 && T[(size_t)i * (size_t)n + (size_t)i - 1] != 0.0;
}

/* x / y, or x / tiny where y is zero: an eigenvalue that occurs more than once. */
static double complex quotient(double complex x, double complex y, double tiny)
{
    const double size = fmax(fabs(creal(y)), fabs(cimag(y)));
    if (size <= tiny) return x / tiny;
    const double re = creal(y) / size, im = cimag(y) / size, square = re * re + im * im;
    return x / size * (re - _Complex_I * im) / square;
}

/* The rows of the block that ends with row i of (T - lambda) y = -sum beyond it: one or two. */
static void solve_block(int n, const double* A, int i, double complex lambda, double tiny,
                        double complex* y)
{
    const int first = is_second(n, A, i) ? i - 1 : i;
    double complex sum[2] = {0.0, 0.0};
    for (int r = first; r <= i; r++)
        for (int j = i + 1; j < n; j++)
            if (y[j] != 0.0) sum[r - first] -= AT(r, j) * y[j];
    if (first == i) {
        y[i] = quotient(sum[0], AT(i, i) - lambda, tiny);
        return;
    }
    const double complex a = AT(first, first) - lambda, d = AT(i, i) - lambda;
    const double b = AT(first, i), c = AT(i, first);
    const double complex determinant = a * d - b * c;
    const double least = tiny * (fabs(b) + fabs(c));
    y[first] = quotient(d * sum[0] - b * sum[1], determinant, least);
    y[i] = quotient(a * sum[1] - c * sum[0], determinant, least);
}

/* y of eigenvalue k, whose block ends with row `last`. */
static void solve_triangle(int n, const double* A, int last, double complex lambda, double tiny,
                           double complex* y)
{
    const int pair = is_second(n, A, last);
    for (int i = 0; i < n; i++) y[i] = 0.0;
    y[last] = 1.0;
    if (pair) { // the longer of both rows says what the other number is
        const double complex a = AT(last - 1, last - 1) - lambda, d = AT(last, last) - lambda;
        const double b = AT(last - 1, last), c = AT(last, last - 1);
        if (fabs(b) + fabs(creal(a)) + fabs(cimag(a)) > fabs(c) + fabs(creal(d)) + fabs(cimag(d)))
            y[last - 1] = b, y[last] = -a;
        else
            y[last - 1] = -d, y[last] = c;
    }
    for (int i = last - 1 - pair; i >= 0; i -= 1 + is_second(n, A, i)) {
        solve_block(n, A, i, lambda, tiny, y);
        double most = 0.0;
        for (int j = 0; j <= last; j++)
            most = fmax(most, fmax(fabs(creal(y[j])), fabs(cimag(y[j]))));
        if (most < 1e100) continue;
        for (int j = 0; j <= last; j++) y[j] /= most;
    }
}

/* x = D Z y with the length 1 into columns k and, of a pair, k + 1 of V. */
static void put_vector(int n, const double* Z, const double* scale, const double complex* y, int k,
                       int pair, double* V)
{
    double square = 0.0;
    for (int i = 0; i < n; i++) {
        double complex x = 0.0;
        for (int j = 0; j < n; j++) x += Z[(size_t)i * (size_t)n + (size_t)j] * y[j];
        x *= scale[i];
        V[(size_t)i * (size_t)n + (size_t)k] = creal(x);
        if (pair) V[(size_t)i * (size_t)n + (size_t)k + 1] = cimag(x);
        square += creal(x) * creal(x) + cimag(x) * cimag(x);
    }
    const double length = square > 0.0 ? sqrt(square) : 1.0;
    for (int i = 0; i < n; i++)
        for (int j = k; j <= k + pair; j++) V[(size_t)i * (size_t)n + (size_t)j] /= length;
}

sar_status sari_eigenvectors(int n, double* A, double* re, double* im, double* V, double* work)
{
    double *Z = work, *scale = Z + (size_t)n * (size_t)n;
    double complex* y = (double complex*)(scale + n + n % 2);
    if (!isfinite(norm_of(n, A))) return SAR_R_NOT_FINITE;
    for (int i = 0; i < n * n; i++) Z[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    for (int i = 0; i < n; i++) scale[i] = 1.0;
    balance(n, A, scale);
    reduce(n, A, Z, re, im);
    const double tiny = DBL_EPSILON * norm_of(n, A) + DBL_MIN;
    const sar_status st = find_blocks(n, A, Z, re, im);
    if (st != SAR_OK) return st;
    for (int k = 0; k < n; k++) {
        const int pair = im[k] > 0.0, last = k + is_second(n, A, k + 1 < n ? k + 1 : 0);
        solve_triangle(n, A, last, re[k] + _Complex_I * im[k], tiny, y);
        put_vector(n, Z, scale, y, k, pair, V);
        k += pair;
    }
    return SAR_OK;
}
