/* The null-space formulation: published figures where there is no singular configuration, a verdict or a
 * warning where there is one, redundant constraints, projections. */
#include "trial_fixture.h"

#define RK4 "coordinates=cartesian formulation=nullspace integrator=rk4"

static const char* const NAMES[] = {"theta1", "xQ"};

static sar_trial slider_crank(int number, const char* options)
{
    char path[256], reference[256];
    snprintf(path, sizeof path, SARRUS_ROOT "/problems/slider-crank-%d/model.yaml", number);
    snprintf(reference, sizeof reference, SARRUS_ROOT "/problems/slider-crank-%d/reference.csv",
             number);
    return try_options(path, reference, NAMES, 2, options, NULL);
}

/* Tables 6 and 7 of [ruggiu2023] print 1.64e-3 and 1.64e-4; an independent implementation with
 * three coordinates gives 1.66e-3 and 1.65e-4. */
TEST(runge_kutta_gives_the_published_errors)
{
    sar_trial low = slider_crank(2, RK4 " step=7.5e-3 sample=0.01");
    sar_trial high = slider_crank(2, RK4 " step=4.5e-3 sample=0.01");
    CHECK_STATUS(low.status, SAR_OK);
    CHECK_STATUS(high.status, SAR_OK);
    CHECK_NEAR(low.error, 1.66e-3, 0.01 * 1.66e-3);
    CHECK_NEAR(low.error, 1.64e-3, 0.03 * 1.64e-3);
    CHECK_NEAR(high.error, 1.65e-4, 0.01 * 1.65e-4);
    CHECK_NEAR(high.error, 1.64e-4, 0.03 * 1.64e-4);
}

/* The same tables print 1.69e-3 and 1.97e-4 with ode45, whose step control and interpolation are
 * not the same as ours to the last detail. */
TEST(dormand_prince_is_near_the_published_errors)
{
    if (!has_integrator("dopri5")) skip();
    sar_trial low =
        slider_crank(2, "preset=mNS tolerance=1e-5 absolute_tolerance=1e-9 sample=0.01");
    sar_trial high =
        slider_crank(2, "preset=mNS tolerance=1e-7 absolute_tolerance=1e-6 sample=0.01");
    CHECK(low.error > 1.69e-3 / 4.0 && low.error < 4.0 * 1.69e-3); // steps this long scatter
    CHECK(high.error > 1.97e-4 / 4.0 && high.error < 4.0 * 1.97e-4);
    CHECK_AT_MOST(high.error, 2e-4); // the threshold that the paper set
}

/* Either the run stops and says why, or it is wrong and says so. */
static void check_not_silent(int number, const char* options)
{
    sar_trial got = slider_crank(number, options);
    if (got.status != SAR_OK) {
        int said = strstr(got.failure, "singular") || strstr(got.failure, "loses rank") ||
                   strstr(got.failure, "diverges");
        if (got.status < 0 || !said) fail_msg("%d %s: %s", number, options, got.failure);
        return;
    }
    if (!(got.error > 0.1)) fail_msg("%d %s: an error of %g only", number, options, got.error);
    int told = got.branch_changes > 0 ||
               got.statistics.energy_max_drift > 0.05 * got.statistics.kinetic_max;
    if (!told) fail_msg("%d %s: eps_T = %g, and nothing was said", number, options, got.error);
}

TEST(singular_configurations_make_it_fail_aloud)
{
    static const int NUMBERS[] = {1, 3};
    for (int k = 0; k < 2; k++) {
        check_not_silent(NUMBERS[k], RK4 " step=1e-3 sample=0.01");
        check_not_silent(NUMBERS[k], RK4 " step=3e-4 sample=0.01");
        if (!has_integrator("dopri5")) continue;
        check_not_silent(NUMBERS[k], "preset=mNS tolerance=1e-5 sample=0.01");
        check_not_silent(NUMBERS[k], "preset=mNS tolerance=1e-7 sample=0.01");
        check_not_silent(NUMBERS[k], "preset=mNS tolerance=1e-10 sample=0.01");
    }
}

