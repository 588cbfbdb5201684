/* Static equilibria against closed forms, in all coordinates and at all sizes; verdicts; starts. */
#include "reader_fixture.h"

static const char* const COORDINATES[] = {"natural", "cartesian", "increments", "relative"};
enum { TYPES = sizeof COORDINATES / sizeof *COORDINATES };

typedef struct rest {
    sar_status status;
    sar_equilibrium found;
    double value[8]; ///< of outputs
    char failure[640];
} rest;

static rest rest_of(const char* text, const sar_setting* settings, int count,
                    const char* coordinates)
{
    rest out = {0};
    sar_error error = {0};
    sar_simulation* s = NULL;
    sar_model* model = parse_with(text, settings, count);
    sar_options options = sar_options_default();
    CHECK_STATUS(sar_options_set(&options, "coordinates", coordinates, &error), SAR_OK);
    CHECK_STATUS(sar_options_set(&options, "equilibrium", "1", &error), SAR_OK);
    CHECK_STATUS(sar_simulation_create(model, &options, &s, &error), SAR_OK);
    out.status = sar_simulation_assemble(s, NULL);
    out.found = sar_simulation_equilibrium(s);
    if (out.status == SAR_OK) CHECK_STATUS(sar_simulation_outputs(s, out.value), SAR_OK);
    snprintf(out.failure, sizeof out.failure, "%s", sar_simulation_failure(s));
    sar_simulation_destroy(s);
    sar_model_destroy(model);
    return out;
}

static const char* const SIZES[] = {"1e-3", "1", "1000"};

static void check_near(double a, double b, double scale, const char* who)
{
    if (!(fabs(a - b) <= 1e-8 * scale)) fail_msg("%s: %.12g instead of %.12g", who, a, b);
}

/* y = -(l + m g/k) */
TEST(a_mass_hangs_from_a_spring)
{
    static const char text[] =
        HEAD2 "parameters: {L: 1, k: 100}\ngravity: [0, -9.81]\n"
              "bodies: {mass: {mass: 2, inertia: 0.1*L*L, position: [0, -0.5*L], angle: 0}}\n"
              "joints: {g: {type: prismatic, between: [ground.origin, mass.origin], axis: "
              "[ground.y, mass.y]}}\n"
              "forces: {s: {type: spring, between: [ground.origin, mass.origin], stiffness: k/L, "
              "length: 0.4*L}}\noutputs: {y: mass.origin.y}\n";
    for (int size = 0; size < 3; size++)
        for (int c = 0; c < TYPES; c++) {
            const sar_setting settings[] = {{"L", SIZES[size]}};
            const double L = strtod(SIZES[size], NULL);
            const rest r = rest_of(text, settings, 1, COORDINATES[c]);
            CHECK_STATUS(r.status, SAR_OK);
            CHECK_STATUS(r.found.verdict, SAR_EQUILIBRIUM_STABLE);
            check_near(r.value[0], -0.4 * L - 2 * 9.81 * L / 100, L, COORDINATES[c]);
        }
}

/* k a + m g l cos(a)/2 = 0, from both sides */
TEST(a_pendulum_leans_on_a_torsion_spring)
{
    static const char text[] = HEAD2
        "parameters: {a: 2, k: 3}\ngravity: [0, -9.81]\n"
        "bodies: {rod: {mass: 1, center: [0.5, 0], inertia: 1/12, position: [0, 0], angle: a}}\n"
        "joints: {g: {type: revolute, between: [ground.origin, rod.origin]}}\n"
        "forces: {s: {type: rotational-spring, joint: g, stiffness: k}}\n"
        "outputs: {a: g.angle}\n";
    double a = -1.0;
    for (int k = 0; k < 50; k++) a -= (3 * a + 9.81 * 0.5 * cos(a)) / (3 - 9.81 * 0.5 * sin(a));
    for (int c = 0; c < TYPES; c++) {
        const rest r = rest_of(text, NULL, 0, COORDINATES[c]);
        CHECK_STATUS(r.status, SAR_OK);
        CHECK_STATUS(r.found.verdict, SAR_EQUILIBRIUM_STABLE);
        check_near(r.value[0], a, 1.0, COORDINATES[c]);
    }
}

