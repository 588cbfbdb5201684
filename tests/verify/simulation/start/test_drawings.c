/* Over-constrained mechanisms drawn with finite digits: joints that contradict each other by less
 * than the precision of the drawing are met as nearly as possible, in all coordinates; larger
 * contradictions are refused by name. */
#include "problem_run.h"

static const char DOOR[] =
    "sarrus: 1\nname: door\ndimension: 3\ngravity: [0, -9.81, 0]\n"
    "ground: {points: {A: [0,0,0], B: [%s,0,1]}}\n"
    "bodies: {door: {mass: 10, inertia: [1,1,1], center: [0.5,0,0.5], position: [0,0,0],"
    " rotation: {rpy: [0,0,0]}, points: {A: [0,0,0], B: [0,0,1]}}}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground.A, door.A], axis: [ground.z, door.z]}\n"
    "  B: {type: revolute, between: [ground.B, door.B], axis: [ground.z, door.z]}\n"
    "outputs: {a: A.angle}\nmethod: {end: 1}\n";

static const char CRANKS[] =
    "sarrus: 1\nname: cranks\ndimension: 2\ngravity: [0,-9.81]\n"
    "ground: {points: {O: [0,0], P: [1,0], Q: [2,0]}}\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 0.1, points: {A: [0,0], B: [1,0]}, position: [0,0], angle: pi/3}\n"
    "  b: {mass: 1, inertia: 0.1, points: {A: [0,0], B: [1,0]}, position: [1,0], angle: pi/3}\n"
    "  c: {mass: 1, inertia: 0.1, points: {A: [0,0], B: [1+%s,0]}, position: [2,0], angle: pi/3}\n"
    "  k: {mass: 1, inertia: 0.1, points: {A: [0,0], B: [1,0], C: [2,0]},"
    " position: [0.5,sqrt(0.75)], angle: 0}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground.O, a.A]}\n"
    "  B: {type: revolute, between: [ground.P, b.A]}\n"
    "  C: {type: revolute, between: [ground.Q, c.A]}\n"
    "  D: {type: revolute, between: [a.B, k.A]}\n"
    "  E: {type: revolute, between: [b.B, k.B]}\n"
    "  F: {type: revolute, between: [c.B, k.C]}\n"
    "outputs: {x: A.angle}\nmethod: {end: 0.4}\n";

/* A Sarrus linkage whose first axis is off. */
static const char SARRUS[] =
    "sarrus: 1\nname: sarrus\ndimension: 3\nparameters: {l: 0.5, a: 0.4, m: 1, up: 0.9}\n"
    "gravity: [0, 0, -9.81]\n"
    "ground:\n  points: {A1: [a, 0, 0], B1: [0, a, 0]}\n  axes: {yy: [%s, 1, 0]}\n"
    "bodies:\n"
    "  lowA: {mass: m, center: [l/2,0,0], inertia: [0.001, m*l^2/12, m*l^2/12], points: {A: "
    "[0,0,0], E: [l,0,0]}, position: [a,0,0], rotation: {axis: [0,1,0], angle: -up}}\n"
    "  upA: {mass: m, center: [l/2,0,0], inertia: [0.001, m*l^2/12, m*l^2/12], points: {A: "
    "[0,0,0], E: [l,0,0]}, position: [a,0,2*l*sin(up)], rotation: {axis: [0,1,0], angle: up}}\n"
    "  lowB: {mass: m, center: [0,l/2,0], inertia: [m*l^2/12, 0.001, m*l^2/12], points: {A: "
    "[0,0,0], E: [0,l,0]}, position: [0,a,0], rotation: {axis: [1,0,0], angle: up}}\n"
    "  upB: {mass: m, center: [0,l/2,0], inertia: [m*l^2/12, 0.001, m*l^2/12], points: {A: "
    "[0,0,0], E: [0,l,0]}, position: [0,a,2*l*sin(up)], rotation: {axis: [1,0,0], angle: -up}}\n"
    "  plate: {mass: 3, inertia: [0.1, 0.1, 0.2], points: {A: [a,0,0], B: [0,a,0]}, position: "
    "[0,0,2*l*sin(up)], rotation: {rpy: [0,0,0]}}\n"
    "joints:\n"
    "  A1: {type: revolute, between: [ground.A1, lowA.A], axis: [ground.yy, lowA.y]}\n"
    "  A2: {type: revolute, between: [lowA.E, upA.E], axis: [lowA.y, upA.y]}\n"
    "  A3: {type: revolute, between: [upA.A, plate.A], axis: [upA.y, plate.y]}\n"
    "  B1: {type: revolute, between: [ground.B1, lowB.A], axis: [ground.x, lowB.x]}\n"
    "  B2: {type: revolute, between: [lowB.E, upB.E], axis: [lowB.x, upB.x]}\n"
    "  B3: {type: revolute, between: [upB.A, plate.B], axis: [upB.x, plate.x]}\n"
    "forces:\n"
    "  lift: {type: spring, between: [ground, plate], stiffness: 400, damping: 5, length: 0.8}\n"
    "outputs: {z: plate.origin.z}\nmethod: {end: 1}\n";

