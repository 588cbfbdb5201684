/* Stiff forces with the chart: radau, and dop853-radau which finds out by itself, against references; and
 * what is not stiff costs what it does with dop853. */
#include "trial_fixture.h"

static sar_trial try_with(const char* problem, const char* integrator, const char* coordinates,
                          double tolerance)
{
    char options[256], path[256], reference[256];
    snprintf(options, sizeof options,
             "sample=0.01 formulation=chart coordinates=%s integrator=%s tolerance=%g monitor=0",
             coordinates, integrator, tolerance);
    snprintf(path, sizeof path, SARRUS_ROOT "/problems/%s/model.yaml", problem);
    snprintf(reference, sizeof reference, SARRUS_ROOT "/problems/%s/reference.csv", problem);
    sar_trial got = try_options(path, reference, NULL, 0, options, NULL);
    if (got.status != SAR_OK) fail_msg("%s, %s: %s", problem, options, got.failure);
    return got;
}

/// From a tolerance to the next. Sanitized: every other one.
#define FINER IN_FULL_OR_SAMPLE(1e-2, 1e-4)

static void check_error(const sar_trial* got, const char* problem, const char* integrator,
                        double tolerance, double most)
{
    if (!(got->error <= most * tolerance))
        fail_msg("%s, %s: error %.2e with tolerance %g", problem, integrator, got->error,
                 tolerance);
}

/* Its fastest part decays at 8117 1/s. dop853 takes 98 000 evaluations and more. */
TEST(the_governor_is_found_to_be_stiff)
{
    static const char* const COORDINATES_TRIED[] = {"relative", "natural"};
    for (int k = 0; k < 2; k++)
        for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= FINER) {
            const sar_trial alone =
                try_with("flyball-governor", "radau", COORDINATES_TRIED[k], tolerance);
            const sar_trial both =
                try_with("flyball-governor", "dop853-radau", COORDINATES_TRIED[k], tolerance);
            check_error(&alone, "flyball-governor", "radau", tolerance, 1.0);
            check_error(&both, "flyball-governor", "dop853-radau", tolerance, 1.0);
            CHECK_AT_MOST(alone.statistics.iterations, 30000);
            CHECK_AT_MOST(both.statistics.iterations, 1.5 * alone.statistics.iterations);
        }
}

/* A hundred times as stiff, 8e5 1/s: nearly the governor with rods, from which couplers that stretch by 5e-6
 * make it differ. */
TEST(as_stiff_as_rods)
{
    sar_result* reference = NULL;
    CHECK_STATUS(sar_result_read(SARRUS_ROOT "/problems/flyball-governor/reference-rigid.csv",
                                 &reference, NULL),
                 SAR_OK);
    for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= FINER) {
        problem_run run;
        sar_trial got;
        sar_error error = {0};
        char value[32];
        problem_load(&run, PROBLEM("flyball-governor"), "k=8e7 c=4e6");
        snprintf(value, sizeof value, "%g", tolerance);
        each_setting("sample=0.01 formulation=chart coordinates=relative monitor=0 "
                     "integrator=dop853-radau",
                     use_option, &run.options);
        use_option(&run.options, "tolerance", value);
        sar_trial_def def = {.model = run.model, .options = run.options, .reference = reference};
        CHECK_STATUS(sar_trial_run(&def, &got, NULL, &error), SAR_OK);
        if (got.status != SAR_OK) fail_msg("%s", got.failure);
        CHECK_AT_MOST(got.error, 1e-5);
        CHECK_AT_MOST(got.statistics.iterations, 50000);
        problem_free(&run);
    }
    sar_result_destroy(reference);
}

/* A breakpoint, a tyre, a stop, and a damper in three pieces: errors scatter, by where steps meet the corners of
 * these forces. */
TEST(suspension)
{
    for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= FINER) {
        const sar_trial explicit = try_with("iltis-suspension", "dop853", "relative", tolerance);
        const sar_trial alone = try_with("iltis-suspension", "radau", "relative", tolerance);
        const sar_trial both = try_with("iltis-suspension", "dop853-radau", "relative", tolerance);
        check_error(&alone, "iltis-suspension", "radau", tolerance, 1000.0);
        check_error(&both, "iltis-suspension", "dop853-radau", tolerance, 1000.0);
        CHECK_AT_MOST(both.statistics.iterations,
                      1.5 * fmin(explicit.statistics.iterations, alone.statistics.iterations));
    }
}

/* Through singular configurations with implicit steps. */
TEST(radau_goes_through_singular_configurations)
{
    static const char* const PROBLEMS[] = {"slider-crank-1", "n-four-bar"};
    static const char* const COORDINATES_TRIED[] = {"relative", "natural"};
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 2; k++)
            for (double tolerance = 1e-6; tolerance > 1e-11; tolerance *= FINER) {
                const sar_trial got =
                    try_with(PROBLEMS[p], "radau", COORDINATES_TRIED[k], tolerance);
                check_error(&got, PROBLEMS[p], "radau", tolerance, 100.0);
            }
}

/* The looks at the Jacobian change nothing, and evaluate no rates. */
TEST(what_is_not_stiff_goes_as_with_dop853)
{
    static const char* const PROBLEMS[] = {
        "slider-crank-1", "slider-crank-2", "n-four-bar",   "bricard",
        "andrews",        "pendulum",       "rolling-disc", "spatial-double-pendulum"};
    for (size_t p = 0; p < sizeof PROBLEMS / sizeof *PROBLEMS; p++)
        for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 1e-4) {
            const sar_trial alone = try_with(PROBLEMS[p], "dop853", "relative", tolerance);
            const sar_trial both = try_with(PROBLEMS[p], "dop853-radau", "relative", tolerance);
            if (alone.statistics.iterations != both.statistics.iterations ||
                alone.error != both.error)
                fail_msg("%s, tolerance %g: %ld evaluations and error %.3e, dop853 alone %ld and "
                         "%.3e",
                         PROBLEMS[p], tolerance, (long)both.statistics.iterations, both.error,
                         (long)alone.statistics.iterations, alone.error);
        }
}

/* Formulations with rates have no Jacobian of their own: differences. */
TEST(radau_drives_rates)
{
    static const char* const METHODS[] = {"formulation=nullspace coordinates=cartesian",
                                          "formulation=al1 coordinates=relative",
                                          "formulation=hamiltonian coordinates=natural"};
    for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; k++) {
        char options[256];
        snprintf(options, sizeof options, "sample=0.01 integrator=radau tolerance=1e-9 %s",
                 METHODS[k]);
        sar_trial got =
            try_options(PROBLEM("pendulum"), REFERENCE("pendulum"), NULL, 0, options, NULL);
        if (got.status != SAR_OK) fail_msg("%s: %s", options, got.failure);
        if (!(got.error < 1e-6)) fail_msg("%s: error %.2e", options, got.error);
    }
}
