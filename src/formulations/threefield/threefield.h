/* Multipliers with masses of their own, in a weak form of three fields: positions, velocities,
 * momenta.
 *
 * A constraint r is given an equation of motion [potosakis, (15), (19)]
 *
 *     (m_r mu_r)' + c_r mu_r + k_r lambda_r = h_r + f_r                                    (1)
 *
 *     mu = lambda',   m_r = 1/(a_r M^-1 a_r')
 *
 * where a_r is its row of A = Phi_q and h_r its force on the bodies, sum a_r' h_r. The force is
 * fixed by the constraint; lambda and mu only follow it from arbitrary initial values, and are a
 * gauge. So they are reset in every step, to the impulse that the step needs: what stays of (1) is
 * the mass m_r, which is the unit of the penalty rho_r. Then one number serves all mechanisms: an
 * iteration leaves 1/(1 + rho) of the violation of a constraint that is alone, 1/(1 + rho s) along
 * an eigenvector of Phi_q M^-1 Phi_q', with rows scaled by m, to the eigenvalue s.
 *
 * The step. Positions are linear in time and velocities constant, u; forces and A belong to the
 * middle:
 *
 *     q_m = q_n (+) h/2 u,    q_1 = q_n (+) h u                                            (2)
 *
 *     g = Phi(q_1, t_1)/h,    or on velocities  A(q_m, t_m) u + b(q_m, t_m)                (3)
 *
 *     R = M(q_m) (u - v_n) - h/2 (Q(q_m, u, t_m) - A_m' lambda) + A_m' w g = 0             (4)
 *
 *     w_r = rho_r m_r
 *
 *     lambda += 2/h w g                                                                    (5)
 *
 * Reactions do no work if A_m u = (Phi(q_1) - Phi(q_n))/h, which holds for constraints of second
 * degree. Where they are not, in coordinates that turn, A_m' in (4) is replaced by Simpson's mean
 * along the step
 *
 *     D' = (A_n + 4 A_m + A_1)'/6                                                          (4a)
 *
 * for which it holds up to the fourth power of h. (4) takes the place of p' = f + ... and (5) of
 * the augmentation in [potosakis, (25), (26)], with the signs of the neck, lambda = -2 m mu/h. The
 * block iteration solves (4) by one Newton step and then does (5), with one factorisation in a
 * step, at the predicted middle:
 *
 *     (P + A' w A) du = -R,   P = M + h/2 C + h^2/4 K                                      (6)
 *
 * It ends when h |du| and h |g| are small. Where that would take more than a few iterations, the
 * rest is done in the limit of an infinite penalty, with factors of its own in every iteration:
 *
 *     [P A'; A -delta] (du, h/2 lambda) = (-M (u - v_n) + h/2 Q, -g)                       (6a)
 *
 * Near a singular configuration, where the softest direction (by inverse iteration with (6a)) is much
 * softer than any at the start, the penalty goes on alone, and the best iterate is accepted, if what is
 * left over grows and is no more than the error of the step. Otherwise rows that vanish between the middle
 * and the end have opposite gradients there, and what is missing of the reactions follows A of the end:
 *
 *     M (u - v_n) - h/2 (Q - A_m' lambda_m - A_1' (lambda - lambda_m)) = 0                 (4b)
 *
 * with lambda_m of the best iterate, in the limit (6a) with A_1. Such steps are counted if they do not get
 * to the tolerance. Elsewhere steps that do not are refused. A
 * constraint that shrinks by less than four in two iterations gets ten times its penalty, up to a
 * cap: penalties that are too large for the tangent do harm in singular configurations, where directions
 * with rho s < 1 have to be left alone.
 *
 * Rows on velocities that others imply (two discs on one axle) hold only where the joints do, and
 * q_m is O(h^2) beside that: they contradict the others by a part of g that no u removes. With g in
 * the rows of J = sqrt(w) A it is
 *
 *     e = lim (1 + J P^-1 J')^-k g,  on velocities                                        (3a)
 *
 * found in every iteration, kept from step to step, and taken off g.
 *
 * Rows that a drawing leaves open (system/slack.h) have no forces: along them w g in (4), lambda and the
 * rates in (8) count for nothing. Otherwise what they lack, divided by h, would drive the motion the
 * more the shorter the step.
 *
 * The nodal velocity is that of the momentum after the step, brought to the constraints by one
 * sweep with A, b and M at q_1:
 *
 *     v* = 2 u - v_n                                                                       (7)
 *
 *     (M + A' w A) v = M v* - A' w b                                                       (8)
 *
 * For constraints of second degree and a constant M, (2)-(7) conserve the energy but for what the
 * iteration leaves over, and violate the velocity constraints by O(h^2); (8) takes energy O(h^3) in
 * a unit of time.
 *
 * The variant `rattle` has A at q_n in the place of A_m, and for the second half A at q_1:
 *
 *     M(q_m) (v - u) = h/2 (Q_m - A_1' nu),   A_1 v + b_1 = 0                              (9)
 *
 * which is RATTLE with the force in the middle: symplectic, energy without drift, and A_n M^-1 A_1'
 * indefinite in singular configurations.
 *
 * Accelerations and multipliers at q_1, for outputs and as prediction, come from M a + A' lambda =
 * Q, A a = -bias with the matrix of (8). On request (1) is integrated beside, from zero, by the
 * midpoint rule. */
#ifndef SARI_THREEFIELD_H
#define SARI_THREEFIELD_H

#include "formulations/constrained.h"
#include "formulations/formulation.h"
#include "formulations/step_matrix.h"
#include "formulations/threefield/rows.h"