/* A Bennett linkage, two pairs of equal bars whose twists fit, drawn with six digits. */
static const char BENNETT[] =
    "sarrus: 1\n"
    "name: bennett\n"
    "dimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  link1: {mass: 1, inertia: [0.0833333, 0.0833333, 0.0833333], position: [0.310805, 0.391663, "
    "0]}\n"
    "  link2: {mass: 1, inertia: [0.0882103, 0.0882103, 0.0882103], position: [0.296175, 0.385133, "
    "0.0128176]}\n"
    "  link3: {mass: 1, inertia: [0.0833333, 0.0833333, 0.0833333], position: [-0.529053, "
    "-0.00653091, 0.0128176]}\n"
    "joints:\n"
    "  J1: {type: revolute, between: [ground, link1], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  J2: {type: revolute, between: [link1, link2], at: [0.62161, 0.783327, 0], axis: [0.678381, "
    "-0.53833, 0.5]}\n"
    "  J3: {type: revolute, between: [link2, link3], at: [-0.0292597, -0.0130618, 0.0256353], "
    "axis: [-0.0249165, 0.0524987, 0.99831]}\n"
    "  J4: {type: revolute, between: [link3, ground], at: [-1.02885, 0, 0], "
    "axis: [0, 0.891007, 0.45399]}\n"
    "outputs: {angle: J1.angle}\n"
    "method: {end: %s}\n";

static void prepare(problem_run* run, const char* format, const char* number, const char* options)
{
    char text[8192];
    snprintf(text, sizeof text, format, number);
    problem_parse(run, text);
    problem_create(run, options);
    run->status = sar_simulation_assemble(run->simulation, &run->assembly);
}

/* Its only output, at the end or where the run failed. */
static double finish(problem_run* run)
{
    double value = NAN;
    while (run->status == SAR_OK && !sar_simulation_done(run->simulation))
        run->status = sar_simulation_advance(run->simulation);
    if (run->status != SAR_OK) fail_msg("%s", sar_simulation_failure(run->simulation));
    CHECK_STATUS(sar_simulation_outputs(run->simulation, &value), SAR_OK);
    return value;
}

static double value_of(const char* format, const char* number, const char* options)
{
    problem_run run;
    prepare(&run, format, number, options);
    double value = finish(&run);
    problem_free(&run);
    return value;
}

static const char* in_coordinates(int c, const char* more)
{
    static char text[128];
    snprintf(text, sizeof text, "coordinates=%s %s", axis_member(SAR_AXIS_COORDINATES, c), more);
    return text;
}

#define EACH_TYPE(c) for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++)

static void check_gap(problem_run* run, double least, double most)
{
    CHECK_STATUS(run->status, SAR_OK);
    CHECK(run->assembly.verdict == SAR_ASSEMBLED);
    CHECK(run->assembly.gap >= least && run->assembly.gap <= most);
    CHECK(run->assembly.conflicts > 0);
    CHECK(sar_simulation_rank(run->simulation).dof == 1);
    CHECK_AT_MOST(run->assembly.moved, 30 * most);
}

/* With a gap between `least` and `most`, the motion is that without to `allowed`. */
static void check_drawing(const char* format, const char* off, double least, double most,
                          double allowed)
{
    EACH_TYPE(c)
    {
        problem_run run;
        double exact = value_of(format, "0", in_coordinates(c, ""));
        prepare(&run, format, off, in_coordinates(c, ""));
        check_gap(&run, least, most);
        CHECK_NEAR(finish(&run), exact, allowed);
        problem_free(&run);
    }
}

TEST(a_door_on_hinges_a_micrometre_apart)
{
    check_drawing(DOOR, "1e-6", 1e-7, 3e-6, 1e-4);
}

TEST(a_sarrus_linkage_with_a_crooked_axis)
{
    const char* offs[] = {"1e-6", "3e-9"};
    for (int k = 0; k < 2; k++) EACH_TYPE(c)
        {
            double exact = value_of(SARRUS, "0", in_coordinates(c, ""));
            CHECK_NEAR(value_of(SARRUS, offs[k], in_coordinates(c, "")), exact,
                       30.0 * strtod(offs[k], NULL) + 1e-9);
        }
}

