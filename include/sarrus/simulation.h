/// @file simulation.h
/// Run a model with a method: create, assemble, advance, observe.
#ifndef SARRUS_SIMULATION_H
#define SARRUS_SIMULATION_H

#include "sarrus/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- simulation ----------------------------------------------------------------------------- */

typedef struct sar_simulation sar_simulation;

/// Set up the equations of `model` for the chosen method. `model` must outlive the simulation and
/// must not change.
SAR_API sar_status sar_simulation_create(const sar_model* model, const sar_options* options,
                                         sar_simulation** out, sar_error* error);
SAR_API void sar_simulation_destroy(sar_simulation* s);

typedef enum sar_assembly_verdict {
    SAR_ASSEMBLED,
    SAR_ASSEMBLY_IMPOSSIBLE,    ///< the conditions contradict each other near the start
    SAR_ASSEMBLY_NOT_CONVERGED, ///< undecided within the iteration limit
    SAR_ASSEMBLY_AS_GIVEN, ///< not assembled (option `assemble`): the constraints may be violated
} sar_assembly_verdict;

/// The start that satisfies the constraints, redundant ones included, and the start conditions:
/// positions, then velocities, then accelerations and multipliers. With the option `assemble` 0
/// only the start conditions are satisfied, and `residual` is the violation of the constraints.
typedef struct sar_assembly {
    sar_assembly_verdict verdict;
    int level; ///< last level: 0: positions, 1: velocities
    int iterations;
    double moved;    ///< [m] largest displacement of a centre of mass from the drawing
    double residual; ///< largest remaining violation
    int conflicts;   ///< listed below, largest first
    struct {
        char name[64]; ///< joint, body or start condition
        double residual;
    } conflict[8];
    double turned;  ///< [rad] largest rotation of a body from the drawing
    int moved_body; ///< the body that moved farthest
    double gap;  ///< [m] largest contradiction between joints that remains, because it is below the
                 ///< precision of the drawing (option `drawing`); listed in `conflict`
    double size; ///< [m] the model's size: about the length of its longest body
    int singular; ///< 1: the start is a singular configuration: reactions there are not unique
    int branches; ///< number of motions that meet there; -1: not resolved
} sar_assembly;

/// SAR_OK, or SAR_E_ASSEMBLY with the verdict in `report` (may be NULL).
SAR_API sar_status sar_simulation_assemble(sar_simulation* s, sar_assembly* report);

typedef enum sar_equilibrium_verdict {
    SAR_EQUILIBRIUM_NOT_SOUGHT,
    SAR_EQUILIBRIUM_STABLE,
    SAR_EQUILIBRIUM_UNDETERMINED, ///< found; some motions meet neither force nor stiffness
    SAR_EQUILIBRIUM_UNSTABLE,     ///< found; some motions lead away from it
    SAR_EQUILIBRIUM_NOT_FOUND,
    SAR_EQUILIBRIUM_MARGINAL, ///< found; forces without a potential act, and some motion neither dies
                              ///< out nor grows: a little damping decides
    SAR_EQUILIBRIUM_SINGULAR, ///< found; several motions meet there, and stability is not looked at: each
                              ///< has modes of its own, see analysis.h
} sar_equilibrium_verdict;

/// The static equilibrium that a start was moved to (option `equilibrium`): applied forces at rest
/// and reactions are balanced.
typedef struct sar_equilibrium {
    sar_equilibrium_verdict verdict;
    int iterations;
    int coordinates, freedoms;  ///< and independent motions
    int unstable, undetermined; ///< how many of them are
    int marginal;  ///< how many vibrations neither die out nor grow, where that is asked
    double growth; ///< [1/s] of the fastest unstable motion, exp(growth t); 0: there is none
    double growth_frequency; ///< [Hz] at which it swings; 0: it does not
    int growing_body;        ///< that moves most in it
    double residual; ///< [N] unbalanced force, along a motion whose fastest body has the speed 1
    double moved;    ///< [m] largest displacement of a centre of mass from the assembled position
    double
        frequency;  ///< [Hz] lowest one of small undamped vibrations; infinite: there are none, or
                    ///< forces have no potential
    int moved_body; ///< the body that moved farthest
    char unstable_bodies[256],
        undetermined_bodies[256]; ///< names: those that take part in such motions
    char unbalanced_bodies[256];  ///< where none was found: those that are pushed
} sar_equilibrium;

