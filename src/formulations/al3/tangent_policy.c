#include "formulations/al3/tangent_policy.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* The rules of services: what a new one costs, in corrections, and the steps that it may serve. */
typedef struct rule {
    int price, longest;
} rule;
static const rule SLOPES = {.price = 3}; ///< 2 to 5 in all coordinates
static const rule MATRIX = {.price = 2, .longest = 8};

enum { MANY = 100 };     ///< coordinates: below, K and C of every step cost little
enum { WORTHWHILE = 4 }; ///< steps: what serves for fewer is paused
enum { LONGEST_PAUSE = 63 };
enum { OLDEST = 16 }; ///< steps that measured K and C serve: by then they cost little
enum { AGEING_PAUSE = 16 };

static const double SAME = 1e-6;  ///< of shifts: lengths of steps differ by rounding
static const double QUICK = 0.1;  ///< S is good while corrections fall by this
static const double DEAR = 0.3;   ///< likewise where it costs as much as several of them
static const double FAR = 1e-3;   ///< where the step led further, its rows are from another place
static const double SMALL = 1e-2; ///< delta: M may be far from its diagonal

void sari_tangent_choose(sari_tangent_policy* p, const sari_equations* sys, int life, int slopes,
                         int published)
{
    p->sys = sys;
    p->life = life;
    if (life >= 0) return;
    p->expensive = slopes && sys->nq >= MANY;
    p->whole = p->expensive || (slopes && !published);
    p->life = p->whole ? 0 : 1;
}

static int entries(const sari_tangent_policy* p)
{
    return p->sys->K.p[p->sys->nq];
}

void sari_tangent_measure(sari_tangent_policy* p, sari_arena* memory)
{
    p->measured = 1;
    p->ageing.K = SARI_TAKE(memory, double, entries(p));
    p->ageing.C = SARI_TAKE(memory, double, entries(p));
}

static void archive_service(sari_service* s, sari_archive* a)
{
    SARI_ARCHIVE_INTS(a, &s->usual, &s->served, &s->extra, &s->pause, &s->wait);
}

void sari_tangent_archive(sari_tangent_policy* p, sari_archive* a)
{
    sari_ageing* ageing = &p->ageing;
    SARI_ARCHIVE_INTS(a, &p->age, &p->has_slopes, &p->fresh, &p->late, &p->lasts, &p->offered);
    SARI_ARCHIVE_NUMBERS(a, &p->c, &p->ca, &p->correction, &p->before, &p->first);
    archive_service(&p->slopes, a);
    archive_service(&p->S, a);
    if (!p->measured) return;
    SARI_ARCHIVE_INTS(a, &ageing->known, &ageing->served, &ageing->life, &ageing->pause);
    sari_archive_numbers(a, ageing->K, (size_t)entries(p));
    sari_archive_numbers(a, ageing->C, (size_t)entries(p));
}

void sari_tangent_forget(sari_tangent_policy* p)
{
    p->has_slopes = p->lasts = p->offered = p->age = 0;
    p->ageing.known = 0;
}

/* ---- services of many coordinates ------------------------------------------------------------ */

static void renewed(sari_service* s, int corrections)
{
    s->usual = corrections;
    s->extra = s->served = 0;
}

/* It served a step that took so many corrections. Has it cost as much as a new one by now? With the
 * best time for new ones it would have been half, at least. */
static void add_step(sari_service* s, int corrections)
{
    s->served++;
    if (corrections > s->usual) s->extra += corrections - s->usual;
}

/* What does not serve for long is not tried for some steps, twice as many each time. */
static void pause_service(sari_service* s)
{
    const int next = s->served >= WORTHWHILE ? s->pause / 2 : 2 * s->pause + 1;
    s->wait = s->pause = next < LONGEST_PAUSE ? next : LONGEST_PAUSE;
}

/* Shall K and C serve the next step too, with its rows? What an S of an earlier step adds to the
 * corrections is its own. */
static void judge_slopes(sari_tangent_policy* p, int corrections)
{
    sari_service* s = &p->slopes;
    if (p->fresh) {
        renewed(s, corrections);
        if (s->wait > 0) s->wait--;
    } else {
        add_step(s, p->lasts ? 0 : corrections);
        if (p->late) s->extra += SLOPES.price;
        if (s->extra >= SLOPES.price) {
            pause_service(s);
            p->has_slopes = 0;
        }
    }
    if (s->wait > 0) p->has_slopes = 0;
    p->fresh = p->late = 0;
}

/* Likewise S, while its K and C serve, corrections get smaller in a step, and its rows are not from
 * too long ago. */