typedef struct sari_threefield {
    sari_arena memory;
    sari_equations* sys;
    sari_constrained lin;   ///< (6), (8) and (9)
    sari_constrained limit; ///< (6a)
    double softest;         ///< eigenvalue of the scaled Phi_q M^-1 Phi_q' at the start
    sari_step_matrix P;
    sari_csr J; ///< rows of A times the square root of w, as in `lin`
    sari_row_masses masses;
    double* softest_work;
    double rho_given, cap_given, factor; ///< options
    int adapt, sweeps_given, rattle, warm, rescue;
    double tolerance, accept;
    int sweeps, most;
    double cap;         ///< of rho
    double *rho, *mass; ///< per row
    double* mass0;      ///< at the start
    double *w, *root;   ///< w and its square root
    int cold;           ///< nothing is known of the forces
    struct {
        double h;           ///< 0: none
        double *a, *lambda; ///< in its middle
    } past;                 ///< the last step
    int struggled;          ///< the last iteration did not get to its limit
    double usual;           ///< limit of this step's iteration
    double norm;            ///< of the coordinates where it began
    double *q0, *v0, *qm, *q1;
    double *u, *du, *f, *d;
    double *lambda, *g, *g_last, *row;
    int implied;      ///< rows on velocities are implied by others
    double* scaled;   ///< rows in the units of J
    double* conflict; ///< (3a), by rows on velocities as part of all
    int* slow;        ///< iterations in which a row shrank too little
    struct {
        double *u, *lambda;
    } best_iterate;
    int curved;         ///< A is not linear in q: (4a) makes a difference
    double *A0, *A1;    ///< A at the ends of the step, for rattle and (4a)
    int at_end;         ///< the step goes on with D = A1
    double* mixed;      ///< values of D that are neither A0 nor the system's
    sari_csr middle;    ///< A as reactions follow it in a step
    double* end_lambda; ///< at_end: lambda that does so still
    sari_csr D;         ///< A as what is added to them does
    int* block;         ///< body of every coordinate, or NULL
    struct {
        double *lambda, *momentum, *rate; ///< lambda, m mu and mu of (1); NULL: not wanted
        double *lambda0, *momentum0;      ///< where a step began that may be taken back
    } beside;                             ///< what is integrated beside the motion
    struct sari_six_fields* six; ///< the published weak form in the place of (2)-(9); NULL: not
} sari_threefield;

/// Take off `scaled`, a vector of rows times or by `root`, what no motion answers to, with the
/// matrix last factored; f and row are lost, row is what was taken.
void sari_threefield_strip(sari_threefield* self, double* scaled);

/// One step of h from s: (2) to (9).
sar_status sari_threefield_step(void* self, sari_state* s, double h, sari_own_step* report);

/* parts of a step that other discretisations share */

/// w = factor rho m and its square root.
void sari_threefield_set_weights(sari_threefield* self, double factor);
/// J from values of the entries of A.
void sari_threefield_scale_rows(sari_threefield* self, const double* A);
/// More penalty for rows that converge slowly. Were there any?
int sari_threefield_raise_penalties(sari_threefield* self, double h);
/// (2)
void sari_threefield_place(sari_threefield* self, double h);
/// Everything of (4), and with `tangent` of (6), in the middle of the step from t.
sar_status sari_threefield_evaluate_middle(sari_threefield* self, double t, double h, int tangent);
/// (6) at the present middle, with the rows D
sar_status sari_threefield_factor_middle(sari_threefield* self, double h);
/// The larger of h |du| and h |g|
double sari_threefield_left_over(const sari_threefield* self, double h);
/// What may be left over where a step does not converge: no more than its error.
double sari_threefield_acceptable(const sari_threefield* self, double h);
/// Limit of this step's iteration, from q0.
void sari_threefield_set_tolerance(sari_threefield* self);
/// v of s and momenta of the rows, M v + A' momenta = f, A v + b = 0: with self->f, M as last
/// evaluated, A and b at s. The momenta begin as given. Leaves the matrix of (8) for s.
sar_status sari_threefield_meet_rates(sari_threefield* self, sari_state* s, double h,
                                      double* momenta);
/// M at the last evaluated position in the place of P.
void sari_threefield_use_mass(sari_threefield* self);
/// b of the constraints' rates, scaled like the rows, in self->row; NULL: zero
const double* sari_threefield_scaled_rates(sari_threefield* self);

/// The direction of the rows in the middle of the step, and what they are violated by there.
void sari_threefield_set_direction(sari_threefield* self);
sar_status sari_threefield_find_violations(sari_threefield* self, double t, double h);
/// What rows contradict each other by.
void sari_threefield_find_conflict(sari_threefield* self);

/* limit.c: (6a) */

sar_status sari_threefield_factor_limit(sari_threefield* self, double h);
/// Is the step near a singular configuration? There (6a) is of no use.
sar_status sari_threefield_find_singular(sari_threefield* self, double t, double h, int* singular);
/// (4)-(5) with (6a)
sar_status sari_threefield_improve_in_limit(sari_threefield* self, double t, double h);

/* for the start of a run; the system is evaluated there */

/// The penalty of all rows, for masses that are set.
void sari_threefield_choose_penalty(sari_threefield* self);
/// The softest direction, where that was but estimated.
sar_status sari_threefield_find_softest(sari_threefield* self);
/// Factor (8) with penalties `factor` times as large.
sar_status sari_threefield_factor_mass(sari_threefield* self, double factor);
/// Accelerations and multipliers at s, with the matrix of (8); the multipliers from those given.
sar_status sari_threefield_accelerate(sari_threefield* self, sari_state* s, int passes);

#endif
