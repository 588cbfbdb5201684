/* A start in a singular position: several motions meet there, and a velocity that is a mixture of
 * theirs belongs to none. To second order it violates the constraints at once, and whatever a
 * method makes of it is not the motion of the mechanism: such a start is refused. */
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>

enum { ANALYSED = 120 }; ///< coordinates or constraints: larger models are not looked at

static const double ON_BRANCH = 1.0 - 1e-6; ///< cosine between the velocity and a motion

/* Rows that are redundant at the start may be so in this position alone. */
static int may_be_singular(const sar_simulation* s)
{
    const sari_system* sys = s->system;
    return sys->nc > sari_monitor_rank(s->monitor) && sys->nq <= ANALYSED && sys->nc <= ANALYSED &&
           sys->slack.count == 0;
}

sar_status sari_check_singular_start(sar_simulation* s, sar_assembly* report)
{
    sar_subspaces space;
    if (!may_be_singular(s)) return SAR_OK;
    sar_status st = sar_simulation_subspaces(s, 0.0, &space);
    if (st == SAR_E_NOMEM) return st;
    if (st != SAR_OK || !space.singular) return SAR_OK;
    report->singular = 1;
    report->branches = space.branches;
    if (space.branches > 0 && s->generic_rank < space.coordinates - space.branch[0].dimension)
        s->generic_rank = space.coordinates - space.branch[0].dimension;
    if (space.branches < 1 || !(space.branch[0].share < ON_BRANCH)) return SAR_OK;
    if (s->options.best_effort || !s->options.assemble) return SAR_OK;
    snprintf(s->failure, sizeof s->failure,
             "the start is a singular position where %d motions meet, and its velocity is along "
             "none of them (at best %.3g of it is): no motion of the mechanism begins like that. "
             "Start along one of them; `sarrus check MODEL --at %g` lists them",
             space.branches, space.branch[0].share, s->state.t);
    return SAR_E_ASSEMBLY;
}
