/* Matrices whose spectrum is known, and relations that hold for every matrix. */
#include "sar_test.h"

#include "linalg/eigenvalues.h"

enum { MOST = 40 };

static double re[MOST], im[MOST], work[MOST];

static double uniform(void)
{
    static uint64_t state = 7;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)state / 9223372036854775808.0;
}

// Of a copy; complex ones in conjugate pairs, the upper one first.
static void find(int n, const double* A)
{
    static double copy[MOST * MOST];
    memcpy(copy, A, sizeof(double) * (size_t)(n * n));
    CHECK_STATUS(sari_eigenvalues(n, copy, re, im, work), SAR_OK);
    for (int k = 0; k < n; k++) {
        if (im[k] == 0.0) continue;
        CHECK(im[k] > 0.0 && k + 1 < n && re[k + 1] == re[k] && im[k + 1] == -im[k]);
        k++;
    }
}

static void check_has(int n, double x, double y, double tolerance)
{
    double nearest = INFINITY;
    for (int k = 0; k < n; k++) nearest = fmin(nearest, hypot(re[k] - x, im[k] - y));
    CHECK(nearest <= tolerance);
}

// A becomes S A S with a random reflection S = 1 - 2 u u'
static void reflect(int n, double* A)
{
    double u[MOST], square = 0;
    for (int i = 0; i < n; i++) u[i] = uniform(), square += u[i] * u[i];
    for (int i = 0; i < n; i++) u[i] /= sqrt(square);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++) sum += u[j] * (side ? A[i * n + j] : A[j * n + i]);
            for (int j = 0; j < n; j++) *(side ? &A[i * n + j] : &A[j * n + i]) -= 2 * sum * u[j];
        }
}

TEST(companion_matrices_have_the_roots)
{
    enum { N = 10 };
    double p[N + 1] = {1}, A[N * N] = {0}; // of (x - 1)(x - 2) ... , from the highest power on
    for (int r = 1; r <= N; r++)
        for (int k = r; k > 0; k--) p[k] -= r * p[k - 1];
    for (int k = 0; k < N; k++) A[k] = -p[k + 1];
    for (int k = 1; k < N; k++) A[k * N + k - 1] = 1;
    find(N, A);
    for (int r = 1; r <= N; r++) check_has(N, r, 0, 1e-7);
}

TEST(blocks_behind_reflections_are_found)
{
    enum { N = 9 };
    double A[N * N] = {0};
    for (int k = 0; k < N; k++)
        for (int j = k + 1; j < N; j++) A[k * N + j] = uniform();
    for (int k = 0; k < N; k++)
        A[k * N + k] = k < 6 ? -0.5 * (k / 2) : k; // 0 +- i, -0.5 +- 2i, ...
    for (int k = 0; k < 6; k += 2) {
        A[k * N + k + 1] = k / 2 + 1;
        A[(k + 1) * N + k] = -(k / 2 + 1);
    }
    for (int k = 0; k < 4; k++) reflect(N, A);
    find(N, A);
    for (int k = 0; k < 3; k++)
        check_has(N, -0.5 * k, k + 1, 1e-12), check_has(N, -0.5 * k, -k - 1, 1e-12);
    for (int k = 6; k < N; k++) check_has(N, k, 0, 1e-12);
}

// sum of lambda^p = trace of A^p
TEST(powers_have_the_traces)
{
    static double A[MOST * MOST], P[MOST * MOST], Q[MOST * MOST];
    for (int n = 1; n <= MOST; n += 3) {
        for (int i = 0; i < n * n; i++) P[i] = A[i] = uniform();
        find(n, A);
        for (int p = 1; p <= 4; p++) {
            double trace = 0, sum = 0, size = 0;
            for (int i = 0; i < n; i++) {
                trace += P[i * n + i];
                sum += pow(hypot(re[i], im[i]), p) * cos(p * atan2(im[i], re[i]));
                size += pow(hypot(re[i], im[i]), p);
            }
            CHECK_NEAR(sum, trace, 1e-12 * size);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    Q[i * n + j] = 0;
                    for (int k = 0; k < n; k++) Q[i * n + j] += P[i * n + k] * A[k * n + j];
                }
            memcpy(P, Q, sizeof(double) * (size_t)(n * n));
        }
    }
}

// With e in its corner the eigenvalues of a Jordan block are k-th roots of e, beside its own.
TEST(jordan_blocks_are_as_near_as_rounding_lets_them)
{
    enum { K = 5 };
    const double corners[] = {1, 1e-5, 1e-10, 0};
    for (int c = 0; c < 4; c++) {
        double A[K * K] = {0};
        for (int i = 0; i < K; i++) A[i * K + i] = 3;
        for (int i = 0; i + 1 < K; i++) A[i * K + i + 1] = 1;
        A[(K - 1) * K] = corners[c];
        const double r = pow(corners[c], 1.0 / K);
        for (int turned = 0; turned < 2; turned++) {
            if (turned) reflect(K, A);
            find(K, A);
            const double rounding = c == 0 ? 1e-13 : c == 1 ? 1e-10 : 5e-3;
            for (int k = 0; k < K; k++)
                check_has(K, 3 + r * cos(2 * M_PI * k / K), r * sin(2 * M_PI * k / K), rounding);
        }
    }
}

