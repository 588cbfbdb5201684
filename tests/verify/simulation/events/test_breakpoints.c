/* Steps land on the model's breakpoints: with a force that is constant in pieces, every integrator
 * of second order or more is exact, wherever the jumps are between the steps. */
#include "sar_test.h"
#include "sarrus/load.h"

/* a = 2 until 0.31415, then -7 until 0.5 (which is on the grid), then 1. */
static const char* const MODEL =
    "sarrus: 1\nname: pushed\ndimension: 2\n"
    "breakpoints: [0.5, 0.31415, 0, 0.5, 7]\n"
    "bodies: {block: {mass: 3, inertia: 1, position: [0, 0], angle: 0}}\n"
    "joints: {rail: {type: prismatic, between: [ground, block], axis: [ground.x, block.x]}}\n"
    "forces: {push: {type: force, acts_on: block,\n"
    "  force: [\"3*(t < 0.31415 ? 2 : t < 0.5 ? -7 : 1)\", 0]}}\n"
    "outputs: {x: block.origin.x, v: block.origin.vx}\n";

static void exact(double t, double out[2])
{
    static const double from[] = {0, 0.31415, 0.5, 1e9}, a[] = {2, -7, 1};
    out[0] = out[1] = 0;
    for (int k = 0; k < 3 && t > from[k]; k++) {
        double h = fmin(t, from[k + 1]) - from[k];
        out[0] += h * (out[1] + 0.5 * h * a[k]);
        out[1] += h * a[k];
    }
}

static void run(const char* formulation, const char* integrator, double tolerance)
{
    sar_model* model;
    sar_simulation* s;
    sar_options options = sar_options_default();
    sar_error error = {0};
    if (sar_options_set(&options, "integrator", integrator, &error) != SAR_OK) return; // not built
    CHECK_STATUS(sar_options_set(&options, "formulation", formulation, &error), SAR_OK);
    options.end = 1, options.step = 0.01;
    CHECK_STATUS(sar_model_parse(MODEL, strlen(MODEL), "pushed", NULL, 0, &model, NULL, NULL),
                 SAR_OK);
    if (sar_simulation_create(model, &options, &s, &error) != SAR_OK) fail_msg("%s", error.message);
    CHECK_STATUS(sar_simulation_assemble(s, NULL), SAR_OK);
    int landed = 0;
    double got[2], wanted[2], t = 0;
    while (!sar_simulation_done(s)) {
        if (sar_simulation_advance(s) != SAR_OK)
            fail_msg("%s: %s", integrator, sar_simulation_failure(s));
        CHECK(sar_simulation_time(s) > t);
        t = sar_simulation_time(s);
        landed += t == 0.31415 || t == 0.5;
        sar_simulation_outputs(s, got);
        exact(t, wanted);
        if (fabs(got[1] - wanted[1]) > 1e-9 || fabs(got[0] - wanted[0]) > tolerance)
            fail_msg("%s at t = %.9g: x %g, v %g, off by %g, %g", integrator, t, got[0], got[1],
                     got[0] - wanted[0], got[1] - wanted[1]);
    }
    CHECK(landed == 2);
    CHECK_NEAR(t, 1, 0);
    if (strstr(integrator, "trapezoidal") == integrator && !strstr(integrator, "variable"))
        CHECK(sar_simulation_statistics(s).steps == 101); // the grid, and one more
    CHECK_AT_MOST(sar_simulation_statistics(s).energy_max_drift, tolerance < 1e-6 ? 1e-8 : 1);
    sar_simulation_destroy(s);
    sar_model_destroy(model);
}

TEST(forces_that_jump_at_breakpoints_cost_no_accuracy)
{
    run("al3", "trapezoidal", 1e-9);
    run("al3", "newmark", 1e-9);
    run("al3", "trapezoidal-variable", 1e-9);
    run("al1", "trapezoidal-fixed-point", 1e-9);
    run("al1", "rk4", 1e-9);
    run("nullspace", "dopri5", 1e-9);
    run("nullspace", "bdf", 1e-3);
    run("dae", "ida", 1e-3);
    run("al1", "euler", 0.1);
    run("al1", "semi-implicit-euler", 0.1);
    run("hamiltonian", "trapezoidal-fixed-point", 1e-9);
}
