/* Singular configurations that a step passed, seen by a formulation that works in a chart.
 *
 * While it evaluates a step, the chart knows the product D of the constraints' singular values at
 * every place it looks at. (The smallest of them would not do: one that is always small hides
 * others.) Near a singular configuration D goes like |t - t*|, as steep as it is beside, so that between
 * two samples there may be one where
 *
 *     D_a + D_b < slope (t_b - t_a)                                                          (1)
 *
 * with a margin, as stages of a step are places beside the motion. Then the motion itself is examined,
 * closer. Where (1) still holds, the constraints are reduced to the part F(t) that may lose rank, which
 * is smooth, with signs. The zeros of det F (matrix_roots.h), where several ranks may be lost at once
 * or one after the other, are the passages: first by a polynomial over all that (1) has found, then by
 * narrow ones about its zeros. All of them lie within the step: nothing is extrapolated.
 *
 * A start in a singular configuration is a passage, at the time of the start. */
#include "simulation/singular/passages.h"
#include "base/arena.h"
#include "base/memory.h"
#include "math/functions.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 150 }; ///< matrices with more rows are not reduced

static const double STEEPER = 2.0;  ///< than D was seen to be: (1)
static const double MARGIN = 0.04;  ///< [rad] on either side of what (1) finds
static const double APART = 0.015;  ///< [rad] between closer samples
static const double NARROW = 0.09;  ///< [rad] to either side of a zero
static const double STEEPEST = 2.0; ///< change of singular values, of the largest, per radian
static const double SAME = 1e-6;    ///< [rad] passages that are one
static const double EDGE = 1e-9;    ///< [rad] by which a passage may be beyond the step's ends
static const double BESIDE = 0.03;  ///< [rad] where joints are named
/// Motions that touch, instead of crossing, have a double zero: F there, in parts of what it is beside,
/// as the polynomials over narrow windows tell it, and over wide ones.
static const double TOUCHED = 1e-5, TOUCHED_WIDE = 1e-3;

sari_passages* sari_passages_create(const sari_system* system)
{
    sari_passages* p = SARI_NEW(sari_passages);
    if (!p) return NULL;
    const int least = system->nc < system->nq ? system->nc : system->nq;
    if (least <= LARGEST) {
        sari_matrix_roots_take(&p->roots, &p->memory, least);
        p->zero = SARI_TAKE(&p->memory, double, least + SARI_ROOTS_MORE);
    }
    if (!p->memory.failed) return p;
    sari_passages_destroy(p);
    return NULL;
}

void sari_passages_destroy(sari_passages* p)
{
    if (!p) return;
    sari_arena_clear(&p->memory);
    sari_release(p);
}

/* ---- what is reported ----------------------------------------------------------------------- */

static sar_event* new_event(sar_simulation* s, double t, int lost)
{
    s->passages->last = t;
    return sari_events_add(&s->passes, t, sar_simulation_rank(s).rank - lost);
}

/* From a little beside the position, where the states of stress that vanish in it still stand apart
 * from permanent redundancy: within the step, on the side where there is more of it. */
static void name_joints(sar_simulation* s, double t, int lost, sar_event* e)
{
    const double begin = s->previous.t, end = s->state.t;
    const double way = fmin(BESIDE / s->passages->turn, s->passages->beside);
    const double there = t - begin > end - t ? fmax(t - way, begin) : fmin(t + way, end);
    if (!e || s->integrator->dense_part(s->integrator_self, there, 0, &s->between) != SAR_OK)
        return;
    sari_kinematics_update(s->system->kinematics, s->between.q, NULL, 1);
    sari_events_place(&s->passes, e, s->reactions, s->system->kinematics->X, lost);
}

void sari_passages_report(sar_simulation* s, double t, int lost)
{
    name_joints(s, t, lost, new_event(s, t, lost));
}

void sari_passages_archive(sari_passages* p, sari_event_list* passes, sari_archive* a)
{
    const int unnamed = p->unnamed ? (int)(p->unnamed - passes->at) : -1;
    const int which = sari_archive_range(a, unnamed, -1, passes->count - 1);
    SARI_ARCHIVE_NUMBERS(a, &p->last, &p->beside, &p->turn, &p->turn_now, &p->turn_at);
    p->unnamed = which < 0 ? NULL : &passes->at[which];
}

