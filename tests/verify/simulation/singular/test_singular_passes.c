/* Mechanisms that run through singular configurations: they stay on their branch, keep their energy, and
 * every pass is told. */
#include "problem_run.h"

// From the references (crank angles pi/2 + k pi; all rods on the x axis), see the READMEs of the
// problems.
static const double SLIDER_CRANK[] = {0.391732, 1.277016, 2.162299, 3.047583, 3.932867, 4.818150,
                                      5.703434, 6.588718, 7.474001, 8.359285, 9.244569};
static const double FOUR_BAR[] = {0.714356, 1.228159, 2.656870, 3.170674, 4.599385,
                                  5.113189, 6.541900, 7.055704, 8.484415, 8.998219};

static void check_passes(const problem_run* run, const double* times, int count, int rank,
                         double tolerance)
{
    const sar_event *passes, *changes;
    int got = sar_simulation_singular_passes(run->simulation, &passes);
    if (got != count) fail_msg("%d singular passes, wanted %d", got, count);
    for (int k = 0; k < count; k++) {
        CHECK_NEAR(passes[k].t, times[k], tolerance); // [s]
        CHECK(passes[k].rank == rank);
        CHECK(passes[k].joints[0] != 0);
    }
    CHECK(sar_simulation_branch_changes(run->simulation, &changes) == 0);
}

TEST(slider_crank_passes_all_its_singular_configurations)
{
    problem_run run;
    problem_run_all(&run, PROBLEM("slider-crank-1"), NULL, "coordinates=natural step=1e-3 end=10",
                    10);
    sar_rank rank = sar_simulation_rank(run.simulation);
    CHECK(rank.coordinates == 3 && rank.constraints == 2 && rank.rank == 2 && rank.dof == 1);
    CHECK_AT_MOST(run.statistics.energy_max_drift, 1e-3); // [J], IFToMM library
    CHECK_AT_MOST(problem_compare(&run, REFERENCE("slider-crank-1"), "theta1 xQ").total, 2e-4);
    check_passes(&run, SLIDER_CRANK, 11, 1, 1e-4);
    problem_free(&run);
}

TEST(unwatched_it_moves_in_the_same_way)
{
    problem_run watched, unwatched;
    problem_start(&watched, PROBLEM("slider-crank-1"), NULL, "step=1e-3 end=2");
    problem_start(&unwatched, PROBLEM("slider-crank-1"), NULL, "step=1e-3 end=2 monitor=0");
    while (!sar_simulation_done(watched.simulation)) {
        double a[MOST_OUTPUTS] = {0}, b[MOST_OUTPUTS] = {0};
        CHECK_STATUS(sar_simulation_advance(watched.simulation), SAR_OK);
        CHECK_STATUS(sar_simulation_advance(unwatched.simulation), SAR_OK);
        CHECK_STATUS(sar_simulation_outputs(watched.simulation, a), SAR_OK);
        CHECK_STATUS(sar_simulation_outputs(unwatched.simulation, b), SAR_OK);
        assert_memory_equal(a, b, sizeof a);
    }
    const sar_event* passes;
    CHECK(sar_simulation_singular_passes(watched.simulation, &passes) == 2);
    CHECK(sar_simulation_singular_passes(unwatched.simulation, &passes) == 0);
    problem_free(&watched);
    problem_free(&unwatched);
}

TEST(twins_of_the_slider_crank_pass_too)
{
    static const struct {
        const char *path, *coordinates;
        int rank; ///< in the singular configurations
    } TWIN[] = {{PROBLEM("slider-crank-1"), "coordinates=cartesian", 7},
                {TEST_MODEL("slider-crank-spatial"), "coordinates=natural", 8},
                {TEST_MODEL("slider-crank-spatial"), "coordinates=cartesian", 19}};
    for (int k = 0; k < 3; k++) {
        problem_run run;
        problem_run_all(&run, TWIN[k].path, NULL, TWIN[k].coordinates, 10);
        CHECK_AT_MOST(run.statistics.energy_max_drift, 1e-3);
        CHECK_AT_MOST(problem_compare(&run, REFERENCE("slider-crank-1"), "theta1 xQ").total, 2e-4);
        check_passes(&run, SLIDER_CRANK, 11, TWIN[k].rank, 2e-4);
        problem_free(&run);
    }
}

TEST(double_four_bar_loses_two_ranks_ten_times)
{
    problem_run run;
    problem_run_all(&run, PROBLEM("n-four-bar"), "n=2",
                    "coordinates=natural step=0.01 alpha=1e9 end=10", 1);
    CHECK_AT_MOST(run.statistics.energy_max_drift, 0.1); // [J], [gonzalez2016, Table 3]
    check_passes(&run, FOUR_BAR, 10, 3, 0.02);
    problem_free(&run);
}

