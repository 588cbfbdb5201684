/* Steps. Time is t0 + k h; the last step lands on the end. Steps also land on the model's breakpoints,
 * where expressions of t may jump: such a step ends a few rounding errors before the time itself and so
 * sees the left side of the jump alone, the next one begins at it and sees the right side. With a fixed
 * step the time grid stays the same. */
#include "base/names.h"
#include "base/status.h"
#include "math/vector.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int sari_state_is_finite(const sar_simulation* s)
{
    double sum = 0.0;
    for (int i = 0; i < s->system->np; i++) sum += s->state.q[i];
    for (int i = 0; i < s->system->nq; i++) sum += s->state.v[i] + s->state.a[i];
    return isfinite(sum);
}

/* The same among events: on the grid of start + k h, or where one happens. No step is longer than h,
 * and as far as events are known none is shorter than half of it but the last before one. */
static double goal_among_events(const sar_simulation* s)
{
    const double t = s->state.t, h = s->options.step, start = s->options.start;
    const double stop = sari_events_stop(s), rounding = 1e-9;
    if (s->integrator->variable) return stop;
    double target = start + h * ceil((t - start) / h + 0.5 - rounding);
    if (stop < target + 0.5 * h) target = stop;
    return target - t > (1.0 + rounding) * h ? 0.5 * (t + target) : target;
}

/* Where the next step is to end, or at most. */
static double goal(const sar_simulation* s)
{
    if (sari_events_are_watched(s)) return goal_among_events(s);
    if (s->integrator->variable || s->step + 1 >= s->steps) return s->options.end;
    return s->options.start + (double)(s->step + 1) * s->options.step;
}

/* To an event that comes so soon that a step of the method would be all rounding: the time of an
 * event is not ours to choose. The error is of third order, in a step so short. */
static sar_status step_by_series(sar_simulation* s, double h)
{
    sari_state* x = &s->state;
    double* d = s->between.a;
    for (int i = 0; i < s->system->nq; i++) {
        d[i] = h * (x->v[i] + 0.5 * h * x->a[i]);
        x->v[i] += h * x->a[i];
        if (x->p != x->v) x->p[i] += h * x->pdot[i];
    }
    sari_coordinates_move(&s->system->coordinates, x->q, d, x->q);
    x->t += h;
    return SAR_OK;
}

void sari_move_by_series(const sar_simulation* s, const sari_state* x, double h, sari_state* out)
{
    sari_state_copy(out, x);
    for (int i = 0; i < s->system->nq; i++) {
        out->a[i] = h * (x->v[i] + 0.5 * h * x->a[i]);
        out->v[i] += h * x->a[i];
    }
    sari_coordinates_move(&s->system->coordinates, x->q, out->a, out->q);
    for (int i = 0; i < s->system->nq; i++) out->a[i] = x->a[i];
    out->t += h;
}

sar_status sari_step(sar_simulation* s, double h, sari_step_report* report)
{
    const double SHORT = 1e-4, SHORTEST = 2e-10; // of a usual step, and of the whole run
    const sar_options* o = &s->options;
    const int chooses = s->integrator->variable && s->integrator->dense; // steps of any length
    const double usual = chooses ? 0.0 : o->step;
    s->by_series =
        sari_events_are_watched(s) && h < fmax(SHORT * usual, SHORTEST * (o->end - o->start));
    if (s->by_series) return step_by_series(s, h);
    return s->integrator->step(s->integrator_self, &s->state, h, report);
}

/* Back to where the last step began. */
static sar_status go_back(sar_simulation* s)
{
    sari_state_copy(&s->state, &s->previous);
    s->form.ops->begin(s->form.self, NULL);
    if (s->integrator->start) return s->integrator->start(s->integrator_self, &s->state);
    return SAR_OK;
}

/* The first breakpoint on the way to `next`, or NaN. One that is there but for rounding counts. */
static double break_before(const sar_simulation* s, double next)
{
    const sar_model* model = s->model;
    if (model->breakpoints_count == 0) return NAN;
    double slack = 1e-9 * fmin(s->options.step, next - s->state.t);
    for (int k = 0; k < model->breakpoints_count; k++) {
        double b = model->breakpoints[k];
        if (b >= s->options.end - slack || b > next + slack) break;
        if (b > s->state.t + slack) return b;
    }
    return NAN;
}

