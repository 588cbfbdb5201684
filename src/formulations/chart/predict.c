/* From places of the chart that are known to one nearby: equation (2) of chart.c, and with a second
 * place, at z + Delta, the polynomial that has w and its slopes at both,
 *
 *     w(x),   x = dz . Delta / Delta^2,   w' = D Delta,   w'' = e tau^2                      (1)
 *
 * where tau is the time that the motion takes for Delta. Where z is one number the second derivatives
 * count too: degree 5; else they do not lie along Delta: degree 3, and D dz of what is beside the line. Time
 * beside it, as between places of one time, counts with its second derivative: where a drive turns back
 * there is nothing else. */
#include "formulations/chart/rows.h"

#include <math.h>

#define APART 0.5 // of the way: two points that are not one

/// The nearest point, and the nearest one that lies apart from it; NULL: there is none.
typedef struct pair {
    const sari_chart_point *p, *s;
} pair;

/* The square of the way from p: of z, and where constraints depend on time of what that moves. */
static double distance2(const sari_chart* c, const int timed, const sari_chart_point* p, double t,
                        const double* z)
{
    double square = 0.0;
    for (int j = 0; j < c->d; j++) square += (z[j] - p->z[j]) * (z[j] - p->z[j]);
    if (timed) square += (t - p->t) * (t - p->t) * sari_vector_dot(c->r, p->w_t, p->w_t);
    return square;
}

static pair nearest(const sari_chart* c, const int timed, double t, const double* z)
{
    double away[SARI_CHART_POINTS], least = INFINITY, second = INFINITY;
    pair found = {&c->cache.point[0], NULL};
    for (int k = 0; k < c->cache.points; k++) {
        away[k] = distance2(c, timed, &c->cache.point[k], t, z);
        if (away[k] < least) least = away[k], found.p = &c->cache.point[k];
    }
    for (int k = 0; k < c->cache.points; k++) {
        const sari_chart_point* s = &c->cache.point[k];
        if (!(away[k] < second) || s == found.p) continue;
        if (distance2(c, timed, found.p, s->t, s->z) > APART * APART * least)
            second = away[k], found.s = s;
    }
    return found;
}

/* How long the motion at p takes to go by dz: (2) of chart.c. */
static double time_of(const sari_chart* c, const int timed, const sari_chart_point* p, double dt,
                      const double* dz)
{
    if (timed) return dt;
    const double speed2 = sari_vector_dot(c->d, p->zd, p->zd),
                 way = sari_vector_dot(c->d, p->zd, dz);
    return speed2 > 0.0 ? way / speed2 : 0.0;
}

/* (2) of chart.c: dw of row i */
static double from_one(const sari_chart* c, const sari_chart_point* p, int i, double dt, double tau)
{
    return p->w_t[i] * dt + 0.5 * p->e[i] * tau * tau +
           sari_vector_dot(c->d, p->D + i * c->d, c->work.z_way);
}

/// A line through two places of the chart.
typedef struct line {
    const sari_chart_point *p, *s;
    double x, dt, dt_beside;
    double tau_p, tau_s; ///< the motion's time for the whole of it; 0: not along it
} line;

/* The line from p to s, in c->work.z_line, and where on it z is; what is beside it in c->work.z_way. */
static line line_through(sari_chart* c, const int timed, const sari_chart_point* p,
                         const sari_chart_point* s, double t)
{
    const int d = c->d;
    const double dt = timed ? s->t - p->t : 0.0;
    const double weight = timed ? sari_vector_dot(c->r, p->w_t, p->w_t) : 0.0;
    double along = weight * dt * (t - p->t), whole = weight * dt * dt;
    for (int j = 0; j < d; j++) {
        c->work.z_line[j] = s->z[j] - p->z[j];
        along += c->work.z_line[j] * c->work.z_way[j];
        whole += c->work.z_line[j] * c->work.z_line[j];
    }
    line l = {p, s, whole > 0.0 ? along / whole : 0.0, dt, 0.0, 0.0, 0.0};
    for (int j = 0; j < d; j++) c->work.z_way[j] -= l.x * c->work.z_line[j];
    if (timed) l.dt_beside = t - p->t - l.x * dt;
    if (d + timed == 1) {
        l.tau_p = time_of(c, timed, p, dt, c->work.z_line);
        l.tau_s = time_of(c, timed, s, dt, c->work.z_line);
    }
    return l;
}

/* (1) of row i */
static double from_two(const sari_chart* c, const int timed, const line* l, int i)
{
    const int d = c->d;
    const sari_chart_point *p = l->p, *s = l->s;
    const double *D_p = p->D + (size_t)(i * d), *D_s = s->D + (size_t)(i * d), x = l->x;
    double a1 = timed ? p->w_t[i] * l->dt : 0.0, b1 = timed ? s->w_t[i] * l->dt : 0.0;
    const double rate = timed ? (1.0 - x) * p->w_t[i] + x * s->w_t[i] : 0.0;
    double beside = l->dt_beside * (rate + 0.5 * p->e[i] * l->dt_beside);
    for (int j = 0; j < d; j++) {
        a1 += D_p[j] * c->work.z_line[j];
        b1 += D_s[j] * c->work.z_line[j];
        beside += ((1.0 - x) * D_p[j] + x * D_s[j]) * c->work.z_way[j];
    }
    const double u = s->w[i] - p->w[i] - a1, v = b1 - a1;
    const double a2 = p->e[i] * l->tau_p * l->tau_p, b2 = s->e[i] * l->tau_s * l->tau_s;
    // slopes and curvatures have to agree but for what curvatures change on the way
    if (l->tau_p == 0.0 || l->tau_s == 0.0 || fabs(v - 0.5 * (a2 + b2)) > 0.25 * fabs(v))
        return beside + x * (a1 + x * (3.0 * u - v + x * (v - 2.0 * u)));
    const double f = u - 0.5 * a2, g = v - a2, k = b2 - a2;
    const double c3 = 10.0 * f - 4.0 * g + 0.5 * k, c4 = 7.0 * g - 15.0 * f - k,
                 c5 = 6.0 * f - 3.0 * g + 0.5 * k;
    return beside + x * (a1 + x * (0.5 * a2 + x * (c3 + x * (c4 + x * c5))));
}

static sari_chart_prediction predict(sari_chart* c, const int timed, double t, const double* z)
{
    const pair known = nearest(c, timed, t, z);
    const sari_chart_point *p = known.p, *s = known.s;
    const double dt = timed ? t - p->t : 0.0;
    double dz2 = 0.0, dw2 = 0.0;
    for (int j = 0; j < c->d; j++) {
        c->work.z_way[j] = z[j] - p->z[j];
        dz2 += c->work.z_way[j] * c->work.z_way[j];
    }
    const double tau = time_of(c, timed, p, dt, c->work.z_way);
    const int alone = !s || (dz2 == 0.0 && dt == 0.0);
    const line l = alone ? (line){0} : line_through(c, timed, p, s, t);
    for (int i = 0; i < c->r; i++) {
        const double dw = alone ? from_one(c, p, i, dt, tau) : from_two(c, timed, &l, i);
        c->at.w[i] = c->work.w_predicted[i] = p->w[i] + dw;
        dw2 += dw * dw;
    }
    return (sari_chart_prediction){p, sqrt(dz2) + sqrt(dw2), tau};
}

sari_chart_prediction sari_chart_predict(sari_chart* c, double t, const double* z)
{
    return predict(c, c->sys->rheonomic, t, z);
}
