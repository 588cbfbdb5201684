/* Derivatives of runs with al3 and the trapezoidal rule: direct and adjoint, against those of prototypes by complex steps
 * through the same discretisation. */
#include "reader_fixture.h"

#include "problem_run.h"
#include "sarrus/sensitivity.h"

#include <sys/resource.h>

typedef struct held {
    sar_source* source;
    sar_sensitivity* s;
} held;

static void set(sar_options* o, const char* name, const char* value)
{
    sar_error error = {0};
    if (sar_options_set(o, name, value, &error) != SAR_OK) fail_msg("%s", error.message);
}

static sar_options options_of(const char* coordinates, double end, int steps)
{
    sar_options o = sar_options_default();
    char number[40];
    set(&o, "formulation", "al3");
    set(&o, "integrator", "trapezoidal");
    set(&o, "coordinates", coordinates);
    snprintf(number, sizeof number, "%.17g", end);
    set(&o, "end", number);
    snprintf(number, sizeof number, "%.17g", end / steps);
    set(&o, "step", number);
    return o;
}

enum { MOST = 12, SAMPLES = 3 };

/* A model, a run and what is asked of it. */
typedef struct question {
    const char *text, *coordinates;
    double time;
    int steps;
    const char* const* names;
    int count;
    const sar_objective* of;
    int objectives;
    double memory;
    sar_options options;
} question;

static held start(question* q, const double* value)
{
    static const double part[SAMPLES] = {0.25, 0.5, 0.803};
    held h = {0};
    sar_error error = {0};
    double sample[SAMPLES];
    for (int k = 0; k < SAMPLES; k++) sample[k] = part[k] * q->time;
    CHECK_STATUS(sar_source_open(q->text, strlen(q->text), "test.yaml", &h.source), SAR_OK);
    q->options = options_of(q->coordinates, q->time, q->steps);
    sar_sensitivity_def def = sar_sensitivity_def_default();
    def.source = h.source;
    def.options = &q->options;
    def.parameter = q->names, def.parameters = q->count;
    def.value = value;
    def.objective = q->of, def.objectives = q->objectives;
    def.memory = q->memory;
    def.sample = sample, def.samples = SAMPLES;
    if (sar_sensitivity_create(&def, &h.s, &error) != SAR_OK) fail_msg("%s", error.message);
    if (sar_sensitivity_run(h.s, &error) != SAR_OK) fail_msg("%s", error.message);
    return h;
}

static void end(held* h)
{
    sar_sensitivity_destroy(h->s);
    sar_source_close(h->source);
}

/* Column k by four runs. */
static void difference(question* q, const held* h, int k, double* column)
{
    static const int step[4] = {-2, -1, 1, 2};
    static const double weight[4] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
    sar_sensitivity_parameter p;
    CHECK_STATUS(sar_sensitivity_get_parameter(h->s, k, &p), SAR_OK);
    const double e = 1e-3 * fmax(fabs(p.value), 0.1);
    for (int r = 0; r < sar_sensitivity_rows(h->s); r++) column[r] = 0.0;
    for (int i = 0; i < 4; i++) {
        double value[MOST];
        for (int j = 0; j < MOST; j++) value[j] = j == k ? p.value + step[i] * e : NAN;
        held other = start(q, value);
        for (int r = 0; r < sar_sensitivity_rows(h->s); r++) {
            sar_sensitivity_row row;
            CHECK_STATUS(sar_sensitivity_get_row(other.s, r, &row), SAR_OK);
            column[r] += weight[i] / e * row.value;
        }
        end(&other);
    }
}

