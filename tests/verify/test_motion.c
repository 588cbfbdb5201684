/* Driven mechanisms: positions by closed forms, forces by energies that share no code with the
 * library, all coordinates against each other, forward runs against inverse dynamics, verdicts. */
#include "problem_run.h"

#include "sarrus/motion.h"

enum { MOST_COLUMNS = 64 };

/* ---- motions of models ---------------------------------------------------------------------- */

typedef struct driven {
    sar_model* model;
    sar_options options;
    sar_motion* motion;
    sar_assembly assembly;
    sar_status status; ///< of the assembly
} driven;

/// All tests run with each: small mechanisms are dense unless asked otherwise.
static const char* const SOLVERS[] = {"dense", "sparse"};
static const char* solver;

static void parse(driven* d, const char* text, const char* coordinates)
{
    char* messages = NULL;
    memset(d, 0, sizeof *d);
    d->options = sar_options_default();
    if (sar_model_parse(text, strlen(text), "test", NULL, 0, &d->model, &d->options, &messages) !=
        SAR_OK)
        fail_msg("%s", messages);
    sar_text_free(messages);
    snprintf(d->options.coordinates, sizeof d->options.coordinates, "%s", coordinates);
    snprintf(d->options.solver, sizeof d->options.solver, "%s", solver);
}

/// 0 when these coordinates are not for such models.
static int start(driven* d, const char* text, const char* coordinates)
{
    sar_error error = {0};
    parse(d, text, coordinates);
    sar_status st = sar_motion_create(d->model, &d->options, &d->motion, &error);
    if (st == SAR_E_MODEL || st == SAR_E_INCOMPAT) {
        CHECK(sar_model_dimension(d->model) == 2 && strcmp(coordinates, "increments") == 0);
        sar_model_destroy(d->model);
        return 0;
    }
    if (st != SAR_OK) fail_msg("%s: %s", coordinates, error.message);
    d->status = sar_motion_assemble(d->motion, &d->assembly);
    return 1;
}

static void must_start(const driven* d)
{
    if (d->status != SAR_OK)
        fail_msg("%s, %s: %s", sar_model_name(d->model), d->options.coordinates,
                 sar_motion_failure(d->motion));
}

static void go(driven* d, double t)
{
    if (sar_motion_go(d->motion, t) != SAR_OK)
        fail_msg("%s, %s, t = %g: %s", sar_model_name(d->model), d->options.coordinates, t,
                 sar_motion_failure(d->motion));
    CHECK_NEAR(sar_motion_time(d->motion), t, 0);
}

static void finish(driven* d)
{
    sar_motion_destroy(d->motion);
    sar_model_destroy(d->model);
}

static int joint(const driven* d, const char* name)
{
    sar_joint_id id = {-1};
    CHECK_STATUS(sar_model_find_joint(d->model, name, strlen(name), &id), SAR_OK);
    return id.i;
}

static double force(const driven* d, const char* name)
{
    double value = NAN;
    CHECK_STATUS(sar_motion_drive_force(d->motion, (sar_joint_id){joint(d, name)}, &value), SAR_OK);
    return value;
}

static double output(const driven* d, const char* name)
{
    double values[MOST_OUTPUTS];
    CHECK(sar_model_outputs(d->model) <= MOST_OUTPUTS);
    CHECK_STATUS(sar_motion_outputs(d->motion, values), SAR_OK);
    for (int k = 0; k < sar_model_outputs(d->model); k++)
        if (strcmp(sar_model_output_name(d->model, k), name) == 0) return values[k];
    fail_msg("no output %s", name);
    return NAN;
}

/// A model file with lines put in front of its outputs, and others changed.
static char* with_drive(const char* path, const char* drives, const char* old, const char* new)
{
    char* text = problem_text(path);
    char section[1024];
    snprintf(section, sizeof section, "\n%s\noutputs:\n", drives);
    CHECK(problem_replace(&text, "\noutputs:\n", section) == 1);
    if (old) CHECK(problem_replace(&text, old, new) >= 1);
    return text;
}

/* ---- the models ----------------------------------------------------------------------------- */

static char* crank(void)
{
    return with_drive(TEST_MODEL("driven-crank"), "", "  vx: piston.origin.vx",
                      "  vx: piston.origin.vx\n  ax: piston.origin.ax\n  torque: motor.torque\n"
                      "  side: guide.fy\n  pull: O.fx");
}

