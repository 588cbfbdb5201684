/* Axis 2, formulations: how the constraints enter the equations of motion.
 *
 * A formulation sees the neck (equations.h) and a linear solver; never joint types or a time grid.
 * It meets integrators in contracts. It offers those whose pointer is not NULL:
 *
 * - rates: dq/dt and dp/dt as functions of (t, q, p), so that any method for ordinary differential
 *   equations can drive it; p are the velocities, or canonical momenta.
 *
 * - corrections, a residual with shifts: Newton corrections dq for an implicit step with
 *   dv = cv dq, da = ca dq.
 *
 * - a step of its own, where it cannot be distinguished from its discretisation: it is given a state
 *   and a step's size, and nothing else of the time grid.
 *
 * - differential-algebraic: a residual F(t, y, dy/dt) and Newton's method for it, for codes that
 *   integrate y, whatever it consists of.
 *
 * - a first-order form: dy/dt = f(t, y) in numbers of its own, near a base that moves along.
 *   Formulations with rates have one too, y = (q, p).
 *
 * All formulations accept redundant constraints and rows on velocities alone. */
#ifndef SARI_FORMULATION_H
#define SARI_FORMULATION_H

#include "base/archive.h"
#include "base/object.h"
#include "formulations/convergence.h"
#include "sarrus/options.h"
#include "system/equations.h"

#include <stdbool.h>

typedef enum sari_contract {
    SARI_CONTRACT_RATES,
    SARI_CONTRACT_CORRECTIONS,
    SARI_CONTRACT_OWN_STEP,
    SARI_CONTRACT_DAE,
    SARI_CONTRACT_FIRST_ORDER,
} sari_contract;

/// What a formulation can do beyond its contracts.
typedef enum sari_capability {
    SARI_FORM_RANK_DROP = 1 << 0,   ///< goes through positions where the rank drops
    SARI_FORM_MOMENTA = 1 << 1,     ///< p are canonical momenta, else the velocities
    SARI_FORM_OWN_ALGEBRA = 1 << 2, ///< dense factors of its own, no linear solver to choose
    SARI_FORM_LIMIT = 1 << 3,       ///< alpha = inf is its limit without a penalty
    SARI_FORM_GRAPH = 1 << 4,       ///< solvers along the graph of the joints serve it
    SARI_FORM_SLACK = 1 << 5,       ///< goes on where constraints contradict each other within the
                                    ///< drawing's precision
    SARI_FORM_TREE = 1 << 6,        ///< does without entries of M where a tree generates it,
    SARI_FORM_TREE_RATES = 1 << 7,  ///< or does so as long as rates are all that is asked for
} sari_capability;

/// Rates as functions of the state.
typedef struct sari_rates_ops {
    /// v, a, pdot at (t, q, p). The multipliers go on from those in s. Leaves the system evaluated
    /// at s.
    sar_status (*evaluate)(void* self, sari_state* s);
    /// A step ended at s: return it to the constraints and keep what is carried from step to step.
    /// Tells whether q or p were changed; rates have to follow then.
    sar_status (*accept)(void* self, sari_state* s, int* changed);
    /// Small changes of a and of the multipliers at the state of the last `evaluate`, from the slopes of
    /// system/linear/residual.h along a change of the state, and that of Phi. May be NULL; not of open trees.
    void (*change)(void* self, const double* F, const double* Phi, const double* rate,
                   const double* second, double* da, double* dlambda);
} sari_rates_ops;

/// What corrections cost, beside vectors of their size.
typedef enum sari_cost {
    SARI_CHEAP,
    SARI_EXPENSIVE,      ///< a good first guess pays
    SARI_VERY_EXPENSIVE, ///< and so do old tangents, with which corrections shrink less
} sari_cost;

