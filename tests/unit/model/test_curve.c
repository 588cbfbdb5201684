/* Curves: distances of points and their derivatives against closed forms and differences, splines
 * through points, foot points that are followed or looked for, and what is refused. */
#include "model/curve.h"
#include "model_fixture.h"

static const double PI = 3.14159265358979323846;

static sari_curve curve_of(sar_model* m, sar_curve def)
{
    sari_curve curve;
    sar_error error = {0};
    if (sari_curve_create(m, &def, &curve, &error) != SAR_OK) fail_msg("%s", error.message);
    return curve;
}

static double distance_at(const sari_curve* curve, double x, double y, double near)
{
    return sari_curve_find(curve, (double[2]){x, y}, near).distance;
}

TEST(distances_from_a_circle_are_those_of_its_radius)
{
    sar_model* m = two_bodies(2);
    sari_curve circle =
        curve_of(m, (sar_curve){.x = "0.5 + 2*cos(s)", .y = "2*sin(s)", .to = 2 * PI, .closed = 1});
    for (int k = 0; k < 50; k++) {
        const double r = 0.3 + 0.1 * k, f = 0.7 * k, x = 0.5 + r * cos(f), y = r * sin(f);
        const sari_curve_foot foot = sari_curve_find(&circle, (double[2]){x, y}, NAN);
        CHECK_NEAR(foot.distance, 2 - r, 1e-14 * (2 + r)); // the centre is to the left
        CHECK_NEAR(foot.normal[0], -cos(f), 1e-13);
        CHECK_NEAR(foot.normal[1], -sin(f), 1e-13);
        CHECK_NEAR(foot.bend, -1 / r, 1e-12 / r);
    }
    CHECK_NEAR(sari_curve_size(&circle), 4, 1e-12);
    sari_curve_release(&circle);
    sar_model_destroy(m);
}

/* Derivatives of the distance from any curve, off it. */
TEST(derivatives_are_those_of_the_distance)
{
    sar_model* m = two_bodies(2);
    sari_curve wave =
        curve_of(m, (sar_curve){.x = "s + 0.2*s^2", .y = "sin(2*s)", .from = -1, .to = 2});
    const double h = 1e-4;
    for (int k = 0; k < 20; k++) {
        const double s = -0.8 + 0.12 * k;
        const double x = s + 0.2 * s * s + 0.03 * sin(5.0 * k),
                     y = sin(2 * s) + 0.05 * cos(3.0 * k);
        const sari_curve_foot at = sari_curve_find(&wave, (double[2]){x, y}, NAN);
        const double *t = at.tangent, px = distance_at(&wave, x + h, y, at.s),
                     mx = distance_at(&wave, x - h, y, at.s),
                     py = distance_at(&wave, x, y + h, at.s),
                     my = distance_at(&wave, x, y - h, at.s);
        CHECK_NEAR((px - mx) / (2 * h), at.normal[0], 1e-6);
        CHECK_NEAR((py - my) / (2 * h), at.normal[1], 1e-6);
        CHECK_NEAR((px - 2 * at.distance + mx) / (h * h), at.bend * t[0] * t[0], 1e-4);
        CHECK_NEAR((py - 2 * at.distance + my) / (h * h), at.bend * t[1] * t[1], 1e-4);
    }
    sari_curve_release(&wave);
    sar_model_destroy(m);
}

static void fill_circle(int n, double* x, double* y)
{
    for (int k = 0; k < n; k++) x[k] = cos(2 * PI * k / n), y[k] = sin(2 * PI * k / n);
}

/* Error of the spline of a circle: falls by 16 when there are twice as many points. */
static double error_of_circle(sar_model* m, int n)
{
    double x[80], y[80], most = 0;
    fill_circle(n, x, y);
    sari_curve curve =
        curve_of(m, (sar_curve){.points = n, .point_x = x, .point_y = y, .closed = 1});
    for (int k = 0; k < 300; k++) {
        double c[3][2];
        sari_curve_at(&curve, curve.to * k / 300.0, c);
        most = fmax(most, fabs(hypot(c[0][0], c[0][1]) - 1));
    }
    sari_curve_release(&curve);
    return most;
}

