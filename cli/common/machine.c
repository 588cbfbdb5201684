#include "common/machine.h"

#include "common/timing.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum {
    PRIORITY = 40,      ///< below the threads of interrupts (50), on whose data others may wait
    DEADLINE = 6,       ///< SCHED_DEADLINE of Linux
    FLAGS = 0x40000000, ///< SCHED_RESET_ON_FORK, or'ed to the policy
    PAGE = 4096,
    STACK = 256 * 1024
};

/* ---- scheduling ----------------------------------------------------------------------------- */

static const char* policy_name(int policy)
{
    return policy == SCHED_FIFO ? "SCHED_FIFO" : policy == SCHED_RR ? "SCHED_RR" : "SCHED_DEADLINE";
}

static int set_fifo(int priority)
{
    return sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = priority});
}

/// The priority granted, or 0. Users may have a limit of their own (limits.conf).
static int ask_for_fifo(void)
{
    if (set_fifo(PRIORITY) == 0) return PRIORITY;
#ifdef RLIMIT_RTPRIO
    struct rlimit limit;
    if (getrlimit(RLIMIT_RTPRIO, &limit) == 0 && limit.rlim_cur > 0 && limit.rlim_cur < PRIORITY &&
        set_fifo((int)limit.rlim_cur) == 0)
        return (int)limit.rlim_cur;
#endif
    return 0;
}

/// Without it the timers of ordinary programs are up to 50 us late, to save wake-ups.
static void sharpen_timers(cli_machine* machine)
{
#ifdef PR_SET_TIMERSLACK
    machine->old_slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
#endif
    (void)machine;
}

static int has_preempt_rt(void)
{
    struct utsname kernel;
    if (access("/sys/kernel/realtime", F_OK) == 0) return 1;
    return uname(&kernel) >= 0 && strstr(kernel.version, "PREEMPT_RT") != NULL;
}

void cli_machine_hurry(cli_machine* machine)
{
    struct sched_param now = {0};
    int policy = sched_getscheduler(0) & ~FLAGS;
    sched_getparam(0, &now);
    machine->old_policy = policy;
    machine->old_priority = now.sched_priority;
    machine->preempt_rt = has_preempt_rt();
    sharpen_timers(machine);
    if (policy == SCHED_FIFO || policy == SCHED_RR || policy == DEADLINE) {
        machine->first = 1;
        snprintf(machine->scheduling, sizeof machine->scheduling, "%s, priority %d, as started",
                 policy_name(policy), now.sched_priority);
        return;
    }
    int priority = ask_for_fifo();
    machine->first = machine->changed = priority > 0;
    if (priority > 0)
        snprintf(machine->scheduling, sizeof machine->scheduling, "SCHED_FIFO, priority %d",
                 priority);
    else
        snprintf(machine->scheduling, sizeof machine->scheduling,
                 "ordinary scheduling (SCHED_FIFO not permitted)");
}

void cli_machine_relax(cli_machine* machine)
{
    if (machine->locked) munlockall();
    if (machine->changed)
        sched_setscheduler(0, machine->old_policy,
                           &(struct sched_param){.sched_priority = machine->old_priority});
#ifdef PR_SET_TIMERSLACK
    if (machine->old_slack > 0) prctl(PR_SET_TIMERSLACK, machine->old_slack, 0, 0, 0);
#endif
}

/* ---- memory --------------------------------------------------------------------------------- */

/// Read and write again.
static void touch(volatile char* at)
{
    char keep = *at;
    *at = keep;
}

void cli_machine_touch(void* memory, size_t bytes)
{
    volatile char* page = memory;
    for (size_t k = 0; k < bytes; k += PAGE) touch(page + k);
    if (bytes > 0) touch(page + bytes - 1);
}

/// Pages of an array that has no content yet.
static void fill(volatile char* page, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += PAGE) page[k] = 0;
}

static void touch_stack(void)
{
    char room[STACK];
    fill(room, sizeof room);
}

void cli_machine_lock(cli_machine* machine)
{
    touch_stack();
    machine->locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
}

void cli_machine_watch(cli_machine* machine)
{
    struct rusage now = {0};
    getrusage(RUSAGE_SELF, &now);
    machine->minor = -now.ru_minflt;
    machine->major = -now.ru_majflt;
    machine->preemptions = -now.ru_nivcsw;
}

void cli_machine_watched(cli_machine* machine)
{
    struct rusage now = {0};
    getrusage(RUSAGE_SELF, &now);
    machine->minor += now.ru_minflt;
    machine->major += now.ru_majflt;
    machine->preemptions += now.ru_nivcsw;
}

/* ---- sleep ---------------------------------------------------------------------------------- */

void cli_machine_sleep(int64_t when)
{
    struct timespec at = {.tv_sec = when / 1000000000, .tv_nsec = when % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static int compare(const void* a, const void* b)
{
    int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
    return (x > y) - (x < y);
}

void cli_machine_try_sleep(cli_machine* machine)
{
    int64_t late[CLI_MACHINE_TRIALS];
    for (int k = 0; k < CLI_MACHINE_TRIALS; k++) {
        int64_t when = cli_clock() + CLI_MACHINE_TRIAL_NS;
        cli_machine_sleep(when);
        late[k] = cli_clock() - when;
    }
    qsort(late, CLI_MACHINE_TRIALS, sizeof *late, compare);
    machine->wake_median = late[CLI_MACHINE_TRIALS / 2];
    machine->wake_most = late[CLI_MACHINE_TRIALS - 1];
}
