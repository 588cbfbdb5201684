#include "sar_test.h"

#include "linalg/sym_tools.h"

static unsigned next_random(void)
{
    static unsigned state = 12345;
    return (state = state * 1664525u + 1013904223u) >> 8;
}

TEST(sym_is_sorted_unique_and_has_its_diagonal)
{
    sari_pattern p;
    sari_pattern_init(&p, 4, 4);
    static const int pairs[][2] = {{3, 1}, {1, 3}, {0, 2}, {2, 1}, {3, 1}, {1, 1}};
    for (int k = 0; k < 6; k++)
        CHECK_STATUS(sari_pattern_add(&p, pairs[k][0], pairs[k][1]), SAR_OK);
    sari_sym A;
    CHECK_STATUS(sari_pattern_make_sym(&p, &A), SAR_OK);
    static const int wanted_p[] = {0, 2, 5, 6, 7}, wanted_i[] = {0, 2, 1, 2, 3, 2, 3};
    CHECK(A.n == 4);
    CHECK(memcmp(A.p, wanted_p, sizeof wanted_p) == 0);
    CHECK(memcmp(A.i, wanted_i, sizeof wanted_i) == 0);
    for (int e = 0; e < 7; e++) CHECK_NEAR(A.x[e], 0, 0);
    CHECK(sari_sym_find(&A, 3, 1) == 4);
    CHECK(sari_sym_find(&A, 1, 3) == 4);
    CHECK(sari_sym_find(&A, 2, 2) == 5);
    CHECK(sari_sym_find(&A, 3, 0) == -1);
    CHECK(sari_sym_find(&A, 0, 4) == -1);
    CHECK(sari_sym_find(&A, -1, 0) == -1);
    sari_sym_clear(&A);
    sari_pattern_clear(&p);
}

TEST(csr_keeps_exactly_its_pairs_and_empty_rows)
{
    sari_pattern p;
    sari_pattern_init(&p, 4, 7);
    static const int pairs[][2] = {{2, 6}, {0, 5}, {2, 0}, {0, 1}, {2, 6}};
    for (int k = 0; k < 5; k++)
        CHECK_STATUS(sari_pattern_add(&p, pairs[k][0], pairs[k][1]), SAR_OK);
    sari_csr A;
    CHECK_STATUS(sari_pattern_make_csr(&p, &A), SAR_OK);
    static const int wanted_p[] = {0, 2, 2, 4, 4}, wanted_i[] = {1, 5, 0, 6};
    CHECK(A.rows == 4 && A.cols == 7);
    CHECK(memcmp(A.p, wanted_p, sizeof wanted_p) == 0);
    CHECK(memcmp(A.i, wanted_i, sizeof wanted_i) == 0);
    CHECK(sari_csr_find(&A, 2, 6) == 3);
    CHECK(sari_csr_find(&A, 6, 2) == -1);
    CHECK(sari_csr_find(&A, 1, 1) == -1);
    CHECK(sari_csr_find(&A, 3, 6) == -1);
    sari_csr_clear(&A);
    sari_pattern_clear(&p);
}

TEST(empty_matrices)
{
    sari_pattern p;
    sari_pattern_init(&p, 0, 0);
    sari_sym S;
    sari_csr C;
    CHECK_STATUS(sari_pattern_make_sym(&p, &S), SAR_OK);
    CHECK_STATUS(sari_pattern_make_csr(&p, &C), SAR_OK);
    CHECK(S.n == 0 && S.p[0] == 0 && C.rows == 0 && C.p[0] == 0);
    sari_sym_clear(&S);
    sari_csr_clear(&C);
    sari_pattern_init(&p, 3, 2); // no entries: a Jacobian without constraints
    CHECK_STATUS(sari_pattern_make_csr(&p, &C), SAR_OK);
    CHECK(C.p[3] == 0);
    sari_csr_clear(&C);
    sari_pattern_clear(&p);
}

TEST(pairs_outside_are_refused_for_good)
{
    sari_pattern p;
    sari_pattern_init(&p, 2, 3);
    CHECK_STATUS(sari_pattern_add(&p, 0, 2), SAR_OK);
    sari_sym S;
    CHECK_STATUS(sari_pattern_make_sym(&p, &S), SAR_E_ARG); // not square
    CHECK_STATUS(sari_pattern_add(&p, 2, 0), SAR_E_ARG);
    CHECK_STATUS(sari_pattern_add(&p, 0, 0), SAR_E_ARG);
    sari_csr C;
    CHECK_STATUS(sari_pattern_make_csr(&p, &C), SAR_E_ARG);
    CHECK(C.p == NULL);
    sari_pattern_clear(&p);
}

