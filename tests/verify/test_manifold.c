/* Positions that are no vectors (`increments`, and `relative` with ball joints) with every
 * formulation and integrator: as close to the reference as other coordinates, of the same order, on
 * the manifold after every step, and as good between steps. */
#include "integrators/integrator.h"
#include "neck_fixture.h"
#include "simulation/simulation.h"
#include "trial_fixture.h"

#define MANIFOLD "increments"
static const char* const MANIFOLDS[] = {MANIFOLD, "relative"};

typedef struct scene {
    const char *path, *parameters, *reference;
    const char* names[3]; ///< of what is compared
} scene;

// A tree without redundant equations, and loops with some; all bodies turn in space.
static const scene SCENES[] = {
    {PROBLEM("spatial-double-pendulum"),
     "Jx=0.2 Jy=0.5 Jz=0.6",
     SARRUS_ROOT "/problems/spatial-double-pendulum/reference-inertia.csv",
     {"xB", "yB", "zB"}},
    {PROBLEM("bricard"), NULL, REFERENCE("bricard"), {"x3", "y3", "z3"}},
    {PROBLEM("four-bar"), NULL, REFERENCE("four-bar"), {"phi", "xA", "yA"}},
};
enum { SCENE_COUNT = sizeof SCENES / sizeof *SCENES };

/* Largest error at the rows of the reference, one each 10 ms. */
static double error_of(const scene* s, const char* options, sar_trial* trial)
{
    problem_run run;
    sar_result *wanted = NULL, *history = NULL;
    sar_comparison got = {0};
    sar_error error = {0};
    problem_load(&run, s->path, s->parameters);
    each_setting(options, use_option, &run.options);
    CHECK_STATUS(sar_result_read(s->reference, &wanted, NULL), SAR_OK);
    sar_trial_def def = {.model = run.model, .options = run.options, .most_seconds = 60};
    if (sar_trial_run(&def, trial, &history, &error) != SAR_OK) fail_msg("%s", error.message);
    if (trial->status != SAR_OK) fail_msg("%s, %s: %s", s->path, options, trial->failure);
    sar_comparison_def metric = {.names = (const char**)(uintptr_t)s->names, .count = 3};
    if (sar_result_compare(history, wanted, &metric, &got, NULL, &error) != SAR_OK)
        fail_msg("%s, %s: %s", s->path, options, error.message);
    sar_result_destroy(wanted);
    sar_result_destroy(history);
    problem_free(&run);
    return got.max_error;
}

/* ---- every combination ---------------------------------------------------------------------- */

static double error_with(const scene* s, const char* coordinates, const char* form,
                         const sari_integrator_ops* integrator)
{
    char options[192];
    sar_trial trial;
    snprintf(options, sizeof options,
             "coordinates=%s formulation=%s integrator=%s end=%s sample=0.01 step=%s%s",
             coordinates, form, integrator->name, IN_FULL_OR_SANITIZED("0.5", "0.05"),
             integrator->order == 1 ? "1e-4" : "1e-3",
             integrator->variable ? " tolerance=1e-8" : "");
    return error_of(s, options, &trial);
}

static void check_combination(const char* form, const sari_integrator_ops* integrator)
{
    for (int k = 0; k < SCENE_COUNT; k++) {
        const scene* s = &SCENES[k];
        double others = 0.0;
        for (int c = 0; c < 2; c++)
            others = fmax(others, error_with(s, COORDINATES[c], form, integrator));
        double most = integrator->order == 1 ? 1e-2 : integrator->order == 2 ? 2e-4 : 2e-5;
        for (int c = 0; c < 2; c++) {
            double own = error_with(s, MANIFOLDS[c], form, integrator);
            // joint coordinates have errors of their own size
            if (!(own < fmax((c ? 10.0 : 3.0) * others, IN_FULL_OR_SANITIZED(1e-8, 1e-6)) &&
                  own < most))
                fail_msg("%s, %s, %s, %s: error %.2e, in other coordinates %.2e", s->path,
                         MANIFOLDS[c], form, integrator->name, own, others);
        }
    }
}

static void every_combination_agrees_with_the_reference(void** state)
{
    (void)state;
    int found = 0;
    for (int f = 0; sari_formulations[f]; f++)
        for (int i = 0; sari_integrators[i]; i++) {
            const char *form = sari_formulations[f]->name, *name = sari_integrators[i]->name;
            const char* why = sar_methods_conflict(COORDINATES[1], form, name, "auto");
            for (int c = 0; c < 2; c++) {
                const char* here = sar_methods_conflict(MANIFOLDS[c], form, name, "auto");
                if (!here != !why) fail_msg("%s, %s: %s", form, name, here ? here : why);
            }
            if (why) continue;
            check_combination(form, sari_integrators[i]);
            found++;
        }
    CHECK(found >= (has_integrator("dopri5") ? 30 : 22));
}

/* ---- orders --------------------------------------------------------------------------------- */

