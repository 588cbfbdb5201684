/* One-sided Jacobi: plane rotations from the right make the columns of B orthogonal,
 *
 *     B V = U Sigma,   B = A if A is tall, B = A' if it is wide.
 *
 * Each pair (i, j) is rotated until |b_i . b_j| <= eps sqrt(rows) |b_i| |b_j|; that relative test
 * is what makes also the small singular values accurate [demmel1992]. The longer column goes first
 * in each pair, so that they come out nearly sorted. Cost: about 6 to 10 sweeps over all pairs. */
#include "linalg/rank.h"
#include "math/functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_SWEEPS = 60 };

/// Columns of B and V, contiguous.
typedef struct jacobi {
    int rows, count;
    double* B;       ///< [count][rows]
    double* V;       ///< [count][count]; NULL: not wanted
    double* squared; ///< [count] squared lengths of the columns of B
    int packed;      ///< zero rows of B are left out
    double angle;    ///< at which columns are orthogonal
} jacobi;

size_t sari_svd_workspace(int m, int n)
{
    size_t rows = (size_t)(m > n ? m : n), count = (size_t)(m < n ? m : n);
    return rows * count + count * count + count;
}

// Four sums side by side, so that additions need not wait for each other.
static double dot(int n, const double* restrict a, const double* restrict b)
{
    double s[4] = {0};
    int k = 0;
    for (; k + 4 <= n; k += 4)
        for (int l = 0; l < 4; l++) s[l] += a[k + l] * b[k + l];
    for (; k < n; k++) s[0] += a[k] * b[k];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

// (a, b) becomes (c a - s b, s a + c b).
static void rotate(int n, double c, double s, double* restrict a, double* restrict b)
{
    for (int k = 0; k < n; k++) {
        const double ak = a[k], bk = b[k];
        a[k] = c * ak - s * bk;
        b[k] = s * ak + c * bk;
    }
}

static void swap_columns(jacobi* w, int i, int j)
{
    rotate(w->rows, 0, 1, w->B + (size_t)i * w->rows, w->B + (size_t)j * w->rows);
    if (w->V) rotate(w->count, 0, 1, w->V + (size_t)i * w->count, w->V + (size_t)j * w->count);
    double t = w->squared[i];
    w->squared[i] = w->squared[j];
    w->squared[j] = t;
}

// Make columns i < j orthogonal, the longer one first; 1 if they were not. Exchanging them counts too:
// the sweep may then pass by others that are not.
static int orthogonalise(jacobi* w, int i, int j)
{
    const int swapped = w->squared[i] < w->squared[j];
    if (swapped) swap_columns(w, i, j);
    double *a = w->B + (size_t)i * w->rows, *b = w->B + (size_t)j * w->rows;
    if (w->squared[j] <= 0) return swapped;
    const double product = dot(w->rows, a, b);
    const double lengths = sqrt(w->squared[i]) * sqrt(w->squared[j]);
    if (fabs(product) <= w->angle * lengths) return swapped;

    // tan of the rotation is the smaller root t of t^2 + 2 zeta t - 1 = 0
    const double zeta = (w->squared[j] - w->squared[i]) / (2 * product);
    const double t = copysign(1 / (fabs(zeta) + sari_hypot(1, zeta)), zeta);
    const double c = 1 / sqrt(1 + t * t), s = c * t;
    rotate(w->rows, c, s, a, b);
    if (w->V) rotate(w->count, c, s, w->V + (size_t)i * w->count, w->V + (size_t)j * w->count);
    w->squared[i] = dot(w->rows, a, a); // afresh: updating them by t * product loses the small ones
    w->squared[j] = dot(w->rows, b, b);
    return 1;
}

// The power of two that brings the largest entry to [1/2, 1), so that squares neither overflow nor
// vanish.
static int scale_of(int m, int n, const double* A)
{
    double largest = 0;
    for (size_t k = 0; k < (size_t)m * (size_t)n; k++) largest = fmax(largest, fabs(A[k]));
    int exponent = 0;
    if (largest > 0 && largest <= DBL_MAX) frexp(largest, &exponent);
    return exponent;
}

// Is row r of B zero?
static int is_zero_row(int m, int n, const double* A, int r)
{
    const int tall = m >= n, count = tall ? n : m;
    for (int j = 0; j < count; j++)
        if ((tall ? A[(size_t)r * n + j] : A[(size_t)j * n + r]) != 0) return 0;
    return 1;
}

// Rows of B that are zero stay so under rotations of the columns: leave them out, as long as there
// are as many rows as columns.
static void load(jacobi* w, int m, int n, const double* A, int exponent)
{
    const int all = w->rows;
    int rows = 0;
    for (int r = 0; r < all; r++) rows += !is_zero_row(m, n, A, r);
    w->packed = rows < all && rows >= w->count;
    if (w->packed) w->rows = rows;
    for (int r = 0, to = 0; r < all; r++) {
        if (w->packed && is_zero_row(m, n, A, r)) continue;
        for (int j = 0; j < w->count; j++) {
            double a = m >= n ? A[(size_t)r * n + j] : A[(size_t)j * n + r];
            w->B[(size_t)j * w->rows + to] = ldexp(a, -exponent);
        }
        to++;
    }
    memset(w->V, 0, sizeof(double) * (size_t)w->count * (size_t)w->count);
    for (int j = 0; j < w->count; j++) {
        const double* b = w->B + (size_t)j * w->rows;
        w->V[(size_t)j * w->count + j] = 1;
        w->squared[j] = dot(w->rows, b, b);
    }
}

// A unit vector orthogonal to the first j columns, for a singular value that is zero.
static void complete_column(jacobi* w, int j)
{
    double* b = w->B + (size_t)j * w->rows;
    for (int axis = 0; axis < w->rows; axis++) {
        memset(b, 0, sizeof(double) * (size_t)w->rows);
        b[axis] = 1;
        for (int twice = 0; twice < 2; twice++)
            for (int k = 0; k < j; k++) {
                const double* u = w->B + (size_t)k * w->rows;
                const double f = dot(w->rows, u, b);
                for (int r = 0; r < w->rows; r++) b[r] -= f * u[r];
            }
        const double length = sqrt(dot(w->rows, b, b));
        // Some axis keeps at least sqrt((rows - j) / rows) of its length.
        if (length * length * 2 * w->rows >= w->rows - j) {
            for (int r = 0; r < w->rows; r++) b[r] /= length;
            return;
        }
    }
}

// Sort by selection: the columns are nearly in order.
static void sort_columns(jacobi* w)
{
    for (int i = 0; i < w->count; i++) {
        int most = i;
        for (int j = i + 1; j < w->count; j++)
            if (w->squared[j] > w->squared[most]) most = j;
        if (most != i) swap_columns(w, i, most);
    }
}

static void normalise(jacobi* w, double* sigma, int exponent)
{
    for (int j = 0; j < w->count; j++) {
        double* b = w->B + (size_t)j * w->rows;
        const double length = sqrt(w->squared[j]);
        sigma[j] = ldexp(length, exponent);
        if (length > 0)
            for (int r = 0; r < w->rows; r++) b[r] /= length;
        else
            complete_column(w, j);
    }
}

// U of B, with the rows that were left out.
static void store_B(const jacobi* w, int m, int n, const double* A, double* out)
{
    const int all = m >= n ? m : n;
    for (int r = 0, from = 0; out && r < all; r++) {
        const int zero = w->packed && is_zero_row(m, n, A, r);
        for (int j = 0; j < w->count; j++)
            out[(size_t)r * w->count + j] = zero ? 0 : w->B[(size_t)j * w->rows + from];
        from += !zero;
    }
}

// `count` columns of length `rows` to a row-major matrix.
static void store(int rows, int count, const double* columns, double* out)
{
    if (!out) return;
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < count; j++) out[(size_t)r * count + j] = columns[(size_t)j * rows + r];
}

