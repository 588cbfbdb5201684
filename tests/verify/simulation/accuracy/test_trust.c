/* No run ends well that should not: violated constraints, starts that no motion follows; and no
 * start is refused that can be found. */
#include "problem_run.h"

#define EACH_TYPE(c) for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++)

/* From 0.5 s on two drives contradict each other. */
static const char CONFLICT[] =
    "sarrus: 1\nname: conflict\ndimension: 2\ngravity: [0,-9.81]\n"
    "ground: {points: {O: [0,0]}}\n"
    "bodies:\n"
    "  a: {mass: 1, center: [1/2,0], inertia: 1/12, points: {A: [0,0]}, position: [0,0], angle: "
    "0}\n"
    "joints:\n  A: {type: revolute, between: [ground.O, a.A]}\n"
    "drives: {d1: {joint: A, value: t}, d2: {joint: A, value: \"t < 0.5 ? t : 2*t - 0.5\"}}\n"
    "outputs: {f: A.angle}\nmethod: {end: 1}\n";

/* Four hinges, drawn stretched out, and asked to start folded. */
static const char ARM[] =
    "sarrus: 1\nname: arm\ndimension: 3\ngravity: [0,0,-9.81]\nground: {points: {O: [0,0,0]}}\n"
    "bodies:\n"
    "  a: {mass: 1, center: [0,0,0.25], inertia: [0.1,0.1,0.05], points: {A: [0,0,0], B: "
    "[0,0,0.5]}, position: [0,0,0], rotation: {rpy: [0,0,0]}}\n"
    "  b: {mass: 1, center: [0.25,0,0], inertia: [0.05,0.1,0.1], points: {A: [0,0,0], B: "
    "[0.5,0,0]}, position: [0,0,0.5], rotation: {rpy: [0,0,0]}}\n"
    "  c: {mass: 1, center: [0.25,0,0], inertia: [0.05,0.1,0.1], points: {A: [0,0,0], B: "
    "[0.5,0,0]}, position: [0.5,0,0.5], rotation: {rpy: [0,0,0]}}\n"
    "  d: {mass: 0.2, center: [0.05,0,0], inertia: [0.005,0.01,0.01], points: {A: [0,0,0]}, "
    "position: [1,0,0.5], rotation: {rpy: [0,0,0]}}\n"
    "joints:\n"
    "  J1: {type: revolute, between: [ground.O, a.A], axis: [ground.z, a.z]}\n"
    "  J2: {type: revolute, between: [a.B, b.A], axis: [a.y, b.y]}\n"
    "  J3: {type: revolute, between: [b.B, c.A], axis: [b.y, c.y]}\n"
    "  J4: {type: revolute, between: [c.B, d.A], axis: [c.x, d.x]}\n"
    "start: {J1.angle: %s, J2.angle: %s, J3.angle: %s, J4.angle: %s}\n"
    "outputs: {a: J1.angle, b: J2.angle, c: J3.angle, d: J4.angle}\nmethod: {end: 0.01}\n";

static void advance(problem_run* run)
{
    run->status = sar_simulation_assemble(run->simulation, &run->assembly);
    while (run->status == SAR_OK && !sar_simulation_done(run->simulation))
        run->status = sar_simulation_advance(run->simulation);
}

static void check_conflict(const char* options)
{
    problem_run run;
    problem_parse(&run, CONFLICT);
    problem_create(&run, options);
    advance(&run);
    const char* why = sar_simulation_failure(run.simulation);
    if (run.status == SAR_OK) fail_msg("%s: completed", options);
    CHECK_NEAR(sar_simulation_time(run.simulation), 0.55, 0.1);
    CHECK_AT_MOST(sar_simulation_violation(run.simulation).position, 0.1);
    if (run.status == SAR_R_VIOLATED && !strstr(why, "d2")) fail_msg("%s: %s", options, why);
    problem_free(&run);
}

TEST(drives_that_contradict_each_other_end_the_run)
{
    const char* methods[] = {"preset=hybrid",
                             "preset=LMD-midpoint",
                             "formulation=nullspace integrator=rk4",
                             "formulation=al1 integrator=rk4 omega=100 xi=1",
                             "preset=topological",
                             "alpha=inf",
                             "preset=ALi3pvs",
                             "formulation=al1 omega=100 xi=1",
                             "formulation=hamiltonian omega=1 xi=1e4"};
    char options[64];
    EACH_TYPE(c)
    {
        snprintf(options, sizeof options, "coordinates=%s", axis_member(SAR_AXIS_COORDINATES, c));
        check_conflict(options);
    }
    for (int k = 0; k < (int)(sizeof methods / sizeof *methods); k++) check_conflict(methods[k]);
}

TEST(a_penalty_that_holds_nothing_is_told)
{
    const char* methods[] = {"alpha=1e-300", "formulation=al1 alpha=1e-300",
                             "formulation=penalty alpha=1e-300 omega=0"};
    for (int k = 0; k < 3; k++) {
        problem_run run;
        problem_load(&run, PROBLEM("slider-crank-1"), "");
        problem_create(&run, methods[k]);
        advance(&run);
        CHECK(run.status != SAR_OK);
        CHECK(sar_simulation_time(run.simulation) < 1.0);
        CHECK_AT_MOST(sar_simulation_violation(run.simulation).position, 0.03);
        problem_free(&run);
    }
}

TEST(an_arm_starts_folded_as_asked)
{
    const char* angles[][4] = {{"2.5", "-2.2", "2.8", "-3.0"},
                               {"0.1", "1.57", "-1.57", "0.3"},
                               {"-3.1", "3.1", "-3.1", "3.1"}};
    for (int k = 0; k < 3; k++) EACH_TYPE(c)
        {
            problem_run run;
            char text[4096], options[64];
            double values[4];
            snprintf(text, sizeof text, ARM, angles[k][0], angles[k][1], angles[k][2],
                     angles[k][3]);
            snprintf(options, sizeof options, "coordinates=%s",
                     axis_member(SAR_AXIS_COORDINATES, c));
            problem_parse(&run, text);
            problem_create(&run, options);
            if (sar_simulation_assemble(run.simulation, NULL) != SAR_OK)
                fail_msg("%s: %s", options, sar_simulation_failure(run.simulation));
            CHECK_STATUS(sar_simulation_outputs(run.simulation, values), SAR_OK);
            for (int i = 0; i < 4; i++) CHECK_NEAR(values[i], strtod(angles[k][i], NULL), 1e-9);
            problem_free(&run);
        }
}

/* Along the slider-crank motion, along the other one, and between them. */
TEST(a_singular_start_follows_a_motion_or_is_refused)
{
    const char* speeds[] = {"eta1=-2 eta2=0", "eta1=0 eta2=-2", "eta1=-2 eta2=-0.5"};
    for (int k = 0; k < 3; k++) EACH_TYPE(c)
        {
            problem_run run;
            char options[64];
            snprintf(options, sizeof options, "coordinates=%s",
                     axis_member(SAR_AXIS_COORDINATES, c));
            problem_load(&run, PROBLEM("slider-crank-singular"), speeds[k]);
            problem_create(&run, options);
            run.status = sar_simulation_assemble(run.simulation, &run.assembly);
            CHECK(run.assembly.singular);
            if (run.assembly.branches != 2) fail_msg("%s: %d", options, run.assembly.branches);
            CHECK_STATUS(run.status, k < 2 ? SAR_OK : SAR_E_ASSEMBLY);
            if (k == 2) CHECK(strstr(sar_simulation_failure(run.simulation), "singular") != NULL);
            problem_free(&run);
        }
}
