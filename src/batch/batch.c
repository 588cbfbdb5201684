/* Many simulations: those with one pattern of equations share lanes, a lane that becomes free is given
 * to the next of them. What lanes cannot do, the library's own step does:
 *
 *     the last step of a run; a step before which the monitor sees a singular position ahead
 *     (crossings.c); a step that failed in its lane, and some after it, as such positions are
 *     not behind after one. */
#include "batch/batch.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "math/functions.h"

#include <limits.h>
#include <math.h>

enum { FEWEST = 2 };       ///< lanes in use that are worth it
enum { FEWEST_LOOKS = 3 }; ///< monitors to be shown a step at once, likewise where that takes loops
enum { LONGEST_REST = 8 }; ///< steps alone after a failure

typedef struct instance {
    sar_run run;
    const char* alone; ///< why it is not in lanes
    int pattern;       ///< of its equations
    long in_lanes;     ///< steps
    int rest;          ///< steps alone after the last failure in a lane
} instance;

/// The instances of one pattern.
typedef struct group {
    int count;
    int* member;        ///< instances
    sari_lanes** lanes; ///< one for each part
} group;

struct sar_batch {
    sari_arena memory;
    int count, threads, groups;
    instance* at;
    group* group;
    int *lonely, lonely_count; ///< instances that are not in lanes
    const sari_lane_kernels* kernels;
    double until; ///< of the present run
};

/* ---- alone ----------------------------------------------------------------------------------- */

/* Does an instance want to go on to `until`? Rounding of its own grid does not count. */
static int wants(const instance* x, double until)
{
    const sar_simulation* s = x->run.simulation;
    return x->run.status == SAR_OK && !sar_simulation_done(s) &&
           x->run.t < until - 1e-9 * s->options.step;
}

static void run_alone(instance* x, double until)
{
    while (wants(x, until) && sar_run_step(&x->run)) {
    }
}

/* ---- a lane ---------------------------------------------------------------------------------- */

/// Times are numbers of steps of its part.
typedef struct lane {
    instance* of; ///< NULL: nobody's
    long entered;
    long seen;            ///< when the monitor was shown a step last
    long look, turn, end; ///< when it has to be, when turns are measured, and when the lane ends
    long due;             ///< the first of these
} lane;

/// What one thread works on.
typedef struct part {
    sar_batch* batch;
    sari_lanes* lanes;
    const int* next; ///< members that are not begun
    const int* end;
    lane lane[SARI_LANES];
    long now; ///< steps done
    unsigned active;
    unsigned prepared; ///< lanes of which it is known what their monitors will ask for
} part;

/* Steps to `until`, but the last of the run. */
static long steps_ahead(const sar_simulation* s, double until)
{
    const sar_options* o = &s->options;
    const double to = ceil((until - o->start) / o->step - 1e-9);
    const double last = (double)(s->steps - 1);
    return (long)fmin(to, last) - s->step;
}

/* The next step that the monitor has to be shown. */
static long next_look(const sar_simulation* s, long now)
{
    const long left_out = s->options.monitor ? sari_monitor_leaves_out(s->monitor) : LONG_MAX;
    return left_out == LONG_MAX ? LONG_MAX : now + left_out + 1;
}

/* The next step after which turns are measured. */
static long next_turn(const sar_simulation* s, long now)
{
    const long steps = s->statistics.steps, due = sari_turn_due(s, steps);
    if (due == LONG_MAX) return LONG_MAX;
    return now + (due ? due : sari_turn_due(s, steps + 1) + 1);
}

static void find_due(lane* l)
{
    l->due = l->end;
    if (l->look < l->due) l->due = l->look;
    if (l->turn < l->due) l->due = l->turn;
}

static int sees_crossing(const sar_simulation* s)
{
    return s->crossings && sari_monitor_approaches(s->monitor);
}

/* Steps alone until a lane can take it again; 0: it does not go on. */
static int go_alone(instance* x, double until, int at_least)
{
    const sar_simulation* s = x->run.simulation;
    for (int k = 0; wants(x, until); k++) {
        const int ready = k >= at_least && steps_ahead(s, until) > 0 && !sees_crossing(s);
        if (ready && !(x->alone = sari_lanes_refuse(s))) return 1;
        if (ready) {
            run_alone(x, until);
            return 0;
        }
        if (!sar_run_step(&x->run)) return 0;
    }
    return 0;
}