static void judge_S(sari_tangent_policy* p, int corrections)
{
    sari_service* s = &p->S;
    const int shrink = corrections == 1 || p->correction <= DEAR * p->first;
    if (p->lasts) add_step(s, corrections);
    const int replaced = p->offered && !p->lasts;
    const int spent = replaced || (p->lasts && (s->extra >= MATRIX.price || !shrink));
    if (spent)
        pause_service(s);
    else if (!p->lasts && s->wait > 0)
        s->wait--;
    if (!p->lasts) renewed(s, p->age);
    p->lasts = p->age > 0 && p->has_slopes && shrink && !spent && s->wait == 0 &&
               s->served < MATRIX.longest;
    p->offered = p->lasts;
}

/* ---- K and C of few coordinates --------------------------------------------------------------- */

static int may_serve(sari_ageing* ageing)
{
    ageing->served++;
    return ageing->known && ageing->served < ageing->life;
}

/* delta; infinite where there is no inertia, or where K and C are stored along a tree */
static double change(const sari_tangent_policy* p, double b, double cv)
{
    const sari_equations* sys = p->sys;
    double largest = sys->M.tree ? INFINITY : 0.0;
    for (int r = 0; r < sys->nq; r++) {
        const double M = sys->M.x[sys->M.p[r]];
        double sum = 0.0;
        for (int k = sys->K.p[r]; k < sys->K.p[r + 1]; k++) {
            const double d = cv * (sys->C.x[k] - p->ageing.C[k]) + (sys->K.x[k] - p->ageing.K[k]);
            const double other = sys->M.x[sys->M.p[sys->K.i[k]]];
            if (d != 0.0) sum += fabs(b * d) / sqrt(M * other);
        }
        largest = sum <= largest ? largest : sum; // NaN and infinity count
    }
    return largest;
}

void sari_tangent_evaluated(sari_tangent_policy* p, double b, double cv)
{
    sari_ageing* ageing = &p->ageing;
    if (!p->measured) return;
    const size_t bytes = (size_t)entries(p) * sizeof(double);
    const int served = ageing->served > 0 ? ageing->served : 1;
    double life = 1.0;
    if (ageing->pause > 0 && --ageing->pause > 0) return;
    if (ageing->known) {
        life = fmin(SMALL * served / change(p, b, cv), fmin(2.0 * served, OLDEST));
        if (!(life >= 1.0)) ageing->pause = AGEING_PAUSE;
    }
    ageing->life = life >= 1.0 ? (int)life : 1;
    memcpy(ageing->K, p->sys->K.x, bytes);
    memcpy(ageing->C, p->sys->C.x, bytes);
    ageing->known = ageing->pause == 0;
    ageing->served = 0;
}

/* ---- within a step ---------------------------------------------------------------------------- */

void sari_tangent_begin(sari_tangent_policy* p, int corrections)
{
    if (p->expensive && corrections > 0) {
        judge_slopes(p, corrections);
        judge_S(p, corrections);
    }
    p->age = 0;
}

static int is_same(const sari_tangent_policy* p, double ca)
{
    return fabs(ca - p->ca) <= SAME * ca;
}

int sari_tangent_good(const sari_tangent_policy* p, int iteration, double ca)
{
    if (iteration == 1) return p->lasts && is_same(p, ca);
    if (p->age == 0) return 0;
    if (p->life > 0) return p->age < p->life;
    if (!p->expensive && p->whole && p->first > FAR) return 0;
    return iteration == 2 || sari_tangent_steady(p);
}

int sari_tangent_wants_slopes(sari_tangent_policy* p, int iteration, int predicted)
{
    if (p->measured && iteration == 1 && may_serve(&p->ageing) && predicted) return 0;
    // where S of an earlier step does not do, one with the rows of this step may
    if (p->expensive && p->has_slopes && (iteration == 1 || p->lasts)) return 0;
    p->has_slopes = 1;
    *(iteration == 1 ? &p->fresh : &p->late) = 1;
    return 1;
}

void sari_tangent_factored(sari_tangent_policy* p, double c, double ca)
{
    if (!is_same(p, ca)) p->offered = 0; // it was good, but for steps of another length
    p->age = 1;
    p->lasts = 0;
    p->ca = ca;
    p->c = c;
}

int sari_tangent_steady(const sari_tangent_policy* p)
{
    const double quick = p->expensive ? DEAR : QUICK;
    return p->life == 0 && p->correction <= quick * p->before;
}

void sari_tangent_corrected(sari_tangent_policy* p, int iteration, double correction)
{
    if (iteration == 1) p->first = correction;
    p->before = p->correction;
    p->correction = correction;
}