/// Residual with shifts.
typedef struct sari_correction_ops {
    /// An integrator will ask for corrections: make room for what they take. Comes before start;
    /// may be NULL.
    sar_status (*expect)(void* self, const sar_options* options);
    /// Newton correction dq at s for the shifts cv, ca.
    sar_status (*correct)(void* self, const sari_state* s, double cv, double ca, double* dq);
    /// The correction has been applied to s: update the multipliers.
    void (*update)(void* self, sari_state* s, double ca);
    /// Return v and a to the constraints; follows the last update of a step. Leaves the system
    /// evaluated at s: Phi, Phi_q, Phi_t, bias and M.
    sar_status (*project)(void* self, sari_state* s, double cv, double ca);
    /// What corrections cost. May be NULL: little.
    sari_cost (*price)(const void* self);
    /// The step that has begun has a first guess from the steps before, as motion goes on smoothly, or
    /// has none. May be NULL where corrections cost little.
    void (*predicted)(void* self, int yes);
} sari_correction_ops;

/// What a step of a formulation's own needed.
typedef struct sari_own_step {
    int iterations;
    double left; ///< of the last (or best) iterate: the larger of correction and violation
    int best;    ///< not converged, but the best iterate is good enough
} sari_own_step;

/// A step that the formulation brings.
typedef struct sari_own_step_ops {
    /// Tolerances and numbers of iterations are those of `options`. Comes before start.
    void (*expect)(void* self, const sar_options* options);
    /// From s to a time h later; h may be negative. Leaves the system evaluated at s: Phi, Phi_q,
    /// Phi_t, bias and M. SAR_R_NO_CONV leaves the best iterate in s.
    sar_status (*step)(void* self, sari_state* s, double h, sari_own_step* report);
    /// Multipliers that follow differential equations of their own, a number per row, and their
    /// rates; NULL where they were not asked for.
    void (*multipliers)(const void* self, const double** values, const double** rates);
} sari_own_step_ops;

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

/// The contract of a first-order form: dy/dt = f(t, y) in numbers of the formulation's own, which
/// mean something near a base alone. Every step begins with a base.
typedef struct sari_first_order_ops {
    int (*most)(const void* self); ///< numbers in y, at most
    /// and at a base like that where the formulation started; NULL: as many
    int (*size)(const void* self);
    /// A base at s, whose accelerations are known: y and dy/dt there, and how many numbers they are.
    sar_status (*base)(void* self, const sari_state* s, double* y, double* ydot, int* size);
    sar_status (*rates)(void* self, double t, const double* y, double* ydot);
    /// The state at y; ydot NULL: within a step that was accepted. Leaves the system evaluated there.
    sar_status (*store)(void* self, double t, const double* y, double* ydot, sari_state* s);
    /// A part of it: q alone, or with level 1 q and v. NULL: it comes with the rest.
    sar_status (*store_part)(void* self, double t, const double* y, int level, sari_state* s);
    /// The state beside q and v of s, which were predicted to about what is asked for: q alone, with
    /// level 1 q and v, with level 2 all of it. Other than SAR_OK: not from there. NULL: never.
    sar_status (*meet)(void* self, double t, int level, sari_state* s);
    /// A step ends at the state that was stored last: the next base is there. s may be changed, to
    /// meet the constraints.
    sar_status (*accept)(void* self, sari_state* s);
    void (*reject)(void* self); ///< an attempt is given up; NULL: nothing is kept of it
    /// Size of a local error e of y, in units of the accuracy that is asked for.
    double (*norm)(const void* self, const double* e);
    double (*pace)(const void* self); ///< [1/s] of the motion
    double (*longest)(void* self,
                      const sari_state* s); ///< [s] step from s that makes sense; NULL: any

    /* for implicit integrators; may be NULL */
    /// df/dy at the base, which is at (t, y), by rows; as exact as Newton's method wants it. NULL:
    /// by differences.
    sar_status (*jacobian)(void* self, double t, const double* y, double* J);
    /// The place that rates were asked for last is kept as number k < SARI_FIRST_ORDER_NOTES.
    void (*note)(void* self, int k);
    /// y of that place at the present base; 0: it was not kept. NULL: y means the same everywhere.
    int (*recall)(void* self, int k, double* y);
} sari_first_order_ops;

enum { SARI_FIRST_ORDER_NOTES = 4 };

