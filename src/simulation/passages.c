/* Singular positions that a step passed, seen by a formulation that works in a chart.
 *
 * While it evaluates a step, the chart knows the smallest singular value sigma of the constraints at
 * every place it looks at. Near a singular position sigma goes like |t - t*|. A minimum to which the
 * values on either side lead down is looked into: lines through two values on the left and on the
 * right say where sigma is zero, and closing in on it the two agree better. Then sigma with a sign,
 * negative before, is a smooth function: its zero is that of the polynomial through three places on
 * either side, as far from it as the chart is evaluated well. */
#include "base/memory.h"
#include "simulation/simulation.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

enum { KEPT = 4, WATCHED = 64, PAIRS = 3 };

static const double DEEP = 0.6;    ///< of the largest sigma: where a minimum is looked into
static const double APART = 0.015; ///< [rad] between the places of the polynomial
static const double CLOSE = 1e-4;  ///< [rad] where sigma must have fallen with the distance
static const double SAME = 2e-3;   ///< [rad] passages that are one
static const double BESIDE = 0.03; ///< [rad] where joints are named

struct sari_passages {
    sari_look at[WATCHED + KEPT]; ///< in the order of time; the last ones are kept for the next step
    int count;
    double highest; ///< sigma
    double turn;    ///< [rad/s] in the step
    double last;    ///< time of the last passage
};

sari_passages* sari_passages_create(void)
{
    return SARI_NEW(sari_passages);
}

void sari_passages_destroy(sari_passages* p)
{
    sari_release(p);
}

void sari_passages_start(sari_passages* p)
{
    memset(p, 0, sizeof *p);
    p->last = -INFINITY;
}

/* What the chart saw in the last step, behind what is known, by time. */
static void gather(sar_simulation* s)
{
    sari_passages* p = s->passages;
    const sari_look* seen;
    const int count = s->form.ops->first_order->watched(s->form.self, &seen);
    for (int k = 0; k < count && p->count < WATCHED + KEPT; k++) {
        int i = p->count;
        if (seen[k].t <= s->previous.t || seen[k].t > s->state.t) continue;
        while (i > 0 && p->at[i - 1].t > seen[k].t) i--;
        p->highest = fmax(p->highest, fabs(seen[k].sigma));
        if (i > 0 && p->at[i - 1].t == seen[k].t) { // the later look is the better one
            p->at[i - 1] = seen[k];
            continue;
        }
        memmove(p->at + i + 1, p->at + i, (size_t)(p->count - i) * sizeof *p->at);
        p->at[i] = seen[k];
        p->count++;
    }
}

static sari_look look_at(sar_simulation* s, double t)
{
    return s->integrator->regularity(s->integrator_self, t, 0.0, NULL);
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
        c[i] = copysign(look_at(s, middle + x[i] * apart).sigma, x[i]);
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
    const double slope = fabs(look_at(s, t + APART / turn).sigma) / APART;
    const double near = fabs(look_at(s, t + CLOSE / turn).sigma);
    int below = 0;
    if (!(near < 3.0 * CLOSE * slope)) return 0;
    s->integrator->regularity(s->integrator_self, t + CLOSE / turn, 30.0 * CLOSE * slope, &below);
    return below;
}

static void report(sar_simulation* s, double t, int lost)
{
    sari_passages* p = s->passages;
    sari_event_list* list = &s->passes;
    p->last = t;
    list->total++;
    if (list->count == list->capacity) return;
    sar_event* e = &list->at[list->count++];
    *e = (sar_event){.t = t, .rank = sari_monitor_rank(s->monitor) - lost};
    sari_state_copy(&s->between, &s->state);
    if (s->integrator->dense(s->integrator_self, t - BESIDE / p->turn, &s->between) != SAR_OK)
        return;
    sari_kinematics_update(s->system->kinematics, s->between.q, NULL, 1);
    sari_reactions_weakest(s->reactions, s->system->kinematics->X, lost, e->joints,
                           sizeof e->joints);
}

/* Zero of the line through two values. */
static double zero_of(sari_look a, sari_look b)
{
    return a.t + fabs(a.sigma) * (b.t - a.t) / (fabs(a.sigma) - fabs(b.sigma));
}

/* Closes in on a minimum about `middle`. NaN: it gets lost. */
static double close_in(sar_simulation* s, double middle, double width)
{
    enum { ROUNDS = 6 };
    const double closest = 2.0 * APART / s->passages->turn, reach = 3.0 * width, first = middle;
    width = fmax(width, 2.0 * closest);
    for (int k = 0; k < ROUNDS && width > closest; k++) {
        sari_look at[4];
        for (int i = 0; i < 4; i++)
            at[i] = look_at(s, middle + width * (i < 2 ? 0.5 * i - 1.0 : 0.5 * (i - 1)));
        const double left = zero_of(at[0], at[1]), right = zero_of(at[3], at[2]);
        const int falls = fabs(at[1].sigma) < fabs(at[0].sigma),
                  rises = fabs(at[3].sigma) > fabs(at[2].sigma);
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

static void look_into(sar_simulation* s, double t, double width)
{
    const double rad = 1.0 / s->passages->turn;
    t = close_in(s, t, width);
    for (int k = 0; k < 2 && !isnan(t); k++) t = polish(s, t);
    if (isnan(t) || t > s->state.t || t < s->passages->last + SAME * rad) return;
    const int lost = ranks_lost(s, t);
    if (lost > 0) report(s, t, lost);
}

/* Do the values a, then b, lead down to a zero between `from` and `to`? */
static int leads_to(sari_look a, sari_look b, double from, double to)
{
    const double zero = zero_of(a, b);
    return fabs(b.sigma) < fabs(a.sigma) && zero > from && zero < to;
}

/* Charts differ in their sigma, so that there are small minima between those of two steps. */
static int may_be_zero(const sari_passages* p, int i)
{
    const sari_look *a = &p->at[i - 1], *m = &p->at[i], *b = &p->at[i + 1];
    const double width = b->t - a->t, from = a->t - width, to = b->t + width;
    if (!(fabs(m->sigma) < DEEP * p->highest && fabs(m->sigma) <= fabs(a->sigma) &&
          fabs(m->sigma) < fabs(b->sigma)))
        return 0;
    return (i > 1 && leads_to(a[-1], *a, from, to)) ||
           (i + 2 < p->count && leads_to(b[1], *b, from, to)) || leads_to(*a, *m, from, to) ||
           leads_to(*b, *m, from, to);
}

void sari_passages_step(sar_simulation* s)
{
    sari_passages* p = s->passages;
    gather(s);
    p->turn = fmax(sari_equations_turn(&s->system->equations, s->state.q, s->state.v),
                   sari_equations_turn(&s->system->equations, s->previous.q, s->previous.v));
    for (int i = 1; i + 1 < p->count && p->turn > 0.0; i++)
        if (may_be_zero(p, i))
            look_into(s, p->at[i].t, 0.5 * (p->at[i + 1].t - p->at[i - 1].t));
    const int kept = p->count < KEPT ? p->count : KEPT; // the end may be next to a passage
    memmove(p->at, p->at + p->count - kept, (size_t)kept * sizeof *p->at);
    p->count = kept;
}
