/* The neck: what formulations and integrators see of a mechanism, and all they see.
 *
 *     M(q) a + Phi_q' lambda = Q(t, q, v)         K = -dQ/dq,  C = -dQ/dv  (applied forces)
 *     Phi(t, q) = 0
 *     Phi_q v + Phi_t = 0
 *     Phi_q a + bias = 0                          bias = dPhi_q/dt v + dPhi_t/dt
 *
 * The last rows may be on velocities alone (non-holonomic): A(q, t) v + b(q, t) = 0. For them Phi_q
 * is A, Phi_t is b, the bias dA/dt v + db/dt as above, and Phi is zero: there is no such position.
 *
 * The last numbers of v may be states x of forces, dx/dt = g(t, q, v). They are velocities with a
 * mass of one on which the force g acts, so that all that integrates the motion integrates them, to
 * its own order: their rates are in a, g is in Q, its derivatives are in K and C. The positions that
 * belong to them, the integrals of x, are in q and nothing depends on them; no constraint does on x.
 * They have no part in energies.
 *
 * Sparsity patterns are fixed at creation; evaluating fills values and allocates nothing. */
#ifndef SARI_EQUATIONS_H
#define SARI_EQUATIONS_H

#include "base/archive.h"
#include "base/arena.h"
#include "linalg/sparse/sparse_matrix.h"
#include "sarrus/base.h"
#include "system/slack.h"

typedef struct sari_coordinates sari_coordinates;

/// What to evaluate; results stay in the system until evaluated again.
enum {
    SARI_EVAL_PHI = 1,              ///< Phi
    SARI_EVAL_JACOBIAN = 2,         ///< Phi_q (and Phi)
    SARI_EVAL_PHI_T = 4,            ///< Phi_t
    SARI_EVAL_BIAS = 8,             ///< bias
    SARI_EVAL_MASS = 16,            ///< M
    SARI_EVAL_FORCE = 32,           ///< Q, inertial terms included
    SARI_EVAL_TANGENT = 64,         ///< K and C (and Q)
    SARI_EVAL_JACOBIAN_RATE = 128,  ///< dPhi_q/dt
    SARI_EVAL_VELOCITY_SLOPE = 256, ///< d(A v + b)/dq of the rows on velocities
    SARI_EVAL_DYNAMICS =
        SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T | SARI_EVAL_BIAS | SARI_EVAL_MASS | SARI_EVAL_FORCE,
};

/// What moves. Formulations in first-order form integrate (q, p): p are the velocities, and then p
/// and pdot are v and a themselves (the same memory), or canonical momenta with memory of their
/// own; then there are also integrals over time.
typedef struct sari_state {
    int np, n, m; ///< numbers in q, in v, and in lambda
    double t;
    double *q, *v, *a, *lambda;
    double *p, *pdot;
    double *sigma, *integral; ///< of lambda, and of Phi; NULL without momenta
} sari_state;

/// An expression that had no finite value, or no finite slope, for finite variables.
typedef struct sari_undefined {
    const char* what;           ///< "force", "drive" ...; NULL: all had
    const char *element, *text; ///< its name and the expression; NULL: a law without one
    double t, value;
    int slope; ///< the value is finite, its derivatives are not
    int jams;  ///< no reactions agree with the forces that depend on them; it has no name then
} sari_undefined;

/// Who is told of projections onto the constraints: the energy ledger of a run. Within one another they count once.
typedef struct sari_projection_watch {
    void (*begins)(void* self, const sari_state* s);
    /// What it added to the energy. Leaves the system evaluated at s (SARI_EVAL_DYNAMICS).
    double (*ended)(void* self, const sari_state* s);
    void* self;
    int depth;
    double energy; ///< that projections of this step added
} sari_projection_watch;