static char* cylinder(void)
{
    return with_drive(TEST_MODEL("driven-distance"), "", "  angle: hinge.angle",
                      "  angle: hinge.angle\n  push: cylinder.force\n  pull: hinge.fx");
}

/// Four parallelograms, 2 of whose rods repeat what others say; the drive leads.
static char* four_bars(void)
{
    return with_drive(PROBLEM("n-four-bar"),
                      "drives:\n  motor: {joint: A0, coordinate: angle, value: pi/2 - t - t^2/8}",
                      "  y1: crank0.B.y",
                      "  y1: crank0.B.y\n  x2: crank2.B.x\n  ay: crank0.B.ay\n"
                      "  torque: motor.torque");
}

static char* four_bars_in_space(void)
{
    return with_drive(TEST_MODEL("n-four-bar-spatial"),
                      "drives:\n  motor: {joint: A0, coordinate: angle, value: pi/2 - t - t^2/8}",
                      NULL, NULL);
}

static char* bricard(void)
{
    return with_drive(PROBLEM("bricard"),
                      "drives:\n  motor: {joint: J1, coordinate: angle, value: 0.4*sin(t)}",
                      "  z3: rod2.b.z",
                      "  z3: rod2.b.z\n  ax: rod2.b.ax\n  torque: motor.force\n"
                      "  last: J6.angle\n  wy: rod3.wy");
}

/// Two drives of different kinds in an open chain.
static const char* const arm =
    "{sarrus: 1, name: arm, dimension: 3, gravity: [0, 0, -9.81],"
    " bodies: {"
    "  mast: {mass: 4, center: [0, 0, 0.5], inertia: [0.4, 0.4, 0.1, 0.02, 0, 0.01],"
    "         points: {top: [0, 0, 1]}, position: [0, 0, 0], rotation: {rpy: [0, 0, 0]}},"
    "  ram: {mass: 2, center: [0.3, 0.05, 0], inertia: [0.1, 0.2, 0.2], position: [0.4, 0, 1],"
    "        rotation: {rpy: [0, 0, 0]}}},"
    " joints: {"
    "  yaw: {type: revolute, between: [ground, mast], axis: [ground.z, mast.z],"
    "        normal: [ground.x, mast.x]},"
    "  slide: {type: prismatic, between: [mast.top, ram.origin], axis: [mast.x, ram.x],"
    "          normal: [mast.y, ram.y]}},"
    " drives: {"
    "  turn: {joint: yaw, coordinate: angle, value: 0.7*sin(2*t)},"
    "  push: {joint: slide, coordinate: displacement, value: 0.4 + 0.2*t^2}},"
    " outputs: {x: ram.center.x, y: ram.center.y, turn: turn.torque, push: push.force,"
    "           ax: ram.center.ax, tz: yaw.tz, fz: yaw.fz, total: energy.total}}";

static char* arm_text(void)
{
    return strcpy(calloc(1, strlen(arm) + 1), arm);
}

static char* (*const models[])(void) = {crank,   cylinder, four_bars, four_bars_in_space,
                                        bricard, arm_text};
enum { MODELS = sizeof models / sizeof *models };

/* ---- (a) positions -------------------------------------------------------------------------- */

static void positions_are_those_of_the_closed_form(void** state)
{
    (void)state;
    const double r = 0.3, l = 0.8, w = 4, th0 = 0.5;
    const char* coordinates;
    for (int c = 0; (coordinates = axis_member(SAR_AXIS_COORDINATES, c)); c++) {
        driven d;
        char* text = crank();
        int fits = start(&d, text, coordinates);
        free(text);
        if (!fits) continue;
        must_start(&d);
        for (int k = 0; k <= 40; k++) {
            double t = 0.05 * k, th = th0 + w * t, s = r * sin(th), u = sqrt(l * l - s * s);
            double du = -r * r * sin(th) * cos(th) * w / u;
            double ddu = (-r * r * cos(2 * th) * w * w - du * du) / u;
            go(&d, t);
            CHECK_NEAR(output(&d, "theta"), th, 1e-12); // more than a turn
            CHECK_NEAR(output(&d, "x"), r * cos(th) + u, 1e-12);
            CHECK_NEAR(output(&d, "vx"), -r * w * sin(th) + du, 1e-11);
            CHECK_NEAR(output(&d, "ax"), -r * w * w * cos(th) + ddu, 1e-10);
        }
        go(&d, 0.1); // back again, all the way at once
        CHECK_NEAR(output(&d, "theta"), th0 + 0.1 * w, 1e-12);
        CHECK_AT_MOST(sar_motion_violation(d.motion).position, 1e-13);
        CHECK_AT_MOST(sar_motion_violation(d.motion).velocity, 1e-11);
        CHECK_AT_MOST(sar_motion_violation(d.motion).acceleration, 1e-10);
        finish(&d);
    }
}