/// How the last sar_simulation_assemble found its equilibrium; also where it did not.
SAR_API sar_equilibrium sar_simulation_equilibrium(const sar_simulation* s);

/// Take one step. Steps hit the end and the times of phases exactly. A phase starts with the next
/// call: until then observers show the state just before it.
/// SAR_OK; > 0: the step did not converge (the state is that of the last good step, unless
/// best_effort); < 0: stop.
SAR_API sar_status sar_simulation_advance(sar_simulation* s);
SAR_API int sar_simulation_done(const sar_simulation* s);
SAR_API double sar_simulation_time(const sar_simulation* s);

/// Set an input from the present time t0 on: value + rate (t - t0), until it is set again. Where
/// that is a jump or a kink the next step begins afresh, as at a breakpoint. Drives want inputs
/// without jumps. SAR_E_ARG: there is no such input, or the numbers are not finite.
SAR_API sar_status sar_simulation_set_input(sar_simulation* s, int input, double value,
                                            double rate);
/// Its present value; NaN: there is no such input.
SAR_API double sar_simulation_input(const sar_simulation* s, int input);

/// Take up to `count` steps. Before each of them the inputs are set to a row of `inputs` (NULL: they
/// stay), after it the time and the outputs are stored in a row of `t` and `outputs` (may be NULL).
/// *done (may be NULL): steps taken, fewer at the end and where one failed.
SAR_API sar_status sar_simulation_steps(sar_simulation* s, int count, const double* inputs,
                                        double* t, double* outputs, int* done);

/// One step with numbers in places that stay the same: for languages in which every argument of a
/// call costs time.
typedef struct sar_exchange {
    sar_simulation* simulation;
    const double* inputs; ///< of the step; NULL: they stay as they are
    double* t;            ///< after it
    double* outputs;      ///< likewise; NULL: not wanted
} sar_exchange;
/// As sar_simulation_advance.
SAR_API sar_status sar_exchange_step(const sar_exchange* e);

/// The whole state as a block of bytes: a simulation of the same model and options that is restored from
/// it, in another process, build or machine, goes on with the bits of this one, and has its outputs,
/// statistics and lists. With `block` NULL only *length is set: it grows with the lists. Nothing is
/// allocated. dopri5, bdf, ida and dop853-ida start afresh after it, as at a breakpoint, in this
/// simulation too; times within the last step are not to be had of ida then.
SAR_API sar_status sar_simulation_save(sar_simulation* s, void* block, size_t room, size_t* length,
                                       sar_error* error);
/// Back to a state of this simulation, or to that of another one of the same model and options. Nothing
/// is allocated, unless memory is needed that this one had no use for: other contacts were closed there,
/// say. Simulations are independent: each has all of its state. SAR_E_ARG: the block is damaged, or of
/// another model, options or version of the format, and nothing has changed.
SAR_API sar_status sar_simulation_restore(sar_simulation* s, const void* block, size_t length,
                                          sar_error* error);
/// A new simulation with that state: create and restore in one.
SAR_API sar_status sar_simulation_load(const sar_model* model, const sar_options* options,
                                       const void* block, size_t length, sar_simulation** out,
                                       sar_error* error);

/// Go on from another state at the present time: for every body but the ground seven numbers of
/// `poses` (position of its origin [m], quaternion w x y z) and six of `velocities` (of its origin
/// [m/s], angular [rad/s], world axes; NULL: at rest), in the order of the model. The nearest state
/// that satisfies the constraints is taken; *moved (may be NULL): how far a centre of mass is from
/// where it was wanted [m]. Allocates. SAR_E_ARG: not assembled, or a number is not finite, or a
/// quaternion is zero. SAR_E_ASSEMBLY: there is no such state; the simulation is where it was.
SAR_API sar_status sar_simulation_set_state(sar_simulation* s, const double* poses,
                                            const double* velocities, double* moved);

