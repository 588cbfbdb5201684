/* Derivatives of runs against closed equations of the same motions, integrated and differenced elsewhere, and against
 * differences of whole runs. */
#include "reader_fixture.h"

#include "sarrus/sensitivity.h"

typedef struct held {
    sar_source* source;
    sar_sensitivity* s;
} held;

static sar_options options_of(const char* coordinates, double end, double tolerance)
{
    sar_options o = sar_options_default();
    char number[40];
    sar_error error = {0};
    CHECK_STATUS(sar_options_set(&o, "preset", "auto", &error), SAR_OK);
    CHECK_STATUS(sar_options_set(&o, "coordinates", coordinates, &error), SAR_OK);
    snprintf(number, sizeof number, "%.17g", end);
    CHECK_STATUS(sar_options_set(&o, "end", number, &error), SAR_OK);
    snprintf(number, sizeof number, "%.17g", tolerance);
    CHECK_STATUS(sar_options_set(&o, "tolerance", number, &error), SAR_OK);
    return o;
}

static held start(const char* text, const sar_options* options, const char* const* parameter,
                  int parameters, const sar_objective* objective, int objectives)
{
    held h = {0};
    sar_error error = {0};
    CHECK_STATUS(sar_source_open(text, strlen(text), "test.yaml", &h.source), SAR_OK);
    sar_sensitivity_def def = sar_sensitivity_def_default();
    def.source = h.source;
    def.options = options;
    def.parameter = parameter, def.parameters = parameters;
    def.objective = objective, def.objectives = objectives;
    if (sar_sensitivity_create(&def, &h.s, &error) != SAR_OK) fail_msg("%s", error.message);
    if (sar_sensitivity_run(h.s, &error) != SAR_OK) fail_msg("%s", error.message);
    return h;
}

static void end(held* h)
{
    sar_sensitivity_destroy(h->s);
    sar_source_close(h->source);
}

static const char PENDULUM[] =
    HEAD2 "parameters: {L: 1.2, m: 0.8, g: 9.81, c: 0.05, phi0: 0.4, w0: 1}\n"
          "gravity: [0, -g]\n"
          "bodies: {bob: {mass: m, points: {O: [0, L], tip: [0, 0]}}}\n"
          "joints: {O: {type: revolute, between: [ground.origin, bob.O]}}\n"
          "forces: {air: {type: force, acts_on: bob.tip, force: [-c*bob.tip.vx, -c*bob.tip.vy]}}\n"
          "outputs: {x: bob.tip.x}\n"
          "start: {O.angle: phi0, O.rate: w0}\n";

TEST(test_pendulum)
{
    static const char* const names[] = {"L", "m", "g", "c", "phi0", "w0"};
    static const double wanted[] = {-1.4443273126, 0.0091724450, 0.1872517829,
                                    -0.1467591199, 0.6925937032, -0.3045058322};
    static const char* const coordinates[] = {"natural", "relative"};
    for (int c = 0; c < 2; c++) {
        const sar_options o = options_of(coordinates[c], 2.0, 1e-10);
        const sar_objective x = {"x", SAR_OBJECTIVE_END};
        held h = start(PENDULUM, &o, names, 6, &x, 1);
        double J[6], error_of;
        sar_error error = {0};
        CHECK_STATUS(sar_sensitivity_jacobian(h.s, J, &error), SAR_OK);
        for (int k = 0; k < 6; k++) {
            CHECK_NEAR(J[k], wanted[k], 3e-10);
            CHECK_STATUS(sar_sensitivity_column_error(h.s, k, &error_of), SAR_OK);
            CHECK_AT_MOST(error_of, 1e-8);
        }
        end(&h);
    }
}

/* ---- singular configurations ------------------------------------------------------------------ */