static void enter(part* p, int k, instance* x, int anew)
{
    const sar_simulation* s = x->run.simulation;
    if (anew)
        sari_lanes_load(p->lanes, k, s);
    else
        sari_lanes_reload(p->lanes, k, s);
    lane* l = &p->lane[k];
    *l = (lane){.of = x,
                .entered = p->now,
                .seen = p->now,
                .end = p->now + steps_ahead(s, p->batch->until),
                .look = next_look(s, p->now),
                .turn = next_turn(s, p->now)};
    find_due(l);
    p->active |= 1u << k;
}

/* At a time that may be a step before that of its part. */
static void leave(part* p, int k, long now)
{
    lane* l = &p->lane[k];
    instance* x = l->of;
    sar_simulation* s = x->run.simulation;
    const long steps = now - l->entered;
    if (s->options.monitor) sari_monitor_left_out(s->monitor, now - l->seen);
    sari_lanes_unload(p->lanes, k, s, steps);
    x->run.t = sar_simulation_time(s);
    x->run.steps += steps;
    x->in_lanes += steps;
    l->of = NULL;
    p->active &= ~(1u << k);
}

/* ---- what has to be done between steps -------------------------------------------------------- */

/* What the monitors of lanes will ask for that are to be shown a step, in all lanes at once. */
static void prepare_looks(part* p)
{
    const sari_lane_kernels* kernels = p->batch->kernels;
    sari_lanes* z = p->lanes;
    unsigned due = 0;
    int near = 0, count = 0;
    p->prepared = 0;
    for (int k = 0; k < SARI_LANES; k++) {
        const lane* l = &p->lane[k];
        if (l->of && l->look == p->now && sari_monitor_looks(l->of->run.simulation->monitor))
            due |= 1u << k, count++;
    }
    if (count < (z->programs.look ? 1 : FEWEST_LOOKS)) return;
    p->prepared = due;
    kernels->watch(z);
    kernels->glance(z, &z->measure_shift, &z->measure, &z->away);
    for (int k = 0; k < SARI_LANES; k++) {
        if (!(due >> k & 1)) continue;
        z->measure.x[k] = sari_log(z->measure.x[k]);
        near |= sari_monitor_is_near(p->lane[k].of->run.simulation->monitor, z->measure.x[k]);
    }
    sari_wide unused;
    if (near)
        kernels->glance(z, &z->away_shift, &unused, &z->away);
    else
        for (int k = 0; k < SARI_LANES; k++) z->away.x[k] = NAN;
}

/* The monitor is shown a step. 1: it sees a singular position ahead. */
static int look(part* p, lane* l, int k)
{
    const sari_lanes* z = p->lanes;
    const sari_sight sight = {z->measure.x[k], z->away.x[k], z->away_shift.x[k], z->spin.x[k],
                              z->turned.x[k]};
    sar_simulation* s = l->of->run.simulation;
    const sari_state* now = &s->state;
    sari_monitor_left_out(s->monitor, p->now - l->seen - 1);
    sari_lanes_show(p->lanes, k, s);
    sari_ledger* before = sari_ledger_open(s->ledger);
    if (p->prepared >> k & 1) {
        sari_monitor_see(s->monitor, now, &sight);
    } else {
        if (sari_monitor_looks(s->monitor))
            (void)sari_equations_eval(&s->system->equations, SARI_EVAL_JACOBIAN, now->t, now->q,
                                      NULL);
        sari_monitor_step(s->monitor, now);
    }
    sari_ledger_open(before);
    sari_lanes_expect(p->lanes, k, s);
    l->seen = p->now;
    l->look = next_look(s, p->now);
    return sees_crossing(s);
}

static void measure_turn(part* p, lane* l, int k)
{
    sar_simulation* s = l->of->run.simulation;
    sari_lanes_show(p->lanes, k, s);
    sari_turn_measure(s, p->lanes->t.x[k] - p->lanes->t0.x[k]);
    l->turn += sari_turn_due(s, 2) + 1; // from one such step to the next
}

