/* The integrators dop853, radau and dop853-radau on small equations with known solutions, which they see
 * through the first-order contract: order, stiff decay, stiff oscillators, and switching. */
#include "sar_test.h"

#include "integrators/first_order.h"
#include "integrators/integrator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 4 };

/// dy/dt = f(t, y), as a formulation.
typedef struct equation {
    int size;
    void (*f)(double t, const double* y, double* ydot);
    double t, y[MOST];
    double weight[MOST]; ///< of the error of each number, beside what it is itself
    double pace;
    int evaluations;
} equation;

static int most(const void* self)
{
    return ((const equation*)self)->size;
}

static sar_status base(void* self, const sari_state* s, double* y, double* ydot, int* size)
{
    equation* e = self;
    (void)s;
    *size = e->size;
    memcpy(y, e->y, (size_t)e->size * sizeof *y);
    e->f(e->t, y, ydot);
    return SAR_OK;
}

static sar_status rates(void* self, double t, const double* y, double* ydot)
{
    equation* e = self;
    e->evaluations++;
    e->f(t, y, ydot);
    return SAR_OK;
}

static sar_status store(void* self, double t, const double* y, double* ydot, sari_state* s)
{
    equation* e = self;
    e->t = s->t = t;
    memcpy(e->y, y, (size_t)e->size * sizeof *y);
    if (ydot) e->f(t, y, ydot);
    return SAR_OK;
}

static sar_status accept(void* self, sari_state* s)
{
    (void)self;
    (void)s;
    return SAR_OK;
}

static void reject(void* self)
{
    (void)self;
}

static double norm(const void* self, const double* error)
{
    const equation* e = self;
    double largest = 0.0;
    for (int i = 0; i < e->size; i++)
        largest = fmax(largest, fabs(error[i]) / (fabs(e->y[i]) + e->weight[i]));
    return largest;
}

static double pace(const void* self)
{
    return ((const equation*)self)->pace;
}

static double longest(void* self, const sari_state* s)
{
    (void)self;
    (void)s;
    return INFINITY;
}

static const sari_first_order_ops EQUATION = {
    .most = most,
    .base = base,
    .rates = rates,
    .store = store,
    .accept = accept,
    .reject = reject,
    .norm = norm,
    .pace = pace,
    .longest = longest,
};
static const sari_formulation_ops FORMULATION = {.name = "equation", .first_order = &EQUATION};

/// What a run took, and how it went on.
typedef struct outcome {
    int steps, implicit, changes;
    double longest;
} outcome;

/* From e->t to `end`. */
static outcome integrate(const sari_integrator_ops* integrator, equation* e, double end,
                         double tolerance, double step_max)
{
    sar_options options = sar_options_default();
    sari_formulation form = {&FORMULATION, e};
    sar_error error = {0};
    void* self = NULL;
    outcome out = {0};
    double unused[6] = {0.0};
    sari_state s = {1,          1,          1,          e->t,       unused, unused + 1,
                    unused + 2, unused + 3, unused + 1, unused + 2, NULL,   NULL};
    sari_equations system = {.np = 1, .nq = 1, .nc = 1};
    options.tolerance = tolerance;
    options.step_max = step_max;
    options.start = e->t;
    options.end = end;
    CHECK_STATUS(sari_integrator_create(integrator, &system, &form, &options, &self, &error),
                 SAR_OK);
    CHECK_STATUS(integrator->start(self, &s), SAR_OK);
    int last = -1;
    while (s.t < end) {
        sari_step_report report = {0};
        const double begin = s.t;
        const int before = e->evaluations;
        const sar_status st = integrator->step(self, &s, end - s.t, &report);
        if (st != SAR_OK) {
            char text[512] = "";
            integrator->explain(self, text, sizeof text);
            fail_msg("%s: %s", integrator->name, text);
        }
        CHECK(e->evaluations > before);
        CHECK(++out.steps < 1000000);
        const int implicit = integrator->implicit ? integrator->implicit(self) : 0;
        out.implicit += implicit;
        out.changes += last >= 0 && implicit != last;
        last = implicit;
        out.longest = fmax(out.longest, s.t - begin);
    }
    sari_integrator_destroy(integrator, self);
    return out;
}

/* ---- order ---------------------------------------------------------------------------------- */

/* Linear, so that Newton's method leaves nothing: what is seen is the formula alone. */
static void oscillate(double t, const double* y, double* ydot)
{
    (void)t;
    ydot[0] = y[1];
    ydot[1] = -y[0];
}

