/// @file options.h
/// Options of a run: the four choices of a method and its numbers.
#ifndef SARRUS_OPTIONS_H
#define SARRUS_OPTIONS_H

#include "sarrus/model.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/// All numeric options of a run: field, type, default, the word for the default ("auto", "none", or
/// "" if it is an ordinary number), minimum, maximum, who has it, unit, text. Expanded to the struct,
/// its defaults and checks, the command-line options, the model's `method:` keys and the manual. The
/// option's name is the field's with '-' for '_'. `who` is "run", or "axis:member member ...".
#define SAR_OPTION_LIST(X) SAR_USER_OPTIONS(X) SAR_STUDY_OPTIONS(X)

/// Options for users.
#define SAR_USER_OPTIONS(X)                                                                        \
    X(start, double, 0.0, "", -1e300, 1e300, "run", "s", "time at the start")                      \
    X(end, double, 10.0, "", -1e300, 1e300, "run", "s", "time at the end")                         \
    X(step, double, 1e-3, "", 1e-15, 1e300, "run", "s",                                            \
      "step size; with a variable step: the first one")                                            \
    X(sample, double, 0.0, "auto", 0.0, 1e300, "run", "s",                                         \
      "interval of the output rows, interpolated within steps (with --all, if the integrator "     \
      "does not interpolate: at the end of the step); auto: every step, thinned above 10 000 "     \
      "rows, or 1000 intervals where steps are long (dop853, radau, dop853-radau, dop853-ida)")    \
    X(best_effort, int, 0, "", 0, 1, "run", "",                                                    \
      "continue when a step does not converge, and count such steps")                              \
    X(assemble, int, 1, "", 0, 1, "run", "",                                                       \
      "assemble the mechanism; 0: start as drawn and by the start conditions, with violated "      \
      "constraints")                                                                               \
    X(equilibrium, int, 0, "", 0, 1, "run", "",                                                    \
      "start in static equilibrium: positions are moved until weight and springs are balanced; "   \
      "velocities are those of the start")                                                         \
    X(drawing, double, 1e-6, "", 0.0, 0.1, "run", "",                                              \
      "how exactly the model's dimensions are known, relative to its size: smaller gaps in "       \
      "joints "                                                                                    \
      "and at singular configurations count as rounding and are closed")                           \
    X(violation, double, 0.0, "auto", 0.0, 1e300, "run", "",                                       \
      "largest allowed violation of constraints, relative to the model's size; auto: 1e-6 with "   \
      "al3, 1e-4 with threefield, 1e-2 where constraints are stabilised")                          \
    X(monitor, int, 1, "", 0, 1, "run", "",                                                        \
      "search for singular configurations and branch changes; 0: do not, for steps of equal cost") \
    X(threads, int, 0, "auto", 0, 1024, "run", "",                                                 \
      "maximum number of threads per step; auto: the machine's cores")                             \
    X(energy_ledger, int, 0, "", 0, 1, "run", "",                                                  \
      "report where the energy went: work of every force and drive, losses of impacts, and what "  \
      "the integrator and projections added")                                                      \
    X(profile, int, 0, "", 0, 1, "run", "", "measure the time of corrections and projections")     \
    X(alpha, double, 0.0, "auto", 0.0, INFINITY, "formulation:al3 al1 penalty hamiltonian", "",    \
      "penalty factor; auto: from the inertia; inf: the limit of an infinite penalty (al3); "      \
      "A,NAME=B: B for the constraints of a joint or body")                                        \
    X(penalty_ratio, double, 0.0, "auto", 0.0, 1e300, "formulation:al3", "",                       \
      "penalty alpha beta h^2 in units of the inertia; auto: 1e6, larger for long chains, stiff "  \
      "springs and large models")                                                                  \
    X(omega, double, -1.0, "auto", -1.0, 1e300, "formulation:al1 penalty hamiltonian", "1/s",      \
      "stabilisation frequency; 0: none; auto: the formulation's default; NAME=B as for alpha")    \
    X(xi, double, -1.0, "auto", -1.0, 1e300, "formulation:al1 penalty hamiltonian", "",            \
      "stabilisation damping ratio; auto: the formulation's default; NAME=B as for alpha")         \
    X(updates, int, 2, "", 1, 1000, "formulation:al1 hamiltonian", "",                             \
      "multiplier updates per evaluation; 1: from zero, which is a penalty method")                \
    X(project, int, -1, "auto", -1, 2, "formulation:al1 penalty nullspace", "",                    \
      "project positions and velocities onto the constraints after each step, with 2 "             \
      "accelerations too (al1, penalty); auto: if omega is 0 (nullspace: no)")                     \
    X(rho, double, 0.0, "auto", 0.0, 1e300, "formulation:threefield", "",                          \
      "penalty of a constraint in units of its mass; auto: 100 to 1e4, from the softest mode")     \
    X(sweeps, int, -1, "auto", -1, 10, "formulation:threefield", "",                               \
      "number of velocity projections after a step; auto: 1 (0 with compose 4)")                   \
    X(multipliers, int, 0, "", 0, 1, "formulation:threefield", "",                                 \
      "integrate the equations of motion of the multipliers, for --all")                           \
    X(index, int, 3, "", 2, 3, "formulation:dae", "",                                              \
      "index of the equations; 3: constraints on positions; 2: on velocities too, stabilised")     \
    X(newton_tolerance, double, 0.0, "auto", 0.0, 1e300,                                           \
      "integrator:trapezoidal newmark generalised-alpha trapezoidal-variable "                     \
      "trapezoidal-fixed-point own own-variable",                                                  \
      "",                                                                                          \
      "stop when the 2-norm of a correction falls below this; auto: 1e-9, 1e-10 with constraints " \
      "on velocities (own: 1e-10, for violations too)")                                            \
    X(iterations, int, 20, "", 1, 1000,                                                            \
      "integrator:trapezoidal newmark generalised-alpha trapezoidal-variable "                     \
      "trapezoidal-fixed-point own own-variable",                                                  \
      "",                                                                                          \
      "maximum number of iterations per step; fixed:N (trapezoidal, newmark, generalised-alpha): " \
      "exactly N, converged or not")                                                               \
    X(compose, int, 2, "", 2, 4, "integrator:own", "",                                             \
      "order: 2, or 4 by composition of three steps (conservative systems)")                       \
    X(beta, double, 0.25, "", 1e-3, 0.5, "integrator:newmark", "", "Newmark's beta")               \
    X(gamma, double, 0.5, "", 0.5, 1.0, "integrator:newmark", "", "Newmark's gamma")               \
    X(rho_inf, double, 0.8, "", 0.0, 1.0, "integrator:generalised-alpha", "",                      \
      "spectral radius for infinite frequencies; 1: no damping")                                   \
    X(tolerance, double, 1e-6, "", 1e-15, 1.0,                                                     \
      "integrator:trapezoidal-variable own-variable dop853 radau dop853-radau dopri5 bdf ida "     \
      "dop853-ida",                                                                                \
      "",                                                                                          \
      "accuracy of the motion (dop853, radau, dop853-radau, dop853-ida); else: relative error "    \
      "per "                                                                                       \
      "step")                                                                                      \
    X(absolute_tolerance, double, 0.0, "auto", 0.0, 1e300,                                         \
      "integrator:trapezoidal-variable own-variable dopri5 bdf ida", "",                           \
      "absolute error allowed per step, for values near zero; auto: same number as tolerance")     \
    X(step_min, double, 0.0, "auto", 0.0, 1e300,                                                   \
      "integrator:trapezoidal-variable own own-variable", "s",                                     \
      "minimum step size, used even if the error is too large; auto: no limit (own: a run that "   \
      "needs a smaller step stops; auto: step/10000)")                                             \
    X(step_max, double, 0.0, "none", 0.0, 1e300,                                                   \
      "integrator:trapezoidal-variable own-variable dop853 radau dop853-radau dopri5 bdf ida "     \
      "dop853-ida",                                                                                \
      "s", "maximum step size; none: no limit")                                                    \
    X(max_order, int, 5, "", 1, 5, "integrator:ida", "", "maximum order of the BDF formulas")

