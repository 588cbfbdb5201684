/* Steps that are said to converge have converged: results do not depend on the penalty, errors fall
 * with the step, rows on velocities that others imply do no harm, and what did not converge is
 * refused or counted. In all coordinates. */
#include "formulations/convergence.h"
#include "problem_run.h"

static const char* coordinates(int k)
{
    return axis_member(SAR_AXIS_COORDINATES, k);
}

static double last_of(const problem_run* run, const char* column)
{
    return problem_column(run, column)[run->table.rows - 1];
}

/* How far the axle's middle is from where it should be. */
static double error_of_axle(const char* coordinates, const char* method, double step,
                            const char* settings)
{
    problem_run run;
    char options[256];
    snprintf(options, sizeof options, "coordinates=%s %s step=%g", coordinates, method, step);
    problem_run_all(&run, TEST_MODEL("axle"), settings, options, 1 << 20);
    const double error = hypot(last_of(&run, "ex"), last_of(&run, "ey"));
    CHECK(run.statistics.not_converged == 0);
    problem_free(&run);
    return error;
}

TEST(implied_rows_on_velocities_are_harmless)
{
    static const char* const methods[] = {
        "formulation=al3 integrator=trapezoidal",
        "formulation=al3 integrator=trapezoidal alpha=inf",
        "formulation=threefield integrator=own",
        "formulation=al1 integrator=trapezoidal",
    };
    for (int k = 0; coordinates(k); k++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            if (!IN_FULL_OR_TURN(k, m)) continue;
            const double coarse = error_of_axle(coordinates(k), methods[m], 5e-3, NULL);
            const double fine = error_of_axle(coordinates(k), methods[m], 2.5e-3, NULL);
            if (!(coarse < 2e-3 && coarse > 3.0 * fine))
                fail_msg("%s, %s: %g, then %g", coordinates(k), methods[m], coarse, fine);
        }
}

/* Wheels at 30 rad/s: contradictions of O(h^2) are 27 times as large. */
TEST(implied_rows_are_harmless_at_speed)
{
    for (int k = 0; coordinates(k); k++) {
        if (!IN_FULL_OR_TURN(k, 1)) continue;
        const double error = error_of_axle(coordinates(k), "formulation=al3 integrator=trapezoidal",
                                           2e-3, "V=3 W=3");
        if (!(error < 2e-3)) fail_msg("%s: %g", coordinates(k), error);
    }
}

/* The same with a penalty that leaves multipliers to the stabilised index-1 form. */
TEST(implied_rows_are_harmless_to_stabilised_forms)
{
    for (int k = 0; coordinates(k); k++) {
        if (!IN_FULL_OR_TURN(k, 2)) continue;
        const double error =
            error_of_axle(coordinates(k),
                          "formulation=al1 integrator=rk4 alpha=1e10 omega=100 xi=1 updates=10 "
                          "project=0",
                          1e-3, NULL);
        if (!(error < 1e-5)) fail_msg("%s: %g", coordinates(k), error);
    }
}

static double angle_of_shaft(const char* coordinates, const char* penalty, double step)
{
    problem_run run;
    char options[256];
    snprintf(options, sizeof options,
             "coordinates=%s formulation=al3 integrator=trapezoidal %s step=%g", coordinates,
             penalty, step);
    problem_run_all(&run, TEST_MODEL("cardan-shaft"), NULL, options, 1 << 20);
    const double angle = last_of(&run, "angle");
    problem_free(&run);
    return angle;
}

/* A penalty of 10 leaves a fifth of a violation in every correction, or more: they are small long
 * before the solution is near. */
TEST(results_do_not_depend_on_the_penalty)
{
    const double h = 2.5e-4;
    for (int k = 0; coordinates(k); k++) {
        if (!IN_FULL_OR_TURN(k, 3)) continue;
        const double soft = angle_of_shaft(coordinates(k), "penalty-ratio=10", h);
        const double limit = angle_of_shaft(coordinates(k), "alpha=inf", h);
        const double coarse = angle_of_shaft(coordinates(k), "alpha=inf", 2.0 * h);
        if (!(fabs(soft - limit) < 0.02 * fabs(coarse - limit)))
            fail_msg("%s: %g beside a step's error of %g", coordinates(k), soft - limit,
                     coarse - limit);
    }
}

TEST(errors_fall_with_the_square_of_the_step)
{
    static const char* const penalties[] = {"", "penalty-ratio=10"};
    for (int k = 0; coordinates(k); k++)
        for (int p = 0; p < 2; p++) {
            if (!IN_FULL_OR_TURN(k, p)) continue;
            double angle[3];
            for (int i = 0; i < 3; i++)
                angle[i] = angle_of_shaft(coordinates(k), penalties[p], ldexp(1e-3, -1 - i));
            const double ratio = (angle[1] - angle[0]) / (angle[2] - angle[1]);
            if (!(ratio > 3.6 && ratio < 4.4))
                fail_msg("%s %s: %g", coordinates(k), penalties[p], ratio);
        }
}

TEST(own_steps_keep_the_energy_of_universal_joints)
{
    for (int k = 0; coordinates(k); k++) {
        problem_run run;
        char options[256];
        snprintf(options, sizeof options,
                 "coordinates=%s formulation=threefield integrator=own step=1e-3", coordinates(k));
        problem_run_all(&run, TEST_MODEL("slider-crank-universal"), NULL, options, 1 << 20);
        if (!(run.statistics.energy_max_drift < 1e-3))
            fail_msg("%s: %g J", coordinates(k), run.statistics.energy_max_drift);
        CHECK(run.statistics.not_converged == 0 && run.statistics.rejected == 0);
        problem_free(&run);
    }
}

TEST(steps_kept_at_singular_configurations_are_counted)
{
    for (int k = 0; coordinates(k); k++) {
        problem_run run;
        char options[256];
        snprintf(options, sizeof options,
                 "coordinates=%s formulation=threefield integrator=own step=1e-2", coordinates(k));
        problem_run_all(&run, PROBLEM("n-four-bar"), NULL, options, 1 << 20);
        const long kept = run.statistics.not_converged;
        if (!(kept > 0 && kept < run.statistics.steps / 20))
            fail_msg("%s: %ld of %ld", coordinates(k), kept, run.statistics.steps);
        problem_free(&run);
    }
}

TEST(slow_corrections_are_no_sign_of_an_end)
{
    CHECK(!sari_converged(2, 1e-10, 1.1e-10, 1e-9, 1.0)); // ten times as much is to come
    CHECK(sari_converged(2, 1e-13, 1e-9, 1e-9, 1.0));
    CHECK(sari_converged(3, 5e-14, 5e-14, 1e-13, 1.0)); // rounding
    CHECK(sari_converged(6, 1e-10, 1e-10, 1e-9, 1.0));
}
