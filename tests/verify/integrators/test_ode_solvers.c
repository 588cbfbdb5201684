/* Integrators that choose their step: errors follow the tolerance, values between steps are as good
 * as those at steps, runs end where they should, and failures say what happened. */
#include "simulation/simulation.h"
#include "trial_fixture.h"

static const char* const INTEGRATORS[] = {"dopri5", "bdf"};

static sar_trial try_with(const char* problem, const char* integrator, const char* format,
                          double tolerance)
{
    char options[256], path[256], reference[256];
    snprintf(options, sizeof options, "sample=0.01 integrator=%s tolerance=%g %s", integrator,
             tolerance, format);
    snprintf(path, sizeof path, SARRUS_ROOT "/problems/%s/model.yaml", problem);
    snprintf(reference, sizeof reference, SARRUS_ROOT "/problems/%s/reference.csv", problem);
    sar_trial got = try_options(path, reference, NULL, 0, options, NULL);
    if (got.status != SAR_OK) fail_msg("%s, %s: %s", problem, options, got.failure);
    return got;
}

/* ---- accuracy ------------------------------------------------------------------------------- */

/* Errors in a decent proportion to the tolerance, and much smaller for much smaller ones. */
TEST(errors_follow_the_tolerance)
{
    static const char* const METHODS[] = {
        "formulation=nullspace coordinates=cartesian",
        "formulation=nullspace coordinates=natural project=1",
        "formulation=al1 coordinates=natural omega=20 xi=1 project=0 alpha=1e5"};
    static const char* const PROBLEMS[] = {"pendulum", "slider-crank-2"};
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 2; i++)
            for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; k++) {
                double error[3], most = i == 0 ? 3e3 : 1e5;
                static const double TOLERANCE[3] = {1e-5, 1e-7, 1e-9};
                for (int e = 0; e < 3; e++) {
                    error[e] =
                        try_with(PROBLEMS[p], INTEGRATORS[i], METHODS[k], TOLERANCE[e]).error;
                    if (!(error[e] < most * TOLERANCE[e]))
                        fail_msg("%s, %s, %s: error %.2e with tolerance %g", PROBLEMS[p],
                                 INTEGRATORS[i], METHODS[k], error[e], TOLERANCE[e]);
                }
                CHECK_AT_MOST(error[2], 2e-3 * error[0]);
                CHECK_AT_MOST(error[1], error[0]);
                CHECK_AT_MOST(error[2], error[1]);
            }
}

/* error ~ steps^-order */
TEST(dopri5_has_order_five)
{
    const char* method = "formulation=nullspace coordinates=cartesian project=1";
    sar_trial a = try_with("pendulum", "dopri5", method, 1e-8);
    sar_trial b = try_with("pendulum", "dopri5", method, 1e-12);
    double order = log(a.error / b.error) / log((double)b.statistics.steps / a.statistics.steps);
    CHECK_NEAR(order, 5.0, 0.5);
    CHECK_AT_MOST(fabs((double)b.statistics.iterations / b.statistics.steps - 7.0), 0.1);
    b = try_with("pendulum", "dopri5", "formulation=nullspace coordinates=cartesian", 1e-12);
    CHECK_AT_MOST(fabs((double)b.statistics.iterations / b.statistics.steps - 6.0), 0.1);
}

/* The trapezoidal rule on steps of a tenth of a second would make the balance useless. */
TEST(work_is_integrated_as_well_as_the_motion)
{
    sar_trial got = try_with("slider-crank-2", "dopri5", "formulation=nullspace project=1", 1e-8);
    CHECK(got.statistics.steps < 2000);
    CHECK_AT_MOST(got.statistics.energy_max_drift, 1e-5 * got.statistics.kinetic_max);
}

/* ---- between steps -------------------------------------------------------------------------- */

static char* text_with_more_outputs(void)
{
    char* text = problem_text(PROBLEM("slider-crank-2"));
    CHECK(problem_replace(&text, "  xP: crank.P.x\n",
                          "  xP: crank.P.x\n  vx: slider.Q.vx\n  ax: slider.Q.ax\n"
                          "  rate: O.rate\n  energy: energy.kinetic\n") == 1);
    return text;
}

