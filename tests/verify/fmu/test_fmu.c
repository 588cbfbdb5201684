/* FMUs by a host of our own: every call in every mode, the bits of the library, inputs, steps, derivatives. */
#include "verify/fmu/pendulum_fmu.h"

#include "sarrus/run.h"

/* ---- beside the library --------------------------------------------------------------------- */

/// A PID controller that holds an angle, every 5 ms.
typedef struct controller {
    double sum, before;
} controller;

static double control(controller* c, double angle)
{
    const double h = 5e-3, error = 0.9 - angle;
    const double rate = (error - c->before) / h;
    c->sum += h * error;
    c->before = error;
    return 40 * error + 20 * c->sum + 6 * rate;
}

static void check_same_bits(const fmu* f, int version)
{
    sar_simulation* s;
    controller here = {0}, there = {0};
    double y[4], z[4], t = f->options.start;
    bool event, end, early;
    const unsigned in = fmu_input(f, 0);
    unsigned out[4];
    for (int k = 0; k < 4; k++) out[k] = fmu_output(f, k);
    CHECK_STATUS(sar_simulation_create(f->model, &f->options, &s, NULL), SAR_OK);
    CHECK_STATUS(sar_simulation_assemble(s, NULL), SAR_OK);
    void* c = version == 2 ? fmu_instantiate_2(f, fmi2CoSimulation, NULL)
                           : fmu_instantiate_3(f, false, NULL);
    CHECK(c);
    version == 2 ? fmu_initialise_2(f, c) : fmu_initialise_3(f, c);
    for (int k = 0; k < 300; k++) {
        CHECK_STATUS(sar_simulation_outputs(s, y), SAR_OK);
        CHECK_STATUS(version == 2 ? (int)f->two.GetReal(c, out, 4, z)
                                  : (int)f->three.GetFloat64(c, out, 4, z, 4),
                     0);
        if (memcmp(y, z, sizeof y) != 0)
            fail_msg("other bits at t = %g: %.17g %.17g", t, y[0], z[0]);
        const double u = control(&here, y[PHI]), w = control(&there, z[PHI]);
        CHECK_STATUS(sar_simulation_set_input(s, 0, u, 0.0), SAR_OK);
        CHECK_STATUS(version == 2 ? (int)f->two.SetReal(c, &in, 1, &w)
                                  : (int)f->three.SetFloat64(c, &in, 1, &w, 1),
                     0);
        CHECK_STATUS(sar_simulation_advance_to(s, t + 5e-3), SAR_OK);
        CHECK_STATUS(version == 2 ? (int)f->two.DoStep(c, t, 5e-3, 1)
                                  : (int)f->three.DoStep(c, t, 5e-3, true, &event, &end, &early, z),
                     0);
        t += 5e-3;
    }
    CHECK_NEAR(y[PHI], 0.9, 0.1); // and it controls
    version == 2 ? f->two.FreeInstance(c) : f->three.FreeInstance(c);
    sar_simulation_destroy(s);
}

TEST(a_controller_sees_the_bits_of_the_library)
{
    static const char* const methods[] = {"", "preset=auto tolerance=1e-7",
                                          "formulation=al1 integrator=rk4 coordinates=relative"};
    for (int k = 0; k < 3; k++)
        for (int version = 2; version <= 3; version++) {
            fmu f = pendulum(methods[k], version);
            check_same_bits(&f, version);
            fmu_close(&f);
        }
}

/* ---- order of calls ------------------------------------------------------------------------- */

enum { NEW = 1, INIT = 2, EVENT = 4, CONTINUOUS = 8, STEP = 16, ENDED = 64 };

