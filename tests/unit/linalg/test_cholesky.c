/* Cholesky factors against products, and many right-hand sides beside one after the other. */
#include "sar_test.h"

#include "linalg/cholesky.h"
#include "math/random.h"

#include <string.h>

enum { MOST = 9 };

/* Positive definite, and its factors. */
static void make(int d, uint64_t* seed, double* K, double* C)
{
    double X[MOST * MOST];
    for (int i = 0; i < d * d; i++) X[i] = sari_random(seed) - 0.5;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            K[i * d + j] = (i == j) + sari_vector_dot(d, X + i * d, X + j * d);
    memcpy(C, K, (size_t)(d * d) * sizeof(double));
    CHECK(sari_cholesky(d, C, 1e-14) == 0);
}

TEST(factors_multiply_to_the_matrix)
{
    uint64_t seed = 3;
    double K[MOST * MOST], C[MOST * MOST];
    for (int d = 1; d <= MOST; d++) {
        make(d, &seed, K, C);
        for (int i = 0; i < d; i++)
            for (int j = 0; j <= i; j++)
                CHECK_NEAR(sari_vector_dot(j + 1, C + i * d, C + j * d), K[i * d + j], 1e-13);
    }
}

TEST(columns_together_have_the_bits_of_columns_alone)
{
    uint64_t seed = 4;
    double K[MOST * MOST], C[MOST * MOST], X[MOST * MOST], x[MOST], sum[MOST];
    for (int d = 1; d <= MOST; d++)
        for (int k = 1; k <= MOST; k++) {
            make(d, &seed, K, C);
            if (d > 2) C[d + 1] = 0.0; // a row that counts for nothing
            double B[MOST * MOST];
            for (int i = 0; i < d * k; i++) X[i] = B[i] = sari_random(&seed) - 0.5;
            sari_cholesky_forward_rows(d, C, k, X, sum);
            for (int j = 0; j < k; j++) {
                for (int i = 0; i < d; i++) x[i] = B[i * k + j];
                sari_cholesky_forward(d, C, x);
                for (int i = 0; i < d; i++) CHECK(X[i * k + j] == x[i]);
            }
        }
}

TEST(vectors_are_added_with_the_bits_of_the_loop)
{
    uint64_t seed = 5;
    double a[MOST], b[MOST], x[MOST], y[MOST], z[MOST];
    for (int n = 1; n <= MOST; n++) {
        for (int i = 0; i < n; i++)
            a[i] = sari_random(&seed), b[i] = sari_random(&seed),
            x[i] = y[i] = z[i] = sari_random(&seed);
        sari_vector_add(n, -0.3, a, y);
        sari_vector_add_two(n, -0.3, a, 0.7, b, z);
        for (int i = 0; i < n; i++) {
            CHECK(y[i] == x[i] + -0.3 * a[i]);
            CHECK(z[i] == x[i] + (-0.3 * a[i] + 0.7 * b[i]));
        }
    }
}