static sar_status attempt(sar_simulation* s, sari_step_report* report)
{
    int breaks;
    const double planned = goal(s), rounding = 1e-9 * s->options.step;
    const double grid = s->horizon < planned - rounding ? s->horizon : planned;
    const double t = s->state.t, listed = break_before(s, grid);
    const double known = sari_time_functions_until(s, isnan(listed) ? grid : listed, &breaks);
    const double until = fmin(known, sari_resolution_limit(s));
    const double stop = breaks ? known : listed;
    const double next = !isnan(stop) && until >= stop
                            ? stop - 4.0 * DBL_EPSILON * fmax(fabs(stop), fabs(t))
                            : until;
    const double h = next - t;
    if ((!s->integrator->variable || s->statistics.steps == 0) && sari_explain_time(s, grid))
        return SAR_R_NO_CONV;
    s->on_grid = grid == planned && (isnan(stop) || fabs(stop - grid) <= rounding);
    sari_state_copy(&s->previous, &s->state);
    sari_ledger_step_begins(s);
    s->system->undefined.what = NULL;
    sar_status st = sari_step(s, h, report);
    s->statistics.iterations += report->iterations;
    s->statistics.rejected += report->rejected;
    s->statistics.correction_time += report->correction_time;
    s->statistics.projection_time += report->projection_time;
    s->statistics.correction = sari_max(s->statistics.correction, report->correction);
    if ((st == SAR_OK || st == SAR_R_NO_CONV) && !sari_state_is_finite(s)) st = SAR_R_NOT_FINITE;
    if (st == SAR_R_NO_CONV && s->options.best_effort && !s->integrator->variable) {
        report->unconverged = 1;
        st = SAR_OK;
    }
    if (st == SAR_OK && report->unconverged) s->statistics.not_converged++;
    if (st != SAR_OK) {
        sari_explain_step(s, st, h, report);
        sari_state_copy(&s->state, &s->previous);
        s->form.ops->begin(s->form.self, NULL);
        return st;
    }
    if (!s->integrator->variable || fabs(next - s->state.t) <= 1e-14 * fmax(fabs(next), fabs(t)))
        s->state.t = next;
    s->landed = s->state.t == next && until >= stop ? stop : NAN;
    return SAR_OK;
}

/* A step that sees all that acts in it. */
static sar_status attempt_seen(sar_simulation* s, sari_step_report* report)
{
    for (;;) {
        *report = (sari_step_report){0};
        SARI_TRY(attempt(s, report));
        if (sari_resolution_seen(s)) return SAR_OK;
        s->statistics.rejected++;
        SARI_TRY(go_back(s));
    }
}

/* ---- singular configurations that the drawing misses by its digits --------------------------- */

static void name_crossing(sar_simulation* s, const sari_crossing* found)
{
    const sari_system* sys = s->system;
    char* names = s->statistics.crossing_joints;
    double most = 0.0;
    names[0] = 0;
    for (int r = 0; r < sys->nc - sys->velocity_rows; r++) most = fmax(most, fabs(found->rows[r]));
    for (int r = 0; r < sys->nc - sys->velocity_rows; r++)
        if (fabs(found->rows[r]) >= 0.3 * most)
            sari_add_name(names, sizeof s->statistics.crossing_joints,
                          sari_equations_row_name(&sys->equations, r));
}

static void note_crossing(sar_simulation* s, const sari_crossing* found)
{
    sar_statistics* z = &s->statistics;
    if (found->missed) z->crossing_missed = fmax(z->crossing_missed, found->gap);
    if (found->missed && z->crossing_gap == 0.0) name_crossing(s, found);
    if (!found->corrected) return;
    if (found->gap > z->crossing_gap) {
        z->crossing_gap = found->gap;
        z->crossing_error = found->error;
        name_crossing(s, found);
    }
    z->crossings++;
}

/* Kinetic and potential energy of the state, with the system evaluated there. */
static sar_status total_energy(sar_simulation* s, double* kinetic, double* potential)
{
    const sari_state* x = &s->state;
    SARI_TRY(sari_evaluate(s, SARI_EVAL_DYNAMICS, "before a singular configuration"));
    *kinetic = sari_system_kinetic_energy(s->system, x->v);
    *potential = sari_system_potential_energy(s->system, x->t, x->q, x->v);
    return SAR_OK;
}

/* Constraints have changed by a gap, and so does the state: by the gap over a singular value that may be
 * small. The mechanism that was meant has had the same energy all the time, so velocities make up for
 * the change. */
