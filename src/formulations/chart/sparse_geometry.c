/* The constraints solved at a place of the sparse chart: equations (1) to (4) of chart.c, with the
 * vectors of chart/sparse.h. */
#include "formulations/chart/sparse.h"

#include "linalg/sym_tools.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 14, REFINEMENTS = 4 };
enum { FEW = 3 }; ///< motions whose tangents cost no more than a correction

// as in chart/geometry.c
static const double ROUNDED = 1e-13; ///< [rad] corrections that leave a tangent as it is
static const double STRAY = 0.3;     ///< of the way: a correction of more leads to another branch
static const double SWERVE = 0.97;   ///< cosine: so does a larger angle

static double row_dot(const sari_chart* c, const double* X, int i, const double* z)
{
    return sari_vector_dot(c->d, X + (size_t)i * (size_t)c->d, z);
}

/* ---- the place ------------------------------------------------------------------------------ */

static double distance2(sari_chart* c, const sari_chart_point* p, double t, const double* z)
{
    double square = 0.0;
    for (int j = 0; j < c->d; j++) square += (z[j] - p->z[j]) * (z[j] - p->z[j]);
    if (c->sys->rheonomic) {
        const double way = (t - p->t) * sari_chart_sparse_length(c, p->w_t);
        square += way * way;
    }
    return square;
}

static const sari_chart_point* nearest(sari_chart* c, double t, const double* z)
{
    const sari_chart_point* best = &c->cache.point[0];
    double least = INFINITY;
    for (int k = 0; k < c->cache.points; k++) {
        const double square = distance2(c, &c->cache.point[k], t, z);
        if (square < least) least = square, best = &c->cache.point[k];
    }
    return best;
}

/* How long ago the motion was at p, as far as it goes from there to z. */
static double time_from(const sari_chart* c, const sari_chart_point* p, double t, const double* z)
{
    if (c->sys->rheonomic) return t - p->t;
    double speed2 = 0.0, way = 0.0;
    for (int j = 0; j < c->d; j++) {
        speed2 += p->zd[j] * p->zd[j];
        way += p->zd[j] * (z[j] - p->z[j]);
    }
    return speed2 > 0.0 ? way / speed2 : 0.0;
}

/* q for the present z and w. */
static void go(sari_chart* c)
{
    for (int i = 0; i < c->n; i++)
        c->q[i] = c->base.q[i] + (row_dot(c, c->base.V, i, c->at.z) + c->at.w[i]);
}

/* (2). Returns the length of the way from p: |dz| + |dw|. */
static double predict(sari_chart* c, const sari_chart_point* p, double t, const double* z)
{
    const double tau = time_from(c, p, t, z), dt = c->sys->rheonomic ? t - p->t : 0.0;
    double *dz = c->work.drop, *dw = c->work.vector, square = 0.0;
    for (int j = 0; j < c->d; j++) {
        dz[j] = z[j] - p->z[j];
        square += dz[j] * dz[j];
    }
    for (int i = 0; i < c->n; i++) {
        dw[i] = row_dot(c, p->T, i, dz) - row_dot(c, c->base.V, i, dz) + p->w_t[i] * dt +
                0.5 * p->e[i] * tau * tau;
        c->at.w[i] = c->work.w_predicted[i] = p->w[i] + dw[i];
    }
    return sqrt(square) + sari_chart_sparse_length(c, dw);
}

/* N as the system is evaluated, and sigma. Returns the tangents that serve corrections: those of a
 * place nearby where there are many, and then what they leave is for the next correction. */
static const double* factor(sari_chart* c, const double* T_nearby)
{
    if (c->sparse->reselect) sari_chart_sparse_select(c, T_nearby);
    (void)sari_chart_sparse_factor(c, 1.0, 0);
    sari_chart_sparse_smallest(c);
    c->factors++;
    return c->d <= FEW && sari_chart_sparse_tangents(c, 0) ? c->at.T : T_nearby;
}

/* x = what (s1) gives for -row b, as far as T goes. */
static void solve(sari_chart* c, const double* b, int passes, const double* T, double* x)
{
    for (int i = 0; i < c->nh; i++) c->work.rhs[i] = -c->row[i] * b[i];
    sari_chart_sparse_solve(c, 1, c->work.rhs, passes, x);
    sari_chart_sparse_complement(c, 1, T, x);
}

