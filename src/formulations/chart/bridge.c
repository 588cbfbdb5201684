/* Rates across singular configurations: a sum over places on both sides, equation (12) of chart.c. */
#include "formulations/chart/limits.h"
#include "math/functions.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { PAIRS = 6, LOWER = 2, WIDER = 5, NEARER = 2 };

static const double RESCUE =
    3.0; ///< times that: where a failure is laid to the singular configuration
static const double SOUND = 1e-11; ///< [rad] violation of constraints by what was summed
static const double CLEAR = 0.5;   ///< of sigma at that distance: a place with less is no good
static const double ROUNDING = 2e-16;

/* c_k = 1/2 prod_{j != k} j^2 / (j^2 - k^2): even polynomials of degree 2 pairs - 2 are exact. */
static double weight(int k, int pairs)
{
    double product = 0.5;
    for (int j = 1; j <= pairs; j++)
        if (j != k) product *= (double)(j * j) / (j * j - k * k);
    return product;
}

void sari_chart_keep(sari_chart* c)
{
    sari_chart_point* p;
    if (c->cache.points < SARI_CHART_POINTS) {
        p = &c->cache.point[c->cache.points++];
    } else { // the base stays
        c->cache.oldest = c->cache.oldest % (SARI_CHART_POINTS - 1) + 1;
        p = &c->cache.point[c->cache.oldest];
    }
    const size_t d = (size_t)c->d * sizeof(double), w = (size_t)c->nw * sizeof(double);
    p->t = c->at.t;
    if (c->cache.size) {
        memcpy(p->z, c->at.z, c->cache.size * sizeof(double));
        return;
    }
    memcpy(p->z, c->at.z, d);
    memcpy(p->zd, c->at.zd, d);
    memcpy(p->w, c->at.w, w);
    memcpy(p->w_t, c->at.w_t, w);
    memcpy(p->e, c->at.e, w);
    memcpy(p->T, c->at.T, d * (size_t)c->n);
}

/* Geometry and motion at the place itself. States are as good as rounding lets them; rates between them
 * need not be that good. */
sari_chart_outcome sari_chart_evaluate_here(sari_chart* c, double t, const double* z,
                                            const double* u, int whole, int carefully)
{
    const double PART = 1e-5; // of the tolerance: nothing beside the error of a step
    c->still = carefully && !whole ? PART * c->tolerance : 0.0;
    sari_chart_outcome st = sari_chart_geometry(c, t, z, carefully);
    if (st == SARI_CHART_OK) st = sari_chart_motion(c, t, u);
    c->still = 0.0;
    if (st != SARI_CHART_OK) return st;
    if (whole) sari_chart_multipliers(c);
    sari_chart_keep(c);
    return SARI_CHART_OK;
}

/* What is summed: pointers to it and how many numbers. */
typedef struct part {
    double* x;
    int count;
} part;

static int parts_of(const sari_chart* c, int whole, part out[9])
{
    int k = 0;
    out[k++] = (part){c->at.zd, c->d};
    out[k++] = (part){c->ud, c->d};
    out[k++] = (part){c->at.w, c->nw};
    if (!whole) return k;
    out[k++] = c->at.D ? (part){c->at.D, c->nw * c->d} : (part){c->at.T, c->n * c->d};
    out[k++] = (part){c->at.w_t, c->nw};
    out[k++] = (part){c->at.e, c->nw};
    out[k++] = (part){c->v, c->n};
    out[k++] = (part){c->a, c->n};
    out[k++] = (part){c->lambda, c->nh + c->mv};
    return k;
}

static void add(sari_chart* c, int whole, double factor)
{
    part parts[9];
    const int count = parts_of(c, whole, parts);
    double* sum = c->work.sums;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < parts[k].count; i++) *sum++ += factor * parts[k].x[i];
}