static sar_status correct_crossing(sar_simulation* s)
{
    const double MOST = 1e-3; // of the kinetic energy
    const sari_system* sys = s->system;
    double kinetic, potential, now, after;
    SARI_TRY(total_energy(s, &kinetic, &potential));
    sari_crossings_project(s->crossings, &s->state);
    SARI_TRY(total_energy(s, &now, &after));
    const double wanted = kinetic + potential - after;
    const int keep = !sys->rheonomic && fabs(wanted - now) < MOST * now;
    const double factor = keep ? sqrt(wanted / now) : 1.0;
    for (int i = 0; i < sys->nq - sys->states; i++) s->state.v[i] *= factor;
    if (!keep) s->energy.work += now - wanted;
    s->energy.potential = after;
    sari_ledger_enter(s, SAR_ACCOUNT_CORRECTIONS,
                      factor * factor * now + after - kinetic - potential);
    s->form.ops->begin(s->form.self, NULL);
    return sari_start_afresh(s, "where the drawing was corrected");
}

/* Before a step, where the monitor sees one ahead. */
static sar_status meet_crossing(sar_simulation* s)
{
    double soon;
    sari_crossing found;
    const double rate = sari_monitor_approach(s->monitor, &soon);
    if (!(rate > 0.0)) return SAR_OK;
    if (sari_crossings_meet(s->crossings, &s->state, rate, soon, s->options.drawing * s->units.size,
                            &found))
        sari_monitor_expect(s->monitor);
    note_crossing(s, &found);
    if (found.corrected) return correct_crossing(s);
    return sari_evaluate(s, SARI_EVAL_DYNAMICS, "before a singular configuration");
}

/* After a step of a chart, which sees them within it: if the constraints are corrected, the step is to be
 * taken again. */
static sar_status check_crossing(sar_simulation* s, int* again)
{
    sari_dip dip;
    sari_crossing found = {0};
    *again = 0;
    if (s->by_series) return SAR_OK;
    for (int next = 0; !found.corrected && sari_passages_dip(s, &next, &dip);) {
        (void)sari_crossings_step(s->crossings, &s->previous, &s->state, &dip,
                                  s->options.drawing * s->units.size, &found);
        note_crossing(s, &found);
    }
    if (!found.corrected) return SAR_OK;
    *again = 1;
    SARI_TRY(go_back(s));
    return correct_crossing(s);
}

static sar_status attempt_through_crossings(sar_simulation* s, sari_step_report* report)
{
    enum { MOST = 8 }; // that one step may meet
    int again = s->crossings && s->passages;
    SARI_TRY(attempt_seen(s, report));
    for (int k = 0; k < MOST && again; k++) {
        SARI_TRY(check_crossing(s, &again));
        if (again) SARI_TRY(attempt_seen(s, report));
    }
    return SAR_OK;
}

/* A step, which ends where something happens if it does within it. */
static sar_status step_to_event(sar_simulation* s, sari_step_report* report)
{
    if (!sari_events_are_watched(s)) return attempt_through_crossings(s, report);
    for (int happened = 1; happened;) {
        double when;
        SARI_TRY(sari_events_begin(s));
        SARI_TRY(attempt_through_crossings(s, report));
        sar_status st = sari_events_look(s, &happened, &when);
        if (st == SAR_OK && !happened) break;
        if (st != SAR_OK && !s->failure[0])
            sari_explain_step(s, st, s->state.t - s->previous.t, report);
        SARI_TRY(go_back(s));
        if (st != SAR_OK) return st;
        if (isnan(when)) {
            SARI_TRY(sari_start_afresh(s, "on another branch of a force"));
            SARI_TRY(sari_events_again(s));
            continue;
        }
        s->phases.stop = when, s->phases.located = 1;
    }
    return SAR_OK;
}

/* Integrators that have both kinds of steps: when they were implicit. */
static void count_implicit(sar_simulation* s)
{
    sar_statistics* z = &s->statistics;
    if (!s->integrator->implicit || s->by_series) return;
    if (!s->integrator->implicit(s->integrator_self)) return;
    if (z->implicit_steps == 0) z->implicit_from = s->previous.t;
    if (z->implicit_steps == 0 || z->implicit_until != s->previous.t) z->implicit_spans++;
    z->implicit_steps++;
    z->implicit_until = s->state.t;
}

/* Before the step: the equations are those of the phase and breakpoint that hold now. */
static sar_status prepare_step(sar_simulation* s)
{
    if (s->looks_back) SARI_TRY(sar_simulation_look(s, INFINITY));
    const double t = s->state.t;
    if (s->at_breakpoint) sari_time_functions_pass(s);
    if (s->at_breakpoint && s->phases.held) sari_events_wait(s); // the branches after it
    if (sari_events_switch(s)) s->at_breakpoint = 0; // which begins the motion anew itself
    if (s->at_breakpoint) SARI_TRY(sari_drives_pass_break(s, t));
    if (s->at_breakpoint) SARI_TRY(sari_start_afresh(s, "after a breakpoint"));
    return s->crossings && !s->passages ? meet_crossing(s) : SAR_OK;
}

