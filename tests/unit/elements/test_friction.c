/* Friction in joints: what is refused, the law by hand, blocks on slopes and flywheels that stop
 * where and when they must, in all coordinates and sizes. */
#include "model_fixture.h"
#include "sarrus/load.h"
#include "sarrus/motion.h"
#include "system/coordinates.h"

static sar_friction_def friction_in(sar_joint_id joint)
{
    sar_friction_def def = sar_friction_def_default();
    def.name = "rub", def.joint = joint;
    def.coefficient = 0.2, def.preload = 50, def.radius = 0.1, def.speed = 1e-3;
    return def;
}

TEST(friction_is_checked)
{
    sar_model* m = two_bodies(2);
    sar_joint_id pin = add_joint(m, "pin", SAR_JOINT_REVOLUTE);
    sar_joint_id rail = add_joint(m, "rail", SAR_JOINT_PRISMATIC);
    sar_friction_def def = friction_in((sar_joint_id){7});
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "joint", "no joint");
    def = friction_in(pin), def.viscous = -1;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "viscous", "negative");
    def = friction_in(pin), def.level = 3;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "level", "all of Coulomb's");
    def = friction_in(pin), def.coefficient = NAN;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "coefficient", "do nothing");
    def = friction_in(pin), def.coefficient = -0.1;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "coefficient", "negative");
    def = friction_in(pin), def.preload = NAN;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "preload", "normal force");
    def = friction_in(pin), def.by_reaction = 1;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "preload", "not both");
    def = friction_in(pin), def.preload = -5;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "preload", "negative");
    def = friction_in(pin), def.radius = NAN;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "radius", "arm");
    def = friction_in(rail), def.coordinate = SAR_COORD_DISPLACEMENT;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "radius", "remove");
    def = friction_in(pin), def.speed = NAN;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "speed", "goes to zero");
    def = friction_in(pin), def.speed = 0;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "speed", "must be positive");
    def = sar_friction_def_default(), def.name = "rub", def.joint = pin;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "level", "does nothing");
    def.level = -1, def.speed = 1;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "level", "negative");
    def.level = 0; // as in a sweep
    CHECK_STATUS(sar_model_add_friction(m, &def, NULL), SAR_OK);
    sar_model_destroy(m);
}

/* ---- the law -------------------------------------------------------------------------------- */

static sari_force_action action_of(const sari_force* friction, double rate)
{
    double variables[SARI_VARIABLE_SIGNAL] = {0};
    sari_force_action a = {0};
    const sari_force_state at = {.n = 1, .value = {3}, .rate = {rate}, .variables = variables};
    sari_force_types[SARI_FORCE_FRICTION]->act(
        friction, &at, SARI_ACT_FORCE | SARI_ACT_SLOPES | SARI_ACT_POTENTIAL | SARI_ACT_POWER, &a);
    return a;
}

TEST(the_force_is_that_of_the_formula)
{
    sar_model* m = two_bodies(2);
    sar_friction_def def = friction_in(add_joint(m, "pin", SAR_JOINT_REVOLUTE));
    def.viscous = 4;
    CHECK_STATUS(sar_model_add_friction(m, &def, NULL), SAR_OK);
    const sari_force* friction = stored_force(m, SARI_FORCE_FRICTION, 0);
    for (int side = -1; side <= 1; side += 2) { // F = 0.2 * 0.1 * 50 = 1; tanh(log(2)) = 0.6
        sari_force_action a = action_of(friction, side * 1e-3 * log(2));
        CHECK_NEAR(a.force[0], side * (0.6 + 4e-3 * log(2)), 1e-13);
        CHECK_NEAR(a.by_rate[0][0], 1e3 * (1 - 0.36) + 4, 1e-9);
        CHECK_NEAR(a.power, -(0.6 + 4e-3 * log(2)) * 1e-3 * log(2), 1e-15);
        CHECK(a.by_value[0][0] == 0 && a.potential == 0);
        a = action_of(friction, side * 2.0);
        CHECK_NEAR(a.force[0], side * (1.0 + 8), 1e-12);
    }
    sar_model_destroy(m);
}

/* ---- runs ----------------------------------------------------------------------------------- */

typedef struct run {
    sar_model* model;
    sar_simulation* s;
} run;

