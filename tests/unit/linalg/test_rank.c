#include "sar_test.h"

#include "linalg/rank.h"

enum { MOST = 40 };

static double uniform(void)
{
    static uint64_t state = 42;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)state / 9223372036854775808.0;
}

static double work[MOST * MOST * 2 + MOST];

// A = U S V' and U, V orthonormal, all to `tolerance` of the largest singular value.
static void check_decomposition(int m, int n, const double* A, double tolerance)
{
    static double sigma[MOST], U[MOST * MOST], V[MOST * MOST], copy[MOST * MOST];
    const int k = m < n ? m : n;
    memcpy(copy, A, sizeof(double) * (size_t)(m * n));
    CHECK(sari_svd_workspace(m, n) <= sizeof work / sizeof work[0]);
    sari_svd(m, n, A, sigma, U, V, work);
    CHECK(memcmp(copy, A, sizeof(double) * (size_t)(m * n)) == 0);
    for (int j = 0; j + 1 < k; j++) CHECK(sigma[j] >= sigma[j + 1]);
    if (k) CHECK(sigma[k - 1] >= 0);
    for (int r = 0; r < m; r++)
        for (int c = 0; c < n; c++) {
            double sum = 0;
            for (int j = 0; j < k; j++) sum += U[r * k + j] * sigma[j] * V[c * k + j];
            CHECK_NEAR(sum, A[r * n + c], tolerance * (sigma[0] + 1e-300));
        }
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++) {
            double uu = 0, vv = 0;
            for (int r = 0; r < m; r++) uu += U[r * k + a] * U[r * k + b];
            for (int r = 0; r < n; r++) vv += V[r * k + a] * V[r * k + b];
            CHECK_NEAR(uu, a == b, 1e-13);
            CHECK_NEAR(vv, a == b, 1e-13);
        }
    static double alone[MOST];
    sari_svd(m, n, A, alone, NULL, NULL, work); // U and V are optional
    CHECK(memcmp(alone, sigma, sizeof(double) * (size_t)k) == 0);
}

TEST(decomposes_random_matrices_of_any_shape)
{
    static double A[MOST * MOST];
    for (int m = 1; m <= 21; m += 2)
        for (int n = 1; n <= 21; n += 3) {
            for (int k = 0; k < m * n; k++) A[k] = uniform();
            check_decomposition(m, n, A, 1e-13);
        }
}

TEST(zero_rows_columns_and_matrices_still_give_bases)
{
    static double A[MOST * MOST];
    for (int shape = 0; shape < 3; shape++) {
        const int m = shape == 1 ? 9 : 5, n = shape == 2 ? 9 : 5;
        memset(A, 0, sizeof A);
        check_decomposition(m, n, A, 1e-13);
        A[2 * n + 3] = -4; // rank 1
        check_decomposition(m, n, A, 1e-13);
        for (int r = 0; r < m; r++) // rank 2, two rows and columns zero
            for (int c = 0; c < n; c++) A[r * n + c] = r < 2 || c < 2 ? 0 : r + 10 * c;
        check_decomposition(m, n, A, 1e-13);
    }
}

// The second difference has the singular values 2 - 2 cos(k pi / (n+1)).
TEST(singular_values_of_the_second_difference)
{
    const double pi = 3.14159265358979323846;
    enum { N = 30 };
    static double A[N * N], sigma[N];
    for (int k = 0; k < N; k++) {
        A[k * N + k] = 2;
        if (k) A[k * N + k - 1] = A[(k - 1) * N + k] = -1;
    }
    sari_svd(N, N, A, sigma, NULL, NULL, work);
    for (int k = 1; k <= N; k++)
        CHECK_NEAR(sigma[N - k] / (2 - 2 * cos(k * pi / (N + 1))), 1, 1e-12);
}

// Columns of very different size: each singular value is accurate relative to itself. Those of the
// 2 x 2 matrix
// [[1, 1], [1, -1]] D are sqrt(2) times the entries of the diagonal D.
TEST(small_singular_values_are_accurate_too)
{
    const double small = 1e-40;
    const double A[4] = {1, small, 1, -small};
    double sigma[2];
    sari_svd(2, 2, A, sigma, NULL, NULL, work);
    CHECK_NEAR(sigma[0] / sqrt(2), 1, 1e-15);
    CHECK_NEAR(sigma[1] / (sqrt(2) * small), 1, 1e-14);
}

TEST(huge_and_tiny_matrices_neither_overflow_nor_vanish)
{
    static const double scales[] = {1e-300, 1e-200, 1e200, 1e300};
    for (int k = 0; k < 4; k++) {
        const double s = scales[k];
        const double A[4] = {3 * s, 0, 0, 4 * s};
        double sigma[2];
        sari_svd(2, 2, A, sigma, NULL, NULL, work);
        CHECK_NEAR(sigma[0] / s, 4, 1e-14);
        CHECK_NEAR(sigma[1] / s, 3, 1e-14);
    }
}

// Ten rows, four of them combinations of the others: six singular values, and a gap of twelve
// digits.
TEST(redundant_rows_show_as_zero_singular_values)
{
    enum { M = 10, N = 14, RANK = 6 };
    static double A[M * N], sigma[M];
    for (int r = 0; r < RANK; r++)
        for (int c = 0; c < N; c++) A[r * N + c] = uniform();
    for (int r = RANK; r < M; r++)
        for (int k = 0; k < RANK; k++) {
            double f = uniform();
            for (int c = 0; c < N; c++) A[r * N + c] += f * A[k * N + c];
        }
    sari_svd(M, N, A, sigma, NULL, NULL, work);
    CHECK(sigma[RANK - 1] > 1e-3 * sigma[0]);
    CHECK_AT_MOST(sigma[RANK], 1e-14 * sigma[0]);
    check_decomposition(M, N, A, 1e-13);
}

