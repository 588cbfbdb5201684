/* Mechanisms whose joints come and go, beside closed forms: impacts, the account of momentum and energy, docking, gears. */
#include "verify/simulation/events/phases_fixture.h"

// A pendulum turns into a ball at rest, and takes it along. No gravity.
#define CATCH(type, joint_keys)                                                                    \
    "sarrus: 1\nname: catch\ndimension: 2\n"                                                       \
    "bodies:\n"                                                                                    \
    "  arm: {mass: 2, inertia: 0.3, center: [0.8, 0], points: {tip: [1.5, 0]}, position: [0, "     \
    "0],\n"                                                                                        \
    "        angle: 0.1, angular_velocity: 2}\n"                                                   \
    "  ball: {mass: 0.7, inertia: 0.05, position: [1.5*cos(1), 1.5*sin(1)], angle: 0.4}\n"         \
    "joints:\n"                                                                                    \
    "  pivot: {type: revolute, between: [ground.origin, arm.origin]}\n"                            \
    "  catch: {type: " type ", between: [arm.tip, ball.center], active: no" joint_keys "}\n"       \
    "phases:\n"                                                                                    \
    "  - {when: arm.angle - 1, crossing: rising, add: [catch]}\n"                                  \
    "method: {end: 0.6, step: 0.01}\n"

static void check_catch(problem_run* run, double taken, double time_tolerance)
{
    finish(run);
    const sar_switch* w = switch_of(run, 0);
    double I = 0.3 + 2 * 0.8 * 0.8, all = I + taken;
    CHECK_NEAR(w->t, 0.45, time_tolerance);
    CHECK_NEAR(w->kinetic_before, 0.5 * I * 4, 1e-5);
    CHECK_NEAR(w->kinetic_after, w->kinetic_before * I / all, 1e-8);
    CHECK_NEAR(w->angular_after[2], w->angular_before[2], 1e-10); // nothing acts about the pivot
    CHECK_AT_MOST(w->moved, 1e-5);
    check_account(w);
    sar_energy energy = sar_simulation_energy(run->simulation);
    CHECK_NEAR(energy.work, -(w->kinetic_before - w->kinetic_after), 1e-7);
    CHECK_AT_MOST(sar_simulation_statistics(run->simulation).energy_max_drift, 1e-4);
}

static void check_caught(problem_run* run, const method* m)
{
    check_catch(run, 0.7 * 1.5 * 1.5, m->tolerance > 1e-6 ? 1e-5 : 1e-8);
}

static void check_stuck(problem_run* run, const method* m)
{
    check_catch(run, 0.7 * 1.5 * 1.5 + 0.05, m->tolerance > 1e-6 ? 1e-5 : 1e-8);
}

TEST(a_pendulum_takes_a_ball_along)
{
    with_all(CATCH("revolute", ""), "step=0.001", check_caught);
}

TEST(a_ball_that_sticks_turns_with_it)
{
    with_all(CATCH("fixed", ", attach: here"), "step=0.001", check_stuck);
}

static const char CAPTURE[] =
    "sarrus: 1\nname: capture\ndimension: 3\n"
    "bodies:\n"
    "  satellite: {mass: 3, inertia: [0.4, 0.7, 0.9, 0.02, -0.03, 0.05], center: [0.1, -0.2, "
    "0.3],\n"
    "              points: {P: [0.5, 0.4, -0.3]}, axes: {u: [1, 2, -2]}, position: [0.3, 0.2, "
    "0.9],\n"
    "              rotation: {axis: [1, -1, 2], angle: 0.8}, velocity: [0.7, -0.4, 0.2],\n"
    "              angular_velocity: [1.1, -0.6, 0.9]}\n"
    "joints:\n"
    "  hinge: {type: revolute, between: [ground.origin, satellite.P],\n"
    "          axis: [ground.z, satellite.u], active: no, attach: here}\n"
    "phases:\n"
    "  - {at: 0.333, add: hinge}\n"
    "outputs: {x: satellite.P.x, y: satellite.P.y, z: satellite.P.z}\n"
    "method: {end: 0.5, step: 0.01}\n";

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* v of the body in world axes */
static void turn(const double p[4], const double v[3], double out[3])
{
    double once[3], twice[3];
    cross(p + 1, v, once);
    cross(p + 1, once, twice);
    for (int k = 0; k < 3; k++) out[k] = v[k] + 2 * (p[0] * once[k] + twice[k]);
}

