/* Starts that are inexact, incomplete, redundant, impossible, contradictory or singular: each ends
 * with the right verdict. */
#include "problem_run.h"

#include <sys/wait.h>
#include <unistd.h>

/* The text of a good model: every test bends some words of it. */
static char* slider_crank(void)
{
    return problem_text(PROBLEM("slider-crank-1"));
}

static void start(problem_run* run, char* text, const char* coordinates)
{
    problem_parse(run, text);
    free(text);
    char options[64];
    snprintf(options, sizeof options, "coordinates=%s end=2", coordinates);
    problem_create(run, options);
    run->status = sar_simulation_assemble(run->simulation, &run->assembly);
}

static void check_assembled(problem_run* run, double xQ, double tolerance)
{
    if (run->status != SAR_OK)
        fail_msg("status %d, verdict %d, residual %g", run->status, run->assembly.verdict,
                 run->assembly.residual);
    CHECK(run->assembly.verdict == SAR_ASSEMBLED);
    CHECK_AT_MOST(run->assembly.residual, 1e-8);
    CHECK_AT_MOST(sar_simulation_violation(run->simulation).position, 1e-10);
    CHECK_AT_MOST(sar_simulation_violation(run->simulation).velocity, 1e-8);
    CHECK_NEAR(problem_output(run, "xQ"), xQ, tolerance);
}

static int names_conflict(const sar_assembly* a, const char* name)
{
    for (int k = 0; k < a->conflicts; k++)
        if (strncmp(a->conflict[k].name, name, strlen(name)) == 0 &&
            fabs(a->conflict[k].residual) > 1e-3)
            return 1;
    return 0;
}

TEST(an_exact_drawing_is_left_alone)
{
    for (int c = 0; c < 2; c++) {
        problem_run run;
        start(&run, slider_crank(), COORDINATES[c]);
        check_assembled(&run, sqrt(2), 1e-12);
        CHECK_AT_MOST(run.assembly.moved, 1e-12);
        problem_free(&run);
    }
}

TEST(poses_that_are_five_percent_off_come_right)
{
    for (int c = 0; c < 2; c++) {
        problem_run run;
        char* text = slider_crank();
        CHECK(problem_replace(&text, "position: [L1*cos(theta0), L1*sin(theta0)]",
                              "position: [L1*cos(theta0) + 0.05, L1*sin(theta0) - 0.04]") == 1);
        CHECK(problem_replace(&text, "angle: -asin(L1/L2*sin(theta0))",
                              "angle: -1.05*asin(L1/L2*sin(theta0)) + 0.03") == 1);
        CHECK(problem_replace(&text, "position: [L1*cos(theta0) + sqrt",
                              "position: [0.95*L1*cos(theta0) + sqrt") == 1);
        CHECK(problem_replace(&text, "angle: theta0\n  rod", "angle: 1.05*theta0\n  rod") == 1);
        start(&run, text, COORDINATES[c]);
        check_assembled(&run, sqrt(2), 1e-9); // O.angle is demanded, so there is one answer
        CHECK(run.assembly.moved > 1e-3);
        problem_free(&run);
    }
}

TEST(missing_poses_are_found)
{
    for (int c = 0; c < 2; c++) {
        problem_run run;
        char* text = slider_crank();
        CHECK(problem_replace(&text, "    position: [L1*cos(theta0), L1*sin(theta0)]\n", "") == 1);
        CHECK(problem_replace(&text, "    angle: -asin(L1/L2*sin(theta0))\n", "") == 1);
        CHECK(problem_replace(
                  &text, "    position: [L1*cos(theta0) + sqrt(L2^2 - (L1*sin(theta0))^2), 0]\n",
                  "") == 1);
        start(&run, text, COORDINATES[c]);
        CHECK_STATUS(run.status, SAR_OK);
        // two ways to close the chain: stretched (Q at sqrt 2) or folded (Q in O)
        double xQ = problem_output(&run, "xQ");
        check_assembled(&run, fabs(xQ) < 0.5 ? 0 : sqrt(2), 1e-9);
        CHECK_NEAR(problem_output(&run, "theta1"), acos(-1) / 4, 1e-9);
        problem_free(&run);
    }
}

TEST(redundant_joints_do_no_harm)
{
    for (int c = 0; c < 2; c++) {
        problem_run run;
        char* text = slider_crank();
        CHECK(problem_replace(&text, "\noutputs:",
                              "  O2: {type: revolute, between: [ground.origin, crank.O]}\n"
                              "  bar: {type: distance, between: [crank.O, crank.P], distance: L1}\n"
                              "\noutputs:") == 1);
        CHECK(problem_replace(&text, "[crank.O, crank.P]", "[ground.origin, crank.P]") == 1);
        start(&run, text, COORDINATES[c]);
        check_assembled(&run, sqrt(2), 1e-9);
        sar_rank rank = sar_simulation_rank(run.simulation);
        CHECK(rank.dof == 1);
        CHECK(rank.redundant == 3); // two of O2, one of bar: in all coordinates
        const char* names[8];
        CHECK(sar_simulation_redundant_joints(run.simulation, names, 8) == 2);
        problem_free(&run);
    }
}

