/* The formulation that brings its own step: energy, order, singular configurations, what the masses of
 * its constraints are good for, and its ways to choose a step. */
#include "problem_run.h"

#include "simulation/simulation.h"

#define OWN "formulation=threefield integrator=own "

static double max_drift(const char* path, const char* parameters, const char* options)
{
    problem_run run;
    problem_run_all(&run, path, parameters, options, 1000);
    double drift = run.statistics.energy_max_drift;
    problem_free(&run);
    return drift;
}

static void check_below(const char* what, double got, double wanted)
{
    if (!(got <= wanted)) fail_msg("%s: got %g, wanted at most %g", what, got, wanted);
}

/* ---- the pendulum --------------------------------------------------------------------------- */

TEST(the_sweep_costs_little_energy_and_without_it_there_is_no_loss)
{
    const char* const end = IN_FULL_OR_SAMPLE("100", "10");
    char options[160];
    snprintf(options, sizeof options, OWN "step=0.01 end=%s", end);
    check_below("energy with the sweep", max_drift(PROBLEM("pendulum"), NULL, options), 5e-3);
    snprintf(options, sizeof options, OWN "step=0.01 end=%s sweeps=0", end);
    check_below("energy without", max_drift(PROBLEM("pendulum"), NULL, options), 1e-6);
    snprintf(options, sizeof options, OWN "step=0.01 end=%s rattle=1", end);
    check_below("energy of the symplectic variant", max_drift(PROBLEM("pendulum"), NULL, options),
                4e-3); // bounded, -3.6e-3 J where the bob is fastest
}

/* Distance from the reference at t = 5 s. */
static double pendulum_error(const char* more, double step)
{
    enum { ROW = 500 };
    problem_run run;
    sar_result* wanted = NULL;
    char options[200];
    snprintf(options, sizeof options, OWN "newton_tolerance=1e-13 end=5 step=%.17g %s", step, more);
    problem_run_all(&run, PROBLEM("pendulum"), NULL, options, 1);
    CHECK_STATUS(sar_result_read(REFERENCE("pendulum"), &wanted, NULL), SAR_OK);
    CHECK_NEAR(sar_result_time(wanted)[ROW], 5, 1e-12);
    double square = 0.0;
    for (int k = 0; k < 2; k++) {
        const char* name = k ? "y" : "x";
        double off = problem_column(&run, name)[run.table.rows - 1] -
                     sar_result_column(wanted, sar_result_find(wanted, name))[ROW];
        square += off * off;
    }
    sar_result_destroy(wanted);
    problem_free(&run);
    return sqrt(square);
}

TEST(the_order_is_two_and_four_by_composition)
{
    static const struct {
        const char* options;
        double order, within;
    } WANTED[] = {{"coordinates=natural", 2, 0.05},
                  {"coordinates=relative", 2, 0.05},
                  {"sweeps=0", 2, 0.05},
                  {"rattle=1", 2, 0.05},
                  {"compose=4", 4, 0.15},
                  {"compose=4 coordinates=cartesian", 4, 0.15},
                  {"compose=4 rattle=1", 4, 0.15}};
    for (size_t k = 0; k < sizeof WANTED / sizeof *WANTED; k++) {
        double coarse = pendulum_error(WANTED[k].options, 0.01);
        double fine = pendulum_error(WANTED[k].options, 0.005);
        double order = log2(coarse / fine);
        if (!(fabs(order - WANTED[k].order) <= WANTED[k].within))
            fail_msg("%s: errors %g, %g with half the step: order %g, wanted %g", WANTED[k].options,
                     coarse, fine, order, WANTED[k].order);
    }
}

/* ---- what the mass of a constraint is good for ---------------------------------------------- */

#define COLD                                                                                       \
    "formulation=threefield integrator=own rho=100 rho_cap=1e6 newton_tolerance=1e-8 "             \
    "accept_tolerance=1e-8 iterations=6 warm_start=0 step=0.01 end=2 "

