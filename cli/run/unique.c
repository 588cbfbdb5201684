/* Reactions that are not unique somewhere along a run, and outputs that depend on them. They are judged at the end, and on the
 * way after n, 2 n, 4 n ... steps and at the first, second, fourth ... time that joints come or go. A sample costs about as
 * much as a step of al3 per body: with n = 50 per body all of them are below 5 % of a run. What is unique at all of
 * these places but not between them, as in a singular configuration, is not seen. */
#include "run/unique.h"

#include "common/text.h"

#include "sarrus/analysis.h"

#include <stdlib.h>

enum { MOST_BODIES = 60, STEPS = 50 }; // larger models would take longer than some runs

void cli_unique_begin(cli_unique* u, const sar_model* model)
{
    cli_unique_end(u);
    const int joints = sar_model_joints(model), outputs = sar_model_outputs(model);
    *u = (cli_unique){.model = model, .next = (long)STEPS * sar_model_bodies(model)};
    u->joint = cli_allocate((size_t)joints + (size_t)outputs + 1, 1);
    u->output = u->joint + joints;
}

void cli_unique_sample(cli_unique* u, sar_simulation* s)
{
    const sar_model* model = u->model;
    sar_self_stress* stress = NULL;
    sar_uniqueness of;
    if (sar_simulation_rank(s).redundant <= 0 || sar_model_bodies(model) > MOST_BODIES) return;
    if (sar_self_stress_create(s, &stress, NULL) != SAR_OK) return;
    for (int k = 0; k < sar_model_joints(model); k++)
        if (sar_self_stress_uniqueness(stress, (sar_joint_id){k}, &of) == SAR_OK)
            u->joint[k] |= of.directions > 0;
    for (int k = 0; k < sar_model_outputs(model); k++)
        u->output[k] |= sar_self_stress_output(stress, k) == 0;
    u->split = sar_self_stress_by_compliances(stress) ? "by compliances" : "the smallest ones";
    sar_self_stress_destroy(stress);
}

void cli_unique_step(cli_unique* u, sar_simulation* s, long steps)
{
    const sar_switch* list;
    const int switches = sar_simulation_switches(s, &list);
    if (steps < u->next && switches <= 2 * u->switches) return;
    while (u->next <= steps) u->next *= 2;
    u->switches = switches;
    cli_unique_sample(u, s);
}

void cli_unique_end(cli_unique* u)
{
    free(u->joint);
    *u = (cli_unique){0};
}
