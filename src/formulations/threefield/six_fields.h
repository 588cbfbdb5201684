/* The published weak form with all six of its fields [potosakis, (15)-(19), (24)-(26)].
 *
 * Positions q and multipliers lambda, their rates v and mu, and momenta p and pi are unknown, with the
 * coefficients (16) of every constraint r along a direction c_r that has a_r c_r = 1 (17):
 *
 *     m = c' M c,   c = -c' Q_v c,   k = -c' Q_q c,   f = c' Q                                  (1)
 *
 * In a step of h, from node n to node 1, with a_n, a_1 and D the row at its ends and in the mean, (25) gives
 * for every variation one equation. Written with nu = m mu and E = c mu + k lambda - f,
 *
 *     dp        v = (q_1 - q_n)/h              dpi       mu = (lambda_1 - lambda_n)/h           (2)
 *     dv        p = M v - D' nu                dmu       pi = m phi'                            (3)
 *     dq_n      p - P_n = h/2 (Q + D' E) - (D - a_n)' nu,      P_n = M v_n - a_n' nu_n          (4)
 *     dq_1      P_1 - p = h/2 (Q + D' E) - (a_1 - D)' nu                                        (5)
 *     dlambda_n   pi - Pi_n = -h/2 (c phi' + k phi)                                             (6)
 *     dlambda_1   Pi_1 - pi = -h/2 (c phi' + k phi)                                             (7)
 *
 * `expansion` 1: q, lambda and their variations are linear in the step, the rest is constant; the integral
 * of Da/Dt against a linear variation is that in (4), (5). Q, M and E belong to the middle. P and Pi at the
 * nodes are the boundary terms of (25); v_1 and nu_1 follow from P_1 and A_1 v_1 = 0, (11). So (4), (5) are
 *
 *     M (v - v_n) = h/2 (Q + D' E) + a_n' (nu - nu_n),   M (v_1 - v) = h/2 (Q + D' E) + a_1' (nu_1 - nu)
 *
 * `expansion` 2: v and mu are linear too and q varies by a constant, so that the sum of (4) and (5) is all
 * that is left, with nu' in the place of nu:
 *
 *     M (v_1 - v_n) = h (Q + D' E) + D' (nu_1 - nu_n),   v = (v_n + v_1)/2                        (8)
 *
 * (6) and (7) are (19). They are solved beside the motion, from the violation of the start on: phi is zero
 * for ever if it was at the start, and what an iteration leaves over is not carried on.
 *
 * The iteration is the published one. All fields but v are kept: one Newton step for v from (4), or (8), where
 * mu and lambda are augmented,
 *
 *     mu - rho (phi' - phi'_19),   lambda - rho (phi - phi_19)                                  (9)
 *
 * then mu becomes the augmented one, q and lambda follow from (2), p and pi from (3). One factorisation in a
 * step serves all iterations.
 *
 * Where this departs from what is printed:
 *  - (25), last line: the integral over w has the sign of (9) and (18) there, minus; (26): rho with the sign
 *    of (22), minus. With those printed the mass of a constraint is lost against its penalty. (13): no dot.
 *  - rows on velocities: psi takes the place of phi', not psi' as in (19).
 *  - M varies: Q has the affinities, and M (v - v_n) takes the place of the difference of momenta.
 *  - the penalty of a row with c + h/2 k < 0 is that of its mass alone.
 *  - what is not said: c_r is M^-1 a' (or a' with `plain_direction`); the penalties' rule and the halving of
 *    steps are ours; the best iterate is kept, and counted, if what is left over is no more than the error of
 *    the step, without which singular configurations halve the step to nothing. */
#ifndef SARI_SIX_FIELDS_H
#define SARI_SIX_FIELDS_H

#include "formulations/threefield/threefield.h"

typedef struct sari_six_fields {
    int expansion, plain;        ///< options
    double *momentum, *lambda;   ///< nu and lambda at the node
    double *phi, *pi;            ///< of (6), (7)
    double *momentum0, *lambda0; ///< all four where a step began that may be taken back
    double *phi0, *pi0;
    double* mu;   ///< unknown: in the step, or at its end with expansion 2
    double* rate; ///< mu of the last step or node
    double *mass, *damping, *stiffness, *force; ///< (1)
    double* best_mu;
    double *A0, *mean; ///< A at the beginning; D where it is not that of the middle
} sari_six_fields;

/// Memory of `self`'s arena, for expansion 1 or 2. 0: there is none
int sari_six_fields_create(sari_threefield* self, int expansion, int plain);

/// The run starts at s, where the system is evaluated.
void sari_six_fields_start(sari_threefield* self, const sari_state* s);

/// A step begins (1), or the one that began last is taken back (0).
void sari_six_fields_keep(sari_six_fields* six, int rows, int begins);

/// What is carried from step to step, for `rows` constraints.
void sari_six_fields_archive(sari_six_fields* six, int rows, sari_archive* a);

/// One step of h from s.
sar_status sari_six_fields_step(sari_threefield* self, sari_state* s, double h,
                                sari_own_step* report);

#endif
