/* Driven mechanisms: positions, velocities and accelerations by closed forms, and all coordinates against each other. */
#include "motion_fixture.h"

/* ---- positions ------------------------------------------------------------------------------- */

TEST(positions_are_those_of_the_closed_form)
{
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

TEST(all_coordinates_agree)
{
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

TEST(one_long_way_ends_where_many_short_ones_do)
{
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

/* ---- poses and velocities of bodies ---------------------------------------------------------- */

/// A body turned about z: where its origin is and how it moves there.
typedef struct placed {
    const char* body;
    double position[3], angle, velocity[3], rate;
} placed;

static void check_placed(const driven* d, const placed* wanted)
{
    const char* name = wanted->body;
    double position[3], velocity[3], angular[3], p[4];
    sar_body_id body;
    CHECK_STATUS(sar_model_find_body(d->model, name, strlen(name), &body), SAR_OK);
    sar_motion_pose(d->motion, body, position, p);
    sar_motion_velocity(d->motion, body, velocity, angular);
    const double turned[4] = {cos(0.5 * wanted->angle), 0, 0, sin(0.5 * wanted->angle)};
    const double sign = p[0] * turned[0] + p[3] * turned[3] < 0 ? -1 : 1; // both mean one rotation
    for (int k = 0; k < 4; k++) CHECK_NEAR(sign * p[k], turned[k], 1e-12);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(position[k], wanted->position[k], 1e-12);
        CHECK_NEAR(velocity[k], wanted->velocity[k], 1e-11);
        CHECK_NEAR(angular[k], k == 2 ? wanted->rate : 0, 1e-11);
    }
}

static void check_crank(driven* d, double t)
{
    const double r = 0.3, l = 0.8, w = 4, th = 0.5 + w * t;
    const double c = r * cos(th), s = r * sin(th), u = sqrt(l * l - s * s);
    const placed bodies[] = {
        {"crank", {0, 0, 0}, th, {0, 0, 0}, w},
        {"rod", {c, s, 0}, -asin(s / l), {-w * s, w * c, 0}, -w * c / u},
        {"piston", {c + u, 0, 0}, 0, {-w * s - s * c * w / u, 0, 0}, 0},
    };
    go(d, t);
    for (int k = 0; k < 3; k++) check_placed(d, &bodies[k]);
}

/* The ram slides along a mast that turns: its origin has both velocities. */
static void check_arm(driven* d, double t)
{
    const double yaw = 0.7 * sin(2 * t), rate = 1.4 * cos(2 * t);
    const double out = 0.4 + 0.2 * t * t, outwards = 0.4 * t, c = cos(yaw), s = sin(yaw);
    const placed bodies[] = {
        {"mast", {0, 0, 0}, yaw, {0, 0, 0}, rate},
        {"ram",
         {out * c, out * s, 1},
         yaw,
         {outwards * c - out * rate * s, outwards * s + out * rate * c, 0},
         rate},
    };
    go(d, t);
    for (int k = 0; k < 2; k++) check_placed(d, &bodies[k]);
}

TEST(bodies_are_and_move_as_the_drives_say)
{
    static const struct {
        char* (*text)(void);
        void (*check)(driven* d, double t);
    } CASES[] = {{crank, check_crank}, {arm_text, check_arm}};
    const char* coordinates;
    for (int k = 0; k < 2; k++)
        for (int c = 0; (coordinates = axis_member(SAR_AXIS_COORDINATES, c)); c++) {
            driven d;
            char* text = CASES[k].text();
            int fits = start(&d, text, coordinates);
            free(text);
            if (!fits) continue;
            must_start(&d);
            for (double t = 0; t < 2; t += 0.13) CASES[k].check(&d, t);
            finish(&d);
        }
}

int main(void)
{
    return run_with_each_solver();
}
