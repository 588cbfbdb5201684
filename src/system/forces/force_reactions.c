/* Forces that depend on reactions of joints, as friction in them does: which, and where they are kept. */
#include "system/forces/forces.h"
#include "system/forces/forces_parts.h"

void sari_forces_rest(sari_system* s, int at_rest)
{
    s->forces->at_rest = at_rest;
}

int sari_forces_ask(const sari_system* s)
{
    int count = s->forces->reactions;
    for (int i = 0; i < s->forces->laws_count; i++) count += s->forces->laws[i].asked >= 0;
    return count;
}

void sari_forces_read_reactions(const sari_system* s, const sari_reaction_source* from, double* out)
{
    const sari_force_set* f = s->forces;
    for (int i = 0; i < f->laws_count; i++)
        if (f->laws[i].asked >= 0) *out++ = from->size(from->self, f->laws[i].asked);
    for (int k = 0; k < f->reactions; k++)
        *out++ = from->signal(from->self, &s->model->signals[f->reaction[k]]);
}

void sari_forces_take_reactions(sari_system* s, const double* x)
{
    sari_force_set* f = s->forces;
    for (int i = 0; i < f->laws_count; i++)
        if (f->laws[i].asked >= 0) f->laws[i].reaction = *x++;
    for (int k = 0; k < f->reactions; k++)
        f->variables[SARI_VARIABLE_SIGNAL + f->reaction[k]] = *x++;
}

void sari_forces_reactions(const sari_system* s, double* variables)
{
    const sari_force_set* f = s->forces;
    for (int k = 0; k < f->reactions; k++)
        variables[SARI_VARIABLE_SIGNAL + f->reaction[k]] =
            f->variables[SARI_VARIABLE_SIGNAL + f->reaction[k]];
}
