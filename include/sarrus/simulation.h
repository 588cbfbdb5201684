/// @file simulation.h
/// Run a model with a method: options, create, assemble, advance, observe.
#ifndef SARRUS_SIMULATION_H
#define SARRUS_SIMULATION_H

#include "sarrus/model.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- options -------------------------------------------------------------------------------- */

/// Every number a method can be given, once: field, type, default, the word for the default
/// ("auto", "none", or "" if it is a number like any other), minimum, maximum, who has it, unit,
/// text. Expanded to the struct, its defaults, its checks, the command-line options, the model's
/// `method:` keys and the manual. The option's name is the field's with '-' for '_'. `who` is
/// "run", or "axis:member member ...".
#define SAR_OPTION_LIST(X) SAR_USER_OPTIONS(X) SAR_STUDY_OPTIONS(X)

/// Options that a user may need.
#define SAR_USER_OPTIONS(X)                                                                        \
    X(start, double, 0.0, "", -1e300, 1e300, "run", "s", "time at the start")                      \
    X(end, double, 10.0, "", -1e300, 1e300, "run", "s", "time at the end")                         \
    X(step, double, 1e-3, "", 1e-15, 1e300, "run", "s",                                            \
      "step size; the first one where the integrator chooses them")                                \
    X(sample, double, 0.0, "auto", 0.0, 1e300, "run", "s",                                         \
      "interval of the output rows, interpolated between steps (with --all: at the next step); "   \
      "auto: every step, thinned above 10 000 rows")                                               \
    X(best_effort, int, 0, "", 0, 1, "run", "",                                                    \
      "go on when a step does not converge, and count such steps")                                 \
    X(assemble, int, 1, "", 0, 1, "run", "",                                                       \
      "start on the constraints; 0: as given by drawing and start conditions, with their "         \
      "violations")                                                                                \
    X(drawing, double, 1e-6, "", 0.0, 0.1, "run", "",                                              \
      "precision of the drawing, relative to its size: contradictions of joints and gaps at "      \
      "singular positions below it are errors of the drawing, not of the mechanism")               \
    X(violation, double, 0.0, "auto", 0.0, 1e300, "run", "",                                       \
      "largest allowed violation of constraints, relative to the model's size; auto: 1e-6 with "   \
      "al3, 1e-4 with threefield, 1e-2 where constraints are stabilised")                          \
    X(monitor, int, 1, "", 0, 1, "run", "",                                                        \
      "look for singular positions and branch changes; 0: do not, so that no step takes longer "   \
      "for it")                                                                                    \
    X(threads, int, 0, "auto", 0, 1024, "run", "",                                                 \
      "maximum number of threads per step; auto: the machine's cores")                             \
    X(profile, int, 0, "", 0, 1, "run", "",                                                        \
      "measure the time spent on corrections and projections")                                     \
    X(alpha, double, 0.0, "auto", 0.0, INFINITY, "formulation:al3 al1 penalty hamiltonian", "",    \
      "penalty factor; auto: chosen from the inertia; inf: the limit without a penalty (al3)")     \
    X(penalty_ratio, double, 0.0, "auto", 0.0, 1e300, "formulation:al3", "",                       \
      "alpha beta h^2, the penalty in units of the inertia; auto: 1e6, more for long chains and "  \
      "stiff springs")                                                                             \
    X(omega, double, -1.0, "auto", -1.0, 1e300, "formulation:al1 penalty hamiltonian", "1/s",      \
      "stabilisation frequency; 0: none; auto: the formulation's own")                             \
    X(xi, double, -1.0, "auto", -1.0, 1e300, "formulation:al1 penalty hamiltonian", "",            \
      "stabilisation damping ratio; auto: the formulation's own")                                  \
    X(updates, int, 2, "", 1, 1000, "formulation:al1 hamiltonian", "",                             \
      "multiplier updates per evaluation")                                                         \
    X(project, int, -1, "auto", -1, 1, "formulation:al1 penalty nullspace", "",                    \
      "project positions and velocities to the constraints after every step; auto: if omega is 0 " \
      "(nullspace: no)")                                                                           \
    X(rho, double, 0.0, "auto", 0.0, 1e300, "formulation:threefield", "",                          \
      "penalty of a constraint in units of its mass; auto: 100 to 1e4, by the softest motion")     \
    X(sweeps, int, -1, "auto", -1, 10, "formulation:threefield", "",                               \
      "velocity projections after a step; auto: one (none with compose 4)")                        \
    X(multipliers, int, 0, "", 0, 1, "formulation:threefield", "",                                 \
      "integrate the constraints' own equations of motion, for --all")                             \
    X(index, int, 3, "", 2, 3, "formulation:dae", "",                                              \
      "index of the equations; 3: constraints on positions; 2: stabilised, on velocities too")     \
    X(newton_tolerance, double, 0.0, "auto", 0.0, 1e300,                                           \
      "integrator:trapezoidal newmark trapezoidal-variable trapezoidal-fixed-point own "           \
      "own-variable",                                                                              \
      "",                                                                                          \
      "stop when the 2-norm of a correction falls below this; auto: 1e-9, 1e-10 with constraints " \
      "on velocities (own: 1e-8, 1e-10 with such constraints or without sweeps, for violations "   \
      "too)")                                                                                      \
    X(iterations, int, 20, "", 1, 1000,                                                            \
      "integrator:trapezoidal newmark trapezoidal-variable trapezoidal-fixed-point own "           \
      "own-variable",                                                                              \
      "", "maximum number of iterations per step")                                                 \
    X(fixed_iterations, int, 0, "none", 0, 1000, "integrator:trapezoidal newmark", "",             \
      "exactly this many iterations per step, converged or not; none: until they converge")        \
    X(compose, int, 2, "", 2, 4, "integrator:own", "",                                             \
      "order of the step: 2, or 4 by composition of three steps (conservative systems)")           \
    X(beta, double, 0.25, "", 1e-3, 0.5, "integrator:newmark", "", "Newmark's beta")               \
    X(gamma, double, 0.5, "", 0.5, 1.0, "integrator:newmark", "", "Newmark's gamma")               \
    X(tolerance, double, 1e-6, "", 1e-15, 1.0,                                                     \
      "integrator:trapezoidal-variable own-variable dopri5 bdf ida", "",                           \
      "relative error allowed per step")                                                           \
    X(absolute_tolerance, double, 0.0, "auto", 0.0, 1e300,                                         \
      "integrator:trapezoidal-variable own-variable dopri5 bdf ida", "",                           \
      "error allowed in coordinates and speeds near zero; auto: the same number as tolerance")     \
    X(step_min, double, 0.0, "auto", 0.0, 1e300,                                                   \
      "integrator:trapezoidal-variable own own-variable", "s",                                     \
      "minimum step size, taken whatever the error; auto: no limit (own: a run that needs a "      \
      "shorter one ends; auto: step/10000)")                                                       \
    X(step_max, double, 0.0, "none", 0.0, 1e300,                                                   \
      "integrator:trapezoidal-variable own-variable dopri5 bdf ida", "s",                          \
      "maximum step size; none: no limit")                                                         \
    X(max_order, int, 5, "", 1, 5, "integrator:ida", "", "maximum order of the formulas")

