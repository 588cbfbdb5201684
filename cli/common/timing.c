#include "common/timing.h"

#include <math.h>
#include <time.h>

int64_t cli_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Cells are linear within each doubling: cell = FINE * exponent + the bits after the leading one.
 * Below FINE nanoseconds a cell is one nanosecond. */

static int cell_of(int64_t nanoseconds)
{
    if (nanoseconds < CLI_TIMING_FINE) return nanoseconds < 0 ? 0 : (int)nanoseconds;
    int exponent = 63 - __builtin_clzll((unsigned long long)nanoseconds); // >= 5
    int shift = exponent - 5;
    int cell = CLI_TIMING_FINE * (shift + 1) + (int)((nanoseconds >> shift) - CLI_TIMING_FINE);
    return cell < CLI_TIMING_CELLS ? cell : CLI_TIMING_CELLS - 1;
}

/// The longest time that falls into a cell [ns].
static double cell_end(int cell)
{
    if (cell < CLI_TIMING_FINE) return cell;
    int shift = cell / CLI_TIMING_FINE - 1;
    return ldexp(cell % CLI_TIMING_FINE + CLI_TIMING_FINE + 1, shift) - 1;
}

void cli_timing_add(cli_timing* timing, int64_t nanoseconds)
{
    timing->cell[cell_of(nanoseconds)]++;
    timing->count++;
    timing->sum += nanoseconds;
    if (nanoseconds > timing->most) timing->most = nanoseconds;
}

double cli_timing_mean(const cli_timing* timing)
{
    return timing->count ? 1e-9 * (double)timing->sum / (double)timing->count : 0.0;
}

double cli_timing_most(const cli_timing* timing)
{
    return 1e-9 * (double)timing->most;
}

double cli_timing_percentile(const cli_timing* timing, double share)
{
    uint64_t wanted = (uint64_t)ceil(share * (double)timing->count), seen = 0;
    for (int k = 0; k < CLI_TIMING_CELLS; k++) {
        seen += timing->cell[k];
        if (seen < wanted || seen == 0) continue;
        return 1e-9 * fmin(cell_end(k), (double)timing->most);
    }
    return cli_timing_most(timing);
}