/* Positions, speeds and accelerations, on a raster twenty times as fine as the steps. */
TEST(values_between_steps_are_as_good_as_at_steps)
{
    static const struct {
        const char* name;
        double tolerance; ///< of the interpolation
    } COLUMNS[] = {{"theta1", 3e-7}, {"xQ", 3e-7}, {"vx", 3e-6},
                   {"rate", 3e-6},   {"ax", 1e-3}, {"energy", 3e-5}};
    char* text = text_with_more_outputs();
    const char* method = "formulation=nullspace coordinates=cartesian project=1 end=2 sample=1e-3 ";
    for (int i = 0; i < 2; i++) {
        char coarse[256], fine[256];
        snprintf(coarse, sizeof coarse, "%s integrator=%s tolerance=%s", method, INTEGRATORS[i],
                 i == 0 ? "1e-8" : "1e-9");
        snprintf(fine, sizeof fine, "%s integrator=dopri5 tolerance=1e-13", method);
        sar_result *a = history_of(text, coarse), *b = history_of(text, fine);
        CHECK(sar_result_rows(a) == 2001 && sar_result_rows(b) == 2001);
        for (size_t c = 0; c < sizeof COLUMNS / sizeof *COLUMNS; c++) {
            const double* x = sar_result_column(a, sar_result_find(a, COLUMNS[c].name));
            const double* y = sar_result_column(b, sar_result_find(b, COLUMNS[c].name));
            double most = 0.0, scale = 1.0;
            for (int r = 0; r < 2001; r++) {
                most = fmax(most, fabs(x[r] - y[r]));
                scale = fmax(scale, fabs(y[r]));
            }
            if (!(most < COLUMNS[c].tolerance * scale))
                fail_msg("%s, %s: off by %.2e of %.2e between steps", INTEGRATORS[i],
                         COLUMNS[c].name, most, scale);
        }
        sar_result_destroy(a);
        sar_result_destroy(b);
    }
    free(text);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void start(problem_run* run, const char* integrator, const char* options)
{
    char all[256];
    snprintf(all, sizeof all, "formulation=nullspace integrator=%s %s", integrator, options);
    problem_start(run, PROBLEM("pendulum"), NULL, all);
}

TEST(steps_are_those_asked_for)
{
    for (int i = 0; i < 2; i++) {
        problem_run run;
        start(&run, INTEGRATORS[i], "step=1e-4 step_max=7e-3 tolerance=1e-3 end=1.2345");
        double before = 0.0;
        for (int k = 0; !sar_simulation_done(run.simulation); k++) {
            CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
            double now = sar_simulation_time(run.simulation);
            CHECK(now > before);
            CHECK_AT_MOST(now - before, 7e-3 * (1 + 1e-12));
            if (k == 0) CHECK_NEAR(now, 1e-4, 1e-12);
            before = now;
        }
        CHECK(before == 1.2345); // to the last bit
        CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_E_ARG);
        problem_free(&run);
    }
}

TEST(absurd_steps_are_put_right)
{
    static const char* const OPTIONS[] = {"step=100 end=0.5", "step=1e-15 end=0.5",
                                          "step=1e-15 step_max=1e-13 end=1e-11",
                                          "start=-0.5 end=0 step=1e-2", "step=1e-3 end=1e-9"};
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof OPTIONS / sizeof *OPTIONS; k++) {
            problem_run run;
            start(&run, INTEGRATORS[i], OPTIONS[k]);
            while (!sar_simulation_done(run.simulation))
                if (sar_simulation_advance(run.simulation) != SAR_OK)
                    fail_msg("%s, %s: %s", INTEGRATORS[i], OPTIONS[k],
                             sar_simulation_failure(run.simulation));
            CHECK(sar_simulation_time(run.simulation) == run.options.end);
            problem_free(&run);
        }
}

/* Assembling again begins again, to the last bit; and rejected steps leave no trace in it. */
TEST(a_run_can_be_repeated)
{
    static const char* const FORMS[] = {"al1 omega=50", "hamiltonian"};
    for (int i = 0; i < 4; i++) {
        problem_run run;
        double first[MOST_OUTPUTS], again[MOST_OUTPUTS];
        char options[128];
        snprintf(options, sizeof options,
                 "formulation=%s integrator=%s tolerance=1e-4 end=2 step=0.1", FORMS[i / 2],
                 INTEGRATORS[i % 2]);
        problem_start(&run, PROBLEM("slider-crank-2"), NULL, options);
        for (int pass = 0; pass < 2; pass++) {
            if (pass) CHECK_STATUS(sar_simulation_assemble(run.simulation, NULL), SAR_OK);
            while (!sar_simulation_done(run.simulation))
                CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
            CHECK(sar_simulation_statistics(run.simulation).rejected > 0);
            CHECK_STATUS(sar_simulation_outputs(run.simulation, pass ? again : first), SAR_OK);
        }
        for (int k = 0; k < sar_model_outputs(run.model); k++) CHECK(first[k] == again[k]);
        problem_free(&run);
    }
}