/// Why sar_simulation_advance failed: cause and remedy.
SAR_API const char* sar_simulation_failure(const sar_simulation* s);

/* ---- observation ---------------------------------------------------------------------------- */

/// Present values of the model's outputs, into values[sar_model_outputs].
SAR_API sar_status sar_simulation_outputs(sar_simulation* s, double* values);

/// The same at a time t within the last step: by the integrator's interpolation if it has one, else
/// linearly.
SAR_API sar_status sar_simulation_outputs_at(sar_simulation* s, double t, double* values);
/// Rates of the outputs there, for interpolation between samples. NaN for those that depend on
/// accelerations, reactions, energies or integrals, and for all within a step of an integrator that
/// does not interpolate.
SAR_API sar_status sar_simulation_rates_at(sar_simulation* s, double t, double* rates);

/// Let all observers show the mechanism at a time t within the last step, on its constraints, until
/// the next step begins or another time is looked at; INFINITY: at the end of the step again.
/// SAR_E_INCOMPAT: the integrator does not interpolate (see sar_member).
SAR_API sar_status sar_simulation_look(sar_simulation* s, double t);

/// Pose of a body: position of its frame's origin and unit quaternion (w, x, y, z), body to world.
SAR_API void sar_simulation_pose(const sar_simulation* s, sar_body_id body, double position[3],
                                 double quaternion[4]);
/// Velocity of the body frame's origin and angular velocity, world axes.
SAR_API void sar_simulation_velocity(const sar_simulation* s, sar_body_id body, double velocity[3],
                                     double angular[3]);
/// The same for the velocity v (one number per coordinate).
SAR_API void sar_simulation_velocity_along(const sar_simulation* s, const double* v,
                                           sar_body_id body, double velocity[3], double angular[3]);
/// Reaction of a joint on its end b, at b's point, in world axes.
SAR_API sar_status sar_simulation_reaction(sar_simulation* s, sar_joint_id joint, double force[3],
                                           double torque[3]);

/// What a force of the model exerts on a body at a point, sar_model_force_place, in world axes. Zero
/// while the joint on which it acts is not there.
SAR_API void sar_simulation_applied(sar_simulation* s, sar_force_id which, double force[3],
                                    double torque[3]);

/// Force or torque of a drive along the coordinate that it prescribes: positive if it pushes the
/// coordinate up: force times rate is its power. SAR_E_ARG: `joint` is not a drive.
SAR_API sar_status sar_simulation_drive_force(sar_simulation* s, sar_joint_id joint, double* force);

typedef struct sar_energy {
    double kinetic, potential; ///< gravity and springs; potential zero at y = 0 etc. [J]
    double work;               ///< of all other forces since the start (trapezoidal rule) [J]
} sar_energy;
SAR_API sar_energy sar_simulation_energy(const sar_simulation* s);

typedef struct sar_violation {
    double position, velocity, acceleration; ///< largest absolute row of Phi, dPhi/dt, d2Phi/dt2
} sar_violation;
SAR_API sar_violation sar_simulation_violation(const sar_simulation* s);

/// Multipliers with equations of motion, and their rates: one per constraint. Returns their number.
/// With the option `multipliers` of threefield; else 0 and NULL. The arrays belong to the simulation
/// and change with its steps.
SAR_API int sar_simulation_multipliers(const sar_simulation* s, const double** values,
                                       const double** rates);

/// Sizes and rank of the equations at the start.
typedef struct sar_rank {
    int coordinates, constraints;
    int rank;      ///< generic rank: that at almost all positions; -1: not assembled yet
    int dof;       ///< coordinates - rank; -1: not known
    int redundant; ///< redundant conditions of the joints, the same in all coordinates: more than
                   ///< constraints - rank where coordinates include joints; -1: not known
    int on_velocities; ///< constraints on velocities alone: positions have this many degrees of
                       ///< freedom more
} sar_rank;
SAR_API sar_rank sar_simulation_rank(const sar_simulation* s);

