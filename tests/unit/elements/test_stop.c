/* Stops: what is refused, the force by hand, and bodies that rebound: their energy, and their
 * restitution beside an integration of the law of one degree of freedom that shares no code with
 * the library, in all coordinates and sizes. */
#include "model_fixture.h"
#include "sarrus/load.h"
#include "system/coordinates.h"

static sar_stop_def stop_on(sar_joint_id joint)
{
    sar_stop_def def = sar_stop_def_default();
    def.name = "stop", def.joint = joint, def.lower = 0.2, def.upper = 0.7, def.stiffness = 1000;
    return def;
}

TEST(stops_are_checked)
{
    sar_model* m = two_bodies(2);
    sar_joint_id pin = add_joint(m, "pin", SAR_JOINT_REVOLUTE);
    sar_stop_def def = stop_on((sar_joint_id){7});
    CHECK_REFUSED(m, sar_model_add_stop(m, &def, &error), "joint", "no joint");
    def = stop_on(pin), def.coordinate = SAR_COORD_DISPLACEMENT;
    CHECK_REFUSED(m, sar_model_add_stop(m, &def, &error), "coordinate", "angle");
    def = stop_on(pin), def.lower = NAN;
    CHECK_REFUSED(m, sar_model_add_stop(m, &def, &error), "lower", "no limit");
    def = stop_on(pin), def.upper = -INFINITY;
    CHECK_REFUSED(m, sar_model_add_stop(m, &def, &error), "upper", "no limit");
    def = stop_on(pin), def.lower = -INFINITY, def.upper = INFINITY;
    CHECK_REFUSED(m, sar_model_add_stop(m, &def, &error), "lower", "stops nothing");
    def = stop_on(pin), def.lower = 0.8;
    CHECK_REFUSED(m, sar_model_add_stop(m, &def, &error), "lower", "above upper");
    def = stop_on(pin), def.stiffness = 0;
    CHECK_REFUSED(m, sar_model_add_stop(m, &def, &error), "stiffness", "must be positive");
    def = stop_on(pin), def.damping = -1;
    CHECK_REFUSED(m, sar_model_add_stop(m, &def, &error), "damping", "negative");
    def = stop_on(pin), def.exponent = 0.5;
    CHECK_REFUSED(m, sar_model_add_stop(m, &def, &error), "exponent", "at least 1");
    def = stop_on(pin), def.upper = INFINITY;
    CHECK_STATUS(sar_model_add_stop(m, &def, NULL), SAR_OK);
    sar_model_destroy(m);
}

/* ---- the law -------------------------------------------------------------------------------- */

static const unsigned ALL = SARI_ACT_FORCE | SARI_ACT_SLOPES | SARI_ACT_POTENTIAL | SARI_ACT_POWER;

static sari_force_action action_of(const sari_force* stop, double s, double rate)
{
    double variables[SARI_VARIABLE_SIGNAL] = {0};
    sari_force_action a = {0};
    const sari_force_state at = {1, {s}, {rate}, variables};
    sari_force_types[SARI_FORCE_STOP]->act(stop, &at, ALL, &a);
    return a;
}

