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

static void test_pendulum(void** state)
{
    (void)state;
    static const char* const names[] = {"L", "m", "g", "c", "phi0", "w0"};
    static const double wanted[] = {-1.4443273126, 0.0091724450,  0.1872517829,
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
            CHECK_STATUS(sar_sensitivity_column_error(h.s, k, &error_of), SAR_OK);
            printf("%s %s %.12g off %.2g est %.2g\n", coordinates[c], names[k], J[k], J[k] - wanted[k], error_of);
        }
        for (int k = 0; k < 6; k++) CHECK_NEAR(J[k], wanted[k], 3e-10);
        end(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pendulum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
