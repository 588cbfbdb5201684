/* Random orders of calls beside a state machine of the standards [fmi2014] [fmi2022]: what is legal works, what is not is
 * refused and changes nothing, and a state that is restored has the outputs that it had. */
#include "fmu_host.h"
#include "problem_run.h"
#include "sar_test.h"

#include <math.h>

enum { NEW = 1, INIT = 2, EVENT = 4, CONT = 8, STEP = 16, TERM = 32, RUNS = EVENT | CONT | STEP };
typedef enum kind {
    EXCHANGE = 1,
    PLAIN = 2,
    EVENTS = 4
} kind; ///< Co-Simulation without and with event mode
enum { MOST = 32 };

static const char MODEL[] =
    "sarrus: 1\nname: swing\ndimension: 2\nparameters: {m: 2, l: 0.5}\ninputs: {u: 0}\n"
    "gravity: [0, -9.81]\n"
    "bodies: {rod: {mass: m, inertia: 0.1, center: [l, 0], position: [0, 0], angle: 0.4}}\n"
    "joints: {O: {type: revolute, between: [ground.origin, rod.origin]}}\n"
    "forces: {motor: {type: motor, joint: O, torque: u - 0.3*v}}\n"
    "constraints: {stop: {position: O.angle + 1, lower: 0, restitution: 0.5}}\n"
    "outputs: {phi: O.angle, rate: rod.rate, Fx: O.fx}\n"
    "method: {end: 20}\n";

static fmu_log messages;

typedef struct session {
    fmu f;
    kind is;
    int version, mode;
    void* c;
    double t;
    size_t n, z;
    void* saved;
    int saved_mode;
    double saved_t, saved_y[3];
    unsigned seed;
} session;

static unsigned draw(session* s, unsigned below)
{
    s->seed = s->seed * 1664525u + 1013904223u;
    return (s->seed >> 8) % below;
}

/// FMI 3.0 or 2.0.
#define CALL(three_, two_) (s->version == 3 ? (int)s->f.three.three_ : (int)s->f.two.two_)

static int outputs_of(session* s, double* y)
{
    const unsigned vr[3] = {fmu_output(&s->f, 0), fmu_output(&s->f, 1), fmu_output(&s->f, 2)};
    return CALL(GetFloat64(s->c, vr, 3, y, 3), GetReal(s->c, vr, 3, y));
}

/* ---- the calls: each returns its status, and changes the mode of the model if that is 0 ------ */

static int enter_initialization(session* s)
{
    const int st =
        CALL(EnterInitializationMode(s->c, 0, 0, 0, 0, 0), EnterInitializationMode(s->c));
    if (st == 0) s->mode = INIT;
    return st;
}

static int exit_initialization(session* s)
{
    const int st = CALL(ExitInitializationMode(s->c), ExitInitializationMode(s->c));
    if (st == 0) s->mode = s->is == PLAIN ? STEP : EVENT;
    return st;
}

static int enter_event(session* s)
{
    const int st = CALL(EnterEventMode(s->c), EnterEventMode(s->c));
    if (st == 0) s->mode = EVENT;
    return st;
}

static int update(session* s)
{
    bool a, b, c, d, e;
    double next;
    fmi2EventInfo info;
    return CALL(UpdateDiscreteStates(s->c, &a, &b, &c, &d, &e, &next),
                NewDiscreteStates(s->c, &info));
}

static int enter_continuous(session* s)
{
    const int st = CALL(EnterContinuousTimeMode(s->c), EnterContinuousTimeMode(s->c));
    if (st == 0) s->mode = CONT;
    return st;
}

static int enter_step(session* s)
{
    const int st = s->version == 3 ? (int)s->f.three.EnterStepMode(s->c) : 3;
    if (st == 0) s->mode = STEP;
    return st;
}

static int do_step(session* s)
{
    const double h = 1e-3 * (1 + draw(s, 20));
    bool event, end, early;
    double reached = s->t + h;
    const int st =
        CALL(DoStep(s->c, s->t, h, 0, &event, &end, &early, &reached), DoStep(s->c, s->t, h, 0));
    if (st == 0) s->t = reached;
    return st;
}

static int complete_step(session* s)
{
    bool enter, end;
    int enter_2, end_2;
    return CALL(CompletedIntegratorStep(s->c, 1, &enter, &end),
                CompletedIntegratorStep(s->c, 1, &enter_2, &end_2));
}

static int set_time(session* s)
{
    const double t = s->t + 1e-3;
    const int st = CALL(SetTime(s->c, t), SetTime(s->c, t));
    if (st == 0) s->t = t;
    return st;
}

static int get_states(session* s)
{
    double x[MOST];
    return CALL(GetContinuousStates(s->c, x, s->n), GetContinuousStates(s->c, x, s->n));
}

