/* A run: create, assemble, advance. Time is t0 + k h; the last step lands on the end. Steps also
 * land on the model's breakpoints, where expressions of t may jump: such a step ends a few rounding
 * errors before the time itself and so sees the left side of the jump alone, the next one begins at
 * it and sees the right side. With a fixed step the time grid stays the same. */
#include "simulation/simulation.h"
#include "simulation/start/equilibrium.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/parallel.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/vec3.h"
#include "system/turns.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static sar_status make_room(sar_simulation* s, sar_error* error)
{
    const int variables = SARI_VARIABLE_SIGNAL + s->model->signals_count;
    s->values = SARI_TAKE(&s->memory, double, s->model->outputs_count);
    s->variables = SARI_TAKE(&s->memory, double, variables);
    s->gradient = SARI_TAKE(&s->memory, double, variables);
    s->on_X =
        SARI_TAKE(&s->memory, double, s->system->mechanism->nx * s->system->mechanism->bodies);
    int ok = !s->memory.failed &&
             sari_integrals_create(s->model, &s->memory, &s->integrals) == SAR_OK &&
             sari_jumps_create(s) == SAR_OK;
    s->integral = s->integrals.now;
    sari_observation_look_at_outputs(&s->seen);
    return ok ? SAR_OK : sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for the simulation");
}

static sar_status create(const sar_model* model, const sar_options* options, sar_simulation** out,
                         sar_error* error)
{
    sar_simulation* s = SARI_NEW(sar_simulation);
    if (!s) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    sari_units units = {0};
    sar_status st = sari_units_of(model, &units)
                        ? SAR_OK
                        : sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for the model");
    if (options->alpha > 0.0 && isfinite(options->alpha)) // a number for the user's units
        sari_units_keep(&units);
    if (st == SAR_OK) st = sari_observation_take(&s->seen, model, options, &units, error);
    if (st == SAR_OK) st = sari_configurations_create(s, error);
    if (st == SAR_OK) st = make_room(s, error);
    if (st != SAR_OK) {
        sar_simulation_destroy(s);
        return st;
    }
    // (end - start)/h steps; what is left over, beyond rounding, is one shorter step
    double ratio = (options->end - options->start) / options->step;
    s->steps = ratio < 1e15 ? (long)ceil(ratio - 1e-9 * fmax(1.0, ratio)) : (long)1e15;
    if (s->steps < 1) s->steps = 1;
    *out = s;
    return SAR_OK;
}

sar_status sar_simulation_create(const sar_model* model, const sar_options* given,
                                 sar_simulation** out, sar_error* error)
{
    sar_options chosen;
    sari_options_copy(given, &chosen);
    *out = NULL;
    if (sari_options_open(given)) SARI_TRY(sar_options_choose(&chosen, model, NULL, 0, error));
    sari_ledger* ledger = sari_ledger_create();
    if (!ledger) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    sari_ledger* before = sari_ledger_open(ledger);
    const sar_status st = create(model, &chosen, out, error);
    sari_ledger_open(before);
    if (st == SAR_OK)
        (*out)->ledger = ledger, (*out)->user_model = model,
        sari_options_copy(given, &(*out)->user_options);
    else
        sari_ledger_destroy(ledger);
    return st;
}

void sar_simulation_destroy(sar_simulation* s)
{
    if (!s) return;
    sari_ledger* ledger = s->ledger;
    sari_configurations_destroy(s);
    sari_observation_clear(&s->seen);
    sari_release(s);
    sari_ledger_destroy(ledger);
}

/* ---- what is measured after every step ------------------------------------------------------ */

/* How far a body turns in a step of h, where rules of order 2 step its axes: those that hold a
 * tolerance see what a turn costs. Now and then: it takes the velocities of all axes. */
long sari_turn_due(const sar_simulation* s, long steps)
{
    enum { INTERVAL = 16 };
    const sari_system* sys = s->system;
    if (sys->mechanism->dimension == 2 || sys->coordinates.ops->move) return LONG_MAX;
    if (s->integrator->variable || s->integrator->order > 2) return LONG_MAX;
    return (INTERVAL + 1 - steps % INTERVAL) % INTERVAL;
}

