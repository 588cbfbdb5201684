/* Clocks [s]. */
#ifndef SARI_CLOCK_H
#define SARI_CLOCK_H

#include <time.h>

static inline double sari_clock_read(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// It only goes forward.
static inline double sari_clock_wall(void)
{
    return sari_clock_read(CLOCK_MONOTONIC);
}

/// CPU time of this thread: other programs do not count.
static inline double sari_clock_thread(void)
{
    return sari_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

#endif
