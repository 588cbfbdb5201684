/* Joints with several coordinates: angle and angle2 of universal joints, angle, displacement and
 * displacement2 in planes. Drawn by hand, started, driven, coupled and with springs, in all
 * coordinates. */
#include "math/vec3.h"
#include "problem_run.h"

typedef void check_run(problem_run* run);

/* The text in every type of coordinates, assembled. */
static void in_all_coordinates(const char* text, const char* options, check_run* check)
{
    const char* type;
    for (int c = 0; (type = axis_member(SAR_AXIS_COORDINATES, c)); c++) {
        problem_run run;
        char all[128];
        snprintf(all, sizeof all, "coordinates=%s %s", type, options);
        problem_parse(&run, text);
        problem_create(&run, all);
        run.status = sar_simulation_assemble(run.simulation, &run.assembly);
        if (run.status != SAR_OK)
            fail_msg("%s: assembly verdict %d, residual %g", type, run.assembly.verdict,
                     run.assembly.residual);
        check(&run);
        problem_free(&run);
    }
}

static void steps(problem_run* run)
{
    problem_steps(run, 10);
    if (run->status != SAR_OK) fail_msg("%s", sar_simulation_failure(run->simulation));
}

/* ---- drawn by hand -------------------------------------------------------------------------- */

static void turn_about(const double axis[3], double angle, double R[9])
{
    double s = sin(angle / 2), p[4] = {cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]};
    sari_rotation_of_quaternion(p, R);
}

static const double X[3] = {1, 0, 0}, Z[3] = {0, 0, 1}, TILT[3] = {0.6, 0, 0.8};

/* Of the second body against the first: turns, displacements and their rates. */
static double want[6];

static void check_wanted(problem_run* run)
{
    static const char* const names[6] = {"p1", "p2", "p3", "v1", "v2", "v3"};
    CHECK_AT_MOST(run->assembly.moved, 1e-9);
    for (int k = 0; k < 6; k++) CHECK_NEAR(problem_output(run, names[k]), want[k], 1e-9);
}

static const char DRAWN[] =
    "sarrus: 1\nname: drawn\ndimension: 3\nbodies:\n"
    "  one: {mass: 1, inertia: [1, 2, 2.5], position: [0.1, 0.2, 0.3],\n"
    "        rotation: {axis: [0.6, 0, 0.8], angle: 0.7}, velocity: [1, -1, 2],\n"
    "        angular_velocity: [%.17g, %.17g, %.17g]}\n"
    "  two: {mass: 1, inertia: [1, 2, 2.5], position: [%.17g, %.17g, %.17g],\n"
    "        rotation: {x: [%.17g, %.17g, %.17g], y: [%.17g, %.17g, %.17g]},\n"
    "        velocity: [%.17g, %.17g, %.17g], angular_velocity: [%.17g, %.17g, %.17g]}\n"
    "joints: {J: {between: [one.origin, two.origin], %s}}\noutputs: {%s}\n";

/* Body two is at R in the axes of one, displaced by d; it moves against one by u and w, in the axes
 * of one. */
static void draw(const double R[9], const double d[3], const double u[3], const double w[3],
                 const char* joint, const char* outputs)
{
    static const double w1[3] = {0.3, -0.8, 0.5}, v1[3] = {1, -1, 2}, r1[3] = {0.1, 0.2, 0.3};
    double R1[9], R2[9], arm[3], v[3], w2[3], sweep[3];
    char text[2000];
    turn_about(TILT, 0.7, R1);
    sari_multiply3(R1, R, R2);
    sari_rotate(R1, d, arm);
    sari_rotate(R1, u, v);
    sari_rotate(R1, w, w2);
    sari_cross(w1, arm, sweep);
    snprintf(text, sizeof text, DRAWN, w1[0], w1[1], w1[2], r1[0] + arm[0], r1[1] + arm[1],
             r1[2] + arm[2], R2[0], R2[3], R2[6], R2[1], R2[4], R2[7], v1[0] + sweep[0] + v[0],
             v1[1] + sweep[1] + v[1], v1[2] + sweep[2] + v[2], w1[0] + w2[0], w1[1] + w2[1],
             w1[2] + w2[2], joint, outputs);
    in_all_coordinates(text, "", check_wanted);
}

/* Two's y axis is b's, along a's normal x at first; its z axis, the normal of b, along a's axis z.
 */
