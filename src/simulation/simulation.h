/* The running simulation, shared by the files of this folder. */
#ifndef SARI_SIMULATION_H
#define SARI_SIMULATION_H

#include "integrators/integrator.h"
#include "sarrus/energy.h"
#include "simulation/observation.h"
#include "simulation/sharing.h"
#include "simulation/singular/passage_list.h"

typedef struct sari_monitor sari_monitor;
typedef struct sari_subspaces sari_subspaces;
typedef struct sari_projector sari_projector;
typedef struct sari_jumps sari_jumps;
typedef struct sari_held sari_held;
typedef struct sari_kinks sari_kinks;
typedef struct sari_time_functions sari_time_functions;
typedef struct sari_resolution sari_resolution;
typedef struct sari_validity sari_validity;
typedef struct sari_contradictions sari_contradictions;
typedef struct sari_crossings sari_crossings;
typedef struct sari_passages sari_passages;

/// Steps of a reference run at least: where drives prescribe all, nothing else limits them.
enum { SARI_REFERENCE_STEPS = 100 };

/// The method of a run and its states: what changes with the set of joints.
#define SARI_ENGINE                                                                                \
    sari_formulation form;                                                                         \
    void* integrator_self;                                                                         \
    sari_state begun;    /* where the motion began, or began anew */                               \
    sari_state previous; /* before the last step */                                                \
    sari_state between;  /* at a time asked for within the last step */                            \
    sari_state aside;    /* for the ledger: a sample within the step */                            \
    sari_monitor* monitor;                                                                         \
    sari_projector* projector;           /* NULL without events */                                 \
    sari_subspaces* subspaces;           /* made when first asked for */                           \
    sari_contradictions* contradictions; /* NULL: all rows can be met */                           \
    sari_crossings* crossings;           /* NULL: not searched for */                              \
    sari_passages* passages;             /* NULL: the monitor searches for them */

typedef struct sari_engine {
    SARI_ENGINE
} sari_engine;

/// What a simulation has while the same joints are there.
typedef struct sari_configuration {
    sari_scene scene;
    sari_engine engine;
} sari_configuration;

/// What is waited for: a change of sign of some number g, see events.c.
typedef enum sari_guard_kind {
    SARI_GUARD_PHASE,   ///< its expression
    SARI_GUARD_BOUND,   ///< how far a condition is from a bound
    SARI_GUARD_CONTACT, ///< the force of a contact that is closed
    SARI_GUARD_BRANCH,  ///< of an expression of a force
    SARI_GUARD_KINK     ///< of a force itself
} sari_guard_kind;

typedef struct sari_guard {
    sari_guard_kind kind;
    int index,
        side;     ///< phase, bound and which of its two, or expression (force with kinks) and which
                  ///< of its guards
    int live;     ///< it is waited for now
    double value; ///< after the last step
    double zero;  ///< of the step that is examined; NaN: none
    double largest; ///< a branch: the largest value so far
    int sign;       ///< of `value`; 0: not known yet
    int leaves;     ///< it is at zero, and goes where `sign` says
    int due;        ///< it has happened
    double begin;   ///< its value after the last event
    int due_last;   ///< it had, the time before
    int turn;       ///< a branch: on which side it goes on
    int stuck;      ///< a branch: consecutive events without motion
} sari_guard;

/// How far the fastest body has come (growth.c).
typedef struct sari_growth {
    double t;          ///< when it was looked at last
    double path, pace; ///< until then, and there, in sizes and radians
    int doublings;     ///< the path is shorter than 2^this
    double at[7];      ///< when the last doublings were
} sari_growth;