/* Depth 0.04, exponent 1.5: 1000 * 0.008 = 8, and 0.04^2.5 = 0.00032. */
TEST(the_force_is_that_of_the_formula)
{
    sar_model* m = two_bodies(2);
    sar_stop_def def = stop_on(add_joint(m, "pin", SAR_JOINT_REVOLUTE));
    def.exponent = 1.5, def.damping = 0.5;
    CHECK_STATUS(sar_model_add_stop(m, &def, NULL), SAR_OK);
    const sari_force* stop = stored_force(m, SARI_FORCE_STOP, 0);
    for (int upper = 0; upper < 2; upper++) { // positive pulls the coordinate down
        const double s = upper ? 0.74 : 0.16, side = upper ? 1 : -1;
        sari_force_action a = action_of(stop, s, side * 0.6);
        CHECK_NEAR(a.force[0], side * 8 * 1.3, 1e-12);
        CHECK_NEAR(a.by_value[0][0], 1.5 * 1000 * 0.2 * 1.3, 1e-10);
        CHECK_NEAR(a.by_rate[0][0], 8 * 0.5, 1e-12);
        CHECK_NEAR(a.potential, 1000 * 0.00032 / 2.5, 1e-13);
        CHECK_NEAR(a.power, -8 * 0.3 * 0.6, 1e-12);
        a = action_of(stop, s, -side * 2.1); // leaves too fast: it does not pull, and loses all
        CHECK(a.force[0] == 0 && a.by_value[0][0] == 0 && a.by_rate[0][0] == 0);
        CHECK_NEAR(a.power, -8 * 2.1, 1e-12);
        a = action_of(stop, upper ? 0.7 : 0.2, side * 100);
        CHECK(a.force[0] == 0 && a.by_value[0][0] == 0 && a.by_rate[0][0] == 0);
        CHECK(a.potential == 0 && a.power == 0);
    }
    sar_model_destroy(m);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static sar_simulation* begin(const char* text, const char* coordinates, double end, double step,
                             sar_model** model)
{
    sar_simulation* s;
    char* messages = NULL;
    sar_options options = sar_options_default();
    options.end = end, options.step = step;
    snprintf(options.coordinates, sizeof options.coordinates, "%s", coordinates);
    if (sar_model_parse(text, strlen(text), "stop", NULL, 0, model, NULL, &messages) != SAR_OK)
        fail_msg("%s", messages);
    sar_text_free(messages);
    CHECK_STATUS(sar_simulation_create(*model, &options, &s, NULL), SAR_OK);
    CHECK_STATUS(sar_simulation_assemble(s, NULL), SAR_OK);
    return s;
}

static void advance(sar_simulation* s)
{
    if (sar_simulation_advance(s) != SAR_OK) fail_msg("%s", sar_simulation_failure(s));
}

/// Contacts below last about pi/w with w = 100/s; steps are of second order.
static const double STEP = 2e-5, OFF = 2e-5 * 100 * 2e-5 * 100;

/// A block of 2 kg on a rail without gravity, 5 L/1000 off a wall towards which it moves at L m/s:
/// the same motion in every size L.
typedef struct impact {
    double L, k, n, c;
} impact;

static void write_slider(const impact* i, char* text, size_t size)
{
    snprintf(text, size,
             "sarrus: 1\nname: slider\ndimension: 2\n"
             "parameters: {L: %.17g, k: %.17g, n: %.17g, c: %.17g}\n"
             "bodies: {block: {mass: 2, inertia: L^2, position: [0.005*L, 0], angle: 0, \n"
             "                 points: {tip: [L, 0]}}}\n"
             "joints: {rail: {type: prismatic, between: [ground.origin, block.origin],\n"
             "                axis: [ground.x, block.x]}}\n"
             "forces: {wall: {type: stop, joint: rail, lower: 0, stiffness: k*L^(1 - n),\n"
             "                exponent: n, damping: c/L}}\n"
             "outputs: {x: rail.displacement, v: rail.speed}\n"
             "start: {rail.speed: -L}\n",
             i->L, i->k, i->n, i->c);
}

/// The speed after an impact at speed 1, and the drift of the energy in parts of all of it.
static double rebound(const impact* i, const char* coordinates, double step, double* drift)
{
    char text[1024];
    sar_model* model;
    double out[2];
    write_slider(i, text, sizeof text);
    sar_simulation* s = begin(text, coordinates, 0.08, step, &model);
    while (!sar_simulation_done(s)) advance(s);
    CHECK_STATUS(sar_simulation_outputs(s, out), SAR_OK);
    CHECK(out[0] > 0 && out[1] > 0); // it has left
    const sar_statistics z = sar_simulation_statistics(s);
    *drift = z.energy_max_drift / z.energy_initial;
    sar_simulation_destroy(s);
    sar_model_destroy(model);
    return out[1] / i->L;
}

/// x'' of the law of one degree of freedom.
static double law(const impact* i, double x, double v)
{
    return x > 0 ? -i->k / 2 * pow(x, i->n) * fmax(0, 1 + i->c * v) : 0;
}

/// Its speed after the impact, by the classical Runge-Kutta method.
static double restitution(const impact* i, double speed)
{
    const double h = 1e-6;
    double x = 0, v = speed;
    do {
        const double a1 = law(i, x, v), v2 = v + h / 2 * a1, a2 = law(i, x + h / 2 * v, v2),
                     v3 = v + h / 2 * a2, a3 = law(i, x + h / 2 * v2, v3), v4 = v + h * a3,
                     a4 = law(i, x + h * v3, v4);
        x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    } while (x > 0);
    return -v / speed;
}

/* The force that a law without damping takes and gives back is the same. */
TEST(without_damping_the_speed_returns)
{
    const impact linear = {1, 2e4, 1, 0}, hertz = {1, 2e5, 1.5, 0};
    for (int c = 0; sari_coordinates_types[c]; c++)
        for (int k = 0; k < 2; k++) {
            double drift,
                e = rebound(k ? &hertz : &linear, sari_coordinates_types[c]->name, STEP, &drift);
            CHECK_NEAR(e, 1, OFF);
            CHECK_AT_MOST(drift, OFF);
        }
}

TEST(damping_restores_what_the_law_says)
{
    for (int k = 0; k < 4; k++) {
        const impact i = {1, k % 2 ? 2e5 : 2e4, k % 2 ? 1.5 : 1, k < 2 ? 0.2 : 1.5};
        const double wanted = restitution(&i, 1);
        for (int c = 0; sari_coordinates_types[c]; c++) {
            double drift, e = rebound(&i, sari_coordinates_types[c]->name, STEP, &drift);
            CHECK_NEAR(e, wanted, OFF);
            CHECK_AT_MOST(drift, OFF);
        }
    }
}

/* e = 1 - 2/3 c v + O((c v)^2) [hunt1975] */
TEST(slow_impacts_follow_hunt_and_crossley)
{
    for (double c = 0.04; c > 0.004; c /= 2) {
        const impact i = {1, 2e5, 1.5, c};
        double drift, e = rebound(&i, "natural", STEP, &drift);
        CHECK_NEAR(e, 1 - 2.0 / 3 * c, c * c);
        CHECK_NEAR(restitution(&i, 1), 1 - 2.0 / 3 * c, c * c);
    }
}

TEST(stops_work_in_every_size)
{
    static const double sizes[] = {1e-3, 1e3};
    for (int c = 0; sari_coordinates_types[c]; c++) {
        double drift;
        impact i = {1, 2e5, 1.5, 1.5};
        const double e = rebound(&i, sari_coordinates_types[c]->name, 1e-4, &drift);
        for (int k = 0; k < 2; k++) {
            i.L = sizes[k];
            double got = rebound(&i, sari_coordinates_types[c]->name, 1e-4, &drift);
            CHECK_NEAR(got, e, 1e-9);
        }
    }
}

/* ---- a pendulum that bounces ---------------------------------------------------------------- */

/* A rod falls from the horizontal on a stop at 60 degrees below it. The shape of the stop's force
 * is that of the slider, in rad. */
static const char* const PENDULUM =
    "sarrus: 1\nname: bouncing pendulum\ndimension: 3\ngravity: [0, 0, -9.81]\n"
    "parameters: {c: %g}\n"
    "bodies: {rod: {mass: 1, center: [0.5, 0, 0], inertia: [0.01, 1/12, 1/12], position: [0, 0, "
    "0],\n"
    "               rotation: {rpy: [0, 0, 0]}}}\n"
    "joints: {pin: {type: revolute, between: [ground.origin, rod.origin], axis: [0, 1, 0]}}\n"
    "forces: {stop: {type: stop, joint: pin, coordinate: angle, upper: pi/3, stiffness: 2e4,\n"
    "                exponent: 1.5, damping: c}}\n"
    "outputs: {angle: pin.angle, rate: pin.rate}\n";

typedef struct bounces {
    double highest; ///< angle to which it rises after the first impact: 0 is as high as before
    double drift, lost;
} bounces;

static bounces swing(const char* coordinates, double c, double step)
{
    char text[1024];
    sar_model* model;
    double out[2];
    bounces b = {.highest = INFINITY};
    snprintf(text, sizeof text, PENDULUM, c);
    sar_simulation* s = begin(text, coordinates, 1.2, step, &model);
    for (bool hit = false; !sar_simulation_done(s);) {
        advance(s);
        CHECK_STATUS(sar_simulation_outputs(s, out), SAR_OK);
        hit = hit || out[0] > M_PI / 3;
        if (hit) b.highest = fmin(b.highest, out[0]);
    }
    b.drift = sar_simulation_statistics(s).energy_max_drift;
    b.lost = -sar_simulation_energy(s).work;
    sar_simulation_destroy(s);
    sar_model_destroy(model);
    return b;
}

TEST(a_pendulum_bounces_and_its_energy_closes)
{
    for (int k = 0; sari_coordinates_types[k]; k++) {
        const char* name = sari_coordinates_types[k]->name;
        const bounces free = swing(name, 0, 1e-4), damped = swing(name, 0.2, 1e-4);
        CHECK_NEAR(free.highest, 0, 1e-4);
        CHECK_AT_MOST(free.drift, 1e-3);
        CHECK(free.lost == 0);
        CHECK(damped.highest > 0.1 && damped.lost > 0.1);
        CHECK_AT_MOST(damped.drift, 1e-3 * damped.lost);
    }
}
