/* Time of the steps: sum, largest, and a percentile from a histogram of fixed size; and the processor
 * that it was taken on. */
#ifndef CLI_TIMING_H
#define CLI_TIMING_H

#include <stdint.h>

enum {
    CLI_TIMING_FINE = 32,                   ///< cells per doubling: 3 % resolution
    CLI_TIMING_CELLS = 42 * CLI_TIMING_FINE ///< up to 2^42 ns, more than an hour per step
};

typedef struct cli_timing {
    uint64_t cell[CLI_TIMING_CELLS];
    uint64_t count;
    int64_t sum, most; ///< [ns]
} cli_timing;

int64_t cli_clock(void); ///< monotonic [ns]
void cli_timing_add(cli_timing* timing, int64_t nanoseconds);
double cli_timing_mean(const cli_timing* timing); ///< [s]; 0 without steps
double cli_timing_most(const cli_timing* timing); ///< [s]
/// The time that the fraction `share` of the steps did not exceed [s], to within the resolution.
double cli_timing_percentile(const cli_timing* timing, double share);

#endif