/// A step of Euler.
static int set_states(session* s)
{
    double x[MOST], dx[MOST] = {0};
    if (get_states(s) != 0)
        memset(x, 0, sizeof x);
    else if (s->version == 3)
        s->f.three.GetContinuousStates(s->c, x, s->n),
            s->f.three.GetContinuousStateDerivatives(s->c, dx, s->n);
    else
        s->f.two.GetContinuousStates(s->c, x, s->n), s->f.two.GetDerivatives(s->c, dx, s->n);
    for (size_t i = 0; i < s->n; i++) x[i] += 1e-3 * dx[i];
    return CALL(SetContinuousStates(s->c, x, s->n), SetContinuousStates(s->c, x, s->n));
}

static int get_rates(session* s)
{
    double x[MOST];
    return CALL(GetContinuousStateDerivatives(s->c, x, s->n), GetDerivatives(s->c, x, s->n));
}

static int get_indicators(session* s)
{
    double z[MOST];
    return CALL(GetEventIndicators(s->c, z, s->z), GetEventIndicators(s->c, z, s->z));
}

static int get_outputs(session* s)
{
    double y[3];
    return outputs_of(s, y);
}

static int set_input(session* s)
{
    const double u = 0.1 * draw(s, 10);
    return CALL(SetFloat64(s->c, &(unsigned){fmu_input(&s->f, 0)}, 1, &u, 1),
                SetReal(s->c, &(unsigned){fmu_input(&s->f, 0)}, 1, &u));
}

static int set_parameter(session* s)
{
    const double m = 1 + 0.1 * draw(s, 10);
    return CALL(SetFloat64(s->c, &(unsigned){1}, 1, &m, 1), SetReal(s->c, &(unsigned){1}, 1, &m));
}

static int get_derivative(session* s)
{
    const unsigned y = fmu_output(&s->f, 2), u = fmu_input(&s->f, 0);
    double slope;
    return CALL(GetDirectionalDerivative(s->c, &y, 1, &u, 1, &(double){1}, 1, &slope, 1),
                GetDirectionalDerivative(s->c, &y, 1, &u, 1, &(double){1}, &slope));
}

static int save(session* s)
{
    const int st = CALL(GetFMUState(s->c, &s->saved), GetFMUstate(s->c, &s->saved));
    s->saved_mode = s->mode, s->saved_t = s->t;
    s->saved_y[0] = NAN;
    if (s->mode & (RUNS | TERM)) CHECK_STATUS(outputs_of(s, s->saved_y), 0);
    return st;
}

static int restore(session* s)
{
    double y[3];
    if (!s->saved) return 0;
    const int st = CALL(SetFMUState(s->c, s->saved), SetFMUstate(s->c, s->saved));
    s->mode = s->saved_mode, s->t = s->saved_t;
    if (!(s->mode & (RUNS | TERM))) return st;
    CHECK_STATUS(outputs_of(s, y), 0);
    CHECK(memcmp(y, s->saved_y, sizeof y) == 0);
    return st;
}

static int terminate(session* s)
{
    const int st = CALL(Terminate(s->c), Terminate(s->c));
    if (st == 0) s->mode = TERM;
    return st;
}

static int reset(session* s)
{
    const int st = CALL(Reset(s->c), Reset(s->c));
    s->mode = NEW, s->t = 0;
    return st;
}

/* ---- the state machine ---------------------------------------------------------------------- */

/// `legal`: modes in which it works, `illegal`: in which it is refused; elsewhere the standards leave it open, or differ.
static const struct {
    const char* name;
    int (*call)(session* s);
    int kinds; ///< that have it; others refuse it
    int legal, illegal, often;
} CALLS[] = {
    {"EnterInitializationMode", enter_initialization, EXCHANGE | PLAIN | EVENTS, NEW,
     INIT | RUNS | TERM, 8},
    {"ExitInitializationMode", exit_initialization, EXCHANGE | PLAIN | EVENTS, INIT,
     NEW | RUNS | TERM, 6},
    {"EnterEventMode", enter_event, EXCHANGE | EVENTS, CONT | STEP, NEW | INIT | TERM, 2},
    {"UpdateDiscreteStates", update, EXCHANGE, EVENT, NEW | INIT | CONT | STEP | TERM, 3},
    {"EnterContinuousTimeMode", enter_continuous, EXCHANGE, EVENT, NEW | INIT | CONT | STEP | TERM,
     6},
    {"EnterStepMode", enter_step, EVENTS, EVENT, NEW | INIT | STEP | TERM, 6},
    {"DoStep", do_step, PLAIN | EVENTS, STEP, NEW | INIT | EVENT | TERM, 6},
    {"CompletedIntegratorStep", complete_step, EXCHANGE, CONT, NEW | INIT | EVENT | TERM, 4},
    {"SetTime", set_time, EXCHANGE, CONT, NEW | INIT | TERM, 4},
    {"SetContinuousStates", set_states, EXCHANGE, CONT, NEW | INIT | TERM, 4},
    {"GetContinuousStates", get_states, EXCHANGE, INIT | EVENT | CONT, NEW, 2},
    {"GetDerivatives", get_rates, EXCHANGE, INIT | EVENT | CONT, NEW, 2},
    {"GetEventIndicators", get_indicators, EXCHANGE, INIT | EVENT | CONT, NEW, 2},
    {"Get", get_outputs, EXCHANGE | PLAIN | EVENTS, INIT | RUNS | TERM, NEW, 3},
    {"Set an input", set_input, EXCHANGE | PLAIN | EVENTS, NEW | INIT | RUNS, TERM, 3},
    {"Set a parameter", set_parameter, EXCHANGE | PLAIN | EVENTS, NEW | INIT, RUNS | TERM, 2},
    {"GetDirectionalDerivative", get_derivative, EXCHANGE | PLAIN | EVENTS, INIT | RUNS, NEW, 1},
    {"GetFMUState", save, EXCHANGE | PLAIN | EVENTS, NEW | INIT | RUNS | TERM, 0, 3},
    {"SetFMUState", restore, EXCHANGE | PLAIN | EVENTS, NEW | INIT | RUNS | TERM, 0, 2},
    {"Terminate", terminate, EXCHANGE | PLAIN | EVENTS, RUNS, NEW | TERM, 1},
    {"Reset", reset, EXCHANGE | PLAIN | EVENTS, NEW | INIT | RUNS | TERM, 0, 1},
};
enum { COUNT = sizeof CALLS / sizeof *CALLS };

