/* Searches against published optima: 26 problems of [hock1981], written from their definitions, by our own search and by
 * SLSQP where it is installed; and least squares with bounds. Slopes of the test problems by complex steps: exact. */
#include "sar_test.h"

#include "sarrus/optimisation.h"

#include <complex.h>
#include <math.h>
#include <string.h>

typedef double complex number;

enum { MOST = 10, MOST_VALUES = 16 };

/* A problem as [hock1981] states it: minimise f, g >= 0, h = 0. */
typedef struct schittkowski {
    int number_of, n, limits, equalities;
    double start[MOST], lower[MOST], upper[MOST];
    void (*values)(const number* x, number* y); ///< f, then all g, then all h
    double optimum;
} schittkowski;

static number sq(number x)
{
    return x * x;
}

// clang-format off: definitions, a line each
static void hs1(const number* x, number* y)
{
    y[0] = 100 * sq(x[1] - x[0] * x[0]) + sq(1 - x[0]);
}
static void hs3(const number* x, number* y)
{
    y[0] = x[1] + 1e-5 * sq(x[1] - x[0]);
}
static void hs4(const number* x, number* y)
{
    y[0] = (x[0] + 1) * (x[0] + 1) * (x[0] + 1) / 3 + x[1];
}
static void hs5(const number* x, number* y)
{
    y[0] = csin(x[0] + x[1]) + sq(x[0] - x[1]) - 1.5 * x[0] + 2.5 * x[1] + 1;
}
static void hs6(const number* x, number* y)
{
    y[0] = sq(1 - x[0]);
    y[1] = 10 * (x[1] - x[0] * x[0]);
}
static void hs7(const number* x, number* y)
{
    y[0] = clog(1 + x[0] * x[0]) - x[1];
    y[1] = sq(1 + x[0] * x[0]) + x[1] * x[1] - 4;
}
static void hs10(const number* x, number* y)
{
    y[0] = x[0] - x[1];
    y[1] = -3 * x[0] * x[0] + 2 * x[0] * x[1] - x[1] * x[1] + 1;
}
static void hs11(const number* x, number* y)
{
    y[0] = sq(x[0] - 5) + x[1] * x[1] - 25;
    y[1] = -x[0] * x[0] + x[1];
}
static void hs12(const number* x, number* y)
{
    y[0] = 0.5 * x[0] * x[0] + x[1] * x[1] - x[0] * x[1] - 7 * x[0] - 7 * x[1];
    y[1] = 25 - 4 * x[0] * x[0] - x[1] * x[1];
}
static void hs14(const number* x, number* y)
{
    y[0] = sq(x[0] - 2) + sq(x[1] - 1);
    y[1] = -0.25 * x[0] * x[0] - x[1] * x[1] + 1;
    y[2] = x[0] - 2 * x[1] + 1;
}
static void hs21(const number* x, number* y)
{
    y[0] = 0.01 * x[0] * x[0] + x[1] * x[1] - 100;
    y[1] = 10 * x[0] - x[1] - 10;
}
static void hs22(const number* x, number* y)
{
    y[0] = sq(x[0] - 2) + sq(x[1] - 1);
    y[1] = -x[0] - x[1] + 2;
    y[2] = -x[0] * x[0] + x[1];
}
static void hs24(const number* x, number* y)
{
    y[0] = (sq(x[0] - 3) - 9) * x[1] * x[1] * x[1] / (27 * sqrt(3));
    y[1] = x[0] / sqrt(3) - x[1];
    y[2] = x[0] + sqrt(3) * x[1];
    y[3] = -x[0] - sqrt(3) * x[1] + 6;
}
static void hs28(const number* x, number* y)
{
    y[0] = sq(x[0] + x[1]) + sq(x[1] + x[2]);
    y[1] = x[0] + 2 * x[1] + 3 * x[2] - 1;
}
static void hs35(const number* x, number* y)
{
    y[0] = 9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * x[0] * x[0] + 2 * x[1] * x[1] + x[2] * x[2] +
           2 * x[0] * x[1] + 2 * x[0] * x[2];
    y[1] = 3 - x[0] - x[1] - 2 * x[2];
}
static void hs36(const number* x, number* y)
{
    y[0] = -x[0] * x[1] * x[2];
    y[1] = 72 - x[0] - 2 * x[1] - 2 * x[2];
}
static void hs37(const number* x, number* y)
{
    hs36(x, y);
    y[2] = x[0] + 2 * x[1] + 2 * x[2];
}
static void hs39(const number* x, number* y)
{
    y[0] = -x[0];
    y[1] = x[1] - x[0] * x[0] * x[0] - x[2] * x[2];
    y[2] = x[0] * x[0] - x[1] - x[3] * x[3];
}
static void hs40(const number* x, number* y)
{
    y[0] = -x[0] * x[1] * x[2] * x[3];
    y[1] = x[0] * x[0] * x[0] + x[1] * x[1] - 1;
    y[2] = x[0] * x[0] * x[3] - x[2];
    y[3] = x[3] * x[3] - x[1];
}
static void hs43(const number* x, number* y)
{
    y[0] =
        sq(x[0]) + sq(x[1]) + 2 * sq(x[2]) + sq(x[3]) - 5 * x[0] - 5 * x[1] - 21 * x[2] + 7 * x[3];
    y[1] = 8 - sq(x[0]) - sq(x[1]) - sq(x[2]) - sq(x[3]) - x[0] + x[1] - x[2] + x[3];
    y[2] = 10 - sq(x[0]) - 2 * sq(x[1]) - sq(x[2]) - 2 * sq(x[3]) + x[0] + x[3];
    y[3] = 5 - 2 * sq(x[0]) - sq(x[1]) - sq(x[2]) - 2 * x[0] + x[1] + x[3];
}
static void hs48(const number* x, number* y)
{
    y[0] = sq(x[0] - 1) + sq(x[1] - x[2]) + sq(x[3] - x[4]);
    y[1] = x[0] + x[1] + x[2] + x[3] + x[4] - 5;
    y[2] = x[2] - 2 * (x[3] + x[4]) + 3;
}
static void hs71(const number* x, number* y)
{
    y[0] = x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2];
    y[1] = x[0] * x[1] * x[2] * x[3] - 25;
    y[2] = sq(x[0]) + sq(x[1]) + sq(x[2]) + sq(x[3]) - 40;
}
static void hs76(const number* x, number* y)
{
    y[0] = sq(x[0]) + 0.5 * sq(x[1]) + sq(x[2]) + 0.5 * sq(x[3]) - x[0] * x[2] + x[2] * x[3] -
           x[0] - 3 * x[1] + x[2] - x[3];
    y[1] = 5 - x[0] - 2 * x[1] - x[2] - x[3];
    y[2] = 4 - 3 * x[0] - x[1] - 2 * x[2] + x[3];
    y[3] = x[1] + 4 * x[2] - 1.5;
}
static void hs78(const number* x, number* y)
{
    y[0] = x[0] * x[1] * x[2] * x[3] * x[4];
    y[1] = sq(x[0]) + sq(x[1]) + sq(x[2]) + sq(x[3]) + sq(x[4]) - 10;
    y[2] = x[1] * x[2] - 5 * x[3] * x[4];
    y[3] = x[0] * x[0] * x[0] + x[1] * x[1] * x[1] + 1;
}
static void hs80(const number* x, number* y)
{
    hs78(x, y);
    y[0] = cexp(y[0]);
}
static void hs113(const number* x, number* y)
{
    y[0] = sq(x[0]) + sq(x[1]) + x[0] * x[1] - 14 * x[0] - 16 * x[1] + sq(x[2] - 10) +
           4 * sq(x[3] - 5) + sq(x[4] - 3) + 2 * sq(x[5] - 1) + 5 * sq(x[6]) + 7 * sq(x[7] - 11) +
           2 * sq(x[8] - 10) + sq(x[9] - 7) + 45;
    y[1] = 105 - 4 * x[0] - 5 * x[1] + 3 * x[6] - 9 * x[7];
    y[2] = -10 * x[0] + 8 * x[1] + 17 * x[6] - 2 * x[7];
    y[3] = 8 * x[0] - 2 * x[1] - 5 * x[8] + 2 * x[9] + 12;
    y[4] = -3 * sq(x[0] - 2) - 4 * sq(x[1] - 3) - 2 * sq(x[2]) + 7 * x[3] + 120;
    y[5] = -5 * sq(x[0]) - 8 * x[1] - sq(x[2] - 6) + 2 * x[3] + 40;
    y[6] = -0.5 * sq(x[0] - 8) - 2 * sq(x[1] - 4) - 3 * sq(x[4]) + x[5] + 30;
    y[7] = -sq(x[0]) - 2 * sq(x[1] - 2) + 2 * x[0] * x[1] - 14 * x[4] + 6 * x[5];
    y[8] = 3 * x[0] - 6 * x[1] - 12 * sq(x[8] - 8) + 7 * x[9];
}

