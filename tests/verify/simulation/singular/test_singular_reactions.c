/* Reactions of joints at and beside singular configurations, against closed forms in the angle of the
 * mechanism: smooth across them, or with a pole. */
#include "problem_run.h"

#include <math.h>

static const double G = 9.81;

/* ---- a parallelogram in space, whose forces are smooth ---------------------------------------- */

/* F1x, F1y as functions of phi: see problems/four-bar/make_reference.py. */
static void four_bar_force(const double* output, double F[2])
{
    const double phi = output[0], a = phi + 0.5 * M_PI, w2 = 4.0 * G / 7.0;
    const double rate2 = 2.0 * w2 * (cos(a) - cos(0.75 * M_PI)), accel = -w2 * sin(a);
    F[0] = -sin(phi) * accel - cos(phi) * rate2;
    F[1] = cos(phi) * accel - sin(phi) * rate2 + 1.5 * G;
}

/* Largest error of F1 over samples; how many of them are within 0.04 rad of a singular configuration. */
static double four_bar_error(const char* options, int* near)
{
    problem_run run;
    double value[MOST_OUTPUTS], F[2], worst = 0.0, next = 0.0;
    problem_start(&run, PROBLEM("four-bar"), NULL, options);
    *near = 0;
    while (run.status == SAR_OK && !sar_simulation_done(run.simulation)) {
        run.status = sar_simulation_advance(run.simulation);
        for (; next <= sar_simulation_time(run.simulation); next += 0.0031) {
            CHECK_STATUS(sar_simulation_outputs_at(run.simulation, next, value), SAR_OK);
            four_bar_force(value, F);
            *near += fabs(value[0] + 0.5 * M_PI) < 0.04;
            worst = fmax(worst, fmax(fabs(value[3] - F[0]), fabs(value[4] - F[1])));
        }
    }
    CHECK_STATUS(run.status, SAR_OK);
    problem_free(&run);
    return worst;
}

TEST(test_smooth_forces_are_as_good_as_the_motion)
{
    static const char* const ALGEBRA[] = {"dense", "sparse"};
    for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++)
        for (int k = 0; k < 2; k++) {
            char options[256];
            int near;
            if (k && strcmp(axis_member(SAR_AXIS_COORDINATES, c), "natural") != 0) continue;
            snprintf(options, sizeof options,
                     "coordinates=%s formulation=chart integrator=dop853-radau tolerance=1e-10 "
                     "solver=%s end=%d",
                     axis_member(SAR_AXIS_COORDINATES, c), ALGEBRA[k], IN_FULL_OR_SAMPLE(12, 4));
            const double worst = four_bar_error(options, &near);
            print_message("%s: %.1e of 34 N, %d samples near\n", options, worst, near);
            assert_true(near > IN_FULL_OR_SAMPLE(10, 3));
            assert_true(worst < 1e-9 * 34.0);
        }
}

/* ---- two equal rods and a slider: gravity along the guide gives its forces a pole ------------- */

static const char SLIDER_CRANK[] =
    "sarrus: 1\n"
    "name: slider-crank\n"
    "dimension: 2\n"
    "gravity: [%g, -9.81]\n"
    "bodies:\n"
    "  crank: {mass: 1, center: [0.5, 0], inertia: 1/12, points: {P: [1, 0]}, angle: pi/4}\n"
    "  rod: {mass: 1, center: [0.5, 0], inertia: 1/12, points: {P: [0, 0], Q: [1, 0]},\n"
    "        position: [cos(pi/4), sin(pi/4)], angle: -pi/4}\n"
    "  slider: {mass: 0, points: {Q: [0, 0]}, position: [2*cos(pi/4), 0]}\n"
    "joints:\n"
    "  O: {type: revolute, between: [ground.origin, crank.origin]}\n"
    "  P: {type: revolute, between: [crank.P, rod.P]}\n"
    "  Q: {type: revolute, between: [rod.Q, slider.Q]}\n"
    "  guide: {type: prismatic, between: [ground.origin, slider.Q], axis: [ground.x, slider.x]}\n"
    "outputs: {phi: O.angle, omega: O.rate, Px: P.fx, Py: P.fy, N: guide.fy}\n"
    "start: {O.angle: pi/4, slider.Q.vx: -4}\n"
    "method: {end: 3}\n";

/* Forces on the rod at P and of the guide, from Newton's and Euler's equations of the rod, where
 * (2/3 + 2 sin^2 phi) phi'' = -2 sin phi cos phi phi'^2 - g_y cos phi - 2 g_x sin phi. */
static void slider_crank_forces(double gx, double phi, double omega, double F[3])
{
    const double s = sin(phi), c = cos(phi);
    const double alpha =
        (-2.0 * s * c * omega * omega - G * c - 2.0 * gx * s) / (2.0 / 3.0 + 2.0 * s * s);
    const double ax = 1.5 * (-s * alpha - c * omega * omega),
                 ay = 0.5 * (c * alpha - s * omega * omega);
    F[0] = ax - gx;
    const double sum = ay + G, difference = (-alpha / 12.0 + 0.5 * s * F[0]) / (0.5 * c);
    F[1] = 0.5 * (sum - difference);
    F[2] = 0.5 * (sum + difference);
}

/* Largest error, as a part of the force or of 20 N, if that is more; and largest force. */
static double slider_crank_error(double gx, const char* coordinates, double* largest)
{
    problem_run run;
    char text[2048], options[128];
    double value[MOST_OUTPUTS], F[3], worst = 0.0, next = 0.0;
    snprintf(text, sizeof text, SLIDER_CRANK, gx);
    snprintf(options, sizeof options,
             "coordinates=%s formulation=chart integrator=dop853-radau tolerance=1e-10",
             coordinates);
    problem_parse(&run, text);
    problem_create(&run, options);
    CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
    *largest = 0.0;
    while (run.status == SAR_OK && !sar_simulation_done(run.simulation)) {
        run.status = sar_simulation_advance(run.simulation);
        for (; next <= sar_simulation_time(run.simulation); next += 0.0004) {
            CHECK_STATUS(sar_simulation_outputs_at(run.simulation, next, value), SAR_OK);
            if (fabs(cos(value[0])) < 2e-3) continue; // the closed form loses digits too
            slider_crank_forces(gx, value[0], value[1], F);
            const double size = fmax(fmax(fabs(F[1]), fabs(F[2])), 20.0);
            *largest = fmax(*largest, size);
            for (int k = 0; k < 3; k++) // told for the other body, or for this one
                worst =
                    fmax(worst, fmin(fabs(value[2 + k] - F[k]), fabs(value[2 + k] + F[k])) / size);
        }
    }
    CHECK_STATUS(run.status, SAR_OK);
    problem_free(&run);
    return worst;
}

TEST(test_a_pole_is_told_from_what_is_smooth)
{
    for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++) {
        const char* coordinates = axis_member(SAR_AXIS_COORDINATES, c);
        double smooth, pole;
        const double without = slider_crank_error(0.0, coordinates, &smooth);
        const double with = slider_crank_error(3.0, coordinates, &pole);
        print_message("%s: smooth %.1e (up to %.0f N), pole %.1e (up to %.0f N)\n", coordinates,
                      without, smooth, with, pole);
        assert_true(pole > 5.0 * smooth);
        assert_true(without < 1e-9);
        assert_true(with < 1e-8);
    }
}
