/* Zeros of det F(x): simple, shared by several singular values, near each other, touched. */
#include "sar_test.h"

#include "linalg/matrix_roots.h"

enum { MOST = 6 };

static const double TOUCH = 1e-5;

typedef struct fixture {
    sari_arena memory;
    sari_matrix_roots m;
} fixture;

static fixture take(int size)
{
    fixture f = {0};
    sari_matrix_roots_take(&f.m, &f.memory, MOST);
    CHECK(!f.memory.failed);
    f.m.size = size;
    return f;
}

/* F = A diag(factor) B with regular A and B that depend on x. */
static void fill(fixture* f, const double* root, int order)
{
    const int n = f->m.size;
    for (int node = 0; node < SARI_ROOT_NODES; node++) {
        const double x = sari_root_node(node);
        double* F = f->m.value[node];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0.0;
                for (int k = 0; k < n; k++) {
                    const double a = (i == k) + 0.3 * sin(1.0 + i + 2 * k + 0.2 * x);
                    const double b = (k == j) - 0.2 * cos(2.0 + k - j + 0.3 * x);
                    sum += 1e-3 * a * pow(x - root[k], order) * (1.0 + 0.1 * k) * b;
                }
                F[i * n + j] = sum;
            }
    }
}

TEST(zeros_of_single_values)
{
    const double root[] = {-0.7, 0.2, 0.9, 3.0};
    fixture f = take(4);
    fill(&f, root, 1);
    assert_int_equal(sari_matrix_roots_find(&f.m, 0.0, TOUCH), 3);
    for (int k = 0; k < 3; k++) CHECK_NEAR(f.m.root[k], root[k], 1e-7); // as far as the polynomial
    CHECK_NEAR(sari_matrix_roots_lost(&f.m, f.m.root[1], 1e-6), 1, 0);
    sari_arena_clear(&f.memory);
}

TEST(nothing_is_found_where_there_is_none)
{
    const double root[] = {1.5, -2.0};
    fixture f = take(2);
    fill(&f, root, 1);
    assert_int_equal(sari_matrix_roots_find(&f.m, 0.0, TOUCH), 0);
    sari_arena_clear(&f.memory);
}

TEST(near_ones_are_told_apart)
{
    const double root[] = {0.4, 0.4001};
    fixture f = take(2);
    fill(&f, root, 1);
    assert_int_equal(sari_matrix_roots_find(&f.m, 0.0, TOUCH), 2);
    CHECK_NEAR(f.m.root[0], 0.4, 1e-8);
    CHECK_NEAR(f.m.root[1], 0.4001, 1e-8);
    sari_arena_clear(&f.memory);
}

TEST(one_that_all_share_counts_as_often)
{
    const double root[] = {-0.3, -0.3, -0.3, -0.3, -0.3, -0.3};
    fixture f = take(6);
    fill(&f, root, 1);
    assert_int_equal(sari_matrix_roots_find(&f.m, 0.0, TOUCH), 6);
    for (int k = 0; k < 6; k++) CHECK_NEAR(f.m.root[k], -0.3, 1e-8);
    CHECK_NEAR(sari_matrix_roots_lost(&f.m, -0.3, 1e-6), 6, 0);
    sari_arena_clear(&f.memory);
}

TEST(one_that_is_touched_counts_twice_and_loses_one_rank)
{
    const double root[] = {0.25};
    fixture f = take(1);
    fill(&f, root, 2);
    assert_int_equal(sari_matrix_roots_find(&f.m, 0.0, TOUCH), 2);
    for (int k = 0; k < 2; k++) CHECK_NEAR(f.m.root[k], 0.25, 2e-4);
    CHECK_NEAR(sari_matrix_roots_lost(&f.m, 0.25, 1e-6), 1, 0);
    sari_arena_clear(&f.memory);
}

TEST(one_that_is_missed_by_rounding_counts_likewise)
{
    const double root[] = {0.25}, miss[] = {1e-6, 0.0, -1e-6, 1e-4};
    for (int k = 0; k < 4; k++) {
        fixture f = take(1);
        fill(&f, root, 2);
        for (int node = 0; node < SARI_ROOT_NODES; node++) *f.m.value[node] += 1e-3 * miss[k];
        const int count = sari_matrix_roots_find(&f.m, 0.0, TOUCH);
        assert_int_equal(count, miss[k] > TOUCH ? 0 : 2);
        for (int i = 0; i < count; i++) CHECK_NEAR(f.m.root[i], 0.25, 2e-3);
        sari_arena_clear(&f.memory);
    }
}

TEST(size_is_the_largest_singular_value)
{
    const double A[] = {0.0, 3.0, 0.0, 1e-3, 0.0, 0.0, 0.0, 0.0, 2.0}, one[] = {-5.0};
    double x[3], y[3];
    CHECK_NEAR(sari_matrix_size(3, A, x, y), 3.0, 1e-2);
    CHECK_NEAR(sari_matrix_size(1, one, x, y), 5.0, 1e-12);
    const double none[] = {0.0, 0.0, 0.0, 0.0};
    CHECK_NEAR(sari_matrix_size(2, none, x, y), 0.0, 0.0);
}
