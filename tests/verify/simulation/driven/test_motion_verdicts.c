/* What is said of motions that drives do not determine, that reach singular configurations or cannot go on. */
#include "motion_fixture.h"

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

TEST(what_no_drive_prescribes_is_named)
{
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

TEST(a_model_without_drives_is_not_determined)
{
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

TEST(a_singular_configuration_is_told_with_its_time)
{
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
        CHECK(strstr(sar_motion_failure(d.motion), "singular configuration"));
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

TEST(a_singular_start_is_no_missing_drive)
{
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
TEST(a_singular_configuration_between_times_is_passed)
{
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

TEST(out_of_reach_is_told_with_the_last_time)
{
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

TEST(bad_input_is_refused)
{
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
    CHECK(
        strstr(sar_motion_failure(d.motion),
               "is undefined at t = 0.3: its expression \"th0 + sqrt(0.25 - t)\" is not a number"));
    finish(&d);
    sar_motion_destroy(NULL);
}

TEST(what_a_run_adds_up_is_refused)
{
    static const char* const sums[] = {"{integral: O.rate}", "{max: O.rate}", "2*motor.work",
                                       "energy.integrator"};
    for (int k = 0; k < 4; k++) {
        driven d;
        sar_error error = {0};
        sar_motion* none = NULL;
        char* text = crank();
        char outputs[80];
        snprintf(outputs, sizeof outputs, "outputs:\n  sum: %s\n", sums[k]);
        CHECK(problem_replace(&text, "outputs:\n", outputs) == 1);
        parse(&d, text, "natural");
        free(text);
        CHECK_STATUS(sar_motion_create(d.model, &d.options, &none, &error), SAR_E_MODEL);
        CHECK(!none && strstr(error.message, "\"sum\" is added up"));
        finish(&d);
    }
}

TEST(contradictory_drives_cannot_be_assembled)
{
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

TEST(advancing_lands_on_the_end)
{
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
    return run_with_each_solver();
}