/// Options for studies of the methods; not in the help of commands.
#define SAR_STUDY_OPTIONS(X)                                                                       \
    X(share, int, -1, "auto", -1, 1, "run", "",                                                    \
      "use threads in every step (1) or in none (0); auto: if it is faster")                       \
    X(projections, int, 1, "", 1, 10, "formulation:al3", "",                                       \
      "number of velocity and acceleration projections")                                           \
    X(rescue, int, 1, "", 0, 1, "formulation:al3 threefield", "",                                  \
      "finish slowly converging steps in the limit of an infinite penalty, and project with new "  \
      "matrices; 0: neither, as published")                                                        \
    X(tangent_life, int, -1, "auto", -1, 1000, "formulation:al3", "",                              \
      "number of corrections with the same tangent; 1: Newton-Raphson; 0: modified Newton, as "    \
      "long as corrections decrease quickly; auto: the same where there are K and C, from 100 "    \
      "coordinates on with those of several steps; otherwise, and with a given alpha, 1")          \
    X(geometric, int, -1, "auto", -1, 1, "formulation:al3 threefield", "",                         \
      "geometric stiffness of the constraints in the tangent; auto: where it helps")               \
    X(select, int, 0, "", 0, 1, "formulation:nullspace", "",                                       \
      "independent coordinates of an implicit step: some of the coordinates, as published (1), "   \
      "or orthonormal combinations of all (0)")                                                    \
    X(reset, double, 1e6, "", 0.0, 1e300, "formulation:hamiltonian", "",                           \
      "reset the multipliers sigma to zero when one exceeds this; 0: never")                       \
    X(sigma_start, double, 0.0, "", -1e300, 1e300, "formulation:hamiltonian", "",                  \
      "multipliers sigma at the start; the motion does not depend on them")                        \
    X(as_printed, int, 0, "", 0, 1, "formulation:al1 penalty hamiltonian al3", "",                 \
      "iterations with the published tangents, and multipliers that change in every one of them "  \
      "instead of once a step; al3: a start by the penalty formulation")                           \
    X(omega_step, double, 0.0, "", 0.0, 1e6, "formulation:al1 penalty hamiltonian", "",            \
      "stabilisation frequency times step, in the place of omega; 0: omega counts")                \
    X(independent_projections, int, 0, "", 0, 1, "formulation:al3", "",                            \
      "with rescue 0: project accelerations with velocities from before their own projection, as " \
      "published")                                                                                 \
    X(by_iterations, int, 0, "", 0, 1, "integrator:trapezoidal-variable", "",                      \
      "steps by the iteration alone: shorter where `iterations` corrections do not reach "         \
      "newton-tolerance, longer where they do; 0: by the error")                                   \
    X(converge_multipliers, int, 0, "", 0, 1, "integrator:trapezoidal newmark generalised-alpha",  \
      "", "the norm that ends the iteration counts the corrections of multipliers too")            \
    X(rho_cap, double, 0.0, "auto", 0.0, 1e300, "formulation:threefield", "",                      \
      "maximum penalty that adapt may choose; auto: ten times rho")                                \
    X(adapt, int, 1, "", 0, 1, "formulation:threefield", "",                                       \
      "raise the penalty of constraints that converge slowly")                                     \
    X(mass_factor, double, 1.0, "", 0.0, 1e300, "formulation:threefield", "",                      \
      "factor of the masses of the constraints")                                                   \
    X(fields, int, 0, "", 0, 2, "formulation:threefield", "",                                      \
      "the published weak form with all its six fields unknown: velocities and momenta constant "  \
      "in a step (1), or linear (2); 0: the midpoint rule, with multipliers of each step alone")   \
    X(plain_direction, int, 0, "", 0, 1, "formulation:threefield", "",                             \
      "with fields: project masses and forces of a constraint along its gradient a' instead of "   \
      "M^-1 a'")                                                                                   \
    X(rattle, int, 0, "", 0, 1, "formulation:threefield", "",                                      \
      "reactions act along the constraints at both ends of a step instead of its midpoint: "       \
      "symplectic, but fails in singular configurations")                                          \
    X(warm_start, int, 1, "", 0, 1, "formulation:threefield", "",                                  \
      "start a step with the reactions of the last one; 0: with zero")                             \
    X(accept_tolerance, double, 0.0, "auto", 0.0, 1e300, "formulation:threefield", "",             \
      "near singular configurations accept the best iterate below this residual, and count it; "   \
      "auto: "                                                                                     \
      "1e-5")