void sari_passages_start(sar_simulation* s)
{
    sari_passages* p = s->passages;
    p->count = 0;
    p->last = -INFINITY;
    p->beside = INFINITY;
    p->turn_at = NAN;
    const int lost = sari_chart_rank_deficiency(s->form.self);
    s->generic_rank = sari_monitor_rank(s->monitor) + lost;
    p->unnamed = lost > 0 ? new_event(s, s->state.t, lost) : NULL;
}

/* ---- where one may be ----------------------------------------------------------------------- */

/* D of a sample as part of exp(log). */
static double part_of(const sari_rank_sample* sample, double log)
{
    return sample->log == log ? sample->product : sample->product * sari_exp(sample->log - log);
}

/* What the chart saw in the last step, by time; D as part of the largest. */
static void gather(sar_simulation* s)
{
    sari_passages* p = s->passages;
    const sari_rank_sample* seen;
    const int count = sari_chart_watched(s->form.self, &seen);
    p->count = 1; // the begin of the step comes first
    p->largest = 0.0;
    p->log = -INFINITY;
    for (int k = 0; k < count; k++)
        if (seen[k].log > p->log) p->log = seen[k].log;
    for (int k = 0; k < count && p->count < SARI_LOOKS; k++) {
        int i = p->count;
        if (seen[k].t <= s->previous.t || seen[k].t > s->state.t) continue;
        while (i > 1 && p->at[i - 1].t > seen[k].t) i--;
        memmove(p->at + i + 1, p->at + i, (size_t)(p->count - i) * sizeof *p->at);
        p->at[i] = (sari_measured){seen[k].t, part_of(&seen[k], p->log)};
        if (p->at[i].D > p->largest) p->largest = p->at[i].D;
        p->count++;
    }
    for (int i = 1; i < p->count; i++) p->at[i].D /= p->largest;
    const sari_measured *a = p->at + 1, *b = p->at + 2;
    p->at[0] = (sari_measured){s->previous.t, a->D};
    if (p->count > 2) // the chart does not look there, so it is predicted from behind
        p->at[0].D = fabs(a->D + (b->D - a->D) * (a->t - s->previous.t) / (a->t - b->t));
}

static double slope(const sari_measured* a)
{
    return fabs(a[1].D - a[0].D) / (a[1].t - a[0].t);
}

/* The steepest of all: between two passages D is flatter than in them. */
static double steepest(const sari_measured* at, int count)
{
    double most = 0.0;
    for (int k = 0; k + 1 < count; k++) most = fmax(most, slope(at + k));
    return most;
}

/* (1) between the samples a and a + 1. */
static int may_pass(const sari_measured* a, double steepest)
{
    return a[0].D + a[1].D < STEEPER * steepest * (a[1].t - a[0].t);
}

/* Does D have a minimum at the sample k, or between it and the last? */
static int is_dip(const sari_passages* p, int k, double steepest)
{
    const sari_measured* at = p->at;
    return may_pass(at + k - 1, steepest) ||
           (k + 1 < p->count && at[k].D < at[k - 1].D && at[k].D <= at[k + 1].D);
}

/* The minima of D in the step, one after the other, and at last what it does at the end. */
int sari_passages_dip(sar_simulation* s, int* next, sari_dip* dip)
{
    const double FAR = 0.5; // [rad] that motion may be extrapolated
    sari_passages* p = s->passages;
    if (*next == 0) gather(s);
    if (p->count < 3 || !(p->largest > 0.0) || *next >= p->count) return 0;
    const double scale = sari_log(p->largest) + p->log, most = steepest(p->at, p->count);
    const sari_measured *at = p->at, *end = at + p->count - 1;
    int k = *next > 0 ? *next : 1;
    while (k < p->count && !is_dip(p, k, most)) k++;
    *dip = (sari_dip){.highest = scale, .lowest = scale + sari_log(end->D)};
    if (k < p->count) {
        dip->inside = 1;
        dip->lowest = INFINITY;
        for (dip->from = at[k - 1].t; k < p->count && is_dip(p, k, most); k++) {
            const double low = may_pass(at + k - 1, most) ? -INFINITY : scale + sari_log(at[k].D);
            dip->lowest = fmin(dip->lowest, low);
            dip->to = at[k + 1 < p->count ? k + 1 : k].t;
        }
        *next = k;
        return 1;
    }
    dip->rate = 2.0 * sari_log(end[-1].D / end->D) / (end->t - end[-1].t);
    dip->soon = FAR / sari_equations_turn(&s->system->equations, s->state.q, s->state.v);
    *next = p->count;
    return 1;
}

