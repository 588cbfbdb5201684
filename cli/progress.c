#include "progress.h"

#include "text.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>

enum { INTERVAL = 100000000, BAR = 20 }; // [ns], [characters]

cli_progress cli_progress_begin(double start, double end, int wanted)
{
    cli_progress progress = {.start = start, .end = end};
    progress.shown = wanted && cli_is_terminal(stderr);
    progress.began = cli_clock();
    // runs that are over before anyone can look show nothing
    progress.next = progress.began + 3 * INTERVAL;
    return progress;
}

/// "3 s", "2 min 05 s", "1 h 20 min".
static void print_duration(double seconds)
{
    if (seconds < 60)
        fprintf(stderr, "%.0f s", ceil(seconds));
    else if (seconds < 3600)
        fprintf(stderr, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
    else
        fprintf(stderr, "%.0f h %02d min", floor(seconds / 3600), (int)(fmod(seconds, 3600) / 60));
}

static void draw(const cli_progress* progress, double elapsed, double t, long steps)
{
    double span = progress->end - progress->start;
    double part = span != 0 ? (t - progress->start) / span : 1;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    char bar[BAR + 1] = {0};
    for (int k = 0; k < BAR; k++) bar[k] = k < (int)(part * BAR) ? '#' : '.';
    double rate = fabs(t - progress->start) / elapsed;
    fprintf(stderr, "\r%s %3d%%  t = %.4g s  %.3g steps/s  %.3g x real time  ", bar,
            (int)(100 * part), t, (double)steps / elapsed, rate);
    if (part > 0) {
        print_duration(elapsed * (1 - part) / part);
        fputs(" left", stderr);
    }
    fputs("\033[K", stderr);
    fflush(stderr);
}

void cli_progress_update(cli_progress* progress, int64_t now, double t, long steps)
{
    if (!progress->shown || now < progress->next) return;
    progress->next = now + INTERVAL;
    progress->drawn = 1;
    draw(progress, 1e-9 * (double)(now - progress->began), t, steps);
}

void cli_progress_end(cli_progress* progress)
{
    if (!progress->drawn) return;
    progress->drawn = 0;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}
