/* Least squares by Householder reflections: every size that has kernels of its own, and others. */
#include "sar_test.h"

#include "linalg/least_squares.h"
#include "linalg/rank.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

enum { MOST = 9 };

typedef struct problem {
    int m, n;
    double A[MOST * MOST], b[2 * MOST];
    sari_arena memory;
    sari_least_squares f;
} problem;

static void make(problem* p, int m, int n, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    p->m = m;
    p->n = n;
    for (int i = 0; i < m * n; i++) p->A[i] = sari_random(&seed);
    for (int i = 0; i < 2 * m; i++) p->b[i] = sari_random(&seed);
    sari_least_squares_take(&p->f, &p->memory, m, n, 2);
    CHECK(!p->memory.failed);
    memcpy(p->f.A, p->A, (size_t)(m * n) * sizeof(double));
    sari_least_squares_factor(&p->f);
}

/* A'(A x - b) is zero, column `at` of `count` right-hand sides. */
static void check_normal(const problem* p, const double* x, const double* b, int count, int at)
{
    for (int j = 0; j < p->n; j++) {
        double sum = 0.0;
        for (int i = 0; i < p->m; i++) {
            double rest = -b[i * count + at];
            for (int k = 0; k < p->n; k++) rest += p->A[i * p->n + k] * x[k * count + at];
            sum += p->A[i * p->n + j] * rest;
        }
        CHECK_NEAR(sum, 0.0, 1e-12);
    }
}

TEST(solves_every_size)
{
    for (int m = 1; m <= MOST; m++)
        for (int n = 1; n <= m; n++) {
            problem p;
            double x[2 * MOST];
            make(&p, m, n, (uint64_t)(100 * m + n));
            for (int count = 1; count <= 2; count++) {
                memcpy(x, p.b, sizeof x);
                sari_least_squares_solve(&p.f, count, x);
                for (int at = 0; at < count; at++) check_normal(&p, x, p.b, count, at);
            }
            sari_arena_clear(&p.memory);
        }
}

TEST(shortest_meets_the_equations)
{
    for (int n = 1; n <= MOST; n++) {
        problem p;
        double x[MOST];
        make(&p, MOST, n, (uint64_t)n);
        sari_least_squares_shortest(&p.f, p.b, x);
        for (int j = 0; j < n; j++) {
            double sum = -p.b[j];
            for (int i = 0; i < MOST; i++) sum += p.A[i * n + j] * x[i];
            CHECK_NEAR(sum, 0.0, 1e-12);
        }
        sari_arena_clear(&p.memory);
    }
}

/* Against the singular values themselves; iterated until it is sharp. */
TEST(smallest_value_of_every_size)
{
    for (int n = 1; n <= MOST; n++) {
        problem p;
        double copy[MOST * MOST], sigma[MOST], work[1000];
        make(&p, n, n, (uint64_t)(7 * n));
        memcpy(copy, p.A, sizeof copy);
        CHECK(sari_svd_workspace(n, n) <= sizeof work / sizeof *work);
        sari_svd(n, n, copy, sigma, NULL, NULL, work);
        sari_least_squares_smallest(&p.f, 100);
        CHECK_NEAR(p.f.smallest, sigma[n - 1], 1e-10 * sigma[0]);
        sari_arena_clear(&p.memory);
    }
}

/* A matrix with two singular values of zero, in columns that have nothing to do with each other: the
 * second one is found beside the first. */
TEST(next_value_beside_one_that_is_zero)
{
    enum { N = 4 };
    problem p;
    make(&p, N, N, 1);
    double known[N], lefts[N], right[N], left[N];
    const double block[2][2] = {{3.0, 2.0}, {1.5, 1.0}};
    for (int i = 0; i < N * N; i++) p.f.A[i] = 0.0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) p.f.A[(2 * k + i) * N + 2 * k + j] = block[i][j];
    sari_least_squares_factor(&p.f);
    sari_least_squares_smallest(&p.f, 4);
    memcpy(known, p.f.right, sizeof known);
    const double next = sari_least_squares_next(&p.f, 1, known, lefts, right, left);
    CHECK_NEAR(p.f.smallest, 0.0, 1e-12);
    CHECK_NEAR(next, 0.0, 1e-12);
    double along = 0.0;
    for (int i = 0; i < N; i++) along += known[i] * right[i];
    CHECK_NEAR(along, 0.0, 1e-12);
    sari_arena_clear(&p.memory);
}
