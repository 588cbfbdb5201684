/* Events of Model Exchange: a host integrates by the classical method of Runge and Kutta, finds zeros of the event
 * indicators by bisection and lets the FMU do the rest. Beside closed forms and Co-Simulation. */
#include "fmu_host.h"
#include "sar_test.h"

#include <math.h>

enum { MOST = 64 };
static fmu_log messages;

typedef struct plant {
    fmu f;
    fmi3Instance c;
    size_t states, indicators;
    double t, next, x[MOST];
    int by_state, by_time; ///< events so far
} plant;

static void rates(plant* p, double t, const double* x, double* dx)
{
    CHECK_STATUS(p->f.three.SetTime(p->c, t), fmi3OK);
    CHECK_STATUS(p->f.three.SetContinuousStates(p->c, x, p->states), fmi3OK);
    CHECK_STATUS(p->f.three.GetContinuousStateDerivatives(p->c, dx, p->states), fmi3OK);
}

/// From (p->t, p->x), which stay. Is there an event? An indicator that is not positive.
static int try_step(plant* p, double h, double* x)
{
    static const double reach[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    double k[MOST] = {0}, at[MOST], sum[MOST] = {0}, z[MOST];
    int event = 0;
    for (int s = 0; s < 4; s++) {
        for (size_t i = 0; i < p->states; i++) at[i] = p->x[i] + reach[s] * h * k[i];
        rates(p, p->t + reach[s] * h, at, k);
        for (size_t i = 0; i < p->states; i++) sum[i] += weight[s] / 6 * k[i];
    }
    for (size_t i = 0; i < p->states; i++) x[i] = p->x[i] + h * sum[i];
    CHECK_STATUS(p->f.three.SetTime(p->c, p->t + h), fmi3OK);
    CHECK_STATUS(p->f.three.SetContinuousStates(p->c, x, p->states), fmi3OK);
    CHECK_STATUS(p->f.three.GetEventIndicators(p->c, z, p->indicators), fmi3OK);
    for (size_t i = 0; i < p->indicators; i++) event |= z[i] <= 0;
    return event;
}

static void let_happen(plant* p)
{
    bool again, end, nominals, changed, has_next;
    CHECK_STATUS(p->f.three.UpdateDiscreteStates(p->c, &again, &end, &nominals, &changed, &has_next,
                                                 &p->next),
                 fmi3OK);
    CHECK(!again && !end);
    if (!has_next) p->next = INFINITY;
    CHECK_STATUS(p->f.three.GetContinuousStates(p->c, p->x, p->states), fmi3OK);
    CHECK_STATUS(p->f.three.EnterContinuousTimeMode(p->c), fmi3OK);
}

static plant begin(const char* path, const char* text, const char* method)
{
    char where[200];
    plant p = {.f = text ? fmu_of_text(text, path, method, 3) : fmu_of(path, method, 3)};
    snprintf(where, sizeof where, "%s/resources/", p.f.folder);
    p.c = p.f.three.InstantiateModelExchange("a", p.f.token, where, false, true, &messages,
                                             fmu_logger_3);
    CHECK(p.c);
    messages = (fmu_log){0};
    fmu_initialise_3(&p.f, p.c);
    CHECK_STATUS(p.f.three.GetNumberOfContinuousStates(p.c, &p.states), fmi3OK);
    CHECK_STATUS(p.f.three.GetNumberOfEventIndicators(p.c, &p.indicators), fmi3OK);
    CHECK(p.states <= MOST && p.indicators <= MOST && p.indicators > 0);
    let_happen(&p);
    return p;
}

static void end(plant* p)
{
    p->f.three.FreeInstance(p->c);
    fmu_close(&p->f);
}

static void run(plant* p, double until, double step)
{
    while (p->t < until - 1e-9 * step) {
        const double goal = fmin(until, p->next);
        double h = fmin(step, goal - p->t), x[MOST], low = 0;
        bool enter, stop;
        const int clock = p->t + h >= p->next;
        int event = try_step(p, h, x);
        for (double high = h; event && high - low > 1e-13;) {
            const double middle = 0.5 * (low + high);
            *(try_step(p, middle, x) ? &high : &low) = middle;
            h = high;
        }
        if (event) CHECK(try_step(p, h, x));
        p->t = clock && !event ? p->next : p->t + h;
        CHECK_STATUS(p->f.three.SetTime(p->c, p->t), fmi3OK);
        memcpy(p->x, x, sizeof x);
        CHECK_STATUS(p->f.three.CompletedIntegratorStep(p->c, true, &enter, &stop), fmi3OK);
        p->by_state += event;
        p->by_time += clock && !event;
        if (!event && !clock && !enter) continue;
        CHECK_STATUS(p->f.three.EnterEventMode(p->c), fmi3OK);
        let_happen(p);
    }
}

static double output(plant* p, int k)
{
    double y = NAN;
    CHECK_STATUS(p->f.three.GetFloat64(p->c, &(unsigned){fmu_output(&p->f, k)}, 1, &y, 1), fmi3OK);
    return y;
}

/* Free flights are parabolas, which the method integrates exactly: impacts are at t1 (1 + 2 e + 2 e^2 + ...), the ball
 * lies from t1 (1 + e)/(1 - e) = 4.06 s on, and slides with its velocity of the start. */
TEST(a_ball_bounces_and_comes_to_rest)
{
    plant p = begin(SARRUS_ROOT "/examples/models/bouncing-ball.yaml", NULL,
                    "formulation=nullspace integrator=rk4 coordinates=natural step=0.01");
    const double g = 9.81, e = 0.8, first = sqrt(2 / g), v = g * first;
    run(&p, first + 0.2, 0.01); // after one impact
    CHECK(p.by_state == 1);
    CHECK_NEAR(output(&p, 1), 0.1 + e * v * 0.2 - 0.5 * g * 0.04, 1e-8);
    run(&p, first * (1 + 2 * e) + 0.1, 0.01); // two
    CHECK(p.by_state == 2);
    CHECK_NEAR(output(&p, 1), 0.1 + e * e * v * 0.1 - 0.5 * g * 0.01, 1e-8);
    run(&p, 5, 0.01);
    CHECK(p.by_state > 20);
    CHECK_NEAR(output(&p, 0), 1.5, 1e-9);
    CHECK_NEAR(output(&p, 1), 0.1, 2e-9); // what counts as touching
    CHECK_NEAR(output(&p, 2), 0, 1e-9);
    CHECK_NEAR(output(&p, 3), 0.5 * g, 1e-6);
    end(&p);
}

/// Outputs of the host's integration beside those of Co-Simulation by the library's own method.
static void check_beside(const char* path, const char* text, const char* method, double step,
                         double until, double tolerance, int least)
{
    plant p = begin(path, text, method);
    fmu g = text ? fmu_of_text(text, path, "preset=auto tolerance=1e-10", 3)
                 : fmu_of(path, "preset=auto tolerance=1e-10", 3);
    fmi3Instance other = fmu_instantiate_3(&g, false, NULL);
    bool a, b, c;
    double reached, y;
    fmu_initialise_3(&g, other);
    run(&p, until, step);
    CHECK(p.by_state + p.by_time >= least);
    CHECK_STATUS(g.three.DoStep(other, 0, until, 0, &a, &b, &c, &reached), fmi3OK);
    for (int k = 0; k < g.outputs; k++) {
        CHECK_STATUS(g.three.GetFloat64(other, &(unsigned){fmu_output(&g, k)}, 1, &y, 1), fmi3OK);
        CHECK_NEAR(output(&p, k), y, tolerance * fmax(1, fabs(y)));
    }
    g.three.FreeInstance(other);
    fmu_close(&g);
    end(&p);
}

#define CAR                                                                                        \
    "sarrus: 1\nname: car\ndimension: 2\n"                                                         \
    "bodies: {car: {mass: 2, inertia: 1, position: [0.3, 0], angle: 0}}\n"                         \
    "joints: {rail: {type: prismatic, between: [ground, car], at: [0, 0], axis: [1, 0]}}\n"

TEST(phases_branches_and_times_are_events)
{
    static const char branches[] =
        CAR "forces: {wall: {type: actuator, joint: rail, force: 'car.origin.x < 0 ? "
            "-900*car.origin.x : "
            "-3'}}\n"
            "outputs: {x: car.origin.x, vx: car.origin.vx}\nmethod: {end: 3}\n";
    check_beside(SARRUS_ROOT "/examples/models/stick-slip.yaml", NULL,
                 "formulation=al1 integrator=rk4 coordinates=cartesian", 1e-3, 2.0, 1e-5, 2);
    check_beside("wall.yaml", branches,
                 "formulation=nullspace integrator=dop853 coordinates=relative", 2e-3, 3.0, 1e-8,
                 4);
}

/// Every variable of the description has a value in Co-Simulation, too, and asking changes nothing.
TEST(every_variable_has_a_value)
{
    fmu f = fmu_of(SARRUS_ROOT "/examples/models/bouncing-ball.yaml",
                   "formulation=nullspace integrator=rk4 coordinates=natural step=0.01", 3);
    fmi3Instance c = fmu_instantiate_3(&f, false, NULL), other = fmu_instantiate_3(&f, false, NULL);
    bool a, b, d;
    double reached, x, y, z;
    const unsigned last = fmu_state(&f, 2 * 8 + 2); // 8 states, their rates, 2 indicators
    fmu_initialise_3(&f, c);
    fmu_initialise_3(&f, other);
    for (int k = 0; k < 100; k++) {
        for (unsigned vr = 0; vr < last; vr++)
            CHECK_STATUS(f.three.GetFloat64(c, &vr, 1, &x, 1), fmi3OK);
        CHECK_STATUS(f.three.GetFloat64(c, &last, 1, &x, 1), fmi3Error);
        CHECK_STATUS(f.three.DoStep(c, 0.02 * k, 0.02, 0, &a, &b, &d, &reached), fmi3OK);
        CHECK_STATUS(f.three.DoStep(other, 0.02 * k, 0.02, 0, &a, &b, &d, &reached), fmi3OK);
    }
    CHECK_STATUS(f.three.GetFloat64(c, &(unsigned){fmu_output(&f, 1)}, 1, &y, 1), fmi3OK);
    CHECK_STATUS(f.three.GetFloat64(other, &(unsigned){fmu_output(&f, 1)}, 1, &z, 1), fmi3OK);
    CHECK(y == z);
    f.three.FreeInstance(c);
    f.three.FreeInstance(other);
    fmu_close(&f);
}

TESTS_BETWEEN(make_folder, remove_folder)