void sari_turn_measure(sar_simulation* s, double h)
{
    const sari_mechanism* m = s->system->mechanism;
    const sari_kinematics* k = s->system->kinematics;
    sari_kinematics_update(s->system->kinematics, s->state.q, s->state.v, 1);
    for (int b = 1; b < m->bodies; b++) {
        double w[3];
        sari_spin_of(m, k->X + m->nx * b, k->Xd + m->nx * b, w);
        s->statistics.turn = fmax(s->statistics.turn, fabs(h) * sari_norm3(w));
    }
}

/* The larger of two numbers, and the smaller one: in line, where fmax is a call. A second one that is no
 * number does not count. */
static double larger(double a, double b)
{
    return b > a ? b : a;
}

static double smaller(double a, double b)
{
    return b < a ? b : a;
}

static double balance(const sar_simulation* s)
{
    return s->energy.kinetic + s->energy.potential - s->energy.work;
}

/* Forces times a length of one, the model's: weights, and whatever else acts along the coordinates.
 * Violations of the constraints that are small beside the model have it do work. */
static double force_times_size(const sar_simulation* s)
{
    const sari_system* sys = s->system;
    const sar_model* model = s->model;
    double mass = 0.0, forces = 0.0;
    for (int b = 1; b < model->bodies_count; b++) mass += model->bodies[b].def.mass;
    for (int i = 0; i < sys->nq; i++) forces += fabs(sys->Q[i]);
    const double weight = mass * sari_norm3(model->gravity);
    return s->units.size * (isfinite(forces) ? fmax(weight, forces) : weight);
}

/* What the drift of energy is held against. */
static void measure_scale(sar_simulation* s)
{
    enum { INTERVAL = 16 };
    const double STATIC = 2e-4;
    sar_statistics* z = &s->statistics;
    const double potential = s->energy.potential;
    if (z->steps == 0) s->lowest = s->highest = potential;
    s->lowest = smaller(s->lowest, potential);
    s->highest = larger(s->highest, potential);
    const double moved = larger(s->highest - s->lowest, fabs(s->energy.work));
    z->energy_scale = larger(z->energy_scale, larger(z->kinetic_max, moved));
    if (z->steps % INTERVAL == 0) // it visits all bodies
        z->energy_scale = fmax(z->energy_scale, STATIC * force_times_size(s));
}

static void update_statistics(sar_simulation* s)
{
    sar_statistics* z = &s->statistics;
    double drift = balance(s) - z->energy_initial;
    z->energy_final_drift = drift;
    if (fabs(drift) > z->energy_max_drift) z->energy_worst_drift = drift;
    z->energy_max_drift = larger(z->energy_max_drift, fabs(drift));
    z->kinetic_max = larger(z->kinetic_max, s->energy.kinetic);
    measure_scale(s);
    z->violation.position = larger(z->violation.position, s->violation.position);
    z->violation.velocity = larger(z->violation.velocity, s->violation.velocity);
    z->violation.acceleration = larger(z->violation.acceleration, s->violation.acceleration);
}

/* A step that did not converge and was kept, since when the energy was off by `drift`. Where nearly
 * nothing moves, as in a dead centre, a part of what moves otherwise is the measure. */
static void measure_kept(sar_simulation* s, double drift, double kinetic)
{
    const double REST = 1e-2;
    sar_statistics* z = &s->statistics;
    const double motion = fmax(fmax(kinetic, s->energy.kinetic), REST * z->energy_scale);
    const double change = fabs(z->energy_final_drift - drift);
    if (change > z->kept_change * motion) z->kept_change = change / motion;
}

double sari_simulation_filter(const sar_simulation* s)
{
    return s->form.ops->filter ? s->form.ops->filter(s->form.self) : NAN;
}

static int finite_state(const sar_simulation* s)
{
    double sum = 0.0;
    for (int i = 0; i < s->system->np; i++) sum += s->state.q[i];
    for (int i = 0; i < s->system->nq; i++) sum += s->state.v[i] + s->state.a[i];
    return isfinite(sum);
}