static void sweep_all(jacobi* w)
{
    int rotated = 1;
    for (int sweep = 0; sweep < MOST_SWEEPS && rotated; sweep++) {
        rotated = 0;
        for (int i = 0; i < w->count; i++)
            for (int j = i + 1; j < w->count; j++) rotated |= orthogonalise(w, i, j);
    }
}

void sari_svd(int m, int n, const double* A, double* sigma, double* U, double* V, double* work)
{
    const int tall = m >= n;
    jacobi w = {.rows = tall ? m : n, .count = tall ? n : m};
    w.B = work;
    w.V = w.B + (size_t)w.rows * w.count;
    w.squared = w.V + (size_t)w.count * w.count;
    const int exponent = scale_of(m, n, A);
    load(&w, m, n, A, exponent);
    w.angle = DBL_EPSILON * sqrt((double)w.rows);

    sweep_all(&w);
    sort_columns(&w);
    normalise(&w, sigma, exponent);
    store_B(&w, m, n, A, tall ? U : V);
    store(w.count, w.count, w.V, tall ? V : U);
}

/* ---- left vectors alone ----------------------------------------------------------------------- */

// Row k of A, from column k on, becomes (length, 0, ..., 0) by a reflection of all rows from k on.
static void reflect_rows(int m, int n, double* A, int k, double length)
{
    double* x = A + (size_t)k * n + k;
    const int rest = n - k;
    const double beta = -copysign(length, x[0]), scale = 1 / (x[0] - beta);
    const double tau = (beta - x[0]) / beta;
    for (int i = 1; i < rest; i++) x[i] *= scale;
    x[0] = 1;
    for (int r = k + 1; r < m; r++) {
        double* y = A + (size_t)r * n + k;
        const double sum = tau * dot(rest, x, y);
        for (int i = 0; i < rest; i++) y[i] -= sum * x[i];
    }
    x[0] = beta;
}