TEST(universal_joints_turn_about_one_axis_and_then_the_other)
{
    static const double zero[9] = {0, 1, 0, -1, 0, 0, 0, 0, 1}, none[3] = {0};
    static const double angles[4][2] = {{0.4, 0}, {0, 0.9}, {-2.8, 1.2}, {1.9, -3.0}};
    for (int k = 0; k < 4; k++) {
        double first[9], second[9], R[9], x[3], w[3];
        turn_about(Z, angles[k][0], first);
        turn_about(X, angles[k][1], second);
        sari_multiply3(first, second, R);
        sari_multiply3(R, zero, R);
        sari_rotate(first, X, x); // b's axis
        for (int i = 0; i < 3; i++) w[i] = 0.7 * Z[i] - 1.1 * x[i];
        memcpy(want, (double[6]){angles[k][0], angles[k][1], 0, 0.7, -1.1, 0}, sizeof want);
        draw(R, none, none, w, "type: universal, axis: [one.z, two.y], normal: [one.x, two.z]",
             "p1: J.angle, p2: J.angle2, p3: 0, v1: J.rate, v2: J.rate2, v3: 0");
        want[0] = want[1] = 0.0; // without normals from the drawing on
        draw(R, none, none, w, "type: universal, axis: [one.z, two.y]",
             "p1: J.angle, p2: J.angle2, p3: 0, v1: J.rate, v2: J.rate2, v3: 0");
    }
}

TEST(displacements_in_a_plane_are_along_and_across_its_normal)
{
    static const double d[3] = {0.4, -0.3, 0}, u[3] = {1.5, 0.8, 0}, w[3] = {0, 0, -2};
    static const double any[3] = {1.2, 0.4, -0.9};
    double turned[9], tilted[9];
    turn_about(Z, 2.2, turned);
    turn_about(TILT, 1.3, tilted);
    memcpy(want, (double[6]){0.4, -0.3, 2.2, 1.5, 0.8, -2}, sizeof want);
    const char* outputs = "p1: J.displacement, p2: J.displacement2, p3: J.angle, "
                          "v1: J.speed, v2: J.speed2, v3: J.rate";
    draw(turned, d, u, w, "type: planar, axis: [one.z, two.z], normal: [one.x, two.x]", outputs);
    want[2] = 0.0; // as drawn; displacements do not care
    draw(turned, d, u, w, "type: planar, axis: [one.z, two.z]", outputs);
    want[2] = want[5] = 0.0;
    outputs = "p1: J.displacement, p2: J.displacement2, p3: 0, v1: J.speed, v2: J.speed2, v3: 0";
    draw(tilted, d, u, any, "type: point-on-plane, axis: [one.z, two.z]", outputs);
    memcpy(want, (double[6]){-0.3, -0.4, 0, 0.8, -1.5, 0}, sizeof want);
    draw(tilted, d, u, any, "type: point-on-plane, axis: [one.z, two.z], normal: [one.y, two.x]",
         outputs);
}

/* ---- springs, starts and couplers ----------------------------------------------------------- */

static double oscillation(double x, double v, double w, double t)
{
    return x * cos(w * t) + v / w * sin(w * t);
}

static void check_universal_springs(problem_run* run)
{
    CHECK_NEAR(problem_output(run, "one"), 0.9, 1e-9);
    CHECK_NEAR(problem_output(run, "two"), -0.7, 1e-9);
    CHECK_NEAR(problem_output(run, "rate2"), 3, 1e-9);
    steps(run);
    for (int i = 0; i < run->table.rows; i++) {
        double t = run->table.time[i];
        CHECK_NEAR(problem_column(run, "one")[i], 0.3 + oscillation(0.6, 2, sqrt(15), t), 1e-4);
        CHECK_NEAR(problem_column(run, "two")[i], -0.2 + oscillation(-0.5, 3, 5, t), 1e-4);
    }
    CHECK_AT_MOST(run->statistics.energy_max_drift, 3e-5); // falls as h^2
}

static void check_plane_springs(problem_run* run)
{
    const double soft = sqrt(9 / 0.7), hard = sqrt(25 / 0.7);
    steps(run);
    for (int i = 0; i < run->table.rows; i++) {
        double t = run->table.time[i];
        CHECK_NEAR(problem_column(run, "x")[i], oscillation(0.3, 0.4, soft, t), 1e-4);
        CHECK_NEAR(problem_column(run, "y")[i], oscillation(-0.2, 0.5, hard, t), 1e-4);
        CHECK_NEAR(problem_column(run, "turn")[i], oscillation(0.8, 0, sqrt(12.5), t), 1e-4);
        CHECK_NEAR(problem_column(run, "ball_x")[i], oscillation(0.3, 0.4, hard, t), 1e-4);
        CHECK_NEAR(problem_column(run, "ball_y")[i], oscillation(-0.2, 0.5, soft, t), 1e-4);
    }
    CHECK_AT_MOST(run->statistics.energy_max_drift, 3e-5); // falls as h^2
}