#define FREE                                                                                       \
    {                                                                                              \
        -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY,    \
            -INFINITY, -INFINITY                                                                   \
    }
#define OPEN                                                                                       \
    {                                                                                              \
        INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY,  \
            INFINITY                                                                               \
    }
static const schittkowski problems[] = {
    {1, 2, 0, 0, {-2, 1}, {-INFINITY, -1.5}, OPEN, hs1, 0},
    {3, 2, 0, 0, {10, 1}, {-INFINITY, 0}, OPEN, hs3, 0},
    {4, 2, 0, 0, {1.125, 0.125}, {1, 0}, OPEN, hs4, 8.0 / 3},
    {5,
     2,
     0,
     0,
     {0, 0},
     {-1.5, -3},
     {4, 3},
     hs5,
     -0.5 * 1.7320508075688772 - 3.14159265358979323846 / 3},
    {6, 2, 0, 1, {-1.2, 1}, FREE, OPEN, hs6, 0},
    {7, 2, 0, 1, {2, 2}, FREE, OPEN, hs7, -1.7320508075688772},
    {10, 2, 1, 0, {-10, 10}, FREE, OPEN, hs10, -1},
    {11, 2, 1, 0, {4.9, 0.1}, FREE, OPEN, hs11, -8.498464223},
    {12, 2, 1, 0, {0, 0}, FREE, OPEN, hs12, -30},
    {14, 2, 1, 1, {2, 2}, FREE, OPEN, hs14, 9 - 2.875 * 2.6457513110645906},
    {21, 2, 1, 0, {-1, -1}, {2, -50}, {50, 50}, hs21, -99.96},
    {22, 2, 2, 0, {2, 2}, FREE, OPEN, hs22, 1},
    {24, 2, 3, 0, {1, 0.5}, {0, 0}, OPEN, hs24, -1},
    {28, 3, 0, 1, {-4, 1, 1}, FREE, OPEN, hs28, 0},
    {35, 3, 1, 0, {0.5, 0.5, 0.5}, {0, 0, 0}, OPEN, hs35, 1.0 / 9},
    {36, 3, 1, 0, {10, 10, 10}, {0, 0, 0}, {20, 11, 42}, hs36, -3300},
    {37, 3, 2, 0, {10, 10, 10}, {0, 0, 0}, {42, 42, 42}, hs37, -3456},
    {39, 4, 0, 2, {2, 2, 2, 2}, FREE, OPEN, hs39, -1},
    {40, 4, 0, 3, {0.8, 0.8, 0.8, 0.8}, FREE, OPEN, hs40, -0.25},
    {43, 4, 3, 0, {0, 0, 0, 0}, FREE, OPEN, hs43, -44},
    {48, 5, 0, 2, {3, 5, -3, 2, -2}, FREE, OPEN, hs48, 0},
    {71, 4, 1, 1, {1, 5, 5, 1}, {1, 1, 1, 1}, {5, 5, 5, 5}, hs71, 17.0140173},
    {76, 4, 3, 0, {0.5, 0.5, 0.5, 0.5}, {0, 0, 0, 0}, OPEN, hs76, -4.681818182},
    {78, 5, 0, 3, {-2, 1.5, 2, -1, -1}, FREE, OPEN, hs78, -2.91970041},
    {80,
     5,
     0,
     3,
     {-2, 2, 2, -1, -1},
     {-2.3, -2.3, -3.2, -3.2, -3.2},
     {2.3, 2.3, 3.2, 3.2, 3.2},
     hs80,
     0.0539498478},
    {113, 10, 8, 0, {2, 3, 5, 5, 1, 2, 7, 3, 6, 10}, FREE, OPEN, hs113, 24.3062091},
};
// clang-format on