/// Options that only studies of the methods need; not in the programs' help.
#define SAR_STUDY_OPTIONS(X)                                                                       \
    X(share, int, -1, "auto", -1, 1, "run", "",                                                    \
      "let threads share every step (1) or none (0); auto: where it is faster")                    \
    X(projections, int, 1, "", 1, 10, "formulation:al3", "",                                       \
      "passes of the velocity and acceleration projections")                                       \
    X(rescue, int, 1, "", 0, 1, "formulation:al3 threefield", "",                                  \
      "finish steps that converge slowly in the limit without a penalty, and project with fresh "  \
      "matrices; 0: neither, as published")                                                        \
    X(tangent_life, int, 1, "", 0, 1000, "formulation:al3", "",                                    \
      "corrections that share a tangent; 1: Newton-Raphson; 0: as long as corrections fall "       \
      "quickly (modified Newton)")                                                                 \
    X(geometric, int, -1, "auto", -1, 1, "formulation:al3 threefield", "",                         \
      "geometric stiffness of the constraints in the tangent; auto: where it helps")               \
    X(reset, double, 1e6, "", 0.0, 1e300, "formulation:hamiltonian", "",                           \
      "restart the multipliers sigma from zero when one exceeds this; 0: never")                   \
    X(rho_cap, double, 0.0, "auto", 0.0, 1e300, "formulation:threefield", "",                      \
      "maximum penalty that adapt may choose; auto: ten times rho")                                \
    X(adapt, int, 1, "", 0, 1, "formulation:threefield", "",                                       \
      "raise the penalty of constraints that converge slowly")                                     \
    X(mass_factor, double, 1.0, "", 0.0, 1e300, "formulation:threefield", "",                      \
      "factor of the masses of the constraints")                                                   \
    X(rattle, int, 0, "", 0, 1, "formulation:threefield", "",                                      \
      "reactions act along the constraints at both ends of a step instead of its middle: "         \
      "symplectic, but not for singular positions")                                                \
    X(warm_start, int, 1, "", 0, 1, "formulation:threefield", "",                                  \
      "begin a step with the reactions of the last one; 0: with none")                             \
    X(accept_tolerance, double, 0.0, "auto", 0.0, 1e300, "formulation:threefield", "",             \
      "near singular positions accept the best iterate below this, and count it; auto: 1e-5")