static run begin(const char* text, const char* coordinates, double end, double step)
{
    run r;
    char* messages = NULL;
    sar_options options = sar_options_default();
    options.end = end, options.step = step;
    snprintf(options.coordinates, sizeof options.coordinates, "%s", coordinates);
    if (sar_model_parse(text, strlen(text), "friction", NULL, 0, &r.model, NULL, &messages) !=
        SAR_OK)
        fail_msg("%s", messages);
    sar_text_free(messages);
    CHECK_STATUS(sar_simulation_create(r.model, &options, &r.s, NULL), SAR_OK);
    CHECK_STATUS(sar_simulation_assemble(r.s, NULL), SAR_OK);
    return r;
}

static void go_to(const run* r, double t, double* out)
{
    while (!sar_simulation_done(r->s) && sar_simulation_time(r->s) < t * (1 - 1e-9))
        if (sar_simulation_advance(r->s) != SAR_OK) fail_msg("%s", sar_simulation_failure(r->s));
    CHECK_NEAR(sar_simulation_time(r->s), t, 1e-9);
    CHECK_STATUS(sar_simulation_outputs(r->s, out), SAR_OK);
}

static void end(run* r)
{
    sar_jump jump;
    CHECK(sar_simulation_jumps(r->s, &jump) == 0 && jump.count == 0);
    sar_simulation_destroy(r->s);
    sar_model_destroy(r->model);
}

/* ---- a block on a slope --------------------------------------------------------------------- */

static const double G = 9.81, MU = 0.5, V_S = 1e-3, STEP = 1e-3;

/// A block of 2 kg on a slope, x down the slope, in a world of size L.
typedef struct slope {
    double L, slope, speed; ///< [m], [rad], [m/s] in units of L
    const char* preload;
} slope;

static run begin_slope(const slope* b, const char* coordinates, double end_, double step)
{
    char text[1024];
    snprintf(text, sizeof text,
             "sarrus: 1\nname: slope\ndimension: 2\n"
             "parameters: {L: %.17g, b: %.17g, v0: %.17g, g: 9.81*L, m: 2}\n"
             "gravity: [0, -g]\n"
             "ground: {axes: {down: [cos(b), -sin(b)]}}\n"
             "bodies: {block: {mass: m, inertia: L^2, position: [0, 0], angle: -b,\n"
             "                 points: {tip: [L, 0]}}}\n"
             "joints: {rail: {type: prismatic, between: [ground.origin, block.origin],\n"
             "                axis: [ground.down, block.x]}}\n"
             "forces: {rub: {type: friction, joint: rail, coefficient: 0.5, preload: %s,\n"
             "               speed: 1e-3*L}}\n"
             "outputs: {x: rail.displacement/L, v: rail.speed/L}\n"
             "start: {rail.speed: v0*L}\n",
             b->L, b->slope, b->speed, b->preload);
    return begin(text, coordinates, end_, step);
}

static const char* const WEIGHT = "m*g*cos(b)";

/* Far above v_s the smooth law is Coulomb's to the last digit. */
static void a_block_slides_down_a_steep_slope(const char* preload)
{
    const slope steep = {1, 0.7, 0.05, preload};
    for (int c = 0; sari_coordinates_types[c]; c++) {
        double early[2], late[2];
        run r = begin_slope(&steep, sari_coordinates_types[c]->name, 0.5, STEP);
        go_to(&r, 0.1, early), go_to(&r, 0.5, late);
        CHECK_NEAR((late[1] - early[1]) / 0.4, G * (sin(0.7) - MU * cos(0.7)), 1e-9);
        CHECK_AT_MOST(sar_simulation_statistics(r.s).energy_max_drift, 1e-9);
        end(&r);
    }
}

/* Thrown down or up a slope on which it may rest, it slides v^2/(2 a) and then creeps where f/F =
 * tan(b)/mu. Below a few v_s, on the last few v_s^2/a of its way, friction has faded. */
static void a_block_stops_on_a_shallow_slope(const char* preload, double L)
{
    const double b = 0.2, creep = V_S * atanh(tan(b) / MU);
    for (int c = 0; sari_coordinates_types[c]; c++)
        for (int up = 0; up < 2; up++) {
            const slope thrown = {L, b, up ? -2 : 2, preload};
            const double a = G * (MU * cos(b) + (up ? sin(b) : -sin(b)));
            const double stop = 2 / a, way = 2 * 2 / (2 * a), late = 1.5;
            double at[2];
            run r = begin_slope(&thrown, sari_coordinates_types[c]->name, late, STEP);
            go_to(&r, late, at);
            const double crept = creep * (late - stop), few = 10 * V_S * V_S / a;
            CHECK_NEAR(at[0], (up ? -way : way) + crept, few + STEP * STEP * a);
            CHECK_NEAR(at[1], creep, 1e-6 * creep);
            end(&r);
        }
}

