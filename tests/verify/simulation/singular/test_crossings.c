/* Singular configurations that a drawing misses by its digits: the branches that cross on paper do not
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

/* The same on a line of 30 degrees, in the plane or in space, with its pivots drawn with six decimals or
 * as exactly as numbers are: 16 passages. The angle is that of minimal coordinates, see below. */
static const char SLANTED[] =
    "sarrus: 1\nname: slanted\ndimension: 2\ngravity: [0, -9.81]\n"
    "ground: {points: {A: [0, 0], D: [%s, 0.5]}}\n"
    "bodies:\n"
    "  crank: {mass: 1, center: [0.2, 0], inertia: 0.02, points: {a: [0, 0], b: [0.4, 0]},"
    " position: [0, 0], angle: 1.823598775598299}\n"
    "  coupler: {mass: 2, center: [0.5, 0], inertia: 0.2, points: {b: [0, 0], c: [1, 0]},"
    " position: [0.4*cos(1.823598775598299), 0.4*sin(1.823598775598299)], angle: pi/6}\n"
    "  rocker: {mass: 1, center: [0.2, 0], inertia: 0.02, points: {d: [0, 0], c: [0.4, 0]},"
    " position: [cos(pi/6), 0.5], angle: 1.823598775598299}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground.A, crank.a]}\n"
    "  B: {type: revolute, between: [crank.b, coupler.b]}\n"
    "  C: {type: revolute, between: [coupler.c, rocker.c]}\n"
    "  D: {type: revolute, between: [ground.D, rocker.d]}\n"
    "outputs: {angle: A.angle}\nstart: {A.rate: 6}\nmethod: {end: 6, step: 1e-3}\n";

/* Parallelograms in a row, of plain numbers: nothing is to be corrected. */
static const char ROW[] =
    "sarrus: 1\nname: row\ndimension: 2\ngravity: [0, -9.81]\nparameters: {a: 1.2196057181964592}\n"
    "ground: {points: {A0: [0, 0], A1: [0.664, 0], A2: [1.328, 0], A3: [1.992, 0]}}\n"
    "bodies:\n"
    "  crank0: {mass: 1.171, center: [0.113, 0.074], inertia: 0.0549,"
    " points: {a: [0, 0], b: [0.527, 0]}, position: [0, 0], angle: a}\n"
    "  crank1: {mass: 2.701, center: [0.417, -0.069], inertia: 0.1399,"
    " points: {a: [0, 0], b: [0.527, 0]}, position: [0.664, 0], angle: a}\n"
    "  crank2: {mass: 2.988, center: [0.121, 0.02], inertia: 0.1125,"
    " points: {a: [0, 0], b: [0.527, 0]}, position: [1.328, 0], angle: a}\n"
    "  crank3: {mass: 2.492, center: [0.2635, 0], inertia: 0.0577,"
    " points: {a: [0, 0], b: [0.527, 0]}, position: [1.992, 0], angle: a}\n"
    "  rod1: {mass: 2.536, center: [0.393, 0.037], inertia: 0.2024,"
    " points: {a: [0, 0], b: [0.664, 0]}, position: [0.181296, 0.494834], angle: 0}\n"
    "  rod2: {mass: 0.38, center: [0.261, 0.089], inertia: 0.0288,"
    " points: {a: [0, 0], b: [0.664, 0]}, position: [0.845296, 0.494834], angle: 0}\n"
    "  rod3: {mass: 1.189, center: [0.332, 0], inertia: 0.0437,"
    " points: {a: [0, 0], b: [0.664, 0]}, position: [1.5093, 0.494834], angle: 0}\n"
    "joints:\n"
    "  A0: {type: revolute, between: [ground.A0, crank0.a]}\n"
    "  A1: {type: revolute, between: [ground.A1, crank1.a]}\n"
    "  A2: {type: revolute, between: [ground.A2, crank2.a]}\n"
    "  A3: {type: revolute, between: [ground.A3, crank3.a]}\n"
    "  B1: {type: revolute, between: [crank0.b, rod1.a]}\n"
    "  C1: {type: revolute, between: [crank1.b, rod1.b]}\n"
    "  B2: {type: revolute, between: [crank1.b, rod2.a]}\n"
    "  C2: {type: revolute, between: [crank2.b, rod2.b]}\n"
    "  B3: {type: revolute, between: [crank2.b, rod3.a]}\n"
    "  C3: {type: revolute, between: [crank3.b, rod3.b]}\n"
    "outputs: {angle: A0.angle}\n"
    "start: {A0.angle: a, A0.rate: 0.2847, A1.rate: 0.2847, A2.rate: 0.2847, A3.rate: 0.2847}\n"
    "method: {end: 10, step: 1e-3}\n";