static const char SLIDER_CRANK[] = HEAD2
    "parameters: {r: 1, l: 1, m1: 1, m2: 1, m3: 0, theta0: pi/4, g: 9.81, speed: -4}\n"
    "gravity: [0, -g]\n"
    "bodies:\n"
    "  crank: {mass: m1, center: [r/2, 0], inertia: m1*r^2/12, points: {O: [0, 0], P: [r, 0]}}\n"
    "  rod: {mass: m2, center: [l/2, 0], inertia: m2*l^2/12, points: {P: [0, 0], Q: [l, 0]}, "
    "position: [r*cos(theta0), r*sin(theta0)], angle: -theta0}\n"
    "  slider: {mass: m3, points: {Q: [0, 0]}}\n"
    "joints:\n"
    "  O: {type: revolute, between: [ground.origin, crank.O]}\n"
    "  P: {type: revolute, between: [crank.P, rod.P]}\n"
    "  Q: {type: revolute, between: [rod.Q, slider.Q]}\n"
    "  guide: {type: prismatic, between: [ground.origin, slider.Q], axis: [ground.x, slider.x]}\n"
    "outputs: {x: slider.Q.x}\n"
    "start: {O.angle: theta0, slider.Q.vx: speed}\n";

/* x = 2 L cos phi, I(phi) phi'^2/2 + V(phi) constant: integrated and differenced in Python (scipy, 1e-13). At 0.9 s it has
 * been through one singular configuration, at 2 s through two. */
TEST(test_slider_crank)
{
    static const char* const names[] = {"r+l", "m1", "m2", "m3", "theta0", "g", "speed"};
    static const double at[] = {0.9, 2.0},
                        wanted[2][7] = {
                            {1.746172405415, 0.117308634209, -0.117308634205, -0.469234536724,
                             -1.691830676110, 0.060502734734, 1.051545280808},
                            {7.453115867084, -0.010963894533, 0.010963894565, 0.043855578806,
                             -2.055266365480, -0.011178289311, 1.697212898100}};
    static const char* const coordinates[] = {"natural", "relative"};
    const sar_objective x = {"x", SAR_OBJECTIVE_END};
    for (int c = 0; c < 4; c++) {
        const sar_options o = options_of(coordinates[c % 2], at[c / 2], 1e-10);
        held h = start(SLIDER_CRANK, &o, names, 7, &x, 1);
        double J[7];
        sar_error error = {0};
        CHECK_STATUS(sar_sensitivity_jacobian(h.s, J, &error), SAR_OK);
        for (int k = 0; k < 7; k++) { // m3 is zero: differences on one side have more rounding
            const double of = fmax(1.0, fabs(wanted[c / 2][k]));
            CHECK_NEAR(J[k], wanted[c / 2][k], (k == 3 ? 1e-8 : 2e-9) * of);
        }
        end(&h);
    }
}

/* Lengths that differ separate the motions; together they keep it, and masses do. */
TEST(test_separated)
{
    static const char* const names[] = {"r", "l", "joints.guide.axis[0]", "m1"};
    static const char* const coordinates[] = {"natural", "relative"};
    const sar_objective x = {"x", SAR_OBJECTIVE_END};
    for (int c = 0; c < 4; c++) {
        sar_options o = options_of(coordinates[c % 2], 0.9, 1e-9);
        if (c > 1) { // with fixed steps of al3 too
            o = sar_options_default();
            CHECK_STATUS(sar_options_set(&o, "coordinates", coordinates[c % 2], NULL), SAR_OK);
            CHECK_STATUS(sar_options_set(&o, "end", "0.9", NULL), SAR_OK);
        }
        held h =
            start(SLIDER_CRANK, &o, (const char* const[]){names[0], names[1], names[3]}, 3, &x, 1);
        double J[3], gap[2];
        sar_error error = {0};
        CHECK_STATUS(sar_sensitivity_jacobian(h.s, J, &error), SAR_OK);
        CHECK(isnan(J[0]) && isnan(J[1]) && !isnan(J[2]));
        for (int k = 0; k < 2; k++) {
            sar_sensitivity_parameter p;
            CHECK_STATUS(sar_sensitivity_get_parameter(h.s, k, &p), SAR_OK);
            CHECK(p.refused != NULL);
            check_says(p.refused, "separates the motions that meet");
            check_says(p.refused, "O, P, Q, guide");
            CHECK_NEAR(p.gap_time, 0.3917, c > 1 ? 0.03 : 1e-3); // after it, if steps do not see it
            gap[k] = p.gap;
        }
        CHECK_NEAR(gap[0] + gap[1], 0.0, 1e-6 * fabs(gap[0])); // r = l is allowed
        CHECK(fabs(gap[0]) > 0.1);
        double out;
        CHECK_STATUS(sar_sensitivity_along(h.s, (const double[]){1, 0, 0}, &out, &error),
                     SAR_E_MODEL);
        end(&h);
    }
}

