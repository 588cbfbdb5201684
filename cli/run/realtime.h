/* A run in real time: its steps keep pace with the wall clock.
 *
 * With w0 the wall time that stands for the start t0, and f the factor (2: twice as fast as the
 * clock), the state of time t is wanted at
 *
 *     w(t) = w0 + |t - t0| / f                                                   (1)
 *
 * The step from t_(k-1) to t_k begins at w(t_(k-1)), when its inputs would be there, never earlier.
 * Its deadline is w(t_k): by then its state and the row of its outputs must be there. A step that
 * misses it is counted, and the next one begins at once, so that the run catches up. No step is
 * left out, and none is cut short: the motion is, bit for bit, that of the same run without the
 * clock.
 *
 * Between the steps nothing is allocated, written to a file or printed. */
#ifndef CLI_REALTIME_H
#define CLI_REALTIME_H

#include "common/files/json.h"
#include "common/machine.h"
#include "common/text.h"
#include "common/timing.h"

#include "sarrus/simulation.h"

typedef struct cli_realtime {
    double factor; ///< f of (1); 0: not in real time
    int presumed;  ///< 1: iterations not given: CLI_REALTIME_ITERATIONS
    cli_machine machine;
    double start;     ///< t0
    int64_t origin;   ///< w0 [ns]
    int64_t period;   ///< wall time from step to step [ns]
    int64_t spin;     ///< the last part of a wait, spent awake [ns]
    int64_t release;  ///< when the next step begins [ns]
    int64_t began;    ///< when it did
    int64_t duration; ///< of the loop
    long met, missed;
    long overruns;              ///< steps that computed longer than from step to step
    double first_miss;          ///< t of the first missed deadline [s]
    int64_t lag, last_lag;      ///< the largest, and that of the last step; 0: in time [ns]
    double lag_at;              ///< t of the largest
    double slowest;             ///< t of the step that computed longest
    cli_timing computing, late; ///< of the steps; how late those began that had to wait
} cli_realtime;

enum { CLI_REALTIME_ITERATIONS = 3 };

/// The factor that an option gives (NULL: 1). 0, or CLI_USAGE after a message.
int cli_realtime_set(cli_realtime* rt, const char* text);
/// Unless the user chose otherwise: a fixed number of iterations, and no search for singular
/// configurations, which costs many steps' time at a candidate.
/// Refuses methods that choose their steps: CLI_USAGE after a message. What else makes steps differ
/// is a warning.
int cli_realtime_choose(cli_realtime* rt, sar_options* options, cli_words* warnings);
/// Everything that must not happen between steps: scheduling, a rehearsal of some steps with a
/// simulation of its own, memory, a trial of the clock.
void cli_realtime_prepare(cli_realtime* rt, const sar_model* model, const sar_options* options);

void cli_realtime_begin(cli_realtime* rt, double t); ///< (1) holds from now on
int cli_realtime_wait(cli_realtime* rt);             ///< for the next step; 0: interrupted
void cli_realtime_done(cli_realtime* rt, double t);  ///< the step to t, with all its rows
/// `complete`: wait for the time of the last state too.
void cli_realtime_end(cli_realtime* rt, int complete);

/// What the report says of it; `correction` is the largest last correction of a step.
void cli_realtime_json(const cli_realtime* rt, const sar_options* options, double correction,
                       cli_json* j);
void cli_realtime_print(const cli_realtime* rt, const sar_options* options, double correction,
                        FILE* out);
void cli_realtime_warn(const cli_realtime* rt, cli_words* warnings); ///< of missed deadlines

#endif