/// Where a run is among the phases of its model, and what else it waits for.
typedef struct sari_phases {
    int next;    ///< the phase that is waited for, of those that do not repeat
    int now;     ///< the phase that begins
    int watched; ///< there are phases or bounds
    double stop; ///< when something happens, as far as that is known, else infinite
    int located; ///< it was found within a step, which is done again up to there
    sari_guard* guard;
    sari_guard* before;          ///< what they were before the step that is examined
    int guards, repeating, held; ///< held: how many are of expressions of forces
    int kinks;                   ///< likewise of forces themselves
    double* sample;              ///< values of guards within a step
    long at_once;                ///< events since time went on
    double at;                   ///< that time
    char* set;                   ///< joints and forces after a phase
    sar_switch* done;
    int begun, capacity;
    sar_impulse* impulse; ///< for each of `done`: one for each joint of the model
    sar_end* place;       ///< per joint that attaches: where it did
    double* distance;
    double *X, *Xd, *w;         ///< the bodies before a change: nx, nx and 3 each
    double *X_after, *Xd_after; ///< and after it
    double* change;             ///< of Xd
    double* states;             ///< of forces: their numbers of q, then of v
} sari_phases;

/// A condition on positions with bounds, see impacts.c.
typedef struct sari_bound {
    int joint;
    int closed; ///< -1: it is held at its lower bound, 1: at its upper, 0: free
    int side;   ///< likewise: where it is
    int struck, candidate;
    double f, rate, acceleration;
    double touch;  ///< so near to a bound it is at it: a small part of the size, and rounding
    double moving; ///< sum of the sizes of what its rate is the sum of
    double rate_before, impulse;
    double *n, *w; ///< df/dq, and the change of v by a unit impulse along it
} sari_bound;

typedef struct sari_bounds {
    sari_bound* at;
    int count;
    char* set;
    double no_force;          ///< contacts that pull by less stay closed
    int coordinates;          ///< for which there is room in n and w
    double *A, *b, *z, *room; ///< which candidates push: linalg/lcp.h
    int *basis, *index;
    sar_impact* impact;
    int noted, capacity;
    long total, impacts;
} sari_bounds;

/// Outputs that are integrals over time, see integrals.c. Arrays have a number per output.
typedef struct sari_integrals {
    int count;            ///< how many outputs are
    double *now, *before; ///< at the ends of the last step
    double *slope, *slope_before;
    double *over, *over_before;   ///< what they are integrals over, if not time
    double *within, *over_within; ///< at places of the last step; of the second during a step alone
} sari_integrals;

/// Lobatto's rule on [0, 1]; the ends are places too.
enum { SARI_QUADRATURE = 8 };
typedef struct sari_quadrature {
    int count;
    double at[SARI_QUADRATURE], weight[SARI_QUADRATURE];
} sari_quadrature;
/// For an integrator of this order whose states within a step are known.
const sari_quadrature* sari_quadrature_of(int order);

/// All numbers below are in the units of `model`; the functions of sarrus/simulation.h convert.
struct sar_simulation {
    union {
        sari_observation seen;
        struct {
            SARI_OBSERVATION
        };
    };
    union {
        sari_engine engine;
        struct {
            SARI_ENGINE
        };
    };
    const sari_integrator_ops* integrator;
    const sar_model* user_model; ///< of which it was created
    int smooth_start; ///< see sari_assembly_task; set by who wants it, before it is assembled
    uint64_t model_print, options_print; ///< fingerprints, for states that are saved
    sari_configuration* configuration;  ///< all of them; the present one is in `scene` and `engine`
    int configurations, present, first; ///< first: that of the start
    int prepared;                       ///< how many were made before the run
    int configurations_capacity;        ///< more are made when contacts close, up to that
    sari_event_list passes, branches;   ///< of all configurations
    int generic_rank;                   ///< where the monitor's is too low, at a singular start
    sari_phases phases;
    sari_bounds bounds;
    int by_series;               ///< the last step was one by Taylor's series
    sar_equilibrium equilibrium; ///< of the start
    sari_sharing sharing;
    long step, steps;  ///< done and in all
    int on_grid;       ///< the last step ended at a multiple of the step
    double landed;     ///< breakpoint at which it ended, or NaN
    double horizon;    ///< steps end there at the latest (sar_simulation_advance_to); else infinite
    int at_breakpoint; ///< it ended there: the next one starts afresh