/* ---- redundant joints -------------------------------------------------------------------------- */

static const char PARALLELOGRAM[] = HEAD2
    "parameters: {a: 1, b: 1, c: 1, m: 0.7}\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  one: {mass: m, inertia: 0.1, center: [a/2, 0], points: {O: [0, 0], P: [a, 0]}, angle: 0.5}\n"
    "  two: {mass: m, inertia: 0.1, center: [b/2, 0], points: {O: [0, 0], P: [b, 0]}, angle: 0.5}\n"
    "  three: {mass: m, inertia: 0.1, center: [c/2, 0], points: {O: [0, 0], P: [c, 0]}, angle: "
    "0.5}\n"
    "  bar: {mass: 1.3, inertia: 0.2, points: {A: [0, 0], B: [1, 0], C: [2, 0]}}\n"
    "ground: {points: {B: [1, 0], C: [2, 0]}}\n"
    "joints:\n"
    "  O1: {type: revolute, between: [ground.origin, one.O]}\n"
    "  O2: {type: revolute, between: [ground.B, two.O]}\n"
    "  O3: {type: revolute, between: [ground.C, three.O]}\n"
    "  P1: {type: revolute, between: [one.P, bar.A]}\n"
    "  P2: {type: revolute, between: [two.P, bar.B]}\n"
    "  P3: {type: revolute, between: [three.P, bar.C]}\n"
    "outputs: {x: one.P.x}\n"
    "start: {O1.angle: 0.5, O1.rate: 1}\n";

/* J w' = -(3 m/2 + 1.3) 9.81 cos phi L with J = 3 (0.1 + m L^2/4) + 1.3 L^2, in Python. */
TEST(test_redundant)
{
    static const char* const names[] = {"a", "b", "c", "a+b+c", "m"};
    const sar_objective x = {"x", SAR_OBJECTIVE_END};
    const sar_options o = options_of("relative", 0.5, 1e-10);
    held h = start(PARALLELOGRAM, &o, names, 5, &x, 1);
    double J[5];
    sar_error error = {0};
    CHECK_STATUS(sar_sensitivity_jacobian(h.s, J, &error), SAR_OK);
    for (int k = 0; k < 3; k++) {
        sar_sensitivity_parameter p;
        CHECK_STATUS(sar_sensitivity_get_parameter(h.s, k, &p), SAR_OK);
        CHECK(isnan(J[k]) && p.refused);
    }
    CHECK_NEAR(J[3], 1.162303125484, 3e-9);
    CHECK_NEAR(J[4], -0.072349418077, 3e-9);
    end(&h);
}

/* ---- impacts ----------------------------------------------------------------------------------- */

static const char BALL[] =
    HEAD2 "parameters: {h: 1, g: 9.81, e_n: 0.8}\n"
          "gravity: [0, -g]\n"
          "bodies: {ball: {mass: 0.5, inertia: 0.002, position: [0, h]}}\n"
          "constraints: {floor: {position: ball.origin.y, lower: 0, restitution: e_n}}\n"
          "outputs: {y: ball.origin.y}\n";

/* Parabolas, after three impacts; the first is at sqrt(2 h/g). */
TEST(test_impacts)
{
    static const char* const names[] = {"h", "g", "e_n"};
    static const double wanted[] = {-1.518802222253, 0.164782648088, -3.808208298015};
    const sar_objective of[] = {{"y", SAR_OBJECTIVE_END},
                                {"ball.origin.vy + 3", SAR_OBJECTIVE_TIME}};
    const sar_options o = options_of("natural", 1.8, 1e-10);
    held h = start(BALL, &o, names, 3, of, 2);
    double J[6];
    sar_error error = {0};
    CHECK_STATUS(sar_sensitivity_jacobian(h.s, J, &error), SAR_OK);
    for (int k = 0; k < 3; k++) CHECK_NEAR(J[k], wanted[k], 1e-8);
    CHECK_NEAR(J[3], 0.0, 1e-9); // 3/g
    CHECK_NEAR(J[4], -3.0 / (9.81 * 9.81), 1e-9);
    end(&h);
}

