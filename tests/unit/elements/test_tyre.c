/* Tyres: what is refused, the force by hand, and the energy of wheels that bounce, climb and fall.
 */
#include "model_fixture.h"
#include "sarrus/load.h"

static sar_tyre_def tyre_called(const char* name)
{
    sar_tyre_def def = sar_tyre_def_default();
    def.name = name, def.body = CRANK, def.radius = 0.4, def.stiffness = 1000;
    return def;
}

TEST(tyres_are_checked)
{
    sar_model* m = two_bodies(2);
    sar_tyre_def def = tyre_called("rod");
    CHECK_REFUSED(m, sar_model_add_tyre(m, &def, &error), "name", "a body called");
    def = tyre_called("wheel"), def.body = SAR_GROUND;
    CHECK_REFUSED(m, sar_model_add_tyre(m, &def, &error), "body", "moves nothing");
    def = tyre_called("wheel"), def.radius = 0;
    CHECK_REFUSED(m, sar_model_add_tyre(m, &def, &error), "radius", "must be positive");
    def = tyre_called("wheel"), def.stiffness = NAN;
    CHECK_REFUSED(m, sar_model_add_tyre(m, &def, &error), "stiffness", "finite");
    def = tyre_called("wheel"), def.damping = -1;
    CHECK_REFUSED(m, sar_model_add_tyre(m, &def, &error), "damping", "negative");
    def = tyre_called("wheel"), def.up = 2;
    CHECK_REFUSED(m, sar_model_add_tyre(m, &def, &error), "up", "planar");
    def = tyre_called("wheel"), def.forward = 1;
    CHECK_REFUSED(m, sar_model_add_tyre(m, &def, &error), "forward", "the same axis");
    def = tyre_called("wheel"), def.road = "crank.P.x";
    CHECK_REFUSED(m, sar_model_add_tyre(m, &def, &error), "road", "roads can use x, t");
    def = tyre_called("wheel"), def.along = "v";
    CHECK_REFUSED(m, sar_model_add_tyre(m, &def, &error), "along", "springs only");
    def = tyre_called("wheel");
    CHECK_STATUS(sar_model_add_tyre(m, &def, NULL), SAR_OK);
    CHECK(tyre_of(m, 0)->up == 1 && tyre_of(m, 0)->forward == 0);
    CHECK_REFUSED(m, sar_model_add_tyre(m, &def, &error), "name", "a force called");
    sar_model_destroy(m);
}

enum { UP, FORWARD };
static const unsigned ALL = SARI_ACT_FORCE | SARI_ACT_SLOPES | SARI_ACT_POTENTIAL | SARI_ACT_POWER;

/// Of a wheel whose centre is at this height and place. Forces pull back: they are the negative of
/// those on the wheel.
static sari_force_action action_of(const sari_force* tyre, double t, const double at[2],
                                   const double rate[2])
{
    double variables[SARI_VARIABLE_SIGNAL] = {t};
    sari_force_action a = {0};
    const sari_force_state state = {2, {at[UP], at[FORWARD]}, {rate[UP], rate[FORWARD]}, variables};
    sari_force_types[SARI_FORCE_TYRE]->act(tyre, &state, ALL, &a);
    return a;
}

static const sari_force* tyre_on(sar_model* m, const char* road, const char* along, double c,
                                 int normal)
{
    sar_tyre_def def = tyre_called("wheel");
    def.road = road, def.along = along, def.damping = c, def.normal = normal;
    CHECK_STATUS(sar_model_add_tyre(m, &def, NULL), SAR_OK);
    return stored_force(m, SARI_FORCE_TYRE, 0);
}

/* Slope 3/4: cosine 0.8, sine 0.6. */
TEST(the_force_is_that_of_the_formula)
{
    sar_model* m = two_bodies(3);
    const sari_force* tyre = tyre_on(m, "0.75*x - t", "x + 2*t", 10, 1);
    // x = 0.2, t = 0.1: h = 0.75*0.4 - 0.1 = 0.2; z = 0.5: depth 0.1; closing 0.3 + 0.75*(2 + 0.4)
    // - 1
    const double at[] = {0.5, 0.2}, rate[] = {-0.3, 0.4}, N = 1000 * 0.1 + 10 * 1.1;
    const sari_force_action a = action_of(tyre, 0.1, at, rate);
    CHECK_NEAR(-a.force[UP], 0.8 * 0.8 * N, 1e-12);
    CHECK_NEAR(-a.force[FORWARD], -0.6 * 0.8 * N, 1e-12);
    CHECK_NEAR(hypot(a.force[0], a.force[1]), N / sqrt(1 + 0.75 * 0.75), 1e-12);
    CHECK_NEAR(a.potential, 0.5 * 1000 * 0.1 * 0.1, 1e-13);
    sar_model_destroy(m);
}

