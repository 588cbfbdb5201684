/* What corrections are going to add, predicted from the steps before, and when one of them is enough. */
#include "integrators/predictor.h"

#include "sar_test.h"

enum { N = 3, GLANCE = 8 };
static const double H = 1e-3, NORM = 1.0, E = 1e-6, TURN = 1e-8;
static const sari_newton_rule RULE = {.iterations = 20, .usual = 1e-9};

static void at_step(int k, double* e)
{
    for (int i = 0; i < N; i++) e[i] = 0.0;
    e[1] = E + TURN * k;
}

/* Step k of length h with corrections of these sizes; a second one of 0 is not there. */
static const double* step(sari_predictor* f, int k, double h, double first, double second,
                          double* next)
{
    double e[N];
    const double* told = sari_predictor_begin(f, h, next);
    sari_predictor_see(f, 1, first, INFINITY, NORM);
    if (second > 0.0) sari_predictor_see(f, 2, second, first, NORM);
    at_step(k, e);
    sari_predictor_end(f, h, e);
    return told;
}

TEST(a_line_goes_on)
{
    sari_arena memory = {0};
    sari_predictor f = {0};
    double next[N], wanted[N];
    sari_predictor_create(&f, &memory, N, 0);
    CHECK(!step(&f, 0, H, 1e-9, 1e-10, next));
    CHECK(!step(&f, 1, H, 1e-9, 1e-10, next));
    CHECK(step(&f, 2, H, 1e-9, 1e-10, next) == next);
    at_step(2, wanted);
    for (int i = 0; i < N; i++) CHECK_NEAR(next[i], wanted[i], 1e-21);
    CHECK(!step(&f, 3, 0.5 * H, 1e-9, 1e-10, next)); // another step
    CHECK(!step(&f, 4, 0.5 * H, 1e-9, 1e-10, next));
    CHECK(step(&f, 5, 0.5 * H, 1e-9, 1e-10, next));
    sari_predictor_forget(&f);
    CHECK(!step(&f, 6, 0.5 * H, 1e-9, 1e-10, next));
    sari_arena_clear(&memory);
}

static sari_predictor after_three_steps(sari_arena* memory, double* next)
{
    sari_predictor f = {0};
    sari_predictor_create(&f, memory, N, 0);
    for (int k = 0; k < 3; k++) step(&f, k, H, 1e-9, 1e-10, next);
    return f;
}

TEST(what_turns_is_not_foreseen)
{
    sari_arena memory = {0};
    double next[N];
    sari_predictor f = after_three_steps(&memory, next);
    step(&f, -150, H, 1e-9, 1e-10, next); // e = -0.5e-6
    CHECK(!sari_predictor_begin(&f, H, next));
    CHECK(!sari_predictor_converged(&f, &RULE, 1, 1e-13, INFINITY, E, NORM));
    sari_arena_clear(&memory);
}

/* A correction at the rate 0.1 leaves a ninth of itself: that is held against the change of e. */
TEST(one_correction_is_enough_by_the_change_of_e)
{
    sari_arena memory = {0};
    double next[N];
    sari_predictor f = after_three_steps(&memory, next);
    CHECK_NEAR(f.rate, 0.1, 1e-15);
    CHECK(sari_predictor_begin(&f, H, next));
    CHECK(sari_predictor_converged(&f, &RULE, 1, 0.99 * 9e-3 * TURN, INFINITY, E, NORM));
    CHECK(!sari_predictor_converged(&f, &RULE, 1, 1.01 * 9e-3 * TURN, INFINITY, E, NORM));
    sari_arena_clear(&memory);
}

TEST(the_rate_is_looked_at_again)
{
    sari_arena memory = {0};
    double next[N];
    sari_predictor f = after_three_steps(&memory, next);
    for (int k = 0; k < GLANCE; k++) {
        CHECK(!!sari_predictor_converged(&f, &RULE, 1, 1e-13, INFINITY, E, NORM));
        step(&f, 3 + k, H, 1e-13, 0.0, next);
    }
    CHECK(!sari_predictor_converged(&f, &RULE, 1, 1e-13, INFINITY, E, NORM));
    sari_arena_clear(&memory);
}