TEST(a_block_slides_by_its_preload)
{
    a_block_slides_down_a_steep_slope(WEIGHT);
}

TEST(a_block_stops_by_its_preload)
{
    for (double L = 1e-3; L < 1e4; L *= 1e3) a_block_stops_on_a_shallow_slope(WEIGHT, L);
}

/* What the joint carries is the same in every step: the force of the last one is that of this one.
 */
TEST(a_block_slides_by_its_reaction)
{
    a_block_slides_down_a_steep_slope("reaction");
}

TEST(a_block_stops_by_its_reaction)
{
    for (double L = 1e-3; L < 1e4; L *= 1e3) a_block_stops_on_a_shallow_slope("reaction", L);
}

/* ---- a flywheel ----------------------------------------------------------------------------- */

/* J w' = -T tanh(w/w_s) has sinh(w/w_s) = sinh(w0/w_s) exp(-T t/(J w_s)): at w0 J/T, when Coulomb's
 * friction would have stopped it, w = w_s asinh(1/2). T = 0.2 * 0.05 * 300 = 3 N m, J = 1.5 kg m^2.
 */
TEST(a_flywheel_stops_in_time)
{
    const char* text =
        "sarrus: 1\nname: flywheel\ndimension: 3\ngravity: [0, 0, -9.81]\n"
        "bodies: {wheel: {mass: 30, inertia: [1, 1, 1.5], position: [0, 0, 0],\n"
        "                 rotation: {rpy: [0, 0, 0]}}}\n"
        "joints: {pin: {type: revolute, between: [ground.origin, wheel.origin],\n"
        "               axis: [ground.z, wheel.z]}}\n"
        "forces: {bearing: {type: friction, joint: pin, coefficient: 0.2, radius: 0.05,\n"
        "                   preload: 300, speed: 0.01}}\n"
        "outputs: {w: pin.rate}\n"
        "start: {pin.rate: 4}\n";
    for (int c = 0; sari_coordinates_types[c]; c++) {
        double half, stopped, later;
        run r = begin(text, sari_coordinates_types[c]->name, 2.5, 5e-4);
        go_to(&r, 1.0, &half), go_to(&r, 2.0, &stopped), go_to(&r, 2.5, &later);
        CHECK_NEAR(half, 2, 4 * pow(5e-4 * 4, 2)); // steps are of second order
        CHECK_NEAR(stopped, 0.01 * asinh(0.5), 1e-4);
        CHECK_NEAR(later, 0, 1e-9);
        CHECK_NEAR(sar_simulation_energy(r.s).work, -0.5 * 1.5 * 4 * 4, 1e-4);
        end(&r);
    }
}

/* ---- a pendulum whose pin rubs under its load ----------------------------------------------- */

static const double ARM = 0.8, MASS = 1.5, INERTIA = 0.1, RADIUS = 0.1, SMOOTH = 0.05;

static const char* const PENDULUM =
    "sarrus: 1\nname: pendulum\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies: {rod: {mass: 1.5, center: [0, -0.8], inertia: 0.1, position: [0, 0], angle: 1}}\n"
    "joints: {pin: {type: revolute, between: [ground.origin, rod.origin]}}\n"
    "forces: {bearing: {type: friction, joint: pin, coefficient: 0.5, radius: 0.1,\n"
    "                   preload: reaction, speed: 0.05}}\n"
    "outputs: {angle: pin.angle, rate: pin.rate}\n";

/// Angular acceleration, with the force N of the pin that goes with it.
static double swing(double angle, double rate)
{
    double a = 0, N = 0;
    for (int k = 0; k < 60; k++) {
        a = (-MASS * G * ARM * sin(angle) - MU * RADIUS * N * tanh(rate / SMOOTH)) /
            (INERTIA + MASS * ARM * ARM);
        N = MASS * hypot(ARM * a + G * sin(angle), ARM * rate * rate + G * cos(angle));
    }
    return a;
}

