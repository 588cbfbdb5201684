/* Same input, same bits; the time grid is exact; masses that tend to zero tend to the massless
 * model. */
#include "problem_run.h"

TEST(two_runs_give_the_same_bits)
{
    static const char* const MODELS[] = {PROBLEM("slider-crank-1"), PROBLEM("bricard"),
                                         PROBLEM("n-four-bar"), PROBLEM("andrews"),
                                         TEST_MODEL("n-four-bar-spatial")};
    for (int k = 0; k < 5; k++)
        for (int c = 0; c < 2; c++) {
            problem_run run[2];
            char options[64];
            snprintf(options, sizeof options, "coordinates=%s%s", COORDINATES[c],
                     strstr(MODELS[k], "andrews") ? "" : " end=2");
            for (int i = 0; i < 2; i++) problem_run_all(&run[i], MODELS[k], NULL, options, 1);
            CHECK(run[0].table.rows == run[1].table.rows);
            size_t rows = (size_t)run[0].table.rows, columns = (size_t)run[0].table.columns;
            CHECK(memcmp(run[0].table.time, run[1].table.time, rows * sizeof(double)) == 0);
            if (memcmp(run[0].table.values, run[1].table.values, rows * columns * sizeof(double)) !=
                0)
                fail_msg("%s, %s: two runs differ", MODELS[k], COORDINATES[c]);
            for (int i = 0; i < 2; i++) problem_free(&run[i]);
        }
}

/* Assembling again starts the same simulation over. */
TEST(a_second_assembly_starts_over)
{
    for (int c = 0; c < 2; c++) {
        problem_run run;
        char options[64];
        double first[MOST_OUTPUTS], second[MOST_OUTPUTS];
        snprintf(options, sizeof options, "coordinates=%s end=1", COORDINATES[c]);
        problem_start(&run, PROBLEM("slider-crank-1"), NULL, options);
        while (!sar_simulation_done(run.simulation))
            CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
        CHECK_STATUS(sar_simulation_outputs(run.simulation, first), SAR_OK);
        CHECK_STATUS(sar_simulation_assemble(run.simulation, NULL), SAR_OK);
        CHECK(sar_simulation_time(run.simulation) == 0.0);
        while (!sar_simulation_done(run.simulation))
            CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
        CHECK_STATUS(sar_simulation_outputs(run.simulation, second), SAR_OK);
        for (int k = 0; k < sar_model_outputs(run.model); k++)
            CHECK_NEAR(second[k], first[k], 1e-12);
        problem_free(&run);
    }
}

TEST(times_are_multiples_of_the_step_and_the_end_is_hit)
{
    static const struct {
        const char *start, *end, *step;
        double t0, t1, h;
        long steps;
    } GRID[] = {{"0", "1", "0.1", 0, 1, 0.1, 10},      // 10 * 0.1 rounds to 1
                {"0", "0.1", "0.03", 0, 0.1, 0.03, 4}, // a shorter last step
                {"0.25", "2", "0.003", 0.25, 2, 0.003, 584},
                {"0", "0.01", "1", 0, 0.01, 1, 1}, // the step is longer than the run
                {"-1", "0.7", "1e-3", -1, 0.7, 1e-3, 1700}};
    for (size_t k = 0; k < sizeof GRID / sizeof *GRID; k++) {
        problem_run run;
        char options[96];
        snprintf(options, sizeof options, "start=%s end=%s step=%s", GRID[k].start, GRID[k].end,
                 GRID[k].step);
        problem_run_all(&run, PROBLEM("pendulum"), NULL, options, 1);
        CHECK(run.table.rows == GRID[k].steps + 1);
        CHECK(run.statistics.steps == GRID[k].steps);
        for (int i = 0; i < GRID[k].steps; i++)
            CHECK(run.table.time[i] == GRID[k].t0 + i * GRID[k].h);
        CHECK(run.table.time[GRID[k].steps] == GRID[k].t1);
        CHECK_STATUS(sar_simulation_advance(run.simulation),
                     SAR_E_ARG); // there is no step after the end
        problem_free(&run);
    }
}

/* A short last step is a step of the same method: its end agrees with the reference. */
TEST(the_short_last_step_is_right)
{
    problem_run run;
    problem_run_all(&run, PROBLEM("pendulum"), NULL, "end=1 step=3e-3", 1);
    sar_result* wanted;
    CHECK_STATUS(sar_result_read(REFERENCE("pendulum"), &wanted, NULL), SAR_OK);
    int last = run.table.rows - 1;
    CHECK_NEAR(run.table.time[last], wanted->time[100], 0);
    CHECK_NEAR(problem_column(&run, "x")[last], sar_result_column(wanted, 0)[100], 1e-4);
    CHECK_NEAR(problem_column(&run, "y")[last], sar_result_column(wanted, 1)[100], 1e-4);
    sar_result_destroy(wanted);
    problem_free(&run);
}

TEST(a_massless_slider_is_the_limit_of_light_ones)
{
    static const char* const MASS[] = {"m3=1e-4", "m3=1e-5"};
    for (int c = 0; c < 2; c++) {
        problem_run none, light;
        double most[2] = {0, 0};
        char options[64];
        snprintf(options, sizeof options, "coordinates=%s end=1 step=1e-3", COORDINATES[c]);
        problem_run_all(&none, PROBLEM("slider-crank-1"), "m3=0", options, 10);
        for (int i = 0; i < 2; i++) {
            problem_run_all(&light, PROBLEM("slider-crank-1"), MASS[i], options, 10);
            const double *a = problem_column(&none, "xQ"), *b = problem_column(&light, "xQ");
            for (int k = 0; k < none.table.rows; k++) most[i] = fmax(most[i], fabs(a[k] - b[k]));
            problem_free(&light);
        }
        CHECK_AT_MOST(most[0], 1e-3);
        CHECK_NEAR(most[0] / most[1], 10, 1); // the difference is proportional to the mass
        problem_free(&none);
    }
}