typedef struct sar_options {
    char coordinates[24]; ///< "natural", "cartesian", "increments", "relative"
    char formulation[24]; ///< "al3", "al1", "penalty", ...
    char integrator[24];  ///< "trapezoidal", "rk4", ...
    char solver[24];      ///< "auto", "dense", "sparse", "dca"
#define SAR_OPTION_FIELD(field, type, preset, word, least, most, who, unit, text) type field;
    SAR_OPTION_LIST(SAR_OPTION_FIELD)
#undef SAR_OPTION_FIELD
    uint64_t given; ///< bit k: the k-th of the list was set by sar_options_set
} sar_options;

SAR_API sar_options sar_options_default(void);

/// Set an option, an axis (`coordinates`, ...) or `preset` by name from text. Unknown names,
/// members and values out of range give SAR_E_ARG with the nearest valid word.
SAR_API sar_status sar_options_set(sar_options* options, const char* name, const char* text,
                                   sar_error* error);

/// A tolerance asks for steps that are chosen: where one was set and the integrator takes fixed
/// steps, the same rule with a variable step takes its place, if there is one.
SAR_API void sar_options_settle(sar_options* options);

/// Do the four choices fit together, and does the method have every option that was given?
SAR_API sar_status sar_options_check(const sar_options* options, sar_error* error);

/* ---- simulation ----------------------------------------------------------------------------- */

typedef struct sar_simulation sar_simulation;

/// Compile `model` into equations with the chosen method. `model` must outlive the simulation and
/// not change.
SAR_API sar_status sar_simulation_create(const sar_model* model, const sar_options* options,
                                         sar_simulation** out, sar_error* error);
SAR_API void sar_simulation_destroy(sar_simulation* s);

typedef enum sar_assembly_verdict {
    SAR_ASSEMBLED,
    SAR_ASSEMBLY_IMPOSSIBLE,    ///< the conditions contradict each other near the start
    SAR_ASSEMBLY_NOT_CONVERGED, ///< no verdict within the iterations
    SAR_ASSEMBLY_AS_GIVEN, ///< not asked for (option `assemble`): the constraints may be violated
} sar_assembly_verdict;

/// Finds a start that satisfies the constraints, redundant ones included, and the start conditions:
/// positions, then velocities, then accelerations and multipliers. With the option `assemble` 0
/// only the start conditions are satisfied, and `residual` is the violation of the constraints.
typedef struct sar_assembly {
    sar_assembly_verdict verdict;
    int level; ///< 0: positions, 1: velocities: where it ended
    int iterations;
    double moved;    ///< [m] how far a body's centre of mass is from where it was drawn
    double residual; ///< largest violation left
    int conflicts;   ///< listed below, largest first
    struct {
        char name[64]; ///< joint, body or start condition
        double residual;
    } conflict[8];
    double turned;  ///< [rad] how far a body is turned from how it was drawn
    int moved_body; ///< the body that moved farthest
    double gap; ///< [m] largest contradiction between joints that is left open, because it is below
                ///< the precision of the drawing (option `drawing`); listed in `conflict`
    double size;  ///< [m] the model's size: about the length of its longest body
    int singular; ///< 1: the start is a singular position: reactions there are not unique
    int branches; ///< motions that meet there, -1: they could not be told apart
} sar_assembly;

