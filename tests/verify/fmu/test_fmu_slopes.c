/* Derivatives of rates and outputs by states in Model Exchange, beside differences of fourth order that a host takes
 * of the rates, and beside closed forms where forces are too stiff for differences. */
#include "fmu_host.h"
#include "sar_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 80, OUTPUTS = 16 };
static fmu_log messages;

typedef struct plant {
    fmu f;
    fmi3Instance c;
    size_t states, outputs;
    double x[MOST];
} plant;

static plant begin(const char* path, const char* text, const char* method)
{
    plant p = {.f = text ? fmu_of_text(text, path, method, 3) : fmu_of(path, method, 3)};
    bool again, end, nominals, changed, has_next;
    double next;
    char where[200];
    snprintf(where, sizeof where, "%s/resources/", p.f.folder);
    p.c = p.f.three.InstantiateModelExchange("it", p.f.token, where, false, true, &messages,
                                             fmu_logger_3);
    CHECK(p.c);
    fmu_initialise_3(&p.f, p.c);
    CHECK_STATUS(
        p.f.three.UpdateDiscreteStates(p.c, &again, &end, &nominals, &changed, &has_next, &next),
        fmi3OK);
    CHECK_STATUS(p.f.three.EnterContinuousTimeMode(p.c), fmi3OK);
    CHECK_STATUS(p.f.three.GetNumberOfContinuousStates(p.c, &p.states), fmi3OK);
    CHECK(p.states <= MOST);
    CHECK_STATUS(p.f.three.GetContinuousStates(p.c, p.x, p.states), fmi3OK);
    p.outputs = (size_t)(p.f.outputs < OUTPUTS ? p.f.outputs : OUTPUTS);
    return p;
}

static void leave(plant* p)
{
    p->f.three.FreeInstance(p->c);
    fmu_close(&p->f);
}

/// Rates, then outputs, where the states are x + e d.
static void look(const plant* p, double e, const double* d, double* y)
{
    double at[MOST];
    unsigned out[OUTPUTS];
    for (size_t i = 0; i < p->states; i++) at[i] = p->x[i] + e * d[i];
    for (size_t k = 0; k < p->outputs; k++) out[k] = fmu_output(&p->f, (int)k);
    CHECK_STATUS(p->f.three.SetContinuousStates(p->c, at, p->states), fmi3OK);
    CHECK_STATUS(p->f.three.GetContinuousStateDerivatives(p->c, y, p->states), fmi3OK);
    CHECK_STATUS(p->f.three.GetFloat64(p->c, out, p->outputs, y + p->states, p->outputs), fmi3OK);
}

static void slopes(const plant* p, const double* d, double* slope)
{
    unsigned unknown[MOST + OUTPUTS], known[MOST];
    for (size_t i = 0; i < p->states; i++) {
        known[i] = fmu_state(&p->f, (int)i);
        unknown[i] = fmu_state(&p->f, (int)(p->states + i));
    }
    for (size_t k = 0; k < p->outputs; k++) unknown[p->states + k] = fmu_output(&p->f, (int)k);
    CHECK_STATUS(p->f.three.SetContinuousStates(p->c, p->x, p->states), fmi3OK);
    CHECK_STATUS(p->f.three.GetDirectionalDerivative(p->c, unknown, p->states + p->outputs, known,
                                                     p->states, d, p->states, slope,
                                                     p->states + p->outputs),
                 fmi3OK);
}

/// By the classical method of Runge and Kutta, in 200 steps.
static void run(plant* p, double until)
{
    static const double reach[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    const double h = until / 200;
    for (int step = 0; step < 200; step++) {
        double k[MOST + OUTPUTS] = {0}, sum[MOST] = {0}, d[MOST];
        for (int s = 0; s < 4; s++) {
            memcpy(d, k, sizeof d);
            CHECK_STATUS(p->f.three.SetTime(p->c, h * (step + reach[s])), fmi3OK);
            look(p, reach[s] * h, d, k);
            for (size_t i = 0; i < p->states; i++) sum[i] += weight[s] / 6 * k[i];
        }
        for (size_t i = 0; i < p->states; i++) p->x[i] += h * sum[i];
    }
    CHECK_STATUS(p->f.three.SetTime(p->c, until), fmi3OK);
}

/// The largest error along d, of the largest slope.
static double worst_of(const plant* p, const double* d)
{
    static const double weight[] = {2.0 / 3.0, -1.0 / 12.0}, h = 5e-4;
    double slope[MOST + OUTPUTS], y[MOST + OUTPUTS], wanted[MOST + OUTPUTS] = {0};
    double largest = 0, worst = 0;
    const size_t count = p->states + p->outputs;
    for (int k = 2; k >= 1; k--)
        for (int sign = -1; sign <= 1; sign += 2) {
            look(p, sign * k * h, d, y);
            for (size_t i = 0; i < count; i++) wanted[i] += sign * weight[k - 1] / h * y[i];
        }
    slopes(p, d, slope);
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(wanted[i]));
    for (size_t i = 0; i < count; i++) worst = fmax(worst, fabs(slope[i] - wanted[i]));
    CHECK(largest > 1e-3);
    return worst / largest;
}