/* Distance from the reference at t = 0.5 s. */
static double error_at_step(const char* coordinates, const char* form, const char* integrator,
                            const char* stabilised, double step)
{
    enum { ROW = 50 }; ///< of the reference, one each 10 ms
    const scene* s = &SCENES[0];
    problem_run run;
    sar_result* wanted = NULL;
    char options[192];
    double square = 0.0;
    snprintf(options, sizeof options,
             "coordinates=%s formulation=%s integrator=%s end=0.5 step=%.17g%s", coordinates, form,
             integrator, step, stabilised);
    problem_run_all(&run, s->path, s->parameters, options, 1);
    CHECK_STATUS(sar_result_read(s->reference, &wanted, NULL), SAR_OK);
    CHECK_NEAR(sar_result_time(wanted)[ROW], 0.5, 1e-12);
    for (int k = 0; k < 3; k++) {
        const double* reference = sar_result_column(wanted, sar_result_find(wanted, s->names[k]));
        double off = problem_column(&run, s->names[k])[run.table.rows - 1] - reference[ROW];
        square += off * off;
    }
    sar_result_destroy(wanted);
    problem_free(&run);
    return sqrt(square);
}

/* The stabilised formulations with rates of high order: without projections, and with a
 * stabilisation that explicit steps can follow. */
static void every_integrator_has_its_order(void** state)
{
    (void)state;
    for (int f = 0; sari_formulations[f]; f++)
        for (int i = 0; sari_integrators[i]; i++) {
            const sari_integrator_ops* integrator = sari_integrators[i];
            const sari_formulation_ops* form = sari_formulations[f];
            int order = integrator == &sari_integrator_newmark ? 2 : integrator->order;
            if (integrator->variable || order < IN_FULL_OR_SANITIZED(1, 2) ||
                sar_methods_conflict(MANIFOLD, form->name, integrator->name, "auto"))
                continue;
            const char* stabilised = form->capabilities & SARI_FORM_MOMENTA ? " omega=0.1 xi=100"
                                     : form->capabilities & SARI_FORM_OWN_ALGEBRA ? ""
                                     : order > 2                                  ? " omega=10 xi=1"
                                                                                  : "";
            double step = order == 1 ? 2.5e-4 : order == 2 ? 2.5e-3 : 2.5e-2;
            for (int c = 0; c < 2; c++) {
                double a =
                    error_at_step(MANIFOLDS[c], form->name, integrator->name, stabilised, step);
                double b = error_at_step(MANIFOLDS[c], form->name, integrator->name, stabilised,
                                         0.5 * step);
                if (!(fabs(log2(a / b) - order) <= 0.25))
                    fail_msg("%s, %s, %s: errors %g, %g with half the step: order %g, wanted %d",
                             MANIFOLDS[c], form->name, integrator->name, a, b, log2(a / b), order);
            }
        }
}

static void errors_follow_the_tolerance(void** state)
{
    (void)state;
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
                error[k] = error_of(&SCENES[0], options, &trial);
                if (!(error[k] < (i == 0 ? 1e2 : 1e4) * atof(TOLERANCE[k])))
                    fail_msg("%s: error %.2e", options, error[k]);
                if (i + f == 0) // the way back to the manifold costs no evaluation
                    CHECK_AT_MOST((double)trial.statistics.iterations,
                                  6.0 * (trial.statistics.steps + trial.statistics.rejected) + 8);
                strcat(options, " coordinates=cartesian"); // the history of bdf is not cut
                error_of(&SCENES[0], options, &other);
                CHECK_AT_MOST((double)trial.statistics.steps, 1.5 * other.statistics.steps);
                CHECK_AT_MOST((double)trial.statistics.iterations,
                              1.5 * other.statistics.iterations);
            }
            CHECK_AT_MOST(error[1], 0.1 * error[0]);
            CHECK_AT_MOST(error[2], 0.1 * error[1]);
        }
}

/* ---- between steps -------------------------------------------------------------------------- */

static sar_result* history_of(const char* text, const char* options)
{
    problem_run run;
    sar_trial got;
    sar_result* table = NULL;
    sar_error error = {0};
    problem_parse(&run, text);
    each_setting(options, use_option, &run.options);
    sar_trial_def def = {.model = run.model, .options = run.options};
    CHECK_STATUS(sar_trial_run(&def, &got, &table, &error), SAR_OK);
    if (got.status != SAR_OK) fail_msg("%s: %s", options, got.failure);
    problem_free(&run);
    return table;
}

/* On a raster twenty times as fine as the steps. */
static void values_between_steps_are_as_good_as_at_steps(void** state)
{
    (void)state;
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
static void steps_end_on_the_manifold(void** state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination_agrees_with_the_reference),
        cmocka_unit_test(every_integrator_has_its_order),
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(values_between_steps_are_as_good_as_at_steps),
        cmocka_unit_test(steps_end_on_the_manifold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
