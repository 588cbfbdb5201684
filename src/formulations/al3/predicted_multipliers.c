#include "formulations/al3/predicted_multipliers.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double SMOOTH = 0.3; ///< change of a change, by it
static const double SAME = 1e-6;  ///< of shifts

void sari_predicted_create(sari_predicted* f, sari_arena* memory, int multipliers)
{
    f->n = multipliers;
    f->last = SARI_TAKE(memory, double, multipliers);
    f->grew = SARI_TAKE(memory, double, multipliers);
    f->next = SARI_TAKE(memory, double, multipliers);
}

void sari_predicted_archive(sari_predicted* f, sari_archive* a)
{
    SARI_ARCHIVE_INTS(a, &f->steps);
    SARI_ARCHIVE_NUMBERS(a, &f->ca);
    sari_archive_numbers(a, f->last, (size_t)f->n);
    sari_archive_numbers(a, f->grew, (size_t)f->n);
}

void sari_predicted_forget(sari_predicted* f)
{
    f->steps = 0;
}

const double* sari_predicted_next(sari_predicted* f, double ca, const double* lambda)
{
    double size = 0.0, apart = 0.0;
    if (f->steps && fabs(ca - f->ca) > SAME * ca) f->steps = 0;
    for (int r = 0; f->steps && r < f->n; r++) {
        const double now = lambda[r] - f->last[r], turn = now - f->grew[r];
        size += now * now;
        apart += turn * turn;
        f->grew[r] = now;
        f->next[r] = lambda[r] + now;
    }
    memcpy(f->last, lambda, (size_t)f->n * sizeof *lambda);
    f->ca = ca;
    const int known = f->steps++;
    return known >= 2 && apart < SMOOTH * SMOOTH * size ? f->next : lambda;
}