/* After a step that failed; twice as long where lanes did no more steps since than it rested. */
static void rest_longer(instance* x, long steps)
{
    const int again = steps <= x->rest;
    if (!again || x->rest == 0)
        x->rest = 1;
    else if (2 * x->rest <= LONGEST_REST)
        x->rest *= 2;
}

/* A lane that has failed the last step, or has something due. */
static void settle(part* p, int k, int failed)
{
    const double until = p->batch->until;
    lane* l = &p->lane[k];
    instance* x = l->of;
    const long now = p->now - failed;
    const int ahead = l->look == now && look(p, l, k);
    if (l->turn == now) measure_turn(p, l, k);
    find_due(l);
    if (!failed && !ahead && now < l->end) return;
    if (failed) rest_longer(x, now - l->entered);
    leave(p, k, now);
    if (go_alone(x, until, failed ? x->rest : ahead)) enter(p, k, x, 0);
}

/* How many steps all lanes can do. */
static long steps_together(const part* p)
{
    long due = LONG_MAX;
    for (int k = 0; k < SARI_LANES; k++)
        if (p->lane[k].of && p->lane[k].due < due) due = p->lane[k].due;
    return due - p->now;
}

static void fill(part* p)
{
    for (int k = 0; k < SARI_LANES; k++)
        while (!p->lane[k].of && p->next < p->end) {
            instance* x = &p->batch->at[*p->next++];
            if (!x->alone && go_alone(x, p->batch->until, 0)) enter(p, k, x, 1);
            if (x->alone) run_alone(x, p->batch->until);
        }
}

static int active_lanes(const part* p)
{
    int count = 0;
    for (int k = 0; k < SARI_LANES; k++) count += p->lane[k].of != NULL;
    return count;
}

/* Programs, once they pay. */
static void have_programs(const part* p)
{
    const long after = p->batch->kernels->programs;
    sari_lanes* z = p->lanes;
    if (after < 0)
        z->programs = (sari_lane_programs){0};
    else if (!z->programs.tried && z->steps >= after)
        sari_lanes_write_programs(z);
}

/* Steps, until something else has to be done. */
static void run_steps(part* p)
{
    const sari_lane_report report = p->batch->kernels->run(p->lanes, p->active, steps_together(p));
    const unsigned active = p->active;
    p->now += report.steps;
    p->lanes->steps += report.steps;
    prepare_looks(p);
    for (int k = 0; k < SARI_LANES; k++) {
        lane* l = &p->lane[k];
        const int failed = report.failed >> k & 1;
        if (!(active >> k & 1)) continue;
        if (report.turned >> k & 1) sari_lanes_count_turns(p->lanes, k, l->of->run.simulation);
        if (failed || l->due == p->now) settle(p, k, failed);
    }
}

static void run_part(part* p)
{
    for (fill(p); active_lanes(p) >= FEWEST; fill(p)) {
        have_programs(p);
        run_steps(p);
    }
    for (int k = 0; k < SARI_LANES; k++) {
        instance* x = p->lane[k].of;
        if (!x) continue;
        leave(p, k, p->now);
        run_alone(x, p->batch->until);
    }
}

/* ---- all of them ------------------------------------------------------------------------------ */

typedef struct share {
    sar_batch* batch;
    const group* group; ///< NULL: those that are not in lanes
} share;

/* Parts first to end - 1 of as many as there are threads. */
static void run_parts(void* task, int first, int end)
{
    const share* t = task;
    sar_batch* b = t->batch;
    for (int i = first; i < end; i++) {
        const int count = t->group ? t->group->count : b->lonely_count;
        const int* member = t->group ? t->group->member : b->lonely;
        const int* from = member + (long)count * i / b->threads;
        const int* to = member + (long)count * (i + 1) / b->threads;
        if (t->group) {
            part p = {.batch = b, .lanes = t->group->lanes[i], .next = from, .end = to};
            run_part(&p);
        }
        for (; !t->group && from < to; from++) run_alone(&b->at[*from], b->until);
    }
}

