/* Products of tall matrices against sums written out, for numbers of rows that are multiples of four
 * and others. */
#include "sar_test.h"

#include "linalg/sym_tools.h"
#include "linalg/tall.h"

enum { MOST = 11, WIDE = 5 };

static double entry(int i, int j)
{
    return 0.25 * ((7 * i + 3 * j) % 13) - 1.0;
}

static void fill(int n, int k, int shift, double* X)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) X[i * k + j] = entry(i + shift, j);
}

TEST(products_are_sums_over_rows)
{
    double X[MOST * WIDE], Y[MOST * WIDE], K[WIDE * WIDE];
    for (int n = 1; n <= MOST; n++)
        for (int lower = 0; lower < 2; lower++) {
            fill(n, WIDE, 0, X);
            fill(n, WIDE, 4, Y);
            sari_tall_product(n, WIDE, lower, X, Y, K);
            for (int j = 0; j < WIDE; j++)
                for (int k = 0; k < WIDE; k++) {
                    double sum = 0.0;
                    for (int i = 0; i < n; i++) sum += entry(i, j) * entry(i + 4, k);
                    CHECK_NEAR(K[j * WIDE + k], lower && k > j ? 0.0 : sum, 1e-13);
                }
        }
}

/* The bits of the loop that is written out, whatever the number of columns. */
TEST(products_are_added)
{
    enum { STRIDE = 15 };
    double X[MOST * WIDE], A[WIDE * STRIDE], Y[MOST * STRIDE];
    fill(WIDE, STRIDE, 2, A);
    for (int n = 1; n <= MOST; n++)
        for (int columns = 1; columns <= STRIDE; columns++) {
            fill(n, WIDE, 0, X);
            fill(n, columns, 9, Y);
            for (int i = 0; i < n * WIDE; i++) X[i] /= 3.0;
            sari_tall_add_product(n, WIDE, columns, -1.0, X, A, STRIDE, Y);
            for (int i = 0; i < n; i++)
                for (int l = 0; l < columns; l++) {
                    double sum = entry(i + 9, l);
                    for (int j = 0; j < WIDE; j++) sum -= X[i * WIDE + j] * entry(j + 2, l);
                    CHECK(Y[i * columns + l] == sum);
                }
        }
}

TEST(rows_are_multiplied_and_scaled)
{
    enum { N = 6, MOST_COLUMNS = 9 };
    sari_pattern pattern;
    sari_csr J;
    double X[N * MOST_COLUMNS], Y[N * MOST_COLUMNS], scale[N];
    sari_pattern_init(&pattern, N, N);
    for (int i = 0; i < N; i++)
        for (int k = 0; k <= i % 4; k++) sari_pattern_add(&pattern, i, (2 * i + k) % N);
    CHECK_STATUS(sari_pattern_make_csr(&pattern, &J), SAR_OK);
    for (int e = 0; e < J.p[N]; e++) J.x[e] = entry(e, 2) / 3.0;
    for (int i = 0; i < N; i++) scale[i] = entry(i, 4);
    for (int columns = 1; columns <= MOST_COLUMNS; columns++)
        for (int scaled = 0; scaled < 2; scaled++) {
            fill(N, columns, 0, X);
            sari_tall_times(&J, N - 1, scaled ? scale : NULL, columns, X, Y);
            for (int i = 0; i < N - 1; i++)
                for (int l = 0; l < columns; l++) {
                    double sum = 0.0;
                    for (int e = J.p[i]; e < J.p[i + 1]; e++) sum += J.x[e] * entry(J.i[e], l);
                    CHECK(Y[i * columns + l] == (scaled ? sum * scale[i] : sum));
                }
        }
    sari_pattern_clear(&pattern);
    sari_csr_clear(&J);
}

TEST(sparse_matrices_multiply_column_by_column)
{
    enum { N = 6, K = 3 };
    sari_pattern pattern;
    sari_sym A;
    sari_csr J;
    double X[N * K], Y[N * K], B[N * K], R[N * K], x[N], y[N];
    sari_pattern_init(&pattern, N, N);
    for (int i = 0; i < N; i++)
        sari_pattern_add(&pattern, i, (2 * i) % N), sari_pattern_add(&pattern, i, i);
    CHECK_STATUS(sari_pattern_make_sym(&pattern, &A), SAR_OK);
    CHECK_STATUS(sari_pattern_make_csr(&pattern, &J), SAR_OK);
    for (int e = 0; e < A.p[N]; e++) A.x[e] = entry(e, 1);
    for (int e = 0; e < J.p[N]; e++) J.x[e] = entry(e, 2);
    fill(N, K, 0, X);
    fill(N, K, 5, B);
    for (int j = 0; j < K; j++) {
        sari_tall_sym_times(&A, K, X, Y);
        for (int i = 0; i < N; i++) x[i] = X[i * K + j];
        sari_sym_multiply(&A, A.x, x, y);
        for (int i = 0; i < N; i++) CHECK_NEAR(Y[i * K + j], y[i], 1e-13);
        sari_tall_residual(&J, K, B, X, R, Y);
        sari_csr_multiply(&J, x, y);
        for (int i = 0; i < N; i++) CHECK_NEAR(R[i * K + j], B[i * K + j] - y[i], 1e-13);
        for (int i = 0; i < N; i++) x[i] = R[i * K + j], y[i] = 0.0;
        sari_csr_multiply_add_transposed(&J, 1.0, x, y);
        for (int i = 0; i < N; i++) CHECK_NEAR(Y[i * K + j], y[i], 1e-13);
    }
    sari_pattern_clear(&pattern);
    sari_sym_clear(&A);
    sari_csr_clear(&J);
}
