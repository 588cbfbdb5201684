#include "simulation/singular/passage_search.h"
#include "math/functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

void sari_knots_place(const sari_system* sys, const sari_knot knot[4], double t, double* q)
{
    const sari_knot* a = knot + (t < knot[1].t ? 0 : t <= knot[2].t ? 1 : 2);
    sari_knots_at(&sys->coordinates, a, a + 1, t, q);
}

void sari_pass_search_create(sari_pass_search* x, sari_system* sys, sari_normal* normal,
                             sari_arena* memory)
{
    x->sys = sys;
    x->normal = normal;
    x->q = SARI_TAKE(memory, double, sys->np);
    for (int k = 0; k < 4; k++) sari_knot_create(&x->knot[k], sys, memory);
}

void sari_pass_search_archive(sari_pass_search* x, sari_archive* a)
{
    x->active = sari_archive_flag(a, x->active);
    if (!x->active) return;
    x->known = sari_archive_range(a, x->known, 0, SARI_PASS_ANSWERS);
    SARI_ARCHIVE_INTS(a, &x->rank, &x->budget, &x->waiting);
    SARI_ARCHIVE_NUMBERS(a, &x->from, &x->to, &x->beside, &x->relative, &x->pass);
    sari_archive_numbers(a, x->answer, (size_t)x->known);
    for (int k = 0; k < 4; k++) sari_knot_archive(&x->knot[k], x->sys, a);
}

void sari_pass_search_begin(sari_pass_search* x, const sari_knot* knot)
{
    const size_t bytes = (size_t)x->sys->np * sizeof(double);
    for (int k = 0; k < 4; k++) {
        memcpy(x->knot[k].q, knot[k].q, bytes);
        memcpy(x->knot[k].rate, knot[k].rate, bytes);
        memcpy(x->knot[k].second, knot[k].second, bytes);
        x->knot[k].t = knot[k].t;
    }
    x->active = 1;
    x->known = 0;
}

/* ---- questions ------------------------------------------------------------------------------ */

static double evaluate(sari_pass_search* x, double t, int rank)
{
    sari_pivots pivots;
    sari_knots_place(x->sys, x->knot, t, x->q);
    const sar_status st =
        sari_equations_eval(&x->sys->equations, SARI_EVAL_JACOBIAN, t, x->q, NULL);
    if (st != SAR_OK) return rank ? x->rank : NAN; // rows have no value there
    if (rank) return sari_normal_rank(x->normal, x->pass);
    (void)sari_normal_factor(x->normal, x->relative * x->relative * x->normal->scale, &pivots);
    return pivots.log_abs_det;
}

/* The measure at t, or the rank. NaN where the budget is used up: then `waiting`. */
static double ask(sari_pass_search* x, double t, int rank)
{
    if (x->waiting) return NAN;
    if (x->used < x->known) return x->answer[x->used++];
    if (x->budget == 0 || x->known == SARI_PASS_ANSWERS) {
        x->waiting = 1;
        return NAN;
    }
    x->budget--;
    x->used++;
    return x->answer[x->known++] = evaluate(x, t, rank);
}

static double measure_at(sari_pass_search* x, double t)
{
    return ask(x, t, 0);
}

/* ---- the search ----------------------------------------------------------------------------- */

/// Between two times the measure has a minimum: `f` is that at the ends.
typedef struct bracket {
    double from, to;
    double f[2];
} bracket;

/* Where exp(f/2k), which k singular values that go to zero together make a V of two straight lines, is
 * zero. */
static double foot_of(const bracket* b, double k)
{
    const double part = 1.0 / (1.0 + sari_exp((b->f[1] - b->f[0]) / (2.0 * k)));
    return b->from + part * (b->to - b->from);
}

/* Heights of the ends of `in` above the foot, by the sum of those of `out`. */
static void heights(const bracket* out, const bracket* in, double k, double h[2])
{
    const double whole =
        sari_exp((out->f[0] - in->f[0]) / (2.0 * k)) + sari_exp((out->f[1] - in->f[0]) / (2.0 * k));
    h[0] = 1.0 / whole;
    h[1] = sari_exp((in->f[1] - in->f[0]) / (2.0 * k)) / whole;
}

