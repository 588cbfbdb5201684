/* A singular configuration by the smallest singular value sigma alone, where the constraints are too many
 * to be reduced (passages.c). Closing in on a minimum of sigma, lines through two values on the left
 * and on the right agree better and better where it is zero. Then sigma with a sign, negative before,
 * is a smooth function: its zero is that of the polynomial through three places on either side, as
 * far from it as the chart is evaluated well. Passages that are nearer to each other count as one. */
#include "simulation/singular/passages.h"

#include <math.h>

enum { PAIRS = 3 };

static const double APART = 0.015; ///< [rad] between the places of the polynomial
static const double CLOSE = 1e-4;  ///< [rad] where sigma must have fallen with the distance
static const double SAME = 2e-3;   ///< [rad] passages that are one

/* NaN: it cannot be evaluated there. */
static double sigma_at(sar_simulation* s, double t, double limit, int* below)
{
    const double* y = s->integrator->within(s->integrator_self, t);
    if (!y) return NAN;
    return fabs(sari_chart_regularity(s->form.self, t, y, limit, below).sigma);
}

static sari_rank_sample sample_at(sar_simulation* s, double t)
{
    return (sari_rank_sample){.t = t, .sigma = sigma_at(s, t, 0.0, NULL)};
}

/* Zero of the polynomial through sigma with its sign, negative before the middle, by Newton's method.
 * NaN: it is not near. */
static double polish(sar_simulation* s, double middle)
{
    enum { PLACES = 2 * PAIRS, ROUNDS = 6 };
    const double apart = APART / s->passages->turn;
    double x[PLACES], c[PLACES];
    for (int i = 0; i < PLACES; i++) {
        const int k = i - PAIRS;
        x[i] = k < 0 ? k : k + 1;
        c[i] = copysign(sample_at(s, middle + x[i] * apart).sigma, x[i]);
    }
    for (int j = 1; j < PLACES; j++) // Newton's divided differences
        for (int i = PLACES - 1; i >= j; i--) c[i] = (c[i] - c[i - 1]) / (x[i] - x[i - j]);
    double at = 0.0;
    for (int round = 0; round < ROUNDS; round++) {
        double value = c[PLACES - 1], slope = 0.0;
        for (int i = PLACES - 2; i >= 0; i--) {
            slope = slope * (at - x[i]) + value;
            value = value * (at - x[i]) + c[i];
        }
        at -= value / slope;
    }
    return fabs(at) < 2.0 * PAIRS ? middle + at * apart : NAN;
}

/* Does sigma fall with the distance down to t? Then how many singular values do. */
static int ranks_lost(sar_simulation* s, double t)
{
    const double turn = s->passages->turn;
    const double slope = sample_at(s, t + APART / turn).sigma / APART;
    const double near = sample_at(s, t + CLOSE / turn).sigma;
    int below = 0;
    if (!(near < 3.0 * CLOSE * slope)) return 0;
    (void)sigma_at(s, t + CLOSE / turn, 30.0 * CLOSE * slope, &below);
    return below;
}

/* Zero of the line through two values. */
static double zero_of(sari_rank_sample a, sari_rank_sample b)
{
    return a.t + a.sigma * (b.t - a.t) / (a.sigma - b.sigma);
}

/* Closes in on a minimum about `middle`. NaN: it gets lost. */
static double close_in(sar_simulation* s, double middle, double width)
{
    enum { ROUNDS = 6 };
    const double closest = 2.0 * APART / s->passages->turn, reach = 3.0 * width, first = middle;
    width = fmax(width, 2.0 * closest);
    for (int k = 0; k < ROUNDS && width > closest; k++) {
        sari_rank_sample at[4];
        for (int i = 0; i < 4; i++)
            at[i] = sample_at(s, middle + width * (i < 2 ? 0.5 * i - 1.0 : 0.5 * (i - 1)));
        const double left = zero_of(at[0], at[1]), right = zero_of(at[3], at[2]);
        const int falls = at[1].sigma<at[0].sigma, rises = at[3].sigma> at[2].sigma;
        if (!falls && !rises) return NAN;
        if (falls && rises) {
            middle = 0.5 * (left + right);
            width = fmax(0.75 * fabs(left - right), 0.25 * width);
        } else {
            middle += (falls ? 0.5 : -0.5) * width;
            width *= 0.5;
        }
        if (!(fabs(middle - first) < reach + 2.0 * closest)) return NAN;
    }
    return middle;
}

void sari_passages_follow(sar_simulation* s, double from, double to)
{
    const double rad = 1.0 / s->passages->turn;
    double t = close_in(s, 0.5 * (from + to), 0.5 * (to - from));
    for (int k = 0; k < 2 && !isnan(t); k++) t = polish(s, t);
    if (isnan(t) || fabs(t - s->passages->last) < SAME * rad) return;
    if (t > s->state.t + APART * rad || t < s->previous.t - APART * rad) return;
    const int lost = ranks_lost(s, t);
    s->passages->beside = INFINITY;
    if (lost > 0) sari_passages_report(s, t, lost);
}