static void all_coordinates_agree(void** state)
{
    (void)state;
    for (int k = 0; k < MODELS; k++) {
        driven d[8];
        int count = 0;
        const char* coordinates;
        char* text = models[k]();
        for (int c = 0; (coordinates = axis_member(SAR_AXIS_COORDINATES, c)); c++)
            if (start(&d[count], text, coordinates)) must_start(&d[count++]);
        free(text);
        CHECK(count >= 2);
        for (double t = 0; t < 1.25; t += 0.11)
            for (int c = 0; c < count; c++) {
                double got[MOST_OUTPUTS], wanted[MOST_OUTPUTS];
                go(&d[c], t);
                CHECK_STATUS(sar_motion_outputs(d[0].motion, wanted), SAR_OK);
                CHECK_STATUS(sar_motion_outputs(d[c].motion, got), SAR_OK);
                for (int i = 0; i < sar_model_outputs(d[0].model); i++)
                    if (fabs(got[i] - wanted[i]) > 1e-10 * (1 + fabs(wanted[i])))
                        fail_msg("%s, %s, t = %g: %s = %.17g, wanted %.17g",
                                 sar_model_name(d[0].model), d[c].options.coordinates, t,
                                 sar_model_output_name(d[0].model, i), got[i], wanted[i]);
            }
        for (int c = 0; c < count; c++) finish(&d[c]);
    }
}

static void one_long_way_ends_where_many_short_ones_do(void** state)
{
    (void)state;
    char* text = bricard();
    driven at_once, by_steps;
    CHECK(start(&at_once, text, "natural") && start(&by_steps, text, "natural"));
    free(text);
    for (int k = 1; k <= 600; k++) go(&by_steps, 0.01 * k);
    go(&at_once, 6.0);
    CHECK_NEAR(output(&at_once, "x3"), output(&by_steps, "x3"), 1e-11);
    CHECK_NEAR(output(&at_once, "last"), output(&by_steps, "last"), 1e-11);
    finish(&at_once), finish(&by_steps);
}

/* ---- (b), (c) forces ------------------------------------------------------------------------ */

/// Energy of the driven crank when it has turned by th, from its geometry alone.
static double crank_energy(double th)
{
    const double r = 0.3, l = 0.8, w = 4, g = 9.81;
    double s = r * sin(th), u = sqrt(l * l - s * s), beta_rate = -r * w * cos(th) / u;
    double vx = -r * w * sin(th) - r * r * sin(th) * cos(th) * w / u;
    // centre of the rod: (r cos + u/2, r sin/2)
    double cx = -r * w * sin(th) - 0.5 * r * r * sin(th) * cos(th) * w / u;
    double cy = 0.5 * r * w * cos(th);
    double kinetic = 0.5 * (0.01 + r * r / 4) * w * w + 0.5 * 2 * (cx * cx + cy * cy) +
                     0.5 * 0.1 * beta_rate * beta_rate + 0.5 * 0.5 * vx * vx;
    return kinetic + g * (1 * r / 2 * sin(th) + 2 * r / 2 * sin(th));
}