static sar_status evaluate(void* context, const double* p, double* values, double* jacobian)
{
    const schittkowski* s = context;
    const int m = 1 + s->limits + s->equalities;
    const double tiny = 1e-100;
    for (int k = -1; k < (jacobian ? s->n : 0); k++) {
        number x[MOST] = {0}, y[MOST_VALUES];
        for (int i = 0; i < s->n; i++) x[i] = p[i] + (i == k ? I * tiny : 0);
        s->values(x, y);
        for (int i = 0; i < m; i++) {
            const double sign = i >= 1 && i <= s->limits ? -1.0 : 1.0; // g >= 0: -g <= 0
            if (k < 0)
                values[i] = sign * creal(y[i]);
            else
                jacobian[i * s->n + k] = sign * cimag(y[i]) / tiny;
        }
    }
    return SAR_OK;
}

static void solve(const schittkowski* s, const char* solver)
{
    double p[MOST];
    memcpy(p, s->start, sizeof p);
    const sar_optimisation problem = {.variables = s->n,
                                      .lower = s->lower,
                                      .upper = s->upper,
                                      .limits = s->limits,
                                      .equalities = s->equalities,
                                      .evaluate = evaluate,
                                      .context = (void*)s};
    const sar_optimisation_options options = {.solver = solver};
    sar_optimum found;
    CHECK_STATUS(sar_optimise(&problem, &options, p, &found, NULL), SAR_OK);
    if (fabs(found.objective - s->optimum) > 1e-6 * (1.0 + fabs(s->optimum)) ||
        found.violation > 1e-6)
        fail_msg("HS%d by %s: f = %.10g, published %.10g, violation %g, %d slopes (%s)",
                 s->number_of, found.solver, found.objective, s->optimum, found.violation,
                 found.jacobians, sar_optimum_text(found.verdict));
}

