/* Whether threads share the steps of a run. Results have the same bits for any number of threads:
 * only the time depends on it. With n bodies and p threads a step takes
 *
 *     T(n, p) = t0 + w_1 n + w_p n/p + c log2 p                              (1)
 *
 * of which w_1 n is done alone and c is what meetings cost [docs/scaling.md, (4)]. Sharing pays
 * from n = c log2 p / (w_p (1 - 1/p)) on: measured, some 100 bodies per thread, and only on cores
 * that are free, since threads that wait for each other lose much on busy ones. Where (1) leaves it
 * open, the first steps of the run are a trial: some alone, some shared, and the faster way is kept
 * to the end. */
#include "simulation/sharing.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "simulation/simulation.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef O_CLOEXEC
#define O_CLOEXEC 0 // Windows, which has no such file either
#endif

enum { BODIES_PER_THREAD = 128 };
static const double BETTER = 0.97; ///< of the time alone: by so much sharing has to win

/* ---- the decision --------------------------------------------------------------------------- */

int sari_sharing_threads(int bodies, int most)
{
    const int useful = bodies / BODIES_PER_THREAD;
    return most < useful ? most : useful > 1 ? useful : 1;
}

int sari_sharing_pays(const sari_sharing_case* c)
{
    const int free_cores = c->cores - (c->running > 1 ? c->running - 1 : 0);
    if (c->threads <= 1 || c->threads > sari_sharing_threads(c->bodies, c->threads)) return 0;
    if (c->threads > free_cores) return 0;
    if (isnan(c->alone) || isnan(c->shared)) return 1;
    return c->shared < BETTER * c->alone;
}

/* ---- the trial ------------------------------------------------------------------------------ */

static int by_size(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(double x[SARI_SHARING_TRIAL])
{
    qsort(x, SARI_SHARING_TRIAL, sizeof *x, by_size);
    return x[SARI_SHARING_TRIAL / 2];
}

/* Linux tells how many threads want to run: "0.50 0.40 0.30 3/123 ...". Elsewhere it is not known:
 * 0. */
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

static void turn_to(sar_simulation* s, int shared)
{
    const int threads = shared ? s->sharing.situation.threads : 1;
    s->sharing.shared = shared;
    sari_system_share(s->system, threads);
    if (s->form.ops->share) s->form.ops->share(s->form.self, threads);
}

void sari_sharing_start(sar_simulation* s)
{
    sari_sharing* w = &s->sharing;
    sari_sharing_case* c = &w->situation;
    if (c->threads == 0) {
        *c = (sari_sharing_case){.bodies = s->system->mechanism->bodies - 1,
                                 .threads = s->options.share < 0 ? s->system->threads : 1,
                                 .cores = sari_parallel_cores(),
                                 .alone = NAN,
                                 .shared = NAN};
        if (c->threads > 1) c->running = running_threads();
        if (sari_sharing_pays(c)) w->trial = 2 * SARI_SHARING_TRIAL;
    }
    if (c->threads > 1) turn_to(s, w->shared);
}

void sari_sharing_begin(sar_simulation* s)
{
    if (s->sharing.trial > 0) s->sharing.begun = sari_clock_wall();
}

void sari_sharing_end(sar_simulation* s)
{
    sari_sharing* w = &s->sharing;
    if (w->trial == 0) return;
    w->times[w->shared][--w->trial % SARI_SHARING_TRIAL] = sari_clock_wall() - w->begun;
    if (w->trial == SARI_SHARING_TRIAL) turn_to(s, 1);
    if (w->trial > 0) return;
    w->situation.alone = median(w->times[0]);
    w->situation.shared = median(w->times[1]);
    turn_to(s, sari_sharing_pays(&w->situation));
}
