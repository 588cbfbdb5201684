/* Which parts of the equations a parameter changes. A mass changes no rows, a stiffness no inertia: models with another value
 * are asked for the rest alone, wherever they are asked. Forces that come and go, or have branches, may not be there where that
 * is looked at: those always count. */
#include "sensitivity/al3/al3_parts.h"

#include "base/status.h"
#include "math/vector.h"
#include "simulation/events/events.h"
#include "system/linear/residual.h"

#include <math.h>

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

/* Is this part the same in all three? Does it go along a straight line? */
static int is_same(sari_system* const sys[3], const sari_step_record* r,
                   sari_step_terms* const x[3], unsigned part, int* straight)
{
    double most = 0.0, first = 0.0, second = 0.0;
    for (int i = 0; i < 3; i++)
        if (find(x[i], sys[i], r, part) != SAR_OK) {
            *straight = 0;
            return 0;
        }
    for (int i = 0; i < sari_terms_size(x[0]); i++) {
        const double own = x[0]->F[i], more = x[1]->F[i] - own, less = x[2]->F[i] - own;
        most = fmax(most, fabs(own));
        first = fmax(first, fmax(fabs(more), fabs(less)));
        second = fmax(second, fabs(more + less));
    }
    if (!(second <= fmax(SAME * most, STRAIGHT * first))) *straight = 0;
    return first <= (part == SARI_PART_APPLIED ? SAME * most : 0.0);
}

unsigned sari_parts_look(sari_system* const sys[3], const sari_step_record* r,
                         sari_step_terms* const x[3], int* straight)
{
    static const unsigned part[] = {SARI_PART_ROWS, SARI_PART_INERTIA, SARI_PART_APPLIED};
    unsigned parts = 0;
    for (int p = 0; p < 3; p++)
        if (!is_same(sys, r, x, part[p], straight)) parts |= part[p];
    return parts;
}

unsigned sari_parts_always(const sar_simulation* x)
{
    for (int k = 0; k < x->phases.guards; k++)
        if (x->phases.guard[k].kind == SARI_GUARD_BRANCH) return SARI_PART_APPLIED;
    return sari_kinks_there(x) > 0 ? SARI_PART_APPLIED : 0;
}
