/* The sparse algebra of a place: equations (1) to (4) of chart.c, with the vectors of chart/sparse.h. */
#include "formulations/chart/sparse.h"

#include "linalg/sym_tools.h"

#include <math.h>
#include <string.h>

enum { REFINEMENTS = 4 };
enum { FEW = 3 }; ///< motions whose tangents cost no more than a correction

// as in chart/limits.h
static const double STRAY = 0.3;   ///< of the way: a correction of more leads to another branch
static const double SWERVE = 0.97; ///< cosine: so does a larger angle

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
void sari_chart_sparse_go(sari_chart* c)
{
    for (int i = 0; i < c->n; i++)
        c->q[i] = c->base.q[i] + (row_dot(c, c->base.V, i, c->at.z) + c->at.w[i]);
}

/* (2) */
sari_chart_prediction sari_chart_sparse_predict(sari_chart* c, double t, const double* z)
{
    const sari_chart_point* p = nearest(c, t, z);
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
    return (sari_chart_prediction){p, sqrt(square) + sari_chart_sparse_length(c, dw), tau};
}

/* N as the system is evaluated, and sigma; and the tangents that serve corrections: those of a place nearby
 * where there are many, and then what they leave is for the next correction. */
void sari_chart_sparse_renew(sari_chart* c, const sari_chart_point* from)
{
    if (from && c->sparse->reselect) sari_chart_sparse_select(c, from->T);
    (void)sari_chart_sparse_factor(c, 1.0, 0);
    sari_chart_sparse_smallest(c);
    c->factors++;
    c->refinements = 0;
    if (from)
        c->sparse->along = c->d <= FEW && sari_chart_sparse_tangents(c, 0) ? c->at.T : from->T;
}

/* x = what (s1) gives for -row b, as far as T goes. */
static void solve(sari_chart* c, const double* b, int passes, const double* T, double* x)
{
    for (int i = 0; i < c->nh; i++) c->work.rhs[i] = -c->row[i] * b[i];
    sari_chart_sparse_solve(c, 1, c->work.rhs, passes, x);
    sari_chart_sparse_complement(c, 1, T, x);
}

double sari_chart_sparse_correct(sari_chart* c)
{
    double* dw = c->x;
    solve(c, c->sys->Phi, 0, c->sparse->along, dw);
    for (int i = 0; i < c->n; i++) c->at.w[i] += dw[i];
    return sari_chart_sparse_length(c, dw);
}

/* T and w_t, (4), to rounding. */
int sari_chart_sparse_set_tangents(sari_chart* c)
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
int sari_chart_sparse_left_branch(sari_chart* c, const sari_chart_prediction* from)
{
    double *off = c->work.vector, *now = c->sparse->now, *then = c->sparse->then;
    const sari_chart_point* p = from->point;
    for (int i = 0; i < c->n; i++) {
        off[i] = c->at.w[i] - c->work.w_predicted[i];
        now[i] = row_dot(c, c->at.T, i, p->zd) + c->at.w_t[i];
        then[i] = row_dot(c, p->T, i, p->zd) + p->w_t[i] + p->e[i] * from->tau;
    }
    if (sari_chart_sparse_length(c, off) > STRAY * from->way + c->stalled * c->base.ell) return 1;
    const double before = sari_chart_sparse_length(c, then),
                 after = sari_chart_sparse_length(c, now);
    const double product = sari_vector_dot(c->n, then, c->sparse->Gx); // Gx is that of `now`
    return before > 0.0 && after > 0.0 && product < SWERVE * before * after;
}
