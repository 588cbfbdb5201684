#include "integrators/predictor.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/// Steps of one correction in a row, after which a second one looks; and, where tangents are old, while
/// those find that corrections shrink quickly, at most.
enum { VERIFY_AFTER = 8, LONGEST_UNVERIFIED = 32 };

static const double SMOOTH = 0.3; ///< change of e, by e, and the first correction, by that change
static const double SAME = 1e-6;  ///< of the lengths of steps
static const double FADE = 0.9;   ///< of what was seen, per step
static const double QUICK = 0.3;  ///< rate
static const double DOUBTFUL =
    0.5;                         ///< rate that a step in which corrections shrink faster disproves
static const double PART = 1e-3; ///< of the change of e that may be left over
static const double ROUNDING =
    1e-15; ///< of coordinates, by their norm: some units in the last place
static const double OLD_ROUNDING = 1e-12; ///< likewise where tangents are old
static const double NOTHING = 1e-14;      ///< is left to correct there

void sari_predictor_create(sari_predictor* f, sari_arena* memory, int coordinates, int old_tangents)
{
    f->old = old_tangents;
    f->n = coordinates;
    f->e = SARI_TAKE(memory, double, coordinates);
    f->e_1 = SARI_TAKE(memory, double, coordinates);
    f->verify_after = VERIFY_AFTER;
}

void sari_predictor_archive(sari_predictor* f, sari_archive* a)
{
    SARI_ARCHIVE_INTS(a, &f->steps, &f->unverified, &f->verify_after);
    SARI_ARCHIVE_NUMBERS(a, &f->h, &f->predicted, &f->turn, &f->rate, &f->rate_now);
    sari_archive_numbers(a, f->e, (size_t)f->n);
    sari_archive_numbers(a, f->e_1, (size_t)f->n);
}

void sari_predictor_forget(sari_predictor* f)
{
    f->steps = 0;
    f->verify_after = VERIFY_AFTER;
    f->predicted = f->turn = 0.0;
}

const double* sari_predictor_begin(sari_predictor* f, double h, double* next)
{
    double size = 0.0, apart = 0.0;
    f->unverified++;
    f->predicted = 0.0;
    if (f->steps && fabs(h - f->h) > SAME * h) sari_predictor_forget(f);
    if (f->steps < 2) return NULL;
    for (int i = 0; i < f->n; i++) {
        const double turn = f->e[i] - f->e_1[i];
        size += f->e[i] * f->e[i];
        apart += turn * turn;
        next[i] = 2.0 * f->e[i] - f->e_1[i]; // (1)
    }
    if (!(apart < SMOOTH * SMOOTH * size)) {
        f->turn = 0.0;
        return NULL;
    }
    f->turn = fmax(sqrt(apart), FADE * f->turn);
    f->predicted = sqrt(size);
    return next;
}

void sari_predictor_end(sari_predictor* f, double h, const double* e)
{
    double* oldest = f->e_1;
    f->e_1 = f->e;
    f->e = oldest;
    memcpy(f->e, e, (size_t)f->n * sizeof *e);
    f->h = h;
    f->steps++;
}

void sari_predictor_see(sari_predictor* f, int iteration, double size, double last, double norm)
{
    if (iteration == 1) f->rate_now = 0.0;
    if (iteration == 1 || (f->old && iteration == 2 && f->rate == 0.0)) return;
    const int due = iteration == 2 && f->unverified >= f->verify_after;
    if (!(size < QUICK * last))
        f->verify_after = VERIFY_AFTER;
    else if (f->old && due && f->verify_after < LONGEST_UNVERIFIED)
        f->verify_after *= 2;
    f->unverified = 0;
    if (!(last > (f->old ? OLD_ROUNDING : ROUNDING) * norm)) return; // what it leaves is less
    if (f->rate_now == 0.0) f->rate *= FADE;
    f->rate_now = fmax(f->rate_now, size / last);
    f->rate = fmax(f->rate, f->rate_now);
}

/* Is one correction after a good guess enough to ask what it leaves? */
static int one_may_do(const sari_predictor* f, double size, double norm)
{
    if (f->predicted == 0.0 || f->unverified >= f->verify_after) return 0;
    return size <= SMOOTH * f->turn || size < ROUNDING * norm;
}

/* With old tangents the ratio of the first two corrections says little. After a jump nothing is predicted,
 * and a usual correction counts as it is. */
static int converged_by_old(const sari_predictor* f, double usual, int iteration, double size,
                            double last, double added, double norm)
{
    if (size < NOTHING) return 1;
    const double rate = iteration > 2 ? fmax(size / last, fmin(f->rate, DOUBTFUL)) : f->rate;
    if (f->predicted == 0.0 && (iteration == 1 || size > usual)) return 0;
    if (iteration == 1 && f->unverified >= f->verify_after) return 0;
    if (!(rate > 0.0 && rate < 1.0) || size * rate > usual * (1.0 - rate)) return 0;
    return size < usual * fmax(1.0, norm) &&
           (size * rate < OLD_ROUNDING * norm * (1.0 - rate) ||
            sari_converged(iteration, size, size / rate, added, norm));
}

int sari_predictor_converged(const sari_predictor* f, const sari_newton_rule* rule, int iteration,
                             double size, double last, double added, double norm)
{
    const double usual = rule->usual * fmax(1.0, norm);
    if (f->old) return converged_by_old(f, rule->usual, iteration, size, last, added, norm);
    if (f->predicted == 0.0) return sari_newton_done(rule, iteration, size, last, added, norm);
    if (iteration == 1 && !one_may_do(f, size, norm)) return 0;
    const double rate = iteration > 1 ? fmax(size / last, fmin(f->rate, DOUBTFUL)) : f->rate;
    const double left = rate > 0.0 && rate < 1.0 ? size * rate / (1.0 - rate) : INFINITY;
    if (left < usual && (left <= PART * f->turn || left < ROUNDING * norm)) return 1;
    return iteration > 1 && sari_newton_done(rule, iteration, size, last, added, norm);
}
