/* The report of a run in real time: deadlines, times of the steps, what the machine granted. */
#include "run/realtime.h"

#include "run/report.h"

#include <math.h>

enum { PERCENTILES = 4 };
static const double SHARE[PERCENTILES] = {0.5, 0.99, 0.999, 1.0};

static double percentile(const cli_timing* timing, int k)
{
    return SHARE[k] < 1.0 ? cli_timing_percentile(timing, SHARE[k]) : cli_timing_most(timing);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_times(cli_json* j, const char* key, const cli_timing* timing, double unit)
{
    static const char* const NAME[PERCENTILES] = {"p50", "p99", "p999", "max"};
    cli_json_open(j, key, '{');
    cli_json_number(j, "mean", cli_timing_mean(timing) / unit);
    for (int k = 0; k < PERCENTILES; k++) cli_json_number(j, NAME[k], percentile(timing, k) / unit);
    cli_json_close(j);
}

static void json_deadlines(const cli_realtime* rt, cli_json* j)
{
    cli_json_open(j, "deadlines", '{');
    cli_json_integer(j, "met", rt->met);
    cli_json_integer(j, "missed", rt->missed);
    cli_json_integer(j, "overruns", rt->overruns);
    cli_json_number(j, "first_miss_t", rt->missed ? rt->first_miss : NAN);
    cli_json_close(j);
    cli_json_open(j, "lag_us", '{');
    cli_json_number(j, "max", 1e-3 * (double)rt->lag);
    cli_json_number(j, "max_t", rt->missed ? rt->lag_at : NAN);
    cli_json_number(j, "end", 1e-3 * (double)rt->last_lag);
    cli_json_close(j);
}

static void json_machine(const cli_realtime* rt, cli_json* j)
{
    const cli_machine* m = &rt->machine;
    cli_json_open(j, "machine", '{');
    cli_json_text(j, "scheduling", m->scheduling);
    cli_json_boolean(j, "realtime_scheduling", m->first);
    cli_json_boolean(j, "memory_locked", m->locked);
    cli_json_boolean(j, "preempt_rt", m->preempt_rt);
    cli_json_open(j, "wake_up_us", '{');
    cli_json_integer(j, "trials", CLI_MACHINE_TRIALS);
    cli_json_number(j, "median", 1e-3 * (double)m->wake_median);
    cli_json_number(j, "max", 1e-3 * (double)m->wake_most);
    cli_json_close(j);
    cli_json_number(j, "spin_us", 1e-3 * (double)rt->spin);
    cli_json_integer(j, "minor_faults", (long)m->minor);
    cli_json_integer(j, "major_faults", (long)m->major);
    cli_json_integer(j, "preemptions", (long)m->preemptions);
    cli_json_close(j);
}

void cli_realtime_json(const cli_realtime* rt, const sar_options* options, double correction,
                       cli_json* j)
{
    double period = 1e-9 * (double)rt->period;
    cli_json_open(j, "realtime", '{');
    cli_json_number(j, "factor", rt->factor);
    cli_json_number(j, "period_us", 1e6 * period);
    cli_json_number(j, "wall_s", 1e-9 * (double)rt->duration);
    json_deadlines(rt, j);
    json_times(j, "computing_us", &rt->computing, 1e-6);
    json_times(j, "computing_share", &rt->computing, period > 0 ? period : NAN);
    json_times(j, "start_delay_us", &rt->late, 1e-6);
    cli_json_number(j, "slowest_t", rt->computing.count ? rt->slowest : NAN);
    cli_json_integer(j, "fixed_iterations", options->iterations_fixed ? options->iterations : 0);
    cli_json_boolean(j, "fixed_iterations_presumed", rt->presumed);
    cli_json_number(j, "last_correction", correction);
    json_machine(rt, j);
    cli_json_close(j);
}

/* ---- for people ----------------------------------------------------------------------------- */

static void print_nanoseconds(FILE* out, int64_t time)
{
    cli_print_seconds(out, 1e-9 * (double)time);
}

/// "190 us median, 230 us (99 %), 400 us (99.9 %), 789 us worst"
static void print_times(FILE* out, const cli_timing* timing)
{
    static const char* const NAME[PERCENTILES] = {"median", "(99 %)", "(99.9 %)", "worst"};
    for (int k = 0; k < PERCENTILES; k++) {
        if (k) fputs(", ", out);
        cli_print_seconds(out, percentile(timing, k));
        fprintf(out, " %s", NAME[k]);
    }
}

static void print_deadlines(const cli_realtime* rt, FILE* out)
{
    cli_print_label(out, "real time");
    cli_style style = rt->missed ? CLI_RED : CLI_GREEN;
    if (rt->factor != 1.0) fprintf(out, "%g times the clock; ", rt->factor);
    print_nanoseconds(out, rt->period);
    fprintf(out, " a step: %s", cli_paint(out, style));
    if (rt->missed)
        fprintf(out, "%ld of %ld deadlines missed%s, the first at t = %.9g s\n", rt->missed,
                rt->met + rt->missed, cli_paint(out, CLI_PLAIN), rt->first_miss);
    else
        fprintf(out, "all %ld deadlines met%s\n", rt->met, cli_paint(out, CLI_PLAIN));
    if (!rt->missed) return;
    cli_print_label(out, "");
    fputs("lag ", out);
    print_nanoseconds(out, rt->lag);
    fprintf(out, " at most, at t = %.9g s; ", rt->lag_at);
    if (rt->last_lag > 0)
        print_nanoseconds(out, rt->last_lag);
    else
        fputs("none", out);
    fprintf(out, " at the end; steps that computed longer than they last: %ld\n", rt->overruns);
}

static void print_computing(const cli_realtime* rt, FILE* out)
{
    cli_print_label(out, "computing");
    print_times(out, &rt->computing);
    fprintf(out, ", at t = %.9g s\n", rt->slowest);
    if (rt->period > 0) {
        cli_print_label(out, "");
        for (int k = 0; k < PERCENTILES; k++)
            fprintf(out, "%s%.3g", k ? ", " : "",
                    1e11 * percentile(&rt->computing, k) / (double)rt->period);
        fputs(" % of the available time\n", out);
    }
    cli_print_label(out, "beginning");
    if (rt->late.count) {
        fputs("late by ", out);
        print_times(out, &rt->late);
        fputc('\n', out);
    } else {
        fputs("no step had to wait\n", out);
    }
}

static void print_machine(const cli_realtime* rt, FILE* out)
{
    const cli_machine* m = &rt->machine;
    cli_print_label(out, "machine");
    fprintf(out, "%s; %s; %s\n", m->scheduling,
            m->locked ? "memory locked" : "memory not locked (not permitted)",
            m->preempt_rt ? "kernel with PREEMPT_RT" : "kernel without PREEMPT_RT");
    cli_print_label(out, "");
    fputs("sleeps end ", out);
    print_nanoseconds(out, m->wake_median);
    fputs(" late (median), ", out);
    print_nanoseconds(out, m->wake_most);
    fputs(" at most; the last ", out);
    print_nanoseconds(out, rt->spin);
    fputs(" of a wait are spent awake\n", out);
    cli_print_label(out, "");
    fprintf(out, "while stepping: page faults %ld, preemptions %ld\n", (long)(m->minor + m->major),
            (long)m->preemptions);
}

void cli_realtime_print(const cli_realtime* rt, const sar_options* options, double correction,
                        FILE* out)
{
    print_deadlines(rt, out);
    if (rt->computing.count) print_computing(rt, out);
    print_machine(rt, out);
    if (!options->iterations_fixed || !rt->computing.count) return;
    cli_print_label(out, "accuracy");
    fprintf(out, "%d iterations in every step%s; the last correction is %.2e at most\n",
            options->iterations, rt->presumed ? ", by default" : "", correction);
}

void cli_realtime_warn(const cli_realtime* rt, cli_words* warnings)
{
    if (rt->missed == 0) return;
    if (rt->last_lag > rt->period && rt->overruns > (rt->met + rt->missed) / 2)
        cli_words_add(
            warnings,
            "this machine is too slow: most steps compute longer than they last; use a larger "
            "--step, fewer --iterations, a smaller model or a smaller --realtime=FACTOR");
    else if (rt->overruns > 0)
        cli_words_add(warnings,
                      "deadlines missed: %ld; steps that computed longer than they last: %ld, by "
                      "themselves or because other programs were in the way",
                      rt->missed, rt->overruns);
    else
        cli_words_add(
            warnings,
            "deadlines missed: %ld, although no step computed longer than it lasts: other "
            "programs were in the way",
            rt->missed);
}
