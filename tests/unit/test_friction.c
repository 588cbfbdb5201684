/* Friction in joints: what is refused, the law by hand, blocks on slopes and flywheels that stop
 * where and when they must, in all coordinates and sizes. */
#include "model_fixture.h"
#include "sarrus/load.h"
#include "system/coordinates.h"

static sar_friction_def friction_in(sar_joint_id joint)
{
    sar_friction_def def = sar_friction_def_default();
    def.name = "rub", def.joint = joint;
    def.coefficient = 0.2, def.preload = 50, def.radius = 0.1, def.speed = 1e-3;
    return def;
}

static void friction_is_checked(void** state)
{
    (void)state;
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
    def = friction_in(pin), def.preload = -5;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "preload", "negative");
    def = friction_in(pin), def.radius = NAN;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "radius", "arm");
    def = friction_in(rail), def.coordinate = SAR_COORD_DISPLACEMENT;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "radius", "remove");
    def = friction_in(pin), def.speed = NAN;
    CHECK_REFUSED(m, sar_model_add_friction(m, &def, &error), "speed", "fades");
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

/* ---- the law ----------------------------------------------------------------------------------
 */

static sari_force_action action_of(const sari_force* friction, double rate)
{
    double variables[SARI_VARIABLE_SIGNAL] = {0};
    sari_force_action a = {0};
    const sari_force_state at = {.n = 1, .value = {3}, .rate = {rate}, .variables = variables};
    sari_force_types[SARI_FORCE_FRICTION]->act(
        friction, &at, SARI_ACT_FORCE | SARI_ACT_SLOPES | SARI_ACT_POTENTIAL | SARI_ACT_POWER, &a);
    return a;
}

static void the_force_is_that_of_the_formula(void** state)
{
    (void)state;
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

/* ---- runs -------------------------------------------------------------------------------------
 */

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

/* ---- a block on a slope -----------------------------------------------------------------------
 */

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

static void a_block_slides_by_its_preload(void** state)
{
    (void)state;
    a_block_slides_down_a_steep_slope(WEIGHT);
}

static void a_block_stops_by_its_preload(void** state)
{
    (void)state;
    for (double L = 1e-3; L < 1e4; L *= 1e3) a_block_stops_on_a_shallow_slope(WEIGHT, L);
}

/* ---- a flywheel -------------------------------------------------------------------------------
 */

/* J w' = -T tanh(w/w_s) has sinh(w/w_s) = sinh(w0/w_s) exp(-T t/(J w_s)): at w0 J/T, when Coulomb's
 * friction would have stopped it, w = w_s asinh(1/2). T = 0.2 * 0.05 * 300 = 3 N m, J = 1.5 kg m^2.
 */
static void a_flywheel_stops_in_time(void** state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_is_checked),
        cmocka_unit_test(the_force_is_that_of_the_formula),
        cmocka_unit_test(a_block_slides_by_its_preload),
        cmocka_unit_test(a_block_stops_by_its_preload),
        cmocka_unit_test(a_flywheel_stops_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
