/* Points on curves: followers of cams along full turns, beads on a cycloid at all amplitudes, what
 * moves freely keeps its energy, curves that come and go. In all coordinates. */
#include "problem_run.h"

static const double PI = 3.14159265358979323846, G = 9.81;

typedef double measure_run(problem_run* run, const double* numbers);

/* Errors of a method of second order: at most `bound` with the step, and a quarter with half of it.
 */
static void halve(const char* path, const char* parameters, const char* text, double end,
                  double step, measure_run* measure, const double* numbers, double bound)
{
    const char* type;
    for (int c = 0; (type = axis_member(SAR_AXIS_COORDINATES, c)); c++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            problem_run run;
            char options[128];
            snprintf(options, sizeof options, "coordinates=%s end=%.17g step=%.17g", type, end,
                     step / (k + 1));
            if (path)
                problem_load(&run, path, parameters);
            else
                problem_parse(&run, text);
            problem_finish(&run, options);
            error[k] = measure(&run, numbers);
            problem_free(&run);
        }
        CHECK_AT_MOST(error[0], bound);
        if (!(error[1] < error[0] / 3.5))
            fail_msg("%s: error %g, and %g with half the step", type, error[0], error[1]);
    }
}

/* ---- cams ----------------------------------------------------------------------------------- */

static void check_cam(problem_run* run, const void* size_)
{
    const double* size = size_;
    const double r = 0.3 * *size, d = 0.12 * *size;
    CHECK_AT_MOST(run->assembly.moved, 1e-12 * *size);
    for (int i = 0; i < run->table.rows; i++) {
        const double f = 4 * run->table.time[i], root = sqrt(r * r - d * d * pow(cos(f), 2));
        const double v = 4 * (d * cos(f) + d * d * cos(f) * sin(f) / root);
        CHECK_NEAR(problem_column(run, "y")[i], d * sin(f) + root, 1e-9 * *size);
        CHECK_NEAR(problem_column(run, "vy")[i], v, 1e-6 * *size);
    }
}

TEST(an_eccentric_cam_lifts_its_follower)
{
    static const double sizes[] = {1, 1e-3, 1e3};
    static const char* const parameters[] = {"size=1", "size=1e-3", "size=1e3"};
    for (int k = 0; k < 3; k++) // three turns
        each_coordinates(TEST_MODEL("cam"), parameters[k], NULL, "end=4.8 step=0.005", check_cam,
                         &sizes[k]);
}

static void check_harmonic(problem_run* run, const void* none)
{
    (void)none;
    for (int i = 0; i < run->table.rows; i++)
        CHECK_NEAR(problem_column(run, "y")[i], 0.25 - 0.05 * sin(4 * run->table.time[i]), 2e-7);
}

TEST(a_cam_may_be_a_table_of_points)
{
    each_coordinates(TEST_MODEL("cam-table"), NULL, NULL, "end=1.7 step=0.005", check_harmonic,
                     NULL);
}

/* ---- beads ---------------------------------------------------------------------------------- */

typedef struct bead {
    const char* parameters;
    double numbers[3]; ///< a, s0, gravity along the plane
} bead;

/* Largest error of x, in units of a. */
static double bead_error(problem_run* run, const double* n)
{
    const double a = n[0], w = sqrt(n[2] / (4 * a));
    double most = 0.0;
    for (int i = 0; i < run->table.rows; i++) {
        const double s = 2 * asin(sin(n[1] / 2) * cos(w * run->table.time[i]));
        most = fmax(most, fabs(problem_column(run, "x")[i] - a * (s + sin(s))) / a);
    }
    return most;
}

/* Energy that is lost or won, in units of m g a. */
static double bead_drift(problem_run* run, const double* n)
{
    return run->statistics.energy_max_drift / (0.5 * G * n[0]);
}

TEST(beads_on_a_cycloid_keep_time_at_all_amplitudes)
{
    static const bead beads[] = {{"s0=0.1", {0.4, 0.1, G}},
                                 {"s0=1", {0.4, 1, G}},
                                 {"s0=2.8", {0.4, 2.8, G}},
                                 {"s0=2 a=4e-4", {4e-4, 2, G}},
                                 {"s0=2 a=400", {400, 2, G}}};
    for (int k = 0; k < 5; k += IN_FULL_OR_SAMPLE(1, 3)) {
        const double *n = beads[k].numbers, period = 4 * PI * sqrt(n[0] / G), h = period / 1000;
        const char *path = TEST_MODEL("bead-on-cycloid"), *parameters = beads[k].parameters;
        halve(path, parameters, NULL, 2 * period, h, bead_error, n, 1e-3);
        halve(path, parameters, NULL, 2 * period, h, bead_drift, n, 1e-3);
    }
}

static double bead_in_space_error(problem_run* run, const double* n)
{
    for (int i = 1; i < run->table.rows; i++)
        CHECK_NEAR(problem_column(run, "across")[i], 0.5 * G * cos(PI / 3), 1e-6);
    return bead_error(run, n);
}

TEST(curves_lie_in_planes_of_space)
{
    const double numbers[3] = {0.4, 2, G * sin(PI / 3)};
    halve(TEST_MODEL("bead-in-space"), NULL, NULL, 4, 2e-3, bead_in_space_error, numbers, 1e-4);
}

/* ---- free motion ---------------------------------------------------------------------------- */