    double power;
    sar_statistics statistics;
    int looks_back; ///< `state` is one within the last step, and `between` that at its end
    sar_energy end_energy;
    sar_violation end_violation;        ///< there
    double balance_before, work_before; ///< energies at the begin of the last step

    double violation_at_start; ///< of positions
    double lowest, highest;    ///< potential energy
    double* gradient;          ///< of an output by its variables
    double* values;            ///< of outputs, for interpolation
    sari_integrals integrals;
    sari_jumps* jumps;
    sari_growth growth;
    sari_held* held;
    sari_kinks* kinks;
    sari_time_functions* time_functions;
    sari_resolution* resolution;
    int drives_break; ///< some drive has branches of time
    sar_drive_jump drive_jump;
    sari_validity* validity;
    struct {
        long steps;
        double t;             ///< some steps ago
        double pace;          ///< mean step of the best such part of the run
        int slow;             ///< parts that were slow, up to now
        long rejected, jumps; ///< before these,
        double since;         ///< and when they began
    } mark;                   ///< by which crawling is seen
};

/* simulation.c */
/// Of a model that differs from another's by a little, with the options and in the units of that one. Unless it `runs` it is
/// assembled and asked alone, and nothing is made that looks for singular configurations.
sar_status sari_simulation_create_alike(const sar_model* model, const sar_simulation* other,
                                        int runs, sar_simulation** out, sar_error* error);
void sari_count_steps(sar_simulation* s); ///< from start, end and step of its options

/* run.c */
/// Is the time t still to come? What differs by rounding has come.
int sari_is_before(const sar_simulation* s, double t);
/// One step of sar_simulation_advance_to.
sar_status sari_step_towards(sar_simulation* s, double t);

/* configuration.c */
sar_status sari_configurations_create(sar_simulation* s, sar_error* error);
void sari_configurations_destroy(sar_simulation* s);
void sari_configuration_enter(sar_simulation* s, int configuration);
/// The one with these joints and forces; -1: there is none.
int sari_configuration_find(const sar_simulation* s, const char* set);
/// The same; where not all sets of closed contacts were made before the run, it is made now.
int sari_configuration_make(sar_simulation* s, const char* set);
void sari_configurations_archive(sar_simulation* s, sari_archive* a);

/* units.c */
void sari_switch_in_user_units(const sari_units* u, sar_switch* out, sar_impulse* impulse);
void sari_assembly_in_user_units(const sari_units* u, sar_assembly* report);
void sari_equilibrium_in_user_units(const sari_units* u, sar_equilibrium* report);

/* methods.c */
/// What stands for a preset that earlier versions had, or NULL.

/* automatic.c */
int sari_options_open(const sar_options* o); ///< is something left to the model?

/* options.c */
/// Do two runs of a model have the same options? The same number on every machine.
uint64_t sari_options_fingerprint(const sar_options* o);
/// A copy with zeros in all bytes without a meaning: behind texts and between fields.
void sari_options_copy(const sar_options* from, sar_options* to);

/* contradictions.c */
/// For rows whose gradient is below `tolerance`. The functions below are for the last evaluated
/// position (Phi, Phi_q).
sar_status sari_contradictions_create(sari_system* sys, double tolerance,
                                      sari_contradictions** out);
/// How many combinations of rows there are such.
int sari_contradictions_count(sari_contradictions* c);
/// How far one of them, taken at random, is from being redundant: the larger of its residual and of
/// its gradient. Rounding, if the mechanism is exact.
double sari_contradictions_probe(sari_contradictions* c);
/// A motion, of size one, that nothing else holds.
void sari_contradictions_weak_motion(sari_contradictions* c, double* dq);
/// They become the system's slack.
sar_status sari_contradictions_find(sari_contradictions* c);
/// After a step; the system is evaluated there.
void sari_contradictions_follow(sari_contradictions* c);
void sari_contradictions_destroy(sari_contradictions* c); ///< before its system
/// With the slack of its system; NULL: there is none.
void sari_contradictions_archive(sari_contradictions** of, sari_system* sys, sari_archive* a);