static const char* const METHODS[] = {
    "formulation=al1 integrator=rk4 coordinates=natural",
    "formulation=al1 integrator=rk4 coordinates=cartesian",
    "formulation=al1 integrator=rk4 coordinates=relative omega=0 project=1",
    "formulation=nullspace integrator=rk4 coordinates=cartesian",
    "formulation=nullspace integrator=rk4 coordinates=relative",
    "formulation=penalty integrator=rk4 coordinates=natural"};
enum { COUNT = sizeof METHODS / sizeof METHODS[0] };

/// Differences feel rounding times the penalty factor: 1e-5 is a regression limit, 5e-6 was seen.
static double limit_of(const char* method)
{
    return strstr(method, "penalty") ? 1e-5 : 1e-9;
}

static const char* path_of(const char* model)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/problems/%s/model.yaml", SARRUS_ROOT, model);
    return path;
}

/// Anywhere, off the constraints too, along any direction.
static void slopes_are_those_of_the_rates(void** state)
{
    (void)state;
    for (int k = 0; k < COUNT; k++) {
        plant p = begin(path_of("slider-crank-1"), NULL, METHODS[k]);
        double d[MOST];
        for (size_t i = 0; i < p.states; i++) {
            p.x[i] += 0.01 * cos(3.0 * (double)i);
            d[i] = sin(1.0 + (double)i);
        }
        CHECK_AT_MOST(worst_of(&p, d), limit_of(METHODS[k]));
        leave(&p);
    }
}

/// Redundant constraints admit the motion itself; across it they contradict each other.
static void slopes_along_the_motion(void** state)
{
    static const char* const models[] = {"four-bar", "bricard", "rolling-disc"};
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < COUNT; k++) {
            plant p = begin(path_of(models[m]), NULL, METHODS[k]);
            double d[MOST + OUTPUTS] = {0}, most = 0;
            run(&p, 0.02);
            look(&p, 0.0, p.x, d);
            for (size_t i = 0; i < p.states; i++) most = fmax(most, fabs(d[i]));
            for (size_t i = 0; i < p.states; i++) d[i] /= most;
            CHECK_AT_MOST(worst_of(&p, d), limit_of(METHODS[k]));
            leave(&p);
        }
}

/// Pressed 1e-7 m into 1e10 N/m: differences over 1e-4 m would see the free side. And a Maxwell element, whose force
/// is a state: F' = k v - (k/c) F.
static void stiff_forces_have_exact_slopes(void** state)
{
    static const char text[] =
        "sarrus: 1\nname: stiff\ndimension: 2\nground: {points: {A: [1, 0]}}\n"
        "bodies: {block: {mass: 2, inertia: 1, position: [-1e-7, 0], points: {P: [0, 0]}}}\n"
        "joints: {rail: {type: prismatic, between: [ground.origin, block.origin], "
        "axis: [[1, 0], block.x]}}\n"
        "forces:\n  wall: {type: force, acts_on: block.P, force: ['1e10*max(0, -block.P.x)', 0]}\n"
        "  damper: {type: maxwell, between: [ground.A, block.P], stiffness: 30, damping: 5}\n"
        "outputs: {x: block.P.x, a: block.P.ax}\nmethod: {end: 1}\n";
    (void)state;
    for (int k = 0; k < 5; k += 4) { // a tree without constraints, and natural coordinates
        plant p = begin("stiff.yaml", text, METHODS[4 - k]);
        const size_t first = 0, last = p.states - 1;
        double d[MOST] = {0}, slope[MOST + OUTPUTS];
        d[first] = 1.0;
        slopes(&p, d, slope);
        CHECK(slope[p.states] > 0.1);
        CHECK_NEAR(slope[p.states + 1] / slope[p.states], -0.5e10, 1.0);
        d[first] = 0.0, d[last] = 1.0;
        slopes(&p, d, slope);
        CHECK_NEAR(slope[last], -30.0 / 5.0, 1e-12);
        leave(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_those_of_the_rates),
        cmocka_unit_test(slopes_along_the_motion),
        cmocka_unit_test(stiff_forces_have_exact_slopes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
