/* Positions that are no vectors: errors follow the tolerance in no more steps than in other
 * coordinates, positions are on the manifold after every step, and as good between steps. The order
 * of every method in these coordinates as in others: test_convergence.c. */
#include "integrators/integrator.h"
#include "neck_fixture.h"
#include "simulation/simulation.h"
#include "trial_fixture.h"

#define MANIFOLD "increments"

// A tree in space, no two moments of inertia alike.
static const char* const PENDULUM = PROBLEM("spatial-double-pendulum");
static const char* const INERTIA = "Jx=0.2 Jy=0.5 Jz=0.6";
static const char* const RIGHT =
    SARRUS_ROOT "/problems/spatial-double-pendulum/reference-inertia.csv";

/* Largest error at the rows of the reference, one each 10 ms. */
static double error_of(const char* options, sar_trial* trial)
{
    problem_run run;
    sar_result *wanted = NULL, *history = NULL;
    sar_comparison got;
    sar_error error = {0};
    problem_load(&run, PENDULUM, INERTIA);
    each_setting(options, use_option, &run.options);
    CHECK_STATUS(sar_result_read(RIGHT, &wanted, NULL), SAR_OK);
    sar_trial_def def = {.model = run.model, .options = run.options, .max_seconds = 60};
    if (sar_trial_run(&def, trial, &history, &error) != SAR_OK) fail_msg("%s", error.message);
    if (trial->status != SAR_OK) fail_msg("%s: %s", options, trial->failure);
    got = problem_compare_tables(history, wanted, "xB yB zB");
    sar_result_destroy(wanted);
    sar_result_destroy(history);
    problem_free(&run);
    return got.max_error;
}

/* ---- errors --------------------------------------------------------------------------------- */

TEST(errors_follow_the_tolerance)
{
    static const char* const INTEGRATORS[] = {"dopri5", "bdf"};
    static const char* const FORMS[] = {"nullspace", "nullspace project=1", "al1"};
    static const char* const TOLERANCE[] = {"1e-5", "1e-7", "1e-9"};
    if (!has_integrator("dopri5")) return;
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < 3; f++) {
            double error[3];
            for (int k = 0; k < 3; k++) {
                char options[192];
                sar_trial trial, other;
                snprintf(options, sizeof options,
                         "coordinates=" MANIFOLD
                         " formulation=%s integrator=%s end=1 sample=0.01 tolerance=%s",
                         FORMS[f], INTEGRATORS[i], TOLERANCE[k]);
                error[k] = error_of(options, &trial);
                if (!(error[k] < (i == 0 ? 1e2 : 1e4) * atof(TOLERANCE[k])))
                    fail_msg("%s: error %.2e", options, error[k]);
                if (i + f == 0) // the way back to the manifold costs no evaluation
                    CHECK_AT_MOST((double)trial.statistics.iterations,
                                  6.0 * (trial.statistics.steps + trial.statistics.rejected) + 8);
                strcat(options, " coordinates=cartesian"); // the history of bdf is not cut
                error_of(options, &other);
                CHECK_AT_MOST((double)trial.statistics.steps, 1.5 * other.statistics.steps);
                CHECK_AT_MOST((double)trial.statistics.iterations,
                              1.5 * other.statistics.iterations);
            }
            CHECK_AT_MOST(error[1], 0.1 * error[0]);
            CHECK_AT_MOST(error[2], 0.1 * error[1]);
        }
}

/* ---- between steps -------------------------------------------------------------------------- */

