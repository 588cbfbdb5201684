/* Real-time requests to the operating system: priority, locked memory, exact timers. Each may be
 * refused; the report says what was granted. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include <stddef.h>
#include <stdint.h>

enum { CLI_MACHINE_TRIALS = 50, CLI_MACHINE_TRIAL_NS = 1000000 };

typedef struct cli_machine {
    char scheduling[64];  ///< in words
    int first;            ///< runs before ordinary programs
    int locked;           ///< its memory is never paged out
    int preempt_rt;       ///< the kernel is one with PREEMPT_RT
    int64_t wake_median;  ///< how late sleeps ended in the trial [ns]
    int64_t wake_most;    ///< likewise
    int64_t minor, major; ///< page faults between watch and watched: in memory, from disk
    int64_t preemptions;  ///< likewise: how often another program was put first
    int old_policy, old_priority;
    int old_slack; ///< of timers [ns]
    int changed;   ///< the scheduling is not what it was
} cli_machine;

/// Ask for SCHED_FIFO, unless a real-time policy was chosen from outside (chrt), and exact timers.
/// Threads started from now on have it too.
void cli_machine_hurry(cli_machine* machine);
/// Put pages of the stack where they will be wanted and lock all memory, also what comes later.
void cli_machine_lock(cli_machine* machine);
/// Sleep CLI_MACHINE_TRIALS times for CLI_MACHINE_TRIAL_NS and see how late that ends.
void cli_machine_try_sleep(cli_machine* machine);
/// Begin and end counting page faults and preemptions.
void cli_machine_watch(cli_machine* machine);
void cli_machine_watched(cli_machine* machine);
/// Everything as it was.
void cli_machine_relax(cli_machine* machine);

/// Write to every page of an array, so that none of them is missing later. Its content stays.
void cli_machine_touch(void* memory, size_t bytes);
/// Sleep until cli_clock() is at `when` [ns], or a signal comes.
void cli_machine_sleep(int64_t when);

#endif
