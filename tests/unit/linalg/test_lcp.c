/* Linear complementarity: random positive definite and semidefinite problems are solved, and what has
 * no solution is told. */
#include "linalg/lcp.h"
#include "math/random.h"
#include "sar_test.h"

#include <math.h>
#include <string.h>

enum { MOST = 24 };

static double A[MOST * MOST], b[MOST], z[MOST], room[MOST * (2 * MOST + 3)];
static int basis[MOST];

/* A = B'B of rank r. */
static void random_problem(int n, int rank, uint64_t* seed)
{
    double B[MOST * MOST];
    for (int i = 0; i < rank * n; i++) B[i] = sari_random(seed);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[n * i + j] = 0.0;
            for (int k = 0; k < rank; k++) A[n * i + j] += B[n * k + i] * B[n * k + j];
        }
    // b in the range of A plus something positive: there is a solution, also of what is rounded
    for (int i = 0; i < n; i++) b[i] = 0.01 + 0.3 * fabs(sari_random(seed)) * (i % 3 == 0);
    for (int j = 0; j < n; j++) {
        const double x = sari_random(seed);
        for (int i = 0; i < n; i++) b[i] -= A[n * i + j] * fabs(x);
    }
}

static void check_solution(int n)
{
    for (int i = 0; i < n; i++) {
        double w = b[i], size = fabs(b[i]);
        for (int j = 0; j < n; j++) {
            w += A[n * i + j] * z[j];
            size += fabs(A[n * i + j] * z[j]);
        }
        assert_true(z[i] >= 0.0);
        assert_true(w >= -1e-9 * size);
        assert_true(fabs(w) <= 1e-9 * size || z[i] == 0.0);
    }
}

TEST(random_problems_are_solved)
{
    uint64_t seed = 7;
    for (int k = 0; k < 2000; k++) {
        const int n = 1 + k % MOST, rank = k % 2 ? n : 1 + n / 2;
        random_problem(n, rank, &seed);
        assert_int_equal(sari_lcp_solve(n, A, b, z, room, basis), SAR_OK);
        check_solution(n);
    }
}

/* A table on four legs: three carry it, and which does not matter; no basis comes twice. */
TEST(legs_of_a_table)
{
    static const double x[4] = {1, -1, -1, 1}, y[4] = {1, 1, -1, -1};
    for (int i = 0; i < 4; i++) {
        b[i] = -9.81;
        for (int j = 0; j < 4; j++) A[4 * i + j] = 1.0 + 3.0 * (x[i] * x[j] + y[i] * y[j]);
    }
    assert_int_equal(sari_lcp_solve(4, A, b, z, room, basis), SAR_OK);
    check_solution(4);
    assert_true(fabs(z[0] + z[1] + z[2] + z[3] - 9.81) < 1e-12);
}

TEST(what_has_no_solution_is_told)
{
    const double none[1] = {0.0}, pull[1] = {-1.0};
    assert_int_equal(sari_lcp_solve(1, none, pull, z, room, basis), SAR_R_NO_CONV);
    assert_int_equal(sari_lcp_solve(0, none, pull, z, room, basis), SAR_OK);
}
