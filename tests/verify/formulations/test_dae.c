/* Differential-algebraic equations of index 3 and 2 by BDF: they converge, in all coordinates and
 * with redundant constraints; they lose energy where the step is coarse; and what becomes of them
 * in singular configurations is told. */
#include "trial_fixture.h"

static const char* const INDEX[] = {"index=3", "index=2"};

/* ---- accuracy ------------------------------------------------------------------------------- */

typedef struct scene {
    const char *path, *reference, *names[3], *end, *sample, *step;
    double coarse, fine; ///< tolerances
    double most;         ///< error with the fine one
} scene;

// A particle, the slider-crank up to its first singular configuration, seven bodies with a spring in a
// twentieth of a second, and a linkage with one equation too many.
static const scene SCENES[] = {
    {PROBLEM("pendulum"), REFERENCE("pendulum"), {"x", "y"}, "5", "0.01", "1e-3", 1e-4, 1e-8, 2e-5},
    {PROBLEM("slider-crank-1"),
     REFERENCE("slider-crank-1"),
     {"theta1", "xQ"},
     "0.35",
     "0.01",
     "1e-3",
     1e-4,
     1e-8,
     1e-6},
    {PROBLEM("andrews"),
     REFERENCE("andrews"),
     {"xF", "yF"},
     "0.05",
     "5e-5",
     "1e-6",
     1e-5,
     1e-8,
     2e-5},
    {PROBLEM("bricard"),
     REFERENCE("bricard"),
     {"x3", "y3", "z3"},
     "5",
     "0.01",
     "1e-3",
     1e-4,
     1e-8,
     5e-6},
};
enum { SCENE_COUNT = sizeof SCENES / sizeof *SCENES };

static double error_of(const scene* s, const char* coordinates, const char* index, double tolerance)
{
    char options[256];
    int count = 0;
    while (count < 3 && s->names[count]) count++;
    snprintf(
        options, sizeof options,
        "preset=BDF-DAE max_order=5 step_max=0 coordinates=%s %s tolerance=%g end=%s sample=%s "
        "step=%s",
        coordinates, index, tolerance, s->end, s->sample, s->step);
    sar_trial got = try_options(s->path, s->reference, s->names, count, options, NULL);
    if (got.status != SAR_OK) fail_msg("%s, %s: %s", s->path, options, got.failure);
    return got.error;
}

TEST(errors_follow_the_tolerance_in_all_coordinates)
{
    for (int k = 0; k < SCENE_COUNT; k++)
        for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++)
            for (int i = 0; i < 2; i++) {
                const scene* s = &SCENES[k];
                const char* coordinates = axis_member(SAR_AXIS_COORDINATES, c);
                double coarse = error_of(s, coordinates, INDEX[i], s->coarse);
                double fine = error_of(s, coordinates, INDEX[i], s->fine);
                // 1e-8: what the references are good for
                if (!(fine < s->most && fine < fmax(2e-2 * coarse, 1e-8)))
                    fail_msg("%s, %s, %s: errors %.2e, %.2e with tolerances %g, %g", s->path,
                             coordinates, INDEX[i], coarse, fine, s->coarse, s->fine);
            }
}

/* Index 2 keeps both constraints; index 3 leaves the one on velocities to itself. */
TEST(violations_are_those_of_the_index)
{
    double velocity[2];
    for (int i = 0; i < 2; i++) {
        problem_run run;
        char options[128];
        snprintf(options, sizeof options, "preset=BDF-DAE %s max_order=5 step_max=0 tolerance=1e-6",
                 INDEX[i]);
        problem_run_all(&run, PROBLEM("pendulum"), NULL, options, 1 << 20);
        CHECK_AT_MOST(run.statistics.violation.position, 1e-6);
        velocity[i] = run.statistics.violation.velocity;
        problem_free(&run);
    }
    CHECK_AT_MOST(velocity[1], 1e-6);
    CHECK_AT_MOST(20 * velocity[1], velocity[0]);
}