typedef struct sar_options {
    char
        coordinates[24]; ///< "natural", "cartesian", "increments", "relative"; "auto": by the model
    char formulation[24]; ///< "al3", "al1", "penalty", ...; "auto": by the model
    char integrator[24];  ///< "trapezoidal", "rk4", ...
    char solver[24];      ///< "auto", "dense", "sparse", "dca", "tree"
#define SAR_OPTION_FIELD(field, type, preset, word, min, max, who, unit, text) type field;
    SAR_OPTION_LIST(SAR_OPTION_FIELD)
#undef SAR_OPTION_FIELD
    int iterations_fixed; ///< 1: exactly `iterations` in every step, converged or not ("fixed:N")
    uint64_t given;       ///< bit k: the k-th of the list was set by sar_options_set
    unsigned named;       ///< bit k: axis k was set by sar_options_set, or by a preset
    char rows[512];       ///< alpha, omega and xi of single constraints, see sar_options_set
} sar_options;

SAR_API sar_options sar_options_default(void);

/// Set an option, an axis (`coordinates`, ...) or `preset` by name from text. Unknown names,
/// members and values out of range give SAR_E_ARG with the nearest valid word. alpha, omega and xi
/// take numbers for the constraints of single joints and bodies too: "1e7,J1=1e8,rod=1e6".
SAR_API sar_status sar_options_set(sar_options* options, const char* name, const char* text,
                                   sar_error* error);