TEST(reaches_published_optima)
{
    for (unsigned k = 0; k < sizeof problems / sizeof *problems; k++) solve(&problems[k], "own");
}

TEST(slsqp_reaches_them_too)
{
    if (!sar_optimisation_has_nlopt()) skip();
    for (unsigned k = 0; k < sizeof problems / sizeof *problems; k++) solve(&problems[k], "nlopt");
}

/* ---- least squares -------------------------------------------------------------------------- */

/* [bard1970]: y = x0 + u/(x1 v + x2 w), 15 measurements; the published sum of squares is 8.21487e-3. */
static sar_status bard(void* context, const double* x, double* r, double* J)
{
    static const double y[15] = {0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39,
                                 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39};
    (void)context;
    for (int i = 0; i < 15; i++) {
        const double u = i + 1, v = 15 - i, w = fmin(u, v), d = x[1] * v + x[2] * w;
        r[i] = y[i] - (x[0] + u / d);
        if (!J) continue;
        J[3 * i] = -1.0;
        J[3 * i + 1] = u * v / (d * d);
        J[3 * i + 2] = u * w / (d * d);
    }
    return SAR_OK;
}

TEST(fits_published_data)
{
    const sar_optimisation problem = {.variables = 3, .residuals = 15, .evaluate = bard};
    double p[3] = {1.0, 1.0, 1.0};
    sar_optimum found;
    CHECK_STATUS(sar_optimise(&problem, NULL, p, &found, NULL), SAR_OK);
    CHECK_TEXT(found.solver, "levenberg-marquardt");
    CHECK_NEAR(2.0 * found.objective, 8.214877306579e-3, 1e-12);
    CHECK(found.verdict == SAR_OPTIMUM_FOUND);
}

/* Rosenbrock's valley as residuals: below x1 = -0.5 there are no values, which are counted. */
static sar_status valley(void* context, const double* x, double* r, double* J)
{
    if (x[1] < -0.5) {
        if (context) ++*(int*)context;
        return SAR_R_NO_CONV;
    }
    r[0] = 10.0 * (x[1] - x[0] * x[0]);
    r[1] = 1.0 - x[0];
    if (J) J[0] = -20.0 * x[0], J[1] = 10.0, J[2] = -1.0, J[3] = 0.0;
    return SAR_OK;
}

TEST(keeps_bounds)
{
    const double lower[2] = {-INFINITY, -INFINITY}, upper[2] = {0.5, INFINITY};
    sar_optimisation problem = {
        .variables = 2, .residuals = 2, .evaluate = valley, .lower = lower, .upper = upper};
    double p[2] = {-1.2, 1.0};
    sar_optimum found;
    CHECK_STATUS(sar_optimise(&problem, NULL, p, &found, NULL), SAR_OK);
    CHECK_NEAR(p[0], 0.5, 0.0);
    CHECK_NEAR(p[1], 0.25, 1e-9);
    CHECK_NEAR(found.objective, 0.125, 1e-14);
    int failures = 0;
    problem.lower = problem.upper = NULL; // the way leads past places without values
    problem.context = &failures;
    p[0] = -1.2, p[1] = 1.0;
    CHECK_STATUS(sar_optimise(&problem, NULL, p, &found, NULL), SAR_OK);
    CHECK_NEAR(p[0], 1.0, 1e-10);
    CHECK(failures > 0);
    p[1] = -3.0;
    CHECK_STATUS(sar_optimise(&problem, NULL, p, &found, NULL), SAR_R_NO_CONV);
}

