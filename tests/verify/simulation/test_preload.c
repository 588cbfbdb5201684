/* Starts under preload: springs act within the loops of joints with forces that are many times the
 * weight, and the joints bear them. The first steps converge in all coordinates, with a penalty as
 * in its limit, and nothing but the weight moves the mechanism. */
#include "problem_run.h"

enum { STEPS = 20 };

/// A mechanism with springs of the force F and the stiffness k.
typedef struct preload {
    const char* name;
    char* (*text)(double force, double stiffness);
    double weights; ///< F by the weight of a body
    double step;    ///< [s]
    double allowed; ///< of the output y between methods and coordinates [m]
} preload;

static char* filled(const char* format, const char* body, double force, double stiffness)
{
    char* text = calloc(1, 1 << 14);
    CHECK(text);
    const int used = snprintf(text, 1 << 14, "%s", body);
    snprintf(text + used, (size_t)((1 << 14) - used), format, force, stiffness);
    return text;
}

/* Three cranks and their coupler, one crank more than needed; springs pull and push between knees.
 */
static char* cranks(double force, double stiffness)
{
    return filled(
        "parameters: {F: %.17g, k: %.17g}\n"
        "forces:\n"
        "  pull: {type: spring, between: [a.B, b.B], stiffness: k, length: 1 - F/k}\n"
        "  push: {type: spring, between: [b.B, d.B], stiffness: k, length: 1 + F/k}\n"
        "outputs: {y: c.A.x}\n",
        "sarrus: 1\nname: cranks\ndimension: 2\ngravity: [0, -9.81]\n"
        "ground: {points: {O: [0, 0], P: [1, 0], Q: [2, 0]}}\n"
        "bodies:\n"
        "  a: {mass: 1, center: [0, 0.5], inertia: 1/12, points: {A: [0, 0], B: [0, 1]}, "
        "position: [0, 0], angle: 0}\n"
        "  b: {mass: 1, center: [0, 0.5], inertia: 1/12, points: {A: [0, 0], B: [0, 1]}, "
        "position: [1, 0], angle: 0}\n"
        "  d: {mass: 1, center: [0, 0.5], inertia: 1/12, points: {A: [0, 0], B: [0, 1]}, "
        "position: [2, 0], angle: 0}\n"
        "  c: {mass: 1, center: [1, 0], inertia: 1/3, points: {A: [0, 0], B: [1, 0], C: [2, 0]}, "
        "position: [0, 1], angle: 0}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground.O, a.A]}\n"
        "  B: {type: revolute, between: [ground.P, b.A]}\n"
        "  D: {type: revolute, between: [ground.Q, d.A]}\n"
        "  E: {type: revolute, between: [a.B, c.A]}\n"
        "  F: {type: revolute, between: [b.B, c.B]}\n"
        "  G: {type: revolute, between: [d.B, c.C]}\n",
        force, stiffness);
}

/* A tripod in the plane that cannot move, with a spring from its apex down. */
static char* tripod(double force, double stiffness)
{
    return filled("parameters: {F: %.17g, k: %.17g}\n"
                  "forces: {s: {type: spring, between: [a.B, ground.Q], stiffness: k, "
                  "length: sqrt(3)/2 + 0.4 - F/k}}\n"
                  "outputs: {y: a.B.y}\n",
                  "sarrus: 1\nname: tripod\ndimension: 2\ngravity: [0, -9.81]\n"
                  "ground: {points: {O: [0, 0], P: [1, 0], Q: [0.5, -0.4]}}\n"
                  "bodies:\n"
                  "  a: {mass: 1, center: [0.5, 0], inertia: 1/12, points: {A: [0, 0], B: [1, 0]}, "
                  "position: [0, 0], angle: pi/3}\n"
                  "  b: {mass: 1, center: [0.5, 0], inertia: 1/12, points: {A: [0, 0], B: [1, 0]}, "
                  "position: [0.5, sqrt(3)/2], angle: -pi/3}\n"
                  "joints:\n"
                  "  A: {type: revolute, between: [ground.O, a.A]}\n"
                  "  B: {type: revolute, between: [a.B, b.A]}\n"
                  "  C: {type: revolute, between: [b.B, ground.P]}\n",
                  force, stiffness);
}

