/* Every integrator with every formulation and coordinate type has its order on a smooth motion; the
 * trapezoidal rule has it through singular positions and with redundant equations too. */
#include "integrators/integrator.h"
#include "problem_run.h"

typedef struct problem {
    const char *path, *parameters, *reference, *column, *end;
    double
        step;   ///< the largest; a divisor of the reference's 10 ms, so that no row is interpolated
    int stride; ///< steps per row of the reference
} problem;

#define CHAIN(n) SARRUS_ROOT "/problems/chain/reference-n" n ".csv"

// The first five pass singular positions within `end`; the four-bar, the twins in space and the
// ladder have redundant equations.
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
    {PROBLEM("spatial-double-pendulum"), "Jx=0.2 Jy=0.5 Jz=0.6",
     SARRUS_ROOT "/problems/spatial-double-pendulum/reference-inertia.csv", "xB", "2", 5e-3, 2},
    {PROBLEM("chain"), "n=2", CHAIN("2"), "x_last", "2", 5e-3, 2},
    {PROBLEM("chain"), "n=4", CHAIN("4"), "x_last", "2", 5e-3, 2},
    {PROBLEM("chain"), "n=8", CHAIN("8"), "x_last", "1.5", 2.5e-3, 4},
    {PROBLEM("chain"), "n=16", CHAIN("16"), "x_last", "2", 2.5e-3, 4},
    {PROBLEM("ladder"), NULL, REFERENCE("ladder"), "x_last", "2", 5e-3, 2},
    {PROBLEM("tree"), NULL, REFERENCE("tree"), "z_last", "2", 5e-3, 2},
    {PROBLEM("n-four-bar"), "lean=pi/4 speed=0",
     SARRUS_ROOT "/problems/n-four-bar/reference-rest.csv", "theta", "3", 5e-3, 2},
    {PROBLEM("flyball-governor"), "rigid=1",
     SARRUS_ROOT "/problems/flyball-governor/reference-rigid.csv", "s", "2", 5e-3, 2},
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
        for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++) {
            const problem* p = &PROBLEMS[k];
            const char* coordinates = axis_member(SAR_AXIS_COORDINATES, c);
            if (IN_FULL_OR_SANITIZED(0, c != (int)k % 4)) continue; // they take turns
            double error[3];
            for (int i = 0; i < 3; i++) error[i] = error_at(p, coordinates, i);
            for (int i = 0; i < 2; i++) {
                double order = log2(error[i] / error[i + 1]);
                if (!(fabs(order - 2) <= 0.2))
                    fail_msg("%s, %s: errors %g, %g with half the step: order %g, wanted 2 +- 0.2",
                             p->path, coordinates, error[i], error[i + 1], order);
            }
        }
}

/* ---- all members ---------------------------------------------------------------------------- */

/* Steps where neither the next term of the error shows, nor rounding and what a finite penalty
 * leaves. */
static double first_step(int order)
{
    return order == 1 ? 1e-3 : order == 2 ? 5e-3 : 2.5e-2;
}

/* Distance from the reference at t = 1.5 s. */
static double pendulum_error(const char* coordinates, const sari_formulation_ops* form,
                             const sari_integrator_ops* integrator, double step)
{
    enum { ROW = 150 }; ///< of the reference, one each 10 ms
    problem_run run;
    sar_result* wanted = NULL;
    char options[160];
    // Momenta: a stabilisation that an explicit step of 25 ms can follow. High orders: without
    // projections, whose errors are small by chance at such steps.
    const char* stabilised = form->capabilities & SARI_FORM_MOMENTA       ? " omega=0.1 xi=100"
                             : form->capabilities & SARI_FORM_OWN_ALGEBRA ? ""
                             : integrator->order > 2                      ? " omega=10 xi=1"
                                                                          : "";
    snprintf(options, sizeof options,
             "coordinates=%s formulation=%s integrator=%s end=1.5 step=%.17g violation=1%s",
             coordinates, form->name, integrator->name, step, stabilised);
    problem_run_all(&run, PROBLEM("pendulum"), NULL, options, 1);
    CHECK_STATUS(sar_result_read(REFERENCE("pendulum"), &wanted, NULL), SAR_OK);
    CHECK_NEAR(sar_result_time(wanted)[ROW], 1.5, 1e-12);
    double square = 0.0;
    for (int k = 0; k < 2; k++) {
        const char* name = k ? "y" : "x";
        const double* reference = sar_result_column(wanted, sar_result_find(wanted, name));
        double off = problem_column(&run, name)[run.table.rows - 1] - reference[ROW];
        square += off * off;
    }
    sar_result_destroy(wanted);
    problem_free(&run);
    return sqrt(square);
}

static void every_integrator_has_its_order(void** state)
{
    (void)state;
    int found = 0;
    for (int f = 0; sari_formulations[f]; f++)
        for (int i = 0; sari_integrators[i]; i++)
            for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++) {
                const char* coordinates = axis_member(SAR_AXIS_COORDINATES, c);
                if (IN_FULL_OR_SANITIZED(0, c != (f + i) % 4)) continue;
                const sari_integrator_ops* integrator = sari_integrators[i];
                int order = integrator == &sari_integrator_newmark ? 2 : integrator->order;
                if (integrator->variable ||
                    sar_methods_conflict(coordinates, sari_formulations[f]->name, integrator->name,
                                         "auto"))
                    continue;
                double error[2];
                for (int k = 0; k < 2; k++)
                    error[k] = pendulum_error(coordinates, sari_formulations[f], integrator,
                                              first_step(order) / (1 << k));
                double observed = log2(error[0] / error[1]);
                if (!(fabs(observed - order) <= 0.2))
                    fail_msg("%s %s %s: errors %g, %g with half the step: order %g, wanted %d",
                             coordinates, sari_formulations[f]->name, integrator->name, error[0],
                             error[1], observed, order);
                found++;
            }
    CHECK(found >= 20);
}