/* Long steps: between their ends the combinations that are left open have turned. */
TEST(what_is_held_is_told_apart_from_what_is_left_open)
{
    EACH_TYPE(c)
    {
        problem_run run;
        prepare(&run, BENNETT, "4", in_coordinates(c, "preset=auto tolerance=1e-8"));
        (void)finish(&run);
        const sar_statistics z = sar_simulation_statistics(run.simulation);
        CHECK_AT_MOST(z.violation.velocity, 1e-11);
        CHECK_AT_MOST(z.violation.acceleration, 1e-9);
        CHECK(z.gap > 1e-8 && z.gap < 1e-5);
        problem_free(&run);
    }
}

TEST(cranks_stay_where_they_are_drawn)
{
    check_drawing(CRANKS, "1e-8", 1e-10, 1e-7, 1e-6);
}

TEST(larger_gaps_are_refused_with_their_joints)
{
    EACH_TYPE(c)
    {
        problem_run run;
        prepare(&run, DOOR, "1e-3", in_coordinates(c, ""));
        CHECK_STATUS(run.status, SAR_E_ASSEMBLY);
        CHECK(run.assembly.verdict == SAR_ASSEMBLY_IMPOSSIBLE);
        CHECK(run.assembly.conflicts > 0);
        CHECK_NEAR(run.assembly.gap, 1e-3, 6e-4);
        CHECK(strstr(sar_simulation_failure(run.simulation), "drawing") != NULL);
        problem_free(&run);
        prepare(&run, DOOR, "1e-3", in_coordinates(c, "drawing=1e-3"));
        check_gap(&run, 1e-4, 3e-3);
        finish(&run);
        problem_free(&run);
    }
}

/* No precision of a drawing explains half a metre. */
TEST(gaps_that_are_no_matter_of_digits_are_told_without_advice)
{
    EACH_TYPE(c)
    {
        problem_run run;
        prepare(&run, DOOR, "0.5", in_coordinates(c, ""));
        CHECK_STATUS(run.status, SAR_E_ASSEMBLY);
        CHECK(strstr(sar_simulation_failure(run.simulation), "drawing") == NULL);
        problem_free(&run);
    }
}

/* Bricard's linkage with a hinge off by a micrometre, and rods so thin that some coordinates have
 * hardly any mass: neither changes what is redundant. */
TEST(freedoms_are_counted_by_the_measure_of_the_drawing)
{
    EACH_TYPE(c)
    {
        problem_run run;
        const char* names[8];
        char* text = problem_text(PROBLEM("bricard"));
        CHECK(problem_replace(&text, "P6: [0, 0, L]", "P6: [1e-6, 0, L]") == 1);
        CHECK(problem_replace(&text, "axial: 0 ", "axial: 1e-8 ") == 1);
        problem_parse(&run, text);
        free(text);
        problem_create(&run, in_coordinates(c, ""));
        CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
        CHECK(sar_simulation_rank(run.simulation).dof == 1);
        CHECK(sar_simulation_rank(run.simulation).redundant == 1);
        CHECK(sar_simulation_redundant_joints(run.simulation, names, 8) == 1);
        CHECK(sar_simulation_indeterminate_joints(run.simulation, names, 8) == 6);
        problem_free(&run);
    }
}

TEST(methods_that_cannot_leave_gaps_say_so)
{
    const char* methods[] = {"formulation=nullspace integrator=rk4", "preset=topological",
                             "formulation=al1 integrator=rk4 omega=100 xi=1"};
    for (int k = 0; k < 3; k++) {
        problem_run run;
        prepare(&run, SARRUS, "1e-6", methods[k]);
        CHECK_STATUS(run.status, SAR_E_ASSEMBLY);
        CHECK(strstr(sar_simulation_failure(run.simulation), "al3") != NULL);
        problem_free(&run);
    }
}

/* A singular start is no contradiction, whatever its digits. */
TEST(a_singular_start_with_six_digits)
{
    EACH_TYPE(c)
    {
        problem_run run;
        char* text = problem_text(PROBLEM("slider-crank-singular"));
        CHECK(problem_replace(&text, "angle: pi/2", "angle: 1.570796") == 1);
        CHECK(problem_replace(&text, "angle: -pi/2", "angle: -1.570796") == 1);
        problem_parse(&run, text);
        free(text);
        problem_create(&run, in_coordinates(c, ""));
        CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
        CHECK(run.assembly.gap == 0.0);
        problem_free(&run);
    }
}
