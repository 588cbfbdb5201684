/* A start in a singular configuration: several motions meet there, and a velocity that is a mixture of
 * theirs belongs to none. To second order it violates the constraints at once, and whatever a
 * method makes of it is not the motion of the mechanism: such a start is refused. */
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ANALYSED = 120 }; ///< coordinates or constraints: larger models are not examined

static const double ON_BRANCH = 1.0 - 1e-6; ///< cosine between the velocity and a motion

/* Rows that are redundant at the start may be so in this position alone. */
static int may_be_singular(const sar_simulation* s)
{
    const sari_system* sys = s->system;
    return sys->nc > sari_monitor_rank(s->monitor) && sys->nq <= ANALYSED && sys->nc <= ANALYSED;
}

/* Joints of a drawing with few digits may meet where they are drawn and nowhere else: what they leave to first
 * order is no motion. Where they contradict each other at the start, nothing is said of it. */
static void note_rigid(const sar_simulation* s, const sar_subspaces* space, sar_assembly* report)
{
    const double ROUNDING = 1e-12;
    const sari_system* sys = s->system;
    if (space->branches != 0 || !(sys->slack.gap <= ROUNDING * (sys->size + sys->away))) return;
    report->singular = 1;
    report->branches = 0;
}

/* What moves in a motion that has several directions moves in a sum of them. */
static int name_branch(sar_simulation* s, const sar_branch* branch, double* v, char* names,
                       size_t size)
{
    const int n = s->system->nq;
    for (int i = 0; i < n; i++) v[i] = 0.0;
    for (int j = 0; j < branch->dimension; j++)
        for (int i = 0; i < n; i++) v[i] += (1.0 + 0.37 * j) * branch->basis[j * n + i];
    names[0] = 0;
    return sari_name_moving(s, v, names, size);
}

/* Adds the bodies that move in each of the motions. */
static void list_branches(sar_simulation* s, const sar_subspaces* space)
{
    enum { TOLD = 6 };
    char names[160];
    for (int k = 0; k < space->branches && k < TOLD; k++) {
        const size_t used = strlen(s->failure), room = sizeof s->failure - used;
        if (name_branch(s, &space->branch[k], s->between.a, names, sizeof names))
            snprintf(s->failure + used, room, "%s %d moves %s", k ? ";" : ":", k + 1, names);
    }
}

int sari_explain_ambiguous(sar_simulation* s)
{
    sar_subspaces space;
    const int assembled = s->assembled;
    if (s->system->nq > ANALYSED || s->system->nc > ANALYSED || s->system->slack.count) return 0;
    s->assembled = 1; // it is, but for accelerations
    const sar_status st = sar_simulation_subspaces(s, 0.0, &space);
    s->assembled = assembled;
    if (st != SAR_OK || !space.singular || space.branches < 2) return 0;
    if (!isnan(space.branch[0].share)) return 0; // it moves
    snprintf(s->failure, sizeof s->failure,
             "the mechanism starts at rest in a singular configuration where %d motions meet, and "
             "nothing says which of them it follows",
             space.branches);
    list_branches(s, &space);
    const size_t used = strlen(s->failure);
    snprintf(
        s->failure + used, sizeof s->failure - used,
        ". Start beside it, or with a velocity along one of them; `sarrus check MODEL --at %g` "
        "shows them",
        s->state.t);
    return 1;
}

sar_status sari_check_singular_start(sar_simulation* s, sar_assembly* report)
{
    sar_subspaces space;
    if (!may_be_singular(s)) return SAR_OK;
    sar_status st = sar_simulation_subspaces(s, 0.0, &space);
    if (st == SAR_E_NOMEM) return st;
    if (st != SAR_OK || !space.singular) return SAR_OK;
    if (s->system->slack.count > 0) {
        note_rigid(s, &space, report);
        return SAR_OK;
    }
    report->singular = 1;
    report->branches = space.branches;
    if (space.branches > 0 && s->generic_rank < space.coordinates - space.branch[0].dimension)
        s->generic_rank = space.coordinates - space.branch[0].dimension;
    if (space.branches < 1 || !(space.branch[0].share < ON_BRANCH)) return SAR_OK;
    if (s->options.best_effort || !s->options.assemble) return SAR_OK;
    snprintf(
        s->failure, sizeof s->failure,
        "the start is a singular configuration where %d motions meet, and its velocity is along "
        "none of them (at best %.3g of it is): no motion of the mechanism begins like that. "
        "Start along one of them; `sarrus check MODEL --at %g` lists them",
        space.branches, space.branch[0].share, s->state.t);
    return SAR_E_ASSEMBLY;
}
