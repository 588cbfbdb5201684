#include "solvers/least_squares.h"

#include <math.h>
#include <string.h>

static const double ZERO = 1e-18; ///< of the largest pivot: far below rounding
static const double MIXED = 0.03; ///< of all directions, in the guess of a singular vector

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

/* The reflector that takes column k, from row k on, to a multiple of e_k: I - tau v v', v_k = 1. */
static double reflect(const sari_least_squares* f, int k)
{
    const int n = f->cols;
    double* a = f->A + (size_t)k * (size_t)n + k;
    double below = 0.0;
    for (int i = k + 1; i < f->rows; i++) {
        const double x = a[(size_t)(i - k) * (size_t)n];
        below += x * x;
    }
    const double first = a[0], norm = sqrt(first * first + below);
    if (norm == 0.0) return 0.0;
    const double beta = first > 0.0 ? -norm : norm, scale = 1.0 / (first - beta);
    for (int i = k + 1; i < f->rows; i++) a[(size_t)(i - k) * (size_t)n] *= scale;
    a[0] = beta;
    return (beta - first) / beta;
}

void sari_least_squares_factor(sari_least_squares* f)
{
    const int m = f->rows, n = f->cols;
    double* restrict sum = f->sum;
    f->largest = 0.0;
    for (int k = 0; k < n; k++) {
        const double tau = f->tau[k] = reflect(f, k);
        double* restrict top = f->A + (size_t)k * (size_t)n;
        f->largest = fmax(f->largest, fabs(top[k]));
        if (tau == 0.0 || k + 1 == n) continue;
        for (int j = k + 1; j < n; j++) sum[j] = top[j];
        for (int i = k + 1; i < m; i++) {
            const double* restrict row = f->A + (size_t)i * (size_t)n, v = row[k];
            for (int j = k + 1; j < n; j++) sum[j] += v * row[j];
        }
        for (int j = k + 1; j < n; j++) top[j] -= sum[j] *= tau;
        for (int i = k + 1; i < m; i++) {
            double* restrict row = f->A + (size_t)i * (size_t)n;
            const double v = row[k];
            for (int j = k + 1; j < n; j++) row[j] -= v * sum[j];
        }
    }
}

/* One right-hand side, the usual case in small systems. */
static void solve_one(const sari_least_squares* f, double* restrict b)
{
    const int m = f->rows, n = f->cols;
    for (int k = 0; k < n; k++) {
        double s = b[k];
        for (int i = k + 1; i < m; i++) s += f->A[(size_t)i * (size_t)n + (size_t)k] * b[i];
        s *= f->tau[k];
        b[k] -= s;
        for (int i = k + 1; i < m; i++) b[i] -= s * f->A[(size_t)i * (size_t)n + (size_t)k];
    }
    for (int k = n - 1; k >= 0; k--) {
        const double* row = f->A + (size_t)k * (size_t)n;
        double s = b[k];
        for (int j = k + 1; j < n; j++) s -= row[j] * b[j];
        b[k] = s / row[k];
    }
}

void sari_least_squares_solve(const sari_least_squares* f, int count, double* b)
{
    const int m = f->rows, n = f->cols;
    double* restrict sum = f->sum;
    if (count == 1) {
        solve_one(f, b);
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

/* x = R'^-1 x */
static void forward(const sari_least_squares* f, double* x)
{
    const int n = f->cols;
    for (int k = 0; k < n; k++) {
        const double* row = f->A + (size_t)k * (size_t)n;
        x[k] /= row[k];
        for (int j = k + 1; j < n; j++) x[j] -= x[k] * row[j];
    }
}

/* x = R^-1 x */
static void backward(const sari_least_squares* f, double* x)
{
    const int n = f->cols;
    for (int k = n - 1; k >= 0; k--) {
        const double* row = f->A + (size_t)k * (size_t)n;
        double s = x[k];
        for (int j = k + 1; j < n; j++) s -= row[j] * x[j];
        x[k] = s / row[k];
    }
}

void sari_least_squares_shortest(const sari_least_squares* f, const double* g, double* b)
{
    memset(b, 0, (size_t)f->rows * sizeof *b);
    memcpy(b, g, (size_t)f->cols * sizeof *b);
    forward(f, b);
    sari_least_squares_rotate(f, b);
}

static double norm(int n, const double* x)
{
    double square = 0.0;
    for (int i = 0; i < n; i++) square += x[i] * x[i];
    return sqrt(square);
}

static void scale(int n, double factor, double* x)
{
    for (int i = 0; i < n; i++) x[i] *= factor;
}

void sari_least_squares_smallest(sari_least_squares* f)
{
    enum { ITERATIONS = 2 };
    const int n = f->cols;
    f->smallest = 0.0;
    if (n == 0) return;
    double *right = f->right, *left = f->left;
    for (int k = 0; k < n; k++) { // a pivot of zero would give no vectors
        double* pivot = f->A + (size_t)k * (size_t)n + (size_t)k;
        if (fabs(*pivot) < ZERO * f->largest) *pivot = ZERO * f->largest;
    }
    if (!(f->largest > 0.0)) return;
    if (norm(n, right) == 0.0)
        for (int i = 0; i < n; i++) right[i] = 1.0 + 0.1 * (i % 7);
    // the guess may be a vector of one loop, which would not show that another one is smaller now
    const double whole = norm(n, right), some = MIXED * whole / sqrt((double)n);
    for (int i = 0; i < n; i++) right[i] += some * (1.0 - 0.3 * (i % 5));
    scale(n, 1.0 / norm(n, right), right);
    for (int k = 0; k < ITERATIONS; k++) {
        memcpy(left, right, (size_t)n * sizeof *left);
        forward(f, left);
        scale(n, 1.0 / norm(n, left), left);
        memcpy(right, left, (size_t)n * sizeof *left);
        backward(f, right);
        f->smallest = 1.0 / norm(n, right);
        scale(n, f->smallest, right);
    }
    memset(left + n, 0, (size_t)(f->rows - n) * sizeof *left);
}

/* x without its parts along orthonormal vectors. */
static void deflate(int n, int count, const double* known, double* x)
{
    for (int k = 0; k < count; k++) {
        double along = 0.0;
        for (int i = 0; i < n; i++) along += known[k * n + i] * x[i];
        for (int i = 0; i < n; i++) x[i] -= along * known[k * n + i];
    }
}

double sari_least_squares_next(const sari_least_squares* f, int count, const double* known,
                               double* right, double* left)
{
    enum { ITERATIONS = 6 };
    const int n = f->cols;
    double value = 0.0;
    for (int i = 0; i < n; i++) right[i] = 1.0 + 0.3 * ((3 * i + count) % 5);
    for (int k = 0; k < ITERATIONS; k++) {
        deflate(n, count, known, right);
        scale(n, 1.0 / norm(n, right), right);
        memcpy(left, right, (size_t)n * sizeof *left);
        forward(f, left);
        scale(n, 1.0 / norm(n, left), left);
        memcpy(right, left, (size_t)n * sizeof *left);
        backward(f, right);
        deflate(n, count, known, right);
        value = 1.0 / norm(n, right);
        scale(n, value, right);
    }
    memset(left + n, 0, (size_t)(f->rows - n) * sizeof *left);
    return value;
}