TEST(double_four_bar_accepts_penalties_of_nine_orders)
{
    static const char* const ALPHA[] = {"1e6",  "1e7",  "1e8",  "1e9",  "1e10",
                                        "1e11", "1e12", "1e13", "1e14", "inf"};
    for (int k = 0; k < 10; k++) {
        problem_run run;
        char options[80];
        snprintf(options, sizeof options, "step=5e-3 end=10 alpha=%s", ALPHA[k]);
        problem_run_all(&run, PROBLEM("n-four-bar"), "n=2", options, 2);
        if (!(run.statistics.energy_max_drift <= 0.125))
            fail_msg("alpha %s: drift %g J, wanted at most 0.125", ALPHA[k],
                     run.statistics.energy_max_drift);
        const sar_event* changes;
        CHECK(sar_simulation_branch_changes(run.simulation, &changes) == 0);
        problem_free(&run);
    }
}

TEST(twins_of_the_double_four_bar_pass_too)
{
    static const struct {
        const char *path, *coordinates;
        int rank;
    } TWIN[] = {{PROBLEM("n-four-bar"), "coordinates=cartesian step=5e-3", 12},
                {TEST_MODEL("n-four-bar-spatial"), "coordinates=natural step=5e-3", 21},
                {TEST_MODEL("n-four-bar-spatial"), "coordinates=cartesian step=5e-3", 32}};
    for (int k = 0; k < 3; k++) {
        problem_run run;
        problem_run_all(&run, TWIN[k].path, "n=2", TWIN[k].coordinates, 2);
        CHECK_AT_MOST(run.statistics.energy_max_drift, 0.125);
        check_passes(&run, FOUR_BAR, 10, TWIN[k].rank, 0.02);
        problem_free(&run);
    }
}

TEST(four_bar_in_space_passes_fifteen_times)
{
    double times[15];
    for (int k = 0; k < 15; k++) times[k] = 1.013708 + 2.027416 * k;
    static const int RANK[] = {13, 19}; // three more (natural: one) are redundant throughout
    for (int c = 0; c < 2; c++) {
        problem_run run;
        char options[64];
        snprintf(options, sizeof options, "coordinates=%s step=2e-3 end=30", COORDINATES[c]);
        problem_run_all(&run, PROBLEM("four-bar"), NULL, options, 5);
        check_passes(&run, times, 15, RANK[c], 2e-3);
        problem_free(&run);
    }
}

// Twice within 13 ms the mechanism comes back to a singular configuration, at 3.4441 s and 3.4566 s.
TEST(slider_crank_under_load_passes_sixteen_times)
{
    problem_run run;
    const sar_event* passes;
    problem_run_all(&run, PROBLEM("slider-crank-3"), NULL, "step=1e-4 end=10 alpha=inf", 100);
    int got = sar_simulation_singular_passes(run.simulation, &passes), near[2] = {0, 0};
    for (int k = 0; k < got; k++) {
        near[0] += fabs(passes[k].t - 3.4441) < 2e-4;
        near[1] += fabs(passes[k].t - 3.4566) < 2e-4;
    }
    if (got != 16 || near[0] != 1 || near[1] != 1)
        fail_msg("%d singular passes, wanted 16; %d at 3.4441 s, %d at 3.4566 s, wanted 1 each",
                 got, near[0], near[1]);
    problem_free(&run);
}

/* Sooner or later a step ends on a singular configuration, to within a millionth of the step: it has to
 * converge, and nothing of it may remain. Each of these steps has such landings. The energy of the
 * trapezoidal rule drifts by 0.1 J (square of the step) in ten seconds, and not much more later. */
TEST(steps_may_end_on_singular_configurations)
{
    static const char* const OPTIONS[] = {"step=0.01 end=300",
                                          "step=0.0099 end=120",
                                          "step=0.01125 end=60",
                                          "step=0.00852 end=60",
                                          "step=0.01203 end=60",
                                          "step=0.01255 end=60",
                                          "step=0.00852 end=60 alpha=inf",
                                          "step=0.01294 end=100 alpha=inf"};
    for (size_t k = 0; k < sizeof OPTIONS / sizeof OPTIONS[0]; k++) {
        problem_run run;
        const sar_event* changes;
        problem_run_all(&run, PROBLEM("n-four-bar"), NULL, OPTIONS[k], 10);
        CHECK_AT_MOST(run.statistics.energy_max_drift, 0.5);
        CHECK_AT_MOST(run.statistics.violation.position, 1e-8);
        CHECK(sar_simulation_branch_changes(run.simulation, &changes) == 0);
        problem_free(&run);
    }
}

/* A ball on a turntable has none, and the measure of its constraints hardly changes: not at the end of a
 * run either, in any coordinates. */
TEST(a_rolling_ball_has_none)
{
    for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++) {
        problem_run run;
        char options[128];
        snprintf(options, sizeof options, "preset=ALi3p coordinates=%s end=7",
                 axis_member(SAR_AXIS_COORDINATES, c));
        problem_run_all(&run, PROBLEM("rolling-ball"), NULL, options, 10);
        CHECK(sar_simulation_statistics(run.simulation).singular_passes == 0);
        problem_free(&run);
    }
}