static void one_call(session* s)
{
    int total = 0, k = 0;
    for (int i = 0; i < COUNT; i++) total += CALLS[i].often;
    for (int at = (int)draw(s, (unsigned)total); at >= CALLS[k].often; k++) at -= CALLS[k].often;
    const int mode = s->mode, has = (CALLS[k].kinds & (int)s->is) != 0;
    const int st = CALLS[k].call(s);
    if (has && (CALLS[k].legal & mode) && st != 0)
        fail_msg("FMI %d, kind %d, mode %d: %s is legal and gave %d: %s", s->version, s->is, mode,
                 CALLS[k].name, st, messages.last);
    if ((!has || (CALLS[k].illegal & mode)) &&
        !(CALLS[k].call == update && s->is == EVENTS && s->version == 3) &&
        (st != 3 || s->mode != mode))
        fail_msg("FMI %d, kind %d, mode %d: %s is not legal and gave %d: %s", s->version, s->is,
                 mode, CALLS[k].name, st, messages.last);
}

static void count_states(session* s)
{
    if (s->is != EXCHANGE) return;
    CHECK(enter_initialization(s) == 0);
    double x[MOST];
    for (s->n = 1; s->n < MOST; s->n++)
        if (CALL(GetContinuousStates(s->c, x, s->n), GetContinuousStates(s->c, x, s->n)) == 0)
            break;
    for (s->z = 0; s->z < MOST; s->z++)
        if (CALL(GetEventIndicators(s->c, x, s->z), GetEventIndicators(s->c, x, s->z)) == 0) break;
    CHECK(s->n == 2 && s->z > 0 && s->z < MOST);
    CHECK(reset(s) == 0);
}

static void run_orders(int version, kind is)
{
    char where[200];
    session s = {
        .f = fmu_of_text(MODEL, "swing.yaml",
                         "formulation=nullspace integrator=rk4 coordinates=relative step=1e-3",
                         version),
        .is = is,
        .version = version,
        .mode = NEW,
        .seed = 17u * (unsigned)is + (unsigned)version};
    if (version == 2) {
        s.c = fmu_instantiate_2(&s.f, is == EXCHANGE ? fmi2ModelExchange : fmi2CoSimulation,
                                &messages);
    } else if (is == EXCHANGE) {
        snprintf(where, sizeof where, "%s/resources/", s.f.folder);
        s.c = s.f.three.InstantiateModelExchange("a", s.f.token, where, false, true, &messages,
                                                 fmu_logger_3);
    } else {
        s.c = fmu_instantiate_3(&s.f, is == EVENTS, &messages);
    }
    count_states(&s);
    for (int k = 0; k < IN_FULL_OR_SAMPLE(100000, 4000); k++) one_call(&s);
    if (s.saved && version == 2) s.f.two.FreeFMUstate(s.c, &s.saved);
    if (s.saved && version == 3) s.f.three.FreeFMUState(s.c, &s.saved);
    version == 2 ? s.f.two.FreeInstance(s.c) : s.f.three.FreeInstance(s.c);
    fmu_close(&s.f);
}

TEST(orders_of_the_second_version)
{
    run_orders(2, EXCHANGE);
    run_orders(2, PLAIN);
}

TEST(orders_of_the_third_version)
{
    run_orders(3, EXCHANGE);
    run_orders(3, PLAIN);
    run_orders(3, EVENTS);
}

TESTS_BETWEEN(make_folder, remove_folder)
