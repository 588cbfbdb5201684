/* Axis 3, integrators: they drive a formulation through one of its contracts and never see a mass
 * matrix. */
#ifndef SARI_INTEGRATOR_H
#define SARI_INTEGRATOR_H

#include "base/object.h"
#include "formulations/formulation.h"

/// What a step needed.
typedef struct sari_step_report {
    int iterations;    ///< or evaluations of the rates
    int rejected;      ///< attempts with a larger step
    double shortest;   ///< of several steps in the place of one; 0: there was one
    double correction; ///< 2-norm of the last (or best) correction
    double tolerance;  ///< what corrections were held against; 0: nothing
    double tried;      ///< size of the last attempt; 0: that asked for
    double error;      ///< of the last attempt, in units of what is allowed; 0: not estimated
    int unconverged; ///< the step is accepted, near a singular configuration, though it did not converge
    int diverged; ///< the iteration was stopped because the corrections grew
    double correction_time, projection_time; ///< [s], with the option `profile`
    int evaluated; ///< the system is evaluated at s: Phi, Phi_q, Phi_t, bias and M
} sari_step_report;

/// Newton corrections below this are small, unless a tolerance was asked for. What rows on
/// velocities leave over adds up: there is no position that they return to.
static inline double sari_usual_correction(const sari_equations* system)
{
    return system->velocity_rows ? 1e-10 : 1e-9;
}

/// What steps of a run are prescribed by those of another one; an integrator of one kind takes its own.
typedef enum sari_obedience {
    SARI_OBEY_NOT,
    SARI_OBEY_EXPLICIT,
    SARI_OBEY_IMPLICIT,
} sari_obedience;

typedef struct sari_integrator_ops {
    const char* name;
    const char* cite;
    const char* text;
    sari_contract needs; ///< how it drives a formulation
    unsigned refuses;    ///< sari_capability bits that it cannot work with
    int takes_mass;      ///< entries of M, where the formulation would do without
    int order;
    int variable;  ///< chooses its step
    double bears;  ///< h |lambda| up to which a step goes well, with lambda of the rates; 0: any
    int elsewhere; ///< its history is another library's: it starts afresh after a state was saved
    const char* sibling; ///< the same rule with a step that it chooses; NULL: none
    size_t size;         ///< of an object, see base/object.h
    sar_status (*create)(void* self, sari_equations* system, const sari_formulation* form,
                         const sar_options* options, sar_error* error);
    /// A run begins at s, or goes on from a state that was changed by someone else. May be NULL.
    sar_status (*start)(void* self, const sari_state* s);
    /// From s->t to s->t + h; with a variable step to somewhere on this way. SAR_R_NO_CONV leaves
    /// the best iterate in s, projected.
    sar_status (*step)(void* self, sari_state* s, double h, sari_step_report* report);
    /// Was the last step implicit? Of integrators that have both kinds; NULL: it has one.
    int (*implicit)(const void* self);
    /// q, v, a and lambda at a time t within the last step, to the integrator's own order. NULL: none.
    sar_status (*dense)(void* self, double t, sari_state* s);
    /// The same for its q alone, or with level 1 for q and v, where that is had for less. May be NULL.
    sar_status (*dense_part)(void* self, double t, int level, sari_state* s);
    /// q and v there to the tolerance, but not projected onto the constraints: for integrals. 0, or NULL: no
    /// cheaper than `dense`.
    int (*dense_beside)(void* self, double t, sari_state* s);
    /// y of the first-order form at a time about the last step; valid until the next call. May be NULL, and
    /// give NULL: there is none.
    const double* (*within)(void* self, double t);
    /// From now on steps are as long as prescribed, whatever their error, and of this kind: for runs that
    /// follow the steps of another one. What is iterated goes down to rounding. NULL: it cannot.
    void (*obey)(void* self, sari_obedience how);
    /// Why the last step failed, and what helps, in words. NULL: the report says it all.
    void (*explain)(const void* self, char* text, size_t size);
    /// What it knows from step to step, and what `dense` needs (base/archive.h); follows that of the
    /// formulation. NULL: nothing.
    void (*archive)(void* self, sari_archive* a);
    void (*clear)(void* self); ///< what is not in its arena. NULL: all is
} sari_integrator_ops;

sar_status sari_integrator_create(const sari_integrator_ops* ops, sari_equations* system,
                                  const sari_formulation* form, const sar_options* options,
                                  void** self, sar_error* error);
void sari_integrator_destroy(const sari_integrator_ops* ops, void* self);

/* All integrators, in the order of `sarrus methods`. A new one is a file and a line here. */
#ifdef SARRUS_WITH_SUNDIALS
#define SARI_INTEGRATORS_WITH_SUNDIALS(X) X(dopri5) X(bdf) X(ida) X(dop853_ida)
#else
#define SARI_INTEGRATORS_WITH_SUNDIALS(X)
#endif
#define SARI_INTEGRATOR_LIST(X)                                                                    \
    X(trapezoidal)                                                                                 \
    X(newmark)                                                                                     \
    X(generalised_alpha)                                                                           \
    X(variable_step)                                                                               \
    X(fixed_point)                                                                                 \
    X(euler)                                                                                       \
    X(semi_implicit_euler)                                                                         \
    X(rk4)                                                                                         \
    X(own)                                                                                         \
    X(own_variable)                                                                                \
    X(dop853)                                                                                      \
    X(radau)                                                                                       \
    X(dop853_radau)                                                                                \
    SARI_INTEGRATORS_WITH_SUNDIALS(X)

#define SARI_DECLARE(name) extern const sari_integrator_ops sari_integrator_##name;
SARI_INTEGRATOR_LIST(SARI_DECLARE)
#undef SARI_DECLARE
extern const sari_integrator_ops sari_integrator_own_attempt; ///< one step of own; for own-variable
enum { SARI_INTEGRATORS_MAX = 48 };                           ///< with those of plug-ins
extern const sari_integrator_ops* const* const sari_integrators;    ///< all, NULL-terminated
bool sari_integrator_add(const sari_integrator_ops* ops);           ///< false: too many
const sari_integrator_ops* sari_integrator_named(const char* name); ///< NULL: there is none such

#endif
