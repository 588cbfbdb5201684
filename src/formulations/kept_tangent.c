#include "formulations/kept_tangent.h"

enum { MANY = 100 }; ///< coordinates: below, K and C of every step cost little
enum { PRICE = 3 };  ///< of K and C, in corrections: between 2 and 5 in all coordinates
enum { WORTHWHILE = 4, LONGEST_PAUSE = 63 }; ///< steps, see judge_slopes

static const double QUICK = 0.1; ///< S is good while corrections fall by this
static const double DEAR = 0.3;  ///< likewise where it costs as much as several of them
static const double FAR = 1e-3;  ///< where the step led further, its rows are from another place

void sari_kept_choose(sari_kept* kept, int life, int slopes, int coordinates, int published)
{
    kept->life = life;
    if (life >= 0) return;
    kept->dear = slopes && coordinates >= MANY;
    kept->whole = kept->dear || (slopes && !published);
    kept->life = kept->whole ? 0 : 1;
}

void sari_kept_forget(sari_kept* kept)
{
    kept->slopes = 0;
}

/* At the end of a step: shall K and C serve the next one too? They do, with the rows of then, until
 * what steps took beyond the one that they were evaluated for, corrections and K and C of their own in
 * between, has cost as much as new ones: with the best time for new ones it would have been half, at
 * least. Where they do not serve for long, it is not tried for some steps, twice as many each time. */
static void judge_slopes(sari_kept* kept, int corrections)
{
    if (kept->fresh) {
        kept->usual = corrections;
        kept->extra = kept->served = 0;
        if (kept->wait > 0) kept->wait--;
    } else {
        kept->served++;
        if (corrections > kept->usual) kept->extra += corrections - kept->usual;
        if (kept->late) kept->extra += PRICE;
        if (kept->extra >= PRICE) {
            kept->pause = kept->served >= WORTHWHILE ? kept->pause / 2 : 2 * kept->pause + 1;
            if (kept->pause > LONGEST_PAUSE) kept->pause = LONGEST_PAUSE;
            kept->wait = kept->pause;
            kept->slopes = 0;
        }
    }
    if (kept->wait > 0) kept->slopes = 0;
    kept->fresh = kept->late = 0;
}

void sari_kept_begin(sari_kept* kept, int corrections)
{
    if (kept->dear && corrections > 0) judge_slopes(kept, corrections);
    kept->age = 0;
}

int sari_kept_good(const sari_kept* kept, int iteration)
{
    if (kept->age == 0 || iteration == 1) return 0;
    if (kept->life > 0) return kept->age < kept->life;
    if (!kept->dear && kept->whole && kept->first > FAR) return 0;
    return iteration == 2 || sari_kept_steady(kept);
}

int sari_kept_want_slopes(sari_kept* kept, int iteration)
{
    if (kept->dear && kept->slopes && iteration == 1) return 0;
    kept->slopes = 1;
    *(iteration == 1 ? &kept->fresh : &kept->late) = 1;
    return 1;
}

void sari_kept_factored(sari_kept* kept, double c)
{
    kept->age = 1;
    kept->c = c;
}

int sari_kept_steady(const sari_kept* kept)
{
    const double quick = kept->dear ? DEAR : QUICK;
    return kept->life == 0 && kept->correction <= quick * kept->before;
}

void sari_kept_corrected(sari_kept* kept, int iteration, double correction)
{
    if (iteration == 1) kept->first = correction;
    kept->before = kept->correction;
    kept->correction = correction;
}
