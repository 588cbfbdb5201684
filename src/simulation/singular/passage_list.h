/* Lists of singular passages and of branch changes. Which joints take part in one is found when
 * they are asked for: that takes all singular values of the joints' equations, many times what a step does. */
#ifndef SARI_EVENT_LIST_H
#define SARI_EVENT_LIST_H

#include "base/archive.h"
#include "base/arena.h"
#include "sarrus/simulation.h"

typedef struct sari_reactions sari_reactions;
typedef struct sari_unnamed sari_unnamed;

typedef struct sari_event_list {
    sar_event* at;
    int count, capacity;
    long total;            ///< with those for which there was no room
    sari_unnamed* unnamed; ///< those whose joints were not asked for yet
} sari_event_list;

/// Room for so many events, of bodies that `placements` numbers place.
void sari_events_take(sari_event_list* list, sari_arena* memory, int capacity, int placements);
void sari_events_clear(sari_event_list* list);
/// NULL where the list is full: then it is counted only.
sar_event* sari_events_add(sari_event_list* list, double t, int rank);
/// The joints of an event are those that lose `drop` ranks with the bodies at X.
void sari_events_place(sari_event_list* list, sar_event* event, sari_reactions* joints,
                       const double* X, int drop);
/// `reactions` of configuration k, of which there are `count`; NULL: none such.
typedef sari_reactions* sari_reactions_of(const void* owner, int k);
void sari_events_archive(sari_event_list* list, const void* owner, sari_reactions_of* of, int count,
                         sari_archive* a);
/// All events have their names. To be called before joints are attached elsewhere.
void sari_events_name(const sari_event_list* list);

#endif