/* The equations at the present state; what has no finite value there is named. */
static sar_status evaluate(sar_simulation* s, unsigned what, const char* where)
{
    const sari_state* x = &s->state;
    const sar_status st = sari_equations_eval(&s->system->equations, what, x->t, x->q, x->v);
    if (st != SAR_OK) sari_explain_start(s, st, where);
    return st;
}

/* ---- assembly ------------------------------------------------------------------------------- */

/* Where joints contradict each other by the digits of the drawing, the method has to know. */
static sar_status check_slack(sar_simulation* s, const sar_assembly* report)
{
    if (s->system->slack.count == 0 || sari_formulation_can(s->form.ops, SARI_FORM_SLACK))
        return SAR_OK;
    snprintf(s->failure, sizeof s->failure,
             "the drawing contradicts itself by %.2g m at %s: over-constrained joints with inexact "
             "positions. %s enforces all of them as drawn, which stops the mechanism or spoils its "
             "motion; use al3, which leaves such gaps open",
             report->gap, report->conflicts ? report->conflict[0].name : "some joint",
             s->form.ops->name);
    return SAR_E_ASSEMBLY;
}

sar_status sari_watch_start(sar_simulation* s)
{
    SARI_TRY(sari_monitor_start(s->monitor, &s->state, s->reactions));
    s->generic_rank = -1;
    if (s->crossings) sari_crossings_resume(s->crossings);
    if (s->passages) sari_passages_start(s);
    return SAR_OK;
}

/* Angles are counted on from where they are now. */
static void commit_angles(sari_system* sys, const sari_state* x)
{
    sari_kinematics_update(sys->kinematics, x->q, x->v, 0);
    sari_turns_commit(sys->kinematics, x->t);
}

static sar_status assemble(sar_simulation* s, sar_assembly* report)
{
    sar_assembly local;
    if (s->present != s->first) sari_configuration_enter(s, s->first);
    sari_system* sys = s->system;
    if (!report) report = &local;
    sari_held_thaw(s);
    s->phases.next = s->phases.begun = 0;
    s->phases.now = -1;
    s->state.t = s->options.start;
    if (sys->np > 0) { // nothing moves: no arrays
        memcpy(s->state.q, sys->coordinates.q0, (size_t)sys->np * sizeof(double));
        memcpy(s->state.v, sys->coordinates.v0, (size_t)sys->nq * sizeof(double));
    }
    sys->undefined.what = NULL;
    for (int k = 0; k < s->configurations; k++) {
        sari_crossings* of = k == s->present ? s->crossings : s->configuration[k].engine.crossings;
        if (of) sari_crossings_start(of);
    }
    sari_contradictions_destroy(s->contradictions);
    s->contradictions = NULL;
    const sari_assembly_task task = {s->state.t,
                                     !s->options.assemble,
                                     s->units.size,
                                     s->options.drawing,
                                     sari_norm3(s->units.origin) / s->units.length,
                                     s->options.equilibrium ? &s->equilibrium : NULL};
    s->equilibrium = (sar_equilibrium){0};
    const int threads = sys->threads;
    if (s->options.share < 0) sari_system_share(sys, 1); // whether cores are free is not known yet
    sar_status assembled =
        sari_assemble(sys, &task, s->state.q, s->state.v, &s->contradictions, report);
    sari_system_share(sys, threads);
    sari_assembly_in_user_units(&s->units, report);
    sari_equilibrium_in_user_units(&s->units, &s->equilibrium);
    if (assembled == SAR_E_ASSEMBLY && s->equilibrium.verdict == SAR_EQUILIBRIUM_NOT_FOUND) {
        sari_equilibrium_explain(&s->equilibrium, s->failure, sizeof s->failure);
        return assembled;
    }
    if (assembled != SAR_OK) {
        sari_explain_assembly(s, assembled, report);
        return assembled;
    }
    SARI_TRY(check_slack(s, report));
    commit_angles(sys, &s->state);
    sar_status st = sari_start_motion(s);
    if (st == SAR_OK && !finite_state(s)) st = SAR_R_NOT_FINITE;
    if (st != SAR_OK) {
        sari_explain_start(s, st, "at the start");
        return st;
    }
    if (s->integrator->start) SARI_TRY(s->integrator->start(s->integrator_self, &s->state));
    s->step = 0;
    sari_events_clear(&s->passes);
    sari_events_clear(&s->branches);
    s->at_breakpoint = 0;
    s->reactions_time = NAN;
    s->energy.work = 0.0;
    s->power = sari_system_power(sys, s->state.t, s->state.q, s->state.v, s->state.lambda, NULL);
    sari_integrals_start(s);
    sari_jumps_start(s);
    sari_growth_start(s);
    sari_time_functions_start(s);
    sari_kinks_start(s);
    sari_resolution_start(s);
    s->drive_jump = (sar_drive_jump){.t = NAN};
    sari_validity_start(s);
    memset(&s->statistics, 0, sizeof s->statistics);
    sari_pace_start(s);
    SARI_TRY(evaluate(s, SARI_EVAL_DYNAMICS, "at the start"));
    sari_observation_measure(&s->seen, NULL);
    s->violation_at_start = s->violation.position;
    s->statistics.energy_initial = balance(s);
    update_statistics(s);
    // who stops at singular positions, or may be somewhere else soon, has to know at once
    sari_monitor_be_patient(s->monitor, sari_formulation_can(s->form.ops, SARI_FORM_RANK_DROP) &&
                                            !sari_events_are_watched(s));
    SARI_TRY(sari_watch_start(s));
    sari_sharing_start(s);
    SARI_TRY(sari_bounds_start(s));
    sari_events_wait(s);
    s->assembled = 1;
    st = sari_check_singular_start(s, report);
    if (st != SAR_OK) s->assembled = 0;
    return st;
}