/// SAR_OK, or SAR_E_ASSEMBLY with the verdict in `report` (may be NULL).
SAR_API sar_status sar_simulation_assemble(sar_simulation* s, sar_assembly* report);

/// One step; the last one lands on the end exactly, and so does one on the time of a phase. The
/// phase itself begins with the next call: until then everything is seen as it is just before.
/// SAR_OK; > 0: the step did not converge (the state is that of the last good step, unless
/// best_effort); < 0: stop.
SAR_API sar_status sar_simulation_advance(sar_simulation* s);
SAR_API int sar_simulation_done(const sar_simulation* s);
SAR_API double sar_simulation_time(const sar_simulation* s);

/// What happened when sar_simulation_advance failed, in words: cause and remedy.
SAR_API const char* sar_simulation_failure(const sar_simulation* s);

/* ---- observation ---------------------------------------------------------------------------- */

/// Values of the model's outputs now, into values[sar_model_outputs].
SAR_API sar_status sar_simulation_outputs(sar_simulation* s, double* values);

/// The same at a time t within the last step: by the integrator's own interpolation if it has one,
/// else linearly between the step's ends.
SAR_API sar_status sar_simulation_outputs_at(sar_simulation* s, double t, double* values);

/// Pose of a body: position of its frame's origin and unit quaternion (w, x, y, z), body to world.
SAR_API void sar_simulation_pose(const sar_simulation* s, sar_body_id body, double position[3],
                                 double quaternion[4]);
/// Velocity of the body frame's origin and angular velocity, world axes.
SAR_API void sar_simulation_velocity(const sar_simulation* s, sar_body_id body, double velocity[3],
                                     double angular[3]);
/// The same if the velocity were v (as many numbers as coordinates).
SAR_API void sar_simulation_velocity_along(const sar_simulation* s, const double* v,
                                           sar_body_id body, double velocity[3], double angular[3]);
/// Reaction of a joint on its end b, at b's point, in world axes.
SAR_API sar_status sar_simulation_reaction(sar_simulation* s, sar_joint_id joint, double force[3],
                                           double torque[3]);

/// Force or torque of a drive along the coordinate that it prescribes: positive where it pushes the
/// coordinate up, so that force times rate is its power. SAR_E_ARG: `joint` is not a drive.
SAR_API sar_status sar_simulation_drive_force(sar_simulation* s, sar_joint_id joint, double* force);

typedef struct sar_energy {
    double kinetic, potential; ///< gravity and springs; potential zero at y = 0 etc. [J]
    double work;               ///< done since the start by everything else (trapezoidal rule) [J]
} sar_energy;
SAR_API sar_energy sar_simulation_energy(const sar_simulation* s);

typedef struct sar_violation {
    double position, velocity, acceleration; ///< largest absolute row of Phi, dPhi/dt, d2Phi/dt2
} sar_violation;
SAR_API sar_violation sar_simulation_violation(const sar_simulation* s);

/// Multipliers that follow equations of motion of their own, and their rates: one for every
/// constraint, as many as sar_simulation_rank counts. With the option `multipliers` of threefield;
/// else 0 and NULL. They belong to the simulation and change with its steps.
SAR_API int sar_simulation_multipliers(const sar_simulation* s, const double** values,
                                       const double** rates);

/// Sizes and rank of the equations at the start.
typedef struct sar_rank {
    int coordinates, constraints;
    int rank;          ///< generic rank: what it is at almost all positions; -1: not assembled yet
    int dof;           ///< coordinates - rank; -1: not known
    int redundant;     ///< conditions of the joints that others imply, the same in all coordinates:
                       ///< more than constraints - rank where coordinates build joints in; -1
    int on_velocities; ///< constraints that hold velocities alone: positions have as many freedoms
                       ///< more
} sar_rank;
SAR_API sar_rank sar_simulation_rank(const sar_simulation* s);

/// What a joint of the spanning tree is made of. A ball counts as three coordinates: it moves by
/// rotation vectors.
typedef enum sar_tree_motion { SAR_TREE_TURN, SAR_TREE_SLIDE, SAR_TREE_BALL } sar_tree_motion;