/// Calls that do not change the mode: legal where `modes` say, refused elsewhere with a message.
static void check_calls_2(const fmu* f, fmi2Component c, int mode, int exchange, fmu_log* log)
{
    double x[64] = {0}, y = 0;
    unsigned in = fmu_input(f, 0), out = fmu_output(f, 0), m = fmu_parameter(f, "m");
    int order = 1, whole;
    fmi2Status status;
    const char* text;
    const size_t n = 4; // a point of the rod moves: two coordinates and their rates
#define LEGAL(modes, call)                                                                         \
    do {                                                                                           \
        const int legal = ((modes)&mode) != 0, errors = log->errors;                               \
        const fmi2Status got = (call);                                                             \
        if (legal && got != fmi2OK) fail_msg("%s in mode %d: %s", #call, mode, log->last);         \
        if (!legal && (got != fmi2Error || log->errors == errors))                                 \
            fail_msg("%s in mode %d: not refused, or without a word", #call, mode);                \
    } while (0)
    const int runs = EVENT | CONTINUOUS | STEP, any = NEW | INIT | runs | ENDED;
    LEGAL(any, f->two.SetDebugLogging(c, 1, 0, NULL));
    LEGAL(any & ~NEW, f->two.GetReal(c, &out, 1, &y));
    LEGAL(any, f->two.GetReal(c, &m, 1, &y));
    LEGAL(any & ~ENDED, f->two.SetReal(c, &in, 1, &(double){0}));
    LEGAL(NEW | INIT, f->two.SetReal(c, &m, 1, &y));
    LEGAL(0, f->two.SetReal(c, &out, 1, &y));
    LEGAL(0, f->two.SetReal(c, &(unsigned){0}, 1, &y));
    LEGAL(0, f->two.GetReal(c, &(unsigned){99999}, 1, &y));
    LEGAL(0, f->two.SetReal(c, &in, 1, &(double){NAN}));
    LEGAL(0, f->two.GetInteger(c, &in, 1, &whole));
    LEGAL(any, f->two.GetInteger(c, NULL, 0, NULL));
    LEGAL(0, f->two.SetBoolean(c, &in, 1, &whole));
    LEGAL(0, f->two.GetString(c, &in, 1, &text));
    LEGAL(INIT | runs, f->two.GetDirectionalDerivative(c, &out, 1, &in, 1, &(double){1}, &y));
    LEGAL(exchange ? INIT | runs : 0, f->two.GetContinuousStates(c, x, n));
    LEGAL(exchange ? INIT | runs : 0, f->two.GetDerivatives(c, x, n));
    LEGAL(exchange ? INIT | runs : 0, f->two.GetEventIndicators(c, x, 0));
    LEGAL(0, f->two.GetEventIndicators(c, x, 3));
    LEGAL(exchange ? INIT | runs : 0, f->two.GetNominalsOfContinuousStates(c, x, n));
    LEGAL(exchange ? EVENT | CONTINUOUS : 0, f->two.SetTime(c, 0.0));
    LEGAL(0, f->two.GetContinuousStates(c, x, n + 1));
    LEGAL(exchange ? 0 : NEW | INIT | STEP, f->two.SetRealInputDerivatives(c, &in, 1, &order, &y));
    LEGAL(exchange ? 0 : STEP | ENDED, f->two.GetRealOutputDerivatives(c, &out, 1, &order, &y));
    LEGAL(exchange ? 0 : any, f->two.GetRealStatus(c, fmi2LastSuccessfulTime, &y));
    LEGAL(exchange ? 0 : any, f->two.GetStatus(c, fmi2DoStepStatus, &status));
    LEGAL(exchange ? 0 : any, f->two.GetBooleanStatus(c, fmi2Terminated, &whole));
    LEGAL(exchange ? 0 : any, f->two.GetStringStatus(c, fmi2PendingStatus, &text));
    LEGAL(0, f->two.CancelStep(c));
    if (mode != NEW) LEGAL(0, f->two.SetupExperiment(c, 0, 0, 0, 0, 0));
    if (mode != NEW) LEGAL(0, f->two.EnterInitializationMode(c));
    if (mode != INIT) LEGAL(0, f->two.ExitInitializationMode(c));
    if (mode & (NEW | INIT | ENDED)) LEGAL(0, f->two.Terminate(c));
    if (mode != STEP || exchange) LEGAL(0, f->two.DoStep(c, 0, 1e-3, 0));
    if (mode == STEP) LEGAL(0, f->two.DoStep(c, 0.5, 1e-3, 0));
    if (mode == STEP) LEGAL(0, f->two.DoStep(c, 0, -1e-3, 0));
    if (mode != EVENT) LEGAL(0, f->two.NewDiscreteStates(c, &(fmi2EventInfo){0}));
    if (mode != EVENT) LEGAL(0, f->two.EnterContinuousTimeMode(c));
    if (mode != CONTINUOUS) LEGAL(0, f->two.CompletedIntegratorStep(c, 1, &order, &whole));
    if (mode != CONTINUOUS) LEGAL(0, f->two.SetContinuousStates(c, x, n));
    if (!(mode & (EVENT | CONTINUOUS))) LEGAL(0, f->two.EnterEventMode(c));
    fmi2FMUstate saved = NULL;
    LEGAL(any, f->two.GetFMUstate(c, &saved));
    LEGAL(any, f->two.SetFMUstate(c, saved));
    LEGAL(any, f->two.FreeFMUstate(c, &saved));
#undef LEGAL
}

TEST(calls_are_legal_where_the_standard_says)
{
    fmu f = pendulum("formulation=al1 integrator=rk4 coordinates=natural", 2);
    CHECK_TEXT(f.two.GetVersion(), "2.0");
    CHECK_TEXT(f.two.GetTypesPlatform(), "default");
    for (int exchange = 0; exchange < 2; exchange++) {
        fmu_log log = {0};
        fmi2Component c =
            fmu_instantiate_2(&f, exchange ? fmi2ModelExchange : fmi2CoSimulation, &log);
        CHECK(c);
        for (int round = 0; round < 2; round++) { // the second after a reset
            check_calls_2(&f, c, NEW, exchange, &log);
            CHECK_STATUS(f.two.SetupExperiment(c, 0, 0, 0, 1, 2), fmi2OK);
            CHECK_STATUS(f.two.EnterInitializationMode(c), fmi2OK);
            check_calls_2(&f, c, INIT, exchange, &log);
            CHECK_STATUS(f.two.ExitInitializationMode(c), fmi2OK);
            check_calls_2(&f, c, exchange ? EVENT : STEP, exchange, &log);
            if (exchange) {
                CHECK_STATUS(f.two.NewDiscreteStates(c, &(fmi2EventInfo){0}), fmi2OK);
                CHECK_STATUS(f.two.EnterContinuousTimeMode(c), fmi2OK);
                check_calls_2(&f, c, CONTINUOUS, exchange, &log);
                CHECK_STATUS(f.two.EnterEventMode(c), fmi2OK);
            } else {
                CHECK_STATUS(f.two.DoStep(c, 0, 1e-2, 0), fmi2OK);
            }
            CHECK_STATUS(f.two.Terminate(c), fmi2OK);
            check_calls_2(&f, c, ENDED, exchange, &log);
            CHECK_STATUS(f.two.Reset(c), fmi2OK);
        }
        f.two.FreeInstance(c); // without Terminate
    }
    f.two.FreeInstance(NULL);
    CHECK_STATUS(f.two.DoStep(NULL, 0, 1, 0), fmi2Error);
    fmu_close(&f);
}

TEST(an_instance_of_something_else_is_refused)
{
    fmu f = pendulum("", 2);
    fmu_log log = {0};
    char other[200];
    const fmi2CallbackFunctions back = {fmu_logger_2, calloc, free, NULL, &log};
    snprintf(other, sizeof other, "file://%s/nowhere", f.folder);
    CHECK(!f.two.Instantiate("a", fmi2CoSimulation, f.token, other, &back, 0, 0));
    CHECK(strstr(log.last, "cannot read the resource"));
    snprintf(other, sizeof other, "file:%s/resources", f.folder);
    CHECK(!f.two.Instantiate("a", fmi2CoSimulation, "{another}", other, &back, 0, 0));
    CHECK(strstr(log.last, "token"));
    CHECK(!f.two.Instantiate("a", fmi2CoSimulation, f.token, other, NULL, 0, 0));
    CHECK(!f.three.InstantiateScheduledExecution("a", f.token, other, 0, 0, &log, fmu_logger_3,
                                                 NULL, NULL, NULL));
    fmi2Component c = f.two.Instantiate("a", fmi2ModelExchange, f.token, other, &back, 0, 0);
    CHECK(c); // it is known that there are no states when the simulation is there
    CHECK_STATUS(f.two.EnterInitializationMode(c), fmi2OK);
    CHECK_STATUS(f.two.ExitInitializationMode(c), fmi2Error);
    CHECK(strstr(log.last, "no Model Exchange"));
    f.two.FreeInstance(c);
    fmu_close(&f);
}

TEST(third_version_has_its_modes)
{
    fmu f = pendulum("formulation=nullspace integrator=rk4 coordinates=relative", 3);
    fmu_log log = {0};
    char where[200];
    bool a, b, d, e, g;
    double next, value, x[8];
    size_t n;
    unsigned out = fmu_output(&f, 0);
    CHECK_TEXT(f.three.GetVersion(), "3.0");
    fmi3Instance c = fmu_instantiate_3(&f, true, &log);
    CHECK_STATUS(f.three.EnterStepMode(c), fmi3Error);
    CHECK_STATUS(f.three.EnterConfigurationMode(c), fmi3OK);
    CHECK_STATUS(f.three.EnterInitializationMode(c, 0, 0, 0, 0, 0), fmi3Error);
    CHECK_STATUS(f.three.ExitConfigurationMode(c), fmi3OK);
    CHECK_STATUS(f.three.EnterInitializationMode(c, 1, 1e-6, 0, 1, -1), fmi3Error); // stop < start
    fmu_initialise_3(&f, c);
    CHECK_STATUS(f.three.DoStep(c, 0, 1e-3, 0, &a, &b, &d, &value), fmi3Error); // event mode
    CHECK_STATUS(f.three.UpdateDiscreteStates(c, &a, &b, &d, &e, &g, &next), fmi3OK);
    CHECK(!a && !b && !g);
    CHECK_STATUS(f.three.EnterStepMode(c), fmi3OK);
    CHECK_STATUS(f.three.DoStep(c, 0, 1e-3, 0, &a, &b, &d, &value), fmi3OK);
    CHECK(!a && !b && !d && value == 1e-3);
    CHECK_STATUS(f.three.GetNumberOfContinuousStates(c, &n), fmi3Error);
    CHECK_STATUS(f.three.GetInt32(c, &out, 1, (int32_t[1]){0}, 1), fmi3Error);
    CHECK_STATUS(f.three.GetClock(c, &out, 1, &a), fmi3Error);
    CHECK_STATUS(f.three.SetIntervalDecimal(c, NULL, 0, NULL), fmi3OK);
    CHECK_STATUS(f.three.ActivateModelPartition(c, 0, 0), fmi3Error);
    CHECK_STATUS(f.three.GetNumberOfVariableDependencies(c, out, &n), fmi3OK);
    CHECK(n == 1);
    f.three.FreeInstance(c);
    snprintf(where, sizeof where, "%s/resources", f.folder);
    c = f.three.InstantiateModelExchange("a", f.token, where, 0, 0, &log, fmu_logger_3);
    fmu_initialise_3(&f, c);
    CHECK_STATUS(f.three.GetNumberOfContinuousStates(c, &n), fmi3OK);
    CHECK(n == 2); // an angle and its rate
    CHECK_STATUS(f.three.GetContinuousStateDerivatives(c, x, 2), fmi3OK);
    CHECK_NEAR(x[0], 1.0, 1e-12);
    CHECK_NEAR(x[1], (-0.3 - M * 9.81 * L * cos(0.4)) / J, 1e-9);
    CHECK_STATUS(f.three.DoStep(c, 0, 1e-3, 0, &a, &b, &d, &value), fmi3Error);
    f.three.FreeInstance(c);
    fmu_close(&f);
}

/* ---- parameters and inputs ------------------------------------------------------------------ */

TEST(parameters_are_set_before_the_motion)
{
    fmu f = pendulum("", 2);
    fmu_log log = {0};
    const unsigned vr[] = {fmu_parameter(&f, "m"), fmu_parameter(&f, "twice"),
                           fmu_parameter(&f, "l"), fmu_output(&f, FY)};
    double value[4];
    fmi2Component c = fmu_instantiate_2(&f, fmi2CoSimulation, &log);
    CHECK_STATUS(f.two.SetReal(c, vr, 1, &(double){5}), fmi2OK);
    CHECK_STATUS(f.two.GetReal(c, vr, 3, value), fmi2OK);
    CHECK(value[0] == 5 && value[1] == 10 && value[2] == 0.5);
    CHECK_STATUS(f.two.SetReal(c, vr + 1, 1, &(double){3}), fmi2Error); // it follows from m
    CHECK(strstr(log.last, "twice follows from others"));
    CHECK_STATUS(f.two.EnterInitializationMode(c), fmi2OK);
    CHECK_STATUS(f.two.GetReal(c, vr, 4, value), fmi2OK);
    const double light = value[3];
    CHECK_STATUS(f.two.SetReal(c, vr, 1, &(double){10}), fmi2OK); // still before it
    CHECK_STATUS(f.two.GetReal(c, vr, 4, value), fmi2OK);
    CHECK(fabs(value[3]) > 1.5 * fabs(light));
    CHECK_STATUS(f.two.SetReal(c, vr, 1, &(double){-1}), fmi2OK); // a mass below zero: no model
    CHECK_STATUS(f.two.ExitInitializationMode(c), fmi2Error);
    CHECK(strstr(log.last, "mass"));
    CHECK_STATUS(f.two.Reset(c), fmi2OK);
    CHECK_STATUS(f.two.GetReal(c, vr, 2, value), fmi2OK);
    CHECK(value[0] == 2 && value[1] == 4);
    f.two.FreeInstance(c);
    fmu_close(&f);
}

/// A ramp by its derivative is the ramp of the library.
TEST(inputs_have_rates)
{
    fmu f = pendulum("", 2);
    fmi2Component c = fmu_instantiate_2(&f, fmi2CoSimulation, NULL);
    const unsigned in = fmu_input(&f, 0), phi = fmu_output(&f, PHI);
    const int one = 1;
    double y[4], z[4], rate;
    sar_simulation* s;
    fmu_initialise_2(&f, c);
    CHECK_STATUS(f.two.SetReal(c, &in, 1, &(double){1}), fmi2OK);
    CHECK_STATUS(f.two.SetRealInputDerivatives(c, &in, 1, &one, &(double){3}), fmi2OK);
    CHECK_STATUS(f.two.SetRealInputDerivatives(c, &in, 1, &(int){2}, &(double){3}), fmi2Error);
    CHECK_STATUS(f.two.DoStep(c, 0, 0.5, 0), fmi2OK);
    CHECK_STATUS(sar_simulation_create(f.model, &f.options, &s, NULL), SAR_OK);
    CHECK_STATUS(sar_simulation_assemble(s, NULL), SAR_OK);
    CHECK_STATUS(sar_simulation_set_input(s, 0, 1, 3), SAR_OK);
    CHECK_STATUS(sar_simulation_advance_to(s, 0.5), SAR_OK);
    CHECK_STATUS(sar_simulation_outputs(s, y), SAR_OK);
    fmu_outputs_2(&f, c, z);
    CHECK(memcmp(y, z, sizeof y) == 0);
    CHECK_STATUS(f.two.GetRealOutputDerivatives(c, &phi, 1, &one, &rate), fmi2OK);
    CHECK_NEAR(rate, z[RATE], 1e-12);
    sar_simulation_destroy(s);
    f.two.FreeInstance(c);
    fmu_close(&f);
}

/* ---- steps ---------------------------------------------------------------------------------- */

/// Steps of all lengths, which add up to the same motion.
TEST(communication_steps_may_vary)
{
    static const char* const methods[] = {"step=1e-3", "preset=auto tolerance=1e-9"};
    for (int k = 0; k < 2; k++) {
        fmu f = pendulum(methods[k], 2);
        fmi2Component c = fmu_instantiate_2(&f, fmi2CoSimulation, NULL),
                      whole = fmu_instantiate_2(&f, fmi2CoSimulation, NULL);
        double y[4], z[4], t = 0;
        unsigned seed = 3;
        fmu_initialise_2(&f, c);
        fmu_initialise_2(&f, whole);
        while (t < 2.0) {
            seed = seed * 1664525u + 1013904223u;
            const double h = pow(10.0, -4.0 + 3.0 * (seed >> 8) / 16777216.0);
            const double to = t + h > 2.0 ? 2.0 : t + h;
            CHECK_STATUS(f.two.DoStep(c, t, to - t, 0), fmi2OK);
            t = to;
        }
        CHECK_STATUS(f.two.DoStep(c, 2.0, 1e-3, 0), fmi2Error); // beyond the stop time
        CHECK_STATUS(f.two.DoStep(whole, 0, 2.0, 0), fmi2OK);
        fmu_outputs_2(&f, c, y);
        fmu_outputs_2(&f, whole, z);
        for (int i = 0; i < 2; i++) CHECK_NEAR(y[i], z[i], k ? 1e-7 : 1e-4);
        f.two.FreeInstance(c);
        f.two.FreeInstance(whole);
        fmu_close(&f);
    }
}

TEST(a_step_that_cannot_be_done_is_discarded)
{
    static const char text[] =
        "sarrus: 1\nname: dies\ndimension: 2\n"
        "bodies: {car: {mass: 1, inertia: 1, position: [0, 0], angle: 0}}\n"
        "joints: {rail: {type: prismatic, between: [ground, car], at: [0, 0], axis: [1, 0]}}\n"
        "forces: {ram: {type: actuator, joint: rail, force: sqrt(0.5 - t)}}\n"
        "outputs: {x: car.origin.x}\nmethod: {end: 0.4, step: 1e-2}\n";
    fmu f = fmu_of_text(text, "dies.yaml", "", 2);
    fmu_log log = {0};
    double y, before, reached;
    fmi2Status status;
    fmi2FMUstate saved = NULL;
    fmi2Component c = fmu_instantiate_2(&f, fmi2CoSimulation, &log);
    CHECK_STATUS(f.two.EnterInitializationMode(c), fmi2OK); // without a stop time
    CHECK_STATUS(f.two.ExitInitializationMode(c), fmi2OK);
    CHECK_STATUS(f.two.DoStep(c, 0, 0.4, 0), fmi2OK);
    CHECK_STATUS(f.two.GetFMUstate(c, &saved), fmi2OK);
    fmu_outputs_2(&f, c, &before);
    CHECK_STATUS(f.two.DoStep(c, 0.4, 0.3, 0), fmi2Discard);
    CHECK(log.discards == 1 && strstr(log.last, "ram"));
    CHECK_STATUS(f.two.GetStatus(c, fmi2DoStepStatus, &status), fmi2OK);
    CHECK(status == fmi2Discard);
    CHECK_STATUS(f.two.GetRealStatus(c, fmi2LastSuccessfulTime, &reached), fmi2OK);
    CHECK(reached >= 0.45 && reached <= 0.51);
    CHECK_STATUS(f.two.DoStep(c, reached, 0.1, 0), fmi2Error); // back, or the end
    CHECK_STATUS(f.two.SetFMUstate(c, saved), fmi2OK);
    fmu_outputs_2(&f, c, &y);
    CHECK(y == before);
    CHECK_STATUS(f.two.DoStep(c, 0.4, 0.05, 0), fmi2OK);
    CHECK_STATUS(f.two.FreeFMUstate(c, &saved), fmi2OK);
    f.two.FreeInstance(c);
    fmu_close(&f);
}

TEST(events_end_steps_early)
{
    fmu f = fmu_of(SARRUS_ROOT "/examples/models/bouncing-ball.yaml", "", 3);
    fmu_log log = {0};
    fmi3Instance c = fmu_instantiate_3(&f, true, &log), plain = fmu_instantiate_3(&f, false, NULL);
    bool a, b, d, e, g, early;
    double t = 0, reached, next, y, z;
    const unsigned out = fmu_output(&f, 1);
    int impacts = 0;
    fmu_initialise_3(&f, c);
    fmu_initialise_3(&f, plain);
    CHECK_STATUS(f.three.EnterStepMode(c), fmi3OK);
    while (t < 1.5 - 1e-9) {
        CHECK_STATUS(f.three.DoStep(c, t, 1.5 - t, 0, &a, &b, &early, &reached), fmi3OK);
        CHECK(early == (reached < 1.5 - 1e-12) && a == early && reached > t - 1e-12);
        t = reached;
        if (!early) break;
        impacts++;
        CHECK_STATUS(f.three.EnterEventMode(c), fmi3OK);
        CHECK_STATUS(f.three.UpdateDiscreteStates(c, &a, &b, &d, &e, &g, &next), fmi3OK);
        CHECK_STATUS(f.three.EnterStepMode(c), fmi3OK);
    }
    CHECK(impacts == 2 && log.events == 2); // at 0.4515 s and 1.174 s
    CHECK_STATUS(f.three.DoStep(plain, 0, 1.5, 0, &a, &b, &early, &reached), fmi3OK);
    CHECK(!a && !early);
    CHECK_STATUS(f.three.GetFloat64(c, &out, 1, &y, 1), fmi3OK);
    CHECK_STATUS(f.three.GetFloat64(plain, &out, 1, &z, 1), fmi3OK);
    CHECK_NEAR(y, z, 1e-7);
    f.three.FreeInstance(c);
    f.three.FreeInstance(plain);
    fmu_close(&f);
}

TEST(singular_passages_are_told)
{
    fmu f = fmu_of(SARRUS_ROOT "/problems/n-four-bar/model.yaml", "", 2);
    fmu_log log = {0};
    fmi2Component c = fmu_instantiate_2(&f, fmi2CoSimulation, &log);
    fmu_initialise_2(&f, c);
    run_2(&f, c, 0, 100, 0.05, &(uint64_t){0});
    CHECK(log.singular >= 2 && log.errors == 0 && log.discards == 0);
    CHECK_STATUS(f.two.Terminate(c), fmi2OK);
    CHECK(strstr(log.last, "singular passages"));
    f.two.FreeInstance(c);
    fmu_close(&f);
}

TEST(hosts_choose_the_categories_of_messages)
{
    static const char* const singular[] = {"logEvents", "logSingularLinearSystems"};
    static const char* const none[] = {"logNothing"};
    fmu f = fmu_of(SARRUS_ROOT "/problems/n-four-bar/model.yaml", "", 3);
    for (int k = 0; k <= 2; k++) { // none, events, and singular passages too
        fmu_log log = {0};
        bool a, b, e;
        double reached;
        fmi3Instance c = fmu_instantiate_3(&f, false, &log);
        CHECK_STATUS(f.three.SetDebugLogging(c, k > 0, (size_t)k, singular), fmi3OK);
        CHECK_STATUS(f.three.SetDebugLogging(c, true, 1, none), fmi3Error);
        CHECK(log.count == 1 && strstr(log.last, "logNothing"));
        fmu_initialise_3(&f, c);
        CHECK_STATUS(f.three.DoStep(c, 0, 5, 0, &a, &b, &e, &reached), fmi3OK);
        CHECK_STATUS(f.three.Terminate(c), fmi3OK);
        CHECK(k == 2 ? log.singular > 0 : log.singular == 0);
        CHECK(log.count == 1 + log.singular + log.events);
        f.three.FreeInstance(c);
    }
    fmu_close(&f);
}

/* ---- derivatives ---------------------------------------------------------------------------- */

TEST(outputs_have_derivatives_by_inputs)
{
    static const char* const methods[] = {"", "preset=auto", "formulation=al1 integrator=dopri5"};
    for (int k = 0; k < 3; k++) {
        fmu f = pendulum(methods[k], 3);
        fmi3Instance c = fmu_instantiate_3(&f, false, NULL), d = fmu_instantiate_3(&f, false, NULL);
        const unsigned out[] = {fmu_output(&f, PHI), fmu_output(&f, FX), fmu_output(&f, FY)};
        const unsigned in = fmu_input(&f, 0);
        double phi, slope[3], back, y[3], z[3], reached;
        bool a, b, e;
        fmu_initialise_3(&f, c);
        fmu_initialise_3(&f, d);
        CHECK_STATUS(f.three.DoStep(c, 0, 0.3, 0, &a, &b, &e, &reached), fmi3OK);
        CHECK_STATUS(f.three.DoStep(d, 0, 0.3, 0, &a, &b, &e, &reached), fmi3OK);
        CHECK_STATUS(f.three.GetFloat64(c, out, 1, &phi, 1), fmi3OK);
        CHECK_STATUS(f.three.GetDirectionalDerivative(c, out, 3, &in, 1, &(double){2}, 1, slope, 3),
                     fmi3OK);
        CHECK_NEAR(slope[0], 0, 1e-12);
        CHECK_NEAR(slope[1], -2 * M * L * sin(phi) / J, 1e-6);
        CHECK_NEAR(slope[2], 2 * M * L * cos(phi) / J, 1e-6);
        CHECK_STATUS(
            f.three.GetAdjointDerivative(c, out, 3, &in, 1, (double[]){1, 2, 3}, 3, &back, 1),
            fmi3OK);
        CHECK_NEAR(back, 0.5 * (slope[0] + 2 * slope[1] + 3 * slope[2]), 1e-9);
        CHECK_STATUS(f.three.GetDirectionalDerivative(c, &in, 1, out, 1, &(double){2}, 1, slope, 1),
                     fmi3Error);
        // the motion has not noticed
        CHECK_STATUS(f.three.DoStep(c, 0.3, 0.3, 0, &a, &b, &e, &reached), fmi3OK);
        CHECK_STATUS(f.three.DoStep(d, 0.3, 0.3, 0, &a, &b, &e, &reached), fmi3OK);
        CHECK_STATUS(f.three.GetFloat64(c, out, 3, y, 3), fmi3OK);
        CHECK_STATUS(f.three.GetFloat64(d, out, 3, z, 3), fmi3OK);
        CHECK(memcmp(y, z, sizeof y) == 0);
        f.three.FreeInstance(c);
        f.three.FreeInstance(d);
        fmu_close(&f);
    }
}

TESTS_BETWEEN(make_folder, remove_folder)