/* The shortest step of a run; NaN when it ended before. */
static double shortest_step(const char* options, double* penalty)
{
    problem_run run;
    char all[300];
    snprintf(all, sizeof all, COLD "rescue=0 %s", options);
    problem_start(&run, PROBLEM("pendulum"), NULL, all);
    problem_steps(&run, 1);
    double step = run.status == SAR_OK ? run.statistics.step_shortest : NAN;
    if (run.status != SAR_OK) {
        CHECK_STATUS(run.status, SAR_R_NO_CONV);
        CHECK(strstr(sar_simulation_failure(run.simulation), "did not converge") != NULL);
        CHECK(sar_simulation_time(run.simulation) < 0.01);
    }
    *penalty = run.statistics.alpha;
    problem_free(&run);
    return step;
}

TEST(the_step_stays_as_it_is_with_the_right_mass_alone)
{
    double penalty;
    for (int adapt = 0; adapt < 2; adapt++) {
        char options[64];
        snprintf(options, sizeof options, "mass_factor=1 adapt=%d", adapt);
        CHECK_NEAR(shortest_step(options, &penalty), 0.01, 1e-15);
        CHECK_NEAR(penalty, 100, 1e-12);
    }
    CHECK_NEAR(shortest_step("mass_factor=0.1 adapt=0", &penalty), 0.01, 1e-15);
    double ratio = 0.01 / shortest_step("mass_factor=0.01 adapt=0", &penalty);
    if (!(ratio > 60 && ratio < 130)) fail_msg("a mass by 100: %g times the steps", ratio);
    CHECK_NEAR(shortest_step("mass_factor=0.01 adapt=1", &penalty), 0.01, 1e-15);
    CHECK(penalty >= 1000);
    CHECK(isnan(shortest_step("mass_factor=0 adapt=0", &penalty)));
    CHECK(isnan(shortest_step("mass_factor=0 adapt=1", &penalty)));
}

/* ---- singular configurations and redundant constraints ------------------------------------------- */

/* `rejected`: steps that had to be halved, at most */
static void check_double_four_bar(problem_run* run, double most, int passes, int rejected)
{
    const sar_event* events;
    if (run->status != SAR_OK) fail_msg("%s", sar_simulation_failure(run->simulation));
    check_below("energy of the double four-bar", run->statistics.energy_max_drift, most);
    check_below("rejected steps", (double)run->statistics.rejected, rejected);
    int seen = sar_simulation_singular_passes(run->simulation, &events);
    if (seen != passes) fail_msg("%d singular passes, wanted %d", seen, passes);
    problem_free(run);
}

TEST(it_goes_through_the_singular_configurations_of_the_double_four_bar)
{
    problem_run run;
    for (int k = 0; axis_member(SAR_AXIS_COORDINATES, k); k++) {
        char options[160];
        snprintf(options, sizeof options, OWN "coordinates=%s step=0.01 end=10",
                 axis_member(SAR_AXIS_COORDINATES, k));
        problem_start(&run, PROBLEM("n-four-bar"), "speed=1", options);
        problem_steps(&run, 1000);
        check_double_four_bar(&run, 1.0e-2, 10, k == 0 ? 0 : 5);
    }
    problem_start(&run, PROBLEM("n-four-bar"), "lean=0.7853981633974483 speed=0",
                  OWN "coordinates=natural step=0.01 end=10"); // from rest at 45 degrees
    problem_steps(&run, 1000);
    check_double_four_bar(&run, 1.2e-2, 14, 0);
    // what a passage leaves over must not be carried on: short steps would collect it
    problem_start(&run, PROBLEM("n-four-bar"), NULL, OWN "coordinates=natural step=1e-3 end=10");
    problem_steps(&run, 1000);
    check_double_four_bar(&run, 5e-4, 10, 0);
}