/* Newton's method for w, (3), as in chart/geometry.c. */
static sari_chart_outcome iterate(sari_chart* c, double t, double way, const double* T,
                                  const double* T_nearby)
{
    const double farthest = 0.5 * c->base.ell + 2.0 * way;
    double last = INFINITY, *dw = c->x;
    for (int k = 0, fresh = 1; k < ITERATIONS; k++) {
        solve(c, c->sys->Phi, 0, T, dw);
        const double size = sari_chart_sparse_length(c, dw);
        if (!(size <= farthest)) return SARI_CHART_LOST;
        const double noise = 3e-16 * c->base.ell * c->singular.sigma_usual /
                             fmin(c->singular.sigma, c->singular.sigma_usual);
        for (int i = 0; i < c->n; i++) c->at.w[i] += dw[i];
        if (size > 0.0) go(c);
        const int rounded = size <= fmax(ROUNDED * c->base.ell, noise);
        if (fresh && (rounded || (size < c->stalled * c->base.ell && size >= 0.5 * last)))
            return SARI_CHART_OK;
        fresh = rounded || size > 0.3 * last;
        last = size;
        const unsigned what = fresh ? SARI_EVAL_JACOBIAN : SARI_EVAL_PHI;
        if (sari_equations_eval(c->sys, what, t, c->q, NULL) != SAR_OK) return SARI_CHART_UNDEFINED;
        if (fresh) T = factor(c, T_nearby);
    }
    return SARI_CHART_LOST;
}

/* T and w_t, (4), to rounding. */
static int set_tangents(sari_chart* c)
{
    if (!sari_chart_sparse_tangents(c, REFINEMENTS)) return 0;
    if (c->sys->rheonomic)
        solve(c, c->sys->Phi_t, REFINEMENTS, c->at.T, c->at.w_t);
    else
        memset(c->at.w_t, 0, (size_t)c->n * sizeof(double));
    return 1;
}

/* Does w, or where it is going, differ from what was predicted by more than a smooth surface does?
 */
static int left_branch(sari_chart* c, const sari_chart_point* p, double t, double way)
{
    double *off = c->work.vector, *now = c->sparse->now, *then = c->sparse->then;
    const double tau = time_from(c, p, t, c->at.z);
    for (int i = 0; i < c->n; i++) {
        off[i] = c->at.w[i] - c->work.w_predicted[i];
        now[i] = row_dot(c, c->at.T, i, p->zd) + c->at.w_t[i];
        then[i] = row_dot(c, p->T, i, p->zd) + p->w_t[i] + p->e[i] * tau;
    }
    if (sari_chart_sparse_length(c, off) > STRAY * way + c->stalled * c->base.ell) return 1;
    const double before = sari_chart_sparse_length(c, then),
                 after = sari_chart_sparse_length(c, now);
    const double product = sari_vector_dot(c->n, then, c->sparse->Gx); // Gx is that of `now`
    return before > 0.0 && after > 0.0 && product < SWERVE * before * after;
}

sari_chart_outcome sari_chart_sparse_geometry(sari_chart* c, double t, const double* z,
                                              int carefully)
{
    const sari_chart_point* p = nearest(c, t, z);
    c->at.t = t;
    c->singular.measured = 0;
    c->singular.delta = INFINITY;
    memcpy(c->at.z, z, (size_t)c->d * sizeof(double));
    const double way = predict(c, p, t, z);
    go(c);
    if (sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, t, c->q, NULL) != SAR_OK)
        return SARI_CHART_UNDEFINED;
    const double* T = factor(c, p->T);
    if (carefully && sari_chart_is_near(c, t, p, 0.7)) return SARI_CHART_NEAR;
    const sari_chart_outcome reached = iterate(c, t, way, T, p->T);
    if (reached != SARI_CHART_OK) return reached;
    if (carefully && sari_chart_is_near(c, t, p, 1.0)) return SARI_CHART_NEAR;
    if (c->sys->rheonomic && sari_equations_eval(c->sys, SARI_EVAL_PHI_T, t, c->q, NULL) != SAR_OK)
        return SARI_CHART_UNDEFINED;
    if (!set_tangents(c)) return SARI_CHART_LOST;
    return left_branch(c, p, t, way) ? SARI_CHART_BRANCH : SARI_CHART_OK;
}