/* From the interval i on: the next ones where (1) holds, with `margin` on either side. 0: there are
 * no more; else *next is behind them. */
static int next_window(const sari_measured* at, int count, double margin, int* next, double* from,
                       double* to)
{
    const double most = steepest(at, count);
    int i = *next;
    while (i + 1 < count && !may_pass(at + i, most)) i++;
    if (i + 1 >= count) return 0;
    *from = fmax(at[i].t - margin, at[0].t);
    *to = at[i + 1].t + margin;
    for (i++; i + 1 < count && at[i].t < *to; i++)
        if (may_pass(at + i, most)) *to = at[i + 1].t + margin;
    *to = fmin(*to, at[count - 1].t);
    *next = i;
    return 1;
}

static double D_at(sar_simulation* s, double t)
{
    const double* y = s->integrator->within(s->integrator_self, t);
    if (!y) return NAN;
    const sari_rank_sample sample = sari_chart_regularity(s->form.self, t, y, 0.0, NULL);
    return part_of(&sample, s->passages->log) / s->passages->largest;
}

/* Looks along the motion itself. */
static int measure_along(sar_simulation* s, double from, double to)
{
    sari_passages* p = s->passages;
    const double parts = ceil((to - from) * p->turn / APART);
    const int count = parts < 4.0 ? 5 : parts < SARI_FINE ? (int)parts + 1 : SARI_FINE;
    for (int k = 0; k < count; k++) {
        const double t = k + 1 < count ? from + (to - from) * k / (count - 1) : to;
        p->fine[k] = (sari_measured){t, D_at(s, t)};
    }
    return count;
}

/* ---- where they are ------------------------------------------------------------------------- */

static int part_at(sar_simulation* s, double t, double* F)
{
    const double* y = s->integrator->within(s->integrator_self, t);
    return y && sari_chart_weak_part(s->form.self, t, y, F);
}

/* Singular values that may be zero within p->half of p->middle, relative: none changes by more than
 * the whole matrix does. -1: not to be had. */
static double reach_of_change(sar_simulation* s)
{
    const double AMPLE = 1.5; // ends are not all of the way
    sari_passages* p = s->passages;
    double **M = p->roots.value, most = 0.0;
    const double* y = s->integrator->within(s->integrator_self, p->middle);
    if (!y) return -1.0;
    const int all = sari_chart_weak_frame(s->form.self, p->middle, y, (double)INFINITY);
    if (all < 0 || !part_at(s, p->middle, M[0])) return -1.0;
    for (int side = -1; side <= 1; side += 2) {
        if (!part_at(s, p->middle + side * p->half, M[1])) return -1.0;
        for (int i = 0; i < all * all; i++) M[1][i] -= M[0][i];
        most = fmax(most, sari_matrix_size(all, M[1], M[2], M[3]));
    }
    return fmax(AMPLE * most, 2.0 * STEEPEST * p->half * p->turn);
}

/* Passages between two times, into p->zero; -1: not to be had. */
static int find_zeros(sar_simulation* s, double from, double to)
{
    sari_passages* p = s->passages;
    const double middle = p->middle = 0.5 * (from + to), half = p->half = 0.5 * (to - from);
    const double limit = reach_of_change(s);
    const double* y = s->integrator->within(s->integrator_self, middle);
    if (!(limit >= 0.0) || !y) return -1;
    const int weak = sari_chart_weak_frame(s->form.self, middle, y, limit);
    if (weak <= 0) return weak;
    p->roots.size = weak;
    for (int k = 0; k < SARI_ROOT_NODES; k++)
        if (!part_at(s, middle + half * sari_root_node(k), p->roots.value[k])) return -1;
    const double touch = half * p->turn > 1.01 * NARROW ? TOUCHED_WIDE : TOUCHED;
    const int count = sari_matrix_roots_find(&p->roots, EDGE / (half * p->turn), touch);
    for (int k = 0; k < count; k++) p->zero[k] = middle + half * p->roots.root[k];
    return count;
}