/* ---- kinds of objectives, products ------------------------------------------------------------- */

static const char FREE[] =
    HEAD2 "parameters: {g: 9.81, speed: 3}\n"
          "gravity: [0, -g]\n"
          "bodies: {ball: {mass: 0.5, inertia: 0.002, position: [0, 0], velocity: [1, speed]}}\n"
          "outputs: {y: ball.origin.y}\n";

/* y = v t - g t^2/2: everything in closed form. */
TEST(test_objectives)
{
    static const char* const names[] = {"speed", "g"};
    const double T = 0.5, g = 9.81, v = 3.0;
    const sar_objective of[] = {{"y", SAR_OBJECTIVE_END},
                                {"ball.origin.y", SAR_OBJECTIVE_INTEGRAL},
                                {"ball.origin.y", SAR_OBJECTIVE_MEAN},
                                {"ball.origin.y", SAR_OBJECTIVE_MAX},
                                {"-ball.origin.y", SAR_OBJECTIVE_MIN},
                                {"ball.origin.y - 0.1", SAR_OBJECTIVE_TIME}};
    const double early = (v - sqrt(v * v - 0.2 * g)) / g, rate = v - g * early;
    const double wanted[6][2] = {{T, -T * T / 2},
                                 {T * T / 2, -T * T * T / 6},
                                 {T / 2, -T * T / 6},
                                 {v / g, -v * v / (2 * g * g)},
                                 {-v / g, v * v / (2 * g * g)},
                                 {-early / rate, early * early / 2 / rate}};
    const sar_options o = options_of("natural", T, 1e-10);
    held h = start(FREE, &o, names, 2, of, 6);
    double J[12], along[6], gradient[2];
    sar_error error = {0};
    CHECK_STATUS(sar_sensitivity_jacobian(h.s, J, &error), SAR_OK);
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < 2; k++) CHECK_NEAR(J[2 * r + k], wanted[r][k], 1e-8);
    const double x[2] = {0.3, -2}, w[6] = {1, -1, 2, 0.5, 3, -2};
    CHECK_STATUS(sar_sensitivity_along(h.s, x, along, &error), SAR_OK);
    CHECK_STATUS(sar_sensitivity_gradient(h.s, w, gradient, &error), SAR_OK);
    double left = 0.0;
    for (int r = 0; r < 6; r++) left += w[r] * along[r];
    CHECK_NEAR(left, gradient[0] * x[0] + gradient[1] * x[1], 1e-12);
    end(&h);
}

/* Backwards in time, the same as forwards; rows twice and at times within steps. */
TEST(test_adjoint)
{
    static const char* const coordinates[] = {"natural", "cartesian", "increments", "relative"};
    static const char* const of_pendulum[] = {"L", "m", "g", "c", "phi0", "w0"};
    static const char* const of_cranks[] = {"a+b+c", "m", "gravity[1]", "bodies.two.center[0]"};
    for (int c = 0; c < 8; c++) {
        const int pendulum = c < 4, count = pendulum ? 6 : 4;
        const sar_options o = options_of(coordinates[c % 4], 0.3, 1e-11);
        sar_sensitivity_def def = sar_sensitivity_def_default();
        held h = {0};
        sar_error error = {0};
        const char* text = pendulum ? PENDULUM : PARALLELOGRAM;
        CHECK_STATUS(sar_source_open(text, strlen(text), "test.yaml", &h.source), SAR_OK);
        def.source = h.source, def.options = &o;
        def.parameter = pendulum ? of_pendulum : of_cranks, def.parameters = count;
        def.objective =
            (const sar_objective[]){{"x", SAR_OBJECTIVE_SAMPLES}, {"x", SAR_OBJECTIVE_END}};
        def.objectives = 2;
        def.sample = (const double[]){0.123, 0.2, 0.3}, def.samples = 3;
        CHECK_STATUS(sar_sensitivity_create(&def, &h.s, &error), SAR_OK);
        double J[4 * 6], gradient[6];
        const double weight[4] = {1, -2, 0.5, 3};
        int other = 0;
        CHECK_STATUS(sar_sensitivity_gradient(h.s, weight, gradient, &error), SAR_OK);
        CHECK_STATUS(sar_sensitivity_jacobian(h.s, J, &error), SAR_OK);
        for (int k = 0; k < count; k++) {
            double direct = 0.0;
            for (int r = 0; r < 4; r++) direct += weight[r] * J[r * count + k];
            CHECK_NEAR(gradient[k], direct, 1e-9 * fmax(1.0, fabs(direct)));
            other |= gradient[k] != direct;
        }
        CHECK(other); // it is another way
        end(&h);
    }
}