TEST(clique_couples_all_its_indices)
{
    sari_pattern p;
    sari_pattern_init(&p, 9, 9);
    CHECK_STATUS(sari_pattern_add_clique(&p, (int[]){7, 2, 5}, 3), SAR_OK);
    sari_sym A;
    CHECK_STATUS(sari_pattern_make_sym(&p, &A), SAR_OK);
    CHECK(A.p[9] == 9 + 3);
    CHECK(sari_sym_find(&A, 7, 2) >= 0 && sari_sym_find(&A, 5, 2) >= 0);
    CHECK(sari_sym_find(&A, 5, 7) >= 0);
    sari_sym_clear(&A);
    sari_pattern_clear(&p);
}

// Products against plain loops over full matrices.
TEST(products_are_those_of_the_full_matrix)
{
    enum { M = 11, N = 17 };
    static double full[N][N], general[M][N];
    sari_pattern ps, pc;
    sari_pattern_init(&ps, N, N);
    sari_pattern_init(&pc, M, N);
    for (int k = 0; k < 60; k++) {
        int r = (int)(next_random() % N), c = (int)(next_random() % N);
        sari_pattern_add(&ps, r, c);
        sari_pattern_add(&pc, r % M, c);
    }
    sari_sym S;
    sari_csr C;
    CHECK_STATUS(sari_pattern_make_sym(&ps, &S), SAR_OK);
    CHECK_STATUS(sari_pattern_make_csr(&pc, &C), SAR_OK);
    for (int c = 0; c < N; c++)
        for (int e = S.p[c]; e < S.p[c + 1]; e++)
            full[S.i[e]][c] = full[c][S.i[e]] = S.x[e] = next_random() % 100;
    for (int r = 0; r < M; r++)
        for (int e = C.p[r]; e < C.p[r + 1]; e++) general[r][C.i[e]] = C.x[e] = next_random() % 100;

    double b[N], y[N], y_rows[M], y_cols[N];
    for (int k = 0; k < N; k++) b[k] = k - 5, y_cols[k] = 1;
    sari_sym_multiply(&S, S.x, b, y);
    sari_csr_multiply(&C, b, y_rows);
    sari_csr_multiply_add_transposed(&C, -2, b, y_cols);
    for (int r = 0; r < N; r++) { // small integers: exact
        double sum = 0, transposed = 1, row = 0;
        for (int c = 0; c < N; c++) sum += full[r][c] * b[c];
        for (int k = 0; k < M; k++) transposed += -2 * general[k][r] * b[k];
        CHECK_NEAR(y[r], sum, 0);
        CHECK_NEAR(y_cols[r], transposed, 0);
        if (r >= M) continue;
        for (int c = 0; c < N; c++) row += general[r][c] * b[c];
        CHECK_NEAR(y_rows[r], row, 0);
    }
    sari_sym_clear(&S);
    sari_csr_clear(&C);
    sari_pattern_clear(&ps);
    sari_pattern_clear(&pc);
}

TEST(many_pairs_stay_sorted_and_findable)
{
    enum { N = 500, PAIRS = 20000 };
    sari_pattern p;
    sari_pattern_init(&p, N, N);
    static int pairs[PAIRS][2];
    for (int k = 0; k < PAIRS; k++) {
        pairs[k][0] = (int)(next_random() % N), pairs[k][1] = (int)(next_random() % N);
        sari_pattern_add(&p, pairs[k][0], pairs[k][1]);
    }
    sari_sym A;
    CHECK_STATUS(sari_pattern_make_sym(&p, &A), SAR_OK);
    for (int c = 0; c < N; c++) {
        CHECK(A.i[A.p[c]] == c);
        for (int e = A.p[c] + 1; e < A.p[c + 1]; e++) CHECK(A.i[e] > A.i[e - 1]);
    }
    for (int k = 0; k < PAIRS; k++) {
        int r = pairs[k][0], c = pairs[k][1], at = sari_sym_find(&A, r, c);
        CHECK(at >= A.p[r < c ? r : c] && at < A.p[(r < c ? r : c) + 1]);
        CHECK(A.i[at] == (r < c ? c : r));
    }
    sari_sym_clear(&A);
    sari_pattern_clear(&p);
}
