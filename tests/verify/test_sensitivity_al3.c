/* Derivatives of runs with al3 and the trapezoidal rule: direct and adjoint, against those of prototypes by complex steps
 * through the same discretisation. */
#include "reader_fixture.h"

#include "sarrus/sensitivity.h"

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

/* Direct against what is wanted, adjoint against direct. */
static void check(const char* text, const char* coordinates, double time, int steps, sar_objective of,
                  const char* const* names, const double* wanted, int count, double tolerance)
{
    const sar_options o = options_of(coordinates, time, steps);
    held h = start(text, &o, names, count, &of, 1);
    double J[16], g[16], one = 1.0, size = 0.0;
    sar_error error = {0};
    if (sar_sensitivity_jacobian(h.s, J, &error) != SAR_OK) fail_msg("%s", error.message);
    if (sar_sensitivity_gradient(h.s, &one, g, &error) != SAR_OK) fail_msg("%s", error.message);
    for (int k = 0; k < count; k++) size = fmax(size, fabs(J[k]));
    for (int k = 0; k < count; k++) {
        printf("%s %s: %.10g off %.2g, adjoint %.2g\n", coordinates, names[k], J[k],
               wanted ? J[k] - wanted[k] : 0.0, g[k] - J[k]);
        CHECK_NEAR(g[k], J[k], 1e-12 * size);
        if (wanted) CHECK_NEAR(J[k], wanted[k], tolerance);
    }
    end(&h);
}

static const char PENDULUM[] =
    HEAD2 "parameters: {L: 1.2, m: 0.8, g: 9.81, c: 0.05, phi0: 0.4, w0: 1}\n"
          "gravity: [0, -g]\n"
          "bodies: {bob: {mass: m, points: {O: [0, L], tip: [0, 0]}}}\n"
          "joints: {O: {type: revolute, between: [ground.origin, bob.O]}}\n"
          "forces: {air: {type: force, acts_on: bob.tip, force: [-c*bob.tip.vx, -c*bob.tip.vy]}}\n"
          "outputs: {x: bob.tip.x}\n"
          "start: {O.angle: phi0, O.rate: w0}\n";

static void test_pendulum(void** state)
{
    (void)state;
    static const char* const names[] = {"L", "m", "g", "c", "phi0", "w0"};
    static const double wanted[] = {-1.4447555, .00907017, .18718732, -.14512267, .69062028, -.30536179};
    static const char* const coordinates[] = {"natural", "cartesian", "increments", "relative"};
    for (int c = 0; c < 4; c++)
        check(PENDULUM, coordinates[c], 2.0, 100, (sar_objective){"x", SAR_OBJECTIVE_END}, names,
              c == 0 ? wanted : NULL, 6, 6e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pendulum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
