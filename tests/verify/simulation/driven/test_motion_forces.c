/* Forces of driven mechanisms, by energies that share no code with the library, and forward runs against inverse dynamics. */
#include "motion_fixture.h"

/* ---- forces --------------------------------------------------------------------------------- */

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

TEST(the_torque_is_the_slope_of_the_energy)
{
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
TEST(power_is_the_rate_of_the_energy)
{
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
            CHECK_STATUS(sar_motion_forces(d.motion, t, x.q, x.v, x.a, tau), SAR_OK);
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

TEST(a_forward_run_with_the_torque_repeats_the_motion)
{
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

TEST(a_driven_run_needs_the_same_forces)
{
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
TEST(many_redundant_rods_are_lifted)
{
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
        for (double t = 0; t < 1.5; t += IN_FULL_OR_SAMPLE(0.25, 0.5)) {
            double n = cases[k].rods, wanted = 9.81 * sin(t) * ((n + 1) / 2 + n);
            go(&d, t);
            CHECK_NEAR(force(&d, "motor"), wanted, 1e-8 * (1 + wanted));
        }
        finish(&d);
    }
}

/* Two motors on one joint share the torque equally. */
TEST(redundant_drives_share_the_load)
{
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
TEST(a_start_at_zero_is_like_any_other)
{
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
TEST(damping_and_springs_are_forces_too)
{
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

int main(void)
{
    return run_with_each_solver();
}
