/* The neck. What every method sees of a mechanism, and all it sees:
 *
 *     M(q) a + Phi_q' lambda = Q(t, q, v)         K = -dQ/dq,  C = -dQ/dv  (applied forces)
 *     Phi(t, q) = 0
 *     Phi_q v + Phi_t = 0
 *     Phi_q a + bias = 0                          bias = dPhi_q/dt v + dPhi_t/dt
 *
 * The last rows may be on velocities alone (non-holonomic): A(q, t) v + b(q, t) = 0. For them Phi_q
 * is A, Phi_t is b, the bias dA/dt v + db/dt as above, and Phi is zero: there is no such position.
 *
 * Sparsity patterns are fixed at creation; evaluating fills values and allocates nothing. */
#ifndef SARI_SYSTEM_H
#define SARI_SYSTEM_H

#include "solvers/sparse_matrix.h"
#include "system/kinematics.h"
#include "system/slack.h"
#include "system/spatial.h"

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

typedef struct sari_force_set sari_force_set;

/// An expression that had no finite value, or no finite slope, for finite variables.
typedef struct sari_undefined {
    const char* what;           ///< "force", "drive" ...; NULL: all had
    const char *element, *text; ///< its name and the expression; NULL: a law without one
    double t, value;
    int slope; ///< the value is finite, its derivatives are not
} sari_undefined;

typedef struct sari_system {
    const sar_model* model;
    sari_mechanism* mechanism;
    sari_coordinates coordinates;
    sari_kinematics* kinematics;
    sari_force_set* forces;
    int np; ///< numbers in q
    int nq; ///< and in its changes: v, a, columns of Phi_q. The same except on manifolds
    int nc;

    sari_sym M;
    sari_csr Phi_q;
    sari_csr Phi_q_rate;     ///< dPhi_q/dt along v: Phi_q's pattern (shared) with values of its own
    sari_csr velocity_slope; ///< d(A v + b)/dq of the rows on velocities, Phi_q's pattern (shared);
                             ///< zero in the other rows. No values where there are no such rows
    sari_csr K, C; ///< one pattern, K's (shared); empty when no force depends on the motion
    double *Q, *Phi, *Phi_t, *bias;
    int constant_mass;  ///< M never changes after creation
    int constant_force; ///< Q never changes after creation
    int unforced;       ///< nothing but weight, and joints that do no work
    const int* varying; ///< entries of Phi_q that may change; NULL: all
    int varying_count;
    sari_undefined undefined; ///< the first seen since `what` was set to NULL
    int threads;              ///< that share an evaluation; set by who runs it, 1 at first
    int rheonomic;            ///< some constraint depends on t
    sari_slack slack;         ///< what of the rows is not held; Phi, Phi_t and bias are without it
    double* gravity; ///< constant maps: generalised gravity force, whose potential is gravity_0 -
                     ///< gravity . q
    double gravity_0;

    /* rows: the coordinates' own, then the joints' polynomials, relations, rows on velocities */
    int own_rows, polynomial_rows, relation_rows, velocity_rows;
    int* row_polynomial;     ///< polynomial rows: index in kinematics->poly
    int* row_joint;          ///< joint, or -1
    int* row_body;           ///< own rows: body, else -1
    sari_relation* relation; ///< relation rows
    int** relation_at;       ///< positions of each term's coordinates in the row
    sari_kinematics own;     ///< evaluates the own rows: a kinematics of polynomials in q
    sari_quadratics flat;    ///< the first rows: own ones, with a constant map all but relations
    int direct;              ///< `spatial` evaluates all there is
    struct sari_articulated* articulated; ///< open trees: accelerations by recursion; else NULL
    struct sari_velocity_set* velocity;   ///< evaluates the rows on velocities; NULL: none
    sari_spatial* spatial; ///< free spatial bodies: evaluates joints and inertia; else NULL
    int* mass_at;          ///< positions in M of every body's block, body after body
    int* mass_first;       ///< per body: where its block starts in mass_at
    int longest_row;       ///< entries of Phi_q in a row, at most
    double* hessian;       ///< two squares of that size, for the rows' second derivatives
    sari_affine* map;      ///< constant maps, if joints attach: X as functions of q
} sari_system;

sar_status sari_system_create(const sar_model* model, const sari_coordinates_ops* coordinates,
                              sari_system** out, sar_error* error);