/* A plate that turns about a pin, and a body whose point runs round in its elliptic slot: each
 * moves the other. */
static const char SLOT[] =
    "sarrus: 1\nname: slot\ndimension: 2\ngravity: [0, -9.81]\n"
    "parameters: {u: 0.1 + 0.5*cos(0.5), w: -0.3*sin(0.5)}\n"
    "bodies:\n"
    "  plate: {mass: 2, inertia: 0.3, position: [0, 0], angle: 0.2, angular_velocity: 3}\n"
    "  bead: {mass: 0.7, inertia: 0.02, points: {P: [0.1, 0]}, angle: 0.1,\n"
    "         position: [cos(0.2)*u - sin(0.2)*w - 0.1*cos(0.1),\n"
    "                    sin(0.2)*u + cos(0.2)*w - 0.1*sin(0.1)]}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground.origin, plate.origin]}\n"
    "  slot: {type: point-on-curve, between: [plate.origin, bead.P],\n"
    "         curve: {x: 0.1 + 0.5*cos(s), y: 0.3*sin(s), from: 0, to: 2*pi, closed: yes}}\n"
    "outputs: {angle: plate.angle, x: bead.P.x, y: bead.P.y}\n"
    "method: {end: 2, step: 1e-3}\n";

/* The last place of the point, in the first coordinates that ask. */
typedef struct sample {
    double x, y, angle;
    int taken;
} sample;
static sample first;

static double slot_drift(problem_run* run, const double* none)
{
    (void)none;
    const int last = run->table.rows - 1;
    for (int i = 0; i <= last; i++) {
        const double f = problem_column(run, "angle")[i], x = problem_column(run, "x")[i],
                     y = problem_column(run, "y")[i];
        const double u = (cos(f) * x + sin(f) * y - 0.1) / 0.5;
        const double v = (-sin(f) * x + cos(f) * y) / 0.3;
        CHECK_NEAR(u * u + v * v, 1, 1e-8);
    }
    const sample now = {problem_column(run, "x")[last], problem_column(run, "y")[last],
                        problem_column(run, "angle")[last], 1};
    if (!first.taken) first = now;
    CHECK_NEAR(now.x, first.x, 1e-3);
    CHECK_NEAR(now.y, first.y, 1e-3);
    CHECK_NEAR(now.angle, first.angle, 1e-3);
    return run->statistics.energy_max_drift;
}

TEST(what_moves_freely_along_a_curve_keeps_its_energy)
{
    first = (sample){0};
    halve(NULL, NULL, SLOT, 2, 1e-3, slot_drift, NULL, 1e-3);
}

/* ---- phases --------------------------------------------------------------------------------- */

/* A ball that falls into a bowl y = x^2 at t = 0.2 and is let go at 0.5; `attach` moves the bowl to
 * where the ball is. */
static const char BOWL[] =
    "sarrus: 1\nname: bowl\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies: {ball: {mass: 1, inertia: 0.1, position: [0.5, %s], angle: 0}}\n"
    "joints:\n"
    "  bowl: {type: point-on-curve, between: [ground.origin, ball.origin], active: no%s,\n"
    "         curve: {x: s, y: s^2, from: -1, to: 1}}\n"
    "phases: [{at: 0.2, add: [bowl]}, {at: 0.5, remove: [bowl]}]\n"
    "outputs: {x: ball.origin.x, y: ball.origin.y}\n"
    "method: {end: 0.6, step: 1e-3}\n";

/* Of (x, y) on y = x^2. */
static double foot_on_bowl(double x, double y)
{
    double s = x;
    for (int k = 0; k < 50; k++)
        s += (x - s + 2 * s * (y - s * s)) / (1 - 2 * y + 6 * s * s); // Newton
    return s;
}

static void check_bowl(problem_run* run, const void* attaches_)
{
    const double* attaches = attaches_;
    const sar_switch* done;
    CHECK(sar_simulation_switches(run->simulation, &done) == 2);
    CHECK_AT_MOST(done[0].moved, 1e-9);
    double x0 = 0, y0 = 0; // where the bottom of the bowl is put
    int held = 0;
    for (int i = 0; i < run->table.rows; i++) {
        const double t = run->table.time[i], x = problem_column(run, "x")[i],
                     y = problem_column(run, "y")[i];
        if (t <= 0.2 + 1e-9) {
            const double s = foot_on_bowl(x, y);
            CHECK_NEAR(x, 0.5, 1e-12);
            if (*attaches) x0 = x - s, y0 = y - s * s;
        } else if (t <= 0.5 + 1e-9) {
            CHECK_NEAR(y - y0, (x - x0) * (x - x0), 1e-8);
            held++;
        }
    }
    CHECK(held == 300);
    CHECK(fabs(problem_column(run, "x")[run->table.rows - 1] - 0.5) > 0.1);
}

TEST(curves_come_and_go)
{
    char text[1000], at[64];
    const double no = 0, yes = 1;
    snprintf(at, sizeof at, "%.17g", 0.25 + 0.5 * G * 0.04); // falls onto the bowl
    snprintf(text, sizeof text, BOWL, at, "");
    each_coordinates(NULL, NULL, text, "", check_bowl, &no);
    snprintf(text, sizeof text, BOWL, "0.9", ", attach: here");
    each_coordinates(NULL, NULL, text, "", check_bowl, &yes);
}
