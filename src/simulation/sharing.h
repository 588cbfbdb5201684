/* Whether threads share the steps of a run: one decision, from a model of the cost and a trial. */
#ifndef SARI_SHARING_H
#define SARI_SHARING_H

typedef struct sari_sharing_case {
    int bodies;
    int threads;          ///< that would share a step
    int cores;            ///< of the machine
    int running;          ///< threads that want to run on it, this one included; 0: not known
    double alone, shared; ///< times of a step on trial [s]; NaN: there was none yet
} sari_sharing_case;

/// The most threads, of `most`, that can pay for so many bodies.
int sari_sharing_threads(int bodies, int most);
/// 1: share. Before a trial: it is worth one.
int sari_sharing_pays(const sari_sharing_case* c);

enum { SARI_SHARING_TRIAL = 5 }; ///< steps alone, and as many shared

typedef struct sari_sharing {
    sari_sharing_case situation;
    int shared; ///< do threads share the present steps?
    int trial;  ///< steps of it that are left; 0: it is decided
    double begun;
    double times[2][SARI_SHARING_TRIAL]; ///< of steps alone, and shared
} sari_sharing;

#endif