/// Fourth-order difference quotient.
static double slope(double (*f)(double), double x, double h)
{
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

static void the_torque_is_the_slope_of_the_energy(void** state)
{
    (void)state;
    driven d;
    char* text = crank();
    CHECK(start(&d, text, "cartesian"));
    free(text);
    must_start(&d);
    for (double t = 0; t < 2; t += 0.07) {
        go(&d, t);
        double wanted = slope(crank_energy, 0.5 + 4 * t, 1e-3), power = NAN;
        CHECK_NEAR(output(&d, "torque"), wanted, 1e-9);
        CHECK_NEAR(force(&d, "motor"), wanted, 1e-9);
        CHECK_STATUS(sar_motion_drive_power(d.motion, (sar_joint_id){joint(&d, "motor")}, &power),
                     SAR_OK);
        CHECK_NEAR(power, 4 * wanted, 4e-9);
        CHECK_NEAR(sar_motion_energy(d.motion).work, crank_energy(0.5 + 4 * t) - crank_energy(0.5),
                   1e-11);
    }
    finish(&d);
}

static double all_power(const driven* d)
{
    double sum = 0.0;
    for (int j = 0; j < sar_model_joints(d->model); j++) {
        double power = 0.0;
        if (!sar_model_joint_is_drive(d->model, j, NULL)) continue;
        CHECK_STATUS(sar_motion_drive_power(d->motion, (sar_joint_id){j}, &power), SAR_OK);
        sum += power;
    }
    return sum;
}

static double energy_at(driven* d, double t)
{
    go(d, t);
    sar_energy e = sar_motion_energy(d->motion);
    return e.kinetic + e.potential;
}

/* Power is the rate of the energy, and also tau . v of the coordinates: joints do no work. */
static void power_is_the_rate_of_the_energy(void** state)
{
    (void)state;
    const double h = 1e-3;
    const char* coordinates;
    for (int k = 0; k < MODELS; k++)
        for (int c = 0; (coordinates = axis_member(SAR_AXIS_COORDINATES, c)); c++) {
            driven d;
            char* text = models[k]();
            int fits = start(&d, text, coordinates);
            free(text);
            if (!fits) continue;
            must_start(&d);
            double t = 0.3, tau[MOST_COLUMNS * 4], product = 0.0;
            double e[4] = {energy_at(&d, t - 2 * h), energy_at(&d, t - h), energy_at(&d, t + h),
                           energy_at(&d, t + 2 * h)};
            double rate = (8 * (e[2] - e[1]) - (e[3] - e[0])) / (12 * h);
            go(&d, t);
            double power = all_power(&d);
            CHECK_NEAR(power, rate, 1e-7 * (1 + fabs(rate)));
            sar_motion_state x = sar_motion_coordinates(d.motion);
            CHECK(x.coordinates <= MOST_COLUMNS * 4);
            sar_motion_forces(d.motion, t, x.q, x.v, x.a, tau);
            for (int i = 0; i < x.coordinates; i++) product += tau[i] * x.v[i];
            CHECK_NEAR(product, power, 1e-9 * (1 + fabs(power)));
            finish(&d);
        }
}

/* The torque as a Fourier series of the crank's angle, put on a crank that no drive holds: it must
 * turn as before. */
static char* crank_with_torque(double* error)
{
    enum { HARMONICS = 20, SAMPLES = 128 };
    const double pi = 3.14159265358979323846;
    double a[HARMONICS + 1] = {0}, b[HARMONICS + 1] = {0}, torque[SAMPLES];
    driven d;
    char* text = crank();
    CHECK(start(&d, text, "natural"));
    must_start(&d);
    for (int i = 0; i < SAMPLES; i++) {
        double th = 2 * pi * i / SAMPLES;
        go(&d, (th - 0.5) / 4);
        torque[i] = force(&d, "motor");
        for (int k = 0; k <= HARMONICS; k++) {
            a[k] += (k ? 2.0 : 1.0) / SAMPLES * torque[i] * cos(k * th);
            b[k] += (k ? 2.0 : 0.0) / SAMPLES * torque[i] * sin(k * th);
        }
    }
    finish(&d);
    char sum[4096] = "", load[4500];
    for (int k = 0; k <= HARMONICS; k++)
        snprintf(sum + strlen(sum), sizeof sum - strlen(sum),
                 " + (%.15g)*cos(%d*(th0 + w*t)) + (%.15g)*sin(%d*(th0 + w*t))", a[k], k, b[k], k);
    *error = hypot(a[HARMONICS], b[HARMONICS]);
    snprintf(load, sizeof load, "forces:\n  motor: {type: torque, acts_on: crank, torque: \"%s\"}",
             sum);
    CHECK(problem_replace(&text, "drives:", "start: {O.rate: w}\n") == 1);
    CHECK(problem_replace(&text, "  motor: {joint: O, coordinate: angle, value: th0 + w*t}",
                          load) == 1);
    CHECK(problem_replace(&text, "  torque: motor.torque\n", "") == 1);
    return text;
}

static void a_forward_run_with_the_torque_repeats_the_motion(void** state)
{
    (void)state;
    double left;
    problem_run run;
    char* text = crank_with_torque(&left);
    CHECK_AT_MOST(left, 1e-7); // of the series
    problem_parse(&run, text);
    free(text);
    problem_create(&run, "end=2 step=2e-4");
    CHECK_STATUS(sar_simulation_assemble(run.simulation, NULL), SAR_OK);
    problem_steps(&run, 500);
    CHECK_STATUS(run.status, SAR_OK);
    const double* theta = problem_column(&run, "theta");
    for (int k = 0; k < run.table.rows; k++)
        CHECK_NEAR(theta[k], 0.5 + 4 * run.table.time[k], 5e-6);
    problem_free(&run);
}

static void a_driven_run_needs_the_same_forces(void** state)
{
    (void)state;
    for (int k = 0; k < MODELS; k++) {
        driven d;
        problem_run run;
        char* text = models[k]();
        CHECK(start(&d, text, "natural"));
        must_start(&d);
        problem_parse(&run, text);
        free(text);
        problem_create(&run, "formulation=al3 coordinates=natural end=0.3 step=1e-4");
        CHECK_STATUS(sar_simulation_assemble(run.simulation, NULL), SAR_OK);
        for (int i = 1; !sar_simulation_done(run.simulation); i++) {
            CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
            if (i % 1000) continue;
            go(&d, sar_simulation_time(run.simulation));
            for (int j = 0; j < sar_model_joints(run.model); j++) {
                double got = NAN, wanted = NAN;
                if (!sar_model_joint_is_drive(run.model, j, NULL)) continue;
                CHECK_STATUS(sar_simulation_drive_force(run.simulation, (sar_joint_id){j}, &got),
                             SAR_OK);
                CHECK_STATUS(sar_motion_drive_force(d.motion, (sar_joint_id){j}, &wanted), SAR_OK);
                CHECK_NEAR(got, wanted, 2e-4 * (1 + fabs(wanted)));
            }
        }
        problem_free(&run);
        finish(&d);
    }
}

/* At a constant rate the rods only have to be lifted: m g L cos(th) ((n + 1)/2 + n). */
static void many_redundant_rods_are_lifted(void** state)
{
    (void)state;
    static const struct {
        char* (*text)(void);
        const char *n, *coordinates;
        int rods;
    } cases[] = {{four_bars, "  n: 40", "natural", 40},
                 {four_bars, "  n: 40", "cartesian", 40},
                 {four_bars_in_space, "  n: 12", "natural", 12},
                 {four_bars_in_space, "  n: 12", "increments", 12}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        driven d;
        char* text = cases[k].text();
        CHECK(problem_replace(&text, "pi/2 - t - t^2/8", "pi/2 - t"));
        CHECK(problem_replace(&text, "  n: 2", cases[k].n) == 1);
        CHECK(start(&d, text, cases[k].coordinates));
        free(text);
        must_start(&d);
        for (double t = 0; t < 1.5; t += IN_FULL_OR_SANITIZED(0.25, 0.5)) {
            double n = cases[k].rods, wanted = 9.81 * sin(t) * ((n + 1) / 2 + n);
            go(&d, t);
            CHECK_NEAR(force(&d, "motor"), wanted, 1e-8 * (1 + wanted));
        }
        finish(&d);
    }
}

/* Two motors on one joint share the torque equally. */
static void redundant_drives_share_the_load(void** state)
{
    (void)state;
    driven one, two;
    char *text = crank(), *twice = crank();
    CHECK(problem_replace(&twice, "drives:\n",
                          "drives:\n  second: {joint: O, coordinate: angle, value: w*t + th0}\n"));
    CHECK(start(&one, text, "natural") && start(&two, twice, "cartesian"));
    free(text), free(twice);
    must_start(&two);
    go(&one, 0.4), go(&two, 0.4);
    CHECK(sar_motion_determinacy(two.motion).rank.redundant == 1);
    CHECK_NEAR(force(&two, "motor") + force(&two, "second"), force(&one, "motor"), 1e-9);
    CHECK_NEAR(force(&two, "motor"), force(&two, "second"), 1e-6);
    finish(&one), finish(&two);
}

/* Coordinates that happen to be next to nothing at the start say nothing of the mechanism's size.
 */
static void a_start_at_zero_is_like_any_other(void** state)
{
    (void)state;
    static const char* const text =
        "{sarrus: 1, name: wheel, dimension: 2, bodies: {wheel: {mass: 1, inertia: 0.5,"
        " position: [0, 0], angle: 0}}, joints: {pin: {type: revolute, between: [ground, wheel]}},"
        " drives: {motor: {joint: pin, coordinate: angle, value: 1e-13 + 2*t^2}},"
        " outputs: {angle: pin.angle, torque: motor.torque}}";
    for (int c = 0; c < 2; c++) {
        driven d;
        CHECK(start(&d, text, COORDINATES[c]));
        must_start(&d);
        go(&d, 3.1);
        CHECK_NEAR(output(&d, "angle"), 2 * 3.1 * 3.1, 1e-12);
        CHECK_NEAR(output(&d, "torque"), 2, 1e-9);
        finish(&d);
    }
}

/* A friction that works against the drive is paid by it. */
static void damping_and_springs_are_forces_too(void** state)
{
    (void)state;
    static const char* const text =
        "{sarrus: 1, name: wheel, dimension: 2, bodies: {wheel: {mass: 1, inertia: 0.5,"
        " position: [0, 0], angle: 0}}, joints: {pin: {type: revolute, between: [ground, wheel]}},"
        " drives: {motor: {joint: pin, coordinate: angle, value: t + t^2}},"
        " forces: {drag: {type: rotational-spring, joint: pin, stiffness: 2, damping: 3}},"
        " outputs: {torque: motor.torque}}";
    driven d;
    CHECK(start(&d, text, "cartesian"));
    must_start(&d);
    for (double t = 0; t < 3; t += 0.5) {
        go(&d, t);
        CHECK_NEAR(output(&d, "torque"), 0.5 * 2 + 2 * (t + t * t) + 3 * (1 + 2 * t), 1e-9);
    }
    finish(&d);
}

/* ---- verdicts ------------------------------------------------------------------------------- */

static const char* const chain =
    "{sarrus: 1, name: chain, dimension: 2, gravity: [0, -9.81], bodies: {"
    " upper: {mass: 1, center: [0.5, 0], inertia: 0.1, points: {end: [1, 0]}, position: [0, 0],"
    "         angle: 0.2},"
    " lower: {mass: 1, center: [0.5, 0], inertia: 0.1, position: [0.980066578, 0.198669331],"
    "         angle: 0.5}},"
    " joints: {shoulder: {type: revolute, between: [ground, upper]},"
    "          elbow: {type: revolute, between: [upper.end, lower.origin]}},"
    " drives: {motor: {joint: JOINT, coordinate: angle, value: 0.3 + t}},"
    " outputs: {a: elbow.angle}}";

static void what_no_drive_prescribes_is_named(void** state)
{
    (void)state;
    static const char* const driven_joint[] = {"shoulder", "elbow"};
    static const char* const bodies[] = {"lower", "upper, lower"};
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 2; c++) {
            driven d;
            char* text = strcpy(calloc(1, strlen(chain) + 1), chain);
            CHECK(problem_replace(&text, "JOINT", driven_joint[k]) == 1);
            CHECK(start(&d, text, COORDINATES[c]));
            free(text);
            CHECK_STATUS(d.status, SAR_E_MODEL);
            sar_determinacy what = sar_motion_determinacy(d.motion);
            CHECK(what.undriven == 1 && !what.singular);
            CHECK(what.rank.dof == 1);
            CHECK_TEXT(what.joints, driven_joint[1 - k]);
            CHECK_TEXT(what.bodies, bodies[k]);
            const char* says = sar_motion_failure(d.motion);
            CHECK(strstr(says, "1 degree of freedom has no drive"));
            CHECK(strstr(says, driven_joint[1 - k]));
            CHECK_STATUS(sar_motion_go(d.motion, 1), SAR_E_ARG); // not assembled
            finish(&d);
        }
}

