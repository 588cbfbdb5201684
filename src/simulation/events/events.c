/* What a run waits for: phases at a time, for which steps are fitted so that one ends there, and
 * changes of sign of some numbers g: expressions of phases, distances of conditions from their
 * bounds, forces of closed contacts. After a step in which a g changed its sign, its zero is found
 * on shortened steps from the same start (or on the integrator's own interpolation, where it has
 * one), and the step is done again to end there. So the order of the method is kept.
 *
 * A change of sign counts on the side of the zero where g comes from, and g has to leave zero
 * first: right after another event it may be there, up to rounding. A distance from a bound is
 * known to leave it after an impact; then its next zero counts.
 *
 * g may change its sign twice in a step: a ball that strikes another in passing. So a step is sampled
 * at the ends of some parts: where g approaches zero before a part, or with its slope at the begin of the
 * step, and leaves it after the part, the least |g| in between is found, and with it both zeros, if
 * there are any. Of all that happens in a step the first counts, with all that happens at the same time up to rounding;
 * the rest is found again in the next step. What would happen at the very end of a run is after it.
 *
 * Branches that depend on time alone are known ahead (time_functions.c), and not waited for here. */
#include "simulation/events/events.h"
#include "base/status.h"
#include "simulation/events/guards.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double NOISE = 1e-13; ///< of the largest g of a branch so far: zero but for rounding
static const double TOGETHER = 1e-12; ///< events at one time, in parts of the step
enum { PARTS = 8, KINK_PARTS = 4 };   ///< of a step
static const double SLOPE = 1e-3; ///< of a part, over which slopes at the ends of a step are taken
static const double MOMENT =
    1e-7;                ///< of the last step: as long after an event it has left its zero
enum { AT_ONCE = 1000 }; ///< events while time stands still, at most

int sari_events_expected(const sar_model* model)
{
    if (model->phases_count) return 1;
    for (int j = 0; j < model->joints_count; j++)
        if (model->joints[j].bounded) return 1;
    return 0;
}

int sari_events_are_watched(const sar_simulation* s)
{
    return s->phases.watched || s->phases.held || s->phases.kinks;
}

sar_status sari_events_create(sar_simulation* s)
{
    sari_phases* p = &s->phases;
    const sar_model* model = s->model;
    int room = model->phases_count + 3 * s->bounds.count;
    for (int k = 0; sari_held_guards(s, k) >= 0; k++) p->held += sari_held_guards(s, k);
    p->kinks = SARI_FORCE_KINKS * sari_kinks_count(s);
    room += p->held + p->kinks;
    p->guard = SARI_TAKE(&s->memory, sari_guard, room);
    p->before = SARI_TAKE(&s->memory, sari_guard, room);
    p->sample = SARI_TAKE(&s->memory, double, (PARTS + 3) * (size_t)room);
    if (s->memory.failed) return SAR_E_NOMEM;
    for (int k = 0; sari_held_guards(s, k) >= 0; k++)
        for (int i = 0; i < sari_held_guards(s, k); i++)
            p->guard[p->guards++] = (sari_guard){.kind = SARI_GUARD_BRANCH, .index = k, .side = i};
    for (int k = 0; k < p->kinks; k++)
        p->guard[p->guards++] = (sari_guard){.kind = SARI_GUARD_KINK,
                                             .index = k / SARI_FORCE_KINKS,
                                             .side = k % SARI_FORCE_KINKS,
                                             .largest = s->units.size};
    for (int k = 0; k < model->phases_count; k++) {
        if (!model->phases[k].when) continue;
        p->guard[p->guards++] = (sari_guard){.kind = SARI_GUARD_PHASE, .index = k};
        p->repeating += model->phases[k].def.repeats;
    }
    for (int k = 0; k < s->bounds.count; k++) {
        const sari_joint* j = &model->joints[s->bounds.at[k].joint];
        for (int side = -1; side <= 1; side += 2)
            if (isfinite(side < 0 ? j->lower : j->upper))
                p->guard[p->guards++] =
                    (sari_guard){.kind = SARI_GUARD_BOUND, .index = k, .side = side};
        p->guard[p->guards++] = (sari_guard){.kind = SARI_GUARD_CONTACT, .index = k};
    }
    return SAR_OK;
}

