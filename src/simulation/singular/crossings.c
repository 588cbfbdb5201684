/* Singular configurations in drawings with finite digits.
 *
 * On paper branches of motion cross there. Let z be a combination of rows with z' Phi_q = 0 in the
 * singular configuration q*, and x the place beside it in the directions W that the other rows leave:
 *
 *     z' Phi(q* + W x) = d + x' H x / 2 + ...                                               (1)
 *
 * with d = 0: x' H x = 0 are two lines. The digits that a drawing loses make d differ from zero,
 * and the lines a hyperbola: the branches do not meet, the mechanism turns from one into the other
 * within sqrt(d), or has to stop there. No step sees that, and no mechanism that was built does it.
 * Nothing else changes, to first order: d is the one number by which such a crossing unfolds. So
 * if d is less than the precision of the drawing the crossing was meant, and d is taken out of Phi.
 *
 * This is done once for each of them, well before the motion comes there, where it moves the mechanism by
 * d over the singular value. q* is searched for from where the motion will be at its lowest measure, or
 * where a step was (crossing_search.c), by Newton's method for the gradient of (1) with all z at once: on
 * paper all have the same q*, and what is off by d there changes d by its square. Combinations z without
 * curvature H are permanent redundancy. More of them may be curved than ranks are lost: a third crank beside two
 * is redundant everywhere, but along other combinations elsewhere. What contradicts in q* is taken out of all. Where constraints depend on time, so does (1), and time is among the
 * directions.
 *
 * A gap is believed if it is known: Newton's method has converged at q* itself, the gap is many times what
 * residual gradients, rounding and permanent redundancy make of it there, and it is found again from the other side.
 * Otherwise nothing is touched.
 *
 * Corrections of several configurations are one offset of the rows, the smallest that has the gaps of all of
 * them. Where there is none, the last one counts. */
#include "base/memory.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"
#include "simulation/simulation.h"
#include "simulation/singular/crossing_search.h"
#include "system/hermite.h"

#include <math.h>
#include <string.h>

enum {
    PATH = 24,   ///< samples of the motion to come
    GOLDEN = 10, ///< sections to the lowest point of it
    PROJECTIONS = 6,
    PLACES = 32 ///< configurations that are kept
};

struct sari_crossings {
    sari_arena memory;
    sari_system* sys;
    sari_crossing_search search;
    double* offset;     ///< taken out of Phi
    double* basis;      ///< [known][rows]: orthonormal, of all combinations that were corrected
    int known, most;    ///< how many they are, and may be
    double *side, *d;   ///< scratch
    sari_knot knot[2];  ///< likewise
    double* place;      ///< [PLACES][np]: configurations that are known
    int places;         ///< how many there were
    double highest;     ///< of the log of a chart's product of singular values
    double tried;       ///< how deep it was when last searched for; infinite: it is known
    sari_crossing last; ///< what was found last
};

void sari_crossings_destroy(sari_crossings* c)
{
    if (!c) return;
    sari_arena_clear(&c->memory);
    sari_crossing_search_clear(&c->search);
    c->sys->slack.offset = NULL;
    sari_release(c);
}

sar_status sari_crossings_create(sari_system* sys, sari_crossings** out)
{
    sari_crossings* c = SARI_NEW(sari_crossings);
    if (!c) return SAR_E_NOMEM;
    c->sys = sys;
    c->offset = SARI_TAKE(&c->memory, double, sys->nc);
    c->side = SARI_TAKE(&c->memory, double, sys->np);
    c->place = SARI_TAKE(&c->memory, double, PLACES*(size_t)sys->np);
    c->d = SARI_TAKE(&c->memory, double, sys->nq);
    for (int k = 0; k < 2; k++) sari_knot_create(&c->knot[k], sys, &c->memory);
    sar_status st = sari_crossing_search_create(&c->search, sys);
    c->most = c->search.widest;
    c->basis = SARI_TAKE(&c->memory, double, (size_t)c->most*(size_t)sys->nc);
    if (c->memory.failed) st = SAR_E_NOMEM;
    if (st != SAR_OK) {
        sari_crossings_destroy(c);
        return st;
    }
    *out = c;
    return SAR_OK;
}

void sari_crossings_start(sari_crossings* c)
{
    memset(c->offset, 0, (size_t)c->sys->nc * sizeof(double));
    c->sys->slack.offset = NULL;
    c->known = c->places = 0;
}