static void a_model_without_drives_is_not_determined(void** state)
{
    (void)state;
    const char* coordinates;
    for (int c = 0; (coordinates = axis_member(SAR_AXIS_COORDINATES, c)); c++) {
        driven d;
        char* text = problem_text(PROBLEM("bricard"));
        CHECK(start(&d, text, coordinates));
        free(text);
        CHECK_STATUS(d.status, SAR_E_MODEL);
        CHECK(sar_motion_determinacy(d.motion).undriven == 1);
        CHECK_TEXT(sar_motion_determinacy(d.motion).joints, "J1, J2, J3, J4, J5, J6");
        finish(&d);
    }
    driven d;
    CHECK(start(&d,
                "{sarrus: 1, name: free, dimension: 3, bodies: {stone: {mass: 1, inertia: [1, "
                "1, 1], position: [0, 0, 0], rotation: {rpy: [0, 0, 0]}}}}",
                "cartesian"));
    CHECK_STATUS(d.status, SAR_E_MODEL);
    CHECK(sar_motion_determinacy(d.motion).undriven == 6);
    CHECK_TEXT(sar_motion_determinacy(d.motion).bodies, "stone");
    CHECK(strstr(sar_motion_failure(d.motion), "6 degrees of freedom have no drive"));
    finish(&d);
}

