/* Explicit or implicit: which steps cost less, by what is seen of both. For integrators that have two
 * kinds of them. */
#ifndef SARI_STIFF_WATCH_H
#define SARI_STIFF_WATCH_H

#include "base/archive.h"

typedef struct sari_stiff_watch {
    double tolerance;            ///< of implicit steps
    double reach;                ///< of (1)
    double limited;              ///< h rho of explicit steps from which stability may count
    double implicit_evaluations; ///< of such a step, usually
    int grace_steps;             ///< implicit steps that are not judged: they are still growing
    int judge_steps;             ///< and those that are, together

    int implicit;        ///< steps are, now
    int wait;            ///< explicit steps until the next sample
    double sampled;      ///< step at the last one
    int rarer;           ///< factor by which samples are rarer than usual
    int skip, skip_next; ///< samples to let pass, and after the next trial that fails
    int grace, judged;   ///< implicit steps: not yet judged; in this window
    double evaluations, time;
    double rho;   ///< spectral radius of df/dy, at the last sample
    double limit; ///< h rho of explicit steps, where they are limited by what is stiff
} sari_stiff_watch;

/// Of the tolerance that is asked for: what ida is given.
#define SARI_IDA_SHARPER 0.01
/// Of dop853 and ida, with this tolerance of ida.
sari_stiff_watch sari_stiff_watch_of_ida(double tolerance);

void sari_stiff_watch_archive(sari_stiff_watch* w, sari_archive* a);
void sari_stiff_watch_start(sari_stiff_watch* w);
/// Before an explicit step, of h if nothing limits it: is it time to sample rho?
int sari_stiff_watch_is_due(sari_stiff_watch* w, double h);
/// Would implicit steps be worth a trial, where explicit ones are of h?
int sari_stiff_watch_seems_stiff(const sari_stiff_watch* w, double h, double pace);
/// After a sample, which has set `rho` and `wait`: are implicit steps worth a trial?
int sari_stiff_watch_sampled(sari_stiff_watch* w, double h, double pace);
void sari_stiff_watch_go_implicit(sari_stiff_watch* w);
/// A trial that failed makes the next one wait longer; one that went well is forgotten.
void sari_stiff_watch_go_explicit(sari_stiff_watch* w, int tried_in_vain, double h);
/// After an implicit step of h: is a window complete, so that `rho` is wanted?
int sari_stiff_watch_count(sari_stiff_watch* w, double evaluations, double h);
/// The window is judged, and the next one begins: would explicit steps have cost less? Then `h` is
/// their length, and `first` says whether it was the first window.
int sari_stiff_watch_judge(sari_stiff_watch* w, double* h, int* first);

#endif