/// The elementary motions of a joint in the spanning tree. A ball has three coordinates: a rotation
/// vector.
typedef enum sar_tree_motion { SAR_TREE_TURN, SAR_TREE_SLIDE, SAR_TREE_BALL } sar_tree_motion;

/// A joint in relative coordinates: in the tree, or closed by constraints.
typedef struct sar_tree_joint {
    int joint;                 ///< of the model; -1: `body` has no joint, it floats
    int parent, body;          ///< in the tree: from this body to that; else -1
    int motions;               ///< number of free motions, in series
    sar_tree_motion motion[4]; ///< from `parent` to `body`
    int rows; ///< constraints that close it; in the tree those of a screw's advance, else 0
} sar_tree_joint;

/// Relative coordinates: the joints of the tree, parents before children, one for each body; then
/// all other present joints, couplings and drives included. Fills up to `max` and returns their
/// number; 0 in other coordinates.
SAR_API int sar_simulation_tree(const sar_simulation* s, sar_tree_joint* list, int max);

/// Names of the joints whose conditions are implied by other joints at the present position. Fills
/// up to `max` names (owned by the model) and returns their number; -1 if the model is too large
/// for the analysis.
SAR_API int sar_simulation_redundant_joints(sar_simulation* s, const char** names, int max);

/// Names of the joints whose reactions are not unique at the present position (statically
/// indeterminate): those in some state of self-stress. Otherwise as above.
SAR_API int sar_simulation_indeterminate_joints(sar_simulation* s, const char** names, int max);

/// One of the motions that meet at a position. Where branches cross, the space of admissible
/// velocities is larger than that of any branch.
typedef struct sar_branch {
    int dimension;       ///< degrees of freedom along it
    const double* basis; ///< dimension vectors of velocities, mass-orthonormal
    double
        share; ///< part of the admissible velocity along the branch, in the norm of kinetic energy.
               ///< 1: moves along it. NaN: at rest
    double eta; ///< component along `basis` when the branches, all of dimension 1, are a basis of
                ///< the admissible velocities; else NaN
} sar_branch;

/// Velocities that the constraints admit and those that they exclude, at a position
/// [gonzalez2016, (36)-(40)]. Vectors have `coordinates` numbers each. Norms and orthogonality
/// are those of the mass matrix.
typedef struct sar_subspaces {
    int coordinates, constraints;
    int rank;                      ///< singular values above tolerance times the largest
    int singular_values;           ///< min(coordinates, constraints)
    const double* singular_value;  ///< descending; of Phi_q with columns divided by the square root
                                   ///< of the diagonal of M
    int dof;                       ///< coordinates - rank: dimension of the admissible subspace
    const double* admissible;      ///< dof vectors: basis of { v : Phi_q v = 0 }, orthonormal
    const double* constrained;     ///< rank vectors: basis of its orthogonal complement
    const double* admissible_part; ///< of the present velocity: satisfies the constraints
    const double* constrained_part;               ///< the rest: a violation
    double admissible_energy, constrained_energy; ///< kinetic energy of these two [J]
    int singular; ///< some admissible velocity belongs to no motion (to second order)
    int branches; ///< number of motions that meet here; 1 in regular positions, 0 if no motion is
                  ///< possible, -1: not resolved
    const sar_branch* branch; ///< the one nearest to the present velocity comes first
} sar_subspaces;

enum { SAR_SUBSPACES_MAX = 600 }; ///< coordinates or constraints

/// Decompose the velocities at the present position. Singular values below `tolerance` (relative;
/// 0: 1e-6) count as zero: near a singular configuration, but not in it, 1e-4 or 1e-3 treats it as
/// singular. The arrays belong to the simulation and stay valid until the next call. SAR_E_ARG:
/// not assembled, or larger than SAR_SUBSPACES_MAX. SAR_R_SINGULAR: an admissible velocity
/// has no mass.
SAR_API sar_status sar_simulation_subspaces(sar_simulation* s, double tolerance,
                                            sar_subspaces* out);