/* The angular momentum about the hinge is kept; what remains turns about it. */
static void check_capture(problem_run* run, const method* m)
{
    static const double J[6] = {0.4, 0.7, 0.9, 0.02, -0.03, 0.05},
                        u_body[3] = {1 / 3., 2 / 3., -2 / 3.};
    static const double arm_body[3] = {0.1 - 0.5, -0.2 - 0.4, 0.3 + 0.3}; // from P to the centre
    (void)m;
    while (sar_simulation_time(run->simulation) < 0.333)
        CHECK_STATUS(sar_simulation_advance(run->simulation), SAR_OK);
    CHECK(sar_simulation_time(run->simulation) == 0.333);
    double p[3], quaternion[4], v[3], w[3], u[3], arm[3], before[3];
    CHECK_STATUS(sar_simulation_outputs(run->simulation, before), SAR_OK);
    sar_simulation_pose(run->simulation, (sar_body_id){1}, p, quaternion);
    turn(quaternion, u_body, u);
    turn(quaternion, arm_body, arm);
    finish(run);
    const sar_switch* s = switch_of(run, 0);
    double at[3], moment[3], L = 0;
    for (int k = 0; k < 3; k++) at[k] = before[k];
    cross(at, s->momentum_before, moment); // about the origin -> about P
    for (int k = 0; k < 3; k++) L += u[k] * (s->angular_before[k] - moment[k]);
    const double* b = u_body;
    double I = J[0] * b[0] * b[0] + J[1] * b[1] * b[1] + J[2] * b[2] * b[2] +
               2 * (J[3] * b[0] * b[1] + J[4] * b[0] * b[2] + J[5] * b[1] * b[2]);
    double away[3];
    cross(u, arm, away);
    I += 3 * (away[0] * away[0] + away[1] * away[1] + away[2] * away[2]);
    CHECK_NEAR(s->kinetic_after, 0.5 * L * L / I, 1e-7);
    CHECK_AT_MOST(s->moved, 1e-6);
    check_account(s);
    double now[3];
    CHECK_STATUS(sar_simulation_outputs(run->simulation, now), SAR_OK);
    CHECK_AT_MOST(largest_difference(now, before, 3), 1e-7); // P is held where it was
    sar_simulation_velocity(run->simulation, (sar_body_id){1}, v, w);
    double speed = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    CHECK_NEAR(speed, fabs(L) / I, 1e-5); // and nothing changes it
    CHECK_NEAR(fabs(w[0] * u[0] + w[1] * u[1] + w[2] * u[2]), speed, 1e-7);
}

TEST(a_free_body_is_captured_by_a_hinge)
{
    with_all(CAPTURE, "step=0.002", check_capture);
}

// Two bodies that dock in flight and part again.
static const char DOCKING[] =
    "sarrus: 1\nname: docking\ndimension: 3\n"
    "bodies:\n"
    "  one: {mass: 3, inertia: [0.4, 0.7, 0.9, 0.02, -0.03, 0.05], center: [0.1, -0.2, 0.3],\n"
    "        points: {P: [0.5, 0.4, -0.3]}, position: [0.3, 0.2, 0.9],\n"
    "        rotation: {axis: [1, -1, 2], angle: 0.8}, velocity: [0.7, -0.4, 0.2],\n"
    "        angular_velocity: [1.1, -0.6, 0.9]}\n"
    "  two: {mass: 2, inertia: [0.5, 0.3, 0.6], points: {Q: [0.2, 0, 0.1]}, position: [0.8, 0.1, "
    "0.4],\n"
    "        velocity: [-0.2, 0.3, 0.1], angular_velocity: [-0.4, 0.8, 0.2]}\n"
    "joints:\n"
    "  dock: {type: TYPE, between: [one.P, two.Q]KEYS, active: no, attach: here}\n"
    "phases:\n"
    "  - {at: 0.2, add: [dock]}\n"
    "  - {at: 0.4, remove: [dock]}\n"
    "outputs: {x: two.Q.x - one.P.x, angle: ANGLE}\n"
    "method: {end: 0.5, step: 0.01}\n";