/// A joint in relative coordinates: in the tree, or closed by constraints.
typedef struct sar_tree_joint {
    int joint;                 ///< of the model; -1: nothing holds `body`, it floats
    int parent, body;          ///< in the tree: from which body to which; else -1
    int motions;               ///< that it leaves free, each after the one before
    sar_tree_motion motion[4]; ///< from `parent` to `body`
    int rows; ///< constraints that close it; in the tree those of a screw's advance, else 0
} sar_tree_joint;

/// Relative coordinates: the joints of the tree, parents before children, one for each body; then
/// all others that are there now, couplings and drives included. Fills up to `most` and returns how
/// many there are; 0 in other coordinates.
SAR_API int sar_simulation_tree(const sar_simulation* s, sar_tree_joint* list, int most);

/// Names of the joints whose conditions repeat, at the present position, what other joints already
/// demand. Fills up to `most` names (owned by the model) and returns how many there are; -1 when
/// the model is too large for the analysis.
SAR_API int sar_simulation_redundant_joints(sar_simulation* s, const char** names, int most);

/// Names of the joints whose reactions are not unique at the present position (statically
/// indeterminate): those that take part in some state of self-stress. Otherwise as above.
SAR_API int sar_simulation_indeterminate_joints(sar_simulation* s, const char** names, int most);

/// One of the motions that meet in a position. Where branches cross, the admissible velocities are
/// more than those of any one of them.
typedef struct sar_branch {
    int dimension;       ///< degrees of freedom along it
    const double* basis; ///< dimension vectors of velocities, mass-orthonormal
    double share; ///< of the admissible velocity: norm of its projection on the branch by its own
                  ///< norm, in the sense of kinetic energy. 1: moves along it. NaN: at rest
    double eta;   ///< component along `basis` when the branches, all of dimension 1, are a basis of
                  ///< the admissible velocities; else NaN
} sar_branch;

/// Velocities that the constraints admit and those that they exclude, at a position
/// [gonzalez2016, (36)-(40)]. Vectors have `coordinates` numbers each. Norms and right angles are
/// those of the mass matrix.
typedef struct sar_subspaces {
    int coordinates, constraints;
    int rank;                      ///< singular values above tolerance times the largest
    int singular_values;           ///< min(coordinates, constraints)
    const double* singular_value;  ///< descending; of Phi_q with columns divided by the square root
                                   ///< of the diagonal of M
    int dof;                       ///< coordinates - rank: dimension of the admissible subspace
    const double* admissible;      ///< dof vectors: basis of { v : Phi_q v = 0 }, orthonormal
    const double* constrained;     ///< rank vectors: basis of its orthogonal complement
    const double* admissible_part; ///< of the present velocity: what agrees with the constraints
    const double* constrained_part;               ///< the rest: a violation
    double admissible_energy, constrained_energy; ///< kinetic energy of these two [J]
    int singular; ///< some admissible velocity belongs to no motion (to second order)
    int branches; ///< how many motions meet here; 1 in regular positions, 0 if none can leave, -1
                  ///< if they could not be told apart
    const sar_branch* branch; ///< the one that the present velocity follows best comes first
} sar_subspaces;

enum { SAR_SUBSPACES_MOST = 600 }; ///< coordinates or constraints

/// Decompose the velocities at the present position. `tolerance` (relative; 0: 1e-6) says which
/// singular values count as zero: near a singular position, but not in it, 1e-4 or 1e-3 treats it
/// as singular. The arrays belong to the simulation and stay valid until the next call. SAR_E_ARG:
/// not assembled, or larger than SAR_SUBSPACES_MOST. SAR_R_SINGULAR: an admissible velocity
/// has no mass.
SAR_API sar_status sar_simulation_subspaces(sar_simulation* s, double tolerance,
                                            sar_subspaces* out);

/// Rates of the model's outputs at the present position if the velocity were v; NaN for outputs
/// that depend on more than positions. SAR_E_ARG: v is NULL.
SAR_API sar_status sar_simulation_output_rates(sar_simulation* s, const double* v, double* rates);

/// What a joint gave to the bodies at one moment: on its end b, at b's point, in world axes.
typedef struct sar_impulse {
    int joint;
    double force[3];  ///< [N s]
    double torque[3]; ///< [N m s]
} sar_impulse;

