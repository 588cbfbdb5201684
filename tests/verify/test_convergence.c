/* The trapezoidal rule is of order two: through singular positions, with redundant equations, in
 * every coordinate type. */
#include "problem_run.h"

typedef struct problem {
    const char *path, *parameters, *reference, *column, *end;
    double
        step;   ///< the largest; a divisor of the reference's 10 ms, so that no row is interpolated
    int stride; ///< steps per row of the reference
} problem;

// Each passes singular positions within `end`, the four-bar and the twins in space with redundant
// equations.
static const problem PROBLEMS[] = {
    {PROBLEM("slider-crank-1"), NULL, REFERENCE("slider-crank-1"), "theta1", "2", 5e-3, 2},
    {TEST_MODEL("slider-crank-spatial"), NULL, REFERENCE("slider-crank-1"), "theta1", "2", 5e-3, 2},
    {PROBLEM("n-four-bar"), "n=2", REFERENCE("n-four-bar"), "theta", "3", 5e-3, 2},
    {TEST_MODEL("n-four-bar-spatial"), "n=2", REFERENCE("n-four-bar"), "theta", "3", 5e-3, 2},
    {PROBLEM("four-bar"), NULL, REFERENCE("four-bar"), "phi", "2", 5e-3, 2},
    {PROBLEM("bricard"), NULL, REFERENCE("bricard"), "x3", "2", 5e-3, 2},
    {PROBLEM("spatial-double-pendulum"), NULL, REFERENCE("spatial-double-pendulum"), "xB", "2",
     5e-3, 2},
    {PROBLEM("pendulum"), NULL, REFERENCE("pendulum"), "x", "2", 5e-3, 2},
};

static double error_at(const problem* p, const char* coordinates, int halvings)
{
    problem_run run;
    char options[96];
    snprintf(options, sizeof options, "coordinates=%s end=%s step=%.17g", coordinates, p->end,
             p->step / (1 << halvings));
    problem_run_all(&run, p->path, p->parameters, options, p->stride << halvings);
    double error = problem_error(&run, p->reference, p->column);
    problem_free(&run);
    return error;
}

static void the_observed_order_is_two(void** state)
{
    (void)state;
    for (size_t k = 0; k < sizeof PROBLEMS / sizeof *PROBLEMS; k++)
        for (int c = 0; c < 2; c++) {
            const problem* p = &PROBLEMS[k];
            double error[3];
            for (int i = 0; i < 3; i++) error[i] = error_at(p, COORDINATES[c], i);
            for (int i = 0; i < 2; i++) {
                double order = log2(error[i] / error[i + 1]);
                if (!(fabs(order - 2) <= 0.2))
                    fail_msg("%s, %s: errors %g, %g with half the step: order %g, wanted 2 +- 0.2",
                             p->path, COORDINATES[c], error[i], error[i + 1], order);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_observed_order_is_two)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