/// The slider-crank driven by its piston.
static char* piston(const char* value)
{
    char drive[256], *text = crank();
    snprintf(drive, sizeof drive, "motor: {joint: guide, coordinate: displacement, value: %s}",
             value);
    CHECK(problem_replace(&text, "motor: {joint: O, coordinate: angle, value: th0 + w*t}", drive));
    CHECK(problem_replace(&text, "  torque: motor.torque\n", "") == 1);
    return text;
}

static void a_singular_position_is_told_with_its_time(void** state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        driven d;
        char* text = piston("r + l - 0.05*(t - 1)^2");
        CHECK(start(&d, text, COORDINATES[c]));
        free(text);
        must_start(&d);
        go(&d, 0.999);
        CHECK(output(&d, "theta") > 0);
        CHECK_STATUS(sar_motion_go(d.motion, 1), SAR_R_SINGULAR); // dead centre
        CHECK(strstr(sar_motion_failure(d.motion), "at t = 1 s"));
        CHECK(strstr(sar_motion_failure(d.motion), "singular position"));
        sar_determinacy what = sar_motion_determinacy(d.motion);
        CHECK(what.singular && what.undriven == 0);
        CHECK_TEXT(what.joints, "O, P, Q");
        CHECK_NEAR(sar_motion_time(d.motion), 0.999, 1e-12); // nothing has moved
        go(&d, 1.001);                                       // and on, the crank turning on
        CHECK(output(&d, "theta") < 0);
        go(&d, 1.2);
        double x = 1.1 - 0.05 * 0.04, cosine = (x * x + 0.09 - 0.64) / (2 * x * 0.3);
        CHECK_NEAR(output(&d, "theta"), -acos(cosine), 1e-9);
        CHECK(!sar_motion_determinacy(d.motion).singular);
        finish(&d);
    }
}

