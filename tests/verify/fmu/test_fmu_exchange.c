/* Model Exchange: a host integrates the states of FMUs and meets the motion of the library. */
#include "verify/fmu/pendulum_fmu.h"

enum { MOST_STATES = 60 };

typedef struct plant {
    const fmu* f;
    fmi2Component c;
    size_t n;
} plant;

static void rates(const plant* p, double t, const double* x, double* dx)
{
    CHECK_STATUS(p->f->two.SetTime(p->c, t), fmi2OK);
    CHECK_STATUS(p->f->two.SetContinuousStates(p->c, x, p->n), fmi2OK);
    CHECK_STATUS(p->f->two.GetDerivatives(p->c, dx, p->n), fmi2OK);
}

/// The host's own integrator: the classical method of Runge and Kutta.
static void integrate(const plant* p, double t, double h, double* x)
{
    static const double reach[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    double k[MOST_STATES] = {0}, at[MOST_STATES], sum[MOST_STATES] = {0};
    for (int s = 0; s < 4; s++) {
        for (size_t i = 0; i < p->n; i++) at[i] = x[i] + reach[s] * h * k[i];
        rates(p, t + reach[s] * h, at, k);
        for (size_t i = 0; i < p->n; i++) sum[i] += weight[s] / 6 * k[i];
    }
    for (size_t i = 0; i < p->n; i++) x[i] += h * sum[i];
    CHECK_STATUS(p->f->two.SetTime(p->c, t + h), fmi2OK);
    CHECK_STATUS(p->f->two.SetContinuousStates(p->c, x, p->n), fmi2OK);
}

static void run_exchange(const plant* p, double h, double until, double* x, int* events)
{
    fmi2EventInfo info = {0};
    int enter, end;
    CHECK_STATUS(p->f->two.NewDiscreteStates(p->c, &info), fmi2OK);
    CHECK_STATUS(p->f->two.EnterContinuousTimeMode(p->c), fmi2OK);
    CHECK_STATUS(p->f->two.GetContinuousStates(p->c, x, p->n), fmi2OK);
    for (double t = 0; t < until - 0.5 * h; t += h) {
        integrate(p, t, h, x);
        CHECK_STATUS(p->f->two.CompletedIntegratorStep(p->c, 1, &enter, &end), fmi2OK);
        if (!enter) continue;
        (*events)++;
        CHECK_STATUS(p->f->two.EnterEventMode(p->c), fmi2OK);
        CHECK_STATUS(p->f->two.NewDiscreteStates(p->c, &info), fmi2OK);
        if (info.valuesOfContinuousStatesChanged)
            CHECK_STATUS(p->f->two.GetContinuousStates(p->c, x, p->n), fmi2OK);
        CHECK_STATUS(p->f->two.EnterContinuousTimeMode(p->c), fmi2OK);
    }
}

/// The host's integration beside Co-Simulation with a tolerance; *events: how often states changed.
static void check_exchange(const char* path, const char* method, double step, double until,
                           double tolerance, int* events)
{
    fmu f = fmu_of(path, method, 2), g = fmu_of(path, "preset=auto tolerance=1e-10", 2);
    plant p = {.f = &f, .c = fmu_instantiate_2(&f, fmi2ModelExchange, NULL)};
    fmi2Component other = fmu_instantiate_2(&g, fmi2CoSimulation, NULL);
    double x[MOST_STATES], dx[MOST_STATES], y[32], z[32], slope[MOST_STATES], seed[MOST_STATES];
    double left[MOST_STATES], right[MOST_STATES];
    unsigned unknown[MOST_STATES], known[MOST_STATES];
    *events = 0;
    fmu_initialise_2(&f, p.c);
    fmu_initialise_2(&g, other);
    while (f.two.GetNominalsOfContinuousStates(p.c, x, p.n) == fmi2OK &&
           f.two.GetContinuousStates(p.c, x, p.n) != fmi2OK)
        p.n++;
    CHECK(p.n >= 2 && p.n <= MOST_STATES);
    run_exchange(&p, step, until, x, events);
    CHECK_STATUS(g.two.DoStep(other, 0, until, 0), fmi2OK);
    fmu_outputs_2(&f, p.c, y);
    fmu_outputs_2(&g, other, z);
    for (int k = 0; k < f.outputs; k++) CHECK_NEAR(y[k], z[k], tolerance * fmax(1.0, fabs(z[k])));
    // derivatives along a direction in all states, beside differences of the rates
    for (size_t i = 0; i < p.n; i++) {
        known[i] = fmu_state(&f, (int)i);
        unknown[i] = fmu_state(&f, (int)(p.n + i));
        seed[i] = sin(1.0 + (double)i);
    }
    CHECK_STATUS(f.two.GetDirectionalDerivative(p.c, unknown, p.n, known, p.n, seed, slope),
                 fmi2OK);
    const double h = 1e-5;
    double at[MOST_STATES], largest = 0;
    for (size_t i = 0; i < p.n; i++) at[i] = x[i] - h * seed[i];
    rates(&p, until, at, left);
    for (size_t i = 0; i < p.n; i++) at[i] = x[i] + h * seed[i];
    rates(&p, until, at, right);
    rates(&p, until, x, dx);
    for (size_t i = 0; i < p.n; i++) largest = fmax(largest, fabs(slope[i]));
    for (size_t i = 0; i < p.n; i++)
        CHECK_NEAR(slope[i], (right[i] - left[i]) / (2 * h), 1e-6 * fmax(1.0, largest));
    f.two.FreeInstance(p.c);
    g.two.FreeInstance(other);
    fmu_close(&f);
    fmu_close(&g);
}

TEST(hosts_integrate_the_states)
{
    int events;
    FILE* out = fopen(in_folder("pendulum.yaml"), "w");
    fputs(PENDULUM, out);
    fclose(out);
    check_exchange(in_folder("pendulum.yaml"),
                   "formulation=nullspace integrator=rk4 coordinates=relative", 1e-3, 1.0, 1e-8,
                   &events);
    CHECK(events == 0);
    check_exchange(in_folder("pendulum.yaml"), "formulation=al1 integrator=rk4 coordinates=natural",
                   1e-3, 1.0, 1e-4, &events);
    check_exchange(SARRUS_ROOT "/problems/four-bar/model.yaml",
                   "formulation=al1 integrator=rk4 coordinates=natural omega=0 project=1", 1e-2,
                   0.5, 1e-5, &events);
    CHECK(events > 0); // the host is asked to let states be projected
}

TESTS_BETWEEN(make_folder, remove_folder)