/* crossings.c */
/// A singular configuration and what the drawing misses it by.
typedef struct sari_crossing {
    double gap, error;  ///< as a length, and how well it is known; 0: none
    int corrected;      ///< it is within the drawing's precision and taken out of Phi
    int missed;         ///< it is beyond that, though not by far
    const double* rows; ///< the same as residuals, until the next search
} sari_crossing;
/// Where a step came near to a singular configuration, by the log of a product of singular values.
typedef struct sari_dip {
    double highest, lowest; ///< in the step
    int inside;             ///< the lowest is between `from` and `to`
    double from, to;
    double rate,
        soon; ///< else by how much it falls at the end; and the time that may be extrapolated
} sari_dip;
sar_status sari_crossings_create(sari_system* sys, sari_crossings** out);
/// A run begins: nothing is known.
void sari_crossings_start(sari_crossings* c);
/// It begins, or goes on after a change; the system is evaluated there (Phi_q, M).
void sari_crossings_resume(sari_crossings* c);
/// From a state at which the measure falls by `rate` a second, with the motion extrapolated for `soon` [s]:
/// find the singular configuration ahead, and take the gap out of Phi if it is known and below the precision.
/// Returns whether there is such a configuration. The system is left evaluated elsewhere.
int sari_crossings_meet(sari_crossings* c, const sari_state* now, double rate, double soon,
                        double precision, sari_crossing* found);
/// The same after a step, which is then to be taken again from `before`.
int sari_crossings_step(sari_crossings* c, const sari_state* before, const sari_state* after,
                        const sari_dip* dip, double precision, sari_crossing* found);
/// Positions and velocities to the constraints as they are corrected.
void sari_crossings_project(sari_crossings* c, sari_state* x);
void sari_crossings_archive(sari_crossings* c, sari_archive* a);
void sari_crossings_destroy(sari_crossings* c); ///< before its system

/* passages.c */
sari_passages* sari_passages_create(const sari_system* system);
void sari_passages_destroy(sari_passages* p);
/// Follows that of the list.
void sari_passages_archive(sari_passages* p, sari_event_list* passes, sari_archive* a);
/// A run begins. A start in a singular configuration is the first passage.
void sari_passages_start(sar_simulation* s);
/// After an accepted step. The system is left evaluated elsewhere.
void sari_passages_step(sar_simulation* s);
/// Those of the step that was just taken, one after the other, from *next = 0; 0: there are no more.
int sari_passages_dip(sar_simulation* s, int* next, sari_dip* dip);

/* assembly.c */
typedef struct sari_assembly_task {
    double t;
    int as_given;   ///< satisfy the start conditions only, and measure the constraints
    double unit;    ///< size of the bodies in the system's units
    double drawing; ///< precision of the drawing, in parts of that
    int smooth;     ///< the start is a smooth function of the drawing, see inexact_drawing.c
    double away;    ///< how far from the origin it was drawn, for rounding
    sar_equilibrium* equilibrium; ///< positions are moved to one, and this says how; NULL: not
} sari_assembly_task;
/// From q and v as drawn. Where gaps are left open, report->gap is the largest and *found what is
/// not held; `found` may be NULL.
sar_status sari_assemble(sari_system* system, const sari_assembly_task* task, double* q, double* v,
                         sari_contradictions** found, sar_assembly* report);

/* projection.c */
sar_status sari_projector_create(sari_system* system, sari_projector** out);
void sari_projector_destroy(sari_projector* p);
/// From q, the position nearest to the placement X that satisfies the constraints at t.
/// SAR_E_ASSEMBLY: none was found.
sar_status sari_project_position(sari_projector* p, double t, const double* X, double* q);
/// At q, the velocities nearest to the motion Xd of the bodies that satisfy the constraints; from
/// v, which counts where there is no mass.
sar_status sari_project_velocity(sari_projector* p, double t, const double* q, const double* Xd,
                                 double* v);