/* Also where reactions would do work in the middle of a step: coordinates that turn. */
TEST(the_bricard_mechanism_keeps_its_energy_in_all_coordinates)
{
    for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++) {
        problem_run run;
        char options[160];
        snprintf(options, sizeof options, OWN "coordinates=%s step=0.01 end=%s",
                 axis_member(SAR_AXIS_COORDINATES, c), IN_FULL_OR_SAMPLE("10", "1"));
        problem_run_all(&run, PROBLEM("bricard"), NULL, options, 1000);
        // In relative coordinates rounding decides: 7e-5 to 3.2e-3 J where g is changed in its last
        // digits (16 runs). A regression limit.
        const int relative = !strcmp(axis_member(SAR_AXIS_COORDINATES, c), "relative");
        check_below(options, run.statistics.energy_max_drift, relative ? 5e-3 : 2e-4);
        check_below(options, run.statistics.violation.position, 1e-8);
        CHECK(run.statistics.not_converged == 0); // there is no singular configuration in it
        CHECK(run.statistics.rejected <= 10);     // steps that are halved
        problem_free(&run);
    }
}

/* Constraints on velocities alone: the ball's path is a circle. */
TEST(a_ball_rolls_on_a_turntable)
{
    static const char* const TYPES[] = {"increments", "relative"};
    for (int k = 0; k < 2; k++) {
        problem_run run;
        char options[160];
        snprintf(options, sizeof options,
                 OWN "coordinates=%s step=0.01 end=7 newton_tolerance=1e-12", TYPES[k]);
        problem_run_all(&run, PROBLEM("rolling-ball"), NULL, options, 1);
        check_below("x", problem_error(&run, REFERENCE("rolling-ball"), "x"), 1.4e-4);
        check_below("y", problem_error(&run, REFERENCE("rolling-ball"), "y"), 1.4e-4);
        check_below("speed", problem_error(&run, REFERENCE("rolling-ball"), "speed"), 1e-10);
        problem_free(&run);
    }
}

/* ---- by tolerance --------------------------------------------------------------------------- */

static double error_with_tolerance(const char* path, const char* reference, const char* column,
                                   double tolerance)
{
    problem_run run;
    sar_result* wanted = NULL;
    char options[160];
    double values[MOST_OUTPUTS], most = 0.0;
    snprintf(options, sizeof options,
             "formulation=threefield integrator=own-variable end=3 tolerance=%g", tolerance);
    problem_start(&run, path, NULL, options);
    CHECK_STATUS(sar_result_read(reference, &wanted, NULL), SAR_OK);
    const double *t = sar_result_time(wanted),
                 *y = sar_result_column(wanted, sar_result_find(wanted, column));
    int at = 0, rows = sar_result_rows(wanted);
    for (int k = 0; k < sar_model_outputs(run.model); k++)
        if (strcmp(sar_model_output_name(run.model, k), column) == 0) at = k;
    for (int row = 0; !sar_simulation_done(run.simulation);) {
        if (sar_simulation_advance(run.simulation) != SAR_OK)
            fail_msg("%s, tolerance %g: %s", path, tolerance,
                     sar_simulation_failure(run.simulation));
        for (; row < rows && t[row] <= sar_simulation_time(run.simulation); row++) {
            CHECK_STATUS(sar_simulation_outputs_at(run.simulation, t[row], values), SAR_OK);
            most = fmax(most, fabs(values[at] - y[row]));
        }
    }
    sar_result_destroy(wanted);
    problem_free(&run);
    return most;
}

