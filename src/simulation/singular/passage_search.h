/* The search for the bottom of a minimum of the monitor's measure, where a singular configuration may be.
 *
 * It takes some twenty evaluations elsewhere. In one step they would take longer than many steps; so
 * the search can be made in parts, a few evaluations at a time, while the motion goes on: it has a copy
 * of the states that it interpolates. What it was told is kept, and when it goes on the same questions
 * are answered from there. */
#ifndef SARI_PASS_SEARCH_H
#define SARI_PASS_SEARCH_H

#include "simulation/singular/normal.h"
#include "system/hermite.h"

enum { SARI_PASS_ANSWERS = 80 }; ///< more than a search can ask for

typedef struct sari_pass_search {
    sari_system* sys;
    sari_normal* normal;
    sari_knot knot[4]; ///< states between which it is, oldest first
    double* q;         ///< scratch
    double from, to;   ///< between these times
    double beside;     ///< time from which joints are named
    int rank;          ///< what is usual
    double relative;   ///< singular values that count at the bottom, see monitor.c
    double pass;       ///< those that count as zero there
    int active;        ///< it is not at its end
    double answer[SARI_PASS_ANSWERS];
    int known, used;     ///< of the answers
    int budget, waiting; ///< evaluations that may yet be made; one more was wanted
} sari_pass_search;

/// What was found.
typedef struct sari_pass {
    double t;
    int rank; ///< as usual: it is no singular configuration
} sari_pass;

/// q between knots, four of them, at t.
void sari_knots_place(const sari_system* sys, const sari_knot knot[4], double t, double* q);

void sari_pass_search_create(sari_pass_search* x, sari_system* sys, sari_normal* normal,
                             sari_arena* memory);
/// Between x->from and x->to, with all else that is set before but the states, which are copied.
void sari_pass_search_archive(sari_pass_search* x, sari_archive* a);
void sari_pass_search_begin(sari_pass_search* x, const sari_knot* knot);
/// Go on, with so many evaluations. 1: it is at its end, and this was found. The system is left
/// evaluated elsewhere.
int sari_pass_search_go_on(sari_pass_search* x, int evaluations, sari_pass* found);

#endif