static void a_singular_start_is_no_missing_drive(void** state)
{
    (void)state;
    driven d;
    char* text = piston("r + l - 0.05*t^2");
    CHECK(problem_replace(&text, "th0: 0.5", "th0: 0"));
    CHECK(start(&d, text, "natural"));
    free(text);
    CHECK_STATUS(d.status, SAR_R_SINGULAR);
    CHECK(sar_motion_determinacy(d.motion).singular);
    CHECK(sar_motion_determinacy(d.motion).undriven == 0);
    CHECK(strstr(sar_motion_failure(d.motion), "at t = 0 s"));
    finish(&d);
}

/* The parallelograms lie down at pi/2: rods go on as they were going. */
static void a_singular_position_between_times_is_passed(void** state)
{
    (void)state;
    driven d;
    char* text = four_bars();
    CHECK(problem_replace(&text, "pi/2 - t - t^2/8", "pi/2 - t"));
    CHECK(start(&d, text, "natural"));
    free(text);
    must_start(&d);
    for (int k = 0; k < 40; k++) {
        double t = 0.1 * k;
        go(&d, t);
        CHECK_NEAR(output(&d, "x1"), sin(t), 1e-11);
        CHECK_NEAR(output(&d, "x2"), 2 + sin(t), 1e-9);
    }
    finish(&d);
}

static void out_of_reach_is_told_with_the_last_time(void** state)
{
    (void)state;
    driven d;
    char* text = piston("1 + 0.2*t");
    CHECK(start(&d, text, "natural"));
    free(text);
    must_start(&d);
    go(&d, 0.4);
    CHECK_STATUS(sar_motion_go(d.motion, 0.6), SAR_R_NO_CONV); // 1.1 m is all, at 0.5 s
    CHECK(sar_motion_time(d.motion) >= 0.4 && sar_motion_time(d.motion) < 0.5 + 1e-9);
    CHECK(strstr(sar_motion_failure(d.motion), "cannot follow its drives beyond t = 0."));
    go(&d, 0.3); // it can still be used
    double cosine = (1.06 * 1.06 + 0.09 - 0.64) / (2 * 1.06 * 0.3);
    CHECK_NEAR(output(&d, "theta"), acos(cosine), 1e-9);
    finish(&d);
}

