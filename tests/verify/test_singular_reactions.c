/* Reactions of the double four-bar, which have a pole in its singular positions, against their
 * closed form.
 *
 * The couplers translate, so that their two ends carry the same vertical force V; the first crank's
 * balance of moments about A0 gives the horizontal force H on the first coupler:
 *
 *     V = m (y'' + g) / 2,    H sin(theta) = m L theta'' / 3 + (m g / 2 + V) cos(theta)
 *
 *     A0.fx = m x'' / 2 + H,  L theta'' = -(3.5 / 3) g cos(theta)
 *
 * with (x, y) = L (cos, sin) the tip of the crank. Between two steps, the position of the run, not
 * that of the exact motion, is put in: the pole is where the run has it. */
#include "problem_run.h"

static const double G = 9.81;

static double closed_form(double theta, double rate)
{
    double c = cos(theta), s = sin(theta);
    double acceleration = -3.5 / 3 * G * c;
    double x = -acceleration * s - rate * rate * c, y = acceleration * c - rate * rate * s;
    double V = 0.5 * (y + G), H = (acceleration / 3 + (0.5 * G + V) * c) / s;
    return 0.5 * x + H;
}

/* Largest |A0.fx| and its largest difference to the closed form, relative to 1 N + |closed form|.
 */
static void compare(const char* options, double* most, double* error)
{
    problem_run run;
    char* text = problem_text(PROBLEM("n-four-bar"));
    CHECK(problem_replace(&text, "outputs:\n", "outputs:\n  fx: A0.fx\n  rate: A0.rate\n") == 1);
    problem_parse(&run, text);
    free(text);
    problem_create(&run, options);
    CHECK_STATUS(sar_simulation_assemble(run.simulation, NULL), SAR_OK);
    problem_steps(&run, 1);
    CHECK_STATUS(run.status, SAR_OK);
    const double *fx = problem_column(&run, "fx"), *theta = problem_column(&run, "theta"),
                 *rate = problem_column(&run, "rate");
    *most = *error = 0.0;
    for (int k = 1; k < run.table.rows; k++) {
        double wanted = closed_form(theta[k], rate[k]);
        *most = fmax(*most, fabs(fx[k]));
        *error = fmax(*error, fabs(fx[k] - wanted) / (1.0 + fabs(wanted)));
    }
    problem_free(&run);
}

static void reactions_have_the_pole_of_the_exact_motion(void** state)
{
    (void)state;
    static const char* const METHOD[] = {"step=1e-3 end=10", "step=1e-3 end=10 alpha=inf",
                                         "step=3e-4 end=3 alpha=inf",
                                         "step=1e-3 end=10 alpha=inf coordinates=cartesian"};
    for (int k = 0; k < 4; k++) {
        double most, error;
        compare(METHOD[k], &most, &error);
        if (!(most > 100.0 && error < 0.01))
            fail_msg("%s: largest reaction %g N, wanted above 100; error %g, wanted below 0.01",
                     METHOD[k], most, error);
    }
}

/* The same with a finite penalty alone: impacts that are not of the motion [gonzalez2016, Fig. 5].
 */
static void a_finite_penalty_adds_impacts(void** state)
{
    (void)state;
    double most, error;
    compare("step=1e-3 end=10 alpha=1e9 rescue=0 newton-tolerance=1e-12 best-effort=1", &most,
            &error);
    CHECK(most > 150.0);
    CHECK(error > 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reactions_have_the_pole_of_the_exact_motion),
        cmocka_unit_test(a_finite_penalty_adds_impacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