/// A phase that has begun. Positions are returned to the joints that are there from then on, with
/// the least change in the sense of the bodies' inertia, and so are velocities: the impact of the
/// new joints is perfectly plastic. What a joint of which the rate is prescribed does is counted
/// too. Angular momenta are about the origin of the world.
typedef struct sar_switch {
    int phase;            ///< of the model, from 0
    double t;             ///< [s]
    double moved, turned; ///< largest correction of a centre of mass [m] and of a body's turn [rad]
    double kinetic_before, kinetic_after; ///< energy [J]: the difference is lost in the impact
    double potential_change;              ///< by the correction, and by springs that came or went
    double momentum_before[3], momentum_after[3]; ///< of all bodies [kg m/s]
    double angular_before[3], angular_after[3];   ///< [kg m^2/s]
    double impulse[3], angular_impulse[3];        ///< of the ground, through all joints
    int impulses;
    const sar_impulse* joint_impulse; ///< of every joint that is there after it
    sar_rank rank;                    ///< of the equations after it
} sar_switch;
/// How many phases have begun. The list belongs to the simulation.
SAR_API int sar_simulation_switches(const sar_simulation* s, const sar_switch** list);
/// Sizes and rank of the equations after a phase of the model, as far as the present position
/// tells: joints that attach do so there.
SAR_API sar_status sar_simulation_phase_rank(sar_simulation* s, int phase, sar_rank* out);

/// A passage through a singular position, or a jump to another branch of motion.
typedef struct sar_event {
    double t;
    int rank;         ///< rank there
    char joints[192]; ///< names of the joints involved, separated by ", "
} sar_event;
/// The first ones, in the order of time; sar_statistics counts all of them.
SAR_API int sar_simulation_singular_passes(const sar_simulation* s, const sar_event** events);
SAR_API int sar_simulation_branch_changes(const sar_simulation* s, const sar_event** events);

/// Forces whose expression jumped within a step (conditions, signs, tables), not at a breakpoint.
typedef struct sar_jump {
    long count;     ///< of all jumps in the run
    double t;       ///< time of the first; NaN: there was none
    char force[64]; ///< whose it was
    int of_time;    ///< it depends on time alone: `breakpoints` would do
} sar_jump;
/// Was there any?
SAR_API int sar_simulation_jumps(const sar_simulation* s, sar_jump* first);

typedef struct sar_statistics {
    long steps, rejected, iterations, not_converged;
    double energy_initial, energy_max_drift, energy_final_drift; ///< of kinetic + potential - work
    double energy_worst_drift; ///< the largest drift, with its sign
    double kinetic_max;        ///< largest kinetic energy
    double energy_scale;       ///< of the drift: the largest of kinetic energy, range of potential
                               ///< energy and work done, and 2e-4 of forces times size: at rest
                               ///< under load nothing moves, and rounding is no alarm
    double kept_change; ///< largest change of the balance in a step that did not converge and was
                        ///< kept, in parts of the kinetic energy then (or of 1e-2 energy_scale)
    sar_violation violation; ///< largest over the run
    double correction;       ///< largest last correction of a step
    double turn; ///< [rad] largest turn of a body in a step, looked for now and then, in space and
                 ///< in coordinates that are vectors: their errors grow with its square
    double correction_time, projection_time; ///< [s], with the option `profile`
    double step;          ///< the last one [s]; where several took its place, the shortest of them
    double step_shortest; ///< of the run
    double alpha;         ///< penalty used, inf for none
    double filter; ///< filter number of that penalty, NaN without one: below about 2 the forces of
                   ///< a long chain of bodies do not settle in a few iterations
    int threads;   ///< that share a step
    long violated; ///< steps that left constraints violated beyond the limit, with best_effort
    double crossing_gap; ///< [m] the largest by which the drawing misses a singular position; taken
                         ///< out of the constraints, because it is within the drawing's precision
    long singular_passes, branch_changes; ///< all that were seen; the lists may hold fewer
    char solver[24];                      ///< the one `auto` chose
} sar_statistics;
SAR_API sar_statistics sar_simulation_statistics(const sar_simulation* s);

#ifdef __cplusplus
}
#endif
#endif