void sari_phases_archive(sar_simulation* s, sari_archive* a)
{
    sari_phases* p = &s->phases;
    p->next = sari_archive_range(a, p->next, 0, s->model->phases_count);
    p->now = sari_archive_range(a, p->now, -1, s->model->phases_count - 1);
    SARI_ARCHIVE_NUMBERS(a, &p->stop, &p->at);
    SARI_ARCHIVE_LONGS(a, &p->at_once);
    SARI_ARCHIVE_INTS(a, &p->located);
    for (sari_guard* g = p->guard; g < p->guard + p->guards; g++) {
        SARI_ARCHIVE_INTS(a, &g->live, &g->sign, &g->leaves, &g->due, &g->due_last, &g->turn,
                          &g->stuck);
        SARI_ARCHIVE_NUMBERS(a, &g->value, &g->zero, &g->largest, &g->begin);
    }
}

/* ---- what is waited for --------------------------------------------------------------------- */

/* The next phase of those that happen in order; NULL: none is left. */
static const sari_phase* awaited(const sar_simulation* s, int* number)
{
    int next = s->phases.next;
    while (next < s->model->phases_count && s->model->phases[next].def.repeats) next++;
    *number = next;
    return next < s->model->phases_count ? &s->model->phases[next] : NULL;
}

static int is_awaited(const sar_simulation* s, const sari_guard* g)
{
    int next;
    const char* there = s->system->mechanism->active;
    if (g->kind == SARI_GUARD_BOUND) return !s->bounds.at[g->index].closed;
    if (g->kind == SARI_GUARD_CONTACT) return s->bounds.at[g->index].closed != 0;
    if (g->kind == SARI_GUARD_BRANCH)
        return sari_held_present(s, g->index) && !sari_held_of_time(s, g->index, g->side);
    if (g->kind == SARI_GUARD_KINK) return 1;
    const sar_phase_def* def = &s->model->phases[g->index].def;
    if (def->repeats) return sari_phase_applies(s->model, def, there);
    return awaited(s, &next) && next == g->index;
}

/* Hold the branches of a moment later, by Taylor's series, when guards have left their zeros. */
static void hold_branches(sar_simulation* s)
{
    const sari_state* x = &s->state;
    const double last = x->t - s->previous.t, span = s->options.end - s->options.start;
    const double h = fmax(MOMENT * (last > 0.0 ? last : 0.0), 1e-5 * MOMENT * span);
    sari_state* later = &s->between;
    sari_move_by_series(s, x, h, later);
    sari_system_signals(s->system, later->t, later->q, later->v, later->a, NULL, s->variables);
    sari_kinematics_update(s->system->kinematics, later->q, later->v, 1);
    sari_held_freeze(s);
    for (int k = 0; k < s->phases.guards; k++) {
        sari_guard* g = &s->phases.guard[k];
        if (g->turn && is_awaited(s, g)) sari_held_turn(s, g->index, g->side, g->turn);
    }
    for (int k = 0; k < s->phases.guards;
         k++) { // inside of a piece guards are positive on both sides
        sari_guard* g = &s->phases.guard[k];
        if (!g->turn || !is_awaited(s, g)) continue;
        const int side = sari_side(sari_guard_value(s, g));
        if (side) g->turn = side;
    }
}

void sari_events_wait(sar_simulation* s)
{
    sari_phases* p = &s->phases;
    int next;
    const sari_phase* phase = awaited(s, &next);
    p->stop = phase && !phase->when ? fmax(phase->def.at, s->state.t) : INFINITY;
    p->located = 0;
    sari_time_functions_forget(s);
    if (!p->guards) return;
    if (p->held) hold_branches(s);
    if (sari_guards_evaluate(s, &s->state) != SAR_OK) return;
    for (int k = 0; k < p->guards; k++) {
        sari_guard* g = &p->guard[k];
        g->due_last = g->due;
        g->due = g->leaves = g->sign = 0;
        g->live = is_awaited(s, g);
        if (!g->live) continue;
        g->begin = g->value = sari_guard_value(s, g);
        g->largest = fmax(g->largest, fabs(g->value));
        if (g->turn) g->sign = g->turn, g->leaves = 1, g->turn = 0;
        if (g->kind != SARI_GUARD_BOUND && g->kind != SARI_GUARD_CONTACT) continue;
        // inside, or at the bound and on the way in: impacts have been
        g->sign = 1;
        g->leaves =
            g->value <= (g->kind == SARI_GUARD_CONTACT ? 0.0 : s->bounds.at[g->index].touch);
    }
}