/* HS14 with its objective as residuals. */
static sar_status squares_of_14(void* context, const double* x, double* y, double* J)
{
    (void)context;
    const double values[4] = {x[0] - 2.0, x[1] - 1.0, 0.25 * x[0] * x[0] + x[1] * x[1] - 1.0,
                              x[0] - 2.0 * x[1] + 1.0};
    const double slopes[8] = {1.0, 0.0, 0.0, 1.0, 0.5 * x[0], 2.0 * x[1], 1.0, -2.0};
    memcpy(y, values, sizeof values);
    if (J) memcpy(J, slopes, sizeof slopes);
    return SAR_OK;
}

TEST(squares_with_limits)
{
    const sar_optimisation problem = {
        .variables = 2, .residuals = 2, .limits = 1, .equalities = 1, .evaluate = squares_of_14};
    double p[2] = {2.0, 2.0}, multipliers[2];
    sar_optimum found;
    CHECK_STATUS(sar_optimise(&problem, NULL, p, &found, multipliers), SAR_OK);
    CHECK_NEAR(2.0 * found.objective, 9.0 - 2.875 * sqrt(7.0), 1e-8);
    // grad f + mu grad c + nu grad e = 0
    CHECK_NEAR(p[0] - 2.0 + multipliers[0] * 0.5 * p[0] + multipliers[1], 0.0, 1e-5);
    CHECK_NEAR(p[1] - 1.0 + multipliers[0] * 2.0 * p[1] - 2.0 * multipliers[1], 0.0, 1e-5);
}

/* A straight line through points: deviations in closed form. A third variable does nothing. */
TEST(deviations_of_a_line)
{
    enum { M = 6 };
    const double y[M] = {0.1, 0.9, 2.2, 2.8, 4.1, 5.2};
    double J[3 * M], r[M], deviations[3], correlations[9], combinations[9], square = 0.0;
    const double slope = 1.0142857142857143, zero = 0.01428571428571;
    for (int i = 0; i < M; i++) {
        r[i] = zero + slope * i - y[i];
        square += r[i] * r[i];
        J[3 * i] = 1.0, J[3 * i + 1] = i, J[3 * i + 2] = 0.0;
    }
    sar_covariance found;
    CHECK_STATUS(
        sar_covariance_find(M, 3, J, r, NULL, NULL, &found, deviations, correlations, combinations),
        SAR_OK);
    const double s2 = square / (M - 2), sxx = 17.5; // sum (i - 2.5)^2
    CHECK_NEAR(found.variance, s2, 1e-15);
    CHECK_NEAR(deviations[1], sqrt(s2 / sxx), 1e-14);
    CHECK_NEAR(deviations[0], sqrt(s2 * (1.0 / M + 6.25 / sxx)), 1e-14);
    CHECK_NEAR(correlations[1], -2.5 / sqrt(55.0 / M), 1e-13);
    CHECK(found.unidentified == 1 && isnan(deviations[2]));
    CHECK_NEAR(fabs(combinations[2]), 1.0, 1e-12);
}

/* y = a b t: only the product is told. */
TEST(names_what_cannot_be_told)
{
    enum { M = 5 };
    const double a = 2.0, b = 300.0, scale[2] = {2.0, 300.0};
    double J[2 * M], r[M], deviations[2], combinations[4];
    for (int i = 0; i < M; i++) J[2 * i] = b * i, J[2 * i + 1] = a * i, r[i] = 0.1 * (i % 2);
    sar_covariance found;
    CHECK_STATUS(
        sar_covariance_find(M, 2, J, r, scale, NULL, &found, deviations, NULL, combinations),
        SAR_OK);
    CHECK(found.unidentified == 1 && isnan(deviations[0]) && isnan(deviations[1]));
    CHECK_NEAR(combinations[0], -combinations[1], 1e-12); // one percent more of a, one less of b
    const int fixed[2] = {0, 1};
    CHECK_STATUS(
        sar_covariance_find(M, 2, J, r, scale, fixed, &found, deviations, NULL, combinations),
        SAR_OK);
    CHECK(found.unidentified == 0 && deviations[0] > 0.0 && isnan(deviations[1]));
}
