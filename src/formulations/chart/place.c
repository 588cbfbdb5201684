/* The constraints solved at a place of the chart: (2) to (4) of chart.c, over the algebra (dense or sparse). */
#include "formulations/chart/limits.h"

#include <math.h>
#include <string.h>

/* Phi_q is going to be that of the present place. */
static void hold(sari_chart* c)
{
    if (c->turns) return;
    for (int i = 0; i < c->n; i++) c->q_rows[i] = c->q[i];
}

/* Turns are found from where the last place was: not from this one. */
static sari_chart_outcome diverge(sari_chart* c)
{
    memcpy(c->q, c->base.q, (size_t)c->np * sizeof(double));
    return SARI_CHART_LOST;
}

/* Newton's method for w, (3). The factors are those of the prediction, or of where it leads if that is
 * far; what they miss at the end, a few steps of refinement make up for. Where factors cost much more than
 * corrections (`lazy`), they are renewed where corrections fall slowly, and at the end. */
static sari_chart_outcome iterate(sari_chart* c, double t, const sari_chart_prediction* from,
                                  const int tangents)
{
    const sari_chart_engine* algebra = c->engine;
    const double ell = c->base.ell, farthest = 0.5 * ell + 2.0 * from->way, SLOW = 0.3;
    const int lazy = algebra->lazy;
    double last = INFINITY, moved = 0.0;
    for (int k = 0, here = 1; k < SARI_CHART_ITERATIONS; k++) {
        const double size = algebra->correct(c);
        if (!(size <= farthest)) return diverge(c);
        const int rounded = sari_chart_rounded(c, size);
        if (size > 0.0) algebra->go(c);
        const double stale = sari_chart_staleness(c, moved);
        const int still = lazy ? rounded : sari_chart_is_still(c, size) || (k && rounded);
        if (here && (still || (size < c->stalled * ell && size >= 0.5 * last))) {
            c->refinements = moved == 0.0 ? 0 : stale < SARI_CHART_HALF ? 1 : 2;
            return SARI_CHART_OK;
        }
        moved += size;
        const double after = sari_chart_staleness(c, moved), next = after * size;
        if (!tangents && next < SARI_CHART_CONVERGED * ell) return SARI_CHART_OK;
        const int anew = lazy ? rounded || size > SLOW * last : after > SARI_CHART_STALE;
        here = anew || (!lazy && (rounded || sari_chart_is_still(c, next) ||
                                  !(next > algebra->rounded * ell)));
        last = size;
        hold(c);
        const unsigned what = here ? SARI_EVAL_JACOBIAN : SARI_EVAL_PHI;
        if (sari_equations_eval(c->sys, what, t, c->q, NULL) != SAR_OK) return SARI_CHART_UNDEFINED;
        if (!anew) continue;
        algebra->factor(c, from->point);
        moved = 0.0;
    }
    return diverge(c);
}

/* q for what is predicted, and the factors there. 0: rows have no value. */
static int begin(sari_chart* c, double t, const sari_chart_point* from)
{
    c->engine->go(c);
    hold(c);
    if (c->r == 0 && !c->engine->lazy) return 1;
    if (sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, t, c->q, NULL) != SAR_OK) return 0;
    c->engine->factor(c, from);
    return 1;
}

static void set_place(sari_chart* c, double t, const double* z)
{
    c->at.t = t;
    c->singular.measured = c->refinements = 0;
    c->singular.delta = INFINITY;
    for (int j = 0; j < c->d; j++) c->at.z[j] = z[j];
}

/* The place alone: w and q. */
static sari_chart_outcome find_place(sari_chart* c, double t, const double* z, int carefully,
                                     const int tangents, sari_chart_prediction* from)
{
    set_place(c, t, z);
    *from = c->engine->predict(c, t, z);
    if (!begin(c, t, from->point)) return SARI_CHART_UNDEFINED;
    if (c->r == 0 && !c->engine->lazy) return SARI_CHART_OK;
    const long factors = c->factors;
    if (carefully && sari_chart_is_near(c, t, from->point, 0.7)) return SARI_CHART_NEAR;
    const sari_chart_outcome reached = iterate(c, t, from, tangents);
    if (reached != SARI_CHART_OK || !carefully) return reached;
    const int near = c->factors > factors ? sari_chart_is_near(c, t, from->point, 1.0)
                                          : c->singular.delta < SARI_CHART_NEAR_RAD;
    return near ? SARI_CHART_NEAR : SARI_CHART_OK;
}

/* D, T and w_t: (4) */
static sari_chart_outcome set_tangents(sari_chart* c, double t)
{
    if (c->sys->rheonomic &&
        sari_equations_eval(c->sys, SARI_EVAL_PHI_T, t, sari_chart_evaluated(c), NULL) != SAR_OK)
        return SARI_CHART_UNDEFINED;
    return c->engine->set_tangents(c) ? SARI_CHART_OK : SARI_CHART_LOST;
}

sari_chart_outcome sari_chart_find(sari_chart* c, double t, const double* z, int carefully,
                                   sari_chart_aim purpose)
{
    sari_chart_prediction from;
    sari_chart_outcome st = find_place(c, t, z, carefully, purpose != SARI_CHART_PLACE, &from);
    if (st != SARI_CHART_OK) return st;
    if (purpose == SARI_CHART_PLACE)
        return sari_chart_strayed(c, &from) ? SARI_CHART_BRANCH : SARI_CHART_OK;
    if (purpose == SARI_CHART_SIGMA) {
        sari_chart_refresh(c);
        return SARI_CHART_OK;
    }
    st = set_tangents(c, t);
    if (st != SARI_CHART_OK) return st;
    return c->engine->left_branch(c, &from) ? SARI_CHART_BRANCH : SARI_CHART_OK;
}

sari_chart_outcome sari_chart_meet(sari_chart* c, double t, const double* z, int whole)
{
    sari_chart_prediction from = {&c->cache.point[0], 0.0, 0.0};
    set_place(c, t, z);
    for (int i = 0; i < c->r; i++) c->at.w[i] = c->work.w_predicted[i];
    from.way = sari_vector_norm(c->d, z) + sari_vector_norm(c->r, c->at.w);
    if (!begin(c, t, from.point)) return SARI_CHART_UNDEFINED;
    if (c->r && !(c->singular.sigma >= SARI_CHART_GATE * c->singular.sigma_usual))
        return SARI_CHART_NEAR; // the distance would take as long as all the rest
    sari_chart_outcome st = c->r ? iterate(c, t, &from, whole) : SARI_CHART_OK;
    if (st != SARI_CHART_OK) return st;
    if (sari_chart_strayed(c, &from)) return SARI_CHART_BRANCH;
    if (!whole) return SARI_CHART_OK;
    st = set_tangents(c, t);
    // bodies are placed where the rows were evaluated: what is evaluated of them costs less there
    if (st == SARI_CHART_OK && c->refinements == 0 && !c->turns)
        memcpy(c->q, c->q_rows, (size_t)c->n * sizeof(double));
    return st;
}

void sari_chart_refresh(sari_chart* c)
{
    if (c->refinements) c->engine->factor(c, NULL);
}