/// Bit of `dropped` below: a fixed number of iterations.
#define SAR_DROPPED_FIXED_ITERATIONS ((uint64_t)1 << 63)

/// Put settings, names and texts as for sar_options_set, over `options`, which hold those of a model
/// file, as the program does: presets first; where neither names a method, or the settings only a
/// tolerance, the automatic method, unless a `fixed_step` is needed. Options of the model that the
/// chosen method does not have are taken back: bit k of `dropped` (may be NULL) is the k-th of the
/// list, see sar_option_name. Ends with sar_options_check.
SAR_API sar_status sar_options_apply(sar_options* options, const char* const* names,
                                     const char* const* values, int count, int fixed_step,
                                     uint64_t* dropped, sar_error* error);

/// Name of the k-th option of the list; NULL after the last.
SAR_API const char* sar_option_name(int k);

/// Does something that was set name a method: a preset, a formulation, an integrator, a step, or an
/// option that the automatic method (preset "auto") does not have? If not, that one is advisable.
SAR_API int sar_options_name_method(const sar_options* options);

/// Replace "auto" in coordinates and formulation by what suits the model. `reason` (may be NULL if
/// `length` is 0) says why; it is empty if nothing was open. sar_simulation_create does this too.
SAR_API sar_status sar_options_choose(sar_options* options, const sar_model* model, char* reason,
                                      size_t length, sar_error* error);

/// If a tolerance was set and the integrator has a fixed step, use the variable-step version of that
/// integrator, if there is one.
SAR_API void sar_options_use_tolerance(sar_options* options);

/// Check that the four choices fit together and that the method has every option that was set.
SAR_API sar_status sar_options_check(const sar_options* options, sar_error* error);

#ifdef __cplusplus
}
#endif

#endif