TEST(a_wheel_in_the_air_feels_nothing)
{
    sar_model* m = two_bodies(3);
    const sari_force* tyre = tyre_on(m, "sin(x)", NULL, 50, 1);
    for (double x = -3; x < 3; x += 0.37) {
        const double air[] = {sin(x) + 0.4 + 1e-12, x}, touching[] = {sin(x) + 0.399, x};
        const double down[] = {-1e3, 0}, up[] = {1e3, 0};
        sari_force_action a = action_of(tyre, 0, air, down);
        for (int k = 0; k < 4; k++)
            CHECK(a.force[k / 2] == 0 && a.by_value[k / 2][k % 2] == 0 &&
                  a.by_rate[k / 2][k % 2] == 0);
        CHECK(a.potential == 0 && a.power == 0);
        a = action_of(tyre, 0, touching, up); // leaves too fast: it does not pull
        CHECK(a.force[0] == 0 && a.force[1] == 0 && a.by_value[0][0] == 0 && a.by_rate[0][0] == 0);
        CHECK(a.potential > 0);
    }
    sar_model_destroy(m);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static sar_simulation* begin(const char* text, double end, double step, sar_model** model)
{
    sar_simulation* s;
    char* messages = NULL;
    sar_options options = sar_options_default();
    options.end = end, options.step = step;
    if (sar_model_parse(text, strlen(text), "tyre", NULL, 0, model, NULL, &messages) != SAR_OK)
        fail_msg("%s", messages);
    sar_text_free(messages);
    CHECK_STATUS(sar_simulation_create(*model, &options, &s, NULL), SAR_OK);
    CHECK_STATUS(sar_simulation_assemble(s, NULL), SAR_OK);
    return s;
}

static sar_statistics finish(sar_simulation* s, sar_model* model)
{
    while (!sar_simulation_done(s))
        if (sar_simulation_advance(s) != SAR_OK) fail_msg("%s", sar_simulation_failure(s));
    sar_statistics z = sar_simulation_statistics(s);
    sar_simulation_destroy(s);
    sar_model_destroy(model);
    return z;
}

static double drift(const char* text, double step)
{
    sar_model* model;
    sar_simulation* s = begin(text, 2, step, &model);
    return finish(s, model).energy_max_drift;
}

#define WHEEL(more)                                                                                \
    "sarrus: 1\nname: wheel\ndimension: 2\ngravity: [0, -9.81]\n"                                  \
    "bodies: {wheel: {mass: 20, inertia: 1, position: [0, 0.45], angle: 0, velocity: [4, 0]}}\n"   \
    "outputs: {y: wheel.origin.y}\n" more

TEST(the_energy_balance_closes)
{
    static const char* const models[] = {
        WHEEL(
            "forces: {w: {type: tyre, acts_on: wheel, radius: 0.4, stiffness: 2e4}}\n"), // bounces
        WHEEL("forces: {w: {type: tyre, acts_on: wheel, radius: 0.4, stiffness: 2e4, normal: yes,\n"
              "  road: 0.05*cos(x)}}\n"), // hills slow it down
        WHEEL(
            "forces: {w: {type: tyre, acts_on: wheel, radius: 0.4, stiffness: 2e4, damping: 300,\n"
            "  road: 0.05*sin(x), along: x + 2*t}}\n"), // moving road, damped
    };
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        double coarse = drift(models[k], 1e-3), fine = drift(models[k], 1e-4);
        if (!(fine < 0.02 && fine < 0.5 * coarse))
            fail_msg("model %d: drift %g J with 1 ms, %g J with 0.1 ms", (int)k, coarse, fine);
    }
}

/* At rest on a damped tyre; then the road drops by more than the tyre's depth: it is in the air. */
static const char* const DROP =
    "sarrus: 1\nname: drop\ndimension: 2\ngravity: [0, -9.81]\nbreakpoints: [0.40005]\n"
    "bodies: {wheel: {mass: 20, inertia: 1, position: [0, 0.4 - 20*9.81/2e4], angle: 0}}\n"
    "forces: {w: {type: tyre, acts_on: wheel, radius: 0.4, stiffness: 2e4, damping: 500,\n"
    "             road: -0.1*(t >= 0.40005)}}\n"
    "outputs: {y: wheel.origin.y}\n";

TEST(a_road_that_drops_takes_the_energy_of_the_tyre)
{
    sar_model* model;
    double y, rest = 0.4 - 20 * 9.81 / 2e4, stored = 0.5 * pow(20 * 9.81, 2) / 2e4;
    sar_simulation* s = begin(DROP, 3, 1e-3, &model);
    while (sar_simulation_time(s) < 0.4000499) CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
    sar_simulation_outputs(s, &y);
    CHECK_NEAR(sar_simulation_time(s), 0.40005, 0);
    CHECK_NEAR(y, rest, 1e-12); // equilibrium
    CHECK_NEAR(sar_simulation_energy(s).work, 0, 1e-12);
    CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
    CHECK_NEAR(sar_simulation_energy(s).work, -stored, 1e-9);
    double fall = sar_simulation_time(s) - 0.40005;
    sar_simulation_outputs(s, &y);
    CHECK_NEAR(y, rest - 0.5 * 9.81 * fall * fall, 1e-12); // falls freely from the jump on
    while (!sar_simulation_done(s)) CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
    sar_simulation_outputs(s, &y);
    CHECK_NEAR(y, rest - 0.1, 1e-6);
    CHECK_AT_MOST(finish(s, model).energy_max_drift, 0.1);
}