/* Bricard's linkage, over-constrained, with springs along three of its rods from joint to joint. */
static char* bricard(double force, double stiffness)
{
    char springs[640], *text = problem_text(PROBLEM("bricard"));
    snprintf(springs, sizeof springs,
             "forces:\n"
             "  s: {type: spring, between: [ground.P1, rod2.a], stiffness: %.17g, length: %.17g}\n"
             "  u: {type: spring, between: [rod1.b, rod3.a], stiffness: %.17g, length: %.17g}\n"
             "  w: {type: spring, between: [rod2.b, rod4.a], stiffness: %.17g, length: %.17g}\n"
             "outputs:\n  y: rod2.b.y\n",
             stiffness, 1.0 - force / stiffness, stiffness, 1.0 + force / stiffness, stiffness,
             1.0 - force / stiffness);
    CHECK(problem_replace(&text, "outputs:\n", springs) == 1);
    return text;
}

static double y_after_steps(const preload* p, const char* coordinates, const char* alpha)
{
    problem_run run;
    char options[128];
    const double force = 9.81 * p->weights;
    char* text = p->text(force, 100.0 * force);
    double values[MOST_OUTPUTS];
    problem_parse(&run, text);
    free(text);
    snprintf(options, sizeof options, "coordinates=%s alpha=%s step=%g end=%g", coordinates, alpha,
             p->step, STEPS * p->step);
    problem_create(&run, options);
    sar_status st = sar_simulation_assemble(run.simulation, &run.assembly);
    for (int k = 0; k < STEPS && st == SAR_OK; k++) st = sar_simulation_advance(run.simulation);
    if (st != SAR_OK)
        fail_msg("%s, %g weights, %s, alpha %s: %s", p->name, p->weights, coordinates, alpha,
                 sar_simulation_failure(run.simulation));
    CHECK_STATUS(sar_simulation_outputs(run.simulation, values), SAR_OK);
    problem_free(&run);
    return values[0];
}

static void check(const preload* p)
{
    const double wanted = y_after_steps(p, axis_member(SAR_AXIS_COORDINATES, 0), "inf");
    for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++) {
        const char* name = axis_member(SAR_AXIS_COORDINATES, c);
        CHECK_NEAR(y_after_steps(p, name, "inf"), wanted, p->allowed);
        CHECK_NEAR(y_after_steps(p, name, "0"), wanted, p->allowed);
    }
}

TEST(joints_bear_preloads_from_the_first_step_on)
{
    const preload all[] = {
        {"cranks", cranks, 1e2, 1e-3, 1e-12},  {"cranks", cranks, 1e4, 1e-2, 1e-12},
        {"cranks", cranks, 1e6, 1e-3, 1e-12},  {"tripod", tripod, 1e3, 1e-3, 1e-12},
        {"tripod", tripod, 1e6, 1e-2, 1e-12},  {"bricard", bricard, 1e2, 1e-3, 1e-11},
        {"bricard", bricard, 1e3, 1e-2, 1e-5}, {"bricard", bricard, 1e5, 1e-3, 1e-11},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) check(&all[k]);
}

/* Their force is 1e9 times the weight. Rounding of it moves the bodies by more than what a step
 * adds, and corrections below the tolerance need not shrink to be good. */
TEST(rounding_of_large_forces_is_no_divergence)
{
    const preload all[] = {{"cranks", cranks, 1e9, 1e-3, 1e-8},
                           {"tripod", tripod, 1e9, 1e-2, 1e-12}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) check(&all[k]);
}

/* h^2 k/4 is 2.5e7 times the mass there, and the penalty has to be one beside that. */
TEST(a_penalty_outweighs_stiff_springs)
{
    check(&(preload){"bricard", bricard, 1e9, 1e-2, 2e-4});
}