TEST(closed_splines_are_smooth_where_they_close)
{
    sar_model* m = two_bodies(2);
    double x[7] = {0, 2, 3, 2.5, 1, -0.5, -1}, y[7] = {0, -0.3, 1, 2, 2.6, 2, 1}, a[3][2], b[3][2];
    sari_curve curve =
        curve_of(m, (sar_curve){.points = 7, .point_x = x, .point_y = y, .closed = 1});
    const double h = 1e-9 * curve.to;
    sari_curve_at(&curve, h, a);
    sari_curve_at(&curve, curve.to - h, b);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) CHECK_NEAR(a[i][k], b[i][k], 1e-7);
    sari_curve_at(&curve, 3 * curve.to + 0.4, a); // round and round
    sari_curve_at(&curve, 0.4 - 2 * curve.to, b);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) CHECK_NEAR(a[i][k], b[i][k], 1e-12);
    sari_curve_release(&curve);
    const double coarse = error_of_circle(m, 36), fine = error_of_circle(m, 72);
    CHECK_AT_MOST(coarse, 1e-5);
    CHECK(coarse / fine > 14 && coarse / fine < 18);
    sar_model_destroy(m);
}

/* Of an open curve through points: straight beyond its ends. */
TEST(open_splines_go_on_straight)
{
    sar_model* m = two_bodies(2);
    const double x[5] = {0, 1, 2, 3, 4}, y[5] = {0, 1, 0, -1, 0};
    sari_curve curve = curve_of(m, (sar_curve){.points = 5, .point_x = x, .point_y = y});
    double end[3][2], beyond[3][2];
    sari_curve_at(&curve, curve.to, end);
    sari_curve_at(&curve, curve.to + 2, beyond);
    CHECK_NEAR(end[0][0], 4, 1e-12);
    CHECK_NEAR(end[0][1], 0, 1e-12);
    for (int k = 0; k < 2; k++) CHECK_NEAR(beyond[0][k], end[0][k] + 2 * end[1][k], 1e-12);
    CHECK_NEAR(distance_at(&curve, beyond[0][0], beyond[0][1], curve.to), 0, 1e-12);
    sari_curve_release(&curve);
    sar_model_destroy(m);
}

/* Where a curve crosses itself the branch that was followed counts, not the nearest one. */
TEST(foot_points_stay_on_their_branch)
{
    sar_model* m = two_bodies(2);
    sari_curve eight =
        curve_of(m, (sar_curve){.x = "sin(s)", .y = "sin(2*s)", .to = 2 * PI, .closed = 1});
    double s = 0.5;
    for (int k = 0; k <= 1000; k++) { // two turns, beside the curve
        const double at = 0.5 + 4 * PI * k / 1000;
        const double p[2] = {sin(at), sin(2 * at)};
        const sari_curve_foot foot = sari_curve_find(&eight, p, s);
        CHECK_NEAR(foot.s, at, 1e-9);
        CHECK_NEAR(foot.distance, 0, 1e-13);
        s = foot.s;
    }
    sari_curve_release(&eight);
    sar_model_destroy(m);
}

#define REFUSED(text, ...)                                                                         \
    do {                                                                                           \
        sar_joint_def def = joint_between(m, "j", SAR_JOINT_POINT_ON_CURVE);                       \
        def.curve = (sar_curve)__VA_ARGS__;                                                        \
        CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "curve", text);               \
    } while (0)

TEST(curves_are_checked)
{
    sar_model* m = two_bodies(2);
    const double x[4] = {0, 1, 1, 0}, y[4] = {0, 0, 0, 1}, z[4] = {0, 0, 1, 0};
    REFUSED("expressions of s, or by points", {.x = "s", .to = 1});
    REFUSED("runs from 1 to 0", {.x = "s", .y = "s", .from = 1});
    REFUSED("a curve does not depend on t", {.x = "s", .y = "t", .to = 1});
    REFUSED("curves can use s and parameters only", {.x = "s", .y = "crank.P.x", .to = 1});
    REFUSED("no extent", {.x = "1", .y = "2", .to = 1});
    REFUSED("no extent", {.x = "1/s", .y = "2", .to = 1});
    REFUSED("no direction", {.x = "s^2", .y = "s^3", .from = -1, .to = 1});
    REFUSED("does not close", {.x = "s", .y = "s^2", .to = 1, .closed = 1});
    REFUSED("does not close", {.x = "s*(1 - s)", .y = "s^2*(1 - s)", .to = 1, .closed = 1});
    REFUSED("at least 2 points, not 1", {.points = 1, .point_x = x, .point_y = y});
    REFUSED("at least 3 points, not 2", {.points = 2, .point_x = x, .point_y = y, .closed = 1});
    REFUSED("points 2 and 3 of the curve are the same", {.points = 4, .point_x = x, .point_y = y});
    REFUSED("ends before its first point", {.points = 4, .point_x = x, .point_y = z, .closed = 1});
    sar_model_destroy(m);
}