/// Rates of the model's outputs at the present position for the velocity v; NaN for outputs that
/// depend on more than positions. SAR_E_ARG: v is NULL.
SAR_API sar_status sar_simulation_output_rates(sar_simulation* s, const double* v, double* rates);

/// Impulse of a joint on its end b, at b's point, in world axes.
typedef struct sar_impulse {
    int joint;
    double force[3];  ///< [N s]
    double torque[3]; ///< [N m s]
} sar_impulse;

/// A phase that has begun. Positions and velocities are projected onto the joints present from then
/// on, by the smallest change in the norm of the bodies' inertia: the impact of new joints is
/// perfectly plastic. Impulses of drives are included. Angular momenta are about the world origin.
typedef struct sar_switch {
    int phase;            ///< of the model, from 0
    double t;             ///< [s]
    double moved, turned; ///< largest correction of a centre of mass [m] and of a rotation [rad]
    int moved_body, turned_body; ///< whose; 0: none is moved
    int displaced; ///< 1: by more than the precision of the drawing, and the phase did not say `move`
    double kinetic_before, kinetic_after; ///< energy [J]: the difference is lost in the impact
    double potential_change;              ///< by the correction, and by springs added or removed
    double momentum_before[3], momentum_after[3]; ///< of all bodies [kg m/s]
    double angular_before[3], angular_after[3];   ///< [kg m^2/s]
    double impulse[3], angular_impulse[3];        ///< of the ground, through all joints
    int impulses;
    const sar_impulse* joint_impulse; ///< of every joint present after it
    sar_rank rank;                    ///< of the equations after it
} sar_switch;
/// Number of phases that have begun, a phase that repeats each time; the list has the first 4096 of
/// them at least. It belongs to the simulation.
SAR_API int sar_simulation_switches(const sar_simulation* s, const sar_switch** list);

/// A force that has left the range in which it is a model of what it is called: a bushing that is rotated by 90
/// degrees, a cylinder that stands on its end. Each is noted once, when that is first seen after a step.
typedef struct sar_note {
    const char* element; ///< its name; belongs to the simulation
    double t;            ///< [s]
    char text[240];      ///< "is rotated by 31 deg: ..."
} sar_note;
/// Fills the first `most` of them, in the order of time; returns how many there are.
SAR_API int sar_simulation_notes(const sar_simulation* s, sar_note* notes, int most);

/// What happens at a bound of a constraint.
typedef enum sar_impact_kind {
    SAR_IMPACT,
    SAR_IMPACTS_END, ///< infinitely many ever shorter rises end at this time; a contact closes
    SAR_CONTACT_CLOSES,
    SAR_CONTACT_OPENS
} sar_impact_kind;

typedef struct sar_impact {
    sar_impact_kind kind;
    int joint;                      ///< the constraint
    int upper;                      ///< 1: at its upper bound, 0: at its lower one
    double t;                       ///< [s]
    double rate_before, rate_after; ///< of its expression
    double impulse;                 ///< along its expression, positive where it pushes it up
} sar_impact;

/// The first ones, in order, and how many there were in all (`total` may be NULL). The list belongs
/// to the simulation.
SAR_API int sar_simulation_impacts(const sar_simulation* s, const sar_impact** list, long* total);
/// Sizes and rank of the equations after a phase of the model, at the present position; joints that
/// attach do so there.
SAR_API sar_status sar_simulation_phase_rank(sar_simulation* s, int phase, sar_rank* out);

/// A passage through a singular configuration, or a jump to another branch of motion.
typedef struct sar_event {
    double t;
    int rank;         ///< rank there
    char joints[192]; ///< names of the joints involved, separated by ", "
} sar_event;
/// The first events, in order of time; sar_statistics counts all of them.
SAR_API int sar_simulation_singular_passes(const sar_simulation* s, const sar_event** events);
SAR_API int sar_simulation_branch_changes(const sar_simulation* s, const sar_event** events);