/* The members of sari_equations, and of sari_system. */
#define SARI_EQUATIONS                                                                             \
    int np; /* numbers in q */                                                                     \
    int nq; /* and in its changes: v, a, columns of Phi_q. The same except on manifolds */         \
    int nc; /* rows of Phi_q */                                                                    \
    int velocity_rows;             /* the last of them: on velocities alone */                     \
    int states;                    /* the last numbers of q and v: states of forces */             \
    const sari_coordinates* space; /* of q, for sari_coordinates_move and the like below */        \
    int vectors;                   /* q0 + d is all that move does */                              \
    int linear;                    /* places of bodies are linear in q, Phi quadratic */           \
    sari_sym M;                                                                                    \
    sari_csr Phi_q;                                                                                \
    sari_csr Phi_q_rate; /* dPhi_q/dt along v: Phi_q's pattern (shared), values of its own */      \
    sari_csr                                                                                       \
        velocity_slope; /* d(A v + b)/dq of the rows on velocities, Phi_q's pattern           \
                                (shared); zero in the other rows. No values where there are none   \
                                such */    \
    sari_csr K, C;      /* one pattern, K's (shared); empty when no force depends on the motion */ \
    unsigned long tangents; /* how often K and C were evaluated: are they still those? */          \
    double *Q, *Phi, *Phi_t, *bias;                                                                \
    int constant_mass;  /* M never changes after creation */                                       \
    int constant_force; /* Q never changes after creation */                                       \
    int unforced;       /* nothing but weight, and joints that do no work */                       \
    int rheonomic;      /* some constraint depends on t */                                         \
    const int* varying; /* entries of Phi_q that may change; NULL: all */                          \
    int varying_count;                                                                             \
    const int*                                                                                     \
        stiff; /* first of three coordinates whose geometric stiffness is to be had, see    \
                         sari_equations_stiffness */      \
    int stiff_count;                                                                               \
    sari_slack slack; /* what of the rows is not held; Phi, Phi_t and bias are without it */       \
    sari_undefined undefined; /* the first seen since `what` was set to NULL */                    \
    double size;              /* of the bodies: the longest; set by who runs it, 1 at first */     \
    double away; /* of the model from the origin that expressions count from;         \
                                 likewise, 0 at first */            \
    sari_projection_watch* watch; /* set by who runs it; NULL: not wanted */                       \
    int threads;                  /* that share an evaluation; set by who runs it, 1 at first */

typedef struct sari_equations {
    SARI_EQUATIONS
} sari_equations;

/// A state of this size in the memory of its owner. `momenta`: p and pdot are arrays of their own,
/// and there are sigma and integral.
void sari_state_take(sari_state* s, sari_arena* memory, const sari_equations* system, int momenta);
void sari_state_copy(sari_state* to, const sari_state* from); ///< of one size
void sari_state_archive(sari_state* s, sari_archive* a);

/// Around a projection of s.
static inline void sari_projection_begins(const sari_equations* s, const sari_state* x)
{
    if (s->watch && s->watch->depth++ == 0) s->watch->begins(s->watch->self, x);
}
static inline void sari_projection_ended(const sari_equations* s, const sari_state* x)
{
    if (s->watch && --s->watch->depth == 0) s->watch->energy += s->watch->ended(s->watch->self, x);
}
/// An attempt of a step is given up: what its projections added never was.
static inline double sari_projections_so_far(const sari_equations* s)
{
    return s->watch ? s->watch->energy : 0.0;
}
static inline void sari_projections_forget(const sari_equations* s, double so_far)
{
    if (!s->watch) return;
    s->watch->energy = so_far;
    s->watch->depth = 0;
}

/// Evaluate at (t, q, v); v may be NULL for what does not need it (PHI, JACOBIAN, PHI_T, MASS).
/// SAR_E_ARG: it is NULL and needed, and nothing was evaluated. SAR_R_NOT_FINITE: a force, a drive
/// or a row on velocities has no finite value there, or no finite slope where slopes are asked for;
/// `undefined` names the first expression that has none. SAR_R_NO_CONV: forces that depend on reactions have
/// none, likewise. The rest is evaluated all the same.
sar_status sari_equations_eval(sari_equations* s, unsigned what, double t, const double* q,
                               const double* v);

/// Accelerations of a system without constraints, where `open` says that they come in a time that
/// grows with the bodies: no matrix is evaluated. SAR_R_SINGULAR: some motion has no mass.
int sari_equations_open(const sari_equations* s);
sar_status sari_equations_accelerations(sari_equations* s, double t, const double* q,
                                        const double* v, double* a);

/// out += factor Phi_q' lambda at the last evaluated q; where `without_jacobian` says so, Phi_q
/// need not be evaluated there.
void sari_equations_add_reaction(const sari_equations* s, double factor, const double* lambda,
                                 double* out);