/// With the joints that are there, see sari_mechanism_create.
sar_status sari_system_create_with(const sar_model* model, const char* active,
                                   const sari_coordinates_ops* coordinates, sari_system** out,
                                   sar_error* error);
void sari_system_destroy(sari_system* s);

/// Put end a of a joint that attaches to `end`, see sari_mechanism_attach.
sar_status sari_system_attach(sari_system* s, int joint, const sar_end* end, double distance);

/// out = T' M_X Xd: momenta of bodies that move by Xd (nx per body), at the last evaluated q. Also
/// of differences of placements. work: nq doubles.
void sari_system_momenta(sari_system* s, const double* Xd, double* work, double* out);

/// `momenta`: p and pdot get memory of their own, and there are sigma and integral. 0: out of
/// memory; clear releases what there is.
int sari_state_create(sari_state* s, const sari_system* system, int momenta);
void sari_state_clear(sari_state* s);
void sari_state_copy(sari_state* to, const sari_state* from); ///< of one size

/// Evaluate at (t, q, v); v may be NULL for what does not need it (PHI, JACOBIAN, PHI_T, MASS).
/// SAR_E_ARG: it is NULL and needed, and nothing was evaluated.
sar_status sari_system_eval(sari_system* s, unsigned what, double t, const double* q,
                            const double* v);

/// Accelerations of a system without constraints, where `open` says that they come in a time that
/// grows with the bodies: no matrix is evaluated. SAR_R_SINGULAR: some motion has no mass.
int sari_system_open(const sari_system* s);
sar_status sari_system_accelerations(sari_system* s, double t, const double* q, const double* v,
                                     double* a);

/// G += lambda . d2Phi/dq2 (geometric stiffness) of the rows on positions, dense n x n row-major,
/// at the last evaluated q.
void sari_system_geometric_stiffness(sari_system* s, const double* lambda, double* G);

/// out += factor Phi_q' lambda at the last evaluated q; where `without_jacobian` says so, Phi_q
/// need not be evaluated there.
void sari_system_add_reaction(const sari_system* s, double factor, const double* lambda,
                              double* out);
int sari_system_reaction_without_jacobian(const sari_system* s);

/// out = M x, with the last evaluated M
void sari_system_mass_times(const sari_system* s, const double* x, double* out);

/// out = dM/dt v, at the last evaluated (q, v).
void sari_system_mass_rate(sari_system* s, double* out);

/// out = Phi_q v + Phi_t, with the last evaluated Phi_q and Phi_t.
void sari_system_phi_dot(const sari_system* s, const double* v, double* out);

double sari_system_kinetic_energy(const sari_system* s,
                                  const double* v); ///< with the last evaluated M
double sari_system_potential_energy(sari_system* s, double t, const double* q);
/// Power of what has no potential: dampers, expressions, loads and drives (through lambda).
double sari_system_power(sari_system* s, double t, const double* q, const double* v,
                         const double* lambda);

/// Do all applied forces have a potential that does not change with time?
int sari_system_conservative(const sari_system* s);

/// Body of every coordinate, from 0; for coordinates that belong to one each.
void sari_system_blocks(const sari_system* s, int* block);

/// Estimate of the smallest eigenvalue of Phi_q M^-1 Phi_q' along the longest way from the ground:
/// that of a chain of so many equal links, (pi/2n)^2 / m. One solve with a penalty leaves the part
/// 1/(1 + F) of a violation in that direction, F = beta h^2 alpha times this: the filter number.
double sari_system_softest(const sari_system* s);

/// Joint, or body, that row r belongs to.
const char* sari_system_row_name(const sari_system* s, int row);

/// Relations whose offset is "as drawn" take it from the present configuration (last evaluated q).
void sari_system_settle_offsets(sari_system* s);

/// Joint whose disc lies nearly flat on its plane at q, where it has no point of contact; -1: none.
int sari_system_flat_disc(sari_system* s, const double* q);

/// Values of all signals with a scalar at (t, q, v, a) into variables (SARI_VARIABLE_SIGNAL +
/// signal). v and a are not looked at where all of them are positions.
void sari_system_signals(sari_system* s, double t, const double* q, const double* v,
                         const double* a, double* variables);

/// y = M_X x: the inertia of body b against accelerations of its placement.
void sari_inertia_times(const sari_mechanism* m, int b, const double* x, double* y);

#endif