/* Sums of the rates over fewer pairs of places. */
static void add_lower(sari_chart* c, int k)
{
    const int d = c->d;
    for (int m = 0; m < LOWER; m++) {
        const int pairs = PAIRS - 1 - m;
        const double factor = k <= pairs ? weight(k, pairs) : 0.0;
        double* sum = c->work.lower + (ptrdiff_t)(2 * d * m);
        for (int j = 0; j < d; j++) {
            sum[j] += factor * c->at.zd[j];
            sum[d + j] += factor * c->ud[j];
        }
    }
}

/* Distance of two sums of rates, in radians by a radian of the motion. */
static double apart(const sari_chart* c, const double* a, const double* b)
{
    double most = 0.0;
    for (int j = 0; j < c->d; j++) {
        most = fmax(most, fabs(a[j] - b[j]));
        most = fmax(most, fabs(a[c->d + j] - b[c->d + j]) / c->Omega);
    }
    return most / (c->base.ell * c->Omega);
}

/* The error of the sum: what one more pair changed, and that falls from pair to pair unless rounding
 * keeps it up. */
static double error_of_sum(const sari_chart* c)
{
    const double* fewer = c->work.lower + (ptrdiff_t)(2 * c->d);
    const double last = apart(c, c->work.sums, c->work.lower),
                 before = apart(c, c->work.lower, fewer);
    return last < before ? last * (last / before) : last;
}

static void take_sums(sari_chart* c, int whole)
{
    part parts[9];
    const int count = parts_of(c, whole, parts);
    const double* sum = c->work.sums;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < parts[k].count; i++) parts[k].x[i] = *sum++;
}

/// A line across the singular set, as measured at its middle.
typedef struct line {
    double t;
    const double *z, *u, *along;
    double along_time, turn, slope, sigma, delta;
    double eps;   ///< between places
    int strictly; ///< none of them may be near another singular configuration
} line;

/* Do motions touch there, instead of crossing? sigma grows with the square of the distance then, and
 * places near each other may be on different ones. */
static int touches(const double near[2], const double far[2])
{
    const double LINEAR = 3.0; // where sigma would grow twofold
    return far[0] > LINEAR * near[0] && far[1] > LINEAR * near[1];
}

/* (12) with the distance eps between the places. */
static sari_chart_outcome sum_across(sari_chart* c, const line* l, int whole)
{
    part parts[9];
    const int count = parts_of(c, whole, parts);
    size_t numbers = 0;
    for (int k = 0; k < count; k++) numbers += (size_t)parts[k].count;
    memset(c->work.sums, 0, numbers * sizeof(double));
    memset(c->work.lower, 0, (size_t)(2 * LOWER * c->d) * sizeof(double));
    double* z = c->work.Z + (size_t)c->n * (size_t)c->d; // behind the scratch of the motion
    double sigma[PAIRS + 1][2];
    for (int k = 1; k <= PAIRS; k++)
        for (int side = -1; side <= 1; side += 2) {
            const double way = side * k * l->eps;
            for (int j = 0; j < c->d; j++) z[j] = l->z[j] + way * l->along[j];
            const double t = l->t + way * l->along_time;
            const sari_chart_outcome st = sari_chart_evaluate_here(c, t, z, l->u, whole, 0);
            if (st != SARI_CHART_OK) return st;
            if (l->strictly && c->singular.sigma < CLEAR * SARI_CHART_NEAR_RAD * l->slope)
                return SARI_CHART_NEAR;
            add(c, whole, weight(k, PAIRS));
            add_lower(c, k);
            sigma[k][side > 0] = c->singular.sigma;
        }
    c->touching = touches(sigma[PAIRS / 2], sigma[PAIRS]);
    return c->touching ? SARI_CHART_BRANCH : SARI_CHART_OK;
}

/* The place itself, with what was summed. 0: it is none of the mechanism. Where motions touch, instead
 * of crossing, places on both sides may be on different ones. */
static int complete(sari_chart* c, const line* l, int whole)
{
    double violation = 0.0;
    c->at.t = l->t;
    memcpy(c->at.z, l->z, (size_t)c->d * sizeof(double));
    c->engine->complete(c, whole);
    if (c->sys->slack.count) return 1;
    if (sari_equations_eval(c->sys, SARI_EVAL_PHI, l->t, c->q, NULL) != SAR_OK) return 0;
    for (int i = 0; i < c->nh; i++) violation = fmax(violation, fabs(c->row[i] * c->sys->Phi[i]));
    return violation < SOUND;
}

