/* The constant-velocity joint: equal turns at any bend, beside a universal joint in its place; its
 * energy, reactions and sizes; drawn bent, straight and twisted. In all coordinates. */
#include "problem_run.h"

static const double PI = 3.14159265358979323846;

typedef struct shaft_case {
    const char* parameters;
    double size, bend;
} shaft_case;

/* tan(cross) = cos(bend) tan(angle), in the turn of the angle */
static double cardan(double angle, double bend)
{
    const double a = atan2(cos(bend) * sin(angle), cos(angle));
    return a + 2 * PI * round((angle - a) / (2 * PI));
}

static void check_turns(problem_run* run, const void* context)
{
    const shaft_case* c = context;
    double most = 0.0;
    CHECK_AT_MOST(run->assembly.moved, 1e-12 * c->size);
    CHECK_AT_MOST(run->assembly.turned, 1e-9);
    for (int i = 0; i < run->table.rows; i++) {
        const double t = run->table.time[i], angle = 2 * t + t * t;
        CHECK_NEAR(problem_column(run, "angle")[i], angle, 1e-9);
        CHECK_NEAR(problem_column(run, "equal")[i], angle, 1e-9);
        CHECK_NEAR(problem_column(run, "cross")[i], cardan(angle, c->bend), 1e-9);
        most = fmax(most, fabs(problem_column(run, "cross")[i] - angle));
    }
    CHECK(most > 0.05); // what the one does and the other does not
}

TEST(shafts_turn_equally_where_a_cardan_does_not)
{
    static const shaft_case cases[] = {
        {"b=pi/6", 1, 0.523598775598299},
        {"b=0.8", 1, 0.8},
        {"b=1.2", 1, 1.2},
        {"b=0.8 size=1e-3", 1e-3, 0.8},
        {"b=0.8 size=1e3", 1e3, 0.8},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        each_coordinates(TEST_MODEL("constant-velocity"), cases[k].parameters, NULL,
                         "end=2 step=0.01", check_turns, &cases[k]);
}

/* ---- free motion ---------------------------------------------------------------------------- */

/* A shaft in a bearing, and a top that hangs on it by the joint: both turn, and the bend swings. */
static const char TOP[] =
    "sarrus: 1\nname: top\ndimension: 3\ngravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  shaft: {mass: 1, inertia: [0.1, 0.1, 0.05], position: [0, 0, 0],\n"
    "          rotation: {rpy: [0, 0, 0]}, angular_velocity: [0, 0, 4]}\n"
    "  top: {mass: 2, inertia: [0.3, 0.2, 0.1], center: [0, 0, 0.4], position: [0, 0, 0],\n"
    "        rotation: {rpy: [0.3, 2.2, 0]}, points: {tip: [0, 0, 1]}}\n"
    "joints:\n"
    "  bearing: {type: revolute, between: [ground.origin, shaft.origin],\n"
    "            axis: [ground.z, shaft.z]}\n"
    "  bend: {type: constant-velocity, between: [shaft.origin, top.origin],\n"
    "         axis: [shaft.z, top.z]}\n"
    "outputs: {x: top.tip.x, y: top.tip.y, z: top.tip.z, fz: bend.fz, tx: bend.tx, ty: bend.ty, "
    "tz: bend.tz,\n"
    "          rate: shaft.wz, angle: bearing.angle}\n"
    "method: {end: 1, step: 1e-3}\n";

typedef struct sample {
    double x, y, angle;
    int taken;
} sample;

/* The torque of the joint on the top is along u_a + u_b, since bends about all axes across are
 * free; its reaction turns the shaft. */
static void check_torque(const problem_run* run, int i)
{
    const double sum[3] = {problem_column(run, "x")[i], problem_column(run, "y")[i],
                           problem_column(run, "z")[i] + 1};
    const double torque[3] = {problem_column(run, "tx")[i], problem_column(run, "ty")[i],
                              problem_column(run, "tz")[i]};
    const double size = 1 + fabs(torque[0]) + fabs(torque[1]) + fabs(torque[2]);
    const double* w = problem_column(run, "rate");
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3;
        CHECK_NEAR(torque[k] * sum[l] - torque[l] * sum[k], 0, 1e-6 * size);
    }
    CHECK_NEAR(torque[2], -0.05 * (w[i + 1] - w[i - 1]) / 2e-3, 1e-3 * size);
    CHECK(isfinite(problem_column(run, "fz")[i]));
}

static void check_top(problem_run* run, const void* context)
{
    sample* first = (sample*)(uintptr_t)context;
    const int last = run->table.rows - 1;
    CHECK_AT_MOST(run->statistics.energy_max_drift, 1e-4); // falls as h^2
    CHECK_AT_MOST(run->assembly.turned, 1e-9);             // it is not twisted as drawn
    for (int i = 2; i < last; i++) check_torque(run, i);
    const sample now = {problem_column(run, "x")[last], problem_column(run, "y")[last],
                        problem_column(run, "angle")[last], 1};
    if (!first->taken) *first = now;
    CHECK_NEAR(now.x, first->x, 2e-4);
    CHECK_NEAR(now.y, first->y, 2e-4);
    CHECK_NEAR(now.angle, first->angle, 2e-4);
}

TEST(free_shafts_keep_their_energy)
{
    sample first = {0};
    each_coordinates(NULL, NULL, TOP, "", check_top, &first);
}

/* ---- drawings ------------------------------------------------------------------------------- */

static void check_straight(problem_run* run, const void* context)
{
    (void)context;
    CHECK(run->assembly.verdict == SAR_ASSEMBLED);
    CHECK_AT_MOST(run->assembly.turned, 1e-9);
    for (int i = 0; i < run->table.rows; i++)
        CHECK_NEAR(problem_column(run, "second")[i] - problem_column(run, "second")[0],
                   problem_column(run, "first")[i], 1e-9);
}

/* A body that is drawn nowhere continues its neighbour; one direction serves both shafts. */
TEST(shafts_may_be_drawn_straight_or_not_at_all)
{
    static const char text[] =
        "sarrus: 1\nname: straight\ndimension: 3\n"
        "ground: {axes: {s: [sin(0.5), 0, cos(0.5)]}}\n"
        "bodies:\n"
        "  one: {mass: 1, inertia: [0.1, 0.1, 0.05], position: [0, 0, 0],\n"
        "        rotation: {rpy: [0, 0.5, 0]}}\n"
        "  two: {mass: 1, inertia: [0.1, 0.1, 0.05]%s}\n"
        "joints:\n"
        "  bearing: {type: revolute, between: [ground.origin, one.origin], axis: [ground.s, "
        "one.z]}\n"
        "  bend: {type: constant-velocity, between: [one.origin, two.origin], axis: %s}\n"
        "  support: {type: revolute, between: [ground.origin, two.origin], axis: %s}\n"
        "drives: {motor: {joint: bearing, value: t}}\n"
        "outputs: {first: bearing.angle, second: support.angle}\n"
        "method: {end: 1, step: 0.01}\n";
    char all[2000];
    snprintf(all, sizeof all, text, ", position: [0, 0, 0], rotation: {rpy: [0.1, 0, 0.7]}",
             "[sin(0.5), 0, cos(0.5)]", "[sin(0.5), 0, cos(0.5)]");
    each_coordinates(NULL, NULL, all, "", check_straight, NULL);
    snprintf(all, sizeof all, text, "", "[one.z, two.z]", "[ground.s, two.z]");
    each_coordinates(NULL, NULL, all, "", check_straight, NULL);
}