/// Drives whose prescribed velocity jumped, not at one of the model's breakpoints: impacts, in which
/// the drive does work.
typedef struct sar_drive_jump {
    long count;           ///< of all of them in the run
    double t;             ///< time of the first [s]
    double before, after; ///< its prescribed rate there
    char drive[64];       ///< its name
} sar_drive_jump;
/// 1 if there was any.
SAR_API int sar_simulation_drive_jumps(const sar_simulation* s, sar_drive_jump* first);

/// Forces whose expression jumped within a step (conditions, signs, tables), not at a breakpoint.
typedef struct sar_jump {
    long count;     ///< of all jumps in the run
    double t;       ///< time of the first; NaN: there was none
    char force[64]; ///< name of the force
    int of_time;    ///< 1: it depends on time alone, so `breakpoints` would help
} sar_jump;
/// 1 if there was any.
SAR_API int sar_simulation_jumps(const sar_simulation* s, sar_jump* first);
/// Contacts, stops, cables ... that touched and came apart again within a step of given length, so that
/// they never acted: 1 if there was any. The steps are too long for them.
SAR_API int sar_simulation_passed(const sar_simulation* s, sar_jump* first);

typedef struct sar_statistics {
    long steps, rejected, iterations, not_converged;
    double energy_initial, energy_max_drift, energy_final_drift; ///< of kinetic + potential - work
    double energy_worst_drift; ///< the largest drift, with its sign
    double kinetic_max;        ///< largest kinetic energy
    double energy_scale; ///< scale of the drift: maximum of kinetic energy, range of potential
                         ///< energy, work done, and 2e-4 of forces times size; the last one
                         ///< keeps rounding at rest under load from raising an alarm
    double
        kept_change; ///< largest change of the energy balance in a step that did not converge and
                     ///< was kept, relative to its kinetic energy (or to 1e-2 energy_scale)
    sar_violation violation; ///< largest over the run
    double correction;       ///< largest last correction of a step
    double turn; ///< [rad] largest rotation of a body in one step, sampled every 16 steps; spatial
        ///< models in vector coordinates with fixed steps of order 2, whose error grows with its square
    double correction_time, projection_time; ///< [s], with the option `profile`
    double step;          ///< last step [s]; if it was subdivided, the shortest part
    double step_shortest; ///< of the run
    double alpha;         ///< penalty used, inf for none
    double
        filter;  ///< filter number of that penalty, NaN without one: below about 2 the reactions of
                 ///< a long chain do not converge in a few iterations
    int threads; ///< used in a step
    long violated; ///< steps whose violations exceed the limit, with best_effort
    double gap;    ///< [m] largest contradiction of joints that was left open, as it is below the
                   ///< drawing's precision; 0: none
    double
        crossing_gap; ///< [m] largest gap of the drawing in a singular configuration that is below
                      ///< the drawing's precision: the constraints are corrected by it; 0: none
    double crossing_error;  ///< [m] how well that gap is known
    double crossing_missed; ///< [m] largest such gap beyond that precision, though by less than 100
                            ///< times: the constraints are as drawn, and the motion depends on it
    long crossings;         ///< corrections in the run
    char crossing_joints[96];             ///< joints with the largest corrections
    long singular_passes, branch_changes; ///< number found; the lists may hold fewer
    long implicit_steps;                  ///< of `steps`, where forces are stiff; of integrators
                                          ///< that have both kinds (dop853-radau, dop853-ida)
    long implicit_spans;                  ///< how often steps became implicit
    double implicit_from, implicit_until; ///< [s] begin of the first such step, end of the last
    char solver[24];                      ///< the one `auto` chose
} sar_statistics;
SAR_API sar_statistics sar_simulation_statistics(const sar_simulation* s);

#ifdef __cplusplus
}
#endif
#endif
