#include "linalg/least_squares.h"
#include "linalg/least_squares_kernels.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

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
        f->largest = sari_qr_factor(f->A, f->tau, f->sum, m, n);                                   \
        break;
        SMALL_SIZES(CASE)
#undef CASE
    default:
        f->largest = sari_qr_factor(f->A, f->tau, f->sum, f->rows, f->cols);
    }
}

static void solve_single(const sari_least_squares* f, double* b)
{
    switch (size_of(f)) {
#define CASE(m, n)                                                                                 \
    case SIZE(m, n):                                                                               \
        sari_qr_solve_one(f->A, f->tau, m, n, b);                                                  \
        break;
        SMALL_SIZES(CASE)
#undef CASE
    default:
        sari_qr_solve_one(f->A, f->tau, f->rows, f->cols, b);
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
    sari_qr_forward(f->A, f->cols, b);
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
        if (fabs(*pivot) < SARI_QR_ZERO * f->largest) *pivot = SARI_QR_ZERO * f->largest;
    }
    if (!(f->largest > 0.0)) return;
    if (!(sari_vector_norm(n, right) > 0.0)) {
        for (int i = 0; i < n; i++) right[i] = 1.0 + 0.1 * (i % 7);
        if (iterations < 2) iterations = 2;
    }
    // the guess may be a vector of one loop, which would not show that another one is smaller now
    const double whole = sari_vector_norm(n, right), some = SARI_QR_MIXED * whole / sqrt((double)n);
    for (int i = 0; i < n; i++) right[i] += some * (1.0 - 0.3 * (i % 5));
    scale(n, 1.0 / sari_vector_norm(n, right), right);
    switch (n) {
#define CASE(m, n)                                                                                 \
    case n:                                                                                        \
        f->smallest = sari_qr_smallest(f->A, n, iterations, right, left);                          \
        break;
        SMALL_SIZES(CASE)
#undef CASE
    default:
        f->smallest = sari_qr_smallest(f->A, n, iterations, right, left);
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
        sari_qr_forward(f->A, n, one);
        sari_vector_deflate(n, k, lefts, one);
        scale(n, 1.0 / sari_vector_norm(n, one), one);
    }
    for (int i = 0; i < n; i++) right[i] = 1.0 + 0.3 * ((3 * i + count) % 5);
    for (int k = 0; k < ITERATIONS; k++) {
        sari_vector_deflate(n, count, known, right);
        scale(n, 1.0 / sari_vector_norm(n, right), right);
        memcpy(left, right, (size_t)n * sizeof *left);
        sari_qr_forward(f->A, n, left);
        sari_vector_deflate(n, count, lefts, left);
        scale(n, 1.0 / sari_vector_norm(n, left), left);
        memcpy(right, left, (size_t)n * sizeof *left);
        sari_qr_backward(f->A, n, right);
        sari_vector_deflate(n, count, known, right);
        value = 1.0 / sari_vector_norm(n, right);
        scale(n, value, right);
    }
    memset(left + n, 0, (size_t)(f->rows - n) * sizeof *left);
    return value;
}