TEST(springs_act_on_every_coordinate)
{
    char* text = problem_text(TEST_MODEL("universal-springs"));
    in_all_coordinates(text, "", check_universal_springs);
    free(text);
    text = problem_text(TEST_MODEL("plane-springs"));
    in_all_coordinates(text, "", check_plane_springs);
    free(text);
}

/* With angle = 2 angle2 the two oscillators are one: 5 I a'' = -2 k1 (2 a - f1) - k2 (a - f2). */
static void check_coupled_angles(problem_run* run)
{
    const double w = sqrt(17.0), rest = (2 * 3 * 0.3 - 5 * 0.2) / 17;
    steps(run);
    for (int i = 0; i < run->table.rows; i++) {
        double a = rest + oscillation(-0.7 - rest, 3, w, run->table.time[i]);
        CHECK_NEAR(problem_column(run, "two")[i], a, 1e-4);
        CHECK_NEAR(problem_column(run, "one")[i], 2 * a, 2e-4);
    }
}

static void check_coupled_displacements(problem_run* run)
{
    steps(run);
    for (int i = 0; i < run->table.rows; i++) {
        double x = oscillation(-0.2, 0.5, sqrt(34 / 1.4), run->table.time[i]);
        CHECK_NEAR(problem_column(run, "x")[i], x, 1e-4);
        CHECK_NEAR(problem_column(run, "y")[i], x, 1e-4);
    }
}

TEST(couplers_tie_coordinates_of_one_joint)
{
    char* text = problem_text(TEST_MODEL("universal-springs"));
    CHECK(problem_replace(&text, "  cross.angle: a1\n  cross.rate: v1\n", "") == 1);
    CHECK(problem_replace(&text, "\nforces:",
                          "  tie: {type: coupler, sum: {cross.angle: 1, cross.angle2: -2}, "
                          "offset: 0}\nforces:") == 1);
    in_all_coordinates(text, "", check_coupled_angles);
    free(text);
    text = problem_text(TEST_MODEL("plane-springs"));
    CHECK(problem_replace(&text, "  slope.displacement: x0\n", "") == 1);
    CHECK(problem_replace(&text, "  slope.speed: v0\n", "") == 1);
    CHECK(problem_replace(&text, "\nforces:",
                          "  tie: {type: coupler, sum: {slope.displacement: 1, "
                          "slope.displacement2: -1}, offset: 0}\nforces:") == 1);
    in_all_coordinates(text, "", check_coupled_displacements);
    free(text);
}

/* ---- drives --------------------------------------------------------------------------------- */

static void check_driven_cross(problem_run* run)
{
    const double b = acos(-1) / 6;
    steps(run);
    for (int i = 0; i < run->table.rows; i++) {
        double p = sin(2 * run->table.time[i]);
        CHECK_NEAR(problem_column(run, "p1")[i], p, 1e-8);
        CHECK_NEAR(problem_column(run, "p2")[i], atan(cos(b) * tan(p)), 1e-8);
        CHECK_NEAR(problem_column(run, "one")[i], atan(tan(b) * cos(p)) - b, 1e-8);
        CHECK_NEAR(problem_column(run, "two")[i], asin(sin(b) * sin(p)), 1e-8);
    }
}

static const char GIMBAL[] =
    "sarrus: 1\nname: gimbal\ndimension: 3\n"
    "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], points: {P: [0, 0.5, 1]},\n"
    "             rotation: {rpy: [0, 0, 0]}}}\n"
    "joints: {J: {type: universal, between: [ground, b], axis: [ground.z, b.x],\n"
    "             normal: [ground.x, b.z]}}\n"
    "drives:\n"
    "  first: {joint: J, value: 2*t}\n"
    "  second: {joint: J, coordinate: angle2, value: 0.5*sin(3*t)}\n"
    "outputs: {one: J.angle, two: J.angle2, x: b.P.x, y: b.P.y, z: b.P.z, T1: first.torque,\n"
    "          T2: second.torque}\n"
    "method: {end: 4, step: 5e-3}\n";

