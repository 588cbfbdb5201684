/* The cost model of a step: it finds the numbers that times were made from. */
#include "sar_test.h"

#include "bench/cost.c"

enum { SIZES = 6, COUNTS = 4 };

static int make_points(cli_cost_point* points, int counts, const cli_cost* truth)
{
    static const double bodies[SIZES] = {16, 64, 128, 256, 512, 1024};
    static const double threads[COUNTS] = {1, 2, 4, 8};
    int n = 0;
    for (int i = 0; i < SIZES; i++)
        for (int j = 0; j < counts; j++, n++)
            points[n] =
                (cli_cost_point){bodies[i], threads[j], cli_cost_us(truth, bodies[i], threads[j])};
    return n;
}

TEST(the_numbers_come_back)
{
    const cli_cost truth = {.fixed = 7, .alone = 0.5, .shared = 1.25, .meet = 20};
    cli_cost_point points[SIZES * COUNTS];
    for (int counts = 2; counts <= COUNTS; counts++) {
        cli_cost found;
        int n = make_points(points, counts, &truth);
        assert_int_equal(cli_cost_fit(points, n, &found), 1);
        CHECK_NEAR(found.fixed, truth.fixed, 1e-7);
        CHECK_NEAR(found.alone, truth.alone, 1e-8);
        CHECK_NEAR(found.shared, truth.shared, 1e-8);
        CHECK_NEAR(found.meet, truth.meet, 1e-6);
        CHECK_NEAR(found.worst, 0.0, 1e-9);
        assert_int_equal(found.points, n);
    }
}

TEST(one_thread_tells_nothing_about_several)
{
    const cli_cost truth = {.fixed = 7, .shared = 1.25};
    cli_cost_point points[SIZES];
    cli_cost found;
    assert_int_equal(cli_cost_fit(points, make_points(points, 1, &truth), &found), 1);
    assert_int_equal(found.threaded, 0);
    CHECK_NEAR(found.fixed, 7, 1e-8);
    CHECK_NEAR(found.shared, 1.25, 1e-9);
}

TEST(no_cost_is_negative)
{
    // threads that gain more than they could: the fit would pay for it by meeting for less than
    // nothing
    const cli_cost truth = {.fixed = 50, .shared = 1, .meet = -30};
    cli_cost_point points[SIZES * COUNTS];
    cli_cost found;
    assert_int_equal(cli_cost_fit(points, make_points(points, 2, &truth), &found), 1);
    CHECK(found.fixed >= 0 && found.alone >= 0 && found.shared >= 0 && found.meet >= 0);
    CHECK(found.worst > 0.01);
}

TEST(too_few_points_are_no_model)
{
    const cli_cost_point same[] = {{64, 1, 100}, {64, 1, 101}};
    cli_cost found;
    assert_int_equal(cli_cost_fit(same, 0, &found), 0);
    assert_int_equal(cli_cost_fit(same, 2, &found), 0);
}

TEST(work_that_is_not_shared_limits_the_speed_up)
{
    const cli_cost c = {.fixed = 0, .alone = 0.1, .shared = 0.9, .meet = 0};
    CHECK_NEAR(cli_cost_speedup(&c, 1e6, 1), 1.0, 1e-12);
    CHECK_NEAR(cli_cost_speedup(&c, 1e6, 9), 5.0, 1e-12);
    CHECK_NEAR(cli_cost_speedup(&c, 1e6, 1e9), 10.0, 1e-6);
}