typedef enum closing { NOT_THERE, STRAIGHT, ROUND } closing;

/* A bracket with the foot of the V within, ten times smaller, and the k that makes the lines straight.
 * Where they are not, because the measure has a floor or the position is missed by a little, its lowest
 * point is there all the same. */
static closing close_in(sari_pass_search* x, bracket* b, double* k)
{
    const double SMALLER = 0.1, BENT = 0.25 * SMALLER;
    for (int attempt = 0; attempt < 2; attempt++) { // with the first k, and with that found by it
        const double foot = foot_of(b, *k), half = 0.5 * SMALLER * (b->to - b->from), tried = *k;
        bracket in = {.from = foot - half, .to = foot + half};
        double h[2];
        in.f[0] = measure_at(x, in.from);
        in.f[1] = measure_at(x, in.to);
        if (x->waiting) return NOT_THERE;
        heights(b, &in, *k, h);
        *k = fmax(1.0, round(*k * sari_log(h[0] + h[1]) / sari_log(SMALLER)));
        heights(b, &in, *k, h);
        const double sum = h[0] + h[1], apart = fabs(h[0] - h[1]);
        const int straight = fabs(sum - SMALLER) < BENT && apart < SMALLER - BENT;
        if (straight || (sum > SMALLER && apart < 0.25 * sum)) {
            *b = in;
            return straight ? STRAIGHT : ROUND;
        }
        if (*k == tried) return NOT_THERE;
    }
    return NOT_THERE;
}

/* The minimum: golden section, and where the measure falls like that of a passage, the foot of a V.
 * NaN: the measure has stopped falling while the bracket still shrinks, so that no singular value goes
 * to zero. In a passage it falls by 2 log of what the bracket shrinks by, or more. */
static double find_bottom(sari_pass_search* x)
{
    const double golden = 0.61803398874989485, SLACK = 3.0;
    enum { FIRST = 10 }; // shrinks the bracket to 1/123
    const double width = x->to - x->from;
    bracket b = {x->from, x->to, {0.0, 0.0}};
    b.f[0] = measure_at(x, b.from);
    b.f[1] = measure_at(x, b.to);
    double c = b.to - golden * width, d = b.from + golden * width;
    const double top = fmax(b.f[0], b.f[1]);
    double fc = measure_at(x, c), fd = measure_at(x, d);
    const double stop = fmax(1e-9 * width, 4.0 * DBL_EPSILON * fmax(fabs(b.from), fabs(b.to)));
    for (int k = 1; b.to - b.from > stop && !x->waiting; k++) {
        if (fc < fd) {
            b.to = d, b.f[1] = fd, d = c, fd = fc;
            c = b.to - golden * (b.to - b.from);
            fc = measure_at(x, c);
        } else {
            b.from = c, b.f[0] = fc, c = d, fc = fd;
            d = b.from + golden * (b.to - b.from);
            fd = measure_at(x, d);
        }
        if (k != FIRST || x->waiting) continue;
        const double fall = top - fmin(fc, fd), usual = 2.0 * sari_log(width / (b.to - b.from));
        if (fall <= usual - SLACK && ask(x, fc < fd ? c : d, 1) >= x->rank) return NAN;
        double drop = fmax(1.0, round(fall / usual));
        bracket closer = b;
        closing found = close_in(x, &closer, &drop);
        if (found == STRAIGHT) found = close_in(x, &closer, &drop);
        if (found != NOT_THERE) return foot_of(&closer, drop);
    }
    return 0.5 * (b.from + b.to);
}

int sari_pass_search_go_on(sari_pass_search* x, int evaluations, sari_pass* found)
{
    x->budget = evaluations;
    x->used = x->waiting = 0;
    found->t = find_bottom(x);
    const double rank = isnan(found->t) ? x->rank : ask(x, found->t, 1);
    // what follows from the last answer is work for the next time
    if ((x->waiting || x->budget == 0) && x->known < SARI_PASS_ANSWERS) return 0;
    found->rank = x->waiting ? x->rank : (int)rank;
    x->active = 0;
    return 1;
}