/* ---- stiff forces --------------------------------------------------------------------------- */

/* Largest error of the height within 2 s, with steps of 5 ms or a quarter of it. */
static double governor_error(const char* coordinates, const sari_formulation_ops* form, int quarter)
{
    problem_run run;
    char options[160];
    const char* stabilised = form->capabilities & SARI_FORM_MOMENTA ? " omega=1 xi=1e4"
                             : form->capabilities & SARI_FORM_RATES ? " omega=100 xi=1 alpha=1e9"
                                                                    : "";
    snprintf(options, sizeof options,
             "coordinates=%s formulation=%s integrator=trapezoidal end=2 step=%s%s", coordinates,
             form->name, quarter ? "1.25e-3" : "5e-3",
             form->capabilities & SARI_FORM_OWN_ALGEBRA ? "" : stabilised);
    problem_run_all(&run, PROBLEM("flyball-governor"), NULL, options, quarter ? 8 : 2);
    CHECK(run.statistics.not_converged == 0);
    double error = problem_error(&run, REFERENCE("flyball-governor"), "s");
    problem_free(&run);
    return error;
}

/* Its dampers decay at 8117 1/s: steps of 5 ms are 40 times too long for a tangent without their K
 * and C. */
static void stiff_springs_allow_steps_of_milliseconds(void** state)
{
    (void)state;
    for (int f = 0; sari_formulations[f]; f++)
        for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++) {
            const char* coordinates = axis_member(SAR_AXIS_COORDINATES, c);
            const sari_formulation_ops* form = sari_formulations[f];
            if (IN_FULL_OR_SANITIZED(0, c != f % 4)) continue; // they take turns
            if (sar_methods_conflict(coordinates, form->name, "trapezoidal", "auto")) continue;
            double whole = governor_error(coordinates, form, 0);
            double quarter = governor_error(coordinates, form, 1);
            double order = log2(whole / quarter) / 2;
            if (!(whole <= 5e-4) || !(fabs(order - 2) <= 0.2))
                fail_msg("%s, %s: errors %g, %g with a quarter of the step: order %g", form->name,
                         coordinates, whole, quarter, order);
        }
}

/* ---- conditions on velocities --------------------------------------------------------------- */

static double disc_error(const char* coordinates, const char* formulation, int quarter)
{
    problem_run run;
    char options[160];
    // what an iteration leaves over is never taken back here, and adds up
    snprintf(options, sizeof options,
             "coordinates=%s formulation=%s end=4 newton_tolerance=1e-12 step=%s", coordinates,
             formulation, quarter ? "1.25e-3" : "5e-3");
    problem_run_all(&run, PROBLEM("rolling-disc"), NULL, options, quarter ? 8 : 2);
    double error = problem_error(&run, REFERENCE("rolling-disc"), "x_mark");
    problem_free(&run);
    return error;
}

static void rolling_has_order_two(void** state)
{
    (void)state;
    static const char* const formulations[] = {"al3", "al1", "nullspace"};
    for (int f = 0; f < 3; f++)
        for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++) {
            const char* coordinates = axis_member(SAR_AXIS_COORDINATES, c);
            double whole = disc_error(coordinates, formulations[f], 0);
            double quarter = disc_error(coordinates, formulations[f], 1);
            double order = log2(whole / quarter) / 2;
            if (!(whole <= 2e-3) || !(fabs(order - 2) <= 0.2))
                fail_msg("%s, %s: errors %g, %g with a quarter of the step: order %g",
                         formulations[f], coordinates, whole, quarter, order);
        }
}

/* ---- the work of drives --------------------------------------------------------------------- */

static const char* const ROTOR =
    "sarrus: 1\nname: rotor\ndimension: 2\n"
    "bodies: {rotor: {mass: 1, inertia: 1, center: [0.5, 0], points: {a: [0, 0]}}}\n"
    "joints: {hinge: {type: revolute, between: [ground.origin, rotor.a]}}\n"
    "drives: {motor: {joint: hinge, coordinate: angle, value: 3*sin(5*t)}}\n"
    "outputs: {angle: hinge.angle}\n";

static double drift_of_rotor(const char* coordinates, double step)
{
    problem_run run;
    char options[96];
    snprintf(options, sizeof options, "coordinates=%s end=2 step=%g", coordinates, step);
    problem_parse(&run, ROTOR);
    problem_create(&run, options);
    CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
    problem_steps(&run, 1);
    CHECK_STATUS(run.status, SAR_OK);
    double drift = run.statistics.energy_max_drift;
    problem_free(&run);
    return drift;
}

/* Kinetic energy is 140 J at most; the motor gives and takes it ten times. */
static void drives_do_the_work_that_is_needed(void** state)
{
    (void)state;
    static const char* const TYPES[] = {"natural", "cartesian", "increments", "relative"};
    for (int c = 0; c < 4; c++) {
        double coarse = drift_of_rotor(TYPES[c], 0.01), fine = drift_of_rotor(TYPES[c], 0.005);
        if (!(coarse < 0.2 && fabs(log2(coarse / fine) - 2.0) < 0.2))
            fail_msg("%s: the energy balance is off by %g J, %g J with half the step", TYPES[c],
                     coarse, fine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_observed_order_is_two),
                                       cmocka_unit_test(every_integrator_has_its_order),
                                       cmocka_unit_test(stiff_springs_allow_steps_of_milliseconds),
                                       cmocka_unit_test(rolling_has_order_two),
                                       cmocka_unit_test(drives_do_the_work_that_is_needed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