TEST(a_rod_that_cannot_reach_is_impossible)
{
    for (int c = 0; c < 2; c++) {
        problem_run run;
        char* text = slider_crank();
        CHECK(problem_replace(&text, "[ground.origin, slider.Q], axis",
                              "[ground.far, slider.Q], axis") == 1);
        CHECK(problem_replace(&text, "type: prismatic", "type: fixed") == 1);
        CHECK(problem_replace(&text, ", axis: [ground.x, slider.x]", "") == 1);
        CHECK(problem_replace(&text, "bodies:", "ground: {points: {far: [5, 0]}}\nbodies:") == 1);
        CHECK(problem_replace(&text, "start:\n  O.angle: theta0\n  slider.Q.vx: -4\n", "") == 1);
        start(&run, text, COORDINATES[c]);
        CHECK_STATUS(run.status, SAR_E_ASSEMBLY);
        CHECK(run.assembly.verdict == SAR_ASSEMBLY_IMPOSSIBLE);
        CHECK(run.assembly.level == 0);
        CHECK(run.assembly.residual > 0.1); // the gap is 3 m, shared by the joints
        CHECK(run.assembly.conflicts >= 1);
        for (int k = 1; k < run.assembly.conflicts; k++)
            CHECK(fabs(run.assembly.conflict[k].residual) <=
                  fabs(run.assembly.conflict[k - 1].residual));

        CHECK(names_conflict(&run.assembly, "O") && names_conflict(&run.assembly, "P"));
        CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_E_ARG); // not assembled, no step
        problem_free(&run);
    }
}

TEST(start_positions_may_contradict_each_other)
{
    for (int c = 0; c < 2; c++) {
        problem_run run;
        char* text = slider_crank();
        CHECK(problem_replace(&text, "  slider.Q.vx: -4", "  slider.Q.x: 0.7\n  crank.P.x: 0.1") ==
              1);
        start(&run, text, COORDINATES[c]);
        CHECK_STATUS(run.status, SAR_E_ASSEMBLY);
        CHECK(run.assembly.verdict == SAR_ASSEMBLY_IMPOSSIBLE);
        CHECK(run.assembly.level == 0);
        CHECK(names_conflict(&run.assembly, "slider.Q.x") ||
              names_conflict(&run.assembly, "crank.P.x") ||
              names_conflict(&run.assembly, "O.angle"));
        problem_free(&run);
    }
}

TEST(start_velocities_may_contradict_each_other)
{
    for (int c = 0; c < 2; c++) {
        problem_run run;
        char* text = slider_crank();
        CHECK(problem_replace(&text, "  slider.Q.vx: -4", "  slider.Q.vx: -4\n  O.rate: 1") == 1);
        start(&run, text, COORDINATES[c]);
        CHECK_STATUS(run.status, SAR_E_ASSEMBLY);
        CHECK(run.assembly.verdict == SAR_ASSEMBLY_IMPOSSIBLE);
        CHECK(run.assembly.level == 1);
        CHECK(names_conflict(&run.assembly, "slider.Q.vx") ||
              names_conflict(&run.assembly, "O.rate"));
        problem_free(&run);
    }
}

/* Upright rods with Q in O: two motions are possible, and the start velocity says which one goes
 * on. */
TEST(a_singular_start_goes_where_its_velocity_points)
{
    static const struct {
        const char* velocity;
        int pendulum; ///< rods together, Q in O; else the slider-crank's own motion
    } START[] = {{"  slider.Q.vx: 0\n  O.rate: -2", 1}, {"  slider.Q.vx: 4\n  O.rate: -2", 0}};
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < 2; k++) {
            problem_run run;
            char* text = slider_crank();
            CHECK(problem_replace(&text, "  slider.Q.vx: -4", START[k].velocity) == 1);
            CHECK(problem_replace(&text, "theta0: pi/4", "theta0: pi/2") == 1);
            CHECK(problem_replace(&text, "angle: -asin(L1/L2*sin(theta0))", "angle: -pi/2") == 1);
            start(&run, text, COORDINATES[c]);
            CHECK_STATUS(run.status, SAR_OK);
            for (int i = 0; i < 300; i++)
                CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
            double xQ = problem_output(&run, "xQ"), xP = problem_output(&run, "xP");
            CHECK(xP > 0.3);
            CHECK_NEAR(xQ, START[k].pendulum ? 0 : 2 * xP, 1e-6);
            const sar_event* passes;
            CHECK(sar_simulation_singular_passes(run.simulation, &passes) == 1);
            CHECK_NEAR(passes[0].t, 0, 0);
            CHECK(sar_simulation_rank(run.simulation).dof == 1);
            problem_free(&run);
        }
}

