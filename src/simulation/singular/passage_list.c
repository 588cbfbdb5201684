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
};

void sari_events_take(sari_event_list* list, sari_arena* memory, int capacity, int placements)
{
    const int fit = placements > 0 ? NUMBERS / placements : 0,
              waiting = fit < capacity ? fit : capacity;
    list->capacity = capacity;
    list->at = sari_arena_take_list(memory, (size_t)capacity, sizeof *list->at);
    list->unnamed = SARI_TAKE(memory, sari_unnamed, 1);
    if (!list->unnamed) return;
    sari_unnamed* u = list->unnamed;
    u->at = sari_arena_take_list(memory, (size_t)waiting, sizeof *u->at);
    u->X = sari_arena_take_list(memory, (size_t)waiting * (size_t)placements, sizeof *u->X);
    u->capacity = waiting;
    u->placements = placements;
}

void sari_events_clear(sari_event_list* list)
{
    list->count = list->unnamed->count = 0;
    list->total = 0;
}

sar_event* sari_events_add(sari_event_list* list, double t, int rank)
{
    list->total++;
    if (list->count == list->capacity) return NULL;
    sar_event* e = &list->at[list->count++];
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
    u->count++;
}

void sari_events_name(const sari_event_list* list)
{
    sari_unnamed* u = list->unnamed;
    for (int k = 0; k < u->count; k++)
        name(u->at[k].event, u->at[k].joints, u->X + (size_t)u->placements * (size_t)k,
             u->at[k].drop);
    u->count = 0;
}

static void archive_unnamed(sari_event_list* list, int k, const void* owner, sari_reactions_of* of,
                            int count, sari_archive* a)
{
    sari_unnamed* u = list->unnamed;
    const int reads = sari_archive_reads(a);
    int joints = 0;
    while (!reads && joints < count - 1 && of(owner, joints) != u->at[k].joints) joints++;
    const int event = reads ? 0 : (int)(u->at[k].event - list->at);
    joints = sari_archive_range(a, joints, 0, count - 1);
    u->at[k].event = list->at + sari_archive_range(a, event, 0, list->count - 1);
    u->at[k].joints = of(owner, joints);
    if (reads) u->at[k].drop = 0;
    SARI_ARCHIVE_INTS(a, &u->at[k].drop);
    sari_archive_numbers(a, u->X + (size_t)u->placements * (size_t)k, (size_t)u->placements);
}

void sari_events_archive(sari_event_list* list, const void* owner, sari_reactions_of* of, int count,
                         sari_archive* a)
{
    sari_unnamed* u = list->unnamed;
    list->count = sari_archive_range(a, list->count, 0, list->capacity);
    SARI_ARCHIVE_LONGS(a, &list->total);
    for (int k = 0; k < list->count; k++) {
        SARI_ARCHIVE_NUMBERS(a, &list->at[k].t);
        SARI_ARCHIVE_INTS(a, &list->at[k].rank);
        sari_archive_text(a, list->at[k].joints, sizeof list->at[k].joints);
    }
    u->count =
        sari_archive_range(a, u->count, 0, list->count < u->capacity ? list->count : u->capacity);
    for (int k = 0; k < u->count; k++) archive_unnamed(list, k, owner, of, count, a);
}