/* Rates from both sides. Returns their error; infinite: there are none. */
static double cross(sari_chart* c, const line* l, int whole)
{
    if (sum_across(c, l, whole) != SARI_CHART_OK) return INFINITY;
    const double error = error_of_sum(c);
    take_sums(c, whole);
    return complete(c, l, whole) ? error : INFINITY;
}

/* Rates where the mechanism is, without a sample at the other side: rounding is divided by sigma, twice
 * in accelerations. */
static double stay(sari_chart* c, const line* l, int whole)
{
    const sari_chart_outcome st = sari_chart_evaluate_here(c, l->t, l->z, l->u, whole, 0);
    return st == SARI_CHART_OK ? ROUNDING / (l->sigma * l->sigma) : INFINITY;
}

/* Where the rates change fast beside the singular configuration, places nearer to it are better, although
 * rounding is larger there, and outside of them the mechanism need not look across. Places farther
 * away are better where they avoid another singular configuration. */
static double try_way(sari_chart* c, line* l, int k, int whole)
{
    const double near = k <= NEARER ? ldexp(SARI_CHART_NEAR_RAD, -k) : SARI_CHART_NEAR_RAD;
    if (l->delta > near) return stay(c, l, whole);
    l->strictly = k > NEARER;
    l->eps = (near + l->delta) / l->turn * sari_pow(1.25, fmax(0, k - NEARER - 1));
    return cross(c, l, whole);
}

static sari_chart_outcome bridge(sari_chart* c, double t, const double* z, const double* u,
                                 int whole)
{
    enum { WAYS = 1 + NEARER + WIDER };
    double* keep = c->work.Z + (size_t)c->n * (size_t)c->d + (size_t)c->d; // z, u, along
    const size_t d = (size_t)c->d;
    memcpy(keep, z, d * sizeof(double));
    memcpy(keep + d, u, d * sizeof(double));
    memcpy(keep + 2 * d, c->singular.along, d * sizeof(double));
    line l = {t,
              keep,
              keep + d,
              keep + 2 * d,
              c->singular.along_time,
              c->singular.along_turn,
              c->singular.slope,
              c->singular.sigma,
              fmin(c->singular.delta, SARI_CHART_NEAR_RAD)};
    double least = INFINITY;
    int best = 0;
    c->touching = 0;
    for (int k = 0; k < WAYS && !c->touching; k++) {
        const double error = try_way(c, &l, k, whole);
        if (error <= c->tolerance) return SARI_CHART_OK;
        if (error < least) least = error, best = k;
    }
    if (!c->touching && isfinite(least) && isfinite(try_way(c, &l, best, whole)))
        return SARI_CHART_OK;
    c->rough = 1;
    return sari_chart_evaluate_here(c, l.t, l.z, l.u, whole, 0);
}

/* Also places that were too near. Of several at one time the last counts: iterations converge. */
static void watch(sari_chart* c, double t)
{
    const int most = (int)(sizeof c->watch.at / sizeof *c->watch.at);
    int k = 0;
    while (k < c->watch.count && c->watch.at[k].t != t) k++;
    if (c->r == 0 || k == most) return;
    c->watch.at[k] = c->engine->measure(c, t);
    if (k == c->watch.count) c->watch.count++;
}

sari_chart_outcome sari_chart_evaluate(sari_chart* c, double t, const double* z, const double* u,
                                       int whole)
{
    sari_chart_outcome st = sari_chart_evaluate_here(c, t, z, u, whole, 1);
    watch(c, t);
    c->rough = 0;
    c->bridged = st != SARI_CHART_OK && c->singular.measured &&
                 c->singular.delta < RESCUE * SARI_CHART_NEAR_RAD;
    if (c->bridged) st = bridge(c, t, z, u, whole);
    if (st != SARI_CHART_OK) c->failure = st, c->failed_at = t;
    return st;
}
