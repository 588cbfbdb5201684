/* States of forces: numbers x of v with dx/dt = g(t, x, s, ds/dt), which stand in the equations as
 * velocities with a mass of one on which g acts (equations.h). With scalars s_k and laws f_k,
 *
 *     Q_x = g                                                                                 (1)
 *     K_x = -g_s grad s',   C_x = -g_s' grad s',   C_xx = -g_x                                 (2)
 *     C_qx = sum_k grad s_k (df_k/dx)'            (forces.c)                                   (3) */
#include "base/status.h"
#include "system/forces/forces_parts.h"

#include <math.h>

sar_status sari_law_states_plan(sari_system* s, const sari_force_set* f, sari_law* l,
                                sari_pattern* pattern)
{
    const sari_term_list* depends = s->kinematics->scalar_depends;
    sari_law_states* x = SARI_TAKE(&s->memory, sari_law_states, 1);
    if (!x) return SAR_E_NOMEM;
    x->first = l->first_state;
    x->list.n = sari_force_states(l->type, l->force->def);
    x->list.i = SARI_TAKE(&s->memory, int, x->list.n);
    x->by_scalar = SARI_TAKE(&s->memory, sari_force_block, l->count);
    if (s->memory.failed) return SAR_E_NOMEM;
    for (int k = 0; k < x->list.n; k++) x->list.i[k] = s->nq - s->states + x->first + k;
    for (int k = 0; k < l->count; k++)
        SARI_TRY(sari_force_block_plan(s, &x->by_scalar[k], &x->list,
                                       &depends[f->laws[l->first + k].scalar], pattern));
    l->states = x;
    return sari_force_block_plan(s, &x->own, &x->list, &x->list, pattern);
}

void sari_law_states_locate(sari_system* s, sari_law* l)
{
    for (int k = 0; k < l->count; k++) sari_force_block_locate(&l->states->by_scalar[k], &s->K);
    sari_force_block_locate(&l->states->own, &s->K);
}

/* (2) */
static void add_tangent(sari_system* s, const sari_law* l, const sari_force_action* action)
{
    const sari_force_set* f = s->forces;
    const sari_law_states* x = l->states;
    const int n = x->list.n;
    for (int k = 0; k < l->count; k++) {
        double by_value[SARI_FORCE_STATES], by_rate[SARI_FORCE_STATES];
        const sari_force_block* b = &x->by_scalar[k];
        const double* g = f->value[l->first + k].g;
        bool moves = false;
        for (int i = 0; i < n; i++) {
            by_value[i] = action->g_by_value[i][k];
            by_rate[i] = action->g_by_rate[i][k];
            moves |= by_rate[i] != 0.0;
        }
        sari_force_block_add(s->K.x, b, -1.0, by_value, g);
        if (!moves) continue;
        sari_force_block_add(s->K.x, b, -1.0, by_rate, f->slope + f->longest * (l->first + k));
        sari_force_block_add(s->C.x, b, -1.0, by_rate, g);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) s->C.x[x->own.at[n * i + k]] -= action->g_by_state[i][k];
}

void sari_law_states_add(sari_system* s, const sari_law* l, const sari_force_action* action,
                         int tangent)
{
    const sari_law_states* x = l->states;
    for (int i = 0; i < x->list.n; i++) {
        s->Q[x->list.i[i]] = action->state_rate[i]; // (1)
        if (!isfinite(action->state_rate[i])) s->not_finite = 1;
    }
    if (tangent) add_tangent(s, l, action);
}
