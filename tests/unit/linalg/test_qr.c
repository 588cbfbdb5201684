/* Pivoted QR on random matrices with a known rank, tall, wide and empty. */
#include "linalg/qr.h"

#include "sar_test.h"

enum { MOST = 12 };

static uint64_t seed = 7;

static double random_number(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0 - 0.5;
}

/* A = B C with inner size `rank`, columns one after another. */
static void fill(double* A, int rows, int cols, int rank)
{
    double B[MOST * MOST], C[MOST * MOST];
    for (int k = 0; k < rows * rank; k++) B[k] = random_number();
    for (int k = 0; k < rank * cols; k++) C[k] = random_number();
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            A[j * rows + i] = 0.0;
            for (int k = 0; k < rank; k++) A[j * rows + i] += B[i * rank + k] * C[k * cols + j];
        }
}

static void check(int rows, int cols, int rank)
{
    double A[MOST * MOST];
    sari_qr qr;
    CHECK_STATUS(sari_qr_create(rows, cols, &qr), SAR_OK);
    fill(A, rows, cols, rank);
    memcpy(qr.A, A, sizeof(double) * (size_t)(rows * cols));
    sari_qr_factor(&qr, rank);
    CHECK(qr.rank == rank);
    CHECK_AT_MOST(sari_qr_left(&qr), 1e-14);
    for (int k = 1; k < rank; k++) CHECK_AT_MOST(qr.pivot[k], qr.pivot[k - 1] * (1 + 1e-12));
    for (int k = 0; k < rank; k++) { // Q R e_k is the k-th chosen column
        double x[MOST] = {0}, e[MOST] = {0};
        for (int i = 0; i <= k; i++) x[i] = qr.A[k * rows + i];
        sari_qr_multiply(&qr, x);
        for (int i = 0; i < rows; i++) CHECK_NEAR(x[i], A[qr.order[k] * rows + i], 1e-14);
        sari_qr_multiply_transposed(&qr, x); // and back: Q' Q = 1
        sari_qr_back(&qr, x);                // R^-1 R e_k = e_k
        for (int i = 0; i < rank; i++) CHECK_NEAR(x[i], i == k ? 1.0 : 0.0, 1e-9);
        for (int i = 0; i < rank; i++) e[i] = i >= k ? qr.A[i * rows + k] : 0.0; // R' e_k
        sari_qr_back_transposed(&qr, e);
        for (int i = 0; i < rank; i++) CHECK_NEAR(e[i], i == k ? 1.0 : 0.0, 1e-9);
    }
    for (int k = rank; k < rows;
         k++) { // the rest of Q is orthogonal to every column, also skipped ones
        double x[MOST] = {0};
        x[k] = 1.0;
        sari_qr_multiply(&qr, x);
        for (int j = 0; j < cols; j++) {
            double sum = 0.0;
            for (int i = 0; i < rows; i++) sum += x[i] * A[j * rows + i];
            CHECK_NEAR(sum, 0.0, 1e-13);
        }
    }
    sari_qr_clear(&qr);
}

TEST(factors_reproduce_the_matrix)
{
    for (int rows = 1; rows <= MOST; rows += 1)
        for (int cols = 1; cols <= MOST; cols += 3)
            for (int rank = 1; rank <= rows && rank <= cols; rank++) check(rows, cols, rank);
}

TEST(nothing_is_left_of_a_matrix_of_zeros)
{
    sari_qr qr;
    CHECK_STATUS(sari_qr_create(4, 3, &qr), SAR_OK);
    sari_qr_factor(&qr, 3);
    CHECK(qr.rank == 0 && sari_qr_left(&qr) == 0.0);
    sari_qr_clear(&qr);
    CHECK_STATUS(sari_qr_create(4, 0, &qr), SAR_OK); // no constraints
    sari_qr_factor(&qr, 0);
    CHECK(qr.rank == 0 && sari_qr_left(&qr) == 0.0);
    sari_qr_clear(&qr);
}
