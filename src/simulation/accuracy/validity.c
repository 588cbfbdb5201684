/* Forces that leave the range in which they are models of what they are called: noted once for each, with the
 * time. The range is known to their types (elements/force.h). */
#include "base/status.h"
#include "simulation/simulation.h"
#include "system/forces/forces.h"

#include <math.h>
#include <stdio.h>

typedef struct watched {
    int type, force;
    int law;   ///< where it was last found
    int which; ///< sentence of its type, from 1; 0: it was always inside
    double t, number;
} watched;

static const double NEAR =
    0.02; ///< changes of coordinates, in radians and sizes, after which it looks again

struct sari_validity {
    watched* at;
    int count, inside;
    double moved; ///< since it looked, at most
};

static int list(const sar_model* model, watched* at)
{
    int count = 0;
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        for (int i = 0; sari_force_types[t]->outside && i < model->forces[t].count; i++, count++)
            if (at) at[count] = (watched){.type = t, .force = i, .law = -1};
    return count;
}

sar_status sari_validity_create(sar_simulation* s)
{
    sari_validity* v = s->validity = SARI_TAKE(&s->memory, sari_validity, 1);
    if (!v) return SAR_E_NOMEM;
    v->count = list(s->model, NULL);
    v->at = SARI_TAKE(&s->memory, watched, v->count);
    return s->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

void sari_validity_start(sar_simulation* s)
{
    s->validity->inside = list(s->model, s->validity->at);
    s->validity->moved = INFINITY;
    sari_validity_look(s, 0.0);
}

void sari_validity_archive(sar_simulation* s, sari_archive* a)
{
    sari_validity* v = s->validity;
    SARI_ARCHIVE_INTS(a, &v->inside);
    SARI_ARCHIVE_NUMBERS(a, &v->moved);
    for (watched* w = v->at; w < v->at + v->count; w++) {
        w->which = sari_archive_range(a, w->which, 0, SARI_FORCE_RANGE);
        SARI_ARCHIVE_NUMBERS(a, &w->t, &w->number);
        if (sari_archive_reads(a)) w->law = -1; // it is found again
    }
}

void sari_validity_look(sar_simulation* s, double h)
{
    sari_validity* v = s->validity;
    const sari_state* x = &s->state;
    double fastest = 0.0;
    if (v->inside == 0) return;
    for (int i = 0; i < s->system->nq - s->system->states; i++)
        if (fabs(x->v[i]) > fastest) fastest = fabs(x->v[i]);
    v->moved += h * fastest;
    if (v->moved < NEAR && !sar_simulation_done(s)) return;
    v->moved = 0.0;
    sari_kinematics_update(s->system->kinematics, x->q, x->v, 1);
    for (int i = 0; i < v->count; i++) {
        watched* w = &v->at[i];
        if (w->which) continue;
        w->which = sari_forces_outside(s->system, x->t, w->type, w->force, &w->law, &w->number);
        w->t = x->t;
        v->inside -= w->which > 0;
    }
}

/* The first of those at t or later, after number `last`; -1: none. */
static int next(const sari_validity* v, int last)
{
    int found = -1;
    for (int i = 0; i < v->count; i++) {
        const watched *w = &v->at[i], *before = last < 0 ? NULL : &v->at[last];
        if (!w->which || (before && (w->t < before->t || (w->t == before->t && i <= last))))
            continue;
        if (found < 0 || w->t < v->at[found].t) found = i;
    }
    return found;
}

int sar_simulation_notes(const sar_simulation* s, sar_note* notes, int most)
{
    const sari_validity* v = s->validity;
    int count = 0;
    for (int i = next(v, -1); i >= 0; i = next(v, i), count++) {
        if (count >= most) continue;
        const watched* w = &v->at[i];
        notes[count] =
            (sar_note){.element = s->model->forces[w->type].at[w->force].name, .t = w->t};
        const char *sentence = sari_force_types[w->type]->range[w->which - 1], *hole = sentence;
        while (*hole && *hole != '%') hole++;
        char number[32] = "";
        if (*hole) snprintf(number, sizeof number, "%.3g", w->number);
        snprintf(notes[count].text, sizeof notes[count].text, "%.*s%s%s", (int)(hole - sentence),
                 sentence, number, *hole ? hole + 4 : "");
    }
    return count;
}
