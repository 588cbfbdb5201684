/* Our ordering of sparse matrices: beside AMD, whose order it must be, and beside exact minimum degree on graphs
 * that are small enough for it. */
#include "linalg/sparse/ordering.h"
#include "linalg/sparse/sparse_symbolic.h"

#include "sar_test.h"

#ifdef WITH_AMD
#include <amd.h>
#endif

enum { MOST = 700, ENTRIES = 60000 };

static uint64_t seed = 11;
static int p[MOST + 1], rows[ENTRIES], order[MOST], other[MOST];
static char full[MOST][MOST];

static int random_below(int n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
}

static void join(int i, int j)
{
    if (i != j) full[i][j] = full[j][i] = 1;
}

static sari_sym matrix_of(int n)
{
    int used = 0;
    for (int c = 0; c < n; c++) {
        p[c] = used;
        for (int r = c; r < n; r++)
            if (r == c || full[r][c]) {
                CHECK(used < ENTRIES);
                rows[used++] = r;
            }
    }
    p[n] = used;
    return (sari_sym){.n = n, .p = p, .i = rows};
}

/* Random, banded, chains of bodies with joints, a few rows that meet all. */
static sari_sym draw(int kind, int n)
{
    memset(full, 0, sizeof full);
    if (kind == 0)
        for (int k = 0; k < 2 * n; k++) join(random_below(n), random_below(n));
    if (kind == 1)
        for (int i = 0; i < n; i++)
            for (int k = 1; k < 4 && i + k < n; k++) join(i, i + k);
    if (kind == 2)
        for (int i = 0; i < n; i++)
            for (int j = i / 6 * 6; j < i / 6 * 6 + 12 && j < n; j++) join(i, j);
    if (kind == 3) {
        const int side = (int)sqrt((double)n);
        for (int i = 0; i < side * side; i++) {
            if (i % side + 1 < side) join(i, i + 1);
            if (i + side < side * side) join(i, i + side);
        }
    }
    if (kind == 4) {
        for (int k = 0; k < n; k++) join(random_below(n), random_below(n));
        for (int k = 0; k < 3 * n; k++) join(n / 2, random_below(n));
        for (int i = 0; i < n; i++) join(n / 3, i);
    }
    return matrix_of(n);
}

static long fill_of(const int* sequence, int n)
{
    static char left[MOST][MOST];
    static char gone[MOST];
    memcpy(left, full, sizeof left);
    memset(gone, 0, sizeof gone);
    long fill = 0;
    for (int k = 0; k < n; k++) {
        int met[MOST], count = 0;
        const int at = sequence[k];
        gone[at] = 1;
        for (int i = 0; i < n; i++)
            if (!gone[i] && left[at][i]) met[count++] = i;
        fill += count;
        for (int a = 0; a < count; a++)
            for (int b = 0; b < count; b++) left[met[a]][met[b]] = 1;
    }
    return fill;
}

static void exact_minimum_degree(int n)
{
    static char left[MOST][MOST], gone[MOST];
    memcpy(left, full, sizeof left);
    memset(gone, 0, sizeof gone);
    for (int k = 0; k < n; k++) {
        int best = -1, least = n + 1;
        for (int i = 0; i < n; i++) {
            int degree = 0;
            for (int j = 0; j < n; j++) degree += !gone[j] && j != i && left[i][j];
            if (!gone[i] && degree < least) least = degree, best = i;
        }
        gone[best] = 1;
        other[k] = best;
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                if (!gone[a] && !gone[b] && left[best][a] && left[best][b]) left[a][b] = 1;
    }
}

TEST(is_a_permutation)
{
    for (int kind = 0; kind < 5; kind++)
        for (int n = 1; n < 60; n++) {
            const sari_sym A = draw(kind, n);
            char seen[MOST] = {0};
            CHECK_STATUS(sari_minimum_degree(&A, order), SAR_OK);
            for (int k = 0; k < n; k++) seen[order[k]]++;
            for (int k = 0; k < n; k++) CHECK(seen[k] == 1);
        }
    const sari_sym none = {.n = 0, .p = p, .i = rows};
    CHECK_STATUS(sari_minimum_degree(&none, order), SAR_OK);
}

// The bound is the degree itself for most pivots: a tenth more fill in all is a regression limit.
TEST(is_as_sparse_as_exact_minimum_degree)
{
    long ours = 0, exact = 0;
    for (int kind = 0; kind < 5; kind++)
        for (int n = 10; n < 100; n += 9) {
            const sari_sym A = draw(kind, n);
            CHECK_STATUS(sari_minimum_degree(&A, order), SAR_OK);
            exact_minimum_degree(n);
            ours += fill_of(order, n);
            exact += fill_of(other, n);
        }
    CHECK_AT_MOST((double)ours, 1.1 * (double)exact);
}

TEST(is_the_order_of_amd)
{
#ifdef WITH_AMD
    for (int kind = 0; kind < 5; kind++)
        for (int n = 1; n <= MOST; n += n < 40 ? 1 : n < 200 ? 7 : 50) {
            const sari_sym A = draw(kind, n);
            CHECK_STATUS(sari_minimum_degree(&A, order), SAR_OK);
            CHECK(amd_order(n, A.p, A.i, other, NULL, NULL) == AMD_OK);
            if (memcmp(order, other, sizeof(int) * (size_t)n) != 0)
                fail_msg("kind %d, %d rows: another order, fill %ld, wanted %ld", kind, n,
                         fill_of(order, n), fill_of(other, n));
        }
#else
    skip();
#endif
}
