/* The sparse algebra of the chart: the same motion as by the dense one, and large mechanisms against
 * their motion in minimal coordinates, references and another method. */
#include "problem_run.h"

#include "formulations/chart/chart.h"

#include <math.h>

/// A run to its end and what it gives there.
typedef struct outcome {
    double value[MOST_OUTPUTS];
    int count;
    sar_statistics statistics;
    int passes; ///< of singular configurations, after the start
} outcome;

static outcome run_to_the_end(const char* path, const char* parameters, const char* options)
{
    problem_run run;
    outcome out = {0};
    problem_start(&run, path, parameters, options);
    while (run.status == SAR_OK && !sar_simulation_done(run.simulation))
        run.status = sar_simulation_advance(run.simulation);
    if (run.status != SAR_OK)
        fail_msg("%s (%s): %s", path, options, sar_simulation_failure(run.simulation));
    out.count = sar_model_outputs(run.model);
    CHECK_STATUS(sar_simulation_outputs(run.simulation, out.value), SAR_OK);
    out.statistics = sar_simulation_statistics(run.simulation);
    const sar_event* pass;
    const int count = sar_simulation_singular_passes(run.simulation, &pass);
    for (int k = 0; k < count; k++)
        out.passes += pass[k].t > 1e-6; // a start in one is none, or one
    problem_free(&run);
    return out;
}

#define CHART "formulation=chart integrator=dop853 "

typedef struct mechanism {
    const char *path, *parameters, *options;
    double apart; ///< at the end, of one and what it is: what both may differ by
} mechanism;

// Tolerance 1e-8. Closed loops with redundant rows, drives, several degrees of freedom, starts in
// and ways through singular configurations, parts without mass. The motion of slider-crank-3 grows errors
// by 6e4, tables make iltis-suspension rough.
static const mechanism MECHANISMS[] = {
    {PROBLEM("andrews"), NULL, "", 1e-6},
    {PROBLEM("bricard"), NULL, "end=5", 1e-6},
    {PROBLEM("chain"), NULL, "end=2", 1e-6},
    {PROBLEM("flyball-governor"), NULL, "end=0.1", 1e-6},
    {PROBLEM("four-bar"), NULL, "end=10", 1e-6},
    {PROBLEM("iltis-suspension"), NULL, "end=0.5", 1e-5},
    {PROBLEM("ladder"), NULL, "end=2", 1e-6},
    {PROBLEM("n-four-bar"), NULL, "", 1e-6},
    {PROBLEM("n-four-bar"), "n=10", "", 1e-6},
    {PROBLEM("pendulum"), NULL, "", 1e-6},
    {PROBLEM("puma"), NULL, "", 1e-6},
    {PROBLEM("slider-crank-1"), NULL, "", 1e-6},
    {PROBLEM("slider-crank-2"), NULL, "", 1e-5},
    {PROBLEM("slider-crank-3"), NULL, "", 1e-3},
    {PROBLEM("slider-crank-singular"), NULL, "", 1e-6},
    {PROBLEM("spatial-double-pendulum"), NULL, "end=5", 1e-5},
    {PROBLEM("tree"), NULL, "", 1e-6},
    {TEST_MODEL("n-four-bar-spatial"), NULL, "", 1e-6},
    {TEST_MODEL("slider-crank-spatial"), NULL, "", 1e-6},
};

static void check_agreement(const mechanism* m, const char* coordinates)
{
    char options[160];
    outcome out[2];
    for (int k = 0; k < 2; k++) {
        snprintf(options, sizeof options, CHART "coordinates=%s tolerance=1e-8 solver=%s %s",
                 coordinates, k ? "sparse" : "dense", m->options);
        out[k] = run_to_the_end(m->path, m->parameters, options);
        assert_string_equal(out[k].statistics.solver, k ? "sparse" : "dense");
    }
    for (int i = 0; i < out[0].count; i++) {
        const double a = out[0].value[i], b = out[1].value[i];
        if (!(fabs(a - b) <= m->apart * (1.0 + fabs(a))))
            fail_msg("%s, %s: output %d is %.12g and %.12g", m->path, coordinates, i, a, b);
    }
    assert_int_equal(out[1].passes, out[0].passes);
}

TEST(both_algebras_give_one_motion)
{
    for (size_t k = 0; k < sizeof MECHANISMS / sizeof *MECHANISMS; k += IN_FULL_OR_SAMPLE(1, 3))
        check_agreement(&MECHANISMS[k], "natural");
}

TEST(in_other_coordinates_too)
{
    static const char* const OTHERS[] = {"cartesian", "relative"};
    static const int WHICH[] = {4, 7, 14}; // four-bar, n-four-bar, slider-crank-singular
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < 3; k++) check_agreement(&MECHANISMS[WHICH[k]], OTHERS[c]);
}

/* n-four-bar in minimal coordinates: all cranks turn alike, couplers move without turning. */
static double crank_acceleration(int n, double theta)
{
    const double inertia = (n + 1) / 3.0 + n, weight = 9.81 * ((n + 1) / 2.0 + n);
    return -weight * cos(theta) / inertia;
}