/* The adjoint of every row against its direct derivatives. */
static void check_adjoint(const question* q, held* h, const double* J)
{
    double weight[MOST] = {0}, g[MOST];
    sar_error error = {0};
    const int rows = sar_sensitivity_rows(h->s);
    for (int r = 0; r < rows; r++) {
        double size = 0.0;
        memset(weight, 0, sizeof weight);
        weight[r] = 1.0;
        if (sar_sensitivity_gradient(h->s, weight, g, &error) != SAR_OK)
            fail_msg("%s", error.message);
        for (int k = 0; k < q->count; k++) size = fmax(size, fabs(J[r * q->count + k]));
        for (int k = 0; k < q->count; k++)
            if (!(fabs(g[k] - J[r * q->count + k]) <= 1e-11 * fmax(size, 1.0)))
                fail_msg("%s, row %d, %s: adjoint %.15g, direct %.15g", q->coordinates, r,
                         q->names[k], g[k], J[r * q->count + k]);
    }
}

/* Direct against what is wanted, and against differences of whole runs of the same discretisation. */
static void check(question* q, const double* wanted, double tolerance)
{
    held h = start(q, NULL);
    double J[MOST * MOST], column[MOST];
    sar_error error = {0};
    for (int k = 0; k < q->count; k++) {
        if (sar_sensitivity_column(h.s, k, column, &error) != SAR_OK) fail_msg("%s", error.message);
        for (int r = 0; r < sar_sensitivity_rows(h.s); r++) J[r * q->count + k] = column[r];
    }
    check_adjoint(q, &h, J);
    for (int k = 0; k < q->count; k++) {
        if (wanted) {
            CHECK_NEAR(J[k], wanted[k], tolerance);
            continue;
        }
        difference(q, &h, k, column);
        for (int r = 0; r < sar_sensitivity_rows(h.s); r++) {
            // accelerations: rounding over the square of a step
            const double off = fabs(J[r * q->count + k] - column[r]);
            if (!(off <= tolerance * fmax(1.0, fabs(column[r]))))
                fail_msg("%s, row %d, %s: %.12g, runs say %.12g", q->coordinates, r, q->names[k],
                         J[r * q->count + k], column[r]);
        }
    }
    end(&h);
}

static const char* const COORDINATE[] = {"natural", "cartesian", "increments", "relative"};

static const char PENDULUM[] =
    HEAD2 "parameters: {L: 1.2, m: 0.8, g: 9.81, c: 0.05, phi0: 0.4, w0: 1}\n"
          "gravity: [0, -g]\n"
          "bodies: {bob: {mass: m, points: {O: [0, L], tip: [0, 0]}}}\n"
          "joints: {O: {type: revolute, between: [ground.origin, bob.O]}}\n"
          "forces: {air: {type: force, acts_on: bob.tip, force: [-c*bob.tip.vx, -c*bob.tip.vy]}}\n"
          "outputs: {x: bob.tip.x}\n"
          "start: {O.angle: phi0, O.rate: w0}\n";

/* The table is that of the point itself in the plane; an angle is another discretisation of the same motion. */
TEST(test_pendulum)
{
    static const char* const names[] = {"L", "m", "g", "c", "phi0", "w0"};
    static const double wanted[] = {-1.4447555, .00907017, .18718732,
                                    -.14512267, .69062028, -.30536179};
    static const sar_objective of = {"x", SAR_OBJECTIVE_END};
    for (int c = 0; c < 4; c++) {
        question q = {PENDULUM, COORDINATE[c], 2.0, 100, names, 6, &of, 1, 0.0, {{0}}};
        check(&q, c < 3 ? wanted : NULL, c < 3 ? 6e-8 : 1e-9);
    }
}

