/* How many threads share a step: as many as make it faster, found out by trying. Results have the
 * same bits for any number, so it may change from step to step.
 *
 * Every now and then a few steps are taken the other way, with one thread or with all; the faster
 * way is kept. The longer it stays the same, the less often the other is tried. Threads that wait
 * for each other lose much on cores that are busy with something else: sharing is not tried on such
 * a machine, and ended by a step that takes far too long. */
#include "simulation/simulation.h"

#include "base/parallel.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SHORTEST = 32, LONGEST = 4096 }; ///< steps between trials
static const double BETTER = 0.97;      ///< of the time: by so much the other way has to win
static const double FAR_TOO_LONG = 4.0; ///< a shared step, against one alone

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double median(const double x[SARI_SHARING_TRIAL])
{
    double low = fmin(x[0], x[1]), high = fmax(x[0], x[1]);
    return fmax(low, fmin(high, x[2]));
}

static void turn_to(sar_simulation* s, int shared)
{
    sari_system* sys = s->system;
    const int threads = shared ? s->sharing.most : 1;
    s->sharing.shared = shared;
    sari_system_share(sys, threads);
    if (s->form.ops->share) s->form.ops->share(s->form.self, threads);
}

/* Go on one way until the next trial. */
static void settle(sar_simulation* s, int shared, int interval)
{
    turn_to(s, shared);
    s->sharing.interval = interval > LONGEST ? LONGEST : interval;
    s->sharing.steps = 0;
    s->sharing.on_trial = 0;
}

/* Are there cores to share with? Linux tells how many threads want to run: "0.50 0.40 0.30 3/123
 * ...". Elsewhere it is not known: 0. */
static int running_threads(void)
{
    char text[64];
    int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return 0;
    text[length] = 0;
    const char* at = text;
    for (int field = 0; field < 3 && at; field++) at = strchr(at + 1, ' ');
    return at ? atoi(at) : 0;
}

static int machine_is_busy(void) // this run alone is one thread
{
    return running_threads() > sari_parallel_cores() - 1;
}

static void try_the_other(sar_simulation* s)
{
    if (!s->sharing.shared && machine_is_busy()) {
        settle(s, 0, 2 * s->sharing.interval);
        return;
    }
    turn_to(s, !s->sharing.shared);
    s->sharing.steps = 0;
    s->sharing.on_trial = 1;
}

void sari_sharing_start(sar_simulation* s)
{
    sari_sharing* w = &s->sharing;
    if (w->most == 0) w->most = s->options.share < 0 ? s->system->threads : 1;
    if (w->most > 1) settle(s, 0, SARI_SHARING_TRIAL); // alone first: sharing has to beat that
}

void sari_sharing_begin(sar_simulation* s)
{
    if (s->sharing.most > 1) s->sharing.begun = seconds();
}

void sari_sharing_end(sar_simulation* s)
{
    sari_sharing* w = &s->sharing;
    if (w->most <= 1) return;
    double* last = w->last[w->shared]; // times of the last steps this way
    const double now = seconds() - w->begun, other = median(w->last[!w->shared]);
    last[w->steps++ % SARI_SHARING_TRIAL] = now;
    if (w->shared && now > FAR_TOO_LONG * other) {
        settle(s, 0, w->on_trial ? 2 * w->interval : SHORTEST);
        return;
    }
    if (w->steps < SARI_SHARING_TRIAL) return;
    const double time = median(last);
    if (w->on_trial && time < BETTER * other)
        settle(s, w->shared, SHORTEST);
    else if (w->on_trial)
        settle(s, !w->shared, 2 * w->interval);
    else if (w->steps >= w->interval)
        try_the_other(s);
}