static void bad_input_is_refused(void** state)
{
    (void)state;
    driven d;
    sar_error error = {0};
    double force = 0, six[6];
    char* text = crank();
    CHECK(start(&d, text, "natural"));
    CHECK_STATUS(sar_motion_go(d.motion, NAN), SAR_E_ARG);
    CHECK_STATUS(sar_motion_go(d.motion, INFINITY), SAR_E_ARG);
    CHECK_STATUS(sar_motion_drive_force(d.motion, (sar_joint_id){joint(&d, "O")}, &force),
                 SAR_E_ARG);
    CHECK_STATUS(sar_motion_drive_force(d.motion, (sar_joint_id){-1}, &force), SAR_E_ARG);
    CHECK_STATUS(sar_motion_drive_force(d.motion, (sar_joint_id){99}, &force), SAR_E_ARG);
    CHECK_STATUS(sar_motion_reaction(d.motion, (sar_joint_id){99}, six, six + 3), SAR_E_ARG);
    sar_motion* none = NULL;
    snprintf(d.options.coordinates, sizeof d.options.coordinates, "polar");
    CHECK_STATUS(sar_motion_create(d.model, &d.options, &none, &error), SAR_E_ARG);
    CHECK(!none && strstr(error.message, "polar"));
    d.options = sar_options_default();
    d.options.end = -1;
    CHECK_STATUS(sar_motion_create(d.model, &d.options, &none, &error), SAR_E_ARG);
    CHECK(!none && strstr(error.message, "end"));
    finish(&d);
    CHECK(problem_replace(&text, "th0 + w*t}", "th0 + sqrt(0.25 - t)}") == 1);
    CHECK(problem_replace(&text, "th0: 0.5", "th0: 0.2") == 1);
    CHECK(start(&d, text, "natural"));
    free(text);
    must_start(&d);
    CHECK_STATUS(sar_motion_go(d.motion, 0.3), SAR_R_NOT_FINITE);
    CHECK(strstr(sar_motion_failure(d.motion), "no finite value"));
    finish(&d);
    sar_motion_destroy(NULL);
}

static void contradictory_drives_cannot_be_assembled(void** state)
{
    (void)state;
    driven d;
    char* text = crank();
    CHECK(
        problem_replace(&text, "drives:\n",
                        "drives:\n  second: {joint: O, coordinate: angle, value: 2*w*t + th0}\n"));
    CHECK(start(&d, text, "natural"));
    free(text);
    CHECK_STATUS(d.status, SAR_E_ASSEMBLY);
    CHECK(d.assembly.level == 1 && strstr(sar_motion_failure(d.motion), "second"));
    finish(&d);
}

static void advancing_lands_on_the_end(void** state)
{
    (void)state;
    driven d;
    int steps = 0;
    char* text = crank();
    parse(&d, text, "natural");
    free(text);
    d.options.end = 0.35, d.options.step = 0.1;
    CHECK_STATUS(sar_motion_create(d.model, &d.options, &d.motion, NULL), SAR_OK);
    CHECK_STATUS(sar_motion_advance(d.motion), SAR_E_ARG);
    CHECK_STATUS(sar_motion_assemble(d.motion, NULL), SAR_OK);
    for (; !sar_motion_done(d.motion); steps++) CHECK_STATUS(sar_motion_advance(d.motion), SAR_OK);
    CHECK(steps == 4);
    CHECK_NEAR(sar_motion_time(d.motion), 0.35, 0);
    CHECK_STATUS(sar_motion_advance(d.motion), SAR_E_ARG);
    finish(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_those_of_the_closed_form),
        cmocka_unit_test(all_coordinates_agree),
        cmocka_unit_test(one_long_way_ends_where_many_short_ones_do),
        cmocka_unit_test(the_torque_is_the_slope_of_the_energy),
        cmocka_unit_test(power_is_the_rate_of_the_energy),
        cmocka_unit_test(a_forward_run_with_the_torque_repeats_the_motion),
        cmocka_unit_test(a_driven_run_needs_the_same_forces),
        cmocka_unit_test(many_redundant_rods_are_lifted),
        cmocka_unit_test(redundant_drives_share_the_load),
        cmocka_unit_test(a_start_at_zero_is_like_any_other),
        cmocka_unit_test(damping_and_springs_are_forces_too),
        cmocka_unit_test(what_no_drive_prescribes_is_named),
        cmocka_unit_test(a_model_without_drives_is_not_determined),
        cmocka_unit_test(a_singular_position_is_told_with_its_time),
        cmocka_unit_test(a_singular_start_is_no_missing_drive),
        cmocka_unit_test(a_singular_position_between_times_is_passed),
        cmocka_unit_test(out_of_reach_is_told_with_the_last_time),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(contradictory_drives_cannot_be_assembled),
        cmocka_unit_test(advancing_lands_on_the_end),
    };
    int failed = 0;
    for (int k = 0; k < 2; k++) {
        solver = SOLVERS[k];
        printf("solver %s\n", solver);
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