/* The phase that begins now by the clock; NULL: none does. */
static const sari_phase* due_by_clock(const sar_simulation* s, int* next)
{
    const sari_phase* phase = awaited(s, next);
    return phase && !phase->when && phase->def.at <= s->state.t ? phase : NULL;
}

int sari_events_switch(const sar_simulation* s)
{
    int next;
    return s->phases.stop <= s->state.t && due_by_clock(s, &next);
}

/* Phases that are due, one after the other as far as they still apply, then bounds. */
static sar_status let_happen(sar_simulation* s, int* afresh)
{
    sari_phases* p = &s->phases;
    int at_bounds = 0, next;
    if (due_by_clock(s, &next)) SARI_TRY(sari_switch(s, next));
    for (int k = 0; k < p->guards; k++) {
        sari_guard* g = &p->guard[k];
        if (!g->due) continue;
        if (g->kind == SARI_GUARD_BRANCH) g->turn = -g->sign, *afresh = 1;
        if (g->kind == SARI_GUARD_KINK) *afresh = 1;
        at_bounds |= g->kind == SARI_GUARD_BOUND || g->kind == SARI_GUARD_CONTACT;
        if (g->kind != SARI_GUARD_PHASE) continue;
        const sari_phase* due = &s->model->phases[g->index];
        if (!is_awaited(s, g)) continue;
        SARI_TRY(sari_guards_evaluate(s, &s->state));
        if (due->provided && sari_expression_value(due->provided, s->variables) == 0.0) continue;
        SARI_TRY(sari_switch(s, g->index));
    }
    return at_bounds ? sari_bounds_resolve(s) : SAR_OK;
}

/* Events do not end: of what? */
static void explain_endless(sar_simulation* s)
{
    const sari_phases* p = &s->phases;
    const sari_guard* last = NULL;
    for (int k = 0; k < p->guards && !last; k++)
        if (p->guard[k].due_last) last = &p->guard[k];
    const int bound = last && (last->kind == SARI_GUARD_BOUND || last->kind == SARI_GUARD_CONTACT);
    const char* bounds_name = bound ? s->model->joints[s->bounds.at[last->index].joint].name : "";
    if (bound)
        snprintf(s->failure, sizeof s->failure,
                 "events do not end at t = %.9g: %d of them at one time, the last one at the bound "
                 "\"%s\". Impacts and contacts there undo each other: give it a restitution of 0, "
                 "or leave out bounds that say the same as others",
                 s->state.t, (int)AT_ONCE, bounds_name);
    else if (last && last->kind == SARI_GUARD_PHASE)
        snprintf(s->failure, sizeof s->failure,
                 "events do not end at t = %.9g: %d of them at one time. Phases that repeat undo "
                 "each other: give them conditions that exclude each other",
                 s->state.t, (int)AT_ONCE);
    else
        snprintf(s->failure, sizeof s->failure,
                 "events do not end at t = %.9g: %d of them at one time. A force goes to and fro "
                 "between two of its branches: make it continuous, or add `smooth: yes` to it",
                 s->state.t, (int)AT_ONCE);
}

sar_status sari_events_begin(sar_simulation* s)
{
    sari_phases* p = &s->phases;
    while (p->stop <= s->state.t) {
        const double moment = 1e-12 * (s->options.end - s->options.start);
        if (p->at_once == 0 || s->state.t > p->at + moment) p->at_once = 0, p->at = s->state.t;
        p->at_once++;
        if (p->at_once > AT_ONCE) {
            explain_endless(s);
            return SAR_R_NO_CONV;
        }
        int afresh = 0;
        SARI_TRY(let_happen(s, &afresh));
        sari_events_wait(s);
        if (afresh) SARI_TRY(sari_start_afresh(s, "where a force changes"));
    }
    return SAR_OK;
}

