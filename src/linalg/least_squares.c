#include "linalg/least_squares.h"
#include "linalg/inline.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static const double ZERO = 1e-18; ///< of the largest pivot: far below rounding
static const double MIXED = 0.03; ///< of all directions, in the guess of a singular vector

/* ---- loops, with the numbers of rows and columns known when compiled where these are small --------- */

/* The reflector that takes column k, from row k on, to a multiple of e_k: I - tau v v', v_k = 1. */
SARI_INLINE double reflect(double* a, const int rows, const int n)
{
    double below = 0.0;
    if (rows == 1) return 0.0; // it is one
    for (int i = 1; i < rows; i++) {
        const double x = a[(size_t)i * (size_t)n];
        below += x * x;
    }
    const double first = a[0], norm = sqrt(first * first + below);
    if (norm == 0.0) return 0.0;
    const double beta = first > 0.0 ? -norm : norm, scale = 1.0 / (first - beta);
    for (int i = 1; i < rows; i++) a[(size_t)i * (size_t)n] *= scale;
    a[0] = beta;
    return (beta - first) / beta;
}

SARI_INLINE double factor(double* restrict A, double* restrict tau_of, double* restrict sum,
                          const int m, const int n)
{
    double largest = 0.0;
    for (int k = 0; k < n; k++) {
        double* restrict top = A + (size_t)k * (size_t)n;
        const double tau = tau_of[k] = reflect(top + k, m - k, n);
        largest = fabs(top[k]) > largest ? fabs(top[k]) : largest;
        if (tau == 0.0 || k + 1 == n) continue;
        for (int j = k + 1; j < n; j++) sum[j] = top[j];
        for (int i = k + 1; i < m; i++) {
            const double* restrict row = A + (size_t)i * (size_t)n, v = row[k];
            for (int j = k + 1; j < n; j++) sum[j] += v * row[j];
        }
        for (int j = k + 1; j < n; j++) top[j] -= sum[j] *= tau;
        for (int i = k + 1; i < m; i++) {
            double* restrict row = A + (size_t)i * (size_t)n;
            const double v = row[k];
            for (int j = k + 1; j < n; j++) row[j] -= v * sum[j];
        }
    }
    return largest;
}

/* x = R^-1 x */
SARI_INLINE void backward(const double* A, const int n, double* restrict x)
{
    for (int k = n - 1; k >= 0; k--) {
        const double* row = A + (size_t)k * (size_t)n;
        double s = x[k];
        for (int j = k + 1; j < n; j++) s -= row[j] * x[j];
        x[k] = s / row[k];
    }
}

/* x = R'^-1 x */
SARI_INLINE void forward(const double* A, const int n, double* restrict x)
{
    for (int k = 0; k < n; k++) {
        const double* row = A + (size_t)k * (size_t)n;
        x[k] /= row[k];
        for (int j = k + 1; j < n; j++) x[j] -= x[k] * row[j];
    }
}

/* One right-hand side, the usual case in small systems. */
SARI_INLINE void solve_one(const double* A, const double* tau, const int m, const int n,
                           double* restrict b)
{
    for (int k = 0; k < n; k++) {
        const double* v = A + (size_t)k;
        double s = b[k];
        for (int i = k + 1; i < m; i++) s += v[(size_t)i * (size_t)n] * b[i];
        s *= tau[k];
        b[k] -= s;
        for (int i = k + 1; i < m; i++) b[i] -= s * v[(size_t)i * (size_t)n];
    }
    backward(A, n, b);
}

/* The smallest singular value by inverse iteration. */
SARI_INLINE double smallest(const double* A, const int n, int iterations, double* restrict right,
                            double* restrict left)
{
    double value = 0.0;
    for (int k = 0; k < iterations; k++) {
        double square = 0.0;
        for (int i = 0; i < n; i++) left[i] = right[i];
        forward(A, n, left);
        for (int i = 0; i < n; i++) square += left[i] * left[i];
        double factor_of = 1.0 / sqrt(square);
        square = 0.0;
        for (int i = 0; i < n; i++) right[i] = left[i] *= factor_of;
        backward(A, n, right);
        for (int i = 0; i < n; i++) square += right[i] * right[i];
        value = 1.0 / sqrt(square);
        for (int i = 0; i < n; i++) right[i] *= value;
    }
    return value;
}

