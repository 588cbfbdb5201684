/* What al3 knows, for the files that do it: al3.c (steps) and al3_start.c (life and start). */
#ifndef SARI_AL3_SELF_H
#define SARI_AL3_SELF_H

#include "base/arena.h"
#include "formulations/al3/predicted_multipliers.h"
#include "formulations/al3/tangent_policy.h"
#include "formulations/al3/transported_tangent.h"
#include "formulations/constrained.h"
#include "formulations/formulation.h"
#include "formulations/step_matrix.h"

#include <math.h>

enum { PENALTY, LIMIT };
enum { PATIENCE = 3 }; ///< corrections with a penalty before its limit is taken

/// After a smaller correction the last S is good for the projections.
#define SARI_AL3_REUSED 1e-9

/* How the corrections of a step are found. The ways from one to another, and there are no others:
 *
 *     begin                        -> WITH_PENALTY, or IN_LIMIT where alpha is infinite
 *     WITH_PENALTY -> IN_LIMIT     more than PATIENCE corrections, with rescue (choose_form)
 *     IN_LIMIT     -> HELD         corrections in the limit do not contract (limit_fails)
 */
typedef enum phase {
    WITH_PENALTY, ///< (2) with c
    IN_LIMIT,     ///< (2) in the limit
    HELD,         ///< (7), with c, for the rest of the step
} phase;

typedef struct al3 {
    sari_arena memory;
    sari_equations* sys;
    sari_constrained form[2]; ///< (2) with a penalty, and its limit
    sari_constrained* lin;    ///< the one in use
    double ratio, alpha_given, alpha;
    double* alpha_rows; ///< of rows that have their own, 0: that of all; NULL: none has
    sari_step_matrix P;
    int passes, kkt, rescue;
    int by_mass;     ///< projections are measured by M, not by P, and repeated down to rounding
    int independent; ///< as published, (6) with the velocities from before (5)
    int printed;     ///< it starts by (9)
    sari_tangent_policy tangent; ///< how long S, K and C serve
    sari_transport transport;    ///< to where S of an earlier step was factored
    int goes_on;                 ///< motion is as in the steps before
    double beside_springs;       ///< penalty that is one there, with K and C
    unsigned long beside_of;     ///< of this evaluation,
    double beside_ca;            ///< and this shift; 0: none yet
    double softest;              ///< s of the filter number
    double floor;                ///< least c of our choice
    int ratio_given;             ///< the penalty ratio is not our choice
    int* block;                  ///< body of every coordinate, or NULL
    sari_constrained* stiffened; ///< whose P has the geometric stiffness of this step
    int redundant;               ///< constraints, at the start
    int implied;                 ///< rows on velocities are implied by others
    int repeated;                ///< some row is
    int started;                 ///< these are known
    double reached;              ///< time at the end of the last step; NaN: there was none
    double moment;               ///< a small part of its length
    double unit;                 ///< of c, see constrained.h
    int iteration;               ///< corrections in this step
    int in_limit;                ///< of them in the limit
    phase phase;                 ///< of this step
    double *force, *lambda;      ///< F of (7); multipliers at the first correction
    sari_predicted predicted;    ///< and those that the step is going to end with
    int lazy;                    ///< Phi_q is evaluated only where it is needed
    int has_jacobian;            ///< Phi_q is that of the present state
    int updated;                 ///< the state is what the last correction led to
    double *f, *g, *mu, *dmu;
    double *nu, *kappa; ///< multipliers of projections by mass
    int most_passes;    ///< of a correction
    double* before;     ///< dq of the pass before
    double* psi; ///< A v + b of rows on velocities, in the place of the last rows; NULL: none
    double cv;   ///< shift of the present correction
} al3;

/* c of our choice */
static inline double sari_al3_own_penalty(const al3* self)
{
    return fmax(self->ratio / self->unit, self->floor);
}

static inline double sari_al3_penalty(const al3* self, double ca)
{
    if (self->kkt) return INFINITY;
    return self->alpha_given > 0.0 ? self->alpha_given : sari_al3_own_penalty(self) * ca;
}

/// The form and the penalty of the present correction.
void sari_al3_choose_form(al3* self, double ca);
/// Delta of the limit, which is its unit times a constant.
void sari_al3_set_delta(al3* self);
/// Pivots of constraints in the limit that are weak: those of redundant ones are so all the time.
int sari_al3_weak_pivots(const al3* self);
/// Constraints at s, and K and C with `tangent`.
sar_status sari_al3_evaluate_constraints(al3* self, const sari_state* s, int tangent);
/// S, with geometric stiffness of `lambda`; NULL: without.
sar_status sari_al3_factor(al3* self, const sari_state* s, double cv, double ca,
                           const double* lambda);

/* al3_project.c */
/// Takes from the multipliers of s what makes no force.
void sari_al3_strip(al3* self, sari_state* s);
/// The end of a step: (5) and (6).
sar_status sari_al3_project(void* self, sari_state* s, double cv, double ca);

/* al3_start.c */
sar_status sari_al3_create(void* self, sari_equations* sys, const sar_options* options,
                           sar_error* error);
sar_status sari_al3_start(void* self, sari_state* s);

/* al3.c */
/// A step begins; s = NULL: the one before failed.
void sari_al3_begin(void* self, const sari_state* s);

#endif