static void exchange_rows(int n, double* A, int i, int j)
{
    for (int k = 0; i != j && k < n; k++) {
        const double other = A[(size_t)i * n + k];
        A[(size_t)i * n + k] = A[(size_t)j * n + k];
        A[(size_t)j * n + k] = other;
    }
}

int sari_left_vectors(int m, int n, double* A, double relative, double* sigma, double* U,
                      double* work)
{
    const double ROUGHLY = 1e-6;
    const int least = m < n ? m : n;
    double *B = work, *squared = B + (size_t)m * least, *place = squared + least, first = 0;
    int rank = 0;
    for (int i = 0; i < m; i++) place[i] = i;
    for (; rank < least; rank++) { // A' P = Q R, the longest row that is left first
        int most = rank;
        double longest = -1;
        for (int i = rank; i < m; i++) {
            const double* row = A + (size_t)i * n + rank;
            const double length = dot(n - rank, row, row);
            if (length > longest) longest = length, most = i;
        }
        if (rank == 0) first = longest;
        if (!(longest > relative * relative * first)) break;
        exchange_rows(n, A, rank, most);
        const double other = place[rank];
        place[rank] = place[most], place[most] = other;
        reflect_rows(m, n, A, rank, sqrt(longest));
    }
    jacobi w = {.rows = m, .count = rank, .B = B, .squared = squared, .angle = ROUGHLY};
    memset(B, 0, sizeof(double) * (size_t)m * (size_t)rank);
    for (int j = 0; j < rank; j++) { // column j of R', at the places that its rows had
        double* b = B + (size_t)j * m;
        for (int i = j; i < m; i++) b[(int)place[i]] = A[(size_t)i * n + j];
        squared[j] = dot(m, b, b);
    }
    sweep_all(&w);
    sort_columns(&w);
    for (int j = 0; j < least; j++) {
        const double length = j < rank ? sqrt(squared[j]) : 0;
        sigma[j] = length;
        for (int i = 0; i < m; i++)
            U[(size_t)i * least + j] = length > 0 ? B[(size_t)j * m + i] / length : 0;
    }
    return rank;
}

// Row-major A[r..m, c..n): reflect so that column c becomes (length, 0, ..., 0) below row r.
static void reflect(int m, int n, double* A, int r, int c, double length)
{
    const double alpha = A[(size_t)r * n + c];
    const double beta = -copysign(length, alpha);
    const double tau = (beta - alpha) / beta; // H = I - tau v v', v = (1, x / (alpha - beta))
    for (int i = r + 1; i < m; i++) A[(size_t)i * n + c] /= alpha - beta;
    for (int j = c + 1; j < n; j++) {
        double sum = A[(size_t)r * n + j];
        for (int i = r + 1; i < m; i++) sum += A[(size_t)i * n + c] * A[(size_t)i * n + j];
        sum *= tau;
        A[(size_t)r * n + j] -= sum;
        for (int i = r + 1; i < m; i++) A[(size_t)i * n + j] -= sum * A[(size_t)i * n + c];
    }
    A[(size_t)r * n + c] = beta;
}

// Length of A[r..m, c], without overflow.
static double column_length(int m, int n, const double* A, int r, int c)
{
    double length = 0;
    for (int i = r; i < m; i++) length = sari_hypot(length, A[(size_t)i * n + c]);
    return length;
}

int sari_independent_columns(int m, int n, double* A, double relative, int* order)
{
    double largest = 0;
    for (int c = 0; c < n; c++) largest = fmax(largest, column_length(m, n, A, 0, c));
    int rank = 0, dependent = 0;
    for (int c = 0; c < n; c++) {
        const double length = rank < m ? column_length(m, n, A, rank, c) : 0;
        if (length > relative * largest) {
            reflect(m, n, A, rank, c, length);
            order[rank++] = c;
        } else {
            order[n - 1 - dependent++] = c; // backwards for now
        }
    }
    for (int a = rank, b = n - 1; a < b; a++, b--) {
        int t = order[a];
        order[a] = order[b];
        order[b] = t;
    }
    return rank;
}