/* Without the spring: hangs down from anywhere, stands where it is drawn upright. */
TEST(upright_is_unstable_and_down_is_found_from_anywhere)
{
    static const char text[] = HEAD2
        "parameters: {a: 2}\ngravity: [0, -9.81]\n"
        "bodies: {rod: {mass: 1, center: [0.5, 0], inertia: 1/12, position: [0, 0], angle: a}}\n"
        "joints: {g: {type: revolute, between: [ground.origin, rod.origin]}}\n"
        "outputs: {y: rod.origin.y, s: sin(g.angle)}\n";
    const sar_setting up = {"a", "pi/2"};
    for (int c = 0; c < TYPES; c++) {
        const rest down = rest_of(text, NULL, 0, COORDINATES[c]);
        CHECK_STATUS(down.found.verdict, SAR_EQUILIBRIUM_STABLE);
        check_near(down.value[1], -1.0, 1.0, COORDINATES[c]);
        const rest stands = rest_of(text, &up, 1, COORDINATES[c]);
        CHECK_STATUS(stands.status, SAR_OK);
        CHECK_STATUS(stands.found.verdict, SAR_EQUILIBRIUM_UNSTABLE);
        CHECK_STATUS(stands.found.unstable, 1);
        check_says(stands.found.unstable_bodies, "rod");
        check_near(stands.value[1], 1.0, 1.0, COORDINATES[c]);
    }
}

/* A column of two links with a torsion spring between, under the load P: straight it is stable below
 * P = 4 k/L of Euler's kind and unstable above it. Links of length 1: tip sinks by 2 (1 - cos a),
 * the spring turns by 2 a: energy 2 k a^2 - P a^2, so P = 2 k. */
TEST(a_column_buckles_under_its_load)
{
    static const char text[] = HEAD2
        "parameters: {P: 10, k: 6}\n"
        "bodies:\n"
        "  low: {mass: 1, inertia: 0.1, points: {end: [1, 0]}, position: [0, 0], angle: pi/2}\n"
        "  high: {mass: 1, inertia: 0.1, points: {end: [1, 0]}, position: [0, 1], angle: pi/2}\n"
        "joints:\n"
        "  foot: {type: revolute, between: [ground.origin, low.origin]}\n"
        "  knee: {type: revolute, between: [low.end, high.origin]}\n"
        "  head: {type: point-on-line, between: [ground.origin, high.end], axis: [0, 1]}\n"
        "forces:\n"
        "  spring: {type: rotational-spring, joint: knee, stiffness: k}\n"
        "  load: {type: force, acts_on: high.end, force: [0, -P]}\n"
        "outputs: {y: high.end.y}\n";
    const sar_setting heavy = {"P", "14"};
    for (int c = 0; c < TYPES; c++) {
        CHECK_STATUS(rest_of(text, NULL, 0, COORDINATES[c]).found.verdict, SAR_EQUILIBRIUM_STABLE);
        const rest buckles = rest_of(text, &heavy, 1, COORDINATES[c]);
        CHECK_STATUS(buckles.found.verdict, SAR_EQUILIBRIUM_UNSTABLE);
        CHECK_STATUS(buckles.found.unstable, 1);
    }
}

/* A rhombus comes to rest with all bars in a line, where two motions meet: as a parallelogram, and two bars as one. Neither
 * reactions nor the stiffness that goes with them are unique there. */
