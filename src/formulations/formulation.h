/* Axis 2, formulations: how the constraints enter the equations of motion.
 *
 * A formulation sees the neck (equations.h) and a linear solver; never joint types or a time grid.
 * It meets integrators in two contracts, announced by capability bits:
 *
 * - rates: dq/dt and dp/dt as functions of (t, q, p), so that any method for ordinary differential
 *   equations can drive it; p are the velocities, or canonical momenta.
 *
 * - residual with shifts: Newton corrections dq for an implicit step with dv = cv dq, da = ca dq.
 *
 * A formulation that cannot be told apart from its discretisation brings its own step instead: it
 * is given a state and a step's size, and nothing else of the time grid.
 * - differential-algebraic: a residual F(t, y, dy/dt) and Newton's method for it, for codes that
 *   integrate y, whatever it consists of.
 */
#ifndef SARI_FORMULATION_H
#define SARI_FORMULATION_H

#include "sarrus/simulation.h"
#include "system/equations.h"

typedef enum sari_capability {
    SARI_FORM_RATES = 1 << 0,
    SARI_FORM_RESIDUAL = 1 << 1,
    SARI_FORM_PROJECTION =
        1 << 2, ///< returns velocities and accelerations to the constraints after a step
    SARI_FORM_REDUNDANT = 1 << 3,    ///< accepts redundant constraints
    SARI_FORM_RANK_DROP = 1 << 4,    ///< goes through positions where the rank drops
    SARI_FORM_MOMENTA = 1 << 5,      ///< p are canonical momenta, else the velocities
    SARI_FORM_OWN_ALGEBRA = 1 << 6,  ///< dense factors of its own, no linear solver to choose
    SARI_FORM_LIMIT = 1 << 7,        ///< alpha = inf is its limit without a penalty
    SARI_FORM_GRAPH = 1 << 8,        ///< solvers along the graph of the joints serve it
    SARI_FORM_NONHOLONOMIC = 1 << 9, ///< accepts rows on velocities alone
    SARI_FORM_OWN_STEP = 1 << 10,    ///< brings its own step
    SARI_FORM_DAE = 1 << 11,         ///< residual of a differential-algebraic system
    SARI_FORM_SLACK = 1 << 12, ///< goes on where they contradict each other within the drawing's
                               ///< precision
} sari_capability;

/// What a step of a formulation's own needed.
typedef struct sari_own_step {
    int iterations;
    double left; ///< of the last (or best) iterate: the larger of correction and violation
    int best;    ///< not converged, but the best iterate is good enough
} sari_own_step;
/// What a number of y counts for.
typedef enum sari_dae_role {
    SARI_DAE_FREE,   ///< nothing: multipliers
    SARI_DAE_SOLVED, ///< Newton's method has to converge in it
    SARI_DAE_TESTED, ///< and its error decides on the step
} sari_dae_role;

/// The differential-algebraic contract.
typedef struct sari_dae_ops {
    int (*size)(const void* self); ///< numbers in y
    void (*roles)(const void* self, sari_dae_role* role);
    /// y and dy/dt for a state with consistent accelerations and multipliers, and back.
    void (*load)(void* self, const sari_state* s, double* y, double* ydot);
    void (*store)(const void* self, const double* y, const double* ydot, sari_state* s);
    sar_status (*residual)(void* self, double t, const double* y, const double* ydot, double* r);
    /// The matrix dF/dy + cj dF/d(dy/dt) at y.
    sar_status (*factor)(void* self, double t, const double* y, double cj);
    /// matrix d = b; cj may have changed a little since it was factored.
    sar_status (*solve)(void* self, double cj, const double* b, double* d);
    /// A step ended at s. Leaves the system evaluated there.
    sar_status (*finish)(void* self, const sari_state* s);
} sari_dae_ops;

/// One formulation. Constant; `self` holds everything that changes.
typedef struct sari_formulation_ops {
    const char* name;
    const char* cite;
    const char* text;
    unsigned capabilities; ///< sari_capability; entries not announced here are NULL
    double violation; ///< of positions, in parts of the size of the model: what a step may leave;
                      ///< 0: constraints are stabilised, not met
    sar_status (*create)(sari_equations* system, const sar_options* options, void** self,
                         sar_error* error);
    /// Consistent a and lambda (and p, pdot) for (t, q, v): the start of a run.
    sar_status (*start)(void* self, sari_state* s);

    /* rates */

    /// v, a, pdot at (t, q, p). The multipliers go on from those in s. Leaves the system evaluated
    /// at s.
    sar_status (*rates)(void* self, sari_state* s);
    /// A step ended at s: return it to the constraints and keep what is carried from step to step.
    /// Tells whether q or p were changed; rates have to follow then.
    sar_status (*accept)(void* self, sari_state* s, int* changed);
    /// Why the last evaluation failed, and what helps, in words. NULL: the status says it all.
    void (*explain)(const void* self, char* text, size_t size);

    /* residual with shifts */

    /// An integrator will ask for corrections: make room for what they take. Comes before start;
    /// may be NULL.
    sar_status (*expect_corrections)(void* self, const sar_options* options);
    /// Newton correction dq at s for the shifts cv, ca.
    sar_status (*correct)(void* self, const sari_state* s, double cv, double ca, double* dq);
    /// The correction has been applied to s: update the multipliers.
    void (*update)(void* self, sari_state* s, double ca);
    /// Return v and a to the constraints; follows the last update of a step. Leaves the system
    /// evaluated at s: Phi, Phi_q, Phi_t, bias and M.
    sar_status (*project)(void* self, sari_state* s, double cv, double ca);

    /* own step */

    /// Tolerances and numbers of iterations are those of `options`. Comes before start.
    void (*expect_steps)(void* self, const sar_options* options);
    /// From s to a time h later; h may be negative. Leaves the system evaluated at s: Phi, Phi_q,
    /// Phi_t, bias and M. SAR_R_NO_CONV leaves the best iterate in s.
    sar_status (*step)(void* self, sari_state* s, double h, sari_own_step* report);
    /// Multipliers that follow differential equations of their own, a number per row, and their
    /// rates; NULL where they were not asked for.
    void (*multipliers)(const void* self, const double** values, const double** rates);
    const sari_dae_ops* dae; ///< differential-algebraic contract

    /// A new step begins at s; NULL: the state was changed by someone else: forget what was
    /// evaluated.
    void (*begin)(void* self, const sari_state* s);
    /// Is the rank of the constraints about to drop, where s was last corrected? May be NULL.
    int (*near_singular)(const void* self);
    /// So many threads share a step from now on, at most those that the system had at the start.
    void (*share)(void* self, int threads); ///< may be NULL
    double (*alpha)(const void* self);      ///< penalty last used
    /// How the constraints' softest motion settles with it, see equations.h; may be NULL.
    double (*filter)(const void* self);
    const char* (*solver)(const void* self); ///< linear solver in use
    void (*destroy)(void* self);
} sari_formulation_ops;

typedef struct sari_formulation {
    const sari_formulation_ops* ops;
    void* self;
} sari_formulation;

extern const sari_formulation_ops sari_formulation_penalty;
extern const sari_formulation_ops sari_formulation_al1;
extern const sari_formulation_ops sari_formulation_al3;
extern const sari_formulation_ops sari_formulation_hamiltonian;
extern const sari_formulation_ops sari_formulation_nullspace;
extern const sari_formulation_ops sari_formulation_threefield;
extern const sari_formulation_ops sari_formulation_dae;       ///< with SUNDIALS only
extern const sari_formulation_ops* const sari_formulations[]; ///< all, NULL-terminated

#endif