/* Sparse matrices, and the same motion as al3's. */
TEST(long_chains_run)
{
    double wanted[MOST_OUTPUTS], got[MOST_OUTPUTS];
    problem_run run;
    problem_run_all(&run, PROBLEM("chain"), "n=20", "end=0.3 step=1e-4", 1 << 20);
    CHECK_STATUS(sar_simulation_outputs(run.simulation, wanted), SAR_OK);
    problem_free(&run);
    for (int i = 0; i < 2; i++) {
        char options[128];
        snprintf(options, sizeof options,
                 "preset=BDF-DAE %s max_order=5 tolerance=1e-7 end=0.3 solver=sparse", INDEX[i]);
        problem_run_all(&run, PROBLEM("chain"), "n=20", options, 1 << 20);
        CHECK_STATUS(sar_simulation_outputs(run.simulation, got), SAR_OK);
        for (int k = 0; k < 3; k++) CHECK_NEAR(got[k], wanted[k], 1e-4); // x_last, y_last, z_last
        problem_free(&run);
    }
}

/* ---- steps ---------------------------------------------------------------------------------- */

TEST(values_between_steps_are_as_good_as_at_steps)
{
    static const char* const names[] = {"x", "y"};
    for (int i = 0; i < 2; i++) {
        char options[128];
        double error[2];
        for (int k = 0; k < 2; k++) {
            snprintf(options, sizeof options,
                     "preset=BDF-DAE %s max_order=5 step_max=%s tolerance=1e-7 end=5 sample=0.01",
                     INDEX[i], k ? "1e-3" : "0");
            sar_trial got =
                try_options(PROBLEM("pendulum"), REFERENCE("pendulum"), names, 2, options, NULL);
            CHECK_STATUS(got.status, SAR_OK);
            error[k] = got.error;
        }
        CHECK_AT_MOST(error[0], 5e-5);
        CHECK_AT_MOST(error[1], error[0]); // rows at steps, or nearly
    }
}

TEST(steps_are_those_asked_for)
{
    static const char* const OPTIONS[] = {
        "step=1e-4 step_max=7e-3 end=1.2345",  "step=100 end=0.5",           "step=1e-15 end=0.5",
        "step=1e-15 step_max=1e-13 end=1e-11", "start=-0.5 end=0 step=1e-2", "step=1e-3 end=1e-9"};
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof OPTIONS / sizeof *OPTIONS; k++) {
            problem_run run;
            char options[160];
            snprintf(options, sizeof options, "preset=BDF-DAE %s tolerance=1e-3 %s", INDEX[i],
                     OPTIONS[k]);
            problem_start(&run, PROBLEM("pendulum"), NULL, options);
            double before = run.options.start, longest = run.options.step_max;
            while (!sar_simulation_done(run.simulation)) {
                if (sar_simulation_advance(run.simulation) != SAR_OK)
                    fail_msg("%s: %s", options, sar_simulation_failure(run.simulation));
                double now = sar_simulation_time(run.simulation);
                CHECK(now > before);
                if (longest > 0.0) CHECK_AT_MOST(now - before, longest * (1 + 1e-12));
                before = now;
            }
            CHECK(before == run.options.end); // to the last bit
            problem_free(&run);
        }
}

/* Assembling again begins again, to the last bit. */
TEST(a_run_can_be_repeated)
{
    for (int i = 0; i < 2; i++) {
        problem_run run;
        double first[MOST_OUTPUTS], again[MOST_OUTPUTS];
        char options[128];
        snprintf(options, sizeof options, "preset=BDF-DAE %s tolerance=1e-4 step_max=0 end=3",
                 INDEX[i]);
        problem_start(&run, PROBLEM("bricard"), NULL, options);
        for (int pass = 0; pass < 2; pass++) {
            if (pass) CHECK_STATUS(sar_simulation_assemble(run.simulation, NULL), SAR_OK);
            while (!sar_simulation_done(run.simulation))
                CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
            CHECK_STATUS(sar_simulation_outputs(run.simulation, pass ? again : first), SAR_OK);
        }
        for (int k = 0; k < sar_model_outputs(run.model); k++) CHECK(first[k] == again[k]);
        problem_free(&run);
    }
}

