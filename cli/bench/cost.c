/* T(n, p) = fixed + alone n + shared n/p + meet log2(p)                                       (1)
 *
 * fitted by least squares of the relative errors: sum ((T - T_k)/T_k)^2 is minimal, so that a chain
 * of 64 counts as much as one of a thousand. A cost below zero makes no sense: such a number is
 * taken as zero, and the others are fitted again. */
#include "bench/cost.h"
#include "math/functions.h"

#include <math.h>

enum { FIXED, ALONE, SHARED, MEET, TERMS };

static void terms(double bodies, double threads, double f[TERMS])
{
    f[FIXED] = 1.0;
    f[ALONE] = bodies;
    f[SHARED] = bodies / threads;
    f[MEET] = sari_log2(threads);
}

/// A x = b for a definite A by elimination; columns that are not `used` are left out (x = 0). 1, or
/// 0 if A has not the rank.
static int solve(double A[TERMS][TERMS], double b[TERMS], const int used[TERMS], double x[TERMS])
{
    for (int k = 0; k < TERMS; k++) {
        if (!used[k]) continue;
        if (!(A[k][k] > 1e-12)) return 0;
        for (int i = k + 1; i < TERMS; i++) {
            double factor = used[i] ? A[i][k] / A[k][k] : 0.0;
            for (int j = k; j < TERMS; j++) A[i][j] -= factor * A[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = TERMS - 1; k >= 0; k--) {
        x[k] = 0.0;
        if (!used[k]) continue;
        double sum = b[k];
        for (int j = k + 1; j < TERMS; j++) sum -= A[k][j] * x[j];
        x[k] = sum / A[k][k];
    }
    return 1;
}

/// Normal equations of the relative errors.
static int fit_terms(const cli_cost_point* points, int count, const int used[TERMS],
                     double x[TERMS])
{
    double A[TERMS][TERMS] = {0}, b[TERMS] = {0};
    for (int k = 0; k < count; k++) {
        double f[TERMS];
        terms(points[k].bodies, points[k].threads, f);
        for (int i = 0; i < TERMS; i++) {
            b[i] += f[i] / points[k].us;
            for (int j = 0; j < TERMS; j++) A[i][j] += f[i] * f[j] / (points[k].us * points[k].us);
        }
    }
    double scale[TERMS];
    for (int i = 0; i < TERMS; i++) scale[i] = A[i][i] > 0.0 ? sqrt(A[i][i]) : 1.0;
    for (int i = 0; i < TERMS; i++) {
        b[i] /= scale[i];
        for (int j = 0; j < TERMS; j++) A[i][j] /= scale[i] * scale[j];
    }
    if (!solve(A, b, used, x)) return 0;
    for (int i = 0; i < TERMS; i++) x[i] /= scale[i];
    return 1;
}

double cli_cost_us(const cli_cost* c, double bodies, double threads)
{
    double f[TERMS];
    terms(bodies, threads, f);
    return c->fixed + c->alone * f[ALONE] + c->shared * f[SHARED] + c->meet * f[MEET];
}

double cli_cost_speedup(const cli_cost* c, double bodies, double threads)
{
    return cli_cost_us(c, bodies, 1.0) / cli_cost_us(c, bodies, threads);
}

int cli_cost_fit(const cli_cost_point* points, int count, cli_cost* cost)
{
    int threaded = 0;
    double x[TERMS];
    for (int k = 0; k < count; k++) threaded |= points[k].threads > 1.0;
    int used[TERMS] = {1, threaded, 1, threaded};
    for (int negative = 1; negative;) {
        negative = 0;
        if (!fit_terms(points, count, used, x)) return 0;
        for (int i = 0; i < TERMS && !negative; i++)
            if (x[i] < 0.0) used[i] = 0, negative = 1;
    }
    *cost = (cli_cost){.fixed = x[FIXED],
                       .alone = x[ALONE],
                       .shared = x[SHARED],
                       .meet = x[MEET],
                       .threaded = threaded,
                       .points = count};
    for (int k = 0; k < count; k++) {
        double us = cli_cost_us(cost, points[k].bodies, points[k].threads);
        cost->worst = fmax(cost->worst, fabs(us / points[k].us - 1.0));
    }
    return 1;
}
