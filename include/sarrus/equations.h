/// @file equations.h
/// The equations of motion of a model in chosen coordinates, as matrices and vectors at any state: for
/// methods, controllers and estimators of one's own.
///
///     M(q) a + Phi_q' lambda = Q(t, q, v)        K = -dQ/dq,  C = -dQ/dv
///     Phi(t, q) = 0
///     Phi_q v + Phi_t = 0
///     Phi_q a + bias = 0
///
/// The last rows may be non-holonomic: A(t, q) v + b(t, q) = 0. For them Phi_q is A, Phi_t is b and Phi is
/// zero. All numbers are in the units of the model file. Redundant rows stay; nothing is reduced.
///
///     sar_equations* e;
///     sar_equations_create(model, "relative", &e, NULL);
///     sar_equations_start(e, &t, q, v);
///     sar_equations_evaluate(e, t, q, v);
///     sar_equations_dense(e, SAR_MATRIX_MASS, M);
///
/// Only create allocates, and the first call of sar_equations_independent.
#ifndef SARRUS_EQUATIONS_H
#define SARRUS_EQUATIONS_H

#include "sarrus/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sar_equations sar_equations;

/// The model is assembled for this; it must outlive the equations and not change. Its joints are those of
/// the start, and its dimensions those of the file to the letter. SAR_E_ARG: there are no such
/// coordinates. SAR_E_ASSEMBLY: there is no start.
SAR_API sar_status sar_equations_create(const sar_model* model, const char* coordinates,
                                        sar_equations** out, sar_error* error);
SAR_API void sar_equations_destroy(sar_equations* e);

typedef struct sar_equations_size {
    int positions;  ///< numbers in q
    int velocities; ///< in v and a, columns of Phi_q. Fewer than in q where positions are no vectors
    int constraints;  ///< rows of Phi_q
    int nonholonomic; ///< the last of them
    int states;       ///< the last numbers of q and v: states of forces (v) and their integrals (q)
    int constant_mass; ///< 1: M does not depend on q
} sar_equations_size;

SAR_API sar_equations_size sar_equations_sizes(const sar_equations* e);

typedef enum sar_equations_label {
    SAR_LABEL_POSITION,   ///< of q: "crank.B.x", "J1.angle", "rod.e0"
    SAR_LABEL_VELOCITY,   ///< of v
    SAR_LABEL_CONSTRAINT, ///< of a row: the joint, or the body whose coordinates it relates
} sar_equations_label;

/// SAR_E_ARG: there is no such number. Names that are too long are cut.
SAR_API sar_status sar_equations_name(const sar_equations* e, sar_equations_label of, int k,
                                      char* name, size_t room);

/// The assembled start: t, q and v.
SAR_API void sar_equations_start(const sar_equations* e, double* t, double* q, double* v);

/// The present state of a run of the same model, in whatever coordinates it is. Angles count revolutions
/// from there on. SAR_E_ARG: it is not assembled, or a phase or a contact has changed its joints.
SAR_API sar_status sar_equations_take(sar_equations* e, sar_simulation* s, double* t, double* q,
                                      double* v);

/// The value of an input from now on. SAR_E_ARG: there is no such input.
SAR_API sar_status sar_equations_set_input(sar_equations* e, int input, double value);

/// Evaluate everything at (t, q, v), which need not satisfy the constraints. SAR_R_NOT_FINITE: some force
/// or drive has no finite value there; the rest is evaluated.
SAR_API sar_status sar_equations_evaluate(sar_equations* e, double t, const double* q,
                                          const double* v);

/* ---- at the state that was evaluated last ---------------------------------------------------- */

typedef enum sar_equations_vector {
    SAR_VECTOR_FORCE, ///< Q: applied forces, and inertial ones of v
    SAR_VECTOR_PHI,
    SAR_VECTOR_PHI_T,
    SAR_VECTOR_BIAS
} sar_equations_vector;

/// Owned by the equations, overwritten by the next evaluation.
SAR_API const double* sar_equations_get(const sar_equations* e, sar_equations_vector which);

typedef enum sar_equations_matrix {
    SAR_MATRIX_MASS,         ///< M, both triangles
    SAR_MATRIX_STIFFNESS,    ///< K
    SAR_MATRIX_DAMPING,      ///< C
    SAR_MATRIX_JACOBIAN,     ///< Phi_q
    SAR_MATRIX_JACOBIAN_RATE ///< dPhi_q/dt along v
} sar_equations_matrix;

/// Compressed rows: those of row r are start[r] ... start[r + 1] - 1. The pattern never changes.
typedef struct sar_csr {
    int rows, columns;
    const int *start, *column;
    const double* value;
} sar_csr;

SAR_API sar_csr sar_equations_sparse(const sar_equations* e, sar_equations_matrix which);
/// By rows.
SAR_API void sar_equations_dense(const sar_equations* e, sar_equations_matrix which, double* out);

/// d(Phi_q' lambda)/dq of the holonomic rows, by rows: the geometric stiffness of constraint forces.
SAR_API void sar_equations_hessian(sar_equations* e, const double* lambda, double* out);

SAR_API double sar_equations_kinetic_energy(const sar_equations* e);
SAR_API double sar_equations_potential_energy(sar_equations* e);

/// Velocity of a point of a body (given in its frame) and angular velocity of the body, in world axes, as
/// J v: six rows of J.
SAR_API sar_status sar_equations_body_jacobian(sar_equations* e, sar_body_id body,
                                               const double point[3], double* J);
/// Centre of mass [m], mass [kg] and inertia about the centre [kg m^2] in world axes, by rows.
SAR_API sar_status sar_equations_body_inertia(sar_equations* e, sar_body_id body, double center[3],
                                              double* mass, double inertia[9]);

/// An output of the model, and its slopes: along changes of positions (a number per velocity, see
/// sar_equations_move), velocities and time. Exact, not by differences. Any result may be NULL. SAR_E_ARG,
/// with a message: there is no such output, or it depends on more than time, positions, velocities and
/// states of forces (accelerations, reactions, energies, integrals).
SAR_API sar_status sar_equations_output(sar_equations* e, int output, double* value, double* by_q,
                                        double* by_v, double* by_t, sar_error* error);

/// The equations in independent velocities z = v[chosen[0]], v[chosen[1]], ...: with `count` of them,
///
///     v = R z + r,   a = R dz/dt + s,   (R' M R) dz/dt = R' (Q - M s)
///
/// `R` has a row per velocity. M_z and Q_z are R' M R and R' (Q - M s). Any result may be NULL.
/// SAR_R_SINGULAR: the chosen velocities do not determine the others there, or are not independent.
/// SAR_R_VIOLATED: the constraints have no common velocity.
SAR_API sar_status sar_equations_independent(sar_equations* e, int count, const int* chosen,
                                             double* R, double* r, double* s, double* M_z,
                                             double* Q_z);

/* ---- positions ------------------------------------------------------------------------------- */

/// q = where the change d, with a number per velocity, leads from q0: q0 + d where positions are vectors.
SAR_API void sar_equations_move(const sar_equations* e, const double* q0, const double* d,
                                double* q);
/// dq/dt, with a number per position, at the velocity v.
SAR_API void sar_equations_rates(const sar_equations* e, const double* q, const double* v,
                                 double* qdot);

#ifdef __cplusplus
}
#endif
#endif
