/* The loop of a run: when samples are due, and how it ends. */
#include "problem_run.h"

#include "sarrus/run.h"

static int count_samples(sar_sampling* plan, long steps, double t, double* last)
{
    double at;
    int count = 0;
    for (; sar_sampling_next(plan, steps, t, &at); count++) *last = at;
    return count;
}

TEST(samples_lie_on_the_grid_and_at_both_ends)
{
    sar_sampling plan = {.start = 1, .end = 2, .interval = 0.3, .last = -INFINITY};
    double at = NAN;
    assert_int_equal(count_samples(&plan, 0, 1.0, &at), 1);
    CHECK_NEAR(at, 1.0, 0.0);
    assert_int_equal(count_samples(&plan, 1, 1.25, &at), 0);
    assert_int_equal(count_samples(&plan, 2, 1.65, &at), 2); // 1.3 and 1.6
    CHECK_NEAR(at, 1.6, 1e-15);
    assert_int_equal(count_samples(&plan, 3, 1.9 - 1e-12, &at), 1);
    CHECK_NEAR(at, 1.9 - 1e-12, 0.0); // rounding: the step's own time
    assert_int_equal(count_samples(&plan, 4, 2.0, &at), 1);
    CHECK_NEAR(at, 2.0, 0.0);
    assert_int_equal(count_samples(&plan, 4, 2.0, &at), 0);
}

TEST(samples_at_steps_stand_for_those_within)
{
    sar_sampling plan = {.end = 1, .interval = 0.1, .at_steps = 1, .last = -INFINITY};
    double at = NAN;
    assert_int_equal(count_samples(&plan, 0, 0.0, &at), 1);
    assert_int_equal(count_samples(&plan, 1, 0.45, &at), 1);
    CHECK_NEAR(at, 0.45, 0.0);
    assert_int_equal(count_samples(&plan, 2, 0.48, &at), 0);
    assert_int_equal(count_samples(&plan, 3, 0.5, &at), 1);
}

TEST(steps_are_left_out_of_long_runs)
{
    sar_options o = sar_options_default();
    o.start = 0, o.end = 1, o.step = 1e-3, o.sample = 0;
    sar_sampling plan = sar_sampling_of(&o, 100);
    double at;
    int count = 0;
    for (long k = 0; k <= 1000; k++) count += count_samples(&plan, k, 1e-3 * (double)k, &at);
    assert_int_equal(plan.stride, 10);
    assert_int_equal(count, 101);
    CHECK(count <= plan.max_samples);
    assert_int_equal(sar_sampling_of(&o, 0).stride, 1);
    use_option(&o, "integrator", "trapezoidal-variable");
    CHECK_NEAR(sar_sampling_of(&o, 100).spacing, 0.01, 1e-15);
}

TEST(a_run_samples_its_start_and_ends)
{
    problem_run p;
    problem_start(&p, PROBLEM("slider-crank-1"), NULL, "step=1e-2 end=0.1 sample=0.025");
    sar_sampling plan = sar_sampling_of(&p.options, 0);
    sar_run run = sar_run_begin(p.simulation, &plan);
    double t, times[8];
    int count = 0;
    do
        while (count < 8 && sar_run_sample(&run, &t)) times[count++] = t;
    while (sar_run_step(&run));
    CHECK_STATUS(run.status, SAR_OK);
    assert_int_equal(run.steps, 10);
    assert_int_equal(count, 5);
    for (int k = 0; k < 5; k++) CHECK_NEAR(times[k], 0.025 * k, 1e-15);
    CHECK(!sar_run_step(&run)); // stays over
    problem_free(&p);
}

TEST(a_step_that_does_not_move_the_time_ends_it)
{
    problem_run p;
    problem_start(&p, PROBLEM("slider-crank-1"), NULL,
                  "start=1e6 end=1000001 step=1e-12 formulation=al1 "
                  "integrator=euler");
    sar_sampling plan = sar_sampling_of(&p.options, 0);
    sar_run run = sar_run_begin(p.simulation, &plan);
    CHECK(!sar_run_step(&run));
    CHECK_STATUS(run.status, SAR_R_NO_CONV);
    CHECK(strstr(sar_simulation_failure(p.simulation), "too small to change the time"));
    assert_int_equal(run.steps, 0);
    problem_free(&p);
}