/* Momenta without the impulses of the joints, again and again, are the same motion. */
TEST(a_reset_of_momenta_reaches_the_solver)
{
    for (int i = 0; i < 2; i++) {
        double first[MOST_OUTPUTS], again[MOST_OUTPUTS], most = 0.0;
        for (int often = 0; often < 2; often++) {
            problem_run run;
            char options[128];
            snprintf(options, sizeof options,
                     "formulation=hamiltonian integrator=%s tolerance=1e-8 end=0.5 reset=%s",
                     INTEGRATORS[i], often ? "0.1" : "0");
            problem_start(&run, PROBLEM("slider-crank-2"), NULL, options);
            while (!sar_simulation_done(run.simulation)) {
                CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
                const sari_state* x = &run.simulation->state;
                double largest = 0.0;
                for (int r = 0; r < x->m; r++) largest = fmax(largest, fabs(x->sigma[r]));
                largest *= sari_unit_of_force(&run.simulation->units);
                if (often)
                    CHECK_AT_MOST(largest, 2.0);
                else
                    most = fmax(most, largest);
            }
            CHECK_STATUS(sar_simulation_outputs(run.simulation, often ? again : first), SAR_OK);
            for (int k = 0; often && k < sar_model_outputs(run.model); k++)
                CHECK_NEAR(again[k], first[k], 1e-5);
            problem_free(&run);
        }
        CHECK(most > 4.0); // there was something to reset
    }
}

/* More unknowns than the dense Jacobian is made for. */
TEST(bdf_runs_large_systems)
{
    problem_run a, b;
    problem_start(&a, PROBLEM("chain"), "n=80",
                  "coordinates=cartesian formulation=al1 integrator=bdf omega=20 end=0.05 "
                  "tolerance=1e-6");
    CHECK(sar_simulation_rank(a.simulation).coordinates > 200);
    problem_start(&b, PROBLEM("chain"), "n=80", "end=0.05 step=1e-3");
    while (!sar_simulation_done(a.simulation))
        if (sar_simulation_advance(a.simulation) != SAR_OK)
            fail_msg("%s", sar_simulation_failure(a.simulation));
    while (!sar_simulation_done(b.simulation))
        CHECK_STATUS(sar_simulation_advance(b.simulation), SAR_OK);
    double x[MOST_OUTPUTS], y[MOST_OUTPUTS];
    CHECK(sar_model_outputs(a.model) <= MOST_OUTPUTS && sar_model_outputs(a.model) > 0);
    CHECK_STATUS(sar_simulation_outputs(a.simulation, x), SAR_OK);
    CHECK_STATUS(sar_simulation_outputs(b.simulation, y), SAR_OK);
    for (int k = 0; k < 3; k++) CHECK_NEAR(x[k], y[k], 1e-4); // x_last, y_last, z_last
    problem_free(&a);
    problem_free(&b);
}

/* ---- failures ------------------------------------------------------------------------------- */

static void check_failure(const char* path, const char* options, sar_status wanted,
                          const char* words)
{
    sar_trial got = try_options(path, NULL, NULL, 0, options, NULL);
    CHECK_STATUS(got.status, wanted);
    if (!strstr(got.failure, words) || !strstr(got.failure, "t = "))
        fail_msg("%s: \"%s\", wanted \"%s\"", options, got.failure, words);
}

// a penalty whose rounding is far above the tolerance
#define ROUGH "formulation=penalty integrator=dopri5 alpha=1e12 omega=10 tolerance=1e-13"

TEST(failures_say_what_and_where)
{
    check_failure(PROBLEM("slider-crank-1"), "preset=mNS tolerance=1e-10 end=1.3", SAR_R_SINGULAR,
                  "singular configuration");
    check_failure(PROBLEM("slider-crank-1"), ROUGH, SAR_R_NO_CONV, "the step became too small");
    check_failure(PROBLEM("slider-crank-1"), ROUGH " best_effort=1", SAR_R_NO_CONV,
                  "the step became too small"); // there is nothing to keep
}

int main(void)
{
    if (!has_integrator("dopri5")) {
        printf("built without SUNDIALS: nothing to test\n");
        return 0;
    }
    return sar_test_run();
}