static const char DRIVE[] = "drives: {turn: {joint: A, value: pi/2 - 3*t}}\n";

typedef struct outcome {
    sar_status status;
    double angle;
    sar_statistics statistics;
} outcome;

static outcome run_text(const char* text, const char* options)
{
    problem_run run;
    outcome out = {.angle = NAN};
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

static outcome run_of(const char* drive, double size, double off, const char* options)
{
    char text[4096];
    snprintf(text, sizeof text, PARALLELOGRAM, size, off, drive);
    return run_text(text, options);
}

static outcome run_slanted(const char* pivot, const char* options)
{
    char text[4096];
    snprintf(text, sizeof text, SLANTED, pivot);
    return run_text(text, options);
}

static const char* in_coordinates(int c, const char* more)
{
    static char text[256];
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

TEST(the_motion_is_that_of_the_exact_drawing)
{
    const char* methods[] = {"", "formulation=al1", "preset=LMD-midpoint", "step=0.01",
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

TEST(drives_go_through_too)
{
    EACH_TYPE(c)
    {
        outcome exact = run_of(DRIVE, 1.0, 0.0, in_coordinates(c, ""));
        outcome drawn = run_of(DRIVE, 1.0, 3e-7, in_coordinates(c, ""));
        check_like_exact(&drawn, &exact, 1.0, 3e-7, 0.0);
    }
}

TEST(in_millimetres_and_kilometres)
{
    const double sizes[] = {1e-3, 1e3};
    for (int k = 0; k < 2; k++) EACH_TYPE(c)
        {
            outcome exact = run_of("", sizes[k], 0.0, in_coordinates(c, ""));
            outcome drawn = run_of("", sizes[k], 3e-7, in_coordinates(c, ""));
            check_like_exact(&drawn, &exact, sizes[k], 3e-7, 0.0);
        }
}

/* A linkage that is meant to pass beside its singular configuration, and one whose user says that all
 * digits count. */
TEST(what_is_drawn_on_purpose_stays)
{
    EACH_TYPE(c)
    {
        outcome meant = run_of("", 1.0, 1e-3, in_coordinates(c, "step=1e-4"));
        outcome exact = run_of("", 1.0, 1e-6, in_coordinates(c, "step=1e-4 drawing=0"));
        CHECK(meant.statistics.crossing_gap == 0.0);
        CHECK(exact.statistics.crossing_gap == 0.0);
    }
}

/* The crank's angle in minimal coordinates: I a'' = -m g cos a, by Runge and Kutta. */
static double minimal_angle(void)
{
    const double inertia = 2.0 * (0.02 + 0.2 * 0.2) + 2.0 * 0.4 * 0.4;
    const double weight = 9.81 * (0.2 + 0.2 + 2.0 * 0.4) / inertia, h = 1e-4;
    double a = 1.823598775598299, w = 6.0;
    for (int k = 0; k < 60000; k++) {
        const double k1 = -weight * cos(a), k2 = -weight * cos(a + 0.5 * h * w);
        const double k3 = -weight * cos(a + 0.5 * h * (w + 0.5 * h * k1));
        const double k4 = -weight * cos(a + h * (w + 0.5 * h * k2));
        a += h * (w + h / 6.0 * (k1 + k2 + k3));
        w += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    return a;
}

/* Charts, with steps by tolerances, and fixed steps: all passages, in all coordinates, with the same gap. */
TEST(every_method_goes_through)
{
    const char* methods[] = {"preset=auto tolerance=1e-4", "preset=auto tolerance=1e-6",
                             "preset=auto tolerance=1e-10",
                             "formulation=chart integrator=radau tolerance=1e-7", "step=5e-4"};
    const double errors[] = {1e-3, 1e-4, 1e-4, 1e-4, 2e-2};
    const double truth = minimal_angle(), missed = 1.0 - hypot(0.866025, 0.5);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) EACH_TYPE(c)
        {
            const outcome o = run_slanted("0.866025", in_coordinates(c, methods[m]));
            CHECK_STATUS(o.status, SAR_OK);
            CHECK_NEAR(o.angle, truth, errors[m]);
            CHECK(o.statistics.singular_passes == 16 && o.statistics.branch_changes == 0);
            CHECK_NEAR(o.statistics.crossing_gap, missed, 1e-2 * missed);
            CHECK_AT_MOST(o.statistics.crossing_error, 1e-4 * missed);
            CHECK(o.statistics.crossing_joints[0] != 0);
        }
}

/* What a correction of first order leaves, the square of the gap, is seen at tight tolerances. */
TEST(tight_tolerances_go_through_large_gaps)
{
    EACH_TYPE(c)
    {
        const char* options = in_coordinates(c, "preset=auto tolerance=1e-11");
        const outcome exact = run_of("", 1.0, 0.0, options);
        const outcome drawn = run_of("", 1.0, 8e-6, options);
        check_like_exact(&drawn, &exact, 1.0, 8e-6, 0.0);
    }
}

/* Of exact drawings nothing is touched: not a bit. */
TEST(exact_drawings_keep_their_bits)
{
    const char* methods[] = {"preset=auto tolerance=1e-6", "step=1e-3"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) EACH_TYPE(c)
        {
            char letter[128];
            snprintf(letter, sizeof letter, "%s drawing=0", methods[m]);
            const outcome row = run_text(ROW, in_coordinates(c, methods[m]));
            CHECK(row.statistics.crossing_gap == 0.0 && row.statistics.singular_passes == 14);
            CHECK_AT_MOST(row.statistics.energy_max_drift, 2e-3);
            const outcome again = run_text(ROW, in_coordinates(c, letter));
            CHECK(memcmp(&row.angle, &again.angle, sizeof row.angle) == 0);
            const outcome full = run_slanted("0.86602540378443865", in_coordinates(c, methods[m]));
            const outcome same = run_slanted("0.86602540378443865", in_coordinates(c, letter));
            CHECK(full.statistics.crossing_gap == 0.0);
            CHECK(memcmp(&full.angle, &same.angle, sizeof full.angle) == 0);
        }
}

/* A gap beyond the precision of the drawing is reported, and nothing else is done about it. */
TEST(larger_gaps_are_reported)
{
    EACH_TYPE(c)
    {
        const outcome o = run_of("", 1.0, 1e-4, in_coordinates(c, "preset=auto tolerance=1e-8"));
        CHECK(o.statistics.crossing_gap == 0.0);
        CHECK_NEAR(o.statistics.crossing_missed, 1e-4, 1e-6);
    }
}

/* A state that is saved after a correction goes on with the same bits. */
TEST(states_have_what_was_corrected)
{
    const char* methods[] = {"preset=auto tolerance=1e-6", "step=1e-3"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) EACH_TYPE(c)
        {
            char text[4096];
            problem_run run;
            size_t length;
            sar_simulation* copy = NULL;
            sar_error error = {0};
            snprintf(text, sizeof text, SLANTED, "0.866025");
            problem_parse(&run, text);
            problem_create(&run, in_coordinates(c, methods[m]));
            CHECK_STATUS(sar_simulation_assemble(run.simulation, NULL), SAR_OK);
            while (sar_simulation_time(run.simulation) < 1.0)
                CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
            CHECK(sar_simulation_statistics(run.simulation).crossing_gap > 0.0);
            CHECK_STATUS(sar_simulation_save(run.simulation, NULL, 0, &length, &error), SAR_OK);
            void* block = malloc(length);
            CHECK_STATUS(sar_simulation_save(run.simulation, block, length, &length, &error),
                         SAR_OK);
            CHECK_STATUS(sar_simulation_load(run.model, &run.options, block, length, &copy, &error),
                         SAR_OK);
            double a = 0.0, b = 0.0;
            for (int k = 0; k < 40; k++) {
                CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
                CHECK_STATUS(sar_simulation_advance(copy), SAR_OK);
                sar_simulation_outputs(run.simulation, &a);
                sar_simulation_outputs(copy, &b);
                CHECK(memcmp(&a, &b, sizeof a) == 0);
            }
            free(block);
            sar_simulation_destroy(copy);
            problem_free(&run);
        }
}
