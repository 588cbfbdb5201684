/* Events for a host that takes the steps, as in Model Exchange: the guards of the run (events.c) as indicators. One is
 * positive as long as nothing happens, and goes through zero where something does:
 *
 *     z = sign g - least,   least = min(0, sign g0) - touch                                     (1)
 *
 * `sign` is the side of zero on which g is, and g0 what it was after the last event, as long as it has not left zero
 * since: after an impact a distance is zero but for rounding. `touch` is what counts as zero: so the host stops where g has
 * the other sign for certain, and no event comes again. Guards that are not waited for are 1. */
#include "base/status.h"
#include "simulation/events/events.h"
#include "simulation/events/guards.h"

#include <math.h>

/* Of a bound far less than what counts there as touching: what a ball falls deeper than the floor it gains in height, and
 * it comes to rest when its rise is below 1e-10 (impacts.c). */
static double touch_of(const sar_simulation* s, const sari_guard* g)
{
    const double noise = 1e-12; // of the largest g so far, or of the size
    if (g->kind != SARI_GUARD_BOUND) return noise * g->largest;
    return noise + s->bounds.at[g->index].touch - SARI_TOUCHES;
}

static double indicator_of(const sar_simulation* s, const sari_guard* g, double value)
{
    const double from = g->leaves ? fmin(0.0, g->sign * g->begin) : 0.0;
    return isnan(value) ? 1.0 : g->sign * value - from + touch_of(s, g); // (1)
}

static double indicator(sar_simulation* s, const sari_guard* g)
{
    return indicator_of(s, g, g->live && g->sign ? sari_guard_value(s, g) : NAN);
}

double sari_events_last_indicator(const sar_simulation* s, int k)
{
    const sari_guard* g = &s->phases.guard[k];
    return indicator_of(s, g, g->live && g->sign ? g->value : NAN);
}

/// Guards that have no side yet get that of now.
static void take_sides(sar_simulation* s)
{
    for (int k = 0; k < s->phases.guards; k++) {
        sari_guard* g = &s->phases.guard[k];
        if (!g->live) continue;
        g->value = sari_guard_value(s, g);
        g->largest = isnan(g->value) ? g->largest : fmax(g->largest, fabs(g->value));
        if (isnan(g->value)) g->sign = 0;
        if (!g->sign) g->sign = sari_side(g->value);
        if (g->sign * g->value > touch_of(s, g)) g->leaves = 0;
    }
}

int sari_events_indicators(const sar_simulation* s)
{
    return s->phases.guards;
}

sar_status sari_events_indicate(sar_simulation* s, double* z)
{
    SARI_TRY(sari_guards_evaluate(s, &s->state));
    for (int k = 0; k < s->phases.guards; k++) z[k] = indicator(s, &s->phases.guard[k]);
    return SAR_OK;
}

sar_status sari_events_stepped(sar_simulation* s)
{
    int crossed = 0;
    SARI_TRY(sari_guards_evaluate(s, &s->state));
    for (int k = 0; k < s->phases.guards; k++) crossed |= indicator(s, &s->phases.guard[k]) <= 0.0;
    if (crossed) return SAR_OK; // the host is about to let it happen
    take_sides(s);
    if (s->phases.held) sari_events_freeze(s);
    return SAR_OK;
}

sar_status sari_events_arrive(sar_simulation* s)
{
    sari_phases* p = &s->phases;
    int due = sari_events_switch(s);
    SARI_TRY(sari_guards_evaluate(s, &s->state));
    for (int k = 0; k < p->guards; k++) {
        sari_guard* g = &p->guard[k];
        g->due = indicator(s, g) <= 0.0 && sari_guard_counts(s, g, g->sign);
        due |= g->due;
    }
    if (due) {
        p->stop = s->state.t;
        SARI_TRY(sari_events_begin(s));
    } else {
        sari_events_wait(s); // branches of time, and changes of sign that do not count
    }
    SARI_TRY(sari_guards_evaluate(s, &s->state));
    take_sides(s);
    return SAR_OK;
}