/* A slider-crank that starts where it is singular: crank upright, both links on one line. */
TEST(a_start_in_a_singular_configuration_is_refused)
{
    problem_run run;
    problem_load(&run, PROBLEM("slider-crank-singular"), "");
    problem_create(&run, RK4 " step=1e-3");
    sar_status st = sar_simulation_assemble(run.simulation, NULL);
    for (int k = 0; st == SAR_OK && k < 10; k++) st = sar_simulation_advance(run.simulation);
    CHECK_STATUS(st, SAR_R_SINGULAR);
    const char* why = sar_simulation_failure(run.simulation);
    if (!strstr(why, "singular configuration") || !strstr(why, "al3")) fail_msg("%s", why);
    problem_free(&run);
}

/* Natural coordinates, and an over-constrained model in space, move as the reference does. The
 * first singular configuration is at t = 0.39. */
TEST(coordinates_and_redundant_joints_do_not_matter)
{
    static const char* const OPTIONS[] = {
        "formulation=nullspace integrator=rk4 coordinates=natural end=0.3 step=1e-3 sample=0.01",
        "formulation=nullspace integrator=rk4 coordinates=cartesian end=0.3 step=1e-3 sample=0.01",
        "formulation=nullspace integrator=rk4 coordinates=cartesian end=0.3 step=1e-3 sample=0.01 "
        "project=1"};
    static const char* const MODELS[] = {PROBLEM("slider-crank-1"),
                                         TEST_MODEL("slider-crank-spatial")};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
            sar_trial got =
                try_options(MODELS[k], REFERENCE("slider-crank-1"), NAMES, 2, OPTIONS[i], NULL);
            if (got.status != SAR_OK) fail_msg("%s: %s", OPTIONS[i], got.failure);
            CHECK_AT_MOST(got.error, 1e-9);
            if (k == 1) CHECK(got.rank.redundant > 0);
            if (i == 2) CHECK_AT_MOST(got.statistics.violation.position, 1e-11);
            if (i == 2) CHECK_AT_MOST(got.statistics.violation.velocity, 1e-11);
        }
}

/* Forces, drives and gears: one motion whatever the formulation. */
TEST(it_agrees_with_al3_on_driven_and_loaded_models)
{
    static const char* const MODELS[] = {TEST_MODEL("driven-crank"), TEST_MODEL("gear-train"),
                                         TEST_MODEL("bushing-planar"), TEST_MODEL("screw-jack"),
                                         TEST_MODEL("spring")};
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
        problem_run a, b;
        problem_start(&a, MODELS[k], NULL, "step=2e-4 end=0.1");
        problem_start(&b, MODELS[k], NULL,
                      "formulation=nullspace integrator=rk4 step=1e-3 end=0.1");
        problem_steps(&a, 500);
        problem_steps(&b, 100);
        if (a.status != SAR_OK || b.status != SAR_OK)
            fail_msg("%s: %s", MODELS[k], sar_simulation_failure(b.simulation));
        for (int c = 0; c < a.table.columns; c++) {
            double x = sar_result_column(&a.table, c)[a.table.rows - 1];
            double y = sar_result_column(&b.table, c)[b.table.rows - 1];
            if (!(fabs(x - y) < 2e-5 * (1 + fabs(x))))
                fail_msg("%s: %s is %.9g, with al3 %.9g", MODELS[k], a.names[c], y, x);
        }
        problem_free(&a);
        problem_free(&b);
    }
}

TEST(a_solver_that_it_has_no_use_for_is_refused)
{
    CHECK(sar_methods_conflict("natural", "nullspace", "rk4", "auto") == NULL);
    CHECK(sar_methods_conflict("natural", "nullspace", "rk4", "dense") == NULL);
    CHECK(strstr(sar_methods_conflict("natural", "nullspace", "rk4", "sparse"), "dense"));
}
