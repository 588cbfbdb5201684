/* The motion through the last steps, from what is known at their ends alone. */
#ifndef SARI_TRACK_H
#define SARI_TRACK_H

#include "base/arena.h"
#include "system/equations.h"

enum { SARI_TRACK_ENDS = 4 }; ///< of steps

typedef struct sari_track {
    int n, count;
    double t[SARI_TRACK_ENDS];    ///< latest first
    double* end[SARI_TRACK_ENDS]; ///< q, v, a
    int ready;                    ///< the polynomial of the last step is
    double h, x[SARI_TRACK_ENDS]; ///< its length; the ends, in parts of it
    double weight[SARI_TRACK_ENDS];
    double* g[SARI_TRACK_ENDS]; ///< coefficients at each end
    double* last;
} sari_track;

/// Room for states of n numbers that are vectors.
void sari_track_take(sari_track* track, sari_arena* memory, int n);
/// A step begins at s: where the last one ended, or the track begins anew.
void sari_track_begin(sari_track* track, const sari_state* s);
void sari_track_archive(sari_track* track, sari_archive* a);
void sari_track_end(sari_track* track, const sari_state* s); ///< it ended there
/// What the last condition changes of q in the last step, at most, by a vector of n numbers and a
/// factor: about the error of all of them. NULL: too little is known.
const double* sari_track_error(sari_track* track, double* factor);
/// q, and v unless it is NULL, at a time of the last step, when the error is known.
void sari_track_at(const sari_track* track, double t, double* q, double* v);

#endif
