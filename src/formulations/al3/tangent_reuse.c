#include "formulations/al3/tangent_reuse.h"

#include <math.h>

enum { MANY = 100 };          ///< coordinates: below, K and C of every step cost little
enum { PRICE = 3 };           ///< of K and C, in corrections: between 2 and 5 in all coordinates
enum { PRICE_OF_S = 2 };      ///< likewise
enum { LONGEST_SERVICE = 8 }; ///< steps that S may serve
enum { WORTHWHILE = 4, LONGEST_PAUSE = 63 }; ///< steps, see judge_slopes

static const double SAME = 1e-6; ///< of shifts: lengths of steps differ by rounding
static const double QUICK = 0.1; ///< S is good while corrections fall by this
static const double DEAR = 0.3;  ///< likewise where it costs as much as several of them
static const double FAR = 1e-3;  ///< where the step led further, its rows are from another place

void sari_kept_choose(sari_kept* kept, int life, int slopes, int coordinates, int published)
{
    kept->life = life;
    if (life >= 0) return;
    kept->expensive = slopes && coordinates >= MANY;
    kept->whole = kept->expensive || (slopes && !published);
    kept->life = kept->whole ? 0 : 1;
}

void sari_kept_archive(sari_kept* kept, sari_archive* a)
{
    SARI_ARCHIVE_INTS(a, &kept->age, &kept->slopes, &kept->fresh, &kept->late, &kept->usual,
                      &kept->served, &kept->extra, &kept->pause, &kept->wait, &kept->lasts,
                      &kept->offered, &kept->S_usual, &kept->S_served, &kept->S_extra,
                      &kept->S_pause, &kept->S_wait);
    SARI_ARCHIVE_NUMBERS(a, &kept->c, &kept->correction, &kept->before, &kept->first, &kept->ca);
}

void sari_kept_forget(sari_kept* kept)
{
    kept->slopes = kept->lasts = kept->offered = kept->age = 0;
}

/* The steps for which it is not tried, after something that served for so many. */
static int pause_after(int served, int pause)
{
    const int next = served >= WORTHWHILE ? pause / 2 : 2 * pause + 1;
    return next < LONGEST_PAUSE ? next : LONGEST_PAUSE;
}

/* At the end of a step: shall K and C serve the next one too? They do, with the rows of then, until
 * what steps took beyond the one that they were evaluated for, corrections and K and C of their own in
 * between, has cost as much as new ones: with the best time for new ones it would have been half, at
 * least. (Not with an S of an earlier step: what it adds is its own.) Where they do not serve for long,
 * it is not tried for some steps, twice as many each time. */
static void judge_slopes(sari_kept* kept, int corrections)
{
    if (kept->fresh) {
        kept->usual = corrections;
        kept->extra = kept->served = 0;
        if (kept->wait > 0) kept->wait--;
    } else {
        kept->served++;
        if (!kept->lasts && corrections > kept->usual) kept->extra += corrections - kept->usual;
        if (kept->late) kept->extra += PRICE;
        if (kept->extra >= PRICE) {
            kept->wait = kept->pause = pause_after(kept->served, kept->pause);
            kept->slopes = 0;
        }
    }
    if (kept->wait > 0) kept->slopes = 0;
    kept->fresh = kept->late = 0;
}

/* Likewise S, while its K and C serve, corrections get smaller in a step, and its rows are not from
 * too long ago. */
static void judge_S(sari_kept* kept, int corrections)
{
    const int shrink = corrections == 1 || kept->correction <= DEAR * kept->first;
    if (kept->lasts) {
        kept->S_served++;
        if (corrections > kept->S_usual) kept->S_extra += corrections - kept->S_usual;
    }
    const int replaced = kept->offered && !kept->lasts;
    const int spent = replaced || (kept->lasts && (kept->S_extra >= PRICE_OF_S || !shrink));
    if (spent)
        kept->S_wait = kept->S_pause = pause_after(kept->S_served, kept->S_pause);
    else if (!kept->lasts && kept->S_wait > 0)
        kept->S_wait--;
    if (!kept->lasts) kept->S_usual = kept->age, kept->S_extra = kept->S_served = 0;
    kept->lasts = kept->age > 0 && kept->slopes && shrink && !spent && kept->S_wait == 0 &&
                  kept->S_served < LONGEST_SERVICE;
    kept->offered = kept->lasts;
}

void sari_kept_begin(sari_kept* kept, int corrections)
{
    if (kept->expensive && corrections > 0) {
        judge_slopes(kept, corrections);
        judge_S(kept, corrections);
    }
    kept->age = 0;
}

static int is_same(const sari_kept* kept, double ca)
{
    return fabs(ca - kept->ca) <= SAME * ca;
}

int sari_kept_good(const sari_kept* kept, int iteration, double ca)
{
    if (iteration == 1) return kept->lasts && is_same(kept, ca);
    if (kept->age == 0) return 0;
    if (kept->life > 0) return kept->age < kept->life;
    if (!kept->expensive && kept->whole && kept->first > FAR) return 0;
    return iteration == 2 || sari_kept_steady(kept);
}

int sari_kept_want_slopes(sari_kept* kept, int iteration)
{
    // where S of an earlier step does not do, one with the rows of this step may
    if (kept->expensive && kept->slopes && (iteration == 1 || kept->lasts)) return 0;
    kept->slopes = 1;
    *(iteration == 1 ? &kept->fresh : &kept->late) = 1;
    return 1;
}

void sari_kept_factored(sari_kept* kept, double c, double ca)
{
    if (!is_same(kept, ca)) kept->offered = 0; // it was good, but for steps of another length
    kept->age = 1;
    kept->lasts = 0;
    kept->ca = ca;
    kept->c = c;
}

int sari_kept_steady(const sari_kept* kept)
{
    const double quick = kept->expensive ? DEAR : QUICK;
    return kept->life == 0 && kept->correction <= quick * kept->before;
}

void sari_kept_corrected(sari_kept* kept, int iteration, double correction)
{
    if (iteration == 1) kept->first = correction;
    kept->before = kept->correction;
    kept->correction = correction;
}
