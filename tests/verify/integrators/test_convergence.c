/* Every integrator with every formulation and coordinate type has its order, or follows its
 * tolerance; so do stiff forces, conditions on velocities and the work of drives. The trapezoidal
 * rule on all problems: test_references.c. */
#include "integrators/integrator.h"
#include "problem_run.h"

/* ---- all members ---------------------------------------------------------------------------- */

typedef struct scene {
    const char *path, *parameters, *reference;
    const char* names[3]; ///< of what is compared; NULL behind the last
    double end;           ///< [s], here
} scene;

// In the plane; a tree in space, with three different moments of inertia; loops in space with
// redundant equations.
static const scene SCENES[] = {
    {PROBLEM("pendulum"), NULL, REFERENCE("pendulum"), {"x", "y"}, 1.5},
    {PROBLEM("spatial-double-pendulum"),
     "Jx=0.2 Jy=0.5 Jz=0.6",
     SARRUS_ROOT "/problems/spatial-double-pendulum/reference-inertia.csv",
     {"xB", "yB", "zB"},
     0.5},
    {PROBLEM("four-bar"), NULL, REFERENCE("four-bar"), {"phi", "xA", "yA"}, 0.5},
};
enum { SCENE_COUNT = sizeof SCENES / sizeof *SCENES };

/* Distance from the reference at the end. */
static double distance(const problem_run* run, const scene* s)
{
    const int row = (int)lround(s->end / 0.01); // of the reference, one each 10 ms
    sar_result* wanted = NULL;
    double square = 0.0;
    CHECK_STATUS(sar_result_read(s->reference, &wanted, NULL), SAR_OK);
    CHECK_NEAR(sar_result_time(wanted)[row], s->end, 1e-12);
    for (int k = 0; k < 3 && s->names[k]; k++) {
        const double* reference = sar_result_column(wanted, sar_result_find(wanted, s->names[k]));
        double off = problem_column(run, s->names[k])[run->table.rows - 1] - reference[row];
        square += off * off;
    }
    sar_result_destroy(wanted);
    return sqrt(square);
}

typedef struct method {
    const char* coordinates;
    const sari_formulation_ops* form;
    const sari_integrator_ops* integrator;
} method;

/* Momenta: a stabilisation that an explicit step of 25 ms can follow. High orders: without
 * projections, whose errors are small by chance at such steps. */
static const char* stabilisation(const method* m)
{
    if (sari_formulation_can(m->form, SARI_FORM_MOMENTA)) return " omega=0.1 xi=100";
    if (sari_formulation_can(m->form, SARI_FORM_OWN_ALGEBRA)) return "";
    return m->integrator->order > 2 && !m->integrator->variable ? " omega=10 xi=1" : "";
}

static double error_with(const method* m, const scene* s, const char* option, double value)
{
    problem_run run;
    char options[192];
    snprintf(options, sizeof options,
             "coordinates=%s formulation=%s integrator=%s end=%.17g %s=%.17g violation=1%s",
             m->coordinates, m->form->name, m->integrator->name, s->end, option, value,
             stabilisation(m));
    problem_load(&run, s->path, s->parameters);
    problem_create(&run, options);
    CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
    problem_steps(&run, 1 << 20); // the end alone
    if (run.status != SAR_OK)
        fail_msg("%s (%s): %s", s->path, options, sar_simulation_failure(run.simulation));
    double error = distance(&run, s);
    problem_free(&run);
    return error;
}

/* Steps where neither the next term of the error shows, nor rounding and what a finite penalty
 * leaves. */
static double first_step(int order)
{
    return order == 1 ? 1e-3 : order == 2 ? 2.5e-3 : 2.5e-2;
}

static void check_order(const method* m, const scene* s)
{
    const int order = m->integrator == &sari_integrator_newmark ? 2 : m->integrator->order;
    const double step = first_step(order);
    const double whole = error_with(m, s, "step", step);
    const double half = error_with(m, s, "step", 0.5 * step);
    if (!(fabs(log2(whole / half) - order) <= 0.2))
        fail_msg("%s, %s %s %s: errors %g, %g with half the step: order %g, wanted %d", s->path,
                 m->coordinates, m->form->name, m->integrator->name, whole, half,
                 log2(whole / half), order);
}

/* A hundredth of the tolerance: an error proportional to it would fall a hundredfold, one of a rule
 * of order two with a local error of that size 21-fold. Errors of single runs are as good as by
 * chance: five. */
static void check_tolerance(const method* m, const scene* s)
{
    const double penalty = 1e-7; // what a finite one leaves
    const double rough = error_with(m, s, "tolerance", 1e-6);
    const double fine = error_with(m, s, "tolerance", 1e-8);
    if (!(fine <= fmax(0.2 * rough, penalty)))
        fail_msg("%s, %s %s %s: errors %g, %g with a hundredth of the tolerance", s->path,
                 m->coordinates, m->form->name, m->integrator->name, rough, fine);
}

TEST(every_integrator_has_its_order)
{
    int found = 0;
    for (int f = 0; sari_formulations[f]; f++)
        for (int i = 0; sari_integrators[i]; i++)
            for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++) {
                const method m = {axis_member(SAR_AXIS_COORDINATES, c), sari_formulations[f],
                                  sari_integrators[i]};
                if (!IN_FULL_OR_TURN(c, f + i)) continue;
                if (sar_methods_conflict(m.coordinates, m.form->name, m.integrator->name, "auto"))
                    continue;
                for (int k = IN_FULL_OR_SAMPLE(0, (f + i) % SCENE_COUNT); k < SCENE_COUNT;
                     k += IN_FULL_OR_SAMPLE(1, SCENE_COUNT))
                    (m.integrator->variable ? check_tolerance : check_order)(&m, &SCENES[k]);
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
                             : form->rates                          ? " omega=100 xi=1 alpha=1e9"
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
TEST(stiff_springs_allow_steps_of_milliseconds)
{
    for (int f = 0; sari_formulations[f]; f++)
        for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++) {
            const char* coordinates = axis_member(SAR_AXIS_COORDINATES, c);
            const sari_formulation_ops* form = sari_formulations[f];
            if (!IN_FULL_OR_TURN(c, f)) continue;
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

TEST(rolling_has_order_two)
{
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
TEST(drives_do_the_work_that_is_needed)
{
    const char* type;
    for (int c = 0; (type = axis_member(SAR_AXIS_COORDINATES, c)); c++) {
        double coarse = drift_of_rotor(type, 0.01), fine = drift_of_rotor(type, 0.005);
        if (!(coarse < 0.2 && fabs(log2(coarse / fine) - 2.0) < 0.2))
            fail_msg("%s: the energy balance is off by %g J, %g J with half the step", type, coarse,
                     fine);
    }
}