sar_status sar_batch_run(sar_batch* batch, double t)
{
    batch->until = t;
    for (int k = 0; k < batch->count; k++) {
        instance* x = &batch->at[k];
        sar_simulation* s = x->run.simulation;
        if (s->looks_back) (void)sar_simulation_look(s, INFINITY);
        x->run.t = sar_simulation_time(s);
    }
    for (int g = 0; g <= batch->groups; g++) {
        share task = {batch, g < batch->groups ? &batch->group[g] : NULL};
        sari_parallel(batch->threads, batch->threads, run_parts, &task);
    }
    return SAR_OK;
}

sar_run* sar_batch_at(sar_batch* batch, int k)
{
    return &batch->at[k].run;
}

const char* sar_batch_alone(const sar_batch* batch, int k)
{
    return batch->at[k].alone;
}

long sar_batch_steps(const sar_batch* batch, long* in_lanes)
{
    long steps = 0, there = 0;
    for (int k = 0; k < batch->count; k++) {
        steps += batch->at[k].run.steps;
        there += batch->at[k].in_lanes;
    }
    if (in_lanes) *in_lanes = there;
    return steps;
}

void sari_batch_use(sar_batch* batch, const sari_lane_kernels* kernels)
{
    batch->kernels = kernels;
}

/* ---- create ----------------------------------------------------------------------------------- */

/* The group of an instance that is for lanes, perhaps a new one. -1: out of memory. */
static int find_group(sar_batch* b, const sar_simulation* s)
{
    for (int g = 0; g < b->groups; g++)
        if (sari_lane_pattern_fits(b->group[g].lanes[0], s)) return g;
    group* fresh = &b->group[b->groups];
    fresh->lanes = SARI_TAKE(&b->memory, sari_lanes*, b->threads);
    fresh->member = SARI_TAKE(&b->memory, int, b->count);
    if (b->memory.failed) return -1;
    b->groups++;
    for (int i = 0; i < b->threads; i++)
        if (sari_lanes_create(s, &fresh->lanes[i]) != SAR_OK) return -1;
    return b->groups - 1;
}

static sar_status sort_instances(sar_batch* b)
{
    for (int k = 0; k < b->count; k++) {
        instance* x = &b->at[k];
        x->alone = sari_lanes_refuse(x->run.simulation);
        if (x->alone) {
            b->lonely[b->lonely_count++] = k;
            continue;
        }
        x->pattern = find_group(b, x->run.simulation);
        if (x->pattern < 0) return SAR_E_NOMEM;
        group* g = &b->group[x->pattern];
        g->member[g->count++] = k;
    }
    return SAR_OK;
}

sar_status sar_batch_create(sar_simulation* const* simulations, int count, int threads,
                            sar_batch** out, sar_error* error)
{
    sar_batch* b = SARI_NEW(sar_batch);
    const sar_sampling none = {0};
    *out = NULL;
    if (!b) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for a batch");
    b->count = count;
    b->threads = threads > 1 ? threads : 1;
    b->kernels = sari_lane_kernels_at(sari_lane_kernels_count() - 1);
    b->at = SARI_TAKE(&b->memory, instance, count);
    b->group = SARI_TAKE(&b->memory, group, count);
    b->lonely = SARI_TAKE(&b->memory, int, count);
    sar_status st = b->memory.failed ? SAR_E_NOMEM : SAR_OK;
    for (int k = 0; st == SAR_OK && k < count; k++)
        b->at[k].run = sar_run_begin(simulations[k], &none);
    if (st == SAR_OK) st = sort_instances(b);
    if (st != SAR_OK) {
        sar_batch_destroy(b);
        return sari_fail(error, st, NULL, "out of memory for a batch");
    }
    *out = b;
    return SAR_OK;
}

void sar_batch_destroy(sar_batch* b)
{
    if (!b) return;
    for (int g = 0; g < b->groups; g++)
        for (int i = 0; i < b->threads; i++) sari_lanes_destroy(b->group[g].lanes[i]);
    sari_arena_clear(&b->memory);
    sari_release(b);
}
