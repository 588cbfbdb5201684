/* Forces that have a kink where something touches, or a strand becomes slack: continuous, but not
 * smooth. A step across one loses its order, and its estimate of the error does not see by how much.
 * So steps end there, as they do where expressions have kinks (events.c, branches_held.c); which side
 * a force is on follows from the state, and nothing has to be held. */
#include "base/status.h"
#include "simulation/simulation.h"
#include "system/forces.h"

struct sari_kinks {
    struct which {
        int type, each;
    } * force; ///< those that have some
    int count;
};

static void list(const sar_model* model, sari_kinks* kinks)
{
    kinks->count = 0;
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        for (int i = 0; i < model->forces[t].count; i++) {
            if (!sari_force_types[t]->kinks || model->forces[t].at[i].smooth) continue;
            if (kinks->force) kinks->force[kinks->count] = (struct which){t, i};
            kinks->count++;
        }
}

sar_status sari_kinks_create(sar_simulation* s)
{
    s->kinks = SARI_TAKE(&s->memory, sari_kinks, 1);
    if (!s->kinks) return SAR_E_NOMEM;
    if (!s->integrator->variable || !s->integrator->dense_part) return SAR_OK;
    list(s->model, s->kinks);
    if (s->kinks->count == 0) return SAR_OK;
    s->kinks->force = SARI_TAKE(&s->memory, struct which, s->kinks->count);
    if (s->memory.failed) return SAR_E_NOMEM;
    list(s->model, s->kinks);
    return SAR_OK;
}

int sari_kinks_count(const sar_simulation* s)
{
    return s->kinks->count;
}

double sari_kinks_value(const sar_simulation* s, int k, int which)
{
    return sari_forces_kink(s->system, s->kinks->force[k].type, s->kinks->force[k].each, which);
}
