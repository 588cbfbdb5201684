/* Rates across singular positions: a sum over places on both sides, equation (12) of chart.c. */
#include "formulations/chart.h"

#include <math.h>
#include <string.h>

enum { PAIRS = 6, WIDER = 5 };

static const double NEAR = 0.012;  ///< [rad] as in chart_geometry.c
static const double RESCUE = 3.0;  ///< times that: where a failure is laid to the singular position
static const double SOUND = 1e-11; ///< [rad] violation of constraints by what was summed
static const double CLEAR = 0.5;   ///< of sigma at that distance: a place with less is no good

/* c_k = 1/2 prod_{j != k} j^2 / (j^2 - k^2): even polynomials of degree 2 PAIRS - 2 are exact. */
static double weight(int k)
{
    double product = 0.5;
    for (int j = 1; j <= PAIRS; j++)
        if (j != k) product *= (double)(j * j) / (j * j - k * k);
    return product;
}

void sari_chart_keep(sari_chart* c)
{
    sari_chart_point* p;
    if (c->points < SARI_CHART_POINTS) {
        p = &c->point[c->points++];
    } else { // the base stays
        c->oldest = c->oldest % (SARI_CHART_POINTS - 1) + 1;
        p = &c->point[c->oldest];
    }
    const size_t d = (size_t)c->d * sizeof(double), w = (size_t)c->nw * sizeof(double);
    p->t = c->at.t;
    if (c->point_size) {
        memcpy(p->z, c->at.z, c->point_size * sizeof(double));
        return;
    }
    memcpy(p->z, c->at.z, d);
    memcpy(p->zd, c->at.zd, d);
    memcpy(p->w, c->at.w, w);
    memcpy(p->w_t, c->at.w_t, w);
    memcpy(p->e, c->at.e, w);
    memcpy(p->T, c->at.T, d * (size_t)c->n);
}

/* Geometry and motion at the place itself. */
sari_chart_outcome sari_chart_evaluate_here(sari_chart* c, double t, const double* z,
                                            const double* u, int whole, int carefully)
{
    sari_chart_outcome st = sari_chart_geometry(c, t, z, carefully);
    if (st == SARI_CHART_OK) st = sari_chart_motion(c, t, u);
    c->evaluations++;
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
    double* sum = c->sums;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < parts[k].count; i++) *sum++ += factor * parts[k].x[i];
}

static void take_sums(sari_chart* c, int whole)
{
    part parts[9];
    const int count = parts_of(c, whole, parts);
    const double* sum = c->sums;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < parts[k].count; i++) parts[k].x[i] = *sum++;
}

/// A line across the singular set, as measured at its middle.
typedef struct line {
    double t;
    const double *z, *u, *along;
    double along_time, eps, slope;
} line;

/* Do motions touch there, instead of crossing? sigma grows with the square of the distance then, and
 * places near each other may be on different ones. */
static int touches(const double near[2], const double far[2])
{
    const double LINEAR = 3.0; // where sigma would grow twofold
    return far[0] > LINEAR * near[0] && far[1] > LINEAR * near[1];
}

/* (12) with the distance eps between the places. `strictly`: none of them may be near another
 * singular position. */
static sari_chart_outcome sum_across(sari_chart* c, const line* l, int whole, int strictly)
{
    part parts[9];
    const int count = parts_of(c, whole, parts);
    size_t numbers = 0;
    for (int k = 0; k < count; k++) numbers += (size_t)parts[k].count;
    memset(c->sums, 0, numbers * sizeof(double));
    double* z = c->Z + (size_t)c->n * (size_t)c->d; // behind the scratch of the motion
    double sigma[PAIRS + 1][2];
    for (int k = 1; k <= PAIRS; k++)
        for (int side = -1; side <= 1; side += 2) {
            const double way = side * k * l->eps;
            for (int j = 0; j < c->d; j++) z[j] = l->z[j] + way * l->along[j];
            const double t = l->t + way * l->along_time;
            const sari_chart_outcome st = sari_chart_evaluate_here(c, t, z, l->u, whole, 0);
            if (st != SARI_CHART_OK) return st;
            if (strictly && c->sigma < CLEAR * NEAR * l->slope) return SARI_CHART_NEAR;
            add(c, whole, weight(k));
            sigma[k][side > 0] = c->sigma;
        }
    c->touching = touches(sigma[PAIRS / 2], sigma[PAIRS]);
    return c->touching ? SARI_CHART_BRANCH : SARI_CHART_OK;
}

/* The place itself, with what was summed. 0: it is none of the mechanism. Where motions touch, instead
 * of crossing, places on both sides may be on different ones. */
static int settle(sari_chart* c, const line* l, int whole)
{
    double violation = 0.0;
    c->at.t = l->t;
    memcpy(c->at.z, l->z, (size_t)c->d * sizeof(double));
    c->engine->settle(c, whole);
    if (c->sys->slack.count) return 1;
    sari_equations_eval(c->sys, SARI_EVAL_PHI, l->t, c->q, NULL);
    for (int i = 0; i < c->nh; i++) violation = fmax(violation, fabs(c->row[i] * c->sys->Phi[i]));
    return violation < SOUND;
}

static sari_chart_outcome bridge(sari_chart* c, double t, const double* z, const double* u,
                                 int whole)
{
    double* keep = c->Z + (size_t)c->n * (size_t)c->d + (size_t)c->d; // z, u, along
    const size_t d = (size_t)c->d;
    memcpy(keep, z, d * sizeof(double));
    memcpy(keep + d, u, d * sizeof(double));
    memcpy(keep + 2 * d, c->along, d * sizeof(double));
    line l = {t, keep, keep + d, keep + 2 * d, c->along_time, 0.0, c->slope};
    l.eps = (NEAR + fmin(c->delta, NEAR)) / c->along_turn;
    sari_chart_outcome st = SARI_CHART_NEAR;
    c->bridges++;
    c->touching = 0;
    for (int k = 0; k < WIDER && st != SARI_CHART_OK && !c->touching; k++, l.eps *= 1.25)
        st = sum_across(c, &l, whole, 1);
    if (st != SARI_CHART_OK && !c->touching) st = sum_across(c, &l, whole, 0);
    if (st == SARI_CHART_OK) take_sums(c, whole);
    if (st == SARI_CHART_OK && settle(c, &l, whole)) return SARI_CHART_OK;
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
    c->bridged = st != SARI_CHART_OK && c->measured && c->delta < RESCUE * NEAR;
    if (c->bridged) st = bridge(c, t, z, u, whole);
    if (st != SARI_CHART_OK) c->failure = st, c->failed_at = t;
    return st;
}