// Rows in a circle: the usual shifts are zero and do nothing.
TEST(circles_are_left)
{
    for (int n = 3; n <= 12; n++) {
        double A[12 * 12] = {0};
        for (int i = 0; i < n; i++) A[i * n + (i + n - 1) % n] = 1;
        find(n, A);
        for (int k = 0; k < n; k++)
            check_has(n, cos(2 * M_PI * k / n), sin(2 * M_PI * k / n), 1e-13);
    }
}

// Frank's matrix: determinant 1, and with every eigenvalue its inverse; the small ones are sensitive.
TEST(franks_matrix_has_inverses_in_pairs)
{
    enum { N = 9 };
    double A[N * N] = {0}, product = 1;
    for (int i = 0; i < N; i++)
        for (int j = i > 0 ? i - 1 : 0; j < N; j++) A[i * N + j] = N - (i > j ? i : j);
    find(N, A);
    for (int k = 0; k < N; k++) {
        CHECK(im[k] == 0.0 && re[k] > 0.0);
        product *= re[k];
        check_has(N, 1 / re[k], 0, 1e-7 / re[k]);
    }
    CHECK_NEAR(product, 1, 1e-8);
}

TEST(scales_of_the_variables_do_not_matter)
{
    enum { N = 6 };
    double A[N * N], B[N * N], x[N], y[N];
    for (int i = 0; i < N * N; i++) A[i] = uniform();
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) B[i * N + j] = ldexp(A[i * N + j], 15 * (i - j));
    find(N, A);
    memcpy(x, re, sizeof x);
    memcpy(y, im, sizeof y);
    find(N, B);
    for (int k = 0; k < N; k++) check_has(N, x[k], y[k], 1e-12);
}

TEST(the_smallest_and_the_worst)
{
    double one[] = {-2}, none[9] = {0}, bad[] = {1, NAN, 0, 1};
    find(1, one);
    CHECK(re[0] == -2 && im[0] == 0);
    find(3, none);
    for (int k = 0; k < 3; k++) CHECK(re[k] == 0 && im[k] == 0);
    CHECK_STATUS(sari_eigenvalues(2, bad, re, im, work), SAR_R_NOT_FINITE);
    CHECK_STATUS(sari_eigenvalues(0, NULL, re, im, work), SAR_OK);
}

// |A x - lambda x| of every vector, real or complex, beside |A|
static void check_vectors(int n, const double* A, double tolerance)
{
    static double copy[MOST * MOST], V[MOST * MOST], room[MOST * MOST + 4 * MOST + 4];
    memcpy(copy, A, sizeof(double) * (size_t)(n * n));
    CHECK(sari_eigenvectors_workspace(n) <= sizeof room / sizeof *room);
    CHECK_STATUS(sari_eigenvectors(n, copy, re, im, V, room), SAR_OK);
    for (int k = 0; k < n; k++) {
        const int pair = im[k] > 0.0;
        double worst = 0, length = 0;
        for (int i = 0; i < n; i++) {
            const double x = V[i * n + k], y = pair ? V[i * n + k + 1] : 0.0;
            double a = -(re[k] * x - im[k] * y), b = -(re[k] * y + im[k] * x);
            for (int j = 0; j < n; j++) {
                a += A[i * n + j] * V[j * n + k];
                b += pair ? A[i * n + j] * V[j * n + k + 1] : 0.0;
            }
            worst = fmax(worst, hypot(a, b));
            length += x * x + y * y;
        }
        CHECK(fabs(length - 1) < 1e-12);
        if (!(worst <= tolerance)) fail_msg("residual %g of %.17g %+.3gi", worst, re[k], im[k]);
        k += pair;
    }
}

TEST(vectors_of_random_matrices)
{
    double A[MOST * MOST];
    for (int n = 1; n <= MOST; n++) {
        for (int i = 0; i < n * n; i++) A[i] = uniform();
        check_vectors(n, A, 1e-12);
        for (int i = 0; i < n; i++) // of very different sizes
            for (int j = 0; j < n; j++) A[i * n + j] *= ldexp(1.0, (i - j) / 2);
        check_vectors(n, A, 1e-11 * ldexp(1.0, n / 2));
    }
}

TEST(vectors_of_eigenvalues_that_repeat)
{
    enum { N = 6 };
    double A[N * N] = {0};
    for (int i = 0; i < N; i++) A[i * N + i] = i < 3 ? 2 : -1;
    reflect(N, A);
    check_vectors(N, A, 1e-13);
}