void sari_crossings_archive(sari_crossings* c, sari_archive* a)
{
    const size_t rows = (size_t)c->sys->nc;
    const int used = sari_archive_flag(a, c->sys->slack.offset != NULL);
    c->known = sari_archive_range(a, c->known, 0, c->most);
    SARI_ARCHIVE_INTS(a, &c->places);
    if (c->places < 0) a->failed = 1;
    SARI_ARCHIVE_NUMBERS(a, &c->highest, &c->tried);
    sari_archive_numbers(a, c->offset, rows);
    sari_archive_numbers(a, c->basis, (size_t)c->known * (size_t)c->search.rows);
    sari_archive_numbers(a, c->place, PLACES * (size_t)c->sys->np);
    sari_normal_archive(&c->search.normal, a);
    c->sys->slack.offset = used ? c->offset : NULL;
}

void sari_crossings_resume(sari_crossings* c)
{
    c->highest = -INFINITY;
    c->tried = 0.0;
    sari_normal_weigh(&c->search.normal, c->sys);
}

/* ---- where the motion is nearest ------------------------------------------------------------ */

/* q = where the motion is at t: between the knots, or by Taylor's series about `now`. */
static void place(sari_crossings* c, const sari_state* now, double t, double* q)
{
    const double s = now ? t - now->t : 0.0;
    if (!now) {
        sari_knots_at(&c->sys->coordinates, &c->knot[0], &c->knot[1], t, q);
        return;
    }
    for (int i = 0; i < c->sys->nq; i++) c->d[i] = s * (now->v[i] + 0.5 * s * now->a[i]);
    sari_coordinates_move(&c->sys->coordinates, now->q, c->d, q);
}

/* log det of J'J + (tau^2) D there */
static double measure(sari_crossings* c, const sari_state* now, double t, double tau)
{
    sari_pivots pivots = {0};
    place(c, now, t, c->side);
    sari_crossing_evaluate(&c->search, t, c->side);
    (void)sari_normal_factor(&c->search.normal, tau * tau * c->search.normal.scale, &pivots);
    return pivots.log_abs_det;
}

/* The search begins where the measure is lowest between a and b. Returns it. */
static double begin_at_lowest(sari_crossings* c, const sari_state* now, double a, double b,
                              double tau)
{
    const double golden = 0.61803398874989485;
    double at[2] = {b - golden * (b - a), a + golden * (b - a)};
    double f[2] = {measure(c, now, at[0], tau), measure(c, now, at[1], tau)};
    for (int k = 0; k < GOLDEN; k++) {
        const int left = f[0] < f[1];
        if (left)
            b = at[1], at[1] = at[0], f[1] = f[0], at[0] = b - golden * (b - a);
        else
            a = at[0], at[0] = at[1], f[0] = f[1], at[1] = a + golden * (b - a);
        f[!left] = measure(c, now, at[!left], tau);
    }
    c->search.t = 0.5 * (a + b);
    place(c, now, c->search.t, c->search.q);
    return fmin(f[0], f[1]);
}

/* Where the measure, which falls by `rate` now, will be lowest: 2k/rate ahead if k singular values go to
 * zero together. 0: it does not rise again soon. */
static int search_ahead(sari_crossings* c, const sari_state* now, double rate, double soon,
                        double tau)
{
    const double GROWTH = 1.15;
    double step = 0.5 / rate, a = 0.0, b = 0.0, s = step;
    double lowest = measure(c, now, now->t, tau), next = measure(c, now, now->t + s, tau);
    for (int k = 0; k < PATH && next < lowest && s < soon; k++, step *= GROWTH) {
        a = b, b = s, s += step, lowest = next;
        next = measure(c, now, now->t + s, tau);
    }
    if (!(next >= lowest) || b == 0.0) return 0;
    begin_at_lowest(c, now, now->t + a, now->t + s, tau);
    return 1;
}

/* ---- offsets of the rows -------------------------------------------------------------------- */

/* u without its part along what is known, into `rest`. Returns its length. */
static double beside_known(const sari_crossings* c, const double* u, double* rest)
{
    const int m = c->search.rows;
    memcpy(rest, u, (size_t)m * sizeof(double));
    sari_vector_deflate(m, c->known, c->basis, rest);
    return sari_vector_norm(m, rest);
}

/* The offset gets `amount` along u, and what it has along other known ones stays: unless u depends on
 * them, which then are forgotten. */
