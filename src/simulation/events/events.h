/* What happens in a run: phases, impacts, changes of sign, jumps, branches of expressions, functions of
 * time. */
#ifndef SARI_EVENTS_H
#define SARI_EVENTS_H

#include "simulation/simulation.h"

/* phases.c */
sar_status sari_switch_create(sar_simulation* s);
void sari_switches_archive(sar_simulation* s, sari_archive* a); ///< phases that have begun
/// A phase begins now.
sar_status sari_switch(sar_simulation* s, int phase);
/// From one set of rows to another, of the same bodies: positions and velocities are carried over
/// and projected. `prepare` is called before that; NULL: nothing is to be done.
sar_status sari_switch_to(sar_simulation* s, int configuration, void (*prepare)(sar_simulation* s));
/// Go on from a state that was changed: accelerations, forces, and all that looks on.
sar_status sari_switch_restart(sar_simulation* s);

/* impacts.c */
/// Distance from a bound that is none, in units of the model; rounding comes on top.
#define SARI_TOUCHES 1e-9
sar_status sari_bounds_create(sar_simulation* s);
void sari_bounds_archive(sar_simulation* s, sari_archive* a);
/// A run begins: the state is inside of all bounds, or the failure says what is not. Contacts that
/// are closed then close.
sar_status sari_bounds_start(sar_simulation* s);
/// Something is at its bound, or a contact opens.
sar_status sari_bounds_resolve(sar_simulation* s);
/// Bound k at any state: f, its rates and n are those there.
sari_bound* sari_bound_at(sar_simulation* s, int k, const sari_state* x);
/// How far it is from a bound; s->variables are those of a state.
double sari_bound_gap(sar_simulation* s, const sari_bound* b, int side);

/* events.c */
sar_status sari_events_create(sar_simulation* s);
void sari_phases_archive(sar_simulation* s, sari_archive* a); ///< and guards
/// Phases or bounds: is there anything in the model that comes and goes?
int sari_events_expected(const sar_model* model);
int sari_events_are_watched(const sar_simulation* s);
/// Wait for what comes next, at the present state.
void sari_events_wait(sar_simulation* s);
/// Let happen all that is due.
sar_status sari_events_begin(sar_simulation* s);
/// Where a step may end at most: the next event, as far as known, or the end.
double sari_events_stop(const sar_simulation* s);
/// Does a phase begin now, by the clock?
int sari_events_switch(const sar_simulation* s);
/// After a step from s->previous: has something happened in it? Then *when is its time. NaN: it began on the wrong branch of
/// a force, and is to be taken again on the other one.
sar_status sari_events_look(sar_simulation* s, int* happened, double* when);
/// That step is about to be taken again: what guards are where it begins.
sar_status sari_events_again(sar_simulation* s);
int sari_events_parts(const sar_simulation* s); ///< at whose ends it looks

/// Branches by the present signs, but for those that have none yet.
void sari_events_freeze(sar_simulation* s);

/* hosts.c: where a host takes the steps; s->state is that of the host, with accelerations */
int sari_events_indicators(const sar_simulation* s); ///< how many there are
sar_status sari_events_indicate(sar_simulation* s, double* z);
/// One of them after the last step, where the run takes its own.
double sari_events_last_indicator(const sar_simulation* s, int k);
sar_status sari_events_stepped(sar_simulation* s); ///< the host has accepted a step
/// Let happen what is due by the clock or by an indicator that is not positive. State and configuration may be others
/// afterwards.
sar_status sari_events_arrive(sar_simulation* s);