void sari_projector_archive(sari_projector* p, sari_archive* a);
/// The residual of positions that rounding leaves.
void sari_projector_allow(sari_projector* p, double rounding);
/// At q: the change dv of velocities by an impulse n on the constrained system.
sar_status sari_projector_prepare(sari_projector* p, double t, const double* q);
void sari_projector_response(sari_projector* p, const double* n, double* dv);
/// At a state: what follows are accelerations by the forces that the system was evaluated with last.
sar_status sari_projector_evaluate(sari_projector* p, const sari_state* x);
void sari_projector_accelerations(sari_projector* p, double* a);
double sari_projector_residual(const sari_projector* p, int* row); ///< the largest, and whose

/* simulation.c */
/// Accelerations and multipliers at the present state.
sar_status sari_start_motion(sar_simulation* s);
/// Singular configurations are searched for from here on.
sar_status sari_watch_start(sar_simulation* s);
/// Go on from where forces changed at once.
sar_status sari_start_afresh(sar_simulation* s, const char* where);
/// The equations at the present state; what has no finite value there is named.
sar_status sari_evaluate(sar_simulation* s, unsigned what, const char* where);
int sari_state_is_finite(const sar_simulation* s);
/// Angles are counted on from where they are now.
void sari_commit_angles(sari_system* sys, const sari_state* x);

/* statistics.c */
double sari_energy_balance(const sar_simulation* s);
void sari_statistics_update(sar_simulation* s);
void sari_statistics_scale(sar_simulation* s); ///< what the drift of energy is compared with
/// A step that did not converge and was kept, since when the energy was off by `drift`.
void sari_statistics_kept(sar_simulation* s, double drift, double kinetic);
/// How far bodies rotate in a step is measured now and then: after so many more than `steps`.
long sari_turn_due(const sar_simulation* s, long steps);
void sari_turn_measure(sar_simulation* s, double h);
/// The state h after x, by Taylor's series, into `out`.
void sari_move_by_series(const sar_simulation* s, const sari_state* x, double h, sari_state* out);
/// A step of length h; short ones, between events, by Taylor's series.
sar_status sari_step(sar_simulation* s, double h, sari_step_report* report);

/* explain.c: why it does not go on, into s->failure */
/// In the words of the method, or of what has no value, if there are any.
int sari_explained(sar_simulation* s, sar_status st);
void sari_explain_assembly(sar_simulation* s, sar_status st, const sar_assembly* report);
/// No accelerations, from where a run or a part of it begins.
void sari_explain_start(sar_simulation* s, sar_status st, const char* where);
/// The step of h from s->previous.
void sari_explain_step(sar_simulation* s, sar_status st, double h, const sari_step_report* report);
/// A penalty that is too small for the model: 1, and what to do about it.
int sari_filter_advice(const sar_simulation* s, char* text, size_t size);
/// Too many steps for too little.
void sari_explain_crawl(sar_simulation* s, long steps, double progress);
/// Is the time too coarse for a step to `next`? Then s->failure says so.
int sari_explain_time(sar_simulation* s, double next);
/// Steps have become so short that the time does not go on.
void sari_explain_rest(sar_simulation* s);

/// The outputs as if the simulation were at x. (observe.c)
sar_status sari_outputs_of(sar_simulation* s, const sari_state* x, double* values);
/// The outputs where all coordinates differ by `part` from those of the present state, in units of
/// the model's size and of angles, and velocities by this part of the largest. (observe.c)
sar_status sari_outputs_nearby(sar_simulation* s, double part, double* values);

/* trust.c */
/// After a step that was taken; `passes_before`: singular passes known before it.
sar_status sari_check_step(sar_simulation* s, long passes_before);
void sari_pace_start(sar_simulation* s); ///< a run begins: it has no pace yet
/// Largest violation of positions that the run may show, in parts of the model's size.
double sari_violation_limit(const sar_simulation* s);