static void correct_along(sari_crossings* c, const double* u, double amount)
{
    const double DEPENDENT = 0.05;
    const int m = c->search.rows;
    if (c->known == c->most) c->known = c->places = 0;
    double* rest = c->basis + (size_t)c->known * m;
    double length = beside_known(c, u, rest);
    if (length < DEPENDENT) {
        c->known = c->places = 0;
        rest = c->basis;
        length = beside_known(c, u, rest);
    }
    for (int r = 0; r < m; r++) {
        rest[r] /= length;
        c->offset[r] += amount / length * rest[r];
    }
    c->known++;
}

/* What the search found becomes part of the equations, if it is within the precision of the drawing. */
static void believe(sari_crossings* c, double precision)
{
    const double ADDED = 10.0;   // precisions of the drawing that add up around a loop
    const double MISSED = 100.0; // of these: gaps that are reported, though the drawing has them
    const sari_crossing_search* s = &c->search;
    const double OTHERS = 4.0; // likewise: those of several configurations
    const size_t bytes = (size_t)s->rows * sizeof(double);
    const double most = ADDED * precision;
    c->last = (sari_crossing){.gap = s->drawn, .error = s->error, .rows = s->drawn_rows};
    c->last.missed = s->drawn > most && s->drawn <= MISSED * most;
    if (s->drawn > most) return;
    double *before = s->gap_other, largest = 0.0;
    memcpy(before, c->offset, bytes);
    for (int a = 0; a < s->crossing; a++) {
        const double* u = s->cross + (size_t)a * s->rows;
        double amount = s->amount[a];
        for (int r = 0; r < s->rows; r++) amount -= u[r] * (c->offset[r] - before[r]);
        correct_along(c, u, amount);
    }
    for (int r = 0; r < s->rows; r++) largest = fmax(largest, fabs(c->offset[r]));
    c->last.corrected = largest <= OTHERS * most;
    c->last.missed = !c->last.corrected;
    if (!c->last.corrected) {
        memcpy(c->offset, before, bytes);
        c->known = c->places = 0;
        return;
    }
    c->places = 0; // gaps elsewhere have changed a little: by the square of this one
    c->sys->slack.offset = c->offset;
}

/// The constraints where a motion is well away from singular configurations.
typedef struct generic {
    int regular;  ///< directions that are free
    double least; ///< smallest singular value, of the largest
} generic;

static generic generic_at(sari_crossings* c, double t, const double* q)
{
    sari_crossing_search* s = &c->search;
    const double zero = sari_crossing_zero(s);
    sari_crossing_evaluate(s, t, q);
    const int rank = sari_normal_rank(&s->normal, zero);
    return (generic){s->sys->nq - rank + (s->n - s->sys->nq),
                     sari_normal_least(&s->normal, rank, zero)};
}

/* Does the search begin at a configuration that is known? Not where constraints depend on time. */
static int is_known(sari_crossings* c)
{
    const double NEAR = 0.05;
    const int count = c->places < PLACES ? c->places : PLACES;
    for (int k = 0; k < count; k++) {
        double most = 0.0;
        sari_coordinates_difference(&c->sys->coordinates, c->place + (size_t)k * c->sys->np,
                                    c->search.q, c->d);
        for (int i = 0; i < c->sys->nq; i++) most = fmax(most, fabs(c->d[i]));
        if (most < NEAR) return !c->sys->rheonomic;
    }
    return 0;
}

static void remember(sari_crossings* c)
{
    memcpy(c->place + (size_t)(c->places++ % PLACES) * c->sys->np, c->search.q,
           (size_t)c->sys->np * sizeof(double));
}

/* From where the search begins; the motion is at `away` now. Returns whether there is such a
 * configuration. What a correction leaves is of second order, and corrected too. */
static int find(sari_crossings* c, const generic* g, const double* away, double precision)
{
    enum { ROUNDS = 3 };
    sari_crossing all = {0};
    int known = 1;
    c->last = all;
    if (is_known(c)) return 1;
    for (int k = 0; k < ROUNDS && known; k++) {
        if (!sari_crossing_find(&c->search, g->regular, g->least, away, &known)) break;
        if (known) believe(c, precision);
        if (known && !c->last.corrected) known = 0;
        const int corrected = all.corrected || c->last.corrected;
        if (k == 0 || c->last.gap > all.gap) all = c->last;
        all.corrected = corrected;
        if (k + 1 == ROUNDS || !known) remember(c);
    }
    c->last = all;
    return c->search.crossing > 0;
}