static double oscillator_error(const sari_integrator_ops* integrator, double h)
{
    equation e = {.size = 2, .f = oscillate, .y = {1.0, 0.0}, .weight = {1.0, 1.0}, .pace = 1.0};
    integrate(integrator, &e, 12.0, 1.0, h);
    return hypot(e.y[0] - cos(12.0), e.y[1] + sin(12.0));
}

TEST(radau_has_order_nine)
{
    const double coarse = oscillator_error(&sari_integrator_radau, 1.0),
                 fine = oscillator_error(&sari_integrator_radau, 0.5);
    CHECK_NEAR(log2(coarse / fine), 9.0, 0.3);
    CHECK_AT_MOST(fine, 1e-9);
}

/* The polynomial within a step, against the solution. */
TEST(values_within_a_step)
{
    double worst[2];
    for (int k = 0; k < 2; k++) {
        const double h = k ? 0.25 : 0.5;
        equation e = {
            .size = 2, .f = oscillate, .y = {1.0, 0.0}, .weight = {1.0, 1.0}, .pace = 0.1};
        sar_options options = sar_options_default();
        sari_formulation form = {&FORMULATION, &e};
        sari_state s = {0};
        sari_step_report report = {0};
        void* self = NULL;
        options.tolerance = 1.0;
        options.step_max = h;
        options.end = 10.0;
        CHECK_STATUS(
            sari_integrator_create(&sari_integrator_radau, NULL, &form, &options, &self, NULL),
            SAR_OK);
        CHECK_STATUS(sari_integrator_radau.start(self, &s), SAR_OK);
        CHECK_STATUS(sari_integrator_radau.step(self, &s, 10.0, &report), SAR_OK);
        CHECK_NEAR(s.t, h, 1e-15);
        worst[k] = 0.0;
        for (int i = 0; i <= 20; i++) {
            CHECK_STATUS(sari_integrator_radau.dense(self, h * i / 20, &s), SAR_OK);
            worst[k] = fmax(worst[k], hypot(e.y[0] - cos(s.t), e.y[1] + sin(s.t)));
        }
        sari_integrator_destroy(&sari_integrator_radau, self);
    }
    CHECK_NEAR(log2(worst[0] / worst[1]), 6.0, 0.5);
}

/* ---- stiff ---------------------------------------------------------------------------------- */

/* Robertson's reaction; figures of the Test Set for IVP Solvers. */
static void robertson(double t, const double* y, double* ydot)
{
    (void)t;
    ydot[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    ydot[2] = 3e7 * y[1] * y[1];
    ydot[1] = -ydot[0] - ydot[2];
}

/* Van der Pol's oscillator with eps = 1e-6; likewise. */
static void van_der_pol(double t, const double* y, double* ydot)
{
    (void)t;
    ydot[0] = y[1];
    ydot[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) * 1e6;
}

static const sari_integrator_ops* const FOR_STIFF[] = {&sari_integrator_radau,
                                                       &sari_integrator_dop853_radau};

TEST(known_stiff_problems)
{
    for (int k = 0; k < 2; k++)
        for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 1e-2) {
            equation r = {.size = 3,
                          .f = robertson,
                          .y = {1.0, 0.0, 0.0},
                          .weight = {1e-8, 1e-14, 1e-8},
                          .pace = 1e3};
            int steps = 0;
            for (double end = 1.0; end < 1e12; end *= end < 1e9 ? 1e3 : 1e2)
                steps += integrate(FOR_STIFF[k], &r, end, tolerance, 0.0).steps;
            CHECK_AT_MOST(steps, 2000);
            CHECK_NEAR(r.y[0] / 0.2083340149701255e-7, 1.0, 100.0 * tolerance);
            CHECK_NEAR(r.y[1] / 0.8333360770334713e-13, 1.0, 100.0 * tolerance);
            CHECK_NEAR(r.y[2] / 0.9999999791665050, 1.0, 100.0 * tolerance);
            equation v = {
                .size = 2, .f = van_der_pol, .y = {2.0, 0.0}, .weight = {1.0, 1.0}, .pace = 1.0};
            CHECK_AT_MOST(integrate(FOR_STIFF[k], &v, 2.0, tolerance, 0.0).steps, 4000);
            CHECK_NEAR(v.y[0] / 0.1706167732170483e1, 1.0, 100.0 * tolerance);
            CHECK_NEAR(v.y[1] / -0.8928097010247975, 1.0, 100.0 * tolerance);
        }
}

/* ---- switching ------------------------------------------------------------------------------ */

/* y = cos t, and beside it a decay whose rate goes from 1 to 1e5 and back. */
static void bump(double t, const double* y, double* ydot)
{
    const double rate = 1.0 + 1e5 * exp(-pow(0.4 * (t - 15.0), 8.0));
    ydot[0] = -rate * (y[0] - cos(t)) - sin(t);
    ydot[1] = y[0];
}