TEST(two_motions_meet_where_a_rhombus_hangs)
{
    static const char text[] =
        HEAD2 "parameters: {L: 1, a: 0.7}\ngravity: [0, -9.81]\n"
              "ground: {points: {O: [0, 0], P: [0, L]}}\n"
              "bodies:\n"
              "  A: {mass: 1, inertia: L^2, points: {b: [L/2, 0], e: [-L/2, 0]}, angle: a, "
              "position: [L/2*cos(a), L/2*sin(a)]}\n"
              "  B: {mass: 1, inertia: L^2, points: {b: [L/2, 0], e: [-L/2, 0]}, angle: pi/2, "
              "position: [L*cos(a), L*sin(a) + L/2]}\n"
              "  C: {mass: 1, inertia: L^2, points: {b: [L/2, 0], e: [-L/2, 0]}, angle: a, "
              "position: [L/2*cos(a), L/2*sin(a) + L]}\n"
              "joints:\n"
              "  J1: {type: revolute, between: [ground.O, A.e]}\n"
              "  J2: {type: revolute, between: [A.b, B.e]}\n"
              "  J3: {type: revolute, between: [B.b, C.b]}\n"
              "  J4: {type: revolute, between: [ground.P, C.e]}\n"
              "outputs: {y: B.origin.y}\n";
    static const char* const ANGLES[] = {"0.7", "-0.4", "-pi/2"};
    for (int k = 0; k < 9; k++)
        for (int c = 0; c < TYPES; c++) {
            const sar_setting settings[] = {{"L", SIZES[k / 3]}, {"a", ANGLES[k % 3]}};
            const double L = strtod(SIZES[k / 3], NULL);
            const rest r = rest_of(text, settings, 2, COORDINATES[c]);
            CHECK_STATUS(r.found.verdict, SAR_EQUILIBRIUM_SINGULAR);
            CHECK_STATUS(r.found.freedoms, 1);
            CHECK_STATUS(r.found.unstable, 0);
            if (k % 3 < 2) check_near(r.value[0], -L / 2, L, COORDINATES[c]);
        }
}

/* A parallelogram is redundant in space: all hinges parallel. Weight at the coupler's middle against
 * a torsion spring at one crank, drawn at a = 0.3 where the spring is free: with cranks of length 1 that
 * weigh nothing, m g cos(a) + k (a - 0.3) = 0. */
TEST(a_redundant_four_bar_rests_on_its_spring)
{
    static const char text[] =
        HEAD3 "gravity: [0, 0, -9.81]\n"
              "ground: {points: {A: [0, 0, 0], B: [2, 0, 0]}}\n"
              "bodies:\n"
              "  left: {mass: 1e-6, inertia: [1e-6, 1e-6, 1e-6], points: {tip: [1, 0, 0]}, "
              "position: [0, 0, 0], "
              "rotation: {rpy: [0, -0.3, 0]}}\n"
              "  right: {mass: 1e-6, inertia: [1e-6, 1e-6, 1e-6], points: {tip: [1, 0, 0]}, "
              "position: [2, 0, 0], "
              "rotation: {rpy: [0, -0.3, 0]}}\n"
              "  coupler: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {l: [-1, 0, 0], r: [1, 0, "
              "0]}, position: "
              "[1 + cos(0.3), 0, sin(0.3)], rotation: {rpy: [0, 0, 0]}}\n"
              "joints:\n"
              "  a: {type: revolute, between: [ground.A, left.origin], axis: [0, -1, 0]}\n"
              "  b: {type: revolute, between: [ground.B, right.origin], axis: [0, -1, 0]}\n"
              "  c: {type: revolute, between: [left.tip, coupler.l], axis: [0, -1, 0]}\n"
              "  d: {type: revolute, between: [right.tip, coupler.r], axis: [0, -1, 0]}\n"
              "forces: {s: {type: rotational-spring, joint: a, stiffness: 20}}\n"
              "outputs: {z: coupler.origin.z}\n";
    double a = -0.3; // joint angles count from the drawing
    for (int k = 0; k < 50; k++) a -= (20 * (a - 0.3) + 9.81 * cos(a)) / (20 - 9.81 * sin(a));
    for (int c = 0; c < TYPES; c++) {
        const rest r = rest_of(text, NULL, 0, COORDINATES[c]);
        CHECK_STATUS(r.status, SAR_OK);
        CHECK_STATUS(r.found.freedoms, 1);
        CHECK_STATUS(r.found.verdict, SAR_EQUILIBRIUM_STABLE);
        check_near(r.value[0], sin(a), 1.0, COORDINATES[c]);
    }
}

/* A table of 40 kg on four bushings, with an eccentric centre: sinks by m g/4k in the mean, and
 * tilts by m g e/(4 k b^2) (small angles: torsion of the bushings is left out). */