/* ---- refusals --------------------------------------------------------------------------------- */

TEST(test_refusals)
{
    sar_source* source;
    sar_sensitivity* s;
    sar_error error = {0};
    CHECK_STATUS(sar_source_open(FREE, strlen(FREE), "free.yaml", &source), SAR_OK);
    sar_options o = options_of("natural", 0.5, 1e-9);
    sar_sensitivity_def def = sar_sensitivity_def_default();
    def.source = source;
    def.options = &o;
    def.parameter = (const char* const[]){"nothing"}, def.parameters = 1;
    def.objective = &(sar_objective){"y", SAR_OBJECTIVE_END}, def.objectives = 1;
    CHECK_STATUS(sar_sensitivity_create(&def, &s, &error), SAR_E_ARG);
    check_says(error.message, "no number \"nothing\"");
    def.parameter = (const char* const[]){"g"};
    def.objective = &(sar_objective){"ball.z", SAR_OBJECTIVE_END};
    CHECK(sar_sensitivity_create(&def, &s, &error) != SAR_OK);
    def.objective = &(sar_objective){"ball.origin.y + 100", SAR_OBJECTIVE_TIME};
    CHECK_STATUS(sar_sensitivity_create(&def, &s, &error), SAR_OK);
    CHECK(sar_sensitivity_run(s, &error) != SAR_OK);
    check_says(error.message, "never zero");
    sar_sensitivity_destroy(s);
    def.objective = &(sar_objective){"y", SAR_OBJECTIVE_END};
    o = sar_options_default();
    CHECK_STATUS(sar_options_set(&o, "integrator", "rk4", &error), SAR_OK);
    CHECK_STATUS(sar_options_set(&o, "formulation", "nullspace", &error), SAR_OK);
    CHECK_STATUS(sar_sensitivity_create(&def, &s, &error), SAR_E_INCOMPAT);
    check_says(error.message, "is not differentiated");
    sar_source_close(source);
}

/* Numbers of a file have the names of their places, and can be changed. */
TEST(test_numbers)
{
    const sar_number* list;
    sar_source* source;
    sar_model *plain, *changed;
    int count;
    CHECK_STATUS(sar_source_open(FREE, strlen(FREE), "free.yaml", &source), SAR_OK);
    CHECK_STATUS(sar_source_numbers(source, NULL, 0, &list, &count), SAR_OK);
    const int k = sar_source_find_number(source, "bodies.ball.velocity[1]"),
              g = sar_source_find_number(source, "g");
    CHECK(k >= 0 && g >= 0 && sar_source_find_number(source, "bodies.ball.nothing") < 0);
    CHECK_TEXT(list[g].name, "parameters.g");
    CHECK_NEAR(list[k].value, 3.0, 0.0);
    CHECK_STATUS(sar_source_change_number(source, k, 0.5), SAR_OK);
    CHECK_STATUS(sar_source_model(source, NULL, 0, &changed, NULL, NULL), SAR_OK);
    CHECK_STATUS(sar_source_change_number(source, k, 0.0), SAR_OK);
    CHECK_STATUS(sar_source_model(source, NULL, 0, &plain, NULL, NULL), SAR_OK);
    CHECK_NEAR(body(changed, "ball")->def.velocity[1], 3.5, 0.0);
    CHECK_NEAR(body(plain, "ball")->def.velocity[1], 3.0, 0.0);
    CHECK_STATUS(sar_source_change_number(source, count, 0.5), SAR_E_ARG);
    sar_model_destroy(plain);
    sar_model_destroy(changed);
    sar_source_close(source);
}
