#include "simulation/singular/passage_list.h"
#include "base/list_memory.h"
#include "simulation/simulation.h"

#include <string.h>

enum { NUMBERS = 1 << 16 }; ///< of places that wait; events beyond that are named at once

struct sari_unnamed {
    struct {
        sar_event* event;
        sari_reactions* joints;
        int drop;
    } * at;
    double* X;
    int count, capacity, placements;
    size_t used, used_X; ///< bytes of `at` and `X`
};

void sari_events_take(sari_event_list* list, sari_arena* memory, int capacity, int placements)
{
    const int fit = placements > 0 ? NUMBERS / placements : 0,
              waiting = fit < capacity ? fit : capacity;
    list->capacity = capacity;
    list->at = sari_arena_take_list(memory, (size_t)capacity, sizeof *list->at, &list->used);
    list->unnamed = SARI_TAKE(memory, sari_unnamed, 1);
    if (!list->unnamed) return;
    sari_unnamed* u = list->unnamed;
    u->at = sari_arena_take_list(memory, (size_t)waiting, sizeof *u->at, &u->used);
    u->X = sari_arena_take_list(memory, (size_t)waiting * (size_t)placements, sizeof *u->X,
                                &u->used_X);
    u->capacity = waiting;
    u->placements = placements;
}

static void count_unnamed(sari_unnamed* u, int count)
{
    u->count = count;
    u->used = (size_t)count * sizeof *u->at;
    u->used_X = (size_t)count * (size_t)u->placements * sizeof *u->X;
}

static void count_events(sari_event_list* list, int count)
{
    list->count = count;
    list->used = (size_t)count * sizeof *list->at;
}

void sari_events_clear(sari_event_list* list)
{
    count_events(list, 0);
    list->total = 0;
    count_unnamed(list->unnamed, 0);
}

sar_event* sari_events_add(sari_event_list* list, double t, int rank)
{
    list->total++;
    if (list->count == list->capacity) return NULL;
    sar_event* e = &list->at[list->count];
    count_events(list, list->count + 1);
    *e = (sar_event){.t = t, .rank = rank};
    return e;
}

static void name(sar_event* e, sari_reactions* joints, const double* X, int drop)
{
    sari_reactions_weakest(joints, X, drop, e->joints, sizeof e->joints);
}

void sari_events_place(sari_event_list* list, sar_event* event, sari_reactions* joints,
                       const double* X, int drop)
{
    sari_unnamed* u = list->unnamed;
    if (u->count == u->capacity) {
        name(event, joints, X, drop);
        return;
    }
    const size_t numbers = (size_t)u->placements;
    memcpy(u->X + numbers * (size_t)u->count, X, numbers * sizeof *X);
    u->at[u->count].event = event;
    u->at[u->count].joints = joints;
    u->at[u->count].drop = drop;
    count_unnamed(u, u->count + 1);
}

void sari_events_name(const sari_event_list* list)
{
    sari_unnamed* u = list->unnamed;
    for (int k = 0; k < u->count; k++)
        name(u->at[k].event, u->at[k].joints, u->X + (size_t)u->placements * (size_t)k,
             u->at[k].drop);
    count_unnamed(u, 0);
}