/// The angle after so long, by the classical Runge-Kutta method.
static double swing_to(double t)
{
    const int steps = 20000;
    const double h = t / steps;
    double x = 1, v = 0;
    for (int k = 0; k < steps; k++) {
        const double a1 = swing(x, v), v2 = v + h / 2 * a1, a2 = swing(x + h / 2 * v, v2),
                     v3 = v + h / 2 * a2, a3 = swing(x + h / 2 * v2, v3), v4 = v + h * a3,
                     a4 = swing(x + h * v3, v4);
        x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return x;
}

/* The load and what rubs are found together: the error is of the integrator's order, 2. */
TEST(a_bearing_rubs_under_its_load)
{
    const double wanted = swing_to(1.5);
    for (int c = 0; sari_coordinates_types[c]; c++) {
        double off[2], at[2];
        for (int k = 0; k < 2; k++) {
            run r = begin(PENDULUM, sari_coordinates_types[c]->name, 1.5, k ? 5e-4 : 1e-3);
            go_to(&r, 1.5, at);
            off[k] = at[0] - wanted;
            CHECK_AT_MOST(sar_simulation_statistics(r.s).energy_max_drift, 1e-3);
            end(&r);
        }
        CHECK_AT_MOST(fabs(off[0]), 1e-5);
        CHECK_AT_MOST(fabs(off[1]), 0.26 * fabs(off[0]));
    }
}

/* ---- where reactions jump ------------------------------------------------------------------- */

/* A block flies until a rail catches it at 0.1 s; at 0.3 s it is pressed on the rail by its weight
 * again. Friction is that of the new reaction from there on, not one step later: 2.5, then 5 m/s^2.
 */
TEST(friction_follows_phases_and_breakpoints)
{
    const char* text =
        "sarrus: 1\nname: catch\ndimension: 2\ngravity: [0, -10]\nbreakpoints: [0.3]\n"
        "bodies: {block: {mass: 2, inertia: 1, position: [0, 0], angle: 0}}\n"
        "joints: {rail: {type: prismatic, between: [ground.origin, block.origin],\n"
        "                axis: [ground.x, block.x], active: no, attach: here}}\n"
        "forces: {rub: {type: friction, joint: rail, coefficient: 0.25, preload: reaction,\n"
        "               speed: 1e-3},\n"
        "         press: {type: force, acts_on: block.center, force: [0, -20*(t >= 0.3)]}}\n"
        "phases: [{at: 0.1, add: [rail]}]\n"
        "start: {block.center.vx: 3}\n"
        "outputs: {v: block.center.vx}\n";
    for (int c = 0; sari_coordinates_types[c]; c++) {
        double v;
        run r = begin(text, sari_coordinates_types[c]->name, 0.5, 0.05);
        go_to(&r, 0.1, &v);
        CHECK_NEAR(v, 3, 1e-12);
        go_to(&r, 0.15, &v);
        CHECK_NEAR(v, 3 - 2.5 * 0.05, 1e-9);
        go_to(&r, 0.35, &v);
        CHECK_NEAR(v, 3 - 2.5 * 0.2 - 5 * 0.05, 1e-9);
        sar_simulation_destroy(r.s); // that the load jumps is told
        sar_model_destroy(r.model);
    }
}

/* Pulled up a slope at a constant speed: F = m g (sin b + mu cos b), from the first moment on. */
TEST(inverse_dynamics_knows_friction)
{
    const char* text =
        "sarrus: 1\nname: pulled\ndimension: 2\ngravity: [0, -9.81]\nparameters: {b: 0.4}\n"
        "ground: {axes: {up: [cos(b), sin(b)]}}\n"
        "bodies: {block: {mass: 2, inertia: 1, position: [0, 0], angle: b}}\n"
        "joints: {rail: {type: prismatic, between: [ground.origin, block.origin],\n"
        "                axis: [ground.up, block.x]}}\n"
        "drives: {pull: {joint: rail, value: 0.3*t}}\n"
        "forces: {rub: {type: friction, joint: rail, coefficient: 0.5, preload: reaction,\n"
        "               speed: 1e-3}}\n"
        "outputs: {F: pull.force}\n";
    const double wanted = 2 * G * (sin(0.4) + MU * cos(0.4));
    for (int c = 0; sari_coordinates_types[c]; c++) {
        sar_model* model;
        sar_motion* m;
        double F;
        sar_options options = sar_options_default();
        snprintf(options.coordinates, sizeof options.coordinates, "%s",
                 sari_coordinates_types[c]->name);
        CHECK_STATUS(sar_model_parse(text, strlen(text), "pulled", NULL, 0, &model, NULL, NULL),
                     SAR_OK);
        CHECK_STATUS(sar_motion_create(model, &options, &m, NULL), SAR_OK);
        CHECK_STATUS(sar_motion_assemble(m, NULL), SAR_OK);
        CHECK_STATUS(sar_motion_outputs(m, &F), SAR_OK);
        CHECK_NEAR(F, wanted, 1e-9);
        CHECK_STATUS(sar_motion_go(m, 0.7), SAR_OK);
        CHECK_STATUS(sar_motion_outputs(m, &F), SAR_OK);
        CHECK_NEAR(F, wanted, 1e-9);
        sar_motion_destroy(m);
        sar_model_destroy(model);
    }
}
