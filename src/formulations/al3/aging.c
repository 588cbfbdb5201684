#include "formulations/al3/aging.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 16 }; ///< steps: by then K and C cost little
enum { PAUSE = 16 };   ///< where they age too fast for a step

static const double SMALL = 1e-2; ///< delta: M may be far from its diagonal

void sari_aging_create(sari_aging* a, sari_arena* memory, const sari_equations* sys)
{
    const int entries = sys->K.p[sys->nq];
    a->sys = sys;
    a->K = SARI_TAKE(memory, double, entries);
    a->C = SARI_TAKE(memory, double, entries);
}

void sari_aging_archive(sari_aging* aging, sari_archive* a)
{
    const size_t entries = (size_t)aging->sys->K.p[aging->sys->nq];
    SARI_ARCHIVE_INTS(a, &aging->known, &aging->served, &aging->life, &aging->pause);
    sari_archive_numbers(a, aging->K, entries);
    sari_archive_numbers(a, aging->C, entries);
}

void sari_aging_forget(sari_aging* a)
{
    a->known = 0;
}

int sari_aging_serve(sari_aging* a)
{
    a->served++;
    return a->known && a->served < a->life;
}

/* delta; infinite where there is no inertia, or where K and C are kept along a tree */
static double change(const sari_aging* a, double b, double cv)
{
    const sari_equations* sys = a->sys;
    double most = sys->M.tree ? INFINITY : 0.0;
    for (int r = 0; r < sys->nq; r++) {
        const double M = sys->M.x[sys->M.p[r]];
        double sum = 0.0;
        for (int k = sys->K.p[r]; k < sys->K.p[r + 1]; k++) {
            const double d = cv * (sys->C.x[k] - a->C[k]) + (sys->K.x[k] - a->K[k]);
            const double other = sys->M.x[sys->M.p[sys->K.i[k]]];
            if (d != 0.0) sum += fabs(b * d) / sqrt(M * other);
        }
        most = sum <= most ? most : sum; // NaN and infinity count
    }
    return most;
}

void sari_aging_renewed(sari_aging* a, double b, double cv)
{
    const size_t bytes = (size_t)a->sys->K.p[a->sys->nq] * sizeof(double);
    const int served = a->served > 0 ? a->served : 1;
    double life = 1.0;
    if (a->pause > 0 && --a->pause > 0) return;
    if (a->known) {
        life = fmin(SMALL * served / change(a, b, cv), fmin(2.0 * served, LONGEST));
        if (!(life >= 1.0)) a->pause = PAUSE;
    }
    a->life = life >= 1.0 ? (int)life : 1;
    memcpy(a->K, a->sys->K.x, bytes);
    memcpy(a->C, a->sys->C.x, bytes);
    a->known = a->pause == 0;
    a->served = 0;
}
