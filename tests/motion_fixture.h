/* Driven mechanisms: models with drives, started and led to times. */
#ifndef MOTION_FIXTURE_H
#define MOTION_FIXTURE_H

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

static inline void parse(driven* d, const char* text, const char* coordinates)
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
static inline int start(driven* d, const char* text, const char* coordinates)
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

static inline void must_start(const driven* d)
{
    if (d->status != SAR_OK)
        fail_msg("%s, %s: %s", sar_model_name(d->model), d->options.coordinates,
                 sar_motion_failure(d->motion));
}

static inline void go(driven* d, double t)
{
    if (sar_motion_go(d->motion, t) != SAR_OK)
        fail_msg("%s, %s, t = %g: %s", sar_model_name(d->model), d->options.coordinates, t,
                 sar_motion_failure(d->motion));
    CHECK_NEAR(sar_motion_time(d->motion), t, 0);
}

static inline void finish(driven* d)
{
    sar_motion_destroy(d->motion);
    sar_model_destroy(d->model);
}

static inline int joint(const driven* d, const char* name)
{
    sar_joint_id id = {-1};
    CHECK_STATUS(sar_model_find_joint(d->model, name, strlen(name), &id), SAR_OK);
    return id.i;
}

static inline double force(const driven* d, const char* name)
{
    double value = NAN;
    CHECK_STATUS(sar_motion_drive_force(d->motion, (sar_joint_id){joint(d, name)}, &value), SAR_OK);
    return value;
}

static inline double output(const driven* d, const char* name)
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
static inline char* with_drive(const char* path, const char* drives, const char* old,
                               const char* new)
{
    char* text = problem_text(path);
    char section[1024];
    snprintf(section, sizeof section, "\n%s\noutputs:\n", drives);
    CHECK(problem_replace(&text, "\noutputs:\n", section) == 1);
    if (old) CHECK(problem_replace(&text, old, new) >= 1);
    return text;
}

/* ---- the models ----------------------------------------------------------------------------- */

static inline char* crank(void)
{
    return with_drive(TEST_MODEL("driven-crank"), "", "  vx: piston.origin.vx",
                      "  vx: piston.origin.vx\n  ax: piston.origin.ax\n  torque: motor.torque\n"
                      "  side: guide.fy\n  pull: O.fx");
}

static inline char* cylinder(void)
{
    return with_drive(TEST_MODEL("driven-distance"), "", "  angle: hinge.angle",
                      "  angle: hinge.angle\n  push: cylinder.force\n  pull: hinge.fx");
}

/// Four parallelograms, 2 of whose rods repeat what others say; the drive leads.
static inline char* four_bars(void)
{
    return with_drive(PROBLEM("n-four-bar"),
                      "drives:\n  motor: {joint: A0, coordinate: angle, value: pi/2 - t - t^2/8}",
                      "  y1: crank0.B.y",
                      "  y1: crank0.B.y\n  x2: crank2.B.x\n  ay: crank0.B.ay\n"
                      "  torque: motor.torque");
}

static inline char* four_bars_in_space(void)
{
    return with_drive(TEST_MODEL("n-four-bar-spatial"),
                      "drives:\n  motor: {joint: A0, coordinate: angle, value: pi/2 - t - t^2/8}",
                      NULL, NULL);
}

static inline char* bricard(void)
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

static inline char* arm_text(void)
{
    return strcpy(calloc(1, strlen(arm) + 1), arm);
}

static char* (*const models[])(void) = {crank,   cylinder, four_bars, four_bars_in_space,
                                        bricard, arm_text};
enum { MODELS = sizeof models / sizeof *models };

/// All tests with each solver. @return how many failed
static inline int run_with_each_solver(void)
{
    int failed = 0;
    for (size_t k = 0; k < sizeof SOLVERS / sizeof *SOLVERS; k++) {
        solver = SOLVERS[k];
        printf("solver %s\n", solver);
        failed += sar_test_run();
    }
    return failed;
}

#endif