TEST(a_table_sinks_into_four_bushings)
{
    static const char text[] = HEAD3
        "parameters: {L: 1}\ngravity: [0, 0, -9.81]\n"
        "ground: {points: {A: [L, L, 0], B: [-L, L, 0], C: [-L, -L, 0], D: [L, -L, 0]}}\n"
        "bodies:\n"
        "  top: {mass: 40, center: [0.1*L, 0, 0], inertia: [3*L^2, 3*L^2, 3*L^2], points: {A: [L, "
        "L, 0], "
        "B: [-L, L, 0], C: [-L, -L, 0], D: [L, -L, 0]}, position: [0, 0, 0], rotation: {rpy: [0, "
        "0, 0]}}\n"
        "forces:\n"
        "  a: {type: bushing, between: [ground.A, top.A], K: [1e6/L, 1e6/L, 1e6/L, 0, 0, 0]}\n"
        "  b: {type: bushing, between: [ground.B, top.B], K: [1e6/L, 1e6/L, 1e6/L, 0, 0, 0]}\n"
        "  c: {type: bushing, between: [ground.C, top.C], K: [1e6/L, 1e6/L, 1e6/L, 0, 0, 0]}\n"
        "  d: {type: bushing, between: [ground.D, top.D], K: [1e6/L, 1e6/L, 1e6/L, 0, 0, 0]}\n"
        "outputs: {z: top.origin.z, tilt: top.A.z - top.B.z}\n";
    for (int size = 0; size < 3; size++)
        for (int c = 0; c < TYPES; c++) {
            const sar_setting settings[] = {{"L", SIZES[size]}};
            const double L = strtod(SIZES[size], NULL), sinks = 40 * 9.81 * L / 4e6;
            const rest r = rest_of(text, settings, 1, COORDINATES[c]);
            CHECK_STATUS(r.status, SAR_OK);
            CHECK_STATUS(r.found.verdict, SAR_EQUILIBRIUM_STABLE);
            CHECK_STATUS(r.found.freedoms, 6);
            check_near(r.value[0], -sinks, L, COORDINATES[c]);
            // against its four legs of stiffness k at the arm L: 40 g 0.1 L = 4 k L^2 angle
            check_near(r.value[1], -2.0 * L * 0.1 * sinks / L, L, COORDINATES[c]);
        }
}

/* Nothing holds the apple; a disc on an axle may turn. */
TEST(what_nothing_holds_is_told)
{
    static const char apple[] = HEAD3 "gravity: [0, 0, -9.81]\nbodies: {apple: {mass: 1, inertia: "
                                      "[1, 1, 1], position: [0, 0, 1]}}\n";
    static const char disc[] = HEAD3
        "gravity: [0, 0, -9.81]\nbodies: {disc: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1], "
        "rotation: {rpy: [0, 0, 0]}, "
        "angular_velocity: [0, 0, 7]}}\n"
        "joints: {axle: {type: revolute, between: [ground.P, disc.origin], axis: [0, 0, 1]}}\n"
        "ground: {points: {P: [0, 0, 1]}}\noutputs: {spin: axle.rate}\n";
    for (int c = 0; c < TYPES; c++) {
        const rest falls = rest_of(apple, NULL, 0, COORDINATES[c]);
        CHECK_STATUS(falls.status, SAR_E_ASSEMBLY);
        CHECK_STATUS(falls.found.verdict, SAR_EQUILIBRIUM_NOT_FOUND);
        check_near(falls.found.residual, 9.81, 1.0, COORDINATES[c]);
        check_says(falls.failure, "apple");
        const rest turns = rest_of(disc, NULL, 0, COORDINATES[c]);
        CHECK_STATUS(turns.status, SAR_OK);
        CHECK_STATUS(turns.found.verdict, SAR_EQUILIBRIUM_UNDETERMINED);
        CHECK_STATUS(turns.found.undetermined, 1);
        check_says(turns.found.undetermined_bodies, "disc");
        check_near(turns.value[0], 7.0, 1.0, COORDINATES[c]); // velocities stay those of the start
    }
}

/* In a file: an option of the run, in the first file alone. */
TEST(a_file_asks_for_equilibrium)
{
    static const char text[] =
        HEAD2 "bodies: {b: {mass: 1, inertia: 1}}\nstart: {equilibrium: %s}\n";
    char yes[256], wrong[256];
    snprintf(yes, sizeof yes, text, "yes");
    snprintf(wrong, sizeof wrong, text, "perhaps");
    sar_options options = sar_options_default();
    sar_model* model = NULL;
    CHECK_STATUS(sar_model_parse(yes, strlen(yes), "test.yaml", NULL, 0, &model, &options, NULL),
                 SAR_OK);
    CHECK_STATUS(options.equilibrium, 1);
    sar_model_destroy(model);
    char* messages = complaints(wrong);
    check_says(messages, "equilibrium must be yes or no");
    sar_text_free(messages);
}