static const char PARALLELOGRAM[] =
    HEAD2 "parameters: {L: 1, a: 0.8, mc: 1.3, mk: 0.7, g: 9.81, k: 20, phi0: 0.6, w0: 1.2, b: 1}\n"
          "gravity: [0, -g]\n"
          "ground: {points: {A: [0, 0], B: [a, 0], C: [2*a*b, 0], S: [-0.5, 0.5]}}\n"
          "bodies:\n"
          "  one: {mass: mk, center: [0, L/2], inertia: mk*L^2/12, points: {A: [0, 0], P: [0, L]}, "
          "position: [0, 0], angle: -phi0}\n"
          "  two: {mass: mk, center: [0, L/2], inertia: mk*L^2/12, points: {A: [0, 0], P: [0, L]}, "
          "position: [a, 0], angle: -phi0}\n"
          "  three: {mass: mk, center: [0, L/2], inertia: mk*L^2/12, points: {A: [0, 0], P: [0, "
          "L]}, position: [2*a, 0], angle: -phi0}\n"
          "  coupler: {mass: mc, center: [a, 0], inertia: mc*a^2/3, points: {P: [0, 0], Q: [a, 0], "
          "R: [2*a, 0]}, position: [L*sin(phi0), L*cos(phi0)]}\n"
          "joints:\n"
          "  A: {type: revolute, between: [ground.A, one.A]}\n"
          "  B: {type: revolute, between: [ground.B, two.A]}\n"
          "  C: {type: revolute, between: [ground.C, three.A]}\n"
          "  P: {type: revolute, between: [coupler.P, one.P]}\n"
          "  Q: {type: revolute, between: [coupler.Q, two.P]}\n"
          "  R: {type: revolute, between: [coupler.R, three.P]}\n"
          "forces: {spring: {type: spring, between: [ground.S, coupler.P], stiffness: k, length: "
          "0.4, damping: 0.3}}\n"
          "outputs: {x2: two.P.x, speed: coupler.P.vx, push: coupler.P.ax}\n"
          "start: {A.angle: -phi0, A.rate: -w0}\n";

TEST(test_parallelogram)
{
    static const char* const names[] = {"L", "a", "mc", "mk", "g", "k", "phi0", "w0"};
    static const sar_objective of[] = {
        {"x2", SAR_OBJECTIVE_END},
        {"two.P.x^2", SAR_OBJECTIVE_INTEGRAL},
        {"coupler.P.vx*two.P.x", SAR_OBJECTIVE_MEAN},
        {"push", SAR_OBJECTIVE_SAMPLES},
        {"two.P.x - 1.4", SAR_OBJECTIVE_TIME},
        {"speed", SAR_OBJECTIVE_END},
    };
    for (int c = 0; c < 4; c++) {
        question q = {PARALLELOGRAM, COORDINATE[c], 1.5, 60, names, 8, of, 6, 0.0, {{0}}};
        check(&q, NULL, 1e-7);
    }
}

/* A crank whose bearing alone moves: the mechanism closes no more. */
TEST(test_broken_redundancy)
{
    static const char* const names[] = {"b", "L"};
    static const sar_objective of = {"x2", SAR_OBJECTIVE_END};
    question q = {PARALLELOGRAM, "natural", 1.5, 60, names, 2, &of, 1, 0.0, {{0}}};
    held h = start(&q, NULL);
    double column[1], g[2], one = 1.0;
    sar_error error = {0};
    sar_sensitivity_parameter p;
    CHECK_STATUS(sar_sensitivity_column(h.s, 0, column, &error), SAR_E_MODEL);
    CHECK_STATUS(sar_sensitivity_gradient(h.s, &one, g, &error), SAR_OK);
    CHECK(isnan(g[0]) && !isnan(g[1]));
    CHECK_STATUS(sar_sensitivity_get_parameter(h.s, 0, &p), SAR_OK);
    printf("%s\n", p.refused);
    CHECK(p.refused != NULL);
    end(&h);
}

static const char SLEIGH[] = HEAD2
    "parameters: {m: 2, J: 0.7, d: 0.3, w: 0.8, u: 1.5, g: 3, c: 0.2}\n"
    "gravity: [0, -g]\n"
    "bodies: {sled: {mass: m, inertia: J, center: [d, 0], points: {P: [0.2, 0]}, position: [0, 0], "
    "angle: 0.1, velocity: [u, 0.15], angular_velocity: w}}\n"
    "joints:\n"
    "  blade: {type: knife-edge, between: [ground.origin, sled.origin], axis: [ground.x, sled.x]}\n"
    "  again: {type: knife-edge, between: [ground.origin, sled.origin], axis: [ground.x, sled.x]}\n"
    "forces: {air: {type: force, acts_on: sled.P, force: [-c*sled.P.vx, -c*sled.P.vy]}}\n"
    "outputs: {x: sled.P.x, y: sled.P.y, turn: sled.angle}\n";