static void check_docking(problem_run* run, const method* m)
{
    (void)m;
    finish(run);
    for (int k = 0; k < 2; k++) {
        const sar_switch* w = switch_of(run, k);
        CHECK_AT_MOST(w->moved + w->turned, 1e-7);
        check_account(w);
        CHECK_AT_MOST(largest_difference(w->momentum_before, w->momentum_after, 3), 1e-13);
        CHECK_AT_MOST(largest_difference(w->angular_before, w->angular_after, 3), 1e-13);
        double lost = w->kinetic_before - w->kinetic_after;
        if (k == 0) CHECK(lost > 1e-5);
        if (k == 1) CHECK_NEAR(lost, 0, 1e-6);
    }
    CHECK_AT_MOST(sar_simulation_statistics(run->simulation).energy_max_drift, 1e-4);
}

TEST(bodies_dock_with_every_joint)
{
    static const struct {
        const char *type, *keys, *angle;
    } JOINTS[] = {
        {"fixed", "", "0"},
        {"revolute", ", axis: [one.x, two.y]", "dock.angle"},
        {"spherical", "", "0"},
        {"universal", ", axis: [one.x, two.y]", "0"},
        {"prismatic", ", axis: [one.x, two.y]", "dock.displacement"},
        {"cylindrical", ", axis: [one.x, two.y]", "dock.angle + dock.displacement"},
        {"planar", ", axis: [one.x, two.y]", "0"},
        {"screw", ", axis: [one.x, two.y], pitch: 0.2", "dock.angle - 2*pi/0.2*dock.displacement"},
        {"point-on-line", ", axis: [one.x, two.y]", "dock.displacement"},
        {"point-on-plane", ", axis: [one.x, two.y]", "0"},
        {"distance", ", distance: 1", "dock.distance"},
        {"constant-velocity", ", axis: [one.x, two.y]", "0"},
        {"point-on-curve", ", axis: one.x, curve: {x: s, y: s^2, from: -1, to: 1}", "0"},
    };
    for (size_t k = 0; k < sizeof JOINTS / sizeof *JOINTS; k++) {
        char* text = calloc(1, sizeof DOCKING);
        strcpy(text, DOCKING);
        CHECK(problem_replace(&text, "TYPE", JOINTS[k].type) == 1);
        problem_replace(&text, "KEYS", JOINTS[k].keys);
        problem_replace(&text, "ANGLE", JOINTS[k].angle);
        for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++) {
            char options[100];
            problem_run run;
            snprintf(options, sizeof options, "coordinates=%s step=0.002",
                     sar_axis_member(SAR_AXIS_COORDINATES, c).name);
            begin(&run, text, options);
            check_docking(&run, &METHODS[0]);
            problem_free(&run);
        }
        if (k == 0) with_all(text, "step=0.002", check_docking);
        free(text);
    }
}