static int exit_code(const char* text)
{
    char path[] = "/tmp/sarrus-start-XXXXXX", command[512];
    int descriptor = mkstemp(path);
    CHECK(descriptor >= 0);
    CHECK(write(descriptor, text, strlen(text)) == (ssize_t)strlen(text));
    close(descriptor);
    snprintf(command, sizeof command, "%s run %s --end 0.01 -o %s.csv >/dev/null 2>&1",
             SARRUS_PROGRAM, path, path);
    int status = system(command);
    remove(path);
    snprintf(command, sizeof command, "%s.csv", path);
    remove(command);
    snprintf(command, sizeof command, "%s.csv.json", path);
    remove(command);
    return WEXITSTATUS(status);
}

TEST(the_program_says_so_with_its_exit_code)
{
    char* text = slider_crank();
    CHECK(exit_code(text) == 0);
    CHECK(problem_replace(&text, "  slider.Q.vx: -4", "  slider.Q.vx: -4\n  O.rate: 1") == 1);
    CHECK(exit_code(text) == 4);
    free(text);
}

/* A step that cannot converge stops the run with a cause and a remedy, and the last good state
 * stays. */
TEST(a_failed_step_is_explained_and_undone)
{
    problem_run run;
    problem_start(&run, PROBLEM("slider-crank-1"), NULL,
                  "step=1e-2 newton-tolerance=1e-15 iterations=2");
    double before[MOST_OUTPUTS], after[MOST_OUTPUTS];
    CHECK_STATUS(sar_simulation_outputs(run.simulation, before), SAR_OK);
    CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_R_NO_CONV);
    CHECK_STATUS(sar_simulation_outputs(run.simulation, after), SAR_OK);
    for (int k = 0; k < sar_model_outputs(run.model); k++) CHECK_NEAR(after[k], before[k], 0);
    CHECK(sar_simulation_time(run.simulation) == 0.0);
    CHECK(strstr(sar_simulation_failure(run.simulation), "did not converge"));
    CHECK(strstr(sar_simulation_failure(run.simulation), "smaller step"));
    problem_free(&run);
    problem_start(&run, PROBLEM("slider-crank-1"), NULL,
                  "step=1e-2 newton-tolerance=1e-15 iterations=2 best-effort=1 end=0.1");
    problem_steps(&run, 1);
    CHECK_STATUS(run.status, SAR_OK);
    CHECK(run.statistics.not_converged > 0);
    problem_free(&run);
}

/* A heavy arm and a light one, each with a rotor that is light and fast. */
TEST(light_rotors_on_fast_gears_get_their_rates)
{
    static const char* const TEXT =
        "sarrus: 1\nname: geared\ndimension: 3\n"
        "ground: {points: {p: [0, 1, 0]}}\n"
        "bodies:\n"
        "  arm: {mass: 10, inertia: [1, 1, 1], points: {a: [-0.2, 0, 0], b: [0.2, 0, 0]}, "
        "position: [0.2, 0, 0], rotation: {quaternion: [1, 0, 0, 0]}}\n"
        "  hand: {mass: 0.01, inertia: [1e-6, 1e-6, 1e-6], points: {a: [-0.2, 0, 0]}, "
        "position: [0.6, 0, 0], rotation: {quaternion: [1, 0, 0, 0]}}\n"
        "  big: {mass: 0.1, inertia: [2e-4, 2e-4, 2e-4], points: {a: [0, 0, 0]}, "
        "position: [0, 1, 0], rotation: {quaternion: [1, 0, 0, 0]}}\n"
        "  small: {mass: 0.1, inertia: [33e-6, 33e-6, 33e-6], points: {a: [0, 0, 0]}, "
        "position: [0, 1, 0], rotation: {quaternion: [1, 0, 0, 0]}}\n"
        "joints:\n"
        "  j1: {type: revolute, axis: [0, 1, 0], between: [ground.origin, arm.a]}\n"
        "  j2: {type: revolute, axis: [0, 1, 0], between: [arm.b, hand.a]}\n"
        "  r1: {type: revolute, axis: [0, 1, 0], between: [ground.p, big.a]}\n"
        "  r2: {type: revolute, axis: [0, 1, 0], between: [ground.p, small.a]}\n"
        "  g1: {type: gear, joints: [j1, r1], ratio: 100}\n"
        "  g2: {type: gear, joints: [j2, r2], ratio: 76}\n"
        "start: {j1.rate: 0.3, j2.rate: 0.5}\n"
        "outputs: {w1: r1.rate, w2: r2.rate}\n";
    for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++) {
        problem_run run;
        char* text = strdup(TEXT);
        start(&run, text, sar_axis_member(SAR_AXIS_COORDINATES, c).name);
        if (run.status != SAR_OK)
            fail_msg("%s: residual %g", sar_axis_member(SAR_AXIS_COORDINATES, c).name,
                     run.assembly.residual);
        CHECK_NEAR(problem_output(&run, "w1"), 30.0, 1e-6);
        CHECK_NEAR(problem_output(&run, "w2"), 38.0, 1e-6);
        problem_free(&run);
    }
}
