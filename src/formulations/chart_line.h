/* Prediction of a place from two that are known, where z is one number and nothing else counts: the
 * polynomial of degree 5 of (1) in chart_predict.c. */
#ifndef SARI_CHART_LINE_H
#define SARI_CHART_LINE_H

#include "formulations/chart_sized.h"

#include <math.h>

#define SARI_CHART_APART 0.5 ///< of the way: two places that are not one

/// The nearest place, and the nearest one that lies apart from it; NULL: there is none.
typedef struct sari_chart_pair {
    const sari_chart_point *p, *s;
} sari_chart_pair;

/* z is one number, and nothing else counts. */
SARI_INLINE sari_chart_pair sari_chart_nearest_on_line(const sari_chart* c, double z)
{
    const double* at = c->point[0].z;
    const size_t stride = c->point_size;
    double least = INFINITY, second = INFINITY;
    int p = -1, s = -1;
    for (int k = 0; k < c->points; k++, at += stride) { // without branches, which nobody foretells
        const double away = fabs(*at - z);
        const int nearest = away < least, next = away < second;
        s = nearest ? p : next ? k : s;
        second = nearest ? least : next ? away : second;
        p = nearest ? k : p;
        least = nearest ? away : least;
    }
    at = c->point[0].z;
    const double centre = at[(size_t)p * stride], apart = SARI_CHART_APART * least;
    if (s < 0 || fabs(at[(size_t)s * stride] - centre) > apart)
        return (sari_chart_pair){&c->point[p], s < 0 ? NULL : &c->point[s]};
    second = INFINITY, s = -1;
    for (int k = 0; k < c->points; k++) {
        const double there = at[(size_t)k * stride], away = fabs(there - z);
        if (away < second && k != p && fabs(there - centre) > apart) second = away, s = k;
    }
    return (sari_chart_pair){&c->point[p], s < 0 ? NULL : &c->point[s]};
}

/* w of row i at x of the way from p to s, but for that of p. */
SARI_INLINE double sari_chart_from_two_on_line(const sari_chart_pair* of, double way, double tau_p,
                                               double tau_s, double x, int i)
{
    const sari_chart_point *p = of->p, *s = of->s;
    const double a1 = p->D[i] * way, b1 = s->D[i] * way;
    const double u = s->w[i] - p->w[i] - a1, v = b1 - a1;
    const double a2 = p->e[i] * tau_p * tau_p, b2 = s->e[i] * tau_s * tau_s;
    const double f = u - 0.5 * a2, g = v - a2, k = b2 - a2;
    // slopes and curvatures have to agree but for what curvatures change on the way
    if (fabs(v - 0.5 * (a2 + b2)) > 0.25 * fabs(v))
        return x * (a1 + x * (3.0 * u - v + x * (v - 2.0 * u)));
    const double c3 = 10.0 * f - 4.0 * g + 0.5 * k, c4 = 7.0 * g - 15.0 * f - k,
                 c5 = 6.0 * f - 3.0 * g + 0.5 * k;
    return x * (a1 + x * (0.5 * a2 + x * (c3 + x * (c4 + x * c5))));
}

SARI_INLINE sari_chart_prediction sari_chart_predict_on_line(sari_chart* c, const int r, double z)
{
    const sari_chart_pair known = sari_chart_nearest_on_line(c, z);
    const sari_chart_point *p = known.p, *s = known.s;
    const double dz = z - p->z[0], tau = p->zd[0] != 0.0 ? dz / p->zd[0] : 0.0;
    const int both = s && dz != 0.0 && p->zd[0] != 0.0 && s->zd[0] != 0.0;
    const double way = both ? s->z[0] - p->z[0] : 1.0, x = dz / way,
                 tau_p = both ? way / p->zd[0] : 0.0, tau_s = both ? way / s->zd[0] : 0.0;
    double dw2 = 0.0;
    for (int i = 0; i < r; i++) {
        const double dw = both ? sari_chart_from_two_on_line(&known, way, tau_p, tau_s, x, i)
                               : p->D[i] * dz + 0.5 * p->e[i] * tau * tau;
        c->at.w[i] = c->w_predicted[i] = p->w[i] + dw;
        dw2 += dw * dw;
    }
    return (sari_chart_prediction){p, fabs(dz) + sqrt(dw2), tau};
}

#endif