/* Ziegler's column: two rods with 2 m and m at their ends, the load along the last one. Without damping it
 * flutters above P l/k = 7/2 - sqrt(2), with a little at both joints above 41/28. */
TEST(a_column_flutters_under_a_load_that_follows_it)
{
    static const char text[] = HEAD2
        "parameters: {P: 1, c: 0}\n"
        "bodies:\n"
        "  rod1: {mass: 2, center: [1, 0], inertia: 0, points: {tip: [1, 0]}, position: [0, 0], "
        "angle: 0}\n"
        "  rod2: {mass: 1, center: [1, 0], inertia: 0, points: {tip: [1, 0]}, position: [1, 0], "
        "angle: 0}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground.origin, rod1.origin]}\n"
        "  b: {type: revolute, between: [rod1.tip, rod2.origin]}\n"
        "forces:\n"
        "  ka: {type: rotational-spring, joint: a, stiffness: 1, damping: c}\n"
        "  kb: {type: rotational-spring, joint: b, stiffness: 1, damping: c}\n"
        "  load: {type: force, acts_on: rod2.tip, force: [-P, 0], axes: body}\n"
        "outputs: {a: a.angle}\n";
    static const struct {
        const char *P, *c;
        int verdict;
    } cases[] = {
        {"2.085", "0", SAR_EQUILIBRIUM_MARGINAL},
        {"2.087", "0", SAR_EQUILIBRIUM_UNSTABLE},
        {"1.464", "1e-3", SAR_EQUILIBRIUM_STABLE},
        {"1.465", "1e-3", SAR_EQUILIBRIUM_UNSTABLE},
    };
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < TYPES; c++) {
            const sar_setting settings[] = {{"P", cases[k].P}, {"c", cases[k].c}};
            const rest r = rest_of(text, settings, 2, COORDINATES[c]);
            CHECK_STATUS(r.status, SAR_OK);
            CHECK_STATUS(r.found.verdict, cases[k].verdict);
            if (cases[k].verdict == SAR_EQUILIBRIUM_UNSTABLE) {
                CHECK(r.found.growth > 0.0 && r.found.growth_frequency > 0.0);
                assert_int_equal(r.found.growing_body, 2);
            }
        }
}

/* m l^2 x'' + c x' -+ m g l x = 0, with l = 2: up, down, and with damping of the wrong sign. */
TEST(a_pendulum_grows_at_its_rate)
{
    static const char text[] = HEAD2
        "parameters: {up: 1, c: 0}\ngravity: [0, -10]\n"
        "bodies: {rod: {mass: 1, center: [0, 2*up], inertia: 0, position: [0, 0], angle: 0}}\n"
        "joints: {g: {type: revolute, between: [ground.origin, rod.origin]}}\n"
        "forces: {k: {type: rotational-spring, joint: g, damping: c}}\noutputs: {a: g.angle}\n";
    static const struct {
        const char *up, *c;
        double growth, swings;
    } cases[] = {{"1", "0", 2.2360679775, 0},
                 {"1", "3", 1.8922946, 0},
                 {"-1", "3", 0, 0},
                 {"-1", "-3", 0.375, 2.2043990}};
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < TYPES; c++) {
            const sar_setting settings[] = {{"up", cases[k].up}, {"c", cases[k].c}};
            const rest r = rest_of(text, settings, 2, COORDINATES[c]);
            const int grows = cases[k].growth > 0.0;
            CHECK_STATUS(r.found.verdict,
                         grows ? SAR_EQUILIBRIUM_UNSTABLE : SAR_EQUILIBRIUM_STABLE);
            CHECK_NEAR(r.found.growth, cases[k].growth, 1e-6);
            CHECK_NEAR(2 * M_PI * r.found.growth_frequency, cases[k].swings, 1e-6);
        }
}