TEST(the_first_independent_columns_are_taken)
{
    double A[4 * 6] = {
        // columns: 0: zero, 1: e1, 2: 3 e1, 3: e1 + e2, 4: e2, 5: e4
        0, 1, 3, 1, 0, 0, //
        0, 0, 0, 1, 1, 0, //
        0, 0, 0, 0, 0, 0, //
        0, 0, 0, 0, 0, 1, //
    };
    int order[6];
    CHECK(sari_independent_columns(4, 6, A, 1e-10, order) == 3);
    static const int wanted[6] = {1, 3, 5, 0, 2, 4};
    for (int k = 0; k < 6; k++) CHECK_NEAR(order[k], wanted[k], 0);
}

TEST(more_columns_than_rows_and_full_rank)
{
    static double A[5 * 9];
    int order[9];
    for (int k = 0; k < 5 * 9; k++) A[k] = uniform();
    CHECK(sari_independent_columns(5, 9, A, 1e-10, order) == 5);
    for (int k = 0; k < 9; k++) CHECK_NEAR(order[k], k, 0);
}

// A column that leaves the span of the others by 1e-6 counts or not by the tolerance,
// whatever the unit.
TEST(the_tolerance_decides_on_nearly_dependent_columns)
{
    for (double scale = 1e-12; scale < 1e13; scale *= 1e6)
        for (int strict = 0; strict < 2; strict++) {
            double A[3 * 2] = {1, 2, 1, 2, 1, 2 + 1e-6};
            for (int k = 0; k < 6; k++) A[k] *= scale;
            int order[2];
            int rank = sari_independent_columns(3, 2, A, strict ? 1e-9 : 1e-3, order);
            CHECK_NEAR(rank, strict ? 2 : 1, 0);
        }
}

TEST(rank_agrees_with_the_singular_values)
{
    enum { M = 12, N = 9 };
    for (int rank = 0; rank <= N; rank++) {
        static double A[M * N], sigma[N];
        int order[N], counted = 0;
        memset(A, 0, sizeof A);
        for (int k = 0; k < rank; k++) {
            double u[M], v[N];
            for (int r = 0; r < M; r++) u[r] = uniform();
            for (int c = 0; c < N; c++) v[c] = uniform();
            for (int r = 0; r < M; r++)
                for (int c = 0; c < N; c++) A[r * N + c] += u[r] * v[c];
        }
        sari_svd(M, N, A, sigma, NULL, NULL, work);
        for (int k = 0; k < N; k++) counted += sigma[k] > 1e-10 * sigma[0];
        CHECK_NEAR(counted, rank, 0);
        CHECK_NEAR(sari_independent_columns(M, N, A, 1e-10, order), rank, 0);
        int seen[N] = {0};
        for (int k = 0; k < N; k++) CHECK(!seen[order[k]]++);
    }
}

/* Columns 1 and 3, and 2 and 4, belong together; exchanged on the way by their lengths, they never met in the
 * first sweep, in which nothing else was to be done. */
TEST(parts_that_are_orthogonal_do_not_hide_others)
{
    const double rows[4][6] = {{-0.168, 0.770, 0, 0, 0, 0},
                               {0, 0, 0, -0.789, -0.145, 0},
                               {0.171, 0.781, -0.171, 0, 0, 0},
                               {0, 0, 0, 0.639, -0.118, -0.639}};
    check_decomposition(4, 6, &rows[0][0], 1e-14);
}

/* Left vectors alone: those of the singular value decomposition, up to their signs and six digits. */
TEST(left_vectors_are_those_of_the_decomposition)
{
    enum { SIZE = 14 };
    double A[SIZE * SIZE], copy[SIZE * SIZE], sigma[SIZE], U[SIZE * SIZE], wanted[SIZE],
        V[SIZE * SIZE];
    for (int m = 1; m <= SIZE; m += 3)
        for (int n = 1; n <= SIZE; n += 2)
            for (int missing = 0; missing < 2; missing++) {
                const int least = m < n ? m : n;
                for (int i = 0; i < m * n; i++) A[i] = uniform();
                for (int j = 0; missing && m > 1 && j < n; j++)
                    A[j] = 2.0 * A[(m - 1) * n + j]; // a row that repeats another
                const double weak = 1e-5;            // and one that nearly does
                for (int j = 0; m > 3 && j < n; j++) A[n + j] = A[2 * n + j] + weak * A[3 * n + j];
                memcpy(copy, A, sizeof copy);
                sari_svd(m, n, A, wanted, V, NULL, work);
                const int rank = sari_left_vectors(m, n, copy, 1e-13, sigma, U, work);
                int some = 0;
                while (some < least && wanted[some] > 1e-12 * wanted[0]) some++;
                assert_int_equal(rank, some);
                for (int k = 0; k < rank; k++) {
                    double along = 0.0;
                    CHECK_NEAR(sigma[k], wanted[k], 1e-6 * wanted[k]);
                    for (int i = 0; i < m; i++) along += U[i * least + k] * V[i * least + k];
                    CHECK_NEAR(fabs(along), 1.0, 1e-4);
                }
            }
}