/// One formulation. Constant; `self` holds everything that changes.
typedef struct sari_formulation_ops {
    const char* name;
    const char* cite;
    const char* text;
    const char* options;   ///< of other formulations that it has too, see sar_plugin_formulation
    unsigned capabilities; ///< sari_capability
    double violation; ///< of positions, in parts of the size of the model: what a step may leave;
                      ///< 0: constraints are stabilised, not met
    /* contracts; NULL: not offered */
    const sari_rates_ops* rates;
    const sari_correction_ops* corrections;
    const sari_own_step_ops* own_step;
    const sari_dae_ops* dae;
    const sari_first_order_ops* first_order;

    size_t size; ///< of an object, see base/object.h
    sar_status (*create)(void* self, sari_equations* system, const sar_options* options,
                         sar_error* error);
    /// Consistent a and lambda (and p, pdot) for (t, q, v): the start of a run.
    sar_status (*start)(void* self, sari_state* s);
    /// A new step begins at s; NULL: the state was changed by someone else: forget what was
    /// evaluated.
    void (*begin)(void* self, const sari_state* s);
    /// Is the rank of the constraints about to drop, where s was last corrected? May be NULL.
    int (*near_singular)(const void* self);
    /// So many threads share a step from now on, at most those that the system had at the start.
    void (*share)(void* self, int threads); ///< may be NULL
    double (*alpha)(const void* self);      ///< penalty last used
    /// How the constraints' softest motion decays with it, see equations.h; may be NULL.
    double (*filter)(const void* self);
    const char* (*solver)(const void* self); ///< linear solver in use
    /// Why the last evaluation failed, and what helps, in words. NULL: the status says it all.
    void (*explain)(const void* self, char* text, size_t size);
    /// What it knows from step to step (base/archive.h); follows that of the system. NULL: nothing.
    void (*archive)(void* self, sari_archive* a);
    void (*clear)(void* self); ///< what is not in its arena. NULL: all is
} sari_formulation_ops;

typedef struct sari_formulation {
    const sari_formulation_ops* ops;
    void* self;
} sari_formulation;

sar_status sari_formulation_create(const sari_formulation_ops* ops, sari_equations* system,
                                   const sar_options* options, sari_formulation* out,
                                   sar_error* error);
void sari_formulation_clear(sari_formulation* form);

static inline int sari_formulation_offers(const sari_formulation_ops* ops, sari_contract contract)
{
    switch (contract) {
    case SARI_CONTRACT_RATES:
        return ops->rates != NULL;
    case SARI_CONTRACT_CORRECTIONS:
        return ops->corrections != NULL;
    case SARI_CONTRACT_OWN_STEP:
        return ops->own_step != NULL;
    case SARI_CONTRACT_DAE:
        return ops->dae != NULL;
    case SARI_CONTRACT_FIRST_ORDER:
        return ops->first_order || ops->rates;
    }
    return 0;
}

static inline int sari_formulation_can(const sari_formulation_ops* ops, sari_capability what)
{
    return (ops->capabilities & (unsigned)what) != 0;
}

/// Does it do without entries of M where a tree generates it, driven by this contract?
int sari_formulation_needs_no_mass(const sari_formulation_ops* ops, sari_contract contract);

/* All formulations, in the order of `sarrus methods`. A new one is a file and a line here. */
#ifdef SARRUS_WITH_SUNDIALS
#define SARI_FORMULATIONS_WITH_SUNDIALS(X) X(dae) // no other integrator can drive it
#else
#define SARI_FORMULATIONS_WITH_SUNDIALS(X)
#endif
#define SARI_FORMULATION_LIST(X)                                                                   \
    X(al3)                                                                                         \
    X(al1)                                                                                         \
    X(penalty)                                                                                     \
    X(hamiltonian)                                                                                 \
    X(nullspace)                                                                                   \
    X(threefield)                                                                                  \
    X(chart)                                                                                       \
    SARI_FORMULATIONS_WITH_SUNDIALS(X)

#define SARI_DECLARE(name) extern const sari_formulation_ops sari_formulation_##name;
SARI_FORMULATION_LIST(SARI_DECLARE)
#undef SARI_DECLARE
enum { SARI_FORMULATIONS_MAX = 32 };                                  ///< with those of plug-ins
extern const sari_formulation_ops* const* const sari_formulations;    ///< all, NULL-terminated
const sari_formulation_ops* sari_formulation_named(const char* name); ///< NULL: there is none such
bool sari_formulation_add(const sari_formulation_ops* ops);           ///< false: too many

#endif