/* singular_start.c */
/// Is the start singular, and does its velocity follow one of the motions that meet there?
sar_status sari_check_singular_start(sar_simulation* s, sar_assembly* report);
/// At rest where several motions meet: which they are, into s->failure. 0: it is not that.
int sari_explain_ambiguous(sar_simulation* s);

/* monitor.c */
/// Events are added to the lists, which must stay where they are.
sar_status sari_monitor_create(sari_system* system, sari_event_list* passes,
                               sari_event_list* branches, sari_monitor** out);
void sari_monitor_archive(sari_monitor* m, sari_reactions* joints, sari_archive* a);
void sari_monitor_destroy(sari_monitor* m);
/// A run begins. Patient: what is at a minimum may be found some steps later, a little in each.
void sari_monitor_defer_search(sari_monitor* m, int patient);
/// All that is being searched for is found. The system is evaluated at `now` before, and Phi_q after it.
void sari_monitor_finish(sari_monitor* m, const sari_state* now);
/// The system is evaluated at the start (Phi_q, M).
sar_status sari_monitor_start(sari_monitor* m, const sari_state* s, sari_reactions* joints);
/// After an accepted step; the system is evaluated at `now` (Phi_q, M).
void sari_monitor_step(sari_monitor* m, const sari_state* now);
/// The run is over: what is in its last step. The system is evaluated as above.
void sari_monitor_end(sari_monitor* m, const sari_state* now);
int sari_monitor_rank(const sari_monitor* m);
/// How fast the measure falls, as a singular configuration may come near; asked again, 0 until it is
/// much nearer. The motion can be predicted `soon` [s]: no body turns far until then.
double sari_monitor_approach(sari_monitor* m, double* soon);
void sari_monitor_expect(sari_monitor* m); ///< it is known where; do not say so again

/* reactions_in_forces.c */
/// For the joints of `r`; *out is NULL where no force asks for reactions.
sar_status sari_coupling_create(sari_reactions* r, sari_coupling** out);
/// Forces of the system act with the reactions that they and it cause, wherever they are evaluated.
sar_status sari_coupling_couple(sari_coupling* c);
/// The same at one state, whose accelerations `accelerate` finds from the forces. NULL: that alone.
sar_status sari_coupling_solve(sari_coupling* c, const sari_state* at,
                               sar_status (*accelerate)(void* self), void* self);
void sari_coupling_forget(sari_coupling* c); ///< forces are others at the same state
void sari_coupling_destroy(sari_coupling* c);

/* reactions.c */
/// `form`: what moves it, or NULL.
sar_status sari_reactions_create(sari_system* system, const sari_formulation* form,
                                 sari_reactions** out);
void sari_reactions_destroy(sari_reactions* r);
/// All joint reactions at a state.
sar_status sari_reactions_solve(sari_reactions* r, const sari_state* s);
/// The same for impulses: the bodies at X have changed their motion by `change`, of Xd.
sar_status sari_reactions_impulse(sari_reactions* r, const double* X, const double* change);
/// Of all joints on all bodies, about the origin: what comes from the ground.
void sari_reactions_sum(const sari_reactions* r, double force[3], double torque[3]);
void sari_reaction(const sari_reactions* r, int joint, double force[3], double torque[3]);
/// Generalised force of a drive along the coordinate that it prescribes.
double sari_reaction_along(const sari_reactions* r, int joint);
/// Joints with conditions that repeat those of earlier joints at the placement X; -1 when too large
/// to analyse. `slack`: so many at least, where a drawing with finite digits leaves them so nearly.
int sari_reactions_redundant(sari_reactions* r, const double* X, int slack, const char** names,
                             int most);
/// Joints that take part in states of self-stress, W' mu = 0, at X: their reactions are not unique.
/// -1 as above.
int sari_reactions_indeterminate(sari_reactions* r, const double* X, int slack, const char** names,
                                 int most);
