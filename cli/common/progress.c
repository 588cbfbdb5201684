#include "common/progress.h"

#include "common/text.h"
#include "common/timing.h"

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

/// How much is done, 0 to 1, as a bar and in percent.
static double draw_bar(const cli_progress* progress, double at)
{
    double span = progress->end - progress->start;
    double part = span != 0 ? (at - progress->start) / span : 1;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    char bar[BAR + 1] = {0};
    for (int k = 0; k < BAR; k++) bar[k] = k < (int)(part * BAR) ? '#' : '.';
    fprintf(stderr, "\r%s %3d%%  ", bar, (int)(100 * part));
    return part;
}

static void draw_time_left(double elapsed, double part)
{
    if (part > 0) {
        print_duration(elapsed * (1 - part) / part);
        fputs(" left", stderr);
    }
    fputs("\033[K", stderr);
    fflush(stderr);
}

/// Is it time to draw?
static int is_due(cli_progress* progress, int64_t now)
{
    if (!progress->shown || now < progress->next) return 0;
    progress->next = now + INTERVAL;
    progress->drawn = 1;
    return 1;
}

void cli_progress_update(cli_progress* progress, int64_t now, double t, long steps)
{
    if (!is_due(progress, now)) return;
    double elapsed = 1e-9 * (double)(now - progress->began);
    double part = draw_bar(progress, t), rate = fabs(t - progress->start) / elapsed;
    fprintf(stderr, "t = %.4g s  %.3g steps/s  %.3g x real time  ", t, (double)steps / elapsed,
            rate);
    draw_time_left(elapsed, part);
}

void cli_progress_points(cli_progress* progress, int64_t now, long done, const char* note)
{
    if (!is_due(progress, now)) return;
    double part = draw_bar(progress, (double)done);
    fprintf(stderr, "%ld of %.0f  %s  ", done, progress->end, note);
    draw_time_left(1e-9 * (double)(now - progress->began), part);
}

void cli_progress_count(cli_progress* progress, int64_t now, long done, const char* note)
{
    if (!is_due(progress, now)) return;
    fprintf(stderr, "\r%ld %s, ", done, note);
    print_duration(1e-9 * (double)(now - progress->began));
    fputs("\033[K", stderr);
    fflush(stderr);
}

void cli_progress_end(cli_progress* progress)
{
    if (!progress->drawn) return;
    progress->drawn = 0;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}