static void count_step(sar_simulation* s, const sari_step_report* report)
{
    sar_statistics* z = &s->statistics;
    s->step += s->on_grid;
    z->steps++;
    count_implicit(s);
    z->step = report->shortest > 0.0 ? report->shortest : s->state.t - s->previous.t;
    z->step_shortest = z->steps == 1 ? z->step : sari_min(z->step_shortest, z->step);
}

/* Energy and violations at the end of the step. The power is that of forces without a potential; NaN:
 * not known, since where branches are followed the state may yet change. */
static sar_status measure_step(sar_simulation* s, const sari_step_report* report, double* power)
{
    const sari_system* sys = s->system;
    const int open = sari_equations_open(&sys->equations);
    // a chart has evaluated forces there: what is measured is the rest
    const unsigned measured = s->passages ? SARI_EVAL_DYNAMICS & ~(unsigned)SARI_EVAL_FORCE
                                          : (unsigned)SARI_EVAL_DYNAMICS;
    *power = NAN;
    if (!report->evaluated || open)
        SARI_TRY(sari_evaluate(s, open ? SARI_EVAL_PHI : measured, "at the end of a step"));
    sari_observation_measure(&s->seen, sys->unforced || s->passages ? NULL : power);
    return SAR_OK;
}

static void watch_rank(sar_simulation* s)
{
    if (s->passages) {
        sari_passages_step(s);
    } else if (s->options.monitor) {
        sari_monitor_step(s->monitor, &s->state);
        if (sar_simulation_done(s)) sari_monitor_end(s->monitor, &s->state);
    }
}

/* Where a road jumps under a wheel its spring is another one at once: what that gives or takes is work, as where it jumps in
 * time. The step across is so short that nothing else changed. */
static double work_of_jump(sar_simulation* s)
{
    if (!sari_resolution_jumped(s)) return 0.0;
    const double work = sari_energy_balance(s) - s->balance_before;
    s->energy.work += work;
    return work;
}

/* One step. Its parts, and why in this order:
 *
 *     prepare      phases and breakpoints change the equations: before anything is evaluated
 *     step         the integrator, to the next event at most; rejected steps are repeated within
 *     measure      leaves the system evaluated at the new state, on which the next three rely
 *     slack        how inconsistent constraints change along the motion
 *     rank         singular configurations and branches; may move the system elsewhere, and returns it
 *     angles       revolutions are counted once, at a state that is accepted
 *     validity, integrals, jumps, kinks
 *                  what forces did within the step: they look back at its begin, and use the angles
 *     statistics   drift and violations, from all of the above
 *     growth, trust
 *                  last, since they may end the run, which then has everything of this step */
static sar_status advance(sar_simulation* s)
{
    SARI_TRY(prepare_step(s));
    sari_step_report report = {0};
    const long passes = s->passes.total;
    const double drift = s->statistics.energy_final_drift, kinetic = s->energy.kinetic;
    double power;
    s->balance_before = sari_energy_balance(s);
    s->work_before = s->energy.work;
    sari_sharing_begin(s);
    SARI_TRY(step_to_event(s, &report));
    const double h = s->state.t - s->previous.t;
    count_step(s, &report);
    SARI_TRY(measure_step(s, &report, &power));
    sari_contradictions_follow(s->contradictions);
    watch_rank(s);
    sari_commit_angles(s->system, &s->state);
    sari_validity_look(s, h);
    sari_integrals_step(s, h, power);
    const double jump = work_of_jump(s);
    sari_jumps_step(s);
    sari_kinks_step(s);
    sari_statistics_update(s);
    if (report.unconverged) sari_statistics_kept(s, drift, kinetic);
    if (sari_turn_due(s, s->statistics.steps) == 0) sari_turn_measure(s, h);
    sari_sharing_end(s);
    sari_ledger_step_ended(s);
    sari_ledger_move(s, SAR_ACCOUNT_INTEGRATOR, SAR_ACCOUNT_JUMPS, jump);
    if (!isnan(s->landed)) {
        s->state.t = s->landed;
        s->at_breakpoint = 1;
    }
    SARI_TRY(sari_growth_step(s));
    return sari_check_step(s, passes);
}

sar_status sar_simulation_advance(sar_simulation* s)
{
    if (!s->assembled || sar_simulation_done(s)) return SAR_E_ARG;
    return advance(s);
}