/* ---- energy --------------------------------------------------------------------------------- */

typedef struct loss {
    const char* options;
    double drift[3]; ///< at 10, 50 and 100 s [J]
} loss;

static void measure_loss(loss* l)
{
    static const double TIMES[] = {10.0, 50.0, 100.0};
    problem_run run;
    char options[160];
    int k = 0;
    snprintf(options, sizeof options, "step=0.01 end=100 %s", l->options);
    problem_start(&run, PROBLEM("pendulum"), NULL, options);
    while (!sar_simulation_done(run.simulation)) {
        if (sar_simulation_advance(run.simulation) != SAR_OK)
            fail_msg("%s: %s", options, sar_simulation_failure(run.simulation));
        if (sar_simulation_time(run.simulation) >= TIMES[k] - 1e-6)
            l->drift[k++] = sar_simulation_statistics(run.simulation).energy_final_drift;
    }
    CHECK(k == 3);
    print_message("  %-34s %9.4f %9.4f %9.4f\n", l->options, l->drift[0], l->drift[1], l->drift[2]);
    problem_free(&run);
}

/* Index 3 by the formula of order 2 with a fixed step of 10 ms, after two of order 1, solved
 * exactly: (c^2 + 2 lambda) q = b is a vector of length 1 along b. Energy at 10, 50 and 100 s. */
static void second_order_formula(double energy[3])
{
    const double h = 0.01, g = 9.81;
    double q[3][2] = {{0}, {-1.0, 0.0}, {-1.0, 0.0}}, v[3][2] = {{0}}; // the last one first
    for (int k = 1; k <= 10000; k++) {
        const double c = (k <= 2 ? 1.0 : 1.5) / h;
        double dq[2], dv[2], b[2];
        for (int i = 0; i < 2; i++) {
            dq[i] = k <= 2 ? -q[1][i] / h : (-2.0 * q[1][i] + 0.5 * q[2][i]) / h;
            dv[i] = k <= 2 ? -v[1][i] / h : (-2.0 * v[1][i] + 0.5 * v[2][i]) / h;
            b[i] = -(c * dq[i] + dv[i]) - (i ? g : 0.0);
        }
        for (int i = 0; i < 2; i++) {
            q[0][i] = b[i] / hypot(b[0], b[1]);
            v[0][i] = c * q[0][i] + dq[i];
        }
        double now = 0.5 * (v[0][0] * v[0][0] + v[0][1] * v[0][1]) + g * q[0][1];
        if (k == 1000 || k == 5000 || k == 10000) energy[k / 5000] = now;
        memcpy(q + 2, q + 1, sizeof q[1]), memcpy(q + 1, q, sizeof q[1]);
        memcpy(v + 2, v + 1, sizeof v[1]), memcpy(v + 1, v, sizeof v[1]);
    }
}

/* Tolerance 1e-2, no step longer than 10 ms; 9.81 J are there to lose. */
TEST(the_pendulum_loses_energy)
{
    loss second[] = {{.options = "preset=BDF-DAE"}, {.options = "preset=BDF-DAE index=2"}};
    loss fifth[] = {{.options = "preset=BDF-DAE max_order=5"},
                    {.options = "preset=BDF-DAE index=2 max_order=5"}};
    loss first = {.options = "preset=BDF-DAE max_order=1"}, own = {.options = "preset=ALi3p"};
    print_message("energy lost by the pendulum [J], after 10, 50 and 100 s\n");
    for (int i = 0; i < 2; i++) {
        measure_loss(&second[i]);
        measure_loss(&fifth[i]);
        CHECK_AT_MOST(second[i].drift[0], -0.05);
        CHECK_AT_MOST(second[i].drift[1], 1.5 * second[i].drift[0]);
        CHECK_AT_MOST(second[i].drift[2], 1.5 * second[i].drift[1]);
        CHECK_AT_MOST(fifth[i].drift[2], -0.005);
        CHECK_AT_MOST(-0.05, fifth[i].drift[2]);
    }
    measure_loss(&first);
    measure_loss(&own);
    double exact[3];
    second_order_formula(exact);
    for (int k = 0; k < 3; k++) CHECK_NEAR(second[0].drift[k], exact[k], 2e-3);
    CHECK_AT_MOST(first.drift[2], -9.0);
    CHECK_AT_MOST(fabs(own.drift[2]), 0.1 * fabs(second[0].drift[2]));
}