/* On a raster twenty times as fine as the steps. */
TEST(values_between_steps_are_as_good_as_at_steps)
{
    static const struct {
        const char *integrator, *tolerance, *name;
        double most;
    } COLUMNS[] = {
        {"dopri5", "1e-9", "xB", 1e-7}, {"dopri5", "1e-9", "vx", 1e-6},
        {"dopri5", "1e-9", "vz", 1e-6}, {"dopri5", "1e-9", "ax", 1e-4},
        {"dopri5", "1e-9", "az", 1e-4}, {"bdf", "1e-9", "xB", 1e-5},
        {"bdf", "1e-9", "vz", 1e-5},    {"bdf", "1e-9", "ax", 1e-4},
    };
    if (!has_integrator("dopri5")) return;
    char* text = problem_text(PROBLEM("spatial-double-pendulum"));
    CHECK(problem_replace(&text, "  xB: ",
                          "  vx: B.center.vx\n  vz: B.center.vz\n"
                          "  ax: B.center.ax\n  az: B.center.az\n  xB: ") == 1);
    sar_result* fine = history_of(text, "coordinates=cartesian formulation=nullspace project=1 "
                                        "integrator=dopri5 tolerance=1e-13 end=0.5 sample=1e-3");
    for (size_t c = 0; c < sizeof COLUMNS / sizeof *COLUMNS; c++) {
        char options[192];
        snprintf(options, sizeof options,
                 "coordinates=" MANIFOLD " formulation=nullspace project=1 integrator=%s "
                 "tolerance=%s end=0.5 sample=1e-3",
                 COLUMNS[c].integrator, COLUMNS[c].tolerance);
        sar_result* coarse = history_of(text, options);
        CHECK(sar_result_rows(coarse) == 501 && sar_result_rows(fine) == 501);
        const double* x = sar_result_column(coarse, sar_result_find(coarse, COLUMNS[c].name));
        const double* y = sar_result_column(fine, sar_result_find(fine, COLUMNS[c].name));
        double most = 0.0, scale = 1.0;
        for (int r = 0; r < 501; r++) {
            most = fmax(most, fabs(x[r] - y[r]));
            scale = fmax(scale, fabs(y[r]));
        }
        if (!(most < COLUMNS[c].most * scale))
            fail_msg("%s, %s: off by %.2e of %.2e between steps", COLUMNS[c].integrator,
                     COLUMNS[c].name, most, scale);
        sar_result_destroy(coarse);
    }
    sar_result_destroy(fine);
    free(text);
}

/* ---- the manifold --------------------------------------------------------------------------- */

// No two moments of inertia alike, turning near the middle axis, where it tumbles.
static const char TUMBLING[] =
    "sarrus: 1\n"
    "name: tumbling body\n"
    "dimension: 3\n"
    "bodies:\n"
    "  body: {mass: 2, inertia: [0.3, 0.5, 0.6, 0.05, -0.04, 0.02], position: [0, 0, 0],\n"
    "         velocity: [1, 2, 0], angular_velocity: [0.4, 5, -0.3]}\n";

/* Twenty seconds, some sixteen turns: the quaternion is a unit one after every step, and energy is
 * kept as well as the method can. */
TEST(steps_end_on_the_manifold)
{
    static const struct {
        const char* method;
        double drift; ///< of the energy, relative
    } METHODS[] = {
        {"formulation=nullspace integrator=euler step=1e-4 end=2", 0.1},
        {"formulation=nullspace integrator=semi-implicit-euler step=1e-4 end=2", 0.1},
        {"formulation=al1 integrator=rk4 step=1e-2", 1e-5},
        {"formulation=hamiltonian integrator=rk4 step=1e-2", 1e-5},
        {"formulation=nullspace integrator=trapezoidal-fixed-point step=1e-3", 1e-4},
        {"formulation=penalty integrator=trapezoidal step=1e-3", 1e-4},
        {"formulation=nullspace integrator=dopri5 tolerance=1e-6", 1e-4},
        {"formulation=nullspace integrator=bdf tolerance=1e-6", 1e-2},
        {"formulation=al1 integrator=bdf tolerance=1e-6", 1e-2},
    };
    for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; k++) {
        problem_run run;
        char options[160];
        if (strstr(METHODS[k].method, "tolerance") && !has_integrator("dopri5")) continue;
        problem_parse(&run, TUMBLING);
        snprintf(options, sizeof options, "coordinates=" MANIFOLD " end=20 %s", METHODS[k].method);
        problem_create(&run, options);
        CHECK_STATUS(sar_simulation_assemble(run.simulation, NULL), SAR_OK);
        const double* e = run.simulation->state.q + 3;
        const double E0 = sar_simulation_energy(run.simulation).kinetic;
        while (!sar_simulation_done(run.simulation)) {
            CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
            CHECK_AT_MOST(fabs(dot(e, e, 4) - 1.0), 1e-14);
        }
        double drift = fabs(sar_simulation_energy(run.simulation).kinetic / E0 - 1.0);
        if (!(drift < METHODS[k].drift)) fail_msg("%s: drift %.1e", METHODS[k].method, drift);
        problem_free(&run);
    }
}