int sari_equations_reaction_without_jacobian(const sari_equations* s);

/// out = M x, with the last evaluated M
void sari_equations_mass_times(const sari_equations* s, const double* x, double* out);

/// out = dM/dt v, at the last evaluated (q, v).
void sari_equations_mass_rate(sari_equations* s, double* out);

/// out = Phi_q v + Phi_t, with the last evaluated Phi_q and Phi_t.
void sari_equations_phi_dot(const sari_equations* s, const double* v, double* out);

/// How fast the mechanism moves at (q, v) [rad/s]: the largest over all bodies of the rate of an
/// axis and of the speed of the centre, in sizes a second. Also of velocities that violate the
/// constraints.
double sari_equations_turn(sari_equations* s, const double* q, const double* v);
/// The same of axes alone: 0 where bodies are only moved.
double sari_equations_spin(sari_equations* s, const double* q, const double* v);

/// felt[i], per coordinate: does a constraint change with it, or may a force, a bound or a condition
/// change along it in a way that a long step does not see? Weight, straight springs and what depends on
/// rates or time alone do not count (step_limits.c). Returns 0 if nothing but constraints is felt, or
/// SARI_FELT_DISTANCES: besides them forces that change with the distance of two points alone.
enum { SARI_FELT_SHAPES = 1, SARI_FELT_DISTANCES = 2 };
int sari_equations_felt(const sari_equations* s, char* felt);
/// The smallest of these distances at q, in sizes.
double sari_equations_nearest(const sari_equations* s, const double* q);
/// How far the centre of some body is at most from where it was drawn, in sizes, at (q, v); where places
/// are linear in q, from where it was before a change of q by `way`.
double sari_equations_distance(sari_equations* s, const double* q, const double* v,
                               const double* way);

/// How large the states of the model are at (t, q, v): scale[i] of those grows to the largest of
/// |x_i|, a thousandth of the terms of its rate in a time 1/pace, and a millionth of its unit, so
/// that a state that is zero but for rounding is not followed to its last digit. Those of states of
/// forces stay.
void sari_equations_state_scales(sari_equations* s, double t, const double* q, const double* v,
                                 double pace, double* scale);

/// Do all applied forces have a potential that does not change with time?
int sari_equations_conservative(const sari_equations* s);

/// Body of every coordinate, from 0. Returns 0 where coordinates do not belong to one each.
int sari_equations_blocks(const sari_equations* s, int* block);

/// Estimate of the smallest eigenvalue of Phi_q M^-1 Phi_q', from the longest path to the ground as
/// if it were a chain of n equal links: (pi/2n)^2 / m. One solve with a penalty leaves the part
/// 1/(1 + F) of a violation in that direction, F = beta h^2 alpha times this: the filter number.
double sari_equations_softest(const sari_equations* s);

/// Joint, or body, that row r belongs to.
const char* sari_equations_row_name(const sari_equations* s, int row);

/// Geometric stiffness lambda . d2Phi/dq2 within the three coordinates from stiff[k] on: six
/// numbers each, the lower triangle by rows, at the last evaluated q. What couples different threes
/// is left out.
void sari_equations_stiffness(const sari_equations* s, const double* lambda, double* G);

/// q = q0 + d, d = q - q0, and what takes their place where positions are no vectors.
void sari_coordinates_move(const sari_coordinates* c, const double* q0, const double* d, double* q);
void sari_coordinates_difference(const sari_coordinates* c, const double* q0, const double* q,
                                 double* d);
/// x, a change or a rate at some position, as it is at the one to which d leads: where axes turn
/// along, the same vector in space has other numbers there.
void sari_coordinates_carry(const sari_coordinates* c, const double* d, double* x);
/// The same for the numbers of n coordinates i alone: those of a turn are all among them, in order.
void sari_coordinates_carry_row(const sari_coordinates* c, const double* d, int n, const int* i,
                                double* x);
/// The same for qdot = v, v = qdot, and for leaving q alone.
void sari_coordinates_position_rates(const sari_coordinates* c, const double* q, const double* v,
                                     double* qdot);
void sari_coordinates_velocities(const sari_coordinates* c, const double* q, const double* qdot,
                                 double* v);
void sari_coordinates_normalise(const sari_coordinates* c, double* q);

#endif