/* jumps.c */
enum { SARI_JUMP_TEXT = 320 };
sar_status sari_jumps_create(sar_simulation* s);
void sari_jumps_archive(sar_simulation* s, sari_archive* a);
void sari_jumps_start(sar_simulation* s);
void sari_growth_start(sar_simulation* s);
/// From s->previous to s->state. SAR_R_NOT_FINITE: the motion grows without bound, and s->failure says what
/// does.
sar_status sari_growth_step(sar_simulation* s);
/// Where a run fails: what moves much faster than before. 0: nothing does, or s->state is not the cause.
int sari_growth_told(sar_simulation* s, char* text, size_t size);
/// Name of the body that moves fastest at s->state, in sizes or radians; its speed [m/s], [rad/s].
const char* sari_fastest_body(sar_simulation* s, double* speed, double* spin);
void sari_jumps_step(sar_simulation* s); ///< from s->previous to s->state
/// Does a force jump in a step of h from s->previous? Then a sentence about it.
int sari_jumps_within(sar_simulation* s, double h, char* text, size_t size);
/// A sentence about the last jump of the run; 0: there was none.
int sari_jumps_text(const sar_simulation* s, char* text, size_t size);
long sari_jumps_total(const sar_simulation* s);

/* expression_branches.c: expressions of forces stay on their branches during a step */
sar_status sari_held_create(sar_simulation* s);
int sari_held_guards(const sar_simulation* s, int k); ///< of expression k; -1: there is none
const sari_expression* sari_held_expression(const sar_simulation* s, int k);
/// Is its force there?
int sari_held_present(const sar_simulation* s, int k);
/// Does one of its guards depend on time alone?
int sari_held_of_time(const sar_simulation* s, int k, int guard);
/// Of one guard; s->variables are those of a state, at which kinematics are.
double sari_held_guard(sar_simulation* s, int k, int guard);
void sari_held_freeze(sar_simulation* s); ///< all of them, at the state of s->variables
void sari_held_turn(sar_simulation* s, int k, int guard, int sign); ///< one, on this side of it
int sari_held_is_on_side(const sar_simulation* s, int k, int guard, int sign);
void sari_held_thaw(sar_simulation* s);
void sari_held_archive(sar_simulation* s, sari_archive* a);
/// It goes to and fro between two branches, on neither of which the motion goes on.
void sari_held_explain(const sar_simulation* s, int k, char* text, size_t size);

/* kinks.c */
sar_status sari_kinks_create(sar_simulation* s);
int sari_kinks_count(const sar_simulation* s); ///< forces that have some, where steps end at them
int sari_kinks_there(const sar_simulation* s); ///< the same, whether they do or not
/// Of force k of these, where the kinematics are; NaN: there is no such kink there.
double sari_kinks_value(const sar_simulation* s, int k, int which);
void sari_kinks_archive(sar_simulation* s, sari_archive* a);
void sari_kinks_start(sar_simulation* s); ///< a run begins
void sari_kinks_step(sar_simulation* s);  ///< after a step of given length: was something passed?

/* time_functions.c */
sar_status sari_time_functions_create(sar_simulation* s);
int sari_time_functions_count(const sar_simulation* s);
void sari_time_functions_archive(sar_simulation* s, sari_archive* a);
void sari_time_functions_start(sar_simulation* s); ///< a run begins at the present state
/// At a breakpoint: the next step begins a few rounding errors later where a function has another value
/// after the present time than at it.
void sari_time_functions_pass(sar_simulation* s);
/// Branches or inputs have changed: what is ahead may be other functions.
void sari_time_functions_forget(sar_simulation* s);
/// How far a step from the present state may lead, at most to `goal`. `*breaks`: there a function
/// changes its branch.
double sari_time_functions_until(sar_simulation* s, double goal, int* breaks);

/* drive_impacts.c */
int sari_drives_break(const sar_model* model); ///< may a drive jump?
/// After the breakpoint t, at which the state is but for rounding: velocities after an impact, where a drive's velocity jumps.
sar_status sari_drives_pass_break(sar_simulation* s, double t);

/* resolution.c */
sar_status sari_resolution_create(sar_simulation* s);
void sari_resolution_archive(sar_simulation* s, sari_archive* a);
void sari_resolution_start(sar_simulation* s); ///< a run begins
/// Has the step from s->previous to s->state seen all that expressions do in it? If not, the next
/// attempt ends at sari_resolution_limit at the latest.
bool sari_resolution_seen(sar_simulation* s);
double sari_resolution_limit(const sar_simulation* s);
/// Did that step cross a place where a road jumps?
bool sari_resolution_jumped(const sar_simulation* s);

#endif