/* ---- singular configurations --------------------------------------------------------------------- */

/* The double four-bar, upright at 1 m/s, is in one five times in 5 s. */
static void check_four_bar(const char* index, double tolerance)
{
    problem_run run;
    sar_result* wanted = NULL;
    const sar_event* events;
    char options[160];
    double values[MOST_OUTPUTS];
    snprintf(options, sizeof options,
             "preset=BDF-DAE max_order=5 step_max=0 %s tolerance=%g end=5 best_effort=1", index,
             tolerance);
    problem_start(&run, PROBLEM("n-four-bar"), NULL, options);
    sar_status st = SAR_OK;
    while (st == SAR_OK && !sar_simulation_done(run.simulation))
        st = sar_simulation_advance(run.simulation);
    int passes = sar_simulation_singular_passes(run.simulation, &events);
    int changes = sar_simulation_branch_changes(run.simulation, &events);
    CHECK_STATUS(sar_simulation_outputs(run.simulation, values), SAR_OK);
    CHECK_STATUS(sar_result_read(REFERENCE("n-four-bar"), &wanted, NULL), SAR_OK);
    double drift = sar_simulation_statistics(run.simulation).energy_worst_drift;
    double off = values[0] - sar_result_column(wanted, sar_result_find(wanted, "theta"))[500];
    if (st == SAR_OK)
        print_message(
            "  %s %7.0e  end, %d passes, %d branch changes, energy %+.1e J, angle %+.1e\n", index,
            tolerance, passes, changes, drift, off);
    else
        print_message("  %s %7.0e  stops at %.6f s, %d passes, %d branch changes, energy %+.1e J\n",
                      index, tolerance, sar_simulation_time(run.simulation), passes, changes,
                      drift);
    // told, or right: errors of one step below the tolerance, of order k+1, add up to its power
    // k/(k+1)
    const char* words = sar_simulation_failure(run.simulation);
    CHECK(st == SAR_OK || (strstr(words, "t = ") && strstr(words, "singular")));
    if (st == SAR_OK && !changes && tolerance <= 1e-4)
        CHECK_AT_MOST(fabs(off), 200 * pow(tolerance, 0.75));
    CHECK(st != SAR_OK || passes > 0);
    sar_result_destroy(wanted);
    problem_free(&run);
}

TEST(what_happens_in_singular_configurations_is_told)
{
    static const double TOLERANCE[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
    print_message("double four-bar for 5 s\n");
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof TOLERANCE / sizeof *TOLERANCE; k++)
            check_four_bar(INDEX[i], TOLERANCE[k]);
}

/* Unless told to go on, a run ends at the first position that is seen. */
TEST(runs_end_in_singular_configurations)
{
    static const char* const PATHS[] = {PROBLEM("n-four-bar"), PROBLEM("slider-crank-1"),
                                        PROBLEM("slider-crank-singular")};
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < 2; i++)
            for (double tolerance = 1e-2; tolerance > 1e-9; tolerance *= 1e-2) {
                char options[128];
                snprintf(options, sizeof options, "preset=BDF-DAE %s tolerance=%g", INDEX[i],
                         tolerance);
                sar_trial got = try_options(PATHS[p], NULL, NULL, 0, options, NULL);
                if (got.status <= 0 || !strstr(got.failure, "singular") ||
                    !strstr(got.failure, "t = "))
                    fail_msg("%s, %s: %s", PATHS[p], options, got.failure);
            }
}

int main(void)
{
    if (!has_integrator("ida")) {
        printf("built without SUNDIALS: nothing to test\n");
        return 0;
    }
    return sar_test_run();
}