double sari_events_stop(const sar_simulation* s)
{
    return fmin(s->phases.stop, s->options.end);
}

/* ---- a step --------------------------------------------------------------------------------- */

/* Values of guards at the end of a part, one row for each of them; row 0 is the begin of the step, and rows
 * -1 and parts + 1 are close to its ends. */
static double* samples(const sar_simulation* s, int part)
{
    return s->phases.sample + (ptrdiff_t)(part + 1) * s->phases.guards;
}

/* Does g go towards zero before this part, and away from it after it? Close to an end it may be beyond. */
static int dips(const sar_simulation* s, int k, int part, int parts)
{
    const double a = samples(s, part - 1)[k], b = samples(s, part)[k];
    const double before = samples(s, part > 1 ? part - 2 : -1)[k];
    const double after = samples(s, part < parts ? part + 1 : parts + 1)[k];
    const double side = sari_side(b);
    const int falls = part > 1 ? side * a < side * before : side * before < side * a; // soon after
    const int rises = part < parts ? side * after > side * b : side * after < side * b;
    return falls && rises;
}

/* At the begin a guard may be zero but for rounding, which says nothing about the branch: where it goes does, and the step was
 * taken on another one. */
static int is_on_wrong_branch(const sar_simulation* s, const sari_guard* g, int sign_before)
{
    return g->kind == SARI_GUARD_BRANCH && g->live && !sign_before && g->sign &&
           !sari_held_is_on_side(s, g->index, g->side, g->sign);
}

/* Onto the branches on which guards marked by `turn` go on, a part of the step later; else they are as they were. */
static sar_status turn_from_begin(sar_simulation* s, double h)
{
    sari_phases* p = &s->phases;
    SARI_TRY(sari_guards_within(s, h));
    for (int k = 0; k < p->guards; k++) {
        const sari_guard* g = &p->guard[k];
        if (!g->turn) continue;
        sari_held_turn(s, g->index, g->side, g->turn);
        p->before[k].sign = sari_held_is_on_side(s, g->index, g->side, 1) ? 1 : -1;
        p->before[k].leaves = 1;
    }
    memcpy(p->guard, p->before, (size_t)p->guards * sizeof *p->guard);
    return SAR_OK;
}

sar_status sari_events_again(sar_simulation* s)
{
    SARI_TRY(sari_guards_evaluate(s, &s->state));
    for (int k = 0; k < s->phases.guards; k++) {
        sari_guard* g = &s->phases.guard[k];
        if (g->live && g->kind == SARI_GUARD_BRANCH) g->begin = g->value = sari_guard_value(s, g);
    }
    return SAR_OK;
}

/* The first event in a part of the step, and all that happen with it. */
static sar_status look_at_part(sar_simulation* s, int part, int parts, int within, int* happened,
                               double* when, int* wrong)
{
    const double h = s->state.t - s->previous.t, from = h * (part - 1) / parts,
                 to = h * part / parts;
    sari_phases* p = &s->phases;
    double first = INFINITY;
    for (int k = 0; k < p->guards; k++) {
        sari_guard* g = &p->guard[k];
        g->due = 0;
        if (!g->live) continue;
        const sari_guarded_time between = {from, to, g->value, samples(s, part)[k]};
        const int dip = within && dips(s, k, part, parts), before = g->sign;
        SARI_TRY(sari_guard_cross(s, g, between, dip, &g->zero));
        if (within && is_on_wrong_branch(s, g, before)) g->turn = g->sign, *wrong = 1;
        if (g->zero < first) first = g->zero;
    }
    *happened = isfinite(first);
    *when = s->previous.t + first;
    for (int k = 0; *happened && k < p->guards; k++)
        if (p->guard[k].live && p->guard[k].zero <= first + TOGETHER * to) p->guard[k].due = 1;
    return SAR_OK;
}

/* A g that is zero but for rounding, the rate of a joint that is locked say, is on no side: the branch
 * stays the one it was. */
static int is_noise(const sari_guard* g, double value)
{
    return (g->kind == SARI_GUARD_BRANCH || g->kind == SARI_GUARD_KINK) && g->sign &&
           fabs(value) <= NOISE * g->largest;
}