/* ---- life, and the choice among sizes ----------------------------------------------------------- */

void sari_least_squares_take(sari_least_squares* f, sari_arena* memory, int rows, int cols,
                             int most_rhs)
{
    f->rows = rows;
    f->cols = cols;
    f->A = SARI_TAKE(memory, double, (size_t)rows*(size_t)cols);
    f->tau = SARI_TAKE(memory, double, cols);
    f->sum = SARI_TAKE(memory, double, cols > most_rhs ? cols : most_rhs);
    f->right = SARI_TAKE(memory, double, cols);
    f->left = SARI_TAKE(memory, double, rows);
}

/* kernel(.., rows, cols, ..) with both known where matrices are small: loops are unrolled. */
#define SMALL_SIZES(CASE) CASE(1, 1) CASE(2, 2) CASE(3, 3) CASE(4, 4) CASE(5, 5) CASE(6, 6)
#define SIZE(m, n) (8 * (m) + (n))

static int size_of(const sari_least_squares* f)
{
    return f->rows <= 6 ? SIZE(f->rows, f->cols) : -1;
}

void sari_least_squares_factor(sari_least_squares* f)
{
    switch (size_of(f)) {
#define CASE(m, n)                                                                                 \
    case SIZE(m, n):                                                                               \
        f->largest = factor(f->A, f->tau, f->sum, m, n);                                           \
        break;
        SMALL_SIZES(CASE)
#undef CASE
    default:
        f->largest = factor(f->A, f->tau, f->sum, f->rows, f->cols);
    }
}

static void solve_single(const sari_least_squares* f, double* b)
{
    switch (size_of(f)) {
#define CASE(m, n)                                                                                 \
    case SIZE(m, n):                                                                               \
        solve_one(f->A, f->tau, m, n, b);                                                          \
        break;
        SMALL_SIZES(CASE)
#undef CASE
    default:
        solve_one(f->A, f->tau, f->rows, f->cols, b);
    }
}

