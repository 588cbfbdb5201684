/* Shared by the files passages*.c. */
#ifndef SARI_PASSAGES_H
#define SARI_PASSAGES_H

#include "base/arena.h"
#include "formulations/chart/singular.h"
#include "linalg/matrix_roots.h"
#include "simulation/simulation.h"

enum { SARI_LOOKS = 66, SARI_FINE = 80 };

/// The product of the constraints' singular values at a time.
typedef struct sari_measured {
    double t, D;
} sari_measured;

struct sari_passages {
    sari_arena memory;
    sari_measured at[SARI_LOOKS]; ///< of the step, in the order of time
    int count;
    sari_measured fine[SARI_FINE]; ///< of a part of it
    double largest, log;           ///< D in the step is a part of largest exp(log)
    double turn;                   ///< [rad/s] in the step
    double turn_now, turn_at;      ///< at its end, and when that was
    double last;                   ///< time of the last passage
    double beside;                 ///< [s] from one where joints are named, at most
    sar_event* unnamed;            ///< that at the start, whose joints are named in the first step
    sari_matrix_roots roots;
    double* zero;        ///< times; NULL: the system is too large
    double middle, half; ///< of the times between which they were found
};

/// A passage at t of the last step.
void sari_passages_report(sar_simulation* s, double t, int lost);

/* passages_follow.c */
/// The minimum of the smallest singular value between two times, where more is not known.
void sari_passages_follow(sar_simulation* s, double from, double to);

#endif