/* ---- steps ---------------------------------------------------------------------------------- */

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

static sar_status accelerate(void* s_)
{
    sar_simulation* s = s_;
    return s->form.ops->start(s->form.self, &s->state);
}

sar_status sari_start_motion(sar_simulation* s)
{
    SARI_TRY(sari_reactions_start(s->reactions, &s->state, accelerate, s));
    sari_state_copy(&s->begun, &s->state);
    return SAR_OK;
}

/* Forces that ask for reactions keep those of now until the step is done. */
static sar_status hand_on_reactions(sar_simulation* s)
{
    const sari_state* x = &s->state;
    double change;
    SARI_TRY(sari_reactions_hand_on(s->reactions, x, &change));
    if (change > 0.0) s->power = sari_system_power(s->system, x->t, x->q, x->v, x->lambda, NULL);
    return SAR_OK;
}

/* Go on from a breakpoint, or another change: forces, and with them accelerations and multipliers,
 * may have jumped. So may have the potential, by a road that drops under a tyre say: what that
 * gives or takes is work.
 */
sar_status sari_start_afresh(sar_simulation* s, const char* where)
{
    sari_state* x = &s->state;
    double before = s->energy.potential;
    s->at_breakpoint = 0;
    sar_status st = sari_start_motion(s);
    if (st == SAR_OK && s->integrator->start) st = s->integrator->start(s->integrator_self, x);
    if (st != SAR_OK) {
        sari_explain_start(s, st, where);
        return st;
    }
    s->energy.potential = sari_system_potential_energy(s->system, x->t, x->q, x->v);
    s->energy.work += s->energy.potential - before;
    s->power = sari_system_power(s->system, x->t, x->q, x->v, x->lambda, NULL);
    sari_integrals_resume(s);
    return SAR_OK;
}

