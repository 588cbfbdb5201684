/* An explicit step of h is stable up to h rho of about 5, where rho is the spectral radius of df/dy, and with
 * a tolerance that is tight it follows what is stiff even where that has died away, with h rho of less than
 * one. Implicit steps are as long as the motion that is left allows; how long that is can be guessed from
 * its pace Omega,
 *
 *     h_implicit ~ reach tolerance^(1/6) / Omega                                             (1)
 *
 * (reach: 2.5 with radau; 0.4 with ida, measured on a ladder of 80 rungs) but is not known before it is tried. So both are held to what they cost:
 *
 * - rho is examined every so often. Where h rho of explicit steps is near its limit, or not small while by
 *   (1) implicit steps would take half the evaluations, implicit ones go on. They do so as long as they take
 *   fewer evaluations for the same time than explicit steps, whose h rho is known by then, would.
 *
 * - else explicit ones go on, and the next trial has to wait twice as long. */
#include "integrators/stiff_watch.h"

#include "integrators/dop853.h"
#include "math/functions.h"

#include <math.h>

static const double FAST = 0.25; ///< h rho below which accuracy alone counts
enum {
    FIRST_LOOK = 5, ///< explicit steps after a start
    RARER = 8,      ///< largest factor by which samples are rarer than usual
    PATIENCE = 64,  ///< most looks that are let pass after trials that failed
};

void sari_stiff_watch_archive(sari_stiff_watch* w, sari_archive* a)
{
    SARI_ARCHIVE_INTS(a, &w->implicit, &w->wait, &w->rarer, &w->skip, &w->skip_next, &w->grace,
                      &w->judged);
    SARI_ARCHIVE_NUMBERS(a, &w->sampled, &w->evaluations, &w->time, &w->rho, &w->limit);
}

void sari_stiff_watch_start(sari_stiff_watch* w)
{
    w->implicit = w->skip = 0;
    w->rarer = w->skip_next = 1;
    w->limit = SARI_DOP853_STABLE;
    w->wait = FIRST_LOOK;
    w->sampled = 0.0;
}

int sari_stiff_watch_is_due(sari_stiff_watch* w, double h)
{
    return w->wait-- <= 0 || h < 0.5 * w->sampled;
}

sari_stiff_watch sari_stiff_watch_of_ida(double tolerance)
{
    // they begin with order 1, and take their time
    return (sari_stiff_watch){.tolerance = tolerance,
                              .reach = 0.4,
                              .limited = 1.0,              // with the tolerance of usual runs
                              .implicit_evaluations = 4.0, // a matrix is one
                              .grace_steps = 40,
                              .judge_steps = 20};
}

int sari_stiff_watch_seems_stiff(const sari_stiff_watch* w, double h, double pace)
{
    const double x = h * w->rho;
    if (x > w->limited) return 1;
    const double guess = w->reach * sari_pow(w->tolerance, 1.0 / 6.0) / pace; // (1)
    return x > FAST && SARI_DOP853_EVALUATIONS / h > 2.0 * w->implicit_evaluations / guess;
}

int sari_stiff_watch_sampled(sari_stiff_watch* w, double h, double pace)
{
    w->sampled = h;
    if (!sari_stiff_watch_seems_stiff(w, h, pace)) {
        w->rarer = h * w->rho < FAST && w->rarer < RARER ? 2 * w->rarer : 1;
        w->wait *= w->rarer;
        w->skip = 0;
        return 0;
    }
    w->rarer = 1;
    if (w->skip > 0) {
        w->skip--;
        return 0;
    }
    w->limit = fmin(SARI_DOP853_STABLE, h * w->rho);
    return 1;
}

static void begin_window(sari_stiff_watch* w)
{
    w->judged = 0;
    w->evaluations = w->time = 0.0;
}

void sari_stiff_watch_go_implicit(sari_stiff_watch* w)
{
    w->implicit = 1;
    w->grace = w->grace_steps;
    begin_window(w);
}

void sari_stiff_watch_go_explicit(sari_stiff_watch* w, int tried_in_vain, double h)
{
    w->implicit = 0;
    w->wait = FIRST_LOOK;
    w->rarer = 1;
    w->sampled = h;
    w->skip = tried_in_vain ? w->skip_next : 0;
    w->skip_next = tried_in_vain && w->skip_next < PATIENCE ? 2 * w->skip_next : 1;
}

int sari_stiff_watch_count(sari_stiff_watch* w, double evaluations, double h)
{
    if (w->grace > 0) {
        w->grace--;
        return 0;
    }
    w->evaluations += evaluations;
    w->time += h;
    return ++w->judged >= w->judge_steps;
}

int sari_stiff_watch_judge(sari_stiff_watch* w, double* h, int* first)
{
    *h = w->limit / w->rho;
    *first = w->grace == 0;
    const int dearer = w->evaluations > SARI_DOP853_EVALUATIONS * (w->time / *h);
    w->grace = -1; // a window was judged
    begin_window(w);
    return dearer;
}