/// All that the joints demand of their bodies, in any coordinates.
int sari_reactions_conditions(const sari_reactions* r);
/// Joints that carry the `drop` weakest self-stress states at X, as text.
void sari_reactions_weakest(sari_reactions* r, const double* X, int drop, char* text, size_t size);

/* observe.c */
/// Sizes, degrees of freedom and redundancy from the rank of Phi_q; -1: not known.
sar_rank sari_rank(const sari_system* system, int conditions, int rank);

/* energy_ledger.c: all do nothing without a ledger */
sar_status sari_ledger_create(sar_simulation* s);
void sari_ledger_start(sar_simulation* s); ///< a run begins
void sari_ledger_step_begins(
    sar_simulation* s); ///< at `state`; an attempt, maybe the last one again
void sari_ledger_step_ended(sar_simulation* s); ///< it was accepted
/// `state` was changed between steps, by something that added this energy.
void sari_ledger_enter(sar_simulation* s, sar_account_kind kind, double energy);
/// What is one kind of change is another.
void sari_ledger_move(sar_simulation* s, sar_account_kind from, sar_account_kind to, double energy);
/// What it shows is at x, a state of the last step; NULL: at its end.
void sari_ledger_sample(sar_simulation* s, const sari_state* x);
void sari_ledger_archive(sar_simulation* s, sari_archive* a);

/* integrals.c: work, and outputs that are integrals */
sar_status sari_integrals_create(const sar_model* model, sari_arena* memory, sari_integrals* out);
void sari_integrals_archive(sar_simulation* s, sari_archive* a);
void sari_integrals_start(sar_simulation* s);  ///< from zero
void sari_integrals_resume(sar_simulation* s); ///< from where they are, after a jump
/// The state is that after the step, `power` that of what has no potential; NaN: not known.
void sari_integrals_step(sar_simulation* s, double h, double power);
/// Put those at a time within the last step among the values of the outputs.
void sari_integrals_at(const sar_simulation* s, double t, double* values);

/* sharing.c */
void sari_sharing_start(sar_simulation* s); ///< of a run, or of a phase
void sari_sharing_begin(sar_simulation* s); ///< of a step
void sari_sharing_end(sar_simulation* s);

/* inputs.c */
void sari_inputs_archive(sar_simulation* s, sari_archive* a);

/* validity.c */
sar_status sari_validity_create(sar_simulation* s);
void sari_validity_archive(sar_simulation* s, sari_archive* a);
void sari_validity_start(sar_simulation* s);          ///< a run begins
void sari_validity_look(sar_simulation* s, double h); ///< after a step

/* subspaces.c */
void sari_subspaces_destroy(sari_subspaces* p);
/// Names of the bodies that move in a motion without mass, which the joints allow at the present
/// state, and whether forces depend on it. 0: there is none, or the model is too large to search for it.
int sari_massless_bodies(sar_simulation* s, char* names, size_t size, int* held);
/// Bodies that move along v: how many, and their names.
int sari_name_moving(const sar_simulation* s, const double* v, char* names, size_t size);

/* branches.c */
enum { SARI_BRANCHES_MOST = 16, SARI_BRANCHES_DOF = 24 };
/// Motions through a position, as subspaces of its `dof` admissible velocities.
typedef struct sari_branches {
    int count;      ///< -1: not resolved
    int singular;   ///< there is more than permanent redundancy
    int* dimension; ///< [SARI_BRANCHES_MOST]
    double* basis;  ///< per branch: [dof][dof], rows are orthonormal coefficients
} sari_branches;
/// `admissible`: dof vectors v with Phi_q v = 0; `stress`: count vectors u with Phi_q' u = 0 (they
/// are changed). The system is evaluated anew.
sar_status sari_branches_find(sari_system* sys, double t, const double* q, int dof,
                              const double* admissible, int stresses, double* stress,
                              double tolerance, sari_branches* out);

/// Filter number of the penalty in use, NaN without one.
double sari_simulation_filter(const sar_simulation* s);

#endif