TEST(test_sleigh)
{
    static const char* const names[] = {"m", "J", "d", "w", "u", "g", "c"};
    static const sar_objective of[] = {{"x", SAR_OBJECTIVE_END},
                                       {"sled.P.y", SAR_OBJECTIVE_INTEGRAL},
                                       {"turn", SAR_OBJECTIVE_END}};
    for (int c = 0; c < 4; c++) {
        question q = {SLEIGH, COORDINATE[c], 1.5, 60, names, 7, of, 3, 0.0, {{0}}};
        check(&q, NULL, 1e-7);
    }
}

static const char WALL[] =
    HEAD2 "parameters: {L: 1.2, m: 0.8, g: 9.81, c: 0.05, phi0: 0.4, w0: 1, en: 0.8, d: 0.2}\n"
          "gravity: [0, -g]\n"
          "bodies: {bob: {mass: m, points: {O: [0, L], tip: [0, 0]}}}\n"
          "joints: {O: {type: revolute, between: [ground.origin, bob.O]}}\n"
          "forces: {air: {type: force, acts_on: bob.tip, force: [-c*bob.tip.vx, -c*bob.tip.vy]}}\n"
          "constraints: {wall: {position: bob.tip.x + d, lower: 0, restitution: en}}\n"
          "outputs: {x: bob.tip.x}\n"
          "start: {O.angle: phi0, O.rate: w0}\n";

/* Through impacts: steps end at them, and the next ones make up for it. */
TEST(test_wall)
{
    static const char* const names[] = {"L", "m", "g", "c", "phi0", "w0", "en", "d"};
    static const sar_objective of[] = {{"x", SAR_OBJECTIVE_END},
                                       {"bob.tip.x^2", SAR_OBJECTIVE_INTEGRAL}};
    for (int c = 0; c < 4; c++) {
        question q = {WALL, COORDINATE[c], 2.0, 60, names, 8, of, 2, 0.0, {{0}}};
        check(&q, NULL, 2e-8); // runs know the times of impacts to about 1e-12
    }
}

/* With segments that are run again: the same numbers. In `make soak` with a million steps in less than 1 GB. */
TEST(test_checkpoints)
{
    static const char* const names[] = {"L", "k", "phi0"};
    static const sar_objective of[] = {{"x2", SAR_OBJECTIVE_END},
                                       {"two.P.x^2", SAR_OBJECTIVE_INTEGRAL},
                                       {"two.P.x - 1.4", SAR_OBJECTIVE_TIME}};
    double g[2][3] = {{0}}, column[2][3] = {{0}}, weight[] = {0.3, 0.4, 0.5};
    for (int small = 0; small < 2; small++) {
        question q = {PARALLELOGRAM,     "relative", 3.0, 3000, names, 3, of, 3,
                      small ? 1.0 : 0.0, {{0}}};
        held h = start(&q, NULL);
        sar_error error = {0};
        if (sar_sensitivity_gradient(h.s, weight, g[small], &error) != SAR_OK)
            fail_msg("%d: %s", small, error.message);
        CHECK_STATUS(sar_sensitivity_column(h.s, 1, column[small], &error), SAR_OK);
        end(&h);
    }
    struct rusage used;
    CHECK(getrusage(RUSAGE_SELF, &used) == 0 && used.ru_maxrss < 1000000); // kB
    CHECK(memcmp(g[0], g[1], sizeof g[0]) == 0);
    CHECK(memcmp(column[0], column[1], sizeof column[0]) == 0);
}
