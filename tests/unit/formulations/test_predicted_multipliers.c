/* Multipliers predicted from the steps before: along a line exactly, not across a jump, a change of the
 * step or a new beginning. */
#include "formulations/al3/predicted_multipliers.h"

#include "sar_test.h"

enum { N = 3 };
static const double CA = 4e6;

static void at_time(int k, double* lambda)
{
    for (int r = 0; r < N; r++) lambda[r] = 1.0 + r + (0.25 + 0.5 * r) * k;
}

/* Steps k = first ... last - 1; returns what the last of them was told. */
static const double* steps(sari_predicted* f, int first, int last, double ca, double* lambda)
{
    const double* told = NULL;
    for (int k = first; k < last; k++) {
        at_time(k, lambda);
        told = sari_predicted_next(f, ca, lambda);
    }
    return told;
}

TEST(a_line_goes_on)
{
    sari_arena memory = {0};
    sari_predicted f = {0};
    double lambda[N], next[N];
    sari_predicted_create(&f, &memory, N);
    CHECK(steps(&f, 0, 1, CA, lambda) == lambda); // nothing is known
    CHECK(steps(&f, 1, 2, CA, lambda) == lambda); // nor whether it goes on smoothly
    const double* told = steps(&f, 2, 3, CA, lambda);
    at_time(3, next);
    CHECK(told != lambda);
    for (int r = 0; r < N; r++) CHECK_NEAR(told[r], next[r], 1e-15);
    sari_arena_clear(&memory);
}

TEST(what_jumps_is_not_foreseen)
{
    sari_arena memory = {0};
    sari_predicted f = {0};
    double lambda[N];
    sari_predicted_create(&f, &memory, N);
    CHECK(steps(&f, 0, 5, CA, lambda) != lambda);
    at_time(9, lambda);
    CHECK(sari_predicted_next(&f, CA, lambda) == lambda);
    CHECK(steps(&f, 10, 12, CA, lambda) != lambda); // and then it is again
    sari_arena_clear(&memory);
}

TEST(other_steps_and_new_beginnings_forget)
{
    sari_arena memory = {0};
    sari_predicted f = {0};
    double lambda[N];
    sari_predicted_create(&f, &memory, N);
    CHECK(steps(&f, 0, 5, CA, lambda) != lambda);
    CHECK(steps(&f, 5, 7, 4.0 * CA, lambda) == lambda);
    CHECK(steps(&f, 7, 8, 4.0 * CA, lambda) != lambda);
    sari_predicted_forget(&f);
    CHECK(steps(&f, 8, 10, 4.0 * CA, lambda) == lambda);
    sari_arena_clear(&memory);
}