/* P = Rz(angle) Rx(angle2) (0, 1/2, 1); two turns are counted on. The ball's moments are equal, so
 * that the torques are those of angle'' and angle2''. */
static void check_gimbal(problem_run* run)
{
    steps(run);
    for (int i = 0; i < run->table.rows; i++) {
        double t = run->table.time[i], a = 2 * t, c = 0.5 * sin(3 * t);
        double y = 0.5 * cos(c) - sin(c);
        CHECK_NEAR(problem_column(run, "one")[i], a, 1e-8);
        CHECK_NEAR(problem_column(run, "two")[i], c, 1e-8);
        CHECK_NEAR(problem_column(run, "x")[i], -sin(a) * y, 1e-8);
        CHECK_NEAR(problem_column(run, "y")[i], cos(a) * y, 1e-8);
        CHECK_NEAR(problem_column(run, "z")[i], 0.5 * sin(c) + cos(c), 1e-8);
        if (i == 0) continue;
        CHECK_NEAR(problem_column(run, "T1")[i], 0, 2e-3);
        CHECK_NEAR(problem_column(run, "T2")[i], -4.5 * sin(3 * t), 2e-3);
    }
}

TEST(drives_turn_universal_joints)
{
    char* text = problem_text(TEST_MODEL("driven-cross"));
    in_all_coordinates(text, "", check_driven_cross);
    free(text);
    in_all_coordinates(GIMBAL, "", check_gimbal);
}

static const char TABLE[] =
    "sarrus: 1\nname: table\ndimension: 3\n"
    "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], rotation: {rpy: [0, 0, 0]}}}\n"
    "joints: {J: {type: planar, between: [ground, b], axis: [ground.y, b.y]}}\n"
    "drives:\n"
    "  along: {joint: J, coordinate: displacement, value: cos(2*t)}\n"
    "  across: {joint: J, coordinate: displacement2, value: sin(2*t)}\n"
    "  around: {joint: J, value: t^2}\n"
    "outputs: {x: b.origin.x, z: b.origin.z, force: across.force, turn: J.angle}\n"
    "method: {end: 1, step: 5e-3}\n";

/* The plane's normal is y: along is x, and across y x x = -z. */
static void check_table(problem_run* run)
{
    steps(run);
    for (int i = 0; i < run->table.rows; i++) {
        double t = run->table.time[i];
        CHECK_NEAR(problem_column(run, "x")[i], cos(2 * t), 1e-8);
        CHECK_NEAR(problem_column(run, "z")[i], -sin(2 * t), 1e-8);
        CHECK_NEAR(problem_column(run, "turn")[i], t * t, 1e-8);
        if (i > 0) CHECK_NEAR(problem_column(run, "force")[i], -4 * sin(2 * t), 2e-3);
    }
}

TEST(drives_move_bodies_in_a_plane)
{
    in_all_coordinates(TABLE, "", check_table);
}

/* ---- phases --------------------------------------------------------------------------------- */

static const char DOCK[] =
    "sarrus: 1\nname: dock\ndimension: 3\n"
    "bodies:\n"
    "  one: {mass: 3, inertia: [0.4, 0.7, 0.9], points: {P: [0.5, 0.4, -0.3]},\n"
    "        position: [0.3, 0.2, 0.9], rotation: {axis: [1, -1, 2], angle: 0.8},\n"
    "        angular_velocity: [1.1, -0.6, 0.9]}\n"
    "  two: {mass: 2, inertia: [0.5, 0.3, 0.6], position: [0.8, 0.1, 0.4], velocity: [0.3, 0, 0],\n"
    "        rotation: {rpy: [0, 0, 0]}, angular_velocity: [-0.4, 0.8, 0.2]}\n"
    "joints:\n"
    "  J: {type: universal, between: [one.P, two.origin], axis: [one.x, two.y], active: no,\n"
    "      attach: here}\n"
    "phases: [{at: 0.2, add: [J]}]\n"
    "outputs: {angle: J.angle, rate: J.rate}\n"
    "method: {end: 0.21, step: 1e-3}\n";

static void check_dock(problem_run* run)
{
    steps(run);
    double rate = problem_output(run, "rate");
    CHECK(fabs(rate) > 0.1);
    CHECK_NEAR(problem_output(run, "angle"), 0.01 * rate, 1e-3 * fabs(rate));
}

TEST(a_universal_joint_attaches_at_the_angle_zero)
{
    in_all_coordinates(DOCK, "", check_dock);
}
