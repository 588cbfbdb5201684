/* Which parts of the equations a parameter changes. A mass changes no rows, a stiffness no inertia: models with another value
 * are asked for the rest alone, at every step. Forces that come and go, or have branches, may not be there where that is
 * looked at: those always count. */
#include "sensitivity/al3.h"

#include "base/status.h"
#include "math/vector.h"
#include "simulation/events/events.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 8 };                ///< of the part of the run that is there
static const double SAME = 1e-13;    ///< of a term: rounding
static const double STRAIGHT = 1e-9; ///< of first differences: second ones of straight lines

/* One part into x; applied forces by themselves. */
static sar_status find(sari_step_terms* x, sari_system* sys, const sari_step_record* r,
                       unsigned part)
{
    const sar_status st = sari_terms_of(x, sys, r, part);
    if (st != SAR_OK || part != SARI_PART_APPLIED) return st;
    sari_vector_add(x->nq - sys->states, 1.0, sari_residual_own_forces(sys), x->F);
    return SAR_OK;
}

/* Is this part the same in both near twins, or does it go along a straight line? */
static void compare(sari_al3_gradient* m, int k, const sari_step_record* r, unsigned part,
                    int* same, int* straight)
{
    sari_step_terms* const x[3] = {&m->more, &m->far, &m->less};
    const int size = sari_terms_size(&m->more);
    double most = 0.0, first = 0.0, second = 0.0;
    for (int i = 0; i < 3; i++) {
        sari_system* sys = i ? sari_al3_twin_system(m, k, i - 1) : m->own.simulation->system;
        if (find(x[i], sys, r, part) == SAR_OK) continue;
        *same = *straight = 0;
        return;
    }
    for (int i = 0; i < size; i++) {
        const double own = x[0]->F[i], more = x[1]->F[i] - own, less = x[2]->F[i] - own;
        most = fmax(most, fabs(own));
        first = fmax(first, fmax(fabs(more), fabs(less)));
        second = fmax(second, fabs(more + less));
    }
    *same &= first <= (part == SARI_PART_APPLIED ? SAME * most : 0.0);
    *straight &= second <= fmax(SAME * most, STRAIGHT * first);
}

/* Do forces have branches? */
static int come_and_go(const sari_al3_gradient* m)
{
    const sar_simulation* x = m->own.simulation;
    for (int k = 0; k < x->phases.guards; k++)
        if (x->phases.guard[k].kind == SARI_GUARD_BRANCH) return 1;
    return sari_kinks_there(x) > 0;
}

unsigned sari_al3_parts_of(sari_al3_gradient* m, int k, int* straight)
{
    static const unsigned part[] = {SARI_PART_ROWS, SARI_PART_INERTIA, SARI_PART_APPLIED};
    const sari_al3_tape* tape = &m->tape;
    const int begin = tape->checkpoint[tape->segment].entry,
              last = sari_al3_tape_last(tape, tape->segment);
    unsigned parts = come_and_go(m) ? SARI_PART_APPLIED : 0;
    *straight = 1;
    for (int i = 0; i <= SAMPLES; i++) {
        const sari_step_record r =
            sari_al3_tape_record(tape, begin + (int)((long)(last - begin) * i / SAMPLES));
        for (int p = 0; p < 3; p++) {
            int same = 1;
            compare(m, k, &r, part[p], &same, straight);
            if (!same) parts |= part[p];
        }
    }
    return parts;
}
