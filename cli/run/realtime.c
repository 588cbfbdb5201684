#include "run/realtime.h"

#include "common/command.h"
#include "common/interrupt.h"
#include "common/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SPIN = 100000,       ///< [ns]
    LEAD = 2000000,           ///< from the end of all preparations to w0 [ns]
    REHEARSED_STEPS = 100,    ///< at most,
    REHEARSAL = 200 * 1000000 ///< and for so long [ns]
};

/* ---- before the run ------------------------------------------------------------------------- */

int cli_realtime_set(cli_realtime* rt, const char* text)
{
    char* end = NULL;
    rt->factor = text ? strtod(text, &end) : 1.0;
    if (!text || (end != text && !*end && rt->factor > 0 && isfinite(rt->factor))) return 0;
    cli_error("run",
              "--realtime=%s: the factor is a number above 0; 2 runs twice as fast as the clock",
              text);
    return CLI_USAGE;
}

static int has_parameter(const char* name, const sar_options* options)
{
    int k = cli_parameter_find(name);
    return k >= 0 && cli_parameter_applies(k, options);
}

static int was_given(const char* name, const sar_options* options)
{
    int k = cli_parameter_find(name);
    return k >= 0 && (options->given >> k & 1);
}

int cli_realtime_choose(cli_realtime* rt, sar_options* options, cli_words* warnings)
{
    if (cli_method_chooses_step(options)) {
        cli_error("run",
                  "--realtime: the integrator %s has a variable step, so the time of its results "
                  "is not known in advance",
                  options->integrator);
        cli_hint("Use one with a fixed step: --integrator trapezoidal, newmark, "
                 "semi-implicit-euler or rk4, with --step.");
        return CLI_USAGE;
    }
    if (!was_given("monitor", options)) options->monitor = 0;
    if (cli_method_fixes_iterations(options)) {
        rt->presumed = !was_given("iterations", options);
        if (rt->presumed) {
            options->iterations = CLI_REALTIME_ITERATIONS;
            options->iterations_fixed = 1;
        }
        if (!options->iterations_fixed)
            cli_words_add(warnings,
                          "with --iterations %d the steps iterate until they converge, which takes "
                          "longer in some than in others; --iterations fixed:%d does not",
                          options->iterations, CLI_REALTIME_ITERATIONS);
    } else if (has_parameter("iterations", options)) {
        cli_words_add(warnings,
                      "%s iterates until it converges, which takes longer in some steps than in "
                      "others; --integrator trapezoidal has --iterations fixed:N",
                      options->integrator);
    }
    return 0;
}

/* The first steps of a program are slow: its code comes from disk, caches are cold, threads are
 * started. Another simulation of the same model takes these upon itself; the library keeps nothing
 * between them but that. */
static void rehearse(const sar_model* model, const sar_options* options)
{
    sar_simulation* simulation = NULL;
    sar_error ignored;
    int64_t until = cli_clock() + REHEARSAL;
    if (sar_simulation_create(model, options, &simulation, &ignored) != SAR_OK) return;
    sar_status status = sar_simulation_assemble(simulation, NULL);
    for (int k = 0; k < REHEARSED_STEPS && status == SAR_OK && cli_clock() < until; k++) {
        if (sar_simulation_done(simulation)) break;
        status = sar_simulation_advance(simulation);
    }
    sar_simulation_destroy(simulation);
}

void cli_realtime_prepare(cli_realtime* rt, const sar_model* model, const sar_options* options)
{
    double period = 1e9 * options->step / rt->factor;
    rt->period = (int64_t)fmin(period, 4e18);
    cli_machine_hurry(&rt->machine);
    rehearse(model, options);
    cli_machine_touch(rt, sizeof *rt);
    cli_machine_lock(&rt->machine);
    cli_machine_try_sleep(&rt->machine);
    // sleeps end late: the end of a wait is better spent awake, if not too much of it
    rt->spin = rt->machine.wake_most < MOST_SPIN ? rt->machine.wake_most : MOST_SPIN;
    if (rt->spin > rt->period / 4) rt->spin = rt->period / 4;
}

/* ---- the pace ------------------------------------------------------------------------------- */

/* (1) */
static int64_t wall(const cli_realtime* rt, double t)
{
    return rt->origin + (int64_t)fmin(1e9 * fabs(t - rt->start) / rt->factor, 4e18);
}

void cli_realtime_begin(cli_realtime* rt, double t)
{
    rt->start = t;
    cli_machine_watch(&rt->machine);
    rt->origin = rt->release = cli_clock() + LEAD;
}

static void wait_until(const cli_realtime* rt, int64_t when)
{
    while (!cli_interrupted && cli_clock() < when - rt->spin) cli_machine_sleep(when - rt->spin);
    while (!cli_interrupted && cli_clock() < when) continue;
}

int cli_realtime_wait(cli_realtime* rt)
{
    rt->began = cli_clock();
    if (rt->began < rt->release) {
        wait_until(rt, rt->release);
        if (cli_interrupted) return 0;
        rt->began = cli_clock();
        cli_timing_add(&rt->late, rt->began - rt->release);
    }
    return !cli_interrupted;
}

void cli_realtime_done(cli_realtime* rt, double t)
{
    int64_t now = cli_clock(), deadline = wall(rt, t);
    int64_t took = now - rt->began, lag = now - deadline;
    if (took >= rt->computing.most) rt->slowest = t;
    cli_timing_add(&rt->computing, took);
    if (took > deadline - rt->release) rt->overruns++;
    rt->last_lag = lag > 0 ? lag : 0;
    if (lag <= 0) {
        rt->met++;
    } else {
        if (rt->missed++ == 0) rt->first_miss = t;
        if (lag > rt->lag) rt->lag = lag, rt->lag_at = t;
    }
    rt->release = deadline;
}

void cli_realtime_end(cli_realtime* rt, int complete)
{
    cli_machine_watched(&rt->machine);
    if (complete) wait_until(rt, rt->release);
    rt->duration = cli_clock() - rt->origin;
    if (rt->duration < 0) rt->duration = 0; // interrupted before w0
    cli_machine_relax(&rt->machine);
}