int sari_crossings_meet(sari_crossings* c, const sari_state* now, double rate, double soon,
                        double precision, sari_crossing* found)
{
    const generic g = generic_at(c, now->t, now->q);
    *found = (sari_crossing){0};
    if (!search_ahead(c, now, rate, soon, 0.01 * g.least)) return 0;
    const int there = find(c, &g, now->q, precision);
    *found = c->last;
    return there;
}

/* ---- steps that were taken already ---------------------------------------------------------- */

static const double DEEP = 1.0; ///< below the highest: where a singular configuration may be near

/* The dip is within the step, or it goes on beyond its end. */
static int begin_in_step(sari_crossings* c, const sari_state* before, const sari_state* after,
                         const sari_dip* dip, double least)
{
    const double tau = 0.01 * least;
    if (!dip->inside) return search_ahead(c, after, dip->rate, dip->soon, tau);
    sari_knot_set(&c->knot[0], &c->sys->coordinates, before);
    sari_knot_set(&c->knot[1], &c->sys->coordinates, after);
    const double high = fmax(measure(c, NULL, before->t, tau), measure(c, NULL, after->t, tau));
    return begin_at_lowest(c, NULL, dip->from, dip->to, tau) < high - DEEP;
}

int sari_crossings_step(sari_crossings* c, const sari_state* before, const sari_state* after,
                        const sari_dip* dip, double precision, sari_crossing* found)
{
    const double DEEPER = 1.3;
    *found = (sari_crossing){0};
    c->highest = fmax(c->highest, dip->highest);
    const double depth = c->highest - dip->lowest;
    if (depth < 0.5 * DEEP || !(dip->inside || dip->rate > 0.0)) c->tried = 0.0;
    if (!(dip->inside || dip->rate > 0.0) || depth < DEEP) return 0;
    if (!dip->inside && depth < DEEPER * c->tried) return 0;
    c->tried = dip->inside ? 0.0 : depth;
    const generic g = generic_at(c, before->t, before->q);
    if (!begin_in_step(c, before, after, dip, g.least)) return 0;
    const int there = find(c, &g, before->q, precision);
    if (there && !dip->inside) c->tried = INFINITY;
    if (c->last.corrected) c->highest = -INFINITY; // charts may have other kernels from now on
    *found = c->last;
    return there;
}

/* ---- the state ------------------------------------------------------------------------------ */

/* Those that are left open stay so. */
static int meet_rows(sari_crossings* c, double tau, sari_state* x)
{
    sari_normal* normal = &c->search.normal;
    sari_system* sys = c->sys;
    const unsigned what = SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T;
    for (int pass = 0; pass <= PROJECTIONS; pass++) {
        if (sari_equations_eval(&sys->equations, what, x->t, x->q, NULL) != SAR_OK) return 0;
        if (sari_normal_factor(normal, tau * tau * normal->scale, NULL) < 0) return 0;
        if (pass == PROJECTIONS) break;
        memset(c->d, 0, (size_t)sys->nq * sizeof(double));
        sari_csr_multiply_add_transposed(&normal->J, -1.0, sys->Phi, c->d);
        sari_normal_solve(normal, c->d);
        sari_coordinates_move(&sys->coordinates, x->q, c->d, x->q);
    }
    return 1;
}

void sari_crossings_project(sari_crossings* c, sari_state* x)
{
    const double LITTLE = 1e-6; // of the largest singular value: redundant rows do no harm
    sari_normal* normal = &c->search.normal;
    sari_system* sys = c->sys;
    double* rate = c->search.gap_other;
    if (!meet_rows(c, LITTLE, x)) return;
    for (int pass = 0; pass < 2; pass++) {
        memset(c->d, 0, (size_t)sys->nq * sizeof(double));
        sari_csr_multiply(&normal->J, x->v, rate);
        for (int r = 0; r < c->search.rows; r++) rate[r] += sys->Phi_t[r];
        sari_slack_drop(&sys->slack, rate);
        sari_csr_multiply_add_transposed(&normal->J, -1.0, rate, c->d);
        sari_normal_solve(normal, c->d);
        for (int i = 0; i < sys->nq; i++) x->v[i] += c->d[i];
    }
}