/* A dock that is fixed makes one body of two: momenta and inertia say how it moves. */
TEST(docked_bodies_move_as_one)
{
    char* text = calloc(1, sizeof DOCKING);
    strcpy(text, DOCKING);
    problem_replace(&text, "TYPE", "fixed");
    problem_replace(&text, "KEYS", "");
    problem_replace(&text, "ANGLE", "0");
    for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++) {
        char options[100];
        problem_run run;
        snprintf(options, sizeof options, "coordinates=%s step=0.001 end=0.201",
                 sar_axis_member(SAR_AXIS_COORDINATES, c).name);
        begin(&run, text, options);
        finish(&run);
        const sar_switch* s = switch_of(&run, 0);
        double v[2][3], w[2][3], M = 5.0, both = 0.0;
        for (int b = 0; b < 2; b++)
            sar_simulation_velocity(run.simulation, (sar_body_id){1 + b}, v[b], w[b]);
        CHECK_AT_MOST(largest_difference(w[0], w[1], 3), 1e-7);
        for (int k = 0; k < 3; k++) both += s->momentum_after[k] * s->momentum_after[k];
        CHECK(s->kinetic_after > 0.5 * both / M); // the common motion, and a turn
        CHECK(s->kinetic_after < s->kinetic_before);
        problem_free(&run);
    }
    free(text);
}

// A clutch: two rotors get geared, and later a motor takes over at the speed they have.
static const char CLUTCH[] =
    "sarrus: 1\nname: clutch\ndimension: 2\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 0.3, position: [0, 0], angular_velocity: 9}\n"
    "  b: {mass: 1, inertia: 0.8, position: [1, 0], angular_velocity: -1}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground.origin, a.origin]}\n"
    "  B: {type: revolute, between: [[1, 0], b.origin]}\n"
    "  gear: {type: gear, joints: [A, B], ratio: -0.5, active: no}\n"
    "drives:\n"
    "  motor: {joint: A, value: 18 + w*(t - 2) + 2*(t - 2)^2, active: no}\n"
    "parameters: {w: (0.3*9 + 0.5*0.8)/(0.3 + 0.25*0.8)}\n"
    "phases:\n"
    "  - {at: 2, add: [gear]}\n"
    "  - {at: 2.5, add: [motor], remove: [gear]}\n"
    "outputs: {A: A.angle, B: B.angle, wB: B.rate}\n"
    "method: {end: 3, step: 0.01}\n";

TEST(gears_and_drives_come_and_go)
{
    double w = (0.3 * 9 + 0.5 * 0.8) / (0.3 + 0.25 * 0.8), out[3];
    for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++) {
        char options[100];
        problem_run run;
        snprintf(options, sizeof options, "coordinates=%s",
                 sar_axis_member(SAR_AXIS_COORDINATES, c).name);
        char* text = strcpy(calloc(1, sizeof CLUTCH), CLUTCH);
        problem_replace(&text, "[[1, 0], b.origin]", "[ground.N, b.origin]");
        problem_replace(&text, "bodies:\n", "ground: {points: {N: [1, 0]}}\nbodies:\n");
        begin(&run, text, options);
        finish(&run);
        CHECK_STATUS(sar_simulation_outputs(run.simulation, out), SAR_OK);
        const sar_switch* s = switch_of(&run, 0);
        double before = 0.5 * 0.3 * 81 + 0.5 * 0.8;
        CHECK_NEAR(s->kinetic_before, before, 1e-4);
        CHECK_NEAR(s->kinetic_after, 0.5 * (0.3 + 0.25 * 0.8) * w * w, 1e-4);
        CHECK_NEAR(s->moved, 0, 1e-12);
        s = switch_of(&run, 1); // 2 (t - 2)^2 is new: the motor is ahead, and faster
        CHECK(s->moved < 1e-12 && s->turned > 0.1);
        CHECK(s->kinetic_after > s->kinetic_before);
        CHECK_NEAR(out[0], 18 + w + 2, 1e-8); // turns are counted
        CHECK_NEAR(out[1], -2 - 0.5 * w * 0.5 - 0.5 * w * 0.5, 2e-3);
        CHECK_NEAR(out[2], -0.5 * w, 1e-3);
        if (c > 0) // the multipliers of a drive are of first order in natural coordinates
            CHECK_AT_MOST(sar_simulation_statistics(run.simulation).energy_max_drift, 1e-6);
        problem_free(&run);
        free(text);
    }
}
