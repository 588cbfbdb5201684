/* The Jacobian of the chart's first-order form against difference quotients of its rates, in all types
 * of coordinates, in the middle of motions; and places of one step in the numbers of the next. */
#include "problem_run.h"

#include "simulation/simulation.h"

enum { MOST = 128 };

typedef struct chart_base {
    problem_run run;
    const sari_first_order_ops* ops;
    void* form;
    int size;
    double t, y[MOST], f[MOST];
} chart_base;

/* So many steps into a motion, and a base there. */
static void go(chart_base* at, const char* path, const char* coordinates, int steps)
{
    char options[256];
    snprintf(options, sizeof options,
             "coordinates=%s formulation=chart integrator=dop853 tolerance=1e-8 monitor=0",
             coordinates);
    problem_start(&at->run, path, NULL, options);
    sar_simulation* s = at->run.simulation;
    for (int k = 0; k < steps; k++)
        if (sar_simulation_advance(s) != SAR_OK) fail_msg("%s", sar_simulation_failure(s));
    at->ops = s->form.ops->first_order;
    at->form = s->form.self;
    at->t = s->state.t;
    CHECK(at->ops->most(at->form) <= MOST);
    CHECK_STATUS(at->ops->base(at->form, &s->state, at->y, at->f, &at->size), SAR_OK);
}

/* Central differences; steps that are a part of a radian. */
static void differences(chart_base* at, double* J)
{
    const int n = at->size;
    double unit[MOST] = {0}, y[MOST], up[MOST], down[MOST];
    for (int j = 0; j < n; j++) {
        memset(unit, 0, sizeof unit);
        unit[j] = 1.0;
        const double eps = 1e-3 / at->ops->norm(at->form, unit);
        memcpy(y, at->y, sizeof y);
        y[j] = at->y[j] + eps;
        CHECK_STATUS(at->ops->rates(at->form, at->t, y, up), SAR_OK);
        y[j] = at->y[j] - eps;
        CHECK_STATUS(at->ops->rates(at->form, at->t, y, down), SAR_OK);
        for (int i = 0; i < n; i++) J[i * n + j] = (up[i] - down[i]) / (2.0 * eps);
    }
}

/* Largest difference, in parts of the largest entry of the same quarter of the matrix, or of the
 * pace of the motion (squared for accelerations by positions). */
static double difference_of(const chart_base* at, const double* J, const double* D)
{
    const int n = at->size, d = n / 2;
    const double pace = at->ops->pace(at->form);
    double worst = 0.0;
    for (int quarter = 0; quarter < 4; quarter++) {
        const int row = quarter / 2 * d, column = quarter % 2 * d;
        double largest = row > column ? pace * pace : row == column ? pace : 1.0, off = 0.0;
        for (int i = row; i < row + d; i++)
            for (int j = column; j < column + d; j++) {
                largest = fmax(largest, fabs(D[i * n + j]));
                off = fmax(off, fabs(J[i * n + j] - D[i * n + j]));
            }
        worst = fmax(worst, off / largest);
    }
    return worst;
}

static double jacobian_error(const char* path, const char* coordinates, int steps)
{
    static double J[MOST * MOST], D[MOST * MOST];
    chart_base at;
    go(&at, path, coordinates, steps);
    differences(&at, D);
    CHECK_STATUS(at.ops->jacobian(at.form, at.t, at.y, J), SAR_OK);
    const double error = difference_of(&at, J, D);
    problem_free(&at.run);
    return error;
}

/* Loops, springs, dampers, bushings, friction and tyres, with one and with several degrees of
 * freedom. */
TEST(it_is_the_slope_of_the_rates)
{
    static const char* const ALL[] = {"natural", "cartesian", "increments", "relative"};
    static const struct {
        const char* path;
        double most;
    } MODELS[] = {
        {PROBLEM("slider-crank-2"), 1e-5},
        {PROBLEM("flyball-governor"), 1e-5},
        {PROBLEM("iltis-suspension"), 1e-5},
        {PROBLEM("spatial-double-pendulum"), 1e-5},
        {PROBLEM("bricard"), 2e-2},
        {PROBLEM("andrews"), 1e-5},
        {TEST_MODEL("bushing"), 1e-5},
        {TEST_MODEL("spring"), 1e-5},
        {TEST_MODEL("rotational-drag"), 1e-5},
    };
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++)
        for (size_t k = 0; k < sizeof ALL / sizeof *ALL; k++) {
            const double error = jacobian_error(MODELS[m].path, ALL[k], 7);
            if (!(error < MODELS[m].most))
                fail_msg("%s, %s: off by %.2e", MODELS[m].path, ALL[k], error);
        }
}