TEST(the_error_falls_with_the_tolerance)
{
    static const struct {
        const char *path, *reference, *column;
        double factor; ///< by which it falls, at least, for a hundredth of the tolerance
    } CASES[] = {
        {PROBLEM("pendulum"), REFERENCE("pendulum"), "x", 15},
        {PROBLEM("slider-crank-1"), REFERENCE("slider-crank-1"), "theta1", 15},
        {PROBLEM("bricard"), REFERENCE("bricard"), "x3", 12},
        {PROBLEM("n-four-bar"), REFERENCE("n-four-bar"), "theta", 3}, // what passages leave
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        double coarse =
            error_with_tolerance(CASES[k].path, CASES[k].reference, CASES[k].column, 1e-4);
        double fine =
            error_with_tolerance(CASES[k].path, CASES[k].reference, CASES[k].column, 1e-6);
        if (!(coarse > CASES[k].factor * fine && fine < 2e-3))
            fail_msg("%s: errors %g and %g for tolerances 1e-4 and 1e-6", CASES[k].path, coarse,
                     fine);
    }
}

/* ---- multipliers and options ---------------------------------------------------------------- */

/* m lambda'' = h + f for the one constraint of the pendulum, where h is the force along a = 2 (x,
 * y) or (x, y), as the row is scaled: lambda' follows from the impulse of the rod and the weight
 * along it. */
TEST(multipliers_follow_the_impulses_of_the_constraints)
{
    problem_run run;
    const double *values, *rates;
    problem_start(&run, PROBLEM("pendulum"), NULL, OWN "coordinates=natural step=1e-3 end=0.5");
    CHECK(sar_simulation_multipliers(run.simulation, &values, &rates) == 0 && values == NULL);
    problem_free(&run);
    problem_start(&run, PROBLEM("pendulum"), NULL,
                  OWN "coordinates=natural step=1e-3 end=0.5 multipliers=1");
    CHECK(sar_simulation_multipliers(run.simulation, &values, &rates) == 1);
    CHECK(values[0] == 0.0 && rates[0] == 0.0);
    const sari_system* sys = run.simulation->system;
    const sari_state* x = &run.simulation->state;
    double momentum = 0.0, lambda = 0.0, before = NAN, mass = 0.0;
    while (!sar_simulation_done(run.simulation)) {
        double A[2] = {sys->Phi_q.x[0], sys->Phi_q.x[1]}; // evaluated at x
        double square = A[0] * A[0] + A[1] * A[1], weight = -9.81 * A[1] / square;
        double force = weight - x->lambda[0], last = momentum; // mass 1, c = A/square
        mass = 1.0 / square;
        if (!isnan(before)) momentum += 0.5e-3 * (before + force);
        lambda += 0.5e-3 * (last + momentum) / mass;
        before = force;
        CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
        sari_equations_eval(&run.simulation->system->equations, SARI_EVAL_DYNAMICS, x->t, x->q,
                            x->v);
    }
    CHECK(fabs(lambda) > 0.1);
    CHECK_NEAR(values[0] / lambda, 1.0, 2e-2); // the sums end a step earlier
    CHECK_NEAR(rates[0] / (momentum / mass), 1.0, 2e-2);
    problem_free(&run);
}

static void check_refused(const char* path, const char* options, const char* word)
{
    problem_run run;
    sar_error error = {0};
    problem_load(&run, path, NULL);
    each_setting(options, use_option, &run.options);
    if (sar_simulation_create(run.model, &run.options, &run.simulation, &error) == SAR_OK)
        fail_msg("%s with %s was not refused", path, options);
    if (!strstr(error.message, word)) fail_msg("%s: \"%s\"", options, error.message);
    problem_free(&run);
}

TEST(what_cannot_go_back_in_time_is_refused)
{
    check_refused(TEST_MODEL("rotational-drag"), OWN "compose=4", "dampers");
    check_refused(PROBLEM("pendulum"), OWN "compose=4 sweeps=1", "symmetric");
    check_refused(PROBLEM("pendulum"), OWN "compose=3", "2 or 4");
    check_refused(PROBLEM("rolling-ball"), OWN "rattle=1", "velocities");
    check_refused(PROBLEM("pendulum"), "formulation=threefield integrator=trapezoidal", "own");
    check_refused(PROBLEM("pendulum"), "formulation=al3 integrator=own", "threefield");
}