/* By the classical rule of Runge and Kutta, in steps so small that they do not matter. */
static double crank_angle(int n, double end)
{
    enum { STEPS = 20000 };
    double theta = acos(-1.0) / 2.0, rate = -1.0;
    const double h = end / STEPS;
    for (int i = 0; i < STEPS; i++) {
        const double a1 = crank_acceleration(n, theta), v2 = rate + h / 2 * a1;
        const double a2 = crank_acceleration(n, theta + h / 2 * rate), v3 = rate + h / 2 * a2;
        const double a3 = crank_acceleration(n, theta + h / 2 * v2), v4 = rate + h * a3;
        const double a4 = crank_acceleration(n, theta + h * v3);
        theta += h / 6 * (rate + 2 * v2 + 2 * v3 + v4);
        rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return theta;
}

// 200 loops lose rank at once, ten times in ten seconds; the solver is chosen by itself.
TEST(two_hundred_four_bars_pass_their_singular_configurations)
{
    static const char* const COORDINATES_OF[] = {"natural", "relative"};
    const double theta = crank_angle(200, 10.0);
    for (int c = 0; c < 2; c++) {
        char options[128];
        snprintf(options, sizeof options, CHART "coordinates=%s tolerance=1e-6", COORDINATES_OF[c]);
        const outcome out = run_to_the_end(PROBLEM("n-four-bar"), "n=200", options);
        assert_string_equal(out.statistics.solver, "sparse");
        CHECK_NEAR(out.value[1], cos(theta), 1e-5); // x1, y1 [m]: ten times the tolerance
        CHECK_NEAR(out.value[2], sin(theta), 1e-5);
        CHECK(out.passes == 10);
        CHECK(out.statistics.branch_changes == 0);
    }
}

TEST(the_ladder_follows_its_reference)
{
    problem_run run;
    problem_load(&run, PROBLEM("ladder"), "n=10");
    problem_create(&run, CHART "coordinates=natural tolerance=1e-6 solver=sparse end=2 step=0.01");
    CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
    problem_samples(&run, 0.01);
    CHECK_STATUS(run.status, SAR_OK);
    CHECK_AT_MOST(problem_compare(&run, SARRUS_ROOT "/problems/ladder/reference-n10.csv",
                                  "x_last y_last z_last")
                      .max_error,
                  1e-5); // [m]: ten times the tolerance
    problem_free(&run);
}

// 1506 coordinates, 100 redundant loops: rank and motion, beside a method without a chart.
TEST(the_long_ladder_starts_like_by_another_method)
{
    const outcome chart =
        run_to_the_end(PROBLEM("ladder"), "n=100",
                       CHART "coordinates=natural tolerance=1e-6 solver=sparse end=0.03");
    const outcome index1 =
        run_to_the_end(PROBLEM("ladder"), "n=100",
                       "coordinates=natural formulation=al1 integrator=dop853 omega=0 project=1 "
                       "solver=sparse tolerance=1e-8 end=0.03");
    assert_string_equal(chart.statistics.solver, "sparse");
    for (int i = 0; i < 3; i++) CHECK_NEAR(chart.value[i], index1.value[i], 1e-5); // [m]
    CHECK_AT_MOST(chart.statistics.violation.position, 1e-9);
}

/// Four-bar linkages that are never singular, one like the other.
static const char LINKAGES[] =
    "repeat:\n"
    "  - index: i\n"
    "    from: 1\n"
    "    to: 15\n"
    "    bodies:\n"
    "      a{i}: {mass: 1, center: [0.5, 0], inertia: 0.1, points: {O: [0, 0], P: [1, 0]}, "
    "position: [0, 5], angle: -pi/3}\n"
    "      b{i}: {mass: 1, center: [0.75, 0], inertia: 0.2, points: {O: [0, 0], P: [1.5, 0]}, "
    "position: [1.6, 5], angle: -pi/2}\n"
    "      c{i}: {mass: 1, center: [0.5, 0], inertia: 0.2, points: {A: [0, 0], B: [sqrt(1.1^2 + "
    "(1.5 - sin(pi/3))^2), 0]}, position: [0.5, 5 - sin(pi/3)], "
    "angle: 'atan2(sin(pi/3) - 1.5, 1.1)'}\n"
    "    joints:\n"
    "      A{i}: {type: revolute, between: [ground.a, \"a{i}.O\"]}\n"
    "      B{i}: {type: revolute, between: [ground.b, \"b{i}.O\"]}\n"
    "      C{i}: {type: revolute, between: [\"a{i}.P\", \"c{i}.A\"]}\n"
    "      D{i}: {type: revolute, between: [\"b{i}.P\", \"c{i}.B\"]}\n";

/* A slider-crank that passes singular configurations in a machine of 48 bodies: the loop that is weakest at
 * one time has nothing to do with the one that is at another. */
TEST(one_loop_of_many_is_singular)
{
    const double WHEN[] = {0.39173214, 1.2770158, 2.1622995}; // alone, by the dense algebra
    problem_run run;
    char* text = problem_text(PROBLEM("slider-crank-1"));
    CHECK(problem_replace(
              &text, "\nbodies:", "\nground:\n  points: {a: [0, 5], b: [1.6, 5]}\nbodies:") == 1);
    const size_t length = strlen(text) + sizeof LINKAGES;
    char* whole = calloc(1, length);
    if (!whole)
        fail_msg("out of memory");
    else
        snprintf(whole, length, "%s%s", text, LINKAGES);
    problem_parse(&run, whole);
    problem_finish(&run, CHART "coordinates=relative tolerance=1e-8 solver=sparse end=3");
    const sar_event* pass;
    assert_int_equal(sar_simulation_singular_passes(run.simulation, &pass), 3);
    for (int k = 0; k < 3; k++) CHECK_NEAR(pass[k].t, WHEN[k], 1e-7);
    problem_free(&run);
    free(whole);
    free(text);
}
