/* Poses and velocities are those of the present state, whatever was seen before: after a step, a
 * look into it and back, a change of the joints, a fresh start, and whatever body was asked for. The
 * outputs, which have a way of their own through the kinematics, are the reference. */
#include "problem_run.h"

enum { BODIES = 2, SEEN = 4 }; // x, y and their rates

static const char THROW[] =
    "sarrus: 1\nname: throw\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  arm: {mass: 2, inertia: 0.3, center: [0.8, 0.1], points: {tip: [1.5, 0]}, angle: 0.1,\n"
    "        angular_velocity: 4}\n"
    "  ball: {mass: 0.7, inertia: 0.05, center: [0.1, -0.2], points: {grip: [0.3, 0.4]}}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground.origin, arm.origin]}\n"
    "  hand: {type: revolute, between: [arm.tip, ball.grip]}\n"
    "phases:\n"
    "  - {at: 0.083, remove: [hand]}\n"
    "outputs:\n"
    "  a1: arm.center.x\n  a2: arm.center.y\n  a3: arm.center.vx\n  a4: arm.center.vy\n"
    "  b1: ball.center.x\n  b2: ball.center.y\n  b3: ball.center.vx\n  b4: ball.center.vy\n"
    "method: {end: 0.2, step: 0.02}\n";
static const double CENTER[BODIES][2] = {{0.8, 0.1}, {0.1, -0.2}};

/* Of the centre of mass, from the origin of the body and how that turns. */
static void see(const sar_simulation* s, int body, double seen[SEEN])
{
    double x[3], p[4], v[3], w[3];
    sar_simulation_pose(s, (sar_body_id){body + 1}, x, p);
    sar_simulation_velocity(s, (sar_body_id){body + 1}, v, w);
    const double* c = CENTER[body];
    const double cosine = 1.0 - 2.0 * p[3] * p[3], sine = 2.0 * p[0] * p[3];
    const double arm[2] = {cosine * c[0] - sine * c[1], sine * c[0] + cosine * c[1]};
    seen[0] = x[0] + arm[0];
    seen[1] = x[1] + arm[1];
    seen[2] = v[0] - w[2] * arm[1];
    seen[3] = v[1] + w[2] * arm[0];
}

static void check_all(sar_simulation* s, double last[BODIES][SEEN])
{
    double outputs[BODIES * SEEN], first[SEEN], again[SEEN];
    see(s, 0, first);
    see(s, 1, last[1]);
    see(s, 0, last[0]);
    see(s, 0, again);
    for (int k = 0; k < SEEN; k++) CHECK_NEAR(first[k], last[0][k], 0.0);
    for (int k = 0; k < SEEN; k++) CHECK_NEAR(again[k], last[0][k], 0.0);
    CHECK_STATUS(sar_simulation_outputs(s, outputs), SAR_OK);
    for (int b = 0; b < BODIES; b++)
        for (int k = 0; k < SEEN; k++) CHECK_NEAR(last[b][k], outputs[SEEN * b + k], 1e-12);
}

static void check_moved(double a[BODIES][SEEN], double b[BODIES][SEEN])
{
    for (int i = 0; i < BODIES; i++)
        CHECK(fabs(a[i][0] - b[i][0]) + fabs(a[i][1] - b[i][1]) > 1e-3);
}

/* Returns how many looks into steps there were. */
static int check_run(sar_simulation* s)
{
    int looks = 0;
    double start[BODIES][SEEN], end[BODIES][SEEN], within[BODIES][SEEN], back[BODIES][SEEN];
    CHECK_STATUS(sar_simulation_assemble(s, NULL), SAR_OK);
    check_all(s, start);
    while (!sar_simulation_done(s)) {
        const double before = sar_simulation_time(s);
        CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
        check_all(s, end);
        check_moved(start, end);
        if (sar_simulation_look(s, before + 0.5 * (sar_simulation_time(s) - before)) != SAR_OK)
            continue; // not every method can
        looks++;
        check_all(s, within);
        if (sar_simulation_time(s) - before > 0.005) check_moved(within, end);
        CHECK_STATUS(sar_simulation_look(s, INFINITY), SAR_OK);
        check_all(s, back);
        CHECK(memcmp(back, end, sizeof end) == 0);
    }
    const sar_switch* list;
    CHECK(sar_simulation_switches(s, &list) == 1);
    CHECK_STATUS(sar_simulation_assemble(s, NULL), SAR_OK);
    check_all(s, back);
    CHECK(memcmp(back, start, sizeof start) == 0);
    return looks;
}

TEST(poses_are_those_of_the_state)
{
    static const char* const methods[] = {
        "formulation=al3 integrator=trapezoidal",
        "formulation=chart integrator=dop853 tolerance=1e-6",
    };
    for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++)
        for (int m = 0; m < 2; m++) {
            char options[160];
            problem_run run;
            snprintf(options, sizeof options, "coordinates=%s %s",
                     sar_axis_member(SAR_AXIS_COORDINATES, c).name, methods[m]);
            print_message("%s\n", options);
            problem_parse(&run, THROW);
            problem_create(&run, options);
            const int looks = check_run(run.simulation);
            CHECK(m == 0 || looks > 2);
            problem_free(&run);
        }
}