static sar_status attempt(sar_simulation* s, sari_step_report* report)
{
    int breaks;
    const double grid = goal(s), t = s->state.t, listed = break_before(s, grid);
    const double known = sari_time_functions_until(s, isnan(listed) ? grid : listed, &breaks);
    const double until = fmin(known, sari_resolution_limit(s));
    const double stop = breaks ? known : listed;
    const double next = !isnan(stop) && until >= stop
                            ? stop - 4.0 * DBL_EPSILON * fmax(fabs(stop), fabs(t))
                            : until;
    const double h = next - t;
    if ((!s->integrator->variable || s->statistics.steps == 0) && sari_explain_time(s, grid))
        return SAR_R_NO_CONV;
    s->on_grid = isnan(stop) || fabs(stop - grid) <= 1e-9 * s->options.step;
    sari_state_copy(&s->previous, &s->state);
    s->system->undefined.what = NULL;
    sar_status st = sari_step(s, h, report);
    s->statistics.iterations += report->iterations;
    s->statistics.rejected += report->rejected;
    s->statistics.correction_time += report->correction_time;
    s->statistics.projection_time += report->projection_time;
    s->statistics.correction = larger(s->statistics.correction, report->correction);
    if ((st == SAR_OK || st == SAR_R_NO_CONV) && !finite_state(s)) st = SAR_R_NOT_FINITE;
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
    SARI_TRY(evaluate(s, SARI_EVAL_DYNAMICS, "before a singular position"));
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
    return evaluate(s, SARI_EVAL_DYNAMICS, "before a singular position");
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
        s->phases.stop = when;
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

/* Before the step: the equations are those of the phase, breakpoint and reactions that hold now. */
static sar_status prepare_step(sar_simulation* s)
{
    if (s->looks_back) SARI_TRY(sar_simulation_look(s, INFINITY));
    if (s->at_breakpoint && s->phases.held) sari_events_wait(s); // the branches after it
    if (sari_events_switch(s)) s->at_breakpoint = 0; // which begins the motion anew itself
    if (s->at_breakpoint) SARI_TRY(sari_drives_pass_break(s));
    SARI_TRY(s->at_breakpoint ? sari_start_afresh(s, "after a breakpoint") : hand_on_reactions(s));
    return s->crossings && !s->passages ? meet_crossing(s) : SAR_OK;
}

static void count_step(sar_simulation* s, const sari_step_report* report)
{
    sar_statistics* z = &s->statistics;
    s->step += s->on_grid;
    z->steps++;
    count_implicit(s);
    z->step = report->shortest > 0.0 ? report->shortest : s->state.t - s->previous.t;
    z->step_shortest = z->steps == 1 ? z->step : smaller(z->step_shortest, z->step);
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
        SARI_TRY(evaluate(s, open ? SARI_EVAL_PHI : measured, "at the end of a step"));
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

/* One step. Its parts, and why in this order:
 *
 *     prepare      phases and breakpoints change the equations, and reactions enter the forces: before
 *                  anything is evaluated
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
    s->balance_before = balance(s);
    s->work_before = s->energy.work;
    sari_sharing_begin(s);
    SARI_TRY(step_to_event(s, &report));
    const double h = s->state.t - s->previous.t;
    count_step(s, &report);
    SARI_TRY(measure_step(s, &report, &power));
    sari_contradictions_follow(s->contradictions);
    watch_rank(s);
    commit_angles(s->system, &s->state);
    sari_validity_look(s, h);
    sari_integrals_step(s, h, power);
    sari_jumps_step(s);
    sari_kinks_step(s);
    update_statistics(s);
    if (report.unconverged) measure_kept(s, drift, kinetic);
    if (sari_turn_due(s, s->statistics.steps) == 0) sari_turn_measure(s, h);
    sari_sharing_end(s);
    if (!isnan(s->landed)) {
        s->state.t = s->landed;
        s->at_breakpoint = 1;
    }
    SARI_TRY(sari_growth_step(s));
    return sari_check_step(s, passes);
}

/* What they allocate, if anything, belongs to the simulation. */
sar_status sar_simulation_assemble(sar_simulation* s, sar_assembly* report)
{
    sari_ledger* before = sari_ledger_open(s->ledger);
    const sar_status st = assemble(s, report);
    sari_ledger_open(before);
    return st;
}

sar_status sar_simulation_advance(sar_simulation* s)
{
    if (!s->assembled || sar_simulation_done(s)) return SAR_E_ARG;
    sari_ledger* before = sari_ledger_open(s->ledger);
    const sar_status st = advance(s);
    sari_ledger_open(before);
    return st;
}

int sar_simulation_done(const sar_simulation* s)
{
    const double t = s->looks_back ? s->between.t : s->state.t;
    return s->integrator->variable || sari_events_are_watched(s) ? t >= s->options.end
                                                                 : s->step >= s->steps;
}

double sar_simulation_time(const sar_simulation* s)
{
    return s->state.t;
}

const char* sar_simulation_failure(const sar_simulation* s)
{
    return s->failure;
}