static void sample(sar_simulation* s, double* out)
{
    sari_phases* p = &s->phases;
    for (int k = 0; k < p->guards; k++) {
        sari_guard* g = &p->guard[k];
        if (!g->live) continue;
        const double value = sari_guard_value(s, g);
        out[k] = is_noise(g, value) ? g->sign * NOISE * g->largest : value;
    }
}

/* How large guards get, where the motion has been: a step that is taken again may have led anywhere. */
static void note_sizes(sar_simulation* s)
{
    for (int k = 0; k < s->phases.guards; k++) {
        sari_guard* g = &s->phases.guard[k];
        if (g->live) g->largest = fmax(g->largest, fabs(g->value));
    }
}

void sari_events_freeze(sar_simulation* s)
{
    sari_phases* p = &s->phases;
    sari_held_freeze(s);
    for (int k = 0; k < p->guards; k++) {
        const sari_guard* g = &p->guard[k];
        if (g->kind != SARI_GUARD_BRANCH || !g->live) continue;
        if (is_noise(g, g->value) || sari_guard_has_not_left(g, g->value))
            sari_held_turn(s, g->index, g->side, g->sign);
    }
}

/* What is at zero at the begin leaves it to the side where it is soon. */
static void leave_zeros(sar_simulation* s, int* wrong)
{
    for (int k = 0; k < s->phases.guards; k++) {
        sari_guard* g = &s->phases.guard[k];
        const double soon = samples(s, -1)[k];
        const int before = g->sign;
        if (g->live && g->sign == 0 && fabs(g->value) <= SARI_GUARD_LEFT * fabs(soon))
            g->sign = sari_side(soon), g->leaves = 1;
        if (g->leaves && !before && is_on_wrong_branch(s, g, before)) g->turn = g->sign, *wrong = 1;
    }
}

/* All guards, at the ends of parts of the step and close to its own. */
static sar_status sample_step(sar_simulation* s, int parts, int within, int* wrong)
{
    const double h = s->state.t - s->previous.t, close = SLOPE * h / parts;
    for (int k = 0; k < s->phases.guards; k++) samples(s, 0)[k] = s->phases.guard[k].value;
    if (within) {
        SARI_TRY(sari_guards_within(s, close));
        sample(s, samples(s, -1));
        leave_zeros(s, wrong);
        if (*wrong) return turn_from_begin(s, close);
        for (int part = 1; part < parts; part++) {
            SARI_TRY(sari_guards_within(s, h * part / parts));
            sample(s, samples(s, part));
        }
        SARI_TRY(sari_guards_within(s, h - close));
        sample(s, samples(s, parts + 1));
    }
    SARI_TRY(sari_guards_evaluate(s, &s->state));
    sample(s, samples(s, parts));
    return SAR_OK;
}

int sari_events_parts(const sar_simulation* s)
{
    const int often = s->bounds.count || s->phases.repeating || s->phases.held;
    const int within = s->integrator->dense && !s->by_series;
    return !within ? 1 : often ? PARTS : KINK_PARTS;
}

sar_status sari_events_look(sar_simulation* s, int* happened, double* when)
{
    const int within = s->integrator->dense && !s->by_series, parts = sari_events_parts(s);
    int wrong = 0;
    *happened = 0;
    if (!s->phases.guards || s->phases.located) return SAR_OK;
    memcpy(s->phases.before, s->phases.guard, (size_t)s->phases.guards * sizeof *s->phases.guard);
    SARI_TRY(sample_step(s, parts, within, &wrong));
    for (int part = 1; part <= parts && !*happened && !wrong; part++) {
        SARI_TRY(look_at_part(s, part, parts, within, happened, when, &wrong));
        if (wrong) SARI_TRY(turn_from_begin(s, (s->state.t - s->previous.t) * part / parts));
    }
    if (wrong) {
        *happened = 1, *when = NAN;
        return SAR_OK;
    }
    if (!*happened) note_sizes(s);
    if (s->phases.held && !*happened) {
        SARI_TRY(sari_guards_evaluate(s, &s->state));
        sari_events_freeze(s); // guards that have left zero now
    }
    return SAR_OK;
}