/* Are two zeros one passage? They are at the same time, or halfway nothing is gained: motions that
 * touch, instead of crossing, have a double zero, which rounding takes apart. */
static int is_one(sari_passages* p, double a, double b)
{
    return b < a + SAME / p->turn ||
           sari_matrix_roots_lost(&p->roots, (0.5 * (a + b) - p->middle) / p->half, TOUCHED) > 0;
}

static void report_zeros(sar_simulation* s, int count)
{
    sari_passages* p = s->passages;
    const double same = SAME / p->turn;
    for (int k = 0, next; k < count; k = next) {
        for (next = k + 1; next < count && is_one(p, p->zero[next - 1], p->zero[next]);) next++;
        const double t = 0.5 * (p->zero[k] + p->zero[next - 1]);
        if (t < p->last + same) continue;
        p->beside = 0.3 * fmin(t - p->last, next < count ? p->zero[next] - t : INFINITY);
        if (k > 0) p->beside = fmin(p->beside, 0.3 * (t - p->zero[k - 1]));
        const int lost =
            sari_matrix_roots_lost(&p->roots, (t - p->middle) / p->half, 10.0 * same / p->half);
        sari_passages_report(s, t, lost > 1 ? lost : 1);
    }
}

/* Passages between two times of the step, from an interval to the places in it. 0: not to be known. */
static int search_between(sar_simulation* s, double from, double to)
{
    const sari_passages* p = s->passages;
    const double reach = NARROW / p->turn;
    int count = find_zeros(s, from, to);
    if (count <= 0 || to - from <= 2.0 * reach) {
        if (count > 0) report_zeros(s, count);
        return count >= 0;
    }
    double window[2 * SARI_LOOKS];
    int windows = 0;
    for (int k = 0; k < count; k++) {
        const double a = fmax(p->zero[k] - reach, s->previous.t),
                     b = fmin(p->zero[k] + reach, s->state.t);
        if (windows && a < window[2 * windows - 1])
            window[2 * windows - 1] = b;
        else if (windows < SARI_LOOKS)
            window[2 * windows] = a, window[2 * windows + 1] = b, windows++;
    }
    for (int k = 0; k < windows; k++) {
        count = find_zeros(s, window[2 * k], window[2 * k + 1]);
        if (count < 0) return 0;
        report_zeros(s, count);
    }
    return 1;
}

/* Where a stage saw that it may be, the motion itself is examined. */
static void sample_closely(sar_simulation* s, double from, double to)
{
    const sari_passages* p = s->passages;
    const int count = measure_along(s, from, to);
    const double margin = p->fine[1].t - p->fine[0].t;
    for (int next = 0; next_window(p->fine, count, margin, &next, &from, &to);)
        if (!p->zero || !search_between(s, from, to)) sari_passages_follow(s, from, to);
}

void sari_passages_step(sar_simulation* s)
{
    sari_passages* p = s->passages;
    sari_equations* equations = &s->system->equations;
    gather(s);
    const double turn_now = sari_equations_turn(equations, s->state.q, s->state.v);
    const double turn_before = p->turn_at == s->previous.t
                                   ? p->turn_now
                                   : sari_equations_turn(equations, s->previous.q, s->previous.v);
    p->turn = fmax(turn_now, turn_before);
    p->turn_now = turn_now;
    p->turn_at = s->state.t;
    if (!(p->turn > 0.0) || p->count < 3) return;
    if (p->unnamed)
        name_joints(s, p->last, sar_simulation_rank(s).rank - p->unnamed->rank, p->unnamed);
    p->unnamed = NULL;
    double from, to;
    for (int next = 0; next_window(p->at, p->count, MARGIN / p->turn, &next, &from, &to);)
        sample_closely(s, from, to);
}