TEST(soft_then_stiff_then_soft)
{
    for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 1e-2) {
        equation e = {.size = 2, .f = bump, .y = {1.0, 0.0}, .weight = {1.0, 1.0}, .pace = 1.0};
        const outcome both = integrate(&sari_integrator_dop853_radau, &e, 30.0, tolerance, 0.0);
        CHECK_NEAR(e.y[0], cos(30.0), 100.0 * tolerance);
        CHECK_NEAR(e.y[1], sin(30.0), 100.0 * tolerance);
        CHECK(both.implicit > 0 && both.implicit < both.steps);
        CHECK(both.changes >= 2);
        equation other = {.size = 2, .f = bump, .y = {1.0, 0.0}, .weight = {1.0, 1.0}, .pace = 1.0};
        integrate(&sari_integrator_radau, &other, 30.0, tolerance, 0.0);
        CHECK_AT_MOST(e.evaluations, 3 * other.evaluations);
    }
}

/* Fast because something moves fast is not stiff: implicit steps would have to follow it too. */
static void two_paces(double t, const double* y, double* ydot)
{
    (void)t;
    ydot[0] = y[1];
    ydot[1] = -y[0];
    ydot[2] = 100.0 * y[3];
    ydot[3] = -100.0 * y[2];
}

TEST(what_moves_fast_is_not_stiff)
{
    for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 1e-2) {
        equation e = {.size = 4,
                      .f = two_paces,
                      .y = {1.0, 0.0, 1.0, 0.0},
                      .weight = {1.0, 1.0, 1.0, 1.0},
                      .pace = 100.0};
        equation alone = e;
        const outcome both = integrate(&sari_integrator_dop853_radau, &e, 10.0, tolerance, 0.0);
        integrate(&sari_integrator_dop853, &alone, 10.0, tolerance, 0.0);
        CHECK_NEAR(e.y[0], cos(10.0), 1e4 * tolerance);
        CHECK_NEAR(e.y[2], cos(1000.0), 1e4 * tolerance);
        CHECK(both.implicit == 0);
        CHECK_AT_MOST(e.evaluations, 1.05 * alone.evaluations + 10);
    }
}

/* The same where the pace tells nothing of it: trials fail, and become rare. */
TEST(trials_that_fail_become_rare)
{
    equation e = {.size = 4,
                  .f = two_paces,
                  .y = {1.0, 0.0, 1.0, 0.0},
                  .weight = {1.0, 1.0, 1.0, 1.0},
                  .pace = 1.0};
    equation alone = e;
    integrate(&sari_integrator_dop853_radau, &e, 100.0, 1e-6, 0.0);
    integrate(&sari_integrator_dop853, &alone, 100.0, 1e-6, 0.0);
    CHECK_NEAR(e.y[2], cos(10000.0), 1e-2);
    CHECK_AT_MOST(e.evaluations, 1.1 * alone.evaluations);
}

/* Oscillators in a row, y = (places, speeds), the fastest of which has the frequency 700. */
enum { OSCILLATORS = 40 };

static double frequency(int k)
{
    return k == 17 ? 700.0 : 1.0 + 0.5 * k;
}

static sar_status many_rates(void* self, double t, const double* y, double* ydot)
{
    (void)self;
    (void)t;
    for (int k = 0; k < OSCILLATORS; k++) {
        ydot[k] = y[OSCILLATORS + k];
        ydot[OSCILLATORS + k] = -frequency(k) * frequency(k) * y[k];
    }
    return SAR_OK;
}

static double many_norm(const void* self, const double* e)
{
    double largest = 0.0;
    (void)self;
    for (int k = 0; k < 2 * OSCILLATORS; k++)
        largest = fmax(largest, fabs(e[k]) / (k < OSCILLATORS ? 1.0 : 10.0));
    return largest;
}

static double many_pace(const void* self)
{
    (void)self;
    return 10.0;
}

TEST(the_radius_from_few_rates)
{
    static const sari_first_order_ops ops = {
        .rates = many_rates, .norm = many_norm, .pace = many_pace};
    const sari_first_order ode = {&ops, NULL};
    double y[2 * OSCILLATORS], f[2 * OSCILLATORS], work[6 * OSCILLATORS];
    int evaluations;
    for (int k = 0; k < 2 * OSCILLATORS; k++) y[k] = sin(k);
    many_rates(NULL, 0.0, y, f);
    const double rho =
        sari_first_order_radius(&ode, 2 * OSCILLATORS, 0.0, y, f, work, &evaluations);
    CHECK_NEAR(rho, 700.0, 7.0);
    CHECK(evaluations < 20);
}
