/* Singular positions that a drawing misses by its digits: the branches that cross on paper do not
 * meet, and the motion would turn sharply from one into the other. Within the precision of the
 * drawing the motion is that of the exact one. */
#include "problem_run.h"

/* A parallelogram of length `size`, its ground too long by a part of that; falls and passes its
 * flat positions. */
static const char PARALLELOGRAM[] =
    "sarrus: 1\nname: parallelogram\ndimension: 2\nparameters: {size: %g, off: %g}\n"
    "gravity: [0, -9.81*size]\nground: {points: {A: [0, 0], D: [size*(1+off), 0]}}\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: 0.1*size^2, points: {A: [-size/4, 0], B: [size/4, 0]},"
    " position: [0, size/4], angle: pi/2, angular_velocity: -3, velocity: [3*size/4, 0]}\n"
    "  rod: {mass: 1, inertia: 0.1*size^2, points: {B: [-size/2, 0], C: [size/2, 0]},"
    " position: [size/2, size/2], angle: 0, velocity: [3*size/2, 0]}\n"
    "  rocker: {mass: 1, inertia: 0.1*size^2, points: {D: [-size/4, 0], C: [size/4, 0]},"
    " position: [size, size/4], angle: pi/2, angular_velocity: -3, velocity: [3*size/4, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground.A, crank.A]}\n"
    "  B: {type: revolute, between: [crank.B, rod.B]}\n"
    "  C: {type: revolute, between: [rocker.C, rod.C]}\n"
    "  D: {type: revolute, between: [ground.D, rocker.D]}\n"
    "%s"
    "outputs: {angle: D.angle}\nmethod: {end: 3, step: 1e-3}\n";

static const char DRIVE[] = "drives: {turn: {joint: A, value: pi/2 - 3*t}}\n";

typedef struct outcome {
    sar_status status;
    double angle;
    sar_statistics statistics;
} outcome;

static outcome run_of(const char* drive, double size, double off, const char* options)
{
    char text[4096];
    problem_run run;
    outcome out = {.angle = NAN};
    snprintf(text, sizeof text, PARALLELOGRAM, size, off, drive);
    problem_parse(&run, text);
    problem_create(&run, options);
    out.status = sar_simulation_assemble(run.simulation, &run.assembly);
    while (out.status == SAR_OK && !sar_simulation_done(run.simulation)) {
        const double before = sar_simulation_time(run.simulation);
        double within = NAN;
        out.status = sar_simulation_advance(run.simulation);
        const double t = 0.7 * before + 0.3 * sar_simulation_time(run.simulation);
        CHECK_STATUS(sar_simulation_outputs_at(run.simulation, t, &within), SAR_OK);
        CHECK(isfinite(within)); // also in the step before a correction
    }
    if (out.status != SAR_OK) print_message("%s\n", sar_simulation_failure(run.simulation));
    (void)sar_simulation_outputs(run.simulation, &out.angle);
    out.statistics = sar_simulation_statistics(run.simulation);
    problem_free(&run);
    return out;
}

static const char* in_coordinates(int c, const char* more)
{
    static char text[128];
    snprintf(text, sizeof text, "coordinates=%s %s", axis_member(SAR_AXIS_COORDINATES, c), more);
    return text;
}

#define EACH_TYPE(c) for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++)

/* The motion of the exact drawing, but for what the digits do to lengths and variable steps do with
 * other steps. */
static void check_like_exact(const outcome* drawn, const outcome* exact, double size, double off,
                             double own_error)
{
    const sar_statistics *d = &drawn->statistics, *e = &exact->statistics;
    CHECK_STATUS(exact->status, SAR_OK);
    CHECK_STATUS(drawn->status, SAR_OK);
    CHECK(e->crossing_gap == 0.0);
    CHECK(d->crossing_gap > 0.01 * off * size && d->crossing_gap < 10.0 * off * size);
    CHECK(d->singular_passes == e->singular_passes && e->singular_passes >= 2);
    CHECK(d->branch_changes == 0 && e->branch_changes == 0);
    CHECK_NEAR(drawn->angle, exact->angle, 1e-5 + 100.0 * off + 2.0 * own_error); // after 17 rad
    CHECK_AT_MOST(d->energy_max_drift, 1.2 * e->energy_max_drift + 10.0 * off * e->energy_scale);
}

static void the_motion_is_that_of_the_exact_drawing(void** state)
{
    (void)state;
    const char* methods[] = {"", "formulation=al1", "preset=LMD", "step=0.01",
                             "integrator=trapezoidal-variable tolerance=1e-7"};
    const double offs[] = {3e-9, 1e-6};
    const double truth = run_of("", 1.0, 0.0, "step=1e-4").angle;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) EACH_TYPE(c)
        {
            const char* options = in_coordinates(c, methods[m]);
            outcome exact = run_of("", 1.0, 0.0, options);
            for (int k = 0; k < 2; k++) {
                outcome drawn = run_of("", 1.0, offs[k], options);
                check_like_exact(&drawn, &exact, 1.0, offs[k], fabs(exact.angle - truth));
            }
        }
}

static void drives_go_through_too(void** state)
{
    (void)state;
    EACH_TYPE(c)
    {
        outcome exact = run_of(DRIVE, 1.0, 0.0, in_coordinates(c, ""));
        outcome drawn = run_of(DRIVE, 1.0, 3e-7, in_coordinates(c, ""));
        check_like_exact(&drawn, &exact, 1.0, 3e-7, 0.0);
    }
}

static void in_millimetres_and_kilometres(void** state)
{
    (void)state;
    const double sizes[] = {1e-3, 1e3};
    for (int k = 0; k < 2; k++) EACH_TYPE(c)
        {
            outcome exact = run_of("", sizes[k], 0.0, in_coordinates(c, ""));
            outcome drawn = run_of("", sizes[k], 3e-7, in_coordinates(c, ""));
            check_like_exact(&drawn, &exact, sizes[k], 3e-7, 0.0);
        }
}

/* A linkage that is meant to pass beside its singular position, and one whose user says that all
 * digits count. */
static void what_is_drawn_on_purpose_stays(void** state)
{
    (void)state;
    EACH_TYPE(c)
    {
        outcome meant = run_of("", 1.0, 1e-3, in_coordinates(c, "step=1e-4"));
        outcome exact = run_of("", 1.0, 1e-6, in_coordinates(c, "step=1e-4 drawing=0"));
        CHECK(meant.statistics.crossing_gap == 0.0);
        CHECK(exact.statistics.crossing_gap == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_motion_is_that_of_the_exact_drawing),
        cmocka_unit_test(drives_go_through_too),
        cmocka_unit_test(in_millimetres_and_kilometres),
        cmocka_unit_test(what_is_drawn_on_purpose_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
