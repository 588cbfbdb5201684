/* Forces that depend on reactions of joints, as friction in them does: they take those of the last step. */
#include "system/forces/forces.h"
#include "system/forces/forces_parts.h"

#include <math.h>
#include <stdbool.h>

void sari_forces_rest(sari_system* s, int at_rest)
{
    s->forces->at_rest = at_rest;
}

int sari_forces_ask(const sari_system* s)
{
    for (int i = 0; i < s->forces->laws_count; i++)
        if (s->forces->laws[i].asked >= 0) return 1;
    return s->forces->lagged_count > 0;
}

/* A new value in the place of the old one. */
static void take(double reaction, double* at, double* change, double* largest)
{
    *change = fmax(*change, fabs(reaction - *at));
    *largest = fmax(*largest, fabs(reaction));
    *at = reaction;
}

/* Those that are asked for, into where they act or beside it. Returns the largest change. */
static double read_reactions(sari_system* s, const sari_reaction_source* from, bool keep,
                             double* largest)
{
    sari_force_set* f = s->forces;
    double change = 0.0;
    for (int i = 0; i < f->laws_count; i++) {
        sari_law* l = &f->laws[i];
        if (l->asked < 0) continue;
        double acts = l->reaction;
        take(from->self ? from->size(from->self, l->asked) : 0.0, keep ? &l->reaction : &acts,
             &change, largest);
    }
    for (int k = 0; k < f->lagged_count; k++) {
        const int signal = f->lagged[k];
        double *kept = &f->variables[SARI_VARIABLE_SIGNAL + signal], acts = *kept;
        take(from->self ? from->signal(from->self, &s->model->signals[signal]) : 0.0,
             keep ? kept : &acts, &change, largest);
    }
    return change;
}

double sari_forces_take_reactions(sari_system* s, const sari_reaction_source* from)
{
    double largest = 0.0;
    const double change = read_reactions(s, from, true, &largest);
    return largest > 0.0 ? change / largest : 0.0;
}

double sari_forces_reactions_change(sari_system* s, const sari_reaction_source* from,
                                    double* largest)
{
    const double change = read_reactions(s, from, false, largest);
    return *largest > 0.0 ? change / *largest : 0.0;
}

void sari_forces_lagged(const sari_system* s, double* variables)
{
    const sari_force_set* f = s->forces;
    for (int k = 0; k < f->lagged_count; k++)
        variables[SARI_VARIABLE_SIGNAL + f->lagged[k]] =
            f->variables[SARI_VARIABLE_SIGNAL + f->lagged[k]];
}