void sari_least_squares_solve(const sari_least_squares* f, int count, double* b)
{
    const int m = f->rows, n = f->cols;
    double* restrict sum = f->sum;
    if (count == 1) {
        solve_single(f, b);
        return;
    }
    for (int k = 0; k < n; k++) {
        double* restrict top = b + (size_t)k * (size_t)count;
        for (int j = 0; j < count; j++) sum[j] = top[j];
        for (int i = k + 1; i < m; i++) {
            const double v = f->A[(size_t)i * (size_t)n + (size_t)k];
            const double* restrict row = b + (size_t)i * (size_t)count;
            for (int j = 0; j < count; j++) sum[j] += v * row[j];
        }
        for (int j = 0; j < count; j++) top[j] -= sum[j] *= f->tau[k];
        for (int i = k + 1; i < m; i++) {
            const double v = f->A[(size_t)i * (size_t)n + (size_t)k];
            double* restrict row = b + (size_t)i * (size_t)count;
            for (int j = 0; j < count; j++) row[j] -= v * sum[j];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *R = f->A + (size_t)k * (size_t)n, inverse = 1.0 / R[k];
        double* restrict x = b + (size_t)k * (size_t)count;
        for (int i = k + 1; i < n; i++) {
            const double* restrict known = b + (size_t)i * (size_t)count;
            for (int j = 0; j < count; j++) x[j] -= R[i] * known[j];
        }
        for (int j = 0; j < count; j++) x[j] *= inverse;
    }
}

void sari_least_squares_rotate(const sari_least_squares* f, double* x)
{
    const int m = f->rows, n = f->cols;
    for (int k = n - 1; k >= 0; k--) {
        double s = x[k];
        for (int i = k + 1; i < m; i++) s += f->A[(size_t)i * (size_t)n + (size_t)k] * x[i];
        s *= f->tau[k];
        x[k] -= s;
        for (int i = k + 1; i < m; i++) x[i] -= s * f->A[(size_t)i * (size_t)n + (size_t)k];
    }
}

void sari_least_squares_shortest(const sari_least_squares* f, const double* g, double* b)
{
    memset(b, 0, (size_t)f->rows * sizeof *b);
    memcpy(b, g, (size_t)f->cols * sizeof *b);
    forward(f->A, f->cols, b);
    sari_least_squares_rotate(f, b);
}

static void scale(int n, double factor, double* x)
{
    for (int i = 0; i < n; i++) x[i] *= factor;
}

void sari_least_squares_smallest(sari_least_squares* f, int iterations)
{
    const int n = f->cols;
    f->smallest = 0.0;
    if (n == 0) return;
    double *right = f->right, *left = f->left;
    for (int k = 0; k < n; k++) { // a pivot of zero would give no vectors
        double* pivot = f->A + (size_t)k * (size_t)n + (size_t)k;
        if (fabs(*pivot) < ZERO * f->largest) *pivot = ZERO * f->largest;
    }
    if (!(f->largest > 0.0)) return;
    if (!(sari_vector_norm(n, right) > 0.0)) {
        for (int i = 0; i < n; i++) right[i] = 1.0 + 0.1 * (i % 7);
        if (iterations < 2) iterations = 2;
    }
    // the guess may be a vector of one loop, which would not show that another one is smaller now
    const double whole = sari_vector_norm(n, right), some = MIXED * whole / sqrt((double)n);
    for (int i = 0; i < n; i++) right[i] += some * (1.0 - 0.3 * (i % 5));
    scale(n, 1.0 / sari_vector_norm(n, right), right);
    switch (n) {
#define CASE(m, n)                                                                                 \
    case n:                                                                                        \
        f->smallest = smallest(f->A, n, iterations, right, left);                                  \
        break;
        SMALL_SIZES(CASE)
#undef CASE
    default:
        f->smallest = smallest(f->A, n, iterations, right, left);
    }
    for (int i = n; i < f->rows; i++) left[i] = 0.0;
}

/* Where a value that is known is zero, rounding alone brings its vectors back, on either side: both
 * are taken out in every half of an iteration. */
double sari_least_squares_next(const sari_least_squares* f, int count, const double* known,
                               double* lefts, double* right, double* left)
{
    enum { ITERATIONS = 6 };
    const int n = f->cols;
    double value = 0.0;
    memcpy(lefts, known, (size_t)(count * n) * sizeof *lefts);
    for (int k = 0; k < count; k++) {
        double* one = lefts + (size_t)k * (size_t)n;
        forward(f->A, n, one);
        sari_vector_deflate(n, k, lefts, one);
        scale(n, 1.0 / sari_vector_norm(n, one), one);
    }
    for (int i = 0; i < n; i++) right[i] = 1.0 + 0.3 * ((3 * i + count) % 5);
    for (int k = 0; k < ITERATIONS; k++) {
        sari_vector_deflate(n, count, known, right);
        scale(n, 1.0 / sari_vector_norm(n, right), right);
        memcpy(left, right, (size_t)n * sizeof *left);
        forward(f->A, n, left);
        sari_vector_deflate(n, count, lefts, left);
        scale(n, 1.0 / sari_vector_norm(n, left), left);
        memcpy(right, left, (size_t)n * sizeof *left);
        backward(f->A, n, right);
        sari_vector_deflate(n, count, known, right);
        value = 1.0 / sari_vector_norm(n, right);
        scale(n, value, right);
    }
    memset(left + n, 0, (size_t)(f->rows - n) * sizeof *left);
    return value;
}
