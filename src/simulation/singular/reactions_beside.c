/* Joint reactions beside singular configurations. The conditions of the joints, W' mu = w, lose rank there,
 * and what rounding leaves of places is divided by the smallest singular value sigma three times: in
 * w(q), in the accelerations of w, and in mu. Yet mu is a smooth function along any line across, or has
 * a pole where the joints would have to hold what they cannot hold. So with x the distance along a
 * line, and places x_k = +-k eps on both sides of x = 0,
 *
 *     mu(x) = sum_k l_k(x) mu(x_k),    l_k: Lagrange's polynomials,    k = 1 ... PAIRS       (1)
 *
 * The difference from one pair less tells the error of the sum, rounding / (slope eps)^3 what places so
 * near are worth: eps is made smaller while the sum of both falls. A pole has a residue,
 *
 *     c = sum_k l_k(0) x_k mu(x_k)                                                           (2)
 *
 * and mu is large beside it: then W' mu = w at the place itself serves as well as it can. */
#include "base/status.h"
#include "formulations/chart/singular.h"
#include "math/vector.h"
#include "simulation/reactions.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PAIRS = 6, TRIES = 4 };

static const double WIDEST = 0.04;  ///< [rad] between places
static const double NARROWER = 1.6; ///< in the next try
static const double ROUNDING = 3.0; ///< in places, in units of DBL_EPSILON
static const double GAINED = 0.1;   ///< error of (1) by that of one pair less
static const double RESIDUE = 30.0; ///< times its error: there is a pole

void sari_reactions_take_across(sari_reactions* r)
{
    r->across = SARI_TAKE(&r->memory, double, 5 * r->rows);
    sari_state_take(&r->there, &r->memory, &r->sys->equations, 0);
}

/* l_k(x) for places +-1 ... +-pairs, but for k = 0. */
static double lagrange(int pairs, int k, double x)
{
    double product = 1.0;
    for (int j = -pairs; j <= pairs; j++)
        if (j != 0 && j != k) product *= (x - j) / (k - j);
    return product;
}

/// Sums over the places of a line: (1), (2), and both with one pair less.
typedef struct sums {
    double *mu, *mu_less, *c, *c_less;
} sums;

static sums sums_of(const sari_reactions* r)
{
    double* x = r->across;
    const int n = r->rows;
    return (sums){x, x + n, x + 2 * n, x + 3 * n};
}

static void add(sari_reactions* r, const sums* s, int k, double x)
{
    const double whole = lagrange(PAIRS, k, x), at_zero = k * lagrange(PAIRS, k, 0.0);
    const int inner = k >= -(PAIRS - 1) && k <= PAIRS - 1;
    const double less = inner ? lagrange(PAIRS - 1, k, x) : 0.0;
    const double less_at_zero = inner ? k * lagrange(PAIRS - 1, k, 0.0) : 0.0;
    for (int i = 0; i < r->rows; i++) {
        s->mu[i] += whole * r->mu[i];
        s->mu_less[i] += less * r->mu[i];
        s->c[i] += at_zero * r->mu[i];
        s->c_less[i] += less_at_zero * r->mu[i];
    }
}

static double difference(int n, const double* x, const double* y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

/// How far a sum can be trusted.
typedef struct trust {
    double missed;  ///< of mu, by the polynomial
    double rounded; ///< of mu, by what places are worth
    int pole;
} trust;

/* (1) and (2) with places eps apart. 0: one of them cannot be evaluated. */
static int sum_up(sari_reactions* r, const sari_across* line, double eps, trust* out)
{
    const sums s = sums_of(r);
    const int n = r->rows;
    double size = 0.0;
    memset(r->across, 0, 4 * (size_t)n * sizeof(double));
    for (int k = 1; k <= PAIRS; k++) // the chart is led outwards
        for (int side = -1; side <= 1; side += 2) {
            if (sari_chart_place_across(r->form.self, side * k * eps, &r->there) != SAR_OK ||
                sari_reactions_balance(r, &r->there) != SAR_OK)
                return 0;
            size = fmax(size, sari_vector_max(n, r->mu));
            add(r, &s, side * k, line->delta / eps);
        }
    const double sigma = line->slope * eps;
    out->missed = GAINED * difference(n, s.mu, s.mu_less);
    out->rounded = ROUNDING * DBL_EPSILON / (sigma * sigma * sigma) * size;
    const double vague = difference(n, s.c, s.c_less) + out->rounded;
    out->pole = sari_vector_max(n, s.c) > RESIDUE * vague;
    return isfinite(size);
}

/* The best of several distances between places; its sum is in r->mu. */
static int search(sari_reactions* r, const sari_across* line)
{
    double least = INFINITY, eps = WIDEST, *best = r->across + 4 * (ptrdiff_t)r->rows;
    for (int k = 0; k < TRIES && eps > line->delta; k++, eps /= NARROWER) {
        trust t;
        if (!sum_up(r, line, eps, &t)) continue;
        if (t.pole) return 0;
        if (!(t.missed + t.rounded < least)) break;
        least = t.missed + t.rounded;
        memcpy(best, sums_of(r).mu, (size_t)r->rows * sizeof(double));
        if (t.missed <= t.rounded) break;
    }
    if (!isfinite(least)) return 0;
    memcpy(r->mu, best, (size_t)r->rows * sizeof(double));
    return 1;
}

int sari_reactions_across(sari_reactions* r, const sari_state* s)
{
    sari_across line;
    if (!sari_is_chart(&r->form) || !sari_chart_see_across(r->form.self, s, &line)) return 0;
    const int found = search(r, &line);
    sari_chart_end_crossing(r->form.self);
    if (found) sari_reactions_complete(r, s);
    return found;
}
